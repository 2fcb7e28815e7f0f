#include "core/parallel/call_log.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ringside::parallel
{

namespace
{

constexpr const char* kSchema = "ringside.calls/1";

nlohmann::json json_of(const Call& call)
{
    return {{"number", call.number},      {"axis", call.axis},       {"kind", call.kind},
            {"bytes", call.bytes},        {"sent_bytes", call.sent}, {"start_s", call.start},
            {"end_s", call.end},          {"stream", call.stream},   {"collective", call.collective},
            {"waits_for", call.waits_for}};
}

Call call_of(const nlohmann::json& j)
{
    return {.number = j.at("number"),
            .axis = j.at("axis"),
            .kind = j.at("kind"),
            .bytes = j.at("bytes"),
            .sent = j.at("sent_bytes"),
            .start = j.at("start_s"),
            .end = j.at("end_s"),
            .waits_for = j.at("waits_for"),
            .stream = j.at("stream"),
            .collective = j.at("collective")};
}

CallRecord record_of(const nlohmann::json& j)
{
    CallRecord r;
    r.rank = j.at("rank");
    r.now = j.at("now_s");
    r.ended = j.at("ended");
    for (const auto& group : j.at("groups"))
    {
        r.groups[group.at("tag")] = {group.at("axis"), group.at("members")};
    }
    for (const auto& stream : j.at("streams"))
    {
        r.begun[stream.at("stream")] = stream.at("begun");
    }
    for (const auto& call : j.at("calls"))
    {
        r.calls.push_back(call_of(call));
    }
    for (const auto& t : j.at("totals"))
    {
        r.totals.push_back(
            {t.at("axis"), t.at("kind"), t.at("calls"), t.at("bytes"), t.at("sent_bytes"), t.at("seconds")});
    }
    return r;
}

} // namespace

JsonValue to_json(const CallRecord& record)
{
    nlohmann::json j{{"schema", kSchema},
                     {"rank", record.rank},
                     {"now_s", record.now},
                     {"ended", record.ended},
                     {"groups", nlohmann::json::array()},
                     {"streams", nlohmann::json::array()},
                     {"calls", nlohmann::json::array()},
                     {"totals", nlohmann::json::array()}};
    for (const auto& [tag, group] : record.groups)
    {
        j["groups"].push_back({{"tag", tag}, {"axis", group.axis}, {"members", group.members}});
    }
    for (const auto& [stream, begun] : record.begun)
    {
        j["streams"].push_back({{"stream", stream}, {"begun", begun}});
    }
    for (const Call& call : record.calls)
    {
        j["calls"].push_back(json_of(call));
    }
    for (const CallTotal& t : record.totals)
    {
        j["totals"].push_back({{"axis", t.axis},
                               {"kind", t.kind},
                               {"calls", t.calls},
                               {"bytes", t.bytes},
                               {"sent_bytes", t.sent},
                               {"seconds", t.seconds}});
    }
    return JsonValue(j);
}

Result<CallRecord> call_record_from(const JsonValue& json)
{
    const nlohmann::json& j = json.get();
    if (!j.is_object() || j.value("schema", "") != kSchema)
    {
        return Issue{"schema", "this is no log of calls", std::string("use a file with ") + kSchema};
    }
    try
    {
        return record_of(j);
    }
    catch (const nlohmann::json::exception& fault)
    {
        return Issue{"", fault.what(), "use a file as it was written"};
    }
}

double CallLog::now() const
{
    return std::chrono::duration<double>(Clock::now() - zero_).count();
}

void CallLog::join(std::int64_t tag, const CallGroup& group)
{
    const std::scoped_lock lock(mutex_);
    groups_[tag] = group;
}

void CallLog::finish()
{
    const std::scoped_lock lock(mutex_);
    ended_ = true;
}

std::int64_t CallLog::begin(std::int64_t stream, std::string_view axis, std::string_view kind,
                            std::int64_t bytes, bool collective)
{
    const std::scoped_lock lock(mutex_);
    Call call{.axis = std::string(axis),
              .kind = std::string(kind),
              .bytes = bytes,
              .start = now(),
              .stream = stream,
              .collective = collective};
    call.number = numbers_[{stream, collective}]++;
    CallTotal& total = totals_[{call.axis, call.kind}];
    ++total.calls;
    total.bytes += bytes;
    waiting_.emplace(next_, std::move(call));
    return next_++;
}

void CallLog::sent(std::int64_t call, std::int64_t bytes)
{
    const std::scoped_lock lock(mutex_);
    Call& c = waiting_.at(call);
    c.sent += bytes;
    totals_[{c.axis, c.kind}].sent += bytes;
}

void CallLog::waiting(std::int64_t call, int rank)
{
    const std::scoped_lock lock(mutex_);
    waiting_.at(call).waits_for = rank;
}

void CallLog::end(std::int64_t call)
{
    const std::scoped_lock lock(mutex_);
    auto node = waiting_.extract(call);
    Call& c = node.mapped();
    c.end = now();
    c.waits_for = -1;
    totals_[{c.axis, c.kind}].seconds += c.end - c.start;
    done_.emplace_back(call, std::move(c));
    if (done_.size() > kKept)
    {
        done_.pop_front();
    }
}

std::vector<Call> CallLog::newest(std::size_t count) const
{
    std::map<std::int64_t, Call> in_order(waiting_);
    const auto skipped = done_.size() - std::min(done_.size(), count);
    in_order.insert(done_.begin() + static_cast<std::ptrdiff_t>(skipped), done_.end());
    std::vector<Call> calls;
    calls.reserve(in_order.size());
    for (auto& [number, call] : in_order)
    {
        calls.push_back(std::move(call));
    }
    return calls;
}

std::vector<CallTotal> CallLog::sums() const
{
    std::vector<CallTotal> all;
    for (const auto& [key, total] : totals_)
    {
        all.push_back({key.first, key.second, total.calls, total.bytes, total.sent, total.seconds});
    }
    return all;
}

std::vector<Call> CallLog::calls() const
{
    return last(kKept);
}

std::vector<Call> CallLog::last(std::size_t count) const
{
    const std::scoped_lock lock(mutex_);
    return newest(count);
}

std::vector<CallTotal> CallLog::totals() const
{
    const std::scoped_lock lock(mutex_);
    return sums();
}

CallRecord CallLog::record(int rank, std::size_t last) const
{
    const std::scoped_lock lock(mutex_);
    CallRecord record{.rank = rank,
                      .now = now(),
                      .ended = ended_,
                      .groups = groups_,
                      .begun = {},
                      .calls = newest(last),
                      .totals = sums()};
    for (const auto& [stream, next] : numbers_)
    {
        if (stream.second)
        {
            record.begun[stream.first] = next;
        }
    }
    return record;
}

} // namespace ringside::parallel
