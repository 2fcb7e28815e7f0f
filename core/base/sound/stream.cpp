#include "core/base/sound/stream.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kFade = kSampleRate / 200; // 5 ms
constexpr double kDrift = 0.06;                  // [s] between the clock and what is heard

} // namespace

void SoundStream::Playing::read(std::span<float> samples)
{
    if (score == nullptr)
    {
        std::ranges::fill(samples, 0.0F);
        return;
    }
    render(*score, t, units_per_second, samples);
    t += units_per_second * static_cast<double>(samples.size()) / kSampleRate;
}

SoundStream::Playing SoundStream::follow(const SoundMoment& moment) const
{
    const std::shared_ptr<const Score>& score = moment.score;
    if (score != nullptr && !score->follows_clock())
    {
        const bool plays = playing_.score != nullptr && !playing_.score->follows_clock() &&
                           playing_.t < playing_.score->length;
        return plays                  ? playing_
               : score->take == take_ ? Playing()
                                      : Playing{score, 0, score->length / score->seconds};
    }
    if (score == nullptr || !(moment.units_per_second > 0))
    {
        return {};
    }
    const bool same = playing_.score == score && playing_.units_per_second == moment.units_per_second &&
                      std::abs(playing_.t - moment.t) <= kDrift * moment.units_per_second;
    return same ? playing_ : Playing{score, moment.t, moment.units_per_second};
}

void SoundStream::next(const SoundMoment& moment, std::span<float> samples)
{
    Playing next = follow(moment);
    const bool goes_on = next.score == playing_.score && next.t == playing_.t &&
                         next.units_per_second == playing_.units_per_second;
    if (next.score != nullptr && !next.score->follows_clock())
    {
        take_ = next.score->take;
    }
    old_.assign(goes_on ? 0 : std::min(kFade, samples.size()), 0.0F);
    playing_.read(old_);
    next.read(samples);
    for (std::size_t i = 0; i < old_.size(); ++i)
    {
        const float share = static_cast<float>(i) / static_cast<float>(old_.size());
        samples[i] = share * samples[i] + (1 - share) * old_[i];
    }
    const float from = volume_;
    volume_ = std::clamp(moment.volume, 0.0F, 1.0F);
    for (std::size_t i = 0; i < samples.size(); ++i)
    {
        const float share = static_cast<float>(i + 1) / static_cast<float>(samples.size());
        samples[i] *= from + share * (volume_ - from);
    }
    playing_ = std::move(next);
}

} // namespace ringside
