#include "app/sound/sound_player.h"

#include <array>
#include <utility>

namespace ringside
{

SoundMoment sound_on_show(const Session& session, Shell& shell)
{
    if (!session.sounds())
    {
        return {};
    }
    const Frame frame = session.frame(0);
    const View& view = shell.view(frame.view);
    const Playback& playback = frame.playback;
    const double rate =
        playback.playing ? view.motion(frame).per_second * static_cast<double>(playback.speed) : 0;
    return {view.sound(frame), playback.t, rate, frame.preferences.volume};
}

void SoundPlayer::follow(Session& session, const SoundMoment& moment)
{
    if (session.sounds() && !std::exchange(asked_, true))
    {
        const Issues issues = speaker_->open();
        works_ = issues.empty();
        session.set_no_sound(!works_);
        if (!works_)
        {
            session.say("No sound: " + to_line(issues.front()));
        }
    }
    const bool plays =
        moment.score != nullptr && (moment.units_per_second > 0 || !moment.score->follows_clock());
    if (!works_ || (!plays && quiet_))
    {
        return; // the device runs dry
    }
    constexpr double kAhead = 0.12; // [s]
    constexpr std::size_t kBlock = 1024;
    std::array<float, kBlock> block{};
    for (double ahead = speaker_->ahead(); ahead < kAhead; ahead += static_cast<double>(kBlock) / kSampleRate)
    {
        SoundMoment heard = moment;
        heard.t += ahead * moment.units_per_second;
        stream_.next(heard, block);
        speaker_->push(block);
        quiet_ = !plays;
    }
}

} // namespace ringside
