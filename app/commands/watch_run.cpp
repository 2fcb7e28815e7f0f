// `ringside import run --watch LOG`: a line now, and one whenever the run leaves its band or slows down.
#include "app/commands/console/input.h"
#include "app/commands/console/table.h"
#include "app/commands/import_run.h"
#include "app/files/files.h"
#include "core/runs/compare.h"
#include "core/runs/drift.h"

#include <chrono>
#include <filesystem>
#include <thread>

namespace ringside
{

namespace
{

constexpr auto kLookEvery = std::chrono::milliseconds(500);

// The scenario that is asked for, or that the log states.
EvaluatedFile watched_scenario(const RunOptions& o, const RunReading& run, const Presets& presets)
{
    if (!o.scenario.empty())
    {
        return evaluate_file(o, o.scenario, o.sets);
    }
    auto launch = scenario_of_run(run, {}, presets);
    if (!launch || !*launch || !is_stated(**launch))
    {
        end_with({{"--watch", "the log does not state model and GPUs", "give --scenario FILE"}});
    }
    Report report = or_end(evaluate((*launch)->scenario));
    return {std::move((*launch)->scenario), std::move(report), {}};
}

void say_line(const RunOptions& o, const RunDrift& drift, double predicted)
{
    if (o.json)
    {
        print_document({{"step", drift.step},
                        {"recent_s", drift.recent},
                        {"before_s", drift.before},
                        {"predicted_s", predicted},
                        {"outside", drift.outside},
                        {"slower", drift.slower},
                        {"says", drift_words(drift, predicted)}});
    }
    else
    {
        say("{}\n", drift_words(drift, predicted));
    }
    (void)std::fflush(stdout); // who reads a pipe sees it now
}

} // namespace

int run_watch(const RunOptions& o)
{
    const Presets presets = open_presets(o).presets;
    if (o.files.size() != 1 || !std::filesystem::is_regular_file(o.files.front()))
    {
        end_with({{"--watch", "follows one log", "name one file that a training run writes"}});
    }
    const std::string& file = o.files.front();
    std::optional<EvaluatedFile> scenario;
    RunDrift told;
    std::uintmax_t size = 0;
    auto grown = std::chrono::steady_clock::now();
    while (o.idle <= 0 || std::chrono::steady_clock::now() - grown < std::chrono::duration<double>(o.idle))
    {
        std::error_code fault;
        const std::uintmax_t now = std::filesystem::file_size(file, fault);
        if (now != size)
        {
            size = now;
            grown = std::chrono::steady_clock::now();
            const auto text = or_end(read_text(file, {kMostLogBytes}));
            RunReading run = or_end(read_run({run_file(file, text)}));
            if (!run.log)
            {
                end_with(
                    {{file, "is no log of a training run", "give the file that its steps are written to"}});
            }
            scenario = scenario ? std::move(scenario) : watched_scenario(o, run, presets);
            const double predicted = scenario->report.step.total();
            const RunDrift drift =
                drift_of(run.log->summary, predicted, step_band(scenario->scenario, scenario->report));
            const bool news =
                told.recent <= 0 || drift.outside != told.outside || drift.slower != told.slower;
            if (news && drift.recent > 0)
            {
                say_line(o, drift, predicted);
                told = drift;
            }
        }
        std::this_thread::sleep_for(kLookEvery);
    }
    return kDone;
}

} // namespace ringside
