#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/process/child.h"
#include "app/window/encoder.h"
#include "core/base/sound/score.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace ringside
{

namespace fs = std::filesystem;

namespace
{

// The palette comes from the first frames, which are then cut off: reading all frames for it would keep all
// of them in memory. Video in 4:2:0 wants even sides.
std::vector<std::string> output_of(const RecordingPlan& plan, int samples)
{
    if (plan.path.extension() == ".gif")
    {
        return {
            "-filter_complex",
            fmt::format("split[s][v];[s]trim=end_frame={0},palettegen=stats_mode=full[p];[v]trim=start_frame="
                        "{0},setpts=PTS-STARTPTS[f];[f][p]paletteuse=dither=none:diff_mode=rectangle",
                        samples),
            "-f", "gif"};
    }
    return {"-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-c:v",      "libx264",
            "-crf",      "18",
            "-pix_fmt",  "yuv420p",
            "-movflags", "+faststart",
            "-f",        "mp4"};
}

class Ffmpeg final : public Encoder
{
public:
    explicit Ffmpeg(const RecordingPlan& plan)
        : path_(plan.path), unfinished_(path_.string() + fmt::format(".{}.part", process_number())),
          with_sound_(unfinished_.string() + ".sound")
    {
    }
    Ffmpeg(const Ffmpeg&) = delete;
    Ffmpeg& operator=(const Ffmpeg&) = delete;

    ~Ffmpeg() override
    {
        interrupt();
        frames_.close();
        ffmpeg_.wait();
        if (!finished_)
        {
            ::unlink(unfinished_.c_str());
            ::unlink(with_sound_.c_str());
        }
    }

    Issues start(const RecordingPlan& plan, int samples)
    {
        std::error_code none;
        if (path_.has_parent_path())
        {
            fs::create_directories(path_.parent_path(), none);
        }
        const Descriptor made(::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        std::array<int, 2> ends{-1, -1};
        if (fs::is_directory(path_, none) || made.number() < 0)
        {
            return {not_saved(fs::is_directory(path_, none) ? EISDIR : errno)};
        }
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        {
            return {not_saved(errno)};
        }
        frames_.take(ends[0]);
        const Descriptor reads(ends[1]);
        words_.take(::memfd_create("ffmpeg says", MFD_CLOEXEC));
        return spawn(plan, samples, reads.number());
    }

    const fs::path& goes_to() const override { return path_; }

    Issues add(const Image& image) override
    {
        std::size_t sent = 0;
        while (sent < image.rgba.size())
        {
            const ssize_t n = ::send(frames_.number(), image.rgba.data() + sent, image.rgba.size() - sent,
                                     MSG_NOSIGNAL); // it may have ended
            if (n < 0 && errno == EINTR)
            {
                continue;
            }
            if (n <= 0)
            {
                ffmpeg_.wait();
                return {failed()};
            }
            sent += static_cast<std::size_t>(n);
        }
        return {};
    }

    Issues finish(std::span<const float> sound) override
    {
        frames_.close();
        if (ffmpeg_.wait() != 0)
        {
            return {failed()};
        }
        if (Issues issues = sound.empty() ? Issues() : add_sound(sound); !issues.empty())
        {
            return issues;
        }
        const Descriptor file(::open(unfinished_.c_str(), O_RDONLY | O_CLOEXEC));
        if (file.number() < 0 || ::fsync(file.number()) != 0 ||
            ::rename(unfinished_.c_str(), path_.c_str()) != 0)
        {
            return {not_saved(errno)};
        }
        finished_ = true;
        return {};
    }

    void interrupt() override { ffmpeg_.kill(); }

private:
    // By a second run that copies the frames as they are.
    Issues add_sound(std::span<const float> sound)
    {
        const Descriptor samples(::memfd_create("sound", MFD_CLOEXEC));
        const auto bytes = std::as_bytes(sound);
        if (::write(samples.number(), bytes.data(), bytes.size()) != std::ssize(bytes) ||
            ::lseek(samples.number(), 0, SEEK_SET) != 0)
        {
            return {not_saved(errno)};
        }
        const std::string rate = fmt::format("{}", kSampleRate);
        std::vector<std::string> words{
            "ffmpeg", "-hide_banner", "-loglevel", "error", "-y",  "-i", "file:" + unfinished_.string(),
            "-f",     "f32le",        "-ar",       rate,    "-ac", "1",  "-i",
            "pipe:0"};
        for (const char* word : {"-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac", "-b:a", "160k",
                                 "-movflags", "+faststart", "-f", "mp4"})
        {
            words.emplace_back(word);
        }
        words.push_back("file:" + with_sound_.string());
        const int error =
            ffmpeg_.start(find_on_path("ffmpeg"), std::move(words), {samples.number(), -1, words_.number()});
        if (error != 0 || ffmpeg_.wait() != 0)
        {
            return {failed()};
        }
        return ::rename(with_sound_.c_str(), unfinished_.c_str()) == 0 ? Issues() : Issues{not_saved(errno)};
    }

    Issues spawn(const RecordingPlan& plan, int samples, int reads)
    {
        std::vector<std::string> words{"ffmpeg",
                                       "-hide_banner",
                                       "-loglevel",
                                       "error",
                                       "-y",
                                       "-f",
                                       "rawvideo",
                                       "-pix_fmt",
                                       "rgba",
                                       "-video_size",
                                       fmt::format("{}x{}", plan.width, plan.height),
                                       "-framerate",
                                       fmt::format("{:g}", plan.fps),
                                       "-i",
                                       "pipe:0"};
        const auto more = output_of(plan, samples);
        words.insert(words.end(), more.begin(), more.end());
        words.push_back("file:" + unfinished_.string());
        const int error =
            ffmpeg_.start(find_on_path("ffmpeg"), std::move(words), {reads, -1, words_.number()});
        if (error != 0)
        {
            return {
                {path_.string(), fmt::format("ffmpeg could not be started: {}", std::strerror(error)), ""}};
        }
        return {};
    }

    Issue not_saved(int error) const
    {
        return {path_.string(), fmt::format("could not be saved: {}", std::strerror(error)), ""};
    }

    // With the last line of what ffmpeg said.
    Issue failed() const
    {
        std::string said(4096, '\0');
        const ssize_t n = ::pread(words_.number(), said.data(), said.size(), 0);
        said.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        while (said.ends_with('\n'))
        {
            said.pop_back();
        }
        const std::string last = said.substr(said.rfind('\n') + 1);
        return {path_.string(),
                last.empty() ? "could not be saved: ffmpeg stopped" : "could not be saved: ffmpeg: " + last,
                ""};
    }

    fs::path path_;
    fs::path unfinished_;
    fs::path with_sound_; // the same and its sound
    Descriptor frames_;
    Descriptor words_; // what it writes to stderr
    Child ffmpeg_;
    bool finished_ = false;
};

} // namespace

bool has_ffmpeg()
{
    return !find_on_path("ffmpeg").empty();
}

int process_number()
{
    return ::getpid();
}

Result<std::unique_ptr<Encoder>> open_ffmpeg(const RecordingPlan& plan, int samples)
{
    auto encoder = std::make_unique<Ffmpeg>(plan);
    if (Issues issues = encoder->start(plan, samples); !issues.empty())
    {
        return issues;
    }
    return std::unique_ptr<Encoder>(std::move(encoder));
}

} // namespace ringside
