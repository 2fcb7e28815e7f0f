// Logs of training frameworks: their lines by a table (log_formats.cpp), and what a reader must know beside
// it: colours, ranks before a line, several copies of a step, one record over several lines, two runs in a
// file.
#pragma once

#include "core/base/result.h"
#include "core/launch_files/settings.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kMostLogBytes = 256U << 20U;

enum class LogValue : std::uint8_t
{
    step,
    seconds,           // of the step
    seconds_per_steps, // of one step, as a progress bar has it
    steps_per_second,
    timer, // seconds since the beginning, of a timer that stops for evaluation
    clock, // seconds since the beginning
    loss,
    grad_norm,
    tokens_per_second,     // of all GPUs
    tokens_per_second_gpu, // of one
    samples_per_second,
    tflops,    // TFLOP/s of a GPU
    mfu,       // a share of one
    memory,    // [B] in use or reserved at the peak, whichever is printed
    allocated, // [B] at the peak
    reserved,  // [B] at the peak
    batch,     // sequences of all ranks
    tokens,    // seen so far
    skipped,   // steps that the optimizer left out, since the last line
    skipped_in_all,
    nan, // iterations
    count
};

struct LogField
{
    LogValue value;
    std::string_view key; // in small letters, with spaces for underscores; the number follows
    double scale = 1;     // to the unit of LogValue
    bool before = false;  // the number stands before the key
};

struct LogFormat
{
    std::string_view id;   // "megatron"
    std::string_view name; // "Megatron-LM"
    // What every line of a step has, in small letters.
    std::array<std::string_view, 2> marks;
    std::span<const LogField> fields;
    std::string_view source;  // where the framework prints it
    bool stamped = false;     // where no line says how long a step took, the clock before lines does
    std::string_view never{}; // no line of a step has it
    bool numbered = true;     // the step's number follows the first mark; else lines are counted
    bool headed = false;      // its line is a heading, the values are in the lines after it
};

std::span<const LogFormat> log_formats();

struct LoggedStep
{
    std::int64_t step = 0;
    std::size_t run = 0;
    std::array<std::optional<double>, static_cast<std::size_t>(LogValue::count)> values{};
    std::optional<double> stamp; // seconds of a clock before the line
    bool nan_loss = false;

    const std::optional<double>& at(LogValue value) const { return values[static_cast<std::size_t>(value)]; }
    std::optional<double>& at(LogValue value) { return values[static_cast<std::size_t>(value)]; }
};

// A number that a log states of the whole run, and the words that do.
struct LogFact
{
    std::string_view field; // of a constant: "parallel.tensor"; empty: no field of a scenario
    std::string name;       // "parameters"
    double value = 0;
    std::string by; // the line's words
    std::int64_t line = 0;
};

// Median and 90th percentile (nearest rank) of rows after the warm-up.
struct LogSpread
{
    double median = 0;
    double p90 = 0;
    std::int64_t rows = 0; // 0: nothing is known
};

struct StepSummary
{
    std::int64_t count = 0;   // steps found
    std::int64_t warm_up = 0; // left out: 10 from 20 on, one from three on, else none
    LogSpread seconds;
    std::string seconds_from; // "printed", "differences of a timer", "differences of time stamps", ""
    LogSpread tokens_per_second;
    LogSpread tokens_per_second_gpu;
    LogSpread samples_per_second;
    LogSpread tflops;
    LogSpread mfu;
    double mean_seconds = 0;
    std::int64_t skipped = 0;
    std::int64_t nan = 0;
    struct Spike
    {
        std::int64_t step;
        double seconds;
        double ratio; // to the median
    };
    struct Timed
    {
        std::int64_t step;
        double seconds;
    };
    std::vector<Timed> times;      // of every step that says or shows how long it took, warm-up included
    std::vector<Spike> spikes;     // over 1.5 times the median
    std::int64_t spike_period = 0; // steps between them where that is always the same; 0: it is not
    std::int64_t memory = 0;       // [B] the largest peak
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
};

struct TrainingLog
{
    const LogFormat* format = nullptr;
    std::vector<LoggedStep> steps; // of all runs, copies left out
    std::size_t runs = 1;
    std::size_t longest = 0; // the run that the summary is of
    std::int64_t copies = 0; // of other ranks, dropped
    StepSummary summary;
    std::vector<LogFact> facts;
    SettingList settings; // that its head says, by the names of the framework's own configuration
    std::string device;   // the GPU's name; empty: it is not printed
    std::vector<std::string> messages;
};

// Whether a step of any format is in it.
bool is_training_log(std::string_view text);
Result<TrainingLog> read_log(std::string_view text);

// For the parts of the reader.
struct LogLine
{
    std::string text;            // without colours and the rank before it
    std::string small;           // the same, in small letters, with spaces for underscores and tabs
    std::optional<double> stamp; // seconds, of the day where there is no date
    std::int64_t number = 1;
};
LogLine log_line(std::string_view raw, std::int64_t number);
// The number after (or before) a key that stands by itself.
std::optional<double> log_number(std::string_view small, const LogField& field);
StepSummary summary_of(const TrainingLog& log);
void read_facts(TrainingLog& log, const std::vector<LogLine>& lines);
// Reads what torchtitan prints of its job before the first step.
void read_titan_head(TrainingLog& log, const std::vector<LogLine>& lines);

} // namespace ringside
