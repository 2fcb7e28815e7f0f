#include <fmt/format.h>

#include "core/scenario/fields.h"
#include "ui/views/planner/planner/parts.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string percent(double share)
{
    return fmt::format("{:.1f}%", 100 * share);
}

template <std::int64_t Layout::*field>
double number(const Candidate& c)
{
    return static_cast<double>(c.layout.*field);
}
template <std::int64_t Layout::*field>
std::string text(const Candidate& c, ByteUnit)
{
    return grouped(c.layout.*field);
}

// By PlannerColumn.
constexpr std::array<PlannerColumnInfo, kPlannerColumns> kColumns{{
    {"gpus", "GPUs", "GPUs it runs on", number<&Layout::gpus>, text<&Layout::gpus>, 93},
    {"tensor", "TP",
     "Tensor parallelism: GPUs that share each layer; with sequence parallelism unless it says \u201cno "
     "SP\u201d",
     number<&Layout::tensor>,
     [](const Candidate& c, ByteUnit)
     {
         return c.layout.tensor > 1 && !c.layout.sequence_parallel ? fmt::format("{} no SP", c.layout.tensor)
                                                                   : grouped(c.layout.tensor);
     },
     98},
    {"context", "CP", "Context parallelism: GPUs that share each sequence", number<&Layout::context>,
     text<&Layout::context>, 91},
    {"expert", "EP",
     "Expert parallelism: GPUs that share the experts; ETP: each expert is sharded over so many",
     number<&Layout::expert>,
     [](const Candidate& c, ByteUnit)
     {
         return c.layout.expert_tensor > 1 && c.layout.expert > 1
                    ? fmt::format("{} ETP {}", c.layout.expert, c.layout.expert_tensor)
                    : grouped(c.layout.expert);
     },
     92},
    {"pipeline", "PP", "Pipeline parallelism: stages", number<&Layout::pipeline>, text<&Layout::pipeline>,
     97},
    {"data", "DP", "Data parallelism: replicas",
     [](const Candidate& c) { return static_cast<double>(data_of(c.layout)); },
     [](const Candidate& c, ByteUnit) { return grouped(data_of(c.layout)); }, 96},
    {"zero", "ZeRO", "Sharded over the replicas: 1 optimizer states, 2 gradients too, 3 weights too",
     number<&Layout::zero>, text<&Layout::zero>, 80},
    {"micro", "MBS", "Micro-batch size, sequences", number<&Layout::micro_batch>, text<&Layout::micro_batch>,
     75},
    {"batch", "GBS", "Global batch size, sequences per step", number<&Layout::global_batch>,
     text<&Layout::global_batch>, 94},
    {"sequence", "sequence", "Sequence length, tokens", number<&Layout::sequence_length>,
     text<&Layout::sequence_length>, 94},
    {"recompute", "recompute", "Activations recomputed in the backward pass",
     [](const Candidate& c) { return static_cast<double>(c.layout.recompute); },
     [](const Candidate& c, ByteUnit) { return recompute_words(c.layout); }, 78, true},
    {"schedule", "schedule", "Pipeline schedule; VPP: virtual stages (chunks) per GPU",
     [](const Candidate& c)
     {
         const auto all = schedules();
         const auto at = std::find(all.begin(), all.end(), c.layout.schedule) - all.begin();
         return c.layout.pipeline == 1 ? -1.0 : static_cast<double>(at * 64 + c.layout.chunks);
     },
     [](const Candidate& c, ByteUnit) { return schedule_words(c.layout); }, 60, true},
    {"memory", "memory,", "Of the GPU with the most", [](const Candidate& c) { return c.bytes; },
     [](const Candidate& c, ByteUnit unit) { return format_gigabytes(Bytes(c.bytes), unit); }, 99},
    {"bubble", "bubble/step",
     "Pipeline bubble, of the whole step with its communication, as in the status bar",
     [](const Candidate& c) { return c.bubble; },
     [](const Candidate& c, ByteUnit) { return percent(c.bubble); }, 65},
    {"mfu", "MFU", "Model FLOPs, attention counted, over the dense peak",
     [](const Candidate& c) { return c.mfu; }, [](const Candidate& c, ByteUnit) { return percent(c.mfu); },
     70, false, true},
    {"step", "step, s", "Step time in seconds", [](const Candidate& c) { return c.seconds; },
     [](const Candidate& c, ByteUnit) { return three_digits(c.seconds); }, 100},
    {"pace", "s/M tok", "Seconds per million tokens", [](const Candidate& c) { return c.pace(); },
     [](const Candidate& c, ByteUnit) { return three_digits(c.pace()); }, 101},
    {"cost", "GPU-s", "GPU-seconds per step; per million tokens where GPUs, batch or length are free",
     [](const Candidate& c) { return c.gpu_seconds(); },
     [](const Candidate& c, ByteUnit) { return three_digits(c.gpu_seconds()); }, 95},
}};

// Recomputation of what is not kept anyway.
bool changes_nothing(const Candidate& c, Candidate before)
{
    before.layout.recompute = c.layout.recompute;
    before.layout.recompute_layers = c.layout.recompute_layers;
    return c == before;
}

// But for context parallelism.
bool same_groups(const Layout& a, const Layout& b)
{
    return a.gpus == b.gpus && a.tensor == b.tensor && a.pipeline == b.pipeline && a.expert == b.expert &&
           a.global_batch == b.global_batch && a.sequence_length == b.sequence_length;
}

bool same_cut(const Layout& a, const Layout& b)
{
    return a.context == b.context && same_groups(a, b);
}

} // namespace

const PlannerColumnInfo& info_of(PlannerColumn column)
{
    return kColumns.at(static_cast<std::size_t>(column));
}

PlannerColumn column_of(Objective objective, bool work)
{
    return objective == Objective::memory ? PlannerColumn::memory
           : objective == Objective::cost ? PlannerColumn::cost
           : work                         ? PlannerColumn::pace
                                          : PlannerColumn::step;
}

PlannerRow planner_row(const Candidate& candidate, std::size_t rank, ByteUnit unit)
{
    PlannerRow row{candidate, rank, {}};
    for (std::size_t i = 0; i < kPlannerColumns; ++i)
    {
        row.cells[i] = kColumns[i].text(candidate, unit);
    }
    return row;
}

PlannerRow invalid_row(const Layout& layout, ByteUnit unit)
{
    Candidate c;
    c.layout = layout;
    PlannerRow row = planner_row(c, 0, unit);
    for (const PlannerColumn unknown :
         {PlannerColumn::data, PlannerColumn::memory, PlannerColumn::bubble, PlannerColumn::mfu,
          PlannerColumn::step, PlannerColumn::pace, PlannerColumn::cost})
    {
        row.cells.at(static_cast<std::size_t>(unknown)) = "\u2013";
    }
    return row;
}

void PlannerRows::take(const LayoutAnswer& answer, bool every, ByteUnit unit)
{
    const Freed& freed = answer.limits.freed;
    if (answer.limits.objective != objective_ || freed.work() != work_)
    {
        objective_ = answer.limits.objective;
        work_ = freed.work();
        sorted_by_ = ranked_by();
        descending_ = false;
    }
    every_ = every;
    const std::vector<Candidate> found = every ? answer.result.best : one_per_family(answer.result.cuts);
    rows_.clear();
    bool context = false;
    bool expert = false;
    for (const Candidate& c : found)
    {
        if (!rows_.empty() && changes_nothing(c, rows_.back().candidate))
        {
            continue;
        }
        rows_.push_back(planner_row(c, rows_.size() + 1, unit));
        rows_.back().equals_best = equals_best(c, found.front(), objective_);
        context = context || c.layout.context > 1;
        expert = expert || c.layout.expert > 1;
    }
    const Candidate* simplest = simplest_equal(found, objective_, answer.scenario);
    simplest_ = simplest == nullptr ? std::nullopt : std::optional(simplest->layout);
    columns_.clear();
    for (std::size_t i = 0; i < kPlannerColumns; ++i)
    {
        const auto column = static_cast<PlannerColumn>(i);
        const bool idle = (column == PlannerColumn::context && !context) ||
                          (column == PlannerColumn::expert && !expert) ||
                          (column == PlannerColumn::batch && !freed.tokens()) ||
                          (column == PlannerColumn::sequence && !freed.sequence_length.on()) ||
                          (column == PlannerColumn::pace && !work_) ||
                          ((column == PlannerColumn::gpus || column == PlannerColumn::cost) &&
                           objective_ != Objective::cost && !freed.gpus.on());
        if (!idle)
        {
            columns_.push_back(column);
        }
    }
    sort();
}

void PlannerRows::sort_by(PlannerColumn column)
{
    descending_ = column == sorted_by_ ? !descending_ : info_of(column).most_first;
    sorted_by_ = column;
    sort();
}

// Equal ones stay in the objective's order, and so do all while nothing else was asked for: tight ones stand
// behind those that fit.
void PlannerRows::sort()
{
    if (sorted_by_ == ranked_by() && !descending_)
    {
        std::ranges::sort(rows_, {}, &PlannerRow::rank);
        return;
    }
    const auto key = info_of(sorted_by_).key;
    std::sort(rows_.begin(), rows_.end(),
              [&](const PlannerRow& a, const PlannerRow& b)
              {
                  const double first = key(a.candidate);
                  const double second = key(b.candidate);
                  if (first != second)
                  {
                      return descending_ ? first > second : first < second;
                  }
                  return a.rank < b.rank;
              });
}

std::optional<std::size_t> PlannerRows::chosen() const
{
    const auto place = [&](auto&& wanted)
    { return static_cast<std::size_t>(std::find_if(rows_.begin(), rows_.end(), wanted) - rows_.begin()); };
    if (rows_.empty())
    {
        return {};
    }
    if (chosen_)
    {
        const std::size_t at = place([&](const PlannerRow& row) { return row.candidate.layout == *chosen_; });
        if (at < rows_.size())
        {
            return at;
        }
    }
    return place([](const PlannerRow& row) { return row.rank == 1; });
}

void PlannerRows::move(int by)
{
    if (const auto at = chosen())
    {
        const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
        const auto next = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(*at) + by, 0, last);
        chosen_ = rows_[static_cast<std::size_t>(next)].candidate.layout;
    }
}

std::optional<std::size_t> PlannerRows::find(const Layout& layout) const
{
    const auto row_that = [&](bool (*stands_for)(const Layout&, const Layout&)) -> std::optional<std::size_t>
    {
        const auto at = std::ranges::find_if(rows_, [&](const PlannerRow& row)
                                             { return stands_for(row.candidate.layout, layout); });
        return at == rows_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - rows_.begin()));
    };
    if (every_)
    {
        return row_that(same_run);
    }
    const auto own = row_that(same_cut);
    return own ? own : row_that(same_groups); // of its family
}

} // namespace ringside
