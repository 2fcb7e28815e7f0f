// Plays trainings of several ranks that were recorded, where none can be trained here.
//
// A recording is the last steps of a training as `ringside train --record` writes them, a "ringside.live/1" a
// line; there is one for every strategy. It plays over and over. The ones in assets/recordings were made with
//
//   ringside train --ranks 4 --strategy zero1 --layers 8 --width 64 --heads 8 --context 64 --batch 2
//     --accumulation 4 --data sort --symbols 15 --steps 100 --record assets/recordings/zero1.jsonl
//
// and the other ids of team_strategies(): "dp-tp" is dp2-tp2, "dp-tp-pp" dp2-tp2-pp2 on 8 ranks, "ep" has
// --experts 8 --experts-per-token 2 --expert-width 128. Pipelines have --accumulation 8.
#pragma once

#include "core/base/notice.h"
#include "core/lab/team/team_snapshot.h"
#include "ui/shell/frame/team_action.h"
#include "ui/shell/frame/team_frame.h"

#include <filesystem>
#include <vector>

namespace ringside
{

class TeamPlayback
{
public:
    // Plays a folder with "zero1.jsonl" and so on.
    explicit TeamPlayback(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // What to tell the user; may be empty.
    Notice apply(const TeamAction& action, TeamFrame& frame);
    // Goes on to the step that is due.
    void tick(TeamFrame& frame);
    bool playing() const { return playing_; }

private:
    Notice command(TeamCommand command, TeamFrame& frame);
    Notice request(const TeamRequest& request, TeamFrame& frame);
    bool begin(TeamFrame& frame);
    void show(TeamFrame& frame) const;

    std::filesystem::path folder_;
    std::vector<TeamSnapshot> steps_;
    std::size_t at_ = 0;
    bool playing_ = false;
    double next_ = 0; // [s] when the next step is due
};

} // namespace ringside
