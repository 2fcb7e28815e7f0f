#include "ui/widgets/charts/stacked_bar.h"

#include "core/base/text/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// On one line where both fit, on two, or the figure alone.
void draw_words(const Painter& p, Rect r, const BarPart& part, bool hatched)
{
    const float line = p.height(Type::small);
    const float edge = p.px(8);
    const float figure = p.width(Type::mono_small, part.figure);
    const float named = p.width(Type::small, part.name);
    const bool beside = figure + named + 3 * edge <= r.w && figure > 0 && named > 0;
    const bool two = !beside && figure > 0 && named > 0 && named + p.px(4) <= r.w && r.h >= 2 * line;
    const float least = figure > 0 ? figure : named;
    if (r.h < line || least <= 0 || least + p.px(4) > r.w)
    {
        return;
    }
    hatched = hatched || part.fill.lines != 0;
    const Colour ink = hatched ? p.theme.text : part.fill.ink.label;
    if (hatched)
    {
        const float wide = (beside ? figure + named + edge : std::max(least, two ? named : 0)) + p.px(6);
        r = beside ? Rect{r.centre() - wide / 2 - edge + p.px(3), r.y, wide + 2 * edge - p.px(6), r.h} : r;
        const float high = two ? 2 * line : line;
        p.fill({r.centre() - wide / 2, r.middle() - high / 2, wide, high}, with_alpha(p.theme.window, 0.85F),
               p.px(3));
    }
    if (beside)
    {
        p.text(r.x + edge, r.middle(), Type::small, ink, part.name);
        p.text(r.right() - edge, r.middle(), Type::mono_small, ink, part.figure, Align::right);
        return;
    }
    const float apart = two ? line / 2 : 0;
    if (figure > 0)
    {
        p.text(r.centre(), r.middle() + apart, Type::mono_small, ink, part.figure, Align::centre);
    }
    if (two || figure <= 0)
    {
        p.text(r.centre(), r.middle() - apart, Type::small, ink, part.name, Align::centre);
    }
}

struct BarScale
{
    Rect area;
    const BarStyle& style;

    float at(double value) const
    {
        const auto share = static_cast<float>(std::min(1.0, value / std::max(1e-300, style.most)));
        return std::round(share * (style.up ? area.h : area.w));
    }
    Rect between(double from, double to) const
    {
        const float a = at(from);
        const float b = at(to);
        return style.up ? Rect{area.x, area.bottom() - b, area.w, b - a}
                        : Rect{area.x + a, area.y, b - a, area.h};
    }
    // The limit strikes through no words: they stand where more of the part is.
    bool is_beyond(double from, double to) const
    {
        return style.limit > 0 && to - style.limit > style.limit - from;
    }
    Rect words_room(double from, double to) const
    {
        const bool beyond = is_beyond(from, to);
        const bool crosses = style.limit > from && style.limit < to;
        return between(crosses && beyond ? style.limit : from, crosses && !beyond ? style.limit : to);
    }
};

void draw_beyond(const Painter& p, const BarScale& scale, double sum)
{
    const Rect over = scale.between(scale.style.limit, sum);
    if (over.w < 1 || over.h < 1)
    {
        return;
    }
    draw_fill(p, over, overflow_fill(p.theme));
    p.outline(over, p.theme.warning, p.px(2));
    const float h = p.height(Type::small_strong) + p.px(2);
    const float w = p.width(Type::small_strong, scale.style.over) + p.px(12);
    if (!scale.style.over.empty() && w <= over.w && h <= over.h)
    {
        p.fill({over.centre() - w / 2, over.middle() - h / 2, w, h}, p.theme.window, p.px(4));
        p.text(over.centre(), over.middle(), Type::small_strong, p.theme.warning, scale.style.over,
               Align::centre);
    }
}

void draw_walls(const Painter& p, Rect r, const BarScale& scale)
{
    const float wall = p.px(2);
    p.line(r.x, r.y, r.x, r.bottom(), p.theme.line, wall);
    p.line(r.right(), r.y, r.right(), r.bottom(), p.theme.line, wall);
    p.line(r.x - wall / 2, r.bottom(), r.right() + wall / 2, r.bottom(), p.theme.line, wall);
    if (scale.style.limit > 0)
    {
        const float y = r.bottom() - scale.at(scale.style.limit);
        p.line(r.x - p.px(4), y, r.right() + p.px(4), y, p.theme.text, wall);
    }
}

// The part that is pointed at. Each part with a read-out is a mark.
std::optional<std::size_t> pointed_part(const Painter& p, const StackedBar& bar,
                                        std::span<const BarPart> parts, const BarStyle& style)
{
    std::optional<std::size_t> pointed;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        const Rect& r = bar.parts[i];
        const bool read = !style.reads || !parts[i].name.empty();
        const bool here = read && r.w >= 2 && r.h >= 2 ? p.points_at(r) : p.points_in(r);
        pointed = here ? std::optional(i) : pointed;
    }
    return pointed;
}

void read_out(const Painter& p, const BarPart& part)
{
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    tip_card(p, {0, 0, window.x, window.y}, ImGui::GetIO().MousePos, part.name,
             std::array{TipLine{"", part.figure.empty() ? three_digits(part.value) : part.figure,
                                part.fill.ink.fill}});
}

} // namespace

StackedBar draw_stacked_bar(const Painter& p, Rect area, std::span<const BarPart> parts,
                            const BarStyle& style)
{
    const BarScale scale{area, style};
    StackedBar bar;
    double sum = 0;
    if (style.walls)
    {
        p.fill(area, p.theme.panel);
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        Rect r = scale.between(sum, sum + parts[i].value);
        sum += parts[i].value;
        bar.parts.push_back(r);
        float& length = style.up ? r.h : r.w;
        if (length < 1)
        {
            continue;
        }
        if (length > 3)
        {
            // A hair to the next.
            length -= 1;
            r.y += style.up ? 1.0F : 0.0F;
        }
        draw_fill(p, r, parts[i].fill);
    }
    bar.all = scale.between(0, sum);
    if (style.limit > 0 && sum > style.limit)
    {
        draw_beyond(p, scale, sum);
    }
    double from = 0;
    for (const BarPart& part : parts)
    {
        const double to = from + part.value;
        const bool beyond = scale.is_beyond(from, to);
        if (!beyond || style.over.empty())
        {
            Rect room = scale.words_room(from, to);
            room.cut_top(std::clamp(style.words_below - room.y, 0.0F, room.h));
            draw_words(p, room, part, beyond);
        }
        from = to;
    }
    if (style.walls)
    {
        draw_walls(p, area, scale);
    }
    bar.hovered = pointed_part(p, bar, parts, style);
    if (style.reads && bar.hovered && !parts[*bar.hovered].name.empty())
    {
        read_out(p, parts[*bar.hovered]);
    }
    return bar;
}

void draw_break(const Painter& p, Rect r)
{
    const bool upright = r.h > r.w;
    for (const float shift : {0.0F, p.px(5)})
    {
        if (upright)
        {
            p.line(r.centre() + shift + p.px(4), r.y, r.centre() + shift - p.px(4), r.bottom(),
                   p.theme.window, p.px(3));
            continue;
        }
        p.line(r.x, r.middle() + shift + p.px(4), r.right(), r.middle() + shift - p.px(4), p.theme.window,
               p.px(3));
    }
}

} // namespace ringside
