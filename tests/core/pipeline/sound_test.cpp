// What schedules and collectives sound like, sample by sample.
#include "tests/core/pipeline/schedule_cases.h"

#include "core/lab/sound.h"
#include "core/network/collective/sound.h"
#include "core/pipeline/sound.h"

#include <catch2/catch_approx.hpp>

#include <array>
#include <cmath>
#include <limits>

using namespace ringside;

namespace
{

Timeline timeline_of(std::string_view id, std::int64_t stages, std::int64_t micro_batches)
{
    return test::run(id, {.stages = stages, .micro_batches = micro_batches});
}

// Of one voice alone, a tenth of a second a unit.
constexpr double kRate = 10;
std::vector<float> heard_alone(Score score, std::size_t voice)
{
    for (std::size_t v = 0; v < score.notes.size(); ++v)
    {
        if (v != voice)
        {
            score.notes[v].clear();
        }
    }
    std::vector<float> samples(static_cast<std::size_t>(score.length / kRate * kSampleRate));
    render(score, 0, kRate, samples);
    return samples;
}

} // namespace

TEST_CASE("an idle stage is silent for exactly its bubble")
{
    for (const std::string_view id : {"gpipe", "1f1b", "zb-h1"})
    {
        const Timeline timeline = timeline_of(id, 4, 6);
        const Score score = score_of(timeline, "stage");
        CHECK(score.length == timeline.makespan);
        for (std::size_t stage = 0; stage < 4; ++stage)
        {
            INFO(id << ", stage " << stage);
            const auto samples = heard_alone(score, stage);
            std::vector<bool> busy(samples.size());
            for (const Event& e : timeline.rank(stage))
            {
                const double unit = kSampleRate / kRate;
                const auto from = static_cast<std::size_t>(std::floor(e.start * unit));
                const auto to = std::min(samples.size(), static_cast<std::size_t>(std::ceil(e.end * unit)));
                std::fill(busy.begin() + static_cast<std::ptrdiff_t>(from),
                          busy.begin() + static_cast<std::ptrdiff_t>(to), true);
                float peak = 0;
                for (std::size_t i = from; i < to; ++i)
                {
                    peak = std::max(peak, std::abs(samples[i]));
                }
                CHECK(peak > 0.05F); // each operation is heard
            }
            std::size_t silent = 0;
            for (std::size_t i = 0; i < samples.size(); ++i)
            {
                REQUIRE((busy[i] || samples[i] == 0));
                silent += busy[i] ? 0 : 1;
            }
            const double bubble = 1 - timeline.busy[stage] / timeline.makespan;
            CHECK(static_cast<double>(silent) / static_cast<double>(samples.size()) ==
                  Catch::Approx(bubble).margin(1e-4));
        }
    }
}

TEST_CASE("forward, backward and weight gradient of a stage have pitches of their own")
{
    const Score score = score_of(timeline_of("zb-h1", 4, 4), "stage");
    for (std::size_t stage = 0; stage < 4; ++stage)
    {
        const Pitch pitch = pitch_of(stage, 4);
        for (const Note& note : score.notes[stage])
        {
            CHECK(note.hertz == (note.kind == 0   ? pitch.hertz
                                 : note.kind == 3 ? pitch.low_third
                                                  : pitch.third));
        }
    }
    CHECK(heard_at(score, 0.5) == "stage 0 forward; stages 1 to 3 idle");
}

TEST_CASE("of a ring all-reduce chunk 0 is heard walking from rank to rank, a third higher when it is whole")
{
    const Score score = score_of(ring_all_reduce(4));
    CHECK(score.length == 6);
    std::size_t before = 0;
    for (std::size_t step = 0; step < 6; ++step)
    {
        std::vector<std::size_t> loud;
        for (std::size_t rank = 0; rank < 4; ++rank)
        {
            REQUIRE(score.notes[rank].size() == 6); // every rank receives in every step
            const Note& note = score.notes[rank][step];
            const Pitch pitch = pitch_of(rank, 4);
            CHECK(note.hertz == (step < 3 ? pitch.hertz : pitch.third));
            if (note.level == 1)
            {
                loud.push_back(rank);
            }
        }
        REQUIRE(loud.size() == 1);
        CHECK((step == 0 || loud.front() == (before + 1) % 4));
        before = loud.front();
    }
    CHECK(heard_at(score, 0.5) == "all 4 ranks adding a chunk");
    CHECK(heard_at(score, 3.5) == "all 4 ranks copying a chunk");
}

TEST_CASE(
    "hand-worked: a loss sounds eight semitones higher for every nat, and one that is not finite is silent")
{
    CHECK(pitch_of_loss(0) == Catch::Approx(110));
    CHECK(pitch_of_loss(3) == Catch::Approx(440)); // 24 semitones are two octaves
    CHECK(pitch_of_loss(4.1744) == Catch::Approx(757.1).epsilon(1e-3));
    CHECK(pitch_of_loss(100) == Catch::Approx(1760));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Score score = score_of_step(7, std::array{3.0, nan});
    CHECK(score.take == 7);
    CHECK(score.caption == "loss 3.00 and not finite: silence");
    CHECK(score.notes[0].size() == 1);
    CHECK(score.notes[1].empty());
}
