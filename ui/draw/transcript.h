// What a frame says, for who hears it, searches it or copies it: words where they stand, controls with their
// names and values, and what is told at once. Whatever draws words or takes presses writes into it.
//
// It has what the frame shows and no more: figures that are hidden are hidden here, and a covered part is not
// in it.
#pragma once

#include "ui/draw/painter.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class ReadRole : std::uint8_t
{
    words,
    heading,
    button,
    choice, // one of several, `on` where it is the one
    toggle,
    menu,   // opens a list; its value is what is chosen
    slider, // with its value and position
    field   // text is typed
};

// Parts of the window, in the order in which they are read.
enum class ReadRegion : std::uint8_t
{
    title,
    lesson,
    picture,
    caption,
    panel,
    rail,
    status,
    over // search, keys, tour and what else lies over the window
};

// How a control is read.
struct ReadAs
{
    ReadRole role = ReadRole::button;
    std::string_view value = {};
    float position = 0; // of a slider, 0 to 1
    bool on = false;
    std::string_view name = {}; // where its label shows none
};

struct ReadPart
{
    ReadRole role = ReadRole::words;
    ReadRegion region = ReadRegion::over;
    std::string text; // the words, or a control's name
    std::string value;
    std::string tip;      // what a control is for
    std::string id_words; // of a control, its last name: "loss over steps"
    float position = 0;
    bool on = false; // of words: a control's name or value, which is read with it
    unsigned id = 0; // ImGui's, of a control
    unsigned window = 0;
    Rect rect;        // [px]
    float size = 0;   // of the words' font [px]
    Rect last_line{}; // of words
    const ImDrawList* list = nullptr;
};

class Transcript
{
public:
    // Before a frame, and after it: controls without a label are named after the words on them, their tip or
    // their id; regions are in their order.
    void begin();
    void finish();
    void enter(ReadRegion region) { region_ = region; }
    // Words that go on in the same line, or in the next one, are one part.
    void write(Type type, float size, Rect rect, std::string_view words, const ImDrawList& list);
    // The item that ImGui was given last.
    void add(Rect rect, std::string_view label, const ReadAs& as);
    // What the item that ImGui was given last is for.
    void describe(std::string_view tip);
    // New words are told at once.
    void say(std::string_view words);
    // A picture that is held shows what it showed.
    void repeat(ReadRegion region);
    // What touches it, as if it had not been drawn.
    void erase_inside(Rect r);

    const std::vector<ReadPart>& parts() const { return parts_; }
    const std::vector<std::string>& said() const { return said_; }

private:
    bool goes_on(const ReadPart& last, float size, Rect rect, const ImDrawList& list) const;
    void name_controls();

    std::vector<ReadPart> parts_;
    std::vector<ReadPart> before_; // of the last frame
    std::vector<std::string> said_;
    ReadRegion region_ = ReadRegion::over;
};

// Nothing where nobody reads.
void read_region(const Look& look, ReadRegion region);
void read_item(const Painter& painter, Rect rect, std::string_view label, const ReadAs& as);
void read_aloud(const Look& look, std::string_view words);
// The last item, a text field.
void read_field(const Painter& painter, std::string_view name, std::string_view text);

} // namespace ringside
