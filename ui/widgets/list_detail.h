// A list at the left, one row of it chosen, and what is chosen at the right; one of both with a button to the
// other where there is no room. Remembers what is chosen by its id, also while it is not listed.
//
// The keyboard belongs to a list that is typed into: letters go to its field, up and down to its rows. Any
// other has up and down as long as nothing else has the keyboard.
#pragma once

#include "ui/draw/painter.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace ringside
{

struct ListRow
{
    std::string id;
    std::string label;      // "ZeRO-3 triples the traffic###erratum E01"
    std::string group = {}; // a heading above the first row of each
    std::string says = {};  // at the right of the heading
};

// What the view draws of it.
struct ListParts
{
    std::function<void(const Painter&, Rect, std::size_t row, bool chosen, bool hovered)> row;
    std::function<void(Rect)> detail = {};
    std::function<void(Rect&)> filters = {}; // above the rows; takes its room off the rectangle
    std::function<void(Rect)> none = {};     // in place of the rows where nothing is listed
    float height = 30;                       // of a row [design px]
};

struct ListEvent
{
    bool changed = false; // another row, other words, the other pane
    bool pressed = false; // a row
    bool entered = false; // Enter in the field
    int bracket = 0;      // typed into the field: -1 or 1, to the view before or behind this one
};

class ListDetail
{
public:
    struct Words
    {
        const char* name;   // of its widgets: "errata"
        const char* hint;   // in the empty field
        bool typed = false; // the field is always there and takes the keyboard
    };
    explicit ListDetail(const Words& words) : words_(words), focus_(words.typed) {}

    // Before anything else in a frame: what there is to choose from. While `nearest`, the first is chosen.
    void list(std::vector<ListRow> rows, bool nearest = false);
    std::size_t count() const { return rows_.size(); }
    std::size_t at() const { return at_; }
    const std::string& id() const { return id_; } // of what is chosen; empty: nothing was yet
    std::string place() const;                    // "3 of 20"; empty where nothing is listed
    std::string_view query() const { return query_.data(); }

    void choose(std::string_view id);
    void move(int by);
    void move_to(std::size_t row);
    void clear() { query_ = {}; }
    void follow() { follow_ = true; } // the chosen row comes into sight at the next draw
    void find();                      // the field gets the keyboard at the next draw
    void turn() { listing_ = !listing_; }
    void show_detail() { listing_ = false; }
    // Up, down and page keys. True when one was pressed.
    bool keys();
    static bool keyboard_is_free(); // nothing else has it

    // Both panes, or one of them.
    ListEvent draw(const Painter& painter, Rect area, bool narrow, const ListParts& parts);
    // The rows alone.
    ListEvent draw_rows(const Painter& painter, Rect area, const ListParts& parts);

private:
    void own_arrows() const;
    void draw_field(const Painter& painter, Rect row, ListEvent& event);
    void draw_list(const Painter& painter, Rect area, const ListParts& parts, ListEvent& event);
    void draw_one(const Painter& painter, Rect area, const ListParts& parts, ListEvent& event);

    Words words_;
    std::array<char, 64> query_{};
    std::vector<ListRow> rows_;
    std::size_t at_ = 0;
    std::string id_;
    bool focus_;
    bool follow_ = true;
    bool listing_ = false; // of the one pane there is room for
};

// The ground of a row in a list one entry of which is chosen.
void list_row(const Painter& painter, Rect row, bool chosen, bool hovered);
// A row that is pressed, with its words at the left and a figure at the right. True when it was.
struct ListLine
{
    std::string label; // "Ring###word ring"
    std::string_view right = {};
    bool chosen = false;
    Colour ink = 0; // 0: that of text
};
bool list_line(const Painter& painter, Rect row, const ListLine& line);

} // namespace ringside
