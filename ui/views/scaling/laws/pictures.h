// The four pictures of the scaling laws. Each draws into an area and moves the state where it is dragged.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/scaling/laws/state.h"
#include "ui/widgets/controls.h"

namespace ringside
{

// Each budget's valley, the one on show with its point, and below it where every rule puts the optimum.
void draw_valleys(const Painter& painter, Rect area, LawsState& state, const LawsSplit& split, Out& out);
// Parameters against tokens: lines of equal compute, the rules, the models that were trained.
void draw_trained_models(const Painter& painter, Rect area, LawsState& state, const LawsSplit& split,
                         Out& out);
// Training, serving and their sum for every size that reaches the point's loss.
void draw_serving(const Painter& painter, Rect area, LawsState& state, const LawsSplit& split, Out& out);
// Worth of repeated tokens in passes of fresh ones.
void draw_repeats(const Painter& painter, Rect area, LawsState& state, const LawsSplit& split, Out& out);

// The panel's lower part.
void draw_laws_panel(const Painter& painter, Rect area, LawsState& state, const LawsSplit& split, Out& out);

Caption laws_caption(const LawsState& state, const LawsSplit& split);
// "1.2e24 FLOP"
std::string flop_words(double flops);

} // namespace ringside
