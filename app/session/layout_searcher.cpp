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
    std::vector<std::thread> threads;

    static void publish(Part& part)
    {
        const std::scoped_lock lock(part.mutex);
        part.found = part.search.result();
        part.progress = part.search.progress();
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
    const Scenario plain = without_layout(scenario);
    work_ = std::make_unique<Work>();
    answer_ = {plain, limits, {}, 0};
    const std::size_t parts = std::max<std::size_t>(1, threads_);
    for (std::size_t i = 0; i < parts; ++i)
    {
        work_->parts.push_back(std::make_unique<Work::Part>(plain, limits, i, parts));
    }
    for (std::size_t i = 0; i < threads_; ++i)
    {
        work_->threads.emplace_back(
            [work = work_.get(), part = work_->parts[i].get()]
            {
                give_way();
                while (!work->stop && part->search.advance(kSlice))
                {
                    Work::publish(*part);
                }
                Work::publish(*part);
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
    answer_.result = {};
    answer_.progress = 0;
    bool done = true;
    for (const auto& part : work_->parts)
    {
        if (threads_ == 0)
        {
            part->search.advance(kMoment);
            Work::publish(*part);
        }
        const std::scoped_lock lock(part->mutex);
        answer_.result = merged(answer_.result, part->found, answer_.limits.objective);
        answer_.progress += part->progress / static_cast<double>(work_->parts.size());
        done = done && part->progress >= 1; // of what has just been merged
    }
    answer_.progress = done ? 1 : std::min(answer_.progress, 0.999);
    return &answer_;
}

} // namespace ringside
