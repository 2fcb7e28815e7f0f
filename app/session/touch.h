// What fingers do, said to ImGui as a mouse: a tap presses, one finger that goes up or down scrolls, one that
// goes sideways or was held drags, two scroll and their distance zooms.
//
// A press counts when the finger is lifted, so that a swipe presses nothing on its way.
#pragma once

#include <imgui.h>

#include <span>

namespace ringside
{

class Touch
{
public:
    // `pixel_ratio`: pixels of the window for one of the screen's own length units, of which 160 are an inch.
    explicit Touch(float pixel_ratio = 1) : ratio_(pixel_ratio) {}

    // The fingers that are down after an event, in pixels, none when the last one was lifted, and when [s].
    void move(std::span<const ImVec2> fingers, double now);
    // The system took the fingers away: nothing is pressed.
    void cancel();
    void set_pixel_ratio(float ratio) { ratio_ = ratio; }
    // While one is drawn with, a finger drags whichever way it goes; two still scroll.
    void set_draws(bool draws) { draws_ = draws; }

private:
    enum class Does
    {
        nothing, // no finger, or what they did is over until all are lifted
        waits,   // one finger that has not moved: a tap so far
        drags,
        scrolls,
        pinches
    };

    Does does_ = Does::nothing;
    float ratio_;
    bool draws_ = false;
    double began_ = 0; // [s]
    ImVec2 from_;      // where the first finger came down
    ImVec2 last_;      // of one finger where it was, of two their middle
    float apart_ = 0;  // two fingers

    void begin(ImVec2 at, double now);
    void one(ImVec2 at, double now);
    void two(ImVec2 a, ImVec2 b);
    void lift();
    void scroll(ImVec2 by) const;
};

} // namespace ringside
