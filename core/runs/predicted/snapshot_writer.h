// A memory snapshot as PyTorch's allocator writes it, which pytorch.org/memory_viz opens: a document of the
// shape of torch.cuda.memory._snapshot() (torch/csrc/cuda/Module.cpp, THCPModule_memorySnapshot).
#pragma once

#include "core/base/json/json.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr std::int64_t kSegmentStart = 0x7f0000000000; // where CUDA's addresses lie
inline constexpr std::int64_t kBlockUnit = 512;               // [B] CUDACachingAllocator.cpp, kMinBlockSize

constexpr std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// An allocation, as it was asked for.
struct SnapshotBlock
{
    std::string name;      // "queries"
    std::int64_t line = 0; // of a layer: its number
    std::string_view part; // file and function of the step: "forward"
    std::int64_t bytes = 0;
    std::int64_t address = 0;
};
using SnapshotBlocks = std::vector<SnapshotBlock>;

class SnapshotWriter
{
public:
    void allocates(const SnapshotBlock& block) { happens("alloc", block); }
    void frees(const SnapshotBlock& block)
    {
        happens("free_requested", block);
        happens("free_completed", block);
    }
    // A segment that is no more: memory that was free has gone back to the device.
    void drops_segment(std::int64_t address, std::int64_t bytes)
    {
        happens("segment_free", {.name = "trim", .part = "step", .bytes = bytes, .address = address});
    }
    // Blocks in use, one after another, each as long as a multiple of `unit`; what is left of it is free.
    void add_segment(std::int64_t address, std::int64_t bytes, std::span<const SnapshotBlock> blocks,
                     std::int64_t unit);
    nlohmann::json take();

private:
    void happens(std::string_view action, const SnapshotBlock& block);

    nlohmann::json segments_ = nlohmann::json::array();
    nlohmann::json events_ = nlohmann::json::array();
};

} // namespace ringside
