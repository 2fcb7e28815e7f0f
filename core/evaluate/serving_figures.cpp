#include "core/evaluate/serving_figures.h"

#include <fmt/format.h>

#include "core/base/index.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::int64_t kUsualRequests = 1000;
constexpr std::int64_t kTurns = 10;            // of a closed loop
constexpr std::int64_t kMostSimulated = 20000; // requests of one engine

RequestTimes times_of(const std::vector<EngineRequest>& requests, double (EngineRequest::*of)() const)
{
    std::vector<double> values = list_of<double>(requests, [&](const EngineRequest& r) { return (r.*of)(); });
    if (values.empty())
    {
        return {};
    }
    std::sort(values.begin(), values.end());
    const auto share = [&](double q)
    {
        const auto place = static_cast<std::int64_t>(std::ceil(q * real(std::ssize(values)))) - 1;
        return values[at(std::max<std::int64_t>(0, place))];
    };
    return {sum_over(values) / real(std::ssize(values)), share(0.5), share(0.9), share(0.99)};
}

// One of several engines that are alike, and its part of the traffic.
struct EngineShare
{
    explicit EngineShare(const Serving& s)
    {
        const std::int64_t decode = s.layout.replicas * s.layout.pipeline;
        const std::int64_t prefill = s.prefill.replicas * s.prefill.pipeline;
        alike = s.disaggregated ? std::gcd(decode, prefill) : decode;
        count.back = decode / alike;
        count.front = s.disaggregated ? prefill / alike : 1;
        traffic = s.traffic;
        const std::int64_t asked = s.traffic.requests > 0 ? s.traffic.requests
                                   : s.traffic.arrivals() == Arrivals::concurrency
                                       ? kTurns * s.traffic.concurrency
                                       : kUsualRequests;
        requests = std::clamp<std::int64_t>((asked + alike - 1) / alike, 1, kMostSimulated);
        traffic.rate /= real(alike);
        count.waiting =
            s.traffic.arrivals() == Arrivals::concurrency ? (s.traffic.concurrency + alike - 1) / alike : 0;
    }

    std::int64_t alike = 1;
    std::int64_t requests = 1;
    ServingTraffic traffic;
    EngineCount count;
};

void add_rates(ServingFigures& f, const Serving& s, double alike)
{
    double output = 0;
    double input = 0;
    double cached = 0;
    double held = 0;
    for (const EngineRequest& r : f.run.requests)
    {
        output += real(r.output);
        input += real(r.prompt);
        cached += real(r.cached);
        held += r.ttft() <= s.objective.ttft_s && r.tpot() <= s.objective.tpot_s ? 1 : 0;
    }
    const double count = real(std::ssize(f.run.requests));
    f.prefix_hit = input > 0 ? cached / input : 0;
    if (!f.fits || f.seconds <= 0)
    {
        return;
    }
    f.output_tokens_per_s = alike * output / f.seconds;
    f.input_tokens_per_s = alike * input / f.seconds;
    f.requests_per_s = alike * count / f.seconds;
    f.attained = held / count;
    f.goodput = alike * held / f.seconds;
    f.preemptions = alike * real(f.run.preemptions);
}

// By Little's law: so many are being answered on average.
double mean_batch(const ServingFigures& f, const EngineShare& share, const Serving& s)
{
    const double waited = sum_over(f.run.requests, [](const EngineRequest& r) { return r.end - r.first; });
    const double ranks = real(share.count.back * s.layout.data);
    return f.seconds > 0 ? std::max(1.0, waited / f.seconds / ranks) : 1;
}

} // namespace

ServingFigures serving_figures(const Scenario& scenario, std::vector<EngineRequest> trace, bool keep_steps)
{
    const Serving& s = *scenario.serving;
    ServingFigures f;
    EngineShare share(s);
    const bool replayed = !trace.empty();
    if (replayed)
    {
        share.count.front =
            s.disaggregated ? s.prefill.replicas * s.prefill.pipeline : s.layout.replicas * s.layout.pipeline;
        share.count.back = s.layout.replicas * s.layout.pipeline;
        share.count.waiting = 0;
        share.alike = 1;
    }
    else
    {
        trace = traffic_requests(share.traffic, share.requests);
    }
    share.count.keep_steps = keep_steps;
    f.gpus =
        s.layout.replicas * s.layout.gpus() + (s.disaggregated ? s.prefill.replicas * s.prefill.gpus() : 0);
    f.run = run_engines(scenario, s, std::move(trace), share.count);
    f.fits = f.run.fits && !f.run.requests.empty();
    f.seconds = f.run.seconds;
    f.requests = std::ssize(f.run.requests) * share.alike;
    f.kv_tokens = f.run.room;
    const EngineClock clock(scenario, s, s.layout);
    f.weights = clock.weights();
    add_rates(f, s, real(share.alike));
    const double prompt = f.run.requests.empty() ? real(s.traffic.prompt)
                                                 : sum_over(f.run.requests, [](const EngineRequest& r)
                                                            { return real(r.prompt); }) /
                                                       real(std::ssize(f.run.requests));
    const double output = f.run.requests.empty() ? real(s.traffic.output)
                                                 : sum_over(f.run.requests, [](const EngineRequest& r)
                                                            { return real(r.output); }) /
                                                       real(std::ssize(f.run.requests));
    f.most_requests = std::floor(f.kv_tokens / (prompt + output));
    if (f.fits)
    {
        f.ttft = times_of(f.run.requests, &EngineRequest::ttft);
        f.tpot = times_of(f.run.requests, &EngineRequest::tpot);
        f.e2e = times_of(f.run.requests, &EngineRequest::e2e);
        f.batch = mean_batch(f, share, s);
        f.usd_per_million =
            real(f.gpus) * scenario.cluster.usd_per_gpu_hour / 3600 / f.output_tokens_per_s * 1e6;
    }
    f.step = clock.time({.decoding = std::max(1.0, std::round(f.batch)),
                         .context = prompt + output / 2,
                         .drafted = real(s.speculative.tokens),
                         .everywhere = std::max(1.0, std::round(f.batch)) * real(s.layout.data) *
                                       (1 + real(s.speculative.tokens))});
    return f;
}

namespace
{

const ServingBand& band_of(const ServingEvidence& evidence, ServingMeasure measure)
{
    return measure == ServingMeasure::tpot   ? evidence.tpot
           : measure == ServingMeasure::ttft ? evidence.ttft
                                             : evidence.rate;
}

// How much of what is asked was measured.
struct Nearness
{
    std::int64_t rows = 0; // of this model, or the accelerator's kind, with this engine
    bool model = false;
    bool gpu = false;
    bool engine = false;
};

Nearness nearness(const Scenario& scenario, std::string_view engine_id, const ServingEvidence& evidence)
{
    Nearness n;
    for (const ServedKind& kind : evidence.kinds)
    {
        const bool gpu = kind.gpu == accelerator_kind(scenario.cluster.gpu.id);
        const bool engine = kind.engine == engine_id;
        n.gpu = n.gpu || gpu;
        n.engine = n.engine || engine;
        n.model = n.model || kind.model == scenario.model.preset;
        n.rows += gpu && engine ? kind.rows : 0;
    }
    return n;
}

constexpr double kUnmeasured = 1.25; // wider for an accelerator or an engine without a row

} // namespace

Band serving_band(const ServingEvidence& evidence, std::string_view engine, const Scenario& scenario,
                  ServingMeasure measure)
{
    Band band;
    const ServingBand& own = band_of(evidence, measure);
    const Nearness n = nearness(scenario, engine, evidence);
    const double wider = (n.gpu ? 1 : kUnmeasured) * (n.engine ? 1 : kUnmeasured);
    band.low = own.low / wider;
    band.high = own.high * wider;
    return band;
}

Band serving_band(const Scenario& scenario, ServingMeasure measure)
{
    static const ServingEvidence none;
    const Serving& s = *scenario.serving;
    return serving_band(s.evidence ? *s.evidence : none, s.engine.id, scenario, measure);
}

std::string serving_evidence_words(const ServingEvidence& evidence, const ServingEngine& engine,
                                   const Scenario& scenario, ServingMeasure measure)
{
    if (evidence.kinds.empty())
    {
        return "held against no measured row";
    }
    const ServingBand& own = band_of(evidence, measure);
    const Nearness n = nearness(scenario, engine.id, evidence);
    const std::string near =
        n.rows > 0 ? fmt::format("{} measured rows of {} on this kind of GPU", n.rows, engine.name)
        : n.gpu    ? std::string("measured on this kind of GPU with other engines")
        : n.engine ? std::string("no measured row on this kind of GPU")
                   : std::string("no measured row of this engine on this kind of GPU");
    return fmt::format("{}{}; {} rows of {} models, each left out of the fit: median error {:.0f}%", near,
                       n.model ? ", this model among the measured ones" : "", own.rows, own.models,
                       100 * own.median);
}

std::string serving_evidence_words(const Scenario& scenario, ServingMeasure measure)
{
    static const ServingEvidence none;
    const Serving& s = *scenario.serving;
    return serving_evidence_words(s.evidence ? *s.evidence : none, s.engine, scenario, measure);
}

namespace
{

template <RequestTimes ServingFigures::*times, double RequestTimes::*of>
double time_metric(const Scenario&, const Report& r)
{
    return r.serving.get()->*times.*of;
}
template <double ServingFigures::*of>
double figure_metric(const Scenario&, const Report& r)
{
    return r.serving.get()->*of;
}
template <double EngineTime::*of>
double step_metric(const Scenario&, const Report& r)
{
    return r.serving->step.*of;
}
template <ServingMeasure measure, double Band::*end>
double ended(const Scenario& s, const Report& r)
{
    const ServingFigures& f = *r.serving;
    const double value = measure == ServingMeasure::tpot   ? f.tpot.mean
                         : measure == ServingMeasure::ttft ? f.ttft.mean
                                                           : f.output_tokens_per_s;
    return value * (serving_band(s, measure).*end);
}
double per_gpu(const ServingFigures& f, double value)
{
    return value / real(f.gpus);
}

using Figures = ServingFigures;
constexpr auto kTpot = ServingMeasure::tpot;
constexpr auto kTtft = ServingMeasure::ttft;
constexpr auto kRate = ServingMeasure::rate;

constexpr std::array kServingMetrics{
    Metric{"serving.ttft_mean_s", "s", time_metric<&Figures::ttft, &RequestTimes::mean>},
    Metric{"serving.ttft_low_s", "s", ended<kTtft, &Band::low>},
    Metric{"serving.ttft_high_s", "s", ended<kTtft, &Band::high>},
    Metric{"serving.ttft_p50_s", "s", time_metric<&Figures::ttft, &RequestTimes::p50>},
    Metric{"serving.ttft_p90_s", "s", time_metric<&Figures::ttft, &RequestTimes::p90>},
    Metric{"serving.ttft_p99_s", "s", time_metric<&Figures::ttft, &RequestTimes::p99>},
    Metric{"serving.tpot_mean_s", "s", time_metric<&Figures::tpot, &RequestTimes::mean>},
    Metric{"serving.tpot_low_s", "s", ended<kTpot, &Band::low>},
    Metric{"serving.tpot_high_s", "s", ended<kTpot, &Band::high>},
    Metric{"serving.tpot_p50_s", "s", time_metric<&Figures::tpot, &RequestTimes::p50>},
    Metric{"serving.tpot_p90_s", "s", time_metric<&Figures::tpot, &RequestTimes::p90>},
    Metric{"serving.tpot_p99_s", "s", time_metric<&Figures::tpot, &RequestTimes::p99>},
    Metric{"serving.e2e_mean_s", "s", time_metric<&Figures::e2e, &RequestTimes::mean>},
    Metric{"serving.e2e_p50_s", "s", time_metric<&Figures::e2e, &RequestTimes::p50>},
    Metric{"serving.e2e_p90_s", "s", time_metric<&Figures::e2e, &RequestTimes::p90>},
    Metric{"serving.e2e_p99_s", "s", time_metric<&Figures::e2e, &RequestTimes::p99>},
    Metric{"serving.output_tokens_per_s", "1/s", figure_metric<&Figures::output_tokens_per_s>},
    Metric{"serving.output_tokens_low_per_s", "1/s", ended<kRate, &Band::low>},
    Metric{"serving.output_tokens_high_per_s", "1/s", ended<kRate, &Band::high>},
    Metric{"serving.output_tokens_per_s_per_gpu", "1/s",
           [](const Scenario&, const Report& r)
           { return per_gpu(*r.serving, r.serving->output_tokens_per_s); }},
    Metric{"serving.input_tokens_per_s_per_gpu", "1/s",
           [](const Scenario&, const Report& r)
           { return per_gpu(*r.serving, r.serving->input_tokens_per_s); }},
    Metric{"serving.requests_per_s", "1/s", figure_metric<&Figures::requests_per_s>},
    Metric{"serving.makespan_s", "s", figure_metric<&Figures::seconds>},
    Metric{"serving.step_s", "s", [](const Scenario&, const Report& r) { return r.serving->step.total(); }},
    Metric{"serving.step_weights_s", "s", step_metric<&EngineTime::weights>},
    Metric{"serving.step_kv_s", "s", step_metric<&EngineTime::kv>},
    Metric{"serving.step_compute_s", "s", step_metric<&EngineTime::compute>},
    Metric{"serving.step_launch_s", "s", step_metric<&EngineTime::launch>},
    Metric{"serving.step_reduce_s", "s", step_metric<&EngineTime::reduce>},
    Metric{"serving.step_exchange_s", "s", step_metric<&EngineTime::exchange>},
    Metric{"serving.step_host_s", "s", step_metric<&EngineTime::host>},
    Metric{"serving.goodput_requests_per_s", "1/s", figure_metric<&Figures::goodput>},
    Metric{"serving.attained", "", figure_metric<&Figures::attained>},
    Metric{"serving.kv_tokens", "", figure_metric<&Figures::kv_tokens>},
    Metric{"serving.most_requests", "", figure_metric<&Figures::most_requests>},
    Metric{"serving.prefix_hit", "", figure_metric<&Figures::prefix_hit>},
    Metric{"serving.preemptions", "", figure_metric<&Figures::preemptions>},
    Metric{"serving.usd_per_million_output_tokens", "USD", figure_metric<&Figures::usd_per_million>},
    Metric{"serving.fits", "", [](const Scenario&, const Report& r) { return r.serving->fits ? 1.0 : 0.0; }},
};

const Metric* own_metric(std::string_view name)
{
    const auto* own = std::ranges::find(kServingMetrics, name, &Metric::name);
    return own != kServingMetrics.end() ? own : nullptr;
}

} // namespace

std::span<const Metric> serving_metrics()
{
    return kServingMetrics;
}

const Metric* find_metric(std::string_view name, const Report& report)
{
    return report.serving && own_metric(name) != nullptr ? own_metric(name) : find_metric(name);
}

const Metric* known_metric(std::string_view name)
{
    return find_metric(name) != nullptr ? find_metric(name) : own_metric(name);
}

std::vector<const Metric*> metrics_of(const Report& report)
{
    std::vector<const Metric*> all;
    for (const Metric& metric : metrics())
    {
        all.push_back(find_metric(metric.name, report));
    }
    for (const Metric& metric : kServingMetrics)
    {
        if (report.serving && find_metric(metric.name) == nullptr)
        {
            all.push_back(&metric);
        }
    }
    return all;
}

} // namespace ringside
