// A demonstration in the picture: what it will do and what to expect of it, then what came of it.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/shell/lab_frame.h"

namespace ringside
{

// The question with its three answers.
void draw_demo_question(const Painter& painter, Rect area, const LabDemoFrame& demo, Out& out);
// How far it is, or what it turned out to be beside what was expected.
void draw_demo_finding(const Painter& painter, Rect area, const LabDemoFrame& demo, Out& out);

} // namespace ringside
