// State on a slower tier (host memory, NVMe): what lives where, what crosses which pipe in a step, and how
// long compute waits for it. One GPU of one stage; traffic between GPUs is left out.
//
// Exposed time is the total less the compute, and the offload time without overlap is that of the same tasks
// with compute at zero. Gradients are summed on the GPU and go to the host once per step; the host updates
// when all are there, since clipping needs their norm. Delayed update overlaps that with the next step.
// Offloaded weights come back for every forward and every backward; of many such micro-batches four are
// simulated and the rest follow at the pace of the last. PCIe runs both ways concurrently.
#pragma once

#include "core/base/text/term.h"
#include "core/memory/memory.h"

#include <array>

namespace ringside
{

inline constexpr std::size_t kOffloads = 5; // values of Offload
// "optimizer on the host"
std::string_view title_of(Offload placement);

enum class Tank : std::uint8_t
{
    gpu,
    host,
    nvme
};
inline constexpr std::size_t kTanks = 3;

enum class OffloadLane : std::uint8_t
{
    compute,
    down, // PCIe, GPU to host
    up,   // PCIe, host to GPU
    host, // the optimizer on the CPU
    nvme  // reads and writes share the disks
};
inline constexpr std::size_t kOffloadLanes = 5;

enum class OffloadKind : std::uint8_t
{
    forward,
    backward,
    gradients, // down
    weights,   // up, or from disk on their way up
    update,    // optimizer on the CPU
    read,      // optimizer state from disk
    write      // and back, with new weights where those live there
};

struct OffloadTask
{
    OffloadLane lane = OffloadLane::compute;
    OffloadKind kind = OffloadKind::forward;
    std::int64_t layer = 0; // kEmbeddingUnit, kHeadUnit or kWholeModel of step_life.h where it is no layer
    std::int64_t last = 0;  // of several layers in one piece; otherwise the same
    std::int64_t micro_batch = 0;
    double start = 0;             // [s]
    double end = 0;               // [s]
    std::int32_t waited_for = -1; // index into tasks; -1: its lane, or nothing
    Bytes bytes;                  // 0 for compute
};

// Bytes of one GPU.
struct OffloadFlow
{
    Bytes down;  // to the host
    Bytes up;    // to the GPU
    Bytes read;  // from disk
    Bytes write; // to disk
};

struct OffloadOptions
{
    Offload placement = Offload::none;
    // The host updates while the GPU already computes the next step with the old weights: one-step delayed
    // parameter update (Ren et al., ZeRO-Offload, arXiv 2101.06840, section 5.2). Only where the weights
    // stay on the GPU.
    bool delayed_update = false;

    bool operator==(const OffloadOptions&) const = default;
};

struct OffloadReport
{
    OffloadOptions options;
    bool possible = true;   // every pipe it needs has a rate; without one there are no times
    std::int64_t stage = 0; // of the pipeline, the one with the most parameters
    std::array<std::array<Bytes, kComponents>, kTanks> holds{};
    std::array<Bytes, 2> capacity; // of the GPU, and this GPU's share of the host
    std::int64_t sharing = 1;      // GPUs of one host
    Bytes fullest;                 // of the GPUs, on whatever stage
    std::int64_t fullest_stage = 0;
    bool gpu_fits = true;  // on every stage
    Bytes host_fullest;    // of one GPU, on whatever stage
    bool host_fits = true; // on every stage
    OffloadFlow step;      // over all micro-batches
    OffloadFlow each;      // of them, for every micro-batch
    Bytes touched;         // in host memory by the optimizer
    std::int64_t micro_batches = 1;
    double tokens = 0;                              // of a step, through this GPU's weights
    double compute = 0;                             // [s] of a step, nothing offloaded
    double flops = 0;                               // of a step, by this GPU
    double total = 0;                               // [s] of a step
    double exposed = 0;                             // [s] total - compute
    double transfer = 0;                            // [s] a step would take if compute took no time
    double transfer_each = 0;                       // [s] of it, for every micro-batch
    std::array<double, kOffloadLanes> busy{};       // [s] of a step
    std::array<BytesPerSecond, kOffloadLanes> rate; // of each pipe; compute has none
    std::vector<OffloadTask> tasks; // where weights come up micro-batch by micro-batch, of the first and last
    std::int64_t shown = 1;         // micro-batches among the tasks
    double shown_total = 0;         // [s] of the tasks

    Bytes held(Tank tank) const;
    Bytes of(Tank tank, Component component) const
    {
        return holds[static_cast<std::size_t>(tank)][static_cast<std::size_t>(component)];
    }
    bool offloads() const { return options.placement != Offload::none; }
    double slowdown() const { return compute > 0 ? total / compute : 1; }
    // What the GPU reaches while it computes.
    FlopsPerSecond flops_per_second() const { return FlopsPerSecond(compute > 0 ? flops / compute : 0); }
    double token_seconds() const { return tokens > 0 ? compute / tokens : 0; }
    // Tokens a step needs for compute to take as long as the tier: below, no overlap can hide it.
    double break_even() const { return token_seconds() > 0 ? transfer / token_seconds() : 0; }
    // Break-even tokens for the weights of one micro-batch; 0 where they stay on the GPU.
    double break_even_each() const { return token_seconds() > 0 ? transfer_each / token_seconds() : 0; }
};

// The scenario with its own placement replaced by that of the options; otherwise it must be valid.
OffloadReport offload_report(const Scenario& scenario, const OffloadOptions& options);

// Seconds of a step with so many tokens through this GPU. Where weights come up in every micro-batch these
// grow, elsewhere their number does.
std::vector<double> offload_totals(const Scenario& scenario, const OffloadOptions& options,
                                   std::span<const double> tokens);

// With every parameter b bytes over a pipe of rate B, and f FLOPs a parameter and token at rate F: compute
// takes f P T / F, the transfer b P / B. They are equal at T = b / B x F / f; P falls out. With b = 2 and f =
// 2: the weights of one forward; b = 2 g and f = 6: a step of ZeRO-Offload.
double break_even_tokens(double bytes, double flops, BytesPerSecond pipe, FlopsPerSecond compute);

// The rate at which compute is this share of a step whose transfers hide behind nothing, from
// efficiency = ait bw / (ait bw + peak) (Rajbhandari et al., ZeRO-Infinity, arXiv 2104.07857, section 4,
// equation 6); `intensity` is ait, FLOPs for each byte moved.
BytesPerSecond rate_for_efficiency(double efficiency, double intensity, FlopsPerSecond peak);

// T* with its working; the value is break_even().
Term explain_break_even(const OffloadReport& report);

} // namespace ringside
