#include "ui/views/reliability/hangs/lanes.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/timeline.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class CallLanes
{
public:
    CallLanes(const Painter& painter, const HangCase& hang, const HangLanesStyle& style)
        : p_(painter), hang_(hang), style_(style),
          findings_(analyze(hang.logs)), window_{hang_start(hang), hang_window(hang)}
    {
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            names_.push_back({fmt::format("rank {}", rank)});
            names_.back().strong = style.accused == rank;
        }
    }

    std::optional<std::size_t> draw(Rect area)
    {
        const LaneStyle style{area.h / static_cast<float>(kHangRanks),
                              p_.width(Type::small_strong, "rank 0") + p_.px(14)};
        std::optional<std::size_t> pressed_rank;
        std::optional<std::size_t> hovered;
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            const Rect row{area.x, area.y + style.pitch * static_cast<float>(rank), area.w, style.pitch};
            const Press pressed = press(p_, row, fmt::format("###rank {} diverged first", rank).c_str(), 4);
            pressed_rank = pressed.clicked ? std::optional(rank) : pressed_rank;
            hovered = pressed.hovered ? std::optional(rank) : hovered;
        }
        const HangRecord* pointed = nullptr;
        {
            TimeLanes lanes(p_, area, window_, style, names_);
            for (std::size_t rank = 0; rank < kHangRanks; ++rank)
            {
                const HangRecord* here = draw_lane(lanes, rank, hovered == rank);
                pointed = here != nullptr ? here : pointed;
            }
            draw_now(p_, lanes.field(), window_, style_.now);
        }
        if (pointed != nullptr && hovered)
        {
            draw_tip(area, *hovered, *pointed);
        }
        return pressed_rank;
    }

private:
    bool ended(const HangRecord& record) const
    {
        return record.state == CallState::completed && record.done <= style_.now;
    }

    // A call: waiting in it hatched, its transfer filled. Returns the one under the mouse.
    const HangRecord* draw_lane(TimeLanes& lanes, std::size_t rank, bool hovered) const
    {
        const Rect r = lanes.lane(rank);
        const HangRecord* pointed = nullptr;
        if (hovered)
        {
            p_.fill(r, p_.theme.control);
        }
        for (const HangRecord& record : hang_.logs.at(rank))
        {
            if (record.posted < style_.now && record.state != CallState::scheduled)
            {
                draw_call(lanes, rank, record);
                const double until = ended(record) ? record.done : style_.now;
                pointed = lanes.pointed(lanes.cell(rank, record.posted, until)) ? &record : pointed;
            }
        }
        const bool culprit = style_.revealed && rank == hang_.culprit;
        if (culprit || style_.accused == rank)
        {
            p_.outline(r, p_.theme.text, p_.px(2), p_.px(3));
        }
        if (culprit)
        {
            mark_culprit(rank, r);
        }
        return pointed;
    }

    void draw_call(TimeLanes& lanes, std::size_t rank, const HangRecord& record) const
    {
        constexpr double kTransfer = 0.04; // [s] as long as one is drawn
        const Theme& t = p_.theme;
        const Ink& ink = ink_of(t, record.call.group);
        const bool over = ended(record);
        const double until = over ? record.done : style_.now;
        const double moving = over ? std::max(record.posted, record.done - kTransfer) : until;
        lanes.block(rank, record.posted, moving,
                    {.ink = {with_alpha(ink.fill, 0.16F)},
                     .lines = with_alpha(ink.fill, over ? 0.5F : 1.0F),
                     .hatch = kExposedHatch});
        if (over)
        {
            p_.fill(lanes.body(rank, moving, until, true), ink.fill);
        }
        const Rect whole = lanes.cell(rank, record.posted, until);
        lanes.tag(whole, Type::mono_small, fmt::format("{} {}", name_of(record.call.group), record.sequence),
                  Align::left);
        if (!over && mismatched(rank, record))
        {
            p_.outline(whole, t.text, p_.px(1.5F));
        }
    }

    // Whether this call's entries differ between the members of its group.
    bool mismatched(std::size_t rank, const HangRecord& record) const
    {
        return std::any_of(findings_.begin(), findings_.end(),
                           [&](const HangFinding& f)
                           {
                               const auto group = members(f.group, rank);
                               return f.group == record.call.group && f.sequence == record.sequence &&
                                      !f.different.empty() &&
                                      std::find(group.begin(), group.end(), f.different.front()) !=
                                          group.end();
                           });
    }

    // Where the culprit left the others: its first call after that, or the end of its log.
    void mark_culprit(std::size_t rank, Rect r) const
    {
        const auto& log = hang_.logs.at(rank);
        const double at = hang_.call < log.size() ? log[hang_.call].posted
                          : log.empty()           ? 0
                                                  : log.back().done;
        const double place = std::isfinite(at) ? std::clamp(at, window_.from, window_.to) : window_.to;
        const float x = window_.x(r, place);
        const float half = p_.px(7);
        p_.list.AddTriangleFilled({x - half, r.y - half}, {x + half, r.y - half}, {x, r.y + half * 0.7F},
                                  p_.theme.text);
    }

    void draw_tip(Rect area, std::size_t rank, const HangRecord& record) const
    {
        const CallState state = state_at(record, style_.now, style_.timing);
        const std::string odd = !ended(record) && mismatched(rank, record) ? ", mismatch" : "";
        const std::array lines{TipLine{"sequence number", fmt::format("{}", record.sequence), 0},
                               TipLine{"elements", grouped(record.call.elements), 0},
                               TipLine{"state", std::string(name_of(state)) + odd, 0}};
        tip_card(p_, {area.x, area.y - p_.px(60), area.w, area.h + p_.px(160)}, ImGui::GetIO().MousePos,
                 fmt::format("Rank {}: {} {}", rank, name_of(record.call.group), name_of(record.call.kind)),
                 lines, record.call.what);
    }

    const Painter& p_;
    const HangCase& hang_;
    const HangLanesStyle& style_;
    std::vector<HangFinding> findings_;
    TimeWindow window_;
    std::vector<LaneName> names_;
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
    return CallLanes(painter, hang, style).draw(area);
}

} // namespace ringside
