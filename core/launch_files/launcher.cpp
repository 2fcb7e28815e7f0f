// How many GPUs a launch has, from what starts it. Launchers multiply: SLURM's nodes times GPUs of a node are
// all there are, however many tasks SLURM starts; torchrun's processes are one each for a GPU.
#include <fmt/format.h>

#include "core/launch_files/reading.h"

namespace ringside
{

namespace
{

// The last number of "gpu:h100:8", "8", "1:8".
std::optional<std::int64_t> last_number(const nlohmann::json& value)
{
    const std::string text = plain_text(value);
    return whole_number(text.substr(text.find_last_of(':') + 1));
}

// A count that one of these settings of a launcher states; what only a run knows is remembered.
class LauncherCount
{
public:
    LauncherCount(const SettingList& launcher, std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
        {
            const Setting* setting = launcher.find(name);
            if (setting == nullptr)
            {
                continue;
            }
            const auto number = last_number(setting->value);
            if (setting->unknown.empty() && number && *number > 0)
            {
                value = number;
                by = setting;
                return;
            }
            asked = setting;
        }
    }

    std::optional<std::int64_t> value;
    const Setting* by = nullptr;
    const Setting* asked = nullptr; // there, and not known
};

} // namespace

void read_gpus(LaunchReader& reader)
{
    const SettingList& launcher = reader.launcher();
    const LauncherCount nodes(launcher, {"torchrun --nnodes", "deepspeed --num-nodes", "sbatch --nodes",
                                         "srun --nodes", "accelerate --num-machines"});
    const LauncherCount each(launcher, {"torchrun --nproc-per-node", "deepspeed --num-gpus",
                                        "sbatch --gpus-per-node", "sbatch --gres", "srun --gpus-per-node",
                                        "srun --gres", "sbatch --ntasks-per-node", "srun --ntasks-per-node"});
    const LauncherCount all(launcher, {"accelerate --num-processes", "mpirun -np", "mpirun -n",
                                       "sbatch --gpus", "sbatch --ntasks", "srun --ntasks"});
    if (each.value && (nodes.value || nodes.asked == nullptr))
    {
        reader.state("cluster.gpus", *each.value * nodes.value.value_or(1), *each.by);
        reader.state("cluster.gpus_per_node", *each.value, *each.by);
    }
    else if (all.value)
    {
        reader.state("cluster.gpus", *all.value, *all.by);
    }
    else if (each.value)
    {
        reader.state("cluster.gpus_per_node", *each.value, *each.by);
    }
    for (const LauncherCount* count : {&nodes, &each, &all})
    {
        if (count->asked != nullptr && !count->value)
        {
            // A variable, or the command whose output it is.
            const std::string& command = count->asked->unknown;
            reader.say(fmt::format("{} is {}, which is known only when it runs: give --gpus",
                                   count->asked->name,
                                   command.starts_with("$(") ? command : plain_text(count->asked->value)));
        }
    }
}

} // namespace ringside
