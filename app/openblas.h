// OpenBLAS where it is installed, loaded when it is asked for: the yardstick that processors' products are
// known by.
#pragma once

#include <cstddef>
#include <optional>

namespace ringside
{

// [FLOP/s] of its sgemm, 1024 x 1024 by 1024 x 1024 on so many threads, the fastest of some; nothing where
// there is none.
std::optional<double> openblas_sgemm_flops(std::size_t threads);

} // namespace ringside
