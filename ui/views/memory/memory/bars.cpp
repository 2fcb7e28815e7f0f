#include "ui/views/memory/memory/bars.h"

#include <fmt/format.h>

#include "ui/widgets/bar_rows.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::size_t kMostBars = 16;

std::string bar_name(const MemoryBar& bar)
{
    return bar.first == bar.last ? fmt::format("stage {}", bar.first)
                                 : fmt::format("{}\u2013{}", bar.first, bar.last);
}

float pitch_of(const MemoryBar& bar)
{
    return bar.column.w * 1.25F;
}

} // namespace

MemoryChart memory_chart(const Painter& painter, Rect area, const MemoryReport& memory, double most)
{
    const ByteScale scale = byte_scale(memory.worst().total(), painter.look.unit);
    const PlotAxis axis{0, most / scale.bytes, PlotScale::linear, "", plain_number};
    MemoryChart chart{area, std::max(painter.px(48), plot_left(painter, axis)), axis, most, scale};
    chart.area.cut_left(chart.left);
    return chart;
}

std::vector<MemoryBar> group_stages(const MemoryReport& memory)
{
    const std::size_t stages = memory.stages.size();
    const std::size_t bars = std::min(stages, kMostBars);
    std::vector<MemoryBar> groups;
    for (std::size_t i = 0; i < bars; ++i)
    {
        MemoryBar bar{i * stages / bars, (i + 1) * stages / bars - 1, i * stages / bars, i, {}};
        for (std::size_t stage = bar.first; stage <= bar.last; ++stage)
        {
            bar.fullest =
                memory.stages[stage].total() > memory.stages[bar.fullest].total() ? stage : bar.fullest;
        }
        groups.push_back(bar);
    }
    return groups;
}

float over_middle(const Painter& painter, const MemoryChart& chart, const MemoryReport& memory)
{
    return std::min(chart.y(memory.capacity.value) - painter.px(14),
                    chart.y(memory.worst().total().value) - painter.px(6));
}

void draw_total(const Painter& painter, const MemoryChart& chart, const MemoryBar& bar,
                const MemoryReport& memory)
{
    const StageMemory& stage = memory.stages[bar.fullest];
    const bool last = bar.last + 1 == memory.stages.size();
    const bool over = stage.total() > memory.capacity;
    const bool fullest = bar.first <= memory.fullest && memory.fullest <= bar.last;
    const Type type = bar.column.w > painter.px(64) ? Type::mono : Type::mono_small;
    const std::string number = chart.scale.words(stage.total());
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
        painter.text(
            bar.column.right() + painter.px(12), over_middle(painter, chart, memory), Type::body_strong,
            painter.theme.warning,
            fmt::format("{} {} over", chart.scale.words(stage.total() - memory.capacity), chart.scale.name));
    }
}

void draw_stage_names(const Painter& painter, const MemoryChart& chart, const MemoryBar& bar,
                      std::int64_t in_flight, std::size_t stages)
{
    const float y = chart.area.bottom() + painter.px(20);
    const float pitch = pitch_of(bar);
    const bool named = painter.width(Type::small_strong, "stage 00") < pitch;
    const std::string name = bar.first == bar.last && !named ? std::to_string(bar.first) : bar_name(bar);
    // So many bars apart that the widest name fits between.
    const std::string last = std::to_string(stages - 1);
    const float widest =
        painter.width(Type::small_strong, stages > kMostBars ? last + "\u2013" + last : last);
    const auto apart =
        named ? std::size_t{1} : static_cast<std::size_t>(std::ceil((widest + painter.px(4)) / pitch));
    const float centre = bar.column.centre();
    if (bar.index % apart == 0)
    {
        painter.text(centre, y, Type::small_strong, painter.theme.text, name, Align::centre);
    }
    const bool flight = painter.width(Type::small, "00 in flight") < pitch;
    if (flight || bar.index % apart == 0)
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

void draw_ghost(const Painter& painter, const MemoryChart& chart, Rect column, Bytes level)
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

void draw_capacity(const Painter& painter, const MemoryChart& chart, std::span<const MemoryBar> bars,
                   float right, const MemoryReport& memory, std::string_view gpu)
{
    const float y = std::round(chart.y(memory.capacity.value));
    painter.line(chart.area.x, y, right, y, painter.theme.text, painter.px(2));
    const std::string limit = fmt::format(
        "{} {}", plain_number(in_gigabytes(memory.capacity, painter.look.unit)), painter.look.gigabyte());
    const std::string whole = fmt::format("{}: {}", gpu.empty() ? "GPU" : gpu, limit);
    const float left = right - painter.width(Type::small_strong, whole) - painter.px(8);
    const bool free =
        std::ranges::none_of(bars,
                             [&](const MemoryBar& bar)
                             {
                                 const double total = memory.stages[bar.fullest].total().value;
                                 return bar.column.right() > left && chart.y(total) - painter.px(8) < y;
                             });
    painter.text(right, y - painter.px(12), Type::small_strong, painter.theme.text, free ? whole : limit,
                 Align::right);
}

bool parts_shown(const Painter& painter, const MemoryChart& chart, double capacity)
{
    return chart.area.bottom() - chart.y(capacity) >= painter.px(24);
}

void draw_names(const Painter& painter, const MemoryChart& chart, const StageMemory& stage, float x,
                float least, float capacity)
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

void draw_low(const Painter& p, Rect area, const MemoryReport& memory)
{
    const double most = std::max(memory.capacity, memory.worst().total()).value;
    BarRows rows{{{"", "", most, 1, memory.capacity.value}}, {}, 26};
    std::vector<std::size_t> stages(memory.stages.size());
    std::iota(stages.begin(), stages.end(), std::size_t{0});
    if (area.h < p.height(Type::small) * 1.35F * static_cast<float>(stages.size()))
    {
        std::ranges::stable_sort(stages, std::ranges::greater(),
                                 [&](std::size_t i) { return memory.stages[i].total().value; });
    }
    for (const std::size_t i : stages)
    {
        const StageMemory& stage = memory.stages[i];
        BarCell cell{{}, {}, format_gigabytes(stage.total(), p.look.unit)};
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            cell.parts.push_back({stage.parts[c].value, {p.theme.component[c]}});
        }
        rows.rows.push_back({fmt::format("stage {}", i), {cell}});
    }
    draw_bar_rows(p, area, rows);
}

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

} // namespace ringside
