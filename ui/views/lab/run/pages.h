// The pages of a real run: its step above the engine's with the difference part by part, its memory beside
// the ledger, and what to do next. What the pages share is made once for a run and a scenario.
#pragma once

#include "core/base/derived.h"
#include "core/runs/advice.h"
#include "core/runs/tensor_names.h"
#include "ui/shell/frame/run_frame.h"
#include "ui/shell/paged_view.h"
#include "ui/widgets/pictures/timeline.h"

#include <tuple>

namespace ringside
{

// What one side of the lanes does, a block each; neighbours of a kind are one where there are very many.
struct RunBlock
{
    double from = 0; // [s] since the step's first
    double to = 0;
    MeasuredPart part = MeasuredPart::unknown;
    std::string name; // of the kernel
};
struct RunSide
{
    std::vector<RunBlock> computing;
    std::vector<RunBlock> traffic;   // and copies
    std::vector<TimeWindow> exposed; // communication under no computing
    double total = 0;
};

struct RunPicture
{
    RunComparison compared;
    Band band; // of the step
    std::vector<RunSide> steps;
    std::vector<std::string> names; // of the steps
    RunSide predicted;
    std::vector<ComparedPart> between; // from the kept run, in place of the prediction, to this one
    std::vector<RunAdvice> advice;
    MemorySnapshot memory;           // without a run: the predicted one
    std::vector<NamedBlocks> blocks; // at the peak
};

struct MyRunState
{
    // Without a run it is the prediction's alone.
    const RunPicture& picture(const Frame& frame) const;

    std::size_t rank = 0;  // of several traces, by its place
    std::size_t step = 0;  // of a trace
    bool curve = false;    // the log's times, where there is a trace, too
    bool from_run = false; // the difference begins at the kept run
    TimeZoom zoom;
    Derived<std::tuple<std::int64_t, std::size_t, Scenario>, RunPicture> known;
};
using RunRoom = PageRoom<MyRunState>;

extern const Page<MyRunState> run_step_page, run_memory_page, run_next_page;

// Takes what it needs of the area; nothing where no files are being read.
void draw_opening(const RunRoom& room, Rect& area);
// Before a run: what can be opened, and the engine's own step.
void draw_no_run(const RunRoom& room);
// The measured step, or the log's, above the prediction.
void draw_run_lanes(const RunRoom& room, Rect area, const RunPicture& picture);
void draw_run_curve(const RunRoom& room, Rect area, const RunPicture& picture);
// The rows and headings of the difference; as high as run_rows_height() at most.
void draw_difference(const RunRoom& room, Rect area, const RunPicture& picture);
float run_rows_height(const Painter& painter, const RunPicture& picture, bool from_run);

// Files, fields and what is done with the run; on every page.
void panel_run(PanelColumn& column, const RunRoom& room);
Caption caption_run(const Frame& frame, MyRunState& state);
// All of it in a sentence or two, on top of a page; returns what it took.
void say_run(const RunRoom& room, Rect& area);

} // namespace ringside
