// What the run shows that is out of the ordinary, and what to do next: what its files show with what it buys
// at most, and the engine's own moves with its estimate of each.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/base/work.h"
#include "core/evaluate/sensitivity.h"
#include "ui/views/lab/run/pages.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/scrolled_sheet.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMoves = 5; // of the engine's, those that help most

std::vector<std::string> findings_of_log(const StepSummary& s)
{
    std::vector<std::string> out;
    if (s.warm_up > 0)
    {
        out.push_back(
            fmt::format("The first {} of {} are not counted: they compile, allocate and wait for data.",
                        counted(s.warm_up, "step"), s.count));
    }
    if (s.spike_period > 0)
    {
        out.push_back(fmt::format("Every {} steps one takes {}; the median of {} hides it, the mean is {}.",
                                  s.spike_period, format_seconds(Seconds{s.spikes.front().seconds}),
                                  format_seconds(Seconds{s.seconds.median}),
                                  format_seconds(Seconds{s.mean_seconds})));
    }
    else if (!s.spikes.empty())
    {
        out.push_back(fmt::format("{} took more than 1.5 times the median, the first is step {}.",
                                  counted(static_cast<std::int64_t>(s.spikes.size()), "step"),
                                  s.spikes.front().step));
    }
    if (s.nan > 0)
    {
        out.push_back(fmt::format("!!NaN in {}!!: the loss is not to be trusted from there on.",
                                  counted(s.nan, "step")));
    }
    if (s.skipped > 0)
    {
        out.push_back(fmt::format("The optimizer skipped {}, as a loss scale that is too large makes it.",
                                  counted(s.skipped, "step")));
    }
    return out;
}

std::vector<std::string> findings_of(const RunReading& run)
{
    std::vector<std::string> out;
    if (run.log)
    {
        out = findings_of_log(run.log->summary);
    }
    if (run.join && run.join->straggler >= 0)
    {
        const auto most = std::ranges::max_element(run.join->ranks, {}, &RankWait::waited);
        out.push_back(fmt::format("Rank {} comes last: rank {} waits {} for it in all.", run.join->straggler,
                                  most->rank, format_seconds(Seconds{most->waited})));
    }
    if (run.snapshot && run.snapshot->out_of_memory > 0)
    {
        out.push_back(fmt::format("It ran out of memory {}.", counted(run.snapshot->out_of_memory, "time")));
    }
    const auto add = [&](const std::vector<std::string>& messages)
    { out.insert(out.end(), messages.begin(), messages.end()); };
    add(run.messages);
    if (run.log)
    {
        add(run.log->messages);
    }
    return out;
}

void draw_advice(Sheet& sheet, const RunRoom& r, const RunPicture& picture)
{
    if (picture.advice.empty())
    {
        sheet.note("Nothing stands out in these files.");
    }
    for (const RunAdvice& advice : picture.advice)
    {
        const std::string buys = advice.bytes > 0 ? format_bytes(Bytes{static_cast<double>(advice.bytes)},
                                                                 r.frame.preferences.unit)
                                                  : format_seconds(Seconds{advice.seconds}) + " a step";
        const std::string words = fmt::format("**{}**, at most {}. {}", advice.name, buys, advice.why);
        if (sheet.card({.label = "###advice " + advice.name, .words = words, .left = 14, .right = r.p.px(14)})
                .pressed.clicked)
        {
            r.out.push(OpenView{advice.place});
        }
    }
}

void draw_moves_of_engine(Sheet& sheet, const RunRoom& r)
{
    const auto all = work_on<Sensitivity>(r.frame.works, {r.frame.now.scenario, r.frame.now.report->step});
    if (!all)
    {
        sheet.note(fault_sentence(all));
        return;
    }
    std::vector<const DialMove*> moves;
    for (const DialMove& move : all->found())
    {
        if (move.change < 0 && move.fits && !is_hardware(move.dial))
        {
            moves.push_back(&move);
        }
    }
    std::ranges::stable_sort(moves, {}, [](const DialMove* move) { return move->change; });
    moves.resize(std::min(moves.size(), kMoves));
    if (moves.empty() && all.done())
    {
        sheet.note("No single setting of the layout makes the predicted step shorter.");
    }
    for (const DialMove* move : moves)
    {
        const std::string words =
            fmt::format("**{} {} to {}**: {} a step by the engine. Press to apply it.", name_of(move->dial),
                        shown_value(all->scenario(), move->dial), shown_value(move->after, move->dial),
                        format_seconds(Seconds{move->change}));
        if (sheet
                .card({.label = fmt::format("###engine {}", name_of(move->dial)),
                       .words = words,
                       .left = 14,
                       .right = r.p.px(14)})
                .pressed.clicked)
        {
            r.out.push(ChangeScenario{move->after});
        }
    }
}

void draw_run_next(const RunRoom& r)
{
    if (r.frame.run == nullptr)
    {
        draw_no_run(r);
        return;
    }
    const RunPicture& picture = r.state.picture(r.frame);
    Rect area = r.area;
    draw_opening(r, area);
    say_run(r, area);
    area.w = std::min(area.w, r.p.px(900));
    ScrolledSheet sheet(r.p, area, "###run next", std::to_string(r.frame.run->number));
    sheet->heading("What the run shows");
    for (const std::string& finding : findings_of(r.frame.run->run))
    {
        sheet->point(finding, r.p.theme.muted);
    }
    sheet->gap(12);
    sheet->heading("What to do about it", "by what was measured");
    sheet->gap(4);
    draw_advice(*sheet, r, picture);
    sheet->gap(8);
    sheet->heading("What the layout could save", "by the engine");
    sheet->gap(4);
    draw_moves_of_engine(*sheet, r);
}

} // namespace

const Page<MyRunState> run_next_page{"Next",      draw_run_next, panel_run,
                                     caption_run, nullptr,       "What to do next"};

} // namespace ringside
