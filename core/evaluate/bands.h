// The rules of bands (core/scenario/evidence.h), computed from measured rows: conformal by source.
//
// Each row has an error made without its source (core/evaluate/accuracy.h) and a distance to the nearest kind
// of runs of the other sources. A score is the logarithm of measured over computed, divided by 1 + widening x
// distance. A band reaches from one tail of the scores to the other, where each source's rows weigh as much
// together as the square root of their number: many alike rows say more than one, but not as often.
//
// The widening is what makes the scores most alike (the likelihood of a Laplace distribution), kLeastWidening
// at least: nearness must count even where few rows show it. The tails are the largest with which bands made
// without a source hold kAim of its rows, over rows and sources alike: a little above kHeld, which ranges
// made of some twenty sources would miss by about half of 1 / (sources + 1).
#pragma once

#include "core/evaluate/accuracy.h"
#include "core/scenario/evidence.h"

namespace ringside
{

inline constexpr double kHeld = 0.8; // what a range promises
inline constexpr double kAim = 0.82;
inline constexpr double kLeastWidening = 0.25;

// A measured figure beside the one computed without its source. Its texts must outlive it.
struct BandRow
{
    std::string_view source;
    RunPoint point;
    double ratio = 1;      // measured over computed
    double measured_s = 0; // of its step; 0: unknown
};

std::vector<BandRow> band_rows(const std::vector<SourceAccuracy>& sources);
// Peaks of memory of all sets, by the metric that each names; what evaluates to nothing is left out.
std::vector<BandRow> memory_rows(const std::vector<MeasuredSet>& sets);

// Kinds of the rows, by source, software, accelerator and experts.
std::vector<MeasuredKind> kinds_of(const std::vector<BandRow>& rows);
// Without rows it is the rule that stands where nothing was measured.
BandRule rule_of(const std::vector<BandRow>& rows);

// What bands made without a source hold of its rows.
struct HeldRows
{
    std::string name;
    std::int64_t rows = 0;
    std::int64_t inside = 0;
    double width = 0; // mean of high / low

    double share() const { return rows > 0 ? static_cast<double>(inside) / static_cast<double>(rows) : 0; }
};
std::vector<HeldRows> held_by_source(const std::vector<BandRow>& rows);
// By what the band's words claim: software and accelerator measured together, apart, or one of them never.
std::vector<HeldRows> held_by_claim(const std::vector<BandRow>& rows);

// The value below which this share of the weights lies, of pairs of value and weight; 1 of none.
double percentile(std::vector<std::pair<double, double>> weighted, double share);

// Everything that assets/evidence/bands.json holds.
// `sources` are those of `sets`; `peaks` have memory.
BandTable band_table(const std::vector<SourceAccuracy>& sources, const std::vector<MeasuredSet>& sets,
                     const std::vector<MeasuredSet>& peaks, const Presets& presets);

} // namespace ringside
