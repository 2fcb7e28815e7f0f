#include "ui/views/network/message/measured.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/choice.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr auto kAllReduce = CollectiveKind::all_reduce;

const MeasuredSystem& system_of(const MeasuredLook& look)
{
    return measured_systems()[look.system];
}

// [GB/s] of a message in this time, by the bus or by the algorithm.
double rate_of(const MeasuredLook& look, double bytes, Seconds time)
{
    const MeasuredSystem& system = system_of(look);
    const double bus = bus_bandwidth(kAllReduce, system.ranks, Bytes(bytes), time).value / 1e9;
    return look.bus ? bus : bus / bus_factor(kAllReduce, system.ranks);
}

void draw_rates(const Painter& p, Plot& plot, const MeasuredLook& look, const char* id, const Ink& ink,
                const std::string& name)
{
    const MeasuredSystem& system = system_of(look);
    const CollectiveAlgorithm& algorithm = *find_algorithm(id);
    plot.line(sampled(plot.x, [&](double b)
                      { return rate_of(look, b, system.nominal(kAllReduce, algorithm, Bytes(b))); }),
              {ink, 1.5F, true}, name + ", \u03b1\u2013\u03b2");
    plot.line(sampled(plot.x, [&](double b)
                      { return rate_of(look, b, system.time(kAllReduce, algorithm, Bytes(b))); }),
              {ink, 2.5F}, name + ", fitted", true);
    for (const MeasuredBus& row : measured_buses())
    {
        if (row.system == &system && row.kind == kAllReduce && row.algorithm == &algorithm)
        {
            const double scale = look.bus ? 1 : bus_factor(kAllReduce, system.ranks);
            const PlotPoint at{row.bytes, row.gb_per_s / scale};
            plot.dot(
                at, {p.theme.text, 4, PlotShape::diamond}, fmt::format("###measured {} {}", id, row.bytes),
                fmt::format("measured: {} GB/s with {}", three_digits(at.y), format_bytes(Bytes(row.bytes))));
        }
    }
}

} // namespace

void draw_measured_bus(const Painter& p, Rect area, MeasuredLook& look, Out& out)
{
    const MeasuredSystem& system = system_of(look);
    const double link = find_fabric(system.inside)->gb_per_s;
    Plot plot(
        p, area, {1e4, 4e10, PlotScale::log, "message size", [](double b) { return format_bytes(Bytes(b)); }},
        {0, (system.adds_in_switch() ? 1.9 : 1.15) * link, PlotScale::linear,
         look.bus ? "bus bandwidth, GB/s" : "algorithm bandwidth, GB/s", plain_number},
        {.title = fmt::format("All-reduce on {}", system.name), .note = "diamonds: measured", .names = 150});
    if (!plot)
    {
        return;
    }
    plot.rule_y(link, {p.theme.muted, 1, true}, fmt::format("one link, {} GB/s", plain_number(link)));
    draw_rates(p, plot, look, "ring", p.theme.data, "ring");
    if (system.adds_in_switch())
    {
        draw_rates(p, plot, look, "in-switch", p.theme.backward_input, "NVLS");
    }
    if (const auto to =
            plot.rule_x(look.bytes, {p.theme.text, 1.5F, true}, format_bytes(Bytes(look.bytes)), "###sized")
                .x(2))
    {
        look.bytes = plot.x.clamped(*to);
        out.animating = true;
    }
}

void panel_measured_bus(PanelColumn& column, MeasuredLook& look)
{
    const auto items = list_of<Choosable>(
        measured_systems(),
        [](const MeasuredSystem& s)
        {
            return Choosable{s.name, s.name,
                             s.between.empty() ? find_fabric(s.inside)->name : find_fabric(s.between)->name};
        });
    look.system = column.dropdown("###measured on", system_of(look).name, "measured systems", items)
                      .value_or(look.system);
    column.choice({"Algorithm", "Bus"}, look.bus);
    column.heading(fmt::format("At {}", format_bytes(Bytes(look.bytes))));
    const MeasuredSystem& system = system_of(look);
    for (const auto& [id, name] : {std::pair("ring", "Ring"), std::pair("in-switch", "NVLS")})
    {
        if (std::string_view(id) == "in-switch" && !system.adds_in_switch())
        {
            continue;
        }
        const Seconds time = system.time(kAllReduce, *find_algorithm(id), Bytes(look.bytes));
        const double bus = bus_bandwidth(kAllReduce, system.ranks, Bytes(look.bytes), time).value / 1e9;
        column.fact(name, format_seconds(time));
        column.fact(fmt::format("{}, algbw", name),
                    fmt::format("{} GB/s", three_digits(look.bytes / time.value / 1e9)), "Message over time");
        column.fact(fmt::format("{}, busbw", name), fmt::format("{} GB/s", three_digits(bus)),
                    "algbw \u00d7 2 (N\u22121)/N: what a ring would need of each link");
    }
}

Caption measured_bus_caption(const MeasuredLook& look)
{
    const MeasuredSystem& system = system_of(look);
    const auto bus = [&](const char* id)
    {
        const Seconds time = system.time(kAllReduce, *find_algorithm(id), Bytes(look.bytes));
        return bus_bandwidth(kAllReduce, system.ranks, Bytes(look.bytes), time).value / 1e9;
    };
    const double link = find_fabric(system.inside)->gb_per_s;
    const std::string in_switch =
        system.adds_in_switch()
            ? fmt::format(", and **{} GB/s** where the switches add: each GPU sends its message once, not "
                          "{:.3g} times",
                          three_digits(bus("in-switch")), bus_factor(kAllReduce, system.ranks))
            : std::string();
    return {fmt::format("{} on {}: a ring reaches **{} GB/s** of bus bandwidth, {} of a link\u2019s rate{}.",
                        format_bytes(Bytes(look.bytes)), system.name, three_digits(bus("ring")),
                        format_percent(bus("ring") / link), in_switch),
            fmt::format("busbw = S / t \u00d7 2 (N\u22121)/N = algbw \u00d7 {:.4g}",
                        bus_factor(kAllReduce, system.ranks)),
            "Measured: Bekman, Machine Learning Engineering, network/README.md. Bus bandwidth: nccl-tests, "
            "doc/PERFORMANCE.md; above a link\u2019s rate it counts a ring\u2019s bytes, which NVLS (NVLink "
            "SHARP) does not "
            "send. Fitted: share of the rate, latency and half-way size of each fabric, by NCCL\u2019s "
            "tuning.cc and "
            "these figures."};
}

} // namespace ringside
