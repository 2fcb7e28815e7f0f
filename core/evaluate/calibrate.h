// Fits constants of a GPU's calibration to measured steps: a few shared by all rows, with a loss that single
// outliers cannot drag along, and tested on groups of rows that were left out.
//
// Few rows fit few constants: at first one for every two rows, kernels before links, links only where a row
// crosses them. Fitting is quick enough for one frame: closed forms, at most 500 rows of a table. Fitted
// constants become the scenario's only when a user takes them.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"
#include "core/evaluate/cases.h"
#include "core/scenario/presets.h"

#include <functional>
#include <string>
#include <vector>

namespace ringside
{

struct MeasuredRow
{
    std::string name;
    std::string group; // rows that are left out together: one model, or one shape of layer
    Scenario scenario;
    double seconds = 0;
};

// A measured peak of memory.
struct MeasuredMemory
{
    Scenario scenario;
    std::string metric; // that counts as it was measured: "memory.allocated_bytes"
    double bytes = 0;
};

// One file of cases, those with step.time_s. Beside its cases a file may say
//   "set": a name, "weight": how much its mean counts in the fit (0: only checked), default 1,
//   "title": who measured on what, "source": where it is published.
// Cases that expect other figures are checked and left out.
struct MeasuredSet
{
    std::string name;
    double weight = 1;
    std::string title; // the name where none is given
    std::string source;
    std::vector<MeasuredRow> rows;
    std::vector<MeasuredMemory> memory; // those that expect bytes of memory
};

Result<MeasuredSet> measured_set(const nlohmann::json& cases, const std::string& name,
                                 const Presets& presets);

struct CalibrationFit
{
    std::vector<std::string> constants; // by name of their field
    bool leave_out = false;             // whether errors of left-out groups were asked for
    Calibration before;
    Calibration after;
    struct SetErrors
    {
        std::string name;
        double weight = 1;
        ErrorSummary before;
        ErrorSummary after;
        // Each row by constants fitted without its group; n is 0 where not asked for, or of a set of one
        // group.
        ErrorSummary left_out;
    };
    std::vector<SetErrors> sets;
    struct RowErrors
    {
        std::string name;
        double seconds = 0; // measured
        double before = 0;  // (computed - measured) / measured
        double after = 0;
    };
    std::vector<RowErrors> rows; // of all sets, in their order
};

// Starts at the first row's calibration, and says now and then how far it is, 0 to 1. Faults: a constant
// nobody knows, no rows.
Result<CalibrationFit> fit_calibration(const std::vector<MeasuredSet>& sets,
                                       const std::vector<std::string>& constants, bool leave_out,
                                       const std::function<void(double)>& told = {});

// The constants these rows can say something about, at most one for every two rows: what kernels and launches
// reach, and links where a row crosses them.
std::vector<std::string> constants_for(const MeasuredSet& set);

nlohmann::json to_json(const CalibrationFit& fit);

} // namespace ringside
