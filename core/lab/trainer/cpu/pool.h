// Threads that share the parts of one loop. Parts are handed out one by one, more than there are threads, so
// that a thread which is kept busy elsewhere holds nobody up. Idle threads spin for some microseconds, then
// sleep.
#pragma once

#include "core/lab/trainer/tensor.h"

#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace ringside::trainer::cpu
{

// Threads to use when nobody says: all processors, less one for the window where there are more than 2.
std::size_t default_threads();

class Pool // NOLINT(clang-analyzer-optin.performance.Padding): what threads write has lines of its own
{
public:
    explicit Pool(std::size_t threads); // the caller's included; at least 1
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    std::size_t threads() const { return workers_.size() + 1; }

    // work(part, thread) for every part of [0, parts); returns when all are done. One caller at a time.
    template <class Work>
    void run(Index parts, const Work& work)
    {
        share(
            parts,
            [](const void* w, Index part, std::size_t thread)
            { (*static_cast<const Work*>(w))(part, thread); },
            &work);
    }

private:
    using Call = void (*)(const void* work, Index part, std::size_t thread);

    // A part that throws lets the others end; the first such exception is the caller's.
    void share(Index parts, Call call, const void* work);
    bool take_part(std::size_t thread);
    void serve(std::size_t thread);

    std::vector<std::thread> workers_;
    // The loop that runs: written before its ticket, and kept until its last part is done. A thread that has
    // taken a part may read them; one that wakes up too late finds none left and touches nothing.
    Call call_ = nullptr;
    const void* work_ = nullptr;
    std::uint32_t parts_ = 0;
    std::atomic<bool> failed_ = false;
    std::exception_ptr thrown_;                         // of the part that set `failed_`
    alignas(64) std::atomic<std::uint64_t> ticket_ = 0; // number of the loop, parts that nobody has taken yet
    alignas(64) std::atomic<std::uint32_t> round_ = 0;  // what idle threads watch; odd: stop
    alignas(64) std::atomic<std::uint32_t> left_ = 0;   // parts that are not done
};

} // namespace ringside::trainer::cpu
