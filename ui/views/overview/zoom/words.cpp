// What is said of each height, with the scenario's numbers.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/overview/zoom/sight.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kHeights> kExplainedBy{
    "layout",          "ring",          "memory",           "pipelines",
    "activations",     "roofline/roof", "roofline/product", "roofline/blocks",
    "formats/recipes", "formats/bits",  "formats/sums"};

struct Said
{
    const ZoomScenario& known;
    const Frame& frame;

    const Heights& h() const { return known.heights; }
    const Scenario& s() const { return frame.now.scenario; }
    std::string bytes(double value) const { return zoomed_bytes(value, frame.preferences.unit); }
    std::string bytes_of(Height height) const { return bytes(h().of(height).bytes); }
};

std::string whole(double value)
{
    return grouped(std::llround(value));
}

Caption said(std::string sentence, std::string formula, std::string source = {})
{
    return {std::move(sentence), std::move(formula), std::move(source)};
}

Caption cluster_words(const Said& a)
{
    const Parallel& l = a.s().parallel;
    const HeightSize& all = a.h().of(Height::cluster);
    const std::int64_t data = data_parallel(a.s());
    const std::int64_t context = l.context;
    return said(
        fmt::format(
            "**{}** hold **{}** and compute **{}**{} in one step of **{}**.{} Zoom in on the framed {}.",
            counted(a.h().grid.gpus(), "GPU"), a.bytes(all.bytes), zoomed_flops(all.flops),
            a.s().training.recompute == Recompute::none ? "" : ", recomputation included,",
            zoomed_seconds(all.seconds), l.pipeline > 1 ? " Color is the pipeline stage." : "",
            small_letters(std::string(a.h().name_of(Height::domain)))),
        fmt::format("TP {} \u00d7 {}PP {} \u00d7 DP {} = {}", l.tensor,
                    context > 1 ? fmt::format("CP {} \u00d7 ", context) : "", l.pipeline, data,
                    counted(a.h().grid.gpus(), "GPU")));
}

Caption domain_words(const Said& a)
{
    const Cluster& c = a.s().cluster;
    if (a.h().grid.gpus() < 2)
    {
        return said(
            fmt::format("A single GPU exchanges nothing. It holds **{}**.", a.bytes_of(Height::domain)), {});
    }
    const double fast = c.node_link_gb_per_s > 0  ? c.node_link_gb_per_s
                        : c.gpu.link_gb_per_s > 0 ? c.gpu.link_gb_per_s
                                                  : c.gpu.pcie_gb_per_s;
    return said(
        fmt::format("Inside a {}, **{}** exchange at **{} GB/s** each; between them it is {} GB/s. Together "
                    "they hold **{}**.",
                    small_letters(std::string(a.h().name_of(Height::domain))),
                    counted(std::min(a.h().grid.per_domain(), a.h().grid.gpus()), "GPU"), three_digits(fast),
                    three_digits(c.network_gb_per_s), a.bytes_of(Height::domain)),
        fmt::format("{} / {} = {} times as fast inside", three_digits(fast), three_digits(c.network_gb_per_s),
                    three_digits(fast / c.network_gb_per_s)));
}

Caption gpu_words(const Said& a)
{
    const double held = a.h().of(Height::gpu).bytes;
    const double capacity = a.known.report->memory.capacity.value;
    const bool fits = held <= capacity;
    const std::string need = fmt::format("{} of {}", a.bytes(held), a.bytes(capacity));
    return said(
        fmt::format("GPU {} works on stage {}: {}, and **{} multiprocessors** compute **{}** per step.",
                    grouped(a.h().rank), a.h().stage,
                    fits ? fmt::format("its memory holds **{}**", need)
                         : fmt::format("it would need !!{}!!", need),
                    plain_number(a.h().processors), zoomed_flops(a.h().of(Height::gpu).flops)),
        fmt::format("{} / {} = {}", a.bytes(held), a.bytes(capacity), format_percent(held / capacity)));
}

Caption lane_words(const Said& a)
{
    const Timeline& timeline = a.known.timeline();
    const double busy = timeline.busy[a.h().stage] / timeline.makespan;
    return said(
        fmt::format("In one step of **{}** this stage runs **{}** forward and backward; for **{}** of the "
                    "pipeline's time it waits for others.",
                    zoomed_seconds(a.h().of(Height::lane).seconds),
                    counted(a.known.report->pipeline->shape.micro_batches, "micro-batch"),
                    format_percent(1 - busy)),
        fmt::format("idle = 1 \u2212 {} / {} = {}", three_digits(timeline.busy[a.h().stage]),
                    three_digits(timeline.makespan), format_percent(1 - busy)));
}

Caption forward_words(const Said& a)
{
    const HeightSize& one = a.h().of(Height::layer);
    const HeightSize& all = a.h().of(Height::forward);
    return said(
        fmt::format("One micro-batch goes through **{}** of this stage: **{}**, at least **{}** of kernels.",
                    counted(a.h().layers, "layer"), zoomed_flops(all.flops), zoomed_seconds(all.seconds)),
        fmt::format("{} \u00d7 {} = {}", counted(a.h().layers, "layer"), zoomed_seconds(one.seconds),
                    zoomed_seconds(all.seconds)));
}

Caption layer_words(const Said& a)
{
    const LayerKernel& largest = a.h().kernels[a.h().gemm];
    const double all = a.h().of(Height::layer).seconds;
    return said(fmt::format("A layer is **{}** one after the other, {} in all, drawn as wide as the time "
                            "they take. The GEMM **{}** takes {} of it.",
                            counted(static_cast<std::int64_t>(a.h().kernels.size()), "kernel"),
                            zoomed_seconds(all), largest.name, format_percent(largest.seconds / all)),
                fmt::format("{} / {} = {}", zoomed_seconds(largest.seconds), zoomed_seconds(all),
                            format_percent(largest.seconds / all)));
}

Caption gemm_words(const Said& a)
{
    const ProductDetail& d = a.h().product;
    const Product& product = d.product;
    return said(
        fmt::format("**{}** is cut into **{} tiles**, which {} multiprocessors compute in {}: {} at {} of "
                    "the peak.",
                    a.h().kernels[a.h().gemm].name, whole(d.tiling.tiles), plain_number(a.h().processors),
                    counted(std::llround(d.tiling.waves), "wave"), zoomed_seconds(d.seconds),
                    format_percent(d.of_peak())),
        fmt::format("2 M N K{} = 2 \u00d7 {} \u00d7 {} \u00d7 {}{} = {}", product.batch > 1 ? " E" : "",
                    whole(product.rows), whole(product.cols), whole(product.inner),
                    product.batch > 1 ? fmt::format(" \u00d7 {}", plain_number(product.batch)) : "",
                    zoomed_flops(product.flops())),
        "NVIDIA, Matrix Multiplication Background User's Guide, chapter 3");
}

Caption tile_words(const Said& a)
{
    const double steps = a.h().tile_inner / a.h().step.inner;
    return said(
        fmt::format(
            "One multiprocessor keeps a tile of **{} \u00d7 {}** sums and adds up K = {} products for "
            "each, **{} at a time**, in {}.",
            whole(a.h().tile_rows), whole(a.h().tile_cols), whole(a.h().tile_inner), whole(a.h().step.inner),
            zoomed_seconds(a.h().of(Height::tile).seconds)),
        fmt::format("K / k = {} / {} = {} steps", whole(a.h().tile_inner), whole(a.h().step.inner),
                    three_digits(steps)));
}

Caption step_words(const Said& a)
{
    const MatrixStep& step = a.h().step;
    const bool known = !step.source.empty();
    return said(
        fmt::format("One **{}** instruction{} multiplies {} \u00d7 {} by {} \u00d7 {} numbers: **{}** in its "
                    "share of the tile's time, {}.",
                    step.name, known ? "" : " (Hopper's; this accelerator's is not known here)",
                    whole(step.rows), whole(step.inner), whole(step.inner), whole(step.cols),
                    zoomed_flops(step.flops()), zoomed_seconds(a.h().of(Height::step).seconds)),
        fmt::format("2 m n k = 2 \u00d7 {} \u00d7 {} \u00d7 {} = {}", whole(step.rows), whole(step.cols),
                    whole(step.inner), zoomed_flops(step.flops())),
        std::string(step.source));
}

Caption number_words(const Said& a)
{
    const NumberFormat& f = number_format(a.h().format);
    const double held = round_to(f, a.h().value, Overflow::saturate);
    return said(
        fmt::format("**{}** has 1 sign, {} exponent and {} mantissa bits. The nearest number to {} is "
                    "**{:.6g}**.",
                    f.name, f.exponent_bits, f.mantissa_bits, plain_number(a.h().value), held),
        fmt::format("(\u22121)^s \u00d7 2^(e \u2212 {}) \u00d7 (1 + m / {})", f.bias(), 1 << f.mantissa_bits),
        std::string(f.source));
}

Caption bit_words(const Said& a)
{
    const NumberFormat& f = number_format(a.h().format);
    const std::uint32_t code = encode(f, a.h().value, Overflow::saturate);
    const std::uint32_t bit = 1U << static_cast<unsigned>(f.mantissa_bits - 1);
    const double held = decode(f, code);
    const double flipped = decode(f, code ^ bit);
    const HeightSize& cluster = a.h().of(Height::cluster);
    return said(
        fmt::format(
            "One bit. Flipped, the number is **{:.6g}** in place of {:.6g}; the cluster's memory holds "
            "**{}** of them.",
            flipped, held, format_count(cluster.bytes * 8)),
        fmt::format("8 \u00d7 {} B = {} bits", figure(cluster.bytes, 3), figure(cluster.bytes * 8, 3)));
}

using Words = Caption (*)(const Said&);
constexpr std::array<Words, kHeights> kWords{cluster_words, domain_words, gpu_words,  lane_words,
                                             forward_words, layer_words,  gemm_words, tile_words,
                                             step_words,    number_words, bit_words};

} // namespace

std::string_view explained_by(Height height)
{
    return kExplainedBy.at(static_cast<std::size_t>(height));
}

std::string zoomed_flops(double flops)
{
    struct Prefix
    {
        double size;
        std::string_view name;
    };
    constexpr std::array kPrefixes{Prefix{1e21, "ZFLOPs"}, Prefix{1e18, "EFLOPs"}, Prefix{1e15, "PFLOPs"},
                                   Prefix{1e12, "TFLOPs"}, Prefix{1e9, "GFLOPs"},  Prefix{1e6, "MFLOPs"},
                                   Prefix{1e3, "kFLOPs"},  Prefix{0, "FLOPs"}};
    const auto prefix =
        std::ranges::find_if(kPrefixes, [&](const Prefix& each) { return flops >= each.size * 0.9995; });
    return fmt::format("{} {}", plain_number(flops / std::max(prefix->size, 1.0)), prefix->name);
}

// One instruction takes nanoseconds, and a number's share of it far less.
std::string zoomed_seconds(double seconds)
{
    return seconds >= 1e-9    ? format_seconds(Seconds(seconds))
           : seconds >= 1e-12 ? plain_number(seconds * 1e12) + " ps"
           : seconds >= 1e-15 ? plain_number(seconds * 1e15) + " fs"
                              : plain_number(seconds * 1e18) + " as";
}

std::string zoomed_bytes(double bytes, ByteUnit unit)
{
    return bytes < 1 ? fmt::format("{} bit", plain_number(bytes * 8)) : format_bytes(Bytes(bytes), unit);
}

std::string zoom_heading(const ZoomScenario& known, const Frame& frame, Height height)
{
    const Heights& h = known.heights;
    const HeightSize& size = h.of(height);
    std::string which;
    switch (height)
    {
    case Height::cluster:
        which = ": " + counted(h.grid.gpus(), "GPU");
        break;
    case Height::domain:
        which = " " + grouped(h.grid.domain(h.rank));
        break;
    case Height::gpu:
        which = " " + grouped(h.rank);
        break;
    case Height::layer:
        which = fmt::format(" {} of {}", h.layers / 2 + 1, h.layers);
        break;
    case Height::gemm:
        which = fmt::format(": {}", h.kernels[h.gemm].name);
        break;
    case Height::step:
        which = fmt::format(": {}", h.step.name);
        break;
    case Height::number:
        which = fmt::format(": {}", number_format(h.format).name);
        break;
    case Height::lane:
    case Height::forward:
    case Height::tile:
    case Height::bit:
        break;
    }
    return fmt::format("{}{}, {}, {}, {}", h.name_of(height), which,
                       zoomed_bytes(size.bytes, frame.preferences.unit), zoomed_flops(size.flops),
                       zoomed_seconds(size.seconds));
}

Caption zoom_caption(const ZoomScenario& known, const Frame& frame, Height height)
{
    return kWords.at(static_cast<std::size_t>(height))({known, frame});
}

} // namespace ringside
