// Writes one thing after the other on a thread of its own, no faster than a storage of a given rate would.
//
// One save at a time. Synchronous, training waits for it; asynchronous, for the copy of the state and for a
// write that is not over yet (CheckFreq, Mohan et al. 2021).
#pragma once

#include "core/base/result.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ringside::parallel
{

class Saver
{
public:
    Saver();
    Saver(const Saver&) = delete;
    Saver& operator=(const Saver&) = delete;
    ~Saver(); // ends the waiting; a write that has begun is finished

    struct Done
    {
        std::int64_t bytes = 0;
        double seconds = 0;
        Issues issues;
    };
    // make() and write() run on the saver's thread. Waits first until what was begun before is done.
    void begin(std::function<std::string()> make, std::function<Issues(const std::string&)> write,
               double bytes_per_second); // 0: as fast as it goes
    // Until nothing is on its way.
    void wait();
    // Ends all waiting, for good; from any thread.
    void stop();
    // What was done since the last call, if anything.
    std::optional<Done> take();

private:
    struct Job
    {
        std::function<std::string()> make;
        std::function<Issues(const std::string&)> write;
        double bytes_per_second = 0;
    };
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Job> job_; // there until it is done
    std::optional<Done> done_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace ringside::parallel
