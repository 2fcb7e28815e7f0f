// What a timeline sounds like: notes of voices, and their samples as a pure function of score and time. No
// device here.
//
// A voice that waits is silent: a note's envelope lies within the note, so the silence between two notes is
// exactly as long as the wait. Notes keep their pitch at every speed. Samples never exceed kPeak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

inline constexpr int kSampleRate = 48'000; // [1/s]
inline constexpr float kPeak = 0.8F;       // of a sample, at full volume

struct Note
{
    double start = 0; // in units of the timeline
    double end = 0;
    float hertz = 440;
    std::uint8_t kind = 0; // index into Score::kinds, and its timbre
    float level = 1;       // 0 to 1, against the other notes

    bool operator==(const Note&) const = default;
};

struct Score
{
    std::string voice;                    // what a voice is: "stage"
    std::vector<std::string> kinds;       // what its notes are: "forward"
    std::vector<std::vector<Note>> notes; // [voice] in order, one after the other
    double length = 0;                    // in units of the timeline
    float loudest = 1;                    // the largest sum of levels at any moment
    // A score without a clock is played whenever there is another take of it, within `seconds`. 0: it goes by
    // the view's clock.
    double seconds = 0;
    std::int64_t take = 0;
    std::string caption; // what is heard, where there is no clock

    bool follows_clock() const { return seconds == 0; }
};

// The pitch of one of `voices`, and of its two other kinds of note. Neighbours are a fifth apart, a fourth, a
// whole tone or less, so that three octaves hold them all. `third` is about a third above, `low_third` about
// an octave below that. No two pitches of a score are the same.
struct Pitch
{
    float hertz = 0;
    float third = 0;
    float low_third = 0;
};
Pitch pitch_of(std::size_t voice, std::size_t voices);

// Puts notes in order and works out how loud it gets.
void finish_score(Score& score);

// Samples from a moment of the timeline on, at so many of its units per second. Nothing but silence where the
// rate is not positive.
void render(const Score& score, double from, double units_per_second, std::span<float> samples);

// What is heard at a moment, for those who do not hear it: "stages 0 to 2 forward, stage 3 idle". Empty after
// the end.
std::string heard_at(const Score& score, double t);

} // namespace ringside
