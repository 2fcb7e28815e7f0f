// Collectives from the step lists of core/network/collective, over any transport.
//
// A rank posts what it sends, takes in what comes, and holds back what would change a chunk that is still
// being sent, so the bits are those of the steps on any transport.
#pragma once

#include "core/lab/ranks/communication/carrier.h"
#include "core/lab/ranks/communication/transport.h"
#include "core/network/collective/collective.h"

#include <array>
#include <map>
#include <mutex>

namespace ringside::parallel
{

class StepCarrier final : public Carrier
{
public:
    StepCarrier(Transport& transport, std::vector<int> members, int rank, std::int64_t tag, Memory& memory);
    ~StepCarrier() override;

    Issues set_algorithm(std::string_view algorithm, std::int64_t per_node) override;
    void all_reduce(Ongoing& call, void* data, DType type, Index elements) override;
    void reduce_scatter(Ongoing& call, void* whole, void* own, DType type, Index elements) override;
    void all_gather(Ongoing& call, const void* own, void* whole, DType type, Index elements) override;
    void broadcast(Ongoing& call, void* data, DType type, Index elements, int root) override;
    void all_to_all(Ongoing& call, const void* out, const std::vector<Index>& out_counts, void* in,
                    const std::vector<Index>& in_counts, DType type) override;
    void exchange(Ongoing& call, int to, const void* out, Index out_bytes, int from, void* in,
                  Index in_bytes) override;
    void barrier(Ongoing& call) override;
    void abort(const std::string& why) override { transport_.abort(why); }

private:
    // What one rank does of a collective.
    struct Move
    {
        int peer = 0; // in the plan's own numbering
        Index chunk = 0;
        bool adds = false;
        bool waits = false; // received: the chunk is sent in the same step, so it may change only afterwards
    };
    struct OwnStep
    {
        std::vector<Move> sends;
        std::vector<Move> receives;
    };
    struct Plan
    {
        Index chunks = 1;
        Index most_waiting = 0; // receives of one step that wait
        bool adds = false;
        std::vector<OwnStep> steps;
    };
    // Memory for what arrives, one for each thread that calls.
    struct Scratch
    {
        void* memory = nullptr;
        Index bytes = 0;
    };
    struct Buffer
    {
        char* data = nullptr;
        DType type = DType::f32;
        Index elements = 0;
    };
    class Posts;

    // The steps of `rank`, which is this one's place when rank `root` counts as 0.
    const Plan& plan(CollectiveKind kind, int rank);
    Plan make_plan(CollectiveKind kind, int rank) const;
    void carry_out(const Plan& plan, const Buffer& buffer, Ongoing& call, int root = 0);
    void take_step(const Plan& plan, const OwnStep& step, const Buffer& buffer, Posts& posts);
    void put(const Move& move, const Buffer& buffer, Index chunks, const void* arrived);
    void* scratch(int lane, Index bytes);
    int ranks() const { return static_cast<int>(members_.size()); }

    Transport& transport_;
    std::vector<int> members_;
    int rank_;
    std::int64_t tag_;
    Memory& memory_;
    const CollectiveAlgorithm* algorithm_;
    std::int64_t per_node_ = 8;
    std::mutex plans_mutex_;
    std::map<std::pair<CollectiveKind, int>, Plan> plans_;
    std::array<Scratch, 2> scratch_;
};

} // namespace ringside::parallel
