// The textbook way to a layout, question by question: does it fit on one GPU, is sharding the optimizer
// states enough, and so on. Every answer is a number of the engine. It looks at a dozen layouts; a search
// looks at all of them, and mainly finds a faster one.
//
// It asks about memory, never about time: the first layout that fits is taken, so that each parallelism has
// one reason. The view times its result and the first results of the search by the full step time.
#pragma once

#include "core/base/text/text.h"
#include "core/performance/step_time.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct Decision
{
    std::string_view question; // "Does all of it fit on one GPU?"
    std::string working;       // "1.13 TB of 80 GB"
    std::string_view yes, no;  // what follows: "a replica per GPU: DDP"
    bool answer = false;
    double bytes = 0; // of the fullest GPU with what was asked about; 0: no question of memory
};

struct DecisionWalk
{
    std::vector<Decision> decisions;
    Scenario scenario; // as the walk leaves it
    bool legal = true; // it is valid; if not, no more is known of it
    bool fits = false;
    double bytes = 0;
    double capacity = 0;
    double seconds = 0; // of a step
};

// The scenario must be valid; its own layout does not matter.
DecisionWalk decide(const Scenario& scenario, ByteUnit unit = ByteUnit::decimal);

// Levels of scaling by the number of GPUs: 1 for one, 2 within a node, 3 to 64, 4 to 512, 5 beyond.
inline constexpr int kLevels = 5;
int level_of(const Scenario& scenario);
std::string_view level_gpus(int level);  // "8 to 64 GPUs"
std::string_view level_habit(int level); // "DDP, ZeRO-2 or ZeRO-3"

// Where one step is shorter than another: the part that gains most.
struct StepGain
{
    std::string_view part; // "bubble"
    double from = 0;       // [s]
    double to = 0;
};
StepGain largest_gain(const StepTime& from, const StepTime& to);

} // namespace ringside
