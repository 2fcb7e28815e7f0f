// The waterfall: a row for every part of the step, a bar where it lies on the time axis, and what is left of
// the utilization after it.
#pragma once

#include "ui/shell/tween.h"
#include "ui/views/performance/waterfall/words.h"

#include <map>

namespace ringside
{

class WaterfallRows
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Convention convention, Out& out);

private:
    struct Bar
    {
        Tween from;
        Tween to;
    };
    struct Columns
    {
        float names = 0; // right edge of the words
        Rect plot;
        float seconds = 0; // right edge
        float left = 0;    // right edge; 0: no room for it
        float pitch = 0;
        double most = 1; // [s] at the plot's right edge

        float x(double seconds) const;
    };
    struct Row
    {
        WaterfallRow at;
        std::string name;
        std::string detail;
        std::string tip;
        bool rest = false; // several small ones
        bool last = false;
    };

    std::vector<Row> rows(const Frame& frame, Convention convention, std::size_t most) const;
    static Row rest_of(const std::vector<WaterfallRow>& small, Convention convention);
    Columns columns(const Painter& painter, Rect area, float figures) const;
    void draw_axis(const Painter& painter, Rect head, const Columns& c, const TimeScale& scale, float bottom,
                   const std::string& share) const;
    void draw_bar(const Frame& frame, const Painter& painter, const Row& row, Rect line, const Columns& c,
                  Out& out);
    void draw_words(const Painter& painter, const Row& row, Rect line, const Columns& c,
                    const TimeScale& scale, bool strong) const;
    void draw_total(const Frame& frame, const Painter& painter, Rect line, const Columns& c,
                    Convention convention) const;

    std::map<int, Bar> bars_;
};

} // namespace ringside
