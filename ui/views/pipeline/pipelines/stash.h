// The lower part of the pipelines view: what one stage keeps over time under every schedule on show.
#pragma once

#include "ui/views/pipeline/pipelines/rows.h"
#include "ui/widgets/timeline.h"

namespace ringside
{

struct StashCurve
{
    std::string name;  // "ZB-H1"
    std::string holds; // "up to 4, 11.2 GB"
    std::vector<StashStep> steps;
};

class StashPart
{
public:
    // `version` of the rows: the curves are found again when it or the stage changes.
    void draw(const Frame& frame, const Painter& painter, Rect area, TimeWindow window,
              const std::vector<PipelineRow>& rows, int version, std::size_t stage);

private:
    void find_curves(const Frame& frame, const std::vector<PipelineRow>& rows, std::size_t stage);

    std::vector<StashCurve> curves_;
    std::vector<double> bytes_;             // [curve] of one micro-batch on the stage; 0: not known
    std::pair<int, std::size_t> of_{-1, 0}; // version and stage of the curves
};

} // namespace ringside
