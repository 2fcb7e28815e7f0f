// What the rows of the step's waterfall are called, what is said about them, and the words beside them.
#pragma once

#include "core/evaluate/sensitivity.h"
#include "core/performance/waterfall.h"
#include "ui/shell/view.h"

#include <string>

namespace ringside
{

struct Convention
{
    Numerator numerator = Numerator::full;
    PeakKind peak = PeakKind::dense;

    bool operator==(const Convention&) const = default;
};

// All times of one picture in one unit, with as many decimals as its whole needs.
struct TimeScale
{
    explicit TimeScale(double whole);

    double unit = 1;       // [s]
    std::string_view name; // "s", "ms", "d"
    std::string_view word; // "seconds"
    int decimals = 2;

    std::string text(double seconds) const;   // "1.55"
    std::string change(double seconds) const; // "+1.55", "−0.12", "<0.01"
    std::string with_unit(double seconds) const { return text(seconds) + " " + std::string(name); }
};

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
Caption waterfall_caption(const Frame& frame, Convention convention);

} // namespace ringside
