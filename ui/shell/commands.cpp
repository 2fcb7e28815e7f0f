#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/shell.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

template <class F>
void change_preferences(const Frame& frame, Out& out, F&& change)
{
    Preferences next = frame.preferences;
    change(next);
    out.push(ChangePreferences{next});
}

void move_view(const Frame& frame, Out& out, int direction)
{
    const auto all = views();
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const ViewInfo* v) { return v->id == frame.view; }) -
        all.begin();
    const auto count = static_cast<std::ptrdiff_t>(all.size());
    out.push(OpenView{std::string(all[static_cast<std::size_t>((at + direction + count) % count)]->id)});
}

// The next scene of a demonstration, or, where there is none, the next view.
void click(const Frame& frame, Out& out, int direction)
{
    if (frame.stage != nullptr && frame.stage->script != nullptr)
    {
        out.push(StageStep{direction});
        return;
    }
    move_view(frame, out, direction);
}

constexpr std::array<float, 10> kScales{0.75F, 0.9F, 1, 1.15F, 1.3F, 1.5F, 1.75F, 2, 2.25F, 2.5F};

void scale_text(const Frame& frame, Out& out, int direction)
{
    change_preferences(frame, out,
                       [&](Preferences& p)
                       {
                           const auto* at =
                               std::lower_bound(kScales.begin(), kScales.end(), p.text_scale - 0.01F);
                           const auto index = std::clamp<std::ptrdiff_t>(at - kScales.begin() + direction, 0,
                                                                         std::ssize(kScales) - 1);
                           p.text_scale = kScales[static_cast<std::size_t>(index)];
                       });
}

constexpr float kVolumeStep = 0.1F;

void change_volume(const Frame& frame, Out& out, float by)
{
    change_preferences(frame, out,
                       [by](Preferences& p) { p.volume = std::clamp(p.volume + by, 0.0F, 1.0F); });
}

constexpr ImGuiKeyChord ctrl(ImGuiKey key)
{
    return ImGuiMod_Ctrl | key;
}

constexpr std::array kCommands{
    CommandInfo{"Undo", "Ctrl Z", ctrl(ImGuiKey_Z), 0,
                [](const Frame&, Out& out) { out.push(Command::undo); }, true},
    CommandInfo{"Redo", "Ctrl Y", ctrl(ImGuiKey_Y), 0,
                [](const Frame&, Out& out) { out.push(Command::redo); }, true},
    CommandInfo{"Copy the scenario as text", "Ctrl C", ctrl(ImGuiKey_C), 0,
                [](const Frame&, Out& out) { out.push(Command::copy); }, true},
    CommandInfo{"Copy a link to this", "Ctrl L", ctrl(ImGuiKey_L), 0,
                [](const Frame&, Out& out) { out.push(Command::copy_link); }, false, InBrowser::without_key},
    CommandInfo{"Paste a link, a scenario, a config.json, measured steps, machines", "Ctrl V",
                ctrl(ImGuiKey_V), 0, [](const Frame&, Out& out) { out.push(Command::paste); }},
    CommandInfo{"Reset to the default scenario", "Ctrl 0", ctrl(ImGuiKey_0), 0,
                [](const Frame&, Out& out) { out.push(Command::reset); }, true, InBrowser::without_key},
    CommandInfo{"Compare: keep this as A, or stop comparing", "B", ImGuiKey_B, 0,
                [](const Frame&, Out& out) { out.push(Command::compare); }, true},
    CommandInfo{"Swap A and B", "X", ImGuiKey_X, 0, [](const Frame&, Out& out) { out.push(Command::swap); },
                true},
    CommandInfo{"The page\u2019s example, or your own scenario", "Z", ImGuiKey_Z, 0,
                [](const Frame&, Out& out) { out.push(Command::example); }, true},
    CommandInfo{"Quiz me on this view", "Q", ImGuiKey_Q, 0,
                [](const Frame& frame, Out& out) { out.push(QuizView{frame.view}); }, true},
    CommandInfo{"Next view", "]", ImGuiKey_None, ']',
                [](const Frame& frame, Out& out) { move_view(frame, out, 1); }},
    CommandInfo{"Previous view", "[", ImGuiKey_None, '[',
                [](const Frame& frame, Out& out) { move_view(frame, out, -1); }},
    CommandInfo{"Faster", "=", ImGuiKey_None, '=',
                [](const Frame& frame, Out& out) { out.push(SetSpeed{frame.playback.speed * 2}); }},
    CommandInfo{"Slower", "\u2212", ImGuiKey_None, '-',
                [](const Frame& frame, Out& out) { out.push(SetSpeed{frame.playback.speed / 2}); }},
    CommandInfo{"GB or GiB", "U", ImGuiKey_U, 0,
                [](const Frame& frame, Out& out)
                {
                    change_preferences(frame, out,
                                       [](Preferences& p) {
                                           p.unit = p.unit == ByteUnit::decimal ? ByteUnit::binary
                                                                                : ByteUnit::decimal;
                                       });
                }},
    CommandInfo{"Light or dark", "T", ImGuiKey_T, 0,
                [](const Frame& frame, Out& out)
                { change_preferences(frame, out, [](Preferences& p) { p.light = !p.light; }); }},
    CommandInfo{"High contrast on or off", "", ImGuiKey_None, 0,
                [](const Frame& frame, Out& out) {
                    change_preferences(frame, out,
                                       [](Preferences& p) { p.high_contrast = !p.high_contrast; });
                }},
    CommandInfo{"Larger text", "Ctrl +", ctrl(ImGuiKey_Equal), 0,
                [](const Frame& frame, Out& out) { scale_text(frame, out, 1); }},
    CommandInfo{"Smaller text", "Ctrl \u2212", ctrl(ImGuiKey_Minus), 0,
                [](const Frame& frame, Out& out) { scale_text(frame, out, -1); }},
    CommandInfo{"Presenter: large type, only the picture", "F5", ImGuiKey_F5, 0,
                [](const Frame& frame, Out& out)
                { change_preferences(frame, out, [](Preferences& p) { p.presenter = !p.presenter; }); },
                false, InBrowser::without_key},
    CommandInfo{"Full screen, or a window again", "F11", ImGuiKey_F11, 0,
                [](const Frame&, Out& out) { out.push(Command::full_screen); }, false, InBrowser::none},
    CommandInfo{"Motion on or off", "", ImGuiKey_None, 0,
                [](const Frame& frame, Out& out) {
                    change_preferences(frame, out,
                                       [](Preferences& p) { p.reduced_motion = !p.reduced_motion; });
                }},
    CommandInfo{"Spotlight at the mouse; the wheel sizes it", "Ctrl E", ctrl(ImGuiKey_E), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::spotlight}); }},
    CommandInfo{"Pen: draw over the window", "Ctrl D", ctrl(ImGuiKey_D), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::pen}); }, false,
                InBrowser::without_key},
    CommandInfo{"Hide the figures, or show them", "Ctrl H", ctrl(ImGuiKey_H), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::numbers}); }, false,
                InBrowser::without_key},
    CommandInfo{"Freeze the picture, or resume it", "Ctrl F", ctrl(ImGuiKey_F), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::freeze}); }, false,
                InBrowser::without_key},
    CommandInfo{"Ask the class: guesses in a histogram", "Ctrl G", ctrl(ImGuiKey_G), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::guesses}); }},
    CommandInfo{"Draw the curve first: guesses on empty axes", "Ctrl B", ctrl(ImGuiKey_B), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::curve}); }},
    CommandInfo{"Sound: hear what plays, or silence", "Ctrl M", ctrl(ImGuiKey_M), 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::sound}); }},
    CommandInfo{"Louder sound", "", ImGuiKey_None, 0,
                [](const Frame& frame, Out& out) { change_volume(frame, out, kVolumeStep); }},
    CommandInfo{"Softer sound", "", ImGuiKey_None, 0,
                [](const Frame& frame, Out& out) { change_volume(frame, out, -kVolumeStep); }},
    CommandInfo{"Black screen", "", ImGuiKey_None, 0,
                [](const Frame&, Out& out) { out.push(TurnTool{StageTool::black}); }},
    CommandInfo{"Clicker: on", "", ImGuiKey_None, 0,
                [](const Frame& frame, Out& out) { click(frame, out, 1); }},
    CommandInfo{"Clicker: back", "", ImGuiKey_None, 0,
                [](const Frame& frame, Out& out) { click(frame, out, -1); }},
    CommandInfo{"Save this view as a picture", "Ctrl S", ctrl(ImGuiKey_S), 0,
                [](const Frame&, Out& out) { out.push(Command::save_picture); }},
    CommandInfo{"Save this view as SVG, to scale and to edit", "", ImGuiKey_None, 0,
                [](const Frame&, Out& out) { out.push(Command::save_svg); }},
    CommandInfo{"Save this animation, or stop saving it", "Ctrl Shift S", ImGuiMod_Shift | ctrl(ImGuiKey_S),
                0, [](const Frame&, Out& out) { out.push(Command::save_animation); }, false, InBrowser::none},
    CommandInfo{"Quit", "Ctrl Q", ctrl(ImGuiKey_Q), 0,
                [](const Frame&, Out& out) { out.push(Command::quit); }, false, InBrowser::none},
};

} // namespace

std::span<const CommandInfo> commands()
{
    return kCommands;
}

double next_stop(const Motion& motion, double t, int direction)
{
    constexpr double kSameStop = 1e-6;
    if (motion.stops.empty())
    {
        return std::clamp(direction > 0 ? std::floor(t + kSameStop) + 1 : std::ceil(t - kSameStop) - 1, 0.0,
                          motion.duration);
    }
    if (direction > 0)
    {
        const auto next = std::upper_bound(motion.stops.begin(), motion.stops.end(), t + kSameStop);
        return next == motion.stops.end() ? motion.duration : *next;
    }
    const auto next = std::lower_bound(motion.stops.begin(), motion.stops.end(), t - kSameStop);
    return next == motion.stops.begin() ? 0 : *(next - 1);
}

} // namespace ringside
