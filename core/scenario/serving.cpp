#include "core/scenario/serving.h"

#include <tuple>

namespace ringside
{

double stored_bits(StorePrecision precision)
{
    switch (precision)
    {
    case StorePrecision::bf16:
        return 16;
    case StorePrecision::fp8:
        return 8;
    case StorePrecision::nvfp4:
        return 4 + 8.0 / 16;
    case StorePrecision::mxfp4:
        return 4 + 8.0 / 32;
    case StorePrecision::int8:
        return 8 + 16.0 / 128;
    case StorePrecision::int4:
        return 4 + 16.0 / 128;
    }
    return 16;
}

// Compares everything but the evidence, which is no part of what is served.
bool Serving::operator==(const Serving& o) const
{
    const auto parts = [](const Serving& s)
    {
        return std::tie(s.engine, s.experts, s.rest, s.kv_cache, s.layout, s.disaggregated, s.prefill,
                        s.kv_link_gb_per_s, s.max_num_seqs, s.max_num_batched_tokens, s.memory_fraction,
                        s.scheduler, s.cuda_graphs, s.traffic, s.objective, s.speculative,
                        s.redundant_experts, s.two_batch, s.imbalance);
    };
    return parts(*this) == parts(o);
}

} // namespace ringside
