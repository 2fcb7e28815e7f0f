// How a team's checkpoints are saved while it trains, and what each cost it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside
{

enum class SaveMode : std::uint8_t
{
    none,
    synchronous, // training stands still until the storage has everything
    asynchronous // until the state is copied; a thread writes the copy meanwhile
};
inline constexpr std::size_t kSaveModes = 3;

struct SavePlan
{
    SaveMode mode = SaveMode::none;
    std::int64_t every = 10;        // [steps] between two of them
    double bytes_per_second = 20e6; // that the storage takes; what is faster is held back to it

    bool operator==(const SavePlan&) const = default;
};

struct TeamSave
{
    std::int64_t step = 0;
    SaveMode mode = SaveMode::none;
    std::int64_t bytes = 0; // of the checkpoint
    double stalled_s = 0;   // that training stood still: the copy, and whatever it waited for
    double written_s = -1;  // until the storage had it, the copy left out; below 0: not yet
    std::string fault;      // why it was not saved; empty: it was, or is on its way
};

// One step and what came after it.
struct TeamPace
{
    std::int64_t step = 0;
    double seconds = 0;
    double stalled_s = 0;
};

// [s] a save makes training stand still, without the copying: synchronous bytes / rate, asynchronous what of
// that the steps between two saves do not cover, since one is written at a time (Mohan et al. 2021,
// "CheckFreq", FAST, section 4: snapshot and persist). `step` [s] of one step.
double predicted_stall(const SavePlan& plan, std::int64_t bytes, double step);

} // namespace ringside
