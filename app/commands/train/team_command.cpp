// `ringside train --ranks N --strategy ...`: the lab's model on several ranks, which are threads here.
#include <fmt/ranges.h>

#include "app/commands/console/input.h"
#include "app/commands/train/train_lines.h"
#include "app/commands/train/train_setup.h"
#include "app/commands/train/train_snapshot.h"
#include "app/commands/train/train_trace.h"
#include "app/files/files.h"
#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/ranks/team.h"
#include "core/lab/team/team_json.h"

namespace ringside
{

namespace
{

using parallel::Team;

constexpr std::size_t kRecordedSteps = 4;

// What a team does not do yet, rather than leaving it away in silence.
Issues check_options(const TrainOptions& o)
{
    Issues issues;
    const auto only_one = [&issues](std::string_view option, std::string_view what)
    {
        issues.push_back({std::string(option), fmt::format("{} needs a single device", what),
                          fmt::format("leave {} out, or use --ranks 1", option)});
    };
    if (o.device == "cuda")
    {
        only_one("--device", "training on a GPU");
    }
    if (o.probe)
    {
        only_one("--probe", "the measured prediction");
    }
    if (o.sample > 0)
    {
        only_one("--sample", "drawing text");
    }
    return issues;
}

StepLine line_of(const Team& team, const parallel::TeamStep& step)
{
    const Training& t = team.config().trainer.training;
    StepLine line;
    line.step = step.trace.step;
    line.result = step.result;
    line.seconds = step.trace.seconds;
    line.tokens = static_cast<double>(t.global_batch * t.sequence_length);
    for (const RankTrace& trace : step.trace.ranks)
    {
        StepLine::Rank rank;
        rank.memory = trace.memory;
        rank.peak_bytes = trace.peak.total();
        for (const RankTrace::Sent& sent : trace.sent)
        {
            rank.by_axis.emplace_back(sent.axis, sent.bytes);
            rank.bytes_sent += sent.bytes;
        }
        line.add(std::move(rank));
    }
    return line;
}

void print_ranks(const StepLine& line)
{
    put("\n{:<6}{:>14}{:>14}  {}\n", "rank", "peak", "sent per step", "by axis");
    for (std::size_t rank = 0; rank < line.ranks.size(); ++rank)
    {
        const StepLine::Rank& r = line.ranks[rank];
        std::string axes;
        for (const auto& [axis, bytes] : r.by_axis)
        {
            axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", axis,
                                format_bytes(Bytes(static_cast<double>(bytes))));
        }
        put("{:<6}{:>14}{:>14}  {}\n", rank, format_bytes(Bytes(static_cast<double>(r.peak_bytes))),
            format_bytes(Bytes(static_cast<double>(r.bytes_sent))), axes);
    }
}

void save_traces(const TrainOptions& o, const TeamStepTrace& step)
{
    for (int rank = 0; rank < static_cast<int>(step.ranks.size()); ++rank)
    {
        end_with(save_text(snapshot_name(o.trace, rank), trace_text(step, rank)));
    }
}

// The last step.
StepLine train_team(Team& team, const TrainOptions& o)
{
    const StepPrinter printer{o.json_lines, o.steps, o.every};
    TeamSnapshot run;
    run.config = team.config();
    std::vector<std::string> recorded;
    StepLine line;
    for (std::int64_t i = 0; i < o.steps && !stopped(); ++i)
    {
        parallel::TeamStep step = or_end(team.step());
        line = line_of(team, step);
        if (!o.trace.empty() && (i + 1 == o.steps || stopped()))
        {
            save_traces(o, step.trace);
        }
        if (!o.record.empty())
        {
            note_step(run, std::move(step.trace));
            recorded.push_back(live_text(run));
            keep_last(recorded, kRecordedSteps);
        }
        if (!printer.print(line, i))
        {
            break;
        }
    }
    if (!o.record.empty() && recorded.empty())
    {
        warn("no step was made, so nothing was recorded\n");
    }
    end_with(recorded.empty() ? Issues() : save_text(o.record, fmt::to_string(fmt::join(recorded, ""))));
    return line;
}

} // namespace

int run_team(const Beginning& from, const TrainOptions& o)
{
    Issues issues = check_options(o);
    auto config = with_strategy(from.config, o.strategy == "none" ? "ddp" : o.strategy, o.ranks);
    if (config)
    {
        config = with_compression(*config, o.compress, !o.no_feedback);
    }
    append(issues, config ? Issues() : config.issues());
    end_with(issues);
    const auto team = or_end(Team::create(*config));
    warn("{} ranks as threads: {}\n", o.ranks, strategy_name(team->config()));
    end_with(from.state ? team->restore(*from.state) : Issues());
    save_scenario(o, scenario_of(team->config()));
    stop_on_signals();
    if (!o.snapshot.empty())
    {
        team->record_allocations();
    }
    const StepLine last = train_team(*team, o);
    for (int rank = 0; !o.snapshot.empty() && rank < team->config().ranks; ++rank)
    {
        end_with(save_text(snapshot_name(o.snapshot, rank), snapshot_text(team->allocations(rank))));
    }
    save_training(o, {team->config().trainer, team->state()});
    if (!o.json_lines && !last.ranks.empty())
    {
        print_ranks(last);
    }
    return stop_status(kDone);
}

} // namespace ringside
