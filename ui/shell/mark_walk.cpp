#include "ui/shell/mark_walk.h"

#include "ui/draw/chart_record.h"
#include "ui/draw/transcript.h"
#include "ui/shell/guide/spotlight.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ringside
{

namespace
{

Rect rect_of(const PictureMark& mark)
{
    return {mark.x, mark.y, mark.w, mark.h};
}

ImVec2 centre_of(const PictureMark& mark)
{
    return {mark.x + mark.w / 2, mark.y + mark.h / 2};
}

// How far apart two marks are sideways; marks above each other are not.
float gap_between(const PictureMark& a, const PictureMark& b)
{
    return std::max({0.0F, b.x - (a.x + a.w), a.x - (b.x + b.w)});
}

// The nearest mark above (-1) or below (1) that lies on another curve; the mark itself where there is none.
std::size_t vertical_neighbour(const std::vector<PictureMark>& all, std::size_t from, int direction)
{
    constexpr float kSideways = 4; // a pixel sideways counts as much as so many up or down
    const PictureMark& here = all[from];
    std::size_t best = from;
    float least = 1e9F;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const float away = (centre_of(all[i]).y - centre_of(here).y) * static_cast<float>(direction);
        const float aside = std::abs(centre_of(all[i]).x - centre_of(here).x);
        const float cost = away + kSideways * gap_between(here, all[i]) + aside / 64;
        const bool same_curve = here.curve != 0 && all[i].curve == here.curve;
        if (away > 1 && !same_curve && cost < least)
        {
            least = cost;
            best = i;
        }
    }
    return best;
}

} // namespace

void MarkWalk::begin()
{
    marks_.walking = marks_.walking && std::exchange(walked_, false);
    marks_.all.clear();
    marks_.curves = 0;
}

void MarkWalk::draw(const Painter& painter, const std::function<void(const Painter&)>& part)
{
    beside_ = marks_.all.size();
    Look look = painter.look;
    look.marks = &marks_;
    const MouseAway away(marks_.walking, place_);
    part(Painter(painter.list.raw, look, painter.parts));
}

void MarkWalk::walk(const Painter& painter, Rect area, Out& out)
{
    walked_ = true;
    // The walk begins in the picture.
    std::rotate(marks_.all.begin(), marks_.all.begin() + static_cast<std::ptrdiff_t>(beside_),
                marks_.all.end());
    marks_.entered = false;
    if (painter.look.record != nullptr)
    {
        std::ranges::transform(marks_.all, std::back_inserter(painter.look.record->marks), rect_of);
    }
    if (marks_.all.empty())
    {
        marks_.walking = asked_ = false;
        return;
    }
    keep_place();
    if (asked_)
    {
        at_ = 0;
        place_ = centre_of(marks_.all[at_]);
    }
    // While the mouse points, the stop of Tab is too small to be in its way.
    const Rect stop = marks_.walking ? rect_of(marks_.all[at_]) : Rect{area.x, area.y, 1, 1};
    const Press pressed = press(painter, stop, "###marks", 3, {.name = "Picture: arrow keys read its marks"});
    const ImGuiID id = ImGui::GetItemID();
    if (std::exchange(asked_, false))
    {
        focus_last_item();
        out.animating = true;
    }
    out.animating = out.animating || marks_.walking != pressed.focused;
    marks_.walking = pressed.focused;
    if (!marks_.walking)
    {
        return;
    }
    marks_.entered = pressed.clicked;
    const std::size_t before = at_;
    move(id);
    out.animating = out.animating || at_ != before || marks_.entered;
}

void MarkWalk::move(ImGuiID id)
{
    const int along = arrow_steps(id);
    const int down = row_steps(id);
    const auto last = static_cast<std::ptrdiff_t>(marks_.all.size()) - 1;
    const auto next = static_cast<std::ptrdiff_t>(at_) + along;
    at_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, last));
    at_ = down != 0 ? vertical_neighbour(marks_.all, at_, down) : at_;
    place_ = centre_of(marks_.all[at_]);
}

// The mark of the last frame, where it moved, too; where other marks are drawn, the one nearest to it.
void MarkWalk::keep_place()
{
    const std::vector<PictureMark>& all = marks_.all;
    if (all.size() != std::exchange(before_, all.size()))
    {
        const auto distance = [this](const PictureMark& mark)
        { return std::hypot(centre_of(mark).x - place_.x, centre_of(mark).y - place_.y); };
        at_ = marks_.walking
                  ? static_cast<std::size_t>(std::ranges::min_element(all, {}, distance) - all.begin())
                  : std::min(at_, all.size() - 1);
    }
    place_ = centre_of(all[at_]);
}

} // namespace ringside
