// From a crawl to training tokens: what published pipelines leave at each stage, the passes a run makes over
// what is left, and how surely MinHash with bands finds a near duplicate. Judges no text itself.
//
// RefinedWeb's shares count documents up to the language stage and tokens after it, DCLM's documents,
// FineWeb's tokens. FineWeb's input is what its base filters leave, because nothing before it is published.
// Metrics of epochs are over DCLM-Baseline, whose whole funnel is known.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

enum class FilterKind : std::uint8_t
{
    address,    // lists of domains, words in the URL
    extraction, // text out of HTML
    language,
    rules, // lengths, symbols, repetition
    duplicates,
    model // a classifier's score
};

struct FunnelStage
{
    std::string_view name; // "Fuzzy duplicates"
    FilterKind kind;
    double left;           // share of what came into the first stage
    std::string_view says; // what is thrown away here
};

struct FunnelRecipe
{
    std::string_view id;     // "refinedweb"
    std::string_view name;   // "RefinedWeb"
    std::string_view input;  // what the shares are of
    double input_tokens;     // 0: nobody published it
    double tokens;           // that are left, as published
    std::string_view counts; // "documents", "tokens", or one and then the other
    std::string_view source;
    std::span<const FunnelStage> stages;

    double left() const { return stages.back().left; }
};
std::span<const FunnelRecipe> funnel_recipes();
const FunnelRecipe* find_recipe(std::string_view id);

// Share of a stage's own input that it keeps, 0 to 1.
std::vector<double> kept_by_stage(const FunnelRecipe& recipe);

// What is left of the crawl after each stage and what it means for a run of `wanted` tokens, when the stages
// keep `kept` (as many as there are stages) in place of what was published.
struct Funnel
{
    std::vector<double> left; // shares of the input
    double tokens = 0;        // left in the end: the published number, scaled
    double wanted = 0;
    double passes = 0; // wanted / tokens
    double worth = 0;  // tokens of one pass that would be worth as much: scaling_law/repeats.h
};
Funnel run_funnel(const FunnelRecipe& recipe, std::span<const double> kept, double wanted);

// Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4.2: documents of Jaccard similarity
// s agree in a MinHash with probability s, so in all r of a band with s^r, and in at least one of b bands
// with 1 - (1 - s^r)^b. s in 0 to 1; r and b from 1, not necessarily whole.
double duplicate_found(double similarity, double rows, double bands);
// Where that is steepest, about: (1/b)^(1/r).
double duplicate_threshold(double rows, double bands);
// The similarity that is found with this probability.
double similarity_at(double found, double rows, double bands);
// The b, or r, that finds this similarity with this probability, both between 0 and 1.
double bands_for(double similarity, double found, double rows);
double rows_for(double similarity, double found, double bands);

struct DuplicateSetting
{
    std::string_view name;
    std::int64_t rows;
    std::int64_t bands;
};
// FineWeb: 14 bands of 8; RefinedWeb: 450 of 20 (both as FineWeb's appendix has them).
inline constexpr DuplicateSetting kFineWebBands{"FineWeb", 8, 14};
inline constexpr DuplicateSetting kRefinedWebBands{"RefinedWeb", 20, 450};

} // namespace ringside
