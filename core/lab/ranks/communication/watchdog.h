// When collectives hang: who did not come, and to what. From the ranks' logs alone, so that it works for
// threads as for processes, while they wait or after they were ended.
//
// It compares what ranks called under one number, then goes from a rank that waits to the one it waits for
// until it finds one that does not. A rank that still makes calls is slow, and left alone.
#pragma once

#include "core/lab/ranks/communication/call_log.h"

#include <condition_variable>
#include <functional>
#include <optional>
#include <thread>

namespace ringside::parallel
{

class ThreadWorld;

enum class Trouble : std::uint8_t
{
    absent,     // a rank has not joined a call, and does nothing that its log would show
    other_call, // a rank called something else, or left a call out
    other_size, // a rank called it with another number of bytes
    dead,       // a rank has ended, or has not been heard of
    slow,       // a rank has not joined yet, but is at work
    circle      // ranks wait for each other
};

struct Diagnosis
{
    Trouble trouble = Trouble::absent;
    int rank = 0;             // of the world: the one all others wait for
    Call call;                // the one it is missing in, as a rank that waits has it
    std::vector<int> waiting; // ranks that wait in that call
    double seconds = 0;       // that the first of them has waited
    std::string says;         // all of it in a sentence or two

    bool operator==(const Diagnosis&) const = default;
};

// Nothing while no rank has waited for `timeout` seconds. A rank whose record is older than that counts as
// dead; of a rank without a record nothing is known but that it is missing.
std::optional<Diagnosis> diagnose(const std::vector<CallRecord>& records, double timeout);

// Looks at the logs again and again on a thread of its own. Once a rank is missing, though not when it is
// only slow, it says so and ends.
class Watchdog
{
public:
    using Read = std::function<std::vector<CallRecord>()>;
    using Found = std::function<void(const Diagnosis&)>;

    Watchdog(Read read, double timeout, Found found);
    // Aborts the world. logs[r] is rank r's and outlives this.
    Watchdog(ThreadWorld& world, std::vector<const CallLog*> logs, double timeout);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog();

    std::optional<Diagnosis> found() const;

private:
    void watch(const Read& read, double timeout, const Found& found);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool ends_ = false;
    std::optional<Diagnosis> found_;
    std::thread thread_;
};

} // namespace ringside::parallel
