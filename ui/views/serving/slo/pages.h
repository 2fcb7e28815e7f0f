// What the pages of the view about serving under load share: the setup as a user has it, and what is worked
// out of it for the scenario on show.
#pragma once

#include "core/base/derived.h"
#include "core/serving/load_options.h"
#include "core/serving/prefix_cache.h"
#include "ui/shell/paged_view.h"

#include <optional>

namespace ringside
{

struct SloState
{
    using From = std::pair<Scenario, LoadSetup>;

    LoadSetup setup = usual_load({});
    std::optional<std::int64_t> gpus;      // of an engine; as the scenario's tensor parallelism
    std::optional<double> rate;            // 80% of the goodput
    std::optional<ServingEngine> software; // the scenario's serving names, else vLLM
    PrefixTraffic prefixes;
    double cache_gb = 200; // of prefixes

    // Without a rate.
    LoadSetup asked(const Scenario& scenario) const;
    double goodput_of(const Scenario& scenario) const;
    double rate_of(const Scenario& scenario) const;
    const LoadReport& load_of(const Scenario& scenario) const;
    // From a tenth of the goodput to where it breaks down.
    const std::vector<LoadReport>& curve_of(const Scenario& scenario) const;
    // Decoding with experts over few and many GPUs, one batch at a time or two halves.
    const std::vector<WideEngine>& wide_of(const Scenario& scenario, bool two_batch) const;

private:
    Derived<From, double> goodput_;
    Derived<From, LoadReport> load_;
    Derived<From, std::vector<LoadReport>> curve_;
    Derived<From, std::vector<WideEngine>> one_batch_;
    Derived<From, std::vector<WideEngine>> two_batch_;
};
using SloRoom = PageRoom<SloState>;

// Not one request fits: says so.
bool says_nothing_fits(const SloRoom& room);
Caption nothing_fits();

// What a system is drawn with.
const Ink& ink_of(const Theme& theme, ServingSystem system);
void panel_slo(PanelColumn& column, const SloRoom& room);
// What else an engine with experts may have: FP8, experts over several attention replicas, two half batches.
void panel_wide(PanelColumn& column, const SloRoom& room);
std::string load_words(double requests_per_second);
std::string latency_words(double seconds);

extern const Page<SloState> kSloRequests;
extern const Page<SloState> kSloSplit;
extern const Page<SloState> kSloPrice;
extern const Page<SloState> kSloCache;
extern const Page<SloState> kSloExperts;

} // namespace ringside
