#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/scenario/presets.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/choice.h"

#include <algorithm>

namespace ringside
{

namespace
{

// "70.5 of 80 GB"
std::string of_capacity(const Frame& frame, double bytes, double capacity)
{
    const ByteUnit unit = frame.preferences.unit;
    return fmt::format("{} of {} {}", format_gigabytes(Bytes(bytes), unit),
                       plain_number(in_gigabytes(Bytes(capacity), unit)),
                       unit == ByteUnit::decimal ? "GB" : "GiB");
}

std::string found_sentence(const Frame& frame, const LayoutAnswer& answer)
{
    const Candidate& best = answer.result.best.front();
    const bool work = answer.limits.freed.work();
    const Freed& freed = answer.limits.freed;
    const std::string layout = words_of(best.layout) +
                               (freed.tokens() ? ", " + words_of_work(best.layout) : std::string()) +
                               (freed.gpus.on() && answer.limits.objective != Objective::cost
                                    ? fmt::format(" on {}", counted(best.layout.gpus, "GPU"))
                                    : std::string());
    const std::string room =
        of_capacity(frame, best.bytes, answer.result.capacity) + (best.tight ? ", tight" : "");
    const std::string seconds = format_seconds(Seconds(best.pace()));
    const std::string_view per = work ? "per million tokens" : "per step";
    const std::string_view so_far = answer.progress < 1 ? "so far" : "that fits";
    switch (answer.limits.objective)
    {
    case Objective::step_time:
        return fmt::format("Fastest {}: {}: **{} {}** at {}.", so_far, layout, seconds, per, room);
    case Objective::memory:
        return fmt::format("Smallest {}: {}: **{}**, {} {}.", so_far, layout, room, seconds, per);
    case Objective::cost:
        break;
    }
    return fmt::format("Cheapest {}: {} on {} GPU{}: **{} {}** of {}.", so_far, layout,
                       grouped(best.layout.gpus), best.layout.gpus == 1 ? "" : "s",
                       format_gpu_seconds(best.gpu_seconds()), per, seconds);
}

// How many of the cuts are as good, and the simplest of them; nothing where it is the best one itself.
std::string equal_sentence(const LayoutAnswer& answer)
{
    const std::vector<Candidate> cuts = one_per_family(answer.result.cuts);
    const Objective objective = answer.limits.objective;
    const Candidate* simplest =
        answer.progress < 1 ? nullptr : simplest_equal(cuts, objective, answer.scenario);
    if (simplest == nullptr || simplest == cuts.data())
    {
        return {};
    }
    const auto equal = std::ranges::count_if(cuts, [&](const Candidate& c)
                                             { return equals_best(c, cuts.front(), objective); });
    return fmt::format(" {} are within {}% of it, too close to call; the simplest to run is **{}**.",
                       equal - 1, plain_number(kToldApart * 100), words_of(simplest->layout));
}

std::string nothing_sentence(const Frame& frame, const LayoutAnswer& answer)
{
    const SearchResult& r = answer.result;
    if (answer.progress < 1)
    {
        return "Searching for a layout that fits \u2026";
    }
    if (!answer.faults.empty())
    {
        return fmt::format("The search ended early: !!{}!!.", to_line(answer.faults.front()));
    }
    if (!r.nearest_miss)
    {
        return "No layout is legal: the batch or the model does not divide over these GPUs.";
    }
    const ByteUnit unit = frame.preferences.unit;
    const std::int64_t most = gpus_of(answer.scenario, answer.limits.freed).back();
    return fmt::format("Nothing fits on {}: the smallest, {}, needs {} and is !!{} over!!.",
                       counted(most, "GPU"), words_of(r.nearest_miss->layout),
                       format_bytes(Bytes(r.nearest_miss->bytes), unit),
                       format_bytes(Bytes(r.nearest_miss->bytes - r.capacity), unit));
}

} // namespace

std::string words_of_work(const Layout& l)
{
    return fmt::format("GBS {} of {} tokens", grouped(l.global_batch), grouped(l.sequence_length));
}

std::string format_gpu_seconds(double gpu_seconds)
{
    return gpu_seconds < 36000 ? three_digits(gpu_seconds) + " GPU-s"
                               : three_digits(gpu_seconds / 3600) + " GPU-h";
}

Candidate candidate_of(const Evaluated& e, const Freed& freed)
{
    Candidate c;
    c.layout = layout_of(e.scenario);
    c.seconds = e.report->step.total();
    const Band band = step_band(e.scenario, c.seconds);
    c.low = band.low;
    c.high = band.high;
    c.bytes = e.report->memory.worst().total().value;
    c.mfu = e.report->step.mfu();
    c.bubble = e.report->step.bubble / c.seconds;
    c.units = work_units(e.scenario, freed);
    return c;
}

Caption planner_caption(const Frame& frame, const LayoutAnswer& answer)
{
    const SearchResult& r = answer.result;
    Caption caption;
    caption.sentence = r.best.empty() ? nothing_sentence(frame, answer)
                                      : found_sentence(frame, answer) + equal_sentence(answer);
    const std::int64_t overflow = r.count(Rejection::memory);
    caption.formula = fmt::format(
        "{} tried \u00b7 {} fit, {} of them tight \u00b7 {} out of memory \u00b7 {} illegal",
        grouped(r.tried), grouped(r.fit), grouped(r.tight), grouped(overflow), grouped(r.tried - r.legal));
    if (answer.progress < 1)
    {
        caption.formula += fmt::format(" \u00b7 {:.0f}% searched", 100 * answer.progress);
    }
    caption.source = fmt::format(
        "Every combination of tensor, context, pipeline, expert and data parallelism with every ZeRO stage, "
        "micro-batch, recomputation and schedule. Tight layouts leave less than {} of the memory free and "
        "are ranked behind those that leave it. The scenario's own overlap settings are kept, not searched: "
        "{}. An illegal combination counts once, where the search prunes it.",
        format_percent(answer.limits.headroom), overlap_words(answer.scenario));
    return caption;
}

void choose_framework(PanelColumn& column, const Presets& presets, const Framework& own,
                      std::optional<Framework>& chosen_one)
{
    const Framework& framework = chosen_one ? *chosen_one : own;
    std::vector<Choosable> items{{"any", "any framework", "every layout that the model allows"}};
    for (const Framework& each : presets.frameworks)
    {
        items.push_back({each.id, each.name, each.version});
    }
    const std::string_view shown =
        framework.id.empty() ? items.front().name : std::string_view(framework.name);
    column.label("Runs on");
    if (const auto chosen =
            column.dropdown("###runs on", shown, "planner frameworks", items,
                            framework.id.empty() ? "Only layouts that one framework runs" : framework.note))
    {
        chosen_one = *chosen == 0 ? Framework() : presets.frameworks[*chosen - 1];
    }
}

} // namespace ringside
