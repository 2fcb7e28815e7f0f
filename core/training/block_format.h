// Formats that share a scale between the numbers of a block: MXFP8, MXFP4 and NVFP4, beside 8-bit numbers
// with one scale for the whole tensor. Quantises and gives back what the codes stand for; packs no bits.
//
// MXFP8 has E4M3 elements here; the standard also allows E5M2.
#pragma once

#include "core/training/number_format.h"

#include <vector>

namespace ringside
{

enum class BlockId : std::uint8_t
{
    tensor_fp8,
    mxfp8,
    mxfp4,
    nvfp4
};
inline constexpr std::size_t kBlockFormats = 4;

struct BlockFormat
{
    BlockId id;
    std::string_view name;
    FormatId element;
    int block;              // elements that share a scale; 0: all of the tensor
    int scale_bits;         // of a block's scale
    std::string_view scale; // "E8M0"
    std::string_view source;

    // Scales included; what a whole tensor has once is left out.
    double bits_per_value() const;
};

std::span<const BlockFormat> block_formats(); // in the order of BlockId
const BlockFormat& block_format(BlockId id);

struct Quantized
{
    std::vector<double> values; // as many as went in
    std::vector<double> scales; // of each block: what an element is multiplied by, the tensor's included
    double tensor_scale = 1;    // NVFP4's second level; 1 elsewhere
};

// E8M0 scales are 2^(floor(log2 max|v|) - largest exponent of the element) (OCP MX 1.0, section 6.3; Rouhani
// et al. 2023, arXiv 2310.10537, algorithm 1), so the largest of a block may be cut to the element's end.
// NVFP4: E4M3 scales of max|v| / 6, relative to one FP32 for the tensor that puts its largest at 448 x 6
// (NVIDIA 2025, arXiv 2509.25149, appendix B). Elements saturate. The last block may be shorter; values must
// be finite.
Quantized quantize(const BlockFormat& format, std::span<const double> values);

// ||v - q|| / ||v||; 0 for nothing but zeros.
double relative_error(std::span<const double> values, std::span<const double> quantized);
// Share of the values other than 0 that became 0.
double flushed_share(std::span<const double> values, std::span<const double> quantized);

} // namespace ringside
