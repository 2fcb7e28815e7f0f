// The pictures of serving and what they look at: the user's setup over the scenario, its report and the same
// for other batches.
#pragma once

#include "core/scenario/serving.h"
#include "core/serving/batching.h"
#include "core/serving/serving.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/tween.h"

#include <array>
#include <optional>

namespace ringside
{

// What a user chose; nothing: as the scenario has it.
struct ServingSettings
{
    std::int64_t batch = 32;
    std::optional<std::int64_t> prompt;
    std::optional<std::int64_t> output;
    std::int64_t weight_bits = 16;
    std::int64_t cache_bits = 16;
    bool paged = true;
    double acceptance = 0.8;
    double draft_cost = 0.1; // of a pass of the large model
    std::int64_t drafted = 4;

    bool operator==(const ServingSettings&) const = default;
};

// What the settings come to.
struct ServingModel
{
    Scenario scenario;
    ServingReport report;
    std::vector<ServingReport> curve; // by batch, ascending
    // [s] TPOT as the engine has it, with the prompts in between: of the report, and by batch.
    double predicted = 0;
    std::vector<double> predicted_curve;
    ServingEngine engine;
    Batching held;
    Batching free;
};
ServingModel serving_model(const std::pair<Scenario, ServingSettings>& from);

struct ServingLevels
{
    std::array<Tween, 4> parts;
};

void draw_serving_tank(const Frame& frame, const Painter& painter, Rect area, const ServingReport& report,
                       ServingLevels& levels, Out& out);

// Batch against latency, and below it against throughput, with the user's own point. Returns the
// batch that the point was dragged to.
std::optional<std::int64_t> draw_serving_curves(const Painter& painter, Rect area, const ServingModel& model);

// Static and continuous batching; `clock` in decoding steps.
void draw_serving_slots(const Painter& painter, Rect area, const ServingModel& model, double clock);
// Preallocated and paged.
void draw_serving_pages(const Painter& painter, Rect area, const ServingModel& model);
// The settings where a number of draft tokens was pressed.
std::optional<ServingSettings> draw_serving_drafts(const Painter& painter, Rect area,
                                                   const ServingSettings& settings);

} // namespace ringside
