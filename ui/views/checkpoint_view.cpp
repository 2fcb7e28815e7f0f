// Checkpoints: what they hold and what happens when a part is missing, how large they are, and how their
// shards move to another layout.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "core/engine/goodput.h"
#include "ui/shell/view.h"
#include "ui/views/checkpoint/checklist.h"
#include "ui/views/checkpoint/shards.h"
#include "ui/views/goodput/desk.h"
#include "ui/views/goodput/range.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostTensor = 16;
constexpr std::int64_t kMostStages = 8;
constexpr std::int64_t kMostData = 4;

class CheckpointView final : public View
{
public:
    CheckpointView() { held_.fill(true); }

    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    static ShardLayout whole(const Frame& frame);
    static ShardLayout from(const Frame& frame);
    ShardLayout to(const Frame& frame) const;
    const Resharding& resharding(const Frame& frame) const;
    void draw_top(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void flip(CheckpointPart part, Out& out);

    Held held_{};
    ResumeRun whole_ = resume_run(
        []
        {
            Held all{};
            all.fill(true);
            return all;
        }());
    ResumeRun resumed_ = whole_;
    std::int64_t tensor_ = 0; // 0: half of the scenario's
    std::int64_t pipeline_ = 0;
    std::int64_t data_ = 0;
    TypedEntry entry_;
    mutable std::vector<std::int64_t> units_;
    mutable std::optional<std::pair<ShardLayout, ShardLayout>> made_;
    mutable Resharding result_;
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

const Resharding& CheckpointView::resharding(const Frame& frame) const
{
    auto units = reshard_units(frame.now.report.parameters, frame.now.scenario.model.layers);
    const std::pair asked{from(frame), to(frame)};
    if (!made_ || *made_ != asked || units != units_)
    {
        units_ = std::move(units);
        result_ = reshard(units_, asked.first, asked.second);
        made_ = asked;
    }
    return result_;
}

Motion CheckpointView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = 1;
    motion.per_second = 0.35;
    motion.rest = 0.45;
    motion.stops = {0, 1};
    motion.label = frame.playback.t <= 0   ? "saved"
                   : frame.playback.t >= 1 ? "loaded"
                                           : fmt::format("{:.0f}% of the way", 100 * frame.playback.t);
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
    const CheckpointSize size = checkpoint_size(frame.now.scenario, frame.now.report.memory);
    const Resharding& result = resharding(frame);
    const double each = result.elements > 0 ? size.total().value / static_cast<double>(result.elements) : 0;
    draw_reshard(
        p, area,
        {result, whole(frame), from(frame), to(frame), static_cast<std::int64_t>(units_.size()), each},
        frame.playback.t);
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
            ? fmt::format("A full checkpoint is **{}**; {} rank{} write{} it in **{}**, at most {} each.",
                          format_bytes(size.total(), unit), grouped(size.writers),
                          size.writers == 1 ? "" : "s", size.writers == 1 ? "s" : "", say_time(rates.save_s),
                          format_bytes(size.largest, unit))
            : fmt::format("Without the **{}** the run goes on, but not as if nothing had happened.", missing);
    const StateBytes each = state_bytes(now.scenario.training);
    caption.formula =
        fmt::format("({:g} + {:g} + {:g} + {:g}) P = {:g} \u00d7 {} = {}", each.weight, each.master,
                    each.momentum, each.variance, each.weight + each.master + each.momentum + each.variance,
                    figure(parameters), format_bytes(size.total(), unit));
    caption.source = fmt::format("Weights, master copy, momentum, variance. {} without the 16-bit weights, "
                                 "which are the master copy rounded: 12 P "
                                 "for AdamW. Gradients are not saved. BLOOM 176B: 2.3 TB, of which 329 GB "
                                 "bf16 weights (Le Scao et al. 2022).",
                                 format_bytes(size.without_rounded(), unit));
    return caption;
}

bool CheckpointView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const Theme& t = p.theme;
    const Rect head = area.cut_top(p.px(32));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, t.text, "Load it on");
    const ShardLayout before = to(frame);
    const auto power = [&](const char* label, std::int64_t value, std::int64_t most)
    {
        const double log = std::log2(static_cast<double>(value));
        const double now =
            slide(p, area.cut_top(p.px(48)),
                  {label, grouped(value), 0, std::log2(static_cast<double>(most)), false, 1}, log, entry_);
        return now == log ? value : std::int64_t{1} << std::llround(now);
    };
    const auto chosen = [](std::int64_t now, std::int64_t had, std::int64_t own)
    { return now == had ? own : now; };
    tensor_ = chosen(power("Tensor parallel, new", before.tensor, kMostTensor), before.tensor, tensor_);
    pipeline_ =
        chosen(power("Pipeline stages, new", before.pipeline, kMostStages), before.pipeline, pipeline_);
    if (before.sharded)
    {
        data_ = chosen(power("Shards over data, new", before.data, kMostData), before.data, data_);
    }
    const Resharding& result = resharding(frame);
    const CheckpointSize size = checkpoint_size(frame.now.scenario, frame.now.report.memory);
    const double each = result.elements > 0 ? size.total().value / static_cast<double>(result.elements) : 0;
    const auto line = [&](std::string_view label, const std::string& value)
    {
        const Rect row = area.cut_top(p.px(27));
        const float w = p.text(row.right(), row.middle(), Type::mono_small, t.text, value, Align::right);
        p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::small, t.muted, label);
    };
    const auto bytes = [&](std::int64_t n)
    { return format_bytes(Bytes(each * static_cast<double>(n)), p.look.unit); };
    area.cut_top(p.px(8));
    line("Changes its rank", bytes(result.moved));
    line("Stays", bytes(result.kept));
    line("Most for one rank", bytes(result.most_received));
    line("Pieces", grouped(static_cast<std::int64_t>(result.pieces.size())));
    area.cut_top(p.px(10));
    if (button(p, area.cut_top(p.px(34)), "See it in the Lab", "L"))
    {
        out.push(OpenView{"lab"});
    }
    tooltip(p, "A real small GPT resumes without its optimizer state, and without its random state");
    out.animating = out.animating || !(before == to(frame));
    return true;
}

void CheckpointView::keys(const Frame& frame, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    for (std::size_t i = 0; i < kCheckpointParts; ++i)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i))))
        {
            flip(static_cast<CheckpointPart>(i), out);
        }
    }
    if (pressed(ImGuiKey_0))
    {
        held_.fill(true);
        resumed_ = whole_;
        out.animating = true;
    }
    const ShardLayout now = to(frame);
    if (pressed(ImGuiKey_H))
    {
        tensor_ = std::max<std::int64_t>(1, now.tensor / 2);
        out.animating = true;
    }
    if (pressed(ImGuiKey_D))
    {
        tensor_ = std::min(kMostTensor, now.tensor * 2);
        out.animating = true;
    }
    if (pressed(ImGuiKey_L))
    {
        out.push(OpenView{"lab"});
    }
}

constexpr std::array<std::string_view, 4> kControls{"model", "tensor", "pipeline", "parallel.zero"};
constexpr std::array kKeys{KeyHelp{"1 \u2026 9", "Leave a part out, or put it back"},
                           KeyHelp{"0", "Everything is there"},
                           KeyHelp{"H D", "Half or double tensor parallelism when loading"},
                           KeyHelp{"L", "The Lab: resumed for real"}};

} // namespace

extern const ViewInfo checkpoint_view;
const ViewInfo checkpoint_view{
    53,
    "checkpoint",
    "Failures",
    "Saves",
    "What must be saved to go on exactly?",
    "Contents and size of a checkpoint, a resume with parts missing, shards on another layout",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<CheckpointView>()); }};

} // namespace ringside
