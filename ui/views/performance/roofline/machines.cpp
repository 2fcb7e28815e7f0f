// Measured machines: their rooflines with the products behind them, and how long the
// scenario's run would take on each.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/presets.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/shell/frame/lab_frame.h"
#include "ui/views/performance/roofline/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMostRoofs = 8; // drawn; the table has all
constexpr std::size_t kMostTableRows = 8;

const std::vector<Machine>& machines_of(const Frame& frame)
{
    static const std::vector<Machine> none;
    return frame.lab == nullptr ? none : frame.lab->machines;
}

const Machine* machine_on_show(const Frame& frame, const RooflineState& state)
{
    const std::vector<Machine>& all = machines_of(frame);
    return all.empty() ? nullptr : &all[std::min(state.machine, all.size() - 1)];
}

const std::vector<double>& seconds_of_runs(const Frame& frame, RooflineState& state)
{
    return state.hours.of({frame.now.scenario, machines_of(frame)},
                          [](const auto& of)
                          {
                              return list_of<double>(of.second, [&](const Machine& machine)
                                                     { return run_seconds(of.first, machine); });
                          });
}

std::string run_words(double seconds)
{
    return seconds > 0 ? format_seconds(Seconds(seconds)) : "\u2013";
}

struct MachineRoof
{
    std::string_view name;
    double peak;      // [FLOP/s]
    double bandwidth; // [B/s]
};

// The roofs of shipped GPUs whose share of the peak was fitted to published steps: what a machine is held
// against.
std::vector<MachineRoof> fitted_roofs(const Presets& presets)
{
    std::vector<MachineRoof> roofs;
    for (const GpuPreset& preset : presets.gpus)
    {
        const auto source = preset.calibration_sources.find("gemm_efficiency");
        if (source != preset.calibration_sources.end() && source->second.starts_with("fitted"))
        {
            const Gpu& gpu = preset.gpu;
            roofs.push_back({gpu.name, gpu.bf16_tflops * 1e12 * gpu.calibration.gemm_efficiency,
                             gpu.hbm_gb_per_s * 1e9 * gpu.calibration.hbm_efficiency});
        }
    }
    return roofs;
}

constexpr double kLeastIntensity = 0.25; // [FLOP/B] on show

// Intensities and rates of everything drawn.
std::pair<PlotAxis, PlotAxis> axes_of_machines(const std::vector<Machine>& all,
                                               std::span<const MachineRoof> shipped)
{
    double low = 1e300;
    double high = 0;
    double widest = 1;
    for (const MachineRoof& roof : shipped)
    {
        low = std::min(low, roof.bandwidth * kLeastIntensity);
        high = std::max(high, roof.peak);
        widest = std::max(widest, roof.peak / roof.bandwidth);
    }
    for (const Machine& machine : all)
    {
        for (const MachinePoint& point : machine.points)
        {
            if (point.flops > 0)
            {
                low = std::min(low, point.flop_rate());
                widest = std::max(widest, point.intensity());
            }
        }
        high = std::max(high, machine.peak());
    }
    return {{kLeastIntensity, widest * 3, PlotScale::log, "arithmetic intensity, FLOP/B", plain_number},
            {low / 2, high * 2, PlotScale::log, "", [](double rate) { return flop_rate_words(rate); }}};
}

void draw_machine_products(const RooflineRoom& r, Plot& plot, const Machine& shown)
{
    std::vector<PlotPoint> points;
    std::vector<const MachinePoint*> products;
    for (const MachinePoint& point : shown.points)
    {
        if (point.flops > 0)
        {
            products.push_back(&point);
            points.push_back({point.intensity(), point.flop_rate()});
            plot.dot(points.back(), {r.p.theme.forward, 4.5F});
        }
    }
    if (const PlotPick pick = plot.pick(points, "###products measured"); pick.at)
    {
        const MachinePoint& over = *products[*pick.at];
        plot.tip(fmt::format("{:.3g} FLOPs", over.flops),
                 std::array{TipLine{"time", format_seconds(Seconds(over.seconds)), 0},
                            TipLine{"rate", flop_rate_words(over.flop_rate()), 0},
                            TipLine{"of the peak", format_percent(over.flop_rate() / shown.peak()), 0}});
    }
}

void draw_roofs(const RooflineRoom& r, Rect area)
{
    const std::vector<Machine>& all = machines_of(r.frame);
    const Machine* shown = machine_on_show(r.frame, r.state);
    const std::vector<MachineRoof> shipped = fitted_roofs(r.frame.presets);
    const auto [x, y] = axes_of_machines(all, shipped);
    Plot plot(r.p, area, x, y,
              {.title = shown != nullptr ? "Measured rooflines" : "Rooflines fitted to published steps",
               .note = shown != nullptr ? "dots: GEMMs of " + shown->name + "; dashed: shipped GPUs"
                                        : "M measures this machine; Ctrl V adds those that others copied",
               .part = "machines"});
    if (!plot)
    {
        return;
    }
    const auto draw = [&](std::string_view name, double peak, double bandwidth, PlotStroke stroke)
    {
        plot.line(std::array{PlotPoint{kLeastIntensity, kLeastIntensity * bandwidth},
                             PlotPoint{peak / bandwidth, peak}, PlotPoint{plot.x.high, peak}},
                  stroke, std::string(name), shown != nullptr && name == shown->name);
    };
    for (const MachineRoof& roof : shipped)
    {
        draw(roof.name, roof.peak, roof.bandwidth, {r.p.theme.muted, 1, shown != nullptr});
    }
    for (std::size_t i = 0; i < std::min(all.size(), kMostRoofs); ++i)
    {
        if (&all[i] != shown)
        {
            draw(all[i].name, all[i].peak(), all[i].bandwidth(), {r.p.theme.text, 1});
        }
    }
    if (shown != nullptr)
    {
        draw(shown->name, shown->peak(), shown->bandwidth(), {r.p.theme.text, 2.5F});
        draw_machine_products(r, plot, *shown);
    }
}

void draw_table(const RooflineRoom& r, Rect area)
{
    const std::vector<Machine>& all = machines_of(r.frame);
    const std::vector<double>& seconds = seconds_of_runs(r.frame, r.state);
    struct Row
    {
        const Machine* machine;
        double seconds;
        std::size_t at;
    };
    std::vector<Row> rows;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        rows.push_back({&all[i], seconds[i], i});
    }
    // The fastest first; what cannot be computed last.
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.seconds > 0 ? row.seconds : 1e300; });
    const auto rate = [](double flops) { return flop_rate_words(flops); };
    const Table<Row> table{
        {Column<Row>("Machine",
                     [](const Row& row) -> Cell {
                         return row.machine->own ? Cell(row.machine->name).strong() : Cell(row.machine->name);
                     }),
         {"peak", [&](const Row& row) { return rate(row.machine->peak()); }, 95,
          "Of the best GEMM, BF16 operands and FP32 sums"},
         {"memory", [](const Row& row) { return format_bytes(Bytes(row.machine->bandwidth())) + "/s"; }, 90,
          "Read and written by the largest copy"},
         {"launch", [](const Row& row) { return format_seconds(Seconds(row.machine->launch_s)); }, 40},
         {"date", [](const Row& row) { return row.machine->date; }, 10},
         {"whole run on one", [](const Row& row) { return run_words(row.seconds); }, 99,
          "All tokens of the scenario, as if the model fitted"}},
        [](const Row& row) { return fmt::format("###machine {}", row.at); },
        [&](const Row& row) { return row.machine == machine_on_show(r.frame, r.state); }};
    if (const auto pressed = table.draw(r.p, area, std::span<const Row>(rows)).pressed)
    {
        r.state.machine = rows[*pressed].at;
    }
}

void draw_machines(const RooflineRoom& r)
{
    Rect area = r.area;
    const bool measuring = r.frame.lab != nullptr && r.frame.lab->measuring_machine;
    r.out.animating = r.out.animating || measuring;
    if (machine_on_show(r.frame, r.state) == nullptr)
    {
        measuring ? void(empty_state(r.p, area, "Measuring, about ten seconds")) : draw_roofs(r, area);
        return;
    }
    const std::size_t rows = std::min(machines_of(r.frame).size(), kMostTableRows);
    const Rect below = area.cut_bottom(table_height(r.p, rows, kTablePitch));
    area.cut_bottom(r.p.height(Type::small));
    draw_roofs(r, area);
    draw_table(r, below);
}

void panel_machines(PanelColumn& column, const RooflineRoom& r)
{
    const LabFrame* lab = r.frame.lab;
    if (lab == nullptr)
    {
        return;
    }
    column.note(lab->devices.empty()
                    ? "The lab\u2019s device is measured: GEMMs and copies of many sizes, an empty launch."
                    : fmt::format("Measures **{}**; G in the lab chooses another device.",
                                  lab->devices[lab->chosen].name));
    if (column.button(lab->measuring_machine ? "Measuring\u2026###measure machine"
                                             : "Measure this machine###measure machine",
                      "M"))
    {
        r.out.push(to_action(LabCommand::machine));
    }
    const Machine* shown = machine_on_show(r.frame, r.state);
    if (shown == nullptr)
    {
        return;
    }
    column.heading(shown->name);
    column.fact("Peak", flop_rate_words(shown->peak()), "Best GEMM, BF16 operands");
    column.fact("Memory bandwidth", format_bytes(Bytes(shown->bandwidth())) + "/s");
    column.fact("Kernel launch", format_seconds(Seconds(shown->launch_s)));
    column.fact("Memory", shown->memory_gb > 0 ? format_bytes(Bytes(shown->memory_gb * 1e9))
                                               : fmt::format("{:g} GB assumed", kAssumedMemory));
    if (column.button("Use as accelerator", "A"))
    {
        use_machine(r.frame, r.state, r.out);
    }
    const auto pressed = column.buttons({{"Copy all###copy machines"}, {"Remove###remove machine"}});
    if (pressed == 0U)
    {
        r.out.push(CopyText{to_json(lab->machines).dump(1), "Copied: Ctrl V adds them elsewhere"});
    }
    if (pressed == 1U)
    {
        r.out.push(to_action(RemoveMachine{static_cast<std::size_t>(shown - machines_of(r.frame).data())}));
        r.out.push(CopyText{to_json({*shown}).dump(1), "Removed: Ctrl V brings it back"});
        r.state.machine = 0;
    }
}

Caption machines_caption(const Frame& frame, RooflineState& state)
{
    const Machine* shown = machine_on_show(frame, state);
    if (shown == nullptr)
    {
        Caption caption;
        caption.sentence = "No machine is measured yet: these are shipped GPUs, as fitted to published "
                           "steps. **M** measures "
                           "yours, and how long a run of the scenario would take on it.";
        return caption;
    }
    const auto at = static_cast<std::size_t>(shown - machines_of(frame).data());
    const Scenario& s = frame.now.scenario;
    return {fmt::format("{} tokens of {} take **{}** on one {}.", format_count(s.training.tokens),
                        s.model.name, run_words(seconds_of_runs(frame, state)[at]), shown->name),
            fmt::format("ridge = peak / bandwidth = {} / {}/s = {}", flop_rate_words(shown->peak()),
                        format_bytes(Bytes(shown->bandwidth())),
                        intensity_words(shown->peak() / shown->bandwidth())),
            "Williams, Waterman and Patterson 2009, CACM 52(4). Products of n \u00d7 n \u00d7 n move at "
            "least 3 n\u00b2 numbers; copies read and write. The run is computed as if the model fitted."};
}

} // namespace

void use_machine(const Frame& frame, const RooflineState& state, Out& out)
{
    if (const Machine* machine = machine_on_show(frame, state))
    {
        out.push(ChangeScenario{on_machine(frame.scenario, *machine), false, "On one " + machine->name});
    }
}

const Page<RooflineState> machines_page{"Machines",       draw_machines, panel_machines,
                                        machines_caption, nullptr,       "Measured machines"};

} // namespace ringside
