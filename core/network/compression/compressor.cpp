#include "core/network/compression/compressor.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/network/compression/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

float largest(std::span<const float> values)
{
    return largest_over<float>(values, [&](float v) { return std::abs(v); });
}

void keep_largest(std::span<const float> in, std::span<float> out, std::int64_t k)
{
    std::ranges::fill(out, 0.0F);
    for (const std::uint32_t place : largest_places(in, k))
    {
        out[place] = in[place];
    }
}

void keep_random(std::span<const float> in, std::span<float> out, std::int64_t k, float factor, SplitMix rng)
{
    std::ranges::fill(out, 0.0F);
    for (const std::uint32_t place : random_places(in.size(), k, rng))
    {
        out[place] = in[place] * factor;
    }
}

constexpr std::array<CompressorInfo, kCompressors> kInfo{{
    {"fp32", "None, FP32", "every element in four bytes", "", Travel::all_reduce, false},
    {"fp16", "FP16", "11 significant bits, nothing below 6e-8",
     "IEEE 754-2019, binary16; Micikevicius et al. 2017, arXiv 1710.03740", Travel::all_reduce, true},
    {"bf16", "BF16", "8 significant bits, the range of FP32", "Kalamkar et al. 2019, arXiv 1905.12322",
     Travel::all_reduce, true},
    {"fp8", "FP8, E4M3", "4 significant bits and one scale for all ranks, with room for their sum",
     "Micikevicius et al. 2022, arXiv 2209.05433, Table 1; one scale for all ranks: Peng et al. 2023, arXiv "
     "2310.18313, section 2.1",
     Travel::all_reduce, true},
    {"top-k", "Top-k", "the largest k elements, each with its index",
     "Aji and Heafield 2017, arXiv 1704.05021; Stich et al. 2018, arXiv 1809.07599, section 2",
     Travel::all_gather, true},
    {"random-k", "Random-k", "k elements drawn with a seed all ranks share, so no index is sent",
     "Stich et al. 2018, arXiv 1809.07599, section 2", Travel::all_reduce, true},
    {"sign", "Sign, scaled", "one bit each, and the mean size as one scale",
     "Seide et al. 2014 (Interspeech); Karimireddy et al. 2019, arXiv 1901.09847, Algorithm 1",
     Travel::all_gather, true},
    {"vote", "Sign, by vote", "one bit each; the majority decides, the step is fixed",
     "Bernstein et al. 2018, arXiv 1802.04434, majority vote; in two hops over owners: Tang et al. 2021, "
     "arXiv "
     "2102.02888 (1-bit Adam)",
     Travel::owners, false},
    {"powersgd", "PowerSGD", "two thin factors of rank r, one power iteration per step",
     "Vogels et al. 2019, arXiv 1905.13727, Algorithms 1 and 2", Travel::all_reduce, true},
}};

} // namespace

const CompressorInfo& info_of(Compressor compressor)
{
    return kInfo.at(static_cast<std::size_t>(compressor));
}

std::optional<Compressor> find_compressor(std::string_view id)
{
    const auto found = std::ranges::find(kInfo, id, &CompressorInfo::id);
    return found == kInfo.end() ? std::nullopt
                                : std::optional(static_cast<Compressor>(found - kInfo.begin()));
}

std::string label_of(const CompressionOptions& o)
{
    const std::string_view name = info_of(o.compressor).name;
    switch (o.compressor)
    {
    case Compressor::top_k:
    case Compressor::random_k:
        return fmt::format("{}, {}%", name, plain_number(o.keep * 100));
    case Compressor::power_sgd:
        return fmt::format("{}, rank {}", name, o.rank);
    default:
        return std::string(name);
    }
}

bool feeds_back(const CompressionOptions& options)
{
    return options.feedback && info_of(options.compressor).feeds_back;
}

CompressionOptions essential(CompressionOptions o)
{
    CompressionOptions plain;
    plain.compressor = o.compressor;
    plain.feedback = feeds_back(o);
    if (o.compressor == Compressor::top_k || o.compressor == Compressor::random_k)
    {
        plain.keep = o.keep;
    }
    if (o.compressor == Compressor::top_k)
    {
        plain.packed_indices = o.packed_indices;
    }
    if (o.compressor == Compressor::power_sgd)
    {
        plain.rank = o.rank;
    }
    return plain;
}

std::int64_t kept_of(double keep, std::int64_t elements)
{
    const auto k = static_cast<std::int64_t>(std::llround(keep * static_cast<double>(elements)));
    return std::clamp<std::int64_t>(k, 1, std::max<std::int64_t>(1, elements));
}

double norm(std::span<const float> values)
{
    const double sum =
        sum_over(values, [&](float v) { return static_cast<double>(v) * static_cast<double>(v); });
    return std::sqrt(sum);
}

double distance(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += d * d;
    }
    return std::sqrt(sum);
}

CompressedGroup::CompressedGroup(const CompressionOptions& options, std::int64_t rows, std::int64_t cols,
                                 std::size_t ranks, std::uint64_t seed)
    : options_(options), rows_(rows), cols_(cols), seed_(seed)
{
    const auto n = static_cast<std::size_t>(rows * cols);
    put_in_.assign(ranks, Values(n));
    sent_ = left_ = put_in_;
    result_.resize(n);
    options_.rank = std::clamp<std::int64_t>(options.rank, 1, std::min(rows, cols));
    q_.resize(static_cast<std::size_t>(cols * options_.rank));
}

void CompressedGroup::send(std::span<const Values> gradients)
{
    const bool keeps = feeds_back(options_);
    for (std::size_t r = 0; r < put_in_.size(); ++r)
    {
        for (std::size_t i = 0; i < put_in_[r].size(); ++i)
        {
            put_in_[r][i] = gradients[r][i] + (keeps ? left_[r][i] : 0.0F);
        }
    }
    ++step_;
    switch (options_.compressor)
    {
    case Compressor::vote:
        vote();
        break;
    case Compressor::power_sgd:
        power_sgd();
        add_up();
        break;
    default:
        send_each();
        add_up();
    }
    for (std::size_t r = 0; r < put_in_.size(); ++r)
    {
        for (std::size_t i = 0; i < put_in_[r].size(); ++i)
        {
            left_[r][i] = put_in_[r][i] - sent_[r][i];
        }
    }
}

void CompressedGroup::forget()
{
    for (Values& v : left_)
    {
        std::ranges::fill(v, 0.0F);
    }
}

void CompressedGroup::send_each()
{
    const std::int64_t n = rows_ * cols_;
    const std::int64_t k = kept_of(options_.keep, n);
    const float factor =
        feeds_back(options_) ? 1.0F : static_cast<float>(static_cast<double>(n) / static_cast<double>(k));
    const float most = largest_over<float>(put_in_, [&](const Values& v) { return largest(v); });
    // The sum over all ranks must not overflow on its way.
    const float scale = most > 0 ? kLargestE4m3 / (most * static_cast<float>(put_in_.size())) : 1;
    for (std::size_t r = 0; r < put_in_.size(); ++r)
    {
        const Values& in = put_in_[r];
        Values& out = sent_[r];
        const auto each = [&](auto&& f) { std::transform(in.begin(), in.end(), out.begin(), f); };
        switch (options_.compressor)
        {
        case Compressor::fp16:
            each(round_to_fp16);
            break;
        case Compressor::bf16:
            each(round_to_bf16);
            break;
        case Compressor::fp8:
            each([&](float v) { return round_to_e4m3(v * scale) / scale; });
            break;
        case Compressor::top_k:
            keep_largest(in, out, k);
            break;
        case Compressor::random_k:
            keep_random(in, out, k, factor, random_of_step(seed_, step_));
            break;
        case Compressor::sign:
            each([unit = mean_size(in)](float v) { return signed_unit(v, unit); });
            break;
        default:
            out = in;
        }
    }
}

// Every rank gets sign(sum of signs) times a fixed step; a draw counts as positive.
void CompressedGroup::vote()
{
    if (unit_ == 0)
    {
        for (const Values& v : put_in_)
        {
            unit_ += mean_size(v) / static_cast<float>(put_in_.size());
        }
    }
    std::ranges::fill(result_, 0.0F);
    for (std::size_t r = 0; r < put_in_.size(); ++r)
    {
        for (std::size_t i = 0; i < result_.size(); ++i)
        {
            sent_[r][i] = signed_unit(put_in_[r][i], unit_);
            result_[i] += signed_unit(put_in_[r][i], 1);
        }
    }
    for (float& v : result_)
    {
        v = signed_unit(v, unit_);
    }
}

// Both products are linear in the matrix, so the ranks' are simply added up by all-reduces. What a rank has
// sent is its own share of the second, P transposed(Q of the rank), as Algorithm 2 memorizes it.
void CompressedGroup::power_sgd()
{
    const auto rank = static_cast<std::size_t>(options_.rank);
    const Factors f{static_cast<std::size_t>(rows_), static_cast<std::size_t>(cols_), rank};
    redraw_empty(q_, rank, random_of_step(seed_, step_));
    Values p(static_cast<std::size_t>(rows_) * rank);
    for (const Values& m : put_in_)
    {
        add_product(m, q_, p, f);
    }
    orthonormalize(p, rank);
    std::ranges::fill(q_, 0.0F);
    for (std::size_t r = 0; r < put_in_.size(); ++r)
    {
        Values own(q_.size());
        add_transposed(put_in_[r], p, own, f);
        outer(p, own, sent_[r], f);
        for (std::size_t i = 0; i < q_.size(); ++i)
        {
            q_[i] += own[i] / static_cast<float>(put_in_.size());
        }
    }
}

void CompressedGroup::add_up()
{
    for (std::size_t i = 0; i < result_.size(); ++i)
    {
        const float sum = sum_over<float>(sent_, [&](const Values& v) { return v[i]; });
        result_[i] = sum / static_cast<float>(sent_.size());
    }
}

} // namespace ringside
