// Why a job hangs: programs of collective calls on eight ranks, one fault in them, what every rank's flight
// recorder has when the watchdog fires, and which rank desynchronized first. No real communication, and no
// times of any hardware.
//
// Calls match as in NCCL: call n of each member of a group is one collective, which completes only if kind
// and size agree. A state is what the rank's own CUDA stream knows (PyTorch, FlightRecorder::update_state)
// and says nothing about the other members: a rank that waits for a dead peer has `started`. Numbers are the
// flight recorder's: one counter per group, one per pair. analyze() sees the logs only. A skipped call may be
// met by a later one of the same kind and size and first go wrong silently, as in reality.
#pragma once

#include "core/base/names.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kHangRanks = 8; // tensor 2 x data 2 x pipeline 2, in this order
inline constexpr double kWatchdogSeconds =
    600; // PyTorch's default for NCCL (torch.distributed.init_process_group)

enum class CallKind : std::uint8_t
{
    all_reduce,
    all_gather,
    send,
    receive
};
template <>
inline constexpr auto kNamesOf<CallKind> = names<CallKind>("all_reduce", "all_gather", "send", "recv");

// Which process group a call is on; ranks with the same number in it are members of the same one.
enum class CallGroup : std::uint8_t
{
    tensor,
    data,
    pipeline, // send and receive
    world
};
inline constexpr std::size_t kCallGroups = 4;
template <>
inline constexpr auto kNamesOf<CallGroup> = names<CallGroup>("tp", "dp", "pp", "world");
// The ranks a rank's group consists of, ascending, itself included.
std::vector<std::size_t> members(CallGroup group, std::size_t rank);

struct HangCall
{
    CallGroup group = CallGroup::tensor;
    CallKind kind = CallKind::all_reduce;
    std::int64_t elements = 0;
    std::string_view what; // "gradients"
    double compute = 0;    // [s] of work before it

    bool operator==(const HangCall&) const = default;
};

enum class HangFault : std::uint8_t
{
    skipped,  // a rank leaves a call out
    branch,   // a rank makes one more than the others: a branch that depends on its data
    swapped,  // a rank makes two calls on two groups the other way round
    mismatch, // a rank's tensor has another size
    dead,     // a rank stops, nothing is called any more
    slow      // a rank takes long, and then it goes on
};
inline constexpr std::size_t kHangFaults = 6;
template <>
inline constexpr auto kNamesOf<HangFault> = names<HangFault>("skipped collective", "extra collective",
                                                             "swapped collectives", "size mismatch",
                                                             "dead rank", "straggler");
std::string_view says_of(HangFault fault); // how to tell it from the others

enum class CallState : std::uint8_t
{
    scheduled, // enqueued, its start event has not passed: an earlier call of the rank has not ended
    started,   // its kernel is on the rank's GPU and spins for its peers, or transfers
    completed  // its end event has passed
};
template <>
inline constexpr auto kNamesOf<CallState> = names<CallState>("scheduled", "started", "completed");

// One entry of a rank's flight recorder.
struct HangRecord
{
    HangCall call;
    std::int64_t sequence = 0; // counted on its group, from 1
    double posted = 0;         // [s]
    double done = 0;           // [s] where completed; infinite where members disagree, 0 where one is missing
    CallState state = CallState::scheduled; // at the end
};

// What the recorder has at a moment [s]. Start events are recorded only with TORCH_NCCL_ENABLE_TIMING=1:
// without them whatever has not ended stays scheduled.
CallState state_at(const HangRecord& record, double now, bool timing = true);

struct HangCase
{
    std::array<std::vector<HangCall>, kHangRanks> programs; // the fault is in one of them
    std::array<std::vector<HangRecord>, kHangRanks> logs;
    HangFault fault = HangFault::skipped;
    std::size_t culprit = 0;
    std::size_t call = 0; // of the culprit, where it left the others
    double last = 0;      // [s] when anything happened last
    bool stuck = false;   // and nothing will ever again
    double slow_s = 0;    // of the slow rank
};

// A case from a seed; the same one always gives the same.
HangCase draw_hang(std::uint64_t seed);
// Draws a case with a fault of one's choice.
HangCase draw_hang(std::uint64_t seed, HangFault fault);
// Runs the programs: a rank's calls run in order, each after the one before has ended; the n-th call of every
// member of a group is one collective, which ends if kind and size agree. A rank whose call does not end has
// up to two more enqueued behind it. `dead` never posts its call number `dead_call`.
std::array<std::vector<HangRecord>, kHangRanks>
run_programs(const std::array<std::vector<HangCall>, kHangRanks>& programs, std::int64_t dead = -1,
             std::size_t dead_call = 0);

// What the logs alone say, as PyTorch's analyzer of flight recorder dumps goes about it: on every group the
// first call that not all members started alike; mismatches first, since absences may only follow from them.
struct HangFinding
{
    CallGroup group = CallGroup::world;
    std::int64_t sequence = 0;
    std::vector<std::size_t> missing;   // members that have not started it
    std::vector<std::size_t> different; // members whose kind or size is the minority's
    std::string says;                   // a sentence
};
std::vector<HangFinding> analyze(const std::array<std::vector<HangRecord>, kHangRanks>& logs);

// Why it was this fault of this rank, in two sentences.
std::string explain_hang(const HangCase& hang);

} // namespace ringside
