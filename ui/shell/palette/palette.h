// Ctrl+K finds anything by its name: what is typed, the rows that fit, one of them chosen.
//
// Everything is listed once per opening (about a thousand entries) and searched when a letter is typed. A
// field of the scenario opens a view whose panel has its control, the current one if it can, and gives that
// control the keyboard; without one it is opened under More.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/palette/entries.h"

#include <array>
#include <optional>

namespace ringside
{

class Palette
{
public:
    void open();
    void close() { open_ = false; }
    bool is_open() const { return open_; }
    // Null unless an entry was chosen; its actions are pushed, its request is the window's to do.
    const PaletteEntry* draw(const Frame& frame, const Painter& painter, Out& out);
    void type(std::string_view query); // in place of what stands there

private:
    void search(const Frame& frame);
    std::optional<std::size_t> draw_rows(const Painter& painter, bool moved);

    bool open_ = false;
    bool listed_ = false; // since it was opened
    std::array<char, 64> query_{};
    std::vector<PaletteEntry> all_;
    std::vector<std::size_t> found_; // in all_, the closest first
    std::size_t row_ = 0;            // in found_
};

} // namespace ringside
