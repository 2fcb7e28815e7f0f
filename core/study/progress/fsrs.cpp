#include "core/study/progress/fsrs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLeastStability = 0.001;
constexpr double kMostStability = 36500;

struct Bounds
{
    double least;
    double most;
};
// fsrs/scheduler.py of py-fsrs 6.3.
constexpr std::array<Bounds, kFsrsWeights> kBounds{
    {{0.001, 100},  {0.001, 100}, {0.001, 100}, {0.001, 100}, {1, 10},    {0.001, 4},    {0.001, 4},
     {0.001, 0.75}, {0, 4.5},     {0, 0.8},     {0.001, 3.5}, {0.001, 5}, {0.001, 0.25}, {0.001, 0.9},
     {0, 4},        {0, 1},       {1, 6},       {0, 2},       {0, 2},     {0, 0.8},      {0.1, 0.8}}};

double number(Grade grade)
{
    return static_cast<double>(grade);
}

double clamped(double stability)
{
    return std::clamp(stability, kLeastStability, kMostStability);
}

double raw_first_difficulty(Grade grade, const FsrsWeights& w)
{
    return w[4] - std::exp(w[5] * (number(grade) - 1)) + 1;
}

// FSRS-4.5's linear difficulty in FSRS-6's exponential form (fsrs-rs, model.rs).
void upgrade_from_4_5(FsrsWeights& w)
{
    w[4] += 2 * w[5];
    w[5] = std::log(3 * w[5] + 1) / 3;
    w[6] += 0.5;
}

} // namespace

Issues check(const FsrsWeights& weights)
{
    Issues issues;
    for (std::size_t i = 0; i < weights.size(); ++i)
    {
        const auto [least, most] = kBounds[i];
        add_if(issues, !(weights[i] >= least && weights[i] <= most),
               {fmt::format("weights[{}]", i), fmt::format("{} is out of range", weights[i]),
                fmt::format("use {} to {}", least, most)});
    }
    return issues;
}

Result<FsrsWeights> upgraded_weights(std::span<const double> weights)
{
    if (weights.size() != 17 && weights.size() != 19 && weights.size() != kFsrsWeights)
    {
        return Issue{"weights", fmt::format("{} numbers are no set of FSRS weights", weights.size()),
                     "give 21 (FSRS-6), 19 (FSRS-5) or 17 (FSRS-4.5)"};
    }
    FsrsWeights w{};
    std::copy(weights.begin(), weights.end(), w.begin());
    if (weights.size() < kFsrsWeights)
    {
        w[20] = 0.5; // the fixed decay of FSRS-4.5 and 5
    }
    if (weights.size() == 17)
    {
        upgrade_from_4_5(w);
    }
    Issues issues = check(w);
    return issues.empty() ? Result<FsrsWeights>(w) : Result<FsrsWeights>(std::move(issues));
}

double recall_factor(const FsrsWeights& w)
{
    return std::pow(0.9, -1 / w[20]) - 1;
}

double recall_after(double days, double stability, const FsrsWeights& w)
{
    return std::pow(1 + recall_factor(w) * std::max(0.0, days) / clamped(stability), -w[20]);
}

double interval_for(double stability, double retention, const FsrsWeights& w)
{
    return clamped(stability) / recall_factor(w) * (std::pow(retention, -1 / w[20]) - 1);
}

FsrsMemory first_memory(Grade grade, const FsrsWeights& w)
{
    return {clamped(w[static_cast<std::size_t>(grade) - 1]),
            std::clamp(raw_first_difficulty(grade, w), 1.0, 10.0)};
}

double next_difficulty(double difficulty, Grade grade, const FsrsWeights& w)
{
    const double change = -w[6] * (number(grade) - 3);
    const double damped = difficulty + change * (10 - difficulty) / 9;
    const double reverted = w[7] * raw_first_difficulty(Grade::easy, w) + (1 - w[7]) * damped;
    return std::clamp(reverted, 1.0, 10.0);
}

double stability_after_pass(FsrsMemory memory, double r, double factor, const FsrsWeights& w)
{
    const auto [s, d] = memory;
    const double growth =
        std::exp(w[8]) * (11 - d) * std::pow(s, -w[9]) * (std::exp(w[10] * (1 - r)) - 1) * factor;
    return clamped(s * (1 + growth));
}

double stability_after_lapse(FsrsMemory memory, double r, const FsrsWeights& w)
{
    const auto [s, d] = memory;
    const double forgotten =
        w[11] * std::pow(d, -w[12]) * (std::pow(s + 1, w[13]) - 1) * std::exp(w[14] * (1 - r));
    return clamped(std::min(forgotten, s / std::exp(w[17] * w[18])));
}

double stability_same_day(double stability, Grade grade, const FsrsWeights& w)
{
    const double growth = std::exp(w[17] * (number(grade) - 3 + w[18])) * std::pow(stability, -w[19]);
    return clamped(stability * (grade == Grade::again ? growth : std::max(growth, 1.0)));
}

FsrsMemory next_memory(FsrsMemory memory, Grade grade, std::int64_t elapsed_d, const FsrsWeights& w)
{
    assert(elapsed_d >= 0);
    const double d = next_difficulty(memory.difficulty, grade, w);
    if (elapsed_d < 1)
    {
        return {stability_same_day(memory.stability, grade, w), d};
    }
    const double r = recall_after(static_cast<double>(elapsed_d), memory.stability, w);
    if (grade == Grade::again)
    {
        return {stability_after_lapse(memory, r, w), d};
    }
    const double factor = grade == Grade::hard ? w[15] : grade == Grade::easy ? w[16] : 1.0;
    return {stability_after_pass(memory, r, factor, w), d};
}

} // namespace ringside
