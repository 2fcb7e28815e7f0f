// Ringside: one executable, the window and the commands.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.h"
#include "app/schedule_command.h"
#include "app/window/bench.h"
#include "app/window/picture.h"
#include "app/window/window.h"

#include <exception>

namespace
{

int run(int argc, char** argv)
{
    using namespace ringside;
    CLI::App app{"A ringside seat at large-scale LLM training"};
    app.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
    CommonOptions common;
    app.add_option("--assets", common.assets, "folder that holds models, gpus, clusters and scenarios");
    int status = kDone;

    std::string file;
    std::vector<std::string> sets;
    std::string convention = "ringside";
    auto* evaluate = app.add_subcommand(
        "evaluate", "what a scenario needs: memory by stage, FLOPs, bubble; exit 1 when it does not fit");
    evaluate->add_option("FILE", file, "scenario (JSON), - for standard input")->required();
    evaluate->add_option("--set", sets, "change one field first, for example parallel.tensor=4")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    evaluate->add_option("--convention", convention, "count as another tool does")
        ->check(CLI::IsMember({"ringside", "megatron", "deepspeed-zero2", "deepspeed-zero3", "zero-paper"}));
    evaluate->add_flag("--json", common.json, "one JSON document");
    evaluate->callback([&] { status = run_evaluate(common, file, sets, convention); });

    auto* validate =
        app.add_subcommand("validate", "runs cases with published figures and prints how far off each is");
    validate->add_option("CASES", file, "cases (JSON), - for standard input")->required();
    validate->add_flag("--json", common.json, "one JSON document");
    validate->callback([&] { status = run_validate(common, file); });

    std::vector<std::string> files;
    auto* check = app.add_subcommand("check", "every fault of every preset, and of the scenarios named");
    check->add_option("PATH", files, "scenario files");
    check->add_flag("--json", common.json, "one JSON document");
    check->callback([&] { status = run_check(common, files); });

    ScheduleOptions plan;
    auto* schedule =
        app.add_subcommand("schedule", "one pipeline schedule: its order, times, bubble and stash");
    schedule->add_option("--kind", plan.kind, "naive, gpipe, 1f1b or interleaved")->capture_default_str();
    schedule->add_option("--stages", plan.shape.stages, "ranks of the pipeline")->capture_default_str();
    schedule->add_option("--micro-batches", plan.shape.micro_batches)->capture_default_str();
    schedule->add_option("--chunks", plan.shape.chunks, "model chunks a stage")->capture_default_str();
    schedule->add_option("--forward", plan.times.forward, "time of a stage's forward, in any unit")
        ->capture_default_str();
    schedule->add_option("--backward-input", plan.times.backward_input)->capture_default_str();
    schedule->add_option("--backward-weight", plan.times.backward_weight)->capture_default_str();
    schedule->add_option("--transfer", plan.times.transfer, "between neighbours, beside computing")
        ->capture_default_str();
    schedule->add_option("--svg", plan.svg, "draw it into this file");
    schedule->add_option("--chrome-trace", plan.chrome_trace, "write a trace that opens in Perfetto");
    schedule->add_flag("--json", common.json, "one JSON document");
    schedule->callback([&] { status = run_schedule(common, plan); });

    PictureOptions picture;
    auto* draw = app.add_subcommand("picture", "draws a view into a PNG file, with no display");
    draw->add_option("--view", picture.view, "which view; --list names them");
    draw->add_option("--scenario", picture.scenario, "scenario (JSON); the default one without it");
    draw->add_option("--compare", picture.compare, "scenario A, to compare with");
    draw->add_option("--time", picture.time, "moment of its playback, in the view's units");
    draw->add_option("--size", picture.size, "in pixels")->type_name("WxH")->capture_default_str();
    draw->add_option("--text-scale", picture.text_scale, "0.75 to 2.5")->capture_default_str();
    draw->add_flag("--light", picture.light, "the light theme");
    draw->add_flag("--presenter", picture.presenter, "as on a projector");
    draw->add_flag("--list", picture.list, "the views there are");
    draw->add_flag("--json", common.json, "with --list: one JSON document");
    draw->add_option("-o,--output", picture.output, "PNG file to write");
    draw->callback([&] { status = run_picture(common, picture); });

    std::string benchmark;
    auto* bench = app.add_subcommand("bench", "measures this program on this machine");
    bench->add_option("WHAT", benchmark, "frame: drawing")->check(CLI::IsMember({"frame"}))->required();
    bench->add_flag("--json", common.json, "one JSON document");
    bench->callback([&] { status = run_bench_frame(common); });

    WindowOptions window;
    app.add_option("--view", window.view, "view to open; ringside picture --list names them");
    app.add_option("--scenario", window.scenario, "scenario (JSON) to open instead of the last one");
    app.add_flag("--presenter", window.presenter, "large type and only the picture");
    app.require_subcommand(0, 1);
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& fault)
    {
        // CLI11 has its own exit codes; ours are 0 for help and 2 for anything misused.
        return app.exit(fault) == 0 ? kDone : kBadInput;
    }
    return app.get_subcommands().empty() ? run_window(common, window) : status;
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        return run(argc, argv);
    }
    catch (const std::exception& fault)
    {
        fmt::print(stderr, "ringside: {}\n", fault.what());
        return ringside::kBadInput;
    }
}
