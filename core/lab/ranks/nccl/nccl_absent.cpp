// Stands in for NCCL where the program is built without CUDA.
#include "core/lab/ranks/nccl/nccl.h"

#include <stdexcept>

namespace ringside::parallel
{

NcclProbe probe_nccl()
{
    return {false, "no NCCL: this program was built without CUDA"};
}

std::unique_ptr<Carrier> make_nccl_carrier(Transport&, const std::vector<int>&, std::int64_t, int, Memory&)
{
    throw std::runtime_error(probe_nccl().says);
}

} // namespace ringside::parallel
