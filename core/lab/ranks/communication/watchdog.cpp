#include "core/lab/ranks/communication/watchdog.h"

#include "core/base/caught.h"
#include "core/base/ranges.h"
#include "core/lab/ranks/communication/thread_world.h"

#include <algorithm>

namespace ringside::parallel
{

namespace
{

// Enough for a diagnosis: what a rank did last in each of its groups.
constexpr std::size_t kLast = 64;

Watchdog::Read reader_of(std::vector<const CallLog*> logs)
{
    return [logs = std::move(logs)]
    {
        return list_of<CallRecord>(logs.size(), [&](std::size_t r)
                                   { return logs[r]->record(static_cast<int>(r), kLast); });
    };
}

} // namespace

Watchdog::Watchdog(Read read, double timeout, Found found)
    : thread_([this, read = std::move(read), timeout, found = std::move(found)]
              { watch(read, timeout, found); })
{
}

Watchdog::Watchdog(ThreadWorld& world, std::vector<const CallLog*> logs, double timeout)
    : Watchdog(reader_of(std::move(logs)), timeout, [&world](const Diagnosis& d) { world.abort(d.says); })
{
}

Watchdog::~Watchdog()
{
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

std::optional<Diagnosis> Watchdog::found() const
{
    const std::scoped_lock lock(mutex_);
    return found_;
}

void Watchdog::watch(const Read& read, double timeout, const Found& found)
{
    const std::chrono::duration<double> pause(std::clamp(timeout / 5, 0.005, 1.0));
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, pause, [this] { return ends_; }))
    {
        lock.unlock();
        bool told = false;
        // A look that throws is taken again.
        (void)caught(
            [&]
            {
                const auto diagnosis = diagnose(read(), timeout);
                if (diagnosis && diagnosis->trouble != Trouble::slow)
                {
                    {
                        const std::scoped_lock known(mutex_);
                        found_ = diagnosis;
                    }
                    found(*diagnosis);
                    told = true;
                }
            });
        if (told)
        {
            return;
        }
        lock.lock();
    }
}

} // namespace ringside::parallel
