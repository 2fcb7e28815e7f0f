// The pipelines view's table: a column a schedule.
#pragma once

#include "ui/views/pipeline/pipelines/rows.h"

namespace ringside
{

// Takes what it needs from the top of `area`. `message`: what passes from stage to stage for one micro-batch.
void draw_compare(const Painter& painter, Rect& area, const std::vector<PipelineRow>& rows, Bytes message);

} // namespace ringside
