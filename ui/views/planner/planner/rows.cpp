#include <fmt/format.h>

#include "core/scenario/fields.h"
#include "ui/views/planner/planner/parts.h"

#include <algorithm>

namespace ringside
{

namespace
{

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

PlannerRow planner_row(const Candidate& candidate, std::size_t rank, ByteUnit unit)
{
    PlannerRow row{candidate, rank, {}};
    std::ranges::transform(candidate_columns(), row.cells.begin(),
                           [&](const DataColumn<Candidate>& column)
                           { return column.text_of(candidate, unit); });
    return row;
}

PlannerRow invalid_row(const Layout& layout, ByteUnit unit)
{
    Candidate c;
    c.layout = layout;
    PlannerRow row = planner_row(c, 0, unit);
    for (const CandidateColumn unknown :
         {CandidateColumn::data, CandidateColumn::memory, CandidateColumn::bubble, CandidateColumn::mfu,
          CandidateColumn::step, CandidateColumn::pace, CandidateColumn::cost})
    {
        row.cells.at(static_cast<std::size_t>(unknown)) = "\u2013";
    }
    return row;
}

void PlannerRows::take(const LayoutAnswer& answer, bool every, ByteUnit unit)
{
    const Objective objective = answer.limits.objective;
    if (ringside::ranked_by(answer.limits) != ranked_by_)
    {
        ranked_by_ = ringside::ranked_by(answer.limits);
        sorted_by_ = ranked_by_;
        descending_ = false;
    }
    every_ = every;
    const std::vector<Candidate> found = every ? answer.result.best : one_per_family(answer.result.cuts);
    rows_.clear();
    for (const Candidate& c : found)
    {
        if (!rows_.empty() && changes_nothing(c, rows_.back().candidate))
        {
            continue;
        }
        rows_.push_back(planner_row(c, rows_.size() + 1, unit));
        rows_.back().equals_best = equals_best(c, found.front(), objective);
    }
    const Candidate* simplest = simplest_equal(found, objective, answer.scenario);
    simplest_ = simplest == nullptr ? std::nullopt : std::optional(simplest->layout);
    columns_ = shown_columns(found, answer.limits);
    sort();
}

void PlannerRows::sort_by(CandidateColumn column)
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
    const DataColumn<Candidate>& column = info_of(sorted_by_);
    std::sort(rows_.begin(), rows_.end(),
              [&](const PlannerRow& a, const PlannerRow& b)
              {
                  const double first = column.order_of(a.candidate);
                  const double second = column.order_of(b.candidate);
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
