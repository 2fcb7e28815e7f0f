// Words that find a free place in a picture, or stay away.
#pragma once

#include "ui/draw/painter.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

// Labels of one drawing, in order of importance, each on a ground of its own.
class Labels
{
public:
    explicit Labels(Rect bounds = {}) : bounds_(bounds) {}

    void take(Rect r) { taken_.push_back(r); }
    // Stays off a line of the picture where there is a choice. `curve` numbers what it is a piece of.
    void avoid(ImVec2 from, ImVec2 to, std::optional<std::size_t> curve = {})
    {
        lines_.push_back({from, to, curve});
    }
    // At the first of right, left, above, below and the corners of `at` that is free, and of those the first
    // that no line crosses. False when none is.
    bool put(const Painter& painter, ImVec2 at, float distance, Type type, Colour colour,
             std::string_view text);
    // Beside the path of a curve, as near to its end as no line crosses it and no other curve is nearer;
    // where there is no such place, a line leads from the words to the curve. Nothing when none is free.
    struct Named
    {
        Rect rect;
        bool leads = false;
    };
    std::optional<Named> put_along(const Painter& painter, std::span<const ImVec2> path, std::size_t curve,
                                   Type type, const Mark& mark, std::string_view text);
    // Moved so that it stays inside the bounds; `x` is where it begins, or ends with Align::right. One that
    // sinks goes down to where no line crosses it. False when it is too wide, or others are there.
    bool put_inside(const Painter& painter, float x, float middle, Type type, Colour colour,
                    std::string_view text, Align align = Align::left, bool sinks = false);

private:
    struct Segment
    {
        ImVec2 from;
        ImVec2 to;
        std::optional<std::size_t> curve;
    };

    enum class Worth
    {
        crossed, // by a line
        astray,  // another curve is nearer
        good
    };
    struct Place
    {
        Rect r;
        Worth worth = Worth::crossed;
        ImVec2 at; // what it stands beside
    };

    std::optional<Place> place(const Painter& painter, ImVec2 at, float distance, Type type,
                               std::string_view text, std::optional<std::size_t> curve = {}) const;
    bool is_free(Rect r) const;
    bool is_crossed(Rect r, std::optional<std::size_t> but = {}) const;
    // Whether this curve is nearer to it than any other.
    bool is_nearest(Rect r, std::size_t curve) const;
    void write(const Painter& painter, Rect r, Type type, Colour colour, std::string_view text);

    Rect bounds_;
    std::vector<Rect> taken_;
    std::vector<Segment> lines_;
};

// From a line's piece to a rectangle; 0 where it goes through. [px]
float distance_of(Rect r, ImVec2 from, ImVec2 to);

// Where a column of words stands that want to be at these heights, ascending, and keep `step` apart: those
// that touch stand together in the middle of where they want to be, all between `least` and `most`.
std::vector<float> spread(std::span<const float> heights, float least, float most, float step);

} // namespace ringside
