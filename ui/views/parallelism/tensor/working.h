// How one number of a matrix is made, in words.
#pragma once

#include "core/parallelism/tensor/algebra.h"

#include <string>

namespace ringside
{

// "−0.5", "1.25": at most so many digits behind the point.
std::string cell_number(double value, int digits);

// "1 × 0.5 + −1 × 2" for the number that a stage makes at (row, col) of a rank's part.
std::string cell_working(const TensorAlgebra& algebra, std::int64_t rank, TensorStage stage, std::int64_t row,
                         std::int64_t col);

} // namespace ringside
