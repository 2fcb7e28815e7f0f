#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/performance/roofline/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::string_view kGuide = "NVIDIA, Matrix Multiplication Background User's Guide, chapter 3";

Caption roof_caption(const RooflineState& state, const RooflineSheet& sheet)
{
    const RoofPoint& point = sheet.chosen(state);
    const Roofs& roofs = sheet.roofs();
    const Term term = explain_intensity(point);
    const Term roof = explain_attainable(roofs, point);
    const double ridge = roofs.ridge_of(point.what.peak);
    const bool memory = bound_of(roofs, point) == Bound::memory;
    Caption c;
    c.sentence =
        fmt::format("**{}**: {}, {} the ridge at {}, so **{}**, at {} of the roof.", point.what.name,
                    intensity_words(point.intensity()), memory ? "left of" : "right of", three_digits(ridge),
                    memory ? "memory-bound" : "compute-bound", format_percent(point.rate() / roof.value));
    c.formula = fmt::format("I = {} = {};  min({}, I \u00d7 {}) = {}", term.formula, three_digits(term.value),
                            flop_rate_words(point.what.peak), byte_rate_words(roofs.hbm),
                            flop_rate_words(roof.value));
    c.source = fmt::format("I = {} = {}\nroof = {} = {}\n{}", term.working, intensity_words(term.value),
                           roof.working, flop_rate_words(roof.value), term.source);
    return c;
}

std::string_view limit_words(ProductDetail::Limit limit)
{
    switch (limit)
    {
    case ProductDetail::Limit::bytes:
        return "its bytes bind, not its tiles";
    case ProductDetail::Limit::peak:
        return "the peak binds";
    case ProductDetail::Limit::waves:
        break;
    }
    return "its waves bind";
}

Caption product_caption(const RooflineState& state, const RooflineSheet& sheet)
{
    const ProductDetail d = sheet.product(state);
    const double processors = sheet.roofs().processors;
    Caption c;
    const std::string last =
        d.tiling.waves <= 1
            ? fmt::format("**{} of {}** multiprocessors have one", plain_number(d.last_wave(processors)),
                          plain_number(processors))
            : fmt::format("the last of {} waves has **{} of {}**", plain_number(d.tiling.waves),
                          plain_number(d.last_wave(processors)), plain_number(processors));
    c.sentence = fmt::format("**{} tiles**: {}; {}, **{} of the peak**.", plain_number(d.tiling.tiles), last,
                             limit_words(d.limit), format_percent(d.of_peak()));
    c.formula = fmt::format(
        "tiles \u00d7 waves \u00d7 filling \u00d7 kernel = {} \u00d7 {} \u00d7 {} \u00d7 {} = {} of peak",
        format_percent(d.tile_use), format_percent(d.wave_use), format_percent(d.fill),
        format_percent(d.tile_rate * d.reached),
        format_percent(d.tile_use * d.wave_use * d.fill * d.tile_rate * d.reached));
    if (d.limit == ProductDetail::Limit::bytes)
    {
        c.formula += fmt::format("; its bytes allow {}", format_percent(d.of_peak()));
    }
    c.source = fmt::format("{}. What full waves reach, {}, is the GPU's calibration.", kGuide,
                           format_percent(d.reached));
    return c;
}

// All that bind at once: "threads and registers".
std::string limit_names(const Occupancy& o)
{
    constexpr std::array kNames{std::pair{OccupancyLimit::threads, "threads"},
                                std::pair{OccupancyLimit::registers, "registers"},
                                std::pair{OccupancyLimit::shared, "shared memory"},
                                std::pair{OccupancyLimit::blocks, "the number of blocks"}};
    std::vector<std::string_view> names;
    for (const auto& [limit, name] : kNames)
    {
        if (o.binds(limit))
        {
            names.emplace_back(name);
        }
    }
    return fmt::format("{}", fmt::join(names, " and "));
}

Caption occupancy_caption(const RooflineState& state, const RooflineSheet& sheet)
{
    const Multiprocessor& m = shown_multiprocessor(state, sheet.scenario());
    const Occupancy o = occupancy(m, state.shape);
    Caption c;
    c.sentence =
        o.blocks == 0
            ? fmt::format("!!No block fits!!: {} of one block are more than a multiprocessor has.",
                          limit_names(o))
            : fmt::format("**{} block{}** at once, bound by **{}**: {} of {} warps, **{}** occupancy.",
                          o.blocks, o.blocks == 1 ? "" : "s", limit_names(o), o.warps, m.warps(),
                          format_percent(o.share));
    c.formula =
        fmt::format("min(threads {}, registers {}, shared {}, blocks {}) = {};  {} \u00d7 {} / {} warps",
                    o.by[0], o.by[1], o.by[2], o.by[3], o.blocks, o.blocks, o.block_warps, m.warps());
    c.source = fmt::format(
        "CUDA C++ Programming Guide, technical specifications of compute capability {}; the rule is that of "
        "cuda_occupancy.h.\nFew blocks are not slow: GEMMs run with one or two, and hide latency by loads in "
        "flight (Volkov 2010, Better Performance at Lower Occupancy).",
        m.capability);
    return c;
}

} // namespace

std::string flop_rate_words(double rate)
{
    return rate >= 1e15   ? three_digits(rate / 1e15) + " PFLOP/s"
           : rate >= 1e12 ? three_digits(rate / 1e12) + " TFLOP/s"
                          : three_digits(rate / 1e9) + " GFLOP/s";
}

std::string byte_rate_words(double rate)
{
    return rate >= 1e12 ? three_digits(rate / 1e12) + " TB/s" : three_digits(rate / 1e9) + " GB/s";
}

std::string intensity_words(double intensity)
{
    return three_digits(intensity) + " FLOP/B";
}

std::string_view pass_words(KernelPass pass)
{
    switch (pass)
    {
    case KernelPass::forward:
        return "forward";
    case KernelPass::input:
        return "backward";
    case KernelPass::weight:
        break;
    }
    return "backward, of the weights";
}

std::string kernel_words(const RooflineSheet& sheet, const RoofPoint& point, ByteUnit unit)
{
    const LayerKernel& k = point.what;
    const Term term = explain_intensity(point);
    const Term roof = explain_attainable(sheet.roofs(), point);
    std::string words = fmt::format(
        "{}, {}\n\n{} FLOP, {}\nI = {}\n  = {}\nroof {}\nmodelled {}, {} each\n", k.name, pass_words(k.pass),
        figure(k.flops, 3), format_bytes(Bytes(k.bytes), unit), term.working, intensity_words(term.value),
        flop_rate_words(roof.value), flop_rate_words(point.rate()), format_seconds(Seconds(k.seconds)));
    words += k.multiplies() ? "\nDrag it: more or fewer rows. Enter or a click: its working below."
                            : "\nIt does not move: each element is read and written however many there are.";
    return words;
}

Caption roofline_caption(const RooflineState& state, const RooflineSheet& sheet)
{
    switch (state.page)
    {
    case RooflinePage::roof:
        return roof_caption(state, sheet);
    case RooflinePage::product:
        return product_caption(state, sheet);
    case RooflinePage::occupancy:
        break;
    }
    return occupancy_caption(state, sheet);
}

} // namespace ringside
