// What stands in a session when it opens, whatever shows it: study, lessons, scenes and measured steps, as
// the assets hold them.
#pragma once

#include "app/session/session.h"

namespace ringside
{

// Faults of what was read go to `issues`, with the names of their files. The presets outlive the session.
void set_up(Session& session, const std::filesystem::path& assets, const Presets& presets, Issues& issues,
            std::unique_ptr<StudyStore> store = nullptr); // null: the one of this computer
// Measured steps that come with the program, read when a view asks.
void set_up_measured(Session& session, const std::filesystem::path& assets, const Presets& presets);

} // namespace ringside
