// The schedules on show in the pipelines view: the scenario's own first, then those chosen to stand beside
// it.
#pragma once

#include "core/model/stages.h"
#include "core/pipeline/notation.h"
#include "ui/shell/frame.h"
#include "ui/widgets/lanes.h"

#include <memory>

namespace ringside
{

struct PipelineRow
{
    std::string name;
    ScheduleKind kind = nullptr; // null: an order of one's own
    ScheduleShape shape;
    std::int64_t copies = 1;    // of the weights
    std::vector<double> weight; // of each virtual stage: what it keeps, in micro-batches of an even stage
    std::unique_ptr<Timeline> timeline; // where it stays while rows move, because the density refers to it
    Density density;
    mutable LaneColumns columns; // for drawing, of the last zoom
    Issues refused;              // why it could not be run; the timeline is empty then

    bool same_work = true; // as the scenario: its steps can be compared

    bool runs() const { return refused.empty(); }
    // Micro-batches of an even stage that the fullest rank keeps at most.
    double most_kept() const;
};

// Bubble of a row as idle share in one of four ways of counting.
enum class BubbleKind
{
    of_total,
    over_ideal,
    of_span,
    over_ideal_span
};
double bubble_of(const Timeline& timeline, BubbleKind kind);
std::string_view words_of(BubbleKind kind); // "of total is idle"

class PipelineRows
{
public:
    static constexpr std::size_t kMost = 4;

    // Runs what has changed with the scenario; the same rows until it changes again.
    const std::vector<PipelineRow>& of(const Evaluated& now) const;
    // Of those that run; 0 where none does.
    double longest(const Evaluated& now) const;

    // Moments at which an operation of any row ends, ascending, from 0; even steps where there are too many.
    const std::vector<double>& moments(const Evaluated& now) const;

    // Changes whenever the rows are run again.
    int version() const { return version_; }

    bool full() const { return rows_.size() >= kMost; }
    void add(ScheduleKind kind);
    void add_own(WrittenOrder order);
    // Row 0 is the scenario's and stays.
    void remove(std::size_t row);

private:
    bool shows(ScheduleKind kind) const;
    void forget_hidden();
    void run_own(const Scenario& scenario) const;
    void find_moments() const;

    std::vector<ScheduleKind> beside_{nullptr}; // null: whatever makes the best first comparison
    std::optional<WrittenOrder> own_;
    mutable bool stale_ = true;
    mutable Scenario of_;
    mutable std::vector<PipelineRow> rows_;
    mutable std::vector<double> moments_;
    mutable int version_ = 0;
};

} // namespace ringside
