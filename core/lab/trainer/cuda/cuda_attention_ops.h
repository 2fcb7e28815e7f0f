// The CUDA backend's attention as launches: on tensor cores where format and heads allow (kernels_flash.h),
// otherwise and between ranks in fp32 (kernels_attention.h, kernels_hop.h). The end of cuda_backend_ops.h.
#pragma once

#include "core/lab/trainer/cuda/kernels_flash.h"
#include "core/lab/trainer/cuda/kernels_hop.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

namespace
{

AttentionShape shape_of(const Attention& a)
{
    return {a.length, a.heads, a.kv_heads, static_cast<int>(a.head_dim),
            1.0F / std::sqrt(static_cast<float>(a.head_dim))};
}

// Calls `work` with the format's type and the head's width where the tensor cores compute it; false
// elsewhere.
template <class Work>
bool on_tensor_cores(const Attention& a, const Work& work)
{
    const auto in_width = [&](auto type)
    {
        a.head_dim == 64 ? work(type, std::integral_constant<int, 64>{})
                         : work(type, std::integral_constant<int, 128>{});
    };
    const bool can = a.qkv.type != DType::f32 && (a.head_dim == 64 || a.head_dim == 128);
    if (can)
    {
        a.qkv.type == DType::bf16 ? in_width(Bf16{}) : in_width(F16{});
    }
    return can;
}

// Calls `work` with a number of columns for each lane that is enough.
template <class Work>
void per_lane(Index head_dim, const Work& work)
{
    if (head_dim <= 32)
    {
        return work(std::integral_constant<std::size_t, 4>{});
    }
    if (head_dim <= 64)
    {
        return work(std::integral_constant<std::size_t, 8>{});
    }
    if (head_dim <= 128)
    {
        return work(std::integral_constant<std::size_t, 16>{});
    }
    work(std::integral_constant<std::size_t, 32>{});
}

HopShape shape_of(const AttentionHop& a)
{
    return {a.queries,
            a.keys,
            a.length,
            a.heads,
            a.kv_heads,
            static_cast<int>(a.head_dim),
            1.0F / std::sqrt(static_cast<float>(a.head_dim)),
            a.query.stride,
            a.key_value.stride};
}
unsigned tiles_of(const AttentionHop& a)
{
    const Index each = a.length / a.queries.pieces;
    return static_cast<unsigned>(a.queries.pieces) * blocks(each, kTileRows).x;
}
// [B] of shared memory: tiles of rows and of keys, and what they make of each other.
std::size_t forward_shared(Index head_dim)
{
    const auto d = static_cast<std::size_t>(head_dim);
    return sizeof(float) * ((kTileRows + 2 * kTileKeys) * (d + 1) + kTileRows * (kTileKeys + 1));
}
std::size_t backward_shared(Index head_dim)
{
    const auto d = static_cast<std::size_t>(head_dim);
    return sizeof(float) * (2 * (kTileRows + kTileKeys) * (d + 1) + 2 * kTileRows * (kTileKeys + 1));
}

// A block for `rows` rows of each of so many heads of each sequence.
template <class Shape>
dim3 grid_of(const Shape& a, Index rows, Index heads)
{
    return {blocks(a.length, rows).x, static_cast<unsigned>(a.sequences() * heads)};
}

} // namespace

void CudaBackend::run(const Attention& a)
{
    const bool done = on_tensor_cores(a,
                                      [&]<class T, int D>(T, std::integral_constant<int, D>)
                                      {
                                          using Tiling = FlashTiling<D, false>;
                                          launch_shared(flash_kernel<T, D>, grid_of(a, Tiling::kOwn, a.heads),
                                                        kFlashThreads, Tiling::kShared, as<T>(a.qkv),
                                                        as<T>(a.out), a.log_sums, shape_of(a));
                                      });
    if (done)
    {
        return;
    }
    in_type(a.qkv.type,
            [&]<class T>(T)
            {
                per_lane(a.head_dim,
                         [&](auto lanes)
                         {
                             launch_shared(attention_kernel<T, decltype(lanes)::value>,
                                           grid_of(a, kTileRows, a.heads), kTileThreads,
                                           forward_shared(a.head_dim), as<T>(a.qkv), as<T>(a.out), a.log_sums,
                                           shape_of(a));
                         });
            });
}

bool CudaBackend::run_flash(const AttentionBackward& b)
{
    const Attention& a = b.forward;
    const Index count = a.sequences() * a.heads * padded_length(a.length);
    return on_tensor_cores(
        a,
        [&]<class T, int D>(T, std::integral_constant<int, D>)
        {
            using Tiling = FlashTiling<D, true>;
            auto* sums = static_cast<RowSums*>(room(count * static_cast<Index>(sizeof(RowSums))));
            launch(flash_sums_kernel<T>, blocks(count * kRowLanes, kThreads), kThreads, 0, runtime_->stream(),
                   as<T>(a.out), as<T>(b.gradient), a.log_sums, sums, shape_of(a), count);
            const FlashGradients<T> gradients{as<T>(a.qkv), as<T>(b.gradient), sums, as<T>(b.dqkv)};
            launch_shared(flash_query_kernel<T, D>, grid_of(a, Tiling::kOwn, a.heads), kFlashThreads,
                          Tiling::kShared, gradients, shape_of(a));
            launch_shared(flash_key_kernel<T, D>, grid_of(a, Tiling::kOwn, a.kv_heads), kFlashThreads,
                          Tiling::kShared, gradients, shape_of(a));
        });
}

void CudaBackend::run(const AttentionBackward& b)
{
    if (run_flash(b))
    {
        return;
    }
    const Attention& a = b.forward;
    const std::size_t shared = backward_shared(a.head_dim);
    const Index sums = a.out.rows * a.heads;
    auto* shares = static_cast<float*>(room(sums * static_cast<Index>(sizeof(float))));
    in_type(a.qkv.type,
            [&]<class T>(T)
            {
                launch(attention_shared_kernel<T>, blocks(sums, kThreads), kThreads, 0, runtime_->stream(),
                       as<T>(a.out), as<T>(b.gradient), shares, a.head_dim, sums);
                const AttentionGradients<T> gradients{as<T>(a.qkv), as<T>(b.gradient), a.log_sums, shares,
                                                      as<T>(b.dqkv)};
                per_lane(a.head_dim,
                         [&](auto lanes)
                         {
                             constexpr std::size_t kLanes = decltype(lanes)::value;
                             launch_shared(query_gradient_kernel<T, kLanes>, grid_of(a, kTileRows, a.heads),
                                           kTileThreads, shared, gradients, shape_of(a));
                             launch_shared(key_gradient_kernel<T, kLanes>, grid_of(a, kTileRows, a.kv_heads),
                                           kTileThreads, shared, gradients, shape_of(a));
                         });
            });
}

void CudaBackend::run(const AttentionHop& a)
{
    const dim3 grid(tiles_of(a), static_cast<unsigned>(a.sequences() * a.heads));
    in_type(a.query.type,
            [&]<class T>(T)
            {
                per_lane(a.head_dim,
                         [&](auto lanes)
                         {
                             launch_shared(hop_kernel<T, decltype(lanes)::value>, grid, kTileThreads,
                                           forward_shared(a.head_dim), as<T>(a.query), as<T>(a.key_value),
                                           static_cast<float*>(a.out.data), a.log_sums, a.begins,
                                           shape_of(a));
                         });
            });
}

void CudaBackend::run(const AttentionHopBackward& b)
{
    const AttentionHop& a = b.forward;
    const std::size_t shared = backward_shared(a.head_dim);
    const auto sequences = static_cast<unsigned>(a.sequences());
    const Index sums = a.query.rows * a.heads;
    auto* shares = static_cast<float*>(room(sums * static_cast<Index>(sizeof(float))));
    in_type(a.query.type,
            [&]<class T>(T)
            {
                launch(attention_shared_kernel<T>, blocks(sums, kThreads), kThreads, 0, runtime_->stream(),
                       as<T>(a.out), as<T>(b.gradient), shares, a.head_dim, sums);
                const HopGradients<T> gradients{as<T>(a.query),
                                                as<T>(a.key_value),
                                                as<T>(b.gradient),
                                                a.log_sums,
                                                shares,
                                                static_cast<float*>(b.dquery.data),
                                                as<T>(b.dkey_value)};
                per_lane(a.head_dim,
                         [&](auto lanes)
                         {
                             constexpr std::size_t kLanes = decltype(lanes)::value;
                             launch_shared(hop_query_gradient_kernel<T, kLanes>,
                                           dim3(tiles_of(a), sequences * static_cast<unsigned>(a.heads)),
                                           kTileThreads, shared, gradients, shape_of(a));
                             launch_shared(hop_key_gradient_kernel<T, kLanes>,
                                           dim3(tiles_of(a), sequences * static_cast<unsigned>(a.kv_heads)),
                                           kTileThreads, shared, gradients, shape_of(a));
                         });
            });
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
