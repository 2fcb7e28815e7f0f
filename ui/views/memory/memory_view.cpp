// Does it fit, and what fills it: a bar a stage against the GPU's memory, its components in numbers, and the
// levers that would make it fit.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/levers.h"
#include "core/memory/conventions.h"
#include "core/memory/explain_memory.h"
#include "ui/draw/painter.h"
#include "ui/draw/scopes.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/tween.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <optional>

namespace ringside
{

namespace
{

void draw_lever(const Frame& frame, const Painter& painter, Rect card, std::size_t index,
                std::optional<std::size_t>& pointed_at, Out& out)
{
    const Lever& lever = frame.now.levers()[index];
    const Press pressed = press(painter, card, lever.name.c_str(), 8);
    if (pressed.hovered || pressed.focused)
    {
        pointed_at = index;
    }
    painter.card(card, pressed.hovered || pressed.focused, false);
    if (pressed.clicked)
    {
        out.push(ChangeScenario{lever.after, false});
    }
    const float left = card.x + painter.px(48);
    const float right = card.right() - painter.px(12);
    const bool tall = card.h >= painter.px(80);
    const float first = card.y + painter.px(tall ? 24 : 18);
    if (index < 9)
    {
        painter.keycap(card.x + painter.px(12), first, std::to_string(index + 1));
    }
    const std::string saving = "\u2212" + format_bytes(lever.saving, painter.look.unit);
    const float w = painter.text(right, first, Type::mono_small, painter.theme.text, saving, Align::right);
    painter.text_within(left, first, right - w - painter.px(8) - left, Type::small_strong, painter.theme.text,
                        lever.name);
    painter.text_within(left, first + painter.px(24), right - left, Type::small, painter.theme.muted,
                        lever.cost);
    tooltip(painter, lever.name + ": " + lever.cost);
    if (tall)
    {
        const Bytes after = lever.memory.worst().total();
        const double capacity = lever.memory.capacity.value;
        const double most = std::max(capacity * 1.12, frame.now.report->memory.worst().total().value);
        const std::string total = format_bytes(after, painter.look.unit);
        const float room = painter.width(Type::mono_small, total) + painter.px(12);
        painter.meter({left, first + painter.px(46), right - left - room, painter.px(8)}, after.value,
                      capacity, most);
        painter.text(right, first + painter.px(50), Type::mono_small,
                     lever.fits ? painter.theme.text : painter.theme.warning, total, Align::right);
    }
}

// Pressing one applies it. `pointed_at` is the one under the mouse or the keyboard, where there is one.
void draw_levers(const Frame& frame, const Painter& painter, Rect area,
                 std::optional<std::size_t>& pointed_at, Out& out)
{
    const std::vector<Lever>& levers = frame.now.levers();
    painter.part("levers", area);
    const MemoryReport& memory = frame.now.report->memory;
    draw_chart_title(painter, area.cut_top(painter.px(36)),
                     memory.fits() ? "Ways to save memory" : "What would make it fit", {},
                     fmt::format("stage {}", memory.fullest));
    if (levers.empty())
    {
        empty_state(painter, area, "",
                    "No single change saves memory here. Try a smaller model, a larger GPU, or more GPUs.");
        return;
    }
    const float note = painter.px(28);
    const float tall = painter.px(96);
    const float gap = painter.px(8);
    const bool use_tall = area.h - note >= 3 * (tall + gap);
    const float height = use_tall ? tall : painter.px(60);
    const auto rows = static_cast<std::size_t>(std::max(0.0F, (area.h - note + gap) / (height + gap)));
    for (std::size_t i = 0; i < std::min(rows, levers.size()); ++i)
    {
        const Rect card = area.cut_top(height);
        area.cut_top(gap);
        const IdScope id(static_cast<int>(i));
        draw_lever(frame, painter, card, i, pointed_at, out);
    }
    const std::string hint = pointed_at
                                 ? fmt::format("Thin bars: with \u201c{}\u201d", levers[*pointed_at].name)
                                 : "Cheapest first. Point at one to compare.";
    painter.text_within(area.x, area.y + painter.px(10), area.w, Type::small, painter.theme.muted, hint);
}

constexpr std::size_t kMostRows = 16;
constexpr const char* kOtherTools = "other tools";

struct Pick
{
    std::size_t stage = 0;
    Component component = Component::activations;

    bool operator==(const Pick&) const = default;
};

// Consecutive stages on one row: the fullest of them stands for all.
struct StageRow
{
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t fullest = 0;
};

class MemoryView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    void draw_header(const Frame& frame, const Painter& painter, Rect row, Out& out) const;
    // Returns where the bars end.
    float draw_bars(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_components(const Frame& frame, const Painter& painter, Rect area);
    const MemoryReport* compared(const Frame& frame) const;
    void react(const Painter& painter, Rect segment, Pick pick);

    std::optional<Pick> hovered_;
    std::optional<Pick> picked_;
    std::optional<std::size_t> lever_;
    Tween most_;
    std::map<std::size_t, std::array<Tween, kComponents>> lengths_;
};

std::vector<StageRow> stage_rows(const MemoryReport& memory)
{
    const std::size_t stages = memory.stages.size();
    const std::size_t rows = std::min(stages, kMostRows);
    std::vector<StageRow> groups;
    for (std::size_t i = 0; i < rows; ++i)
    {
        StageRow row{i * stages / rows, (i + 1) * stages / rows - 1, i * stages / rows};
        for (std::size_t stage = row.first; stage <= row.last; ++stage)
        {
            row.fullest =
                memory.stages[stage].total() > memory.stages[row.fullest].total() ? stage : row.fullest;
        }
        groups.push_back(row);
    }
    return groups;
}

void draw_conventions(const Frame& frame, const Painter& painter)
{
    PopupSheet sheet(painter, kOtherTools, 460);
    if (!sheet)
    {
        return;
    }
    const Scenario& s = frame.now.scenario;
    const DeepSpeedInputs inputs = deepspeed_inputs(s);
    const double parameters = static_cast<double>(frame.now.report->parameters.total) /
                              static_cast<double>(s.parallel.tensor * s.parallel.pipeline);
    const auto say = [&](const char* name, Bytes bytes, const char* counts)
    {
        sheet->fact(name, format_bytes(bytes, painter.look.unit), {}, FactInk::strong);
        sheet->note(counts);
    };
    sheet->heading("The same layout, as each tool counts it");
    say("Ringside, card", frame.now.report->memory.worst().total(),
        "What nvidia-smi shows: all seven components of the peak-memory stage");
    say("Ringside, allocated", frame.now.report->memory.most_allocated().allocated(),
        "What torch.cuda.max_memory_allocated reports: without reserve and fragmentation");
    say("Megatron-LM report", megatron_report(s).total(), "First stage, without buffers and logits");
    say("ZeRO paper", zero_paper_bytes(parameters, dense_replicas(s), s.parallel.zero),
        "Model states only, split evenly over tensor and pipeline parallelism");
    constexpr const char* kDeepSpeed = "Model states only, data parallelism only, buffer factor 1.5";
    say("DeepSpeed ZeRO-2", deepspeed_zero2(inputs).gpu, kDeepSpeed);
    say("DeepSpeed ZeRO-3", deepspeed_zero3(inputs).gpu, kDeepSpeed);
}

void MemoryView::draw_header(const Frame& frame, const Painter& painter, Rect row, Out& out) const
{
    constexpr std::array<std::string_view, 2> kUnits{"GB", "GiB"};
    if (const auto chosen = segments(painter, row.cut_right(painter.px(112)), kUnits,
                                     frame.preferences.unit == ByteUnit::decimal ? 0 : 1))
    {
        Preferences next = frame.preferences;
        next.unit = *chosen == 0 ? ByteUnit::decimal : ByteUnit::binary;
        out.push(ChangePreferences{next});
    }
    row.cut_right(painter.px(12));
    if (row.w > painter.px(200) &&
        dropdown(painter, row.cut_right(painter.px(190)), "###conventions", "Other tools report"))
    {
        ImGui::OpenPopup(kOtherTools);
    }
    draw_conventions(frame, painter);
}

// Memory of the same stages with the lever pointed at, or of A.
const MemoryReport* MemoryView::compared(const Frame& frame) const
{
    const auto same = [&](const MemoryReport* other)
    { return other->stages.size() == frame.now.report->memory.stages.size(); };
    const MemoryReport* with = lever_ ? &frame.now.levers()[*lever_].memory : nullptr;
    const MemoryReport* before = frame.before != nullptr ? &frame.before->report->memory : nullptr;
    return with != nullptr && same(with) ? with : before != nullptr && same(before) ? before : nullptr;
}

std::vector<BarPart> parts_of(const Theme& theme, const StageMemory& stage, const ByteScale& scale)
{
    std::vector<BarPart> parts;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        parts.push_back({stage.parts[i].value,
                         {theme.component[i]},
                         name_of(static_cast<Component>(i)),
                         scale.words(stage.parts[i])});
    }
    return parts;
}

void MemoryView::react(const Painter& painter, Rect segment, Pick pick)
{
    const std::string_view name = name_of(pick.component);
    const Press pressed = press(painter, segment, fmt::format("{} of stage {}", name, pick.stage).c_str(), 0);
    hovered_ = pressed.hovered ? std::optional(pick) : hovered_;
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

float MemoryView::draw_bars(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const MemoryReport& memory = frame.now.report->memory;
    const MemoryReport* other = compared(frame);
    const ByteScale scale = byte_scale(memory.worst().total(), painter.look.unit);
    const double most =
        std::max({memory.capacity, memory.worst().total(),
                  frame.before != nullptr ? frame.before->report->memory.worst().total() : Bytes{}})
            .value;
    BarRows bars{
        {{fmt::format("{} per GPU, by pipeline stage", scale.name),
          other == nullptr ? ""
          : lever_         ? "below: with the change"
                           : "below: A",
          static_cast<double>(most_.towards(static_cast<float>(most * 1.02), frame, painter.look, out)), 1,
          memory.capacity.value,
          fmt::format("GPU memory {} {}", plain_number(in_gigabytes(memory.capacity, painter.look.unit)),
                      painter.look.gigabyte()),
          "total"},
         {"allocated", "", 1, 0},
         {"in flight", "", 1, 0}},
        {},
        96};
    const std::vector<StageRow> rows = stage_rows(memory);
    // A bar that is not there has no length to come back from: it may have been another scenario's petabytes.
    lengths_.erase(lengths_.lower_bound(rows.size()), lengths_.end());
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
        const StageRow& r = rows[row];
        const StageMemory& stage = memory.stages[r.fullest];
        BarCell cell{parts_of(painter.theme, stage, scale), {}, scale.words(stage.total())};
        for (std::size_t i = 0; i < kComponents; ++i)
        {
            cell.parts[i].value = static_cast<double>(
                lengths_[row][i].towards(static_cast<float>(stage.parts[i].value), frame, painter.look, out));
        }
        if (other != nullptr)
        {
            cell.below = parts_of(painter.theme, other->stages[r.fullest], scale);
        }
        bars.rows.push_back(
            {r.first == r.last ? fmt::format("stage {}", r.first)
                               : fmt::format("stages {}\u2013{}", r.first, r.last),
             {cell, {{}, {}, scale.words(stage.allocated())}, {{}, {}, grouped(stage.in_flight)}}});
        bars.rows.back().chosen = r.first <= memory.fullest && memory.fullest <= r.last;
    }
    const DrawnRows drawn = draw_bar_rows(painter, area, bars);
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
        for (std::size_t i = 0; i < kComponents && !drawn.bars[row].empty(); ++i)
        {
            const Rect& part = drawn.bars[row][0].parts[i];
            if (part.w >= 1)
            {
                react(painter, part, {rows[row].fullest, static_cast<Component>(i)});
            }
        }
    }
    return drawn.bottom;
}

// What the fullest stage, or the one that was picked, consists of.
void MemoryView::draw_components(const Frame& frame, const Painter& painter, Rect area)
{
    const MemoryReport& memory = frame.now.report->memory;
    const std::optional<Pick> pick = hovered_ ? hovered_ : picked_;
    const std::size_t at = pick ? pick->stage : memory.fullest;
    const StageMemory& stage = memory.stages[at];
    const ByteScale scale = byte_scale(stage.total(), painter.look.unit);
    const Table<Component> table{
        {Column<Component>(fmt::format("Stage {}{}", at, at == memory.fullest ? ", the peak" : ""),
                           [](Component c) { return name_of(c); })
             .with(22,
                   [](const Painter& p, Rect r, Component c, bool) { draw_swatch(p, r, {p.theme.of(c)}); }),
         {std::string(scale.name), [&](Component c) { return scale.words(stage.of(c)); }},
         {"fraction", [&](Component c) { return format_percent(stage.of(c) / stage.total()); }, 2},
         Column<Component>(
             "formula",
             [&](Component c)
             { return Cell(explain(frame.now.scenario, memory, at, c).formula, painter.theme.muted); },
             1)
             .words()},
        [at](Component c) { return fmt::format("{} in the table of stage {}", name_of(c), at); },
        [&](Component c) { return pick && pick->component == c; },
        34,
        nullptr,
        [](Component c) { return std::string(name_of(c)); }};
    constexpr auto rows = rows_of<Component, kComponents>();
    if (const auto pressed = table.draw(painter, area, rows).pressed)
    {
        const Pick now{at, rows.at(*pressed)};
        picked_ = picked_ == now ? std::nullopt : std::optional(now);
    }
}

void MemoryView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (picked_ && picked_->stage >= frame.now.report->memory.stages.size())
    {
        picked_.reset();
    }
    lever_.reset();
    if (area.w > painter.px(640))
    {
        const Rect levers = area.cut_right(painter.px(280));
        area.cut_right(painter.px(24));
        draw_levers(frame, painter, levers, lever_, out);
    }
    hovered_.reset();
    draw_header(frame, painter, area.cut_top(painter.px(32)), out);
    area.cut_top(painter.px(12));
    // The table where rows of bars are no thinner than its own.
    const auto rows = static_cast<float>(stage_rows(frame.now.report->memory).size() + 2);
    const float table = table_height(painter, kComponents);
    const bool listed = area.h >= rows * painter.px(26) + painter.px(16) + table && area.w > painter.px(300);
    const float bottom = draw_bars(
        frame, painter, {area.x, area.y, area.w, area.h - (listed ? table + painter.px(16) : 0)}, out);
    if (listed)
    {
        area.cut_top(bottom + painter.px(16) - area.y);
        draw_components(frame, painter, area);
    }
}

Caption MemoryView::caption(const Frame& frame) const
{
    const Scenario& s = frame.now.scenario;
    const MemoryReport& memory = frame.now.report->memory;
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
    const Term term = explain(s, frame.now.report->memory, shown.stage, shown.component);
    caption.formula = fmt::format("{} = {} = {} = {}", name_of(shown.component), term.formula, term.working,
                                  format_bytes(Bytes(term.value), unit));
    caption.source = term.source;
    const StageMemory& stage = memory.stages[shown.stage];
    if (pick)
    {
        caption.sentence =
            fmt::format("**{}** on stage {}: **{} {}**, {} of its {} {}.", name_of(shown.component),
                        shown.stage, number(stage.of(shown.component)), gb,
                        format_percent(stage.of(shown.component) / stage.total()), number(stage.total()), gb);
        return caption;
    }
    const auto over = static_cast<std::size_t>(std::count_if(memory.stages.begin(), memory.stages.end(),
                                                             [&](const StageMemory& m)
                                                             { return m.total() > memory.capacity; }));
    const bool may = memory.verdict() != MemoryVerdict::no; // its range reaches below the capacity
    const std::string range =
        fmt::format("80% range {} to {}", number(Bytes(worst.total().value * memory.low)),
                    number(Bytes(worst.total().value * memory.high)));
    const std::string most =
        fmt::format("{} {}", worst.of(largest) / worst.total() > 0.5 ? "most of it" : "its largest part",
                    name_of(largest));
    if (over == 0)
    {
        caption.sentence = fmt::format(
            "Every stage fits: stage {} peaks at **{} of {} {}** ({}), {}; PyTorch allocates {}.",
            memory.fullest, number(worst.total()), limit, gb, range, most, number(worst.allocated()));
    }
    else if (over == memory.stages.size())
    {
        caption.sentence = fmt::format("{} stage {} needs !!{} of {} {}!! ({}), {}.",
                                       may         ? "It may not fit:"
                                       : over == 1 ? "It does not fit:"
                                                   : "No stage fits:",
                                       memory.fullest, number(worst.total()), limit, gb, range, most);
    }
    else
    {
        caption.sentence = fmt::format(
            "{} of {} stages do not fit: stage {} has {} micro-batches in flight and needs !!{} of {} {}!!.",
            over, memory.stages.size(), memory.fullest, worst.in_flight, number(worst.total()), limit, gb);
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

} // namespace

extern const ViewInfo memory_view{
    10,
    "memory",
    ViewGroup::memory,
    "Breakdown",
    "Memory breakdown",
    "Memory per GPU by pipeline stage and component, and what would make it fit",
    {"model", "model_size", "gpus", "tensor", "pipeline", "micro_batch"},
    make_view<MemoryView>};

} // namespace ringside
