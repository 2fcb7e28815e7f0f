// The clock of everything that trains.
#pragma once

#include <chrono>

namespace ringside::trainer
{

// [s] since some moment; never goes back.
inline double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace ringside::trainer
