// One GEMM in tiles, its tiles in waves over the SMs, and its rate over the number of rows.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/performance/roofline/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kSecondsOfPlay = 6; // for all waves, however many
constexpr std::string_view kGuide = "NVIDIA, Matrix Multiplication Background User's Guide, chapter 3";
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
    draw_chart_title(p, area.cut_top(p.px(20)), fmt::format("{} SMs", plain_number(processors)),
                     fmt::format("{} wave{}, wave efficiency {}", plain_number(d.tiling.waves),
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
                  : fmt::format("time to the right; the last wave fills {} of {} SMs",
                                plain_number(d.last_wave(processors)), plain_number(processors));
    p.text_within(foot.x, foot.middle(), foot.w, Type::small, p.theme.muted, words);
    p.part("waves", area);
}

void draw_gemm(const RooflineRoom& r)
{
    const RooflineSheet& sheet = r.state.kernels(r.frame);
    const ProductDetail d = sheet.product(r.state);
    const double processors = sheet.roofs().processors;
    Rect area = r.area;
    if (area.h > r.p.px(260) && area.w > r.p.px(320))
    {
        Rect top = area.cut_top(area.h * 0.47F);
        const Waves waves(r.p, d, processors, r.frame.playback.t);
        Rect left = top.cut_left(top.w * 0.5F);
        left.cut_right(r.p.px(16));
        draw_result(r.p, left, d, waves);
        draw_processors(r.p, top, d, processors, waves);
        area.cut_top(r.p.px(12));
    }
    draw_saw(r, area, sheet);
}

void panel_gemm(PanelColumn& column, const RooflineRoom& r)
{
    RooflineState& state = r.state;
    const RooflineSheet& sheet = state.kernels(r.frame);
    ProductDetail d = sheet.product(state);
    Product& m = d.product;
    bool moved = column.slide("M, rows", kRooflineRows, m.rows);
    moved = column.slide("N, columns", kRooflineWidth, m.cols) || moved;
    moved = column.slide("K, inner dimension", kRooflineWidth, m.inner) || moved;
    if (moved)
    {
        state.moved = m;
    }
    if (state.moved && column.button("Back to the scenario###as scenario", "R"))
    {
        state.moved.reset();
        state.reach = 0;
    }
    column.fact("Tile efficiency", format_percent(d.tile_use),
                "Tile quantization: tiles at the edges compute beyond the result");
    column.fact("Wave efficiency", format_percent(d.wave_use),
                "Wave quantization: the last wave takes as long as a full one");
    column.fact("Pipeline fill", format_percent(d.fill), "K / (K + prologue and epilogue of a tile's loads)");
    column.fact("Kernel efficiency", format_percent(d.tile_rate * d.reached),
                "What a full wave of these tiles reaches on this GPU: calibration");
    column.fact("Fraction of peak", format_percent(d.of_peak()),
                "Split-K reduction included, and never faster than memory bandwidth allows");
    column.fact("Time", format_seconds(Seconds(d.seconds)));
    column.fact("Arithmetic intensity", intensity_words(d.intensity()));
}

// Names what limits a product: the smallest of the factors that the peak is multiplied by.
std::string limit_words(const ProductDetail& d)
{
    if (d.limit != ProductDetail::Limit::waves)
    {
        return d.limit == ProductDetail::Limit::bytes ? "memory-bound" : "limited by the peak";
    }
    struct Factor
    {
        double share;
        std::string_view words;
    };
    const std::array factors{Factor{d.tile_use, "tile quantization"}, Factor{d.wave_use, "wave quantization"},
                             Factor{d.fill, "pipeline fill"},
                             Factor{d.tile_rate * d.reached, "kernel efficiency"}};
    return fmt::format("limited by {}", std::ranges::min_element(factors, {}, &Factor::share)->words);
}

Caption caption_gemm(const Frame& frame, RooflineState& state)
{
    const RooflineSheet& sheet = state.kernels(frame);
    const ProductDetail d = sheet.product(state);
    const double processors = sheet.roofs().processors;
    Caption c;
    const std::string last =
        d.tiling.waves <= 1
            ? fmt::format("**{} of {}** SMs have one", plain_number(d.last_wave(processors)),
                          plain_number(processors))
            : fmt::format("the last of {} waves fills **{} of {}** SMs", plain_number(d.tiling.waves),
                          plain_number(d.last_wave(processors)), plain_number(processors));
    c.sentence = fmt::format("**{} tiles**: {}; {}, **{} of the peak**.", plain_number(d.tiling.tiles), last,
                             limit_words(d), format_percent(d.of_peak()));
    c.formula = fmt::format("tile \u00d7 wave \u00d7 fill \u00d7 kernel efficiency = {} \u00d7 {} \u00d7 {} "
                            "\u00d7 {} = {} of peak",
                            format_percent(d.tile_use), format_percent(d.wave_use), format_percent(d.fill),
                            format_percent(d.tile_rate * d.reached),
                            format_percent(d.tile_use * d.wave_use * d.fill * d.tile_rate * d.reached));
    if (d.limit == ProductDetail::Limit::bytes)
    {
        c.formula += fmt::format("; memory bandwidth allows {}", format_percent(d.of_peak()));
    }
    c.source = fmt::format("{}. What full waves reach, {}, is the GPU's calibration.", kGuide,
                           format_percent(d.reached));
    return c;
}

Motion motion_gemm(const Frame& frame, RooflineState& state)
{
    const double waves = state.kernels(frame).product(state).tiling.waves;
    return {.duration = waves,
            .per_second = std::max(0.5, waves / kSecondsOfPlay),
            .label =
                fmt::format("wave {}/{}", plain_number(std::ceil(std::clamp(frame.playback.t, 0.0, waves))),
                            plain_number(waves)),
            .rest = waves};
}

} // namespace

const Page<RooflineState> gemm_page{"GEMM", draw_gemm, panel_gemm, caption_gemm, motion_gemm, "One GEMM"};

} // namespace ringside
