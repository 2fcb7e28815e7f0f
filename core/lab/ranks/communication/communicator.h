// Collectives among some ranks: the step lists of core/network/collective carried out on real memory by any
// transport, or by a library. Every call is counted and timed, so that what was predicted can be compared,
// and a rank that never came can be named.
//
// Calls that are started have tags of their own, so that they cannot be taken for direct ones.
#pragma once

#include "core/lab/ranks/communication/carrier.h"
#include "core/lab/ranks/communication/transport.h"
#include "core/network/collective/collective.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::parallel
{

struct PendingState;

// A call that another thread carries out. wait() rethrows what went wrong there.
class Pending
{
public:
    Pending() = default;
    explicit Pending(std::shared_ptr<PendingState> state) : state_(std::move(state)) {}
    explicit operator bool() const { return state_ != nullptr; }
    void wait();
    // Waits, if there is anything to wait for, and forgets it.
    void finish() { std::exchange(*this, {}).wait(); }

private:
    std::shared_ptr<PendingState> state_;
};

// All ranks of the group call the same collectives in the same order. Buffers lie in the memory given. Data
// are cut into chunks of n / chunks elements, the first n % chunks of them one longer. Every call throws
// Aborted once the world has; any other fault inside one aborts it.
class Communicator
{
public:
    // `axis` is what the log calls it ("tensor"); `members` are ranks of the transport in the group's order,
    // the same on all of them; `tag` is the group's own, below 2^30. One member: every call returns at once,
    // and the log has nothing of it. Throws std::invalid_argument where the transport's rank is no member, or
    // cannot send from that memory.
    Communicator(Transport& transport, std::string axis, std::vector<int> members, std::int64_t tag,
                 CallLog& log, Memory& memory = host_memory());
    // By a carrier of another kind; `rank` is this one's place among the members.
    Communicator(std::unique_ptr<Carrier> carrier, std::string axis, std::vector<int> members, int rank,
                 std::int64_t tag, CallLog& log, Memory& memory);
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    // Ends its thread, once what was started is done or the world has aborted; aborts it where a fault is the
    // reason.
    ~Communicator();

    int rank() const { return rank_; } // in the group
    int ranks() const { return static_cast<int>(members_.size()); }
    const std::string& axis() const { return axis_; }

    // `algorithm` of core/network/collective for sums, gathers and broadcasts that follow, where it has them,
    // otherwise the ring; "ring" at first. A fault where the group's size does not suit it. The same on all
    // ranks, with no call going on. `per_node` is for the two-level algorithm.
    Issues set_algorithm(std::string_view algorithm, std::int64_t per_node = 8);

    void all_reduce(void* data, DType type, Index elements);
    // whole -> the part of rank r is elements [offset, offset + count) of part(elements, r). whole is spoilt;
    // own may be its place in there, but must not overlap it otherwise.
    void reduce_scatter(void* whole, void* own, DType type, Index elements);
    // elements of the whole; own may be its place in there already.
    void all_gather(const void* own, void* whole, DType type, Index elements);
    void broadcast(void* data, DType type, Index elements, int root);
    // counts[r] elements lie for (come from) rank r, one rank's after the other's. Always direct, whatever
    // the algorithm: others would have to know all ranks' counts. out and in must not overlap.
    void all_to_all(const void* out, const std::vector<Index>& out_counts, void* in,
                    const std::vector<Index>& in_counts, DType type);
    // Returns once the data may change, which may be when they have been received. To oneself is a fault.
    void send(int to, const void* data, DType type, Index elements);
    void receive(int from, void* data, DType type, Index elements);
    // Sends and receives at the same time: a hop of a ring.
    void exchange(int to, const void* out, Index out_elements, int from, void* in, Index in_elements,
                  DType type);
    void barrier();
    // Any of the calls above (or several) on the group's own thread, in the order in which they are started.
    // They have nothing to do with those that are called directly in the meantime, but for the buffers.
    Pending start(std::function<void()> calls);

    using Part = parallel::Part;
    Part part(Index elements, int rank) const
    {
        return part_of(elements, ranks(), rank);
    } // as chunks are cut

private:
    class OwnThread;

    void check_peer(int peer) const;
    template <class Work>
    void call(std::string_view kind, Index bytes, bool collective, const Work& work);

    std::unique_ptr<Carrier> carrier_;
    std::string axis_;
    std::vector<int> members_;
    int rank_ = 0;
    int faults_before_ = std::uncaught_exceptions();
    std::int64_t tag_ = 0;
    CallLog& log_;
    Memory& memory_;
    std::unique_ptr<OwnThread> own_; // last: it ends before what its calls use
};

} // namespace ringside::parallel
