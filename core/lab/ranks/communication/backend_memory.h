// Memory of a backend's device, so that ranks as threads can share one: what one has, another copies or adds
// on the device, and nothing goes by the host.
#pragma once

#include "core/lab/ranks/communication/memory.h"
#include "core/lab/trainer/backend.h"

#include <mutex>

namespace ringside::parallel
{

class BackendMemory final : public Memory
{
public:
    // `moves` copies and adds, and nobody else may call it in the meantime: on a GPU, one more backend than
    // those that compute, with a stream of its own. `computes` writes what is to be sent. Both outlive this.
    BackendMemory(trainer::Backend& moves, trainer::Backend& computes) : moves_(moves), computes_(computes) {}

    // Sums as the backend adds a row to another: fp32, rounded once.
    void add(void* to, const void* from, DType type, Index elements) override;
    void copy(void* to, const void* from, Index bytes) override;
    void* allocate(Index bytes) override; // throws std::bad_alloc when the device has no more
    void release(void* memory) override;
    bool on_host() const override { return !moves_.is_gpu(); }
    void settle() override { computes_.wait(); }

private:
    trainer::Backend& moves_;
    trainer::Backend& computes_;
    std::mutex mutex_; // a rank may call from two threads
};

} // namespace ringside::parallel
