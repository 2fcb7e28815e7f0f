// A user in front of the program, with no display: owns the session and its drawing, runs frames, finds
// what is on show by its label, and uses mouse and keyboard as ImGui gets them from a real window.
#pragma once

#include "tests/core/support.h"

#include "app/session/drawing.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::test
{

// Something that can be pressed, as it was drawn in the last frame.
struct Item
{
    std::string label; // "Title###id" as the code gives it
    ImGuiID id = 0;
    Rect rect;
    Rect visible; // what the windows and scrolled areas round it leave of it
};

// What the last frame gave the renderer, checked triangle by triangle.
struct Drawn
{
    std::size_t vertices = 0;
    std::size_t commands = 0;
    std::size_t missing_glyphs = 0; // drawn in place of a character the font has not
    std::string fault;              // the first thing no renderer should be given; empty when all is well
};

class Window
{
public:
    explicit Window(ImVec2 size = {1280, 800}, Preferences preferences = {});
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    Drawing drawing;
    std::string clipboard;

    Session& session() { return *shown_; }
    const Session& session() const { return *shown_; }
    // Draws another session from now on; nullptr: its own again.
    void show(Session* other) { shown_ = other == nullptr ? &own_ : other; }

    // One frame of this many seconds; true when the next should follow at once. Fails the test when ImGui
    // finds its API misused.
    bool frame(double seconds = 1.0 / 60);
    void frames(int count, double seconds = 1.0 / 60);
    // Until nothing moves any more; the number of frames that took. Fails after `most`.
    int settle(int most = 1500);
    Drawn drawn() const;
    void resize(ImVec2 size);
    void open(std::string_view view);

    const std::vector<Item>& items() const;
    // By the whole label, what is shown of it, or its id after "###"; the topmost when there are several.
    const Item* seek(std::string_view label) const;
    const Item& find(std::string_view label) const;
    std::vector<std::string> labels() const;
    // The label of what the keyboard is on; empty when it is on nothing.
    std::string focused() const;

    void move_to(ImVec2 at);
    void hover(std::string_view label, double seconds = 1);
    void press_at(ImVec2 at);
    // Presses the middle; scrolls it into sight first where it lies in a scrolled area.
    void click(std::string_view label);
    void double_click(ImVec2 at);
    // With the button held, from one share of the item's width to another, calling `each` after every frame.
    void drag(std::string_view label, float from, float to, const std::function<void()>& each = {});
    void wheel(ImVec2 at, float turns);
    void scroll_to(std::string_view label);
    void type(std::string_view text);
    void key(ImGuiKey key, ImGuiKeyChord modifiers = ImGuiMod_None);
    // Presses the value of a slider, types another over it and confirms with Enter.
    void type_value(std::string_view label, std::string_view value);

    Playback playback() const { return session().frame(clock_).playback; }
    Motion motion() { return drawing.shell().motion(session().frame(clock_)); }
    bool valid() const { return !has_errors(session().issues()); }
    double memory() const { return session().now().report->memory.worst().total().value; }

private:
    void mark_missing_glyphs();

    Session own_;
    Session* shown_;
    double clock_ = 0;
    std::map<ImFont*, ImVec2> missing_; // texture corner of what stands for a character that is not there
};

// The first fault ImGui found in the way it is used, and forgets it; empty when there was none.
std::string take_assertion();

} // namespace ringside::test
