#include "core/base/sound/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

constexpr double kLowest = 196;    // [Hz] of voice 0: G3
constexpr int kWidest = 36;        // semitones from the first voice to the last
constexpr double kAttack = 0.005;  // [s]
constexpr double kRelease = 0.012; // [s]
constexpr double kDecay = 0.15;    // [s]
constexpr double kHeld = 0.6;      // of a note's level, once it has decayed

// The first three partials of a kind of note. Their sum is 1, so that no note exceeds its level.
constexpr std::array<std::array<double, 3>, 3> kTimbres{
    {{0.72, 0.20, 0.08}, {0.70, 0.0, 0.30}, {0.55, 0.30, 0.15}}};

double semitones_up(double hertz, double semitones)
{
    return hertz * std::exp2(semitones / 12);
}

// From 0 to 1 without a corner at either end.
double eased(double x)
{
    return 0.5 - 0.5 * std::cos(std::numbers::pi * std::clamp(x, 0.0, 1.0));
}

// So long after the start of a note that lasts `all` seconds; 0 at both of its ends.
double envelope(double after, double all)
{
    const double shorter = std::min(1.0, all / (kAttack + kRelease));
    const double held = kHeld + (1 - kHeld) * std::exp(-after / kDecay);
    return held * eased(after / (kAttack * shorter)) * eased((all - after) / (kRelease * shorter));
}

// sin x, sin 2x and sin 3x by the addition theorems.
double tone(double phase, const std::array<double, 3>& partials)
{
    const double s = std::sin(phase);
    const double c = std::cos(phase);
    return partials[0] * s + partials[1] * 2 * s * c + partials[2] * s * (3 - 4 * s * s);
}

// The first note of a voice that ends after t.
std::size_t note_after(const std::vector<Note>& notes, double t)
{
    return static_cast<std::size_t>(
        std::upper_bound(notes.begin(), notes.end(), t, [](double at, const Note& n) { return at < n.end; }) -
        notes.begin());
}

// "stage 3", "stages 0 to 2", "stages 0, 2".
std::string names_of(const std::string& voice, const std::vector<std::size_t>& which)
{
    std::string words = which.size() == 1 ? voice : voice + "s";
    for (std::size_t i = 0; i < which.size();)
    {
        std::size_t last = i;
        while (last + 1 < which.size() && which[last + 1] == which[last] + 1)
        {
            ++last;
        }
        words += i > 0 ? ", " : " ";
        words += last == i       ? fmt::format("{}", which[i])
                 : last == i + 1 ? fmt::format("{}, {}", which[i], which[last])
                                 : fmt::format("{} to {}", which[i], which[last]);
        i = last + 1;
    }
    return words;
}

} // namespace

Pitch pitch_of(std::size_t voice, std::size_t voices)
{
    const auto steps = static_cast<double>(std::max<std::size_t>(2, voices) - 1);
    double step = kWidest / steps;
    for (const double interval : {2.0, 5.0, 7.0})
    {
        step = interval * steps <= kWidest ? interval : step;
    }
    // Two voices are a multiple of the step apart; fifths and fourths leave room for a major third and its
    // octave below, smaller steps for what lies a third and two thirds of a step beside their multiples.
    const bool wide = step >= 5;
    const double third = wide ? 4 : (std::round(3.5 / step - 2.0 / 3) + 2.0 / 3) * step;
    const double low = wide ? third - 12 : (std::round(-9 / step) + 1.0 / 3) * step;
    const double hertz = semitones_up(kLowest, step * static_cast<double>(voice));
    return {static_cast<float>(hertz), static_cast<float>(semitones_up(hertz, third)),
            static_cast<float>(semitones_up(hertz, low))};
}

void finish_score(Score& score)
{
    std::vector<std::pair<double, double>> changes; // of the sum of levels; ends come before starts
    for (std::vector<Note>& voice : score.notes)
    {
        std::ranges::sort(voice, {}, &Note::start);
        for (const Note& note : voice)
        {
            changes.emplace_back(note.start, note.level);
            changes.emplace_back(note.end, -note.level);
        }
    }
    std::ranges::sort(changes);
    double sum = 0;
    score.loudest = 0;
    for (const auto& [at, change] : changes)
    {
        sum += change;
        score.loudest = std::max(score.loudest, static_cast<float>(sum));
    }
}

void render(const Score& score, double from, double units_per_second, std::span<float> samples)
{
    std::ranges::fill(samples, 0.0F);
    if (!(units_per_second > 0))
    {
        return;
    }
    const double unit = units_per_second / kSampleRate; // of the timeline, per sample
    const double gain = static_cast<double>(kPeak) / std::max(1.0, static_cast<double>(score.loudest));
    const double end = from + unit * static_cast<double>(samples.size());
    for (const std::vector<Note>& voice : score.notes)
    {
        for (std::size_t n = note_after(voice, from); n < voice.size() && voice[n].start < end; ++n)
        {
            const Note& note = voice[n];
            const auto& partials = kTimbres[std::min<std::size_t>(note.kind, kTimbres.size() - 1)];
            const double all = (note.end - note.start) / units_per_second;
            const double turn = 2 * std::numbers::pi * static_cast<double>(note.hertz);
            const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil((note.start - from) / unit)));
            for (std::size_t i = first; i < samples.size(); ++i)
            {
                const double after = (from + unit * static_cast<double>(i) - note.start) / units_per_second;
                if (after >= all)
                {
                    break;
                }
                samples[i] += static_cast<float>(gain * static_cast<double>(note.level) *
                                                 envelope(after, all) * tone(turn * after, partials));
            }
        }
    }
}

std::string heard_at(const Score& score, double t)
{
    if (!score.follows_clock())
    {
        return score.caption;
    }
    if (t >= score.length)
    {
        return {};
    }
    std::vector<std::vector<std::size_t>> sounding(score.kinds.size() + 1); // the last: idle
    for (std::size_t v = 0; v < score.notes.size(); ++v)
    {
        const std::vector<Note>& voice = score.notes[v];
        const std::size_t n = note_after(voice, t);
        const bool sounds = n < voice.size() && voice[n].start <= t;
        sounding[sounds ? std::min<std::size_t>(voice[n].kind, score.kinds.size() - 1) : score.kinds.size()]
            .push_back(v);
    }
    std::string words;
    for (std::size_t kind = 0; kind < sounding.size(); ++kind)
    {
        if (sounding[kind].empty())
        {
            continue;
        }
        words += words.empty() ? "" : "; ";
        words += sounding[kind].size() == score.notes.size() && score.notes.size() > 1
                     ? fmt::format("all {} {}s", score.notes.size(), score.voice)
                     : names_of(score.voice, sounding[kind]);
        words += " " + (kind < score.kinds.size() ? score.kinds[kind] : std::string("idle"));
    }
    return words;
}

} // namespace ringside
