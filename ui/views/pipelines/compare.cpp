#include "ui/views/pipelines/compare.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

namespace ringside
{

namespace
{

std::string percent(double share)
{
    return three_digits(share * 100);
}

} // namespace

void draw_compare(const Painter& painter, Rect& area, const std::vector<PipelineRow>& rows, Bytes message)
{
    const Theme& t = painter.theme;
    const auto count = static_cast<float>(rows.size());
    // Units stand with the labels, so that four columns fit; headings are numbers then, as over the lanes.
    const bool narrow = rows.size() > 2;
    const float column = std::min(painter.px(64), (area.w - painter.px(narrow ? 52 : 62)) / count);
    const char* pointed = "";
    const auto line =
        [&](std::string_view label, std::string_view short_label, const char* says, auto&& value)
    {
        const Rect row = area.cut_top(painter.px(22));
        painter.line(row.x, row.bottom(), row.right(), row.bottom(), t.grid);
        painter.text_within(row.x, row.middle(), row.w - column * count, Type::small, t.muted,
                            narrow ? short_label : label);
        if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        {
            pointed = says;
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            const float right = row.right() - column * static_cast<float>(rows.size() - 1 - i);
            const bool heading = label.empty();
            const Type type = heading ? Type::small_strong : Type::mono_small;
            const std::string words = heading          ? (narrow ? std::to_string(i + 1) : rows[i].name)
                                      : rows[i].runs() ? value(rows[i])
                                                       : "\u2013";
            painter.text(right, row.middle(), type, t.text,
                         painter.shortened(type, words, column - painter.px(4)), Align::right);
        }
    };
    line("", "", "", [](const PipelineRow&) { return std::string(); });
    line("step", "step", "From the first start to the last end, in the units of the times.",
         [](const PipelineRow& r) { return three_digits(r.timeline->makespan); });
    line("of total %", "idle %", "Idle time over all time of all stages: (p-1)/(m+p-1) for equal stages.",
         [](const PipelineRow& r) { return percent(r.timeline->bubble_of_total()); });
    line("over ideal %", "ideal %",
         "What the step takes longer than the busiest stage works: (p-1)/m for equal stages. With uneven "
         "stages the slowest one is the ideal.",
         [](const PipelineRow& r) { return percent(r.timeline->bubble_over_ideal()); });
    line("of span %", "span %",
         "Idle time over the longest time from a stage's first start to its last end: what counts where the "
         "next step may begin before all stages are done.",
         [](const PipelineRow& r) { return percent(r.timeline->span_bubble_of_total()); });
    line("most kept", "kept",
         "Micro-batches of an even stage that the fullest stage keeps at most, each until its weight "
         "gradient is done.",
         [](const PipelineRow& r) { return plain_number(r.most_kept()); });
    line("weights \u00d7", "copies", "Copies of every weight over the pipeline.",
         [](const PipelineRow& r) { return std::to_string(r.copies); });
    line("sent GB", "GB sent", "Passed from stage to stage in a step, by one GPU on average.",
         [&](const PipelineRow& r)
         {
             // By one GPU of every stage on average.
             const double sent = message.value * static_cast<double>(r.timeline->transfers) /
                                 static_cast<double>(r.timeline->ranks());
             return narrow ? fmt::format("{:.2g}", sent / 1e9) : three_digits(sent / 1e9);
         });
    tooltip_at_mouse(painter, pointed);
}

} // namespace ringside
