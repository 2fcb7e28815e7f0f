// `ringside measure`: what this machine's device does with products and copies of many sizes, as a machine
// that the program and other people's can compute with.
#include "app/commands/console/options.h"
#include "app/files/files.h"
#include "core/base/text/text.h"
#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/probe/late_probe.h"

namespace ringside
{

namespace
{

struct MeasureOptions : CommonOptions
{
    std::string device = "auto";
};

int run_measure(const MeasureOptions& o)
{
    trainer::Device device = or_end(trainer::open_device(o.device));
    TrainerConfig asked = default_trainer_config();
    asked.data.task = LabTask::copy;
    const TrainerConfig config = or_end(prepared(asked));
    const Machine machine =
        trainer::machine_of(trainer::machine_rates(std::move(device.backend), config), date_today());
    if (o.json)
    {
        print_document(to_json(std::vector{machine}), 1);
        return kDone;
    }
    put("{}\n", machine.name);
    put("{:>14}{:>14}{:>14}{:>14}\n", "FLOPs", "bytes", "time", "rate");
    for (const MachinePoint& point : machine.points)
    {
        const bool copies = point.flops == 0;
        put("{:>14}{:>14}{:>14}{:>14}\n", copies ? "copy" : fmt::format("{:.3g}", point.flops),
            format_bytes(Bytes(point.bytes)), format_seconds(Seconds(point.seconds)),
            copies ? format_bytes(Bytes(point.byte_rate())) + "/s"
                   : three_digits(point.flop_rate() / 1e9) + " GFLOP/s");
    }
    put("peak {} GFLOP/s, memory {}/s, launch {}\n", three_digits(machine.peak() / 1e9),
        format_bytes(Bytes(machine.bandwidth())), format_seconds(Seconds(machine.launch_s)));
    return kDone;
}

void add_measure_options(CLI::App& app, MeasureOptions& o)
{
    one_of(app.add_option("--device", o.device, "what to measure"), {"auto", "cpu", "cuda"});
    add_json(app, o);
}

} // namespace

const CliCommand measure_command = command<add_measure_options, run_measure>(
    "measure", "measure this machine: products and copies of many sizes, the launch of an empty kernel");

} // namespace ringside
