// Adds and copies where the memory is: the host's here, a device's elsewhere.
#pragma once

#include "core/lab/trainer/tensor.h"

namespace ringside::parallel
{

using trainer::DType;
using trainer::Index;

// So many bytes further on.
inline const char* at(const void* data, Index bytes)
{
    return static_cast<const char*>(data) + bytes;
}
inline char* at(void* data, Index bytes)
{
    return static_cast<char*>(data) + bytes;
}

// What is asked of it is done when the call returns. Any thread may call.
class Memory
{
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    virtual ~Memory() = default;

    // fp32, bf16 or fp16. 16 bits: in fp32, rounded once, to nearest even.
    virtual void add(void* to, const void* from, DType type, Index elements) = 0;
    virtual void copy(void* to, const void* from, Index bytes) = 0; // the two must not overlap
    virtual void* allocate(Index bytes) = 0;                        // scratch for what arrives
    virtual void release(void* memory) = 0;
    virtual bool on_host() const { return true; } // whether any processor can read it
    // Waits until what others asked of the device before is done, so that it may be sent.
    virtual void settle() {}
};
Memory& host_memory();

} // namespace ringside::parallel
