// Gradient compression: worked by hand, then against every code of the narrow formats, the papers' identities
// and counterexamples, and what must hold for any gradient.
#include "tests/core/random_scenarios.h"

#include "core/base/random.h"
#include "core/evaluate/report.h"
#include "core/network/compression/arithmetic.h"
#include "core/network/compression/run.h"
#include "core/network/traffic.h"
#include "core/performance/compression/wire.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ringside;
using Catch::Approx;

namespace
{

CompressionOptions with(Compressor compressor, bool feedback = true)
{
    CompressionOptions o;
    o.compressor = compressor;
    o.feedback = feedback;
    return o;
}

constexpr std::int64_t kThousand = 1000;
const GradientShape kVector{{kThousand, 1, 1}};
const GradientShape kMatrix{{100, 50, 1}};

Values random_values(std::size_t count, std::uint64_t seed)
{
    SplitMix rng(seed);
    Values values(count);
    for (float& v : values)
    {
        v = static_cast<float>(rng.normal());
    }
    return values;
}

// What a group of one sends of these values, laid out as one row unless said.
Values compressed(const CompressionOptions& o, const Values& values, std::int64_t rows = 1)
{
    CompressedGroup group(o, rows, static_cast<std::int64_t>(values.size()) / rows, 1);
    group.send({&values, 1});
    return group.sent(0);
}

// All finite values of a format with these bits, from its definition: codes in ascending order from zero.
std::vector<double> values_of(int exponent_bits, int fraction_bits, double largest)
{
    std::vector<double> values;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    for (int code = 0; code < 1 << (exponent_bits + fraction_bits); ++code)
    {
        const int exponent = code >> fraction_bits;
        const double fraction = std::ldexp(code & ((1 << fraction_bits) - 1), -fraction_bits);
        const double value =
            exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
        if (value <= largest)
        {
            values.push_back(value);
        }
    }
    return values;
}

// Every value stays, every middle goes to the even code, everything else to the nearer one.
void check_rounding(float (*round)(float), const std::vector<double>& values)
{
    for (std::size_t code = 0; code + 1 < values.size(); ++code)
    {
        const auto low = static_cast<float>(values[code]);
        const auto high = static_cast<float>(values[code + 1]);
        const float middle = low + (high - low) / 2;
        for (const float sign : {1.0F, -1.0F})
        {
            const float even = code % 2 == 0 ? low : high;
            REQUIRE(round(sign * low) == sign * low);
            REQUIRE(round(sign * middle) == sign * even);
            REQUIRE(round(sign * std::nextafter(middle, low)) == sign * low);
            REQUIRE(round(sign * std::nextafter(middle, high)) == sign * high);
        }
    }
}

} // namespace

TEST_CASE("hand-worked: a thousand values on the wire, and the base every ratio is taken against")
{
    const auto bytes = [](const CompressionOptions& o) { return wire_size(o, kVector).total().value; };
    CHECK(bytes(with(Compressor::none)) == 4000);
    CHECK(bytes(with(Compressor::fp16)) == 2000);
    CHECK(bytes(with(Compressor::bf16)) == 2000);
    CHECK(bytes(with(Compressor::fp8)) == 1000 + 4);
    CHECK(bytes(with(Compressor::sign)) == 125 + 4);
    CHECK(bytes(with(Compressor::vote)) == 125);
    // k = 10: ten values of 4 bytes, and 4 bytes or 10 bits (2^10 = 1024) for each place.
    CHECK(bytes(with(Compressor::top_k)) == 10 * 8);
    CompressionOptions packed = with(Compressor::top_k);
    packed.packed_indices = true;
    CHECK(wire_size(packed, kVector).indices.value == 13); // 100 bits
    CHECK(bytes(packed) == 40 + 13);
    CHECK(bytes(with(Compressor::random_k)) == 40);

    const WireRatio sign = wire_ratio(with(Compressor::vote), kVector);
    CHECK(sign.of_fp32 == 32);
    CHECK(sign.of_bf16 == 16);
    const WireRatio half = wire_ratio(with(Compressor::fp16), kVector);
    CHECK(half.of_fp32 == 2);
    CHECK(half.of_bf16 == 1);
    const WireRatio top = wire_ratio(with(Compressor::top_k), kVector);
    CHECK(top.of_fp32 == 50); // one percent is not a hundredth of the bytes
    CHECK(top.of_bf16 == 25);
}

TEST_CASE("hand-worked: PowerSGD sends r (rows + columns) numbers, vectors as they are")
{
    CHECK(wire_size(with(Compressor::power_sgd), kMatrix).total().value == 4 * 2 * 150);
    CHECK(wire_ratio(with(Compressor::power_sgd), kMatrix).of_fp32 == Approx(5000.0 / 300));
    CHECK(wire_size(with(Compressor::power_sgd), kVector).total().value == 4000);
    CHECK(wire_size(with(Compressor::power_sgd), {{100, 50, 3}, {100, 1, 2}}).total().value ==
          3 * 1200 + 2 * 400);
    CompressionOptions wide = with(Compressor::power_sgd);
    wide.rank = 64;
    CHECK(wire_size(wide, kMatrix).total().value == 4 * 5000); // never more than the matrix
}

TEST_CASE("index bits are the logarithm, rounded up")
{
    CHECK(index_bits(1) == 0);
    CHECK(index_bits(2) == 1);
    CHECK(index_bits(1024) == 10);
    CHECK(index_bits(1025) == 11);
    CHECK(index_bits(1536) == 11);
    CHECK(index_bits(70'000'000'000) == 37); // 32-bit indices no longer reach
}

TEST_CASE("hand-worked: what is gathered grows with the ranks and loses to a dense ring at 2 x the ratio")
{
    const Bytes part(80.0);
    CHECK(sent_per_rank(Travel::all_reduce, Bytes(4000.0), 8).value == 2 * 7.0 / 8 * 4000);
    CHECK(sent_per_rank(Travel::all_gather, part, 8).value == 7 * 80);
    CHECK(sent_per_rank(Travel::owners, Bytes(125.0), 8).value == 2 * 7.0 / 8 * 125);
    CHECK(gather_crossover(part, Bytes(4000.0)) == 100); // against FP32
    CHECK(gather_crossover(part, Bytes(2000.0)) == 50);  // against BF16
    for (const std::int64_t ranks : {2, 49, 50, 51, 1000})
    {
        const double gathered = sent_per_rank(Travel::all_gather, part, ranks).value;
        const double dense = sent_per_rank(Travel::all_reduce, Bytes(2000.0), ranks).value;
        CHECK((gathered < dense * (1 - 1e-12)) == (ranks < 50));
    }
    CHECK(sent_per_rank(Travel::all_gather, part, 1).value == 0);
    // 7 steps of 5 us and 560 B at 1 GB/s; a ring takes 14 steps.
    const Link link{Seconds(5e-6), BytesPerSecond(1e9)};
    CHECK(wire_time(Travel::all_gather, part, 8, link).value == Approx(7 * 5e-6 + 560e-9));
    CHECK(wire_time(Travel::all_reduce, part, 8, link).value == Approx(14 * 5e-6 + 140e-9));
}

TEST_CASE("hand-worked roundings: ties to even, subnormals, the ends of the range")
{
    CHECK(round_to_bf16(1.00390625F) == 1.0F);      // 1 + 2^-8 lies between 1 and 1 + 2^-7
    CHECK(round_to_bf16(1.01171875F) == 1.015625F); // 1 + 3 x 2^-8 goes up to the even 1 + 2^-6
    CHECK(round_to_bf16(0.1F) == 0.10009765625F);
    CHECK(round_to_bf16(std::numeric_limits<float>::max()) == std::numeric_limits<float>::infinity());
    CHECK(round_to_fp16(65504) == 65504.0F);
    CHECK(round_to_fp16(65519) == 65504.0F);
    CHECK(round_to_fp16(65520) == std::numeric_limits<float>::infinity());
    CHECK(round_to_fp16(-1e9F) == -std::numeric_limits<float>::infinity());
    CHECK(round_to_fp16(std::ldexp(1.0F, -24)) == std::ldexp(1.0F, -24)); // the smallest
    CHECK(round_to_fp16(std::ldexp(1.0F, -25)) == 0.0F);                  // half of it is a tie
    CHECK(round_to_fp16(std::ldexp(1.5F, -25)) == std::ldexp(1.0F, -24));
    CHECK(round_to_e4m3(448) == 448.0F);
    CHECK(round_to_e4m3(1e6F) == 448.0F);
    CHECK(round_to_e4m3(-std::numeric_limits<float>::infinity()) == -448.0F);
    CHECK(round_to_e4m3(464) == 448.0F);
    CHECK(round_to_e4m3(17) == 16.0F); // between 16 and 18
    CHECK(round_to_e4m3(19) == 20.0F);
    CHECK(round_to_e4m3(std::ldexp(1.0F, -9)) == std::ldexp(1.0F, -9));
    CHECK(round_to_e4m3(std::ldexp(1.0F, -10)) == 0.0F);
    for (auto* round : {round_to_fp16, round_to_bf16, round_to_e4m3})
    {
        CHECK(std::signbit(round(-0.0F)));
        CHECK(std::isnan(round(std::numeric_limits<float>::quiet_NaN())));
    }
}

TEST_CASE("every code of FP16, BF16 and E4M3 and every middle between two rounds as it must")
{
    check_rounding(round_to_e4m3, values_of(4, 3, 448));
    check_rounding(round_to_fp16, values_of(5, 10, 65504));
    std::vector<double> bf16 = values_of(8, 7, static_cast<double>(std::numeric_limits<float>::max()));
    bf16.erase(bf16.begin());                     // half of the smallest is no float
    bf16.erase(bf16.begin(), bf16.begin() + 127); // nor is the middle of two subnormals always exact
    REQUIRE(bf16.size() > 30000);
    check_rounding(round_to_bf16, bf16);
    CHECK(values_of(4, 3, 448).size() == 127); // 0 and 126 positive ones (arXiv 2209.05433, Table 1)
}

TEST_CASE("hand-worked: top-k keeps the largest whatever their sign, of equal ones the first")
{
    CompressionOptions o = with(Compressor::top_k);
    o.keep = 0.4; // 2 of 5
    CHECK(compressed(o, {1, -5, 2, 4, 0}) == Values{0, -5, 0, 4, 0});
    CHECK(compressed(o, {3, 3, -3, 3, 3}) == Values{3, 3, 0, 0, 0});
    CHECK(kept_of(0.0001, 100) == 1);
    CHECK(kept_of(1, 100) == 100);
}

TEST_CASE("hand-worked: a scaled sign is the mean size with every sign, zero counts as positive")
{
    CHECK(compressed(with(Compressor::sign), {1, -2, 0, 5}) == Values{2, -2, 2, 2});
}

TEST_CASE("hand-worked: the majority of three decides, and the step stays that of the first gradient")
{
    CompressedGroup group(with(Compressor::vote), 1, 2, 3);
    const std::vector<Values> first{{1, 1}, {-1, 1}, {-1, -1}};
    group.send(first);
    CHECK(group.result() == Values{-1, 1});
    const std::vector<Values> larger{{50, 1}, {50, 1}, {-7, -1}};
    group.send(larger);
    CHECK(group.result() == Values{1, 1});
}

TEST_CASE("FP8 with one scale for all ranks: the largest of any rank is met and the sum cannot overflow")
{
    CompressedGroup group(with(Compressor::fp8), 1, 2, 2);
    const std::vector<Values> gradients{{7e-5F, 1e-5F}, {3e-5F, -2e-5F}};
    group.send(gradients);
    // scale = 448 / (2 x 7e-5): the largest becomes 224, a number of the format.
    CHECK(group.sent(0)[0] == Approx(7e-5));
    for (std::size_t r = 0; r < 2; ++r)
    {
        CHECK(distance(gradients[r], group.sent(r)) / norm(gradients[r]) < 1.0 / 16);
    }
}

TEST_CASE("random-k draws the same places on every rank, others in every step, k of them")
{
    CompressionOptions o = with(Compressor::random_k);
    o.keep = 0.1;
    CompressedGroup group(o, 1, 200, 2);
    const std::vector<Values> ones(2, Values(200, 1.0F));
    group.send(ones);
    const Values first = group.sent(0);
    CHECK(std::count_if(first.begin(), first.end(), [](float v) { return v != 0; }) == 20);
    CHECK(group.sent(0) == group.sent(1));
    group.send(ones);
    CHECK(group.sent(0) != first);
}

TEST_CASE(
    "random-k times n/k has the gradient as its mean; its mean squared error is n/k - 1 times the gradient's")
{
    CompressionOptions o = with(Compressor::random_k, false);
    o.keep = 0.1;
    const Values g = random_values(100, 5);
    CompressedGroup group(o, 1, 100, 1);
    Values sum(100);
    double squares = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i)
    {
        group.send({&g, 1});
        squares += std::pow(distance(g, group.sent(0)), 2);
        for (std::size_t k = 0; k < sum.size(); ++k)
        {
            sum[k] += group.sent(0)[k] / kDraws;
        }
    }
    CHECK(distance(sum, g) / norm(g) < 0.05);
    CHECK(squares / kDraws / std::pow(norm(g), 2) == Approx(9).epsilon(0.03));
}

TEST_CASE("contraction: top-k loses at most 1 - k/n of the square, and no fewer elements lose less")
{
    for (const std::uint64_t seed : {1U, 2U, 3U})
    {
        const Values g = random_values(kThousand, seed);
        double before = 2;
        for (const double keep : {0.001, 0.01, 0.1, 0.5, 1.0})
        {
            CompressionOptions o = with(Compressor::top_k);
            o.keep = keep;
            const double lost = std::pow(distance(g, compressed(o, g)) / norm(g), 2);
            CHECK(lost <= 1 - keep + 1e-6);
            CHECK(lost < before);
            before = lost;
        }
        // A scaled sign: 1 - ||g||1^2 / (n ||g||2^2) (Karimireddy et al. 2019, section 4), 1 - 2/pi for
        // normal values.
        const double sign = std::pow(distance(g, compressed(with(Compressor::sign), g)) / norm(g), 2);
        CHECK(sign == Approx(1 - 2 / 3.14159265).margin(0.03));
    }
}

TEST_CASE("PowerSGD sends a matrix of rank r whole, and one of a higher rank not")
{
    constexpr std::int64_t kRows = 20;
    constexpr std::int64_t kCols = 12;
    for (const std::int64_t of : {1, 2, 3})
    {
        Values m(kRows * kCols);
        for (std::int64_t r = 0; r < of; ++r)
        {
            const Values u = random_values(kRows, 10 + static_cast<std::uint64_t>(r));
            const Values v = random_values(kCols, 20 + static_cast<std::uint64_t>(r));
            for (std::size_t i = 0; i < m.size(); ++i)
            {
                m[i] += u[i / kCols] * v[i % kCols];
            }
        }
        for (const std::int64_t rank : {1, 2, 3, 4})
        {
            CompressionOptions o = with(Compressor::power_sgd, false);
            o.rank = rank;
            const double error = distance(m, compressed(o, m, kRows)) / norm(m);
            INFO("rank " << of << " by rank " << rank);
            CHECK((error < 1e-5) == (rank >= of));
        }
    }
}

TEST_CASE("PowerSGD kept warm on one matrix becomes the best approximation of its rank")
{
    // Singular values 4, 2, 1: the best of rank 1 leaves sqrt(5) of sqrt(21).
    Values m(9);
    m[0] = 1;
    m[4] = 4;
    m[8] = 2;
    CompressionOptions o = with(Compressor::power_sgd, false);
    o.rank = 1;
    CompressedGroup group(o, 3, 3, 1);
    for (int i = 0; i < 30; ++i)
    {
        group.send({&m, 1});
    }
    CHECK(distance(m, group.sent(0)) == Approx(std::sqrt(5.0)));
}

TEST_CASE("PowerSGD of four ranks is that of their mean, because both products are linear")
{
    std::vector<Values> parts;
    Values mean(20 * 12);
    for (std::uint64_t r = 0; r < 4; ++r)
    {
        parts.push_back(random_values(mean.size(), 40 + r));
        for (std::size_t i = 0; i < mean.size(); ++i)
        {
            mean[i] += parts.back()[i] / 4;
        }
    }
    CompressedGroup four(with(Compressor::power_sgd), 20, 12, 4);
    CompressedGroup one(with(Compressor::power_sgd), 20, 12, 1);
    four.send(parts);
    one.send({&mean, 1});
    CHECK(distance(four.result(), one.result()) < 1e-5 * norm(mean));
}

TEST_CASE("a gradient of zeros is sent as zeros by all, and does no harm afterwards")
{
    const Values zeros(24);
    const Values g = random_values(24, 3);
    for (std::size_t c = 0; c < kCompressors; ++c)
    {
        CompressedGroup group(with(static_cast<Compressor>(c)), 6, 4, 1);
        group.send({&zeros, 1});
        CHECK(norm(group.result()) == 0);
        group.send({&g, 1});
        INFO(info_of(static_cast<Compressor>(c)).id);
        CHECK(norm(group.result()) > 0);
        CHECK(std::isfinite(norm(group.result())));
    }
}

TEST_CASE("error feedback loses nothing: all that was sent and what is left is the sum of the gradients")
{
    for (std::size_t c = 0; c < kCompressors; ++c)
    {
        const auto compressor = static_cast<Compressor>(c);
        if (!info_of(compressor).feeds_back)
        {
            continue;
        }
        INFO(info_of(compressor).id);
        CompressedGroup group(with(compressor), 16, 12, 3);
        std::vector<Values> total(3, Values(16 * 12));
        std::vector<Values> sent = total;
        for (std::uint64_t step = 0; step < 40; ++step)
        {
            std::vector<Values> gradients;
            for (std::uint64_t r = 0; r < 3; ++r)
            {
                gradients.push_back(random_values(16 * 12, step * 3 + r));
            }
            group.send(gradients);
            for (std::size_t r = 0; r < 3; ++r)
            {
                for (std::size_t i = 0; i < total[r].size(); ++i)
                {
                    total[r][i] += gradients[r][i];
                    sent[r][i] += group.sent(r)[i];
                }
            }
        }
        for (std::size_t r = 0; r < 3; ++r)
        {
            for (std::size_t i = 0; i < total[r].size(); ++i)
            {
                sent[r][i] += group.left(r)[i];
            }
            CHECK(distance(total[r], sent[r]) < 1e-4 * norm(total[r]));
        }
    }
}

// Karimireddy et al. 2019, section 3, counterexample 1: f(x) = x / 4 on [-1, 1], whose gradient is seen as 4
// once in four times and as -1 otherwise. The mean is 1/4, the mean sign is -1/2.
TEST_CASE("the published counterexample in one dimension: signs climb, signs with feedback descend")
{
    const auto end_of = [](const CompressionOptions& o)
    {
        CompressedGroup group(o, 1, 1, 1);
        SplitMix rng(7);
        double x = 0;
        double mean = 0;
        for (int i = 0; i < 4000; ++i)
        {
            const Values g{rng.below(4) == 0 ? 4.0F : -1.0F};
            group.send({&g, 1});
            x = std::clamp(x - 0.002 * static_cast<double>(group.result()[0]), -1.0, 1.0);
            mean += i >= 2000 ? x / 2000 : 0;
        }
        return mean;
    };
    CHECK(end_of(with(Compressor::vote)) > 0.9);
    CHECK(end_of(with(Compressor::sign)) < -0.9);
    CHECK(end_of(with(Compressor::none)) < -0.9);
}

// Counterexample 2 of the same section: f(x) = e |x1 + x2| + |x1 - x2|, e < 1, from
// (1, 1). Every subgradient has the sign (1, -1) or (-1, 1), so x1 + x2 stays 2.
TEST_CASE("the published counterexample in two dimensions: scaled signs stay on a line, feedback leaves it")
{
    const auto end_of = [](bool feedback)
    {
        CompressedGroup group(with(Compressor::sign, feedback), 1, 2, 1);
        double x = 1;
        double y = 1;
        for (int i = 0; i < 20000; ++i)
        {
            const float sum = x + y > 0 ? 0.5F : -0.5F;
            const float difference = x - y > 0 ? 1.0F : -1.0F;
            const Values g{sum + difference, sum - difference};
            group.send({&g, 1});
            const double rate = 0.05 / std::sqrt(1.0 + i);
            x -= rate * static_cast<double>(group.result()[0]);
            y -= rate * static_cast<double>(group.result()[1]);
        }
        return x + y;
    };
    CHECK(end_of(false) == Approx(2));
    CHECK(std::abs(end_of(true)) < 0.1);
}

TEST_CASE("the trained gradient is a true one: it equals differences of the loss")
{
    const SmallTask task;
    Values weights = task.start();
    Values g(weights.size());
    task.gradient(1, 2, weights, g);
    Values unused(weights.size());
    double largest = 0;
    for (const std::size_t at : {0U, 5U, 40U, 333U, 777U, 1500U})
    {
        constexpr float kStep = 1e-2F;
        const float before = weights[at];
        weights[at] = before + kStep;
        const double up = task.gradient(1, 2, weights, unused);
        weights[at] = before - kStep;
        const double down = task.gradient(1, 2, weights, unused);
        weights[at] = before;
        CHECK(static_cast<double>(g[at]) ==
              Approx((up - down) / (2 * static_cast<double>(kStep))).margin(2e-3));
        largest = std::max(largest, std::abs(static_cast<double>(g[at])));
    }
    CHECK(largest > 0.01);
}

TEST_CASE("a run is the same every time, and its pictures add up: gradient and carried are sent and left")
{
    const CompressionRun run = run_compression(with(Compressor::top_k));
    const CompressionRun again = run_compression(with(Compressor::top_k));
    REQUIRE(run.steps.size() == kCompressionSteps);
    REQUIRE(run.moments.size() == kCompressionSteps);
    CHECK(run.final_loss() == again.final_loss());
    for (std::size_t step = 0; step < kCompressionSteps; ++step)
    {
        const CompressionMoment& m = run.moments[step];
        for (std::size_t i = 0; i < m.gradient.size(); ++i)
        {
            REQUIRE(m.gradient[i] + m.carried[i] == Approx(m.sent[i] + m.left[i]).margin(1e-5));
        }
        // What has not been delivered is exactly what is kept.
        CHECK(run.steps[step].missing == Approx(norm(m.left)).epsilon(1e-3));
        if (step > 0)
        {
            REQUIRE(m.carried == run.moments[step - 1].left);
        }
    }
}

TEST_CASE("feedback brings the loss of biased compressors close to the uncompressed one; without it they lag")
{
    const double plain = run_compression(with(Compressor::none)).final_loss();
    CHECK(plain < 0.3 * run_compression(with(Compressor::none)).steps.front().loss);
    for (const Compressor c : {Compressor::top_k, Compressor::sign, Compressor::power_sgd})
    {
        INFO(info_of(c).id);
        const CompressionRun on = run_compression(with(c, true));
        const CompressionRun off = run_compression(with(c, false));
        CHECK(on.final_loss() < 1.12 * plain);
        CHECK(off.final_loss() > 1.3 * plain);
        CHECK(off.steps.back().missing > 3 * on.steps.back().missing);
    }
    for (const Compressor c : {Compressor::fp16, Compressor::bf16, Compressor::fp8})
    {
        CHECK(run_compression(with(c)).final_loss() == Approx(plain).epsilon(0.01));
    }
}

TEST_CASE("errors of one gradient: narrow formats by their digits, more elements and higher rank lose less")
{
    const CompressionRun reference = run_compression(with(Compressor::none));
    const auto error = [&](const CompressionOptions& o) { return gradient_errors(o, reference)[40]; };
    CHECK(error(with(Compressor::none)) == 0);
    CHECK(error(with(Compressor::fp16)) < 1.0 / 2048);
    CHECK(error(with(Compressor::bf16)) < 1.0 / 256);
    CHECK(error(with(Compressor::bf16)) > error(with(Compressor::fp16)));
    CHECK(error(with(Compressor::fp8)) < 1.0 / 16);
    CHECK(error(with(Compressor::fp8)) > error(with(Compressor::bf16)));
    CompressionOptions low = with(Compressor::power_sgd);
    CompressionOptions high = low;
    high.rank = 8;
    CHECK(error(high) < error(low));
    high.rank = 32;
    CHECK(error(high) < 1e-3); // whole
}

TEST_CASE("the same work compares equal: settings a compressor does not use are left out")
{
    CompressionOptions a = with(Compressor::sign);
    CompressionOptions b = a;
    b.keep = 0.5;
    b.rank = 9;
    b.packed_indices = true;
    CHECK(essential(a) == essential(b));
    b.feedback = false;
    CHECK(!(essential(a) == essential(b)));
    CHECK(essential(with(Compressor::vote, true)) == essential(with(Compressor::vote, false)));
}

TEST_CASE(
    "the scenario's gradients are those of its fullest stage, and its own dtype is the collective's message")
{
    test::ScenarioSource source(11);
    int with_ranks = 0;
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        const auto report = evaluate(s);
        if (!report)
        {
            continue;
        }
        const GradientProjection p = gradient_projection(s, report->memory.fullest, *report->collective);
        CHECK(elements_of(p.shape) == report->memory.worst().parameters);
        CHECK(p.ranks == report->collective->ranks);
        const double message = static_cast<double>(elements_of(p.shape)) * p.own_bytes * p.scale;
        CHECK(message == Approx(report->collective->message.value));
        if (p.own_bytes == 4)
        {
            CHECK(p.sent(with(Compressor::none)).value ==
                  Approx(report->collective->cost.sent_per_rank.value));
            CHECK(p.time(with(Compressor::none)).value == Approx(report->collective->cost.total().value));
        }
        CHECK(p.exposed(with(Compressor::none)) <= p.time(with(Compressor::none)));
        with_ranks += p.ranks > 1 ? 1 : 0;
    }
    CHECK(with_ranks > 5);
}
