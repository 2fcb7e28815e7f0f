#include "core/lab/ranks/communication/compressed_sum.h"

#include "core/lab/trainer/cpu/kernels/formats.h"
#include "core/network/compression/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace ringside::parallel
{

namespace
{

constexpr std::size_t kWordBits = 32;

std::size_t elements_at(const GradientBlock& block)
{
    return static_cast<std::size_t>(block.elements());
}

// Calls with (block, its gradient, its first element) for one block after the other.
template <class Each>
void each_block(const GradientShape& bucket, std::span<float> gradient, const Each& each)
{
    std::size_t first = 0;
    for (const GradientBlock& block : bucket)
    {
        each(block, gradient.subspan(first, elements_at(block)), first);
        first += elements_at(block);
    }
}

// For the blocks of a bucket one after the other: `factored` with (block, left factor, place of the right
// factor, shape, first element), `plain` with (block, its part of `left`, first element) where one is sent as
// it is.
template <class Factored, class Plain>
void each_factor(const GradientShape& bucket, std::span<float> gradient, std::int64_t most_rank,
                 std::vector<float>& left, const Factored& factored, const Plain& plain)
{
    std::size_t p = 0;
    std::size_t q = 0;
    each_block(
        bucket, gradient,
        [&](const GradientBlock& block, std::span<float> m, std::size_t first)
        {
            const auto rank = static_cast<std::size_t>(factor_rank(block, most_rank));
            const Factors f{static_cast<std::size_t>(block.rows), static_cast<std::size_t>(block.cols), rank};
            if (rank == 0)
            {
                plain(m, std::span(left).subspan(p, m.size()), first);
                p += m.size();
                return;
            }
            factored(m, std::span(left).subspan(p, f.rows * rank), q, f, first);
            p += f.rows * rank;
            q += f.cols * rank;
        });
}

std::span<float> right_of(std::vector<float>& all, std::size_t place, const Factors& f)
{
    return std::span(all).subspan(place, f.cols * f.rank);
}

} // namespace

CompressedSum::CompressedSum(const CompressionOptions& options, GradientShape bucket, Communicator& ranks,
                             std::span<float> left, std::uint64_t seed)
    : options_(options), bucket_(std::move(bucket)), calls_(bucket_calls(options, bucket_, ranks.ranks())),
      ranks_(ranks), left_(left), seed_(seed)
{
    if (options_.compressor == Compressor::power_sgd && calls_.size() > 1)
    {
        right_.resize(static_cast<std::size_t>(calls_[1].elements));
    }
}

void CompressedSum::keep_back(std::size_t element, float sent)
{
    if (!left_.empty())
    {
        left_[element] -= sent;
    }
}

void CompressedSum::all_reduce(std::span<float> gradient)
{
    assert(left_.empty() || left_.size() == gradient.size());
    ++step_;
    for (std::size_t i = 0; i < left_.size(); ++i)
    {
        gradient[i] += left_[i];
        left_[i] = gradient[i]; // less what is sent, see keep_back()
    }
    switch (options_.compressor)
    {
    case Compressor::fp16:
        sum_as(DType::f16, gradient);
        break;
    case Compressor::bf16:
        sum_as(DType::bf16, gradient);
        break;
    case Compressor::top_k:
        sum_largest(gradient);
        break;
    case Compressor::random_k:
        sum_random(gradient);
        break;
    case Compressor::sign:
        sum_signs(gradient);
        break;
    case Compressor::power_sgd:
        sum_factors(gradient);
        break;
    default:
        sum_as(DType::f32, gradient);
    }
    // What was not sent must not stay behind as something that never goes away.
    std::ranges::replace_if(
        left_, [](float v) { return !std::isfinite(v); }, 0.0F);
}

void CompressedSum::sum_as(DType type, std::span<float> gradient)
{
    const auto n = static_cast<Index>(gradient.size());
    std::vector<char> message(static_cast<std::size_t>(calls_.front().elements * bytes_of(type)));
    const trainer::Tensor wire = trainer::tensor(message.data(), type, 1, n);
    trainer::cpu::store(gradient.data(), wire, 0, 0, n);
    std::vector<float> wide(gradient.size());
    const float* sent = trainer::cpu::floats(wire, 0, 0, n, wide.data());
    for (std::size_t i = 0; i < left_.size(); ++i)
    {
        keep_back(i, sent[i]);
    }
    ranks_.all_reduce(message.data(), type, calls_.front().elements);
    std::copy_n(trainer::cpu::floats(wire, 0, 0, n, wide.data()), gradient.size(), gradient.begin());
}

// Every rank's words, one rank's after the other's.
CompressedSum::Words CompressedSum::gathered(const Words& own)
{
    const auto each = static_cast<Index>(own.size());
    Words all(own.size() * static_cast<std::size_t>(ranks_.ranks()));
    std::ranges::copy(own, all.begin() + each * ranks_.rank());
    ranks_.all_gather(own.data(), all.data(), DType::f32, each * ranks_.ranks());
    return all;
}

void CompressedSum::sum_largest(std::span<float> gradient)
{
    const std::int64_t k = calls_.front().elements / 2;
    auto places = largest_places(gradient, k);
    std::ranges::sort(places);
    Words own;
    for (const std::uint32_t place : places)
    {
        own.push_back(std::bit_cast<std::uint32_t>(gradient[place]));
        keep_back(place, gradient[place]);
    }
    own.insert(own.end(), places.begin(), places.end());
    const Words all = gathered(own);
    std::ranges::fill(gradient, 0.0F);
    const auto kept = static_cast<std::size_t>(k);
    for (std::size_t rank = 0; rank < all.size(); rank += own.size())
    {
        for (std::size_t i = rank; i < rank + kept; ++i)
        {
            gradient[all[i + kept]] += std::bit_cast<float>(all[i]);
        }
    }
}

void CompressedSum::sum_random(std::span<float> gradient)
{
    const std::int64_t k = kept_of(options_.keep, static_cast<std::int64_t>(gradient.size()));
    const auto places = random_places(gradient.size(), k, random_of_step(seed_, step_));
    // Without feedback the mean of what is sent must be the gradient.
    const float factor =
        left_.empty() ? static_cast<float>(static_cast<double>(gradient.size()) / static_cast<double>(k))
                      : 1.0F;
    std::vector<float> message(static_cast<std::size_t>(calls_.front().elements));
    for (std::size_t i = 0; i < places.size(); ++i)
    {
        message[i] = gradient[places[i]] * factor;
        keep_back(places[i], message[i]);
    }
    ranks_.all_reduce(message.data(), DType::f32, calls_.front().elements);
    std::ranges::fill(gradient, 0.0F);
    for (std::size_t i = 0; i < places.size(); ++i)
    {
        gradient[places[i]] = message[i];
    }
}

// Each block has a scale, its mean size; the bits of all blocks follow each other.
void CompressedSum::sum_signs(std::span<float> gradient)
{
    const std::size_t scales = bucket_.size();
    Words own;
    each_block(bucket_, gradient,
               [&](const GradientBlock&, std::span<float> block, std::size_t)
               { own.push_back(std::bit_cast<std::uint32_t>(mean_size(block))); });
    own.resize(static_cast<std::size_t>(calls_.front().elements));
    for (std::size_t i = 0; i < gradient.size(); ++i)
    {
        own[scales + i / kWordBits] |= (gradient[i] < 0 ? 1U : 0U) << (i % kWordBits);
    }
    const auto value = [&](const Words& words, std::size_t rank, std::size_t block, std::size_t i)
    {
        const auto scale = std::bit_cast<float>(words[rank + block]);
        return (words[rank + scales + i / kWordBits] >> (i % kWordBits) & 1U) != 0 ? -scale : scale;
    };
    const Words all = gathered(own);
    std::size_t at = 0;
    each_block(bucket_, gradient,
               [&](const GradientBlock&, std::span<float> block, std::size_t first)
               {
                   for (std::size_t i = 0; i < block.size(); ++i)
                   {
                       keep_back(first + i, value(own, 0, at, first + i));
                       block[i] = 0;
                       for (std::size_t rank = 0; rank < all.size(); rank += own.size())
                       {
                           block[i] += value(all, rank, at, first + i);
                       }
                   }
                   ++at;
               });
}

// Vogels et al. 2019, arXiv 1905.13727, Algorithms 1 and 2: both products are linear in the matrix, so the
// ranks' are simply added up. What a rank has sent is its own share of the second.
void CompressedSum::sum_factors(std::span<float> gradient)
{
    std::vector<float> left(static_cast<std::size_t>(calls_.front().elements));
    std::vector<float> own_right(right_.size());
    const auto each = [&](const auto& factored, const auto& plain)
    { each_factor(bucket_, gradient, options_.rank, left, factored, plain); };
    const auto keep_all = [&](std::span<float> m, std::size_t first)
    {
        for (std::size_t i = 0; i < m.size(); ++i)
        {
            keep_back(first + i, m[i]);
        }
    };
    each(
        [&](std::span<float> m, std::span<float> p, std::size_t q, const Factors& f, std::size_t)
        {
            redraw_empty(right_of(right_, q, f), f.rank, random_of_step(seed_ + q, step_));
            add_product(m, right_of(right_, q, f), p, f);
        },
        [&](std::span<float> m, std::span<float> p, std::size_t first)
        {
            std::ranges::copy(m, p.begin());
            keep_all(m, first);
        });
    ranks_.all_reduce(left.data(), DType::f32, calls_.front().elements);
    each(
        [&](std::span<float> m, std::span<float> p, std::size_t q, const Factors& f, std::size_t first)
        {
            orthonormalize(p, f.rank);
            add_transposed(m, p, right_of(own_right, q, f), f);
            outer(p, right_of(own_right, q, f), m, f);
            keep_all(m, first);
        },
        [](std::span<float> m, std::span<float> p, std::size_t) { std::ranges::copy(p, m.begin()); });
    if (right_.empty())
    {
        return;
    }
    right_ = std::move(own_right);
    ranks_.all_reduce(right_.data(), DType::f32, calls_[1].elements);
    each([&](std::span<float> m, std::span<float> p, std::size_t q, const Factors& f, std::size_t)
         { outer(p, right_of(right_, q, f), m, f); },
         [](std::span<float>, std::span<float>, std::size_t) {});
}

} // namespace ringside::parallel
