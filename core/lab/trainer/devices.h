// Which device a training runs on, and why.
#pragma once

#include "core/base/result.h"
#include "core/lab/trainer/backend.h"

#include <functional>
#include <string_view>

namespace ringside::trainer
{

struct Device
{
    std::unique_ptr<Backend> backend;
    std::string says; // one line: what was found, and why this one
};

// `asked`: auto takes a CUDA device where there is one, cpu, cuda. 0 threads: cpu::default_threads().
Result<Device> open_device(std::string_view asked, std::size_t threads = 0);

// A CUDA device, or why there is none: built without, no driver, driver too old, no device. With our own
// products cuBLASLt is not used even where it is there.
struct CudaProbe
{
    std::unique_ptr<Backend> backend;
    std::string reason;
};
CudaProbe open_cuda(bool own_products = false);

} // namespace ringside::trainer
