// The panel of the ranks: strategy, ranks, batch and speed; what is made to go wrong, and on which rank; what
// starts and stops.
#pragma once

#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/team_action.h"
#include "ui/shell/frame/team_frame.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

enum class RanksPage : std::uint8_t
{
    step,  // of all ranks
    bytes, // what a loss costs in bytes
    saves  // what checkpoints cost
};

class RanksPanel
{
public:
    void draw(PanelColumn& column, const Frame& frame, const Painter& painter, RanksPage page, Out& out);
    // What the key for trouble does: the fault that is chosen, to the rank that is chosen.
    GoWrong trouble(const TeamFrame& team) const;
    void next_fault() { fault_ = (fault_ + 1) % 4; }
    void next_rank(const TeamFrame& team) { rank_ = (rank_ + 1) % team.request.ranks; }

private:
    static void draw_watch(const Painter& painter, PanelColumn& column, const TeamFrame& team);
    static void draw_recorded(const Painter& painter, PanelColumn& column, TeamRequest& request);
    void draw_page(PanelColumn& column, const TeamFrame& team, RanksPage page, TeamRequest& request,
                   Out& out);
    static void draw_request(PanelColumn& column, const TeamFrame& team, TeamRequest& request);
    static void draw_saving(PanelColumn& column, TeamRequest& request);
    void draw_trouble(PanelColumn& column, const TeamFrame& team, Out& out);

    std::size_t fault_ = 0;
    std::int64_t rank_ = 1;
};

// Another strategy of the table, `by` places on.
TeamRequest with_other_strategy(TeamRequest request, int by);

} // namespace ringside
