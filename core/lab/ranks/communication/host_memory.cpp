#include "core/lab/ranks/communication/memory.h"
#include "core/lab/trainer/cpu/kernels/formats.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace ringside::parallel
{

namespace
{

constexpr Index kBlock = 1024; // elements that are widened at a time
constexpr std::align_val_t kAlignment{64};

void add_floats(float* __restrict to, const float* __restrict from, Index elements)
{
    for (Index i = 0; i < elements; ++i)
    {
        to[i] += from[i];
    }
}

void add_halves(void* to, const void* from, DType type, Index elements)
{
    std::array<float, kBlock> arrived;
    std::array<float, kBlock> sum;
    // Only read: a Tensor has no const form.
    const trainer::Tensor source = trainer::tensor(const_cast<void*>(from), type, 1, elements);
    const trainer::Tensor target = trainer::tensor(to, type, 1, elements);
    for (Index first = 0; first < elements; first += kBlock)
    {
        const Index count = std::min(kBlock, elements - first);
        trainer::cpu::widen_row(source, 0, first, count, arrived.data());
        trainer::cpu::add_to(arrived.data(), target, 0, first, count, sum.data());
    }
}

class HostMemory final : public Memory
{
public:
    void add(void* to, const void* from, DType type, Index elements) override
    {
        if (type == DType::f32)
        {
            add_floats(static_cast<float*>(to), static_cast<const float*>(from), elements);
        }
        else
        {
            add_halves(to, from, type, elements);
        }
    }
    void copy(void* to, const void* from, Index bytes) override
    {
        if (bytes > 0)
        {
            std::memmove(to, from, static_cast<std::size_t>(bytes));
        }
    }
    void* allocate(Index bytes) override
    {
        return ::operator new(static_cast<std::size_t>(bytes), kAlignment);
    }
    void release(void* memory) override { ::operator delete(memory, kAlignment); }
};

} // namespace

Memory& host_memory()
{
    static HostMemory memory;
    return memory;
}

} // namespace ringside::parallel
