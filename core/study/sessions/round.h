// The plan of a mock interview as one is held: a role and a level, at least one chain of follow-ups on the
// same answer, single questions of the role's topics around it, none twice, until the minutes are full.
#pragma once

#include "core/study/questions/family.h"
#include "core/study/sessions/chain.h"

namespace ringside
{

struct RoundRequest
{
    int minutes = 45; // 5 to 180
    MockRole role = MockRole::training_infrastructure;
    MockLevel level = MockLevel::mid;
    std::uint64_t seed = 1;
};

struct RoundItem
{
    const Chain* chain = nullptr; // or else
    std::optional<VariantRef> question;
    std::uint64_t seed = 0;
    double seconds = 0;
};

struct RoundPlan
{
    std::vector<RoundItem> items;
    double filled = 0; // of the minutes
};

// Folders of assets/questions that a role is asked from.
std::span<const std::string_view> topics_of(MockRole role);

// A chain takes at most three quarters of the round, all chains together no more. Chains are of the role, and
// of its level or the nearest there is. Bank and chains must outlive the plan.
RoundPlan plan_round(const QuestionBank& bank, std::span<const Chain> chains, const RoundRequest& request);

} // namespace ringside
