// Plays what is on show while sound is on. Samples are made with every frame, a moment ahead of the device;
// no thread.
#pragma once

#include "app/session/drawing.h"
#include "app/sound/speaker.h"
#include "core/base/sound/stream.h"

namespace ringside
{

// What the view on show sounds like now; silence while sound is off.
SoundMoment sound_on_show(const Session& session, Shell& shell);

class SoundPlayer
{
public:
    explicit SoundPlayer(std::unique_ptr<Speaker> speaker) : speaker_(std::move(speaker)) {}

    // After every frame. The first time that there is no device it says so; what is heard is only written
    // then.
    void follow(Session& session, const SoundMoment& moment);

private:
    std::unique_ptr<Speaker> speaker_;
    SoundStream stream_;
    bool asked_ = false; // for the device
    bool works_ = false;
    bool quiet_ = true; // nothing was played last
};

} // namespace ringside
