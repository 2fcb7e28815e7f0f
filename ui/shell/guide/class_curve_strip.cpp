// The strip of "Draw the curve first": what is drawn, the hands, their ranking and what is said of one.
#include <fmt/format.h>

#include "core/base/text/hide_numbers.h"
#include "core/base/text/text.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/shell/guide/class_curve.h"
#include "ui/shell/overlay.h"
#include "ui/widgets/charts/plot_axes.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRankRow = 22; // of the ranking [design px]

bool same_areas(const std::vector<BoardChart>& a, const std::vector<BoardChart>& b)
{
    return std::ranges::equal(a, b,
                              [](const BoardChart& one, const BoardChart& other)
                              {
                                  return one.area.x == other.area.x && one.area.y == other.area.y &&
                                         one.area.w == other.area.w && one.area.h == other.area.h &&
                                         one.curves.size() == other.curves.size();
                              });
}

// What a curve is called while its figures are hidden: a name may end with the value.
std::string curve_name(const BoardCurve& curve)
{
    return hide_numbers(curve.name);
}

} // namespace

void ClassCurve::draw_head(const Painter& p, Rect row)
{
    const BoardChart* there = chart();
    if (curves() > 1)
    {
        const Rect next = row.cut_right(p.px(28));
        const Rect before = row.cut_right(p.px(28));
        const int step = (button(p, next, "\u203a###next curve", {}, ButtonStyle::quiet) ? 1 : 0) -
                         (button(p, before, "\u2039###curve before", {}, ButtonStyle::quiet) ? 1 : 0);
        row.cut_right(p.px(8));
        if (step != 0)
        {
            turn(step);
            return;
        }
    }
    if (there == nullptr)
    {
        p.text_within(row.x, row.middle(), row.w, Type::small_strong, p.theme.text,
                      "No curve on this page to draw");
        return;
    }
    const std::string name = curve_name(there->curves[curve_]);
    const std::string of = there->y.title.empty() ? hide_numbers(there->title) : there->y.title;
    std::string asks = name.empty() || name == of ? fmt::format("Draw the curve: {}", of)
                       : of.empty()               ? fmt::format("Draw the curve: {}", name)
                                                  : fmt::format("Draw the curve: {}, {}", name, of);
    asks += there->x.title.empty() ? "" : fmt::format(", over {}", there->x.title);
    const bool roomy = p.width(Type::body_strong, asks) <= row.w;
    p.text_within(row.x, row.middle(), row.w, roomy ? Type::body_strong : Type::small_strong, p.theme.text,
                  asks);
}

void ClassCurve::draw_buttons(const Painter& p, Rect row, Out& out)
{
    const float gap = p.px(8);
    const auto place = [&](float wide)
    {
        const Rect r = row.cut_right(std::min(wide, row.w));
        row.cut_right(gap);
        return r;
    };
    const float each = std::min(p.px(132), (row.w - 3 * gap) / 4);
    if (button(p, place(each), revealed_ ? "Hide###reveal the curve" : "Reveal###reveal the curve", "Enter",
               ButtonStyle::primary))
    {
        reveal(out);
    }
    const bool any = !hands().empty() || !drawn_.empty();
    if (any && button(p, place(each), "Copy###copy the hands"))
    {
        keep();
        out.push(CopyText{to_text({place_, static_cast<std::int64_t>(board_.chosen),
                                   static_cast<std::int64_t>(curve_), hands()}),
                          fmt::format("Copied {}: Ctrl V in another window adds what was drawn",
                                      counted(std::ssize(hands()), "hand"))});
    }
    if (!revealed_ && button(p, place(each), "Next hand###next hand", "N"))
    {
        keep();
    }
    if (revealed_ || row.w < p.px(60))
    {
        return;
    }
    const FontScope font(p.look.fonts.of(Type::small));
    ImGui::SetCursorScreenPos({row.x, row.middle() - ImGui::GetFrameHeight() / 2});
    ImGui::SetNextItemWidth(std::min(row.w, p.px(240)));
    constexpr const char* kHint = "Name, if you like";
    const bool entered = ImGui::InputTextWithHint("###name of the hand", kHint, name_.data(), name_.size(),
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    read_field(p, kHint, name_.data());
    if (entered)
    {
        keep();
    }
}

void ClassCurve::draw_ranking(const Painter& p, Rect area)
{
    const auto rows = static_cast<std::size_t>(std::max(0.0F, area.h / p.px(kRankRow)));
    const std::size_t first = on_show_ < rows ? 0 : on_show_ + 1 - rows;
    for (std::size_t i = first; i < order_.size() && i < first + rows; ++i)
    {
        const Rect row = area.cut_top(p.px(kRankRow));
        const Press pressed = press(p, row, fmt::format("###hand in place {}", i + 1).c_str());
        on_show_ = pressed.clicked ? i : on_show_;
        if (i == on_show_ || pressed.hovered)
        {
            p.fill(row, p.theme.raised, p.px(4));
        }
        const std::string score = away_words(*scores_[order_[i]]);
        const float w =
            p.text(row.right() - p.px(6), row.middle(), Type::mono_small, p.theme.muted, score, Align::right);
        p.text_within(row.x + p.px(6), row.middle(), row.w - w - p.px(20),
                      i == 0 ? Type::small_strong : Type::small, p.theme.text,
                      fmt::format("{}. {}", i + 1, name_of(order_[i])));
    }
}

std::string ClassCurve::foot_words(bool narrow)
{
    const BoardChart* there = chart();
    if (there == nullptr)
    {
        return "Any chart with a line can be drawn: strong scaling, context length, the roofline, a run's "
               "loss.";
    }
    if (!revealed_ || order_.empty())
    {
        const std::size_t many = hands().size();
        const std::string so_far = many == 0 ? ""
                                             : counted(static_cast<std::int64_t>(many), "hand") +
                                                   (many == kMostHands ? ", no more fit. " : ". ");
        if (column_ && board_.at)
        {
            return fmt::format("{}At {}: {}. Enter reveals, N next hand, Esc takes it away.", so_far,
                               value_words(there->x, board_.at->x), value_words(there->y, board_.at->y));
        }
        return so_far +
               (revealed_ ? "No curve was drawn here."
                : narrow  ? "Draw with the mouse, a finger or the arrow keys."
                          : "Draw with the mouse, a finger or the arrow keys. Backspace takes the last hand "
                            "back, Ctrl V adds hands that were copied.");
    }
    const std::size_t hand = order_[std::min(on_show_, order_.size() - 1)];
    const std::string place = order_.size() == 1 ? ""
                              : on_show_ == 0    ? fmt::format("Best of {}: ", order_.size())
                                                 : fmt::format("{} of {}: ", on_show_ + 1, order_.size());
    return fmt::format(
        "{}**{}**. {}", place, name_of(hand),
        score_words(*scores_[hand], there->axes(), [there](double x) { return value_words(there->x, x); }));
}

void ClassCurve::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (!asks(frame))
    {
        return;
    }
    out.animating = out.animating || board_.stroke || !same_areas(board_.charts, board_.before);
    ImGui::SetNextWindowPos(area.min());
    ImGui::SetNextWindowSize({area.w, area.h});
    push_overlay_style(painter);
    ImGui::Begin("###curve of the class", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const bool narrow = area.w < p.px(kNarrow);
    Rect words = area.inset(p.px(10));
    if (!narrow && !order_.empty() && revealed_)
    {
        draw_ranking(p, words.cut_right(words.w * 0.32F));
        words.cut_right(p.px(24));
    }
    draw_head(p, words.cut_top(p.px(28)));
    words.cut_top(p.px(4));
    if (chart() != nullptr)
    {
        draw_buttons(p, words.cut_top(p.px(36)), out);
        words.cut_top(p.px(6));
    }
    const std::string foot = foot_words(narrow);
    p.rich(words, Type::small, Type::small_strong, revealed_ ? p.theme.text : p.theme.muted, foot);
    if (revealed_ || column_)
    {
        read_aloud(p.look, foot);
    }
    ImGui::End();
    pop_overlay_style();
}

} // namespace ringside
