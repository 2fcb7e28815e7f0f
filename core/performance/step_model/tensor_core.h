// What one matrix instruction of an accelerator multiplies at once. Nothing about how fast: rates are the
// data sheet's.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside
{

struct Gpu;

// D[rows, cols] += A[rows, inner] B[inner, cols]
struct MatrixStep
{
    double rows = 64;
    double cols = 256;
    double inner = 16;
    std::string_view name;   // "wgmma"
    std::string_view source; // empty: this accelerator's is not known, and Hopper's is shown

    double flops() const { return 2 * rows * cols * inner; }
};

// For operands of so many bits; no larger than a tile of `rows` x `cols`.
MatrixStep matrix_step(const Gpu& gpu, int bits, double rows, double cols);

} // namespace ringside
