// How sure a computed step time or a computed memory is: which measured rows lie near a scenario, and how far
// off the rows of sources were that no constant had seen.
//
// A band is a pair of factors on what is computed. It holds 80% of the rows of a new source, and is wider the
// further the scenario lies from everything that was measured. How far is a sum over what differs from the
// nearest measured kind of run: another software counts 1 (another release of it a half), another accelerator
// 1, experts or none 1, each factor of 16 in the length of sequences or in the number of GPUs 1, each halving
// of a step below 0.2 s and below what was measured 1. The logarithms of both factors grow by `widening` for
// each 1.
//
// The rules and kinds are computed by core/evaluate/bands.h and stand in assets/measured/bands.json.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct Scenario;

// Runs of one source with one software on one accelerator, with experts or without.
struct MeasuredKind
{
    std::string source;
    std::string software;
    std::string gpu; // accelerator_kind() of it
    bool experts = false;
    std::int64_t rows = 0;
    double least_tokens = 0; // of a sequence
    double most_tokens = 0;
    double least_gpus = 0;
    double most_gpus = 0;
    double least_s = 0; // the shortest step
    // A user's own runs: what their next run is held in; 0 where it is a public source.
    double low = 0;
    double high = 0;

    bool own() const { return high > 0; }
};

// What a row, or a scenario, is to a kind.
struct RunPoint
{
    std::string_view software;
    std::string_view gpu; // accelerator_kind()
    bool experts = false;
    double tokens = 0; // of a sequence
    double gpus = 0;
    double seconds = 0; // of its computed step; 0: no time is asked for
};

struct BandRule
{
    // Beside rows that are alike in everything; these stand where nothing was measured or read.
    double low = 0.6;
    double high = 1.6;
    double widening = 0.25;
    double coverage = 0; // of the rows of sources left out, the share inside their bands
    std::int64_t rows = 0;
    std::int64_t sources = 0;
    std::vector<MeasuredKind> kinds;
};

struct BandTable
{
    BandRule step;
    BandRule memory;
    // The band of the next step of a run of which three were measured and fitted.
    double next_low = 0.85;
    double next_high = 1.18;
    // By source, in the order of its rows: (computed - measured) / measured of each, made without the source.
    std::map<std::string, std::vector<double>> left_out;
};

struct Band
{
    double low = 1;  // a tenth of the steps took less of what is computed
    double high = 1; // a tenth took more
    double distance = 0;
    const MeasuredKind* nearest = nullptr; // null: nothing was measured

    bool holds(double ratio) const { return ratio >= low && ratio <= high; }
    // How far off a new source is at most, where the band holds: 1.4.
    double missed_by() const { return high * low > 1 ? high : 1 / low; }
};

// "h100" of "h100-sxm-80gb", "tpu-v6e" of itself: accelerators of one kind differ in memory or in how they
// are mounted.
std::string_view accelerator_kind(std::string_view id);
// "megatron-core" of "megatron-core-2024".
std::string_view software_kind(std::string_view id);

// `seconds` is the computed step, or 0.
RunPoint run_point(const Scenario& scenario, double seconds);
double distance(const RunPoint& point, const MeasuredKind& kind);
// Kinds of the source called `but` do not count.
Band band_at(const BandRule& rule, const RunPoint& point, std::string_view but = {});

// The measured step time over the computed one.
Band step_band(const Scenario& scenario, double seconds);
// The measured memory of a GPU over the computed one.
Band memory_band(const Scenario& scenario);

// What the band rests on: "no measured row of this software on this accelerator (nearest: ...); new sources
// were missed by up to ×1.4".
std::string step_evidence_words(const Scenario& scenario, double seconds);
std::string memory_evidence_words(const Scenario& scenario);

// assets/measured/bands.json, schema ringside.bands/1.
Result<BandTable> bands_from_json(const nlohmann::json& document);
nlohmann::ordered_json to_json(const BandTable& evidence);
// The evidence with a user's own runs.
std::shared_ptr<const BandTable> with_own(const std::shared_ptr<const BandTable>& evidence,
                                          const std::vector<MeasuredKind>& own);

} // namespace ringside
