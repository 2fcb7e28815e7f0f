// Files and folders that were dropped on the window or the page.
#pragma once

#include "app/session/session.h"

namespace ringside
{

// Those of a training run are opened together, launch files beside them included; others one after the other.
void take_dropped(Session& session, const std::vector<std::string>& paths);

} // namespace ringside
