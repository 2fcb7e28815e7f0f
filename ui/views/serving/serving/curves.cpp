#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/serving/load.h"
#include "ui/views/serving/serving/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

using Value = double (*)(const ServingReport&);

constexpr Value kMemory = [](const ServingReport& r) { return r.decode.memory; };
constexpr Value kCompute = [](const ServingReport& r) { return r.decode.compute; };
constexpr Value kStep = [](const ServingReport& r) { return r.decode.total(); };
constexpr Value kToken = [](const ServingReport& r) { return r.token_seconds(); };
constexpr Value kThroughput = [](const ServingReport& r) { return r.tokens_per_gpu(); };

std::string count(double n)
{
    return n >= 1e6   ? fmt::format("{:g}M", n / 1e6)
           : n >= 1e3 ? fmt::format("{:g}k", n / 1e3)
                      : fmt::format("{:g}", n);
}

std::string seconds(double s)
{
    return format_seconds(Seconds(s));
}

std::vector<PlotPoint> line_of(const std::vector<ServingReport>& curve, Value value)
{
    std::vector<PlotPoint> line;
    for (const ServingReport& r : curve)
    {
        line.push_back({static_cast<double>(r.setup.batch), value(r)});
    }
    return line;
}

PlotAxis axis_of(const std::vector<ServingReport>& curve, std::initializer_list<Value> values, double lowest,
                 std::string title, AxisWords words)
{
    PlotAxis axis{1e300, 0, PlotScale::log, std::move(title), std::move(words)};
    for (const ServingReport& r : curve)
    {
        for (const Value value : values)
        {
            axis.low = std::min(axis.low, value(r));
            axis.high = std::max(axis.high, value(r));
        }
    }
    axis.high = std::max(axis.high, 1e-12) * 1.4;
    axis.low = std::max(axis.low / 1.4, axis.high * lowest);
    return axis;
}

// Where memory ends, and the requests on show; where these are moved to.
std::optional<std::int64_t> draw_batch(const Painter& p, Plot& plot, const ServingReport& r, double value,
                                       const char* id, std::string words)
{
    if (static_cast<double>(r.most) < plot.x.high)
    {
        plot.limit_x(std::max(1.0, static_cast<double>(r.most)),
                     r.most == 0 ? "no request fits" : fmt::format("memory full at {}", grouped(r.most)));
    }
    const PlotPoint here{static_cast<double>(r.setup.batch), value};
    plot.dot(here, {p.theme.text, 7.5F});
    plot.label(here, std::move(words), true, 12);
    const PlotMove move = plot.rule_x(here.x, {p.theme.text, 1}, "", id);
    const auto to = move.x(1.25);
    if (!to)
    {
        tooltip(p, "Drag, or arrow keys: concurrent requests");
        return std::nullopt;
    }
    // A key moves by one at least.
    const auto least = r.setup.batch + move.steps;
    const auto settings = std::llround(*to);
    return std::clamp<std::int64_t>(move.steps > 0   ? std::max<std::int64_t>(settings, least)
                                    : move.steps < 0 ? std::min<std::int64_t>(settings, least)
                                                     : settings,
                                    1, std::llround(plot.x.high));
}

} // namespace

std::optional<std::int64_t> draw_serving_curves(const Painter& p, Rect area, const ServingModel& model)
{
    const std::vector<ServingReport>& curve = model.curve;
    if (curve.size() < 2)
    {
        return std::nullopt;
    }
    const ServingReport& r = model.report;
    const Theme& t = p.theme;
    PlotAxis batches{1, static_cast<double>(std::max<std::int64_t>(2, curve.back().setup.batch)),
                     PlotScale::log, "concurrent requests", count};
    PlotAxis times =
        axis_of(curve, {kMemory, kCompute, kToken}, 1e-4, "TPOT (time per output token)", tick_seconds);
    times.high = std::max(times.high, 1.4 * model.predicted_curve.back());
    const PlotAxis rates = axis_of(curve, {kThroughput}, 1e-6, "Throughput (tokens/s/GPU)", count);
    const float left = std::max(plot_left(p, times), plot_left(p, rates));
    std::optional<std::int64_t> moved;
    if (area.h > p.px(250))
    {
        Plot rate(p, area.cut_bottom(area.h * 0.48F), batches, rates, {.part = "throughput", .left = left});
        if (rate)
        {
            rate.line(line_of(curve, kThroughput), {t.text, 2.5F});
            const double now = kThroughput(r);
            moved = draw_batch(p, rate, r, now, "###requests at once, rate",
                               fmt::format("{} tokens/s", now < 1e6 ? three_digits(now) : format_count(now)));
        }
        batches.title.clear(); // stands below the other chart
    }
    Plot latency(p, area, batches, times, {.part = "latency", .left = left});
    if (!latency)
    {
        return moved;
    }
    latency.line(line_of(curve, kMemory), {t.of(Component::activations), 2}, "memory");
    latency.line(line_of(curve, kCompute), {t.forward, 2}, "compute");
    latency.line(line_of(curve, kStep), {t.muted, 1.5F}, "decoding step");
    latency.line(line_of(curve, kToken), {t.text, 2.5F}, "with interleaved prefill");
    std::vector<PlotPoint> predicted;
    for (std::size_t i = 0; i < curve.size(); ++i)
    {
        predicted.push_back({static_cast<double>(curve[i].setup.batch), model.predicted_curve[i]});
    }
    latency.line(predicted, {t.backward_weight, 2.5F}, "predicted, " + model.engine.name);
    const auto to = draw_batch(p, latency, r, kToken(r), "###requests at once",
                               fmt::format("batch {}: TPOT {}", grouped(r.setup.batch), seconds(kToken(r))));
    return to ? to : moved;
}

namespace
{

std::string say(const Term& term, ByteUnit unit)
{
    return fmt::format("{}: {}\n\n{}\n= {}\n\n{}", term.label, format_bytes(Bytes(term.value), unit),
                       term.formula, term.working, term.source);
}

Fill reserved_fill(const Theme& t)
{
    const Colour cache = t.of(Component::activations).fill;
    return {.ink = {with_alpha(cache, 0.16F)}, .lines = with_alpha(cache, 0.6F)};
}

std::string tip_of(const Painter& p, const Scenario& scenario, const ServingReport& r, std::size_t part)
{
    return part == 1   ? say(explain_cache(scenario, r), p.look.unit)
           : part == 2 ? fmt::format("Reserved but unused: {} of every request's allocation",
                                     format_percent(r.wasted()))
                       : fmt::format("Weights on one of {} GPUs: {} at {} bits\n\n{} for the model, sharded "
                                     "over the TP group; what cannot be sharded is on every GPU.",
                                     r.setup.gpus, format_bytes(r.weights, p.look.unit), r.setup.weight_bits,
                                     format_bytes(r.model_weights, p.look.unit));
}

void draw_head(const Painter& p, Rect head, const ServingReport& r)
{
    const std::string words =
        fmt::format("{} of {} {}", format_gigabytes(r.held(), p.look.unit),
                    plain_number(in_gigabytes(r.capacity, p.look.unit)), p.look.gigabyte());
    const float middle = head.middle() - p.px(3);
    const std::string name = r.setup.gpus == 1 ? "One GPU" : fmt::format("1 of {} GPUs", r.setup.gpus);
    const float w = p.text_within(head.x, middle, head.w, Type::small_strong, p.theme.text, name);
    if (w + p.px(10) + p.width(Type::mono_small, words) <= head.w)
    {
        p.text(head.right(), middle, Type::mono_small, r.fits() ? p.theme.muted : p.theme.warning, words,
               Align::right);
    }
}

} // namespace

void draw_serving_tank(const Frame& frame, const Painter& p, Rect area, const ServingReport& r,
                       ServingLevels& levels, Out& out)
{
    const Theme& t = p.theme;
    draw_head(p, area.cut_top(p.px(26)), r);
    const Rect foot = area.cut_bottom(p.px(24));
    const double most = std::max({1.0, r.device.value, r.held().value});
    const auto batch = static_cast<double>(r.setup.batch);
    const Bytes filled = batch * r.filled;
    const auto part = [&](std::size_t i, std::string_view name, Bytes bytes, const Fill& fill)
    {
        const float share =
            levels.parts[i].towards(static_cast<float>(bytes.value / most), frame, p.look, out);
        return BarPart{static_cast<double>(share) * most, fill, name, format_gigabytes(bytes, p.look.unit)};
    };
    const std::array parts{part(0, "weights", r.weights, {t.of(Component::weights)}),
                           part(1, "KV cache", filled, {t.of(Component::activations)}),
                           part(2, "reserved, unused", batch * r.sequence - filled, reserved_fill(t))};
    const StackedBar bar = draw_stacked_bar(
        p, area, parts, {.most = most, .limit = r.capacity.value, .walls = true, .reads = false});
    if (r.device > r.capacity && r.fits())
    {
        // What the runtime keeps for itself.
        const float free = area.h * static_cast<float>((r.device - r.capacity).value / most);
        p.fill({area.x, area.y, area.w, free}, with_alpha(t.window, 0.35F));
    }
    if (bar.hovered)
    {
        tooltip_at_mouse(p, tip_of(p, frame.now.scenario, r, *bar.hovered));
    }
    p.part("tank", area);
    const std::string room = r.most == 0 ? "no request fits" : "room for " + counted(r.most, "request");
    p.text_within(foot.x, foot.middle() + p.px(3), foot.w, Type::small, r.fits() ? t.muted : t.warning, room);
}

namespace
{

constexpr std::int64_t kSlots = 6;
constexpr std::int64_t kRequests = 24;
constexpr std::int64_t kMeanAnswer = 20; // decoding steps, of the drawn requests
constexpr int kStepsOfCurve = 60;

std::vector<std::int64_t> batches(const ServingReport& r)
{
    const double most = std::clamp(2.0 * static_cast<double>(std::max(r.most, r.setup.batch)), 256.0, 8192.0);
    std::vector<std::int64_t> all;
    for (const double at : even_ratios(1, most, kStepsOfCurve))
    {
        const std::int64_t batch = std::llround(at);
        if (all.empty() || batch > all.back())
        {
            all.push_back(batch);
        }
    }
    return all;
}

} // namespace

ServingModel serving_model(const std::pair<Scenario, ServingSettings>& from)
{
    const auto& [scenario, settings] = from;
    ServingSetup setup = serving_setup(scenario);
    setup.batch = settings.batch;
    setup.prompt = settings.prompt.value_or(setup.prompt);
    setup.output = settings.output.value_or(setup.output);
    setup.weight_bits = settings.weight_bits;
    setup.cache_bits = settings.cache_bits;
    setup.paged = settings.paged;
    setup = holding_setup(scenario, setup);
    ServingModel model;
    model.scenario = scenario;
    model.report = serving_report(scenario, setup);
    model.curve = serving_curve(scenario, setup, batches(model.report));
    model.engine = serving_engine(scenario);
    LoadSetup load;
    load.engine = setup;
    load.software = model.engine;
    const Serving serving = serving_of(scenario, load);
    const EngineClock clock(scenario, serving, serving.layout);
    const std::vector<PromptPiece> prompt{{0, static_cast<double>(setup.prompt), true}};
    const double prefill = clock.time({.prompts = prompt}).total();
    const double context = static_cast<double>(setup.prompt) + static_cast<double>(setup.output) / 2;
    const auto predicted = [&](std::int64_t batch)
    {
        const auto b = static_cast<double>(batch);
        return clock.time({.decoding = b, .context = context}).total() +
               b * prefill / static_cast<double>(setup.output);
    };
    model.predicted = predicted(setup.batch);
    for (const ServingReport& r : model.curve)
    {
        model.predicted_curve.push_back(predicted(r.setup.batch));
    }
    const auto lengths = drawn_lengths(kRequests, kMeanAnswer, 5);
    model.held = static_batching(lengths, kSlots);
    model.free = continuous_batching(lengths, kSlots);
    return model;
}

} // namespace ringside
