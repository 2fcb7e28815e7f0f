#include "core/planner/search/candidate_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace ringside
{

namespace
{

using CandidateData = DataColumn<Candidate>;

std::string one_decimal_percent(double share)
{
    return fmt::format("{:.1f}%", 100 * share);
}

template <auto member>
CellValue layout_value(const Candidate& c)
{
    return c.layout.*member;
}

template <auto member>
std::string layout_count(const Candidate& c, ByteUnit)
{
    return grouped(c.layout.*member);
}

std::string tensor_words(const Candidate& c, ByteUnit)
{
    return c.layout.tensor > 1 && !c.layout.sequence_parallel ? fmt::format("{} no SP", c.layout.tensor)
                                                              : grouped(c.layout.tensor);
}

std::string expert_words(const Candidate& c, ByteUnit)
{
    return c.layout.expert_tensor > 1 && c.layout.expert > 1
               ? fmt::format("{} ETP {}", c.layout.expert, c.layout.expert_tensor)
               : grouped(c.layout.expert);
}

CellValue schedule_id(const Candidate& c)
{
    return c.layout.pipeline == 1 ? std::string_view("none") : c.layout.schedule->id;
}

// One stage first, then the schedules in the order of their table, with few chunks before many.
double schedule_order(const Candidate& c)
{
    const auto all = schedules();
    const auto at = std::find(all.begin(), all.end(), c.layout.schedule) - all.begin();
    return c.layout.pipeline == 1 ? -1.0 : static_cast<double>(at * 64 + c.layout.chunks);
}

// By CandidateColumn.
constexpr std::array<CandidateData, kNamesOf<CandidateColumn>.size()> kCandidateColumns{{
    {.key = "gpus",
     .heading = "GPUs",
     .help = "GPUs it runs on",
     .value = layout_value<&Layout::gpus>,
     .text = layout_count<&Layout::gpus>,
     .keep = 93},
    {.key = "tensor",
     .heading = "TP",
     .help = "Tensor parallelism: GPUs that share each layer; with sequence parallelism unless it says "
             "\u201cno SP\u201d",
     .value = layout_value<&Layout::tensor>,
     .text = tensor_words,
     .keep = 98},
    {.key = "sequence_parallel", .value = layout_value<&Layout::sequence_parallel>},
    {.key = "context",
     .heading = "CP",
     .help = "Context parallelism: GPUs that share each sequence",
     .value = layout_value<&Layout::context>,
     .text = layout_count<&Layout::context>,
     .keep = 91},
    {.key = "pipeline",
     .heading = "PP",
     .help = "Pipeline parallelism: stages",
     .value = layout_value<&Layout::pipeline>,
     .text = layout_count<&Layout::pipeline>,
     .keep = 97},
    {.key = "chunks", .value = layout_value<&Layout::chunks>},
    {.key = "expert",
     .heading = "EP",
     .help = "Expert parallelism: GPUs that share the experts; ETP: each expert is sharded over so many",
     .value = layout_value<&Layout::expert>,
     .text = expert_words,
     .keep = 92},
    {.key = "expert_tensor", .value = layout_value<&Layout::expert_tensor>},
    {.key = "data",
     .heading = "DP",
     .help = "Data parallelism: replicas",
     .value = [](const Candidate& c) -> CellValue { return data_of(c.layout); },
     .text = [](const Candidate& c, ByteUnit) { return grouped(data_of(c.layout)); },
     .keep = 96},
    {.key = "zero",
     .heading = "ZeRO",
     .help = "Sharded over the replicas: 1 optimizer states, 2 gradients too, 3 weights too",
     .value = layout_value<&Layout::zero>,
     .keep = 80},
    {.key = "micro_batch",
     .heading = "MBS",
     .help = "Micro-batch size, sequences",
     .value = layout_value<&Layout::micro_batch>,
     .text = layout_count<&Layout::micro_batch>,
     .keep = 75},
    {.key = "recompute_layers", .value = layout_value<&Layout::recompute_layers>, .appended = true},
    {.key = "global_batch",
     .heading = "GBS",
     .help = "Global batch size, sequences per step",
     .value = layout_value<&Layout::global_batch>,
     .text = layout_count<&Layout::global_batch>,
     .keep = 94,
     .appended = true},
    {.key = "sequence_length",
     .heading = "sequence",
     .help = "Sequence length, tokens",
     .value = layout_value<&Layout::sequence_length>,
     .text = layout_count<&Layout::sequence_length>,
     .keep = 94,
     .appended = true},
    {.key = "recompute",
     .heading = "recompute",
     .help = "Activations recomputed in the backward pass",
     .value = [](const Candidate& c) -> CellValue { return name_of(c.layout.recompute); },
     .text = [](const Candidate& c, ByteUnit) { return recompute_words(c.layout); },
     .order = [](const Candidate& c) { return static_cast<double>(c.layout.recompute); },
     .keep = 78,
     .left = true},
    {.key = "schedule",
     .heading = "schedule",
     .help = "Pipeline schedule; VPP: virtual stages (chunks) per GPU",
     .value = schedule_id,
     .text = [](const Candidate& c, ByteUnit) { return schedule_words(c.layout); },
     .order = schedule_order,
     .keep = 60,
     .left = true},
    {.key = "memory_bytes",
     .json = "memory.total_bytes",
     .heading = "memory",
     .unit = "GB",
     .help = "Of the GPU with the most",
     .value = [](const Candidate& c) -> CellValue { return c.bytes; },
     .text = [](const Candidate& c, ByteUnit unit) { return format_gigabytes(Bytes(c.bytes), unit); },
     .keep = 99},
    {.key = "bubble_of_step",
     .heading = "bubble/step",
     .help = "Pipeline bubble, of the whole step with its communication, as in the status bar",
     .value = [](const Candidate& c) -> CellValue { return c.bubble; },
     .text = [](const Candidate& c, ByteUnit) { return one_decimal_percent(c.bubble); },
     .keep = 65},
    {.key = "mfu",
     .json = "step.mfu",
     .heading = "MFU",
     .help = "Model FLOPs, attention counted, over the dense peak",
     .value = [](const Candidate& c) -> CellValue { return c.mfu; },
     .text = [](const Candidate& c, ByteUnit) { return one_decimal_percent(c.mfu); },
     .keep = 70,
     .most_first = true},
    {.key = "step_time_s",
     .json = "step.time_s",
     .heading = "step",
     .unit = "s",
     .help = "Step time in seconds",
     .value = [](const Candidate& c) -> CellValue { return c.seconds; },
     .text = [](const Candidate& c, ByteUnit) { return three_digits(c.seconds); }},
    {.key = "step_time_low_s",
     .json = "step.time_low_s",
     .heading = "80% range",
     .unit = "s",
     .help = "Between which 80% of the steps of sources lie that no constant was fitted to",
     .value = [](const Candidate& c) -> CellValue { return c.seconds * c.low; },
     .text = [](const Candidate& c, ByteUnit)
     { return fmt::format("{} to {}", three_digits(c.seconds * c.low), three_digits(c.seconds * c.high)); },
     .keep = 50,
     .appended = true},
    {.key = "step_time_high_s",
     .json = "step.time_high_s",
     .value = [](const Candidate& c) -> CellValue { return c.seconds * c.high; },
     .appended = true},
    {.key = "verdict",
     .value = [](const Candidate& c) -> CellValue
     { return name_of(c.tight ? MemoryVerdict::tight : MemoryVerdict::fits); }},
    {.json = "seconds_per_million_tokens",
     .heading = "s/M tok",
     .help = "Seconds per million tokens",
     .value = [](const Candidate& c) -> CellValue { return c.pace(); },
     .text = [](const Candidate& c, ByteUnit) { return three_digits(c.pace()); },
     .keep = 101},
    {.json = "gpu_seconds_per_million_tokens",
     .heading = "GPU-s",
     .help = "GPU-seconds per step; per million tokens where GPUs, batch or length are free",
     .value = [](const Candidate& c) -> CellValue { return c.gpu_seconds(); },
     .text = [](const Candidate& c, ByteUnit) { return three_digits(c.gpu_seconds()); },
     .keep = 95},
}};

bool any_above_one(std::span<const Candidate> rows, std::int64_t Layout::*field)
{
    return std::ranges::any_of(rows, [&](const Candidate& c) { return c.layout.*field > 1; });
}

} // namespace

std::span<const DataColumn<Candidate>> candidate_columns()
{
    return kCandidateColumns;
}

const DataColumn<Candidate>& info_of(CandidateColumn column)
{
    assert(candidate_columns().size() == kNamesOf<CandidateColumn>.size());
    return kCandidateColumns.at(static_cast<std::size_t>(column));
}

std::vector<CandidateColumn> shown_columns(std::span<const Candidate> rows, const SearchLimits& limits)
{
    const Freed& freed = limits.freed;
    const auto says_something = [&](CandidateColumn column)
    {
        switch (column)
        {
        case CandidateColumn::context:
            return any_above_one(rows, &Layout::context);
        case CandidateColumn::expert:
            return any_above_one(rows, &Layout::expert);
        case CandidateColumn::batch:
            return freed.tokens();
        case CandidateColumn::sequence:
            return freed.sequence_length.on();
        case CandidateColumn::pace:
            return freed.work();
        case CandidateColumn::gpus:
        case CandidateColumn::cost:
            return limits.objective == Objective::cost || freed.gpus.on();
        default:
            return !info_of(column).heading.empty();
        }
    };
    std::vector<CandidateColumn> columns;
    for (const CandidateColumn column : every<CandidateColumn>())
    {
        if (says_something(column))
        {
            columns.push_back(column);
        }
    }
    return columns;
}

CandidateColumn ranked_by(const SearchLimits& limits)
{
    return limits.objective == Objective::memory ? CandidateColumn::memory
           : limits.objective == Objective::cost ? CandidateColumn::cost
           : limits.freed.work()                 ? CandidateColumn::pace
                                                 : CandidateColumn::step;
}

std::string schedule_words(const Layout& l)
{
    if (l.pipeline == 1)
    {
        return "\u2013";
    }
    return l.chunks > 1 && l.schedule->most_chunks > 2 ? fmt::format("{}, VPP {}", l.schedule->name, l.chunks)
                                                       : std::string(l.schedule->name);
}

} // namespace ringside
