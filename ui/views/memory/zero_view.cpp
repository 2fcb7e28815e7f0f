// Who holds what: model states on data-parallel ranks under ZeRO 0 to 3, and the slices on their way.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "ui/shell/tween.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/shards.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kZeroStages = 4;
constexpr std::array<std::string_view, 4> kAdds{"replicated", "optimizer", "+ gradients", "+ weights"};
// Elements sent per step and rank, in multiples of the parameters, one micro-batch (ZeRO, arXiv
// 1910.02054, section 7).
constexpr std::array<std::string_view, 4> kTraffic{"2P", "2P", "2P", "3P"};

class ZeroView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    void choose(const Frame& frame, std::int64_t stage, Out& out) const
    {
        Scenario next = frame.scenario;
        next.parallel.zero = stage;
        out.push(Play{false});
        out.push(ChangeScenario{std::move(next), false});
        out.push(Seek{static_cast<double>(stage)});
    }
    void draw_card(const Frame& frame, const Painter& painter, Rect card, std::int64_t stage, Out& out) const;

    Tween place_;
    Derived<Scenario, std::array<double, kZeroStages>> seconds_; // of a step
};

std::array<double, kZeroStages> seconds_by_stage(const Scenario& scenario)
{
    std::array<double, kZeroStages> seconds{};
    for (std::size_t k = 0; k < kZeroStages; ++k)
    {
        Scenario s = scenario;
        s.parallel.zero = static_cast<std::int64_t>(k);
        seconds.at(k) = step_time(s).total();
    }
    return seconds;
}

Motion ZeroView::motion(const Frame& frame) const
{
    const double t = frame.playback.t;
    const bool between = t != std::floor(t);
    return {.duration = 3,
            .per_second = 0.5,
            .label = between ? fmt::format("stage {:.0f} to {:.0f}", std::floor(t), std::ceil(t))
                             : fmt::format("stage {:.0f}", t),
            .rest = static_cast<double>(frame.now.scenario.parallel.zero)};
}

Shards shards_at(const Frame& frame, const std::array<MemoryReport, 4>& reports, double place)
{
    // Sharding starts with the optimizer, then gradients, then weights: the last bands first.
    Shards shards = shards_of(frame.now.scenario, reports[0], reports[3]);
    for (ShardBand& band : shards.bands)
    {
        const double from = band.name == "optimizer" ? 0 : band.name == "gradients" ? 1 : 2;
        band.sharded = static_cast<float>(std::clamp(place - from, 0.0, 1.0));
    }
    return shards;
}

void ZeroView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const auto& all = frame.now.zero();
    const double t = frame.playback.t;
    // A chosen stage eases; playing and scrubbing stand where the clock stands.
    const bool whole = t == std::floor(t) && !frame.playback.playing;
    const double place = whole ? static_cast<double>(place_.towards(static_cast<float>(t), frame,
                                                                    painter.look, out, kShardSeconds * 2))
                               : t;
    if (!whole)
    {
        place_ = Tween();
        place_.towards(static_cast<float>(t), frame, painter.look, out);
    }
    const Shards shards = shards_at(frame, all, place);
    const Rect foot = area.cut_bottom(painter.px(36));
    area.cut_bottom(painter.px(4));
    if (shards.bands.empty())
    {
        empty_state(painter, area, "",
                    "All model states are offloaded: nothing is left on the GPU to shard.");
        return;
    }
    painter.part("held", foot);
    const bool roomy = area.w > painter.px(520);
    const ShardStyle style{roomy ? 136.0F : 84.0F, true};
    const auto hovered = draw_shards(painter, area, shards, style);
    const float label = painter.px(style.label_width);
    const std::size_t columns = shards.columns();
    const float pitch = (area.w - label) / static_cast<float>(columns);
    const float width = std::min(pitch - std::min(painter.px(16), pitch * 0.18F), painter.px(140));
    painter.text(area.x, foot.middle(), Type::small, painter.theme.muted,
                 fmt::format("{} per rank", painter.look.gigabyte()));
    const std::string held = format_gigabytes(shards.held(), painter.look.unit);
    for (std::size_t c = 0; c < columns; ++c)
    {
        const float x = area.x + label + pitch * static_cast<float>(c) + width / 2;
        if (painter.width(Type::mono_small, held) < pitch - painter.px(4) || c % 2 == 0)
        {
            painter.text(x, foot.middle(), Type::mono_small, painter.theme.text, held, Align::centre);
        }
    }
    if (hovered)
    {
        shards_tip(painter, area, shards, *hovered);
    }
}

Caption ZeroView::caption(const Frame& frame) const
{
    const auto& all = frame.now.zero();
    const auto stage = static_cast<std::int64_t>(std::lround(std::clamp(frame.playback.t, 0.0, 3.0)));
    const auto states = [&](std::int64_t k)
    {
        const StageMemory& m = all[static_cast<std::size_t>(k)].stages[all[0].fullest];
        return format_bytes(m.total() - m.of(Component::activations) - m.of(Component::buffers),
                            frame.preferences.unit);
    };
    const std::int64_t ranks = dense_replicas(frame.now.scenario);
    constexpr std::array<std::string_view, 4> kSays{
        "", "its share of the optimizer states", "its share of the gradients too",
        "its share of the weights too, gathering the rest layer by layer"};
    Caption caption;
    if (ranks == 1)
    {
        caption.sentence = "With one replica there is nothing to shard across. Add GPUs, or lower tensor or "
                           "pipeline parallelism.";
    }
    else if (stage == 0)
    {
        caption.sentence = fmt::format("Without ZeRO all {} ranks keep the same **{}** of model states.",
                                       grouped(ranks), states(0));
    }
    else
    {
        caption.sentence = fmt::format(
            "From ZeRO-{} to ZeRO-{} each of {} ranks keeps only {}: **{} to {}**.", stage - 1, stage,
            grouped(ranks), kSays[static_cast<std::size_t>(stage)], states(stage - 1), states(stage));
    }
    const Term term = explain_zero(frame.now.scenario, stage, all[0].fullest);
    caption.formula = fmt::format("stage {} = {} = {} = {}", stage, term.formula, term.working,
                                  format_bytes(Bytes(term.value), frame.preferences.unit));
    caption.source = term.source + ". Of the peak-memory pipeline stage.";
    return caption;
}

void ZeroView::draw_card(const Frame& frame, const Painter& painter, Rect card, std::int64_t stage,
                         Out& out) const
{
    const MemoryReport& memory = frame.now.zero()[static_cast<std::size_t>(stage)];
    const Bytes total = memory.worst().total();
    const bool fits = memory.fits();
    const auto k = static_cast<std::size_t>(stage);
    const Press pressed = press(painter, card, fmt::format("ZeRO {}", stage).c_str(), 8);
    tooltip(painter, fmt::format("ZeRO-{} sends {} elements per rank and step of one micro-batch, P being "
                                 "the parameters of a rank",
                                 stage, kTraffic[k]));
    painter.card(card, frame.scenario.parallel.zero == stage, pressed.hovered);
    const Theme& t = painter.theme;
    const float left = card.x + painter.px(12);
    const float right = card.right() - painter.px(12);
    const float first = card.y + painter.px(20);
    const Rect cap = painter.keycap(left, first, std::to_string(stage));
    const float w = painter.text(right, first, Type::mono, fits ? t.text : t.warning,
                                 format_bytes(total, painter.look.unit), Align::right);
    painter.text_within(cap.right() + painter.px(12), first, right - w - cap.right() - painter.px(20),
                        Type::small_strong, t.text, kAdds[k]);
    const double seconds = seconds_.of(frame.now.scenario, seconds_by_stage)[k];
    const std::string_view sends = dense_replicas(frame.now.scenario) == 1 ? "nothing" : kTraffic[k];
    const float second = first + painter.px(24);
    const float over =
        fits ? 0 : painter.text(right, second, Type::small_strong, t.warning, "over", Align::right);
    painter.text_within(left, second, right - over - painter.px(8) - left, Type::small, t.muted,
                        fmt::format("sends {}, {}/step", sends, format_seconds(Seconds(seconds))));
    const double capacity = memory.capacity.value;
    painter.meter({left, card.bottom() - painter.px(12), right - left, painter.px(6)}, total.value, capacity,
                  std::max(capacity * 1.5, frame.now.zero()[0].worst().total().value));
    if (pressed.clicked)
    {
        choose(frame, stage, out);
    }
}

bool ZeroView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    PanelColumn column(painter, area, out.animating);
    column.heading("ZeRO stage", "memory per GPU");
    for (std::int64_t stage = 0; stage < static_cast<std::int64_t>(kZeroStages); ++stage)
    {
        draw_card(frame, painter, column.row(74), stage, out);
        column.gap(8);
    }
    return true;
}

ViewKeys ZeroView::keys()
{
    return {{"0 \u2026 3", "ZeRO stage",
             [this](const KeyPress& k) { choose(k.frame, static_cast<std::int64_t>(k.which), k.out); }},
            {"hover", "What a rank holds"}};
}

} // namespace

extern const ViewInfo zero_view{
    20,
    "zero",
    ViewGroup::memory,
    "ZeRO",
    "ZeRO and FSDP",
    "Weights, gradients and optimizer state on every data-parallel rank, ZeRO 0 to 3",
    {"model", "model_size", "gpus"},
    make_view<ZeroView>};

} // namespace ringside
