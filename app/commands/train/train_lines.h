// One line of JSON for each step, as `train --json-lines` prints them on any device.
#pragma once

#include "core/lab/trainer/clock.h"
#include "core/lab/trainer/trainer.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct StepLine
{
    struct Rank
    {
        std::int64_t bytes_sent = 0;
        std::vector<std::pair<std::string, std::int64_t>> by_axis; // [B] "tensor", "data" ...
        MemoryUse memory;
        std::int64_t peak_bytes = 0;
    };

    std::int64_t step = 0;
    trainer::StepResult result;
    double seconds = 0;
    double tokens = 0;      // in a step
    double predicted_s = 0; // of a step; 0: not asked for
    MemoryUse memory;       // the most of each component on one device
    std::int64_t peak_bytes = 0;
    std::vector<Rank> ranks;           // of one device: a single one without bytes
    std::optional<double> noise_scale; // [tokens], once it is known

    // One more, and what the most loaded device has.
    void add(Rank rank);
};

// What of a training is printed: every step as JSON, or some as words.
struct StepPrinter
{
    bool json = false;
    std::int64_t steps = 0; // in all
    std::int64_t every = 0; // steps between two lines of words; 0: about twenty lines

    // The i-th, counted from 0; false when nobody reads any more.
    bool print(const StepLine& line, std::int64_t i) const;
};

} // namespace ringside
