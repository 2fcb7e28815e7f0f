// What the incidents view remembers: the incident on the table, what was answered, and the runs drawn of it.
#pragma once

#include "core/reliability/incidents/run.h"
#include "ui/shell/frame.h"

#include <optional>

namespace ringside
{

class IncidentDesk
{
public:
    IncidentDesk() { open(1); }

    void open(std::uint64_t seed);
    void answer(Fault fault);
    void apply(Remedy remedy);
    void rewind_to(std::int64_t step); // the nearest checkpoint before what was noticed

    const Incident& incident() const { return incident_; }
    const IncidentRun& run() const { return run_; }
    std::optional<Fault> guess() const { return guess_; }
    bool answered() const { return guess_.has_value(); }
    bool right() const { return guess_ == incident_.fault; }
    std::optional<Remedy> remedy() const { return remedy_; }
    const Treatment* treatment() const { return treatment_ ? &*treatment_ : nullptr; }
    std::int64_t checkpoint() const { return checkpoint_; }
    int seen() const { return seen_; }
    int solved() const { return solved_; }

private:
    void work_out();

    Incident incident_;
    IncidentRun run_;
    std::optional<Fault> guess_;
    std::optional<Remedy> remedy_;
    std::optional<Treatment> treatment_;
    std::int64_t checkpoint_ = 0;
    int seen_ = 0;   // answered so far
    int solved_ = 0; // of them rightly
};

} // namespace ringside
