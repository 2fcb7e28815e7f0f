// What a rank's collectives did: the last of them for the watchdog, sums of all for the comparison with the
// prediction, and spans for the lanes of the view.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::parallel
{

struct Call
{
    std::int64_t number = 0; // of this stream and rank, from 0; messages to one rank are counted apart
    std::string axis;        // "tensor"
    std::string kind;        // "all-reduce"
    std::int64_t bytes = 0;  // of the message S, as core/network/collective counts it
    std::int64_t sent = 0;   // [B] that this rank sent
    double start = 0;        // [s] since the log's own zero
    double end = -1;         // below 0: still waiting
    int waits_for = -1;      // rank (of the world) whose message is missing; -1: none
    // Calls with one number in one stream belong together: the group's tag x 2, and 1 more on its own thread.
    std::int64_t stream = 0;
    bool collective = true; // false: a message to or from one rank, which only concerns the two

    bool operator==(const Call&) const = default;
};

// Which ranks of the world meet in a stream.
struct CallGroup
{
    std::string axis;
    std::vector<int> members;

    bool operator==(const CallGroup&) const = default;
};

struct CallTotal
{
    std::string axis;
    std::string kind;
    std::int64_t calls = 0; // begun
    std::int64_t bytes = 0;
    std::int64_t sent = 0;
    double seconds = 0; // of those that have ended

    bool operator==(const CallTotal&) const = default;
};

// A log at one moment, of one rank.
struct CallRecord
{
    int rank = 0;
    double now = 0;                             // [s] since the log's own zero
    double age = 0;                             // [s] since then, as its reader knows
    bool ended = false;                         // the rank is through, and will not call again
    std::map<std::int64_t, CallGroup> groups;   // by tag
    std::map<std::int64_t, std::int64_t> begun; // collectives of each stream
    std::vector<Call> calls;                    // the last ones and all that wait, in order of their start
    std::vector<CallTotal> totals;              // of all, by axis and kind

    bool operator==(const CallRecord&) const = default;
};

// Thread-safe.
class CallLog
{
public:
    using Clock = std::chrono::steady_clock;

    // Logs that are to lie beside each other need the same zero.
    explicit CallLog(Clock::time_point zero = Clock::now()) : zero_(zero) {}

    double now() const; // [s]
    void join(std::int64_t tag, const CallGroup& group);
    // The rank is through: nobody needs to wait for it any more.
    void finish();

    std::int64_t begin(std::int64_t stream, std::string_view axis, std::string_view kind, std::int64_t bytes,
                       bool collective = true);
    void sent(std::int64_t call, std::int64_t bytes);
    void waiting(std::int64_t call, int rank);
    void end(std::int64_t call);

    std::vector<Call> calls() const; // the last kKept and all that wait
    std::vector<Call> last(std::size_t count) const;
    std::vector<CallTotal> totals() const;
    CallRecord record(int rank, std::size_t last = kKept) const;

    static constexpr std::size_t kKept = 4096;

private:
    std::vector<Call> newest(std::size_t count) const;
    std::vector<CallTotal> sums() const;

    Clock::time_point zero_;
    mutable std::mutex mutex_;
    bool ended_ = false;
    std::int64_t next_ = 0;
    std::map<std::int64_t, Call> waiting_; // by the number begin() gave
    std::deque<std::pair<std::int64_t, Call>> done_;
    std::map<std::pair<std::int64_t, bool>, std::int64_t> numbers_; // the next one of a stream
    std::map<std::pair<std::string, std::string>, CallTotal> totals_;
    std::map<std::int64_t, CallGroup> groups_;
};

} // namespace ringside::parallel
