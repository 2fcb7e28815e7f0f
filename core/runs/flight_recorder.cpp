#include "core/runs/flight_recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace ringside
{

namespace
{

constexpr std::size_t kMostMembers = 1U << 20U;
constexpr std::size_t kMostRecorderCalls = 1U << 16U;

// "[0, 1]", a text, or a list.
std::vector<std::int64_t> members_of(const DataTree& tree, const DataValue& value)
{
    std::vector<std::int64_t> members;
    for (const DataValue& each : tree.items(value).first(std::min(tree.items(value).size(), kMostMembers)))
    {
        members.push_back(DataTree::whole(each, -1));
    }
    const std::string_view text = DataTree::text(value);
    for (std::size_t at = 0; at < text.size() && members.size() < kMostMembers; ++at)
    {
        std::int64_t rank = 0;
        const auto [end, fault] = std::from_chars(text.data() + at, text.data() + text.size(), rank);
        if (fault == std::errc())
        {
            members.push_back(rank);
            at = static_cast<std::size_t>(end - text.data());
        }
    }
    return members;
}

std::string sizes_of(const DataTree& tree, const DataValue& value, int depth = 0)
{
    if (value.kind != DataValue::Kind::list || depth > 2)
    {
        return std::to_string(DataTree::whole(value));
    }
    std::vector<std::string> parts;
    for (const DataValue& each : tree.items(value).first(std::min<std::size_t>(tree.items(value).size(), 8)))
    {
        parts.push_back(sizes_of(tree, each, depth + 1));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
}

RecordedGroup& group_of(RecorderDump& dump, std::map<std::string, std::size_t, std::less<>>& places,
                        std::string_view name)
{
    const auto [place, is_new] = places.try_emplace(std::string(name), dump.groups.size());
    if (is_new)
    {
        dump.groups.emplace_back().name = name;
    }
    return dump.groups[place->second];
}

// Groups by the name that all ranks share; pg_status is by the rank's own number, which its entries tell.
class DumpReader
{
public:
    explicit DumpReader(const DataTree& tree) : tree_(tree) {}

    RecorderDump read(std::int64_t rank)
    {
        dump_.rank = rank;
        dump_.version = tree_.text_at(tree_.root, "version");
        dump_.nccl = tree_.text_at(tree_.root, "nccl_version");
        const auto config = tree_.pairs(tree_.find(tree_.root, "pg_config"));
        for (std::size_t i = 0; i + 1 < config.size() && members_ < kMostMembers; i += 2)
        {
            RecordedGroup& group = group_of(dump_, places_, DataTree::text(config[i]));
            group.description = tree_.text_at(config[i + 1], "desc");
            group.members = members_of(tree_, tree_.find(config[i + 1], "ranks"));
            members_ += group.members.size() + 1;
        }
        const auto status = tree_.pairs(tree_.find(tree_.root, "pg_status"));
        for (std::size_t i = 0; i + 1 < status.size(); i += 2)
        {
            completed_[std::string(DataTree::text(status[i]))] =
                tree_.whole_at(status[i + 1], "last_completed_collective", -1);
        }
        for (const DataValue& entry : tree_.items(tree_.find(tree_.root, "entries")))
        {
            if (dump_.entries++ < static_cast<std::int64_t>(kMostRecorderCalls))
            {
                read_entry(entry);
            }
        }
        for (RecordedGroup& group : dump_.groups)
        {
            std::ranges::stable_sort(group.calls, {}, &RecordedCall::sequence);
        }
        return std::move(dump_);
    }

private:
    void read_entry(const DataValue& entry)
    {
        const DataValue named = tree_.find(entry, "process_group");
        const auto names = tree_.items(named);
        const std::string_view name = names.empty() ? DataTree::text(named) : DataTree::text(names[0]);
        RecordedGroup& group = group_of(dump_, places_, name);
        if (group.description.empty() && names.size() > 1)
        {
            group.description = DataTree::text(names[1]);
        }
        group.listed = true;
        const auto completed = completed_.find(std::to_string(tree_.whole_at(entry, "pg_id", -1)));
        group.last_completed = completed == completed_.end() ? -1 : completed->second;
        if (tree_.whole_at(entry, "is_p2p") == 0)
        {
            group.calls.push_back({tree_.whole_at(entry, "collective_seq_id", -1),
                                   std::string(tree_.text_at(entry, "profiling_name")),
                                   sizes_of(tree_, tree_.find(entry, "input_sizes")),
                                   std::string(tree_.text_at(entry, "state"))});
        }
    }

    const DataTree& tree_;
    RecorderDump dump_;
    std::map<std::string, std::int64_t> completed_; // calls, by the rank's own number of a group
    std::size_t members_ = 0;
    std::map<std::string, std::size_t, std::less<>> places_;
};

struct Member
{
    std::int64_t rank;
    const RecordedGroup* says;
};

const RecordedCall* outstanding(const RecordedGroup& group)
{
    const auto found =
        std::ranges::find_if(group.calls, [](const RecordedCall& call) { return call.state != "completed"; });
    return found == group.calls.end() ? nullptr : &*found;
}

// Sizes of an all-to-all and of its like differ by rank by design.
bool same_on_all(std::string_view collective)
{
    return collective.find("all_to_all") == std::string_view::npos &&
           collective.find("alltoall") == std::string_view::npos &&
           collective.find("gatherv") == std::string_view::npos &&
           collective.find("coalesced") == std::string_view::npos;
}

void name_culprits(HungGroup& hung, const std::vector<Member>& members)
{
    const RecordedCall* waiting = nullptr;
    std::int64_t most = -1;
    for (const Member& member : members)
    {
        most = std::max(most, member.says->last_completed);
    }
    for (const Member& member : members)
    {
        const RecordedCall* call = outstanding(*member.says);
        if (call != nullptr && member.says->last_completed == most && waiting == nullptr)
        {
            waiting = call;
        }
    }
    if (waiting == nullptr)
    {
        return;
    }
    hung.waiting = *waiting;
    hung.last_completed = most;
    for (const Member& member : members)
    {
        const bool absent = !member.says->listed;
        const bool behind =
            member.says->listed && member.says->last_completed < most && member.says->last_completed >= 0;
        if (absent || behind)
        {
            hung.culprits.push_back(member.rank);
            hung.reason = absent ? "has no call of the group" : "has completed fewer calls than the others";
            hung.culprits_last_completed =
                behind ? member.says->last_completed : hung.culprits_last_completed;
        }
    }
}

void name_unlike(HungGroup& hung, const std::vector<Member>& members)
{
    std::map<std::int64_t, std::map<std::string, std::vector<std::int64_t>>> calls;
    for (const Member& member : members)
    {
        for (const RecordedCall& call : member.says->calls)
        {
            const bool sizes = same_on_all(call.collective);
            calls[call.sequence][call.collective + (sizes ? " " + call.sizes : "")].push_back(member.rank);
        }
    }
    for (const auto& [sequence, kinds] : calls)
    {
        if (kinds.size() > 1 && hung.culprits.empty())
        {
            const auto fewest =
                std::ranges::min_element(kinds, {}, [](const auto& k) { return k.second.size(); });
            hung.culprits = fewest->second;
            hung.waiting.sequence = sequence;
            hung.reason = fmt::format("{} call {}: {} where the others call {}",
                                      hung.culprits.size() > 1 ? "they" : "it", sequence, fewest->first,
                                      (fewest == kinds.begin() ? std::next(fewest) : kinds.begin())->first);
        }
    }
}

} // namespace

bool is_recorder_dump(const DataTree& tree)
{
    return tree.find(tree.root, "pg_config").kind == DataValue::Kind::table ||
           (tree.find(tree.root, "entries").kind == DataValue::Kind::list &&
            tree.find(tree.root, "version").kind == DataValue::Kind::text);
}

Result<RecorderDump> read_recorder_dump(const DataTree& tree, std::int64_t rank)
{
    if (!is_recorder_dump(tree))
    {
        return Issue{"", "is no dump of the flight recorder: it has neither pg_config nor entries",
                     "set TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1"};
    }
    return DumpReader(tree).read(rank);
}

RecordedHang join_dumps(const std::vector<RecorderDump>& dumps)
{
    RecordedHang hang;
    hang.ranks = static_cast<std::int64_t>(dumps.size());
    std::map<std::string, std::vector<Member>> groups;
    std::set<std::int64_t> known;
    std::set<std::int64_t> members;
    for (const RecorderDump& dump : dumps)
    {
        known.insert(dump.rank);
        for (const RecordedGroup& group : dump.groups)
        {
            groups[group.name].push_back({dump.rank, &group});
            members.insert(group.members.begin(), group.members.end());
        }
    }
    std::set_difference(members.begin(), members.end(), known.begin(), known.end(),
                        std::back_inserter(hang.missing));
    for (const auto& [name, says] : groups)
    {
        HungGroup hung{.name = name,
                       .description = says.front().says->description,
                       .members = says.front().says->members,
                       .culprits = {},
                       .reason = {},
                       .waiting = {}};
        HungGroup unlike = hung;
        name_culprits(hung, says);
        name_unlike(unlike, says);
        hang.culprits.insert(hung.culprits.begin(), hung.culprits.end());
        if (!hung.culprits.empty())
        {
            hang.groups.push_back(std::move(hung));
        }
        if (!unlike.culprits.empty())
        {
            hang.unlike.push_back(std::move(unlike));
        }
    }
    return hang;
}

} // namespace ringside
