// Compressed gradients that ranks really send: against the group the engine simulates, against the bytes it
// predicts, and in the training of a model.
#include "tests/core/lab/parallel_support.h"

#include "core/lab/ranks/communication/compressed_sum.h"
#include "core/lab/ranks/team.h"
#include "core/lab/team/team_request.h"
#include "core/lab/team/team_traffic.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using namespace ringside;
using namespace ringside::test;
using parallel::CompressedSum;
using parallel::Team;

namespace
{

constexpr std::int64_t kRows = 12;
constexpr std::int64_t kCols = 10;
constexpr std::size_t kElements = kRows * kCols;

std::vector<CompressionOptions> all_that_send()
{
    return {{Compressor::none},
            {.compressor = Compressor::fp16},
            {.compressor = Compressor::bf16},
            {.compressor = Compressor::top_k, .keep = 0.1},
            {.compressor = Compressor::top_k, .keep = 0.1, .feedback = false},
            {.compressor = Compressor::random_k, .keep = 0.1},
            {.compressor = Compressor::random_k, .keep = 0.1, .feedback = false},
            {.compressor = Compressor::sign},
            {.compressor = Compressor::power_sgd, .rank = 2},
            {.compressor = Compressor::power_sgd, .rank = 1, .feedback = false},
            {.compressor = Compressor::power_sgd, .rank = 50}};
}

std::vector<float> gradient(int rank, int step)
{
    const Numbers numbers = fractions(DType::f32, static_cast<Index>(kElements), 100 * step + rank);
    std::vector<float> values;
    for (Index i = 0; i < numbers.count(); ++i)
    {
        values.push_back(numbers[i]);
    }
    return values;
}

double furthest(std::span<const float> a, std::span<const float> b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return most;
}

TeamConfig team_with(std::string_view strategy, std::int64_t ranks, const CompressionOptions& options)
{
    auto config = with_strategy(team_trainer_config(), strategy, ranks);
    REQUIRE(config);
    config->compression = options;
    return *config;
}

std::unique_ptr<Team> team_of(const TeamConfig& config)
{
    auto made = Team::create(config);
    INFO((made ? std::string() : to_line(made.issues().front())));
    REQUIRE(static_cast<bool>(made));
    return std::move(*made);
}

// The mean of the second half, as single steps scatter.
double loss_after(const TeamConfig& config, int steps)
{
    const auto team = team_of(config);
    double sum = 0;
    for (int i = 0; i < steps; ++i)
    {
        const auto step = team->step();
        REQUIRE(step);
        sum += 2 * i < steps ? 0 : step->result.loss;
    }
    return 2 * sum / steps;
}

} // namespace

TEST_CASE("ranks that send come to what the engine's group comes to, and keep what it keeps")
{
    constexpr int kRanks = 4;
    for (const CompressionOptions& options : all_that_send())
    {
        INFO(label_of(options) << (options.feedback ? "" : ", no feedback"));
        std::vector<std::vector<float>> sums(kRanks);
        std::vector<std::vector<float>> left(kRanks, std::vector<float>(feeds_back(options) ? kElements : 0));
        std::vector<Index> sent(kRanks);
        constexpr int kSteps = 3;
        together(kRanks,
                 [&](Communicator& ranks, CallLog& log)
                 {
                     const auto rank = static_cast<std::size_t>(ranks.rank());
                     CompressedSum sum(options, {{kRows, kCols, 1}}, ranks, left[rank], 1);
                     for (int step = 0; step < kSteps; ++step)
                     {
                         sums[rank] = gradient(ranks.rank(), step);
                         sum.all_reduce(sums[rank]);
                     }
                     for (const auto& total : log.totals())
                     {
                         sent[rank] += total.sent;
                     }
                 });
        CompressedGroup group(options, kRows, kCols, kRanks);
        for (int step = 0; step < kSteps; ++step)
        {
            std::vector<Values> gradients;
            for (int rank = 0; rank < kRanks; ++rank)
            {
                gradients.push_back(gradient(rank, step));
            }
            group.send(gradients);
        }
        std::vector<float> mean = sums[0];
        std::ranges::transform(mean, mean.begin(), [](float v) { return v / kRanks; });
        // The group adds exactly; a ring rounds 16-bit sums at every hop.
        const bool narrow = options.compressor == Compressor::fp16 || options.compressor == Compressor::bf16;
        CHECK(furthest(mean, group.result()) < (narrow ? 0.02 : 3e-6));
        std::int64_t predicted = 0;
        for (const BucketCall& call : bucket_calls(options, {{kRows, kCols, 1}}, kRanks))
        {
            predicted += kSteps * call.sent_per_rank(kRanks);
        }
        for (std::size_t rank = 0; rank < kRanks; ++rank)
        {
            CHECK(sums[rank] == sums[0]); // the same bits
            // Factors no smaller than the matrix are not sent: it goes as it is, and nothing stays.
            const bool whole = options.compressor == Compressor::power_sgd && options.rank >= kCols;
            const float kept = whole ? 0 : 1;
            std::vector<float> wanted = group.left(rank);
            std::ranges::transform(wanted, wanted.begin(), [kept](float v) { return kept * v; });
            CHECK(furthest(left[rank], wanted) < 1e-5);
            CHECK(sent[rank] == predicted);
        }
    }
}

TEST_CASE("a bucket's calls, worked by hand")
{
    // 12 x 10 and 8 x 8 and a vector of 5: 189 numbers on 4 ranks.
    const GradientShape bucket = bucket_of({{12, 10, 1}, {1, 3, 1}, {8, 8, 1}, {2, 1, 1}});
    REQUIRE(bucket == GradientShape{{12, 10, 1}, {8, 8, 1}, {5, 1, 1}});
    const auto calls = [&](const CompressionOptions& o) { return bucket_calls(o, bucket, 4); };
    using Calls = std::vector<BucketCall>;
    CHECK(calls({Compressor::none}) == Calls{{Travel::all_reduce, 192, 4}});
    CHECK(calls({Compressor::bf16}) == Calls{{Travel::all_reduce, 192, 2}});
    // 18.9 of them, to the nearest: 19 values with as many places.
    CHECK(calls({.compressor = Compressor::top_k, .keep = 0.1}) == Calls{{Travel::all_gather, 38, 4}});
    CHECK(calls({.compressor = Compressor::random_k, .keep = 0.1}) == Calls{{Travel::all_reduce, 20, 4}});
    // Three scales, and 189 bits in six words.
    CHECK(calls({Compressor::sign}) == Calls{{Travel::all_gather, 9, 4}});
    // Left: 2 x 12 + 2 x 8 + 5 = 45, right: 2 x 10 + 2 x 8 = 36.
    CHECK(calls({.compressor = Compressor::power_sgd, .rank = 2}) ==
          Calls{{Travel::all_reduce, 48, 4}, {Travel::all_reduce, 36, 4}});
    // Factors of rank 4 are as large as 8 x 8 itself: it goes as it is.
    CHECK(calls({.compressor = Compressor::power_sgd, .rank = 4}) ==
          Calls{{Travel::all_reduce, 120, 4}, {Travel::all_reduce, 40, 4}});
    CHECK(BucketCall{Travel::all_reduce, 192, 4}.sent_per_rank(4) == 2 * 3 * 192);
    CHECK(BucketCall{Travel::all_gather, 38, 4}.sent_per_rank(4) == 3 * 38 * 4);
}

TEST_CASE("compressed bytes on the data axis are predicted exactly, in every cut")
{
    const auto [strategy, ranks] = GENERATE(table<std::string, int>(
        {{"ddp", 4}, {"ddp", 3}, {"dp2-tp2", 4}, {"dp2-pp2", 4}, {"dp2-cp2", 4}, {"dp2-ep2", 4}}));
    for (const CompressionOptions& options : all_that_send())
    {
        if (options.compressor == Compressor::none)
        {
            continue; // the papers' passes, tested with the other strategies
        }
        TeamConfig config = team_with(strategy, ranks, options);
        if (strategy == "dp2-ep2")
        {
            config.trainer.model.experts = 4;
            config.trainer.model.experts_per_token = 2;
            config.trainer.model.expert_ffn = 32;
        }
        const auto team = team_of(config);
        const auto step = team->step();
        REQUIRE(step);
        for (const RankTrace& rank : step->trace.ranks)
        {
            const auto on_data = [](const std::vector<RankTrace::Sent>& sent)
            {
                const auto found = std::ranges::find(sent, "data", &RankTrace::Sent::axis);
                return found == sent.end() ? 0 : found->bytes;
            };
            INFO(strategy << " " << label_of(options));
            CHECK(on_data(rank.sent) > 0);
            CHECK(on_data(rank.sent) == on_data(predicted_traffic(team->config(), rank.place)));
        }
    }
}

TEST_CASE("a model trains with compressed gradients, and feedback makes up for what is left out")
{
    constexpr int kSteps = 40;
    const auto with = [](const CompressionOptions& options)
    {
        TeamConfig config = team_with("ddp", 4, options);
        config.trainer.training.sequence_length = 32;
        return loss_after(config, kSteps);
    };
    const double plain = with({Compressor::none});
    // All elements: the same sums in another order.
    CHECK(std::abs(with({.compressor = Compressor::top_k, .keep = 1}) - plain) < 0.01);
    CHECK(std::abs(with({.compressor = Compressor::bf16}) - plain) < 0.05);
    // What feedback is proved for (Karimireddy et al. 2019, Algorithm 2); 2.77 is knowing nothing. Other
    // seeds came to 1.9 with it and 2.5 without.
    const auto by_sgd = [](const CompressionOptions& options)
    {
        TeamRequest request;
        request.plain_sgd = true;
        auto config = config_of(team_trainer_config(), request);
        REQUIRE(config);
        config->compression = options;
        config->trainer.training.sequence_length = 32;
        return loss_after(*config, kSteps);
    };
    const double fed = by_sgd({.compressor = Compressor::top_k, .keep = 0.01});
    const double starved = by_sgd({.compressor = Compressor::top_k, .keep = 0.01, .feedback = false});
    INFO("with feedback " << fed << ", without " << starved);
    CHECK(fed < starved - 0.4);
}

TEST_CASE("a NaN reaches every rank through any compressor, and is not kept for later")
{
    for (const CompressionOptions& options : all_that_send())
    {
        INFO(label_of(options));
        const auto team = team_of(team_with("ddp", 4, options));
        REQUIRE(team->step());
        const auto bad = team->step({RankFault::not_a_number, 3, 0});
        REQUIRE(bad);
        // Random elements may miss it, as they miss any other.
        CHECK((bad->result.skipped || options.compressor == Compressor::random_k));
        for (int i = 0; i < 3; ++i)
        {
            const auto next = team->step();
            REQUIRE(next);
            CHECK(std::isfinite(next->result.loss));
            CHECK_FALSE(next->result.skipped);
        }
    }
}

TEST_CASE("a compression that cannot be is refused with the field, and what would work")
{
    const auto path = [](const TeamConfig& config)
    {
        const auto ready = parallel::prepared(config);
        return ready ? std::string() : ready.issues().front().path;
    };
    TeamConfig config = team_with("ddp", 4, {Compressor::sign});
    CHECK(path(config).empty());
    config.parallel.zero = 1;
    CHECK(path(config) == "parallel.zero");
    config = team_with("ddp", 4, {Compressor::vote});
    CHECK(path(config) == "compression");
    CHECK(path(team_with("ddp", 4, {.compressor = Compressor::top_k, .keep = 0})) == "compression.keep");
    CHECK(path(team_with("ddp", 4, {.compressor = Compressor::power_sgd, .rank = 0})) == "compression.rank");
    config = team_with("ddp", 4, {Compressor::sign});
    config.trainer.training.precision = Precision::fp16;
    CHECK(path(config) == "training.precision");
    config.trainer.training.precision = Precision::bf16;
    config.trainer.training.gradient_dtype = GradientDtype::bf16;
    CHECK(path(config) == "training.gradient_dtype");
    config.trainer.training.gradient_dtype = GradientDtype::fp32;
    CHECK(path(config).empty());
}

TEST_CASE("a compression is read by its name, and said again")
{
    CHECK(read_compression("none")->compressor == Compressor::none);
    CHECK(read_compression("top-k=0.001")->keep == 0.001);
    CHECK(read_compression("powersgd=4")->rank == 4);
    CHECK_FALSE(read_compression("sign", false)->feedback);
    for (const std::string_view words :
         {"zip", "top-k=", "top-k=many", "sign=2", "powersgd=1.5", "none=1", ""})
    {
        const auto read = read_compression(words);
        INFO(words);
        REQUIRE_FALSE(read);
        CHECK(read.issues().front().path == "--compress");
    }
    TeamConfig config = team_with("ddp", 4, *read_compression("top-k=0.01", false));
    CHECK(strategy_name(config) == "dp4, Top-k, 1%, no feedback");
}

TEST_CASE("a compressor that would have nothing to send is refused, not left out in silence")
{
    const auto path = [](std::string_view strategy, std::int64_t ranks, std::string_view words)
    {
        const auto config = with_compression(team_with(strategy, ranks, {Compressor::none}), words, true);
        return config ? std::string() : to_line(config.issues().front());
    };
    CHECK(path("ddp", 4, "sign").empty());
    CHECK(path("tp", 4, "none").empty());
    CHECK(path("tp", 4, "sign").find("no two ranks") != std::string::npos);
    CHECK(path("ddp", 1, "top-k=0.01").find("--compress") != std::string::npos);
    CHECK(path("ddp", 4, "zip").find("is no compressor") != std::string::npos);
}
