#include "core/lab/ranks/communication/thread_world.h"

#include <fmt/format.h>

#include "core/base/caught.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

namespace ringside::parallel
{

namespace thread_world
{

// From one rank to another with one tag.
struct Route
{
    int from = 0;
    int to = 0;
    Transport::Tag tag = 0;

    bool operator==(const Route&) const = default;
};

struct HashOfRoute
{
    std::size_t operator()(const Route& r) const
    {
        const auto ranks = static_cast<std::uint64_t>(r.from) << 32U | static_cast<std::uint32_t>(r.to);
        std::uint64_t h =
            (ranks ^ static_cast<std::uint64_t>(r.tag) * 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
        return static_cast<std::size_t>(h ^ h >> 29U);
    }
};

struct Message
{
    const void* data = nullptr;
    Index bytes = 0;
};

// Messages of one route that nobody has taken, first come first.
struct Channel
{
    explicit Channel(const Route& r) : route(r) {}

    Route route;
    std::mutex mutex;
    std::condition_variable arrived;
    std::condition_variable left;
    std::deque<Message> waiting;
    Index posted = 0;
    Index taken = 0;
    bool being_read = false; // the first of those that wait: its memory must stay, whatever happens
};

// A posted message by number: its channel above, its place in the channel's order below.
constexpr unsigned kPlaceBits = 40;

} // namespace thread_world
using namespace thread_world;

// All channels of a world. They are made when first used, and stay.
class ThreadWorld::Mail
{
public:
    Index post(const Route& route, const void* data, Index bytes)
    {
        const auto [channel, number] = find(route);
        const std::scoped_lock lock(channel->mutex);
        check();
        channel->waiting.push_back({data, bytes});
        channel->arrived.notify_one();
        return number << kPlaceBits | channel->posted++;
    }

    void finish(Index posted)
    {
        Channel& channel = at(posted >> kPlaceBits);
        const Index place = posted & ((Index{1} << kPlaceBits) - 1);
        std::unique_lock lock(channel.mutex);
        channel.left.wait(lock,
                          [&]
                          {
                              const bool read_now = channel.being_read && channel.taken == place;
                              return channel.taken > place || (aborted_ && !read_now);
                          });
        if (channel.taken <= place)
        {
            check();
        }
    }

    void receive(const Route& route, Index bytes, const Transport::Take& take)
    {
        Channel& channel = *find(route).first;
        std::unique_lock lock(channel.mutex);
        channel.arrived.wait(lock, [&] { return aborted_ || !channel.waiting.empty(); });
        check();
        const Message message = channel.waiting.front();
        if (message.bytes != bytes)
        {
            lock.unlock();
            abort(fmt::format("rank {} expects {} B of rank {}, which sends {} B", route.to, bytes,
                              route.from, message.bytes));
            check();
        }
        channel.being_read = true;
        lock.unlock();
        const Reading reading(channel);
        take(message.data);
    }

    void abort(const std::string& why)
    {
        {
            const std::scoped_lock lock(why_mutex_);
            if (aborted_)
            {
                return;
            }
            why_ = why;
            aborted_ = true;
        }
        // A channel that is made from now on sees the flag before anybody waits.
        const std::shared_lock lock(table_mutex_);
        for (const auto& channel : channels_)
        {
            const std::scoped_lock held(channel->mutex);
            channel->arrived.notify_all();
            channel->left.notify_all();
        }
    }

    void check() const
    {
        if (aborted_)
        {
            throw Aborted(*aborted());
        }
    }

    std::optional<std::string> aborted() const
    {
        const std::scoped_lock lock(why_mutex_);
        return aborted_ ? std::optional(why_) : std::nullopt;
    }

private:
    // The first message, until it has been read.
    class Reading
    {
    public:
        explicit Reading(Channel& channel) : channel_(channel) {}
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        ~Reading()
        {
            const std::scoped_lock lock(channel_.mutex);
            channel_.waiting.pop_front();
            ++channel_.taken;
            channel_.being_read = false;
            channel_.left.notify_all();
        }

    private:
        Channel& channel_;
    };

    Channel& at(Index number) const
    {
        const std::shared_lock lock(table_mutex_);
        return *channels_[static_cast<std::size_t>(number)];
    }

    std::pair<Channel*, Index> find(const Route& route)
    {
        {
            const std::shared_lock lock(table_mutex_);
            if (const auto found = numbers_.find(route); found != numbers_.end())
            {
                return {channels_[static_cast<std::size_t>(found->second)].get(), found->second};
            }
        }
        const std::scoped_lock lock(table_mutex_);
        const auto [place, is_new] = numbers_.try_emplace(route, static_cast<Index>(channels_.size()));
        if (is_new)
        {
            channels_.push_back(std::make_unique<Channel>(route));
        }
        return {channels_[static_cast<std::size_t>(place->second)].get(), place->second};
    }

    mutable std::shared_mutex table_mutex_;
    std::unordered_map<Route, Index, HashOfRoute> numbers_;
    std::vector<std::unique_ptr<Channel>> channels_;
    mutable std::mutex why_mutex_;
    std::atomic<bool> aborted_ = false;
    std::string why_;
};

class ThreadWorld::Rank final : public Transport
{
public:
    Rank(Mail& mail, int rank, int ranks) : mail_(mail), rank_(rank), ranks_(ranks) {}

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }
    std::string name() const override { return "threads"; }
    bool shares_memory() const override { return true; }
    Index post(int to, Tag tag, const void* data, Index bytes) override
    {
        return mail_.post({rank_, to, tag}, data, bytes);
    }
    void finish(Index posted) override { mail_.finish(posted); }
    void receive(int from, Tag tag, void*, Index bytes, const Take& take) override
    {
        mail_.receive({from, rank_, tag}, bytes, take);
    }
    void check() override { mail_.check(); }
    void abort(const std::string& why) override { mail_.abort(fmt::format("rank {}: {}", rank_, why)); }

private:
    Mail& mail_;
    int rank_;
    int ranks_;
};

ThreadWorld::ThreadWorld(int ranks) : mail_(std::make_unique<Mail>())
{
    for (int r = 0; r < std::max(ranks, 1); ++r)
    {
        all_.push_back(std::make_unique<Rank>(*mail_, r, std::max(ranks, 1)));
    }
}

ThreadWorld::~ThreadWorld() = default;

int ThreadWorld::ranks() const
{
    return static_cast<int>(all_.size());
}

Transport& ThreadWorld::rank(int rank)
{
    return *all_.at(static_cast<std::size_t>(rank));
}

void ThreadWorld::abort(const std::string& why)
{
    mail_->abort(why);
}

std::optional<std::string> ThreadWorld::aborted() const
{
    return mail_->aborted();
}

void ThreadWorld::run(const std::function<void(Transport&)>& work)
{
    std::exception_ptr first; // Aborted only says that there was another
    bool is_cause = false;
    std::mutex mutex;
    const auto note = [&](bool cause)
    {
        const std::scoped_lock lock(mutex);
        if (!first || (cause && !is_cause))
        {
            first = std::current_exception();
            is_cause = cause;
        }
    };
    const auto live = [&](Transport& transport)
    {
        try
        {
            work(transport);
        }
        catch (const Aborted&)
        {
            note(false);
        }
        catch (const std::exception& fault)
        {
            note(true);
            (void)caught([&] { transport.abort(fault.what()); });
        }
    };
    std::vector<std::thread> threads;
    const auto start = [&]
    {
        threads.reserve(all_.size());
        for (const auto& rank : all_)
        {
            threads.emplace_back(live, std::ref(*rank));
        }
    };
    if (const auto thrown = caught(start)) // the ranks that have begun wait for the others
    {
        {
            const std::scoped_lock lock(mutex);
            first = thrown;
            is_cause = true;
        }
        (void)caught([&] { abort(kNoMemory); });
    }
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    if (first)
    {
        std::rethrow_exception(first);
    }
}

} // namespace ringside::parallel
