// Checkpoints: what they hold and what happens when a part is missing, how large they are, and how their
// shards move to another layout.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/derived.h"
#include "core/base/term.h"
#include "core/base/text.h"
#include "core/reliability/goodput.h"
#include "ui/shell/view.h"
#include "ui/views/reliability/checkpoint/pictures.h"
#include "ui/views/reliability/goodput/desk.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostTensor = 16;
constexpr std::int64_t kMostStages = 8;
constexpr std::int64_t kMostData = 4;

Held everything()
{
    Held all{};
    all.fill(true);
    return all;
}

class CheckpointView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    static ShardLayout whole(const Frame& frame);
    static ShardLayout from(const Frame& frame);
    ShardLayout to(const Frame& frame) const;
    ShardMove move(const Frame& frame) const;
    void draw_top(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void flip(CheckpointPart part, Out& out);

    Held held_ = everything();
    ResumeRun whole_ = resume_run(held_);
    ResumeRun resumed_ = whole_;
    std::int64_t tensor_ = 0; // 0: half of the scenario's
    std::int64_t pipeline_ = 0;
    std::int64_t data_ = 0;
    Derived<std::tuple<std::vector<std::int64_t>, ShardLayout, ShardLayout>, Resharding> resharding_;
};

// The scenario's layout: one replica, or all shards of it.
ShardLayout CheckpointView::whole(const Frame& frame)
{
    const Scenario& s = frame.now.scenario;
    ShardLayout layout;
    layout.tensor = s.parallel.tensor;
    layout.pipeline = s.parallel.pipeline;
    layout.sharded = s.parallel.zero >= 1;
    layout.data = layout.sharded ? dense_replicas(s) : 1;
    return layout;
}

// What the picture shows of it.
ShardLayout CheckpointView::from(const Frame& frame)
{
    ShardLayout layout = whole(frame);
    layout.tensor = std::min(layout.tensor, kMostTensor);
    layout.pipeline = std::min({layout.pipeline, kMostStages, frame.now.scenario.model.layers});
    layout.data = std::min({layout.data, std::max<std::int64_t>(1, kMostTensor / layout.tensor), kMostData});
    return layout;
}

ShardLayout CheckpointView::to(const Frame& frame) const
{
    ShardLayout layout = from(frame);
    layout.tensor = tensor_ > 0 ? tensor_ : std::max<std::int64_t>(1, layout.tensor / 2);
    layout.pipeline = std::min(pipeline_ > 0 ? pipeline_ : layout.pipeline, frame.now.scenario.model.layers);
    layout.data = data_ > 0 ? data_ : layout.data;
    return layout;
}

ShardMove CheckpointView::move(const Frame& frame) const
{
    const Evaluated& now = frame.now;
    const std::tuple asked{reshard_units(now.report.parameters, now.scenario.model.layers), from(frame),
                           to(frame)};
    const Resharding& result = resharding_.of(asked, [](const auto& of) { return std::apply(reshard, of); });
    const Bytes size = checkpoint_size(now.scenario, now.report.memory).total();
    return {result,
            whole(frame),
            from(frame),
            to(frame),
            std::ssize(std::get<0>(asked)),
            result.elements > 0 ? size.value / static_cast<double>(result.elements) : 0};
}

Motion CheckpointView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = 1;
    motion.per_second = 0.35;
    motion.rest = 1;
    motion.stops = {0, 1};
    motion.label = frame.playback.t <= 0   ? "saved"
                   : frame.playback.t >= 1 ? "loaded"
                                           : fmt::format("{:.0f}% moved", 100 * frame.playback.t);
    return motion;
}

void CheckpointView::flip(CheckpointPart part, Out& out)
{
    bool& holds = held_.at(static_cast<std::size_t>(part));
    holds = !holds;
    resumed_ = resume_run(held_);
    out.animating = true;
}

void CheckpointView::draw_top(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const bool both = area.w > p.px(560);
    Rect list = both ? area.cut_left(std::clamp(area.w * 0.38F, p.px(250), p.px(380))) : area;
    p.part("contents", list);
    const CheckpointSize size = checkpoint_size(frame.now.scenario, frame.now.report.memory);
    if (const auto part = draw_checklist(p, list, size, held_))
    {
        flip(*part, out);
    }
    if (both)
    {
        area.cut_left(p.px(32));
        p.part("loss", area);
        draw_resume(p, area, whole_, resumed_, held_);
    }
}

void CheckpointView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const float list = p.px(26) + p.px(26) * static_cast<float>(kCheckpointParts);
    const bool both = area.h > list + p.px(110);
    draw_top(frame, p, both ? area.cut_top(std::max(list, area.h * 0.5F)) : area, out);
    if (!both)
    {
        return;
    }
    area.cut_top(p.px(14));
    p.part("shards", area);
    draw_reshard(p, area, move(frame), frame.playback.t);
}

Caption CheckpointView::caption(const Frame& frame) const
{
    const Evaluated& now = frame.now;
    const CheckpointSize size = checkpoint_size(now.scenario, now.report.memory);
    const RunRates rates = run_rates(now.scenario, size, Seconds(now.report.step.total()), {});
    const ByteUnit unit = frame.preferences.unit;
    const std::string missing = missing_words(held_);
    const auto parameters = static_cast<double>(now.report.parameters.total);
    Caption caption;
    caption.sentence =
        missing.empty()
            ? fmt::format("A full checkpoint is **{}**; {} write{} it in **{}**, at most {} each.",
                          format_bytes(size.total(), unit), counted(size.writers, "rank"),
                          size.writers == 1 ? "s" : "", say_time(rates.save_s),
                          format_bytes(size.largest, unit))
            : fmt::format("Without the **{}**, training resumes, but not exactly.", missing);
    const StateBytes each = state_bytes(now.scenario.training);
    caption.formula =
        fmt::format("({:g} + {:g} + {:g} + {:g}) P = {:g} \u00d7 {} = {}", each.weight, each.master,
                    each.momentum, each.variance, each.weight + each.master + each.momentum + each.variance,
                    figure(parameters), format_bytes(size.total(), unit));
    caption.source = fmt::format("Weights, master copy, momentum, variance. {} without the 16-bit weights, "
                                 "which can be recast from the FP32 master copy: 12 P "
                                 "for AdamW. Gradients are not saved. BLOOM 176B: 2.3 TB, of which 329 GB "
                                 "bf16 weights (Le Scao et al. 2022).",
                                 format_bytes(size.without_rounded(), unit));
    return caption;
}

bool CheckpointView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const ShardLayout now = to(frame);
    PanelColumn column(p, area, out.animating);
    column.heading("Load on another layout");
    const auto power = [&](const char* label, std::int64_t value, std::int64_t most, std::int64_t& own)
    {
        auto log = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
        const auto all = std::log2(static_cast<double>(most));
        if (column.slide(label, grouped(value), Track::even(0, all, say_whole), log))
        {
            own = std::int64_t{1} << log;
        }
    };
    power("TP when loading", now.tensor, kMostTensor, tensor_);
    power("PP when loading", now.pipeline, kMostStages, pipeline_);
    if (now.sharded)
    {
        power("DP shards when loading", now.data, kMostData, data_);
    }
    const ShardMove moves = move(frame);
    const auto bytes = [&](std::int64_t n)
    { return format_bytes(Bytes(moves.bytes_each * static_cast<double>(n)), p.look.unit); };
    column.gap();
    column.fact("Moves to another rank", bytes(moves.result.moved));
    column.fact("Stays on its rank", bytes(moves.result.kept));
    column.fact("Most one rank receives", bytes(moves.result.most_received));
    column.fact("Slices", grouped(std::ssize(moves.result.pieces)));
    column.gap();
    if (column.button("See it in the Lab", "L"))
    {
        out.push(OpenView{"lab"});
    }
    tooltip(p, "A small GPT really resumes without its optimizer state, and without its random state");
    return true;
}

ViewKeys CheckpointView::keys()
{
    return {{"1 \u2026 9", "Leave a part out, or put it back",
             [this](const KeyPress& k) { flip(static_cast<CheckpointPart>(k.which), k.out); }},
            {"0", "Put every part back",
             [this]
             {
                 held_ = everything();
                 resumed_ = whole_;
             }},
            {"H D", "Halve or double TP when loading",
             [this](const KeyPress& k)
             {
                 const std::int64_t now = to(k.frame).tensor;
                 tensor_ = std::clamp<std::int64_t>(k.which == 0 ? now / 2 : now * 2, 1, kMostTensor);
             }},
            {"L", "The Lab: resumed for real", [](const KeyPress& k) { k.out.push(OpenView{"lab"}); }}};
}

} // namespace

extern const ViewInfo checkpoint_view{
    33,
    "checkpoint",
    "Reliability",
    "Checkpoints",
    "Checkpoints",
    "Contents and size of a checkpoint, a resume with parts missing, shards on another layout",
    {"model", "tensor", "pipeline", "parallel.zero"},
    make_view<CheckpointView>};

} // namespace ringside
