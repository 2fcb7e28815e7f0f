// Does it fit, and what fills it: a stacked bar a stage against the HBM line, and the levers that would make
// it fit.
#include <fmt/format.h>

#include "core/engine/conventions.h"
#include "core/engine/explain.h"
#include "ui/shell/scopes.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/tween.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::size_t kMostBars = 16;

// Consecutive stages drawn as one bar: the fullest of them stands for all.
struct Bar
{
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t fullest = 0;
    std::size_t index = 0;
    Rect column; // where it stands; its height is the whole chart's
};

// Bytes upwards from the bottom line, `most` of them at the top.
struct Chart
{
    Rect area;
    double most;

    float y(double bytes) const { return area.bottom() - static_cast<float>(bytes / most) * area.h; }
};

std::vector<Bar> group_stages(const MemoryReport& memory)
{
    const std::size_t stages = memory.stages.size();
    const std::size_t bars = std::min(stages, kMostBars);
    std::vector<Bar> groups;
    for (std::size_t i = 0; i < bars; ++i)
    {
        Bar bar{i * stages / bars, (i + 1) * stages / bars - 1, i * stages / bars, i, {}};
        for (std::size_t stage = bar.first; stage <= bar.last; ++stage)
        {
            bar.fullest =
                memory.stages[stage].total() > memory.stages[bar.fullest].total() ? stage : bar.fullest;
        }
        groups.push_back(bar);
    }
    return groups;
}

std::string bar_name(const Bar& bar)
{
    return bar.first == bar.last ? fmt::format("stage {}", bar.first)
                                 : fmt::format("{}\u2013{}", bar.first, bar.last);
}

// 1, 2 or 5 times a power of ten, so that about `lines` lines fit.
double axis_step(double most, double lines)
{
    const double rough = most / lines;
    const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, 1e-12))));
    const double share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

void draw_axis(const Painter& painter, const Chart& chart)
{
    const Rect& area = chart.area;
    const double unit = in_bytes(painter.look.unit);
    const double lines = std::clamp(static_cast<double>(area.h / painter.px(40)), 1.5, 4.5);
    const double step = axis_step(chart.most / unit, lines) * unit;
    const int last = static_cast<int>(chart.most / step);
    for (int i = 0; i <= last; ++i)
    {
        const double value = i * step;
        const float y = std::round(chart.y(value));
        painter.line(area.x, y, area.right(), y, i == 0 ? painter.theme.line : painter.theme.grid);
        painter.text(area.x - painter.px(8), y, Type::mono_small, painter.theme.muted,
                     plain_number(value / unit), Align::right);
    }
}

// What of a bar is beyond the HBM.
void draw_overflow(const Painter& painter, const Chart& chart, Rect column, double bytes, double capacity)
{
    const float top = chart.y(bytes);
    const float line = chart.y(capacity);
    if (bytes > capacity && line - top > 1)
    {
        const Rect cap{column.x, top, column.w, line - top};
        painter.fill(cap, with_alpha(mix(painter.theme.window, painter.theme.warning, 0.3F), 0.72F));
        painter.hatch(cap, painter.theme.warning, kOverflowHatch);
        painter.outline(cap, painter.theme.warning, painter.px(2));
    }
}

float pitch_of(const Bar& bar)
{
    return bar.column.w * 1.25F;
}

// Where it stands how much too much the fullest stage takes.
float over_middle(const Painter& painter, const Chart& chart, const MemoryReport& memory)
{
    return std::min(chart.y(memory.capacity.value) - painter.px(14),
                    chart.y(memory.worst().total().value) - painter.px(6));
}

// The total above a bar where it fits, and how much too much it is.
void draw_total(const Painter& painter, const Chart& chart, const Bar& bar, const MemoryReport& memory)
{
    const StageMemory& stage = memory.stages[bar.fullest];
    const bool last = bar.last + 1 == memory.stages.size();
    const bool over = stage.total() > memory.capacity;
    const bool fullest = bar.first <= memory.fullest && memory.fullest <= bar.last;
    const Type type = bar.column.w > painter.px(64) ? Type::mono : Type::mono_small;
    const std::string number = format_gigabytes(stage.total(), painter.look.unit);
    const float middle = chart.y(stage.total().value) - painter.px(14);
    painter.part("total", {bar.column.x, middle - painter.px(14), bar.column.w, painter.px(28)});
    if (painter.width(type, number) < pitch_of(bar) || fullest || last)
    {
        painter.text(bar.column.centre(), middle, type, over ? painter.theme.warning : painter.theme.text,
                     number, Align::centre);
    }
    const bool next_is_lower = last || memory.stages[bar.last + 1].total() <= memory.capacity;
    if (over && fullest && next_is_lower)
    {
        painter.text(bar.column.right() + painter.px(12), over_middle(painter, chart, memory),
                     Type::body_strong, painter.theme.warning,
                     fmt::format("{} {} over",
                                 format_gigabytes(stage.total() - memory.capacity, painter.look.unit),
                                 painter.look.gigabyte()));
    }
}

// Below a bar its stage and what it keeps; where bars are narrow, what fits.
void draw_stage_names(const Painter& painter, const Chart& chart, const Bar& bar, std::int64_t in_flight)
{
    const float y = chart.area.bottom() + painter.px(20);
    const float pitch = pitch_of(bar);
    const bool named = painter.width(Type::small_strong, "stage 00") < pitch;
    const std::string name = bar.first == bar.last && !named ? std::to_string(bar.first) : bar_name(bar);
    const bool every = painter.width(Type::small_strong, name) < pitch;
    const float centre = bar.column.centre();
    if (every || bar.index % 2 == 0)
    {
        painter.text(centre, y, Type::small_strong, painter.theme.text, name, Align::centre);
    }
    const bool flight = painter.width(Type::small, "00 in flight") < pitch;
    if (flight || every || bar.index % 2 == 0)
    {
        painter.text(centre, y + painter.px(20), Type::small, painter.theme.muted,
                     flight ? fmt::format("{} in flight", in_flight) : std::to_string(in_flight),
                     Align::centre);
    }
    if (bar.index == 0 && !named)
    {
        painter.text(chart.area.x - painter.px(8), y, Type::small, painter.theme.muted, "stage",
                     Align::right);
    }
    if (bar.index == 0 && !flight)
    {
        painter.text(chart.area.x - painter.px(2), y + painter.px(20), Type::small, painter.theme.muted,
                     "in flight", Align::right);
    }
}

// How high the bar is with a lever, or was before.
void draw_ghost(const Painter& painter, const Chart& chart, Rect column, Bytes level)
{
    const float y = std::round(chart.y(level.value));
    painter.line(column.x, y, column.right(), y, painter.theme.window, painter.px(4));
    painter.dashed(column.x - painter.px(4), y, column.right() + painter.px(4), y, painter.theme.text,
                   painter.px(2));
    const float u = painter.px(5);
    painter.list.AddTriangleFilled({column.x - u * 1.6F, y - u}, {column.x, y}, {column.x - u * 1.6F, y + u},
                                   painter.theme.text);
    painter.list.AddTriangleFilled({column.right() + u * 1.6F, y - u}, {column.right() + u * 1.6F, y + u},
                                   {column.right(), y}, painter.theme.text);
}

// The parts' names right of the last bar, none above `least`, and clear of the words above the line of the
// capacity.
void draw_names(const Painter& painter, const Chart& chart, const StageMemory& stage, float x, float least,
                float capacity)
{
    double below = 0;
    float last = chart.area.bottom() + painter.px(20);
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const double bytes = stage.parts[i].value;
        if (bytes <= 0)
        {
            continue;
        }
        const float segment = chart.y(below + bytes / 2);
        below += bytes;
        // Names never overlap: they move up, with a line to their block.
        float y = std::min(segment, last - painter.px(19));
        const float limit = chart.y(capacity) - painter.px(12);
        y = std::abs(y - limit) < painter.px(19) ? limit - painter.px(19) : y;
        if (y < least)
        {
            break;
        }
        last = y;
        painter.line(x, segment, x + painter.px(8), y, painter.theme.line);
        painter.text(x + painter.px(12), y, Type::small, painter.theme.text,
                     name_of(static_cast<Component>(i)));
    }
}

// Where there is no height for bars: a line for each stage, the fullest first where not all have one.
void draw_low(const Painter& p, Rect area, const MemoryReport& memory)
{
    const float line = p.height(Type::small) * 1.35F;
    const auto room = static_cast<std::size_t>(std::max(1.0F, area.h / line));
    std::vector<std::size_t> stages(memory.stages.size());
    std::iota(stages.begin(), stages.end(), std::size_t{0});
    if (room < stages.size())
    {
        std::ranges::stable_sort(stages, std::ranges::greater(),
                                 [&](std::size_t i) { return memory.stages[i].total().value; });
        stages.resize(room);
    }
    const float name = p.width(Type::small, "stage 00 ");
    for (const std::size_t i : stages)
    {
        const StageMemory& stage = memory.stages[i];
        const bool over = stage.total() > memory.capacity;
        const std::string number = format_gigabytes(stage.total(), p.look.unit);
        Rect row = area.cut_top(line);
        p.text(row.x, row.middle(), Type::small, p.theme.muted, fmt::format("stage {}", i));
        row.cut_left(name);
        const float w = p.width(Type::mono_small, number) + p.px(8);
        p.text(row.right(), row.middle(), Type::mono_small, over ? p.theme.warning : p.theme.text, number,
               Align::right);
        row.cut_right(w);
        p.meter({row.x, row.middle() - p.px(5), row.w, p.px(10)}, stage.total().value, memory.capacity.value,
                std::max(memory.capacity.value, memory.worst().total().value));
    }
}

// What the axis has to reach.
double highest(const Frame& frame)
{
    const MemoryReport& memory = frame.now.report.memory;
    double top = memory.capacity.value;
    for (const StageMemory& stage : memory.stages)
    {
        top = std::max(top, stage.total().value);
    }
    return frame.before == nullptr ? top : std::max(top, frame.before->report.memory.worst().total().value);
}

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
    void keys(const Frame& frame, Out& out) override;

private:
    void draw_header(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_conventions(const Frame& frame, const Painter& painter, Rect box);
    void draw_bars(const Frame& frame, const Painter& painter, const Chart& chart, bool names, Out& out);
    void draw_bar(const Frame& frame, const Painter& painter, const Chart& chart, const Bar& bar, Out& out);
    void draw_segment(const Painter& painter, Rect segment, Pick pick, Bytes bytes);
    void draw_levers(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_lever(const Frame& frame, const Painter& painter, Rect card, std::size_t index, Out& out);

    std::optional<Pick> hovered_;
    std::optional<Pick> picked_;
    std::optional<std::size_t> lever_;
    Tween most_;
    std::map<std::size_t, std::array<Tween, kComponents>> heights_;
};

void MemoryView::draw_conventions(const Frame& frame, const Painter& painter, Rect box)
{
    if (dropdown(painter, box, "###conventions", "Other tools say"))
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
    const std::array rows{
        Row{"Ringside", frame.now.report.memory.worst().total(), "all seven parts of the fullest stage"},
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
    painter.text_within(row.x, row.y + painter.px(16), row.w, Type::small, painter.theme.muted,
                        fmt::format("{} per GPU, by pipeline stage", painter.look.gigabyte()));
}

void MemoryView::draw_lever(const Frame& frame, const Painter& painter, Rect card, std::size_t index,
                            Out& out)
{
    const Lever& lever = frame.now.levers[index];
    const Press pressed = press(painter, card, lever.name.c_str(), 8);
    if (pressed.hovered || pressed.focused)
    {
        lever_ = index;
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
        const double most = std::max(capacity * 1.12, frame.now.report.memory.worst().total().value);
        const std::string total = format_bytes(after, painter.look.unit);
        const float room = painter.width(Type::mono_small, total) + painter.px(12);
        painter.meter({left, first + painter.px(46), right - left - room, painter.px(8)}, after.value,
                      capacity, most);
        painter.text(right, first + painter.px(50), Type::mono_small,
                     lever.fits ? painter.theme.text : painter.theme.warning, total, Align::right);
    }
}

void MemoryView::draw_levers(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const std::vector<Lever>& levers = frame.now.levers;
    painter.part("levers", area);
    const MemoryReport& memory = frame.now.report.memory;
    Rect row = area.cut_top(painter.px(40));
    const std::string stage = fmt::format("stage {}", memory.fullest);
    painter.text(row.right(), row.y + painter.px(16), Type::small, painter.theme.muted, stage, Align::right);
    painter.text_within(row.x, row.y + painter.px(16),
                        row.w - painter.width(Type::small, stage) - painter.px(12), Type::body_strong,
                        painter.theme.text,
                        memory.fits() ? "What would save more" : "What would make it fit");
    if (levers.empty())
    {
        painter.paragraph(
            area, Type::small, painter.theme.muted,
            "No single change frees memory here. Try a smaller model, a larger GPU, or more of them.");
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
        draw_lever(frame, painter, card, i, out);
    }
    const std::string hint = lever_
                                 ? fmt::format("Dashed: the bars with \u201c{}\u201d.", levers[*lever_].name)
                                 : "Cheapest first. Point at one to see its bars.";
    painter.text_within(area.x, area.y + painter.px(10), area.w, Type::small, painter.theme.muted, hint);
}

void MemoryView::draw_segment(const Painter& painter, Rect segment, Pick pick, Bytes bytes)
{
    painter.block(segment, painter.theme.of(pick.component), format_gigabytes(bytes, painter.look.unit));
    const Press pressed = press(
        painter, segment, fmt::format("{} of stage {}", name_of(pick.component), pick.stage).c_str(), 0);
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
}

void MemoryView::draw_bar(const Frame& frame, const Painter& painter, const Chart& chart, const Bar& bar,
                          Out& out)
{
    const MemoryReport& memory = frame.now.report.memory;
    const StageMemory& stage = memory.stages[bar.fullest];
    auto& heights = heights_[bar.index];
    double below = 0;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const auto bytes = static_cast<double>(
            heights[i].towards(static_cast<float>(stage.parts[i].value), frame, painter.look, out));
        const float bottom = std::round(chart.y(below));
        const float top = std::round(chart.y(below + bytes));
        below += bytes;
        if (bottom - top >= 1)
        {
            const Rect segment{bar.column.x, top, bar.column.w,
                               bottom - top - (bottom - top > 3 ? 1.0F : 0.0F)};
            draw_segment(painter, segment, {bar.fullest, static_cast<Component>(i)}, stage.parts[i]);
            painter.part(name_of(static_cast<Component>(i)), segment);
        }
    }
    draw_overflow(painter, chart, bar.column, below, memory.capacity.value);
    draw_total(painter, chart, bar, memory);
    draw_stage_names(painter, chart, bar, stage.in_flight);
}

void MemoryView::draw_bars(const Frame& frame, const Painter& painter, const Chart& chart, bool names,
                           Out& out)
{
    const MemoryReport& memory = frame.now.report.memory;
    const Rect& plot = chart.area;
    std::vector<Bar> bars = group_stages(memory);
    const float pitch = std::min((plot.w - painter.px(8)) / static_cast<float>(bars.size()), painter.px(150));
    const float width = std::min(pitch - std::min(painter.px(16), pitch * 0.2F), painter.px(120));
    // Bars of the same stages are comparable: those with the lever pointed at, or those of A.
    const MemoryReport* other = lever_ ? &frame.now.levers[*lever_].memory : nullptr;
    if ((other == nullptr || other->stages.size() != memory.stages.size()) && frame.before != nullptr)
    {
        other = &frame.before->report.memory;
    }
    for (Bar& bar : bars)
    {
        bar.column = {plot.x + painter.px(8) + pitch * static_cast<float>(bar.index), plot.y, width, plot.h};
        draw_bar(frame, painter, chart, bar, out);
        if (other != nullptr && other->stages.size() == memory.stages.size())
        {
            draw_ghost(painter, chart, bar.column, other->stages[bar.fullest].total());
        }
    }
    if (names)
    {
        const bool over = !memory.fits() && memory.fullest >= bars.back().first;
        draw_names(painter, chart, memory.stages[bars.back().fullest],
                   bars.back().column.right() + painter.px(4),
                   over ? over_middle(painter, chart, memory) + painter.px(20) : plot.y - painter.px(24),
                   static_cast<float>(memory.capacity.value));
    }
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
        draw_levers(frame, painter, levers, out);
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
    area.cut_left(painter.px(48));
    const float names = area.w > painter.px(420) ? painter.px(116) : 0;
    const float right = area.right();
    const auto top = static_cast<float>(highest(frame) * 1.06);
    Chart chart{area, static_cast<double>(most_.towards(top, frame, painter.look, out))};
    chart.area.cut_right(names);
    draw_axis(painter, chart);
    draw_bars(frame, painter, chart, names > 0, out);
    const float line = std::round(chart.y(memory.capacity.value));
    painter.line(chart.area.x, line, right, line, painter.theme.text, painter.px(2));
    const Gpu& gpu = frame.now.scenario.cluster.gpu;
    const std::string limit =
        fmt::format("{}: {} {}", gpu.name.empty() ? "GPU" : gpu.name,
                    plain_number(in_gigabytes(memory.capacity, painter.look.unit)), painter.look.gigabyte());
    painter.text(right, line - painter.px(12), Type::small_strong, painter.theme.text, limit, Align::right);
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
    const Term term = explain(s, frame.now.report, shown.stage, shown.component);
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
    if (over == 0)
    {
        caption.sentence =
            fmt::format("Every stage fits: the fullest, stage {}, takes **{} of {} {}**, most of it {}.",
                        memory.fullest, number(worst.total()), limit, gb, name_of(largest));
    }
    else if (over == memory.stages.size())
    {
        caption.sentence = fmt::format("{} the fullest, stage {}, needs !!{} of {} {}!!, most of it {}.",
                                       over == 1 ? "It does not fit:" : "No stage fits:", memory.fullest,
                                       number(worst.total()), limit, gb, name_of(largest));
    }
    else
    {
        caption.sentence = fmt::format(
            "{} of {} stages overflow: stage {} keeps {} micro-batches in flight, !!{} of {} {}!!.", over,
            memory.stages.size(), memory.fullest, worst.in_flight, number(worst.total()), limit, gb);
    }
    return caption;
}

void MemoryView::keys(const Frame& frame, Out& out)
{
    for (int digit = 0; digit < 9; ++digit)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + digit), false) &&
            static_cast<std::size_t>(digit) < frame.now.levers.size())
        {
            out.push(ChangeScenario{frame.now.levers[static_cast<std::size_t>(digit)].after, false});
        }
    }
}

constexpr std::array<std::string_view, 6> kControls{"model",  "model_size", "gpus",
                                                    "tensor", "pipeline",   "micro_batch"};
constexpr std::array kKeys{KeyHelp{"1 \u2026 9", "Apply a lever"},
                           KeyHelp{"click", "Keep a block's formula in the caption"}};

} // namespace

extern const ViewInfo memory_view;
const ViewInfo memory_view{10,
                           "memory",
                           "Memory",
                           "Board",
                           "Does it fit, and what fills it?",
                           "Memory of a GPU by pipeline stage, part by part, and what would make it fit",
                           kControls,
                           kKeys,
                           [] { return std::unique_ptr<View>(std::make_unique<MemoryView>()); }};

} // namespace ringside
