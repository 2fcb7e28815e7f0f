#include "app/session/work_runner.h"

#include "core/base/caught.h"
#include "core/base/give_way.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>

namespace ringside
{

// What threads share about one request. The pool's mutex guards all but `work`.
struct WorkRunner::Job
{
    struct Part
    {
        std::shared_ptr<const void> result;
        double progress = 0;
        bool taken = true; // the result, so that another is wanted
    };

    explicit Job(std::unique_ptr<AnyWork> begun)
        : work(std::move(begun)), parts(work->parts()), left(parts.size())
    {
    }

    // A slice of one part, and what it has come to. True: there is more.
    bool advance(std::size_t part, bool publish, Part& done) const
    {
        const bool more = work->advance(part);
        if (publish || !more)
        {
            done.result = work->result(part);
        }
        done.progress = work->progress(part);
        return more;
    }
    std::vector<std::shared_ptr<const void>> results() const
    {
        std::vector<std::shared_ptr<const void>> all;
        for (const Part& part : parts)
        {
            all.push_back(part.result);
        }
        return all;
    }
    double progress() const
    {
        const double sum =
            std::accumulate(parts.begin(), parts.end(), 0.0,
                            [](double so_far, const Part& part) { return so_far + part.progress; });
        return sum / static_cast<double>(parts.size());
    }

    const std::unique_ptr<AnyWork> work;
    std::vector<Part> parts;
    std::size_t left;                  // parts that are not done
    bool stopped = false;              // nobody wants it any more, or it threw
    std::shared_ptr<const void> whole; // of all parts, once there are none left
    std::exception_ptr thrown;
};

struct WorkRunner::Slot
{
    const WorkKind* kind;
    std::shared_ptr<const void> request;
    std::shared_ptr<Job> job; // null: over
    AnyAnswer answer;
    std::uint64_t asked; // in which frame, last
    bool noted = false;  // by take_finished()
};

class WorkRunner::Pool
{
public:
    // As many threads as the machine has to give; threads() says how many there are.
    explicit Pool(std::size_t threads)
    {
        threads_.reserve(threads);
        (void)caught(
            [&]
            {
                while (threads_.size() < threads)
                {
                    threads_.emplace_back([this] { run(); });
                }
            });
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool()
    {
        {
            const std::scoped_lock lock(mutex);
            over_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_)
        {
            thread.join();
        }
    }

    std::size_t threads() const { return threads_.size(); }
    void add(const std::shared_ptr<Job>& job, std::size_t first)
    {
        {
            const std::scoped_lock lock(mutex);
            for (std::size_t part = first; part < job->parts.size(); ++part)
            {
                queue_.emplace_back(job, part);
            }
        }
        wake_.notify_all();
    }

    std::mutex mutex; // of every job, and of the queue

private:
    using Lock = std::unique_lock<std::mutex>;

    void run()
    {
        give_way();
        Lock lock(mutex);
        while (true)
        {
            wake_.wait(lock, [this] { return over_ || !queue_.empty(); });
            if (over_)
            {
                return;
            }
            auto [job, part] = std::move(queue_.front());
            queue_.pop_front();
            work_on(lock, *job, part);
            lock.unlock();
            job.reset(); // may be the last to hold it
            lock.lock();
        }
    }

    void work_on(Lock& lock, Job& job, std::size_t part)
    {
        bool more = true;
        Job::Part done;
        while (more && !over_ && !job.stopped)
        {
            const bool publish = job.parts[part].taken;
            lock.unlock();
            done.result = nullptr;
            const auto thrown = caught([&] { more = job.advance(part, publish, done); });
            lock.lock();
            if (thrown)
            {
                fail(job, thrown);
                return;
            }
            job.parts[part].progress = done.progress;
            if (done.result)
            {
                job.parts[part].taken = false;
                std::swap(job.parts[part].result, done.result);
            }
        }
        if (!more && --job.left == 0)
        {
            make_whole(lock, job);
        }
    }

    static void make_whole(Lock& lock, Job& job)
    {
        std::shared_ptr<const void> whole;
        lock.unlock(); // no thread changes the parts any more
        const auto thrown = caught([&] { whole = job.work->merged(job.results(), true); });
        lock.lock();
        job.whole = std::move(whole);
        if (thrown)
        {
            fail(job, thrown);
        }
    }

    static void fail(Job& job, const std::exception_ptr& thrown)
    {
        job.thrown = job.thrown ? job.thrown : thrown;
        job.stopped = true;
    }

    std::condition_variable wake_;
    std::deque<std::pair<std::shared_ptr<Job>, std::size_t>> queue_;
    bool over_ = false;
    std::vector<std::thread> threads_;
};

WorkRunner::WorkRunner(WorkPace pace, std::size_t threads)
    : pace_(pace), threads_(std::max<std::size_t>(1, threads))
{
}

WorkRunner::~WorkRunner() = default;

const AnyAnswer& WorkRunner::ask(const WorkKind& kind, const void* request)
{
    const auto found = std::find_if(
        slots_.begin(), slots_.end(),
        [&](const auto& slot) { return slot->kind == &kind && kind.same(slot->request.get(), request); });
    Slot& slot = found != slots_.end() ? **found
                                       : *slots_.emplace_back(std::make_unique<Slot>(
                                             Slot{&kind, kind.copied(request), nullptr, {}, frame_}));
    if (slot.job == nullptr && !slot.answer.done())
    {
        begin(slot);
    }
    slot.noted = slot.noted && slot.asked + 1 >= frame_;
    slot.asked = frame_;
    return slot.answer;
}

// With its first slice at once: what is quick never flickers, and needs no thread.
void WorkRunner::begin(Slot& slot)
{
    if (pace_ == WorkPace::at_once)
    {
        slot.answer = finished_work(*slot.kind, slot.request.get());
        return;
    }
    const auto thrown = caught(
        [&]
        {
            const std::size_t parts = pace_ == WorkPace::threaded ? threads_ : 1;
            const auto job = std::make_shared<Job>(slot.kind->begun(slot.request.get(), parts));
            Job::Part& first = job->parts.front();
            const bool more = job->advance(0, true, first);
            job->left -= more ? 0 : 1;
            slot.answer.result = job->work->merged(job->results(), job->left == 0);
            slot.answer.progress = job->left == 0 ? 1 : std::min(job->progress(), 0.999);
            if (job->left == 0)
            {
                return;
            }
            slot.job = job;
            if (pace_ == WorkPace::threaded && pool_ == nullptr)
            {
                pool_ = std::make_unique<Pool>(threads_);
            }
            if (pool_ != nullptr && pool_->threads() > 0)
            {
                pool_->add(job, more ? 0 : 1);
            }
        });
    if (thrown)
    {
        slot.job = nullptr;
        slot.answer = failed_work(thrown);
    }
}

void WorkRunner::next_frame()
{
    ++frame_;
    forget();
    if (pool_ == nullptr || pool_->threads() == 0)
    {
        advance_one();
    }
    else
    {
        for (const auto& slot : slots_)
        {
            take(*slot);
        }
    }
}

// What threads have done.
void WorkRunner::take(Slot& slot)
{
    if (slot.job == nullptr)
    {
        return;
    }
    Job& job = *slot.job;
    std::exception_ptr thrown;
    bool fresh = false;
    const auto thrown_here = caught(
        [&]
        {
            std::vector<std::shared_ptr<const void>> results;
            std::shared_ptr<const void> whole;
            {
                const std::scoped_lock lock(pool_->mutex);
                thrown = job.thrown;
                whole = job.whole;
                results = job.results();
                slot.answer.progress = std::min(job.progress(), 0.999);
                for (Job::Part& part : job.parts)
                {
                    fresh = fresh || !std::exchange(part.taken, true);
                }
            }
            if (whole)
            {
                slot.answer = {{1, {}}, whole};
                slot.job = nullptr;
            }
            else if (fresh && !thrown)
            {
                slot.answer.result = job.work->merged(results, false);
            }
        });
    if (thrown || thrown_here)
    {
        stop(slot);
        slot.answer = failed_work(thrown ? thrown : thrown_here);
    }
}

// Without threads: of what was asked for last, the first that is under way.
void WorkRunner::advance_one()
{
    Slot* next = nullptr;
    for (const auto& slot : slots_)
    {
        next = slot->job != nullptr && (next == nullptr || slot->asked > next->asked) ? slot.get() : next;
    }
    if (next == nullptr)
    {
        return;
    }
    const auto thrown = caught(
        [&]
        {
            Job& job = *next->job;
            // Threads that could not be started have left several parts.
            const std::size_t part = job.parts.size() - job.left;
            const bool more = job.advance(part, true, job.parts[part]);
            job.left -= more ? 0 : 1;
            next->answer.result = job.work->merged(job.results(), job.left == 0);
            next->answer.progress = job.left == 0 ? 1 : std::min(job.progress(), 0.999);
        });
    if (thrown)
    {
        next->answer = failed_work(thrown);
    }
    next->job = next->answer.done() ? nullptr : next->job;
}

void WorkRunner::stop(Slot& slot)
{
    if (slot.job != nullptr && pool_ != nullptr)
    {
        const std::scoped_lock lock(pool_->mutex);
        slot.job->stopped = true;
    }
    slot.job = nullptr;
}

bool WorkRunner::wanted(const Slot& slot) const
{
    const auto newer = std::count_if(slots_.begin(), slots_.end(),
                                     [&](const auto& other)
                                     { return other->kind == slot.kind && other->asked > slot.asked; });
    const std::size_t most = slot.answer.done() ? slot.kind->kept : 1;
    return slot.asked + 1 >= frame_ || static_cast<std::size_t>(newer) < most;
}

void WorkRunner::forget()
{
    // All are judged before the first goes: each is compared with the others.
    std::vector<const Slot*> unwanted;
    for (const auto& slot : slots_)
    {
        if (!wanted(*slot))
        {
            stop(*slot);
            unwanted.push_back(slot.get());
        }
    }
    std::erase_if(slots_, [&](const auto& slot)
                  { return std::find(unwanted.begin(), unwanted.end(), slot.get()) != unwanted.end(); });
}

bool WorkRunner::busy() const
{
    return std::any_of(slots_.begin(), slots_.end(),
                       [&](const auto& slot) { return slot->asked == frame_ && !slot->answer.done(); });
}

std::shared_ptr<const void> WorkRunner::take_finished(const WorkKind& kind)
{
    for (const auto& slot : slots_)
    {
        if (slot->kind == &kind && slot->answer.done() && slot->answer.result &&
            !std::exchange(slot->noted, true))
        {
            return slot->answer.result;
        }
    }
    return nullptr;
}

AnyAnswer WorkRunner::latest(const WorkKind& kind) const
{
    const Slot* newest = nullptr;
    for (const auto& slot : slots_)
    {
        const bool newer = newest == nullptr || slot->asked >= newest->asked;
        newest = slot->kind == &kind && newer ? slot.get() : newest;
    }
    return newest == nullptr ? AnyAnswer() : newest->answer;
}

std::unique_ptr<WorkRunner> threaded_works()
{
    return std::make_unique<WorkRunner>(WorkPace::threaded, std::thread::hardware_concurrency());
}

} // namespace ringside
