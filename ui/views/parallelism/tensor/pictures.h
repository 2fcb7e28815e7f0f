// The parts of the view of tensor parallelism: the matrices of every rank in a chain, X A B to Z and the
// gradients back, filled cell by cell as the clock goes; how a number is made; attention sharded by heads.
#pragma once

#include "core/parallelism/tensor/algebra.h"
#include "core/parallelism/tensor/plan.h"
#include "ui/draw/painter.h"

#include <optional>
#include <string>

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

// The input as a user's drag wants it, if it does.
std::optional<Matrix> draw_chain(const Painter& painter, Rect area, const ChainMoment& moment,
                                 std::optional<HeldCell>& held);

// "−0.5", "1.25": at most so many digits behind the point.
std::string cell_number(double value, int digits);
// "1 × 0.5 + −1 × 2" for the number that a stage makes at (row, col) of a rank's part.
std::string cell_working(const TensorAlgebra& algebra, std::int64_t rank, TensorStage stage, std::int64_t row,
                         std::int64_t col);

// Which query heads and which key/value heads lie on which GPU of a tensor group.
float heads_height(const Painter& painter);
void draw_heads(const Painter& painter, Rect area, const TensorPlan& plan);

} // namespace ringside
