#include "ui/views/errata/detail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text.h"
#include "core/study/deck.h"
#include "ui/shell/scopes.h"
#include "ui/views/errata/marks.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kWide = 720; // [design px] from here on texts are in body size

// What a card says of one side.
struct Side
{
    const char* label; // of what is pressed
    std::string_view head;
    const ErratumNumber* number;
    std::string_view says;
    bool on;
};

// The words of a card; returns the height they take.
float draw_side_words(const Painter& p, Rect in, const Side& side, Type type)
{
    const Theme& t = p.theme;
    const float top = in.y;
    Rect row = in.cut_top(p.px(20));
    p.text_within(row.x, row.middle(), row.w, Type::small_strong, side.on ? t.text : t.muted, side.head);
    if (side.number != nullptr)
    {
        const bool room = p.width(Type::display, side.number->text) <= in.w;
        row = in.cut_top(p.px(44));
        p.text_within(row.x, row.middle(), row.w, room ? Type::display : Type::title,
                      side.on ? t.text : t.muted, side.number->text);
        in.cut_top(p.paragraph({in.x, in.y, in.w, 0}, Type::small, t.muted, side.number->says) + p.px(10));
    }
    else
    {
        in.cut_top(p.px(6));
    }
    in.cut_top(p.paragraph({in.x, in.y, in.w, 0}, type, t.text, side.says));
    return in.y - top;
}

std::string ratio_figure(double ratio)
{
    return ratio < 1e4 ? three_digits(ratio) : fmt::format("{:.1e}", ratio);
}

} // namespace

const ErratumNumber* ShownErratum::number() const
{
    const auto side = [](const std::optional<ErratumNumber>& n) { return n ? &*n : nullptr; };
    return !run ? nullptr : side(as_it_is ? run->right : run->claimed);
}

std::string ratio_words(const ErratumRun& run)
{
    if (!run.ratio || !(*run.ratio > 0))
    {
        return {};
    }
    const double r = *run.ratio;
    if (std::abs(r - 1) < 0.1)
    {
        return r == 1 ? std::string("both are the same")
                      : fmt::format("the claim is {}% too {}", three_digits(100 * std::abs(r - 1)),
                                    r > 1 ? "high" : "low");
    }
    return r > 1 ? fmt::format("the claim is {}x what is true", ratio_figure(r))
                 : fmt::format("what is true is {}x the claim", ratio_figure(1 / r));
}

void ErrataDetail::draw_head(Page& page, const Erratum& e)
{
    const Painter& p = page.p;
    Rect row = page.left.cut_top(p.px(32));
    draw_mark(p, {row.x + p.px(10), row.middle()}, e.kind, p.theme.text);
    row.cut_left(p.px(28));
    const bool room = p.width(Type::title, e.title) <= row.w;
    p.text_within(row.x, row.middle(), row.w, room ? Type::title : Type::body_strong, p.theme.text, e.title);
    const StudyTopic* topic = find_topic(e.topic);
    const std::string about = fmt::format("{} \u00b7 {} \u00b7 {} \u00b7 said in {}", e.id, words_of(e.kind),
                                          topic == nullptr ? e.topic : topic->name, fmt::join(e.where, ", "));
    Rect& left = page.left;
    left.cut_top(p.paragraph({left.x, left.y, left.w, 0}, Type::small, p.theme.muted, about) + p.px(12));
}

// Both cards on a channel below their words, since how high they are is known afterwards.
bool ErrataDetail::draw_sides(Page& page, const ShownErratum& shown)
{
    const Painter& p = page.p;
    const Erratum& e = shown.erratum;
    const ErratumRun none;
    const ErratumRun& run = shown.run ? *shown.run : none;
    const auto number = [](const std::optional<ErratumNumber>& n) { return n ? &*n : nullptr; };
    const std::array sides{Side{"###claim card", "As claimed", number(run.claimed), e.claim, !shown.as_it_is},
                           Side{"###truth card", "As it is", number(run.right), e.truth, shown.as_it_is}};
    const bool stacked = page.left.w < p.px(360);
    const float gap = p.px(12);
    const float margin = p.px(14);
    const Type type = page.left.w >= p.px(kWide) ? Type::body : Type::small;
    std::array<Rect, 2> cards{};
    p.list.ChannelsSplit(2);
    p.list.ChannelsSetCurrent(1);
    float y = page.left.y;
    for (std::size_t i = 0; i < cards.size(); ++i)
    {
        Rect& card = cards.at(i);
        card = page.left;
        card.w = stacked ? card.w : (card.w - gap) / 2;
        card.x += stacked || i == 0 ? 0 : card.w + gap;
        card.y = y;
        const Rect in{card.x + margin, card.y + p.px(12), card.w - 2 * margin, 1e6F};
        card.h = draw_side_words(p, in, sides.at(i), type) + p.px(26);
        y += stacked ? card.h + gap : 0;
    }
    const float tallest = std::max(cards[0].h, cards[1].h);
    p.list.ChannelsSetCurrent(0);
    bool other = false;
    for (std::size_t i = 0; i < cards.size(); ++i)
    {
        Rect& card = cards.at(i);
        card.h = stacked ? card.h : tallest;
        const Press pressed = press(p, card, sides.at(i).label, 8);
        p.card(card, sides.at(i).on, pressed.hovered);
        other = other || (pressed.clicked && !sides.at(i).on);
    }
    p.list.ChannelsMerge();
    page.left.cut_top(cards[1].bottom() - page.left.y + p.px(16));
    return other;
}

bool ErrataDetail::draw_switch(Page& page, const ShownErratum& shown) const
{
    const Painter& p = page.p;
    constexpr std::array<std::string_view, 2> kWords{"As claimed", "As it is"};
    Rect row = page.left.cut_top(p.px(32));
    page.left.cut_top(p.px(10));
    const Rect box = row.cut_left(std::min(row.w, p.px(220)));
    const bool other = segments(p, box, kWords, shown.as_it_is ? 1 : 0).has_value();
    if (row.w >= p.px(48))
    {
        row.cut_left(p.px(10));
        const Rect cap = p.keycap(row.x, row.middle(), "C");
        row.cut_left(cap.w + p.px(16));
    }
    const std::string words = shown.run ? ratio_words(*shown.run) : std::string();
    if (p.width(Type::small, words) <= row.w)
    {
        p.text(row.right(), row.middle(), Type::small, p.theme.muted, words, Align::right);
    }
    return other;
}

// Both numbers on one scale: the one on show filled, a dashed line where the other ends.
void ErrataDetail::draw_bar(const Frame& frame, Page& page, const ShownErratum& shown, Out& out)
{
    const Painter& p = page.p;
    const Theme& t = p.theme;
    const double claimed = std::abs(shown.run->claimed->value);
    const double right = std::abs(shown.run->right->value);
    const double most = std::max({claimed, right, 1e-300});
    const auto share = [most](double v) { return static_cast<float>(v / most); };
    const float length = length_.towards(share(shown.as_it_is ? right : claimed), frame, p.look, out);
    const float other = other_.towards(share(shown.as_it_is ? claimed : right), frame, p.look, out);
    const float solid = solid_.towards(shown.as_it_is ? 1.0F : 0.0F, frame, p.look, out);
    const Rect track = page.left.cut_top(p.px(24));
    page.left.cut_top(p.px(12));
    p.fill(track, t.control, p.px(2));
    const Rect bar{track.x, track.y, std::max(p.px(2), track.w * length), track.h};
    const Colour ink = mix(t.text, t.window, 0.3F);
    p.fill(bar, mix(t.raised, ink, solid));
    if (solid < 1)
    {
        p.hatch(bar, with_alpha(ink, 1 - solid), kExposedHatch);
    }
    p.outline(bar, ink);
    const float x = std::round(track.x + std::clamp(track.w * other, p.px(1), track.w - p.px(1)));
    p.dashed(x, track.y - p.px(4), x, track.bottom() + p.px(4), t.text, p.px(2));
}

// Under which assumption the claim holds, and the working of the number on show.
void ErrataDetail::draw_working(Page& page, const ShownErratum& shown)
{
    const Painter& p = page.p;
    const Theme& t = p.theme;
    Rect& left = page.left;
    const std::string& assumed = shown.erratum.assumption;
    const std::string holds =
        assumed.empty() ? "**Assumed:** nothing makes the claim hold." : "**Assumed:** " + assumed;
    left.cut_top(p.rich({left.x, left.y, left.w, 0}, Type::small, Type::small_strong,
                        shown.as_it_is ? t.muted : t.text, holds) +
                 p.px(8));
    if (const ErratumNumber* n = shown.number())
    {
        const std::string working =
            n->working.empty() ? n->text : fmt::format("{} = {}", n->working, n->text);
        left.cut_top(p.paragraph({left.x, left.y, left.w, 0}, Type::mono_small, t.text, working) + p.px(8));
    }
    else if (!shown.run)
    {
        left.cut_top(
            p.paragraph({left.x, left.y, left.w, 0}, Type::small, t.muted,
                        "Not to be computed with these numbers: " + to_line(shown.run.issues().front())) +
            p.px(8));
    }
}

void ErrataDetail::draw_why(Page& page, const Erratum& e)
{
    const Painter& p = page.p;
    Rect& left = page.left;
    left.cut_top(p.px(4));
    p.line(left.x, left.y, left.right(), left.y, p.theme.grid);
    left.cut_top(p.px(10));
    const Rect row = left.cut_top(p.px(24));
    const float head = p.text(row.x, row.middle(), Type::small_strong, p.theme.text, "Why");
    p.text_within(row.x + head + p.px(10), row.middle(), row.w - head - p.px(10), Type::small, p.theme.muted,
                  "with the numbers of the sources");
    const Type type = left.w >= p.px(kWide) ? Type::body : Type::small;
    for (const std::string& line : e.why)
    {
        const float first = std::round(p.height(type) * 1.17F) / 2;
        p.list.AddCircleFilled({left.x + p.px(6), left.y + first}, p.px(2.5F), p.theme.muted);
        left.cut_top(
            p.paragraph({left.x + p.px(18), left.y, left.w - p.px(18), 0}, type, p.theme.text, line) +
            p.px(4));
    }
}

bool ErrataDetail::draw(const Frame& frame, const Painter& window, Rect area, const ShownErratum& shown,
                        Out& out)
{
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###erratum", {area.w, area.h});
    if (id_ != shown.erratum.id)
    {
        ImGui::SetScrollY(0);
        id_ = shown.erratum.id;
    }
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float edge = p.px(3); // of the outlines
    Page page{p, {top.x + edge, top.y, area.w - p.px(14) - edge, 1e6F}};
    draw_head(page, shown.erratum);
    bool other = draw_sides(page, shown);
    if (shown.run && shown.run->has_numbers())
    {
        other = draw_switch(page, shown) || other;
        draw_bar(frame, page, shown, out);
    }
    draw_working(page, shown);
    draw_why(page, shown.erratum);
    ImGui::SetCursorScreenPos({top.x, page.left.y + p.px(8)});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
    return other;
}

} // namespace ringside
