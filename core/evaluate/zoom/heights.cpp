#include "core/evaluate/zoom/heights.h"

#include "core/model/attention.h"
#include "core/model/sizes.h"
#include "core/model/stages.h"
#include "core/performance/step_model/layer_profile.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double between(double from, double to, double share)
{
    return from * std::pow(to / from, share);
}

} // namespace

Heights::Heights(const Scenario& s, const Report& report)
    : grid(s, kMegatronOrder), format(product_format(s.training.precision))
{
    choose_gpu();
    choose_forward(report);
    choose_product(s);
    size_hardware(s, report);
    size_layers(s, report);
    size_arithmetic();
}

// In the middle of the cluster, and of its node.
void Heights::choose_gpu()
{
    const auto aside = static_cast<std::int64_t>(std::sqrt(real(grid.domains())) / 2); // off the map's edge
    const std::int64_t domain = std::min(grid.domains() - 1, grid.domains() / 2 + aside);
    const std::int64_t first = domain * grid.per_domain();
    const std::int64_t here = std::min(grid.per_domain(), grid.gpus() - first);
    rank = first + here / 3;
    stage = static_cast<std::size_t>(grid.coordinates(rank).pipeline);
}

// The forward pass that is nearest to the middle of the step.
void Heights::choose_forward(const Report& report)
{
    const Timeline& timeline = report.pipeline->timeline;
    stage = std::min(stage, timeline.ranks() - 1);
    double nearest = timeline.makespan;
    for (std::size_t i = timeline.first[stage]; i < timeline.first[stage + 1]; ++i)
    {
        const Event& e = timeline.events[i];
        const double off = std::fabs((e.start + e.end) / 2 - timeline.makespan / 2);
        if (e.operation.pass == Pass::forward && off < nearest)
        {
            nearest = off;
            event = i;
        }
    }
}

// The largest product with a weight that the forward of most layers computes.
void Heights::choose_product(const Scenario& given)
{
    Scenario s = given;
    s.model = most_layers(s.model);
    for (const LayerKernel& k : LayerProfiler(s).layer_kernels(s.model.experts > 0))
    {
        if (k.pass == KernelPass::forward && k.seconds > 0)
        {
            kernels.push_back(k);
        }
    }
    const auto work = [](const LayerKernel& k)
    { return k.multiplies() && k.kind == KernelKind::product ? k.flops : -1; };
    const auto largest = std::ranges::max_element(kernels, {}, work);
    gemm = static_cast<std::size_t>(largest - kernels.begin());
    const Device device(s);
    processors = device.processors;
    product = product_detail(device, largest->product, largest->peak, largest->operand);
    tile_rows = std::min(product.tiling.rows, product.product.rows);
    tile_cols = std::min(product.tiling.cols, product.product.cols);
    tile_inner = product.product.inner / product.tiling.split;
    step = matrix_step(s.cluster.gpu, number_format(format).bits(), tile_rows, tile_cols);
    step.inner = std::min(step.inner, tile_inner);
}

void Heights::size_hardware(const Scenario& s, const Report& report)
{
    const auto held = [&](std::int64_t gpu)
    {
        const auto at = static_cast<std::size_t>(grid.coordinates(gpu).pipeline);
        return report.memory.stages[std::min(at, report.memory.stages.size() - 1)].total().value;
    };
    const double seconds = report.step.total();
    const double flops = report.compute.hardware_step.value;
    const auto set = [&](Height height, double gpus, double bytes) {
        sizes[static_cast<std::size_t>(height)] = {bytes, flops * gpus / real(s.cluster.gpus), seconds};
    };
    double all = 0;
    double here = 0;
    const std::int64_t domain = grid.domain(rank);
    std::int64_t in_domain = 0;
    for (std::int64_t gpu = 0; gpu < grid.gpus(); ++gpu)
    {
        const double bytes = held(gpu);
        const bool near = grid.domain(gpu) == domain;
        all += bytes;
        here += near ? bytes : 0;
        in_domain += near ? 1 : 0;
    }
    set(Height::cluster, real(s.cluster.gpus), all);
    set(Height::domain, real(in_domain), here);
    set(Height::gpu, 1, held(rank));
    set(Height::lane, 1, held(rank));
}

void Heights::size_layers(const Scenario& s, const Report& report)
{
    const StageMemory& memory = report.memory.stages[std::min(stage, report.memory.stages.size() - 1)];
    const std::int64_t chunks = std::max<std::int64_t>(1, report.pipeline->shape.chunks);
    layers = std::max<std::int64_t>(1, memory.layers / chunks);
    LayerKernel sum;
    for (const LayerKernel& k : kernels)
    {
        sum.flops += k.flops;
        sum.seconds += k.seconds;
    }
    // The weights whole, as they are read, and all that the forward leaves, recomputed later or not.
    const double weights =
        element_bytes(s.training) * real(memory.parameters) / real(std::max<std::int64_t>(1, memory.layers));
    const double whole =
        layer_activations(s.model, s.training, s.parallel, s.model.experts > 0, Recompute::none);
    const double stage_weights = std::max(weights, memory.of(Component::weights).value / real(chunks));
    const double kept = std::max(whole, memory.layer_bytes.value * real(layers));
    sizes[static_cast<std::size_t>(Height::layer)] = {weights + whole, sum.flops, sum.seconds};
    sizes[static_cast<std::size_t>(Height::forward)] = {stage_weights + kept, sum.flops * real(layers),
                                                        sum.seconds * real(layers)};
}

void Heights::size_arithmetic()
{
    const double operand = kernels[gemm].operand;
    const double tile_flops = 2 * tile_rows * tile_cols * tile_inner;
    const HeightSize tile{(tile_rows + tile_cols) * tile_inner * operand + 2 * tile_rows * tile_cols,
                          tile_flops, product.tiling.wave};
    const HeightSize one{(step.rows + step.cols) * step.inner * operand, step.flops(),
                         tile.seconds * step.flops() / tile_flops};
    // A number of A meets every column of B.
    const double meets = step.rows * step.inner;
    const HeightSize number{operand, one.flops / meets, one.seconds / meets};
    const double bits = number_format(format).bits();
    sizes[static_cast<std::size_t>(Height::gemm)] = {product.bytes, product.product.flops(), product.seconds};
    sizes[static_cast<std::size_t>(Height::tile)] = tile;
    sizes[static_cast<std::size_t>(Height::step)] = one;
    sizes[static_cast<std::size_t>(Height::number)] = number;
    sizes[static_cast<std::size_t>(Height::bit)] = {0.125, number.flops / bits, number.seconds / bits};
}

HeightSize Heights::at(const ZoomPath& path, double height) const
{
    const double most = static_cast<double>(kHeights - 1);
    const auto from = static_cast<std::size_t>(std::clamp(std::floor(height), 0.0, most - 1));
    const HeightSize& a = sizes.at(from);
    const HeightSize& b = sizes.at(from + 1);
    const double share = path.share(height);
    return {between(a.bytes, b.bytes, share), between(a.flops, b.flops, share),
            between(a.seconds, b.seconds, share)};
}

std::string_view Heights::name_of(Height height) const
{
    // As of a node of 16 GPUs and of a rack of 72.
    const bool rack = height == Height::domain && grid.per_domain() > 16;
    return rack ? std::string_view("Rack") : ringside::name_of(height);
}

} // namespace ringside
