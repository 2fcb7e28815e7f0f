// The incident on show, what was answered, and how both are drawn: the curves of a run one below the other,
// and the panel that asks what happened and what to do.
#pragma once

#include "core/reliability/incidents/run.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/shell/view.h"

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

void draw_incident_panel(const Painter& painter, Rect area, IncidentDesk& desk, Out& out);
// Keys 1 to 9 choose: first what happened, then what to do. E opens the lab's demonstration.
ViewKeys incident_keys(IncidentDesk& desk);
// The lab with the demonstration of the fault asked; nothing where the lab has none.
void open_demonstration(const IncidentDesk& desk, Out& out);

Caption incident_caption(const IncidentDesk& desk, std::int64_t until);

// Up to step `until` of the run; a treated run over it in full. Returns the step the checkpoint was dragged
// to.
std::optional<std::int64_t> draw_strips(const Painter& painter, Rect area, const IncidentDesk& desk,
                                        std::int64_t until);

} // namespace ringside
