// Files of requests that were served somewhere: who came when, with how many tokens. Recognised by content:
// Mooncake's traces (one JSON object a line: timestamp [ms], input_length, output_length, hash_ids of blocks
// of 512 tokens; kvcache-ai/Mooncake, FAST25-release), Azure's of 2023 and BurstGPT's (CSV; Azure/
// AzurePublicDataset, HPMLL/BurstGPT), and the answer of vLLM's `vllm bench serve` (JSON with input_lens,
// output_lens). What a line has beside these is not read.
#pragma once

#include "core/base/result.h"
#include "core/serving/engine/simulation.h"

#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr std::int64_t kTraceBlock = 512; // tokens of a block of hash_ids

struct RequestTrace
{
    std::string_view format;              // "Mooncake"
    std::vector<EngineRequest> requests;  // by arrival, the first at 0
    std::vector<std::uint32_t> blocks;    // hash_ids of all, numbered from 0 in the order they first come
    std::vector<std::size_t> first_block; // of each request, in blocks; one more at the end
};

// At most `first` requests; 0: all. `speed` times as fast.
Result<RequestTrace> read_requests(std::string_view text, std::size_t first = 0, double speed = 1);

// Tokens of each request's prompt that a cache of so many blocks has when it comes, least recently used ones
// giving way; 0: it is boundless. Only blocks from the prompt's start on count, and never the last token.
// Returns the share of all prompt tokens.
double find_prefixes(RequestTrace& trace, std::size_t cache_blocks);

} // namespace ringside
