#include "core/lab/trainer/cpu/kernels.h"

namespace ringside::trainer::cpu
{

extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

Index attention_scratch(Index length, Index head_dim)
{
    Index product = 0;
    const KernelList list = usable_kernels();
    for (int i = 0; i < list.count; ++i)
    {
        const Index needed = list.kernels[i]->product_scratch;
        product = needed > product ? needed : product;
    }
    return 2 * kQueryRows * length + product + 2 * length * head_dim;
}

KernelList usable_kernels()
{
    KernelList list{{&kBaselineKernels, nullptr, nullptr}, 1};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
    {
        list.kernels[list.count++] = &kAvx2Kernels;
        if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
            __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0)
        {
            list.kernels[list.count++] = &kAvx512Kernels;
        }
    }
#endif
    return list;
}

const Kernels& best_kernels()
{
    const KernelList list = usable_kernels();
    return *list.kernels[list.count - 1];
}

} // namespace ringside::trainer::cpu
