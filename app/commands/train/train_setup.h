// What a training starts from: the options of the command line, and the file to go on from.
#pragma once

#include "app/commands/commands.h"
#include "core/lab/config.h"
#include "core/lab/trainer/checkpoint.h"

#include <optional>
#include <vector>

namespace ringside
{

struct TrainOptions : CommonOptions
{
    std::string device = "auto";
    std::int64_t threads = 0;
    std::int64_t ranks = 1;
    std::string strategy = "none";
    std::string compress = "none";
    bool no_feedback = false;
    std::int64_t steps = 200;
    std::optional<std::uint64_t> seed;
    std::string resume;
    std::string save;
    std::string record;   // the last steps of several ranks, to be played where there are none
    std::string snapshot; // of the memory of the last step, of several ranks one each
    std::string trace;    // of the last step of several ranks, one each
    std::string scenario; // where the engine's scenario of this training goes
    bool json_lines = false;
    bool probe = false;      // measures the device first, so that the engine can predict the step's time
    std::int64_t every = 0;  // steps between two lines for people; 0: about twenty lines
    std::int64_t sample = 0; // characters drawn from the model at the end
    double temperature = 0.8;
    std::int64_t top_k = 0;
    // What is trained; a resumed run keeps what is not named.
    std::optional<std::int64_t> layers;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> heads;
    std::optional<std::int64_t> experts;
    std::optional<std::int64_t> experts_per_token;
    std::optional<std::int64_t> expert_width;
    std::optional<double> capacity;
    std::optional<double> balance;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> accumulation;
    std::optional<double> learning_rate;
    std::optional<std::int64_t> symbols;
    std::optional<std::string> precision;
    std::optional<std::string> optimizer;
    std::optional<std::string> recompute;
    std::string data; // text, copy, sort, addition, or a file
    std::vector<std::string> sets;
};

struct Beginning
{
    TrainerConfig config;
    std::optional<trainer::TrainerState> state;
};
// Faults: an option, the data, or a file to go on from that is none or fits the options not.
Result<Beginning> beginning(const TrainOptions& options);

// Into the file of --save, where one is named; what was trained by then where a signal ended it.
void save_training(const TrainOptions& options, const trainer::Checkpoint& checkpoint);
// What the engine predicts it by, into the file of --scenario, where one is named.
void save_scenario(const TrainOptions& options, const Scenario& scenario);
// Trains on several ranks, which are threads here.
int run_team(const Beginning& from, const TrainOptions& options);

} // namespace ringside
