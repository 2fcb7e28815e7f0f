#include "core/lab/ranks/communication/backend_memory.h"

#include <algorithm>
#include <new>

namespace ringside::parallel
{

namespace
{

constexpr Index kMostElements = Index{1} << 20U; // of one sum: backends keep a float of workspace for each

} // namespace

void BackendMemory::add(void* to, const void* from, DType type, Index elements)
{
    const std::scoped_lock lock(mutex_);
    // Only read: a Tensor has no const form.
    const auto source = trainer::tensor(const_cast<void*>(from), type, 1, elements);
    const auto target = trainer::tensor(to, type, 1, elements);
    for (Index first = 0; first < elements; first += kMostElements)
    {
        const Index count = std::min(kMostElements, elements - first);
        moves_.run(trainer::SumRows{source.columns(first, count), target.columns(first, count)});
    }
    moves_.wait();
}

void BackendMemory::copy(void* to, const void* from, Index bytes)
{
    if (bytes > 0)
    {
        const std::scoped_lock lock(mutex_);
        moves_.copy(to, from, bytes);
        moves_.wait();
    }
}

void* BackendMemory::allocate(Index bytes)
{
    const std::scoped_lock lock(mutex_);
    void* memory = moves_.allocate(std::max<Index>(bytes, 1));
    if (memory == nullptr)
    {
        throw std::bad_alloc();
    }
    return memory;
}

void BackendMemory::release(void* memory)
{
    const std::scoped_lock lock(mutex_);
    moves_.release(memory);
}

} // namespace ringside::parallel
