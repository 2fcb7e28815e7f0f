#include "core/lab/trainer/timed_backend.h"

#include "core/lab/trainer/clock.h"

#include <algorithm>
#include <utility>

namespace ringside::trainer
{

Abilities TimedBackend::abilities() const
{
    Abilities abilities = inner_->abilities();
    abilities.kernel_times = true;
    return abilities;
}

template <class Work>
void TimedBackend::timed(const char* name, const Work& work)
{
    if (!take_)
    {
        work();
        return;
    }
    inner_->wait();
    const double start = seconds_now();
    for (Index i = 0; i <= repeats_; ++i)
    {
        work();
    }
    inner_->wait();
    KernelTime& time = times_[name];
    time.name = name;
    ++time.launches;
    time.seconds += (seconds_now() - start) / static_cast<double>(repeats_ + 1);
}

template <class Operation>
void TimedBackend::pass(const char* name, const Operation& operation)
{
    timed(name, [&] { inner_->run(operation); });
}

void TimedBackend::copy(void* to, const void* from, Index bytes)
{
    timed("copy", [&] { inner_->copy(to, from, bytes); });
}

void TimedBackend::clear(void* memory, Index bytes)
{
    timed("clear", [&] { inner_->clear(memory, bytes); });
}

double TimedBackend::sum_of_squares(const void* data, DType type, Index elements)
{
    double sum = 0;
    timed("squares", [&] { sum = inner_->sum_of_squares(data, type, elements); });
    return sum;
}

void TimedBackend::time_kernels(Index repeats, TakeTimes take)
{
    repeats_ = repeats;
    take_ = std::move(take);
    times_.clear();
}

void TimedBackend::submit()
{
    inner_->submit();
    if (!take_)
    {
        return;
    }
    KernelTimes times{.repeats = repeats_, .by_host = inner_->is_gpu()};
    for (auto& [name, time] : times_)
    {
        times.list.push_back(std::move(time));
    }
    std::ranges::sort(times.list, std::greater(), &KernelTime::seconds);
    std::exchange(take_, nullptr)(std::move(times));
}

} // namespace ringside::trainer
