// What carries whole collectives out: step lists over a transport (step_carrier.h), or a library that has
// collectives of its own. Logs and threads are the communicator's.
#pragma once

#include "core/base/result.h"
#include "core/lab/ranks/communication/call_log.h"
#include "core/lab/ranks/communication/memory.h"

#include <vector>

namespace ringside::parallel
{

// One call as the log has it. A call that is left by an exception stays in the log as one that waits.
class Ongoing
{
public:
    Ongoing(CallLog& log, std::int64_t call, int lane) : log_(log), call_(call), lane_(lane) {}

    int lane() const { return lane_; } // 0: the caller's thread, 1: the group's own
    void sent(Index bytes) { log_.sent(call_, bytes); }
    void waits_for(int rank) { log_.waiting(call_, rank); } // of the world
    void end() { log_.end(call_); }

private:
    CallLog& log_;
    std::int64_t call_;
    int lane_;
};

// Ranks are the group's. Buffers are as communicator.h says.
class Carrier
{
public:
    Carrier() = default;
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    virtual ~Carrier() = default;

    virtual Issues set_algorithm(std::string_view algorithm, std::int64_t per_node) = 0;

    virtual void all_reduce(Ongoing& call, void* data, DType type, Index elements) = 0;
    virtual void reduce_scatter(Ongoing& call, void* whole, void* own, DType type, Index elements) = 0;
    virtual void all_gather(Ongoing& call, const void* own, void* whole, DType type, Index elements) = 0;
    virtual void broadcast(Ongoing& call, void* data, DType type, Index elements, int root) = 0;
    virtual void all_to_all(Ongoing& call, const void* out, const std::vector<Index>& out_counts, void* in,
                            const std::vector<Index>& in_counts, DType type) = 0;
    // Below 0: nobody to send to, or to receive from.
    virtual void exchange(Ongoing& call, int to, const void* out, Index out_bytes, int from, void* in,
                          Index in_bytes) = 0;
    virtual void barrier(Ongoing& call) = 0;
    // Ends the waits of all ranks.
    virtual void abort(const std::string& why) = 0;
};

// Elements [offset, offset + count) of one of the chunks that `elements` are cut into.
struct Part
{
    Index offset = 0;
    Index count = 0;
};
constexpr Part part_of(Index elements, Index chunks, Index chunk)
{
    const Index each = elements / chunks;
    const Index longer = elements % chunks;
    return {chunk * each + (chunk < longer ? chunk : longer), each + (chunk < longer ? 1 : 0)};
}

} // namespace ringside::parallel
