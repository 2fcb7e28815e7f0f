#include "core/serving/serving.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/ranges.h"
#include "core/base/units.h"
#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/serving/wide_experts.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostServingGpus = 64;
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr double kMostImbalance = 64;
constexpr double kActivationBytes = 2; // what the all-reduces carry, whatever the weights are kept in

// Experts are cut like any matrix where their width divides, else dealt out whole, else copied. Where
// replicas share them, all are counted here.
Parallel group_of(const Model& m, const ServingSetup& setup)
{
    Parallel p;
    p.tensor = setup.gpus;
    if (m.experts > 0 && setup.ranks == 1 && m.expert_ffn % setup.gpus == 0)
    {
        p.expert_tensor = setup.gpus;
    }
    else if (m.experts > 0 && setup.ranks == 1 && m.experts % setup.gpus == 0)
    {
        p.expert = setup.gpus;
    }
    return p;
}

// What does not depend on the batch. Numbers are of one GPU unless they say otherwise.
struct Server
{
    Server(const Scenario& scenario, const ServingSetup& setup);

    ServingReport at(std::int64_t batch) const;
    double weights_read(double batch) const;
    ServingTime pass(const Iteration& what) const;
    // [FLOP] of all layers.
    double prefill_attention(const PromptPiece& piece) const;
    double decode_attention(double context) const;
    double cache_read(double context) const;
    double reduce(double tokens) const;
    bool wide() const { return report.setup.ranks > 1; }

    const Scenario& s;
    ServingReport report;  // with everything but batch and times
    double dense = 0;      // parameters that every step reads
    double expert = 0;     // of the routed experts
    double dense_each = 2; // [B] of a parameter
    double expert_each = 2;
    double visited = 1;  // share of the experts that one token visits
    double products = 0; // FLOPs of one token without attention, whole model; in 16 bits as many take as long
    double head = 0;     // of which the output projection
    double scores = 1;   // so much longer than in 16 bits attention takes
    double routed = 0;   // layers with experts
};

double summed(const std::vector<Weight>& weights)
{
    return sum_over(weights, [&](const Weight& w) { return real(w.local_elements()); });
}

// A sequence of `tokens` takes whole blocks where it is paged, else room for the longest.
double held_tokens(const ServingSetup& s, double tokens)
{
    if (!s.paged)
    {
        return real(s.longest);
    }
    return std::ceil(tokens / real(kCacheBlock)) * real(kCacheBlock);
}

Server::Server(const Scenario& scenario, const ServingSetup& setup) : s(scenario)
{
    const Model& m = s.model;
    ServingReport& r = report;
    r.setup = setup;
    const Parallel group = group_of(m, setup);
    const StageWeights held = stage_weights(m, group, Placement::loop).front();
    const double looked_up = m.tied_embeddings ? 0 : summed(embedding_weights(m, group));
    dense = real(held.dense) - looked_up;
    expert = real(held.expert);
    visited = m.experts > 0 ? real(m.experts_per_token) / real(m.experts) : 1;
    const double all = expert * real(group.expert * group.expert_tensor); // of the whole model
    const double sparse = 2 * all * visited;                              // FLOPs of a token in them
    if (wide())
    {
        routed = sum_over(m.layers, [&](std::int64_t i) { return has_experts(m, i) ? 1.0 : 0.0; });
        expert = all * real(expert_slots(m, setup)) / real(m.experts);
    }

    const double each = real(setup.weight_bits) / 8;
    dense_each = each;
    expert_each = setup.four_bit ? kNvfp4Bytes : each;
    r.shape = cache_shape(m, setup.gpus);
    r.experts = Bytes(expert_each * expert);
    r.weights = Bytes(std::ceil(each * real(held.dense) + r.experts.value));
    r.model_weights = Bytes(each * (real(count_parameters(m).total) - all) + expert_each * all);
    r.device = Bytes(s.cluster.gpu.memory_gb * 1e9);
    r.capacity = setup.usable * r.device;
    const double number = real(setup.cache_bits) / 8;
    const double tokens = real(setup.prompt + setup.output);
    r.token = Bytes(number * r.shape.over_layers([&](const AttentionLayers& a)
                                                 { return a.here(a.token_numbers(), 0, r.shape.ranks); }));
    r.model_token = Bytes(number * r.shape.over_layers(&AttentionLayers::token_numbers));
    r.sequence = Bytes(number * r.shape.local(held_tokens(setup, tokens)));
    r.filled = Bytes(number * r.shape.local(tokens));
    const double left = (r.capacity - r.weights) / r.sequence;
    r.most = left >= 1 ? static_cast<std::int64_t>(std::min(left, real(kMostSequences))) : 0;

    const ComputeReport c = compute_report(s);
    // In 16 bits as many FLOPs would take as long; the busiest GPU has more of the experts'.
    const Gpu& gpu = s.cluster.gpu;
    const double slower = setup.eight_bit ? gpu.bf16_tflops / gpu.fp8_tflops : 1;
    const double in_experts = setup.four_bit ? gpu.bf16_tflops / gpu.fp4_tflops : slower;
    products =
        (c.products_token + c.head_token).value * slower + sparse * (setup.imbalance * in_experts - slower);
    head = c.head_token.value * slower;
    scores = setup.four_bit ? gpu.bf16_tflops / gpu.fp8_tflops : 1;
    const double rate = s.cluster.gpu.hbm_gb_per_s * 1e9;
    r.balance = s.cluster.gpu.bf16_tflops * 1e12 / slower / rate * each / 2;
}

// Weights that are read: `batch` tokens that each choose k of E experts evenly want all but (1 - k/E)^b of
// the experts.
double Server::weights_read(double batch) const
{
    const double wanted = visited >= 1 ? 1 : 1 - std::pow(1 - visited, batch);
    return dense_each * dense + wanted * expert_each * expert;
}

// Two all-reduces a layer of `tokens` h numbers, one where dispatch and combine are the other. Every GPU
// reads from all others at once, or in a ring: whichever ends first. One start each, from the accelerator's
// calibration.
double Server::reduce(double tokens) const
{
    const double t = real(report.setup.gpus);
    if (t <= 1)
    {
        return 0;
    }
    const double rate = 1e9 * (report.setup.gpus > s.cluster.gpus_per_node ? s.cluster.network_gb_per_s
                                                                           : node_link(s.cluster));
    const double message = kActivationBytes * tokens * real(s.model.hidden);
    const double start = s.cluster.gpu.calibration.collective_us * 1e-6;
    const double hop = s.cluster.gpu.calibration.hop_us * 1e-6;
    const double straight = (t - 1) * message / rate;
    const double ring = 2 * (t - 1) * hop + 2 * (t - 1) / t * message / rate;
    return (2 * real(s.model.layers) - routed) * (start + std::min(straight, ring));
}

// Token i of a prompt looks at those before it, i / 2 on average: kept tokens of the windowed layers alike.
double Server::prefill_attention(const PromptPiece& piece) const
{
    const double all = piece.before + piece.tokens;
    const LayerKeys full;
    const double pairs = full.attended_by_all(all) - full.attended_by_all(piece.before);
    return scores * report.shape.over_layers(
                        [&](const AttentionLayers& a)
                        {
                            const double keys =
                                a.keys.attended_by_all(all) - a.keys.attended_by_all(piece.before);
                            return a.key_flops * keys + a.index_flops * pairs / a.keys.every +
                                   a.state_flops * piece.tokens;
                        });
}

// Keys and values stay as the cache has them: scores on latent and rotary part, sums on latents (DeepSeek-V2,
// section 2.1.2: the up-projections are absorbed into the query's and the output's).
double Server::decode_attention(double context) const
{
    return scores * report.shape.over_layers([&](const AttentionLayers& a) { return a.decoded(context); });
}

double Server::cache_read(double context) const
{
    const double number = real(report.setup.cache_bits) / 8;
    return number * report.shape.over_layers([&](const AttentionLayers& a)
                                             { return report.shape.local_read(a, context); });
}

// Only the last token of a prompt goes through the output projection; a later piece reads what the cache has.
ServingTime Server::pass(const Iteration& what) const
{
    const double number = real(report.setup.cache_bits) / 8;
    double tokens = what.decoding * what.tokens;
    double read = what.decoding * cache_read(what.context);
    double flops = tokens * (products + decode_attention(what.context));
    for (const PromptPiece& piece : what.prompts)
    {
        tokens += piece.tokens;
        read += piece.before > 0 ? number * report.shape.local(piece.before) : 0;
        flops += piece.tokens * (products - head) + (piece.last ? head : 0) + prefill_attention(piece);
    }
    ServingTime time;
    const double everywhere = tokens * real(report.setup.ranks);
    time.overlapped = report.setup.two_batch && tokens > 1;
    const double weights = time.overlapped ? 2 * weights_read(everywhere / 2) : weights_read(everywhere);
    const double slowed = time.overlapped && !what.prompts.empty() ? kOverlappedKernels : 1;
    time.memory = (weights + read) / (s.cluster.gpu.hbm_gb_per_s * 1e9);
    time.compute = slowed * flops / real(report.setup.gpus) / (s.cluster.gpu.bf16_tflops * 1e12);
    time.exchange =
        routed * exchange_seconds(s, report.setup, tokens, !what.prompts.empty(), time.overlapped);
    time.reduce = reduce(tokens);
    time.small = wide() ? small_kernels_seconds(s, time.overlapped) : 0;
    return time;
}

ServingReport Server::at(std::int64_t batch) const
{
    ServingReport r = report;
    r.setup.batch = batch;
    r.decode = pass({real(batch), real(r.setup.prompt) + real(r.setup.output) / 2, 1, {}});
    r.prefill = pass({0, 0, 1, {{0, real(r.setup.prompt), true}}});
    return r;
}

ServingSetup legal(const Scenario& s, ServingSetup setup)
{
    const auto at_least_one = [](std::int64_t n) { return std::clamp<std::int64_t>(n, 1, 100'000'000); };
    const auto gpus = serving_gpus(s.model);
    const auto next = std::ranges::upper_bound(gpus, std::max<std::int64_t>(1, setup.gpus));
    setup.gpus = *(next - 1);
    setup.batch = std::clamp<std::int64_t>(setup.batch, 1, kMostSequences);
    setup.prompt = at_least_one(setup.prompt);
    setup.output = at_least_one(setup.output);
    setup.longest = std::max(setup.longest, setup.prompt + setup.output);
    setup.weight_bits = std::clamp<std::int64_t>(setup.weight_bits, 1, 32);
    setup.cache_bits = std::clamp<std::int64_t>(setup.cache_bits, 1, 32);
    setup.eight_bit = setup.eight_bit && s.cluster.gpu.fp8_tflops > 0;
    setup.four_bit = setup.four_bit && s.cluster.gpu.fp4_tflops > 0 && s.cluster.gpu.fp8_tflops > 0;
    setup.cache_bits = setup.four_bit ? std::min<std::int64_t>(8, setup.cache_bits) : setup.cache_bits;
    const std::int64_t experts = s.model.experts;
    setup.ranks =
        std::clamp<std::int64_t>(setup.ranks, 1, std::max<std::int64_t>(1, 2 * experts / setup.gpus));
    setup.redundant = std::clamp<std::int64_t>(setup.redundant, 0, setup.ranks > 1 ? experts : 0);
    setup.two_batch = setup.two_batch && setup.ranks > 1;
    setup.imbalance = std::isfinite(setup.imbalance) && setup.ranks > 1
                          ? std::clamp(setup.imbalance, 1.0, kMostImbalance)
                          : 1;
    setup.usable = std::isfinite(setup.usable) ? std::clamp(setup.usable, 0.05, 1.0) : 0.9;
    return setup;
}

} // namespace

ServingSetup serving_setup(const Scenario& scenario)
{
    ServingSetup setup;
    setup.gpus = scenario.parallel.tensor;
    setup.longest = scenario.training.sequence_length;
    setup.prompt = std::max<std::int64_t>(1, setup.longest / 4);
    setup.output = std::max<std::int64_t>(1, setup.longest / 8);
    return legal(scenario, setup);
}

std::vector<std::int64_t> serving_gpus(const Model& m)
{
    std::vector<std::int64_t> gpus;
    for (std::int64_t t = 1; t <= kMostServingGpus; ++t)
    {
        const bool heads = m.heads % t == 0 && m.ffn % t == 0;
        if (heads && kv_heads_split(m, t))
        {
            gpus.push_back(t);
        }
    }
    return gpus;
}

double ServingReport::wasted() const
{
    return sequence.value > 0 ? 1 - filled / sequence : 0;
}

double ServingReport::token_seconds() const
{
    return decode.total() +
           static_cast<double>(setup.batch) * prefill.total() / static_cast<double>(setup.output);
}

double ServingReport::tokens_per_second() const
{
    const double each = token_seconds();
    return each > 0 ? static_cast<double>(setup.batch) / each : 0;
}

ServingReport serving_report(const Scenario& scenario, ServingSetup setup)
{
    setup = legal(scenario, setup);
    return Server(scenario, setup).at(setup.batch);
}

std::vector<ServingReport> serving_curve(const Scenario& scenario, const ServingSetup& setup,
                                         const std::vector<std::int64_t>& batches)
{
    const Server server(scenario, legal(scenario, setup));
    return list_of<ServingReport>(batches, [&](std::int64_t batch)
                                  { return server.at(std::clamp<std::int64_t>(batch, 1, kMostSequences)); });
}

std::function<ServingTime(const Iteration&)> iteration_clock(const Scenario& scenario,
                                                             const ServingSetup& setup)
{
    struct Clock
    {
        Clock(const Scenario& from, const ServingSetup& asked) : scenario(from), server(scenario, asked) {}
        Scenario scenario; // what the server reads
        Server server;
    };
    return [clock = std::make_shared<const Clock>(scenario, legal(scenario, setup))](const Iteration& what)
    { return clock->server.pass(what); };
}

Term explain_cache(const Scenario& scenario, const ServingReport& r)
{
    const Model& m = scenario.model;
    const double tokens = real(r.setup.prompt + r.setup.output);
    const double number = real(r.setup.cache_bits) / 8;
    Term term;
    term.label = "KV cache of one sequence";
    term.value = number * r.shape.whole(tokens);
    term.unit = "B";
    const bool shared = m.attention == Attention::shared_kv;
    // Values of another width than keys, and windows with heads of their own, counted in heads of the others.
    const bool two_widths = (m.v_head_dim > 0 && m.v_head_dim != m.head_dim) || has_window_heads(m);
    const std::string each = r.shape.latent ? fmt::format("({} + {})", m.kv_lora_rank, m.qk_rope_head_dim)
                             : shared       ? fmt::format("{}", m.head_dim)
                             : two_widths   ? fmt::format("{}", figure(r.shape.layer_numbers, 9))
                                            : fmt::format("2 \u00d7 {} \u00d7 {}", m.kv_heads, m.head_dim);
    const std::string_view symbols = r.shape.latent ? "(d_c + d_R)"
                                     : shared       ? "d"
                                     : two_widths   ? "h_kv (d + d_v)"
                                                    : "2 h_kv d";
    // Layers whose window is full keep as many tokens as that has.
    std::string layers = fmt::format("{} \u00d7 {}", m.layers, figure(tokens));
    double others = 0; // numbers of indexers and of states
    std::vector<std::string> kinds;
    bool less = false;
    for (const AttentionLayers& a : r.shape.layers)
    {
        others += real(a.layers) * (a.indexed * a.far(tokens) + a.state);
        const bool own = a.cached > 0 && a.cached != r.shape.layer_numbers;
        less = less || own || a.borrows || a.keys.kept(tokens) != tokens;
        if (a.cached > 0 && !a.borrows)
        {
            kinds.push_back(
                fmt::format("{} \u00d7 {}", a.layers, figure(a.keys.kept(tokens))) +
                (own ? fmt::format(" \u00d7 {}", figure(a.cached / r.shape.layer_numbers, 9)) : ""));
        }
    }
    if (less)
    {
        layers = kinds.empty() ? "0" : fmt::format("({})", fmt::join(kinds, " + "));
    }
    term.formula = fmt::format("{} L s \u00d7 bytes", symbols);
    term.working = fmt::format("{} \u00d7 {} \u00d7 {}", each, layers, figure(number));
    if (others > 0)
    {
        term.formula = fmt::format("({} L s + indexers and states) \u00d7 bytes", symbols);
        term.working =
            fmt::format("({} \u00d7 {} + {}) \u00d7 {}", each, layers, figure(others, 9), figure(number));
    }
    term.source = r.shape.latent ? "DeepSeek-V2, arXiv 2405.04434, section 2.1.4"
                                 : "Pope et al. 2022, arXiv 2211.05102, section 3.3";
    return term;
}

Term explain_decode(const Scenario& scenario, const ServingReport& r)
{
    const Server server(scenario, r.setup);
    const double batch = real(r.setup.batch);
    const double context = real(r.setup.prompt) + real(r.setup.output) / 2;
    const double cached = server.cache_read(context);
    return {.label = "memory time of one decoding step",
            .value = r.decode.memory,
            .unit = "s",
            .formula = "(weights + b \u00d7 KV cache) / HBM bandwidth",
            .working =
                fmt::format("({} + {} \u00d7 {}) / {}", figure(server.weights_read(batch)), r.setup.batch,
                            figure(cached), figure(scenario.cluster.gpu.hbm_gb_per_s * 1e9)),
            .source = "Pope et al. 2022, arXiv 2211.05102, section 2"};
}

} // namespace ringside
