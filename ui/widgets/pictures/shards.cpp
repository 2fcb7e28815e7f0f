#include "ui/widgets/pictures/shards.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/scenario.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

double sum(const StageMemory& stage, const std::vector<Component>& parts)
{
    double bytes = 0;
    for (const Component part : parts)
    {
        bytes += stage.of(part).value;
    }
    return bytes;
}

// One slice: its parts side by side from top to bottom.
void draw_slice(const Painter& p, Rect r, const ShardBand& band, float strength)
{
    const double all = std::accumulate(band.widths.begin(), band.widths.end(), 0.0);
    float y = r.y;
    for (std::size_t i = 0; i < band.parts.size(); ++i)
    {
        const float h = i + 1 == band.parts.size()
                            ? r.bottom() - y
                            : std::round(r.h * static_cast<float>(band.widths[i] / all));
        const Ink& ink = p.theme.of(band.parts[i]);
        p.fill({r.x, y, r.w, h}, strength < 1 ? dim(p.theme, ink.fill, 1 - strength) : ink.fill);
        if (ink.edge != 0 && h > 4 && strength >= 1)
        {
            p.outline({r.x, y, r.w, h}, ink.edge);
        }
        y += h;
    }
}

struct Band
{
    Rect rect;
    float pitch;
    float width;
    std::size_t columns;

    Rect slice(std::size_t row, float x) const
    {
        const auto n = static_cast<float>(columns);
        const float top = std::round(rect.y + rect.h * static_cast<float>(row) / n);
        const float bottom = std::round(rect.y + rect.h * static_cast<float>(row + 1) / n);
        return {x, top, width, bottom - top - (bottom - top > 4 ? 1.0F : 0.0F)};
    }
    float x(std::size_t column) const { return rect.x + pitch * static_cast<float>(column); }
};

// The slice `row` of the column `c`, on its way to the column that keeps it.
void draw_leaving(const Painter& p, const Band& b, const ShardBand& band, std::size_t row, std::size_t c)
{
    const float x = std::round(b.x(c) + (b.x(row) - b.x(c)) * ease(band.sharded));
    draw_slice(p, b.slice(row, x), band, row == c || band.sharded <= 0 ? 1.0F : 0.55F);
}

void draw_band(const Painter& p, const Band& b, const ShardBand& band)
{
    for (std::size_t c = 0; c < b.columns; ++c)
    {
        p.fill({b.x(c), b.rect.y, b.width, b.rect.h}, p.theme.panel);
        p.outline({b.x(c), b.rect.y, b.width, b.rect.h}, p.theme.grid);
    }
    // Farthest first and the own slice last, so that what stays is never covered by what leaves.
    for (std::size_t distance = band.sharded >= 1 ? 1 : b.columns; distance-- > 0;)
    {
        for (std::size_t row = 0; row < b.columns; ++row)
        {
            if (row >= distance)
            {
                draw_leaving(p, b, band, row, row - distance);
            }
            if (distance > 0 && row + distance < b.columns)
            {
                draw_leaving(p, b, band, row, row + distance);
            }
        }
    }
}

std::string size_label(const Painter& p, double bytes)
{
    return format_bytes(Bytes(bytes), p.look.unit);
}

} // namespace

Bytes Shards::held() const
{
    double bytes = 0;
    for (const ShardBand& band : bands)
    {
        bytes += band.sharded >= 0.5F ? band.share : band.whole;
    }
    return Bytes(bytes);
}

Shards shards_of(const Scenario& scenario, const MemoryReport& replicated, const MemoryReport& sharded)
{
    Shards shards;
    shards.ranks = dense_replicas(scenario);
    const StageMemory& before = replicated.worst();
    const StageMemory& after = sharded.stages[replicated.fullest];
    const auto add = [&](std::string_view name, const std::vector<Component>& parts)
    {
        ShardBand band{name, {}, {}, sum(before, parts), sum(after, parts), 0, 0};
        band.bytes_per_parameter = band.whole / std::max(1.0, static_cast<double>(before.parameters));
        for (const Component part : parts)
        {
            if (before.of(part).value > 0)
            {
                band.parts.push_back(part);
                band.widths.push_back(before.of(part).value);
            }
        }
        if (band.whole > 0)
        {
            shards.bands.push_back(band);
        }
    };
    add("weights", {Component::weights});
    add("gradients", {Component::gradients});
    add("optimizer", {Component::master_weights, Component::momentum, Component::variance});
    return shards;
}

std::string column_name(const Shards& shards, std::size_t column)
{
    const auto columns = static_cast<std::int64_t>(shards.columns());
    const auto c = static_cast<std::int64_t>(column);
    const std::int64_t first = c * shards.ranks / columns;
    const std::int64_t last = (c + 1) * shards.ranks / columns - 1;
    return first == last ? fmt::format("rank {}", first)
                         : fmt::format("{}\u2013{}", grouped(first), grouped(last));
}

namespace
{

// The columns' names above them; the one that is pointed at.
std::optional<std::size_t> draw_heads(const Painter& p, Rect heads, const Shards& shards, float width,
                                      float bottom)
{
    const std::size_t columns = shards.columns();
    const float pitch = heads.w / static_cast<float>(columns);
    const bool thin = p.width(Type::small, column_name(shards, columns - 1)) > pitch * 0.85F;
    const bool grouped_ranks = shards.ranks > Shards::kMostColumns;
    std::optional<std::size_t> hovered;
    for (std::size_t c = 0; c < columns; ++c)
    {
        const Rect column{heads.x + pitch * static_cast<float>(c), heads.y, width, bottom - heads.y};
        hovered = p.points_at(column) ? std::optional(c) : hovered;
        if (!thin || c % 2 == 0 || !grouped_ranks)
        {
            p.text(column.centre(), heads.middle() - p.px(2), hovered == c ? Type::small_strong : Type::small,
                   p.theme.text, thin && !grouped_ranks ? std::to_string(c) : column_name(shards, c),
                   Align::centre);
        }
    }
    return hovered;
}

// What every rank keeps, on its own slice.
void draw_numbers(const Painter& p, const Band& b, const ShardBand& band, const std::string& number)
{
    const float w = p.width(Type::mono_small, number) + p.px(8);
    const bool settled = band.sharded <= 0 || band.sharded >= 1;
    for (std::size_t c = 0; settled && w < b.width && c < b.columns; ++c)
    {
        const Rect own = band.sharded >= 1 ? b.slice(c, b.x(c)) : Rect{b.x(c), b.rect.y, b.width, b.rect.h};
        if (own.h < p.px(16))
        {
            continue;
        }
        const Ink& ink = p.theme.of(band.parts[band.parts.size() / 2]);
        p.fill({own.centre() - w / 2, own.middle() - p.px(9), w, p.px(18)}, ink.fill);
        p.text(own.centre(), own.middle(), Type::mono_small, ink.label, number, Align::centre);
    }
}

// Left of a band: what it is and how much of it there is.
void draw_side(const Painter& p, Rect side, const ShardBand& band, const std::string& number)
{
    const bool roomy = p.width(Type::body_strong, band.name) <= side.w;
    p.text_within(side.x, side.y + p.px(12), side.w, roomy ? Type::body_strong : Type::small_strong,
                  p.theme.text, band.name);
    float y = side.y + p.px(34);
    if (side.h > p.px(60))
    {
        p.text_within(side.x, y, side.w, Type::small, p.theme.muted,
                      plain_number(band.bytes_per_parameter) + " bytes");
        y += p.px(20);
    }
    if (side.bottom() - y > 0)
    {
        p.text_within(side.x, y, side.w, Type::mono_small, p.theme.text, number);
    }
}

} // namespace

std::optional<std::size_t> draw_shards(const Painter& p, Rect area, const Shards& shards,
                                       const ShardStyle& style)
{
    const std::size_t columns = shards.columns();
    const float label = p.px(style.label_width);
    Rect field = area;
    field.cut_left(label);
    const Rect heads = field.cut_top(p.px(28));
    const float pitch = field.w / static_cast<float>(columns);
    const float width = std::min(pitch - std::min(p.px(16), pitch * 0.18F), p.px(140));
    const double all = std::accumulate(shards.bands.begin(), shards.bands.end(), 0.0,
                                       [](double a, const ShardBand& b) { return a + b.whole; });
    const float gaps = p.px(8) * static_cast<float>(shards.bands.empty() ? 0 : shards.bands.size() - 1);
    const std::optional<std::size_t> hovered = draw_heads(p, heads, shards, width, area.bottom());
    const float room = field.h - gaps;
    for (const ShardBand& band : shards.bands)
    {
        const float h =
            std::max(p.px(20), std::round(room * static_cast<float>(band.whole / std::max(1.0, all))));
        const Rect r{field.x, field.y, field.w, std::min(h, area.bottom() - field.y)};
        field.cut_top(r.h + p.px(8));
        p.part(band.name, {area.x, r.y, area.w, r.h});
        const Band b{r, pitch, width, columns};
        draw_band(p, b, band);
        const std::string number = size_label(p, band.sharded >= 0.5F ? band.share : band.whole);
        if (style.numbers)
        {
            draw_numbers(p, b, band, number);
        }
        if (label > 0)
        {
            draw_side(p, {area.x, r.y, label - p.px(8), r.h}, band,
                      number + (shards.ranks > 1 ? " each" : ""));
        }
    }
    if (hovered)
    {
        p.outline({field.x + pitch * static_cast<float>(*hovered) - p.px(6), area.y + p.px(24),
                   width + p.px(12), area.h - p.px(22)},
                  p.theme.text, p.px(2), p.px(4));
    }
    return hovered;
}

void shards_tip(const Painter& painter, Rect bounds, const Shards& shards, std::size_t column)
{
    std::vector<TipLine> lines;
    double total = 0;
    double whole = 0;
    for (const ShardBand& band : shards.bands)
    {
        const bool cut = band.sharded >= 0.5F;
        const double bytes = cut ? band.share : band.whole;
        total += bytes;
        whole += band.whole;
        lines.push_back(
            {fmt::format("{}, {}", band.name, cut ? fmt::format("1/{}", grouped(shards.ranks)) : "all"),
             format_bytes(Bytes(bytes), painter.look.unit),
             painter.theme.of(band.parts[band.parts.size() / 2]).fill});
    }
    lines.push_back({"model states", format_bytes(Bytes(total), painter.look.unit), 0});
    lines.push_back({"on other ranks only", format_bytes(Bytes(whole - total), painter.look.unit), 0});
    const std::string each = shards.ranks > Shards::kMostColumns ? "each of " : "";
    tip_card(painter, bounds, ImGui::GetIO().MousePos,
             fmt::format("{}{} holds", each, column_name(shards, column)), lines);
}

} // namespace ringside
