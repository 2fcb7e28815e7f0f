// Wide expert parallelism: an engine of several attention replicas, each a tensor group with requests of its
// own, whose GPUs hold one set of experts together (DP attention). Weights of experts and the tokens an
// expert sees no longer depend on one replica; an all-to-all before and after the experts is the price.
//
// Prefill EP32 and decode EP320 in DeepSeek-V3's report (arXiv 2412.19437, section 3.4), EP32 and EP144 in
// operation (deepseek-ai/open-infra-index, day 6). Replicas are alike and in step. Iterations with a prompt
// send one copy of a token to each node; those that only decode one to each expert, since forwarding costs
// time (normal and low-latency kernels of deepseek-ai/DeepEP). Node-limited routing, which sends less from 8
// nodes on, is left out. Rates are those that the accelerator's calibration reaches.
//
// Held against others (tests/core/serving/wide_experts_test.cpp), always too quick: activations' own traffic,
// uneven experts and the offloading of prefill are left out. DeepEP's kernels on H800 within 5% on 2 to 32
// nodes, 22% in one, and within 2% on 8 GPUs of Blackwell. Prefill and decoding of DeepSeek-V3 as DeepSeek's
// profile and SGLang's 96 H100s (lmsys.org, 2025-05-05) have them 14 to 20%, over 60% of the peak; on GB200
// NVL72 (lmsys.org, 2025-09-25; vllm.ai/blog, 2026-02-03) 22 to 39%, with the software of June 46%, over 44%
// of it. Two half batches gain 40% in prefill (SGLang: 27 to 35%), 16% of 256 sequences (25%), and lose 18%
// of 32 (27%); they pay from 59 (between 64 and 128), since each half reads all weights and has all kernels.
#pragma once

#include "core/parallelism/experts/dispatch.h"
#include "core/serving/serving.h"

namespace ringside
{

// While half batches take turns, transfers take longer and kernels have fewer multiprocessors. In
// DeepSeek's trace (deepseek-ai/profile-data, training) dispatch moves 26 to 39 and combine 36 to 40 GB/s,
// alone 51 and 50: 1.4 times as long by their bytes. Normal kernels take 20 of 132 multiprocessors
// (DeepSeek-V3, section 3.2.2), low-latency ones none.
inline constexpr double kOverlappedTransfer = 1.4;
inline constexpr double kOverlappedKernels = 132.0 / 112;

// Experts of a layer on one GPU: (E + redundant) / EP, rounded up; what is over holds replicas of busy ones.
// DeepSeek-V3 with 32 redundant experts: 9 with EP32, 2 with EP144.
std::int64_t expert_slots(const Model& model, const ServingSetup& setup);
// What one GPU sends of `tokens` tokens of its own; nodes are those that the engine's GPUs fill.
DispatchSetup serving_dispatch(const Scenario& scenario, const ServingSetup& setup, double tokens);
// [s] dispatch and combine of one layer, overlapped or alone.
double exchange_seconds(const Scenario& scenario, const ServingSetup& setup, double tokens, bool prompts,
                        bool overlapped);

// Kernels of a layer in a decoding step with latent attention and experts, of sgl-project/sglang's
// deepseek_v2.py in 2025: 12 products and attention, 20 norms, casts, rotations, gates and sums. Of a small
// batch each of the 20 takes about as long as the smallest product, 3 us (NVIDIA/TensorRT-LLM, pull request
// 13646, router of DeepSeek-V3 on B200); next to all, the accelerator's gap between two kernels.
inline constexpr double kLayerKernels = 32;
inline constexpr double kSmallKernels = 20;
inline constexpr double kSmallKernelMicroseconds = 3;
// [s] of a pass; twice with two half batches.
double small_kernels_seconds(const Scenario& scenario, bool overlapped);

// [B] that one GPU sends and gets back in a layer of a decoding step, over the network, or inside a node that
// holds the engine; with its working.
Term explain_exchange(const Scenario& scenario, const ServingReport& report);

} // namespace ringside
