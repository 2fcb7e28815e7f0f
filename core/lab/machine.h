// What the user's own device was measured to do, as an accelerator that every view can compute with; and a
// class's devices side by side.
//
// Measured with BF16 operands and FP32 sums, the rate that the engine's accelerators are given in. Nothing is
// assumed of links: a machine is one GPU, or one processor.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace ringside
{

struct Gpu;
struct Scenario;

// One call of what was measured.
struct MachinePoint
{
    double flops = 0;   // 0: a copy
    double bytes = 0;   // read and written at least
    double seconds = 0; // above 0
    double flop_rate() const { return flops / seconds; }
    double byte_rate() const { return bytes / seconds; }
    double intensity() const { return flops / bytes; } // [FLOP/B]
    bool operator==(const MachinePoint&) const = default;
};

struct Machine
{
    std::string name;           // of the device
    std::string date;           // "2026-11-28"
    bool own = false;           // measured here, not imported
    double memory_gb = 0;       // [GB] 0: the device does not say
    double launch_s = 0;        // [s] of an operation that has nothing to do
    double attention_flops = 0; // [FLOP/s] of causal attention, masked scores not counted; 0: not measured
    std::vector<MachinePoint> points;

    double peak() const;      // [FLOP/s] the best product's; 0: none
    double bandwidth() const; // [B/s] the largest copy's, since caches serve smaller ones; 0: none
    bool operator==(const Machine&) const = default;
};

inline constexpr std::size_t kMostMachines = 64;
inline constexpr double kAssumedMemory = 8; // [GB] of a device that does not say

// As an accelerator: its peak is the best product's, so products reach all of it.
Gpu gpu_of(const Machine& machine);
// The scenario on one of it: no other GPUs, nothing cut, the same global batch in micro-batches of one, and
// formats and a schedule that this suits.
Scenario on_machine(Scenario scenario, const Machine& machine);
// [s] that the scenario's tokens take there; 0 where it cannot be computed. What does not fit is computed as
// if it did.
double run_seconds(const Scenario& scenario, const Machine& machine);

// A list, schema ringside.machines/1.
nlohmann::json to_json(const std::vector<Machine>& machines);
Result<std::vector<Machine>> machines_from_json(const nlohmann::json& document);
bool is_machines(const nlohmann::json& document);
// Takes the place of one of the same name and date, or comes first; the oldest beyond kMostMachines go.
void add(std::vector<Machine>& machines, Machine machine);

} // namespace ringside
