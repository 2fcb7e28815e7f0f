#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/performance/roofline/pictures.h"
#include "ui/widgets/panel_column.h"

#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 11> kRegisters{16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255};
constexpr std::array<double, 6> kThreads{32, 64, 128, 256, 512, 1024};
constexpr std::array<double, 10> kShared{0,          4 * 1024.,  8 * 1024.,  16 * 1024.,  32 * 1024.,
                                         48 * 1024., 64 * 1024., 96 * 1024., 128 * 1024., 227 * 1024.}; // [B]

constexpr Track track_of(RooflineRange range)
{
    return Track::log(range.least, range.most, say_whole).rounded();
}

std::string say_kibibytes(double bytes)
{
    return plain_number(bytes / 1024);
}

void draw_kernel(const Painter& p, PanelColumn& column, const RoofPoint& point, const RooflineSheet& sheet)
{
    const LayerKernel& k = point.what;
    const Roofs& roofs = sheet.roofs();
    column.heading(k.name);
    column.fact("FLOP", figure(k.flops, 3), "Of one run; the times a step runs it are in its share");
    column.fact("Bytes", format_bytes(Bytes(k.bytes), p.look.unit), "Operands and result, each once");
    column.fact("Arithmetic intensity", intensity_words(point.intensity()), explain_intensity(point).working);
    column.fact("Its roof", flop_rate_words(roofs.attainable(point.intensity(), k.peak)),
                explain_attainable(roofs, point).working);
    column.fact("Modelled", flop_rate_words(point.rate()),
                "The step-time model's: tiles, waves and what kernels reach on this GPU");
    column.fact("Share of the time",
                format_percent(sheet.seconds() > 0 ? point.seconds() / sheet.seconds() : 0),
                "Of one layer's kernels in a step, its share of logits and loss included; starts of kernels, "
                "links and host left out");
    if (k.kind == KernelKind::product && k.pass != KernelPass::weight)
    {
        const auto rows =
            rows_at_intensity(roofs.ridge_of(k.peak), k.product.cols, k.product.inner, k.operand);
        column.fact("Compute bound from",
                    rows ? fmt::format("{} rows", plain_number(std::ceil(*rows))) : "never",
                    "M = R e K N / (2 N K \u2212 R (e K + 2 N)) with R the ridge: fewer rows leave the "
                    "weight's bytes on top");
    }
}

void draw_roof_part(const Painter& p, PanelColumn& column, RooflineState& state, const RooflineSheet& sheet)
{
    column.choice(kRooflineWorks, state.work);
    if (state.work == RooflineWork::decode)
    {
        column.slide("Batch size (sequences)", track_of(kRooflineBatch), state.batch);
    }
    draw_kernel(p, column, sheet.chosen(state), sheet);
}

void draw_product_part(PanelColumn& column, RooflineState& state, const RooflineSheet& sheet)
{
    ProductDetail d = sheet.product(state);
    Product& m = d.product;
    bool moved = column.slide("Rows M", track_of(kRooflineRows), m.rows);
    moved = column.slide("Columns N", track_of(kRooflineWidth), m.cols) || moved;
    moved = column.slide("Inner K", track_of(kRooflineWidth), m.inner) || moved;
    if (moved)
    {
        state.moved = m;
    }
    if (state.moved && column.button("As the scenario###as scenario", "R"))
    {
        state.moved.reset();
        state.reach = 0;
    }
    column.fact("Tile efficiency", format_percent(d.tile_use),
                "Tile quantisation: tiles at the edges compute beyond the result");
    column.fact("Wave efficiency", format_percent(d.wave_use),
                "Wave quantisation: the last wave is as long as a full one");
    column.fact("Filling", format_percent(d.fill), "K over K and the filling and draining of a tile's loads");
    column.fact("Kernel", format_percent(d.tile_rate * d.reached),
                "What a full wave of these tiles reaches on this GPU: calibration");
    column.fact("Of the peak", format_percent(d.of_peak()),
                "With the parts of K added up, and never faster than the bytes");
    column.fact("Time", format_seconds(Seconds(d.seconds)));
    column.fact("Arithmetic intensity", intensity_words(d.intensity()));
}

void draw_occupancy_part(PanelColumn& column, RooflineState& state, const RooflineSheet& sheet)
{
    const Multiprocessor& m = shown_multiprocessor(state, sheet.scenario());
    auto at = static_cast<std::size_t>(&m - multiprocessors().data());
    if (column.choice({"Ampere", "Hopper", "Blackwell"}, at))
    {
        state.capability = at;
    }
    KernelShape& k = state.shape;
    column.slide("Threads a block", Track::at(kThreads, plain_number), k.threads);
    column.slide("Registers a thread", Track::at(kRegisters, plain_number), k.registers);
    column.slide("Shared, KiB a block", Track::at(kShared, say_kibibytes, 1024), k.shared);
    if (column.button("An element-wise kernel", "E"))
    {
        k = kCopyingKernel;
    }
    if (column.button("A GEMM of 128 \u00d7 128", "G"))
    {
        k = kMultiplyingKernel;
    }
    column.note("A tile\u2019s 128 \u00d7 128 FP32 sums alone are **16 384 registers**, a quarter of all.");
}

} // namespace

void draw_roofline_panel(const Painter& p, Rect area, RooflineState& state, const RooflineSheet& sheet,
                         Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice(kRooflinePages, state.page);
    switch (state.page)
    {
    case RooflinePage::roof:
        draw_roof_part(p, column, state, sheet);
        break;
    case RooflinePage::product:
        draw_product_part(column, state, sheet);
        break;
    case RooflinePage::occupancy:
        draw_occupancy_part(column, state, sheet);
        break;
    }
}

} // namespace ringside
