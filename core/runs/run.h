// Files of a real training run, told apart by what is in them: logs, traces, memory snapshots, dumps of the
// flight recorder, tables of nsys and of nccl-tests. Several of one job are read together.
#pragma once

#include "core/base/json/json.h"
#include "core/runs/flight_recorder.h"
#include "core/runs/log.h"
#include "core/runs/nccl_tests.h"
#include "core/runs/snapshot.h"
#include "core/runs/trace.h"

#include <functional>

namespace ringside
{

struct RunFile
{
    std::string name;
    std::function<std::unique_ptr<ByteSource>()> open; // from the beginning, each time
    std::int64_t bytes = 0;                            // of the file; 0: not known
};

// A text as a file of a run.
RunFile run_file(std::string name, std::string text);

struct RunReading
{
    std::string kind;               // "log", "trace" ..., "folder" where there are several kinds
    std::vector<std::string> files; // that were read
    std::string software;           // "torchtitan"; empty: not known
    std::optional<TrainingLog> log;
    std::vector<GpuTrace> traces; // by rank
    bool by_device = false;       // those of an nsys table, one of each device
    std::optional<TraceJoin> join;
    std::optional<MemorySnapshot> snapshot;
    std::optional<RecordedHang> hang;
    std::vector<RecorderDump> dumps;
    std::optional<NcclTest> nccl;
    std::vector<std::string> messages; // sentences
    std::vector<std::string> passed;   // files that are none of these: "launch.sh"
};

inline constexpr std::size_t kRunHead = 256U << 10U; // [B] that tell what a file is

// What bytes are, from their beginning (gzip data are looked into): "a trace of PyTorch's profiler". Empty
// where they are no file of a run.
std::string kind_of_run(std::string_view bytes);

// Faults name the file. A file that is none of a run is a fault where it is the only one.
Result<RunReading> read_run(const std::vector<RunFile>& files);

// What it all comes to.
std::string sentence_of(const RunReading& run);
// The document ringside.run/1; parts that no file gives are left out.
nlohmann::json to_json(const RunReading& run);
// The rank that a file's name says: "rank-34.", "rank6", "_dump_12"; -1 where it says none.
std::int64_t rank_of_name(std::string_view name);

} // namespace ringside
