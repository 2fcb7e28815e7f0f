// The CUDA backend's runtime on an ordinary processor, for tests.
#pragma once

#include "tests/core/lab/cuda_shim/shim.h"

#include "core/lab/trainer/cuda/runtime.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

class ShimRuntime final : public Runtime
{
public:
    std::string name() const override { return "CUDA kernels on the CPU"; }
    Index capacity() const override { return Index{1} << 32U; }
    Stream stream() const override { return 0; }
    // No more than asked for, so that a sanitizer sees what is out of bounds.
    void* allocate(Index bytes) override { return std::malloc(static_cast<std::size_t>(bytes)); }
    void release(void* memory) override { std::free(memory); }
    void upload(void* to, const void* from, Index bytes) override { copy(to, from, bytes); }
    void download(void* to, const void* from, Index bytes) override { copy(to, from, bytes); }
    void copy(void* to, const void* from, Index bytes) override
    {
        shim::enqueue([=] { std::memmove(to, from, static_cast<std::size_t>(bytes)); });
    }
    void clear(void* memory, Index bytes) override
    {
        shim::enqueue([=] { std::memset(memory, 0, static_cast<std::size_t>(bytes)); });
    }
    void wait() override {}
    bool start_recording() override
    {
        recording_.clear();
        shim::record_into(&recording_);
        return true;
    }
    bool finish_recording() override
    {
        shim::record_into(nullptr);
        return true;
    }
    void replay() override
    {
        for (const auto& work : recording_)
        {
            work();
        }
    }
    void allow_shared(const void*, Index) override {}
    bool product(const Product&, void*, Index) override { return false; }

private:
    std::vector<std::function<void()>> recording_;
};

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
