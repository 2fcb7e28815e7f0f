// CUDA's attention on tensor cores, run on this processor by the shim, against plain loops in double
// precision; and what the shim's tensor cores do themselves.
#include "tests/core/lab/cuda_shim/shim_runtime.h"

#include "core/base/random.h"
#include "core/lab/trainer/cuda/cuda_backend.h"
#include "core/lab/trainer/cuda/mma.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ringside;
using namespace ringside::trainer;
using trainer::cuda::Bf16;
using trainer::cuda::CudaBackend;
using trainer::cuda::F16;
using trainer::cuda::Piece;
using trainer::cuda::ShimRuntime;

namespace
{

using Numbers = std::vector<double>;

struct Shape
{
    Index sequences;
    Index length;
    Index heads;
    Index kv_heads;
    Index head_dim;

    Index rows() const { return sequences * length; }
    Index out_cols() const { return heads * head_dim; }
    Index cols() const { return (heads + 2 * kv_heads) * head_dim; }
};

template <class T>
std::vector<T> random_halves(Index count, std::uint64_t key, float size)
{
    std::vector<T> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        all[i] = cuda::from_float<T>(size * static_cast<float>(2 * random_unit(key, i) - 1));
    }
    return all;
}
template <class T>
Numbers numbers(const std::vector<T>& halves)
{
    Numbers all;
    std::ranges::transform(halves, std::back_inserter(all),
                           [](T x) { return static_cast<double>(cuda::to_float(x)); });
    return all;
}

// Plain loops: O, L and the gradient of Q, K and V for a gradient of O.
struct Plain
{
    const Shape& s;
    Numbers qkv;
    Numbers gradient;
    Numbers out = Numbers(static_cast<std::size_t>(s.rows() * s.out_cols()));
    Numbers log_sums = Numbers(static_cast<std::size_t>(s.rows() * s.heads));
    Numbers dqkv = Numbers(static_cast<std::size_t>(s.rows() * s.cols()));

    void run()
    {
        for (Index row = 0; row < s.rows(); ++row)
        {
            for (Index head = 0; head < s.heads; ++head)
            {
                query(row, head);
            }
        }
    }

private:
    // Of a token's query, key (1) and value (2) of a head.
    std::size_t at(Index row, Index head, int which) const
    {
        const Index kv = head / (s.heads / s.kv_heads);
        const Index part = which == 0 ? head : s.heads + (which - 1) * s.kv_heads + kv;
        return static_cast<std::size_t>(row * s.cols() + part * s.head_dim);
    }
    double dot(const Numbers& a, std::size_t i, const Numbers& b, std::size_t j) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(s.head_dim); ++k)
        {
            sum += a[i + k] * b[j + k];
        }
        return sum;
    }
    void add(Numbers& to, std::size_t i, double weight, const Numbers& from, std::size_t j) const
    {
        for (std::size_t k = 0; k < static_cast<std::size_t>(s.head_dim); ++k)
        {
            to[i + k] += weight * from[j + k];
        }
    }
    void query(Index row, Index head)
    {
        const double scale = 1 / std::sqrt(static_cast<double>(s.head_dim));
        const Index first = row / s.length * s.length;
        Numbers p;
        double sum = 0;
        for (Index key = first; key <= row; ++key)
        {
            p.push_back(std::exp(scale * dot(qkv, at(row, head, 0), qkv, at(key, head, 1))));
            sum += p.back();
        }
        const auto o = static_cast<std::size_t>(row * s.out_cols() + head * s.head_dim);
        log_sums[static_cast<std::size_t>(row * s.heads + head)] = std::log(sum);
        for (Index key = first; key <= row; ++key)
        {
            double& share = p[static_cast<std::size_t>(key - first)];
            share /= sum;
            add(out, o, share, qkv, at(key, head, 2));
        }
        const double shared = dot(out, o, gradient, o);
        for (Index key = first; key <= row; ++key)
        {
            const double share = p[static_cast<std::size_t>(key - first)];
            const double ds = share * (dot(gradient, o, qkv, at(key, head, 2)) - shared) * scale;
            add(dqkv, at(key, head, 2), share, gradient, o);
            add(dqkv, at(row, head, 0), ds, qkv, at(key, head, 1));
            add(dqkv, at(key, head, 1), ds, qkv, at(row, head, 0));
        }
    }
};

template <class T>
struct Found
{
    std::vector<T> out;
    std::vector<T> dqkv;
    std::vector<float> log_sums;
};

template <class T>
Found<T> by_kernels(const Shape& s, DType type, std::vector<T> qkv, std::vector<T> gradient)
{
    CudaBackend backend(std::make_unique<ShimRuntime>());
    Found<T> found{random_halves<T>(s.rows() * s.out_cols(), 7, 1),
                   random_halves<T>(s.rows() * s.cols(), 8, 1),
                   std::vector<float>(static_cast<std::size_t>(s.rows() * s.heads))};
    const Attention a{.qkv = tensor(qkv.data(), type, s.rows(), s.cols()),
                      .out = tensor(found.out.data(), type, s.rows(), s.out_cols()),
                      .log_sums = found.log_sums.data(),
                      .length = s.length,
                      .heads = s.heads,
                      .kv_heads = s.kv_heads,
                      .head_dim = s.head_dim};
    backend.run(a);
    backend.run(AttentionBackward{.forward = a,
                                  .gradient = tensor(gradient.data(), type, s.rows(), s.out_cols()),
                                  .dqkv = tensor(found.dqkv.data(), type, s.rows(), s.cols())});
    return found;
}

// Largest difference over the largest number of the plain ones.
double furthest(const Numbers& found, const Numbers& wanted)
{
    REQUIRE(found.size() == wanted.size());
    double most = 0;
    double size = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        const double difference = std::abs(found[i] - wanted[i]);
        most = difference <= most ? most : difference; // NaN becomes the most
        size = std::max(size, std::abs(wanted[i]));
    }
    return most / size;
}

template <class T>
void check_attention(const Shape& s, DType type, double rounding)
{
    CAPTURE(s.sequences, s.length, s.heads, s.kv_heads, s.head_dim, rounding);
    const auto qkv = random_halves<T>(s.rows() * s.cols(), 1, 2);
    const auto gradient = random_halves<T>(s.rows() * s.out_cols(), 2, 1);
    Plain plain{.s = s, .qkv = numbers(qkv), .gradient = numbers(gradient)};
    plain.run();
    const Found<T> found = by_kernels<T>(s, type, qkv, gradient);
    CHECK(furthest(numbers(found.out), plain.out) < rounding);
    CHECK(furthest({found.log_sums.begin(), found.log_sums.end()}, plain.log_sums) < 1e-5);
    // D is made of rounded outputs, dS is rounded on the way, and so is what comes out.
    CHECK(furthest(numbers(found.dqkv), plain.dqkv) < 2 * rounding);
}

// c = a b of 16 x 16 by 16 x 16, as the kernels load and store them.
__global__ void multiply_pieces(const Bf16* a, const Bf16* b, bool turned, float* c)
{
    float sums[2][4] = {};
    const Piece left = cuda::rows_at(a, 24);
    const Piece right = turned ? cuda::turned_columns_at(b, 24) : cuda::columns_at(b, 24);
    cuda::multiply_add<Bf16>(sums[0], left, right.bits[0], right.bits[1]);
    cuda::multiply_add<Bf16>(sums[1], left, right.bits[2], right.bits[3]);
    for (int i = 0; i < 8; ++i)
    {
        c[cuda::row_of(i % 4) * 16 + i / 4 * 8 + cuda::column_of(i % 4)] = sums[i / 4][i % 4];
    }
}

__global__ void copy_and_read(const float* from, bool waits, float* to)
{
    __shared__ __align__(16) float room[4];
    room[0] = -1;
    cuda::start_copy(room, from, true);
    cuda::end_group();
    if (waits)
    {
        cuda::wait_for_copies<0>();
    }
    to[0] = room[0];
}

__global__ void load_from_between(const Bf16* from)
{
    cuda::rows_at(from + 1, 24);
}

} // namespace

TEST_CASE("the shim's tensor cores multiply what lies in memory either way")
{
    constexpr int kStride = 24;
    alignas(16) std::array<Bf16, std::size_t{16} * kStride> a{};
    alignas(16) std::array<Bf16, std::size_t{16} * kStride> b{};
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        a.at(i) = cuda::from_float<Bf16>(static_cast<float>(i % 13) - 6);
        b.at(i) = cuda::from_float<Bf16>(static_cast<float>(i % 11) - 5);
    }
    for (const bool turned : {false, true})
    {
        std::array<float, 256> c{};
        cuda::launch(multiply_pieces, 1, 32, 0, 0, a.data(), b.data(), turned, c.data());
        for (std::size_t i = 0; i < 256; ++i)
        {
            float sum = 0;
            for (std::size_t k = 0; k < 16; ++k)
            {
                const Bf16 right = turned ? b.at(k * kStride + i % 16) : b.at(i % 16 * kStride + k);
                sum += cuda::to_float(a.at(i / 16 * kStride + k)) * cuda::to_float(right);
            }
            CHECK(c.at(i) == sum);
        }
    }
}

TEST_CASE("the shim finds a copy that is not waited for, and rows that ldmatrix cannot load")
{
    alignas(16) std::array<float, 4> from{3, 0, 0, 0};
    std::array<float, 2> to{};
    cuda::launch(copy_and_read, 1, 1, 0, 0, from.data(), false, to.data());
    cuda::launch(copy_and_read, 1, 1, 0, 0, from.data(), true, &to[1]);
    CHECK(to == std::array<float, 2>{-1, 3});
    alignas(16) std::array<Bf16, 400> rows{};
    CHECK_THROWS(cuda::launch(load_from_between, 1, 32, 0, 0, rows.data()));
}

TEST_CASE("attention on tensor cores is plain loops in double precision, up to the format's rounding")
{
    // Twice half a unit in the last place: probabilities are rounded on the way, and so is what comes out.
    for (const Shape& s : {Shape{1, 1, 1, 1, 64}, Shape{2, 70, 2, 1, 64}, Shape{1, 200, 4, 2, 64},
                           Shape{1, 33, 1, 1, 128}, Shape{2, 129, 2, 1, 128}, Shape{1, 64, 3, 3, 128}})
    {
        check_attention<Bf16>(s, DType::bf16, 0x1p-8);
        check_attention<F16>(s, DType::f16, 0x1p-11);
    }
}

TEST_CASE("attention on tensor cores gives the same bits in any order of threads")
{
    const Shape s{1, 150, 2, 1, 64};
    const auto qkv = random_halves<Bf16>(s.rows() * s.cols(), 1, 2);
    const auto gradient = random_halves<Bf16>(s.rows() * s.out_cols(), 2, 1);
    const auto bits = [&](shim::Order order)
    {
        shim::set_order(order);
        const auto found = by_kernels<Bf16>(s, DType::bf16, qkv, gradient);
        shim::set_order(shim::Order::forwards);
        Numbers all = numbers(found.out);
        std::ranges::copy(numbers(found.dqkv), std::back_inserter(all));
        return all;
    };
    const Numbers forwards = bits(shim::Order::forwards);
    CHECK(bits(shim::Order::backwards) == forwards);
    CHECK(bits(shim::Order::shuffled) == forwards);
}
