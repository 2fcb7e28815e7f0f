// A minute over the real window for a first-time user: some parts of it, each ringed,
// with a card. It runs over the overview, wherever it is started.
//
// It changes nothing in the session, so lessons, undo and saved state do not know of it. The settings file,
// written when it is left, says that it was seen.
#pragma once

#include "ui/shell/tween.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

// Parts of the window that stops point at.
inline constexpr std::string_view kTourPicture = "window picture", kTourPanel = "window panel",
                                  kTourCaption = "window caption", kTourRail = "window rail",
                                  kTourTime = "window time", kTourFind = "window find",
                                  kTourLab = "window lab";

struct TourStop
{
    std::string_view part;
    std::string_view title;
    std::string_view text;
};
std::span<const TourStop> tour_stops();

class Tour
{
public:
    void start(std::size_t stop = 0);
    bool on() const { return stop_.has_value(); }
    // The stop, while there is one. A press outside its card leaves the tour and does what it would have
    // done.
    void draw(const Frame& frame, const Painter& painter, const std::vector<NamedPart>& parts, Out& out);
    // True when the key was the tour's; any other leaves it and does what it would have done.
    bool keys(Out& out);

private:
    void go(std::ptrdiff_t by);
    void begin(std::size_t use, Out& out); // of the first stop; ends the tour
    void draw_ring(const Frame& frame, const Painter& painter, Rect part, Out& out);
    bool draw_card(const Painter& painter, Rect card, Out& out);

    std::optional<std::size_t> stop_;
    Tween ring_;
    std::optional<std::size_t> ring_of_; // the stop it eases in for
    float words_ = 0;                    // height of the card's, as drawn last
};

} // namespace ringside
