#include "core/lab/machine.h"

#include "core/base/json/json_table.h"
#include "core/base/ranges.h"
#include "core/evaluate/report.h"
#include "core/scenario/fit.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr const char* kMachinesSchema = "ringside.machines/1";
constexpr JsonRule kAmount{.least = 0, .most = 1e24};
constexpr JsonRule kTime{.needed = true, .least = 1e-12, .most = 1e6};

const JsonTable<MachinePoint> kPointTable{{
    {"flops", &MachinePoint::flops, kAmount},
    {"bytes", &MachinePoint::bytes, {.needed = true, .least = 1, .most = 1e18}},
    {"seconds", &MachinePoint::seconds, kTime},
}};
const JsonTable<Machine> kMachineTable{{
    {"name", &Machine::name, {.needed = true, .words = 24}},
    {"date", &Machine::date, {.words = 1}},
    {"own", &Machine::own},
    {"memory_gb", &Machine::memory_gb, {.least = 0, .most = 1e6}},
    {"launch_s", &Machine::launch_s, {.least = 0, .most = 10}},
    {"attention_flops", &Machine::attention_flops, kAmount},
    {"points", &Machine::points, kPointTable},
}};

} // namespace

double Machine::peak() const
{
    return largest_over(points, &MachinePoint::flop_rate);
}

double Machine::bandwidth() const
{
    const MachinePoint* largest = nullptr;
    for (const MachinePoint& point : points)
    {
        if (point.flops <= 0 && (largest == nullptr || point.bytes > largest->bytes))
        {
            largest = &point;
        }
    }
    return largest == nullptr ? 0 : largest->byte_rate();
}

Gpu gpu_of(const Machine& machine)
{
    Gpu gpu;
    gpu.name = machine.name;
    gpu.memory_gb = machine.memory_gb > 0 ? machine.memory_gb : kAssumedMemory;
    gpu.bf16_tflops = std::max(machine.peak() / 1e12, 1e-5); // no less is valid, nor below
    gpu.hbm_gb_per_s = std::max(machine.bandwidth() / 1e9, 1.0);
    gpu.fp8_tflops = gpu.fp4_tflops = gpu.link_gb_per_s = gpu.power_w = 0;
    gpu.calibration.gemm_efficiency = 1;
    gpu.calibration.hbm_efficiency = 1;
    gpu.calibration.attention_efficiency =
        machine.attention_flops > 0 ? std::min(1.0, machine.attention_flops / machine.peak()) : 1;
    gpu.calibration.attention_peak = 0; // not measured by length
    gpu.calibration.kernel_us = std::min(machine.launch_s * 1e6, 1000.0);
    gpu.calibration.host_kernel_us = 0;
    gpu.calibration.multiprocessors = 1; // waves of tiles are in the measured products
    return gpu;
}

Scenario on_machine(Scenario scenario, const Machine& machine)
{
    scenario.cluster.gpu = gpu_of(machine);
    scenario.cluster.gpus = scenario.cluster.gpus_per_node = 1;
    scenario.cluster.node_link_gb_per_s = 0;
    scenario.parallel = {};
    scenario.training.micro_batch = 1;
    return fit(scenario).scenario;
}

double run_seconds(const Scenario& scenario, const Machine& machine)
{
    const Scenario there = on_machine(scenario, machine);
    const auto report = evaluate(there);
    return report && report->step.tokens > 0
               ? report->step.total() * there.training.tokens / report->step.tokens
               : 0;
}

nlohmann::json to_json(const std::vector<Machine>& machines)
{
    nlohmann::json document{{"schema", kMachinesSchema}, {"machines", nlohmann::json::array()}};
    for (const Machine& machine : machines)
    {
        nlohmann::json& written = document["machines"].emplace_back(kMachineTable.write(machine));
        written["points"] = nlohmann::json::array();
        for (const MachinePoint& point : machine.points)
        {
            written["points"].push_back(nlohmann::json(kPointTable.write(point)));
        }
    }
    return document;
}

bool is_machines(const nlohmann::json& document)
{
    const auto schema = document.find("schema");
    return schema != document.end() && schema->is_string() &&
           schema->get_ref<const std::string&>() == kMachinesSchema;
}

Result<std::vector<Machine>> machines_from_json(const nlohmann::json& document)
{
    Issues issues;
    std::vector<Machine> machines = read_list(document, kMachinesSchema, "machines", kMachineTable, issues);
    for (const Machine& machine : machines)
    {
        add_if(issues, machine.peak() <= 0 || machine.bandwidth() <= 0,
               {"machines", machine.name + " has no measured product or no copy", "measure it again"});
    }
    if (!issues.empty())
    {
        return issues;
    }
    return machines;
}

void add(std::vector<Machine>& machines, Machine machine)
{
    std::erase_if(machines,
                  [&](const Machine& m) { return m.name == machine.name && m.date == machine.date; });
    machines.insert(machines.begin(), std::move(machine));
    machines.resize(std::min(machines.size(), kMostMachines));
}

} // namespace ringside
