// Dumps of PyTorch's flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE, TORCH_NCCL_DUMP_ON_TIMEOUT): which calls
// of its groups a rank has enqueued and completed (torch/csrc/distributed/c10d/FlightRecorder.hpp). One dump
// is of one rank; who hung is seen where several are joined.
#pragma once

#include "core/runs/data_tree.h"

#include <set>
#include <string>
#include <vector>

namespace ringside
{

struct RecordedCall
{
    std::int64_t sequence = -1; // -1: none
    std::string collective;     // "nccl:all_reduce"
    std::string sizes;          // of its inputs: "[[8192, 1, 5120]]"
    std::string state;          // "scheduled", "started", "completed"
};

// What one rank says of one group.
struct RecordedGroup
{
    std::string name;        // the same on every rank: "41"
    std::string description; // "TENSOR_MODEL_PARALLEL_GROUP"
    std::vector<std::int64_t> members;
    bool listed = false;              // it has entries of the group
    std::int64_t last_completed = -1; // -1: not said
    std::vector<RecordedCall> calls;  // by sequence, those between two ranks left out
};

struct RecorderDump
{
    std::int64_t rank = -1; // of the file's name; -1: not known
    std::string version;
    std::string nccl;
    std::int64_t entries = 0;
    std::vector<RecordedGroup> groups;
};

bool is_recorder_dump(const DataTree& tree);
Result<RecorderDump> read_recorder_dump(const DataTree& tree, std::int64_t rank);

// A group whose calls do not fit.
struct HungGroup
{
    std::string name;
    std::string description;
    std::vector<std::int64_t> members;
    std::vector<std::int64_t> culprits;
    std::string reason;
    RecordedCall waiting;             // of the others: the first that is not completed
    std::int64_t last_completed = -1; // of the others
    std::int64_t culprits_last_completed = -1;
};

struct RecordedHang
{
    std::int64_t ranks = 0;            // that have a dump
    std::vector<std::int64_t> missing; // of the groups' members, without one
    std::set<std::int64_t> culprits;
    std::vector<HungGroup> groups; // those that show one
    std::vector<HungGroup> unlike; // other names or sizes at the same sequence number
};

// Culprits of a group are members without an entry where others have calls outstanding, and members whose
// last completed call is before that of the others. Fewest enqueued calls are no sign: who hung may have
// enqueued more.
RecordedHang join_dumps(const std::vector<RecorderDump>& dumps);

} // namespace ringside
