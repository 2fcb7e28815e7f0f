// Frames into a file: MP4 or GIF by ffmpeg where it is installed, otherwise a folder of numbered PNG files. A
// thread hands them on, so that drawing never waits for the encoder.
//
// A GIF's colours are chosen by twelve frames from all over the film, sent ahead and cut off again in the
// same filter graph: choosing by all frames would keep all of them in memory.
#pragma once

#include "app/window/offscreen.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace ringside
{

struct RecordingPlan
{
    std::filesystem::path path; // .mp4 or .gif
    int width = 0;
    int height = 0;
    double fps = 30;
};

// Without ffmpeg, single pictures are saved in a folder of the file's name with this in place of .mp4.
inline constexpr std::string_view kFramesFolder = "-frames";

class Recorder
{
public:
    // Says what is wrong with the name, or why nothing can be written there.
    static Result<std::unique_ptr<Recorder>> open(const RecordingPlan& plan);
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    // Unless finished, nothing is left behind.
    virtual ~Recorder() = default;

    // Frames from all over the animation that are wanted before the first: a GIF's colours are chosen by
    // them.
    virtual int samples() const = 0;
    // Where it will be: the file, or the folder of pictures.
    virtual const std::filesystem::path& goes_to() const = 0;
    // Whether there is room for a frame, so that add() does not wait.
    virtual bool ready() const = 0;
    virtual bool failed() const = 0;
    virtual void add(Image image) = 0;
    // All frames were added. Waits for the encoder; afterwards the file is there, whole, or it says why not.
    // With a sound (kSampleRate), which only an MP4 by ffmpeg has; empty: none.
    virtual Issues finish(std::span<const float> sound) = 0;

protected:
    Recorder() = default;
};

// Whether ffmpeg stands somewhere on PATH.
bool has_ffmpeg();

} // namespace ringside
