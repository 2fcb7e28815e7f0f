#include "core/runs/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
constexpr std::size_t kMostGroups = 12;

// A line of Python that is no library's: torch's own files and those of the interpreter are passed over.
bool is_own_line(std::string_view file)
{
    return file.ends_with(".py") && file.find("/site-packages/") == std::string_view::npos &&
           file.find("/dist-packages/") == std::string_view::npos &&
           file.find("/torch/") == std::string_view::npos &&
           file.find("/lib/python") == std::string_view::npos;
}

struct Origin
{
    std::string line; // "optimizer.py:step:75"; empty: none of the program's own
    std::string part;
};

class SnapshotReader
{
public:
    // No snapshot holds a list of blocks, events or frames more often than a few times.
    explicit SnapshotReader(const DataTree& tree)
        : tree_(tree), most_looks_(4 * static_cast<std::int64_t>(tree.values()) + 1000)
    {
    }

    Result<MemorySnapshot> read()
    {
        for (const DataValue& segment : items(tree_.find(tree_.root, "segments")))
        {
            read_segment(segment);
        }
        std::int64_t peaks = 0;
        for (const DataValue& events : items(tree_.find(tree_.root, "device_traces")))
        {
            peaks += read_events(events) ? 1 : 0;
        }
        if (looks_ > most_looks_)
        {
            return Issue{"", "the snapshot has the same list in itself many times",
                         "write it again with torch.cuda.memory._dump_snapshot()"};
        }
        if (bad_)
        {
            return Issue{"", "the snapshot has a size below zero or beyond 2^60 bytes",
                         "write it again with torch.cuda.memory._dump_snapshot()"};
        }
        if (peaks == 0)
        {
            found_.peak = found_.requested;
            found_.peak_reserved = found_.reserved;
        }
        found_.sizes = largest(sizes_);
        found_.lines = largest(lines_);
        found_.parts = largest(parts_);
        return std::move(found_);
    }

private:
    struct Use
    {
        std::int64_t bytes = 0;
        DataValue frames;
    };
    // By address. Of blocks that were there before, and of those that were allocated since.
    using Uses = std::unordered_map<std::int64_t, Use>;

    std::span<const DataValue> items(const DataValue& list)
    {
        const auto all = tree_.items(list);
        looks_ += static_cast<std::int64_t>(all.size()) + 1;
        return looks_ > most_looks_ ? std::span<const DataValue>() : all;
    }
    std::int64_t bytes_at(const DataValue& table, std::string_view key, std::int64_t otherwise = 0)
    {
        const std::int64_t value = tree_.whole_at(table, key, otherwise);
        bad_ = bad_ || value < 0 || value > kMostBytes;
        return bad_ ? 0 : value;
    }

    void read_segment(const DataValue& segment)
    {
        const std::int64_t size = bytes_at(segment, "total_size");
        std::int64_t live = 0;
        std::int64_t inactive = 0;
        for (const DataValue& block : items(tree_.find(segment, "blocks")))
        {
            const std::int64_t bytes = bytes_at(block, "size");
            const std::string_view state = tree_.text_at(block, "state");
            if (state == "active_allocated")
            {
                live += bytes;
                const std::int64_t requested = bytes_at(block, "requested_size", bytes);
                found_.requested += requested;
                ++found_.blocks;
                const DataValue frames = tree_.find(block, "frames");
                at_end_[tree_.whole_at(block, "address", -found_.blocks)] = {requested, frames};
                count(sizes_, "", bytes);
                count_origin(lines_, &parts_, frames, bytes);
            }
            else if (state == "inactive")
            {
                inactive += bytes;
            }
            else
            {
                found_.pending += bytes;
            }
        }
        add(found_.reserved, size);
        add(found_.live, live);
        add(live > 0 ? found_.inactive : found_.empty_segments, live > 0 ? inactive : size);
        ++found_.segments;
    }

    void add(std::int64_t& sum, std::int64_t bytes)
    {
        bad_ = bad_ || sum > kMostBytes - std::min(bytes, kMostBytes);
        sum += bad_ ? 0 : bytes;
    }

    using Groups = std::map<std::pair<std::string, std::int64_t>, std::int64_t>; // line and size -> blocks

    void count(Groups& groups, const std::string& by, std::int64_t bytes)
    {
        if (by.empty())
        {
            ++groups[{by, bytes}];
        }
        else
        {
            add(groups[{by, 0}], bytes);
        }
    }
    void count_origin(Groups& lines, Groups* parts, const DataValue& frames, std::int64_t bytes)
    {
        const Origin& origin = origin_of(frames);
        if (!origin.line.empty())
        {
            count(lines, origin.line, bytes);
        }
        if (parts != nullptr)
        {
            count(*parts, origin.part, bytes);
        }
    }

    const Origin& origin_of(const DataValue& frames)
    {
        const std::uint32_t number = frames.kind == DataValue::Kind::list ? frames.items : ~0U;
        const auto [known, is_new] = origins_.try_emplace(number);
        if (is_new)
        {
            known->second = read_origin(frames);
        }
        return known->second;
    }

    // What a stack of calls is: the nearest line of the program itself, and the part of a step by names on it
    // (torch/cuda/_memory_viz.py tells them apart the same way).
    Origin read_origin(const DataValue& frames)
    {
        Origin origin;
        bool optimizer = false;
        bool backward = false;
        const auto stack = items(frames);
        for (const DataValue& frame : stack)
        {
            const std::string_view file = tree_.text_at(frame, "filename");
            const std::string_view name = tree_.text_at(frame, "name");
            if (origin.line.empty() && is_own_line(file))
            {
                origin.line = fmt::format("{}:{}:{}", file.substr(file.find_last_of('/') + 1), name,
                                          tree_.whole_at(frame, "line"));
            }
            optimizer = optimizer || (name == "step" && file.ends_with(".py")) ||
                        file.find("optimizer") != std::string_view::npos;
            backward = backward || name.find("torch::autograd::Engine") != std::string_view::npos ||
                       name == "backward";
        }
        origin.part = stack.empty() ? "not recorded"
                      : optimizer   ? "optimizer"
                      : backward    ? "backward"
                                    : "forward and other";
        return origin;
    }

    struct Replay
    {
        std::int64_t now = 0;
        std::int64_t peak = 0;
        std::size_t peak_at = 0; // after so many events
    };

    // The recorded events of one device, whether there were any. What is in use at the end is known, so what
    // was before the first is that less what they add up to.
    bool read_events(const DataValue& list)
    {
        const auto events = items(list);
        std::int64_t live = 0;
        std::int64_t reserved = 0;
        Replay uses;
        Replay segments;
        for (std::size_t i = 0; i < events.size(); ++i)
        {
            const std::string_view action = tree_.text_at(events[i], "action");
            const std::int64_t size = bytes_at(events[i], "size");
            found_.out_of_memory += action == "oom" ? 1 : 0;
            const int in_use = action == "alloc" ? 1 : action == "free_completed" ? -1 : 0;
            const int kept = action == "segment_alloc" || action == "segment_map"    ? 1
                             : action == "segment_free" || action == "segment_unmap" ? -1
                                                                                     : 0;
            step(uses, live, in_use * size, i);
            step(segments, reserved, kept * size, i);
        }
        found_.events += static_cast<std::int64_t>(events.size());
        if (events.empty() || bad_)
        {
            return false;
        }
        found_.peak += found_.requested - live + uses.peak;
        found_.peak_reserved += found_.reserved - reserved + segments.peak;
        look_at_peak(events, uses.peak_at);
        return true;
    }

    void step(Replay& replay, std::int64_t& sum, std::int64_t bytes, std::size_t event)
    {
        bad_ = bad_ || sum + bytes > kMostBytes || sum + bytes < -kMostBytes;
        sum += bad_ ? 0 : bytes;
        if (sum > replay.peak)
        {
            replay = {sum, sum, event + 1};
        }
    }

    // What was in use after so many events: what they allocated and not freed, and what was there before.
    void look_at_peak(std::span<const DataValue> events, std::size_t peak_at)
    {
        Uses uses;
        Uses since; // allocated after the peak
        for (std::size_t i = 0; i < events.size(); ++i)
        {
            const std::string_view action = tree_.text_at(events[i], "action");
            const std::int64_t address = tree_.whole_at(events[i], "addr");
            const Use use{bytes_at(events[i], "size"), tree_.find(events[i], "frames")};
            const bool after = i >= peak_at;
            if (action == "alloc")
            {
                (after ? since : uses)[address] = use;
            }
            else if (action == "free_completed" && (after ? since : uses).erase(address) == 0 && after)
            {
                uses.try_emplace(address, use); // it was there at the peak
            }
            else if (action == "free_completed" && after)
            {
                continue;
            }
        }
        for (const auto& [address, use] : at_end_)
        {
            if (!since.contains(address))
            {
                uses.try_emplace(address, use);
            }
        }
        Groups sizes;
        Groups lines;
        for (const auto& [address, use] : uses)
        {
            count(sizes, "", use.bytes);
            count_origin(lines, nullptr, use.frames, use.bytes);
        }
        found_.peak_sizes = largest(sizes);
        found_.peak_lines = largest(lines);
    }

    static std::vector<SnapshotGroup> largest(const Groups& groups)
    {
        std::vector<SnapshotGroup> list;
        for (const auto& [key, value] : groups)
        {
            list.push_back(key.first.empty() ? SnapshotGroup{"", key.second, value}
                                             : SnapshotGroup{key.first, value, 1});
        }
        std::ranges::stable_sort(list, std::ranges::greater(), &SnapshotGroup::total);
        list.resize(std::min(list.size(), kMostGroups));
        return list;
    }

    const DataTree& tree_;
    MemorySnapshot found_;
    Uses at_end_;
    Groups sizes_;
    Groups lines_;
    Groups parts_;
    std::unordered_map<std::uint32_t, Origin> origins_; // by the number of their list
    std::int64_t most_looks_;
    std::int64_t looks_ = 0;
    bool bad_ = false;
};

} // namespace

bool is_snapshot(const DataTree& tree)
{
    return tree.find(tree.root, "segments").kind == DataValue::Kind::list;
}

Result<MemorySnapshot> read_snapshot(const DataTree& tree)
{
    if (!is_snapshot(tree))
    {
        return Issue{"", "is no memory snapshot: it has no list of segments",
                     "write one with torch.cuda.memory._dump_snapshot()"};
    }
    return SnapshotReader(tree).read();
}

} // namespace ringside
