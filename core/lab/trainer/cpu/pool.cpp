#include "core/lab/trainer/cpu/pool.h"

#include "core/base/caught.h"

#include <algorithm>

namespace ringside::trainer::cpu
{

namespace
{

constexpr int kSpins = 4000; // about 20 us

inline void pause()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// While it lives, this thread takes numbers below 2^-126 for 0: attention makes them of probabilities near 0,
// and many a processor takes a hundred cycles for each. All threads of a pool do, so their number still
// changes no bit.
class NoSubnormals
{
public:
#if defined(__x86_64__)
    NoSubnormals() : before_(__builtin_ia32_stmxcsr())
    {
        __builtin_ia32_ldmxcsr(before_ | kFlush);
    }
    ~NoSubnormals()
    {
        __builtin_ia32_ldmxcsr(before_);
    }
#elif defined(__aarch64__)
    NoSubnormals()
    {
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        asm volatile("msr fpcr, %0" : : "r"(before_ | kFlush));
    }
    ~NoSubnormals()
    {
        asm volatile("msr fpcr, %0" : : "r"(before_));
    }
#else
    NoSubnormals() = default;
    ~NoSubnormals() = default;
#endif
    NoSubnormals(const NoSubnormals&) = delete;
    NoSubnormals& operator=(const NoSubnormals&) = delete;

private:
#if defined(__x86_64__)
    static constexpr unsigned kFlush = 0x8040; // MXCSR: flush to zero, subnormals are zeros
    unsigned before_;
#elif defined(__aarch64__)
    static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24U; // FPCR: flush to zero
    std::uint64_t before_ = 0;
#endif
};

// Until the value is no longer `old`: spins, then sleeps.
std::uint32_t changed(const std::atomic<std::uint32_t>& value, std::uint32_t old)
{
    for (int i = 0; i < kSpins; ++i)
    {
        const std::uint32_t now = value.load(std::memory_order_acquire);
        if (now != old)
        {
            return now;
        }
        pause();
    }
    value.wait(old, std::memory_order_acquire);
    return value.load(std::memory_order_acquire);
}

} // namespace

std::size_t default_threads()
{
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    return processors > 2 ? processors - 1 : processors;
}

Pool::Pool(std::size_t threads)
{
    for (std::size_t i = 1; i < threads; ++i)
    {
        workers_.emplace_back([this, i] { serve(i); });
    }
}

Pool::~Pool()
{
    round_.fetch_or(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& worker : workers_)
    {
        worker.join();
    }
}

bool Pool::take_part(std::size_t thread)
{
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    do
    {
        if ((ticket & 0xFFFFFFFFU) == 0)
        {
            return false;
        }
    } while (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel));
    const auto thrown =
        caught([&] { call_(work_, parts_ - static_cast<Index>(ticket & 0xFFFFFFFFU), thread); });
    if (thrown && !failed_.exchange(true))
    {
        thrown_ = thrown;
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    {
        left_.notify_one();
    }
    return true;
}

void Pool::serve(std::size_t thread)
{
    [[maybe_unused]] const NoSubnormals none; // nothing where a processor has no such mode
    std::uint32_t seen = 0;
    while ((seen & 1U) == 0)
    {
        while (take_part(thread))
        {
        }
        seen = changed(round_, seen);
    }
}

void Pool::share(Index parts, Call call, const void* work)
{
    [[maybe_unused]] const NoSubnormals none; // nothing where a processor has no such mode
    if (parts <= 1 || workers_.empty())
    {
        for (Index part = 0; part < parts; ++part)
        {
            call(work, part, 0);
        }
        return;
    }
    call_ = call;
    work_ = work;
    parts_ = static_cast<std::uint32_t>(parts);
    left_.store(parts_, std::memory_order_relaxed);
    const std::uint64_t loop = (ticket_.load(std::memory_order_relaxed) >> 32U) + 1;
    ticket_.store(loop << 32U | parts_, std::memory_order_release);
    round_.fetch_add(2, std::memory_order_release);
    round_.notify_all();
    while (take_part(0))
    {
    }
    for (std::uint32_t left = left_.load(std::memory_order_acquire); left != 0;)
    {
        left = changed(left_, left);
    }
    if (failed_.exchange(false))
    {
        std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
}

} // namespace ringside::trainer::cpu
