#include "ui/shell/guide/class_curve.h"

#include <fmt/format.h>

#include "ui/shell/frame/stage_frame.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kCurveSeconds = 0.9;
constexpr std::size_t kMostBoards = 64; // pages, charts and curves with hands
constexpr int kKnown = 3;               // frames after which a page's charts are
constexpr int kKeyColumns = 4;          // columns that an arrow key goes along
constexpr double kKeyHeight = 0.02;     // of the axis that one raises the point

constexpr float kCurveStrip = 136;       // height [design px]
constexpr float kCurveStripNarrow = 184; // its words take more lines

bool widget_has_keyboard()
{
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    return g.NavId != 0 && !g.NavDisableHighlight;
}

// One with a name rather than without, and of those the one that goes furthest up or down: an ideal or a
// bound is often level.
std::size_t main_curve(const BoardChart& chart)
{
    const CurveAxes axes = chart.axes();
    const auto weight = [&](const BoardCurve& curve)
    {
        const auto height = [&](const CurvePoint& p) { return std::clamp(axes.share_y(p.y), 0.0, 1.0); };
        const auto [low, high] = std::ranges::minmax(curve.points, {}, height);
        return std::pair(!curve.name.empty(), height(high) - height(low));
    };
    return static_cast<std::size_t>(std::ranges::max_element(chart.curves, {}, weight) -
                                    chart.curves.begin());
}

} // namespace

bool ClassCurve::asks(const Frame& frame)
{
    return frame.stage != nullptr && frame.stage->has(StageTool::curve);
}

float ClassCurve::height(const Frame& frame, float wide)
{
    return !asks(frame) ? 0 : wide < kNarrow ? kCurveStripNarrow : kCurveStrip;
}

bool ClassCurve::hides(const Frame& frame) const
{
    return asks(frame) && !revealed_ && (seen_ < kKnown || chart() != nullptr);
}

const BoardChart* ClassCurve::chart() const
{
    const bool there =
        board_.chosen < board_.before.size() && curve_ < board_.before[board_.chosen].curves.size();
    return there ? &board_.before[board_.chosen] : nullptr;
}

std::size_t ClassCurve::curves() const
{
    std::size_t all = 0;
    for (const BoardChart& each : board_.before)
    {
        all += each.curves.size();
    }
    return all;
}

ClassCurve::Hands& ClassCurve::hands()
{
    const std::string key = fmt::format("{} {} {}", place_, board_.chosen, curve_);
    if (!boards_.contains(key))
    {
        std::erase_if(boards_, [](const auto& board) { return board.second.empty(); });
        if (boards_.size() >= kMostBoards)
        {
            boards_.erase(boards_.begin());
        }
    }
    return boards_[key];
}

std::string ClassCurve::name_of(std::size_t hand)
{
    const std::string& name = hands()[hand].name;
    return name.empty() ? fmt::format("Hand {}", hand + 1) : name;
}

// Another page, or nobody draws any more.
void ClassCurve::forget()
{
    board_ = {};
    curve_ = 0;
    found_ = revealed_ = false;
    drawn_.clear();
    name_ = {};
    column_.reset();
    wipe_ = Tween();
    scores_.clear();
    order_.clear();
    scored_with_.clear();
    on_show_ = 0;
    seen_ = 0;
}

void ClassCurve::choose(std::size_t chart, std::size_t curve)
{
    board_.chosen = chart;
    curve_ = curve;
    found_ = true;
    drawn_.clear();
    column_.reset();
    scores_.clear();
    scored_with_.clear();
    order_.clear();
    on_show_ = 0;
}

// The first chart with a curve.
void ClassCurve::find_chart()
{
    for (std::size_t i = 0; i < board_.before.size() && (!found_ || chart() == nullptr); ++i)
    {
        if (!board_.before[i].curves.empty())
        {
            choose(i, main_curve(board_.before[i]));
        }
    }
}

// To the next curve of all charts of the page.
void ClassCurve::turn(int by)
{
    const auto all = static_cast<int>(curves());
    int at = static_cast<int>(curve_);
    for (std::size_t i = 0; i < board_.chosen && i < board_.before.size(); ++i)
    {
        at += static_cast<int>(board_.before[i].curves.size());
    }
    auto next = static_cast<std::size_t>(all > 0 ? (at + by + all) % all : 0);
    std::size_t chart = 0;
    while (chart + 1 < board_.before.size() && next >= board_.before[chart].curves.size())
    {
        next -= board_.before[chart].curves.size();
        ++chart;
    }
    choose(chart, next);
}

void ClassCurve::take_pasted(const Frame& frame)
{
    if (frame.stage->hands == nullptr || frame.stage->pasted == pasted_ ||
        frame.stage->hands->place != place_)
    {
        return;
    }
    pasted_ = frame.stage->pasted;
    const DrawnHands& more = *frame.stage->hands;
    choose(static_cast<std::size_t>(more.chart), static_cast<std::size_t>(more.curve));
    Hands& all = hands();
    all.insert(all.end(), more.hands.begin(), more.hands.end());
    all.resize(std::min(all.size(), kMostHands));
}

void ClassCurve::take_stroke()
{
    const auto stroke = std::exchange(board_.stroke, std::nullopt);
    if (!stroke || stroke->chart >= board_.before.size() || revealed_)
    {
        return;
    }
    if (stroke->chart != board_.chosen)
    {
        if (!drawn_.empty())
        {
            return; // this hand is drawn elsewhere
        }
        choose(stroke->chart, main_curve(board_.before[stroke->chart]));
    }
    draw_to(drawn_, board_.before[stroke->chart].axes(), stroke->begins ? stroke->at : last_, stroke->at);
    last_ = stroke->at;
    column_.reset();
}

// Whenever the hands or the curve have changed: a live run goes on.
void ClassCurve::score()
{
    const BoardChart* there = chart();
    if (!revealed_ || there == nullptr)
    {
        return;
    }
    const std::vector<CurvePoint>& truth = there->curves[curve_].points;
    const Hands& all = hands();
    if (scores_.size() == all.size() && scored_with_ == truth)
    {
        return;
    }
    scored_with_ = truth;
    scores_.clear();
    for (const DrawnHand& hand : all)
    {
        scores_.push_back(score_curve(hand.points, truth, there->axes()));
    }
    order_ = ranked(scores_);
    on_show_ = std::min(on_show_, order_.empty() ? 0 : order_.size() - 1);
}

void ClassCurve::lay_out_hands(const Theme& t)
{
    board_.hands.clear();
    board_.at.reset();
    const BoardChart* there = chart();
    if (there == nullptr)
    {
        return;
    }
    const Hands& all = hands();
    const std::size_t best = revealed_ && on_show_ < order_.size() ? order_[on_show_] : all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        if (i != best)
        {
            board_.hands.push_back({all[i].points, with_alpha(t.forward.fill, 0.5F), 1.5F});
        }
    }
    if (best < all.size())
    {
        board_.hands.push_back({all[best].points, t.forward.fill, 3, name_of(best)});
    }
    board_.hands.push_back({drawn_, t.forward.fill, 3});
    if (column_ && !revealed_)
    {
        const CurveAxes axes = there->axes();
        const double x = axes.x_at(static_cast<double>(*column_) / kCurveColumns);
        board_.at = {x, height_at(drawn_, axes, x).value_or(axes.y_at(0.5))};
    }
}

CurveBoard* ClassCurve::begin(const Frame& frame, std::string_view place, const Look& look, Out& out)
{
    if (!asks(frame))
    {
        if (std::exchange(on_, false))
        {
            forget();
        }
        return nullptr;
    }
    if (!on_ || place != place_)
    {
        forget();
        place_ = place;
        ImGui::GetCurrentContext()->NavDisableHighlight = true; // arrow keys draw
        out.animating = true;
    }
    on_ = true;
    seen_ = std::min(seen_ + 1, kKnown);
    board_.before.swap(board_.charts);
    board_.charts.clear();
    take_pasted(frame);
    find_chart();
    take_stroke();
    score();
    board_.shown = wipe_.towards(revealed_ ? 1 : 0, frame, look, out, kCurveSeconds);
    lay_out_hands(look.theme);
    return &board_;
}

// Over what the hand has between the neighbouring stops of the keyboard.
void ClassCurve::put(int column, double height)
{
    const CurveAxes axes = chart()->axes();
    const auto near = [&](const CurvePoint& p)
    { return std::abs(axes.share_x(p.x) * kCurveColumns - column) < kKeyColumns - 0.5; };
    std::erase_if(drawn_, near);
    const CurvePoint at{axes.x_at(static_cast<double>(column) / kCurveColumns),
                        axes.y_at(std::clamp(height, 0.0, 1.0))};
    draw_to(drawn_, axes, at, at);
}

bool ClassCurve::move(int along, int up)
{
    if (along == 0 && up == 0)
    {
        return false;
    }
    const CurveAxes axes = chart()->axes();
    const auto height_of = [&](int column)
    {
        const auto y = height_at(drawn_, axes, axes.x_at(static_cast<double>(column) / kCurveColumns));
        return y ? std::optional(axes.share_y(*y)) : std::nullopt;
    };
    const double before = column_ ? height_of(*column_).value_or(0.5) : 0.5;
    column_ = column_ ? std::clamp(*column_ + along * kKeyColumns, 0, kCurveColumns) : 0;
    const double height = height_of(*column_).value_or(before);
    if (up != 0 || !height_of(*column_))
    {
        put(*column_, height + up * kKeyHeight);
    }
    return true;
}

bool ClassCurve::keep()
{
    if (drawn_.empty())
    {
        return false;
    }
    Hands& all = hands();
    if (all.size() < kMostHands)
    {
        all.push_back({name_.data(), std::move(drawn_)});
    }
    drawn_.clear();
    name_ = {};
    column_.reset();
    return true;
}

void ClassCurve::take_back()
{
    if (!drawn_.empty())
    {
        drawn_.clear();
        column_.reset();
    }
    else if (!hands().empty())
    {
        hands().pop_back();
    }
}

void ClassCurve::reveal(Out& out)
{
    keep();
    revealed_ = !revealed_;
    on_show_ = 0;
    scored_with_.clear();
    out.animating = true;
}

bool ClassCurve::take_away(const Frame& frame)
{
    if (asks(frame) && ImGui::GetIO().WantTextInput)
    {
        return true; // it leaves the name
    }
    if (!asks(frame) || revealed_ || drawn_.empty())
    {
        return false;
    }
    drawn_.clear();
    column_.reset();
    return true;
}

bool ClassCurve::keys(const Frame& frame, Out& out)
{
    if (!asks(frame) || chart() == nullptr || widget_has_keyboard())
    {
        return false;
    }
    const int along = arrow_steps(ImGui::GetID("###arrows of the hand"));
    const int down = row_steps(ImGui::GetID("###height of the hand"));
    bool taken = false;
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
    {
        reveal(out);
        taken = true;
    }
    else if (revealed_)
    {
        const auto last = static_cast<std::ptrdiff_t>(order_.size()) - 1;
        const auto next = static_cast<std::ptrdiff_t>(on_show_) + along + down;
        on_show_ =
            static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, std::max<std::ptrdiff_t>(last, 0)));
        taken = along != 0 || down != 0;
    }
    else if (move(along, -down))
    {
        taken = true;
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_N, false))
    {
        taken = keep();
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
    {
        take_back();
        taken = true;
    }
    out.animating = out.animating || taken;
    return taken;
}

} // namespace ringside
