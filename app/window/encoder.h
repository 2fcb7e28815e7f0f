// What a Recorder hands its frames to, one after the other, from one thread.
#pragma once

#include "app/window/recorder.h"

namespace ringside
{

class Encoder
{
public:
    Encoder() = default;
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;
    // Unless finished, nothing is left behind.
    virtual ~Encoder() = default;

    virtual const std::filesystem::path& goes_to() const = 0;
    virtual Issues add(const Image& image) = 0;
    virtual Issues finish(std::span<const float> sound) = 0;
    // From another thread: whatever add() waits for will not come.
    virtual void interrupt() {}
};

// ffmpeg as a process that reads raw frames. The first `samples` frames choose a GIF's colours and are not
// shown.
Result<std::unique_ptr<Encoder>> open_ffmpeg(const RecordingPlan& plan, int samples);

int process_number();

} // namespace ringside
