#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/performance/roofline/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostCells = 96; // drawn along one side; beyond, one cell stands for several tiles
constexpr double kMostColumns = 48;     // waves drawn one by one

// The waves before the clock are done, one is at work, the others wait.
class Waves
{
public:
    Waves(const Painter& painter, const ProductDetail& detail, double processors, double t)
        : p_(painter), d_(detail), processors_(processors), t_(t)
    {
    }

    // 0 to 1 of a wave at the moment.
    double done(double wave) const { return std::clamp(t_ - wave, 0.0, 1.0); }
    double wave_of(double tile) const { return std::floor(tile / processors_); }

    Colour colour(double wave) const
    {
        const auto waves = static_cast<std::size_t>(std::min(d_.tiling.waves, 5.0));
        return stage_colour(p_.theme, static_cast<std::size_t>(std::fmod(wave, 5.0)),
                            std::max<std::size_t>(waves, 1));
    }

    void cell(Rect r, double wave) const
    {
        p_.fill(r, p_.theme.control);
        if (const double part = done(wave); part > 0)
        {
            p_.fill({r.x, r.y, r.w, r.h}, with_alpha(colour(wave), static_cast<float>(part)));
        }
    }

private:
    const Painter& p_;
    const ProductDetail& d_;
    double processors_;
    double t_;
};

// The grid of tiles inside `area`, wide or tall as the result is, within limits that can be looked at.
Rect grid_rect(Rect area, double rows, double cols)
{
    const float ratio = std::clamp(static_cast<float>(cols / rows), 0.25F, 4.0F);
    const float h = std::min(area.h, area.w / ratio);
    const float w = h * ratio;
    return {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
}

struct TileGrid
{
    std::int64_t rows = 1; // drawn
    std::int64_t cols = 1;
    double tile_rows = 1; // there
    double tile_cols = 1;
};

TileGrid grid_of(const ProductDetail& d)
{
    TileGrid g;
    g.tile_rows = std::ceil(d.product.rows / d.tiling.rows);
    g.tile_cols = std::ceil(d.product.cols / d.tiling.cols);
    g.rows = std::min(kMostCells, static_cast<std::int64_t>(g.tile_rows));
    g.cols = std::min(kMostCells, static_cast<std::int64_t>(g.tile_cols));
    return g;
}

void draw_result(const Painter& p, Rect area, const ProductDetail& d, const Waves& waves)
{
    const TileGrid g = grid_of(d);
    draw_chart_title(
        p, area.cut_top(p.px(20)),
        fmt::format("Result, {} \u00d7 {}", plain_number(std::round(d.product.rows)),
                    plain_number(d.product.cols)),
        fmt::format("in tiles of {} \u00d7 {}{}", plain_number(d.tiling.rows), plain_number(d.tiling.cols),
                    d.tiling.split > 1 ? fmt::format(", K in {} parts", plain_number(d.tiling.split)) : ""));
    area.cut_top(p.px(6));
    const Rect r = grid_rect(area, g.tile_rows * d.tiling.rows, g.tile_cols * d.tiling.cols);
    const float w = r.w / static_cast<float>(g.cols);
    const float h = r.h / static_cast<float>(g.rows);
    const float gap = std::min(w, h) > p.px(5) ? 1.0F : 0.0F;
    for (std::int64_t i = 0; i < g.rows; ++i)
    {
        for (std::int64_t j = 0; j < g.cols; ++j)
        {
            const double row = std::floor(static_cast<double>(i) * g.tile_rows / static_cast<double>(g.rows));
            const double col = std::floor(static_cast<double>(j) * g.tile_cols / static_cast<double>(g.cols));
            const double wave = waves.wave_of((row * g.tile_cols + col) * d.tiling.split);
            waves.cell({r.x + static_cast<float>(j) * w, r.y + static_cast<float>(i) * h, w - gap, h - gap},
                       wave);
        }
    }
    // What tiles compute beyond the result.
    const float right = r.w * static_cast<float>(d.product.cols / (g.tile_cols * d.tiling.cols));
    const float bottom = r.h * static_cast<float>(d.product.rows / (g.tile_rows * d.tiling.rows));
    p.hatch({r.x + right, r.y, r.w - right, r.h}, p.theme.idle_hatch, kIdleHatch);
    p.hatch({r.x, r.y + bottom, right, r.h - bottom}, p.theme.idle_hatch, kIdleHatch);
    p.outline({r.x, r.y, right, bottom}, p.theme.text, p.px(1.5F));
    p.part("tiles", r);
}

// Time to the right, multiprocessors downwards: columns that are full, and what is left for the last.
void draw_processors(const Painter& p, Rect area, const ProductDetail& d, double processors,
                     const Waves& waves)
{
    draw_chart_title(p, area.cut_top(p.px(20)), fmt::format("{} multiprocessors", plain_number(processors)),
                     fmt::format("{} wave{}, {} of the places used", plain_number(d.tiling.waves),
                                 d.tiling.waves == 1 ? "" : "s", format_percent(d.wave_use)));
    area.cut_top(p.px(6));
    Rect foot = area.cut_bottom(p.height(Type::small) + p.px(4));
    const double shown = std::min(d.tiling.waves, kMostColumns);
    const double first = d.tiling.waves - shown; // the last ones
    const float w = area.w / static_cast<float>(shown);
    const float gap = w > p.px(5) ? p.px(1) : 0;
    for (double k = 0; k < shown; ++k)
    {
        const double wave = first + k;
        const bool last = wave + 1 >= d.tiling.waves;
        const double share = last ? d.last_wave(processors) / processors : 1;
        const Rect column{area.x + static_cast<float>(k) * w, area.y, w - gap, area.h};
        const Rect used{column.x, column.y, column.w, column.h * static_cast<float>(share)};
        waves.cell(used, wave);
        p.hatch({column.x, used.bottom(), column.w, column.bottom() - used.bottom()}, p.theme.idle_hatch,
                kIdleHatch);
    }
    p.outline(area, p.theme.line);
    const std::string words =
        first > 0 ? fmt::format("the last {} of {} waves; time to the right", plain_number(shown),
                                plain_number(d.tiling.waves))
                  : fmt::format("time to the right; the last wave has {} of {}",
                                plain_number(d.last_wave(processors)), plain_number(processors));
    p.text_within(foot.x, foot.middle(), foot.w, Type::small, p.theme.muted, words);
    p.part("waves", area);
}

} // namespace

void draw_product(const Painter& p, Rect area, RooflineState& state, const RooflineSheet& sheet, double t,
                  Out& out)
{
    const ProductDetail d = sheet.product(state);
    const double processors = sheet.roofs().processors;
    if (area.h > p.px(260) && area.w > p.px(320))
    {
        Rect top = area.cut_top(area.h * 0.47F);
        const Waves waves(p, d, processors, t);
        Rect left = top.cut_left(top.w * 0.5F);
        left.cut_right(p.px(16));
        draw_result(p, left, d, waves);
        draw_processors(p, top, d, processors, waves);
        area.cut_top(p.px(12));
    }
    draw_saw(p, area, state, sheet, out);
}

} // namespace ringside
