#include "core/lab/trainer/devices.h"

#include <fmt/format.h>

#include "core/lab/trainer/cpu/cpu_backend.h"
#include "core/lab/trainer/timed_backend.h"

namespace ringside::trainer
{

namespace
{

Device device_of(std::unique_ptr<Backend> backend, std::string_view why)
{
    std::string says = fmt::format("training on {} ({})", backend->name(), why);
    return {std::make_unique<TimedBackend>(std::move(backend)), std::move(says)};
}

} // namespace

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
        return device_of(std::move(cuda.backend), asked == "auto" ? "a CUDA device is here" : "as asked");
    }
    if (asked == "cuda")
    {
        return Issue{"--device", fmt::format("no CUDA: {}", cuda.reason), "use --device cpu"};
    }
    return device_of(std::make_unique<CpuBackend>(threads),
                     asked == "cpu" ? "as asked" : fmt::format("no CUDA: {}", cuda.reason));
}

} // namespace ringside::trainer
