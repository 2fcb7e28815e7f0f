// Spike or NaN? A run with a hidden fault to diagnose from its strips, and to save.
#include <fmt/format.h>

#include "ui/shell/view.h"
#include "ui/views/reliability/incidents/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class IncidentsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return incident_caption(desk_, until(frame)); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame&, const Painter& painter, Rect area, Out& out) override
    {
        draw_incident_panel(painter, area, desk_, out);
        return true;
    }
    bool about_scenario() const override { return false; }
    std::vector<std::string> facts(const Frame&) const override;
    ViewKeys keys() override { return incident_keys(desk_); }

private:
    // Nothing behind the step at which the run was stopped is shown before it is answered.
    std::int64_t until(const Frame& frame) const;

    IncidentDesk desk_;
};

std::int64_t IncidentsView::until(const Frame& frame) const
{
    const auto step = static_cast<std::int64_t>(std::floor(frame.playback.t));
    const std::int64_t most = desk_.answered() ? kIncidentSteps : desk_.incident().noticed;
    return std::clamp<std::int64_t>(step, 1, most);
}

Motion IncidentsView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = static_cast<double>(kIncidentSteps);
    motion.per_second = 200;
    motion.rest = motion.duration;
    for (std::int64_t step = 0; step <= kIncidentSteps; step += kCheckpointEvery)
    {
        motion.stops.push_back(static_cast<double>(step));
    }
    motion.label = fmt::format("step {}", until(frame));
    return motion;
}

void IncidentsView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (const auto step = draw_strips(painter, area, desk_, until(frame)))
    {
        desk_.rewind_to(*step);
        out.animating = true;
    }
}

std::vector<std::string> IncidentsView::facts(const Frame&) const
{
    return {fmt::format("incident {}", desk_.incident().seed),
            fmt::format("{} of {} diagnosed", desk_.solved(), desk_.seen())};
}

} // namespace

extern const ViewInfo incidents_view{
    34,
    "incidents",
    "Reliability",
    "Incidents",
    "Training incidents",
    "A run with a hidden fault: diagnose it from its curves, rewind, and see what helps",
    {},
    make_view<IncidentsView>};

} // namespace ringside
