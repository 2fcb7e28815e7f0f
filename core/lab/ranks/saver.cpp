#include "core/lab/ranks/saver.h"

#include "core/base/caught.h"

#include <chrono>

namespace ringside::parallel
{

using Clock = std::chrono::steady_clock;

Saver::Saver() : thread_([this] { work(); }) {}

Saver::~Saver()
{
    stop();
    thread_.join();
}

void Saver::stop()
{
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
}

void Saver::wait()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_ || !job_; });
}

void Saver::begin(std::function<std::string()> make, std::function<Issues(const std::string&)> write,
                  double bytes_per_second)
{
    wait();
    {
        const std::scoped_lock lock(mutex_);
        if (stop_)
        {
            return;
        }
        job_ = Job{std::move(make), std::move(write), bytes_per_second};
    }
    changed_.notify_all();
}

std::optional<Saver::Done> Saver::take()
{
    const std::scoped_lock lock(mutex_);
    return std::exchange(done_, std::nullopt);
}

void Saver::work()
{
    std::unique_lock lock(mutex_);
    while (!stop_)
    {
        changed_.wait(lock, [this] { return stop_ || job_; });
        if (stop_)
        {
            return;
        }
        const Job job = *job_;
        lock.unlock();
        const auto start = Clock::now();
        Done done;
        const auto thrown = caught(
            [&]
            {
                const std::string text = job.make();
                done.bytes = static_cast<std::int64_t>(text.size());
                done.issues = job.write(text);
            });
        if (thrown)
        {
            (void)caught([&] { done.issues = {fault_of(thrown)}; });
        }
        lock.lock();
        const std::chrono::duration<double> least(
            job.bytes_per_second > 0 ? static_cast<double>(done.bytes) / job.bytes_per_second : 0);
        changed_.wait_until(lock, start + std::chrono::duration_cast<Clock::duration>(least),
                            [this] { return stop_; });
        done.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        done_ = std::move(done);
        job_.reset();
        changed_.notify_all();
    }
}

} // namespace ringside::parallel
