#include "core/lab/ranks/communication/step_carrier.h"

#include <algorithm>
#include <numeric>

namespace ringside::parallel
{

namespace
{

constexpr Index kLine = 64; // [B] scratch starts on a cache line

const CollectiveAlgorithm& ring()
{
    return *find_algorithm("ring");
}

int wrap(int rank, int ranks)
{
    return (rank % ranks + ranks) % ranks;
}

std::vector<Index> offsets_of(const std::vector<Index>& counts)
{
    std::vector<Index> offsets(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), Index{0});
    return offsets;
}

} // namespace

// What is on its way from this rank in one call. Nothing may be freed before it is finished, so it always is.
class StepCarrier::Posts
{
public:
    // Peers count from `root` on.
    Posts(StepCarrier& carrier, Ongoing& call, int root = 0)
        : carrier_(carrier), call_(call), root_(root), tag_(carrier.tag_ * 2 + call.lane())
    {
    }
    Posts(const Posts&) = delete;
    Posts& operator=(const Posts&) = delete;
    ~Posts()
    {
        for (const Post& post : open_)
        {
            try
            {
                carrier_.transport_.finish(post.number);
            }
            catch (const std::exception&)
            {
                // It is over, which is all that matters here.
            }
        }
    }

    Ongoing& call() { return call_; }
    // Until all is finished. A fault ends the world first: nobody is going to wait for the rest.
    template <class Work>
    void run(const Work& work)
    {
        try
        {
            work();
            while (!open_.empty())
            {
                finish(open_.begin());
            }
        }
        catch (const Aborted&)
        {
            throw;
        }
        catch (const std::exception& fault)
        {
            carrier_.transport_.abort(fault.what());
            throw;
        }
    }
    void post(int peer, Index chunk, const void* data, Index bytes)
    {
        const int to = world_rank(peer);
        open_.push_back({carrier_.transport_.post(to, tag_, data, bytes), chunk, to});
        call_.sent(bytes);
    }
    void finish(Index chunk)
    {
        const auto is_it = [chunk](const Post& p) { return p.chunk == chunk; };
        for (auto p = std::ranges::find_if(open_, is_it); p != open_.end();
             p = std::ranges::find_if(open_, is_it))
        {
            finish(p);
        }
    }
    void receive(int peer, void* place, Index bytes)
    {
        const int from = world_rank(peer);
        call_.waits_for(from);
        carrier_.transport_.receive_into(from, tag_, place, bytes, carrier_.memory_);
    }
    void receive(int peer, void* landing, Index bytes, const Transport::Take& take)
    {
        const int from = world_rank(peer);
        call_.waits_for(from);
        carrier_.transport_.receive(from, tag_, landing, bytes, take);
    }

private:
    struct Post
    {
        Index number = 0;
        Index chunk = 0;
        int to = 0;
    };

    int world_rank(int peer) const
    {
        return carrier_.members_[static_cast<std::size_t>(wrap(peer + root_, carrier_.ranks()))];
    }
    void finish(std::vector<Post>::iterator post)
    {
        call_.waits_for(post->to);
        const Index number = post->number;
        carrier_.transport_.finish(number);
        open_.erase(post);
    }

    StepCarrier& carrier_;
    Ongoing& call_;
    int root_;
    Transport::Tag tag_;
    std::vector<Post> open_;
};

StepCarrier::StepCarrier(Transport& transport, std::vector<int> members, int rank, std::int64_t tag,
                         Memory& memory)
    : transport_(transport), members_(std::move(members)), rank_(rank), tag_(tag), memory_(memory),
      algorithm_(&ring())
{
}

StepCarrier::~StepCarrier()
{
    for (const Scratch& s : scratch_)
    {
        if (s.memory != nullptr)
        {
            memory_.release(s.memory);
        }
    }
}

Issues StepCarrier::set_algorithm(std::string_view algorithm, std::int64_t per_node)
{
    const CollectiveAlgorithm* found = find_algorithm(algorithm);
    if (found == nullptr || algorithm == "in-switch")
    {
        return {{"algorithm",
                 std::string(algorithm) + (found == nullptr ? " is unknown" : " needs a switch that adds"),
                 "use one of " + ids_where([](const auto& a) { return a.id != "in-switch"; })}};
    }
    const CollectiveShape shape{ranks(), per_node};
    if (found->check != nullptr)
    {
        if (Issues issues = found->check(shape); has_errors(issues))
        {
            return issues;
        }
    }
    const std::scoped_lock lock(plans_mutex_);
    algorithm_ = found;
    per_node_ = per_node;
    plans_.clear();
    return {};
}

StepCarrier::Plan StepCarrier::make_plan(CollectiveKind kind, int rank) const
{
    const CollectiveAlgorithm& algorithm = algorithm_->can(kind) ? *algorithm_ : ring();
    const Collective collective = algorithm.make(kind, {ranks(), per_node_});
    Plan plan;
    plan.chunks = collective.chunks;
    for (const Step& step : collective.steps)
    {
        OwnStep own;
        for (const Transfer& t : step.transfers)
        {
            if (t.from == rank)
            {
                own.sends.push_back({t.to, t.chunk, t.adds, false});
            }
            if (t.to == rank)
            {
                own.receives.push_back({t.from, t.chunk, t.adds, false});
                plan.adds = plan.adds || t.adds;
            }
        }
        for (Move& move : own.receives)
        {
            move.waits =
                std::ranges::any_of(own.sends, [&](const Move& sent) { return sent.chunk == move.chunk; });
        }
        plan.most_waiting = std::max<Index>(
            plan.most_waiting, std::ranges::count_if(own.receives, [](const Move& m) { return m.waits; }));
        plan.steps.push_back(std::move(own));
    }
    return plan;
}

const StepCarrier::Plan& StepCarrier::plan(CollectiveKind kind, int rank)
{
    const std::scoped_lock lock(plans_mutex_);
    const auto found = plans_.find({kind, rank});
    return found != plans_.end() ? found->second
                                 : plans_.emplace(std::pair{kind, rank}, make_plan(kind, rank)).first->second;
}

void* StepCarrier::scratch(int lane, Index bytes)
{
    Scratch& s = scratch_.at(static_cast<std::size_t>(lane));
    if (s.bytes < bytes)
    {
        if (s.memory != nullptr)
        {
            memory_.release(s.memory);
        }
        s = {};
        s.memory = memory_.allocate(bytes);
        s.bytes = bytes;
    }
    return s.memory;
}

void StepCarrier::put(const Move& move, const Buffer& buffer, Index chunks, const void* arrived)
{
    const Part part = part_of(buffer.elements, chunks, move.chunk);
    char* target = at(buffer.data, part.offset * bytes_of(buffer.type));
    if (move.adds)
    {
        memory_.add(target, arrived, buffer.type, part.count);
    }
    else if (arrived != target)
    {
        memory_.copy(target, arrived, part.count * bytes_of(buffer.type));
    }
}

// Chunks that are sent stay as they were before the step: what arrives for one of them is put aside first.
void StepCarrier::take_step(const Plan& plan, const OwnStep& step, const Buffer& buffer, Posts& posts)
{
    const Index element = bytes_of(buffer.type);
    const Index slot = (part_of(buffer.elements, plan.chunks, 0).count * element + kLine - 1) / kLine * kLine;
    char* aside = plan.adds || plan.most_waiting > 0
                      ? static_cast<char*>(scratch(posts.call().lane(), slot * (plan.most_waiting + 1)))
                      : nullptr;
    for (const Move& move : step.sends)
    {
        const Part part = part_of(buffer.elements, plan.chunks, move.chunk);
        if (part.count > 0)
        {
            posts.post(move.peer, move.chunk, at(buffer.data, part.offset * element), part.count * element);
        }
    }
    Index waiting = 0;
    for (const Move& move : step.receives)
    {
        const Part part = part_of(buffer.elements, plan.chunks, move.chunk);
        const Index bytes = part.count * element;
        if (part.count == 0)
        {
            continue;
        }
        if (move.waits)
        {
            posts.receive(move.peer, aside + slot * ++waiting, bytes);
            continue;
        }
        posts.finish(move.chunk); // of an earlier step
        posts.receive(move.peer, move.adds ? aside : at(buffer.data, part.offset * element), bytes,
                      [&](const void* message) { put(move, buffer, plan.chunks, message); });
    }
    waiting = 0;
    for (const Move& move : step.receives)
    {
        if (move.waits && part_of(buffer.elements, plan.chunks, move.chunk).count > 0)
        {
            posts.finish(move.chunk);
            put(move, buffer, plan.chunks, aside + slot * ++waiting);
        }
    }
}

// Peers of the plan count from `root` on.
void StepCarrier::carry_out(const Plan& plan, const Buffer& buffer, Ongoing& call, int root)
{
    memory_.settle();
    Posts posts(*this, call, root);
    posts.run(
        [&]
        {
            for (const OwnStep& step : plan.steps)
            {
                take_step(plan, step, buffer, posts);
            }
        });
}

void StepCarrier::all_reduce(Ongoing& call, void* data, DType type, Index elements)
{
    carry_out(plan(CollectiveKind::all_reduce, rank_), {static_cast<char*>(data), type, elements}, call);
}

void StepCarrier::reduce_scatter(Ongoing& call, void* whole, void* own, DType type, Index elements)
{
    carry_out(plan(CollectiveKind::reduce_scatter, rank_), {static_cast<char*>(whole), type, elements}, call);
    const Part mine = part_of(elements, ranks(), rank_);
    const char* sum = at(whole, mine.offset * bytes_of(type));
    if (own != sum)
    {
        memory_.copy(own, sum, mine.count * bytes_of(type));
    }
}

void StepCarrier::all_gather(Ongoing& call, const void* own, void* whole, DType type, Index elements)
{
    const Part mine = part_of(elements, ranks(), rank_);
    char* place = at(whole, mine.offset * bytes_of(type));
    if (own != place)
    {
        memory_.copy(place, own, mine.count * bytes_of(type));
    }
    carry_out(plan(CollectiveKind::all_gather, rank_), {static_cast<char*>(whole), type, elements}, call);
}

void StepCarrier::broadcast(Ongoing& call, void* data, DType type, Index elements, int root)
{
    const Plan& steps = plan(CollectiveKind::broadcast, wrap(rank_ - root, ranks()));
    carry_out(steps, {static_cast<char*>(data), type, elements}, call, root);
}

void StepCarrier::all_to_all(Ongoing& call, const void* out, const std::vector<Index>& out_counts, void* in,
                             const std::vector<Index>& in_counts, DType type)
{
    const Index element = bytes_of(type);
    const std::vector<Index> out_offsets = offsets_of(out_counts);
    const std::vector<Index> in_offsets = offsets_of(in_counts);
    const auto own = static_cast<std::size_t>(rank_);
    memory_.settle();
    memory_.copy(at(in, in_offsets[own] * element), at(out, out_offsets[own] * element),
                 out_counts[own] * element);
    Posts posts(*this, call);
    const auto hop = [&](int to, int from)
    {
        const auto t = static_cast<std::size_t>(to);
        const auto f = static_cast<std::size_t>(from);
        if (out_counts[t] > 0)
        {
            posts.post(to, 0, at(out, out_offsets[t] * element), out_counts[t] * element);
        }
        if (in_counts[f] > 0)
        {
            posts.receive(from, at(in, in_offsets[f] * element), in_counts[f] * element);
        }
    };
    posts.run(
        [&]
        {
            for (int distance = 1; distance < ranks(); ++distance)
            {
                hop(wrap(rank_ + distance, ranks()), wrap(rank_ - distance, ranks()));
            }
        });
}

void StepCarrier::exchange(Ongoing& call, int to, const void* out, Index out_bytes, int from, void* in,
                           Index in_bytes)
{
    memory_.settle();
    Posts posts(*this, call);
    posts.run(
        [&]
        {
            if (to >= 0)
            {
                posts.post(to, 0, out, out_bytes);
            }
            if (from >= 0)
            {
                posts.receive(from, in, in_bytes);
            }
        });
}

// Dissemination: after k rounds a rank has heard of the 2^k - 1 ranks before it.
void StepCarrier::barrier(Ongoing& call)
{
    Posts posts(*this, call);
    posts.run(
        [&]
        {
            for (int distance = 1; distance < ranks(); distance *= 2)
            {
                posts.post(wrap(rank_ + distance, ranks()), 0, nullptr, 0);
                posts.receive(wrap(rank_ - distance, ranks()), nullptr, 0, [](const void*) {});
            }
        });
}

} // namespace ringside::parallel
