#include <fmt/format.h>

#include "core/base/text.h"
#include "core/evaluate/explain.h"
#include "ui/views/pipeline/pipelines/pictures.h"

#include <algorithm>

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
    const Term of_total = explain_bubble_of_total(s, frame.now.report);
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
        const Term over_ideal = explain_bubble_over_ideal(s, frame.now.report);
        caption.formula +=
            fmt::format(";  {} = {} over ideal", over_ideal.formula, format_percent(over_ideal.value));
        caption.source += ". " + over_ideal.source;
    }
    return caption;
}

} // namespace ringside
