// The parts of the layout search: its rows, their table, the chart of step time against memory, and how a
// layout is written.
#pragma once

#include "core/base/text/text.h"
#include "core/planner/changes.h"
#include "core/planner/difference.h"
#include "core/planner/search/candidate_columns.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/near_misses.h"
#include "core/planner/search/told_apart.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/layouts_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace ringside
{

struct PlannerRow
{
    Candidate candidate;
    std::size_t rank = 1;                                            // by the objective
    std::array<std::string, kNamesOf<CandidateColumn>.size()> cells; // by CandidateColumn
    bool equals_best = false;                                        // as far as computed times can tell
};

class PlannerRows
{
public:
    // Anew from what was found. `every`: all variations instead of the best of each cut, one per family.
    void take(const LayoutAnswer& answer, bool every, ByteUnit unit);
    const std::vector<PlannerRow>& rows() const { return rows_; }
    // The simplest of those that equal the best.
    const std::optional<Layout>& simplest() const { return simplest_; }
    // Columns that say something, left to right.
    const std::vector<CandidateColumn>& columns() const { return columns_; }

    // By this column; again: the other way round.
    void sort_by(CandidateColumn column);
    CandidateColumn sorted_by() const { return sorted_by_; }
    CandidateColumn ranked_by() const { return ranked_by_; }
    bool descending() const { return descending_; }

    // The chosen row's place; the best one's until another was chosen. Nothing when there are no rows.
    std::optional<std::size_t> chosen() const;
    void choose(const Layout& layout) { chosen_ = layout; }
    void move(int by);
    // The row that stands for this layout: itself, or the best of its cut.
    std::optional<std::size_t> find(const Layout& layout) const;

private:
    void sort();

    std::vector<PlannerRow> rows_;
    std::vector<CandidateColumn> columns_;
    std::optional<Layout> chosen_;
    std::optional<Layout> simplest_;
    CandidateColumn ranked_by_ = CandidateColumn::step;
    CandidateColumn sorted_by_ = CandidateColumn::step;
    bool descending_ = false;
    bool every_ = false;
};

PlannerRow planner_row(const Candidate& candidate, std::size_t rank, ByteUnit unit);
// The row of a layout that cannot run.
PlannerRow invalid_row(const Layout& layout, ByteUnit unit);

// What the layouts are to run on. `chosen` is nothing until the user chooses: then it is `own`.
void choose_framework(PanelColumn& column, const Presets& presets, const Framework& own,
                      std::optional<Framework>& chosen);

// "GBS 256 of 8,192 tokens"
std::string words_of_work(const Layout& layout);
// "1 953 GPU-s", "1.20 GPU-h"
std::string format_gpu_seconds(double gpu_seconds);

// The scenario's own layout with what its report says of it.
Candidate candidate_of(const Evaluated& evaluated, const Freed& freed);

// Which seconds the chosen row has over another layout.
struct PlannerWhy
{
    Scenario from, to;
    LayoutDifference difference;
    bool pinned = false; // `from` is a row, else the scenario as it is
};
void draw_planner_why(PanelColumn& column, const Painter& painter, const PlannerWhy& why);
// From the scenario as it is; a press makes one.
void draw_planner_changes(PanelColumn& column, const Painter& painter, std::span<const Change> changes,
                          Out& out);

Caption planner_caption(const Frame& frame, const LayoutAnswer& answer);

// What a frame of the table is given.
struct PlannerTableFrame
{
    const PlannerRow& now;     // the scenario as it is; where that is invalid, the nearest valid one
    const PlannerRow* invalid; // the scenario as it is, invalid; null: it is valid
    double capacity;           // [B]
    std::optional<Layout> lit; // pointed at elsewhere
    double progress;           // of the search
    bool live;                 // rows can be pressed

    std::string_view now_word() const { return invalid == nullptr ? "now" : "nearest"; }
};

struct PlannerTableEvent
{
    std::optional<Layout> hovered;
    std::optional<Layout> loaded; // pressed
};

class PlannerTable
{
public:
    // The height of a heading, this many rows and the row for now.
    static float height(const Painter& painter, std::size_t rows);
    PlannerTableEvent draw(const Painter& painter, Rect area, PlannerRows& rows,
                           const PlannerTableFrame& frame);
    // The chosen row comes into sight with the next frame.
    void follow() { follow_ = true; }

private:
    TableScroll scroll_{0, std::nullopt, 1};
    bool follow_ = false;
};

struct PlannerChartFrame
{
    const LayoutAnswer& answer;
    const Candidate& now;
    std::string_view now_word;    // what it is called
    const Candidate* before;      // A of a comparison; null when off
    std::optional<Candidate> lit; // pointed at elsewhere
    bool live;                    // points can be pressed
};

struct PlannerChartEvent
{
    std::optional<Candidate> hovered;
    bool clicked = false;
};

PlannerChartEvent draw_planner_chart(const Painter& painter, Rect area, const PlannerChartFrame& frame);

struct PlannerPanel
{
    const Frame& frame;
    const LayoutAnswer& answer;
    const std::vector<NearMiss>& misses;
    std::span<const Change> changes;
    const PlannerWhy* why;
    std::optional<Layout>& pinned;
    std::optional<Layout> chosen;
    Layout now;
    const Presets& presets;
    SearchLimits& limits;
    std::optional<Framework>& framework; // chosen; nothing: the scenario's own
    bool& every;
};

void draw_planner_panel(const Painter& painter, Rect area, const PlannerPanel& panel, Out& out);

} // namespace ringside
