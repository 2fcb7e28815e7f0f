// What the alignment view looks at: every recipe's copies under the person's setup, and the numbers of its
// lower pictures; worked out again only when something changes.
#pragma once

#include "core/serving/alignment.h"
#include "ui/shell/frame.h"

#include <array>
#include <optional>

namespace ringside
{

enum class AlignmentStrip : std::uint8_t
{
    loss,
    hacking,
    group
};

inline constexpr std::size_t kGroup = 8;

struct AlignmentWish
{
    AlignmentSetup setup;
    AlignmentRecipe recipe = AlignmentRecipe::ppo;
    AlignmentStrip strip = AlignmentStrip::loss;
    double beta = 0.1;     // of DPO
    double chosen = 4;     // [nats] log-ratio to the reference
    double rejected = -2;  // [nats]
    double doubt = 0.1;    // of the gold reward with best of n; reinforcement has four times that
    double penalty = 0.06; // on d^2
    std::array<bool, kGroup> right{true, true, false, false, false, false, false, false};

    bool operator==(const AlignmentWish&) const = default;
};

class AlignmentDesk
{
public:
    void update(const Scenario& scenario) const;

    AlignmentWish wish;
    const Scenario& scenario() const { return scenario_; }
    const AlignmentReport& of(AlignmentRecipe recipe) const
    {
        return reports_[static_cast<std::size_t>(recipe)];
    }
    const AlignmentReport& chosen() const { return of(wish.recipe); }
    // Of the scenario's kind that hold so much at least, nothing else counted.
    std::int64_t gpus(AlignmentRecipe recipe) const;

private:
    mutable std::optional<AlignmentWish> made_for_;
    mutable Scenario scenario_;
    mutable std::array<AlignmentReport, kAlignmentRecipes> reports_;
};

} // namespace ringside
