// The left pane of the gallery: errata narrowed by text, topic and kind, one of them chosen.
#pragma once

#include "ui/shell/view.h"

#include <array>

namespace ringside
{

class ErrataList
{
public:
    // Before anything else in a frame: finds the rows that are let through and keeps the chosen one among
    // them.
    void update(const ErrataFrame& gallery);
    // Null where nothing is let through.
    const Erratum* chosen() const { return rows_.empty() ? nullptr : rows_[at_]; }
    std::size_t count() const { return rows_.size(); }
    std::size_t place() const { return at_; } // of the chosen one

    void move(int by);
    void narrow_to(ErratumKind kind); // the same again: all kinds
    void find() { focus_ = true; }    // the keyboard goes to the text at the next draw
    void clear();

    // True when a row was pressed.
    bool draw(const Painter& painter, Rect area, const ErrataFrame& gallery, Out& out);

private:
    bool lets_through(const Erratum& erratum) const;
    void draw_find(const Painter& painter, Rect row, Out& out);
    void draw_kinds(const Painter& painter, Rect row, const ErrataFrame& gallery);
    void draw_topics(const Painter& painter, Rect row, const ErrataFrame& gallery);
    bool draw_rows(const Painter& painter, Rect area);
    void draw_none(const Painter& painter, Rect area);

    std::array<char, 64> query_{};
    std::string topic_; // empty: all
    std::optional<ErratumKind> kind_;
    std::vector<const Erratum*> rows_;
    std::size_t at_ = 0;
    std::string id_; // of the chosen one, kept while it is narrowed away
    bool focus_ = false;
    bool follow_ = true; // scroll to the chosen row at the next draw
};

} // namespace ringside
