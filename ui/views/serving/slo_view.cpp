// Serving under load: Poisson arrivals, the rate at which TTFT and TPOT break down, engines split between
// prefill and decoding, and what tokens cost.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/scenario/presets.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 5> kSloPages{"slo/requests", "slo/split", "slo/price", "slo/cache",
                                                    "slo/experts"};
constexpr std::array kOpenings{Opening{"slo/experts", "DeepSeek-V3", deepseek_for_experts}};
constexpr std::array<double, 13> kLengths{16,   32,   64,   128,   256,   512,   1024,
                                          2048, 4096, 8192, 16384, 32768, 131072};
constexpr std::array<double, 9> kLengthSpreads{0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2};
constexpr std::array<double, 7> kGpusOfEngine{1, 2, 4, 8, 16, 32, 64};
constexpr std::array<double, 8> kIterationTokens{128, 256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr std::array<double, 13> kReplicas{1, 2, 4, 8, 16, 24, 32, 48, 64, 72, 96, 144, 288};
constexpr std::array<double, 9> kImbalances{1, 1.1, 1.2, 1.3, 1.5, 1.75, 2, 2.5, 3};
constexpr std::array<double, 12> kFirst{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2, 4, 8, 16}; // [s]
constexpr std::array<double, 11> kEach{0.005, 0.01,  0.015, 0.02, 0.03, 0.04,
                                       0.05,  0.075, 0.1,   0.2,  0.5}; // [s]
constexpr std::array<double, 9> kDrafted{0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr std::array kSystemChoices{
    Choosable{"prefill first", "Prefill-prioritized",
              "a waiting prompt stalls all decoding until its prefill is done"},
    Choosable{"chunked", "Chunked prefill", "every iteration decodes and prefills one chunk of a prompt"},
    Choosable{"disaggregated", "Disaggregated",
              "prefill and decode on separate engines; the KV cache is transferred"},
};
constexpr std::int64_t kPoints = 24; // of a curve over the rate

void panel_traffic(PanelColumn& column, const SloRoom& r)
{
    SloState& state = r.state;
    const double rate = state.rate_of(r.frame.now.scenario);
    constexpr Track kRates = Track::log(0.01, 10000, load_words);
    column.slide("Requests/s", kRates, rate, state.rate, "Default: 80% of the goodput");
    constexpr Track kTokenTrack = Track::at(kLengths, say_whole);
    column.slide("Prompt tokens", kTokenTrack, state.setup.engine.prompt);
    column.slide("Output tokens", kTokenTrack, state.setup.engine.output);
    column.slide("Length spread \u03c3", Track::at(kLengthSpreads, three_digits), state.setup.spread,
                 "Standard deviation of the logarithm of both lengths");
    column.slide("Prefix-cache hits", Track::even(0, 1, format_percent, 0.01), state.setup.cached,
                 "Share of a prompt\u2019s tokens whose keys and values are kept from an earlier request");
}

// Whose constants an iteration takes; the roofline among them.
void choose_software(PanelColumn& column, const SloRoom& r, const ServingEngine& shown)
{
    static const std::vector<ServingEnginePreset> none;
    const auto& all = r.frame.presets.serving ? r.frame.presets.serving->engines : none;
    std::vector<Choosable> items;
    for (const ServingEnginePreset& preset : all)
    {
        items.push_back({preset.engine.id, preset.engine.name, preset.release});
    }
    if (const auto chosen = column.dropdown("###engine software", shown.name, "serving engines", items,
                                            "Its scheduler, and what its kernels reach"))
    {
        r.state.software = all[*chosen].engine;
    }
}

void panel_engines(PanelColumn& column, const SloRoom& r)
{
    LoadSetup& setup = r.state.setup;
    const LoadSetup shown = r.state.load_of(r.frame.now.scenario).setup;
    const auto at = static_cast<std::size_t>(setup.system);
    if (const auto chosen =
            column.dropdown("###system", kSystemChoices.at(at).name, "serving systems", kSystemChoices))
    {
        setup.system = static_cast<ServingSystem>(*chosen);
    }
    column.slide(shown.engine.ranks > 1 ? "GPUs per attention replica" : "GPUs per engine",
                 Track::at(kGpusOfEngine, say_whole), shown.engine.gpus, r.state.gpus,
                 "More than asked for where fewer do not hold the weights and one request");
    const bool apart = setup.system == ServingSystem::disaggregated;
    column.slide(apart ? "Decode engines" : "Engines", Track::even(1, 16, say_whole), setup.engines);
    if (apart)
    {
        column.slide("Prefill engines", Track::even(1, 16, say_whole), setup.prefill);
    }
    choose_software(column, r, shown.software);
    panel_wide(column, r);
    if (setup.system == ServingSystem::chunked)
    {
        column.slide("Tokens per iteration", Track::at(kIterationTokens, say_whole), setup.budget,
                     "Every sequence\u2019s next token, and one chunk of a prompt in the remaining budget "
                     "(max_num_batched_tokens of vLLM)");
    }
    column.slide("Draft tokens", Track::only_at(kDrafted, say_whole), setup.drafted,
                 "Speculative decoding: drafts for every sequence in every step");
    if (setup.drafted > 0)
    {
        column.slide("Acceptance rate", Track::even(0, 1, format_percent, 0.01), setup.accepted);
    }
}

} // namespace

void panel_wide(PanelColumn& column, const SloRoom& r)
{
    LoadSetup& setup = r.state.setup;
    if (r.frame.now.scenario.model.experts == 0)
    {
        return;
    }
    bool eight = setup.engine.eight_bit;
    if (column.toggle("FP8 weights and GEMMs", eight,
                      "And dispatch in FP8; attention and combine stay in BF16. Where the GPU has FP8"))
    {
        setup.engine.eight_bit = eight;
        setup.engine.weight_bits = eight ? 8 : 16;
    }
    if (r.frame.now.scenario.cluster.gpu.fp4_tflops > 0)
    {
        column.toggle("NVFP4 experts", setup.engine.four_bit,
                      "And their dispatch; KV cache and attention in FP8");
    }
    const bool apart = setup.system == ServingSystem::disaggregated;
    column.slide(apart ? "Attention replicas, decode" : "Attention replicas", Track::at(kReplicas, say_whole),
                 setup.engine.ranks,
                 "Of an engine (DP attention). Each has requests of its own; their GPUs share one set of "
                 "experts: expert parallelism over all of them");
    if (apart)
    {
        column.slide("Attention replicas, prefill", Track::at(kReplicas, say_whole), setup.prefill_ranks,
                     "The same of an engine that only prefills");
    }
    if (setup.engine.ranks > 1 || (apart && setup.prefill_ranks > 1))
    {
        column.toggle("Two-batch overlap", setup.engine.two_batch,
                      "One half of the batch computes while the other\u2019s tokens travel");
        column.slide("Imbalance", Track::at(kImbalances, three_digits), setup.engine.imbalance,
                     "Tokens of the busiest GPU\u2019s experts over the mean");
    }
}

std::string load_words(double requests_per_second)
{
    return requests_per_second >= 1e5 ? format_count(requests_per_second) : three_digits(requests_per_second);
}

std::string latency_words(double seconds)
{
    return format_seconds(Seconds(seconds));
}

const Ink& ink_of(const Theme& t, ServingSystem system)
{
    return system == ServingSystem::disaggregated ? t.forward
           : system == ServingSystem::chunked     ? t.backward_input
                                                  : t.backward_weight;
}

LoadSetup SloState::asked(const Scenario& scenario) const
{
    LoadSetup all = setup;
    all.rate = 1;
    all.engine.gpus = gpus.value_or(scenario.parallel.tensor);
    all.engine.longest = all.engine.prompt + all.engine.output;
    all.software = software.value_or(serving_engine(scenario));
    return all;
}

double SloState::goodput_of(const Scenario& scenario) const
{
    return goodput_.of({scenario, asked(scenario)},
                       [](const From& from) { return goodput(from.first, from.second); });
}

double SloState::rate_of(const Scenario& scenario) const
{
    const double most = goodput_of(scenario);
    return rate.value_or(most > 0 ? kUsualShare * most : 0.5 / request_seconds(scenario, asked(scenario)));
}

const LoadReport& SloState::load_of(const Scenario& scenario) const
{
    LoadSetup at = asked(scenario);
    at.rate = rate_of(scenario);
    return load_.of({scenario, at}, [](const From& from) { return serve(from.first, from.second); });
}

const std::vector<LoadReport>& SloState::curve_of(const Scenario& scenario) const
{
    LoadSetup at = asked(scenario);
    const double most = goodput_of(scenario);
    at.rate = (most > 0 ? most : 1 / request_seconds(scenario, at)) * 1.6 / static_cast<double>(kPoints);
    return curve_.of({scenario, at},
                     [](const From& from)
                     {
                         return serve_at(
                             from.first, from.second,
                             list_of<double>(kPoints, [&](std::int64_t i)
                                             { return from.second.rate * static_cast<double>(i + 1); }));
                     });
}

const std::vector<WideEngine>& SloState::wide_of(const Scenario& scenario, bool two_batch) const
{
    LoadSetup at = asked(scenario);
    at.engine.two_batch = two_batch;
    return (two_batch ? two_batch_ : one_batch_)
        .of({scenario, at}, [](const From& from) { return wide_engines(from.first, from.second); });
}

bool says_nothing_fits(const SloRoom& r)
{
    const LoadReport& load = r.state.load_of(r.frame.now.scenario);
    if (load.fits())
    {
        return false;
    }
    empty_state(
        r.p, r.area, "No engine holds this model",
        fmt::format("{} do not hold its weights and one request. Choose a smaller model or fewer tokens.",
                    counted(load.setup.engine.engine_gpus(), "GPU")));
    return true;
}

Caption nothing_fits()
{
    return {"No engine holds this model.", "", ""};
}

void panel_slo(PanelColumn& column, const SloRoom& r)
{
    panel_traffic(column, r);
    column.rule();
    panel_engines(column, r);
    column.rule();
    column.slide("TTFT SLO", Track::at(kFirst, latency_words), r.state.setup.first_token);
    column.slide("TPOT SLO", Track::at(kEach, latency_words), r.state.setup.each_token);
    column.gap();
    const LoadReport& load = r.state.load_of(r.frame.now.scenario);
    if (!load.fits())
    {
        return;
    }
    column.fact("Within both", format_percent(load.attained), "Share of the requests, at this rate");
    const auto predicted = [&](const char* name, const char* range, double value, ServingMeasure measure)
    {
        column.fact(name, latency_words(value));
        column.fact(range, range_words(r.frame, load.setup.software, value, measure, latency_words),
                    evidence_words(r.frame, load.setup.software, measure));
    };
    predicted("TTFT, median", "TTFT, 80% range", load.ttft_50, ServingMeasure::ttft);
    predicted("TPOT, median", "TPOT, 80% range", load.tpot_50, ServingMeasure::tpot);
    column.fact("GPUs", say_whole(static_cast<double>(load.gpus)));
}

namespace
{

class SloView final : public PagedView<SloState>
{
public:
    SloView() : PagedView(kSloPages, {&kSloRequests, &kSloSplit, &kSloPrice, &kSloCache, &kSloExperts}) {}

    std::vector<std::string> facts(const Frame& frame) const override
    {
        const LoadReport& load = state_.load_of(frame.now.scenario);
        if (!load.fits())
        {
            return {"no engine holds this model"};
        }
        return {fmt::format("{} of {}", counted(load.setup.engines, "engine"),
                            counted(load.setup.engine.engine_gpus(), "GPU")),
                load_words(load.setup.rate) + " requests/s", "TTFT " + latency_words(load.ttft_50),
                "TPOT " + latency_words(load.tpot_50), format_percent(load.attained) + " within both SLOs"};
    }
    ViewKeys keys() override
    {
        return {turn_key("Requests, prefill and decode engines, price, prefix cache, wide EP"),
                {"G", "Prefill-prioritized, chunked, disaggregated",
                 [this] { turn(state_.setup.system, kSystemChoices.size()); }},
                {"F", "Reset the rate to 80% of the goodput", [this] { state_.rate.reset(); }},
                {"drag", "The rate, and both SLOs"},
                {"hover", "How long each part of a request takes"}};
    }
};

} // namespace

extern const ViewInfo slo_view{
    20,
    "slo",
    ViewGroup::serving,
    "Under load",
    "Serving under load",
    "TTFT and TPOT against the request rate, goodput under an SLO, chunked prefill, prefill-decode "
    "disaggregation, the price of a million tokens, prefix cache by size, wide expert parallelism",
    {"model", "gpu", "tensor"},
    make_view<SloView>,
    kSloPages,
    ViewRole::other,
    kOpenings};

} // namespace ringside
