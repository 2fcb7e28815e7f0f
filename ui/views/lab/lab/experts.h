// Where tokens go: what each expert of each layer was chosen for, had room for and dropped, in the last step.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/shell/lab_frame.h"

namespace ringside
{

void draw_lab_experts(const Painter& painter, Rect head, Rect area, const LabFrame& lab, Out& out);
// "capacity = ceil(f k T / E) = ceil(1.25 x 2 x 64 / 8) = 20 of 64 tokens", and the last step in a sentence.
std::string capacity_formula(const TrainerConfig& config);
std::string routing_words(const std::vector<LayerRouting>& layers);

} // namespace ringside
