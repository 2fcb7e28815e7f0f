// Stands in for the CUDA backend where the program is built without one.
#include "core/lab/trainer/devices.h"

namespace ringside::trainer
{

CudaProbe open_cuda(bool)
{
    return {nullptr, "this program was built without it"};
}

} // namespace ringside::trainer
