// Two half batches that take turns: while one computes, the other's tokens travel (dual-batch overlap:
// DeepSeek-V3, arXiv 2412.19437, section 3.4). One layer after the other on two lanes; no backward pass.
#pragma once

#include "core/base/names.h"
#include "core/pipeline/tasks.h"

namespace ringside
{

enum class MoePart : std::uint8_t
{
    attention,
    dispatch,
    experts,
    combine
};
inline constexpr std::size_t kMoeParts = 4;
template <>
inline constexpr auto kNamesOf<MoePart> = names<MoePart>("attention", "dispatch", "experts", "combine");

// One layer of the whole batch, its compute being 1.
struct MoeTimes
{
    double network = 1;     // dispatch and combine, half each
    double attention = 0.4; // of compute; the experts have the rest

    double of(MoePart part) const
    {
        return part == MoePart::attention ? attention
               : part == MoePart::experts ? 1 - attention
                                          : network / 2;
    }
};

struct MoeTask
{
    MoePart part = MoePart::attention;
    std::int64_t layer = 0;
    std::int64_t batch = 0;
    TaskTime time;
};

struct MoeRun
{
    std::vector<MoeTask> tasks; // of lane 0 where they compute, else of lane 1
    double makespan = 0;
    double each = 0; // of a layer in the long run
};

// `batches` of 1 or 2. In the long run a layer takes compute + network with one, and the larger of them with
// two, as long as both halves fill each other's gaps.
MoeRun moe_run(const MoeTimes& times, std::int64_t layers, std::int64_t batches);

} // namespace ringside
