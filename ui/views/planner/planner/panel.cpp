// The panel of the layout search: how rows are ranked, what is fixed and allowed, why others were excluded,
// and earlier searches.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/link/link.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Allowed
{
    const char* label;
    bool SearchLimits::*field;
    std::string_view tip;
};
constexpr std::array kAllowed{
    Allowed{"Full recomputation", &SearchLimits::full_recompute,
            "All activations recomputed in the backward pass: least memory, a third more FLOPs"},
    Allowed{"ZeRO-3", &SearchLimits::zero3, "Weights sharded too, and all-gathered layer by layer"},
    Allowed{"PP above 8", &SearchLimits::deep_pipelines, "More than eight stages"},
    Allowed{"TP across nodes", &SearchLimits::tensor_across_nodes,
            "TP groups larger than a node, whose all-reduces use the network"},
    Allowed{"ZeRO-2 and 3 with PP", &SearchLimits::zero_with_stages,
            "ZeRO-2 and 3 inside a pipeline, which Megatron-LM and DeepSpeed refuse"}};

struct Reason
{
    std::string words;
    std::string_view tip;
    std::int64_t count;
    bool memory;
};

std::vector<Reason> reasons(const LayoutAnswer& answer, ByteUnit unit)
{
    const Scenario& s = answer.scenario;
    const auto count = [&](Rejection r) { return answer.result.count(r); };
    std::vector<Reason> all{
        {fmt::format("out of memory ({} {})", plain_number(in_gigabytes(Bytes(answer.result.capacity), unit)),
                     unit == ByteUnit::decimal ? "GB" : "GiB"),
         "Legal, but the peak-memory GPU needs more memory than it has", count(Rejection::memory), true},
        {fmt::format("TP does not divide {}", counted(s.model.heads, "head")),
         "TP does not divide the heads or the MLP", count(Rejection::heads), false},
        {fmt::format("CP does not divide sequence {}", grouped(s.training.sequence_length)),
         "CP, times TP with sequence parallelism, does not divide the sequence", count(Rejection::sequence),
         false},
        {fmt::format("PP does not divide {}", counted(s.model.layers, "layer")),
         "Fewer layers than stages, or an uneven split with more chunks than needed",
         count(Rejection::layers), false},
        {fmt::format("EP does not divide {} experts", s.model.experts),
         "Expert parallelism does not divide experts or ranks", count(Rejection::experts), false},
        {fmt::format("DP does not divide batch {}", grouped(s.training.global_batch)),
         "The global batch does not divide over the replicas", count(Rejection::batch), false},
        {"schedule not applicable", "The schedule does not take so many stages, micro-batches or chunks",
         count(Rejection::schedule), false},
        {"excluded above", "The switches above exclude it", count(Rejection::allowed), false},
        {answer.limits.framework.name + " cannot", answer.limits.framework.note, count(Rejection::framework),
         false}};
    std::erase_if(all, [](const Reason& r) { return r.count == 0; });
    std::stable_sort(all.begin(), all.end(),
                     [](const Reason& a, const Reason& b) { return a.count > b.count; });
    return all;
}

void draw_reasons(const Painter& painter, Rect area, const std::vector<Reason>& all)
{
    const Table<Reason> table(
        {Column<Reason>("Rejected layouts", [](const Reason& reason) { return reason.words; })
             .with(0,
                   [&](const Painter& p, Rect cell, const Reason& reason, bool)
                   {
                       const auto share =
                           static_cast<double>(reason.count) / static_cast<double>(all.front().count);
                       p.fill(Rect{cell.x, cell.bottom() - 4, cell.w * static_cast<float>(share), 3},
                              reason.memory ? p.theme.warning : p.theme.muted);
                   }),
         {"", [](const Reason& reason) { return grouped(reason.count); }}},
        nullptr, nullptr, 28, [](const Reason& reason) { return std::string(reason.tip); });
    table.draw(painter, area, all);
}

// What the chosen row would gain by more memory.
void draw_misses(PanelColumn& column, const std::vector<NearMiss>& misses, ByteUnit unit)
{
    constexpr std::size_t kMost = 3;
    if (!misses.empty())
    {
        column.label("Faster than the chosen row, but needs");
    }
    for (std::size_t i = 0; i < std::min(kMost, misses.size()); ++i)
    {
        const Candidate& c = misses[i].candidate;
        column.fact(fmt::format("{}: {}", misses[i].change, format_seconds(Seconds(c.seconds))),
                    format_bytes(Bytes(c.bytes), unit));
    }
}

FreeRange* range_of(Freed& freed, std::string_view field)
{
    return field == "training.global_batch"      ? &freed.global_batch
           : field == "training.sequence_length" ? &freed.sequence_length
           : field == "cluster.gpus"             ? &freed.gpus
                                                 : nullptr;
}

// A press frees what the scenario says, or fixes what is free. GPUs, batch and length are fixed until freed.
void turn_fixed(const LayoutField& field, const Layout& now, SearchLimits& limits)
{
    if (FreeRange* range = range_of(limits.freed, field.name))
    {
        const auto today = std::get<std::int64_t Layout::*>(field.member);
        *range = range->on() ? FreeRange() : range_around(now.*today);
        // With as many GPUs as one likes the fastest layout has all of them.
        limits.objective = range == &limits.freed.gpus && range->on() ? Objective::cost : limits.objective;
    }
    else if (field.name == "training.recompute_layers")
    {
        limits.freed.recompute_layers = !limits.freed.recompute_layers;
    }
    else if (std::erase(limits.fixed, field.name) == 0)
    {
        limits.fixed.push_back(field.name);
        take_in(limits.like, now, field);
    }
}

// Which settings every layout has to have, and which others may move.
void choose_fixed(PanelColumn& column, const Layout& now, SearchLimits& limits)
{
    const auto fields = layout_fields();
    std::vector<std::string> names;
    std::vector<Choosable> items;
    std::string shown;
    for (const LayoutField& field : fields)
    {
        const FreeRange* range = range_of(limits.freed, field.name);
        const bool layers = field.name == "training.recompute_layers";
        const bool fixed = std::ranges::find(limits.fixed, field.name) != limits.fixed.end();
        const bool freed = layers ? limits.freed.recompute_layers : range != nullptr && range->on();
        names.push_back(!freed ? fmt::format("{} {}", field.label, text_of(fixed ? limits.like : now, field))
                        : range == nullptr ? std::string(field.label)
                                           : fmt::format("{} {} to {}", field.label, grouped(range->least),
                                                         grouped(range->most)));
        shown += fixed || freed ? (shown.empty() ? "" : ", ") + names.back() : "";
        const bool is_free = range != nullptr || layers ? freed : !fixed;
        items.push_back({field.name, {}, is_free ? "searched" : "pinned"});
    }
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        items[i].name = names[i];
    }
    column.label("Pinned / searched");
    if (const auto chosen = column.dropdown(
            "###fixed", shown.empty() ? "nothing" : std::string_view(shown), "planner fixed", items,
            "A press pins a setting as it is now, or lets the search move it: GPUs, global batch and "
            "sequence "
            "length from a quarter to four times today's; with GPUs searched layouts rank by cost"))
    {
        turn_fixed(fields[*chosen], now, limits);
    }
}

// Earlier searches; a press goes back to one.
void draw_searches(PanelColumn& column, const Frame& frame, SearchLimits& limits,
                   std::optional<Framework>& runs_on, Out& out)
{
    if (frame.searches == nullptr || frame.searches->empty())
    {
        return;
    }
    column.heading("Earlier searches");
    for (std::size_t i = 0; i < frame.searches->size(); ++i)
    {
        const KeptSearch& kept = (*frame.searches)[i];
        if (column.option(fmt::format("{}###search {}", kept.words, i), "", false, kept.words))
        {
            const LinkRead read = read_link(kept.link, frame.presets);
            const Framework* framework = frame.presets.framework(kept.framework);
            runs_on = framework == nullptr ? Framework() : *framework;
            limits.objective = kept.objective;
            limits.freed = kept.freed;
            out.push(
                ChangeScenario{read.link.scenario.value_or(frame.scenario), false, "Back to: " + kept.words});
        }
    }
}

} // namespace

void draw_planner_panel(const Painter& painter, Rect area, const PlannerPanel& panel, Out& out)
{
    const auto& [frame, answer, misses, changes, why, pinned, chosen, now, presets, limits, framework,
                 every] = panel;
    PanelColumn column(painter, area, out.animating);
    column.label("Rank by");
    column.choice({"time", "memory", "cost"}, limits.objective);
    column.choice({"per TP, CP, PP", "all variants"}, every);
    choose_framework(column, presets, presets.framework_of(frame.scenario), framework);
    choose_fixed(column, now, limits);
    draw_planner_changes(column, painter, changes, out); // above what is set once
    column.label("Allow");
    for (const Allowed& allowed : kAllowed)
    {
        if (allowed.field == &SearchLimits::zero_with_stages && !limits.any_framework())
        {
            continue; // the framework's own rule holds
        }
        column.toggle(allowed.label, limits.*allowed.field, allowed.tip);
    }
    column.gap();
    if (why != nullptr)
    {
        draw_planner_why(column, painter, *why);
        if (column.button(pinned ? "Unpin###pin" : "Pin the chosen row###pin", "P"))
        {
            pinned = pinned ? std::nullopt : chosen;
        }
        column.gap();
    }
    const std::vector<Reason> all = reasons(answer, painter.look.unit);
    const Rect rest = column.rest();
    const float high = table_height(painter, all.size(), 28);
    draw_reasons(painter, {rest.x, rest.y, rest.w, high}, all);
    column.below(rest.y + high);
    if (const auto& miss = answer.result.nearest_miss)
    {
        column.fact("Nearest miss: over by",
                    format_bytes(Bytes(miss->bytes - answer.result.capacity), painter.look.unit));
    }
    draw_misses(column, misses, painter.look.unit);
    draw_searches(column, frame, limits, framework, out);
}

} // namespace ringside
