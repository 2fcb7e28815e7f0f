#include "core/scenario/software.h"

#include <algorithm>

namespace ringside
{

Calibration with_software(const Calibration& accelerator, const Software& software)
{
    // Copy kernels of the vendors' own libraries reach no more of the memory's data sheet.
    constexpr double kMostOfMemory = 0.92;
    Calibration c = accelerator;
    if (software.elementwise > 1)
    {
        c.hbm_efficiency =
            std::max(c.hbm_efficiency, std::min(kMostOfMemory, c.hbm_efficiency * software.elementwise));
    }
    else
    {
        c.hbm_efficiency *= software.elementwise;
    }
    c.gemm_efficiency *= software.products;
    c.host_kernel_us *= software.launch * (1 - software.graphs);
    c.gather_slowdown *= software.gather;
    c.data_overlap = software.data_overlap < 0 ? c.data_overlap : software.data_overlap;
    if (software.attention != AttentionKernel::latest)
    {
        const bool second = software.attention == AttentionKernel::flash2;
        c.attention_peak = second ? c.flash2_peak : 0;
        c.attention_half = second ? c.flash2_half : 0;
    }
    return c;
}

bool Software::operator==(const Software&) const = default;

double attention_share(const Calibration& c, double tokens)
{
    return c.attention_peak > 0 ? c.attention_peak * tokens / (tokens + c.attention_half)
                                : c.attention_efficiency;
}

} // namespace ringside
