// From a product to one bit: the result in tiles that the multiprocessors share in waves, a tile that adds up
// K, one instruction of a tensor core, one of its numbers, one of that number's bits.
#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/text/text.h"
#include "ui/views/overview/zoom/sight.h"
#include "ui/widgets/pictures/bits.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kLeastProduct = 24;     // [design px] smaller frames are left out
constexpr float kProductFramed = 200;   // [design px] from which what is next has a ring
constexpr float kLeastNumber = 3;       // [px] smaller numbers are one patch
constexpr double kMostSmall = 1e4;      // of them drawn as small as that
constexpr double kMostLinesDrawn = 256; // along one side of the result

struct ProductInks
{
    Colour a, b, result, waiting;
};

ProductInks inks_of(const Theme& t)
{
    const Colour result = t.forward.fill;
    return {t.of(Component::activations).fill, t.of(Component::weights).fill, result,
            mix(result, t.panel, 0.84F)};
}

// Boxes from `from` to `to` of a grid, counted by rows, as at most three rectangles.
void fill_run(const ZoomSight& sight, const ZoomFrame& f, const ZoomGrid& grid, double from, double to,
              Colour ink)
{
    const auto columns = static_cast<double>(grid.columns);
    const double w = grid.area.w / columns;
    const double h = grid.area.h / static_cast<double>(grid.rows);
    while (to - from > 1e-9)
    {
        const double row = std::floor(from / columns + 1e-12);
        const double column = from - row * columns;
        const bool whole = column < 1e-9 && to - from >= columns;
        const double rows = whole ? std::floor((to - from) / columns) : 1;
        const double count = whole ? columns : std::min(to - from, columns - column);
        sight.fill(sight.on(f, {grid.area.x + w * column, grid.area.y + h * row, w * count, h * rows}), ink);
        from += whole ? rows * columns : count;
    }
}

// How large a number in a cell is, from its place alone: the picture of an operand, not values of the run.
float magnitude_at(std::int64_t row, std::int64_t column, std::uint64_t matrix)
{
    SplitMix draw(
        mixed(mixed(static_cast<std::uint64_t>(row) + (matrix << 40U)) + static_cast<std::uint64_t>(column)));
    return std::min(1.0F, std::fabs(static_cast<float>(draw.normal())) / 2.2F);
}

void draw_numbers(const ZoomSight& sight, const ZoomFrame& f, const ZoomArea& area, Colour ink,
                  std::uint64_t matrix)
{
    const Rect all = sight.on(f, area);
    const double side = sight.layout.number_side();
    const float cell = sight.size(f) * static_cast<float>(side);
    const bool many = area.w * area.h > kMostSmall * side * side;
    const float least = many ? 2 * kLeastNumber : kLeastNumber;
    const float shown = grown(cell, least, 1.5F * least);
    sight.fill(all, mix(ink, sight.p.theme.panel, 0.5F));
    if (shown <= 0 || !sight.sees(all))
    {
        return;
    }
    // Only those in sight.
    const double scale = f.w * static_cast<double>(sight.window.w);
    const auto first = [&](double edge, double start) {
        return std::max<std::int64_t>(0,
                                      static_cast<std::int64_t>(std::floor((edge - start) / (side * scale))));
    };
    const double left =
        static_cast<double>(sight.window.x) + (f.x * static_cast<double>(sight.window.w) + area.x * scale);
    const double top =
        static_cast<double>(sight.window.y) + (f.y * static_cast<double>(sight.window.w) + area.y * scale);
    const auto columns = std::llround(area.w / side);
    const auto rows = std::llround(area.h / side);
    const auto last_column =
        std::min<std::int64_t>(columns, first(static_cast<double>(sight.window.right()), left) + 1);
    const auto last_row =
        std::min<std::int64_t>(rows, first(static_cast<double>(sight.window.bottom()), top) + 1);
    for (std::int64_t row = first(static_cast<double>(sight.window.y), top); row < last_row; ++row)
    {
        for (std::int64_t column = first(static_cast<double>(sight.window.x), left); column < last_column;
             ++column)
        {
            const Rect r =
                sight.on(f, {area.x + side * (static_cast<double>(column) + 0.04),
                             area.y + side * (static_cast<double>(row) + 0.04), side * 0.92, side * 0.92});
            const Colour shade =
                mix(ink, sight.p.theme.panel, 0.85F * (1 - magnitude_at(row, column, matrix)));
            sight.p.fill(r, with_alpha(shade, shown));
        }
    }
}

// A digit that grows with its box: a bar, or a ring.
void draw_digit(const ZoomSight& sight, Rect box, bool set, Colour ink)
{
    const float high = std::min(box.h, box.w) * 0.5F;
    const float stroke = high * 0.16F;
    const Rect r{box.centre() - high * 0.3F, box.middle() - high / 2, high * 0.6F, high};
    if (!sight.sees(box))
    {
        return;
    }
    if (set)
    {
        sight.p.fill({r.centre() - stroke / 2, r.y, stroke, r.h}, ink);
        sight.p.fill({r.centre() - stroke * 1.5F, r.y, stroke, stroke}, ink);
        return;
    }
    sight.p.outline(r.inset(stroke / 2), ink, stroke, r.w * 0.35F);
}

} // namespace

void ZoomSight::draw_gemm(const ZoomFrame& f)
{
    if (size(f) < p.px(kLeastProduct))
    {
        return;
    }
    ground(f);
    const ZoomProduct where = layout.gemm();
    const ProductInks inks = inks_of(p.theme);
    const ZoomGrid tiles = layout.tiles();
    const Product& product = h.product.product;
    fill(on(f, where.a), mix(inks.a, p.theme.panel, 0.35F));
    fill(on(f, where.b), mix(inks.b, p.theme.panel, 0.35F));
    fill(on(f, where.result), inks.waiting);
    const double count = static_cast<double>(tiles.columns * tiles.rows);
    const double begun = std::floor(count * done(Height::gemm));
    const double wave = std::min(h.processors, count);
    const double ended = std::floor(begun / wave) * wave;
    fill_run(*this, f, tiles, 0, std::min(ended, count), inks.result);
    fill_run(*this, f, tiles, ended, std::min(ended + wave, count), mix(inks.result, p.theme.text, 0.35F));
    const auto few = [](std::int64_t n) { return static_cast<double>(n) <= kMostLinesDrawn; };
    if ((few(tiles.columns) && few(tiles.rows)) || size(f) > window.w)
    {
        lines(f, tiles, p.theme.panel);
    }
    // What the tile below reads of both operands.
    const ZoomArea tile = tiles.box(layout.tile());
    fill(on(f, {where.a.x, tile.y, where.a.w, tile.h}), inks.a);
    fill(on(f, {tile.x, where.b.y, tile.w, where.b.h}), inks.b);
    if (size(f) > p.px(kProductFramed))
    {
        frame_next(on(f, tile));
    }
    const auto length = [](double n) { return grouped(std::llround(n)); };
    note(Height::gemm, on(f, where.a),
         fmt::format("A: {} \u00d7 {}", length(product.rows), length(product.inner)), true);
    note(Height::gemm, on(f, where.b),
         fmt::format("B: {} \u00d7 {}", length(product.inner), length(product.cols)), true);
    note(Height::gemm, on(f, where.result),
         fmt::format("C = A B: {} \u00d7 {}{}", length(product.rows), length(product.cols),
                     product.batch > 1 ? fmt::format(", one of {}", plain_number(product.batch)) : ""),
         true, 0.25F);
    note(Height::gemm, on(f, where.result), "bright: tiles at work in this wave", false, 0.75F);
}

void ZoomSight::draw_tile(const ZoomFrame& f)
{
    if (size(f) < p.px(kLeastProduct))
    {
        return;
    }
    ground(f);
    const ZoomProduct where = layout.in_tile();
    const ProductInks inks = inks_of(p.theme);
    const double steps = std::max(1.0, h.tile_inner / h.step.inner);
    const double gone = std::floor(steps * done(Height::tile));
    // So many steps along K are shown; the one at work is bright.
    const double slot = std::fmod(gone, ZoomLayout::kShownSteps);
    const ZoomArea a{where.a.x + where.a.w * slot / ZoomLayout::kShownSteps, where.a.y,
                     where.a.w / ZoomLayout::kShownSteps, where.a.h};
    const ZoomArea b{where.b.x, where.b.y + where.b.h * slot / ZoomLayout::kShownSteps, where.b.w,
                     where.b.h / ZoomLayout::kShownSteps};
    fill(on(f, where.a), mix(inks.a, p.theme.panel, 0.6F));
    fill(on(f, where.b), mix(inks.b, p.theme.panel, 0.6F));
    fill(on(f, a), inks.a);
    fill(on(f, b), inks.b);
    fill(on(f, where.result),
         mix(inks.waiting, inks.result, static_cast<float>(std::clamp(gone / steps, 0.0, 1.0))));
    lines(f, {where.a, static_cast<std::int64_t>(ZoomLayout::kShownSteps), 1, 0}, p.theme.panel);
    lines(f, {where.b, 1, static_cast<std::int64_t>(ZoomLayout::kShownSteps), 0}, p.theme.panel);
    const ZoomGrid grid = layout.steps();
    lines(f, grid, p.theme.panel);
    if (size(f) > p.px(kProductFramed))
    {
        frame_next(on(f, grid.box(0)));
    }
    const auto length = [](double n) { return grouped(std::llround(n)); };
    note(Height::tile, on(f, where.result),
         fmt::format("tile of C, {} \u00d7 {}: K step {} of {}", length(h.tile_rows), length(h.tile_cols),
                     length(std::min(gone + 1, steps)), length(steps)),
         true, 0.8F);
    note(Height::tile, on(f, where.a), fmt::format("A, {} rows", length(h.tile_rows)), true);
    note(Height::tile, on(f, where.b), fmt::format("B, {} columns", length(h.tile_cols)), true);
}

void ZoomSight::draw_step(const ZoomFrame& f)
{
    if (size(f) < p.px(kLeastProduct))
    {
        return;
    }
    ground(f);
    const ZoomProduct where = layout.in_step();
    const ProductInks inks = inks_of(p.theme);
    draw_numbers(*this, f, where.a, inks.a, 1);
    draw_numbers(*this, f, where.b, inks.b, 2);
    draw_numbers(*this, f, where.result, inks.result, 3);
    if (size(f) > p.px(kProductFramed))
    {
        frame_next(on(f, layout.number()));
    }
    const auto length = [](double n) { return grouped(std::llround(n)); };
    note(Height::step, on(f, where.result),
         fmt::format("{} \u00d7 {} sums, {} \u00d7 {} \u00d7 {}", length(h.step.rows), length(h.step.cols),
                     length(h.step.rows), length(h.step.cols), length(h.step.inner)),
         true, 0.5F);
    note(Height::step, on(f, where.b),
         fmt::format("B: {} \u00d7 {}", length(h.step.inner), length(h.step.cols)), true);
    note(Height::step, on(f, where.a),
         fmt::format("A: {} \u00d7 {}", length(h.step.rows), length(h.step.inner)), true);
}

void ZoomSight::draw_number(const ZoomFrame& f)
{
    if (size(f) < p.px(kLeastProduct))
    {
        return;
    }
    ground(f);
    const NumberFormat& format = number_format(h.format);
    const std::uint32_t code = encode(format, h.value, Overflow::saturate);
    const ZoomGrid grid = layout.bits();
    for (int i = 0; i < format.bits(); ++i)
    {
        const ShownBit bit{format.bits() - 1 - i,
                           (code >> static_cast<unsigned>(format.bits() - 1 - i) & 1U) != 0};
        const Rect box = on(f, grid.box(i));
        if (sees(box))
        {
            ringside::draw_bit(p, box, format, bit, false);
            draw_digit(*this, box, bit.set, ink_of_bit(p.theme, format, bit));
        }
    }
    if (size(f) > p.px(kProductFramed))
    {
        frame_next(on(f, grid.box(layout.bit())));
    }
    const double w = grid.area.w / format.bits();
    const auto part = [&](int from, int count, const char* name)
    {
        const Rect r = on(f, {grid.area.x + w * from, grid.area.bottom() + 0.015, w * count, 0.07});
        note(Height::number, r, fmt::format("{} {}", count, name), false, 0.4F);
    };
    part(1, format.exponent_bits, "exponent bits");
    part(1 + format.exponent_bits, format.mantissa_bits, "mantissa bits");
    const Rect above = on(f, {0, grid.area.y - 0.12, 1, 0.1});
    note(Height::number, above,
         fmt::format("{}: {} is stored as {}", format.name, plain_number(h.value),
                     fmt::format("{:.6g}", decode(format, code))),
         true);
}

void ZoomSight::draw_bit_frame(const ZoomFrame& f)
{
    const NumberFormat& format = number_format(h.format);
    const int bit = format.bits() - 1 - static_cast<int>(layout.bit());
    const Rect all = on(f);
    const bool mantissa = field_of_bit(format, bit) == BitField::mantissa;
    note(Height::bit, {all.x, all.bottom() - all.h * 0.12F, all.w, all.h * 0.1F},
         mantissa ? fmt::format("the first mantissa bit, worth {} of the leading one",
                                std::exp2(bit - format.mantissa_bits))
                  : std::string("the sign"),
         true);
}

} // namespace ringside
