#include "core/training/data_feed/funnel.h"

#include "core/base/text/find_by.h"
#include "core/scaling/repeats.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// Penedo et al. 2023, figure 2: what is kept of everything, in documents up to the language, then in tokens.
constexpr std::array kRefinedWeb{
    FunnelStage{"URL filter", FilterKind::address, 0.9776, "4.6 M blocked domains, words in URLs"},
    FunnelStage{"Text extraction", FilterKind::extraction, 0.9631, "pages without a main text"},
    FunnelStage{"Language", FilterKind::language, 0.4751, "fastText: not clearly English"},
    FunnelStage{"Repetition", FilterKind::rules, 0.3597, "repeated lines, paragraphs and n-grams"},
    FunnelStage{"Document rules", FilterKind::rules, 0.3015, "odd lengths, symbols, no stop words"},
    FunnelStage{"Line rules", FilterKind::rules, 0.2334, "counters, buttons, menus in the text"},
    FunnelStage{"Fuzzy duplicates", FilterKind::duplicates, 0.1450, "MinHash: all but one near-duplicate"},
    FunnelStage{"Exact duplicates", FilterKind::duplicates, 0.1167, "repeated spans of 50 tokens"}};

// Li et al. 2024, figure 4: removed 0.8, 50.8, 9.0, 7.9, 9.6, 2.0, 6.2 and 12.3% of the original documents.
constexpr std::array kDclm{
    FunnelStage{"URL filter", FilterKind::address, 0.992, "blocked domains and words"},
    FunnelStage{"Language", FilterKind::language, 0.484, "fastText: not English"},
    FunnelStage{"Word rules", FilterKind::rules, 0.394, "word lengths, ellipses, stop words"},
    FunnelStage{"Page length", FilterKind::rules, 0.315, "too short or too long"},
    FunnelStage{"Repetition", FilterKind::rules, 0.219, "repeated lines, paragraphs and n-grams"},
    FunnelStage{"Removed words", FilterKind::rules, 0.199, "line rules removed too much"},
    FunnelStage{"Duplicates", FilterKind::duplicates, 0.137, "Bloom filter: paragraphs, documents"},
    FunnelStage{"Classifier", FilterKind::model, 0.014, "all but the best tenth by fastText"}};

// Penedo et al. 2024, sections 3.3 to 3.7: 36 T, 20 T and 15 T tokens; what came before is not published.
constexpr std::array kFineWeb{
    FunnelStage{"Duplicates", FilterKind::duplicates, 20.0 / 36, "MinHash within each of 96 crawls"},
    FunnelStage{"Further rules", FilterKind::rules, 15.0 / 36, "C4\u2019s, and three chosen by histograms"}};

constexpr std::array kFineWebEdu{
    kFineWeb[0], kFineWeb[1],
    FunnelStage{"Classifier", FilterKind::model, 1.3 / 36, "below 3 of 5 for educational value"}};

constexpr std::array kRecipes{
    FunnelRecipe{"refinedweb", "RefinedWeb", "Common Crawl", 0, 5e12, "documents, then tokens",
                 "Penedo et al. 2023, arXiv 2306.01116, figure 2: documents up to the language, then tokens",
                 kRefinedWeb},
    FunnelRecipe{"fineweb", "FineWeb", "English Common Crawl after URL and quality filters", 36e12, 15e12,
                 "tokens", "Penedo et al. 2024, arXiv 2406.17557, sections 3.3 to 3.7", kFineWeb},
    FunnelRecipe{"fineweb-edu", "FineWeb-Edu", "English Common Crawl after URL and quality filters", 36e12,
                 1.3e12, "tokens", "Penedo et al. 2024, arXiv 2406.17557, sections 3.3 to 4", kFineWebEdu},
    FunnelRecipe{"dclm", "DCLM-Baseline", "DCLM-Pool: all text of Common Crawl", 240e12, 3.8e12, "documents",
                 "Li et al. 2024, arXiv 2406.11794, figure 4, in documents; of the tokens 1.6% are left",
                 kDclm}};

} // namespace

std::span<const FunnelRecipe> funnel_recipes()
{
    return kRecipes;
}

const FunnelRecipe* find_recipe(std::string_view id)
{
    return find_by(kRecipes, id, &FunnelRecipe::id);
}

std::vector<double> kept_by_stage(const FunnelRecipe& recipe)
{
    std::vector<double> kept;
    double before = 1;
    for (const FunnelStage& stage : recipe.stages)
    {
        kept.push_back(stage.left / before);
        before = stage.left;
    }
    return kept;
}

Funnel run_funnel(const FunnelRecipe& recipe, std::span<const double> kept, double wanted)
{
    Funnel funnel;
    double left = 1;
    for (std::size_t i = 0; i < recipe.stages.size(); ++i)
    {
        const double before = i == 0 ? 1 : recipe.stages[i - 1].left;
        const double share = i < kept.size() ? kept[i] : recipe.stages[i].left / before;
        left *= std::clamp(share, 0.0, 1.0);
        funnel.left.push_back(left);
    }
    funnel.tokens = recipe.tokens * left / recipe.left();
    funnel.wanted = std::max(0.0, wanted);
    funnel.passes = funnel.tokens > 0 ? funnel.wanted / funnel.tokens : 0;
    funnel.worth = effective_tokens(funnel.tokens, funnel.wanted);
    return funnel;
}

double duplicate_found(double similarity, double rows, double bands)
{
    const double agree = std::pow(std::clamp(similarity, 0.0, 1.0), std::max(rows, 1.0));
    return agree >= 1 ? 1 : -std::expm1(std::max(bands, 1.0) * std::log1p(-agree));
}

double duplicate_threshold(double rows, double bands)
{
    return std::pow(1 / std::max(bands, 1.0), 1 / std::max(rows, 1.0));
}

double similarity_at(double found, double rows, double bands)
{
    return std::pow(-std::expm1(std::log1p(-found) / bands), 1 / rows);
}

double bands_for(double similarity, double found, double rows)
{
    const double agree = std::pow(std::clamp(similarity, 1e-6, 1 - 1e-9), std::max(rows, 1.0));
    return std::log1p(-std::clamp(found, 1e-9, 1 - 1e-9)) / std::log1p(-std::max(agree, 1e-300));
}

double rows_for(double similarity, double found, double bands)
{
    const double agree = -std::expm1(std::log1p(-std::clamp(found, 1e-9, 1 - 1e-9)) / std::max(bands, 1.0));
    return std::log(agree) / std::log(std::clamp(similarity, 1e-6, 1 - 1e-9));
}

} // namespace ringside
