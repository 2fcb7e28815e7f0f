// The panel of the incidents: what happened, what to do, what came of it.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/reliability/incidents/desk.h"

namespace ringside
{

void draw_incident_panel(const Painter& painter, Rect area, IncidentDesk& desk, Out& out);
// Keys 1 to 9 choose: first what happened, then what to do. E opens the lab's demonstration.
ViewKeys incident_keys(IncidentDesk& desk);
// The lab with the demonstration of the fault asked; nothing where the lab has none.
void open_demonstration(const IncidentDesk& desk, Out& out);

Caption incident_caption(const IncidentDesk& desk, std::int64_t until);

} // namespace ringside
