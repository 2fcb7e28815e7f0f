// How far computed steps are off by source of measured rows, and how far they would be had a source not been
// there to fit to: what a run of the same kind that nobody has seen should expect.
//
// Left out, what a source had a part in is fitted again to the other sources that ran the same software or
// the same accelerator: each such constant goes some share of the way from its start to its own value. The
// start is what other releases of the software, or the vendor's other accelerators, were fitted to without
// this source, else what eager software and an unmeasured accelerator have. Where no other source ran it, the
// start stands. Which sources a constant was fitted to is said by the preset: "fitted" of a software,
// "calibration_sources" of an accelerator.
#pragma once

#include "core/evaluate/calibrate.h"

namespace ringside
{

struct AccuracyRow
{
    std::string name;
    std::string group;
    std::string software;
    std::string gpu;
    double seconds = 0;  // measured
    double error = 0;    // (computed - measured) / measured
    double left_out = 0; // the same, fitted without its source
    Scenario scenario;   // what was run
};

struct SourceAccuracy
{
    std::string source; // its set's name
    std::string title;
    std::string published; // where
    std::vector<AccuracyRow> rows;
    // Means of the absolute errors, rows of one group averaged first.
    double mean = 0;
    double left_out = 0;
};

// The accuracy of the source at this place among all.
SourceAccuracy source_accuracy(const std::vector<MeasuredSet>& sources, std::size_t which,
                               const Presets& presets);

// Its accuracy with the errors left out as the bands that ship were made of (presets.evidence), which takes
// no fit; rows that they lack, and all without bands, have their errors with what ships.
SourceAccuracy known_accuracy(const MeasuredSet& source, const Presets& presets);

// Mean of the absolute errors of these rows, those of one group averaged first.
double mean_by_group(const std::vector<const AccuracyRow*>& rows, double AccuracyRow::*error);
// The row that is furthest off; there is at least one.
const AccuracyRow& worst_of(const SourceAccuracy& source);
// Sources weighed alike.
double mean_of(const std::vector<SourceAccuracy>& sources, double SourceAccuracy::*error);

// How far the errors of two runs of one group differ, left out, in the median over all such pairs: what a
// difference between two computed steps of one model must exceed to mean something. 0 without a pair.
double spread_in_groups(const std::vector<SourceAccuracy>& sources);

// Without the cases whose note begins with [C]: something that matters was assumed in them.
nlohmann::json firm_cases(const nlohmann::json& cases);

} // namespace ringside
