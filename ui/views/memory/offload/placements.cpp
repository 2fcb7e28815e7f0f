#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/scenario/choices.h"
#include "core/scenario/validate.h"
#include "ui/views/memory/offload/pictures.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kOffloads> kBrief{"nothing", "optimizer, host", "optimizer, NVMe",
                                                         "+ weights, host", "+ weights, NVMe"};

std::string_view brief_of(Offload placement)
{
    return kBrief.at(static_cast<std::size_t>(placement));
}

double tokens_of(const Scenario& s)
{
    return static_cast<double>(micro_batches(s) * s.training.micro_batch * s.training.sequence_length) /
           static_cast<double>(s.parallel.context);
}

constexpr int kSteps = 32; // of the curve

// Every step the tokens can take, ascending.
std::vector<Scenario> stops(const Scenario& s)
{
    std::vector<Scenario> found;
    const bool larger = offloads_weights(s.training.offload);
    const std::int64_t count = micro_batches(s);
    for (std::int64_t power = 1; power <= 4096; power *= 2)
    {
        for (const std::int64_t halves : {2, 3})
        {
            if (power * halves % 2 != 0)
            {
                continue;
            }
            const std::int64_t value = power * halves / 2;
            Scenario next = with(s, larger ? Knob::micro_batch : Knob::micro_batches, value);
            if (larger)
            {
                next = with(next, Knob::micro_batches, count);
            }
            if (!has_errors(validate(next)))
            {
                found.push_back(std::move(next));
            }
        }
    }
    return found;
}

} // namespace

Scenario with_tokens(const Scenario& scenario, double tokens)
{
    const std::vector<Scenario> all = stops(scenario);
    const auto best = nearest_by_ratio(all, tokens, tokens_of);
    return best == all.end() ? scenario : *best;
}

Scenario with_tokens_stepped(const Scenario& scenario, int steps)
{
    const double now = tokens_of(scenario);
    Scenario best = scenario;
    for (const Scenario& stop : stops(scenario))
    {
        const double at = tokens_of(stop);
        if (steps < 0 && at < now)
        {
            best = stop; // the last below
        }
        if (steps > 0 && at > now)
        {
            return stop;
        }
    }
    return best;
}

namespace
{

// About the break-even and everything the tokens can be, but not about where they are: the axis would run
// away from the mouse that drags them.
std::vector<TokenPoint> curve_of(const Scenario& scenario, const OffloadReport& r)
{
    double low = r.tokens;
    double high = r.tokens;
    for (const Scenario& stop : stops(scenario))
    {
        low = std::min(low, tokens_of(stop));
        high = std::max(high, tokens_of(stop));
    }
    if (r.break_even() > 0)
    {
        low = std::min(low, r.break_even() / 3);
        high = std::max(std::min(high, r.break_even() * 100), std::max(r.break_even() * 3, r.tokens));
    }
    const std::vector<double> tokens = even_ratios(low, high, kSteps);
    const std::vector<double> totals = offload_totals(scenario, r.options, tokens);
    std::vector<TokenPoint> curve;
    for (std::size_t i = 0; i < tokens.size(); ++i)
    {
        curve.push_back({tokens[i], tokens[i] * r.token_seconds(), totals[i]});
    }
    return curve;
}

} // namespace

OffloadCases offload_cases(const Scenario& scenario, bool delayed)
{
    OffloadCases all{scenario, {}, {}, {0}};
    for (const Offload placement : kPlacements)
    {
        all.reports[static_cast<std::size_t>(placement)] = offload_report(scenario, {placement, delayed});
    }
    const OffloadReport& r = all.timed();
    if (!r.possible || r.tokens <= 0)
    {
        return all;
    }
    all.curve = curve_of(scenario, r);
    all.moments = task_moments(r.tasks, r.shown_total);
    return all;
}

namespace
{

constexpr float kPlacementPitch = 27;

// One for the whole table, so that its rows compare.
ByteScale common_scale(const OffloadCases& cases, ByteUnit unit)
{
    Bytes most;
    for (const Offload placement : kPlacements)
    {
        const OffloadReport& r = cases.of(placement);
        most = std::max({most, r.fullest, r.held(Tank::host), r.held(Tank::nvme)});
    }
    return byte_scale(most, unit);
}

std::string slowdown_words(const OffloadReport& r)
{
    const double times = r.slowdown();
    return !r.possible ? "" : "\u00d7 " + (times < 10 ? fmt::format("{:.2f}", times) : three_digits(times));
}

std::string tip_of(const OffloadReport& r)
{
    return fmt::format("{}{}", r.host_fits ? "" : "Host memory is too small. ",
                       r.possible ? "Press the row or its digit to choose it."
                                  : "A link it needs has no stated rate.");
}

Table<Offload> placement_table(const Painter& p, const OffloadCases& cases)
{
    const ByteScale scale = common_scale(cases, p.look.unit);
    const auto held = [&p, scale](Bytes bytes, bool fits)
    {
        const std::string words = bytes > Bytes{} ? scale.words(bytes) : "\u2013";
        return fits ? Cell(words) : Cell("\u2715 " + words, p.theme.warning);
    };
    const auto report = [&cases](auto cell)
    { return [&cases, cell](Offload placement) { return Cell(cell(cases.of(placement))); }; };
    return {{Column<Offload>(fmt::format("{} per GPU", scale.name),
                             [](Offload placement) { return brief_of(placement); })
                 .with(18,
                       [](const Painter& at, Rect r, Offload placement, bool)
                       {
                           at.text(r.x + at.px(2), r.middle(), Type::mono_small, at.theme.muted,
                                   std::to_string(static_cast<int>(placement)));
                       }),
             {"GPU", report([held](const OffloadReport& r) { return held(r.fullest, r.gpu_fits); }), 2},
             {"host",
              report(
                  [held](const OffloadReport& r)
                  {
                      const Bytes bytes = r.held(Tank::host);
                      return held(bytes, bytes == Bytes{} || r.host_fits);
                  }),
              1},
             {"NVMe", report([held](const OffloadReport& r) { return held(r.held(Tank::nvme), true); }), 0},
             {"exposed",
              report(
                  [](const OffloadReport& r) {
                      return !r.offloads() ? "\u2013"
                             : r.possible  ? format_seconds(Seconds(r.exposed))
                                           : "no rate";
                  }),
              4},
             {"step", report(slowdown_words), 3}},
            [](Offload placement) { return fmt::format("place {}", brief_of(placement)); },
            [&cases](Offload placement) { return cases.placed().options.placement == placement; },
            kPlacementPitch,
            [&cases](Offload placement) { return tip_of(cases.of(placement)); }};
}

} // namespace

float placements_height(const Painter& painter)
{
    return table_height(painter, kOffloads, kPlacementPitch);
}

std::optional<Offload> draw_placements(const Painter& p, Rect area, const OffloadCases& cases)
{
    const TableEvent event = placement_table(p, cases).draw(p, area, kPlacements);
    return event.pressed ? std::optional(kPlacements.at(*event.pressed)) : std::nullopt;
}

} // namespace ringside
