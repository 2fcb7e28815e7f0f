// How the planner writes a layout and what a search found.
#pragma once

#include "ui/shell/layouts_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

std::int64_t data_of(const Layout& layout);
// "TP 8, PP 1, DP 32"; CP and EP where they are above 1.
std::string words_of(const Layout& layout);
// "1F1B", "Interleaved 1F1B, VPP 4"; a dash for one stage.
std::string schedule_words(const Layout& layout);
// "1 953 GPU-s", "1.20 GPU-h"
std::string format_gpu_seconds(double gpu_seconds);

// The scenario's own layout with what its report says of it.
Candidate candidate_of(const Evaluated& evaluated);
// Whether both run alike, whatever stands in fields that then mean nothing. Stages cut unevenly are not
// compared.
bool same_run(Layout a, Layout b);

Caption planner_caption(const Frame& frame, const LayoutAnswer& answer);

} // namespace ringside
