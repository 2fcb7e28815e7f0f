#include "ui/views/step/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 13> kBuckets{1, 2, 5, 10, 25, 50, 100, 200, 500, 1000, 2000, 5000, 1e9}; // [MB]
constexpr std::array<double, 5> kPrefetch{0, 1, 2, 3, 4};
constexpr std::array<double, 8> kAccumulation{1, 2, 3, 4, 6, 8, 12, 16};
constexpr std::array<double, 8> kShards{0, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<double, 6> kPersistence{0, 1e4, 1e5, 1e6, 1e7, 1e8};

std::size_t nearest(std::span<const double> values, double value)
{
    const auto at =
        std::min_element(values.begin(), values.end(),
                         [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); });
    return static_cast<std::size_t>(at - values.begin());
}

} // namespace

double StepPanel::slide(const Painter& painter, Rect& area, const Choice& choice, double value)
{
    const std::span<const double> values = choice.values;
    const std::size_t at = nearest(values, value);
    std::array<float, 16> ticks{};
    const auto last = static_cast<float>(values.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        ticks[i] = static_cast<float>(i) / last;
    }
    const SliderText words{choice.label, choice.shown, {ticks.data(), values.size()}};
    const Rect row = area.cut_top(painter.px(44));
    const SliderChange change = slider(painter, row, words, static_cast<float>(at) / last, entry_);
    tooltip(painter, choice.tip);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return values[static_cast<std::size_t>(std::lround(change.position * last))];
    case SliderChange::Kind::stepped:
        return values[static_cast<std::size_t>(
            std::clamp(static_cast<int>(at) + change.steps, 0, static_cast<int>(values.size()) - 1))];
    case SliderChange::Kind::typed:
        return values[nearest(values, parse_number(change.text).value_or(value))];
    case SliderChange::Kind::none:
        break;
    }
    return value;
}

bool StepPanel::draw(const Painter& painter, Rect area, StepOptions& o, const StepLife& life)
{
    const StepOptions before = o;
    const Rect head = area.cut_top(painter.px(28));
    const std::string of =
        life.groups[0].ranks > 1 ? fmt::format("{} replicas", grouped(life.groups[0].ranks)) : "";
    painter.text(head.x, head.middle(), Type::body_strong, painter.theme.text, "The step");
    painter.text(head.right(), head.middle(), Type::small, painter.theme.muted, of, Align::right);
    const auto of_values = [&](const char* label, const std::string& shown, std::span<const double> values,
                               double value, const char* tip) {
        return slide(painter, area, {label, shown, values, tip}, value);
    };
    o.accumulation = static_cast<std::int64_t>(of_values("Micro-batches k", std::to_string(o.accumulation),
                                                         kAccumulation, static_cast<double>(o.accumulation),
                                                         "Gradients are added up over k micro-batches"));
    if (shards_weights(o.strategy))
    {
        o.prefetch = static_cast<std::int64_t>(of_values(
            "Prefetch", fmt::format("{} layer{}", o.prefetch, o.prefetch == 1 ? "" : "s"), kPrefetch,
            static_cast<double>(o.prefetch), "Layers gathered ahead of the one at work"));
        o.persistence =
            of_values("Stay gathered below", o.persistence > 0 ? format_count(o.persistence) : "never",
                      kPersistence, o.persistence, "Tensors of fewer parameters are gathered once a step");
    }
    if (o.strategy == StepStrategy::hsdp)
    {
        const std::string shards = grouped(life.groups[0].shards);
        o.hsdp_ranks = static_cast<std::int64_t>(
            of_values("Ranks that share a copy", o.hsdp_ranks == 0 ? fmt::format("node, {}", shards) : shards,
                      kShards, static_cast<double>(o.hsdp_ranks),
                      "Weights are cut over these; the other ranks hold more copies"));
    }
    if (!shards_weights(o.strategy))
    {
        o.bucket_mb =
            of_values("Bucket", o.bucket_mb > 1e6 ? "everything" : format_bytes(Bytes(o.bucket_mb * 1e6)),
                      kBuckets, o.bucket_mb, "Gradients of one message; PyTorch's default is 25 MB");
    }
    const auto flip = [&](const char* label, bool& on, const char* tip)
    {
        on = toggle(painter, area.cut_top(painter.px(30)), label, on) ? !on : on;
        tooltip(painter, tip);
    };
    flip("Overlap", o.overlap, "Communicate while computing (O)");
    flip("Inside layers", o.inside_layers,
         "Tensor, context and expert communication too: a stream of its own that queues behind nothing (I)");
    if (shards_weights(o.strategy))
    {
        flip("Reshard after forward", o.reshard_after_forward,
             "Off: gathered weights stay until their backward, so one gather less and all of them in memory "
             "(R)");
        if (o.accumulation > 1)
        {
            flip("Reduce each micro-batch", o.reduce_every,
                 "Off: gradients stay whole until the last micro-batch (no_sync)");
        }
    }
    return !(o == before);
}

} // namespace ringside
