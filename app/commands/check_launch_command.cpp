// `ringside check-launch`: whether a launch starts and fits, for gates before a queue. Exit 0 it does, 1 it
// does not, with the reason, the stage and the nearest changes; 2 the files could not be read.
#include "app/commands/import_launch.h"
#include "core/base/text/text.h"
#include "core/planner/changes.h"
#include "core/scenario/fit.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

struct LaunchVerdict
{
    bool starts = true;
    bool fits = true;
    std::vector<std::string> reasons;
    std::vector<std::string> changes; // nearest first
    std::size_t stage = 0;            // the fullest
    Bytes bytes;
    Bytes capacity;
};

constexpr std::size_t kMostChanges = 5;

Component largest_part(const StageMemory& stage)
{
    const auto most = std::ranges::max_element(stage.parts, {}, &Bytes::value);
    return static_cast<Component>(most - stage.parts.begin());
}

void check_start(const LaunchReading& reading, LaunchVerdict& verdict)
{
    verdict.starts = reading.starts();
    for (const std::string& refusal : reading.refusals)
    {
        verdict.reasons.push_back(refusal);
    }
    for (const Issue& issue : errors_of(reading.issues))
    {
        verdict.reasons.push_back(to_line(issue));
        for (const Correction& remedy : remedies(reading.scenario, issue))
        {
            if (verdict.changes.size() < kMostChanges)
            {
                verdict.changes.push_back(remedy.assignments);
            }
        }
    }
}

void check_fit(const Scenario& scenario, LaunchVerdict& verdict)
{
    const auto report = evaluate(scenario);
    if (!report)
    {
        return;
    }
    const MemoryReport& memory = report->memory;
    verdict.fits = memory.fits();
    verdict.stage = memory.fullest;
    verdict.bytes = memory.worst().total();
    verdict.capacity = memory.capacity;
    if (verdict.fits)
    {
        return;
    }
    verdict.reasons.push_back(fmt::format("stage {} holds {} of {}: the largest part is {}", memory.fullest,
                                          format_bytes(verdict.bytes), format_bytes(verdict.capacity),
                                          name_of(largest_part(memory.worst()))));
    ChangeSearch search(scenario, SearchLimits{});
    while (search.advance(ChangeSearch::kSlice))
    {
    }
    for (const Change& change : search.result())
    {
        if (verdict.changes.size() < kMostChanges)
        {
            verdict.changes.push_back(sentence_of(change));
        }
    }
}

json verdict_json(const LaunchReading& reading, const LaunchVerdict& v)
{
    std::vector<std::string> guessed;
    for (const ReadField& field : reading.fields)
    {
        if (field.from == Basis::guessed)
        {
            guessed.push_back(field.field);
        }
    }
    json out{{"schema", "ringside.launch-check/1"},
             {"kind", reading.kind},
             {"starts", v.starts},
             {"fits", v.fits},
             {"reasons", v.reasons},
             {"changes", v.changes},
             {"guessed", guessed},
             {"messages", reading.messages}};
    if (v.capacity.value > 0)
    {
        out["stage"] = v.stage;
        out["memory_bytes"] = v.bytes.value;
        out["capacity_bytes"] = v.capacity.value;
    }
    return out;
}

void print_verdict(const LaunchReading& reading, const LaunchVerdict& v)
{
    if (v.starts && v.fits)
    {
        say("{} starts and fits: {} of {} on stage {}\n", reading.name, format_bytes(v.bytes),
            format_bytes(v.capacity), v.stage);
    }
    for (const std::string& reason : v.reasons)
    {
        say("{}: {}\n", v.starts ? "does not fit" : "does not start", reason);
    }
    for (const std::string& change : v.changes)
    {
        say("  change: {}\n", change);
    }
    for (const std::string& message : reading.messages)
    {
        say("note: {}\n", message);
    }
}

int run_check_launch(const LaunchOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const LaunchReading reading = read_launch(o, presets);
    LaunchVerdict verdict;
    check_start(reading, verdict);
    if (!has_errors(reading.issues))
    {
        check_fit(reading.scenario, verdict);
    }
    if (o.json)
    {
        print_document(verdict_json(reading, verdict));
    }
    else
    {
        print_verdict(reading, verdict);
    }
    return verdict.starts && verdict.fits ? kDone : kNo;
}

} // namespace

const CliCommand check_launch_command = command<add_launch_options, run_check_launch>(
    "check-launch", "whether a launch file starts and fits: exit 1 with the reason where it does not");

} // namespace ringside
