// The pictures of the ranks: lanes, loss, loss against bytes, checkpoints, and bars.
//
// Bars: what each rank sent in the last step, by axis, and what it keeps, by component: measured as a thick
// bar, predicted as a thin one below it, a tick where they are equal to the byte. Bars ease to their new
// lengths when the strategy changes.
//
// State is compared after the step, activations and buffers at their peak, which are drawn next to the
// prediction and not ticked. Control messages (loss, norm, checks) are shown and not predicted.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/team_frame.h"
#include "ui/shell/tween.h"
#include "ui/shell/view.h"
#include "ui/views/lab/ranks/moment.h"
#include "ui/widgets/charts/bar_rows.h"

namespace ringside
{

// [B] of the axis; 0 where nothing went on it.
std::int64_t sent_on(const std::vector<RankTrace::Sent>& sent, std::string_view axis);
// Weights, gradients and optimizer state as predicted: bytes that are known before any step.
bool state_as_predicted(const MemoryUse& measured, const StageMemory& predicted);
bool sent_as_predicted(const RankTrace& rank, const std::vector<RankTrace::Sent>& predicted);

class RankBars
{
public:
    // While a new team makes its first step, what the last one did stays.
    void draw(const Frame& frame, const Painter& painter, Rect area, const TeamStepTrace& trace, Out& out);

private:
    static constexpr std::size_t kMost = 7; // parts of a bar

    BarRows rows_;
    std::vector<std::array<std::array<Tween, kMost>, 2>> drawn_; // [rank][column][part]
    std::array<Tween, 2> scales_;
};

void draw_rank_lanes(const Painter& painter, Rect area, const RankMoment& moment);

void draw_team_loss(const Painter& painter, Rect area, const TeamSnapshot& run);

void draw_saves_page(const Painter& painter, Rect area, const TeamFrame& team);
Caption saves_caption(const TeamFrame& team);

// Nothing before the first step of any run.
void draw_bytes_page(const Painter& painter, Rect area, const TeamFrame& team);
Caption bytes_caption(const TeamFrame& team);

} // namespace ringside
