// The schedules on show in the pipelines view: the scenario's own first, then those chosen to stand beside
// it; their words, popups and activations in flight.
#pragma once

#include "core/base/derived.h"
#include "core/base/result.h"
#include "core/model/stages.h"
#include "core/pipeline/notation.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/pictures/lanes.h"
#include "ui/widgets/sheet.h"

#include <memory>
#include <optional>
#include <string>

namespace ringside
{

struct PipelineRow
{
    std::string name;
    ScheduleKind kind = nullptr; // null: an order of one's own
    ScheduleShape shape;
    std::int64_t copies = 1;    // of the weights
    std::vector<double> weight; // of each virtual stage: what it keeps, in micro-batches of an even stage
    std::unique_ptr<Timeline> timeline; // where it stays while rows move, because the density refers to it
    Density density;
    mutable LaneColumns columns; // for drawing, of the last zoom
    Issues refused;              // why it could not be run; the timeline is empty then

    bool same_work = true; // as the scenario: its steps can be compared

    bool runs() const { return refused.empty(); }
    // Micro-batches of an even stage that the fullest rank keeps at most.
    double most_kept() const;
};

// Bubble of a row as idle share in one of four ways of counting.
enum class BubbleKind
{
    of_total,
    over_ideal,
    of_span,
    over_ideal_span
};
double bubble_of(const Timeline& timeline, BubbleKind kind);
std::string_view words_of(BubbleKind kind); // "of total is idle"

class PipelineRows
{
public:
    static constexpr std::size_t kMost = 4;

    // Runs what has changed with the scenario; the same rows until it changes again.
    const std::vector<PipelineRow>& of(const Evaluated& now) const { return runs(now).rows; }
    // The longest of those that run; 0 where none does.
    double longest(const Evaluated& now) const;

    // Moments at which an operation of any row ends, ascending, from 0; even steps where there are too many.
    const std::vector<double>& moments(const Evaluated& now) const { return runs(now).moments; }

    // Differs whenever the rows are run again.
    int version(const Evaluated& now) const { return runs(now).version; }

    bool full(const Evaluated& now) const { return of(now).size() >= kMost; }
    void add(const Evaluated& now, ScheduleKind kind);
    void add_own(const Evaluated& now, WrittenOrder order);
    // Row 0 is the scenario's and stays.
    void remove(const Evaluated& now, std::size_t row);

private:
    struct Runs
    {
        std::vector<PipelineRow> rows;
        std::vector<double> moments;
        int version;
    };

    const Runs& runs(const Evaluated& now) const;
    std::vector<PipelineRow> rows_of(const Evaluated& now) const;
    void forget_hidden(const Evaluated& now);
    PipelineRow own_row(const Scenario& scenario, const ScheduleShape& beside) const;

    std::vector<ScheduleKind> beside_{nullptr}; // null: whatever makes the best first comparison
    std::optional<WrittenOrder> own_;
    int changes_ = 0; // of these two
    Derived<std::pair<Scenario, int>, Runs> runs_;
};

inline constexpr const char* kAddPopup = "add";
inline constexpr const char* kPastePopup = "paste a schedule";

// While the popup is open: every schedule with its one line; returns the one chosen.
std::optional<ScheduleKind> add_schedule_popup(const Painter& painter);

// The text of an order, checked as it is typed and simulated when asked for.
class PasteOrder
{
public:
    // While the popup is open; returns the order once it is accepted.
    std::optional<WrittenOrder> draw(const Painter& painter);

private:
    void check();
    void draw_verdict(Sheet& sheet) const;

    std::string text_;
    Issues faults_;
    bool read_ = false;    // faults_ are those of text_
    bool in_vain_ = false; // Ctrl Enter was pressed on a faulty text
    std::optional<WrittenOrder> order_;
};

struct PipelineLegend
{
    bool counts_stored = false;                   // numbers beside the lanes
    std::optional<std::int32_t> micro_batch = {}; // whose path is lit
    bool chunks = false;                          // some stage holds more than one
};
// As many of its items as the row has room for, the most needed first.
void draw_legend(const Painter& painter, Rect row, const PipelineLegend& legend);

// A column a schedule. Takes what it needs from the top of `area`. `message`: what passes from stage to stage
// for one micro-batch.
void draw_compare(const Painter& painter, Rect& area, const std::vector<PipelineRow>& rows, Bytes message);

// What a stage stores under one schedule.
struct InFlightCurve
{
    std::string name; // "ZB-H1"
    std::vector<StashStep> steps;
    double bytes = 0; // [B] of one micro-batch on the stage; 0: not known
};
std::vector<InFlightCurve> in_flight_curves(const Frame& frame, const std::vector<PipelineRow>& rows,
                                            std::size_t stage);
void draw_in_flight(const Painter& painter, Rect area, TimeWindow window,
                    const std::vector<InFlightCurve>& curves, std::size_t stage);

// "t = 14.5 under 1F1B: stage 0 runs F5; stage 1 waits for I3 of stage 2."
std::string what_happens(const PipelineRow& row, double t);
// The scenario's schedule against the fastest compared with it; the slowest stage where stages are uneven.
std::string compare_in_words(const Frame& frame, const std::vector<PipelineRow>& rows);
// The scenario's bubble with its formula, and where they come from.
Caption bubble_formula(const Frame& frame);

} // namespace ringside
