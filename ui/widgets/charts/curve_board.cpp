#include "ui/widgets/charts/curve_board.h"

#include <fmt/format.h>

#include "ui/draw/marks.h"
#include "ui/widgets/charts/plot_axes.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLeastStretch = 0.25; // of the axis: what is shorter is a mark of the picture, not a curve

bool same_area(const Rect& a, const Rect& b)
{
    return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
}

// The mouse draws wherever the chart is; what the view has there comes later, and so does not get it.
void take_stroke(const Painter& p, CurveBoard& board, std::size_t chart, const Plot& plot)
{
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true); // arrow keys are the shell's
    const Press pressed = press(p, plot.area, fmt::format("###draw on chart {}", chart).c_str(), 3,
                                {.name = "Draw your guess: arrow keys, then Enter"});
    const bool begins = ImGui::IsItemActivated();
    ImGui::PopItemFlag();
    if (pressed.hovered)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (pressed.held && ImGui::IsMouseDown(0))
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        board.stroke = {chart, begins, {plot.x_of(mouse.x), plot.y_of(mouse.y)}};
    }
}

void draw_hand(const Painter& p, const Plot& plot, const BoardHand& hand)
{
    std::vector<ImVec2> path;
    path.reserve(hand.points.size());
    for (const CurvePoint& v : hand.points)
    {
        const ImVec2 at{plot.at_x(v.x), plot.at_y(v.y)};
        if (std::isfinite(at.x) && std::isfinite(at.y))
        {
            path.push_back(at);
        }
    }
    if (path.size() == 1)
    {
        p.list.AddCircleFilled(path.front(), p.px(hand.thickness + 1), hand.colour);
    }
    else if (!path.empty())
    {
        p.list.AddPolyline(path.data(), static_cast<int>(path.size()), hand.colour, 0, p.px(hand.thickness));
    }
}

// Right of a place.
void draw_hands(const Painter& p, const CurveBoard& board, const Plot& plot, float from)
{
    p.list.PushClipRect({from, plot.area.y - p.px(2)},
                        {plot.area.right() + p.px(2), plot.area.bottom() + p.px(2)}, true);
    for (const BoardHand& hand : board.hands)
    {
        draw_hand(p, plot, hand);
    }
    if (board.at)
    {
        const ImVec2 at = plot.at({board.at->x, board.at->y});
        p.line(at.x, plot.area.y, at.x, plot.area.bottom(), with_alpha(p.theme.text, 0.4F));
        p.list.AddCircleFilled(at, p.px(5), p.theme.window);
        p.list.AddCircle(at, p.px(6), p.theme.text, 0, p.px(2));
    }
    p.list.PopClipRect();
}

// Where the paper begins while the curves come into sight from the left.
float paper_from(const Painter& p, const CurveBoard& board, const Plot& plot)
{
    return board.shown > 0 ? plot.area.x + plot.area.w * board.shown : plot.area.x - p.px(1);
}

// Paper over all that was drawn right of the curves that are shown, with the rules on it.
void cover_curves(const Painter& p, float from, const Plot& plot)
{
    const Rect a = plot.area;
    const Rect paper{from, a.y - p.px(4), a.right() + p.px(8) - from, a.h + p.px(5)};
    p.list.PushClipRect(paper.min(), {paper.right(), paper.bottom() + p.px(1)}, true);
    p.fill(paper, p.theme.window);
    draw_grid(p, plot);
    p.list.PopClipRect();
    if (p.look.transcript != nullptr)
    {
        p.look.transcript->erase_inside(a.inset(p.px(8)));
    }
}

} // namespace

CurveAxes BoardChart::axes() const
{
    return {x.low, x.high, y.low, y.high, x.scale != PlotScale::linear, y.scale != PlotScale::linear};
}

std::optional<std::size_t> CurveBoard::index_of(const Rect& area) const
{
    const auto found =
        std::ranges::find_if(before, [&](const BoardChart& chart) { return same_area(chart.area, area); });
    return found == before.end() ? std::nullopt : std::optional<std::size_t>(found - before.begin());
}

CurveBoard* board_of(const Painter& painter)
{
    return painter.look.marks == nullptr ? nullptr : painter.look.marks->board;
}

bool is_covered(const Painter& painter, const Rect& area)
{
    const CurveBoard* board = board_of(painter);
    if (board == nullptr || board->shown >= 1)
    {
        return false;
    }
    const auto index = board->index_of(area);
    return !index || !board->before[*index].curves.empty();
}

bool awaits_guesses(const Painter& painter, const Rect& area)
{
    return is_covered(painter, area) && board_of(painter)->shown <= 0;
}

Look axes_look(const Painter& painter)
{
    Look look = painter.look;
    look.hide_numbers = look.hide_numbers && board_of(painter) == nullptr;
    return look;
}

void begin_on_board(const Painter& painter, Plot& plot)
{
    CurveBoard* board = board_of(painter);
    const auto index = board == nullptr ? std::nullopt : board->index_of(plot.area);
    if (!index || board->before[*index].curves.empty())
    {
        return;
    }
    if (board->shown <= 0)
    {
        take_stroke(painter, *board, *index, plot);
    }
    else if (*index == board->chosen)
    {
        draw_hands(painter, *board, plot, plot.area.x); // the curve lies over them
        for (const BoardHand& hand : board->hands)
        {
            if (!hand.name.empty() && !hand.points.empty())
            {
                plot.label({hand.points.back().x, hand.points.back().y}, hand.name, true);
            }
        }
    }
}

void end_on_board(const Painter& painter, const Plot& plot)
{
    if (!is_covered(painter, plot.area))
    {
        return;
    }
    const CurveBoard* board = board_of(painter);
    const float from = paper_from(painter, *board, plot);
    cover_curves(painter, from, plot);
    if (board->index_of(plot.area) == board->chosen)
    {
        draw_hands(painter, *board, plot, from);
    }
}

std::vector<CurvePoint> board_points(const Plot& plot, std::span<const PlotPoint> points)
{
    std::vector<CurvePoint> curve;
    for (const PlotPoint& v : points)
    {
        if (std::isfinite(v.x) && std::isfinite(v.y))
        {
            curve.push_back({v.x, v.y});
        }
    }
    if (curve.size() > 1 && curve.front().x > curve.back().x)
    {
        std::ranges::reverse(curve);
    }
    const auto share = [&](const CurvePoint& v) { return std::clamp(plot.x.share(v.x), 0.0, 1.0); };
    const bool along = curve.size() > 1 && std::ranges::is_sorted(curve, {}, &CurvePoint::x) &&
                       share(curve.back()) - share(curve.front()) >= kLeastStretch;
    return along ? curve : std::vector<CurvePoint>();
}

} // namespace ringside
