#include "ui/views/offload/lanes.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/step_life.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kOffloadLanes> kNames{"compute", "PCIe down", "PCIe up", "host update",
                                                             "NVMe"};

std::string unit_name(std::int64_t layer)
{
    return layer == kEmbeddingUnit ? "the embedding"
           : layer == kHeadUnit    ? "the head"
                                   : fmt::format("layer {}", layer);
}

std::string where(const OffloadTask& task)
{
    if (task.layer == kWholeModel)
    {
        return "all layers";
    }
    return task.layer == task.last ? unit_name(task.layer)
                                   : fmt::format("{} to {}", unit_name(task.layer), unit_name(task.last));
}

std::string say(const OffloadTask& task)
{
    switch (task.kind)
    {
    case OffloadKind::forward:
        return "forward of " + where(task);
    case OffloadKind::backward:
        return "backward of " + where(task);
    case OffloadKind::gradients:
        return "gradients of " + where(task) + " to the host";
    case OffloadKind::weights:
        return "weights of " + where(task) + (task.lane == OffloadLane::nvme ? " from disk" : " to the GPU");
    case OffloadKind::update:
        return "update of " + where(task);
    case OffloadKind::read:
        return "optimizer state of " + where(task) + " from disk";
    case OffloadKind::write:
        return "state of " + where(task) + " to disk";
    }
    return {};
}

class Drawing
{
public:
    Drawing(const Painter& painter, Rect field, const OffloadReport& report, TimeWindow window,
            const ShelfLanesStyle& style)
        : p_(painter), field_(field), r_(report), window_(window), style_(style), lanes_(lanes_of(report))
    {
        gap_ = style.pitch > p_.px(12) ? p_.px(4) : 1.0F;
        row_.fill(-1);
        for (std::size_t i = 0; i < lanes_.size(); ++i)
        {
            row_[static_cast<std::size_t>(lanes_[i])] = static_cast<int>(i);
        }
    }

    std::optional<std::size_t> draw() const
    {
        for (std::size_t i = 0; i < lanes_.size(); ++i)
        {
            p_.fill(lane(static_cast<int>(i)), p_.theme.panel);
        }
        draw_waits();
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const bool inside = ImGui::IsWindowHovered() && field_.contains(mouse);
        std::optional<std::size_t> hovered;
        Columns columns;
        columns.fill(std::vector<Column>(static_cast<std::size_t>(std::max(1.0F, std::ceil(field_.w))) + 1));
        for (std::size_t i = 0; i < r_.tasks.size(); ++i)
        {
            const OffloadTask& task = r_.tasks[i];
            const Rect cell = cell_of(task);
            if (task.end <= task.start || cell.right() < field_.x || cell.x > field_.right())
            {
                continue;
            }
            if (cell.w < p_.px(3))
            {
                cover(columns[static_cast<std::size_t>(task.lane)], cell, colour(task));
            }
            else
            {
                p_.fill({cell.x, cell.y, cell.w > p_.px(7) ? cell.w - 1 : cell.w, cell.h}, colour(task));
            }
            hovered = inside && cell.contains(mouse) ? std::optional(i) : hovered;
        }
        draw_columns(columns);
        draw_lit();
        return hovered;
    }

private:
    // A pixel column of narrow tasks: how much of it they fill, which shows, but never so little that they
    // vanish.
    struct Column
    {
        float share = 0;
        Colour colour = 0;
    };
    using Columns = std::array<std::vector<Column>, kOffloadLanes>;

    void cover(std::vector<Column>& columns, Rect cell, Colour colour) const
    {
        const float from = std::max(0.0F, cell.x - field_.x);
        const float to = std::min(static_cast<float>(columns.size()), cell.right() - field_.x);
        for (auto at = static_cast<std::size_t>(from); at < columns.size() && static_cast<float>(at) < to;
             ++at)
        {
            const auto left = static_cast<float>(at);
            columns[at].share += std::min(to, left + 1) - std::max(from, left);
            columns[at].colour = colour;
        }
    }

    void draw_columns(const Columns& columns) const
    {
        for (std::size_t i = 0; i < kOffloadLanes; ++i)
        {
            const Rect row = lane(row_[i]);
            for (std::size_t at = 0; row_[i] >= 0 && at < columns[i].size(); ++at)
            {
                const Column& c = columns[i][at];
                if (c.share > 0.02F)
                {
                    p_.fill({field_.x + static_cast<float>(at), row.y, 1, row.h},
                            with_alpha(c.colour, std::min(1.0F, 0.4F + 0.6F * c.share)));
                }
            }
        }
    }

    Rect lane(int row) const
    {
        return {field_.x, field_.y + style_.pitch * static_cast<float>(row), field_.w, style_.pitch - gap_};
    }

    Rect cell_of(const OffloadTask& task) const
    {
        const float x = window_.x(field_, task.start);
        const Rect row = lane(row_[static_cast<std::size_t>(task.lane)]);
        return {x, row.y, window_.x(field_, task.end) - x, row.h};
    }

    Colour colour(const OffloadTask& task) const
    {
        const Theme& t = p_.theme;
        switch (task.kind)
        {
        case OffloadKind::forward:
            return t.forward.fill;
        case OffloadKind::backward:
            return t.backward_input.fill;
        case OffloadKind::gradients:
            return t.of(Component::gradients).fill;
        case OffloadKind::weights:
            return t.of(Component::weights).fill;
        case OffloadKind::update:
            return t.of(Component::momentum).fill;
        case OffloadKind::read:
            return t.of(Component::variance).fill;
        case OffloadKind::write:
            return t.of(Component::master_weights).fill;
        }
        return t.raised;
    }

    void draw_waits() const
    {
        double at = 0;
        for (const OffloadTask& task : r_.tasks)
        {
            if (task.lane == OffloadLane::compute)
            {
                draw_wait(at, task.start);
                at = task.end;
            }
        }
        draw_wait(at, r_.shown_total);
    }

    void draw_wait(double from, double to) const
    {
        const float x1 = std::max(field_.x, window_.x(field_, from));
        const float x2 = std::min(field_.right(), window_.x(field_, to));
        if (x2 - x1 < 0.5F)
        {
            return;
        }
        const Rect r{x1, field_.y, std::max(1.0F, x2 - x1), style_.pitch - gap_};
        draw_waiting(p_, r);
        const std::string words = format_seconds(Seconds(to - from));
        const float w = p_.width(Type::small_strong, words) + p_.px(8);
        if (w + p_.px(8) < r.w && r.h > p_.height(Type::small_strong) - p_.px(3))
        {
            p_.fill({r.centre() - w / 2, r.y + 1, w, r.h - 2}, p_.theme.window, p_.px(3));
            p_.text(r.centre(), r.middle(), Type::small_strong, p_.theme.text, words, Align::centre);
        }
    }

    void draw_lit() const
    {
        if (!style_.lit || *style_.lit >= r_.tasks.size())
        {
            return;
        }
        const OffloadTask& task = r_.tasks[*style_.lit];
        const Rect cell = cell_of(task);
        p_.outline({cell.x, cell.y, std::max(2.0F, cell.w), cell.h}, p_.theme.text, p_.px(2));
        if (task.waited_for >= 0)
        {
            const Rect cause = cell_of(r_.tasks[static_cast<std::size_t>(task.waited_for)]);
            p_.outline({cause.x, cause.y, std::max(2.0F, cause.w), cause.h}, p_.theme.text, p_.px(1.5F));
        }
    }

    const Painter& p_;
    Rect field_;
    const OffloadReport& r_;
    TimeWindow window_;
    const ShelfLanesStyle& style_;
    std::vector<OffloadLane> lanes_;
    std::array<int, kOffloadLanes> row_{};
    float gap_ = 0;
};

} // namespace

std::string_view name_of(OffloadLane lane)
{
    return kNames.at(static_cast<std::size_t>(lane));
}

void draw_waiting(const Painter& painter, Rect r)
{
    const Ink& ink = painter.theme.data;
    painter.fill(r, with_alpha(ink.fill, 0.16F));
    painter.hatch(r, ink.edge != 0 ? ink.edge : ink.fill, kExposedHatch);
}

std::vector<OffloadLane> lanes_of(const OffloadReport& report)
{
    std::vector<OffloadLane> lanes;
    for (std::size_t i = 0; i < kOffloadLanes; ++i)
    {
        if (i == 0 || report.busy[i] > 0)
        {
            lanes.push_back(static_cast<OffloadLane>(i));
        }
    }
    return lanes;
}

std::optional<std::size_t> draw_shelf_lanes(const Painter& p, Rect area, const OffloadReport& report,
                                            TimeWindow window, const ShelfLanesStyle& style)
{
    const std::vector<OffloadLane> lanes = lanes_of(report);
    const Rect field{area.x + style.label, area.y, area.w - style.label,
                     style.pitch * static_cast<float>(lanes.size())};
    p.list.PushClipRect({field.x, field.y - p.px(2)}, {field.right() + 1, field.bottom() + p.px(2)}, true);
    const auto hovered = Drawing(p, field, report, window, style).draw();
    p.list.PopClipRect();
    const float x = window.x(field, style.clock);
    if (x >= field.x && x <= field.right())
    {
        p.dashed(x, field.y, x, field.bottom(), p.theme.text, 1);
    }
    for (std::size_t i = 0; i < lanes.size(); ++i)
    {
        const float middle = field.y + style.pitch * (static_cast<float>(i) + 0.5F) - p.px(2);
        p.text_within(area.x, middle, style.label - p.px(8), Type::small, p.theme.muted, name_of(lanes[i]));
    }
    return hovered;
}

void shelf_tip(const Painter& painter, Rect bounds, const OffloadReport& report, std::size_t index)
{
    const OffloadTask& task = report.tasks[index];
    std::string heading = say(task);
    heading.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(heading.front())));
    std::vector<TipLine> lines{
        {"from, to", format_seconds(Seconds(task.start)) + " \u2026 " + format_seconds(Seconds(task.end)), 0},
        {"takes", format_seconds(Seconds(task.end - task.start)), 0}};
    if (task.bytes > Bytes{})
    {
        lines.push_back({task.lane == OffloadLane::host ? "touched in memory" : "moved",
                         format_bytes(task.bytes, painter.look.unit), 0});
    }
    const std::string why =
        task.waited_for < 0
            ? std::string(task.start > 0 ? "started as soon as its lane was free" : "starts the step")
            : "waited for " + say(report.tasks[static_cast<std::size_t>(task.waited_for)]);
    const float most = bounds.w - painter.px(40);
    tip_card(painter, bounds, ImGui::GetIO().MousePos, painter.shortened(Type::small_strong, heading, most),
             lines, painter.shortened(Type::small, why, most));
}

} // namespace ringside
