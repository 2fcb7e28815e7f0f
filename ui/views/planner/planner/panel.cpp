#include "ui/views/planner/planner/panel.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/widgets/panel_column.h"

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
    Allowed{"full recompute", &SearchLimits::full_recompute,
            "All activations recomputed in the backward pass: least memory, a third more compute"},
    Allowed{"ZeRO-3", &SearchLimits::zero3, "Weights sharded too, and gathered layer by layer"},
    Allowed{"pipeline over 8", &SearchLimits::deep_pipelines, "More than eight stages"},
    Allowed{"tensor across nodes", &SearchLimits::tensor_across_nodes,
            "Tensor groups larger than a node, whose all-reduces use the network"},
    Allowed{"ZeRO-2, 3 with stages", &SearchLimits::zero_with_stages,
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
        {fmt::format("overflow {} {}", plain_number(in_gigabytes(Bytes(answer.result.capacity), unit)),
                     unit == ByteUnit::decimal ? "GB" : "GiB"),
         "Legal, but the peak-memory GPU needs more than it has", count(Rejection::memory), true},
        {"tensor over " + counted(s.model.heads, "head"),
         "The tensor group does not divide the heads or the MLP", count(Rejection::heads), false},
        {fmt::format("sequence of {}", grouped(s.training.sequence_length)),
         "Context, with tensor where it shards the sequence, does not divide it", count(Rejection::sequence),
         false},
        {"stages over " + counted(s.model.layers, "layer"),
         "Fewer layers than stages, or an uneven cut with more chunks than needed", count(Rejection::layers),
         false},
        {fmt::format("{} experts", s.model.experts), "Expert parallelism does not divide experts or ranks",
         count(Rejection::experts), false},
        {fmt::format("batch of {}", grouped(s.training.global_batch)),
         "The global batch does not divide over the replicas", count(Rejection::batch), false},
        {"schedule refuses", "The schedule does not take so many stages, micro-batches or chunks",
         count(Rejection::schedule), false},
        {"not allowed above", "The switches above rule it out", count(Rejection::allowed), false}};
    std::erase_if(all, [](const Reason& r) { return r.count == 0; });
    std::stable_sort(all.begin(), all.end(),
                     [](const Reason& a, const Reason& b) { return a.count > b.count; });
    return all;
}

void draw_reasons(const Painter& painter, Rect area, const LayoutAnswer& answer)
{
    const Theme& t = painter.theme;
    Rect row = area.cut_top(painter.px(28));
    painter.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, "Rejected layouts");
    const std::vector<Reason> all = reasons(answer, painter.look.unit);
    const auto& miss = answer.result.nearest_miss;
    const float foot = miss ? painter.px(24) : 0;
    for (const Reason& reason : all)
    {
        if (area.h < painter.px(32) + foot)
        {
            break;
        }
        row = area.cut_top(painter.px(32));
        const Rect words{row.x, row.y, row.w, painter.px(22)};
        const std::string count = grouped(reason.count);
        const float w = painter.width(Type::mono_small, count);
        painter.text_within(words.x, words.middle(), words.w - w - painter.px(8), Type::small, t.text,
                            reason.words);
        painter.text(words.right(), words.middle(), Type::mono_small, t.text, count, Align::right);
        const Rect track{row.x, words.bottom() + painter.px(1), row.w, painter.px(5)};
        const float share = static_cast<float>(reason.count) / static_cast<float>(all.front().count);
        painter.fill(track, t.raised, painter.px(2));
        painter.fill({track.x, track.y, std::max(painter.px(2), track.w * share), track.h},
                     reason.memory ? t.warning : mix(t.text, t.window, 0.3F), painter.px(2));
        if (ImGui::IsWindowHovered() && row.contains(ImGui::GetIO().MousePos))
        {
            tooltip_at_mouse(painter, reason.tip);
        }
    }
    if (miss && area.h >= foot)
    {
        row = area.cut_top(foot);
        painter.text_within(
            row.x, row.middle(), row.w, Type::small, t.muted,
            fmt::format("Nearest miss: {} over",
                        format_bytes(Bytes(miss->bytes - answer.result.capacity), painter.look.unit)));
    }
}

} // namespace

void draw_planner_panel(const Painter& painter, Rect area, const LayoutAnswer& answer, SearchLimits& limits,
                        bool& every, Out& out)
{
    PanelColumn column(painter, area, out.animating);
    column.label("Rank by");
    column.choice({"time", "memory", "cost"}, limits.objective);
    column.choice({"best per cut", "best 200"}, every);
    column.label("Allow");
    for (const Allowed& allowed : kAllowed)
    {
        column.toggle(allowed.label, limits.*allowed.field, allowed.tip);
    }
    column.rule();
    draw_reasons(painter, column.rest(), answer);
}

} // namespace ringside
