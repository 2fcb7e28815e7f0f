// The rows of the planner's table: which layouts, in what order, which one is chosen, and what stands in each
// cell. Draws nothing.
#pragma once

#include "core/base/text.h"
#include "core/planner/layout_search.h"
#include "ui/shell/layouts_frame.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace ringside
{

enum class PlannerColumn : std::uint8_t
{
    gpus,
    tensor,
    context,
    expert,
    pipeline,
    data,
    zero,
    micro,
    recompute,
    schedule,
    memory,
    bubble,
    mfu,
    step,
    cost
};
inline constexpr std::size_t kPlannerColumns = 15;

struct PlannerColumnInfo
{
    std::string_view id;      // "tensor"
    std::string_view heading; // "TP"
    std::string_view tip;
    double (*key)(const Candidate&); // what it is sorted by
    std::string (*text)(const Candidate&, ByteUnit);
    int keep;                // where there is no room the lowest goes first
    bool words = false;      // at the left
    bool most_first = false; // a first click puts the largest on top
};
const PlannerColumnInfo& info_of(PlannerColumn column);

struct PlannerRow
{
    Candidate candidate;
    std::size_t rank = 1; // by the objective
    std::array<std::string, kPlannerColumns> cells;
};

class PlannerRows
{
public:
    // Anew from what was found. `every`: all variations instead of the best of each cut.
    void take(const LayoutAnswer& answer, bool every, ByteUnit unit);
    const std::vector<PlannerRow>& rows() const { return rows_; }
    // Columns that say something, left to right.
    const std::vector<PlannerColumn>& columns() const { return columns_; }

    // By this column; again: the other way round.
    void sort_by(PlannerColumn column);
    PlannerColumn sorted_by() const { return sorted_by_; }
    bool descending() const { return descending_; }

    // The chosen row's place; the best one's until another was chosen. Nothing when there are no rows.
    std::optional<std::size_t> chosen() const;
    void choose(const Layout& layout) { chosen_ = layout; }
    void move(int by);
    // The row that stands for this layout: itself, or the best of its cut.
    std::optional<std::size_t> find(const Layout& layout) const;

private:
    void sort();

    std::vector<PlannerRow> rows_;
    std::vector<PlannerColumn> columns_;
    std::optional<Layout> chosen_;
    Objective objective_ = Objective::step_time;
    PlannerColumn sorted_by_ = PlannerColumn::step;
    bool descending_ = false;
    bool every_ = false;
};

PlannerColumn column_of(Objective objective);
PlannerRow planner_row(const Candidate& candidate, std::size_t rank, ByteUnit unit);

} // namespace ringside
