#include "core/network/topology.h"

#include "core/network/traffic.h"

#include <algorithm>

namespace ringside
{

LinkBytes& LinkBytes::operator+=(const LinkBytes& other)
{
    inside += other.inside;
    rail += other.rail;
    spine += other.spine;
    return *this;
}

namespace
{

// Parts of what a member sends, adding up to 1; of the worst group and of all.
struct Shares
{
    double inside = 1;
    double rail = 0;
    double spine = 0;

    double between() const { return rail + spine; }
};

struct Spread
{
    Shares worst;
    Shares mean;
    bool leaves = false;
};

// Calls f(leader) once for every group that can differ from the others.
template <class F>
void each_group(const RankGrid& grid, Group group, F&& f)
{
    const std::int64_t end = grid.period(group);
    const std::int64_t step = grid.grain(group);
    for (std::int64_t rank = 0; rank < end; rank += step)
    {
        if (grid.position(rank, group) == 0)
        {
            f(rank);
        }
    }
}

class Spreading
{
public:
    // Counts of messages, all of one size.
    void add(std::int64_t inside, std::int64_t rail, std::int64_t spine)
    {
        const auto all = static_cast<double>(std::max<std::int64_t>(1, inside + rail + spine));
        const Shares shares{static_cast<double>(inside) / all, static_cast<double>(rail) / all,
                            static_cast<double>(spine) / all};
        if (shares.between() > spread_.worst.between())
        {
            spread_.worst = shares;
        }
        inside_ += inside;
        rail_ += rail;
        spine_ += spine;
    }

    Spread done()
    {
        const auto all = static_cast<double>(std::max<std::int64_t>(1, inside_ + rail_ + spine_));
        if (inside_ + rail_ + spine_ > 0)
        {
            spread_.mean = {static_cast<double>(inside_) / all, static_cast<double>(rail_) / all,
                            static_cast<double>(spine_) / all};
        }
        spread_.leaves = rail_ + spine_ > 0;
        return spread_;
    }

private:
    Spread spread_;
    std::int64_t inside_ = 0;
    std::int64_t rail_ = 0;
    std::int64_t spine_ = 0;
};

// Rings of `size` members of a group, `stride` apart in it: neighbours that share a sharded copy (stride 1),
// or the ranks that own the same part of every copy.
struct Rings
{
    Group group;
    std::int64_t size;
    std::int64_t stride = 1;
};

// A ring through its members in ascending order enters and leaves every domain once. Libraries make as many
// rings as there are members in a domain, each leaving by another one's NIC (NCCL's channels), so that every
// member sends a share of 1 / members there through its own. Where both domains use the same slots, rails
// suffice.
Spread ring_spread(const RankGrid& grid, const Rings& rings)
{
    Spreading spreading;
    const std::int64_t n = rings.size;
    struct Visit
    {
        std::int64_t domain;
        std::int64_t members = 0;
        std::int64_t slots = 0; // a sum that tells sets of slots of one group apart
    };
    std::vector<Visit> visits;
    const auto add_ring = [&](std::int64_t leader, std::int64_t first)
    {
        visits.clear();
        for (std::int64_t i = 0; i < n; ++i)
        {
            const std::int64_t rank = grid.member(leader, rings.group, first + i * rings.stride);
            if (visits.empty() || visits.back().domain != grid.domain(rank))
            {
                visits.push_back({grid.domain(rank)});
            }
            ++visits.back().members;
            visits.back().slots += grid.slot(rank);
        }
        std::int64_t rail = 0;
        for (std::size_t v = 0; visits.size() > 1 && v < visits.size(); ++v)
        {
            const Visit& next = visits[(v + 1) % visits.size()];
            rail += next.members == visits[v].members && next.slots == visits[v].slots ? 1 : 0;
        }
        const auto crossings = visits.size() > 1 ? static_cast<std::int64_t>(visits.size()) : 0;
        spreading.add(n - crossings, rail, crossings - rail);
    };
    each_group(grid, rings.group,
               [&](std::int64_t leader)
               {
                   for (std::int64_t i = 0; i < grid.size(rings.group); ++i)
                   {
                       const bool first = i / rings.stride % n == 0;
                       if (first && i + (n - 1) * rings.stride < grid.size(rings.group))
                       {
                           add_ring(leader, i);
                       }
                   }
               });
    return spreading.done();
}

Spread ring_spread(const RankGrid& grid, Group group)
{
    return ring_spread(grid, {group, grid.size(group)});
}

// Every rank sends every other the same.
Spread all_to_all_spread(const RankGrid& grid, Group group)
{
    Spreading spreading;
    const std::int64_t n = grid.size(group);
    std::vector<std::int64_t> in_slot(static_cast<std::size_t>(grid.per_domain()));
    each_group(grid, group,
               [&](std::int64_t leader)
               {
                   std::int64_t together = 0; // ordered pairs in one domain
                   std::int64_t same_slot = 0;
                   std::int64_t run = 0;
                   std::int64_t domain = -1;
                   for (std::int64_t i = 0; i < n; ++i)
                   {
                       const std::int64_t rank = grid.member(leader, group, i);
                       run = grid.domain(rank) == domain ? run + 1 : 0;
                       domain = grid.domain(rank);
                       together += 2 * run;
                       same_slot += 2 * in_slot[static_cast<std::size_t>(grid.slot(rank))]++;
                   }
                   for (std::int64_t i = 0; i < n; ++i)
                   {
                       in_slot[static_cast<std::size_t>(grid.slot(grid.member(leader, group, i)))] = 0;
                   }
                   spreading.add(together, same_slot, n * (n - 1) - together - same_slot);
               });
    return spreading.done();
}

// Messages a step between neighbouring stages, for one micro-batch and one direction, and from the last stage
// round to the first, where stages run several chunks (Narayanan et al., arXiv 2104.04473, section 2.2).
struct Transfers
{
    std::int64_t neighbours;
    std::int64_t wrap;
};

Transfers transfers(const Scenario& s)
{
    const std::int64_t v = std::max<std::int64_t>(1, s.parallel.chunks);
    switch (s.training.schedule->placement)
    {
    case Placement::two_way:
        return {1, 0};
    case Placement::v:
        return {v, 0};
    case Placement::loop:
        break;
    }
    return {v, v - 1};
}

struct Edge
{
    LinkBytes sent;

    void add(const RankGrid& grid, std::int64_t from, std::int64_t to, Bytes bytes)
    {
        Bytes& link = grid.domain(from) == grid.domain(to) ? sent.inside
                      : grid.slot(from) == grid.slot(to)   ? sent.rail
                                                           : sent.spine;
        link += bytes;
    }
};

// Activations go down the stages and their gradients back up.
AxisLoad pipeline_load(const Scenario& s, const RankGrid& grid)
{
    AxisLoad load;
    const std::int64_t p = grid.size(Group::pipeline);
    if (p < 2)
    {
        return load;
    }
    const Transfers count = transfers(s);
    const Bytes each = pipeline_message(s) * static_cast<double>(micro_batches(s));
    const Bytes step = each * static_cast<double>(count.neighbours);
    const Bytes wrap = each * static_cast<double>(count.wrap);
    Bytes most;
    const double alike = static_cast<double>(grid.grain(Group::pipeline)) * static_cast<double>(grid.gpus()) /
                         static_cast<double>(grid.period(Group::pipeline));
    each_group(grid, Group::pipeline,
               [&](std::int64_t leader)
               {
                   for (std::int64_t stage = 0; stage < p; ++stage)
                   {
                       const std::int64_t rank = grid.member(leader, Group::pipeline, stage);
                       const auto at = [&](std::int64_t other)
                       { return grid.member(leader, Group::pipeline, other); };
                       Edge edge;
                       if (stage + 1 < p)
                       {
                           edge.add(grid, rank, at(stage + 1), step);
                       }
                       if (stage > 0)
                       {
                           edge.add(grid, rank, at(stage - 1), step);
                       }
                       if (wrap.value > 0 && (stage == 0 || stage + 1 == p))
                       {
                           edge.add(grid, rank, at(stage == 0 ? p - 1 : 0), wrap);
                       }
                       most = std::max(most, edge.sent.total());
                       if (edge.sent.between() > load.per_gpu.between())
                       {
                           load.per_gpu = edge.sent;
                       }
                       load.cluster.inside += edge.sent.inside * alike;
                       load.cluster.rail += edge.sent.rail * alike;
                       load.cluster.spine += edge.sent.spine * alike;
                   }
               });
    load.leaves = load.per_gpu.between().value > 0;
    load.per_gpu.inside = most - load.per_gpu.between();
    return load;
}

LinkBytes shared_out(Bytes bytes, const Shares& shares)
{
    return {bytes * shares.inside, bytes * shares.rail, bytes * shares.spine};
}

void add(AxisLoad& load, const RankGrid& grid, Bytes bytes, const Spread& spread)
{
    load.per_gpu += shared_out(bytes, spread.worst);
    load.cluster += shared_out(bytes * static_cast<double>(grid.gpus()), spread.mean);
    load.leaves = load.leaves || (spread.leaves && bytes.value > 0);
}

// What a GPU sends on each axis.
struct Sent
{
    Bytes tensor, context, expert;
    DataTraffic data;
};

Sent sent(const Scenario& s, const MemoryReport& memory)
{
    return {tensor_traffic(s), context_traffic(s), expert_traffic(s), data_traffic_by_group(s, memory)};
}

// Gradients and weights of one kind: within every sharded copy, then from copy to copy.
void add_data(AxisLoad& load, const RankGrid& grid, const Sent& bytes, const CopyTraffic& part, Group group,
              std::int64_t shards)
{
    // Together as many whole bytes as are sent.
    const double all = bytes.data.dense.total() + bytes.data.expert.total();
    const double whole = all > 0 ? bytes.data.total().value / all : 0;
    add(load, grid, Bytes(part.shards * whole), ring_spread(grid, {group, shards}));
    if (part.copies > 0)
    {
        add(load, grid, Bytes(part.copies * whole),
            ring_spread(grid, {group, grid.size(group) / shards, shards}));
    }
}

Seconds at_rate(Bytes bytes, double gb_per_s)
{
    return bytes.value > 0 ? bytes / BytesPerSecond(gb_per_s * 1e9) : Seconds{};
}

void time(AxisLoad& load, const Cluster& cluster)
{
    const double network = cluster.network_gb_per_s;
    load.inside = at_rate(load.per_gpu.inside, node_link(cluster) > 0 ? node_link(cluster) : network);
    load.between = at_rate(load.per_gpu.between(), network);
    load.one_nic = load.leaves ? at_rate(load.per_gpu.total(), network) : load.inside;
}

Topology loaded(const Scenario& s, const Sent& bytes, const AxisOrder& order)
{
    const RankGrid grid(s, order);
    Topology t;
    t.order = order;
    t.axes[index(Axis::pipeline)] = pipeline_load(s, grid);
    const auto load = [&](Axis axis) -> AxisLoad& { return t.axes[index(axis)]; };
    add(load(Axis::tensor), grid, bytes.tensor, ring_spread(grid, Group::tensor));
    add(load(Axis::context), grid, bytes.context, ring_spread(grid, Group::context));
    const bool sharded = s.parallel.zero > 0;
    add_data(load(Axis::data), grid, bytes, bytes.data.dense, Group::replicas,
             sharded ? dense_shards(s) : grid.size(Group::replicas));
    if (s.model.experts > 0)
    {
        add(load(Axis::expert), grid, bytes.expert, all_to_all_spread(grid, Group::expert));
        add_data(load(Axis::data), grid, bytes, bytes.data.expert, Group::expert_replicas,
                 sharded ? expert_shards(s) : grid.size(Group::expert_replicas));
    }
    for (std::size_t i = 0; i < kAxes; ++i)
    {
        AxisLoad& axis = t.axes[i];
        axis.axis = static_cast<Axis>(i);
        axis.size = grid.size(axis.axis);
        time(axis, s.cluster);
        t.per_gpu += axis.per_gpu;
        t.cluster += axis.cluster;
        t.inside += axis.inside;
        t.between += axis.between;
        t.total += axis.time();
    }
    t.hottest = t.between > t.inside ? LinkClass::network : LinkClass::inside;
    for (const AxisLoad& axis : t.axes)
    {
        const auto busy = [&](const AxisLoad& a)
        { return t.hottest == LinkClass::inside ? a.inside : a.between; };
        t.hottest_axis = busy(axis) > busy(t.of(t.hottest_axis)) ? axis.axis : t.hottest_axis;
    }
    return t;
}

} // namespace

// Tensor parallelism wants the fast links, the pipeline can do with the slow ones (Narayanan et al., arXiv
// 2104.04473, sections 3.2 to 3.4, takeaways 1 to 3).
Topology topology(const Scenario& scenario, const MemoryReport& memory, const AxisOrder& order)
{
    return loaded(scenario, sent(scenario, memory), order);
}

OrderCost best_order(const Scenario& s, const MemoryReport& memory, const AxisOrder& present)
{
    const Sent bytes = sent(s, memory);
    OrderCost best{present, loaded(s, bytes, present).total};
    const RankGrid grid(s, present);
    std::vector<std::vector<Axis>> seen;
    const auto consider = [&](const AxisOrder& order)
    {
        // Axes of one rank may stand anywhere.
        std::vector<Axis> active;
        std::copy_if(order.begin(), order.end(), std::back_inserter(active),
                     [&](Axis axis) { return grid.active(axis); });
        if (std::ranges::find(seen, active) != seen.end())
        {
            return;
        }
        seen.push_back(std::move(active));
        const Seconds total = loaded(s, bytes, order).total;
        if (total.value < best.total.value * (1 - 1e-9))
        {
            best = {order, total};
        }
    };
    consider(kMegatronOrder);
    for (const AxisOrder& order : all_orders())
    {
        consider(order);
    }
    return best;
}

} // namespace ringside
