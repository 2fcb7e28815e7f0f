// Which schedule, and how many micro-batches: every schedule and micro-batch size of a scenario, its bubble
// and its memory, and the best that fits.
#pragma once

#include "core/memory/memory.h"
#include "core/model/stages.h"

#include <vector>

namespace ringside
{

struct ScheduleCandidate
{
    Scenario scenario;     // the one searched from, with this schedule, chunks and micro-batch size
    double makespan = 0;   // in the unit of the searched scenario's times
    double bubble = 0;     // of total
    Bytes memory;          // of the fullest GPU
    bool frontier = false; // nothing idles less in as little memory
};

// Work (core/base/work.h). The stages, the layout and the
// global batch stay; times grow in proportion to the micro-batch, and small ones are not charged for running
// less efficiently.
class ScheduleSearch
{
public:
    using Request = Scenario;
    static constexpr double kSlice = 150'000; // operations

    explicit ScheduleSearch(Scenario scenario);

    // Simulates candidates until about this many operations have run; false when none is left.
    bool advance(double operations);
    bool done() const { return next_ == wanted_.size(); }
    // Share of the candidates looked at, 0 to 1.
    double progress() const;

    const Scenario& scenario() const { return scenario_; }
    // Those that can run, in the order they were tried; frontier marks are set once done.
    const std::vector<ScheduleCandidate>& found() const { return found_; }
    std::size_t refused() const { return refused_; } // do not suit stages, layers or micro-batches
    // The shortest step in at most `limit`, then the least memory; null where none fits.
    const ScheduleCandidate* best(Bytes limit) const;

private:
    void try_one(const Scenario& candidate);
    void mark_frontier();

    Scenario scenario_;
    std::vector<Scenario> wanted_;
    std::size_t next_ = 0;
    std::size_t refused_ = 0;
    std::vector<ScheduleCandidate> found_;
};

} // namespace ringside
