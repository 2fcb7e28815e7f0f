// A software of one's own, from a handful of measured steps: the preset nearest to them, with a few constants
// moved as far as the steps ask for.
//
// Four constants: how fast GEMMs are, how fast what the memory bounds, what a launch takes, and the host
// between steps. Each is moved by a factor whose logarithm is drawn towards none, as strongly as kPriors say,
// against errors of kNoise: so that one step says little, three say enough, and forty all there is to say.
// What its band holds is what the next steps of public runs came to after three of theirs, but no more than a
// stranger's run, or the steps' own errors left out where those are wider.
#pragma once

#include "core/evaluate/calibrate.h"

namespace ringside
{

struct OwnSoftware
{
    SoftwarePreset preset;
    std::string nearest; // the name of the preset it is drawn to
    struct Constant
    {
        std::string_view name; // of the field
        double before = 0;
        double after = 0;
    };
    std::vector<Constant> constants;
    struct Row
    {
        std::string name;
        double seconds = 0; // measured
        double before = 0;  // (computed - measured) / measured
        double after = 0;
        double left_out = 0; // fitted without this row; 0 of one row
    };
    std::vector<Row> rows;
    ErrorSummary before;
    ErrorSummary after;
    ErrorSummary left_out; // n is 0 of one row
};

// Faults: no rows, an id that is none or comes with the program, rows of several software. Rows that name no
// software choose the preset that fits them best.
Result<OwnSoftware> fit_own_software(const MeasuredSet& set, const std::string& id, const Presets& presets);
nlohmann::json to_json(const OwnSoftware& own);

// One line for people: what it is drawn to, and how far off it is on rows it had not seen.
std::string summary_of(const OwnSoftware& own);

// Measured over computed for each step of a run, with this software fitted to the three before it.
// A run: one model on one accelerator in one precision and software, four steps at least.
struct RunCheck
{
    std::string source;
    std::string model; // "405 B, 7 steps"
    std::vector<double> ratios;
};
std::vector<RunCheck> check_runs(const std::vector<MeasuredSet>& sets, const Presets& presets);

struct NextRun
{
    double low = 1;
    double high = 1;
};
// The tenth and the ninetieth percentile of those, each run weighed alike.
NextRun next_run(const std::vector<MeasuredSet>& sets, const Presets& presets);

} // namespace ringside
