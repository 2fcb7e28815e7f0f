#include "core/reliability/hang.h"

#include <fmt/format.h>

#include "core/base/random.h"

#include <algorithm>
#include <limits>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kHangFaults> kHangSays{
    "It is ahead of its group: under the same sequence number it has a later call, or it waits further on in "
    "its program.",
    "It is behind its group: under the same sequence number it has a call that no other rank makes.",
    "Two groups wait for each other: each has one rank that waits in the other.",
    "The same call under the same sequence number, and only the sizes differ.",
    "Its log ends early, with every call completed; all other ranks wait.",
    "Its log ends early too, but no rank has timed out: it comes back."};

constexpr double kTransfer = 0.04; // [s] of a call once all are there
constexpr double kNever = std::numeric_limits<double>::infinity();

using Programs = std::array<std::vector<HangCall>, kHangRanks>;
using Logs = std::array<std::vector<HangRecord>, kHangRanks>;

// tensor + 2 data + 4 pipeline
std::size_t stage_of(std::size_t rank)
{
    return rank / 4;
}

// One step of pretraining: micro-batches through two stages, gradients over data, their norm over all.
void add_step(std::vector<HangCall>& program, std::size_t rank, SplitMix& random)
{
    const auto call = [&](CallGroup group, CallKind kind, std::int64_t elements, std::string_view what,
                          double work) {
        program.push_back({group, kind, elements, what, work * (0.8 + 0.4 * random.uniform())});
    };
    const bool first = stage_of(rank) == 0;
    constexpr std::int64_t kActivations = std::int64_t{4096} * 2048;
    for (int micro_batch = 0; micro_batch < 2; ++micro_batch)
    {
        if (!first)
        {
            call(CallGroup::pipeline, CallKind::receive, kActivations, "activations", 0.01);
        }
        call(CallGroup::tensor, CallKind::all_reduce, kActivations, "attention, forward", 0.1);
        call(CallGroup::tensor, CallKind::all_reduce, kActivations, "MLP, forward", 0.1);
        if (first)
        {
            call(CallGroup::pipeline, CallKind::send, kActivations, "activations", 0.01);
        }
        if (first)
        {
            call(CallGroup::pipeline, CallKind::receive, kActivations, "gradients of activations", 0.01);
        }
        call(CallGroup::tensor, CallKind::all_reduce, kActivations, "MLP, backward", 0.2);
        if (!first)
        {
            call(CallGroup::pipeline, CallKind::send, kActivations, "gradients of activations", 0.01);
        }
    }
    call(CallGroup::data, CallKind::all_reduce, 25'000'000, "gradients, bucket 1", 0.02);
    call(CallGroup::data, CallKind::all_reduce, 18'400'000, "gradients, bucket 2", 0.02);
    call(CallGroup::world, CallKind::all_reduce, 1, "gradient norm", 0.03);
    call(CallGroup::data, CallKind::all_gather, 43'400'000, "weights", 0.06);
}

Programs healthy(std::uint64_t seed)
{
    Programs programs;
    for (std::size_t rank = 0; rank < kHangRanks; ++rank)
    {
        SplitMix random(seed * 64 + rank);
        add_step(programs.at(rank), rank, random);
        add_step(programs.at(rank), rank, random);
    }
    return programs;
}

// A rank's call on this group in the second step, by its place in the program.
std::size_t pick_call(const std::vector<HangCall>& program, CallGroup group, SplitMix& random)
{
    std::vector<std::size_t> places;
    for (std::size_t i = program.size() / 2; i + 1 < program.size(); ++i)
    {
        if (program[i].group == group)
        {
            places.push_back(i);
        }
    }
    return places[random.below(places.size())];
}

// The group and the call's place where each fault shows clearly.
void break_program(HangCase& hang, SplitMix& random)
{
    std::vector<HangCall>& program = hang.programs.at(hang.culprit);
    const auto at = [&](std::size_t i) { return program.begin() + static_cast<std::ptrdiff_t>(i); };
    switch (hang.fault)
    {
    case HangFault::skipped:
        hang.call = pick_call(program, random.below(2) == 0 ? CallGroup::data : CallGroup::tensor, random);
        program.erase(at(hang.call));
        break;
    case HangFault::branch:
        hang.call = pick_call(program, CallGroup::data, random);
        program.insert(at(hang.call),
                       {CallGroup::data, CallKind::all_reduce, 2, "loss of a rare token", 0.01});
        break;
    case HangFault::swapped:
        // The second bucket and the norm: two groups, one after the other.
        hang.call = program.size() - 3;
        std::swap(program[hang.call], program[hang.call + 1]);
        break;
    case HangFault::mismatch:
        hang.call = pick_call(program, random.below(2) == 0 ? CallGroup::data : CallGroup::tensor, random);
        program[hang.call].elements -= program[hang.call].elements / 32;
        break;
    case HangFault::dead:
        hang.call = program.size() / 2 + random.below(program.size() / 2 - 1);
        break;
    case HangFault::slow:
        hang.call = program.size() / 2 + random.below(program.size() / 2 - 1);
        hang.slow_s = 20 + 70 * random.uniform();
        program[hang.call].compute += hang.slow_s;
        break;
    }
}

// The entry of a group's call; null where the log has none.
template <class Log>
auto record_of(Log& log, CallGroup group, std::int64_t sequence) -> decltype(log.data())
{
    const auto found = std::ranges::find_if(log, [&](const HangRecord& r)
                                            { return r.call.group == group && r.sequence == sequence; });
    return found == log.end() ? nullptr : &*found;
}

bool agree(const HangRecord& a, const HangRecord& b)
{
    const bool pair = a.call.group == CallGroup::pipeline;
    const bool kinds = pair ? (a.call.kind == CallKind::send) != (b.call.kind == CallKind::send)
                            : a.call.kind == b.call.kind;
    return kinds && a.call.elements == b.call.elements;
}

class Runner
{
public:
    Runner(const Programs& programs, std::int64_t dead, std::size_t dead_call)
        : programs_(programs), dead_(dead), dead_call_(dead_call)
    {
    }

    Logs run()
    {
        bool progress = true;
        while (progress)
        {
            progress = false;
            for (std::size_t rank = 0; rank < kHangRanks; ++rank)
            {
                progress = post(rank) || progress;
            }
            for (std::size_t rank = 0; rank < kHangRanks; ++rank)
            {
                progress = complete(rank) || progress;
            }
        }
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            enqueue_ahead(rank);
        }
        return std::move(logs_);
    }

private:
    // The next call, once the one before has completed.
    bool post(std::size_t rank)
    {
        std::vector<HangRecord>& log = logs_.at(rank);
        const std::size_t next = log.size();
        const bool waits = !log.empty() && log.back().state != CallState::completed;
        const bool died = static_cast<std::int64_t>(rank) == dead_ && next >= dead_call_;
        if (waits || died || next >= programs_.at(rank).size())
        {
            return false;
        }
        const double before = log.empty() ? 0 : log.back().done;
        HangRecord& record = add_next(rank);
        record.posted = before + record.call.compute;
        record.state = CallState::started;
        return true;
    }

    HangRecord& add_next(std::size_t rank)
    {
        std::vector<HangRecord>& log = logs_.at(rank);
        HangRecord& record = log.emplace_back();
        record.call = programs_.at(rank)[log.size() - 1];
        record.sequence = ++sequences_.at(rank).at(static_cast<std::size_t>(record.call.group));
        return record;
    }

    // The CPU runs ahead of a GPU that waits: what it enqueues there does not start.
    void enqueue_ahead(std::size_t rank)
    {
        constexpr std::size_t kAhead = 2;
        constexpr double kEnqueue = 0.01; // [s]
        std::vector<HangRecord>& log = logs_.at(rank);
        if (log.empty() || log.back().state == CallState::completed)
        {
            return;
        }
        const std::size_t end = std::min(log.size() + kAhead, programs_.at(rank).size());
        while (log.size() < end)
        {
            const double before = log.back().posted;
            add_next(rank).posted = before + kEnqueue;
        }
    }

    bool complete(std::size_t rank)
    {
        if (logs_.at(rank).empty() || logs_.at(rank).back().state == CallState::completed ||
            logs_.at(rank).back().done == kNever)
        {
            return false;
        }
        const HangRecord own = logs_.at(rank).back();
        std::vector<HangRecord*> all;
        double last = 0;
        bool same = true;
        for (const std::size_t member : members(own.call.group, rank))
        {
            HangRecord* record = record_of(logs_.at(member), own.call.group, own.sequence);
            if (record == nullptr)
            {
                return false;
            }
            same = same && (member == rank || agree(own, *record));
            last = std::max(last, record->posted);
            all.push_back(record);
        }
        for (HangRecord* record : all)
        {
            record->state = same ? CallState::completed : record->state;
            record->done = same ? last + kTransfer : kNever;
        }
        return true;
    }

    const Programs& programs_;
    std::int64_t dead_;
    std::size_t dead_call_;
    Logs logs_;
    std::array<std::array<std::int64_t, kCallGroups>, kHangRanks> sequences_{};
};

std::string say_ranks(const std::vector<std::size_t>& ranks)
{
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

// What does not fit on one call of one group; an empty sentence when it is in order.
HangFinding inspect_call(const Logs& logs, CallGroup group, std::int64_t sequence,
                         const std::vector<std::size_t>& ranks)
{
    HangFinding finding;
    finding.group = group;
    finding.sequence = sequence;
    const HangRecord* model = nullptr;
    bool pending = false;
    for (const std::size_t rank : ranks)
    {
        const HangRecord* record = record_of(logs.at(rank), group, sequence);
        if (record == nullptr || record->state == CallState::scheduled)
        {
            finding.missing.push_back(rank);
            continue;
        }
        pending = pending || record->state != CallState::completed;
        model = model == nullptr ? record : model;
        if (model != record && !agree(*model, *record))
        {
            finding.different.push_back(rank);
        }
    }
    if (!pending || model == nullptr)
    {
        return finding;
    }
    if (!finding.different.empty())
    {
        finding.says = fmt::format("{} #{}: mismatch, {} against {}.", name_of(group), sequence,
                                   say_ranks(finding.different), say_ranks({ranks.front()}));
    }
    else if (!finding.missing.empty())
    {
        finding.says = fmt::format("{} {} #{}: {} has not joined.", name_of(group), name_of(model->call.kind),
                                   sequence, say_ranks(finding.missing));
    }
    return finding;
}

} // namespace

CallState state_at(const HangRecord& record, double now, bool timing)
{
    if (record.state == CallState::completed && record.done <= now)
    {
        return CallState::completed;
    }
    return timing && record.state != CallState::scheduled ? CallState::started : CallState::scheduled;
}

std::string_view says_of(HangFault fault)
{
    return kHangSays.at(static_cast<std::size_t>(fault));
}

std::vector<std::size_t> members(CallGroup group, std::size_t rank)
{
    switch (group)
    {
    case CallGroup::tensor:
        return {rank & ~std::size_t{1}, rank | 1U};
    case CallGroup::data:
        return {rank & ~std::size_t{2}, rank | 2U};
    case CallGroup::pipeline:
        return {rank & ~std::size_t{4}, rank | 4U};
    case CallGroup::world:
        break;
    }
    return {0, 1, 2, 3, 4, 5, 6, 7};
}

Logs run_programs(const Programs& programs, std::int64_t dead, std::size_t dead_call)
{
    return Runner(programs, dead, dead_call).run();
}

HangCase draw_hang(std::uint64_t seed)
{
    SplitMix random(seed ^ 0x5eedU);
    return draw_hang(seed, static_cast<HangFault>(random.below(kHangFaults)));
}

HangCase draw_hang(std::uint64_t seed, HangFault fault)
{
    SplitMix random(seed * 7 + static_cast<std::uint64_t>(fault));
    HangCase hang;
    hang.programs = healthy(seed);
    hang.fault = fault;
    hang.culprit = random.below(kHangRanks);
    break_program(hang, random);
    const bool dies = fault == HangFault::dead;
    hang.logs = run_programs(hang.programs, dies ? static_cast<std::int64_t>(hang.culprit) : -1, hang.call);
    for (std::size_t rank = 0; rank < kHangRanks; ++rank)
    {
        const std::vector<HangRecord>& log = hang.logs.at(rank);
        hang.stuck = hang.stuck || log.size() < hang.programs.at(rank).size() ||
                     (!log.empty() && log.back().state != CallState::completed);
        for (const HangRecord& record : log)
        {
            hang.last = std::max(hang.last, record.state == CallState::completed ? record.done
                                            : record.state == CallState::started ? record.posted
                                                                                 : 0);
        }
    }
    return hang;
}

std::vector<HangFinding> analyze(const Logs& logs)
{
    std::vector<HangFinding> findings;
    for (const CallGroup group : {CallGroup::tensor, CallGroup::data, CallGroup::pipeline, CallGroup::world})
    {
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            const auto ranks = members(group, rank);
            if (ranks.front() != rank)
            {
                continue;
            }
            for (std::int64_t sequence = 1; sequence < 100; ++sequence)
            {
                HangFinding finding = inspect_call(logs, group, sequence, ranks);
                if (!finding.says.empty())
                {
                    findings.push_back(std::move(finding));
                    break;
                }
                if (finding.missing.size() == ranks.size())
                {
                    break;
                }
            }
        }
    }
    std::ranges::stable_sort(findings, [](const HangFinding& a, const HangFinding& b)
                             { return !a.different.empty() && b.different.empty(); });
    return findings;
}

std::string explain_hang(const HangCase& h)
{
    const std::vector<HangCall>& program = h.programs.at(h.culprit);
    const std::vector<HangRecord>& log = h.logs.at(h.culprit);
    const auto say = [](const HangCall& c)
    { return fmt::format("{} {} ({})", name_of(c.group), name_of(c.kind), c.what); };
    const auto healthy_call = [&] { return healthy(0).at(h.culprit).at(h.call); };
    switch (h.fault)
    {
    case HangFault::skipped:
        return fmt::format("Rank {} skipped {} and continued: each of its later calls on that group "
                           "meets the previous call of the other ranks.",
                           h.culprit, say(healthy_call()));
    case HangFault::branch:
        return fmt::format(
            "Rank {} alone issued {}. Its group matched it with the {}, and the two do not agree.", h.culprit,
            say(program.at(h.call)), say(healthy_call()));
    case HangFault::swapped:
        return fmt::format(
            "Rank {} issued {} before {}. Its peer waits in one, it waits in the other: a deadlock.",
            h.culprit, say(program.at(h.call)), say(program.at(h.call + 1)));
    case HangFault::mismatch:
        return fmt::format(
            "Rank {} passed {} elements to {}, the other ranks of its group more. NCCL does not check.",
            h.culprit, program.at(h.call).elements, say(program.at(h.call)));
    case HangFault::dead:
        return fmt::format("Rank {} died before {}: its last call, number {} of the log, is completed, and "
                           "there is no next.",
                           h.culprit, say(program.at(h.call)), log.size());
    case HangFault::slow:
        return fmt::format("Rank {} reached {} {:.0f} s late, and every rank continued. A shorter watchdog "
                           "timeout would have killed a healthy job.",
                           h.culprit, say(program.at(h.call)), h.slow_s);
    }
    return {};
}

} // namespace ringside
