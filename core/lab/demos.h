// Demonstrations of what goes wrong, or right, in training: each asks what to expect, says which runs to make
// and what to do to them, and explains afterwards with the numbers that came out. Data and pure functions.
//
// Runs of a demonstration are made one after the other, so that their times can be compared; the user's
// own runs wait. What can be seen in one run that goes on is no demonstration but a switch (switches.h).
#pragma once

#include "core/lab/snapshot.h"

#include <array>
#include <span>

namespace ringside
{

// A run of a demonstration.
struct LabRunPlan
{
    std::string name; // "with warm-up"
    TrainerConfig config;
    std::int64_t steps = 0;
    std::vector<Intervention> plan = {};
};

struct DemoFinding
{
    std::size_t answer = 0; // which of the three it turned out to be
    std::string text;       // may mark **strong** words
};

struct LabDemo
{
    std::string_view id;
    std::string_view key; // "F2"
    std::string_view title;
    std::string_view does;     // what will be run
    std::string_view question; // what to predict
    std::array<std::string_view, 3> answers;
    // One or two runs, made one after the other; `base` is the default model on a text.
    std::vector<LabRunPlan> (*runs)(const TrainerConfig& base);
    // What the runs show, in their order, when they are over.
    DemoFinding (*find)(std::span<const TrainingSnapshot> runs);
};

std::span<const LabDemo> lab_demos();

} // namespace ringside
