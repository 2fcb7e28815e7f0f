#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/study/sessions/deck.h"
#include "ui/views/study/errata/parts.h"
#include "ui/widgets/scrolled_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// The type of texts, larger where lines are long enough.
Type reading_type(const Sheet& sheet)
{
    constexpr float kWide = 720; // [design px]
    return sheet.width() >= sheet.p.px(kWide) ? Type::body : Type::small;
}

std::string ratio_figure(double ratio)
{
    return ratio < 1e4 ? three_digits(ratio) : fmt::format("{:.1e}", ratio);
}

// "the claim is 2x what is true"; empty where no ratio can be said.
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

void draw_head(Sheet& sheet, const Erratum& e)
{
    const Painter& p = sheet.p;
    Rect row = sheet.row(32);
    draw_mark(p, {row.x + p.px(10), row.middle()}, e.kind, p.theme.text);
    row.cut_left(p.px(28));
    const bool room = p.width(Type::title, e.title) <= row.w;
    p.text_within(row.x, row.middle(), row.w, room ? Type::title : Type::body_strong, p.theme.text, e.title);
    const StudyTopic* topic = find_topic(e.topic);
    sheet.note(fmt::format("{} \u00b7 {}", topic == nullptr ? e.topic : topic->name, words_of(e.kind)));
    sheet.gap(12);
}

void draw_side(Sheet& sheet, const ShownErratum& shown, bool truth, Type type)
{
    const Painter& p = sheet.p;
    const Colour ink = truth == shown.as_it_is ? p.theme.text : p.theme.muted;
    Rect row = sheet.row(20);
    p.text_within(row.x, row.middle(), row.w, Type::small_strong, ink, truth ? "What is true" : "Often said");
    if (const ErratumNumber* number = shown.number(truth))
    {
        row = sheet.row(44);
        const bool room = p.width(Type::display, number->text) <= row.w;
        p.text_within(row.x, row.middle(), row.w, room ? Type::display : Type::title, ink, number->text);
        sheet.note(number->says);
    }
    sheet.gap(8);
    sheet.words(type, p.theme.text, truth ? shown.erratum.truth : shown.erratum.claim);
}

// Both cards on a channel below their words, since how high they are is known afterwards.
bool draw_sides(Sheet& sheet, const ShownErratum& shown)
{
    const Painter& p = sheet.p;
    const bool stacked = sheet.width() < p.px(360);
    const float gap = p.px(12);
    const float w = stacked ? sheet.width() : (sheet.width() - gap) / 2;
    const Type type = reading_type(sheet);
    std::array<Rect, 2> cards{Rect{sheet.x(), sheet.y(), w, 0}, Rect{}};
    p.list.ChannelsSplit(2);
    p.list.ChannelsSetCurrent(1);
    for (std::size_t i = 0; i < cards.size(); ++i)
    {
        Sheet inside(p, {cards.at(i).x + p.px(14), cards.at(i).y + p.px(12), w - p.px(28), 0});
        draw_side(inside, shown, i == 1, type);
        cards.at(i).h = inside.y() - cards.at(i).y + p.px(14);
        const Rect& first = cards[0];
        cards[1] = {stacked ? first.x : first.right() + gap, stacked ? first.bottom() + gap : first.y, w,
                    cards[1].h};
    }
    cards[0].h = cards[1].h = stacked ? cards[1].h : std::max(cards[0].h, cards[1].h);
    p.list.ChannelsSetCurrent(0);
    bool other = false;
    for (const bool truth : {false, true})
    {
        const bool on = truth == shown.as_it_is;
        const Press pressed = press(p, cards.at(truth ? 1 : 0), truth ? "###truth card" : "###claim card", 8);
        p.card(cards.at(truth ? 1 : 0), on, pressed.hovered);
        other = other || (pressed.clicked && !on);
    }
    p.list.ChannelsMerge();
    sheet.take(cards[1].bottom() - sheet.y());
    sheet.gap(16);
    return other;
}

bool draw_switch(Sheet& sheet, const ShownErratum& shown)
{
    const Painter& p = sheet.p;
    constexpr std::array<std::string_view, 2> kWords{"Often said", "What is true"};
    Rect row = sheet.row(32);
    sheet.gap(10);
    const Rect box = row.cut_left(std::min(row.w, p.px(220)));
    const bool other = segments(p, box, kWords, shown.as_it_is ? 1 : 0).has_value();
    if (row.w >= p.px(48))
    {
        row.cut_left(p.keycap(row.x + p.px(10), row.middle(), "C").w + p.px(26));
    }
    const std::string words = ratio_words(*shown.run);
    if (p.width(Type::small, words) <= row.w)
    {
        p.text(row.right(), row.middle(), Type::small, p.theme.muted, words, Align::right);
    }
    return other;
}

// Under which assumption the claim holds, and the working of the number on show.
void draw_working(Sheet& sheet, const ShownErratum& shown)
{
    if (const std::string& assumed = shown.erratum.assumption; !assumed.empty())
    {
        sheet.words(Type::small, shown.as_it_is ? sheet.p.theme.muted : sheet.p.theme.text,
                    "**When the claim would hold:** " + assumed);
        sheet.gap(8);
    }
    if (const ErratumNumber* n = shown.number())
    {
        sheet.figures(working_of(*n));
    }
    else if (!shown.run)
    {
        sheet.note("Not to be computed with these numbers: " + to_line(shown.run.issues().front()));
    }
}

// Those lines of the explanation that begin with `mark`, and `last`, under a heading of their own.
void draw_lines(Sheet& sheet, std::string_view heading, const Erratum& e, std::string_view mark,
                const std::string& last)
{
    std::vector<std::string_view> lines;
    for (const std::string& line : e.why)
    {
        if (line.starts_with(mark))
        {
            lines.push_back(std::string_view(line).substr(mark.size()));
        }
    }
    if (!last.empty())
    {
        lines.push_back(last);
    }
    if (!lines.empty())
    {
        sheet.gap(8);
        sheet.heading(heading);
    }
    for (const std::string_view line : lines)
    {
        sheet.words(reading_type(sheet), sheet.p.theme.text, line);
    }
}

} // namespace

const ErratumNumber* ShownErratum::number(bool of_truth) const
{
    if (!run)
    {
        return nullptr;
    }
    const auto& number = of_truth ? run->right : run->claimed;
    return number ? &*number : nullptr;
}

std::string working_of(const ErratumNumber& n)
{
    return n.working.empty() ? n.text : fmt::format("{} = {}", n.working, n.text);
}

// Both numbers on one scale: the one on show filled, a dashed line where the other ends.
void ErrataDetail::draw_bar(const Frame& frame, Sheet& sheet, const ShownErratum& shown, Out& out)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const double here = std::abs(shown.number()->value);
    const double there = std::abs(shown.number(!shown.as_it_is)->value);
    const double most = std::max({here, there, 1e-300});
    const float length = length_.towards(static_cast<float>(here / most), frame, p.look, out);
    const float other = other_.towards(static_cast<float>(there / most), frame, p.look, out);
    const float solid = solid_.towards(shown.as_it_is ? 1.0F : 0.0F, frame, p.look, out);
    const Rect track = sheet.row(24);
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
    sheet.gap(12);
}

bool ErrataDetail::draw(const Frame& frame, const Painter& window, Rect area, const ShownErratum& shown,
                        Out& out)
{
    ScrolledSheet sheet(window, area, "###erratum", shown.erratum.id);
    draw_head(*sheet, shown.erratum);
    bool other = draw_sides(*sheet, shown);
    if (shown.run && shown.run->has_numbers())
    {
        other = draw_switch(*sheet, shown) || other;
        draw_bar(frame, *sheet, shown, out);
    }
    sheet->rule(4, 6);
    const Type type = reading_type(*sheet);
    constexpr std::string_view kCheck = "Check it: ";
    constexpr std::string_view kSource = "Source: ";
    sheet->heading("Why");
    for (const std::string& line : shown.erratum.why)
    {
        if (!line.starts_with(kCheck) && !line.starts_with(kSource))
        {
            sheet->point(line, window.theme.text, type);
        }
    }
    draw_working(*sheet, shown);
    const ViewInfo* view = find_view(shown.erratum.view);
    draw_lines(*sheet, "How to find out", shown.erratum, kCheck,
               view == nullptr ? "" : fmt::format("Here: S shows it in \u201c{}\u201d.", view->title));
    draw_lines(*sheet, "Source", shown.erratum, kSource, "");
    return other;
}

} // namespace ringside
