#include "ui/views/drill/hints.h"

#include <fmt/format.h>

#include "ui/widgets/controls.h"

#include <algorithm>

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

struct Row
{
    std::size_t number;
    bool open;
    bool next;
};

bool draw_row(Sheet& sheet, const std::string& hint, const Row& row)
{
    constexpr std::array<std::string_view, 3> kNames{"Direction", "Insight", "Solution"};
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const float left = std::max(p.px(144), p.width(Type::small_strong, kNames[0]) + p.px(72));
    const bool narrow = sheet.width() < 3 * left;
    const float indent = narrow ? p.px(16) : left;
    const float words = sheet.width() - indent - p.px(64);
    const float h = words_height(p, words, Type::small, hint);
    const float top = narrow ? p.px(30) : 0;
    const Rect r = sheet.take((row.open ? std::max(p.px(44), h + p.px(20)) : p.px(44)) + top);
    const Press pressed = press(p, row.next ? r : Rect{}, "Next hint###hint", 8);
    p.fill(r, pressed.hovered ? t.control : t.panel, p.px(8));
    p.outline(r, t.line, 1, p.px(8));
    const float head = narrow ? r.y + p.px(20) : r.middle();
    p.text(r.x + p.px(24), head, Type::mono, t.text, std::to_string(row.number), Align::centre);
    p.text(r.x + p.px(48), head, Type::small_strong, row.open ? t.text : t.muted, kNames[row.number - 1]);
    const Rect body{r.x + indent, r.y + top, words, r.h - top};
    if (row.open)
    {
        p.paragraph({body.x, body.middle() - h / 2, words, 0}, Type::small, t.text,
                    without_light_marks(hint));
    }
    else
    {
        p.hatch({body.x, body.middle() - p.px(11), words, p.px(22)}, t.idle_hatch, kIdleHatch);
    }
    if (row.next)
    {
        p.keycap(r.right() - p.px(40), body.middle(), "H");
    }
    sheet.gap(7);
    return pressed.clicked;
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
        const auto used = static_cast<std::size_t>(attempt.hints);
        asked = draw_row(sheet, q.hints[i], {i + 1, i < used, i == used}) || asked;
    }
    sheet.gap(6);
    return asked;
}

} // namespace ringside
