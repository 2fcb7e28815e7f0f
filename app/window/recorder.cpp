#include "app/window/recorder.h"

#include <fmt/format.h>

#include "app/window/encoder.h"
#include "core/base/caught.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ringside
{

namespace fs = std::filesystem;

namespace
{

// Numbered pictures in a folder that gets its name when all are there.
class PictureFolder final : public Encoder
{
public:
    explicit PictureFolder(const fs::path& path)
        : folder_(path.parent_path() / (path.stem().string() + std::string(kFramesFolder))),
          unfinished_(folder_.string() + fmt::format(".{}.part", process_number()))
    {
    }
    PictureFolder(const PictureFolder&) = delete;
    PictureFolder& operator=(const PictureFolder&) = delete;
    ~PictureFolder() override
    {
        std::error_code none;
        fs::remove_all(unfinished_, none);
    }

    Issues start()
    {
        std::error_code error;
        if (fs::exists(folder_, error))
        {
            return {{folder_.string(), "is there already", "move it away, or give another name"}};
        }
        fs::create_directories(unfinished_, error);
        return error ? Issues{{folder_.string(), "could not be saved: " + error.message(), ""}} : Issues{};
    }

    const fs::path& goes_to() const override { return folder_; }

    Issues add(const Image& image) override
    {
        return save_png(image, unfinished_ / fmt::format("{:05}.png", ++frames_));
    }

    Issues finish(std::span<const float>) override
    {
        std::error_code error;
        fs::rename(unfinished_, folder_, error);
        return error ? Issues{{folder_.string(), "could not be saved: " + error.message(), ""}} : Issues{};
    }

private:
    fs::path folder_;
    fs::path unfinished_;
    int frames_ = 0;
};

// Hands frames to the encoder on a thread of its own.
class QueuedRecorder final : public Recorder
{
public:
    QueuedRecorder(std::unique_ptr<Encoder> encoder, int samples)
        : encoder_(std::move(encoder)), samples_(samples), thread_([this] { work(); })
    {
    }
    QueuedRecorder(const QueuedRecorder&) = delete;
    QueuedRecorder& operator=(const QueuedRecorder&) = delete;

    ~QueuedRecorder() override
    {
        {
            const std::lock_guard lock(mutex_);
            frames_.clear();
        }
        encoder_->interrupt(); // a frame may be on its way
        end();
    }

    int samples() const override { return samples_; }
    const fs::path& goes_to() const override { return encoder_->goes_to(); }

    bool ready() const override
    {
        const std::lock_guard lock(mutex_);
        return frames_.size() < kMostWaiting;
    }

    bool failed() const override
    {
        const std::lock_guard lock(mutex_);
        return !faults_.empty();
    }

    void add(Image image) override
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return frames_.size() < kMostWaiting || !faults_.empty(); });
        if (faults_.empty())
        {
            frames_.push_back(std::move(image));
        }
        changed_.notify_all();
    }

    Issues finish(std::span<const float> sound) override
    {
        end();
        return faults_.empty() ? encoder_->finish(sound) : faults_;
    }

private:
    static constexpr std::size_t kMostWaiting = 3;

    void end()
    {
        {
            const std::lock_guard lock(mutex_);
            no_more_ = true;
            changed_.notify_all();
        }
        if (thread_.joinable())
        {
            thread_.join();
        }
    }

    void work()
    {
        std::unique_lock lock(mutex_);
        while (true)
        {
            changed_.wait(lock, [this] { return no_more_ || !frames_.empty(); });
            if (frames_.empty() || !faults_.empty())
            {
                return;
            }
            const Image image = std::move(frames_.front());
            frames_.pop_front();
            changed_.notify_all();
            lock.unlock();
            Issues faults(1); // in case there is no memory for more
            if (const auto thrown = caught([&] { faults = encoder_->add(image); }))
            {
                faults.front().message = kNoMemory;
                (void)caught([&] { faults.front() = fault_of(thrown); });
            }
            lock.lock();
            faults_ = std::move(faults);
            changed_.notify_all();
        }
    }

    std::unique_ptr<Encoder> encoder_;
    int samples_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Image> frames_;
    Issues faults_;
    bool no_more_ = false;
    std::thread thread_; // last: it uses all of the above
};

} // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const RecordingPlan& plan)
{
    const std::string kind = plan.path.extension().string();
    if (kind != ".mp4" && kind != ".gif")
    {
        return Issue{"-o",
                     plan.path.empty() ? std::string("no file to write")
                                       : fmt::format("\u201c{}\u201d is neither GIF nor MP4",
                                                     plan.path.filename().string()),
                     "give -o FILE.gif or FILE.mp4"};
    }
    constexpr int kSamples = 12;
    if (has_ffmpeg())
    {
        const int samples = kind == ".gif" ? kSamples : 0;
        auto encoder = open_ffmpeg(plan, samples);
        if (!encoder)
        {
            return encoder.issues();
        }
        return std::unique_ptr<Recorder>(std::make_unique<QueuedRecorder>(std::move(*encoder), samples));
    }
    auto folder = std::make_unique<PictureFolder>(plan.path);
    if (Issues issues = folder->start(); !issues.empty())
    {
        return issues;
    }
    return std::unique_ptr<Recorder>(std::make_unique<QueuedRecorder>(std::move(folder), 0));
}

} // namespace ringside
