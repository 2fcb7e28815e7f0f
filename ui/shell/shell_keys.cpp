// Keys of the window: those that work whatever is open, commands, clicker, transport; what is left is the
// view's.
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/popups.h"
#include "ui/shell/shell.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ringside
{

namespace
{

// Signs sit on different keys of different keyboards, so they are taken as what was typed.
bool typed(char sign)
{
    const ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    return std::find(queue.begin(), queue.end(), static_cast<ImWchar>(sign)) != queue.end();
}

// Any key but one that is held for another's sake.
bool any_key_pressed()
{
    for (int k = ImGuiKey_NamedKey_BEGIN; k < ImGuiKey_GamepadStart; ++k)
    {
        const bool modifier = k >= ImGuiKey_LeftCtrl && k <= ImGuiKey_RightSuper;
        if (!modifier && ImGui::IsKeyPressed(static_cast<ImGuiKey>(k), false))
        {
            return true;
        }
    }
    return false;
}

// Where a period is the clicker's.
bool is_in_class(const Frame& frame)
{
    return frame.stage != nullptr && (frame.preferences.presenter || frame.stage->script != nullptr);
}

const CommandInfo& find_command(std::string_view name)
{
    const auto all = commands();
    return *std::find_if(all.begin(), all.end(),
                         [name](const CommandInfo& command) { return command.name == name; });
}

// A view's own key goes before the window's.
bool has_own(const ViewKeys& keys, std::string_view key)
{
    return std::ranges::any_of(keys, [&](const ViewKey& own) { return own.key == key; });
}

// Nothing that a text field makes use of itself: function keys, and Ctrl with most keys.
bool works_while_typing(const CommandInfo& command)
{
    constexpr std::array kOfFields{ImGuiKey_A, ImGuiKey_C, ImGuiKey_V, ImGuiKey_X, ImGuiKey_Y, ImGuiKey_Z};
    const auto key = static_cast<ImGuiKey>(command.chord & ~ImGuiMod_Mask_);
    const bool function = key >= ImGuiKey_F1 && key <= ImGuiKey_F12;
    return function || ((command.chord & ImGuiMod_Ctrl) != 0 && std::ranges::count(kOfFields, key) == 0);
}

} // namespace

// ImGui presses and leaves the widget that has the keyboard before a frame is ours, so this comes before the
// first widget. Page keys scroll and are a clicker's, Home and End are the transport's; a list that is open
// and a text that is typed have them all the same.
void Shell::keep_keys_from_widgets()
{
    if (space_plays_ && ImGui::IsKeyDown(ImGuiKey_Space))
    {
        ImGuiContext& g = *ImGui::GetCurrentContext();
        g.NavActivateId = g.NavActivateDownId = g.NavActivatePressedId = 0;
    }
    space_plays_ = false;
    if (!any_popup_open())
    {
        for (const ImGuiKey key : {ImGuiKey_PageUp, ImGuiKey_PageDown, ImGuiKey_Home, ImGuiKey_End})
        {
            ImGui::SetKeyOwner(key, ImHashStr("keys of the window"));
        }
    }
}

// Called before anything of the frame is drawn: no control of another view has been given the keyboard yet.
void Shell::leave_view(const Frame& frame)
{
    if (std::exchange(shown_view_, frame.view) != frame.view)
    {
        view_changed_ = true;
        ImGui::GetCurrentContext()->NavDisableHighlight = true;
    }
}

// ImGui leaves the keyboard on what is drawn no more, and Tab leads nowhere from there. In another view, too,
// Tab begins at the first control, unless one of it has been given the keyboard. Called when everything of
// the frame is drawn.
void Shell::drop_lost_focus()
{
    ImGuiContext& g = *ImGui::GetCurrentContext();
    const bool held = g.ActiveId != 0 && g.ActiveIdIsAlive == g.ActiveId;
    const bool lost = g.NavId != 0 && !g.NavIdIsAlive;
    if (any_popup_open() || palette_.is_open())
    {
        return;
    }
    const bool left = std::exchange(view_changed_, false) && g.NavDisableHighlight;
    if ((left || lost) && !held && !g.NavMoveSubmitted && g.NavNextActivateId == 0)
    {
        ImGuiWindow* window = ImGui::FindWindowByName("###ringside");
        ImGui::SetNavWindow(window);
        ImGui::SetNavID(0, ImGuiNavLayer_Main, window->NavRootFocusScopeId, {});
        g.NavDisableHighlight = true;
    }
}

// Keys that work whatever is open.
bool Shell::keys_always(const Frame& frame, Out& out)
{
    if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_K))
    {
        palette_.is_open() ? palette_.close() : palette_.open();
    }
    if (ImGui::IsKeyPressed(ImGuiKey_F1, false))
    {
        guide_.toggle();
        out.animating = true;
    }
    if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Q))
    {
        out.push(Command::quit);
    }
    return ImGui::IsKeyPressed(ImGuiKey_Escape, false) && close_innermost(frame, out);
}

bool Shell::close_innermost(const Frame& frame, Out& out)
{
    if (palette_.is_open())
    {
        palette_.close();
    }
    else if (help_open_)
    {
        help_open_ = false;
    }
    else if (popup_was_open_)
    {
        return true; // ImGui has closed it
    }
    else if (issues_open_)
    {
        issues_open_ = false;
    }
    else if (!fault_.empty())
    {
        close_fault(frame, out);
    }
    else if (import_.on(frame))
    {
        import_.close();
        out.animating = true;
    }
    else if (curve_.take_away(frame) || close_stage(frame, out))
    {
        return true;
    }
    else if (guide_.on())
    {
        guide_.close();
    }
    else if (panel_over_)
    {
        panel_over_ = false;
    }
    else if (frame.lesson != nullptr)
    {
        out.push(LeaveLesson{});
    }
    else if (frame.preferences.presenter)
    {
        Preferences next = frame.preferences;
        next.presenter = false;
        out.push(ChangePreferences{next});
    }
    else
    {
        return false;
    }
    return true;
}

bool Shell::close_stage(const Frame& frame, Out& out)
{
    for (const StageTool tool : {StageTool::pen, StageTool::guesses, StageTool::curve, StageTool::spotlight})
    {
        if (frame.stage != nullptr && frame.stage->has(tool))
        {
            out.push(TurnTool{tool});
            return true;
        }
    }
    return false;
}

bool Shell::keys_of_clicker(const Frame& frame, const View& view, Out& out)
{
    const bool scenes = frame.stage != nullptr && frame.stage->script != nullptr;
    if (frame.lesson != nullptr || (!scenes && (!frame.preferences.presenter || !view.about_scenario())))
    {
        return false; // a lesson has its own, and so have some views
    }
    const bool on = ImGui::IsKeyPressed(ImGuiKey_PageDown, false);
    const bool back = ImGui::IsKeyPressed(ImGuiKey_PageUp, false);
    if (on || back)
    {
        find_command(on ? "Clicker: on" : "Clicker: back").run(frame, out);
    }
    return on || back;
}

// Clickers send a period or B. A period is a step elsewhere, so it is theirs only in front of a class.
bool Shell::keys_of_black(const Frame& frame, Out& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    const bool on = frame.stage != nullptr && frame.stage->has(StageTool::black);
    if (on)
    {
        const bool pages =
            ImGui::IsKeyPressed(ImGuiKey_PageDown, false) || ImGui::IsKeyPressed(ImGuiKey_PageUp, false);
        if (pages || any_key_pressed())
        {
            out.push(TurnTool{StageTool::black});
        }
        return !pages; // those go on as well
    }
    const bool decimal = frame.lesson != nullptr && frame.lesson->pending(); // a guess is typed
    if (!is_in_class(frame) || io.WantTextInput || ClassTally::asks(frame) || io.KeyCtrl || io.KeyAlt ||
        io.KeySuper || (frame.stage->has(StageTool::pen)))
    {
        return false;
    }
    // Keys, not signs: the sign of a key arrives a frame later and would be taken for another press.
    const bool pressed =
        ImGui::IsKeyPressed(ImGuiKey_B, false) || (!decimal && ImGui::IsKeyPressed(ImGuiKey_Period, false));
    if (pressed)
    {
        out.push(TurnTool{StageTool::black});
    }
    return pressed;
}

// Keys of the transport.
void Shell::keys_of_motion(const Frame& frame, const Motion& motion, Out& out)
{
    if (ImGui::IsKeyPressed(ImGuiKey_Space, false))
    {
        out.push(Play{!frame.playback.playing});
    }
    const bool on = typed('>') || (typed('.') && !is_in_class(frame));
    const int step = (on ? 1 : 0) - (typed(',') || typed('<') ? 1 : 0);
    if (step != 0)
    {
        out.push(Play{false});
        out.push(Seek{next_stop(motion, frame.playback.t, step)});
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Home, false))
    {
        out.push(Seek{0});
    }
    if (ImGui::IsKeyPressed(ImGuiKey_End, false))
    {
        out.push(Seek{motion.duration});
    }
}

void Shell::keys_of_commands(const Frame& frame, const ViewKeys& own, bool about_scenario, bool typing,
                             Out& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    for (const CommandInfo& command : commands())
    {
        if (command.of_scenario && !about_scenario)
        {
            continue; // nobody would see what it did
        }
        if (has_own(own, command.key) || (typing && !works_while_typing(command)))
        {
            continue;
        }
        const bool chord = command.chord != ImGuiKey_None && ImGui::IsKeyChordPressed(command.chord);
        if (chord || (command.typed != 0 && typed(command.typed)))
        {
            command.run(frame, out);
        }
    }
    if (io.KeyCtrl &&
        (ImGui::IsKeyPressed(ImGuiKey_KeypadAdd) || (io.KeyShift && ImGui::IsKeyPressed(ImGuiKey_Equal))))
    {
        find_command("Larger text").run(frame, out);
    }
    if (io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_KeypadSubtract))
    {
        find_command("Smaller text").run(frame, out);
    }
}

void Shell::keys_while_typing(const Frame& frame, View& view, Out& out)
{
    if (ClassTally::asks(frame) && !ImGui::GetIO().KeyAlt)
    {
        return; // what is typed is a guess
    }
    if (frame.lesson != nullptr)
    {
        lesson_.typing_keys(frame, out);
    }
    if (frame.lesson == nullptr || !lesson_.is_typed_in())
    {
        view.typing_keys(frame, out);
    }
}

void Shell::keys(const Frame& frame, const Motion& motion, View& view, Out& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (tour_.keys(out) || keys_of_black(frame, out))
    {
        return;
    }
    if (keys_always(frame, out) || palette_.is_open() || popup_was_open_ || any_popup_open())
    {
        return;
    }
    if (keys_of_clicker(frame, view, out))
    {
        return;
    }
    const bool typing = io.WantTextInput || ClassTally::asks(frame);
    if (typing || io.KeyAlt)
    {
        keys_while_typing(frame, view, out);
    }
    const ViewKeys own = view.keys();
    // Space plays, whatever widget the keyboard is on: Enter presses that.
    space_plays_ = !typing && (motion.duration > 0 || have_space(own));
    keys_of_commands(frame, own, view.about_scenario(), typing, out);
    if (!typing && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_I))
    {
        walk_.take_keyboard();
        out.animating = true;
    }
    if (typing || io.KeyCtrl || io.KeyAlt || io.KeySuper || stage_.keys(frame, out) ||
        curve_.keys(frame, out))
    {
        return;
    }
    if (typed('?'))
    {
        help_open_ = !help_open_;
    }
    if (view.about_scenario() && !has_own(own, "M") && ImGui::IsKeyPressed(ImGuiKey_M, false))
    {
        panel_.toggle_more();
    }
    if (typed('\\'))
    {
        panel_over_ = !panel_over_;
    }
    if (frame.lesson != nullptr && lesson_.keys(frame, out))
    {
        return;
    }
    if (motion.duration > 0)
    {
        keys_of_motion(frame, motion, out);
    }
    if (!frame.back.empty() && ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
    {
        out.push(BackToQuestion{});
    }
    view.on_keys(frame, out);
}

} // namespace ringside
