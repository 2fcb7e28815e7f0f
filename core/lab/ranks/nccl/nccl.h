// Collectives among GPUs by NVIDIA's NCCL, which is loaded at run time where it is installed. Two GPUs or
// more, one a rank, in one process or several.
#pragma once

#include "core/lab/ranks/communication/carrier.h"
#include "core/lab/ranks/communication/transport.h"

#include <memory>
#include <string>

namespace ringside::parallel
{

struct NcclProbe
{
    bool usable = false;
    std::string says; // "NCCL 2.27.7 on 8 GPUs", or why not
};
NcclProbe probe_nccl();

// By all members together, each with a GPU of its own on its host. Reaches the others by the transport first,
// and hears by it when one gives up. Memory is the device's. Throws std::runtime_error with probe_nccl().says
// where that is not usable, or with what NCCL says. Sums are NCCL's: their order, and with it the last bits,
// may differ from the steps of core/network/collective; bytes sent are counted as those of a ring.
std::unique_ptr<Carrier> make_nccl_carrier(Transport& transport, const std::vector<int>& members,
                                           std::int64_t tag, int device, Memory& memory);

} // namespace ringside::parallel
