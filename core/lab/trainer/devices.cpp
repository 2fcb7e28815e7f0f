#include "core/lab/trainer/devices.h"

#include <fmt/format.h>

#include "core/lab/trainer/cpu/cpu_backend.h"

namespace ringside::trainer
{

Result<Device> open_device(std::string_view asked, std::size_t threads)
{
    if (asked != "auto" && asked != "cpu" && asked != "cuda")
    {
        return Issue{"--device", fmt::format("there is no “{}”", asked), "use auto, cpu or cuda"};
    }
    CudaProbe cuda;
    if (asked != "cpu")
    {
        cuda = open_cuda();
    }
    if (cuda.backend)
    {
        std::string says = fmt::format("training on {} ({})", cuda.backend->name(),
                                       asked == "auto" ? "a CUDA device is here" : "as asked");
        return Device{std::move(cuda.backend), std::move(says)};
    }
    if (asked == "cuda")
    {
        return Issue{"--device", fmt::format("no CUDA: {}", cuda.reason), "use --device cpu"};
    }
    auto cpu = std::make_unique<CpuBackend>(threads);
    const std::string why = asked == "cpu" ? "as asked" : fmt::format("no CUDA: {}", cuda.reason);
    std::string says = fmt::format("training on {} ({})", cpu->name(), why);
    return Device{std::move(cpu), std::move(says)};
}

} // namespace ringside::trainer
