// A trace of what a GPU did: of PyTorch's profiler (Kineto, as Chrome's JSON), read in one pass that keeps
// nothing but the GPU's work and its launches, or of `nsys stats --report cuda_gpu_trace --format csv`.
// Lengths are unions of intervals, by the definitions of TraceLens (gpu_timeline.csv): computing has memsets
// in it, exposed communication is what lies under no computing, idle is what lies under nothing.
#pragma once

#include "core/base/result.h"
#include "core/runs/bytes.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

enum class GpuWork : std::uint8_t
{
    computing,
    communication,
    symmetric, // communication by kernels on symmetric memory, whose names have no "nccl"
    copy,
    set // of memory; counts as computing
};

// By the name of its kernel.
GpuWork work_of_kernel(std::string_view name);

inline constexpr std::int64_t kNotLaunched = INT64_MIN;

// Times in ns since the same moment.
struct GpuEvent
{
    std::int64_t start = 0;
    std::int64_t length = 0;
    std::int64_t launched = kNotLaunched; // when the host called for it
    std::uint32_t correlation = 0;
    std::uint32_t name = 0;       // number among the trace's
    std::uint32_t collective = 0; // number among the trace's, 0: none
    std::uint16_t step = 0;       // number among the trace's, 0: none
    GpuWork work = GpuWork::computing;

    std::int64_t end() const { return start + length; }
};

// Seconds.
struct GpuTimeline
{
    double total = 0; // from the first start to the last end
    double computing = 0;
    double communication = 0;
    double exposed_communication = 0;
    double copies = 0;
    double exposed_copies = 0;
    double busy = 0;
    double idle = 0;
    double launch_gaps = 0; // of the idle time, until the host had launched what came next
    std::int64_t kernels_computing = 0;
    std::int64_t kernels_communication = 0;
    std::int64_t memcpys = 0;
    std::int64_t memsets = 0;

    std::int64_t events() const { return kernels_computing + kernels_communication + memcpys + memsets; }
};
// Where `symmetric` is false, kernels on symmetric memory count as computing, as TraceLens counts them.
GpuTimeline timeline_of(std::span<const GpuEvent> events, bool symmetric = true);

// Seconds of each class, of events that are in order: what lies under an earlier class counts there, so that
// the classes add up to the time in which anything runs.
std::vector<double> seconds_by_class(std::span<const GpuEvent> events, std::size_t classes,
                                     const std::function<std::size_t(const GpuEvent&)>& class_of);

// Where communication runs and nothing is computed, in order.
struct GpuSpan
{
    std::int64_t from = 0; // [ns]
    std::int64_t to = 0;
};
std::vector<GpuSpan> exposed_communication(std::span<const GpuEvent> events);

// A kind of call on a group: all calls of one name, element type and group.
struct TraceCollective
{
    std::string name;  // "_allgather_base"; of the kernel where the trace does not say
    std::string group; // "default_pg"; empty: not said
    std::int64_t ranks = 0;
    std::string type; // "BFloat16"
    std::int64_t count = 0;
    std::int64_t bytes_in = 0;
    std::int64_t bytes_out = 0;
    double seconds = 0;
    double exposed = 0; // under no computing

    // Bytes over the busiest link a second, as nccl-tests counts (doc/PERFORMANCE.md); 0: not known.
    double bus_bytes_per_second() const;
};

struct TraceStep
{
    std::string name; // "ProfilerStep#4"
    double host_seconds = 0;
    GpuTimeline gpu; // of what was launched in it
};

// What the program calls a stretch of the GPU's time [ns]: "forward: layer 3".
struct TraceRange
{
    std::string name;
    std::int64_t from = 0;
    std::int64_t to = 0;
};

struct KernelSum
{
    std::string name;
    std::int64_t count = 0;
    double seconds = 0;
};

struct GpuTrace
{
    std::string device;       // "NVIDIA H100 80GB HBM3"; empty: not said
    std::int64_t rank = -1;   // -1: not known
    std::int64_t world = 0;   // 0: not said
    std::int64_t in_file = 0; // GPU events
    bool linked = false;      // only those count whose launch is in the file, as it has some
    std::int64_t host_events = 0;
    GpuTimeline timeline;
    GpuTimeline without_symmetric; // with those kernels as computing
    std::vector<TraceStep> steps;
    std::vector<TraceCollective> collectives;
    std::vector<KernelSum> longest; // kernels and copies, the ten with the most time
    std::vector<GpuEvent> events;   // that count, by start
    std::vector<std::string> names; // of them
    std::vector<TraceRange> ranges; // of a predicted trace, by start
    std::vector<std::string> messages;
};

// Faults: no trace, more than 4 million GPU events. One that is cut off is read as far as it goes.
Result<GpuTrace> read_kineto(ByteSource& source);
bool is_kineto(std::string_view head);

// Each device is a trace of its own.
Result<std::vector<GpuTrace>> read_nsys_csv(std::string_view text);
bool is_nsys_csv(std::string_view head);

// Several ranks of one run. Clocks of two machines do not agree, so calls are told apart by their order: in
// the k-th call of each the rank whose own was shortest came last, and the others waited for it.
struct RankWait
{
    std::int64_t rank = 0;
    double waited = 0;     // in all, own length less the shortest [s]
    std::int64_t last = 0; // calls in which it came last
    std::int64_t calls = 0;
};
struct TraceJoin
{
    std::vector<RankWait> ranks; // by rank
    std::int64_t straggler = -1; // who waited least; -1: all waited the same
    bool same_calls = true;      // all have as many
};
TraceJoin join_traces(const std::vector<GpuTrace>& traces);

// Those that waited less than halfway between the least and the most, where anybody waited.
struct LateRanks
{
    std::vector<std::int64_t> ranks;
    std::int64_t node = -1;  // all of whose ranks they are, and of no other's; -1: of none
    std::int64_t beside = 0; // ranks of the same node that are on time, where it is one rank that is late
};
LateRanks late_ranks(const TraceJoin& join, std::int64_t gpus_per_node);

} // namespace ringside
