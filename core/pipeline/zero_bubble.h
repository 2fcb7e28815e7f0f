// Zero-bubble pipeline orders: the backward is split into the input gradient (I), which the stage before
// waits for, and the weight gradient (W), which nobody waits for and which therefore fills what would be idle
// time. Makes orders only; simulate.h gives them times.
//
// Limits are strict: a micro-batch counts in full until its weight gradient has ended. The paper's ZB-2p
// frees half of it with the input gradient and may hold more than 2p; this order does not, at the same
// makespan. Orders depend on the times, as in the papers' schedulers.
#pragma once

#include "core/pipeline/schedule.h"

namespace ringside
{

// What a rank may keep: a forward takes one micro-batch of one chunk, and its W gives all of it back.
struct ZeroBubbleGoal
{
    Placement placement = Placement::loop; // loop with one chunk, or v with two
    std::int64_t limit = 1;                // micro-batches of one chunk; at least 1, with v at least 2
};

// Limits in micro-batches of one chunk, for p ranks. The three with two chunks are twice what the authors of
// arXiv 2405.15362 publish in micro-batches of the whole stage: (p+4)/3, (p+2)/2, both rounded down, and p.
std::int64_t zb_h1_limit(std::int64_t ranks);  // p, as 1F1B: arXiv 2401.10241, section 2.1
std::int64_t zb_h2_limit(std::int64_t ranks);  // 2p: section 2.2, which needs 2p - 1
std::int64_t v_min_limit(std::int64_t ranks);  // a third of 1F1B
std::int64_t v_half_limit(std::int64_t ranks); // half of 1F1B
std::int64_t zb_v_limit(std::int64_t ranks);   // as 1F1B

// An order of F, I and W that keeps within the goal's limit. Deterministic, and valid for any p, m and costs.
// shape.chunks must be 1 with Placement::loop and 2 with Placement::v; costs has a cost per virtual stage.
Order zero_bubble_order(const ScheduleShape& shape, const Costs& costs, const ZeroBubbleGoal& goal);

} // namespace ringside
