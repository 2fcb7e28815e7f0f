// What a training of one's own allocated in its last step, as a memory snapshot that PyTorch's viewer and My
// run open.
#pragma once

#include "core/base/json/json.h"
#include "core/lab/allocations.h"

#include <string>

namespace ringside
{

// Where one rank's file goes: "memory.pickle" -> "memory-rank3.pickle", of which My run reads the rank.
std::string snapshot_name(const std::string& file, int rank);

// A document as SnapshotWriter makes it. Blocks are as long as they were asked for, since the arena rounds
// nothing: in use, at the peak and reserved are the arena's own bytes.
nlohmann::json snapshot_of(const AllocationLog& log);
// The document as a pickle.
std::string snapshot_text(const AllocationLog& log);

} // namespace ringside
