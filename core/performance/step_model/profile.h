// What one layer, the embedding and the head take on one GPU for one micro-batch, by cause: everything about
// a step that pipeline, data parallelism and ZeRO do not change, so that a search can keep it.
#pragma once

#include "core/performance/step_model/kernels.h"

#include <array>
#include <compare>
#include <cstdint>

namespace ringside
{

enum class Cause : std::uint8_t
{
    products,  // products with weights, at the GPU's peak
    attention, // scores and their products with values, at the peak; masked blocks that kernels skip left out
    below_peak,      // what products take beyond the peak
    below_attention, // what attention takes beyond it
    memory,          // element-wise kernels, by bytes
    kernels,         // start and end of every kernel on the device
    host,            // waiting for the framework to launch the next kernel
    tensor,          // tensor-parallel collectives
    context,         // keys and values that come later than attention needs them
    expert           // tokens on their way to experts and back
};
inline constexpr std::size_t kCauses = 10;

struct PassTime
{
    std::array<double, kCauses> by{}; // [s]

    double& of(Cause cause) { return by[static_cast<std::size_t>(cause)]; }
    double of(Cause cause) const { return by[static_cast<std::size_t>(cause)]; }
    // Sum over all causes.
    double total() const;
    // The device at work: without waiting for the host, and without the wire.
    double device() const;
    // device() with waiting for the host: what a pass takes where nothing is sent.
    double alone() const { return device() + of(Cause::host); }
    void add(const PassTime& other, double times = 1);
};

struct UnitProfile
{
    PassTime forward;
    PassTime input;    // backward: gradients of activations
    PassTime weight;   // backward: gradients of weights
    PassTime again;    // computed again before the backward
    double dense = 0;  // parameters on one GPU before ZeRO, shared by all data-parallel and context ranks
    double expert = 0; // parameters shared by the expert replicas only
    // [s] of expert traffic that another micro-batch hides and no pass above counts.
    double hidden_forward = 0;
    double hidden_backward = 0;

    double backward() const { return again.total() + input.total() + weight.total(); }
    double total() const { return forward.total() + backward(); }
};

enum class Unit : std::uint8_t
{
    dense,   // a layer with a dense MLP
    experts, // a layer with experts
    embedding,
    head // final norm, output projection, loss
};
inline constexpr std::size_t kUnits = 4;

// FLOPs of one token. No layout plays a part but by what is recomputed.
struct TokenFlops
{
    double model = 0;      // forward and backward
    double hardware = 0;   // with what is computed again
    double products = 0;   // of the model, products with weights only
    double parameters = 0; // 6 x active parameters: what 6 N counts
};

struct StepProfile
{
    std::array<UnitProfile, kUnits> units;
    double boundary = 0; // [B] handed to the next stage for one micro-batch by one GPU
    double tied = 0;     // parameters that first and last stage both hold
    TokenFlops token;

    const UnitProfile& of(Unit unit) const { return units[static_cast<std::size_t>(unit)]; }
};

// What a profile depends on, of one model, recipe and GPU.
struct ProfileKey
{
    std::int64_t tensor = 1;
    std::int64_t context = 1;
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 1;
    std::int64_t micro_batch = 1;
    std::int64_t sequence_length = 1;
    Recompute recompute = Recompute::none;
    double recomputed = 1; // share of the layers that this applies to
    bool sequence_parallel = false;
    bool flash_attention = true;
    bool piped = false; // embedding and head are on different ranks

    auto operator<=>(const ProfileKey&) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};
ProfileKey profile_key(const Scenario& scenario);

// The scenario must be valid.
TokenFlops token_flops(const Scenario& scenario);
StepProfile step_profile(const Scenario& scenario, const TokenFlops& token);
inline StepProfile step_profile(const Scenario& scenario)
{
    return step_profile(scenario, token_flops(scenario));
}

} // namespace ringside
