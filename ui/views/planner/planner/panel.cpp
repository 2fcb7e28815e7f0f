#include "ui/views/planner/planner/panel.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

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
         "Legal, but the fullest GPU needs more memory than it has", count(Rejection::memory), true},
        {"TP vs " + counted(s.model.heads, "head"), "TP does not divide the heads or the MLP",
         count(Rejection::heads), false},
        {fmt::format("CP vs sequence {}", grouped(s.training.sequence_length)),
         "CP, times TP with sequence parallelism, does not divide the sequence", count(Rejection::sequence),
         false},
        {"PP vs " + counted(s.model.layers, "layer"),
         "Fewer layers than stages, or an uneven split with more chunks than needed",
         count(Rejection::layers), false},
        {fmt::format("EP vs {} experts", s.model.experts),
         "Expert parallelism does not divide experts or ranks", count(Rejection::experts), false},
        {fmt::format("DP vs batch {}", grouped(s.training.global_batch)),
         "The global batch does not divide over the replicas", count(Rejection::batch), false},
        {"schedule not applicable", "The schedule does not take so many stages, micro-batches or chunks",
         count(Rejection::schedule), false},
        {"excluded above", "The switches above exclude it", count(Rejection::allowed), false}};
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

} // namespace

void draw_planner_panel(const Painter& painter, Rect area, const LayoutAnswer& answer, SearchLimits& limits,
                        bool& every, Out& out)
{
    PanelColumn column(painter, area, out.animating);
    column.label("Rank by");
    column.choice({"time", "memory", "cost"}, limits.objective);
    column.choice({"best per TP/PP", "best 200"}, every);
    column.label("Allow");
    for (const Allowed& allowed : kAllowed)
    {
        column.toggle(allowed.label, limits.*allowed.field, allowed.tip);
    }
    column.gap();
    const std::vector<Reason> all = reasons(answer, painter.look.unit);
    const Rect rest = column.rest();
    const float high = std::min(rest.h, table_height(painter, all.size(), 28));
    draw_reasons(painter, {rest.x, rest.y, rest.w, high}, all);
    column.below(rest.y + high);
    if (const auto& miss = answer.result.nearest_miss)
    {
        column.fact("Nearest miss: over by",
                    format_bytes(Bytes(miss->bytes - answer.result.capacity), painter.look.unit));
    }
}

} // namespace ringside
