// What the CUDA backend needs of a device beside kernels: memory, copies, a stream, and a library of matrix
// products where there is one. The real one is in cuda_backend.cu.
#pragma once

#include "core/lab/trainer/cuda/device.h"
#include "core/lab/trainer/operations.h"

#include <string>

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

class Runtime
{
public:
    Runtime() = default;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    virtual ~Runtime() = default;

    virtual std::string name() const = 0;
    virtual Index capacity() const = 0;
    virtual Stream stream() const = 0;
    virtual void* allocate(Index bytes) = 0; // null when there is no more
    virtual void release(void* memory) = 0;
    virtual void upload(void* to, const void* from, Index bytes) = 0;
    virtual void download(void* to, const void* from, Index bytes) = 0; // waits
    virtual void copy(void* to, const void* from, Index bytes) = 0;
    virtual void clear(void* memory, Index bytes) = 0;
    virtual void wait() = 0;
    virtual bool start_recording() = 0;
    virtual bool finish_recording() = 0;
    virtual void replay() = 0;
    // Lets a kernel have more dynamic shared memory than 48 KiB.
    virtual void allow_shared(const void* kernel, Index bytes) = 0;
    // The product by cuBLASLt; false when it is not there or does not take it.
    virtual bool product(const Product& product, void* workspace, Index workspace_bytes) = 0;
};

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
