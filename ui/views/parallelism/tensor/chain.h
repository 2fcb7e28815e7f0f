// The matrices of every rank in a chain, X A B to Z and the gradients back, filled cell by cell as the clock
// goes; sums over ranks move between the rows.
#pragma once

#include "core/parallelism/tensor/algebra.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

struct ChainMoment
{
    const TensorAlgebra& algebra;
    double t = 0; // [stages] so many are done, and a fraction of the next

    std::size_t done() const;
    float part() const;
    TensorStage next() const; // the one at work, or the last
};

// A number of X that is being dragged.
struct HeldCell
{
    std::int64_t row = 0;
    std::int64_t col = 0;
    double from = 0;
    float y = 0; // [px] of the mouse when it was taken
};

// The input as a person's drag wants it, if it does.
std::optional<Matrix> draw_chain(const Painter& painter, Rect area, const ChainMoment& moment,
                                 std::optional<HeldCell>& held);

} // namespace ringside
