// Samples of a score: pitches by their spectrum, silences by their zeros, edges by their steps.
#include "core/base/sound/stream.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace ringside;

namespace
{

std::vector<float> rendered(const Score& score, double from, double rate, double seconds)
{
    std::vector<float> samples(static_cast<std::size_t>(seconds * kSampleRate));
    render(score, from, rate, samples);
    return samples;
}

// The amplitude of one frequency: Goertzel's sum, windowed so that others leak no more than a thousandth.
double strength(std::span<const float> samples, double hertz)
{
    double cosine = 0;
    double sine = 0;
    const auto all = static_cast<double>(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
    {
        const double window = 1 - std::cos(2 * std::numbers::pi * static_cast<double>(i) / all);
        const double phase = 2 * std::numbers::pi * hertz * static_cast<double>(i) / kSampleRate;
        cosine += window * static_cast<double>(samples[i]) * std::cos(phase);
        sine += window * static_cast<double>(samples[i]) * std::sin(phase);
    }
    return 2 * std::hypot(cosine, sine) / all;
}

float peak_of(std::span<const float> samples)
{
    float peak = 0;
    for (const float s : samples)
    {
        peak = std::max(peak, std::abs(s));
    }
    return peak;
}

float largest_step(std::span<const float> samples)
{
    float step = 0;
    for (std::size_t i = 1; i < samples.size(); ++i)
    {
        step = std::max(step, std::abs(samples[i] - samples[i - 1]));
    }
    return step;
}

Score score_of_notes(std::vector<std::vector<Note>> notes, double length)
{
    Score score;
    score.voice = "stage";
    score.kinds = {"forward", "backward"};
    score.notes = std::move(notes);
    score.length = length;
    finish_score(score);
    return score;
}

// One voice that sounds from 1 to 3 of 4.
Score one_note()
{
    return score_of_notes({{{1, 3, 440, 0}}}, 4);
}

} // namespace

TEST_CASE("hand-worked: a note of 440 Hz is heard at its pitch, for its time, and its edges are soft")
{
    const Score score = one_note();
    const auto samples = rendered(score, 0, 2, 2); // two units per second: from 0.5 s to 1.5 s
    const std::span<const float> all(samples);
    CHECK(peak_of(all.first(24'000)) == 0.0F);
    CHECK(peak_of(all.subspan(72'000)) == 0.0F);
    const auto middle = all.subspan(30'000, 36'000);
    CHECK(strength(middle, 440) > 0.3);
    CHECK(strength(middle, 466) < 0.001);
    CHECK(strength(middle, 415) < 0.001);
    CHECK(peak_of(all) <= kPeak);
    CHECK(peak_of(all) > 0.5F * kPeak);
    for (const std::size_t edge : {24'000U, 72'000U})
    {
        CHECK(peak_of(all.subspan(edge - 20, 40)) < 0.02F); // 0.4 ms on either side
    }
    // 440 Hz with its partials rises at most 2 pi 440 / 48000 x (0.72 + 2 x 0.20 + 3 x 0.08) of its peak.
    CHECK(largest_step(all) < kPeak * 0.0785F);
}

TEST_CASE("a pitch does not follow the speed, a length does")
{
    const auto slow = rendered(one_note(), 1, 0.5, 3);
    const auto fast = rendered(one_note(), 1, 4, 0.6);
    CHECK(strength(slow, 440) > 0.2);
    CHECK(strength(std::span(fast).first(24'000), 440) > 0.2);
    CHECK(peak_of(std::span(fast).subspan(24'000)) == 0.0F); // 2 units took half a second
}

TEST_CASE("no two pitches of a score are the same, for 1 to 128 voices")
{
    for (std::size_t voices = 1; voices <= 128; ++voices)
    {
        std::vector<float> pitches;
        for (std::size_t v = 0; v < voices; ++v)
        {
            const Pitch pitch = pitch_of(v, voices);
            pitches.insert(pitches.end(), {pitch.hertz, pitch.third, pitch.low_third});
            CHECK(pitch.third / pitch.hertz > 1.16F); // three semitones are 1.189
            CHECK(pitch.third / pitch.hertz < 1.28F); // four are 1.26
        }
        std::ranges::sort(pitches);
        INFO(voices);
        CHECK(pitches.front() > 90.0F);
        CHECK(pitches.back() < 2100.0F);
        for (std::size_t i = 1; i < pitches.size(); ++i)
        {
            REQUIRE(pitches[i] / pitches[i - 1] > 1.004F);
        }
    }
}

TEST_CASE("many voices at once stay below the peak, and none is drowned")
{
    constexpr std::size_t kVoices = 16;
    std::vector<std::vector<Note>> notes;
    for (std::size_t v = 0; v < kVoices; ++v)
    {
        notes.push_back({{0, 1, pitch_of(v, kVoices).hertz, 0}});
    }
    const Score score = score_of_notes(std::move(notes), 1);
    CHECK(score.loudest == 16.0F);
    const auto samples = rendered(score, 0, 1, 1);
    CHECK(peak_of(samples) <= kPeak);
    for (std::size_t v = 0; v < kVoices; ++v)
    {
        CHECK(strength(samples, static_cast<double>(pitch_of(v, kVoices).hertz)) > 0.01);
    }
}

TEST_CASE("what is heard is said: who sounds, and who is idle")
{
    Score score = score_of_notes({{{0, 1, 200, 0}}, {{0, 1, 300, 1}}, {{1, 2, 400, 0}}, {{1, 2, 500, 0}}}, 2);
    CHECK(heard_at(score, 0.5) == "stage 0 forward; stage 1 backward; stages 2, 3 idle");
    CHECK(heard_at(score, 1.5) == "stages 2, 3 forward; stages 0, 1 idle");
    CHECK(heard_at(score, 2).empty());
    score.notes = {{{0, 1, 200, 0}}, {{0, 1, 300, 0}}, {{0, 1, 400, 0}}};
    CHECK(heard_at(score, 0.5) == "all 3 stages forward");
}

TEST_CASE("a stream's blocks are the score, and it goes silent within 5 ms of a pause")
{
    const auto score = std::make_shared<const Score>(one_note());
    SoundStream stream;
    std::vector<float> samples;
    const auto read = [&](SoundMoment moment, std::size_t count)
    {
        std::vector<float> block(count);
        stream.next(moment, block);
        samples.insert(samples.end(), block.begin(), block.end());
    };
    for (int i = 0; i < 60; ++i)
    {
        // A clock that trembles by a hundredth of a second is still the same clock.
        read({score, i * 1024.0 / kSampleRate + (i % 2 == 0 ? 0.01 : 0.0), 1, 1}, 1024);
    }
    const auto whole = rendered(*score, 0.01, 1, 61'440.0 / kSampleRate);
    for (std::size_t i = 1024; i < samples.size(); ++i) // the volume has come by then
    {
        REQUIRE(std::abs(samples[i] - whole[i]) < 1e-4F);
    }
    read({score, 1.3, 0, 1}, 1024); // paused
    const std::span<const float> end = std::span<const float>(samples).last(1024);
    CHECK(peak_of(end.first(240)) > 0.1F);
    CHECK(peak_of(end.subspan(240)) == 0.0F);
    CHECK(largest_step(samples) < kPeak * 0.0785F + 1.0F / 240);
}

TEST_CASE("a jump of the clock does not click")
{
    const auto score = std::make_shared<const Score>(one_note());
    SoundStream stream;
    std::vector<float> samples(4800);
    stream.next({score, 1.1, 1, 1}, std::span(samples).first(2400));
    stream.next({score, 2.7, 1, 1}, std::span(samples).last(2400));
    CHECK(largest_step(samples) < kPeak * 0.0785F + 2.0F / 240);
}

TEST_CASE("a score without a clock is played once for every take, one after the other")
{
    Score step = score_of_notes({{{0, 1, 440, 0}}}, 1);
    step.seconds = 0.1;
    SoundStream stream;
    const auto loud = [&](std::int64_t take)
    {
        step.take = take;
        std::vector<float> block(2400); // half of it
        stream.next({std::make_shared<const Score>(step), 0, 0, 1}, block);
        return peak_of(block) > 0.1F;
    };
    CHECK(loud(1));
    CHECK(loud(2)); // the first one still sounds
    CHECK(loud(2));
    CHECK(loud(2));
    CHECK_FALSE(loud(2)); // played
    CHECK(loud(3));
}
