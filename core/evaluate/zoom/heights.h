// From the whole cluster to one bit of one number of a scenario: which GPU, operation, product and number the
// way down goes through, and what each height holds, computes and takes.
//
// Bytes: down to a GPU what its memory holds; of a forward pass and of a layer their weights and what one
// micro-batch leaves in memory; of a product and what is inside it, operands and result, each once. FLOPs and
// seconds: down to the lane those of an optimizer step, from there on those of the forward pass of one
// micro-batch. What lies inside a tile has its share of the tile's time, a bit its share of its number's
// multiplications.
#pragma once

#include "core/base/names.h"
#include "core/evaluate/report.h"
#include "core/evaluate/zoom/path.h"
#include "core/network/rank_grid.h"
#include "core/performance/roofline.h"
#include "core/performance/step_model/tensor_core.h"
#include "core/training/number_format.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Height : std::uint8_t
{
    cluster,
    domain, // what the fast links join: a node, or a rack
    gpu,
    lane,    // of the pipeline, over one step
    forward, // of one micro-batch through the layers of one stage
    layer,
    gemm,
    tile,
    step, // one instruction of a tensor core
    number,
    bit
};
inline constexpr std::size_t kHeights = 11;
template <>
inline constexpr auto kNamesOf<Height> = names<Height>("Cluster", "Node", "GPU", "Pipeline lane",
                                                       "Forward pass", "Layer", "GEMM", "Tile",
                                                       "Tensor-core step", "Number", "Bit");

struct HeightSize
{
    double bytes = 0;
    double flops = 0;
    double seconds = 0;
};

struct Heights
{
    // The scenario must be valid.
    Heights(const Scenario& scenario, const Report& report);

    const HeightSize& of(Height height) const { return sizes[static_cast<std::size_t>(height)]; }
    // Between two heights: interpolated geometrically, as the width of what is in sight is.
    HeightSize at(const ZoomPath& path, double height) const;
    std::string_view name_of(Height height) const; // "Rack" in place of a node where that is meant

    RankGrid grid;
    std::int64_t rank = 0; // the GPU that the way goes through
    std::size_t stage = 0;
    std::size_t event = 0; // of the timeline: the forward pass
    std::int64_t layers = 1;
    std::vector<LayerKernel> kernels; // forward, of one layer
    std::size_t gemm = 0;             // of these
    ProductDetail product;
    double processors = 1; // that share the tiles
    double tile_rows = 1;  // as far as the product reaches
    double tile_cols = 1;
    double tile_inner = 1;
    MatrixStep step;
    FormatId format = FormatId::bf16;
    double value = 0.1; // of the number, before it is rounded to the format
    std::array<HeightSize, kHeights> sizes{};

private:
    void choose_gpu();
    void choose_forward(const Report& report);
    void choose_product(const Scenario& scenario);
    void size_hardware(const Scenario& scenario, const Report& report);
    void size_layers(const Scenario& scenario, const Report& report);
    void size_arithmetic();
};

} // namespace ringside
