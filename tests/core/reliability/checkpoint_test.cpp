// Shards of a checkpoint on another layout, and what a resume without some of its parts does.
#include "tests/core/support.h"

#include "core/reliability/reshard.h"
#include "core/reliability/resume.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace ringside;
using Catch::Approx;

namespace
{

std::vector<std::int64_t> plain_units(std::int64_t layers, std::int64_t each)
{
    std::vector<std::int64_t> units(static_cast<std::size_t>(layers) + 2, each);
    return units;
}

// Elements that a rank gets.
std::map<std::int64_t, std::int64_t> received(const Resharding& r)
{
    std::map<std::int64_t, std::int64_t> all;
    for (const ShardPiece& piece : r.pieces)
    {
        all[piece.to] += piece.elements;
    }
    return all;
}

std::array<bool, kCheckpointParts> all_but(CheckpointPart part)
{
    std::array<bool, kCheckpointParts> held{};
    held.fill(true);
    held[static_cast<std::size_t>(part)] = false;
    return held;
}

std::array<bool, kCheckpointParts> everything()
{
    std::array<bool, kCheckpointParts> held{};
    held.fill(true);
    return held;
}

// Mean of the smoothed loss over some steps after the resume.
double after(const ResumeRun& run, std::int64_t from, std::int64_t to)
{
    double sum = 0;
    for (std::int64_t i = kResumeAt + from; i < kResumeAt + to; ++i)
    {
        sum += run.smooth[static_cast<std::size_t>(i)];
    }
    return sum / static_cast<double>(to - from);
}

} // namespace

TEST_CASE("hand-worked: eight tensor shards on four ranks are two each, and one of the two is there already "
          "for rank 0")
{
    // 10 units of 800 elements: each old rank has 100 of a unit, each new one 200.
    const Resharding r = reshard(plain_units(8, 800), {8, 1, 1, false}, {4, 1, 1, false});
    CHECK(r.elements == 8000);
    CHECK(r.pieces.size() == 8);
    CHECK(r.kept == 1000); // rank 0 keeps its eighth; rank 1 now holds what 2 and 3 had
    CHECK(r.moved == 7000);
    CHECK(r.most_received == 2000);
    for (const ShardPiece& piece : r.pieces)
    {
        CHECK(piece.to == piece.from / 2);
    }
}

TEST_CASE("hand-worked: four stages on two ranks move whole layers, the embedding with the first")
{
    // Units: embedding, eight layers, head. Stages of two layers each.
    CHECK(units_of_stage(10, 4, 0) == std::pair<std::int64_t, std::int64_t>{0, 3});
    CHECK(units_of_stage(10, 4, 3) == std::pair<std::int64_t, std::int64_t>{7, 10});
    const Resharding r = reshard(plain_units(8, 100), {1, 4, 1, false}, {1, 2, 1, false});
    CHECK(r.pieces.size() == 4);
    CHECK(r.kept == 300);  // rank 0: embedding and two layers
    CHECK(r.moved == 700); // the rest, rank 1's own layers go to rank 0
}

TEST_CASE("every new rank gets its shard once: sizes add up, and no two pieces overlap")
{
    const std::vector<ShardLayout> layouts{{1, 1, 1, false}, {8, 1, 1, false}, {4, 2, 1, false},
                                           {2, 4, 2, false}, {2, 1, 4, true},  {3, 2, 2, true},
                                           {1, 1, 8, true},  {8, 4, 2, true}};
    const std::vector<std::int64_t> units{1001, 777, 777, 778, 777, 777, 777, 777, 778, 13};
    for (const ShardLayout& from : layouts)
    {
        for (const ShardLayout& to : layouts)
        {
            const Resharding r = reshard(units, from, to);
            const std::int64_t copies = to.sharded ? 1 : to.data;
            CHECK(r.kept + r.moved == r.elements * copies);
            CHECK(static_cast<std::int64_t>(received(r).size()) == to.ranks());
            for (std::size_t a = 0; a < r.pieces.size(); ++a)
            {
                const ShardPiece& x = r.pieces[a];
                CHECK(x.from < from.ranks());
                CHECK(x.low < x.high);
                for (std::size_t b = a + 1; b < r.pieces.size(); ++b)
                {
                    const ShardPiece& y = r.pieces[b];
                    const bool overlap = x.to == y.to && x.first_unit < y.last_unit &&
                                         y.first_unit < x.last_unit && x.low < y.high - 1e-12 &&
                                         y.low < x.high - 1e-12;
                    CHECK(!overlap);
                }
            }
        }
    }
}

TEST_CASE("equal layouts move nothing, and one rank's model comes together from all")
{
    for (const ShardLayout& l :
         {ShardLayout{8, 4, 2, true}, ShardLayout{8, 1, 3, false}, ShardLayout{1, 8, 1, false}})
    {
        CHECK(reshard(plain_units(32, 999), l, l).moved == 0);
        const Resharding gathered = reshard(plain_units(32, 999), l, {});
        CHECK(gathered.kept + gathered.moved == gathered.elements);
        CHECK(gathered.most_received == gathered.moved);
    }
}

TEST_CASE("units of a model are all of its parameters")
{
    const Scenario s = test::scenario(R"({"model": "llama-3.1-70b"})");
    const ParameterCount count = count_parameters(s.model);
    const auto units = reshard_units(count, s.model.layers);
    CHECK(units.size() == 82);
    std::int64_t sum = 0;
    for (const std::int64_t n : units)
    {
        sum += n;
    }
    CHECK(sum == count.total);
}

TEST_CASE("a resume with everything is the run that was never interrupted, bit for bit")
{
    const ResumeRun whole = resume_run(everything());
    CHECK(whole.loss == resume_run(everything()).loss);
    CHECK(whole.skipped == 0);
    CHECK(whole.smooth[kResumeAt - 1] < 0.3 * *std::max_element(whole.smooth.begin(), whole.smooth.end()));
}

TEST_CASE("each missing part leaves its own mark on the loss after the resume")
{
    const ResumeRun whole = resume_run(everything());
    const double usual = after(whole, 0, 60);
    const auto run = [](CheckpointPart part) { return resume_run(all_but(part)); };
    for (std::size_t i = 0; i < kCheckpointParts; ++i)
    {
        const ResumeRun r = run(static_cast<CheckpointPart>(i));
        INFO(name_of(static_cast<CheckpointPart>(i)));
        CHECK(std::equal(r.loss.begin(), r.loss.begin() + kResumeAt, whole.loss.begin()));
        CHECK(r.loss != whole.loss);
        for (const double loss : r.loss)
        {
            CHECK(std::isfinite(loss));
        }
        CHECK(!says_of(static_cast<CheckpointPart>(i)).empty());
    }
    CHECK(after(run(CheckpointPart::weights), 0, 60) > 5 * usual);
    CHECK(after(run(CheckpointPart::variance), 0, 60) > 2 * usual);
    CHECK(after(run(CheckpointPart::master), 0, 60) == Approx(usual).epsilon(0.05));
    CHECK(after(run(CheckpointPart::momentum), 0, 60) == Approx(usual).epsilon(0.2));
    CHECK(after(run(CheckpointPart::schedule), 60, 200) > 1.2 * after(whole, 60, 200));
    CHECK(after(run(CheckpointPart::data), 0, 60) < usual);
    CHECK(run(CheckpointPart::loss_scale).skipped > 0);
}

TEST_CASE("a rate that began again warms up and then is far above what it should be")
{
    const ResumeRun whole = resume_run(everything());
    const ResumeRun again = resume_run(all_but(CheckpointPart::schedule));
    const auto at = [](const ResumeRun& r, std::int64_t step)
    { return r.rate[static_cast<std::size_t>(step)]; };
    CHECK(at(again, kResumeAt) < 0.1 * at(whole, kResumeAt));
    CHECK(at(again, kResumeAt + 40) > 1.5 * at(whole, kResumeAt + 40));
}
