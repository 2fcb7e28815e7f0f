// The parts of the gallery: a mark for every kind of erratum, what narrows the list, the erratum on show with
// the bar from claim to truth, and its numbers to move.
#pragma once

#include "ui/shell/frame/errata_frame.h"
#include "ui/shell/tween.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

// About 14 design pixels wide and high.
void draw_mark(const Painter& painter, ImVec2 centre, ErratumKind kind, Colour ink);
std::string_view words_of(ErratumKind kind); // "a value is lost"

class ErrataFilter
{
public:
    bool lets_through(const Erratum& erratum, std::string_view query) const;
    void narrow_to(ErratumKind kind); // the same again: all kinds
    void clear() { *this = {}; }
    // Takes its room off the top of `area`. True when something else is let through from now on.
    bool draw(const Painter& painter, Rect& area, const ErrataFrame& gallery);

private:
    bool draw_kind(const Painter& painter, Rect cell, const ErrataFrame& gallery, ErratumKind kind);
    bool draw_topics(const Painter& painter, Rect row, const ErrataFrame& gallery);

    std::string topic_; // empty: all
    std::optional<ErratumKind> kind_;
};

struct ShownErratum
{
    const Erratum& erratum;
    const Result<ErratumRun>& run;
    bool as_it_is; // the truth's number is on show, not the claim's

    // Null where there is none.
    const ErratumNumber* number(bool of_truth) const;
    const ErratumNumber* number() const { return number(as_it_is); } // of the side on show
};

// "a = b + c = 3"
std::string working_of(const ErratumNumber& number);

class ErrataDetail
{
public:
    // True when the other side was asked for.
    bool draw(const Frame& frame, const Painter& painter, Rect area, const ShownErratum& shown, Out& out);

private:
    void draw_bar(const Frame& frame, Sheet& sheet, const ShownErratum& shown, Out& out);

    Tween length_; // of the bar, as a share of the track
    Tween other_;  // where the other number ends
    Tween solid_;  // 0: hatched, as claimed; 1: solid, as it is
};

struct NumbersEvent
{
    std::optional<DrawnValues> values; // the overrides as they are from now on
    bool show = false;                 // "Show me" was pressed
};

class ErrataNumbers
{
public:
    NumbersEvent draw(const Frame& frame, const Painter& painter, Rect area, const Erratum& erratum,
                      const DrawnValues& overrides, Calculator& calculator);

private:
    // What the parameter was moved to.
    std::optional<double> draw_parameter(PanelColumn& column, const Erratum& erratum,
                                         const ErratumParameter& parameter, const DrawnValues& overrides,
                                         Calculator& calculator);

    std::string refused_; // why the last move went no further
    std::string id_;
};

} // namespace ringside
