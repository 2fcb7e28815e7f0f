// Wide expert parallelism: what a GPU decodes with the experts over few or many GPUs, and what its memory
// holds.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/serving/wide_experts.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>

namespace ringside
{

namespace
{

// The engine on show, of those in the picture the one of as many GPUs or the next smaller.
const WideEngine& shown_engine(const std::vector<WideEngine>& engines, const SloState& state)
{
    const std::int64_t ranks = state.setup.engine.ranks;
    const auto next =
        std::ranges::find_if(engines, [ranks](const WideEngine& e) { return e.report.setup.ranks > ranks; });
    return *(next - 1);
}

double gpus_of(const WideEngine& engine)
{
    return static_cast<double>(engine.report.setup.engine_gpus());
}

std::vector<PlotPoint> decoded(const std::vector<WideEngine>& engines)
{
    std::vector<PlotPoint> points;
    for (const WideEngine& engine : engines)
    {
        if (engine.batch > 0 && engine.report.setup.ranks > 1)
        {
            points.push_back({gpus_of(engine), engine.tokens_per_gpu()});
        }
    }
    return points;
}

std::string wide_words(const WideEngine& engine)
{
    const ServingSetup& setup = engine.report.setup;
    return setup.ranks > 1 ? fmt::format("EP {}", setup.engine_gpus()) : fmt::format("TP {}", setup.gpus);
}

// Below, reading the weights twice and twice as many kernels cost more than the all-to-alls that they hide.
std::string overlap_words(const WideEngine& engine)
{
    return engine.overlap_from > 0 ? fmt::format(" (faster from {} up)", grouped(engine.overlap_from)) : "";
}

void draw_decoded(const SloRoom& r, Rect area)
{
    const Scenario& s = r.frame.now.scenario;
    const Theme& t = r.p.theme;
    const auto& one = r.state.wide_of(s, false);
    const auto& two = r.state.wide_of(s, true);
    const double top = std::max(largest_over(one, &WideEngine::tokens_per_gpu),
                                largest_over(two, &WideEngine::tokens_per_gpu));
    Plot plot(r.p, area,
              {gpus_of(one.front()) / 1.3, gpus_of(one.back()) * 1.3, PlotScale::log,
               "GPUs per engine (EP, TP)", say_whole},
              {0, 1.2 * std::max(top, 1.0), PlotScale::linear, "", three_digits},
              {.title = "Tokens/s per GPU within the TPOT SLO, decoding", .part = "decode"});
    if (!plot)
    {
        return;
    }
    plot.line(decoded(one), {t.forward, 2.5F}, "one batch");
    plot.line(decoded(two), {t.expert, 2.5F}, "two-batch overlap (TBO)");
    for (const bool halves : {false, true})
    {
        for (const WideEngine& engine : halves ? two : one)
        {
            const bool group = engine.report.setup.ranks == 1; // of no replicas, drawn once
            if (engine.batch == 0 || (group && halves))
            {
                continue;
            }
            if (group)
            {
                plot.label({gpus_of(engine), engine.tokens_per_gpu()}, wide_words(engine));
            }
            const EngineTime& time = engine.step;
            const std::string tip =
                fmt::format("{}: {} per replica, {} tokens/s per GPU\n\nstep {}: weights {}, KV cache {}, "
                            "kernels {}, dispatch and combine {}{}\n\nClick to serve with it.",
                            wide_words(engine), engine.batch, three_digits(engine.tokens_per_gpu()),
                            latency_words(time.total()), latency_words(time.weights + time.compute),
                            latency_words(time.kv), latency_words(time.launch + time.host),
                            latency_words(time.exchange + time.reduce),
                            engine.overlap_from > 0 ? "\n\ntwo-batch overlap" + overlap_words(engine) : "");
            const bool here = (group || halves == r.state.setup.engine.two_batch) &&
                              engine.report.setup.ranks == r.state.setup.engine.ranks;
            const PlotDot look{group    ? Mark(t.text)
                               : halves ? Mark(t.expert)
                                        : Mark(t.forward),
                               5, PlotShape::disc, here};
            const std::string id = fmt::format("###wide {} {}", engine.report.setup.ranks, halves);
            if (plot.dot({gpus_of(engine), engine.tokens_per_gpu()}, look, id, tip).clicked)
            {
                r.state.setup.engine.ranks = engine.report.setup.ranks;
                r.state.setup.engine.two_batch = halves;
                r.out.animating = true;
            }
        }
    }
}

// A tank for every engine.
void draw_held(const SloRoom& r, Rect area)
{
    const auto& engines = r.state.wide_of(r.frame.now.scenario, r.state.setup.engine.two_batch);
    const Theme& t = r.p.theme;
    const Fill experts{t.expert};
    const Fill rest{t.of(Component::weights)};
    const Fill cache{t.of(Component::activations)};
    Rect head = area.cut_top(r.p.px(24));
    head.cut_left(
        r.p.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text, "Memory of a GPU") +
        r.p.px(24));
    const std::vector<LegendItem> items{
        {"routed experts", experts}, {"attention, shared experts", rest}, {"KV cache", cache}};
    draw_legend(r.p, head, items);
    area.cut_top(r.p.px(8));
    r.p.part("memory", area);
    Rect words = area.cut_bottom(2 * r.p.height(Type::small) + r.p.px(6));
    const float each = area.w / static_cast<float>(engines.size());
    const double device = engines.front().report.device.value;
    const double most = std::min(
        2 * device,
        std::max(device, largest_over(engines, [](const WideEngine& e) { return e.report.weights.value; })));
    for (const WideEngine& engine : engines)
    {
        const ServingReport& report = engine.report;
        Rect bar = area.cut_left(each);
        Rect foot = words.cut_left(each);
        bar.cut_left(each * 0.12F);
        bar.cut_right(each * 0.12F);
        const double cached = engine.batch > 0 ? report.cache().value : 0;
        const std::array parts{BarPart{report.experts.value, experts, "", ""},
                               BarPart{(report.weights - report.experts).value, rest, "", ""},
                               BarPart{cached, cache, "", ""}};
        draw_stacked_bar(r.p, bar, parts, {.most = most, .limit = device, .walls = true});
        const std::string holds =
            engine.batch > 0 ? fmt::format("{} seq.", grouped(engine.batch)) : std::string("none");
        const Colour ink = report.setup.ranks == r.state.setup.engine.ranks ? t.text : t.muted;
        const float line = r.p.height(Type::small);
        const float middle = foot.x + foot.w / 2;
        r.p.text(middle, foot.y + r.p.px(4) + line / 2, Type::small, ink, wide_words(engine), Align::centre);
        r.p.text(middle, foot.y + r.p.px(4) + 1.5F * line, Type::small, ink, holds, Align::centre);
    }
}

void draw_experts(const SloRoom& r)
{
    if (r.frame.now.scenario.model.experts == 0)
    {
        empty_state(r.p, r.area, "This model has no experts",
                    "Choose a mixture of experts, such as DeepSeek-V3 or Qwen3-235B-A22B.");
        return;
    }
    Rect area = r.area;
    const bool both = area.h > r.p.px(360);
    if (both)
    {
        draw_held(r, area.cut_bottom(std::max(r.p.px(170), area.h * 0.36F)));
        area.cut_bottom(r.p.px(14));
    }
    draw_decoded(r, area);
}

void panel_experts(PanelColumn& column, const SloRoom& r)
{
    const Scenario& s = r.frame.now.scenario;
    if (s.model.experts == 0)
    {
        return;
    }
    LoadSetup& setup = r.state.setup;
    constexpr Track kTokenTrack = Track::log(16, 131072, say_whole);
    constexpr Track kEachTrack = Track::log(0.005, 0.5, latency_words);
    column.slide("Prompt tokens", kTokenTrack, setup.engine.prompt);
    column.slide("Output tokens", kTokenTrack, setup.engine.output);
    column.slide("TPOT SLO", kEachTrack, setup.each_token);
    column.rule();
    column.slide("GPUs per attention replica", Track::log(1, 64, say_whole), r.state.asked(s).engine.gpus,
                 r.state.gpus, "Tensor parallelism of attention");
    panel_wide(column, r);
    column.slide("Redundant experts", Track::even(0, 64, say_whole), setup.engine.redundant,
                 "Slots of a layer beyond one for each expert, for replicas of busy ones");
    column.gap();
    const WideEngine& engine = shown_engine(r.state.wide_of(s, setup.engine.two_batch), r.state);
    const ServingReport& report = engine.report;
    column.fact("Shown", wide_words(engine), "Click a point to serve with that engine");
    column.fact("Experts on a GPU",
                report.setup.ranks > 1 ? grouped(expert_slots(s.model, report.setup)) : "sharded",
                "Of each layer, replicas included");
    column.fact("Weights on a GPU", format_bytes(report.weights, r.p.look.unit));
    column.fact("Batch of a replica", grouped(engine.batch), "The largest within memory and the SLO");
    if (engine.batch > 0)
    {
        column.fact("Step", latency_words(engine.step.total()));
        column.fact("Dispatch and combine", latency_words(engine.step.exchange),
                    "All layers; with two-batch overlap what the other half does not hide");
    }
}

Caption experts_caption(const Frame& frame, SloState& state)
{
    const Scenario& s = frame.now.scenario;
    if (s.model.experts == 0)
    {
        return {"Wide expert parallelism needs a model with experts.", "", ""};
    }
    const auto best_of = [](const std::vector<WideEngine>& engines)
    { return std::ranges::max_element(engines, {}, &WideEngine::tokens_per_gpu); };
    const auto one = best_of(state.wide_of(s, false));
    const auto two = best_of(state.wide_of(s, true));
    const WideEngine& best = one->tokens_per_gpu() >= two->tokens_per_gpu() ? *one : *two;
    if (best.batch == 0)
    {
        return {"No engine here decodes within the SLO.", "", ""};
    }
    const bool alone = best.report.setup.ranks <= 1;
    const WideEngine& shown = shown_engine(state.wide_of(s, best.report.setup.two_batch), state);
    const Term sent =
        explain_exchange(s, (shown.report.setup.ranks > 1 && shown.batch > 0 ? shown : best).report);
    return {fmt::format(
                "Most tokens per GPU within {}: **{}**, {} sequences per replica{}, **{} tokens/s per GPU** "
                "(80% range {}).",
                latency_words(state.setup.each_token), wide_words(best), grouped(best.batch),
                alone                         ? std::string()
                : best.report.setup.two_batch ? ", two-batch overlap" + overlap_words(best)
                                              : ", one batch",
                three_digits(best.tokens_per_gpu()),
                range_words(frame, state.asked(s).software, best.tokens_per_gpu(), ServingMeasure::rate,
                            three_digits)),
            fmt::format("sent per GPU and layer = {} = {} = {}", sent.formula, sent.working,
                        format_bytes(Bytes(sent.value))),
            sent.source + " " + evidence_words(frame, state.asked(s).software, ServingMeasure::rate) + "."};
}

} // namespace

const Page<SloState> kSloExperts{"Wide EP", draw_experts, panel_experts, experts_caption, nullptr, "Wide EP"};

} // namespace ringside
