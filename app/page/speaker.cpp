// Sound by the browser's Web Audio. A browser lets it begin only after a press of the user, which turning
// sound on is; until then the samples wait.
#include "app/sound/speaker.h"

#include <emscripten.h>

#include "core/base/sound/score.h"

// clang-format off
EM_JS(int, sound_open, (int rate), {
    const Context = window.AudioContext || window.webkitAudioContext;
    try { Module.sound = { context: new Context({ sampleRate: rate }), until: 0 }; } catch (e) { return 0; }
    const resume = () => Module.sound.context.resume();
    for (const press of ['pointerdown', 'keydown', 'touchend']) addEventListener(press, resume); // where one was too early
    return 1;
});
EM_JS(double, sound_ahead, (), {
    const { context, until } = Module.sound;
    if (context.state === 'suspended') context.resume();
    return Math.max(0, until - context.currentTime);
});
EM_JS(void, sound_push, (const float* samples, int count), {
    const sound = Module.sound;
    const context = sound.context;
    const buffer = context.createBuffer(1, count, context.sampleRate);
    buffer.copyToChannel(HEAPF32.slice(samples >> 2, (samples >> 2) + count), 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    const at = Math.max(sound.until, context.currentTime + 0.02); // where it has run dry, a moment later
    source.start(at);
    sound.until = at + count / context.sampleRate;
});
// clang-format on

namespace ringside
{

namespace
{

class WebAudio final : public Speaker
{
public:
    Issues open() override
    {
        return sound_open(kSampleRate) != 0
                   ? Issues{}
                   : Issues{{"", "this browser plays none", "what is heard is written instead"}};
    }
    double ahead() override { return sound_ahead(); }
    void push(std::span<const float> samples) override
    {
        sound_push(samples.data(), static_cast<int>(samples.size()));
    }
};

} // namespace

std::unique_ptr<Speaker> system_speaker()
{
    return std::make_unique<WebAudio>();
}

} // namespace ringside
