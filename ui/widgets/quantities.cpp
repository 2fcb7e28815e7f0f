#include "ui/widgets/quantities.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kSign = 24; // [design px] between two tiles, and without signs
constexpr float kRowGap = 10;
constexpr float kPad = 10;
constexpr float kLine = 30; // height of a tile of one line

void draw_tile(const Painter& p, Rect r, const Solvable& q, bool solved, bool hovered)
{
    const Theme& t = p.theme;
    p.card(r, solved, hovered);
    p.part(q.name, r);
    const Rect in{r.x + p.px(kPad), r.y, r.w - 2 * p.px(kPad), r.h};
    const Colour ink = q.wrong ? t.warning : t.text;
    const Type type = p.width(Type::mono_title, q.figure) <= in.w ? Type::mono_title
                      : p.width(Type::mono, q.figure) <= in.w     ? Type::mono
                                                                  : Type::mono_small;
    const float line = p.height(Type::small);
    if (r.h < line + p.height(Type::mono_title))
    {
        const float w = p.text(in.right(), in.middle(), Type::mono_small, ink, q.figure, Align::right);
        p.text_within(in.x, in.middle(), in.w - w - p.px(8), Type::small, t.muted, q.name);
        return;
    }
    const bool whole = p.width(Type::small, q.name) <= in.w;
    const float top = in.y + p.px(6) + line / 2;
    p.text_within(in.x, top, in.w, Type::small, t.muted, whole ? q.name : q.brief);
    if (solved && whole && p.width(Type::small, q.name) + p.width(Type::small, "solved") + p.px(8) <= in.w)
    {
        p.text(in.right(), top, Type::small, t.muted, "solved", Align::right);
    }
    p.text_within(in.x, (top + line / 2 + r.bottom()) / 2, in.w, type, ink, q.figure);
}

// As many beside each other as show their figures.
std::size_t beside(const Painter& p, float width, std::span<const Solvable> all, float gap)
{
    for (std::size_t many = all.size(); many > 1; --many)
    {
        const float n = static_cast<float>(many);
        const float in = (width - gap * (n - 1)) / n - 2 * p.px(kPad);
        if (std::ranges::all_of(all,
                                [&](const Solvable& q) {
                                    return std::max(p.width(Type::mono_small, q.figure),
                                                    p.width(Type::small, q.brief)) <= in;
                                }))
        {
            return many;
        }
    }
    return 1;
}

} // namespace

std::optional<std::size_t> draw_quantities(const Painter& p, Rect& area, std::span<const Solvable> all,
                                           std::size_t solved, float most)
{
    const bool signs = std::ranges::any_of(all, [](const Solvable& q) { return !q.sign.empty(); });
    const float gap = p.px(signs ? kSign : kRowGap);
    const std::size_t many = beside(p, area.w, all, gap);
    const std::size_t rows = (all.size() + many - 1) / many;
    const float tall = p.height(Type::small) + p.height(Type::mono_title) + p.px(16);
    const float each = most / static_cast<float>(rows) - p.px(kRowGap);
    const float high = each >= tall ? tall : std::max(p.height(Type::small), std::min(each, p.px(kLine)));
    const float wide = (area.w - gap * static_cast<float>(many - 1)) / static_cast<float>(many);
    std::optional<std::size_t> pressed;
    for (std::size_t i = 0; i < all.size() && area.h >= high; i += many)
    {
        Rect row = area.cut_top(high);
        area.cut_top(std::min(area.h, p.px(kRowGap)));
        for (std::size_t k = i; k < std::min(all.size(), i + many); ++k)
        {
            const Rect tile = row.cut_left(wide);
            const Rect next = row.cut_left(gap);
            const Press press_now = press(p, tile, fmt::format("###solve for {}", all[k].name).c_str(), 8);
            tooltip(p, all[k].tip);
            pressed = press_now.clicked ? std::optional(k) : pressed;
            draw_tile(p, tile, all[k], k == solved, press_now.hovered);
            if (k + 1 < std::min(all.size(), i + many))
            {
                p.text(next.centre(), tile.middle(), Type::body, p.theme.muted, all[k + 1].sign,
                       Align::centre);
            }
        }
    }
    return pressed;
}

} // namespace ringside
