// `ringside bench`, and of it `bench frame`: what a frame costs, in the program's own drawing code.
#include <sys/resource.h>

#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/session/drawing.h"
#include "app/window/offscreen.h"
#include "app/window/window.h"
#include "core/base/json/json.h"
#include "ui/shell/frame/lab_action.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <thread>

namespace ringside
{

namespace
{

using Clock = std::chrono::steady_clock;
const Clock::time_point kStarted = Clock::now(); // close enough to main()

constexpr int kWidth = 1280;
constexpr int kHeight = 800;
constexpr int kBuilt = 200; // frames built for a view, on the CPU only
constexpr int kDrawn = 20;  // of which this many are drawn too
constexpr double kIdleSeconds = 2;
constexpr double kTrainSeconds = 3;
constexpr double kFrame = 1.0 / 60; // [s]

double milliseconds(Clock::duration duration)
{
    return std::chrono::duration<double, std::milli>(duration).count();
}

double percentile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

// [ms] of this thread on a processor: what else the machine does is not counted.
template <class F>
double worked(F&& work)
{
    const auto now = []
    {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
    };
    const double start = now();
    work();
    return now() - start;
}

template <class F>
double timed(F&& work)
{
    const Clock::time_point start = Clock::now();
    work();
    return milliseconds(Clock::now() - start);
}

// [ms] A frame of ImGui's own demo window, on the same renderer.
double draw_demo_window(Offscreen& screen)
{
    return timed(
        [&]
        {
            ImGui::NewFrame();
            ImGui::ShowDemoWindow();
            ImGui::Render();
            screen.draw();
        });
}

nlohmann::json measure_view(const ViewInfo& info, Session& session, Drawing& drawing, Offscreen& screen)
{
    session.apply(OpenView{std::string(info.id)});
    session.apply(Play{true}); // moving is the dearest state
    std::vector<double> built;
    std::vector<double> drawn;
    std::vector<double> demo; // a frame after each that is drawn: what else the machine does slows both
    for (int i = 0; i < kBuilt; ++i)
    {
        const double build = worked([&] { drawing.build(session, i / 60.0, 1.0 / 60); });
        built.push_back(build);
        if (i % (kBuilt / kDrawn) == 0)
        {
            drawn.push_back(build + timed([&] { screen.draw(); }));
            demo.push_back(draw_demo_window(screen));
        }
    }
    session.apply(Play{false});
    return {{"build_ms_p50", percentile(built, 0.5)},
            {"build_ms_p99", percentile(built, 0.99)},
            {"frame_ms_p50", percentile(drawn, 0.5)},
            {"demo_window_frame_ms", percentile(demo, 0.5)},
            {"over_demo_window", percentile(drawn, 0.5) / percentile(demo, 0.5)}};
}

// The zoom on its way from the cluster to a bit.
nlohmann::json measure_zoom(Session& session, Drawing& drawing, Offscreen& screen)
{
    constexpr int kFrames = 120;
    session.apply(OpenView{"zoom"});
    Preferences still = session.preferences();
    still.reduced_motion = true; // every frame is drawn where the clock is
    session.set_preferences(still);
    std::vector<double> built;
    std::vector<double> drawn;
    for (int i = 0; i < kFrames; ++i)
    {
        session.apply(Seek{drawing.motion(session, i / 60.0).duration * i / (kFrames - 1)});
        built.push_back(worked([&] { drawing.build(session, i / 60.0, 1.0 / 60); }));
        drawn.push_back(built.back() + timed([&] { screen.draw(); }));
    }
    const double demo = draw_demo_window(screen);
    return {{"build_ms_p50", percentile(built, 0.5)}, {"build_ms_p99", percentile(built, 0.99)},
            {"frame_ms_p50", percentile(drawn, 0.5)}, {"frame_ms_p99", percentile(drawn, 0.99)},
            {"demo_window_frame_ms", demo},           {"over_demo_window", percentile(drawn, 0.5) / demo}};
}

// A million operations in the pipelines view, while the clock runs: 64 stages of one layer, 1F1B, and the
// same under ZB-H1 beside it.
Scenario million_operations(const Presets& presets)
{
    Scenario s = default_scenario(presets);
    s.model.layers = 64;
    s.cluster.gpus = 64;
    s.parallel = {};
    s.parallel.pipeline = 64;
    s.training.micro_batch = 1;
    s.training.global_batch = 3200; // 2 x 64 x 3200 and 3 x 64 x 3200
    return s;
}

// The cluster map with 16,384 GPUs.
Scenario large_map(const Presets& presets)
{
    Scenario s = default_scenario(presets);
    s.cluster.gpus = 16384;
    s.training.global_batch = 16384;
    return s;
}

// Everything that is computed anew when a slider moves.
double measure_change(Session& session)
{
    std::vector<double> changed;
    for (int i = 0; i < 60; ++i)
    {
        Scenario next = session.scenario();
        next.stage_times.forward = 1 + 0.01 * i;
        changed.push_back(timed([&] { session.apply(ChangeScenario{next}); }));
    }
    return percentile(changed, 0.5);
}

// Frames of the lab, sixty a second if they can: how long each takes, and how many are not done in time.
nlohmann::json paced_frames(Session& session, Drawing& drawing, Offscreen& screen)
{
    std::vector<double> took;
    const Clock::time_point start = Clock::now();
    const auto every = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kFrame));
    Clock::time_point next = start;
    while (milliseconds(Clock::now() - start) < kTrainSeconds * 1e3)
    {
        std::this_thread::sleep_until(next);
        const double clock = milliseconds(Clock::now() - start) * 1e-3;
        took.push_back(timed(
            [&]
            {
                drawing.build(session, clock, kFrame);
                screen.draw();
            }));
        next = std::max(next + every, Clock::now());
    }
    const auto late = std::ranges::count_if(took, [](double ms) { return ms > kFrame * 1e3; });
    return {{"frame_ms_p50", percentile(took, 0.5)},
            {"frame_ms_p95", percentile(took, 0.95)},
            {"late_share", static_cast<double>(late) / static_cast<double>(took.size())}};
}

// The lab's view at rest, and while it trains on this processor.
nlohmann::json measure_training(const Opened& opened, Drawing& drawing, Offscreen& screen)
{
    LabController::Setup setup = lab_setup(opened.assets, opened.presets, "cpu", true);
    setup.probe_seconds = 0;
    setup.checkpoint.clear();
    Session session(opened.presets, default_scenario(opened.presets));
    session.set_lab(std::make_unique<LabController>(std::move(setup)));
    session.apply(OpenView{"lab"});
    drawing.build(session, 0, kFrame);
    session.lab().wait(kTrainSeconds);
    const nlohmann::json rest = paced_frames(session, drawing, screen);
    session.apply(LabAction(LabCommand::run));
    const nlohmann::json training = paced_frames(session, drawing, screen);
    session.apply(LabAction(LabCommand::pause));
    session.lab().wait(kTrainSeconds);
    return {{"rest", rest}, {"training", training}};
}

// [MB] The most that was resident, with every view drawn and the two large scenarios open.
double most_memory_mb()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) * 1024 / 1e6;
}

nlohmann::json measure_frames(const Opened& opened)
{
    nlohmann::json out;
    Session session(opened.presets, default_scenario(opened.presets));
    session.set_works(threaded_works()); // as the window has
    Drawing drawing(find_fonts(opened.assets));
    ImGui::GetIO().DisplaySize = {kWidth, kHeight};
    drawing.prepare({}, 1);
    const auto screen = or_end(Offscreen::create(kWidth, kHeight));
    screen->upload_fonts();
    drawing.build(session, 0, 1.0 / 60);
    screen->draw();
    out["first_frame_ms"] = milliseconds(Clock::now() - kStarted);
    std::vector<double> demo;
    for (const ViewInfo* info : views())
    {
        nlohmann::json& times = out["views"][std::string(info->id)];
        times = measure_view(*info, session, drawing, *screen);
        demo.push_back(times["demo_window_frame_ms"].get<double>());
    }
    out["demo_window_frame_ms"] = percentile(demo, 0.5);
    Session large(opened.presets, million_operations(opened.presets));
    out["change_ms_p50"] = measure_change(session);
    out["million_operations"] = measure_view(*find_view("pipelines"), large, drawing, *screen);
    Session map(opened.presets, large_map(opened.presets));
    out["map_16384"] = measure_view(*find_view("layout"), map, drawing, *screen);
    out["zoom_16384"] = measure_zoom(map, drawing, *screen);
    out["lab"] = measure_training(opened, drawing, *screen);
    return out;
}

void print_frames(const nlohmann::json& out)
{
    const auto number = [](const nlohmann::json& value, std::string_view form)
    { return fmt::format(fmt::runtime(form), value.get<double>()); };
    const auto& idle = out["idle_cpu_percent"];
    put("first frame    {} ms after the start\ndemo window    {} ms per frame, for comparison\n"
        "idle           {}\nmemory         {} MB at most, all of the below included\n"
        "change         {} ms to compute a changed scenario and its levers\n\n",
        number(out["first_frame_ms"], "{:8.1f}"), number(out["demo_window_frame_ms"], "{:8.2f}"),
        idle.is_null() ? "needs a display to measure" : number(idle, "{:8.2f} % of a core"),
        number(out["memory_mb"], "{:8.0f}"), number(out["change_ms_p50"], "{:8.2f}"));
    TextTable table({{"view", -14},
                     {"build p50", 12},
                     {"build p99", 12},
                     {"frame p50", 12},
                     {"  over ImGui's demo window", -1}});
    const auto row = [&](std::string_view name, const nlohmann::json& times, const char* what)
    {
        table.add(name, number(times["build_ms_p50"], "{:.3f} ms"),
                  number(times["build_ms_p99"], "{:.3f} ms"), number(times["frame_ms_p50"], "{:.2f} ms"),
                  number(times["over_demo_window"], "{:>8.2f}  ") + what);
    };
    for (const auto& [id, times] : out["views"].items())
    {
        row(id, times, "");
    }
    row("", out["million_operations"], "pipelines with 1,024,000 operations");
    row("", out["map_16384"], "layout with 16,384 GPUs");
    row("", out["zoom_16384"],
        number(out["zoom_16384"]["frame_ms_p99"], "zoom with 16,384 GPUs, all the way; frame p99 {:.2f} ms")
            .c_str());
    for (const char* state : {"rest", "training"})
    {
        const auto& times = out["lab"][state];
        table.add(fmt::format("lab, {}", state), number(times["frame_ms_p50"], "{:.2f} ms"),
                  number(times["frame_ms_p95"], "{:.2f} ms"),
                  fmt::format(" at p95, {:.0f}% of frames later than 1/60 s",
                              times["late_share"].get<double>() * 100));
    }
    put("{}", table.text(" "));
}

struct Benchmark
{
    const char* what;
    int (*run)(const BenchOptions&);
};
// One that has no options of its own.
template <int (*run)(const CommonOptions&)>
int plain(const BenchOptions& options)
{
    return run(options);
}
constexpr std::array kBenchmarks{Benchmark{"frame", plain<run_bench_frame>},
                                 Benchmark{"schedule", plain<run_bench_schedule>},
                                 Benchmark{"collective", plain<run_bench_collective>},
                                 Benchmark{"search", plain<run_bench_search>},
                                 Benchmark{"accuracy", run_bench_accuracy},
                                 Benchmark{"serving", run_bench_serving},
                                 Benchmark{"train", plain<run_bench_train>}};

int run_bench(const BenchOptions& o)
{
    if (!o.bands.empty() && o.what != "accuracy" && o.what != "serving")
    {
        end_with({{"--bands", fmt::format("bench {} computes no bands", o.what),
                   "use bench accuracy or bench serving"}});
    }
    return std::ranges::find(kBenchmarks, o.what, &Benchmark::what)->run(o);
}

void add_bench_options(CLI::App& app, BenchOptions& o)
{
    one_of(app.add_option("WHAT", o.what,
                          "frame: drawing; schedule: pipeline orders and their simulation; collective: cost "
                          "model; search: layouts; accuracy: measured steps by source; serving: measured "
                          "serving by model; train: the "
                          "trainer"),
           texts_of(kBenchmarks, &Benchmark::what))
        ->required();
    app.add_option("--bands", o.bands,
                   "with accuracy or serving: write the bands that the measured steps give to this file");
    add_json(app, o);
}

} // namespace

const CliCommand bench_command =
    command<add_bench_options, run_bench>("bench", "benchmark this program on this machine");

int run_bench_frame(const CommonOptions& options)
{
    const Opened& opened = open_presets(options);
    nlohmann::json out = measure_frames(opened);
    out["memory_mb"] = most_memory_mb();
    const auto idle = idle_cpu_share(opened, kIdleSeconds);
    out["idle_cpu_percent"] = idle ? nlohmann::json(*idle * 100) : nlohmann::json(nullptr);
    if (options.json)
    {
        print_document(out);
    }
    else
    {
        print_frames(out);
    }
    return kDone;
}

} // namespace ringside
