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

// What the settings come to.
struct FinetuneModel
{
    FinetuneSettings settings;
    Scenario scenario;
    std::array<FinetuneReport, kFinetuneRecipes> reports;
    std::array<std::array<std::int64_t, kCards.size()>, kFinetuneRecipes>
        gpus; // of a recipe and card; 0: never
    std::vector<LoraMatrix> matrices;

    const FinetuneReport& of(FinetuneRecipe recipe) const
    {
        return reports[static_cast<std::size_t>(recipe)];
    }
    const FinetuneReport& chosen() const { return of(settings.recipe); }
    std::int64_t gpus_of(FinetuneRecipe recipe, std::size_t card) const
    {
        return gpus[static_cast<std::size_t>(recipe)][card];
    }
};
FinetuneModel finetune_model(const std::pair<Scenario, FinetuneSettings>& from);

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
