#include "app/commands/train/train_snapshot.h"

#include <fmt/format.h>

#include "core/runs/data_tree.h"
#include "core/runs/predicted/snapshot_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace ringside
{

namespace
{

// Where weights, gradients and moments are held, whatever part of a step touches them.
std::string_view home_of(Component component)
{
    return component == Component::gradients ? "backward"
           : component == Component::weights ? "model"
                                             : "step";
}

bool is_state(Component component)
{
    return std::ranges::find(kStateComponents, component) != kStateComponents.end();
}

std::string_view part_of(MemoryMoment::Where where)
{
    return where == MemoryMoment::Where::backward ? "backward"
           : where == MemoryMoment::Where::update ? "step"
                                                  : "forward";
}

std::string words_of(const AllocationEvent& event)
{
    using Where = MemoryMoment::Where;
    const std::string_view name = name_of(event.component);
    switch (event.where)
    {
    case Where::forward:
    case Where::backward:
        return fmt::format("{}, layer {} {}", name, event.layer, part_of(event.where));
    case Where::embedding:
        return fmt::format("{}, embedding", name);
    case Where::head:
        return fmt::format("{}, head and loss", name);
    case Where::update:
        return fmt::format("{}, optimizer", name);
    default:
        return fmt::format("{}, micro-batch", name);
    }
}

class MeasuredSnapshot
{
public:
    explicit MeasuredSnapshot(const AllocationLog& log) : log_(log) { place_buffers(); }

    nlohmann::json take()
    {
        for (const AllocationEvent& event : log_.events)
        {
            happens(event);
        }
        for (const auto& [number, bytes] : gone_)
        {
            writer_.drops_segment(address_[number], bytes);
        }
        for (const ArenaBuffer& buffer : log_.buffers)
        {
            const auto block = block_of(buffer);
            writer_.add_segment(address_[buffer.number], buffer.bytes,
                                buffer.in_use ? std::span(&block, 1) : std::span<const SnapshotBlock>(), 1);
        }
        return writer_.take();
    }

private:
    // One after another, those that are gone by now among them.
    void place_buffers()
    {
        for (const ArenaBuffer& buffer : log_.buffers)
        {
            address_[buffer.number] = buffer.bytes;
        }
        for (const AllocationEvent& event : log_.events)
        {
            const bool is_new = address_.try_emplace(event.buffer, event.bytes).second;
            std::int64_t& bytes = address_[event.buffer];
            bytes = std::max(bytes, event.bytes);
            if (is_new)
            {
                gone_[event.buffer] = event.bytes;
            }
        }
        std::int64_t end = kSegmentStart;
        for (auto& [number, bytes] : address_)
        {
            const std::int64_t begin = end;
            end += rounded_up(bytes, kBlockUnit);
            bytes = begin;
        }
    }

    void happens(const AllocationEvent& event)
    {
        SnapshotBlock& block = now_[event.buffer];
        if (!event.given_back)
        {
            block = {.name = words_of(event),
                     .line = event.layer,
                     .part = is_state(event.component) ? home_of(event.component) : part_of(event.where),
                     .bytes = event.bytes,
                     .address = address_[event.buffer]};
            writer_.allocates(block);
            return;
        }
        if (block.bytes == 0) // it was there before the step
        {
            block = held({.number = event.buffer, .bytes = event.bytes, .component = event.component});
        }
        writer_.frees(block);
        block = {};
    }

    SnapshotBlock held(const ArenaBuffer& buffer)
    {
        return {.name = std::string(name_of(buffer.component)),
                .part = home_of(buffer.component),
                .bytes = buffer.bytes,
                .address = address_[buffer.number]};
    }

    SnapshotBlock block_of(const ArenaBuffer& buffer)
    {
        const auto known = now_.find(buffer.number);
        return known != now_.end() && known->second.bytes > 0 ? known->second : held(buffer);
    }

    const AllocationLog& log_;
    std::map<std::int64_t, std::int64_t> address_; // of a buffer by its number
    std::map<std::int64_t, std::int64_t> gone_;    // bytes of those that the device has back
    std::map<std::int64_t, SnapshotBlock> now_;    // in it, as far as the step's events say
    SnapshotWriter writer_;
};

} // namespace

std::string snapshot_name(const std::string& file, int rank)
{
    const std::filesystem::path path = file;
    return (path.parent_path() /
            fmt::format("{}-rank{}{}", path.stem().string(), rank, path.extension().string()))
        .string();
}

nlohmann::json snapshot_of(const AllocationLog& log)
{
    return MeasuredSnapshot(log).take();
}

std::string snapshot_text(const AllocationLog& log)
{
    return pickle_of(snapshot_of(log));
}

} // namespace ringside
