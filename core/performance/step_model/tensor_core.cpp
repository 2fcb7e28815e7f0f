#include "core/performance/step_model/tensor_core.h"

#include "core/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringside
{

namespace
{

struct Instruction
{
    std::string_view id; // that the id of a GPU begins with
    double rows;
    double cols;
    std::array<double, 4> inner; // of operands of 32, 16, 8 and 4 bits
    std::string_view name;
    std::string_view source;
};

constexpr std::string_view kMma = "NVIDIA, PTX ISA 9.0, mma: m16n8k8 (TF32), m16n8k16 (16-bit), m16n8k32";
constexpr std::string_view kWgmma =
    "NVIDIA, PTX ISA 9.0, wgmma.mma_async: m64nNk8 (TF32), m64nNk16 (16-bit), "
    "m64nNk32 (8-bit), N up to 256";
constexpr std::string_view kTcgen05 =
    "NVIDIA, PTX ISA 9.0, tcgen05.mma, one CTA: M = 128, N up to 256, K = 8 "
    "(TF32), 16 (16-bit), 32 (8-bit), 64 (MXFP4, NVFP4)";
constexpr std::string_view kCdna3 =
    "AMD, Instinct MI300 Instruction Set Architecture, V_MFMA: 32x32x4 (XF32), "
    "32x32x8 (16-bit), 32x32x16 (8-bit)";
constexpr std::string_view kCdna4 =
    "AMD, CDNA 4 Instruction Set Architecture, V_MFMA: 32x32x2 (FP32), 32x32x16 "
    "(16-bit), 32x32x64 (8-bit and below)";
constexpr std::string_view kMxu =
    "Google Cloud, TPU architecture: an MXU has 128 x 128 multiply-accumulators "
    "before v6e, 256 x 256 since";

// Longer beginnings first.
constexpr std::array kInstructions{
    Instruction{"v100", 8, 8, {4, 4, 4, 4}, "mma", "NVIDIA, PTX ISA 9.0, mma: m8n8k4 (FP16)"},
    Instruction{"a100", 16, 8, {8, 16, 32, 64}, "mma", kMma},
    Instruction{"a40", 16, 8, {8, 16, 32, 64}, "mma", kMma},
    Instruction{"l4", 16, 8, {8, 16, 32, 64}, "mma", kMma},
    Instruction{"rtx", 16, 8, {8, 16, 32, 64}, "mma", kMma},
    Instruction{"h", 64, 256, {8, 16, 32, 32}, "wgmma", kWgmma},
    Instruction{"b200", 128, 256, {8, 16, 32, 64}, "tcgen05.mma", kTcgen05},
    Instruction{"b300", 128, 256, {8, 16, 32, 64}, "tcgen05.mma", kTcgen05},
    Instruction{"gb", 128, 256, {8, 16, 32, 64}, "tcgen05.mma", kTcgen05},
    Instruction{"mi300", 32, 32, {4, 8, 16, 16}, "V_MFMA", kCdna3},
    Instruction{"mi325", 32, 32, {4, 8, 16, 16}, "V_MFMA", kCdna3},
    Instruction{"mi355", 32, 32, {2, 16, 64, 64}, "V_MFMA", kCdna4},
    Instruction{"tpu-v6e", 256, 256, {256, 256, 256, 256}, "MXU", kMxu},
    Instruction{"tpu-v7", 256, 256, {256, 256, 256, 256}, "MXU", kMxu},
    Instruction{"tpu", 128, 128, {128, 128, 128, 128}, "MXU", kMxu}};

} // namespace

MatrixStep matrix_step(const Gpu& gpu, int bits, double rows, double cols)
{
    const auto known =
        std::ranges::find_if(kInstructions, [&](const Instruction& i) { return gpu.id.starts_with(i.id); });
    const bool is_known = known != kInstructions.end();
    const Instruction& i =
        is_known ? *known : *std::ranges::find(kInstructions, kWgmma, &Instruction::source);
    const std::size_t width = bits > 16 ? 0 : bits > 8 ? 1 : bits > 4 ? 2 : 3;
    return {std::min(i.rows, rows), std::min(i.cols, cols), i.inner.at(width), i.name,
            is_known ? i.source : std::string_view()};
}

} // namespace ringside
