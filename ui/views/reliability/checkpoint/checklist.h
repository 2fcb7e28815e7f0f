// What a checkpoint holds, ticked or left out, and the loss of a small training resumed from it.
#pragma once

#include "core/reliability/checkpoint.h"
#include "core/reliability/resume.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

using Held = std::array<bool, kCheckpointParts>;

// The part whose tick was pressed.
std::optional<CheckpointPart> draw_checklist(const Painter& painter, Rect area, const CheckpointSize& size,
                                             const Held& held);
// The run that was never interrupted, and the resumed one where they differ.
void draw_resume(const Painter& painter, Rect area, const ResumeRun& whole, const ResumeRun& resumed,
                 const Held& held);
// The names of what is left out: "variance and step"; empty when nothing is.
std::string missing_words(const Held& held);

} // namespace ringside
