// The pages of step time: the waterfall, what one change of each setting would do, and the constants; and
// what the rows are called and what is said about them.
#pragma once

#include "core/base/text/time_scale.h"
#include "core/base/work.h"
#include "core/evaluate/sensitivity.h"
#include "core/performance/waterfall.h"
#include "ui/shell/paged_view.h"
#include "ui/shell/tween.h"
#include "ui/widgets/table.h"

#include <map>

namespace ringside
{

struct Convention
{
    Numerator numerator = Numerator::full;
    PeakKind peak = PeakKind::dense;

    bool operator==(const Convention&) const = default;
};

struct WaterfallState
{
    struct Bar
    {
        Tween from;
        Tween to;
    };

    Convention convention;
    std::map<int, Bar> bars; // of the rows
    TableScroll constants;   // their page, two lines a row
};
using WaterfallRoom = PageRoom<WaterfallState>;

extern const Page<WaterfallState> step_page, sensitivity_page, constants_page;

// What each setting would do, one step down and up.
WorkAnswer<Sensitivity> what_if(const Frame& frame);

// The convention, the limit and the best single change: the same on every page.
void panel_waterfall(PanelColumn& column, const WaterfallRoom& room);

std::string row_name(const WaterfallRow& row, Convention convention);
// One line under the name; may be empty.
std::string row_detail(const WaterfallRow& row, const Frame& frame, Convention convention);
// Everything about a row: meaning, formula, constants with their sources.
std::string row_tip(const WaterfallRow& row, const Frame& frame, Convention convention);

// What is known of one constant of the scenario's GPU.
struct ConstantWords
{
    std::string value;
    std::string source;
};
ConstantWords constant_words(const Frame& frame, std::string_view name);

std::string say_limit(const Frame& frame);
// What the move makes of the step's parts, in one or two sentences; null: that nothing helps.
std::string say_move(const Sensitivity& all, const DialMove* move);
Caption caption_step(const Frame& frame, WaterfallState& state);

} // namespace ringside
