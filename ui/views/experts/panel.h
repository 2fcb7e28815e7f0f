// The router's settings, and what the scenario's experts weigh and send.
#pragma once

#include "ui/shell/frame.h"
#include "ui/views/experts/runs.h"
#include "ui/widgets/controls.h"

namespace ringside
{

class ExpertPanel
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, RouterChoice& choice,
              const ExpertRuns& runs, Out& out);

private:
    void draw_settings(const Painter& painter, Rect& area, RouterChoice& choice);

    TypedEntry entry_;
};

} // namespace ringside
