// Optimizers on a valley of two parameters, step by step: SGD, momentum, Adam with an L2 penalty, AdamW.
// Small enough to be drawn; the rules are those of large models. Same seed, same path.
//
// Noise is added to the gradient before clipping.
#pragma once

#include "core/base/names.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside
{

// (a u^2 + b v^2) / 2, where u and v are the distances from the minimum along two axes turned by `angle`.
struct Valley
{
    double along = 1;    // a, curvature along the floor
    double across = 25;  // b, curvature across it
    double angle = 0.35; // [rad] of the floor against x
    double x = 0;        // of the minimum
    double y = 0;
    double noise = 0; // standard deviation of each component of the gradient

    double loss(double px, double py) const;
    bool operator==(const Valley&) const = default;
};

enum class Stepper : std::uint8_t
{
    sgd,
    momentum, // v = m v + g, w -= rate v (Sutskever et al. 2013, as PyTorch has it)
    adam_l2,  // Kingma and Ba 2015, arXiv 1412.6980, algorithm 1, weight decay inside the gradient
    adamw     // Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2: decay beside it
};
inline constexpr std::size_t kSteppers = 4;
template <>
inline constexpr auto kNamesOf<Stepper> = names<Stepper>("SGD", "Momentum", "Adam + L2", "AdamW");

struct DescentOptions
{
    Stepper stepper = Stepper::adamw;
    double rate = 0.1;
    double momentum = 0.9;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double weight_decay = 0;
    double clip = 0; // largest norm of the gradient; 0: none
    bool bias_correction = true;
    double x = -3; // where it starts
    double y = 2;
    std::size_t steps = 100;
    std::uint64_t seed = 1;

    bool operator==(const DescentOptions&) const = default;
};

struct DescentPoint
{
    double x = 0;
    double y = 0;
    double loss = 0;     // without the penalty
    double gradient = 0; // norm, before clipping, of the step that led here; 0 at the start
    double update = 0;   // norm of that step
    double gx = 0;       // of the gradient, before clipping; 0 at the start
    double gy = 0;
};

// The start and every step after it, up to the first that leaves all bounds (|x| or |y| above 1e6).
std::vector<DescentPoint> descend(const Valley& valley, const DescentOptions& options);
bool diverged(const std::vector<DescentPoint>& path); // its last point is beyond the bounds

// SGD diverges on a valley from 2 / its largest curvature on.
double largest_stable_rate(const Valley& valley);

} // namespace ringside
