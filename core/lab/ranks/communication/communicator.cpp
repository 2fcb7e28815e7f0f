#include "core/lab/ranks/communication/communicator.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/lab/ranks/communication/step_carrier.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ringside::parallel
{

struct PendingState
{
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::exception_ptr fault;

    void run(const std::function<void()>& calls)
    {
        std::exception_ptr thrown;
        try
        {
            calls();
        }
        catch (...)
        {
            thrown = std::current_exception();
        }
        const std::scoped_lock lock(mutex);
        fault = thrown;
        done = true;
        changed.notify_all();
    }
};

void Pending::wait()
{
    if (state_ == nullptr)
    {
        return;
    }
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->done; });
    if (state_->fault)
    {
        std::rethrow_exception(state_->fault);
    }
}

// The thread that carries out what was started; there is none before.
class Communicator::OwnThread
{
public:
    OwnThread() = default;
    OwnThread(const OwnThread&) = delete;
    OwnThread& operator=(const OwnThread&) = delete;
    ~OwnThread()
    {
        {
            const std::scoped_lock lock(mutex_);
            ends_ = true;
        }
        changed_.notify_one();
        if (thread_.joinable())
        {
            thread_.join();
        }
    }

    bool is_busy()
    {
        const std::scoped_lock lock(mutex_);
        return works_ || !queue_.empty();
    }
    bool is_this() const { return thread_.get_id() == std::this_thread::get_id(); }

    Pending start(std::function<void()> calls)
    {
        auto state = std::make_shared<PendingState>();
        const std::scoped_lock lock(mutex_);
        if (!thread_.joinable())
        {
            thread_ = std::thread([this] { serve(); });
        }
        queue_.emplace_back(std::move(calls), state);
        changed_.notify_one();
        return Pending(std::move(state));
    }

private:
    void serve()
    {
        for (;;)
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
            if (queue_.empty())
            {
                return;
            }
            auto [calls, state] = std::move(queue_.front());
            queue_.pop_front();
            works_ = true;
            lock.unlock();
            state->run(calls);
            lock.lock();
            works_ = false;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool ends_ = false;
    bool works_ = false;
    std::deque<std::pair<std::function<void()>, std::shared_ptr<PendingState>>> queue_;
    std::thread thread_;
};

namespace
{

int place_of(const Transport& transport, const std::vector<int>& members, const Memory& memory)
{
    const auto found = std::ranges::find(members, transport.rank());
    if (found == members.end())
    {
        throw std::invalid_argument(fmt::format("rank {} is no member of its group", transport.rank()));
    }
    if (!memory.on_host() && !transport.shares_memory() && members.size() > 1)
    {
        throw std::invalid_argument(transport.name() + " cannot send from a device's memory");
    }
    return static_cast<int>(found - members.begin());
}

} // namespace

Communicator::Communicator(Transport& transport, std::string axis, std::vector<int> members, std::int64_t tag,
                           CallLog& log, Memory& memory)
    : axis_(std::move(axis)), members_(std::move(members)), rank_(place_of(transport, members_, memory)),
      tag_(tag), log_(log), memory_(memory), own_(std::make_unique<OwnThread>())
{
    carrier_ = std::make_unique<StepCarrier>(transport, members_, rank_, tag_, memory_);
    log_.join(tag_, {axis_, members_});
}

Communicator::Communicator(std::unique_ptr<Carrier> carrier, std::string axis, std::vector<int> members,
                           int rank, std::int64_t tag, CallLog& log, Memory& memory)
    : carrier_(std::move(carrier)), axis_(std::move(axis)), members_(std::move(members)), rank_(rank),
      tag_(tag), log_(log), memory_(memory), own_(std::make_unique<OwnThread>())
{
    log_.join(tag_, {axis_, members_});
}

Communicator::~Communicator()
{
    // What was started may wait for ranks that wait for this one, which is leaving by a fault.
    if (std::uncaught_exceptions() > faults_before_ && own_->is_busy())
    {
        carrier_->abort("a fault ended it while a started call was in progress");
    }
}

Issues Communicator::set_algorithm(std::string_view algorithm, std::int64_t per_node)
{
    return carrier_->set_algorithm(algorithm, per_node);
}

// A fault that is no abort yet becomes one, so that nobody waits for this rank.
template <class Work>
void Communicator::call(std::string_view kind, Index bytes, bool collective, const Work& work)
{
    const int lane = own_->is_this() ? 1 : 0;
    Ongoing ongoing(log_, log_.begin(tag_ * 2 + lane, axis_, kind, bytes, collective), lane);
    try
    {
        work(ongoing);
    }
    catch (const Aborted&)
    {
        throw;
    }
    catch (const std::exception& fault)
    {
        carrier_->abort(fault.what());
        throw;
    }
    ongoing.end();
}

void Communicator::check_peer(int peer) const
{
    if (peer < 0 || peer >= ranks() || peer == rank_)
    {
        throw std::invalid_argument(fmt::format(
            "rank {} of {} ({} ranks) cannot send to or receive from rank {}", rank_, axis_, ranks(), peer));
    }
}

void Communicator::all_reduce(void* data, DType type, Index elements)
{
    if (ranks() > 1)
    {
        call(name_of(CollectiveKind::all_reduce), elements * bytes_of(type), true,
             [&](Ongoing& c) { carrier_->all_reduce(c, data, type, elements); });
    }
}

void Communicator::reduce_scatter(void* whole, void* own, DType type, Index elements)
{
    const Index bytes = elements * bytes_of(type);
    if (ranks() > 1)
    {
        call(name_of(CollectiveKind::reduce_scatter), bytes, true,
             [&](Ongoing& c) { carrier_->reduce_scatter(c, whole, own, type, elements); });
    }
    else if (own != whole)
    {
        memory_.copy(own, whole, bytes);
    }
}

void Communicator::all_gather(const void* own, void* whole, DType type, Index elements)
{
    const Index bytes = elements * bytes_of(type);
    if (ranks() > 1)
    {
        call(name_of(CollectiveKind::all_gather), bytes, true,
             [&](Ongoing& c) { carrier_->all_gather(c, own, whole, type, elements); });
    }
    else if (own != whole)
    {
        memory_.copy(whole, own, bytes);
    }
}

void Communicator::broadcast(void* data, DType type, Index elements, int root)
{
    if (ranks() > 1)
    {
        call(name_of(CollectiveKind::broadcast), elements * bytes_of(type), true,
             [&](Ongoing& c) { carrier_->broadcast(c, data, type, elements, root); });
    }
}

void Communicator::all_to_all(const void* out, const std::vector<Index>& out_counts, void* in,
                              const std::vector<Index>& in_counts, DType type)
{
    const Index bytes = sum_over<Index>(out_counts) * bytes_of(type);
    if (ranks() > 1)
    {
        call(name_of(CollectiveKind::all_to_all), bytes, true,
             [&](Ongoing& c)
             {
                 if (out_counts.size() != members_.size() || in_counts.size() != members_.size())
                 {
                     throw std::invalid_argument("an all-to-all needs a count for every rank");
                 }
                 carrier_->all_to_all(c, out, out_counts, in, in_counts, type);
             });
    }
    else
    {
        memory_.copy(in, out, bytes);
    }
}

void Communicator::send(int to, const void* data, DType type, Index elements)
{
    const Index bytes = elements * bytes_of(type);
    call("send", bytes, false,
         [&](Ongoing& c)
         {
             check_peer(to);
             carrier_->exchange(c, to, data, bytes, -1, nullptr, 0);
         });
}

void Communicator::receive(int from, void* data, DType type, Index elements)
{
    const Index bytes = elements * bytes_of(type);
    call("receive", bytes, false,
         [&](Ongoing& c)
         {
             check_peer(from);
             carrier_->exchange(c, -1, nullptr, 0, from, data, bytes);
         });
}

void Communicator::exchange(int to, const void* out, Index out_elements, int from, void* in,
                            Index in_elements, DType type)
{
    const Index out_bytes = out_elements * bytes_of(type);
    const Index in_bytes = in_elements * bytes_of(type);
    if (to == rank_ && from == rank_)
    {
        memory_.copy(in, out, in_bytes);
        return;
    }
    call("exchange", out_bytes, false,
         [&](Ongoing& c)
         {
             check_peer(to);
             check_peer(from);
             carrier_->exchange(c, to, out, out_bytes, from, in, in_bytes);
         });
}

void Communicator::barrier()
{
    if (ranks() > 1)
    {
        call("barrier", 0, true, [&](Ongoing& c) { carrier_->barrier(c); });
    }
}

Pending Communicator::start(std::function<void()> calls)
{
    if (ranks() > 1)
    {
        return own_->start(
            [this, calls = std::move(calls)]
            {
                try
                {
                    calls();
                }
                catch (const Aborted&)
                {
                    throw;
                }
                catch (const std::exception& fault)
                {
                    carrier_->abort(fault.what()); // nobody may be waiting for it here
                    throw;
                }
            });
    }
    auto state = std::make_shared<PendingState>();
    state->run(calls);
    return Pending(std::move(state));
}

} // namespace ringside::parallel
