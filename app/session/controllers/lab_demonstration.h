// A demonstration of the live lab that is on: which runs it makes, how far it is, and the user's own runs,
// which come back when it is left.
#pragma once

#include "app/session/controllers/lab_bench.h"

#include <cstddef>
#include <vector>

namespace ringside
{

class LabDemonstration
{
public:
    // `demo` is a place in lab_demos(), the text what its runs are trained on.
    LabDemonstration(std::size_t demo, const LabData& text, LabBench own);

    const LabDemoFrame& frame() const { return shown_; }
    LabBench take_own() { return std::move(own_); }
    // What to train first, for the bench before it begins.
    const LabRunPlan& first() const { return plans_.front(); }
    bool answered() const { return shown_.answer.has_value(); }
    // False where it was answered already, or there is no such answer.
    bool answer(std::size_t which);
    // The slot of the next run, set up to be begun.
    LabSlot& next(LabBench& bench);
    // Takes how far the runs are; true: the next one is to begin.
    bool go_on(LabBench& bench);
    // Something is still to happen although no run is running.
    bool is_waiting(const LabBench& bench) const { return runs() && is_over(bench); }

private:
    bool runs() const { return answered() && !shown_.finding; }
    bool is_over(const LabBench& bench) const; // the run begun last

    LabDemoFrame shown_;
    std::vector<LabRunPlan> plans_;
    std::size_t begun_ = 0; // of them
    LabBench own_;
};

} // namespace ringside
