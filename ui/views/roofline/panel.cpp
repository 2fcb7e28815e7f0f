#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/roofline/pictures.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 11> kRegisters{16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255};
constexpr std::array<double, 6> kThreads{32, 64, 128, 256, 512, 1024};
constexpr std::array<double, 10> kShared{0, 4, 8, 16, 32, 48, 64, 96, 128, 227}; // [KiB]

// Logarithmic; the number it was moved to.
std::optional<double> slide(const Painter& p, Rect& area, const char* label, const std::string& shown,
                            RooflineRange range, double value, TypedEntry& entry)
{
    const double all = std::log(range.most / range.least);
    const double at = std::log(range.held(value) / range.least) / all;
    const SliderChange change =
        slider(p, area.cut_top(p.px(46)), {label, shown}, static_cast<float>(at), entry);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return std::round(range.held(range.least * std::exp(all * static_cast<double>(change.position))));
    case SliderChange::Kind::stepped:
        return range.held(change.steps > 0 ? std::max(value + 1, std::round(value * 1.1))
                                           : std::min(value - 1, std::round(value / 1.1)));
    case SliderChange::Kind::typed:
        if (const auto typed = parse_number(change.text); typed && *typed > 0)
        {
            return std::round(range.held(*typed));
        }
        break;
    case SliderChange::Kind::none:
        break;
    }
    return std::nullopt;
}

} // namespace

void RooflinePanel::draw_roof_part(const Painter& p, Rect area, RooflineState& state,
                                   const RooflineSheet& sheet)
{
    if (const auto to =
            segments(p, area.cut_top(p.px(32)), kRooflineWorks, static_cast<std::size_t>(state.work)))
    {
        state.work = static_cast<RooflineWork>(*to);
    }
    area.cut_top(p.px(6));
    if (state.work == RooflineWork::decode)
    {
        if (const auto to = slide(p, area, "Sequences at once", grouped(state.batch), kRooflineBatch,
                                  static_cast<double>(state.batch), entry_))
        {
            state.batch = std::llround(*to);
        }
    }
    const RoofPoint& point = sheet.chosen(state);
    const LayerKernel& k = point.what;
    const Roofs& roofs = sheet.roofs();
    const double roof = roofs.attainable(point.intensity(), k.peak);
    Rect head = area.cut_top(p.px(26));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, k.name);
    fact_row(p, area, "FLOP", figure(k.flops, 3), "Of one run; the times a step runs it are in its share");
    fact_row(p, area, "Bytes", format_bytes(Bytes(k.bytes), p.look.unit), "Operands and result, each once");
    fact_row(p, area, "Intensity", intensity_words(point.intensity()), explain_intensity(point).working);
    fact_row(p, area, "Its roof", flop_rate_words(roof), explain_attainable(roofs, point).working);
    fact_row(p, area, "Modelled", flop_rate_words(point.rate()),
             "The step-time model's: tiles, waves and what kernels reach on this GPU");
    fact_row(
        p, area, "Share of the time",
        format_percent(sheet.seconds() > 0 ? point.seconds() / sheet.seconds() : 0),
        "Of one layer's kernels in a step, its share of logits and loss included; starts of kernels, links "
        "and "
        "host left out");
    if (k.kind == KernelKind::product && k.pass != KernelPass::weight)
    {
        const auto rows =
            rows_at_intensity(roofs.ridge_of(k.peak), k.product.cols, k.product.inner, k.operand);
        fact_row(p, area, "Compute bound from",
                 rows ? fmt::format("{} rows", plain_number(std::ceil(*rows))) : "never",
                 "M = R e K N / (2 N K \u2212 R (e K + 2 N)) with R the ridge: fewer rows leave the weight's "
                 "bytes on "
                 "top");
    }
}

void RooflinePanel::draw_product_part(const Painter& p, Rect area, RooflineState& state,
                                      const RooflineSheet& sheet)
{
    ProductDetail d = sheet.product(state);
    const auto length = [&](const char* label, double& value, RooflineRange range)
    {
        if (const auto to = slide(p, area, label, plain_number(std::round(value)), range, value, entry_))
        {
            value = *to;
            state.moved = d.product;
        }
    };
    length("Rows M", d.product.rows, kRooflineRows);
    length("Columns N", d.product.cols, kRooflineWidth);
    length("Inner K", d.product.inner, kRooflineWidth);
    if (state.moved && button(p, area.cut_top(p.px(32)), "As the scenario###as scenario", "R"))
    {
        state.moved.reset();
        state.reach = 0;
    }
    area.cut_top(p.px(4));
    fact_row(p, area, "Inside the result", format_percent(d.tile_use),
             "Tile quantisation: tiles at the edges compute beyond the result");
    fact_row(p, area, "Places with a tile", format_percent(d.wave_use),
             "Wave quantisation: the last wave is as long as a full one");
    fact_row(p, area, "Filling", format_percent(d.fill),
             "K over K and the filling and draining of a tile's loads");
    fact_row(p, area, "Kernel", format_percent(d.tile_rate * d.reached),
             "What a full wave of these tiles reaches on this GPU: calibration");
    fact_row(p, area, "Of the peak", format_percent(d.of_peak()),
             "With the parts of K added up, and never faster than the bytes");
    fact_row(p, area, "Time", format_seconds(Seconds(d.seconds)));
    fact_row(p, area, "Intensity", intensity_words(d.intensity()));
}

void RooflinePanel::draw_occupancy_part(const Painter& p, Rect area, RooflineState& state,
                                        const RooflineSheet& sheet)
{
    constexpr std::array<std::string_view, 3> kNames{"Ampere", "Hopper", "Blackwell"};
    const Multiprocessor& m = shown_multiprocessor(state, sheet.scenario());
    const auto at = static_cast<std::size_t>(&m - multiprocessors().data());
    if (const auto to = segments(p, area.cut_top(p.px(32)), kNames, at))
    {
        state.capability = *to;
    }
    area.cut_top(p.px(6));
    KernelShape& k = state.shape;
    const auto stops = [&](const char* label, const std::string& shown, std::span<const double> values,
                           double value, double unit)
    {
        return std::llround(
            stop_slider(p, area.cut_top(p.px(44)), {label, shown, values}, value / unit, entry_) * unit);
    };
    k.threads =
        stops("Threads a block", std::to_string(k.threads), kThreads, static_cast<double>(k.threads), 1);
    k.registers = stops("Registers a thread", std::to_string(k.registers), kRegisters,
                        static_cast<double>(k.registers), 1);
    k.shared = stops("Shared, KiB a block", plain_number(static_cast<double>(k.shared) / 1024), kShared,
                     static_cast<double>(k.shared), 1024);
    area.cut_top(p.px(4));
    if (button(p, area.cut_top(p.px(32)), "An element-wise kernel", "E"))
    {
        k = kCopyingKernel;
    }
    area.cut_top(p.px(6));
    if (button(p, area.cut_top(p.px(32)), "A GEMM of 128 \u00d7 128", "G"))
    {
        k = kMultiplyingKernel;
    }
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           "A tile\u2019s 128 \u00d7 128 FP32 sums alone are **16 384 registers**, a quarter of all.");
}

void RooflinePanel::draw(const Painter& p, Rect area, RooflineState& state, const RooflineSheet& sheet,
                         Out& out)
{
    const RooflinePage page = state.page;
    if (const auto to =
            segments(p, area.cut_top(p.px(32)), kRooflinePages, static_cast<std::size_t>(state.page)))
    {
        state.page = static_cast<RooflinePage>(*to);
        out.animating = true;
    }
    area.cut_top(p.px(8));
    switch (page)
    {
    case RooflinePage::roof:
        draw_roof_part(p, area, state, sheet);
        break;
    case RooflinePage::product:
        draw_product_part(p, area, state, sheet);
        break;
    case RooflinePage::occupancy:
        draw_occupancy_part(p, area, state, sheet);
        break;
    }
}

} // namespace ringside
