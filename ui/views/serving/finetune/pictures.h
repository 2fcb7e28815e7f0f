// What the fine-tuning view looks at, and its pictures: four recipes as stacked bars with the sizes of usual
// GPUs, and the matrices of a block with their adapters.
#pragma once

#include "core/serving/finetune.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/tween.h"

#include <array>
#include <optional>

namespace ringside
{

inline constexpr std::array<double, 3> kCards{24, 48, 80}; // [GB]
inline constexpr std::array<double, 10> kRanks{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
inline constexpr std::array kRecipes{FinetuneRecipe::full, FinetuneRecipe::lora, FinetuneRecipe::dora,
                                     FinetuneRecipe::qlora};

struct FinetuneSettings
{
    FinetuneSetup setup; // its sequence and micro-batch are the scenario's
    FinetuneRecipe recipe = FinetuneRecipe::qlora;

    bool operator==(const FinetuneSettings&) const = default;
};

class FinetuneModel
{
public:
    void update(const Scenario& scenario) const;

    FinetuneSettings settings;
    const Scenario& scenario() const { return scenario_; }
    const FinetuneReport& of(FinetuneRecipe recipe) const
    {
        return reports_[static_cast<std::size_t>(recipe)];
    }
    const FinetuneReport& chosen() const { return of(settings.recipe); }
    // Of kCards[card]; 0: no number of them is enough.
    std::int64_t gpus(FinetuneRecipe recipe, std::size_t card) const
    {
        return gpus_[static_cast<std::size_t>(recipe)][card];
    }
    const std::vector<LoraMatrix>& matrices() const { return matrices_; }

private:
    mutable std::optional<FinetuneSettings> made_for_;
    mutable Scenario scenario_;
    mutable std::array<FinetuneReport, kFinetuneRecipes> reports_;
    mutable std::array<std::array<std::int64_t, kCards.size()>, kFinetuneRecipes> gpus_{};
    mutable std::vector<LoraMatrix> matrices_;
};

struct FinetuneLevels
{
    std::array<std::array<Tween, kFinetuneParts>, kFinetuneRecipes> parts;
    Tween most;
};

// The recipe that was pressed.
std::optional<FinetuneRecipe> draw_finetune_bars(const Frame& frame, const Painter& painter, Rect area,
                                                 const FinetuneModel& model, FinetuneLevels& levels,
                                                 Out& out);

// The settings where something was pressed or dragged.
std::optional<FinetuneSettings> draw_lora_modules(const Painter& painter, Rect area,
                                                  const FinetuneModel& model);

} // namespace ringside
