// Requests and the engines that serve them: who waits, what an iteration takes, when tokens come.
//
// A replica has `data` attention replicas in lockstep: an iteration ends for all when the slowest has ended,
// and experts see the tokens of all. Requests go to the replica with the fewest. One with more than kFollowed
// attention replicas follows that many, each for several. `pipeline` stages hold as many batches, which take
// turns; each is served like a replica of its own. Where nothing arrives, ends or is computed of a prompt,
// steps are taken together.
//
// An iteration is chosen when the one before it begins (vLLM's async_scheduling, SGLang's overlap schedule,
// TensorRT-LLM's overlap scheduler): what comes later waits for one more, except at an idle engine. SGLang
// looks for new requests after a prefill or every `scheduler_recv_interval` decoding steps
// (python/sglang/srt/ managers/scheduler_recv_skipper.py). With attention_dp_config.enable_balance
// TensorRT-LLM's prompts wait up to `balance_iters` iterations until every attention replica that decodes has
// one too (tensorrt_llm/_torch/ pyexecutor/py_executor.py, _balance_adp_requests); without
// enable_chunked_prefill it starts a prompt only where it fits whole.
//
// Admission, chunks and preemption are those of the engine's scheduler (vLLM, vllm/v1/core/sched/
// scheduler.py; SGLang, python/sglang/srt/managers/schedule_policy.py; TensorRT-LLM's
// GUARANTEED_NO_EVICT, cpp/include/tensorrt_llm/executor/types.h): mixed engines decode everything that runs
// and fill the budget of tokens with pieces of prompts, first come first served; prefill-first engines stop
// decoding for it. A preempted request is computed again with what it had answered.
//
// Disaggregated: engines that only prefill; the cache then moves to one that decodes.
#pragma once

#include "core/serving/engine/clock.h"

#include <cstdint>
#include <vector>

namespace ringside
{

struct EngineRequest
{
    double arrival = 0; // [s] sent by the client
    std::int64_t prompt = 1;
    std::int64_t output = 1;
    std::int64_t cached = 0; // tokens of the prompt that the prefix cache has
    // What came of it.
    double start = -1; // [s] of its prefill
    double first = 0;  // [s] token, at the client
    double end = 0;
    double moved = 0; // [s] of its cache to the engine that decodes, right before `first`
    std::int64_t preempted = 0;
    std::int64_t engine = 0; // that answered it

    double ttft() const { return first - arrival; }
    double tpot() const { return output > 1 ? (end - first) / static_cast<double>(output - 1) : 0; }
    double e2e() const { return end - arrival; }
};

// Iterations, or steps of decoding that were taken together.
struct EngineStep
{
    double start = 0;
    double end = 0;
    double decoding = 0; // sequences of the slowest attention replica
    double prompt = 0;   // tokens of prompts, of all attention replicas
    double waiting = 0;  // requests that are not admitted
};

struct EngineRun
{
    std::vector<EngineRequest> requests; // as they were given
    // Where they were asked for: of the first engine that answers, and of the first that only prefills.
    std::vector<EngineStep> steps;
    std::vector<EngineStep> prefill_steps;
    double seconds = 0; // from the first arrival to the last token
    double room = 0;    // [tokens] of the cache of an attention replica that decodes
    std::int64_t preemptions = 0;
    bool fits = true; // weights and the largest request
};

inline constexpr std::int64_t kFollowed = 8;

struct EngineCount
{
    std::int64_t front = 1;   // replicas, times the stages of each; those that prefill, where disaggregated
    std::int64_t back = 1;    // that decode, where disaggregated
    std::int64_t waiting = 0; // requests in flight of a closed loop; 0: they come when their arrival says
    std::int64_t followed = kFollowed; // attention replicas of an engine
    bool keep_steps = false;
};

// Requests by arrival. In a closed loop the first are sent at once, and the next one when one is answered.
EngineRun run_engines(const Scenario& scenario, const Serving& serving, std::vector<EngineRequest> requests,
                      const EngineCount& count);

// The requests that the scenario's traffic describes; lengths and gaps follow from its seed. Of a trace,
// which is a file's: none.
std::vector<EngineRequest> traffic_requests(const ServingTraffic& traffic, std::int64_t count);

} // namespace ringside
