#include <fmt/format.h>

#include "ui/views/study/study/parts.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kBest = 1.0;

// Where the ramp ends.
double worst_of(TileFigure figure)
{
    return figure == TileFigure::recall ? 0.6 : 0;
}

// What a tile shows, and how much of it there is room for.
struct Tile
{
    Rect r;
    const HeatTopic& topic;
    TileFigure figure;

    std::optional<double> value() const { return figure_of(topic, figure); }
};

// The line at the foot: how much of the topic was seen.
void draw_strip(const Painter& p, const Tile& tile)
{
    const HeatCell& cell = tile.topic.all;
    const Theme& t = p.theme;
    const float gap = p.px(8);
    const Rect strip{tile.r.x + gap, tile.r.bottom() - gap - p.px(22), tile.r.w - 2 * gap, p.px(22)};
    p.fill(strip, t.window, p.px(4));
    const float seen = cell.cards == 0 ? 0 : static_cast<float>(cell.seen) / static_cast<float>(cell.cards);
    p.fill({strip.x, strip.bottom() - p.px(3), strip.w * seen, p.px(3)}, t.text, p.px(1));
    const std::string right = fmt::format("{} of {}", cell.seen, cell.cards);
    const float w = p.width(Type::mono_small, right);
    p.text(strip.right() - p.px(4), strip.middle(), Type::mono_small, t.text, right, Align::right);
    if (p.width(Type::small, "seen") <= strip.w - w - p.px(16))
    {
        p.text(strip.x + p.px(6), strip.middle(), Type::small, t.muted, "seen");
    }
}

float two_lines(const Painter& p)
{
    return 2 * p.height(Type::small_strong) + p.px(2);
}

// Name, count, recall and strip, as far as they fit in whole.
void draw_words(const Painter& p, const Tile& tile, Colour ink)
{
    const Rect& r = tile.r;
    const float line = p.px(24);
    const float margin = std::min(p.px(12), r.w * 0.08F);
    const auto value = tile.value();
    const std::string_view name = tile.topic.topic->name;
    const HeatCell& all = tile.topic.all;
    const std::string big = value            ? whole_percent(*value)
                            : all.cards == 0 ? "\u2013"
                            : all.seen > 0   ? "seen"
                                             : "new";
    const bool strip = r.h >= 4 * line && r.w >= p.px(84);
    const bool two = r.h >= two_lines(p);
    if (r.h < p.height(Type::small_strong) || r.w < p.width(Type::small_strong, big) + 2 * margin)
    {
        return;
    }
    if (!two)
    {
        const float room = r.w - 2 * margin;
        const float w = p.text_within(r.x + margin, r.middle(), room, Type::small_strong, ink, name);
        if (value && w + p.px(8) + p.width(Type::small_strong, big) <= room)
        {
            p.text(r.right() - margin, r.middle(), Type::small_strong, ink, big, Align::right);
        }
        return;
    }
    const float top = r.y + (strip ? p.px(20) : r.h * 0.28F);
    p.text_within(r.x + margin, top, r.w - 2 * margin, Type::small_strong, ink, name);
    const float middle = strip ? r.y + (r.h + p.px(4)) / 2 : r.y + r.h * 0.72F;
    const Type type = !strip || !value     ? Type::small_strong
                      : r.h >= 6.5F * line ? Type::display
                                           : Type::title;
    p.text(r.x + margin, middle, type, ink, big);
    if (strip)
    {
        draw_strip(p, tile);
    }
}

float tile_gap(const Painter& p, Rect area, float rows)
{
    return std::min(p.px(8), std::round(area.h / rows * 0.16F));
}

float tile_height(const Painter& p, Rect area, float rows)
{
    const float gap = tile_gap(p, area, rows);
    return std::floor((area.h - gap * (rows - 1)) / rows);
}

// As many columns as make the tiles most like those of the drawing, 138 by 104, and wide enough for the
// names.
std::size_t columns_for(const Painter& p, Rect area, std::size_t count)
{
    const float name = p.width(Type::small_strong, "Long context") + p.px(20);
    std::size_t best = 1;
    float most = -1;
    for (const std::size_t columns : {2U, 3U, 4U, 6U, 8U, 12U})
    {
        const auto rows = static_cast<float>((count + columns - 1) / columns);
        const float w = area.w / static_cast<float>(columns) - p.px(8);
        const float h = tile_height(p, area, rows);
        const float fit = std::min(w / p.px(130), h / p.px(104));
        // A name is worth more than a second line, and that more than the shape.
        const float kept = fit * (w < name ? std::pow(w / name, 8.0F) : 1) * (h < two_lines(p) ? 0.5F : 1) *
                           (h < p.height(Type::small_strong) ? 0.1F : 1);
        if (kept > most)
        {
            most = kept;
            best = columns;
        }
    }
    return best;
}

void draw_tile(const Painter& p, const Tile& tile, bool weakest, bool hovered)
{
    const Theme& t = p.theme;
    const auto value = tile.value();
    const float radius = p.px(4);
    const Colour fill = value ? figure_colour(t, *value, tile.figure) : t.control;
    p.fill(tile.r, fill, radius);
    if (!value || t.light)
    {
        p.outline(tile.r, value ? mix(fill, rgb(0x000000), 0.4F) : t.line, 1, radius);
    }
    if (weakest || hovered)
    {
        p.outline(tile.r.inset(-p.px(3)), t.text, p.px(2), p.px(6));
    }
    draw_words(p, tile, value ? ink_on(fill) : t.muted);
}

} // namespace

std::optional<double> figure_of(const HeatTopic& topic, TileFigure figure)
{
    const HeatCell& all = topic.all;
    if (figure == TileFigure::recall || all.settled == 0)
    {
        return all.then ? all.then : all.today;
    }
    return static_cast<double>(all.right) / all.seen;
}

Colour figure_colour(const Theme& theme, double value, TileFigure figure)
{
    constexpr std::size_t kSteps = 1001;
    const double place = std::clamp((kBest - value) / (kBest - worst_of(figure)), 0.0, 1.0);
    return stage_colour(theme, static_cast<std::size_t>(std::lround(place * (kSteps - 1))), kSteps);
}

void draw_tiles_legend(const Painter& p, Rect area, TileFigure figure)
{
    const Theme& t = p.theme;
    const std::string worst_words = whole_percent(worst_of(figure));
    const float best = p.width(Type::mono_small, "100%") + p.px(8);
    const float worst = p.width(Type::mono_small, worst_words) + p.px(8);
    const float ramp = std::min(p.px(200), area.w - best - worst);
    if (ramp < p.px(48))
    {
        return;
    }
    p.text(area.x, area.middle(), Type::mono_small, t.muted, "100%");
    area.cut_left(best);
    constexpr int kParts = 40;
    for (int i = 0; i < kParts; ++i)
    {
        const double value = kBest - (kBest - worst_of(figure)) * (i + 0.5) / kParts;
        const float x = std::round(area.x + ramp * static_cast<float>(i) / kParts);
        const float end = std::round(area.x + ramp * static_cast<float>(i + 1) / kParts);
        p.fill({x, area.middle() - p.px(8), end - x, p.px(16)}, figure_colour(t, value, figure));
    }
    p.text(area.x + ramp + p.px(8), area.middle(), Type::mono_small, t.muted, worst_words);
}

TilesEvent draw_tiles(const Painter& p, Rect area, const StudyFrame& study, TileFigure figure)
{
    TilesEvent event;
    const std::size_t count = study.heat.size();
    const std::size_t columns = columns_for(p, area, count);
    const std::size_t rows = (count + columns - 1) / columns;
    const float gap = tile_gap(p, area, static_cast<float>(rows));
    const CellGrid grid{{area.x, area.y, area.w + gap, area.h + gap},
                        static_cast<std::int64_t>(rows),
                        static_cast<std::int64_t>(columns),
                        gap};
    for (std::size_t i = 0; i < count; ++i)
    {
        const Rect r =
            grid.cell(static_cast<std::int64_t>(i / columns), static_cast<std::int64_t>(i % columns));
        const HeatTopic& topic = study.heat[i];
        const Press pressed =
            press(p, r, fmt::format("{}###topic {}", topic.topic->name, topic.topic->id).c_str(), 4);
        event.hovered = pressed.hovered ? i : event.hovered;
        event.clicked = pressed.clicked ? i : event.clicked;
        const bool weak = std::find(study.weakest.begin(), study.weakest.end(), i) != study.weakest.end();
        draw_tile(p, {r, topic, figure}, weak, pressed.hovered);
    }
    return event;
}

void draw_topic_tip(const Painter& p, Rect bounds, const HeatTopic& topic)
{
    std::vector<TipLine> lines;
    for (std::size_t kind = 0; kind < kKindGroups; ++kind)
    {
        const HeatCell& cell = topic.kinds[kind];
        if (cell.cards == 0)
        {
            continue;
        }
        const std::string recall =
            cell.today ? fmt::format(", recall {}", whole_percent(cell.then.value_or(*cell.today))) : "";
        const std::string words = fmt::format("{} of {} seen, {} right at the first try{}, {} due", cell.seen,
                                              cell.cards, cell.right, recall, cell.due);
        lines.push_back({std::string(name_of(static_cast<KindGroup>(kind))), words, 0});
    }
    const bool empty = topic.all.cards == 0;
    tip_card(p, bounds, ImGui::GetIO().MousePos, topic.topic->name, lines,
             empty ? "there are no questions on it"
                   : "click to drill it: the least remembered first, then new ones");
}

} // namespace ringside
