// The parts of the view of stored tensors: the list of one kind of layer, shapes that a slider may ask for,
// the strip of all tensors with the list below it, the panel and the words.
//
// Bytes that are never stored are cut off, with a break and their number, where they would leave the others
// no room.
#pragma once

#include "core/memory/activations/tensors.h"
#include "ui/shell/view.h"

#include <string_view>
#include <vector>

namespace ringside
{

struct ActivationsState
{
    bool other_kind = false; // of layer, where the model has two: the dense one
    bool by_size = false;    // largest first; else in the order of the forward pass
    std::string_view picked; // name of a tensor, or empty
    std::string_view hovered;
};

struct TensorRow
{
    ActivationTensor tensor;
    Keeping keeping = Keeping::kept;
    double bytes = 0; // were it kept
};

// One layer of the scenario, tensor by tensor.
struct LayerTensors
{
    std::vector<TensorRow> rows; // as they are shown
    bool experts = false;
    bool both = false; // kinds of layer in the model
    double kept = 0;
    double again = 0;
    double never = 0;
    double largest = 0; // of all that are written

    double all() const { return kept + again + never; }
    const TensorRow* find(std::string_view name) const; // null where there is none
    // The largest of those kept.
    const TensorRow& most() const;
};

LayerTensors layer_tensors(const Scenario& scenario, const ActivationsState& state);

// Bytes of one layer that are kept if tensor parallelism cuts nothing, the products only, or all of it.
// Without a tensor cut one of 8, 4 or 2 is supposed, whichever the model allows.
struct LayerCuts
{
    std::int64_t tensor = 1;
    double whole = 0;
    double products = 0;
    double all = 0;
};
LayerCuts layer_cuts(const Scenario& scenario, bool experts);

// Shapes and lengths near the scenario's that its layout can run; ascending, for the sliders.
struct ShapeStops
{
    std::vector<double> lengths;
    std::vector<double> heads;
    std::vector<double> widths;
};
ShapeStops shape_stops(const Scenario& scenario);

// The scenario with another number of heads, as wide together as before; keys and values in as many heads as
// divide them.
Scenario with_heads(Scenario scenario, std::int64_t heads);
// The scenario with another width; heads and MLPs grow with it.
Scenario with_width(Scenario scenario, std::int64_t hidden);

// Sets what the mouse is over and what is picked.
void draw_layer_strip(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state);
void draw_tensor_rows(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state);
void draw_activations_panel(const Painter& painter, Rect area, const Frame& frame, const ShapeStops& stops,
                            ActivationsState& state, Out& out);
Caption activations_caption(const Frame& frame, const ActivationsState& state);

} // namespace ringside
