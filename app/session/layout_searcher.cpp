#include "app/session/layout_searcher.h"

#include "core/base/caught.h"
#include "core/base/give_way.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace ringside
{

namespace
{

constexpr std::int64_t kSlice = 2000;    // layouts between two looks at whether to stop
constexpr std::int64_t kMoment = 40'000; // layouts looked at by a call without threads

} // namespace

struct LayoutSearcher::Work
{
    struct Part
    {
        Part(const Scenario& scenario, const SearchLimits& limits, std::size_t part, std::size_t parts)
            : search(scenario, limits, part, parts)
        {
        }

        LayoutSearch search; // of its own thread
        std::mutex mutex;    // for the two below
        SearchResult found;
        double progress = 0;
    };

    std::vector<std::unique_ptr<Part>> parts;
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> looking = 0; // threads that have not yet found all of theirs
    std::atomic<bool> timed = false;      // `result` is there, made by the last of them
    SearchResult result;
    std::mutex fault_mutex;
    std::exception_ptr thrown; // the first that any of them threw; the search is over
    std::vector<std::thread> threads;

    static void publish(Part& part)
    {
        const std::scoped_lock lock(part.mutex);
        part.found = part.search.result();
        part.progress = part.search.progress();
    }

    SearchResult all(Objective objective)
    {
        SearchResult together;
        for (const auto& part : parts)
        {
            const std::scoped_lock lock(part->mutex);
            together = merged(together, part->found, objective);
        }
        return together;
    }

    void guard(const auto& work)
    {
        if (const auto fault = caught(work))
        {
            const std::scoped_lock lock(fault_mutex);
            thrown = thrown ? thrown : fault;
            stop = true;
        }
    }

    std::exception_ptr fault()
    {
        const std::scoped_lock lock(fault_mutex);
        return thrown;
    }

    void search(Part& part, const Scenario& plain, Objective objective)
    {
        give_way();
        while (!stop && part.search.advance(kSlice))
        {
            publish(part);
        }
        publish(part);
        // What is kept is chosen from all parts before it is timed, however they were shared out.
        if (--looking == 0 && !stop)
        {
            const bool whole = parts.size() == 1; // has been timed
            const SearchResult found = all(objective);
            result = whole ? found : ringside::timed(plain, found, objective);
            timed = true;
        }
    }

    ~Work()
    {
        stop = true;
        for (std::thread& thread : threads)
        {
            thread.join();
        }
    }
};

LayoutSearcher::LayoutSearcher(std::size_t threads) : threads_(threads) {}
LayoutSearcher::~LayoutSearcher() = default;

void LayoutSearcher::want(const Scenario& scenario, const SearchLimits& limits)
{
    if (work_ && answer_.answers(scenario, limits))
    {
        return;
    }
    const Scenario plain = searched_scenario(scenario, limits);
    work_ = std::make_unique<Work>();
    answer_ = {plain, limits, {}, 0};
    work_->guard([&] { start(plain, limits); });
}

void LayoutSearcher::start(const Scenario& plain, const SearchLimits& limits)
{
    const std::size_t parts = std::max<std::size_t>(1, threads_);
    for (std::size_t i = 0; i < parts; ++i)
    {
        work_->parts.push_back(std::make_unique<Work::Part>(plain, limits, i, parts));
    }
    work_->looking = threads_;
    work_->threads.reserve(threads_);
    for (std::size_t i = 0; i < threads_; ++i)
    {
        work_->threads.emplace_back(
            [work = work_.get(), part = work_->parts[i].get(), copy = std::make_shared<const Scenario>(plain),
             objective = limits.objective] { work->guard([&] { work->search(*part, *copy, objective); }); });
    }
}

void LayoutSearcher::look_for_a_moment()
{
    if (threads_ == 0)
    {
        work_->parts.front()->search.advance(kMoment);
        Work::publish(*work_->parts.front());
    }
    answer_.result = work_->all(answer_.limits.objective);
    answer_.progress = 0;
    for (const auto& part : work_->parts)
    {
        const std::scoped_lock lock(part->mutex);
        answer_.progress += part->progress / static_cast<double>(work_->parts.size());
    }
    answer_.progress = std::min(answer_.progress, threads_ == 0 ? 1 : 0.999);
}

const LayoutAnswer* LayoutSearcher::look()
{
    if (!work_)
    {
        return nullptr;
    }
    if (answer_.progress >= 1)
    {
        return &answer_;
    }
    if (work_->timed)
    {
        answer_.result = std::move(work_->result);
        answer_.progress = 1;
        return &answer_;
    }
    if (!work_->fault())
    {
        work_->guard([this] { look_for_a_moment(); });
    }
    if (const auto thrown = work_->fault())
    {
        answer_.result = {};
        answer_.faults = {fault_of(thrown)};
        answer_.progress = 1;
    }
    return &answer_;
}

} // namespace ringside
