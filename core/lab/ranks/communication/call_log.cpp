#include "core/lab/ranks/communication/call_log.h"

#include <algorithm>

namespace ringside::parallel
{

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
