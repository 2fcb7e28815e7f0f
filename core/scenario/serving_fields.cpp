#include "core/scenario/serving_fields.h"

#include <array>

namespace ringside
{

namespace
{

template <class S, class E, E S::*M>
Choice<S> enum_choice()
{
    return {kNamesOf<E>.all, [](const S& s) { return static_cast<int>(s.*M); },
            [](S& s, int i) { s.*M = static_cast<E>(i); }};
}

using EngineField = Field<ServingEngine>;
constexpr double kMostMicroseconds = 1e5;

const std::array kEngineFields = {
    EngineField{"kernel_us", "Kernel", "us", "start and gap of a kernel in a CUDA graph",
                &ServingEngine::kernel_us, 0, kMostMicroseconds},
    EngineField{"eager_kernel_us", "Eager kernel", "us",
                "host's time to launch a kernel without a CUDA graph", &ServingEngine::eager_kernel_us, 0,
                kMostMicroseconds},
    EngineField{"reduce_us", "All-reduce", "us", "latency of an all-reduce, before its first byte",
                &ServingEngine::reduce_us, 0, kMostMicroseconds},
    EngineField{"step_us", "Iteration", "us", "sampling, embedding and scheduler of an iteration",
                &ServingEngine::step_us, 0, kMostMicroseconds},
    EngineField{"request_us", "Request", "us", "host and sampler, for each sequence of an iteration",
                &ServingEngine::request_us, 0, kMostMicroseconds},
    EngineField{"weight_bandwidth", "Weight bandwidth", "",
                "fraction of memory bandwidth at which weights are read", &ServingEngine::weight_bandwidth,
                0.01, 1},
    EngineField{"kv_bandwidth", "KV bandwidth", "",
                "fraction of memory bandwidth at which a 16-bit cache is read", &ServingEngine::kv_bandwidth,
                0.01, 1},
    EngineField{"kv8_bandwidth", "KV bandwidth, 8 bits", "",
                "fraction of memory bandwidth for a cache of 8 bits or fewer", &ServingEngine::kv8_bandwidth,
                0.01, 1},
    EngineField{"kv_start_us", "KV start", "us",
                "time of a multiprocessor before one head's cache of a sequence streams",
                &ServingEngine::kv_start_us, 0, kMostMicroseconds},
    EngineField{"products", "Products", "", "fraction of the dense peak that large GEMMs reach",
                &ServingEngine::products, 0.01, 1},
    EngineField{"grouped", "Grouped products", "",
                "fraction of that rate which grouped GEMMs of experts reach", &ServingEngine::grouped, 0.01,
                1},
    EngineField{"grouped_rows", "Grouped rows", "rows",
                "rows added to each expert's GEMM: what its start costs", &ServingEngine::grouped_rows, 0,
                1e5},
    EngineField{"grouped_width", "Grouped width", "columns",
                "columns added to an expert's width on one GPU: narrow experts fill few tiles",
                &ServingEngine::grouped_width, 0, 1e5},
    EngineField{"expert_spread", "Expert spread", "",
                "coefficient of variation of the tokens that experts get", &ServingEngine::expert_spread, 0,
                10},
    EngineField{"widened", "Widened products", "",
                "fraction of that rate where 4-bit or integer weights are dequantized first",
                &ServingEngine::widened, 0.01, 1},
    EngineField{"overlap", "Overlap", "",
                "power p of (read^p + multiply^p)^(1/p); large: the longer of the two",
                &ServingEngine::overlap, 1, 1000},
    EngineField{"attention", "Attention", "", "fraction of the 16-bit peak that attention reaches",
                &ServingEngine::attention, 0.01, 1},
    EngineField{"link", "Link", "", "fraction of link bandwidth that large all-reduces reach",
                &ServingEngine::link, 0.01, 1},
    EngineField{"prompt_ms", "Request handling", "ms",
                "host time from a request's arrival until it is scheduled", &ServingEngine::prompt_ms, 0,
                1e4},
    EngineField{"token_us", "Tokenizer", "us", "host time per prompt token before a request is scheduled",
                &ServingEngine::token_us, 0, kMostMicroseconds},
    EngineField{"graph_tokens", "Graph tokens", "tokens",
                "largest iteration with prompts that replays piecewise CUDA graphs",
                &ServingEngine::graph_tokens, 0, 1e6, "max_cudagraph_capture_size"},
    EngineField{"memory_fraction", "Memory fraction", "",
                "fraction of the GPU's memory, or of what weights leave free",
                &ServingEngine::memory_fraction, 0.05, 1},
    EngineField{"workspace_gb", "Workspace", "GB", "activations, graphs and libraries",
                &ServingEngine::workspace_gb, 0, 1000},
    EngineField{"max_num_seqs", "Sequences", "", "most running requests of an attention replica",
                &ServingEngine::max_num_seqs, 1, 1 << 20},
    EngineField{"max_num_batched_tokens", "Batched tokens", "tokens", "most tokens of an iteration",
                &ServingEngine::max_num_batched_tokens, 16, 1 << 24},
    EngineField{"scheduler_recv_interval", "Polling interval", "steps",
                "decoding steps between polls for new requests", &ServingEngine::scheduler_recv_interval, 1,
                1 << 20},
    EngineField{"balance_iters", "Balance", "iterations",
                "most iterations a prompt waits for every attention replica to have one",
                &ServingEngine::balance_iters, 0, 1 << 20},
    EngineField{"plans_ahead", "Overlap scheduling", "",
                "the next iteration is scheduled when the current one starts", &ServingEngine::plans_ahead},
    EngineField{"chunked_prefill",
                "Chunked prefill",
                "",
                "long prompts are split over iterations",
                &ServingEngine::chunked_prefill,
                {},
                {},
                "enable_chunked_prefill"},
    EngineField{"scheduler", "Scheduler", "", "mixed iterations, or prompts first",
                enum_choice<ServingEngine, BatchScheduler, &ServingEngine::scheduler>()},
    EngineField{"admission", "Admission", "", "a prompt's blocks, or room for all of a request",
                enum_choice<ServingEngine, Admission, &ServingEngine::admission>()},
    EngineField{"room", "Room", "", "what memory_fraction is a share of",
                enum_choice<ServingEngine, RoomRule, &ServingEngine::room>()},
};

using LayoutField = Field<ServingLayout>;
const std::array kLayoutFields = {
    LayoutField{"tensor", "Tensor", "", "tensor parallelism", &ServingLayout::tensor, 1, 64, "tp"},
    LayoutField{"pipeline", "Pipeline", "", "stages", &ServingLayout::pipeline, 1, 32, "pp"},
    LayoutField{"data", "Data", "", "attention replicas that share experts", &ServingLayout::data, 1, 576,
                "dp"},
    LayoutField{"expert", "Expert", "", "expert parallelism", &ServingLayout::expert, 1, 1024, "ep"},
    LayoutField{"replicas", "Replicas", "", "independent copies", &ServingLayout::replicas, 1, 10000},
};

const std::array kServingFields = {
    Field<Serving>{"kv_cache", "KV cache", "", "precision of keys and values",
                   enum_choice<Serving, StorePrecision, &Serving::kv_cache>()},
    Field<Serving>{"kv_link_gb_per_s", "KV link", "GB/s", "one-way per GPU; 0: the network's",
                   &Serving::kv_link_gb_per_s, 0, 1e5},
    Field<Serving>{"max_num_seqs", "Sequences", "",
                   "most running requests of an attention replica; 0: the engine's", &Serving::max_num_seqs,
                   0, 1 << 20},
    Field<Serving>{"max_num_batched_tokens", "Batched tokens", "tokens",
                   "most tokens of an iteration; 0: the engine's", &Serving::max_num_batched_tokens, 0,
                   1 << 24, "chunked_prefill_size"},
    Field<Serving>{"memory_fraction", "Memory fraction", "",
                   "fraction of memory for weights and cache; 0: the engine's", &Serving::memory_fraction, 0,
                   1, "gpu_memory_utilization"},
    Field<Serving>{"scheduler", "Scheduler", "", "mixed iterations, or prompts first",
                   enum_choice<Serving, BatchScheduler, &Serving::scheduler>()},
    Field<Serving>{"cuda_graphs", "CUDA graphs", "", "decoding replays graphs", &Serving::cuda_graphs},
    Field<Serving>{"redundant_experts", "Redundant experts", "", "copies beyond one of each, in a layer",
                   &Serving::redundant_experts, 0, 65536},
    Field<Serving>{"two_batch", "Two half batches", "", "one computes while the other's tokens travel",
                   &Serving::two_batch},
    Field<Serving>{"imbalance", "Imbalance", "",
                   "tokens of the busiest GPU's experts over the mean; 0: predicted", &Serving::imbalance, 0,
                   64},
};

using TrafficField = Field<ServingTraffic>;
const std::array kTrafficFields = {
    TrafficField{"prompt", "Prompt", "tokens", "mean prompt length, in tokens", &ServingTraffic::prompt, 1,
                 1e7},
    TrafficField{"output", "Output", "tokens", "mean output length, in tokens", &ServingTraffic::output, 1,
                 1e7},
    TrafficField{"length_ratio", "Length ratio", "",
                 "shortest length over the longest, where lengths are uniform", &ServingTraffic::length_ratio,
                 0, 1, "random_range_ratio"},
    TrafficField{"spread", "Spread", "", "sigma of lognormal lengths; 0: uniform", &ServingTraffic::spread, 0,
                 2},
    TrafficField{"rate", "Rate", "requests/s", "arrival rate; 0: no open-loop arrivals",
                 &ServingTraffic::rate, 0, 1e6, "request_rate"},
    TrafficField{"burstiness", "Burstiness", "",
                 "shape of the gamma distribution of inter-arrival times; 1: Poisson",
                 &ServingTraffic::burstiness, 0.1, 10},
    TrafficField{"concurrency", "Concurrency", "", "requests in flight, in a closed loop",
                 &ServingTraffic::concurrency, 0, 1e6, "max_concurrency"},
    TrafficField{"burst", "Burst", "", "whether all requests come at the same moment",
                 &ServingTraffic::burst},
    TrafficField{"requests", "Requests", "", "measured requests; 0: ten for each in flight, else 1000",
                 &ServingTraffic::requests, 0, 1e7, "num_prompts"},
    TrafficField{"warmup", "Warm-up", "requests", "answered before the others are sent; not counted",
                 &ServingTraffic::warmup, 0, 1e7},
    TrafficField{"prefix_hit", "Prefix hits", "", "fraction of prompt tokens found in the prefix cache",
                 &ServingTraffic::prefix_hit, 0, 1},
    TrafficField{"seed", "Seed", "", "seed of lengths and arrival times", &ServingTraffic::seed, 0, 1e9},
};

const std::array kObjectiveFields = {
    Field<ServingObjective>{"ttft_s", "TTFT", "s", "longest time to the first token",
                            &ServingObjective::ttft_s, 1e-6, 1e6},
    Field<ServingObjective>{"tpot_s", "TPOT", "s", "longest time per output token, mean of a request",
                            &ServingObjective::tpot_s, 1e-6, 1e6},
    Field<ServingObjective>{"percentile", "Percentile", "%", "percentage of requests that must meet both",
                            &ServingObjective::percentile, 1, 100},
};

const std::array kSpeculationFields = {
    Field<ServingSpeculation>{"tokens", "Drafted", "tokens", "draft tokens per step",
                              &ServingSpeculation::tokens, 0, 32},
    Field<ServingSpeculation>{"acceptance", "Acceptance", "", "acceptance rate of a draft token",
                              &ServingSpeculation::acceptance, 0, 1},
    Field<ServingSpeculation>{"cost", "Cost", "steps", "cost of a draft token, in decoding steps",
                              &ServingSpeculation::cost, 0, 1},
};

} // namespace

std::span<const Field<ServingEngine>> fields_of(const ServingEngine&)
{
    return kEngineFields;
}
std::span<const Field<ServingLayout>> fields_of(const ServingLayout&)
{
    return kLayoutFields;
}
std::span<const Field<Serving>> fields_of(const Serving&)
{
    return kServingFields;
}
std::span<const Field<ServingTraffic>> fields_of(const ServingTraffic&)
{
    return kTrafficFields;
}
std::span<const Field<ServingObjective>> fields_of(const ServingObjective&)
{
    return kObjectiveFields;
}
std::span<const Field<ServingSpeculation>> fields_of(const ServingSpeculation&)
{
    return kSpeculationFields;
}

} // namespace ringside
