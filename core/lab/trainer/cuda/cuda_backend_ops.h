// The CUDA backend's operations as launches of kernels. Included by one source of the program, which nvcc
// compiles, and by one of the tests, which the shim makes runnable.
// Attention's are in cuda_attention_ops.h.
#pragma once

#include "core/lab/trainer/cuda/cuda_backend.h"
#include "core/lab/trainer/cuda/kernels_experts.h"
#include "core/lab/trainer/cuda/kernels_product.h"
#include "core/lab/trainer/cuda/kernels_rows.h"
#include "core/lab/trainer/cuda/kernels_update.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

namespace
{

constexpr unsigned kThreads = 256;

dim3 blocks(Index elements, Index each)
{
    return {static_cast<unsigned>(std::max<Index>(1, (elements + each - 1) / each))};
}

// Calls `work` with a value of the format's type.
template <class Work>
void in_type(DType type, const Work& work)
{
    switch (type)
    {
    case DType::bf16:
        return work(Bf16{});
    case DType::f16:
        return work(F16{});
    default:
        return work(0.0F);
    }
}

template <class T>
T* as(const Tensor& t)
{
    return static_cast<T*>(t.data);
}
Any any(const Tensor& t)
{
    return {t.data, t.type};
}

Operand operand(const Tensor& t, bool flipped, Index lines)
{
    return {any(t), t.stride, flipped, lines, t.scales};
}

ProductShape shape_of(const Product& p, const Tensor& a)
{
    return {operand(a, p.a_transposed, p.m()),
            operand(p.b, !p.b_transposed, p.n()),
            {any(p.c), p.c.stride, p.accumulate, any(p.bias), any(p.add), p.add.stride},
            p.m(),
            p.n(),
            p.k()};
}

} // namespace

CudaBackend::CudaBackend(std::unique_ptr<Runtime> runtime)
    : runtime_(std::move(runtime)), workspace_(runtime_->allocate(kWorkspace))
{
    if (!workspace_)
    {
        throw std::bad_alloc();
    }
}

CudaBackend::~CudaBackend()
{
    runtime_->release(workspace_);
    runtime_->release(scratch_);
}

std::string CudaBackend::name() const
{
    return runtime_->name();
}

Tensor CudaBackend::scratch(DType type, Index rows, Index cols)
{
    const Index bytes = rows * cols * bytes_of(type);
    if (scratch_bytes_ < bytes)
    {
        runtime_->wait();
        runtime_->release(scratch_);
        scratch_ = runtime_->allocate(bytes);
        scratch_bytes_ = scratch_ ? bytes : 0;
        if (!scratch_)
        {
            throw std::bad_alloc();
        }
    }
    return tensor(scratch_, type, rows, cols);
}

void* CudaBackend::room(Index bytes)
{
    return bytes <= kWorkspace ? workspace_ : scratch(DType::f32, 1, (bytes + 3) / 4).data;
}

template <class... Parameters, class... Arguments>
void CudaBackend::launch_shared(void (*kernel)(Parameters...), dim3 grid, unsigned threads,
                                std::size_t shared, Arguments... arguments)
{
    runtime_->allow_shared(reinterpret_cast<const void*>(kernel), static_cast<Index>(shared));
    launch(kernel, grid, threads, shared, runtime_->stream(), arguments...);
}

// Tensor cores take one format, or two of 8 bits.
Tensor CudaBackend::in_format_of(const Tensor& a, const Tensor& b)
{
    if (a.type == b.type || (has_scales(a.type) && has_scales(b.type)))
    {
        return a;
    }
    const Tensor to = scratch(b.type, a.rows, a.cols);
    run(Convert{.from = a, .to = to});
    return to;
}

void CudaBackend::run(const Product& p)
{
    Product ready = p;
    ready.a = in_format_of(p.a, p.b);
    if (runtime_->product(ready, workspace_, kWorkspace))
    {
        return;
    }
    const ProductShape shape = shape_of(ready, ready.a);
    const dim3 grid(static_cast<unsigned>((p.n() + kTile - 1) / kTile),
                    static_cast<unsigned>((p.m() + kTile - 1) / kTile));
    switch (ready.a.type)
    {
    case DType::f32:
        launch(plain_product_kernel, grid, kPlainThreads, 0, runtime_->stream(), shape);
        break;
    case DType::bf16:
        launch(tensor_product_kernel<Bf16>, grid, kTensorThreads, 0, runtime_->stream(), shape);
        break;
    default:
        launch(tensor_product_kernel<F16>, grid, kTensorThreads, 0, runtime_->stream(), shape);
    }
}

void CudaBackend::run(const Embed& e)
{
    const Index elements = e.out.elements();
    in_type(e.out.type,
            [&]<class T>(T)
            {
                launch(embed_kernel<T>, blocks(elements, kThreads), kThreads, 0, runtime_->stream(), e.tokens,
                       as<T>(e.table), as<T>(e.positions), as<T>(e.out), e.length, e.cut, e.out.cols,
                       elements, e.first_token, e.table.rows);
            });
}

void CudaBackend::run(const EmbedBackward& e)
{
    const Tensor& g = e.gradient;
    in_type(g.type,
            [&]<class T>(T)
            {
                launch(embed_words_kernel<T>, static_cast<unsigned>(e.table_gradient.rows), kWideThreads, 0,
                       runtime_->stream(), e.tokens, as<T>(g), any(e.table_gradient), g.rows, g.cols,
                       e.first_token);
                if (e.position_gradient)
                {
                    launch(embed_positions_kernel<T>, blocks(e.length * g.cols, kThreads), kThreads, 0,
                           runtime_->stream(), as<T>(g), any(e.position_gradient), g.rows, e.length, e.cut,
                           g.cols);
                }
            });
}

// 8-bit rows are made of floats, which are all there before a row's scale is known.
Tensor CudaBackend::before_rounding(const Tensor& out)
{
    return has_scales(out.type) ? scratch(DType::f32, out.rows, out.cols) : out;
}

void CudaBackend::run(const NormForward& n)
{
    const Tensor out = before_rounding(n.out);
    const auto run_as = [&]<class T, class Out>(T, Out)
    {
        launch(norm_kernel<T, Out>, blocks(n.x.rows, kRowThreads / kWarp), kRowThreads, 0, runtime_->stream(),
               as<T>(n.x), as<T>(n.gain), as<T>(n.bias), as<Out>(out), n.statistics, n.x.rows, n.x.cols);
    };
    in_type(n.x.type,
            [&]<class T>(T type) { out.type == n.x.type ? run_as(type, T{}) : run_as(type, 0.0F); });
    if (has_scales(n.out.type))
    {
        run(Convert{.from = out, .to = n.out});
    }
}

// bias += sums of the rows; with a norm also gain += sums of gradient x normed x.
void CudaBackend::sum_columns(const Tensor& gradient, const NormBackward* norm, const Tensor& gain,
                              const Tensor& bias)
{
    const Index cols = gradient.cols;
    const Index parts = std::clamp<Index>(gradient.rows / 64, 1, kMostParts);
    auto* sums = static_cast<float*>(workspace_);
    const dim3 grid(blocks(cols, kSumCols).x, static_cast<unsigned>(parts));
    in_type(gradient.type,
            [&]<class T>(T)
            {
                launch(column_parts_kernel<T>, grid, dim3(kSumCols, kSumRows), 0, runtime_->stream(),
                       as<T>(gradient), norm ? as<T>(norm->x) : nullptr, norm ? norm->statistics : nullptr,
                       norm != nullptr && norm->layernorm(), sums, gradient.rows, cols);
            });
    const auto add = [&](const float* from, const Tensor& to)
    {
        if (to)
        {
            launch(add_parts_kernel, blocks(cols, kThreads), kThreads, 0, runtime_->stream(), from,
                   static_cast<int>(parts), any(to), cols);
        }
    };
    add(sums, bias);
    add(sums + parts * cols, gain);
}

void CudaBackend::run(const NormBackward& n)
{
    sum_columns(n.gradient, &n, n.gain_gradient, n.bias_gradient);
    in_type(n.x.type,
            [&]<class T>(T)
            {
                launch(norm_backward_kernel<T>, blocks(n.x.rows, kRowThreads / kWarp), kRowThreads, 0,
                       runtime_->stream(), as<T>(n.gradient), as<T>(n.x), as<T>(n.gain), n.statistics,
                       as<T>(n.dx), n.layernorm(), n.x.rows, n.x.cols);
            });
}

void CudaBackend::run(const SumRows& s)
{
    sum_columns(s.gradient, nullptr, {}, s.bias_gradient);
}

void CudaBackend::run(const Rope& r)
{
    const Index pairs = r.heads.cols / 2;
    const Index elements = r.heads.rows * pairs;
    in_type(r.heads.type,
            [&]<class T>(T)
            {
                launch(rope_kernel<T>, blocks(elements, kThreads), kThreads, 0, runtime_->stream(),
                       as<T>(r.heads), r.heads.stride, r.head_dim / 2, pairs, r.length, r.cut,
                       r.backwards ? -1.0F : 1.0F, elements);
            });
}

void CudaBackend::run(const Activation& a)
{
    const Tensor out = before_rounding(a.out);
    const Index elements = out.elements();
    const auto run_as = [&]<class T, class Out>(T, Out)
    {
        launch(activation_kernel<T, Out>, blocks(elements, kThreads), kThreads, 0, runtime_->stream(),
               as<T>(a.pre), as<Out>(out), a.gated(), out.cols, elements);
    };
    in_type(a.pre.type,
            [&]<class T>(T type) { out.type == a.pre.type ? run_as(type, T{}) : run_as(type, 0.0F); });
    if (has_scales(a.out.type))
    {
        run(Convert{.from = out, .to = a.out});
    }
}

void CudaBackend::run(const ActivationBackward& a)
{
    const Index elements = a.gradient.elements();
    in_type(a.pre.type,
            [&]<class T>(T)
            {
                launch(activation_backward_kernel<T>, blocks(elements, kThreads), kThreads, 0,
                       runtime_->stream(), as<T>(a.pre), as<T>(a.gradient), as<T>(a.dpre),
                       a.pre.cols == 2 * a.gradient.cols, a.gradient.cols, elements);
            });
}

void CudaBackend::run(const Route& r)
{
    launch(route_kernel, static_cast<unsigned>(r.sequences()), kRouteThreads, 0, runtime_->stream(), r);
}

void CudaBackend::run(const RouteBackward& b)
{
    in_type(b.gradient.type,
            [&]<class T>(T)
            {
                launch(route_backward_kernel<T>, blocks(b.gradient.rows, kRowThreads / kWarp), kRowThreads, 0,
                       runtime_->stream(), b.forward, as<T>(b.gradient), as<T>(b.given), as<float>(b.dlogits),
                       b.balance, b.gradient.cols);
            });
}

void CudaBackend::run(const Dispatch& d)
{
    const Index elements = d.from.elements() * d.chosen;
    launch(dispatch_kernel, blocks(elements, kThreads), kThreads, 0, runtime_->stream(), d, elements);
}

void CudaBackend::run(const Combine& c)
{
    const Index elements = c.out.elements();
    in_type(c.out.type,
            [&]<class T>(T) {
                launch(combine_kernel<T>, blocks(elements, kThreads), kThreads, 0, runtime_->stream(), c,
                       elements);
            });
}

void CudaBackend::run(const CrossEntropy& c)
{
    launch(cross_entropy_kernel, static_cast<unsigned>(c.logits.rows), kWideThreads, 0, runtime_->stream(),
           c);
}

void CudaBackend::run(const LogitStatistics& s)
{
    launch(logit_statistics_kernel, static_cast<unsigned>(s.logits.rows), kWideThreads, 0, runtime_->stream(),
           s);
}

void CudaBackend::run(const Add& a)
{
    launch(add_kernel, blocks(a.to.elements(), kThreads), kThreads, 0, runtime_->stream(), any(a.from),
           any(a.to), a.to.elements());
}

void CudaBackend::run(const Convert& c)
{
    if (has_scales(c.to.type))
    {
        launch(convert_row_kernel, static_cast<unsigned>(c.to.rows), kWideThreads, 0, runtime_->stream(),
               c.from, c.to, c.transposed);
        return;
    }
    launch(convert_kernel, blocks(c.to.elements(), kThreads), kThreads, 0, runtime_->stream(), c.from, c.to,
           c.transposed);
}

void CudaBackend::run(const Update& u)
{
    launch(update_kernel, blocks(u.elements, kThreads), kThreads, 0, runtime_->stream(), u);
}

double CudaBackend::sum_of_squares(const void* data, DType type, Index elements)
{
    auto* parts = static_cast<double*>(workspace_);
    const unsigned count = std::min<unsigned>(kSquareBlocks, blocks(elements, kSquareThreads).x);
    launch(squares_kernel, count, kSquareThreads, 0, runtime_->stream(), Any{const_cast<void*>(data), type},
           parts, elements);
    std::array<double, kSquareBlocks> sums{};
    runtime_->download(sums.data(), parts, static_cast<Index>(count * sizeof(double)));
    double sum = 0;
    for (const double part : sums)
    {
        sum += part;
    }
    return sum;
}

void CudaBackend::count_exponents(const Tensor& t, std::array<std::int64_t, 256>& counts)
{
    constexpr Index kMost = 65536;
    const Index step = std::max<Index>(1, t.elements() / kMost) | 1; // odd: not always the same columns
    std::array<int, 256> found{};
    runtime_->clear(workspace_, sizeof found);
    launch(exponents_kernel, blocks((t.elements() + step - 1) / step, kThreads), kThreads, 0,
           runtime_->stream(), any(t), t.stride, t.cols, step, t.elements(), static_cast<int*>(workspace_));
    runtime_->download(found.data(), workspace_, sizeof found);
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        counts[i] += found[i];
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda

#include "core/lab/trainer/cuda/cuda_attention_ops.h"
