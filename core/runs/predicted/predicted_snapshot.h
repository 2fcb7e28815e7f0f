// The predicted memory as a snapshot of PyTorch's allocator, which pytorch.org/memory_viz opens: the state of
// the GPU that allocates most, and the events of a step up to its peak and back.
#pragma once

#include "core/base/json/json.h"
#include "core/evaluate/report.h"

namespace ringside
{

// A document as SnapshotWriter makes it. At its peak the blocks that were asked for are the ledger's
// allocated bytes, to the byte; what driver and communication library hold is in no snapshot. Faults: none,
// of a valid scenario.
nlohmann::json predicted_snapshot(const Scenario& scenario, const Report& report);

} // namespace ringside
