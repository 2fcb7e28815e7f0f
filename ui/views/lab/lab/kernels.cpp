#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

namespace ringside
{

namespace
{

// How the times were taken, and how exactly.
std::string clock_words(const KernelTimes& times, double sum, double step)
{
    std::string words = fmt::format("{} in kernels, of a step of {}. Each launch ran {} more time{}",
                                    format_seconds(Seconds(sum)), format_seconds(Seconds(step)),
                                    times.repeats, times.repeats == 1 ? "" : "s");
    words += times.by_host          ? "; this device has no clock, so answers were timed."
             : times.rounded_to > 0 ? fmt::format("; the device\u2019s clock is rounded to {}.",
                                                  format_seconds(Seconds(times.rounded_to)))
                                    : ", timed by the device\u2019s clock.";
    return words;
}

} // namespace

void draw_kernels(const Painter& p, Rect head, Rect area, const LabFrame& lab, Out& out)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    const KernelTimes& times = run.kernels;
    draw_head(p, head, "Time by kernel",
              times.list.empty() ? "" : fmt::format("step {}", grouped(times.step)));
    if (times.list.empty())
    {
        if (empty_state(p, area, "",
                        "Runs one step more and times each of its kernels; the training goes on from the "
                        "state before it.",
                        "Time the kernels of a step###time", "H"))
        {
            out.push(LabAction(LabCommand::time));
        }
        return;
    }
    const double sum = sum_over(times.list, &KernelTime::seconds);
    say_if_room(p, area, Type::small, p.theme.muted, clock_words(times, sum, run.step_seconds), 8);
    p.part("kernels", area);
    const auto share = [sum](const KernelTime& k) { return sum > 0 ? k.seconds / sum : 0; };
    const Table<KernelTime> table(
        {Column<KernelTime>("kernel", [](const KernelTime& k) { return k.name; }).words(),
         Column<KernelTime>(
             "", [](const KernelTime&) { return ""; }, 1)
             .wide(60,
                   [&](const Painter& at, Rect r, const KernelTime& k, bool)
                   {
                       const float length = r.w * static_cast<float>(share(k));
                       at.fill({r.x, r.middle() - at.px(5), length, at.px(10)}, at.theme.muted);
                   }),
         {"share", [&](const KernelTime& k) { return format_percent(share(k)); }, 3},
         {"time", [](const KernelTime& k) { return format_seconds(Seconds(k.seconds)); }},
         {"launches", [](const KernelTime& k) { return Cell(grouped(k.launches)); }, 2}});
    table.draw(p, area, times.list);
}

} // namespace ringside
