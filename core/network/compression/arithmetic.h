// What compressors compute, for one rank or matrix at a time: shared by the group that is simulated
// (compressor.h) and by ranks that really send (core/lab/ranks/communication/compressed_sum.h).
#pragma once

#include "core/base/random.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside
{

float mean_size(std::span<const float> values);
// One bit has no zero, so zero counts as positive.
constexpr float signed_unit(float value, float unit)
{
    return value < 0 ? -unit : unit;
}

// Where the k largest sizes are, in no order; of equal sizes the first counts as larger, and NaN as largest.
std::vector<std::uint32_t> largest_places(std::span<const float> values, std::int64_t k);
// For what is drawn in a step: all ranks draw alike, and in each step something else.
SplitMix random_of_step(std::uint64_t seed, std::uint64_t step);
// k different places of n.
std::vector<std::uint32_t> random_places(std::size_t n, std::int64_t k, SplitMix rng);

// PowerSGD: a matrix M [rows x cols] is about P transposed(Q), with P [rows x rank] and Q [cols x rank].
struct Factors
{
    std::size_t rows = 1;
    std::size_t cols = 1;
    std::size_t rank = 1;
};
// Gram and Schmidt, column by column; a column that is nothing but the others becomes zero.
void orthonormalize(std::span<float> p, std::size_t rank);
// A factor's column that has become zero would stay zero: it is drawn again, and so is one that is no number.
void redraw_empty(std::span<float> q, std::size_t rank, SplitMix rng);
void add_product(std::span<const float> m, std::span<const float> q, std::span<float> p,
                 Factors f); // P += M Q
void add_transposed(std::span<const float> m, std::span<const float> p, std::span<float> q,
                    Factors f); // Q += transposed(M) P
void outer(std::span<const float> p, std::span<const float> q, std::span<float> m,
           Factors f); // M = P transposed(Q)

// The values a narrow floating-point format has, to nearest with ties to even. Nothing is packed: the result
// is the float that the narrow format stands for.
//
// IEEE 754 binary16: 11 significant bits, subnormals down to 2^-24, infinite from 65520 on.
float round_to_fp16(float value);
// The upper half of a float: 8 significant bits, the range of a float.
float round_to_bf16(float value);
// OCP 8-bit E4M3 (Micikevicius et al. 2022, arXiv 2209.05433, Table 1): 4 significant bits, subnormals down
// to 2^-9, no infinity; what is larger than 448 becomes 448.
float round_to_e4m3(float value);

inline constexpr float kLargestE4m3 = 448;

} // namespace ringside
