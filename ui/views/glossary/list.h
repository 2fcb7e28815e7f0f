// The left pane of the glossary: what is typed, the terms that fit it, one of them chosen.
#pragma once

#include "core/study/glossary.h"
#include "ui/shell/view.h"

#include <array>
#include <span>

namespace ringside
{

class GlossaryList
{
public:
    using Terms = std::span<const GlossaryTerm>;

    // Before anything else in a frame.
    void update(Terms terms);
    const GlossaryTerm* chosen() const; // null where nothing fits
    std::size_t count() const { return rows_.size(); }
    std::size_t place() const { return at_; } // of the chosen one, in the rows
    std::string_view query() const { return query_.data(); }

    void choose(std::string_view id); // also one that what is typed does not let through
    void move(int by);
    void jump(std::string_view initial); // to the first term of a letter
    void focus() { focus_ = true; }      // the field gets the keyboard at the next draw

    // True when Enter was pressed in the field.
    bool draw_field(const Painter& painter, Rect row, Out& out);
    // True when a row was pressed.
    bool draw_rows(const Painter& painter, Rect area);

private:
    void search();

    Terms terms_;
    std::array<char, 64> query_{};
    std::vector<std::size_t> rows_; // in terms_, the closest first
    std::size_t at_ = 0;
    std::string id_; // of the chosen one, kept while nothing fits
    bool focus_ = true;
    bool follow_ = true; // scroll to the chosen row at the next draw
};

} // namespace ringside
