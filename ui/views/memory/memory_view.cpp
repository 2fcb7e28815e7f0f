// Does it fit, and what fills it: a stacked bar a stage against the HBM line, and the levers that would make
// it fit.
#include <fmt/format.h>

#include "core/evaluate/explain.h"
#include "core/memory/conventions.h"
#include "ui/draw/scopes.h"
#include "ui/shell/tween.h"
#include "ui/shell/view.h"
#include "ui/views/memory/memory/bars.h"
#include "ui/views/memory/memory/levers.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/stacked_bar.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Pick
{
    std::size_t stage = 0;
    Component component = Component::activations;

    bool operator==(const Pick&) const = default;
};

class MemoryView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    void draw_header(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_conventions(const Frame& frame, const Painter& painter, Rect box);
    std::vector<MemoryBar> draw_bars(const Frame& frame, const Painter& painter, const MemoryChart& chart,
                                     bool names, Out& out);
    void draw_bar(const Frame& frame, const Painter& painter, const MemoryChart& chart, const MemoryBar& bar,
                  Out& out);
    void react(const Painter& painter, Rect segment, Pick pick);

    std::optional<Pick> hovered_;
    std::optional<Pick> picked_;
    std::optional<std::size_t> lever_;
    Tween most_;
    std::map<std::size_t, std::array<Tween, kComponents>> heights_;
};

void MemoryView::draw_conventions(const Frame& frame, const Painter& painter, Rect box)
{
    if (dropdown(painter, box, "###conventions", "Other tools report"))
    {
        ImGui::OpenPopup("other tools");
    }
    ImGui::SetNextWindowPos({box.x, box.bottom() + painter.px(4)});
    ImGui::SetNextWindowSize({painter.px(430), 0});
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{painter.px(16), painter.px(12)});
    const PopupScope popup("other tools");
    if (!popup)
    {
        return;
    }
    const Scenario& s = frame.now.scenario;
    const MegatronReport megatron = megatron_report(s);
    const DeepSpeedInputs inputs = deepspeed_inputs(s);
    const double parameters = static_cast<double>(frame.now.report.parameters.total) /
                              static_cast<double>(s.parallel.tensor * s.parallel.pipeline);
    struct Row
    {
        const char* name;
        Bytes bytes;
        const char* says;
    };
    const std::array rows{Row{"Ringside", frame.now.report.memory.worst().total(),
                              "all seven components of the peak-memory stage"},
                          Row{"Megatron-LM report", megatron.total(), "first stage; no buffers, no logits"},
                          Row{"ZeRO paper", zero_paper_bytes(parameters, dense_replicas(s), s.parallel.zero),
                              "states only, the model cut evenly over tensor and pipeline"},
                          Row{"DeepSpeed ZeRO-2", deepspeed_zero2(inputs).gpu,
                              "states only, data parallel only, buffer factor 1.5"},
                          Row{"DeepSpeed ZeRO-3", deepspeed_zero3(inputs).gpu,
                              "states only, data parallel only, buffer factor 1.5"}};
    const FontScope font(painter.look.fonts.of(Type::small));
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    for (const Row& row : rows)
    {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float w = p.px(398);
        p.text(at.x, at.y + p.px(10), Type::small_strong, p.theme.text, row.name);
        p.text(at.x + w, at.y + p.px(10), Type::mono_small, p.theme.text,
               format_bytes(row.bytes, p.look.unit), Align::right);
        p.text_within(at.x, at.y + p.px(30), w, Type::small, p.theme.muted, row.says);
        ImGui::Dummy({w, p.px(44)});
    }
}

void MemoryView::draw_header(const Frame& frame, const Painter& painter, Rect row, Out& out)
{
    const Rect unit = row.cut_right(painter.px(112));
    constexpr std::array<std::string_view, 2> kUnits{"GB", "GiB"};
    if (const auto chosen = segments(painter, {unit.x, unit.y, unit.w, painter.px(32)}, kUnits,
                                     frame.preferences.unit == ByteUnit::decimal ? 0 : 1))
    {
        Preferences next = frame.preferences;
        next.unit = *chosen == 0 ? ByteUnit::decimal : ByteUnit::binary;
        out.push(ChangePreferences{next});
    }
    row.cut_right(painter.px(12));
    if (row.w > painter.px(360))
    {
        const Rect box = row.cut_right(painter.px(160));
        draw_conventions(frame, painter, {box.x, box.y, box.w, painter.px(32)});
        row.cut_right(painter.px(12));
    }
    painter.text_within(
        row.x, row.y + painter.px(16), row.w, Type::small, painter.theme.muted,
        fmt::format("{} per GPU, by pipeline stage",
                    byte_scale(frame.now.report.memory.worst().total(), painter.look.unit).name));
}

void MemoryView::draw_bar(const Frame& frame, const Painter& painter, const MemoryChart& chart,
                          const MemoryBar& bar, Out& out)
{
    const MemoryReport& memory = frame.now.report.memory;
    const StageMemory& stage = memory.stages[bar.fullest];
    std::vector<BarPart> parts;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const float bytes = heights_[bar.index][i].towards(static_cast<float>(stage.parts[i].value), frame,
                                                           painter.look, out);
        parts.push_back({static_cast<double>(bytes),
                         {painter.theme.component[i]},
                         {},
                         chart.scale.words(stage.parts[i])});
    }
    const StackedBar drawn =
        draw_stacked_bar(painter, bar.column, parts, {chart.most, true, memory.capacity.value});
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        if (drawn.parts[i].h >= 1)
        {
            react(painter, drawn.parts[i], {bar.fullest, static_cast<Component>(i)});
        }
    }
    draw_total(painter, chart, bar, memory);
    draw_stage_names(painter, chart, bar, stage.in_flight, memory.stages.size());
}

void MemoryView::react(const Painter& painter, Rect segment, Pick pick)
{
    const std::string_view name = name_of(pick.component);
    const Press pressed = press(painter, segment, fmt::format("{} of stage {}", name, pick.stage).c_str(), 0);
    if (pressed.hovered)
    {
        hovered_ = pick;
    }
    if (pressed.clicked)
    {
        picked_ = picked_ == pick ? std::nullopt : std::optional(pick);
    }
    if (pressed.hovered || picked_ == pick)
    {
        painter.outline(segment, painter.theme.text, painter.px(2));
    }
    painter.part(name, segment);
}

std::vector<MemoryBar> MemoryView::draw_bars(const Frame& frame, const Painter& painter,
                                             const MemoryChart& chart, bool names, Out& out)
{
    const MemoryReport& memory = frame.now.report.memory;
    const Rect& plot = chart.area;
    std::vector<MemoryBar> bars = group_stages(memory);
    const float pitch = std::min((plot.w - painter.px(8)) / static_cast<float>(bars.size()), painter.px(150));
    const float width = std::min(pitch - std::min(painter.px(16), pitch * 0.2F), painter.px(120));
    // Bars of the same stages are comparable: those with the lever pointed at, or those of A.
    const MemoryReport* other = lever_ ? &frame.now.levers()[*lever_].memory : nullptr;
    if ((other == nullptr || other->stages.size() != memory.stages.size()) && frame.before != nullptr)
    {
        other = &frame.before->report.memory;
    }
    // A bar that is not there has no height to come back from: it may have been another scenario's petabytes.
    heights_.erase(heights_.lower_bound(bars.size()), heights_.end());
    for (MemoryBar& bar : bars)
    {
        bar.column = {plot.x + painter.px(8) + pitch * static_cast<float>(bar.index), plot.y, width, plot.h};
        draw_bar(frame, painter, chart, bar, out);
        if (other != nullptr && other->stages.size() == memory.stages.size())
        {
            draw_ghost(painter, chart, bar.column, other->stages[bar.fullest].total());
        }
    }
    if (names && parts_shown(painter, chart, memory.capacity.value))
    {
        const bool over = !memory.fits() && memory.fullest >= bars.back().first;
        draw_names(painter, chart, memory.stages[bars.back().fullest],
                   bars.back().column.right() + painter.px(4),
                   over ? over_middle(painter, chart, memory) + painter.px(20) : plot.y - painter.px(24),
                   static_cast<float>(memory.capacity.value));
    }
    return bars;
}

void MemoryView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const MemoryReport& memory = frame.now.report.memory;
    if (picked_ && picked_->stage >= memory.stages.size())
    {
        picked_.reset();
    }
    if (area.w > painter.px(640))
    {
        const Rect levers = area.cut_right(painter.px(280));
        area.cut_right(painter.px(24));
        lever_.reset();
        draw_levers(frame, painter, levers, lever_, out);
    }
    hovered_.reset();
    draw_header(frame, painter, area.cut_top(painter.px(48)), out);
    if (area.h < painter.px(170))
    {
        draw_low(painter, area, memory);
        return;
    }
    area.cut_bottom(painter.px(64));
    area.cut_top(painter.px(24));
    const auto top = static_cast<float>(highest(frame) * 1.06);
    MemoryChart chart = memory_chart(painter, area, memory,
                                     static_cast<double>(most_.towards(top, frame, painter.look, out)));
    Rect& plot = chart.area;
    const float right = plot.right();
    // Few bars leave room for the names also in a narrow picture.
    const auto bars = static_cast<float>(group_stages(memory).size());
    const bool names = plot.w > painter.px(420) || plot.w - painter.px(124) >= bars * painter.px(56);
    plot.cut_right(names ? painter.px(116) : 0);
    draw_axis_y(painter, chart.area, chart.axis, chart.left);
    const auto drawn = draw_bars(frame, painter, chart, names, out);
    draw_capacity(painter, chart, drawn, right, memory, frame.now.scenario.cluster.gpu.name);
}

Caption MemoryView::caption(const Frame& frame) const
{
    const Scenario& s = frame.now.scenario;
    const MemoryReport& memory = frame.now.report.memory;
    const ByteUnit unit = frame.preferences.unit;
    const std::string_view gb = unit == ByteUnit::decimal ? "GB" : "GiB";
    const auto number = [unit](Bytes bytes) { return format_gigabytes(bytes, unit); };
    Caption caption;
    const std::optional<Pick> pick = hovered_ ? hovered_ : picked_;
    const StageMemory& worst = memory.worst();
    const std::string limit = plain_number(in_gigabytes(memory.capacity, unit));
    const auto largest = static_cast<Component>(std::max_element(worst.parts.begin(), worst.parts.end()) -
                                                worst.parts.begin());
    const Pick shown = pick.value_or(Pick{memory.fullest, largest});
    const Term term = explain(s, frame.now.report.memory, shown.stage, shown.component);
    caption.formula = fmt::format("{} = {} = {} = {}", name_of(shown.component), term.formula, term.working,
                                  format_bytes(Bytes(term.value), unit));
    caption.source = term.source;
    const StageMemory& stage = memory.stages[shown.stage];
    if (pick)
    {
        caption.sentence =
            fmt::format("The **{}** of stage {} take **{} {}**, {} of the {} {} there.",
                        name_of(shown.component), shown.stage, number(stage.of(shown.component)), gb,
                        format_percent(stage.of(shown.component) / stage.total()), number(stage.total()), gb);
        return caption;
    }
    const auto over = static_cast<std::size_t>(std::count_if(memory.stages.begin(), memory.stages.end(),
                                                             [&](const StageMemory& m)
                                                             { return m.total() > memory.capacity; }));
    const std::string most =
        fmt::format("{} {}", worst.of(largest) / worst.total() > 0.5 ? "most of it" : "its largest part",
                    name_of(largest));
    if (over == 0)
    {
        caption.sentence = fmt::format("Every stage fits: the fullest, stage {}, takes **{} of {} {}**, {}.",
                                       memory.fullest, number(worst.total()), limit, gb, most);
    }
    else if (over == memory.stages.size())
    {
        caption.sentence = fmt::format("{} the fullest, stage {}, needs !!{} of {} {}!!, {}.",
                                       over == 1 ? "It does not fit:" : "No stage fits:", memory.fullest,
                                       number(worst.total()), limit, gb, most);
    }
    else
    {
        caption.sentence = fmt::format(
            "{} of {} stages overflow: stage {} keeps {} micro-batches in flight, !!{} of {} {}!!.", over,
            memory.stages.size(), memory.fullest, worst.in_flight, number(worst.total()), limit, gb);
    }
    return caption;
}

ViewKeys MemoryView::keys()
{
    return {{"1 \u2026 9", "Apply a lever",
             [](const KeyPress& k)
             {
                 const auto& levers = k.frame.now.levers();
                 if (k.which < levers.size())
                 {
                     k.out.push(ChangeScenario{levers[k.which].after, false});
                 }
             }},
            {"click", "Keep a block's formula in the caption"}};
}

constexpr std::array<std::string_view, 6> kControls{"model",  "model_size", "gpus",
                                                    "tensor", "pipeline",   "micro_batch"};

} // namespace

extern const ViewInfo memory_view;
const ViewInfo memory_view{2,
                           "memory",
                           "Memory",
                           "Breakdown",
                           "Memory breakdown",
                           "Memory per GPU by pipeline stage and component, and what would make it fit",
                           kControls,
                           [] { return std::unique_ptr<View>(std::make_unique<MemoryView>()); }};

} // namespace ringside
