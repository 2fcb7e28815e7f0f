// Sound by OpenAL Soft, which is loaded when sound is turned on: a machine without library, server or device
// only says so then.
#include "app/sound/speaker.h"

#ifdef RINGSIDE_HAS_OPENAL

#include <AL/al.h>
#include <AL/alc.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "app/process/child.h"
#include "core/base/sound/score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ringside
{

namespace
{

// Sound systems write to stderr what they look for and do not find, each library in its own way.
class StderrAway
{
public:
    StderrAway() : kept_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
    {
        const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        ::dup2(nowhere.number(), STDERR_FILENO);
    }
    StderrAway(const StderrAway&) = delete;
    StderrAway& operator=(const StderrAway&) = delete;
    ~StderrAway() { ::dup2(kept_.number(), STDERR_FILENO); }

private:
    Descriptor kept_;
};

#define RINGSIDE_AL(X)                                                                                       \
    X(alcOpenDevice)                                                                                         \
    X(alcCloseDevice)                                                                                        \
    X(alcCreateContext)                                                                                      \
    X(alcMakeContextCurrent)                                                                                 \
    X(alcDestroyContext)                                                                                     \
    X(alGenSources)                                                                                          \
    X(alGenBuffers)                                                                                          \
    X(alBufferData)                                                                                          \
    X(alSourceQueueBuffers)                                                                                  \
    X(alSourceUnqueueBuffers)                                                                                \
    X(alGetSourcei)                                                                                          \
    X(alSourcePlay)

class OpenAl final : public Speaker
{
public:
    OpenAl() = default;
    OpenAl(const OpenAl&) = delete;
    OpenAl& operator=(const OpenAl&) = delete;
    ~OpenAl() override
    {
        const StderrAway quiet;
        if (context_ != nullptr)
        {
            alcMakeContextCurrent_(nullptr);
            alcDestroyContext_(context_); // with its source and buffers
        }
        if (device_ != nullptr)
        {
            alcCloseDevice_(device_);
        }
    }

    Issues open() override
    {
        const StderrAway quiet;
        if (!load())
        {
            return {{"", "the library OpenAL is not here", "on Debian: apt-get install libopenal1"}};
        }
        device_ = alcOpenDevice_(nullptr);
        context_ = device_ == nullptr ? nullptr : alcCreateContext_(device_, nullptr);
        if (context_ == nullptr || alcMakeContextCurrent_(context_) == ALC_FALSE)
        {
            return {{"", "this machine has no sound device", "what is heard is written instead"}};
        }
        alGenSources_(1, &source_);
        return {};
    }

    double ahead() override
    {
        free_played();
        ALint offset = 0;
        alGetSourcei_(source_, AL_SAMPLE_OFFSET, &offset);
        return static_cast<double>(std::max<std::int64_t>(0, queued_ - offset)) / kSampleRate;
    }

    void push(std::span<const float> samples) override
    {
        ALint state = 0;
        alGetSourcei_(source_, AL_SOURCE_STATE, &state);
        free_played(); // where it has run dry, playing again would begin with what has been heard
        std::vector<std::int16_t> whole(samples.size());
        std::ranges::transform(
            samples, whole.begin(),
            [](float s)
            { return static_cast<std::int16_t>(std::lround(32767 * std::clamp(s, -1.0F, 1.0F))); });
        if (free_.empty())
        {
            alGenBuffers_(1, &free_.emplace_back());
        }
        const ALuint buffer = free_.back();
        free_.pop_back();
        alBufferData_(buffer, AL_FORMAT_MONO16, whole.data(),
                      static_cast<ALsizei>(whole.size() * sizeof(std::int16_t)), kSampleRate);
        alSourceQueueBuffers_(source_, 1, &buffer);
        filled_.push_back(std::ssize(samples));
        queued_ += std::ssize(samples);
        if (state != AL_PLAYING)
        {
            alSourcePlay_(source_);
        }
    }

private:
    bool load()
    {
        void* library = ::dlopen("libopenal.so.1", RTLD_NOW | RTLD_LOCAL); // stays: its threads may live on
        bool whole = library != nullptr;
#define RINGSIDE_LOAD(name)                                                                                  \
    name##_ = whole ? reinterpret_cast<decltype(&::name)>(::dlsym(library, #name)) : nullptr;                \
    whole = whole && name##_ != nullptr;
        RINGSIDE_AL(RINGSIDE_LOAD)
#undef RINGSIDE_LOAD
        return whole;
    }

    void free_played()
    {
        ALint played = 0;
        alGetSourcei_(source_, AL_BUFFERS_PROCESSED, &played);
        for (; played > 0 && !filled_.empty(); --played)
        {
            alSourceUnqueueBuffers_(source_, 1, &free_.emplace_back());
            queued_ -= filled_.front();
            filled_.erase(filled_.begin());
        }
    }

#define RINGSIDE_MEMBER(name) decltype(&::name) name##_ = nullptr;
    RINGSIDE_AL(RINGSIDE_MEMBER)
#undef RINGSIDE_MEMBER

    ALCdevice* device_ = nullptr;
    ALCcontext* context_ = nullptr;
    ALuint source_ = 0;
    std::vector<ALuint> free_;
    std::vector<std::int64_t> filled_; // samples of the buffers in the queue
    std::int64_t queued_ = 0;          // their sum
};

#undef RINGSIDE_AL

} // namespace

std::unique_ptr<Speaker> system_speaker()
{
    return std::make_unique<OpenAl>();
}

} // namespace ringside

#else

namespace ringside
{

namespace
{

class NoSpeaker final : public Speaker
{
public:
    Issues open() override
    {
        return {
            {"sound", "this program was built without OpenAL", "install libopenal-dev and build it again"}};
    }
    double ahead() override { return 0; }
    void push(std::span<const float>) override {}
};

} // namespace

std::unique_ptr<Speaker> system_speaker()
{
    return std::make_unique<NoSpeaker>();
}

} // namespace ringside

#endif
