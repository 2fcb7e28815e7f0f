#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/pipeline/pipelines/pictures.h"
#include "ui/widgets/table.h"

namespace ringside
{

namespace
{

struct Measure
{
    std::string_view name;
    std::string_view brief; // with the unit, where more than two columns stand beside each other
    std::string_view says;
    std::function<std::string(const PipelineRow&)> value;
};

std::string percent(double share)
{
    return three_digits(share * 100);
}

std::vector<Measure> measures(Bytes message, bool narrow)
{
    // By one GPU of every stage on average.
    const auto sent = [message, narrow](const PipelineRow& r)
    {
        const double gb = message.value * static_cast<double>(r.timeline->transfers) /
                          static_cast<double>(r.timeline->ranks()) / 1e9;
        return narrow ? fmt::format("{:.2g}", gb) : three_digits(gb);
    };
    return {
        {"step", "step", "From the first start to the last end, in the units of the times.",
         [](const PipelineRow& r) { return three_digits(r.timeline->makespan); }},
        {"bubble %", "bubble %", "Idle time over all time of all stages: (p-1)/(m+p-1) for equal stages.",
         [](const PipelineRow& r) { return percent(r.timeline->bubble_of_total()); }},
        {"over ideal %", "over ideal",
         "How much longer the step takes than the busiest stage works: (p-1)/m for equal stages. With uneven "
         "stages the slowest one is the ideal.",
         [](const PipelineRow& r) { return percent(r.timeline->bubble_over_ideal()); }},
        {"of span %", "of span",
         "Idle time over the longest time from a stage's first start to its last end: what counts where the "
         "next step may begin before all stages are done.",
         [](const PipelineRow& r) { return percent(r.timeline->span_bubble_of_total()); }},
        {"peak in flight", "in flight",
         "Micro-batches of an even stage that the peak-memory stage stores at most, each until its weight "
         "gradient is done.",
         [](const PipelineRow& r) { return plain_number(r.most_kept()); }},
        {"weight copies", "copies", "Copies of every weight over the pipeline.",
         [](const PipelineRow& r) { return std::to_string(r.copies); }},
        {"sent GB", "GB sent", "Sent from stage to stage per step, by one GPU on average.", sent}};
}

} // namespace

void draw_compare(const Painter& painter, Rect& area, const std::vector<PipelineRow>& rows, Bytes message)
{
    constexpr float kPitch = 22;
    // Headings are numbers then, as over the lanes.
    const bool narrow = rows.size() > 2;
    std::vector<Column<Measure>> columns{{"", [&painter, narrow](const Measure& m)
                                          { return Cell(narrow ? m.brief : m.name, painter.theme.muted); }}};
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        columns.emplace_back(
            narrow ? std::to_string(i + 1) : painter.shortened(Type::small, rows[i].name, painter.px(76)),
            [&row = rows[i]](const Measure& m) { return row.runs() ? m.value(row) : std::string("\u2013"); });
    }
    const Table<Measure> table(std::move(columns), nullptr, nullptr, kPitch,
                               [](const Measure& m) { return std::string(m.says); });
    const std::vector<Measure> all = measures(message, narrow);
    table.draw(painter, area.cut_top(table_height(painter, all.size(), kPitch)), all);
}

} // namespace ringside
