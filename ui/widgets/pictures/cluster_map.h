// GPUs as cells in cards, a card a domain of fast links: coloured by one axis, with the groups of one GPU
// drawn over them. Any zoom; cells too small to see become one patch a card.
#pragma once

#include "core/network/rank_grid.h"
#include "ui/draw/painter.h"

namespace ringside
{

// Zoom 1 shows everything; pan is in pixels of the whole map's upper left corner.
struct MapZoom
{
    float zoom = 1;
    ImVec2 pan{0, 0};
};

// Where everything lies on screen.
class MapGeometry
{
public:
    MapGeometry(const Painter& painter, Rect area, const RankGrid& grid, const MapLayout& layout,
                const MapZoom& zoom);

    Rect area() const { return area_; } // what cards are clipped to; labels lie outside of it
    Rect card(std::int64_t domain) const;
    Rect cell(std::int64_t rank) const;
    std::optional<std::int64_t> at(ImVec2 point) const; // the GPU there
    float cell_size() const { return cell_; }
    float pitch_x() const { return pitch_x_; }
    float pitch_y() const { return pitch_y_; }
    float gap() const { return gap_; }
    bool named() const { return heading_ > 0; }
    float heading() const { return heading_; }
    const RankGrid& grid() const { return grid_; }
    const MapLayout& layout() const { return layout_; }

private:
    const RankGrid& grid_;
    const MapLayout& layout_;
    Rect area_;
    ImVec2 origin_;
    float pitch_x_ = 1;
    float pitch_y_ = 1;
    float gap_ = 0;
    float heading_ = 0;
    float cell_ = 1;
    float cells_left_ = 0; // from a card's corner
    float cells_top_ = 0;
};

struct MapStyle
{
    Axis by = Axis::pipeline; // what the colours say
    std::int64_t lit = 0;     // this GPU's groups are drawn
};

const Ink& axis_ink(const Theme& theme, Axis axis);
// "node", or "domain" where the fast links reach further.
std::string_view domain_word(const RankGrid& grid);
// "stage", "replica": what a coordinate of the axis is called.
std::string_view coordinate_word(Axis axis);
// The colour of a coordinate on an axis of this size.
Colour coordinate_colour(const Theme& theme, std::int64_t coordinate, std::int64_t size);
// The ranks drawn for an axis: gradients go round all replicas, whatever their part of the sequence.
Group drawn_group(Axis axis);

// How much of `area` rows' and columns' names take, at the left and at the top.
Rect map_field(const Painter& painter, Rect area, const MapLayout& layout);
void draw_cluster_map(const Painter& painter, Rect area, const MapGeometry& map, const MapStyle& style);

} // namespace ringside
