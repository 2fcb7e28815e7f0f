#include "ui/views/reliability/incidents/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

void IncidentDesk::open(std::uint64_t seed)
{
    incident_ = make_incident(seed);
    run_ = run_untreated(incident_);
    guess_.reset();
    remedy_.reset();
    treatment_.reset();
    checkpoint_ = incident_.noticed / kCheckpointEvery * kCheckpointEvery;
}

void IncidentDesk::answer(Fault fault)
{
    if (!guess_)
    {
        guess_ = fault;
        ++seen_;
        solved_ += right() ? 1 : 0;
    }
}

void IncidentDesk::apply(Remedy remedy)
{
    if (guess_)
    {
        remedy_ = remedy;
        work_out();
    }
}

void IncidentDesk::rewind_to(std::int64_t step)
{
    const double near = std::round(static_cast<double>(step) / static_cast<double>(kCheckpointEvery));
    const std::int64_t to = static_cast<std::int64_t>(near) * kCheckpointEvery;
    const std::int64_t most = incident_.noticed / kCheckpointEvery * kCheckpointEvery;
    const std::int64_t next = std::clamp<std::int64_t>(to, 0, most);
    if (next != checkpoint_)
    {
        checkpoint_ = next;
        work_out();
    }
}

void IncidentDesk::work_out()
{
    treatment_ = remedy_ ? std::optional(treat(incident_, *remedy_, checkpoint_)) : std::nullopt;
}

} // namespace ringside
