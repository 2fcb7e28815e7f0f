// 16 x 16 pieces of a product on the tensor cores, through nvcc's wmma; the tests' shim has its own.
#pragma once

#include "core/lab/trainer/cuda/device.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

#if defined(__CUDACC__)

struct Sums16
{
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> fragment;
};
// The format as wmma knows it.
template <class T>
struct Native;
template <>
struct Native<F16>
{
    using Type = __half;
};
template <>
struct Native<Bf16>
{
    using Type = __nv_bfloat16;
};

__device__ inline void clear(Sums16& sums)
{
    nvcuda::wmma::fill_fragment(sums.fragment, 0.0F);
}

// sums += a b^T: 16 rows of a and of b, 16 elements of K in each, rows `stride` apart.
template <class T>
__device__ inline void multiply_add(Sums16& sums, const T* a, const T* b, unsigned stride)
{
    using Type = typename Native<T>::Type;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, Type, nvcuda::wmma::row_major> left;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, Type, nvcuda::wmma::col_major> right;
    nvcuda::wmma::load_matrix_sync(left, reinterpret_cast<const Type*>(a), stride);
    nvcuda::wmma::load_matrix_sync(right, reinterpret_cast<const Type*>(b), stride);
    nvcuda::wmma::mma_sync(sums.fragment, left, right, sums.fragment);
}

__device__ inline void put(const Sums16& sums, float* to, unsigned stride)
{
    nvcuda::wmma::store_matrix_sync(to, sums.fragment, stride, nvcuda::wmma::mem_row_major);
}

#endif

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
