#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/serving/serving/pictures.h"
#include "ui/widgets/plot.h"

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
    const auto wish = std::llround(*to);
    return std::clamp<std::int64_t>(move.steps > 0   ? std::max<std::int64_t>(wish, least)
                                    : move.steps < 0 ? std::min<std::int64_t>(wish, least)
                                                     : wish,
                                    1, std::llround(plot.x.high));
}

} // namespace

std::optional<std::int64_t> draw_serving_curves(const Painter& p, Rect area, const ServingDesk& desk)
{
    const std::vector<ServingReport>& curve = desk.curve();
    if (curve.size() < 2)
    {
        return std::nullopt;
    }
    const ServingReport& r = desk.report();
    const Theme& t = p.theme;
    PlotAxis batches{1, static_cast<double>(std::max<std::int64_t>(2, curve.back().setup.batch)),
                     PlotScale::log, "concurrent requests", count};
    const PlotAxis times =
        axis_of(curve, {kMemory, kCompute, kToken}, 1e-4, "TPOT (time per output token)", tick_seconds);
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
    latency.line(line_of(curve, kMemory), {t.of(Component::activations).fill, 2}, "memory");
    latency.line(line_of(curve, kCompute), {t.forward.fill, 2}, "compute");
    latency.line(line_of(curve, kStep), {t.muted, 1.5F});
    latency.line(line_of(curve, kToken), {t.text, 2.5F}, "with interleaved prefill");
    const auto to = draw_batch(p, latency, r, kToken(r), "###requests at once",
                               fmt::format("batch {}: TPOT {}", grouped(r.setup.batch), seconds(kToken(r))));
    return to ? to : moved;
}

} // namespace ringside
