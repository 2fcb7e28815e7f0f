// A run that takes commands between its steps and publishes snapshots that never change again: on a thread of
// its own, or without one, a slice of time at once, where there are no threads.
//
// A command is done when wait_until_idle() says so, not only taken out of the queue. The state of a failed
// run goes to the snapshot and stays there; commands are then dropped. What is derived from this ends with
// stop() in its own destructor, since the thread calls what it overrides.
#pragma once

#include "core/base/caught.h"
#include "core/lab/trainer/clock.h"
#include "core/lab/trainer/live.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace ringside::trainer
{

// "path: message (hint); path: message"
inline std::string lines(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += (all.empty() ? "" : "; ") + to_line(issue);
    }
    return all;
}

// `Snapshot::state` is one of an enum that has running, paused, stopped and failed; `message` says why.
template <class Snapshot, class Interface = Live<Snapshot>>
class CommandLoop : public Interface
{
public:
    using State = decltype(Snapshot::state);

    CommandLoop(const CommandLoop&) = delete;
    CommandLoop& operator=(const CommandLoop&) = delete;
    void pause() override
    {
        ask(
            [this]
            {
                now_.state = now_.state == State::running ? State::paused : now_.state;
                single_ = false;
            });
    }
    void resume() override { go_on(false); }
    void step_once() override { go_on(true); }
    std::shared_ptr<const Snapshot> snapshot() const override
    {
        const std::scoped_lock lock(mutex_);
        return published_;
    }
    bool wait_until_idle(double seconds) const override
    {
        std::unique_lock lock(mutex_);
        return idle_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return is_idle(); });
    }
    // Advances a run without a thread: commands and steps for about so many seconds, one at least where there
    // is any. False once there is nothing left to do, or nothing before the device has answered.
    bool advance(double seconds)
    {
        const double end = seconds_now() + seconds;
        guard(
            [&]
            {
                open_once();
                std::unique_lock lock(mutex_);
                while (turn(lock) && seconds_now() < end)
                {
                }
            });
        const std::scoped_lock lock(mutex_);
        return !is_idle() && !waiting();
    }

protected:
    CommandLoop() = default;

    // What the run makes before its first step, on the thread of its steps; may throw what ends it.
    virtual void open() = 0;
    virtual void one_step() = 0;
    // What was asked of the device has not come yet; until then no command is carried out. Only of runs
    // without a thread, which is advanced again when it has come.
    virtual bool waiting() const { return false; }
    // What has to be done before a run that does not run can; it may fail().
    virtual void mend() {}
    // Gives back what open() and steps have made.
    virtual void close() = 0;
    // What to do about a run that something thrown has ended.
    virtual Issue thrown(const std::string& what) const = 0;

    // Once all that the overridden functions use is there.
    void start(Snapshot first, bool threaded)
    {
        now_ = std::move(first);
        now_.state = State::running;
        published_ = std::make_shared<Snapshot>(now_);
        if (threaded)
        {
            thread_ = std::thread([this] { work(); });
        }
    }
    void stop()
    {
        {
            const std::scoped_lock lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        if (thread_.joinable())
        {
            thread_.join();
        }
    }
    void ask(std::function<void()> command)
    {
        {
            const std::scoped_lock lock(mutex_);
            commands_.push_back(std::move(command));
        }
        wake_.notify_all();
    }
    void fail(const Issues& issues)
    {
        now_.state = State::failed;
        now_.message = lines(issues);
    }
    // Not more often than people can see, but for what must be seen.
    void publish(bool always)
    {
        constexpr double kEvery = 0.02; // [s]
        const double now = seconds_now();
        if (!always && now - last_published_ < kEvery)
        {
            return;
        }
        last_published_ = now;
        auto copy = std::make_shared<const Snapshot>(now_);
        {
            const std::scoped_lock lock(mutex_);
            published_.swap(copy);
        }
        idle_.notify_all();
    }
    // Takes down that a step is over; pauses where it was a single one or the last.
    bool pauses_after(std::int64_t last_step)
    {
        const bool last = last_step > 0 && now_.step >= last_step;
        const bool pauses = single_ || last;
        single_ = false;
        now_.state = pauses ? State::paused : now_.state;
        return pauses;
    }

    mutable std::mutex mutex_; // also of what else is shared with callers
    std::atomic<bool> stop_ = false;
    // Used by the thread of the steps alone.
    Snapshot now_;
    bool single_ = false; // pauses after the next step
    double due_ = 0;      // [s] when the next step may begin

private:
    // In one go, so that no step comes between the start and whether it is a single one.
    void go_on(bool single)
    {
        ask(
            [this, single]
            {
                mend();
                now_.state = now_.state == State::failed ? now_.state : State::running;
                single_ = single;
            });
    }
    bool is_idle() const { return commands_.empty() && published_->state != State::running; }
    template <class Work>
    void guard(const Work& work)
    {
        if (const auto fault = caught(work)) // the host's own memory, the device's driver
        {
            now_.state = State::failed;
            now_.message = kNoMemory;
            (void)caught([&] { fail({thrown(to_line(fault_of(fault)))}); });
            (void)caught([&] { publish(true); });
        }
    }
    void open_once()
    {
        if (!std::exchange(opened_, true))
        {
            open();
            publish(true);
        }
    }
    // One command, or one step that is due; false: there is neither.
    bool turn(std::unique_lock<std::mutex>& lock)
    {
        if (!commands_.empty() && waiting())
        {
            return false;
        }
        if (!commands_.empty())
        {
            const auto command = std::move(commands_.front());
            lock.unlock();
            if (now_.state != State::failed)
            {
                command();
            }
            publish(true);
            lock.lock();
            commands_.pop_front(); // only now: an idle run is one that has done what it was asked
            idle_.notify_all();
            return true;
        }
        if (now_.state != State::running || due_ > seconds_now())
        {
            return false;
        }
        lock.unlock();
        one_step();
        lock.lock();
        return true;
    }
    void work()
    {
        guard(
            [this]
            {
                open_once();
                std::unique_lock lock(mutex_);
                const auto woken = [this] { return stop_ || !commands_.empty(); };
                while (!stop_)
                {
                    if (turn(lock))
                    {
                        continue;
                    }
                    if (now_.state == State::running)
                    {
                        wake_.wait_for(lock, std::chrono::duration<double>(due_ - seconds_now()), woken);
                    }
                    else
                    {
                        wake_.wait(lock, woken);
                    }
                }
            });
        now_.state = now_.state == State::failed ? now_.state : State::stopped;
        (void)caught(
            [this]
            {
                close();
                publish(true);
            });
    }

    std::condition_variable wake_;
    mutable std::condition_variable idle_;
    std::deque<std::function<void()>> commands_;
    std::shared_ptr<const Snapshot> published_;
    bool opened_ = false;
    double last_published_ = -1;
    std::thread thread_;
};

} // namespace ringside::trainer
