// Pipeline schedules: the order in which every rank works through its micro-batches.
// Only orders live here; simulate.h gives them times.
//
// GPipe, 1F1B, interleaved, looped breadth-first, interleaved zero bubble, ZB-V, DualPipe and DualPipeV run
// in the order of PyTorch's or DeepSeek's code; ZB-V has PyTorch's order where F = I = W and transfers are
// free, which is what it is made for. The others, and ZB-V for other times, are searched (zero_bubble.h).
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// The notation trap: papers that split the backward (zero bubble) write B for the input gradient alone,
// papers that do not (GPipe, 1F1B, DualPipe) write B for both gradients. Here B is always the whole backward,
// I the input gradient and W the weight gradient.
enum class Pass : std::uint8_t
{
    forward,  // F
    backward, // B: input and weight gradients in one go
    input,    // I: the gradient of the stage's input, which the stage before waits for
    weight    // W: the gradients of the stage's weights, which nobody waits for
};

struct Operation
{
    Pass pass = Pass::forward;
    bool with_next = false; // runs together with the next operation of its rank (DualPipe's F&B)
    std::int32_t stage = 0; // virtual stage: the order in which a micro-batch passes
    std::int32_t micro_batch = 0;

    bool operator==(const Operation&) const = default;
};

// [rank] -> its operations in order.
using Order = std::vector<std::vector<Operation>>;

struct ScheduleShape
{
    std::int64_t stages = 4;        // ranks of the pipeline, p
    std::int64_t micro_batches = 8; // of one step, m
    std::int64_t chunks = 1;        // virtual stages a micro-batch passes on one rank, v

    bool operator==(const ScheduleShape&) const = default;
};

// Times of one micro-batch on one stage, all its chunks together, in any unit.
struct StageTimes
{
    double forward = 1;
    double backward_input = 1;
    double backward_weight = 1;
    double transfer = 0;   // to the next rank
    double recompute = 0;  // what is recomputed before a backward pass
    double pair = 1;       // F and B run together, over one after the other (DualPipe)
    bool blocking = false; // the sender computes nothing while it sends

    bool operator==(const StageTimes&) const = default;
};

// Times of one micro-batch on one virtual stage, in any unit.
struct StageCost
{
    double forward = 1;
    double backward_input = 1; // with what is computed again for it
    double backward_weight = 1;

    bool operator==(const StageCost&) const = default;

    double backward() const { return backward_input + backward_weight; }
    double of(Pass pass) const
    {
        switch (pass)
        {
        case Pass::forward:
            return forward;
        case Pass::backward:
            return backward();
        case Pass::input:
            return backward_input;
        case Pass::weight:
            break;
        }
        return backward_weight;
    }
};

struct Costs
{
    std::vector<StageCost> stages; // one per virtual stage
    double transfer = 0;           // between ranks, and none within one
    bool blocking = false;         // the sender computes nothing while it sends
    double pair = 1;               // of two operations run together, over one after the other

    bool operator==(const Costs&) const = default;
};

// Which rank runs a virtual stage.
enum class Placement : std::uint8_t
{
    loop,   // stage % p: 0 1 2 3, 0 1 2 3
    v,      // there and back: 0 1 2 3, 3 2 1 0
    two_way // every rank holds two of p stages; the second half of the micro-batches comes from the other end
};

struct ScheduleInfo
{
    std::string_view id;   // "1f1b"
    std::string_view name; // "1F1B"
    std::string_view says; // one line
    std::string_view source;
    Placement placement = Placement::loop;
    std::int64_t least_chunks = 1; // of a pipeline with more than one stage
    std::int64_t most_chunks = 1;
    bool splits_backward = false; // has I and W of its own
    // What is wrong with a shape whose counts and chunks are in range; null: nothing.
    Issues (*check)(const ScheduleShape&) = nullptr;
    // The shape must pass check_shape.
    Order (*make)(const ScheduleShape&, const Costs&) = nullptr;
    // What rank `rank` keeps of each of its chunks when it keeps most; null: only the order tells.
    std::vector<std::int64_t> (*kept)(const ScheduleShape&, std::int64_t rank) = nullptr;
    // Idle time of a rank in a step with equal stages and no transfer time, in the unit of the times; null:
    // no closed form. Infinite where the form does not hold.
    double (*idle)(const ScheduleShape&, const StageTimes&) = nullptr;
    // Idle time over working time and over all time as people write them, in p, m, v, F, I and W.
    std::string_view over_ideal = {};
    std::string_view of_total = {};
};

// One row of schedules(); never null where it is a field of a scenario.
using ScheduleKind = const ScheduleInfo*;

// Every schedule there is. To add one, add a row to the table at the bottom of its family's file.
std::span<const ScheduleKind> schedules();
// Null where there is none of this id.
ScheduleKind find_schedule(std::string_view id);
// The schedule of an id that is known to exist.
ScheduleKind schedule(std::string_view id);

// Ranges first, then what the schedule itself asks for. Paths are stages, micro_batches and chunks; each hint
// names the nearest that is legal.
Issues check_shape(ScheduleKind kind, const ScheduleShape& shape);
// The smallest number of micro-batches from shape.micro_batches on that the schedule takes; 0 where the
// stages or chunks are at fault.
std::int64_t nearest_micro_batches(ScheduleKind kind, ScheduleShape shape);
// The order, or why the shape is not legal for it and the nearest that is.
Result<Order> make_order(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs);

// Virtual stages a micro-batch passes: p v, or p where it enters from either end.
std::int64_t virtual_stages(ScheduleKind kind, const ScheduleShape& shape);
// The rank that runs `stage` for `micro_batch` of `micro_batches`.
std::int64_t rank_of(ScheduleKind kind, const ScheduleShape& shape, std::int64_t stage,
                     std::int64_t micro_batch = 0);
// The virtual stages rank `rank` holds, in the order a micro-batch meets them; two with Placement::two_way.
std::vector<std::int64_t> stages_of(Placement placement, std::int64_t stages, std::int64_t chunks,
                                    std::int64_t rank);
// Copies of every weight over the pipeline: 2 with Placement::two_way, else 1.
std::int64_t weight_copies(ScheduleKind kind);
// What rank `rank` keeps of each of stages_of() when its sum weighted by `layers` of each is highest.
std::vector<std::int64_t> kept_at_peak(const std::vector<Operation>& rank_order,
                                       std::span<const std::int64_t> stages, std::span<const double> weights);

// Equal stages; each chunk has a share 1/v of a stage's time.
Costs equal_costs(ScheduleKind kind, const ScheduleShape& shape, const StageTimes& times);

char letter(Pass pass);
// "3F5": virtual stage, pass, micro-batch.
std::string to_text(const Operation& operation);

} // namespace ringside
