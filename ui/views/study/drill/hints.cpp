#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::string cost_words(const Attempt& attempt)
{
    if (attempt.hints == 0)
    {
        return attempt.looked ? "view looked at: best grade now Hard" : "the first makes Hard the best grade";
    }
    return attempt.hints + 1 == kMostHints ? "two used; the third makes it Again"
                                           : "one used: best grade now Hard";
}

// Its name, and below that in small windows, what it says.
bool draw_hint(Sheet& sheet, const std::string& hint, std::size_t number, std::size_t used)
{
    constexpr std::array<std::string_view, kMostHints> kNames{"Direction", "Insight", "Solution"};
    const Painter& p = sheet.p;
    const bool open = number < used;
    const bool next = number == used;
    const std::string name = fmt::format("**{}**{}", kNames.at(number), open ? ": " + hint : "");
    const DrawnCard card =
        sheet.card({.label = next ? "Next hint###hint" : "", .words = name, .right = p.px(64), .gap = 7});
    const Rect& r = card.r;
    p.text(r.x + p.px(24), r.middle(), Type::mono, p.theme.text, std::to_string(number + 1), Align::centre);
    if (!open)
    {
        const float left = p.px(64) + p.width(Type::small_strong, kNames.at(number));
        p.hatch({r.x + left, r.middle() - p.px(11), r.w - left - p.px(64), p.px(22)}, p.theme.idle_hatch,
                kIdleHatch);
    }
    if (next)
    {
        p.keycap(r.right() - p.px(40), r.middle(), "H");
    }
    return card.pressed.clicked;
}

} // namespace

bool draw_hints(Sheet& sheet, const Question& q, const Attempt& attempt)
{
    if (q.hints.empty())
    {
        return false;
    }
    sheet.heading("Hints", cost_words(attempt));
    bool asked = false;
    for (std::size_t i = 0; i < std::min<std::size_t>(q.hints.size(), kMostHints); ++i)
    {
        asked = draw_hint(sheet, q.hints[i], i, static_cast<std::size_t>(attempt.hints)) || asked;
    }
    sheet.gap(6);
    return asked;
}

} // namespace ringside
