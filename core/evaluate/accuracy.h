// How far computed steps are off by source of measured rows, and how far they would be had a source not been
// there to fit to: what a run of the same kind that nobody has seen should expect.
//
// Left out, a source's software is fitted again to the other sources that ran it: each of its constants goes
// some share of the way from eager software's to its own, a share that starts at none, and the products of
// accelerators that another source has measured too are scaled. Where no other source ran it, eager
// software's constants stand.
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
SourceAccuracy source_accuracy(const std::vector<MeasuredSet>& sources, std::size_t which);

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
