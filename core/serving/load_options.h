// Ways to serve the same requests: engines shared out between prefill and decoding, engines of every size,
// experts over few or many GPUs; and what a million output tokens cost in each.
#pragma once

#include "core/base/work.h"
#include "core/serving/load.h"

#include <array>
#include <vector>

namespace ringside
{

// What pages and metrics begin with: prompts, answers, engines; a rate of 1.
LoadSetup usual_load(const Scenario& scenario);
// Their rate, of the goodput.
inline constexpr double kUsualShare = 0.8;

// What of a setup is said of the requests and the objective of their first token; all else as it begins.
LoadSetup traffic_of(const LoadSetup& setup);

// So many engines, 2 and more: all of them colocated, prefill first; all chunked; then disaggregated with 1,
// 2
// ... of them for prefill.
std::vector<LoadSetup> engine_splits(const LoadSetup& traffic, std::int64_t engines);

// Engines of 1, 2, 4 ... 16 GPUs that hold the model, each colocated (prefill first, three budgets of chunks)
// and disaggregated (1 : 1, 1 : 2, 2 : 1). With experts also engines of attention replicas on one GPU each
// (EP 8 to 144) that hold it: chunked, and disaggregated with prefill on EP 32 at most, as DeepSeek serves;
// two half batches there take turns.
std::vector<LoadSetup> serving_options(const Scenario& scenario, const LoadSetup& traffic);

// What one engine decodes with its experts over so many GPUs, `load.engine.gpus` for each attention replica.
struct WideEngine
{
    ServingReport report;   // with the largest batch within memory and the objective of TPOT
    std::int64_t batch = 0; // that batch; 0: not one sequence
    EngineTime step;        // of decoding; nothing of prefill
    // Sequences of a replica from which on two half batches are faster than one batch; 0: not up to what
    // fits.
    std::int64_t overlap_from = 0;
    // Tokens/s of one GPU.
    double tokens_per_gpu() const;
};
// 1 and all of kExpertGpus that are a multiple of the replica's GPUs and not above 2 E; at a prompt and half
// an answer. A model without experts: one.
std::vector<WideEngine> wide_engines(const Scenario& scenario, const LoadSetup& load);
inline constexpr std::array<std::int64_t, 10> kExpertGpus{8, 16, 24, 32, 48, 64, 72, 96, 144, 288};

struct PricedLoad
{
    LoadSetup setup;    // with its rate
    double tpot_90 = 0; // [s]
    double usd = 0;     // per million output tokens, by the cluster's usd_per_gpu_hour; input is not charged
};
// At six rates up to the largest at which 90% of the first tokens are within their objective; none where no
// rate is.
std::vector<PricedLoad> priced_loads(const Scenario& scenario, const LoadSetup& setup);
// Those of all serving_options(), as work (core/base/work.h).
struct OptionPrices
{
    struct Request
    {
        Scenario scenario;
        LoadSetup traffic;

        bool operator==(const Request&) const = default;
    };
    static std::vector<LoadSetup> entries(const Request& r) { return serving_options(r.scenario, r.traffic); }
    static std::vector<PricedLoad> item(const Request& r, const LoadSetup& option)
    {
        return priced_loads(r.scenario, option);
    }
};
// The goodput of each of some setups.
struct SetupGoodputs
{
    struct Request
    {
        Scenario scenario;
        std::vector<LoadSetup> setups;

        bool operator==(const Request&) const = default;
    };
    static std::vector<LoadSetup> entries(const Request& r) { return r.setups; }
    static double item(const Request& r, const LoadSetup& setup) { return goodput(r.scenario, setup); }
};
// Those that no other is both faster and cheaper than, the fastest first.
std::vector<PricedLoad> pareto_front(std::vector<PricedLoad> loads);

} // namespace ringside
