// A running team as text, so that a window elsewhere can show it: "ringside.live/1".
//
// A training elsewhere is watched, not steered. A few times a second a step begins behind a barrier, which
// aligns the ranks' clocks; rank 0 collects every rank's part and replaces the file. A file needs no port,
// and a shared disk or sshfs carries it.
#pragma once

#include "core/base/json/json.h"
#include "core/lab/team/team_snapshot.h"

#include <string>
#include <string_view>

namespace ringside
{

nlohmann::json to_json(const RankTrace& trace);

// Everything the snapshot has, but the text that is trained on, what is planned to go wrong, and its saves.
std::string live_text(const TeamSnapshot& snapshot);
// Text with this trace's ranks as to_json() has them already, in order.
std::string live_text(const TeamSnapshot& snapshot, const TeamStepTrace& step,
                      const std::vector<nlohmann::json>& ranks);

// A fault names what is wrong with it. What it holds is safe to draw: every rank and stage there is, finite
// times in order. Whether the configuration can be trained is for the room that trains to say.
Result<TeamSnapshot> snapshot_from_live(std::string_view text);

} // namespace ringside
