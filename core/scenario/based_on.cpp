#include "core/scenario/based_on.h"

namespace ringside
{

std::string name_by_preset(const Gpu& gpu, const Presets& presets)
{
    const GpuPreset* preset = presets.gpu(gpu.id);
    if (preset == nullptr)
    {
        return "custom GPU";
    }
    Gpu same = preset->gpu;
    same.name = gpu.name;
    return same == gpu ? preset->gpu.name : preset->gpu.name + ", edited";
}

} // namespace ringside
