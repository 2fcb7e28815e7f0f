#include "core/planner/difference.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/memory/memory.h"
#include "core/planner/layout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace ringside
{

namespace
{

// What a change can switch and no layout has.
struct PlainSwitch
{
    std::string_view label;
    bool (*on)(const Scenario&);
};
constexpr std::array kPlainSwitches{
    PlainSwitch{"FlashAttention", [](const Scenario& s) { return s.training.flash_attention; }},
    PlainSwitch{"tensor overlap", [](const Scenario& s) { return s.parallel.overlap_tensor; }},
    PlainSwitch{"expert overlap", [](const Scenario& s) { return s.parallel.overlap_expert; }},
    PlainSwitch{"pipeline overlap", [](const Scenario& s) { return s.parallel.overlap_pipeline; }}};

std::string changed_settings(const Scenario& from, const Scenario& to)
{
    std::string words;
    const auto add = [&](std::string_view label, const std::string& before, const std::string& after)
    {
        if (before != after)
        {
            words += fmt::format("{}{} {} \u2192 {}", words.empty() ? "" : ", ", label, before, after);
        }
    };
    const Layout before = plain(layout_of(from));
    const Layout after = plain(layout_of(to));
    for (const LayoutField& field : layout_fields())
    {
        add(field.label, text_of(before, field), text_of(after, field));
    }
    for (const PlainSwitch& each : kPlainSwitches)
    {
        add(each.label, each.on(from) ? "on" : "off", each.on(to) ? "on" : "off");
    }
    return words;
}

} // namespace

std::span<const StepPart> step_parts()
{
    static constexpr std::array kParts{StepPart{"compute", &StepTime::compute},
                                       StepPart{"the bubble", &StepTime::bubble},
                                       StepPart{"tensor communication", &StepTime::tensor_comm},
                                       StepPart{"context communication", &StepTime::context_comm},
                                       StepPart{"expert communication", &StepTime::expert_comm},
                                       StepPart{"pipeline P2P", &StepTime::pipeline_comm},
                                       StepPart{"exposed gradient communication", &StepTime::data_exposed},
                                       StepPart{"the optimizer", &StepTime::optimizer}};
    return kParts;
}

LayoutDifference difference(const Scenario& from, const Scenario& to)
{
    LayoutDifference d;
    d.settings = changed_settings(from, to);
    d.from = step_time(from);
    d.to = step_time(to);
    for (const StepPart& part : step_parts())
    {
        if (const double more = d.to.*part.seconds - d.from.*part.seconds; more != 0)
        {
            d.parts.push_back({part.name, more});
        }
    }
    // The parts are the whole difference, but for the rounding of two grids.
    assert(std::abs(sum_over(d.parts, &PartChange::seconds) - d.seconds()) <=
           1e-9 * (d.from.total() + d.to.total()));
    d.bytes = memory_report(to).worst().total().value - memory_report(from).worst().total().value;
    return d;
}

std::string sentence_of(const LayoutDifference& d, ByteUnit unit)
{
    if (d.settings.empty())
    {
        return "Both are the same layout.";
    }
    const std::string memory =
        d.bytes == 0 ? "takes as much memory"
                     : fmt::format("{} {}{}", d.bytes > 0 ? "takes" : "frees",
                                   format_bytes(Bytes(std::abs(d.bytes)), unit), d.bytes > 0 ? " more" : "");
    if (d.from.tokens != d.to.tokens)
    {
        const double more = 1e6 * (d.to.total() / d.to.tokens - d.from.total() / d.from.tokens);
        return fmt::format("{} {} {} per million tokens and {}.", d.settings, more < 0 ? "saves" : "costs",
                           format_seconds(Seconds(std::abs(more))), memory);
    }
    if (d.seconds() == 0)
    {
        return fmt::format("{} takes as long and {}.", d.settings, memory);
    }
    const bool saves = d.seconds() < 0;
    const PartChange& most = *std::ranges::max_element(
        d.parts, {}, [&](const PartChange& p) { return saves ? -p.seconds : p.seconds; });
    return fmt::format("{} {} {} per step ({} {} of {}) and {}.", d.settings, saves ? "saves" : "costs",
                       format_seconds(Seconds(std::abs(d.seconds()))),
                       format_seconds(Seconds(std::abs(most.seconds))), saves ? "less" : "more", most.part,
                       memory);
}

} // namespace ringside
