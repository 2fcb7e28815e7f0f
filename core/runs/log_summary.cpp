// What the steps of a log come to, and what it states of the run.
#include <fmt/format.h>

#include "core/runs/log.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kSpike = 1.5; // times the median

using Rows = std::vector<const LoggedStep*>;

LogSpread spread_of(std::vector<double> values)
{
    LogSpread spread;
    spread.rows = static_cast<std::int64_t>(values.size());
    if (values.empty())
    {
        return spread;
    }
    std::ranges::sort(values);
    const std::size_t n = values.size();
    spread.median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    // By nearest rank: the smallest that nine of ten do not exceed.
    spread.p90 = values[static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(n))) - 1];
    return spread;
}

LogSpread spread_of(const Rows& rows, LogValue value)
{
    std::vector<double> values;
    for (const LoggedStep* row : rows)
    {
        if (row->at(value))
        {
            values.push_back(*row->at(value));
        }
    }
    return spread_of(std::move(values));
}

std::optional<double> clock_of(const LoggedStep& step, LogValue value)
{
    return value == LogValue::count ? step.stamp : step.at(value);
}

// Steps between lines, as most are apart.
std::int64_t usual_gap(const Rows& all)
{
    std::vector<double> gaps;
    for (std::size_t i = 1; i < all.size(); ++i)
    {
        gaps.push_back(static_cast<double>(all[i]->step - all[i - 1]->step));
    }
    return static_cast<std::int64_t>(spread_of(std::move(gaps)).median);
}

using TimedStep = StepSummary::Timed;

// Seconds a step by the differences of a clock; rows before `from` are left out. A timer that is set back
// says nothing there. A clock that goes on in pauses counts only between lines as far apart as usual.
std::vector<TimedStep> differences(const Rows& all, std::size_t from, LogValue value)
{
    std::vector<TimedStep> out;
    const std::int64_t usual = usual_gap(all);
    for (std::size_t i = std::max<std::size_t>(from, 1); i < all.size(); ++i)
    {
        const auto before = clock_of(*all[i - 1], value);
        const auto now = clock_of(*all[i], value);
        const std::int64_t gap = all[i]->step - all[i - 1]->step;
        if (before && now && *now > *before && gap > 0 && (value == LogValue::timer || gap <= usual))
        {
            out.push_back({all[i]->step, (*now - *before) / static_cast<double>(gap)});
        }
    }
    return out;
}

std::vector<TimedStep> step_times(const TrainingLog& log, const Rows& all, std::size_t from,
                                  std::string& source)
{
    std::vector<TimedStep> times;
    source = "printed";
    for (std::size_t i = from; i < all.size(); ++i)
    {
        const LoggedStep& row = *all[i];
        const auto rate = row.at(LogValue::steps_per_second);
        const auto seconds = row.at(LogValue::seconds)             ? row.at(LogValue::seconds)
                             : row.at(LogValue::seconds_per_steps) ? row.at(LogValue::seconds_per_steps)
                             : rate && *rate > 0                   ? std::optional(1 / *rate)
                                                                   : std::nullopt;
        if (seconds)
        {
            times.push_back({row.step, *seconds});
        }
    }
    for (const LogValue clock : {LogValue::timer, LogValue::clock})
    {
        if (times.empty())
        {
            times = differences(all, from, clock);
            source = "differences of its timer";
        }
    }
    if (times.empty() && log.format->stamped)
    {
        times = differences(all, from, LogValue::count);
        source = "differences of time stamps";
    }
    source = times.empty() ? "" : source;
    return times;
}

std::optional<double> fact_of(const TrainingLog& log, std::string_view name)
{
    const auto found = std::ranges::find(log.facts, name, &LogFact::name);
    return found == log.facts.end() ? std::nullopt : std::optional(found->value);
}

void find_spikes(StepSummary& summary, const std::vector<TimedStep>& times)
{
    for (const TimedStep& each : times)
    {
        if (each.seconds > kSpike * summary.seconds.median)
        {
            summary.spikes.push_back({each.step, each.seconds, each.seconds / summary.seconds.median});
        }
    }
    const auto& spikes = summary.spikes;
    std::int64_t alike = 0;
    const std::int64_t first = spikes.size() > 3 ? spikes[1].step - spikes[0].step : 0;
    for (std::size_t i = 1; i < spikes.size(); ++i)
    {
        alike += spikes[i].step - spikes[i - 1].step == first ? 1 : 0;
    }
    summary.spike_period =
        first > 1 && alike * 10 >= 8 * static_cast<std::int64_t>(spikes.size() - 1) ? first : 0;
}

void sum_tokens(const TrainingLog& log, const Rows& all, StepSummary& summary)
{
    std::vector<double> tokens; // of a step
    for (std::size_t i = 1; i < all.size(); ++i)
    {
        const auto before = all[i - 1]->at(LogValue::tokens);
        const auto now = all[i]->at(LogValue::tokens);
        const std::int64_t gap = all[i]->step - all[i - 1]->step;
        if (before && now && *now > *before && gap > 0)
        {
            tokens.push_back((*now - *before) / static_cast<double>(gap));
        }
    }
    const auto batch = fact_of(log, "global batch");
    const auto sequence = fact_of(log, "sequence");
    const double of_step = !tokens.empty()     ? spread_of(std::move(tokens)).median
                           : batch && sequence ? *batch * *sequence
                                               : 0;
    if (summary.tokens_per_second.rows == 0 && of_step > 0 && summary.seconds.median > 0)
    {
        summary.tokens_per_second = {of_step / summary.seconds.median, of_step / summary.seconds.p90,
                                     summary.seconds.rows};
    }
}

// Phrases that state a number of the whole run; the number follows.
struct FactPhrase
{
    std::string_view field;
    std::string_view name;
    std::string_view key;
    bool before = false;
    double scale = 1;
};
constexpr std::array kPhrases{
    FactPhrase{"parallel.tensor", "tensor", "initialized tensor model parallel with size"},
    FactPhrase{"parallel.pipeline", "pipeline", "initialized pipeline model parallel with size"},
    FactPhrase{"parallel.tensor", "tensor", "tensor model parallel size"},
    FactPhrase{"parallel.pipeline", "pipeline", "pipeline model parallel size"},
    FactPhrase{"parallel.context", "context", "context parallel size"},
    FactPhrase{"parallel.expert", "expert", "expert model parallel size"},
    FactPhrase{"cluster.gpus", "gpus", "world size"},
    FactPhrase{"cluster.gpus", "gpus", "num gpus"},
    FactPhrase{"cluster.gpus", "gpus", "num devices"},
    FactPhrase{"cluster.gpus_per_node", "gpus of a node", "num gpus per host"},
    FactPhrase{"training.global_batch", "global batch", "global batch size"},
    FactPhrase{"training.global_batch", "global batch",
               "total train batch size (w. parallel, distributed & accumulation)"},
    FactPhrase{"training.global_batch", "global batch", "\"global batch size\", \"value\""},
    FactPhrase{"training.micro_batch", "micro-batch", "instantaneous batch size per device"},
    FactPhrase{"training.micro_batch", "micro-batch", "per device train batch size"},
    FactPhrase{"training.micro_batch", "micro-batch", "per device batch size"},
    FactPhrase{"training.micro_batch", "micro-batch", "micro batch size"},
    FactPhrase{"training.micro_batch", "micro-batch", "local batch size"},
    FactPhrase{"training.sequence_length", "sequence", "sequence length"},
    FactPhrase{"training.sequence_length", "sequence", "seq length"},
    FactPhrase{"training.sequence_length", "sequence", "max seq len"},
    FactPhrase{"training.sequence_length", "sequence", "max target length"},
    FactPhrase{"training.sequence_length", "sequence", "actual seqlen"},
    FactPhrase{"training.sequence_length", "sequence", "\"max sequence length\", \"value\""},
    FactPhrase{"parallel.zero", "ZeRO stage", "zero stage"},
    FactPhrase{"", "accumulation", "gradient accumulation steps"},
    FactPhrase{"", "accumulation", "\"gradient accumulation steps\", \"value\""},
    FactPhrase{"", "microbatches", "setting number of micro-batches to constant"},
    FactPhrase{"", "parameters", "number of parameters in model"},
    FactPhrase{"", "parameters", "total parameters", true},
    FactPhrase{"", "parameters", "total number of parameters in billions", false, 1e9},
    FactPhrase{"", "trainable parameters", "number of trainable parameters"},
    FactPhrase{"", "parameters of a rank",
               "number of parameters on (tensor, pipeline) model parallel rank (0, 0)"},
    FactPhrase{"", "padded vocabulary", "new size"},
    FactPhrase{"", "weights and optimizer in MB", "weight and optimizer"},
};

// "tensor_model_parallel_size ......... 8": the dots of Megatron-LM's table of arguments.
std::string without_dots(std::string_view small)
{
    const std::size_t dots = small.find(" ....");
    const std::size_t after = dots == std::string_view::npos ? dots : small.find_first_not_of(" .", dots);
    return after == std::string_view::npos
               ? std::string(small)
               : fmt::format("{}: {}",
                             small.substr(small.find_first_not_of(' '), dots - small.find_first_not_of(' ')),
                             small.substr(after));
}

} // namespace

void read_facts(TrainingLog& log, const std::vector<LogLine>& lines)
{
    for (const LogLine& line : lines)
    {
        const std::string small = without_dots(line.small);
        for (const FactPhrase& phrase : kPhrases)
        {
            const bool known = std::ranges::find(log.facts, phrase.name, &LogFact::name) != log.facts.end();
            const auto value =
                known || small.size() > 4096
                    ? std::nullopt
                    : log_number(small, {LogValue::count, phrase.key, phrase.scale, phrase.before});
            if (value && *value >= 0)
            {
                log.facts.push_back(
                    {phrase.field, std::string(phrase.name), *value, line.text.substr(0, 160), line.number});
            }
        }
    }
}

StepSummary summary_of(const TrainingLog& log)
{
    Rows all;
    for (const LoggedStep& step : log.steps)
    {
        if (step.run == log.longest)
        {
            all.push_back(&step);
        }
    }
    StepSummary summary;
    summary.count = static_cast<std::int64_t>(all.size());
    summary.warm_up = all.size() >= 20 ? 10 : all.size() >= 3 ? 1 : 0;
    const auto from = static_cast<std::size_t>(summary.warm_up);
    const Rows rows(all.begin() + summary.warm_up, all.end());
    summary.times = step_times(log, all, 0, summary.seconds_from);
    const auto times = step_times(log, all, from, summary.seconds_from);
    std::vector<double> seconds;
    for (const TimedStep& each : times)
    {
        seconds.push_back(each.seconds);
        summary.mean_seconds += each.seconds / static_cast<double>(times.size());
    }
    summary.seconds = spread_of(std::move(seconds));
    find_spikes(summary, times);
    summary.tokens_per_second = spread_of(rows, LogValue::tokens_per_second);
    summary.tokens_per_second_gpu = spread_of(rows, LogValue::tokens_per_second_gpu);
    summary.samples_per_second = spread_of(rows, LogValue::samples_per_second);
    summary.tflops = spread_of(rows, LogValue::tflops);
    summary.mfu = spread_of(rows, LogValue::mfu);
    sum_tokens(log, all, summary);
    for (const LoggedStep* row : all)
    {
        const auto whole = [&](LogValue value)
        { return static_cast<std::int64_t>(std::min(row->at(value).value_or(0), 9e18)); };
        summary.skipped += whole(LogValue::skipped);
        summary.skipped = std::max(summary.skipped, whole(LogValue::skipped_in_all));
        summary.nan += std::max<std::int64_t>(whole(LogValue::nan), row->nan_loss ? 1 : 0);
        summary.allocated = std::max(summary.allocated, whole(LogValue::allocated));
        summary.reserved = std::max(summary.reserved, whole(LogValue::reserved));
        summary.memory =
            std::max({summary.memory, whole(LogValue::memory), summary.reserved, summary.allocated});
    }
    return summary;
}

} // namespace ringside
