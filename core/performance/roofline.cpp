#include "core/performance/roofline.h"

#include <fmt/format.h>

#include "core/performance/step_model/layer_profile.h"
#include "core/performance/step_model/step_model.h"
#include "core/serving/cache.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::string_view kSource =
    "Williams, Waterman and Patterson 2009, Roofline: An Insightful Visual Performance Model for Multicore "
    "Architectures, CACM 52(4)";
// AdamW for each parameter: both moments 7, their corrections 2, root, quotient, decay and update 6, and the
// gradient's square and sum for its norm.
constexpr double kOptimizerFlops = 17;
constexpr double kElement = 2; // [B]

double d(std::int64_t count)
{
    return static_cast<double>(count);
}

bool has_any_experts(const Scenario& s)
{
    return s.model.experts > 0;
}

RoofPoint optimizer_point(const Scenario& s, const LayerProfiler& profiler, const Roofs& roofs)
{
    const UnitProfile layer = profiler.layer(has_any_experts(s));
    const bool sharded = s.parallel.zero >= 1;
    const double mine =
        layer.dense / (sharded ? d(dense_shards(s)) : 1) + layer.expert / (sharded ? d(expert_shards(s)) : 1);
    LayerKernel o;
    o.name = "optimizer";
    o.pass = KernelPass::weight;
    o.flops = kOptimizerFlops * mine;
    o.bytes = optimizer_bytes(s.training) * mine;
    o.seconds = o.bytes / (roofs.hbm * roofs.hbm_share);
    o.peak = roofs.half_peak;
    return {o, 1};
}

// One token for each sequence, on one tensor group.
Scenario decoding(const Scenario& s, std::int64_t batch)
{
    Scenario one = s;
    one.training.sequence_length = 1;
    one.training.micro_batch = std::clamp<std::int64_t>(batch, 1, 1'000'000);
    one.training.precision = Precision::bf16;
    one.training.flash_attention = true;
    one.training.recompute = Recompute::none;
    one.parallel.context = 1;
    one.parallel.sequence_parallel = false;
    return one;
}

// Kernels of a layer that attends as most do.
Scenario of_most_layers(Scenario s)
{
    s.model = most_layers(s.model);
    return s;
}

// The cache of all sequences is read once; every head of a group works on the same keys and values. Latents
// stay compressed (DeepSeek-V2, section 2.1).
LayerKernel cache_attention(const Scenario& s, const LayerKernel& made, double context)
{
    const Model& m = s.model;
    const CacheShape shape = cache_shape(m, s.parallel.tensor);
    const AttentionLayers& alike = shape.layers.front();
    const double sequences = d(s.training.micro_batch);
    const Device device(s.cluster.gpu, Precision::bf16);
    LayerKernel o = made;
    o.name = "attention on the cache";
    o.flops = sequences * alike.decoded(context) / d(s.parallel.tensor);
    o.bytes = kElement * sequences * shape.local_read(alike, context);
    o.seconds = std::max(o.flops / device.attention, o.bytes / device.hbm);
    return o;
}

// The kernel with the experts that are visited: `batch` tokens that each choose k of E evenly want all but (1
// - k/E)^b of them.
LayerKernel visited_experts(const Scenario& s, const LayerKernel& made)
{
    const double visited = d(s.model.experts_per_token) / d(s.model.experts);
    const double wanted = 1 - std::pow(1 - visited, d(s.training.micro_batch));
    const Device device(s.cluster.gpu, Precision::bf16);
    LayerKernel o = made;
    o.product.batch *= wanted;
    o.product.rows /= wanted;
    o.flops = o.product.flops();
    o.bytes = product_bytes(o.product, o.operand);
    o.seconds = product_seconds(device, o.product, o.peak, o.operand);
    return o;
}

} // namespace

double Roofs::attainable(double intensity, double any_peak) const
{
    return std::min(any_peak, intensity * hbm);
}

Roofs roofs_of(const Scenario& s)
{
    const Gpu& gpu = s.cluster.gpu;
    const Device device(s);
    const double hbm = std::max(1.0, gpu.hbm_gb_per_s * 1e9);
    return {device.layer_peak, device.peak, hbm, device.efficiency, device.hbm / hbm, device.processors};
}

Bound bound_of(const Roofs& roofs, const RoofPoint& point)
{
    return point.intensity() >= roofs.ridge_of(point.what.peak) ? Bound::compute : Bound::memory;
}

std::vector<RoofPoint> training_points(const Scenario& given)
{
    const Scenario s = of_most_layers(given);
    const LayerProfiler profiler(s);
    const double times = d(micro_batches(s));
    std::vector<RoofPoint> points;
    for (const LayerKernel& o : profiler.layer_kernels(has_any_experts(s)))
    {
        points.push_back({o, times});
    }
    for (const LayerKernel& o : profiler.head_kernels())
    {
        points.push_back({o, times / d(std::max<std::int64_t>(1, all_layers(s.model)))});
    }
    if (s.training.offload == Offload::none)
    {
        points.push_back(optimizer_point(s, profiler, roofs_of(s)));
    }
    return points;
}

std::vector<RoofPoint> decode_points(const Scenario& scenario, std::int64_t batch, std::int64_t context)
{
    const Scenario s = decoding(of_most_layers(scenario), batch);
    const double cached = d(std::clamp<std::int64_t>(context, 1, 1'000'000'000));
    const LayerProfiler profiler(s);
    std::vector<RoofPoint> points;
    const auto add = [&](const LayerKernel& o, double times)
    {
        if (o.pass == KernelPass::forward && o.name != "loss")
        {
            points.push_back({o, times});
        }
    };
    for (const LayerKernel& o : profiler.layer_kernels(has_any_experts(s)))
    {
        const bool routed = o.kind == KernelKind::product && o.name.starts_with("expert");
        add(o.kind == KernelKind::attention ? cache_attention(s, o, cached)
            : routed                        ? visited_experts(s, o)
                                            : o,
            1);
    }
    for (const LayerKernel& o : profiler.head_kernels())
    {
        add(o, 1 / d(std::max<std::int64_t>(1, all_layers(s.model))));
    }
    return points;
}

double memory_bound_share(const Roofs& roofs, const std::vector<RoofPoint>& points)
{
    double all = 0;
    double bound = 0;
    for (const RoofPoint& p : points)
    {
        all += p.seconds();
        bound += bound_of(roofs, p) == Bound::memory ? p.seconds() : 0;
    }
    return all > 0 ? bound / all : 0;
}

const RoofPoint& first_mlp_product(const std::vector<RoofPoint>& points)
{
    const auto found =
        std::find_if(points.begin(), points.end(),
                     [](const RoofPoint& p)
                     {
                         return p.what.kind == KernelKind::product &&
                                (p.what.name.starts_with("MLP") || p.what.name.starts_with("expert"));
                     });
    return found == points.end() ? points.front() : *found;
}

std::optional<double> rows_at_intensity(double intensity, double cols, double inner, double operand)
{
    const double below = 2 * cols * inner - intensity * (operand * inner + 2 * cols);
    if (!(below > 0))
    {
        return std::nullopt;
    }
    return intensity * operand * inner * cols / below;
}

std::optional<double> inner_at_intensity(double intensity, double rows, double cols, double operand)
{
    const double below = 2 * rows * cols - intensity * operand * (rows + cols);
    if (!(below > 0))
    {
        return std::nullopt;
    }
    return 2 * intensity * rows * cols / below;
}

ProductDetail product_detail(const Device& device, const Product& p, double peak, double operand)
{
    ProductDetail r;
    r.product = p;
    r.peak = peak;
    r.tiling = tiling(device, p, peak);
    r.bytes = product_bytes(p, operand);
    r.seconds = product_seconds(device, p, peak, operand);
    const Tiling& t = r.tiling;
    r.tile_use = p.rows * p.cols * p.batch / (t.tiles / t.split * t.rows * t.cols);
    r.wave_use = wave_use(t.tiles, device.processors);
    r.fill = filled_share(p, t);
    r.tile_rate = t.share;
    r.reached = device.efficiency_at(peak);
    r.limit = r.bytes / device.hbm >= r.seconds ? ProductDetail::Limit::bytes
              : p.flops() / peak >= r.seconds   ? ProductDetail::Limit::peak
                                                : ProductDetail::Limit::waves;
    return r;
}

std::vector<ProductDetail> over_rows(const Device& device, const Product& product, double peak,
                                     double operand, const std::vector<double>& rows)
{
    std::vector<ProductDetail> all;
    all.reserve(rows.size());
    for (const double m : rows)
    {
        all.push_back(product_detail(device, {m, product.cols, product.inner, product.batch}, peak, operand));
    }
    return all;
}

Term explain_intensity(const RoofPoint& point)
{
    const LayerKernel& o = point.what;
    Term term;
    term.label = std::string(o.name);
    term.value = point.intensity();
    term.unit = "FLOP/B";
    term.source = kSource;
    if (o.multiplies())
    {
        const std::string m = figure(o.product.rows);
        const std::string n = figure(o.product.cols);
        const std::string k = figure(o.product.inner);
        const std::string e = figure(o.operand);
        term.formula = "2 M N K / (e (M + N) K + 2 M N)";
        term.working = fmt::format("2 \u00d7 {0} \u00d7 {1} \u00d7 {2} / ({3} \u00d7 ({0} + {1}) \u00d7 {2} "
                                   "+ 2 \u00d7 {0} \u00d7 {1})",
                                   m, n, k, e);
    }
    else
    {
        term.formula = "FLOPs / bytes";
        term.working = fmt::format("{} / {}", figure(o.flops), figure(o.bytes));
    }
    return term;
}

Term explain_attainable(const Roofs& roofs, const RoofPoint& point)
{
    Term term;
    const bool memory = bound_of(roofs, point) == Bound::memory;
    term.label = std::string(point.what.name);
    term.value = roofs.attainable(point.intensity(), point.what.peak);
    term.unit = "FLOP/s";
    term.formula = "min(peak, intensity \u00d7 bandwidth)";
    term.working = memory ? fmt::format("{} \u00d7 {}", figure(point.intensity()), figure(roofs.hbm))
                          : figure(point.what.peak);
    term.source = kSource;
    return term;
}

} // namespace ringside
