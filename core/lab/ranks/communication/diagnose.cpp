// Pure: what the logs of all ranks say about a call that does not end.
#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/lab/ranks/communication/watchdog.h"

#include <algorithm>

namespace ringside::parallel
{

namespace
{

std::string listed(const std::vector<int>& ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
    }
    return text;
}

std::string name_of(const Call& call)
{
    return fmt::format("{} #{} of {}", call.kind, call.number, call.axis);
}

// A call that a rank waits in.
struct Waiting
{
    const CallRecord* record = nullptr;
    const Call* call = nullptr;
    double seconds = 0;
};

class Logs
{
public:
    Logs(const std::vector<CallRecord>& records, double timeout) : records_(records), timeout_(timeout) {}

    std::optional<Diagnosis> diagnose() const
    {
        const std::vector<Waiting> waiting = all_that_wait();
        if (waiting.empty())
        {
            return std::nullopt;
        }
        for (const Waiting& w : waiting)
        {
            if (auto found = disagreement(w))
            {
                return found;
            }
        }
        return follow(waiting.front());
    }

private:
    bool is_dead(const CallRecord& r) const { return r.ended || r.age > timeout_; }

    // The ranks that are alive and wait, the one that has waited longest first.
    std::vector<Waiting> all_that_wait() const
    {
        std::vector<Waiting> all;
        for (const CallRecord& record : records_)
        {
            for (const Call& call : record.calls)
            {
                const double seconds = record.now + record.age - call.start;
                if (call.end < 0 && seconds >= timeout_ && !is_dead(record))
                {
                    all.push_back({&record, &call, seconds});
                }
            }
        }
        std::ranges::stable_sort(all,
                                 [](const Waiting& a, const Waiting& b) { return a.seconds > b.seconds; });
        return all;
    }

    const CallRecord* record_of(int rank) const { return find_by(records_, rank, &CallRecord::rank); }

    static std::vector<int> members(const Waiting& w)
    {
        const auto group = w.record->groups.find(w.call->stream / 2);
        return group == w.record->groups.end() ? std::vector<int>{} : group->second.members;
    }

    // This collective as another rank's log has it; null where that has none, or no longer.
    const Call* counterpart(int rank, const Call& call) const
    {
        const CallRecord* record = record_of(rank);
        if (record == nullptr)
        {
            return nullptr;
        }
        const auto found = std::ranges::find_if(
            record->calls, [&](const Call& c)
            { return c.collective && c.stream == call.stream && c.number == call.number; });
        return found == record->calls.end() ? nullptr : &*found;
    }

    bool has_joined(int rank, const Call& call) const
    {
        const CallRecord* record = record_of(rank);
        return record != nullptr && record->begun.contains(call.stream) &&
               record->begun.at(call.stream) > call.number;
    }

    std::vector<int> ranks_in(const Call& call, int but) const
    {
        std::vector<int> ranks;
        for (const CallRecord& r : records_)
        {
            const bool in = std::ranges::any_of(r.calls,
                                                [&](const Call& c)
                                                {
                                                    return c.end < 0 && c.stream == call.stream &&
                                                           c.collective == call.collective &&
                                                           (!c.collective || c.number == call.number);
                                                });
            if (in && r.rank != but && !is_dead(r) && (call.collective || waits_for(r, call, but)))
            {
                ranks.push_back(r.rank);
            }
        }
        std::ranges::sort(ranks);
        return ranks;
    }

    static bool waits_for(const CallRecord& r, const Call& call, int rank)
    {
        return std::ranges::any_of(r.calls, [&](const Call& c)
                                   { return c.end < 0 && c.stream == call.stream && c.waits_for == rank; });
    }

    // Ranks that met in one call but called different things: the fewer are wrong, or the later of two.
    std::optional<Diagnosis> disagreement(const Waiting& w) const
    {
        if (!w.call->collective)
        {
            return std::nullopt;
        }
        std::vector<std::pair<int, const Call*>> met;
        for (const int rank : members(w))
        {
            if (const Call* call = counterpart(rank, *w.call))
            {
                met.emplace_back(rank, call);
            }
        }
        const auto alike = [](const Call& a, const Call& b)
        { return a.kind == b.kind && (a.bytes == b.bytes || a.kind == "all-to-all"); };
        const auto support = [&](const Call& c)
        { return std::ranges::count_if(met, [&](const auto& other) { return alike(*other.second, c); }); };
        const auto usual = std::ranges::max_element(met, [&](const auto& a, const auto& b)
                                                    { return support(*a.second) < support(*b.second); });
        for (const auto& [rank, call] : met)
        {
            if (!alike(*call, *usual->second))
            {
                return disagreeing(rank, *call, *usual->second, w);
            }
        }
        return std::nullopt;
    }

    Diagnosis disagreeing(int rank, const Call& own, const Call& usual, const Waiting& w) const
    {
        const bool other_call = own.kind != usual.kind;
        Diagnosis d{other_call ? Trouble::other_call : Trouble::other_size, rank, usual, {}, w.seconds, {}};
        for (const int member : members(w))
        {
            const Call* call = counterpart(member, usual);
            if (call != nullptr && call->kind == usual.kind && call->bytes == usual.bytes)
            {
                d.waiting.push_back(member);
            }
        }
        std::ranges::sort(d.waiting);
        d.says = other_call ? fmt::format("rank {} called {} as #{} of {}, where {} called {}: it skipped a "
                                          "call, or made an extra one",
                                          rank, own.kind, own.number, own.axis, listed(d.waiting), usual.kind)
                            : fmt::format("rank {} called {} with {} B, {} with {} B", rank, name_of(own),
                                          own.bytes, listed(d.waiting), usual.bytes);
        return d;
    }

    // Whom a rank waits for in a call: one that has not joined, or the one whose message is missing.
    int awaited(const Waiting& w) const
    {
        if (w.call->collective)
        {
            for (const int rank : members(w))
            {
                if (!has_joined(rank, *w.call))
                {
                    return rank;
                }
            }
        }
        return w.call->waits_for;
    }

    std::optional<Waiting> longest_of(int rank) const
    {
        for (const Waiting& w : all_that_wait())
        {
            if (w.record->rank == rank)
            {
                return w;
            }
        }
        return std::nullopt;
    }

    // From one that waits to whom it waits for, until there is one that does not wait.
    Diagnosis follow(Waiting w) const
    {
        std::vector<Waiting> path;
        for (;;)
        {
            path.push_back(w);
            const int next = awaited(w);
            const auto seen =
                std::ranges::find_if(path, [next](const Waiting& p) { return p.record->rank == next; });
            if (seen != path.end())
            {
                return circle({seen, path.end()});
            }
            if (next < 0) // all have joined, and the log does not know more
            {
                return circle({w});
            }
            const auto further = longest_of(next);
            if (!further)
            {
                return missing(next, w);
            }
            w = *further;
        }
    }

    static Diagnosis circle(const std::vector<Waiting>& path)
    {
        const Waiting& first = path.front();
        Diagnosis d{Trouble::circle, first.record->rank, *first.call, {}, first.seconds, {}};
        std::string who;
        for (const Waiting& w : path)
        {
            d.waiting.push_back(w.record->rank);
            who += fmt::format("{}rank {} in {}", who.empty() ? "" : ", ", w.record->rank, name_of(*w.call));
        }
        d.says = path.size() == 1
                     ? fmt::format("{} has waited {:.1f} s for something that never came", who, first.seconds)
                     : fmt::format("{} have waited for each other for {:.1f} s: {}", listed(d.waiting),
                                   first.seconds, who);
        return d;
    }

    Diagnosis missing(int rank, const Waiting& w) const
    {
        Diagnosis d{Trouble::absent, rank, *w.call, ranks_in(*w.call, rank), w.seconds, {}};
        const CallRecord* record = record_of(rank);
        const Call* last = record == nullptr || record->calls.empty() ? nullptr : &record->calls.back();
        std::string state;
        if (record == nullptr)
        {
            d.trouble = Trouble::dead;
            state = "it has left no log";
        }
        else if (is_dead(*record))
        {
            d.trouble = Trouble::dead;
            state = record->ended ? "it has ended"
                                  : fmt::format("nothing has been heard of it for {:.1f} s", record->age);
        }
        else if (last != nullptr && since(*record, *last) < timeout_)
        {
            d.trouble = Trouble::slow;
            state = "it is computing";
        }
        const std::string before =
            last == nullptr ? "it has made no call"
                            : fmt::format("its last call was {}, {} {:.1f} s ago", name_of(*last),
                                          last->end < 0 ? "begun" : "which ended", since(*record, *last));
        const bool waits = d.waiting.size() == 1;
        d.says = fmt::format("rank {} {} {}; {} {} waited for it for {:.1f} s; {}{}{}", rank, verb(d),
                             name_of(*w.call), listed(d.waiting), waits ? "has" : "have", w.seconds, state,
                             state.empty() ? "" : "; ", before);
        return d;
    }

    static std::string verb(const Diagnosis& d)
    {
        if (!d.call.collective)
        {
            return "has not reached";
        }
        return d.trouble == Trouble::slow ? "has not yet joined" : "never joined";
    }

    static double since(const CallRecord& record, const Call& call)
    {
        return record.now + record.age - (call.end < 0 ? call.start : call.end);
    }

    const std::vector<CallRecord>& records_;
    double timeout_;
};

} // namespace

std::optional<Diagnosis> diagnose(const std::vector<CallRecord>& records, double timeout)
{
    return Logs(records, timeout).diagnose();
}

} // namespace ringside::parallel
