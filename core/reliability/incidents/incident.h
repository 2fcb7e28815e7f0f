// Training runs that go wrong: what can happen, what can be done, and one of them drawn from a seed. A stated
// model of the symptoms papers and logbooks describe (run.h), not a training.
//
// Remedies change the plan of the run, never its outcome: what cures is what the simulator ends well with.
// Every remedy goes back to the chosen checkpoint first, so a fault in going back (an optimizer that is not
// loaded) happens again, and a checkpoint from after the fault keeps its damage. The newest checkpoint is
// chosen by default, which is rarely the right one. Clipping acts on unusual norms only: Adam divides out a
// norm that is always clipped. Questions have scenes of their own, which are shorter and have no remedies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside
{

enum class Fault : std::uint8_t
{
    bad_batch,     // a few batches throw the weights back
    rate_too_high, // learning rate beyond what the model takes
    no_warmup,     // full learning rate from the first step
    overflow,      // activations outgrow fp16 in the forward pass
    fixed_scale,   // gradients outgrow fp16 under a loss scale that never adapts
    bad_memory,    // one rank returns NaN
    wrong_rank,    // one rank returns slightly wrong gradients, silently
    repeated_data, // the loader starts again with what was seen
    optimizer_lost // resumed with weights alone
};
inline constexpr std::size_t kFaults = 9;

enum class Remedy : std::uint8_t
{
    skip_batches, // go back, and leave out the batches round the fault
    clip,         // go back, and clip the gradient norm at 1
    lower_rate,   // go back, with half the learning rate
    warm_up,      // go back, and let the learning rate rise from 0
    adapt_scale,  // go back, with a loss scale that adapts
    use_bf16,     // go back, in bf16
    isolate,      // take the node out, and go back
    fix_data,     // go back, and shuffle and count the data anew
    load_all      // go back, loading the optimizer's state and all counters
};
inline constexpr std::size_t kRemedies = 9;

struct FaultInfo
{
    std::string_view id;
    std::string_view name;  // as an answer
    std::string_view tells; // what in the strips says so
    std::string_view source;
    std::string_view demo; // id of the lab's demonstration of it; empty: it has none
};
const FaultInfo& info_of(Fault fault);

struct RemedyInfo
{
    std::string_view id;
    std::string_view name;
    std::string_view source;
};
const RemedyInfo& info_of(Remedy remedy);

inline constexpr std::int64_t kIncidentSteps = 1200;
inline constexpr std::int64_t kCheckpointEvery = 100;
inline constexpr std::int64_t kSkippedBatches = 200; // PaLM skipped 200 to 500

// How a run is set up: what faults and remedies change.
struct RunSetup
{
    double rate = 1;            // peak learning rate, in that of a healthy run
    std::int64_t warmup = 100;  // steps
    std::optional<double> clip; // gradient norm
    bool fp16 = false;
    bool adaptive_scale = true;
};

struct Incident
{
    std::uint64_t seed = 0;
    Fault fault = Fault::bad_batch;
    std::int64_t at = 500;      // step at which it sets in
    std::int64_t noticed = 900; // the run is stopped and looked at
    std::int64_t restart = 300; // a restart that harms nothing, unless the fault lies in it
    std::int64_t rank = 0;      // that misbehaves, if one does
    std::int64_t ranks = 64;
    RunSetup setup;
};

// One seed is one incident for ever. With a fault: that one, with the seed's numbers.
Incident make_incident(std::uint64_t seed, std::optional<Fault> fault = std::nullopt);
// The last checkpoint before the fault sets in: the latest from which a run can be saved.
std::int64_t last_good_checkpoint(const Incident& incident);

} // namespace ringside
