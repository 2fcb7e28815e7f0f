// How much communication is exposed? One data-parallel step of DDP, ZeRO 1 to 3 or HSDP on a timeline, and
// all of them compared.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/view.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kStepRest = 0.45;  // of the step: where the clock stands until the user moves it
constexpr float kStepLabel = 116;   // [design px] left of the time axis
constexpr double kStepSeconds = 15; // playing takes
constexpr std::array<std::string_view, 2> kStepPages{"step/timeline", "step/compare"};

enum class StepPage : std::uint8_t
{
    timeline,
    compare
};

class StepView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(page_, kStepPages, page); }
    std::string_view page_on_show() const override { return name_at(page_, kStepPages); }

private:
    const StepCases& cases(const Frame& frame) const
    {
        return cases_.of({frame.now.scenario, options_},
                         [](const auto& of) { return step_cases(of.first, of.second); });
    }
    StepStrategy strategy(const Frame& frame) const
    {
        const std::int64_t zero = std::clamp<std::int64_t>(frame.now.scenario.parallel.zero, 0, 3);
        return chosen_.value_or(static_cast<StepStrategy>(zero));
    }
    const StepCase& shown(const Frame& frame) const
    {
        return cases(frame)[static_cast<std::size_t>(strategy(frame))];
    }
    void choose(StepStrategy strategy, Out& out)
    {
        chosen_ = strategy;
        hovered_.reset();
        out.animating = true;
    }
    // The user moved the clock: what runs at its moment is said and marked.
    bool stepping(const Frame& frame) const
    {
        const double t = frame.playback.t;
        const double all = shown(frame).life.total;
        return page_ == StepPage::timeline && t > 0 && t < all && std::abs(t - all * kStepRest) > 1e-9 * all;
    }
    void draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_timeline(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_memory(const Frame& frame, const Painter& painter, Rect area) const;

    StepPage page_ = StepPage::timeline;
    StepOptions options_;
    std::optional<StepStrategy> chosen_; // nothing: as the scenario's ZeRO stage
    Derived<std::pair<Scenario, StepOptions>, StepCases> cases_;
    TimeZoom zoom_;
    std::optional<std::size_t> hovered_;
};

Motion StepView::motion(const Frame& frame) const
{
    const StepCase& step = shown(frame);
    if (step.life.alone() || page_ != StepPage::timeline)
    {
        return {};
    }
    return {.duration = step.life.total,
            .per_second = step.life.total / kStepSeconds,
            .stops = step.moments,
            .label = format_seconds(Seconds(std::min(frame.playback.t, step.life.total))),
            .rest = step.life.total * kStepRest};
}

// The strategies, and what of the one on show is exposed.
void StepView::draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out)
{
    const std::string words = fmt::format("{} exposed", format_seconds(Seconds(shown(frame).life.exposed)));
    const float said = painter.width(Type::title, words) + painter.px(32);
    const float choices = std::min(painter.px(400), row.w);
    if (choices + said + painter.px(16) <= row.w)
    {
        painter.text(row.right(), row.middle(), Type::title, painter.theme.text, words, Align::right);
        draw_fill(painter, {row.right() - said, row.middle() - painter.px(9), painter.px(18), painter.px(18)},
                  waiting_fill(painter.theme));
    }
    const float each = choices / static_cast<float>(kStepStrategies);
    const bool roomy = painter.width(Type::small_strong, "ZeRO-3") + painter.px(10) <= each;
    std::array<std::string_view, kStepStrategies> names{"0", "1", "2", "3", "H"};
    for (std::size_t i = 0; i < kStepStrategies && roomy; ++i)
    {
        names.at(i) = name_of(static_cast<StepStrategy>(i));
    }
    if (const auto clicked = segments(painter, {row.x, row.y, choices, row.h}, names,
                                      static_cast<std::size_t>(strategy(frame))))
    {
        choose(static_cast<StepStrategy>(*clicked), out);
    }
}

void StepView::draw_memory(const Frame& frame, const Painter& painter, Rect area) const
{
    const Theme& t = painter.theme;
    const StepLife& life = shown(frame).life;
    Rect head = area.cut_top(painter.px(26));
    const std::string_view title = "Unsharded memory";
    painter.text(head.x, head.middle(), Type::small_strong, t.text, title);
    head.cut_left(
        std::max(painter.px(kStepLabel), painter.width(Type::small_strong, title) + painter.px(16)));
    const auto most = [&](const char* what, Bytes bytes)
    { return fmt::format("{}, at most {}", what, format_bytes(bytes, painter.look.unit)); };
    draw_legend(painter, head,
                std::array{LegendItem{most("weights", life.peak_weights), {t.of(Component::weights)}},
                           LegendItem{most("gradients", life.peak_gradients), {t.of(Component::gradients)}}});
    area.cut_left(painter.px(kStepLabel));
    area.cut_bottom(painter.px(10));
    draw_held(painter, area, life, zoom_.window(life.total));
    draw_now(painter, area, zoom_.window(life.total), frame.playback.t);
}

// "tensor, expert": what the layers communicate for.
std::string axes_of(const StepLife& life)
{
    std::string all;
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
    {
        if (life.sent_of(axis).value > 0)
        {
            all += (all.empty() ? "" : ", ") + std::string(name_of(axis));
        }
    }
    return all;
}

void StepView::draw_timeline(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const StepLife& life = shown(frame).life;
    const Scenario& s = frame.now.scenario;
    draw_chart_title(
        painter, area.cut_top(painter.px(24)),
        fmt::format("{} of {}", counted(options_.accumulation, "micro-batch"), grouped(micro_batches(s))),
        fmt::format("one rank of stage {}, without the pipeline bubble", life.stage));
    area.cut_top(draw_step_legend(painter, area, life));
    const float label = painter.px(kStepLabel);
    const float axis = painter.px(30);
    const float least = painter.px(110);
    const auto rows = static_cast<float>(step_rows(life));
    const bool held = area.h >= step_lanes_height(painter, life, painter.px(34)) + axis + least;
    const float pitch = std::clamp((area.h - axis - (held ? least : 0) - painter.px(22)) / rows,
                                   painter.px(14), painter.px(84));
    const StepGroup& group = life.groups[life.groups[0].ranks > 1 ? 0 : 1];
    const auto rate = [](const Link& link)
    { return fmt::format("{} GB/s", three_digits(link.bandwidth.value / 1e9)); };
    const std::array rates{fmt::format("{} TFLOP/s", three_digits(life.reached / 1e12)), axes_of(life),
                           rate(group.links.inside), rate(group.links.between)};
    const Rect lanes = area.cut_top(step_lanes_height(painter, life, pitch));
    const Rect field{lanes.x + label, lanes.y, lanes.w - label, lanes.h};
    zoom_.mouse(field, life.total);
    painter.part("lanes", lanes);
    const TimeWindow w = zoom_.window(life.total);
    const auto had = hovered_;
    hovered_ = draw_step_lanes(painter, lanes, life, w,
                               {label,
                                pitch,
                                frame.playback.t,
                                stepping(frame),
                                hovered_,
                                {rates[0], rates[1], rates[2], rates[3]}});
    out.animating = out.animating || had != hovered_;
    draw_time_axis(painter, {field.x, area.y, field.w, axis}, w, life.total);
    area.cut_top(axis);
    if (held)
    {
        draw_memory(frame, painter, area);
    }
    if (hovered_ && *hovered_ < life.tasks.size())
    {
        step_tip(painter, {field.x, field.y, field.w, lanes.h + area.h}, life, *hovered_);
    }
}

void StepView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (shown(frame).life.alone())
    {
        empty_state(
            painter, area, "One replica: the whole step is compute.",
            "With one replica there is no gradient all-reduce. Raise \u201cGPUs\u201d, or lower tensor "
            "or pipeline parallelism, for a second replica.");
        return;
    }
    draw_head(frame, painter, area.cut_top(painter.px(32)), out);
    area.cut_top(painter.px(8));
    if (page_ == StepPage::timeline)
    {
        draw_timeline(frame, painter, area, out);
        return;
    }
    painter.part("compare", area);
    if (const auto pressed = draw_step_compare(painter, area, cases(frame), strategy(frame)))
    {
        choose(*pressed, out);
    }
}

// Both in the same unit, so that they can be divided.
std::string milliseconds(double seconds)
{
    return figure(seconds * 1e3, 4) + " ms";
}

Caption StepView::caption(const Frame& frame) const
{
    const StepLife& life = shown(frame).life;
    StepOptions options = options_;
    options.strategy = strategy(frame);
    Caption caption;
    const Term term = explain_step_sent(life, options);
    if (life.alone())
    {
        caption.sentence = "With one replica nothing is sent, and **nothing is exposed**.";
        return caption;
    }
    caption.sentence = stepping(frame) ? say_moment(life, frame.playback.t, frame.preferences.unit)
                                       : say_step(life, options, frame.preferences.unit);
    if (page_ == StepPage::compare || options.strategy == StepStrategy::hsdp)
    {
        const StepCase& hsdp = cases(frame)[static_cast<std::size_t>(StepStrategy::hsdp)];
        caption.sentence += say_unsharded_hsdp(hsdp.life, frame.now.scenario);
    }
    caption.formula =
        fmt::format("sent = {} = {}", term.working, format_bytes(Bytes(term.value), frame.preferences.unit));
    caption.source = fmt::format(
        "{}\n{}.\nEfficiency = compute / step = {} / {} = {}.\nEach layer takes the seconds of the step-time "
        "model, {} TFLOP/s here; rings run at the nominal link rate. ZeRO-1 and 2 gather the new weights "
        "after "
        "the optimizer; some runtimes overlap that with the next forward.",
        term.formula, term.source, milliseconds(life.compute), milliseconds(life.total),
        format_percent(life.efficiency()), three_digits(life.reached / 1e12));
    return caption;
}

bool StepView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    StepOptions all = options_;
    all.strategy = strategy(frame);
    PanelColumn column(painter, area, out.animating);
    column.choice({"Timeline", "Compare"}, page_);
    if (draw_step_panel(column, all, shown(frame).life))
    {
        options_ = all;
        options_.strategy = {};
    }
    return true;
}

ViewKeys StepView::keys()
{
    ViewKeys all{{"0 \u2026 3", "DDP, ZeRO-1, ZeRO-2, ZeRO-3",
                  [this](const KeyPress& k) { choose(static_cast<StepStrategy>(k.which), k.out); }},
                 {"H", "HSDP: sharded within a node, replicated between nodes",
                  [this](const KeyPress& k) { choose(StepStrategy::hsdp, k.out); }},
                 {"Y", "Timeline, or all strategies compared", turns(page_, kStepPages.size())},
                 {"O", "Overlap on and off", flips(options_.overlap)},
                 {"I", "TP, CP and EP traffic on and off", flips(options_.inside_layers)},
                 {"R", "Reshard after forward on and off", flips(options_.reshard_after_forward)},
                 {"hover", "What a task moves and what it waited for"}};
    add_zoom(all, zoom_, [this](const Frame& f) { return shown(f).life.total; });
    return all;
}

} // namespace

extern const ViewInfo step_view{
    13,
    "step",
    "Network",
    "Overlap",
    "Communication overlap",
    "One step of DDP, ZeRO, FSDP or HSDP on a timeline, and its exposed communication",
    {"model", "gpus", "tensor", "cluster.network_gb_per_s"},
    make_view<StepView>,
    kStepPages};

} // namespace ringside
