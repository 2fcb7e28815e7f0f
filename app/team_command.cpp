#include "app/team_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "app/train_lines.h"
#include "core/base/text.h"
#include "core/lab/team_check.h"
#include "core/parallel/team.h"
#include "core/trainer/checkpoint.h"

#include <algorithm>

namespace ringside
{

namespace
{

using parallel::Team;

// What a team does not do yet, rather than leaving it away in silence.
Issues check_options(const TrainOptions& o)
{
    Issues issues;
    const auto only_one = [&issues](std::string_view option, std::string_view what)
    {
        issues.push_back({std::string(option), fmt::format("{} needs a single device", what),
                          fmt::format("leave {} away, or use --ranks 1", option)});
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
        StepLine::Rank& rank = line.ranks.emplace_back();
        rank.memory = trace.memory;
        rank.peak_bytes = trace.peak.total();
        for (const RankTrace::Sent& sent : trace.sent)
        {
            rank.by_axis.emplace_back(sent.axis, sent.bytes);
            rank.bytes_sent += sent.bytes;
        }
        line.peak_bytes = std::max(line.peak_bytes, rank.peak_bytes);
        for (std::size_t i = 0; i < kComponents; ++i)
        {
            line.memory.parts[i] = std::max(line.memory.parts[i], trace.memory.parts[i]);
        }
    }
    return line;
}

void print_ranks(const StepLine& line)
{
    fmt::print("\n{:<6}{:>14}{:>14}  {}\n", "rank", "peak", "sent a step", "by axis");
    for (std::size_t rank = 0; rank < line.ranks.size(); ++rank)
    {
        const StepLine::Rank& r = line.ranks[rank];
        std::string axes;
        for (const auto& [axis, bytes] : r.by_axis)
        {
            axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", axis,
                                format_bytes(Bytes(static_cast<double>(bytes))));
        }
        fmt::print("{:<6}{:>14}{:>14}  {}\n", rank, format_bytes(Bytes(static_cast<double>(r.peak_bytes))),
                   format_bytes(Bytes(static_cast<double>(r.bytes_sent))), axes);
    }
}

Issues train_team(Team& team, const TrainOptions& o)
{
    const std::int64_t every = o.every > 0 ? o.every : std::max<std::int64_t>(1, o.steps / 20);
    StepLine line;
    for (std::int64_t i = 0; i < o.steps; ++i)
    {
        const auto step = team.step();
        if (!step)
        {
            return step.issues();
        }
        line = line_of(team, *step);
        if (o.json_lines)
        {
            print_json(line);
        }
        else if (i % every == 0 || i + 1 == o.steps)
        {
            print_words(line);
        }
    }
    if (!o.json_lines && o.steps > 0)
    {
        print_ranks(line);
    }
    return {};
}

} // namespace

int run_team(const Beginning& from, const TrainOptions& options)
{
    Issues issues = check_options(options);
    auto config =
        with_strategy(from.config, options.strategy == "none" ? "ddp" : options.strategy, options.ranks);
    if (!config)
    {
        issues.insert(issues.end(), config.issues().begin(), config.issues().end());
    }
    if (config)
    {
        config = with_compression(*config, options.compress, !options.no_feedback);
        if (!config)
        {
            issues.insert(issues.end(), config.issues().begin(), config.issues().end());
        }
    }
    if (!issues.empty())
    {
        return print_faults(issues);
    }
    const auto team = Team::create(*config);
    if (!team)
    {
        return print_faults(team.issues());
    }
    fmt::print(stderr, "{} ranks as threads: {}\n", options.ranks, strategy_name((*team)->config()));
    if (from.state)
    {
        issues = (*team)->restore(*from.state);
    }
    if (issues.empty())
    {
        issues = train_team(**team, options);
    }
    if (issues.empty() && !options.save.empty())
    {
        issues =
            save_text(options.save, trainer::checkpoint_text({(*team)->config().trainer, (*team)->state()}));
    }
    return issues.empty() ? kDone : print_faults(issues);
}

} // namespace ringside
