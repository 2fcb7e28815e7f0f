// What the parts of the ring attention picture share: the numbers, the clock, the rank that is looked at.
#pragma once

#include "core/parallelism/context/plan.h"
#include "core/parallelism/context/ring_attention.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <algorithm>
#include <optional>

namespace ringside
{

struct RingScene
{
    const RingAttention& ring;
    double t = 0; // [blocks] 0 to R: so many are merged, and a fraction of the next
    std::int64_t rank = 0;

    const RingAttentionOptions& options() const { return ring.options(); }
    std::int64_t ranks() const { return options().ranks; }
    std::int64_t merged() const { return std::min(static_cast<std::int64_t>(t + 1e-9), ranks()); }
    float part() const { return static_cast<float>(std::max(0.0, t - static_cast<double>(merged()))); }
    Colour colour(const Theme& theme, std::int64_t of) const
    {
        return stage_colour(theme, static_cast<std::size_t>(of), static_cast<std::size_t>(ranks()));
    }
};

// The scores, row by query and column by key, in the colour of the rank that computes them.
void draw_scores(const Painter& painter, Rect area, const RingScene& scene);
// Ranks with their queries on a circle, keys and values on their way round it. Returns the rank pressed.
std::optional<std::int64_t> draw_circle(const Painter& painter, Rect area, const RingScene& scene);
// Work of every rank, hop by hop, each as long as its slowest. Returns the moment that is pressed.
std::optional<double> draw_work(const Painter& painter, Rect area, const RingScene& scene);
// Running maximum, sum and output of a rank's queries.
float numbers_height(const Painter& painter, const RingScene& scene);
void draw_numbers(const Painter& painter, Rect area, const RingScene& scene);
// The scenario's bytes by ring, by gathering keys and values, by all-to-all of heads.
float ways_height(const Painter& painter);
void draw_ways(const Painter& painter, Rect area, const ContextPlan& plan);

} // namespace ringside
