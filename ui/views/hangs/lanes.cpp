#include "ui/views/hangs/lanes.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class Lanes
{
public:
    Lanes(const Painter& painter, Rect area, const HangCase& hang, const HangLanesStyle& style)
        : p_(painter), area_(area), hang_(hang), style_(style), length_(hang_window(hang))
    {
        label_ = p_.width(Type::small_strong, "rank 0") + p_.px(14);
        pitch_ = area.h / static_cast<float>(kHangRanks);
        field_ = area;
        field_.cut_left(label_);
        from_ = hang_start(hang);
    }

    std::optional<std::size_t> draw() const
    {
        std::optional<std::size_t> pressed_rank;
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            const Rect row{area_.x, area_.y + pitch_ * static_cast<float>(rank), area_.w, pitch_};
            const Press pressed = press(p_, row, fmt::format("###rank {} diverged first", rank).c_str(), 4);
            pressed_rank = pressed.clicked ? std::optional(rank) : pressed_rank;
            draw_lane(rank, lane(rank), pressed.hovered);
        }
        draw_clock();
        draw_hovered();
        return pressed_rank;
    }

private:
    Rect lane(std::size_t rank) const
    {
        const float gap = std::min(p_.px(6), pitch_ * 0.2F);
        return {field_.x, field_.y + pitch_ * static_cast<float>(rank), field_.w, pitch_ - gap};
    }
    float x(double t) const
    {
        return field_.x +
               field_.w * static_cast<float>(std::clamp((t - from_) / (length_ - from_), 0.0, 1.0));
    }

    // A call: work before it is plain, waiting in it hatched, its transfer filled.
    void draw_lane(std::size_t rank, Rect r, bool hovered) const
    {
        const Theme& t = p_.theme;
        p_.fill(r, hovered ? t.control : t.panel);
        const bool accused = style_.accused == rank;
        p_.text(area_.x, r.middle(), accused ? Type::small_strong : Type::small, accused ? t.text : t.muted,
                fmt::format("rank {}", rank));
        for (std::size_t i = 0; i < hang_.logs.at(rank).size(); ++i)
        {
            const HangRecord& record = hang_.logs.at(rank)[i];
            if (record.posted < style_.now)
            {
                draw_call(cell(r, record), record);
            }
        }
        if (accused)
        {
            p_.outline(r, t.text, p_.px(2), p_.px(3));
        }
        if (style_.revealed && rank == hang_.culprit)
        {
            mark_culprit(rank, r);
        }
    }

    Rect cell(Rect r, const HangRecord& record) const
    {
        const bool ended = record.state == CallState::completed && record.done <= style_.now;
        const float left = x(record.posted);
        const float right = x(ended ? record.done : style_.now);
        return {left, r.y, std::max(2.0F, right - left), r.h};
    }

    void draw_call(Rect c, const HangRecord& record) const
    {
        const Theme& t = p_.theme;
        const Ink& ink = ink_of(t, record.call.group);
        if (c.right() <= field_.x + 1)
        {
            return;
        }
        const bool ended = record.state == CallState::completed && record.done <= style_.now;
        const float moving = ended ? std::max(2.0F, x(record.done) - x(record.done - 0.04)) : 0;
        const Rect wait{c.x, c.y, std::max(0.0F, c.w - moving), c.h};
        p_.fill(wait, with_alpha(ink.fill, 0.16F));
        p_.hatch(wait, with_alpha(ink.fill, ended ? 0.5F : 1.0F), kExposedHatch);
        p_.fill({c.right() - moving, c.y, moving, c.h}, ink.fill);
        const std::string name = fmt::format("{} {}", name_of(record.call.group), record.sequence);
        const float w = p_.width(Type::mono_small, name) + p_.px(6);
        if (w < c.w && p_.height(Type::mono_small) < c.h)
        {
            p_.fill({c.x + p_.px(2), c.middle() - p_.height(Type::mono_small) / 2, w,
                     p_.height(Type::mono_small)},
                    with_alpha(t.window, 0.9F), p_.px(3));
            p_.text(c.x + p_.px(5), c.middle(), Type::mono_small, t.text, name);
        }
        if (!ended && record.state == CallState::started)
        {
            p_.outline(c, t.text, p_.px(1.5F));
        }
    }

    // Where the culprit left the others: its first call after that, or the end of its log.
    void mark_culprit(std::size_t rank, Rect r) const
    {
        const auto& log = hang_.logs.at(rank);
        const double at = hang_.call < log.size() ? log[hang_.call].posted
                          : log.empty()           ? 0
                                                  : log.back().done;
        const float place = x(std::isfinite(at) ? at : length_);
        const float half = p_.px(7);
        p_.list.AddTriangleFilled({place - half, r.y - half}, {place + half, r.y - half},
                                  {place, r.y + half * 0.7F}, p_.theme.text);
        p_.outline(r, p_.theme.text, p_.px(2), p_.px(3));
    }

    void draw_clock() const
    {
        const float at = x(style_.now);
        p_.line(at, area_.y, at, area_.bottom(), p_.theme.text, 1);
    }

    void draw_hovered() const
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (!field_.contains(mouse) || !ImGui::IsWindowHovered())
        {
            return;
        }
        const auto rank = std::min(kHangRanks - 1, static_cast<std::size_t>((mouse.y - field_.y) / pitch_));
        for (const HangRecord& record : hang_.logs.at(rank))
        {
            const Rect c = cell(lane(rank), record);
            if (record.posted < style_.now && c.contains(mouse))
            {
                const bool ended = record.state == CallState::completed && record.done <= style_.now;
                const std::vector<TipLine> lines{
                    {"number on its group", fmt::format("{}", record.sequence), 0},
                    {"elements", grouped(record.call.elements), 0},
                    {"state",
                     std::string(ended ? "completed"
                                       : name_of(record.state == CallState::completed ? CallState::scheduled
                                                                                      : record.state)),
                     0}};
                tip_card(p_, {area_.x, area_.y - p_.px(60), area_.w, area_.h + p_.px(160)}, mouse,
                         fmt::format("Rank {}: {} {}", rank, name_of(record.call.group),
                                     name_of(record.call.kind)),
                         lines, record.call.what);
                return;
            }
        }
    }

    const Painter& p_;
    Rect area_;
    Rect field_;
    const HangCase& hang_;
    const HangLanesStyle& style_;
    double length_;
    double from_ = 0;
    float label_ = 0;
    float pitch_ = 0;
};

} // namespace

double hang_start(const HangCase& hang)
{
    double from = hang_window(hang);
    const double most = from - 0.1;
    for (std::size_t rank = 0; rank < kHangRanks; ++rank)
    {
        const std::size_t half = hang.programs.at(rank).size() / 2;
        const auto& log = hang.logs.at(rank);
        from = std::min(from, log.size() > half ? log[half].posted - 0.05 : from);
    }
    return std::clamp(from, 0.0, most);
}

double hang_window(const HangCase& hang)
{
    return std::max(1.0, hang.last * 1.04 + 0.2);
}

const Ink& ink_of(const Theme& theme, CallGroup group)
{
    switch (group)
    {
    case CallGroup::tensor:
        return theme.tensor;
    case CallGroup::data:
        return theme.data;
    case CallGroup::pipeline:
        return theme.pipeline;
    case CallGroup::world:
        break;
    }
    return theme.context;
}

std::optional<std::size_t> draw_hang_lanes(const Painter& painter, Rect area, const HangCase& hang,
                                           const HangLanesStyle& style)
{
    if (area.w < painter.px(120) || area.h < painter.px(60))
    {
        return std::nullopt;
    }
    return Lanes(painter, area, hang, style).draw();
}

} // namespace ringside
