// What each rank sent in the last step, by axis, and what it keeps, by component: measured as a thick bar,
// predicted as a thin one below it, a tick where they are equal to the byte. Bars ease to their new lengths
// when the strategy changes.
#pragma once

#include "ui/shell/team_frame.h"
#include "ui/widgets/tween.h"

#include <vector>

namespace ringside
{

// [B] of the axis; 0 where nothing went on it.
std::int64_t sent_on(const std::vector<RankTrace::Sent>& sent, std::string_view axis);
// Weights, gradients and optimizer state as predicted: bytes that are known before any step.
bool state_as_predicted(const MemoryUse& measured, const StageMemory& predicted);
bool sent_as_predicted(const RankTrace& rank, const std::vector<RankTrace::Sent>& predicted);

class RankBars
{
public:
    // While a new team makes its first step, what the last one did stays.
    void draw(const Frame& frame, const Painter& painter, Rect area, const TeamStepTrace& trace, Out& out);

private:
    static constexpr std::size_t kMost = 7; // parts of a bar
    struct Bar
    {
        std::array<Tween, kMost> parts;
    };
    struct Part
    {
        double measured = 0;
        double predicted = 0;
        Colour colour = 0;
        std::string_view name;
    };
    struct Row
    {
        std::vector<Part> parts;
        double total = 0; // measured, as written beside it
        bool equal = false;
    };
    struct Column
    {
        std::string_view title;
        std::string says;
        std::vector<Row> rows;
        double most = 0; // of any row, measured or predicted
    };

    static Column sent_column(const Theme& theme, const TeamFrame& team, const TeamStepTrace& trace);
    static Column memory_column(const Theme& theme, const TeamFrame& team, const TeamStepTrace& trace);
    struct Drawn
    {
        Column column;
        std::vector<Bar> bars; // [rank]
        Tween scale;
    };
    static void draw_column(const Frame& frame, const Painter& painter, Rect area, const Column& column,
                            Drawn& drawn, Out& out);
    static void draw_bar(const Frame& frame, const Painter& painter, Rect line, const Row& row, Bar& bar,
                         float most, Out& out);
    static void say_row(const Painter& painter, Rect bounds, std::string heading, const Row& row,
                        ByteUnit unit);

    Drawn sent_;
    Drawn memory_;
};

} // namespace ringside
