#include "app/session/layout_searcher.h"

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
    const std::size_t parts = std::max<std::size_t>(1, threads_);
    for (std::size_t i = 0; i < parts; ++i)
    {
        work_->parts.push_back(std::make_unique<Work::Part>(plain, limits, i, parts));
    }
    work_->looking = threads_;
    for (std::size_t i = 0; i < threads_; ++i)
    {
        work_->threads.emplace_back(
            [work = work_.get(), part = work_->parts[i].get(), plain, objective = limits.objective]
            {
                give_way();
                while (!work->stop && part->search.advance(kSlice))
                {
                    Work::publish(*part);
                }
                Work::publish(*part);
                // What is kept is chosen from all parts before it is timed, however they were shared out.
                if (--work->looking == 0 && !work->stop)
                {
                    const bool whole = work->parts.size() == 1; // has been timed
                    const SearchResult all = work->all(objective);
                    work->result = whole ? all : timed(plain, all, objective);
                    work->timed = true;
                }
            });
    }
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
    return &answer_;
}

} // namespace ringside
