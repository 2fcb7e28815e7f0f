#include "ui/shell/guide/sound_strip.h"

#include <fmt/format.h>

#include "core/base/sound/score.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kHeldWords = 0.25; // [s] that what is heard stays on show while it plays

// What is heard, or why nothing is.
std::string heard_words(const Frame& frame, const View& view)
{
    const auto score = view.sound(frame);
    if (score == nullptr)
    {
        return "nothing to hear here; schedules, collectives, ranks and the live lab have sound";
    }
    const Motion motion = view.motion(frame);
    const Playback& playback = frame.playback;
    double t = playback.t;
    if (playback.playing && score->follows_clock())
    {
        const double held = kHeldWords * motion.per_second * static_cast<double>(playback.speed);
        t = std::floor(t / held) * held;
    }
    const std::string heard = heard_at(*score, t);
    const bool waits = score->follows_clock() && !playback.playing;
    return waits && (heard.empty() || t == motion.rest) ? "Space plays" : heard;
}

// A loudspeaker, crossed out where the machine has none.
void draw_loudspeaker(const Painter& p, float x, float middle, bool none)
{
    const Colour ink = none ? p.theme.muted : p.theme.text;
    p.fill({x, middle - p.px(3), p.px(4), p.px(6)}, ink);
    p.list.AddTriangleFilled({x + p.px(2), middle}, {x + p.px(9), middle - p.px(7)},
                             {x + p.px(9), middle + p.px(7)}, ink);
    if (none)
    {
        p.line(x, middle + p.px(8), x + p.px(16), middle - p.px(8), ink, p.px(2));
        return;
    }
    for (const float at : {12.0F, 15.0F})
    {
        p.line(x + p.px(at), middle - p.px(at - 9), x + p.px(at), middle + p.px(at - 9), ink, p.px(1.5F));
    }
}

} // namespace

float sound_strip_height(const Frame& frame)
{
    return frame.stage != nullptr && frame.stage->has(StageTool::sound) ? 34 : 0;
}

void draw_sound_strip(const Frame& frame, const Painter& p, Rect area, const View& view, Out& out)
{
    const bool none = frame.stage->no_sound;
    area.cut_top(p.px(4));
    draw_loudspeaker(p, area.x, area.middle(), none);
    area.cut_left(p.px(24));
    const std::string volume = fmt::format("{:.0f}%", std::round(frame.preferences.volume * 100));
    if (!none && area.w > p.px(360))
    {
        float by = 0;
        const Rect softer = area.cut_left(p.px(28));
        by -= button(p, softer, "\u2212###softer", {}, ButtonStyle::quiet) ? 0.1F : 0;
        tooltip(p, "Softer");
        const Rect amount = area.cut_left(p.px(44));
        p.text(amount.centre(), amount.middle(), Type::small, p.theme.text, volume, Align::centre);
        const Rect louder = area.cut_left(p.px(28));
        by += button(p, louder, "+###louder", {}, ButtonStyle::quiet) ? 0.1F : 0;
        tooltip(p, "Louder");
        area.cut_left(p.px(12));
        if (by != 0)
        {
            Preferences next = frame.preferences;
            next.volume = std::clamp(next.volume + by, 0.0F, 1.0F);
            out.push(ChangePreferences{next});
        }
    }
    const std::string words = none ? "No sound here, in words: " : "Sound: ";
    p.text_within(area.x, area.middle(), area.w, Type::small, p.theme.text, words + heard_words(frame, view));
}

} // namespace ringside
