#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "ui/views/pipeline/pipelines/rows.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::size_t kMostStages = 4; // named in one sentence

std::string what_stage_does(const Timeline& timeline, std::size_t rank, const RankState& state, double t)
{
    if (state.running)
    {
        const Operation& o = timeline.events[*state.running].operation;
        return fmt::format("stage {} runs {}{}", rank, letter(o.pass), o.micro_batch);
    }
    const auto events = timeline.rank(rank);
    const auto next = std::upper_bound(events.begin(), events.end(), t,
                                       [](double at, const Event& e) { return at < e.start; });
    if (next == events.end())
    {
        return fmt::format("stage {} is done", rank);
    }
    if (next->waited_for < 0)
    {
        return fmt::format("stage {} is about to start", rank);
    }
    const Event& cause = timeline.events[static_cast<std::size_t>(next->waited_for)];
    return fmt::format("stage {} waits for {}{} of stage {}", rank, letter(cause.operation.pass),
                       cause.operation.micro_batch, cause.rank);
}

} // namespace

std::string what_happens(const PipelineRow& row, double t)
{
    const auto states = state_at(*row.timeline, t);
    std::vector<std::string> parts;
    for (std::size_t rank = 0; rank < std::min(states.size(), kMostStages); ++rank)
    {
        parts.push_back(what_stage_does(*row.timeline, rank, states[rank], t));
    }
    return fmt::format("**t = {}** under {}: {}{}.", three_digits(t), row.name, fmt::join(parts, "; "),
                       states.size() > kMostStages ? "; \u2026" : "");
}

std::string compare_in_words(const Frame& frame, const std::vector<PipelineRow>& rows)
{
    const PipelineRow& own = rows.front();
    const Timeline& a = *own.timeline;
    const SlowestStage slowest = slowest_stage(frame.now.scenario);
    if (slowest.over_mean > 1.001)
    {
        return fmt::format("Stage {} takes **{}\u00d7 the mean** and sets the pace of {}: {} of {} units are "
                           "idle, {} of total.",
                           slowest.rank, three_digits(slowest.over_mean), own.name,
                           three_digits(a.makespan * a.bubble_of_total()), three_digits(a.makespan),
                           format_percent(a.bubble_of_total()));
    }
    const PipelineRow* fastest = nullptr;
    for (std::size_t i = 1; i < rows.size(); ++i)
    {
        if (rows[i].runs() && rows[i].same_work &&
            (fastest == nullptr || rows[i].timeline->makespan < fastest->timeline->makespan))
        {
            fastest = &rows[i];
        }
    }
    if (fastest == nullptr)
    {
        return fmt::format("{} has a bubble of **{} of total**.", own.name,
                           format_percent(a.bubble_of_total()));
    }
    const Timeline& b = *fastest->timeline;
    const std::string before = plain_number(own.most_kept());
    const std::string after = plain_number(fastest->most_kept());
    const std::string kept = before == after
                                 ? fmt::format("both keep {} micro-batches in flight at most", before)
                                 : fmt::format("at most {} micro-batches in flight, not {}", after, before);
    const std::string bubble_a = format_percent(a.bubble_of_total());
    const std::string bubble_b = format_percent(b.bubble_of_total());
    if (bubble_a == bubble_b)
    {
        return fmt::format("{} and {} have the same bubble, **{} of total**; {}.", own.name, fastest->name,
                           format_percent(b.bubble_of_total()), kept);
    }
    return fmt::format(
        "From {} to {} the step goes from {} to {} units, the bubble **from {} to {} of total**; {}.",
        own.name, fastest->name, three_digits(a.makespan), three_digits(b.makespan), bubble_a, bubble_b,
        kept);
}

Caption bubble_formula(const Frame& frame)
{
    const Scenario& s = frame.now.scenario;
    const Term of_total = explain_bubble_of_total(s, *frame.now.report);
    Caption caption;
    caption.formula = fmt::format("{} = {} = {} of total", of_total.formula, of_total.working,
                                  format_percent(of_total.value));
    caption.source = of_total.source;
    const std::string_view id = s.training.schedule->id;
    if (slowest_stage(s).over_mean > 1.001 && s.stage_times.transfer == 0 && (id == "gpipe" || id == "1f1b"))
    {
        const Term bound = explain_slowest_stage(s);
        caption.formula =
            fmt::format("step \u2264 {} = {} = {}", bound.formula, bound.working, three_digits(bound.value));
        caption.source = bound.source;
    }
    else if (closed_bubble(s))
    {
        const Term over_ideal = explain_bubble_over_ideal(s, *frame.now.report);
        caption.formula +=
            fmt::format(";  {} = {} over ideal", over_ideal.formula, format_percent(over_ideal.value));
        caption.source += ". " + over_ideal.source;
    }
    caption.source +=
        fmt::format(". In units of the stage times; of the step\u2019s seconds the bubble is {}",
                    format_percent(explain_step_bubble(*frame.now.report).value));
    return caption;
}

void draw_legend(const Painter& painter, Rect row, const PipelineLegend& legend)
{
    const Theme& t = painter.theme;
    std::vector<LegendItem> items{{"forward F", {t.forward}},
                                  {"input gradient I", {t.backward_input}},
                                  {"weight gradient W", {t.backward_weight}},
                                  {"B = I + W", {t.backward_input, t.backward_weight.fill}},
                                  {"idle", idle_fill(t)}};
    if (legend.counts_stored)
    {
        items.push_back({.name = "stored now",
                         .box = [&](Rect r)
                         {
                             painter.text(r.centre(), r.middle(), Type::mono_small,
                                          t.of(Component::activations).fill, "3", Align::centre);
                         }});
    }
    if (legend.micro_batch)
    {
        items.push_back({.name = fmt::format("path of micro-batch {}", *legend.micro_batch),
                         .box = [&](Rect r)
                         {
                             const std::array points{ImVec2{r.x, r.bottom() - 3},
                                                     ImVec2{r.centre(), r.bottom() - 3},
                                                     ImVec2{r.centre(), r.y + 3}, ImVec2{r.right(), r.y + 3}};
                             painter.list.AddPolyline(points.data(), 4, t.text, 0, painter.px(2));
                         }});
    }
    if (legend.chunks)
    {
        items.push_back({"darker: every second chunk",
                         plain_fill(mix(t.forward.fill, with_alpha(0xFF000000U, 1), 0.26F))});
    }
    draw_legend(painter, row, items);
}

namespace
{

constexpr std::string_view kOfSpan = "of busiest span %";

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
        {kOfSpan, "of busiest span",
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
    std::vector<Measure> all = measures(message, narrow);
    // Said apart only where a step may begin before the last one ends everywhere.
    const auto same = [](const PipelineRow& r)
    {
        return !r.runs() ||
               percent(r.timeline->span_bubble_of_total()) == percent(r.timeline->bubble_of_total());
    };
    if (std::ranges::all_of(rows, same))
    {
        std::erase_if(all, [](const Measure& m) { return m.name == kOfSpan; });
    }
    table.draw(painter, area.cut_top(table_height(painter, all.size(), kPitch)), all);
}

} // namespace ringside
