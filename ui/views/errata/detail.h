// The right pane of the gallery: one erratum, its claim beside the truth with both numbers, the bar that goes
// from the one to the other, and why.
#pragma once

#include "ui/shell/view.h"
#include "ui/widgets/tween.h"

namespace ringside
{

struct ShownErratum
{
    const Erratum& erratum;
    const Result<ErratumRun>& run;
    bool as_it_is; // the truth's number is on show, not the claim's

    // Of the side on show; null where there is none.
    const ErratumNumber* number() const;
};

// "the claim is 2x what is true"; empty where no ratio can be said.
std::string ratio_words(const ErratumRun& run);

class ErrataDetail
{
public:
    // True when the other side was asked for.
    bool draw(const Frame& frame, const Painter& painter, Rect area, const ShownErratum& shown, Out& out);

private:
    struct Page // what is left of it, from the top
    {
        const Painter& p;
        Rect left;
    };

    static void draw_head(Page& page, const Erratum& erratum);
    static bool draw_sides(Page& page, const ShownErratum& shown);
    bool draw_switch(Page& page, const ShownErratum& shown) const;
    void draw_bar(const Frame& frame, Page& page, const ShownErratum& shown, Out& out);
    static void draw_working(Page& page, const ShownErratum& shown);
    static void draw_why(Page& page, const Erratum& erratum);

    Tween length_; // of the bar, as a share of the track
    Tween other_;  // where the other number ends
    Tween solid_;  // 0: hatched, as claimed; 1: solid, as it is
    std::string id_;
};

} // namespace ringside
