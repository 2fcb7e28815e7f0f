// Gradients against a format's range: what vanishes and what overflows at the loss scale of the moment, and
// the loss scale over the steps of a run.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/formats/state.h"

namespace ringside
{

// The run on show, worked out again only when its settings change.
class LossScaleRuns
{
public:
    const std::vector<LossScaleStep>& of(const FormatsState& state, FormatId format) const;

private:
    mutable std::vector<LossScaleStep> steps_;
    mutable LossScaleRun run_;
    mutable std::uint64_t seed_ = 0;
};

void draw_gradients_page(const Painter& painter, Rect area, FormatsState& state, const Frame& frame,
                         const std::vector<LossScaleStep>& steps, Out& out);

// Every format's shares at this scale.
void draw_range_table(const Painter& painter, Rect area, FormatsState& state, FormatId shown, double scale);

} // namespace ringside
