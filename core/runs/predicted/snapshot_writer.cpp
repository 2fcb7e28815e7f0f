#include "core/runs/predicted/snapshot_writer.h"

#include <fmt/format.h>

#include <utility>

namespace ringside
{

namespace
{

using nlohmann::json;

// The tensor, and below it the part of the step, by which PyTorch's viewers and ours tell blocks apart.
json frames_of(const SnapshotBlock& block)
{
    return json::array(
        {{{"name", block.name}, {"filename", fmt::format("{}.py", block.part)}, {"line", block.line}},
         {{"name", block.part}, {"filename", "train.py"}, {"line", 1}}});
}

} // namespace

void SnapshotWriter::happens(std::string_view action, const SnapshotBlock& block)
{
    events_.push_back({{"action", action},
                       {"addr", block.address},
                       {"size", block.bytes},
                       {"stream", 0},
                       {"time_us", std::ssize(events_)},
                       {"frames", frames_of(block)}});
}

void SnapshotWriter::add_segment(std::int64_t address, std::int64_t bytes,
                                 std::span<const SnapshotBlock> blocks, std::int64_t unit)
{
    json listed = json::array();
    std::int64_t requested = 0;
    std::int64_t used = 0;
    for (const SnapshotBlock& block : blocks)
    {
        const std::int64_t size = rounded_up(block.bytes, unit);
        listed.push_back({{"address", address + used},
                          {"size", size},
                          {"requested_size", block.bytes},
                          {"state", "active_allocated"},
                          {"frames", frames_of(block)}});
        requested += block.bytes;
        used += size;
    }
    if (bytes > used)
    {
        listed.push_back({{"address", address + used},
                          {"size", bytes - used},
                          {"requested_size", 0},
                          {"state", "inactive"},
                          {"frames", json::array()}});
    }
    segments_.push_back({{"device", 0},
                         {"address", address},
                         {"total_size", bytes},
                         {"allocated_size", used},
                         {"active_size", used},
                         {"requested_size", requested},
                         {"stream", 0},
                         {"segment_type", "large"},
                         {"segment_pool_id", {0, 0}},
                         {"is_expandable", true},
                         {"frames", json::array()},
                         {"blocks", std::move(listed)}});
}

json SnapshotWriter::take()
{
    return {{"segments", std::move(segments_)},
            {"device_traces", json::array({std::move(events_)})},
            {"allocator_settings", json::object()},
            {"external_annotations", json::array()}};
}

} // namespace ringside
