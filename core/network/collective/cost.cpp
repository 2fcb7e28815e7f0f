#include "core/network/collective/cost.h"

#include "core/base/whole.h"
#include "core/network/collective/rails.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringside
{

namespace
{

// Bytes through the ports of every holder in one step or altogether, by level: 0 inside a node, 1 between
// nodes.
class Ports
{
public:
    Ports(const Collective& c, const Links& links)
        : per_node_(std::max<std::int64_t>(1, links.per_node)), ranks_(c.ranks),
          bytes_(static_cast<std::size_t>(c.ranks) * 4, 0)
    {
    }

    void clear()
    {
        std::ranges::fill(bytes_, 0);
        crossed_ = false;
    }

    void add(const Transfer& t, double bytes)
    {
        const bool between = t.from < ranks_ && t.to < ranks_ && t.from / per_node_ != t.to / per_node_;
        crossed_ = crossed_ || between;
        // A switch has a port for every rank, so it never limits.
        if (t.from < ranks_)
        {
            at(t.from, between, 0) += bytes;
        }
        if (t.to < ranks_)
        {
            at(t.to, between, 1) += bytes;
        }
    }

    bool crossed() const { return crossed_; }

    Seconds longest(const Links& links) const
    {
        double inside = 0;
        double between = 0;
        for (std::size_t i = 0; i < bytes_.size(); i += 4)
        {
            inside = std::max({inside, bytes_[i], bytes_[i + 1]});
            between = std::max({between, bytes_[i + 2], bytes_[i + 3]});
        }
        return std::max(Bytes(inside) / links.inside.bandwidth, Bytes(between) / links.between.bandwidth);
    }

    Bytes most_sent() const
    {
        double most = 0;
        for (std::size_t i = 0; i < bytes_.size(); i += 4)
        {
            most = std::max(most, bytes_[i] + bytes_[i + 2]);
        }
        return Bytes(most);
    }

private:
    double& at(std::int32_t rank, bool between, std::size_t direction)
    {
        return bytes_[static_cast<std::size_t>(rank) * 4 + (between ? 2U : 0U) + direction];
    }

    std::int64_t per_node_;
    std::int64_t ranks_;
    std::vector<double> bytes_; // [rank][level][out, in]
    bool crossed_ = false;
};

double log2_up(std::int64_t n)
{
    return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, n) - 1)));
}

// Steps and messages on one kind of link.
struct Plain
{
    double steps = 0;
    double messages = 0; // sizes of the message through the busiest port
    double sent = 0;     // by the rank that sends most
};

Plain plain(CollectiveKind kind, std::string_view algorithm, double n)
{
    const bool both = kind == CollectiveKind::all_reduce;
    const double rounds = both ? 2 : 1;
    const double share = (n - 1) / n;
    if (algorithm == "naive")
    {
        switch (kind)
        {
        case CollectiveKind::all_reduce:
            return {2, 2 * (n - 1), n - 1};
        case CollectiveKind::broadcast:
            return {1, n - 1, n - 1};
        case CollectiveKind::reduce:
            return {1, n - 1, 1};
        case CollectiveKind::send_recv:
            return {1, 1, 1};
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::all_gather:
        case CollectiveKind::all_to_all:
            break;
        }
        return {n - 1, share, share};
    }
    if (algorithm == "ring")
    {
        switch (kind)
        {
        case CollectiveKind::broadcast:
        case CollectiveKind::reduce:
            return {2 * n - 2, (2 * n - 2) / n, 1};
        case CollectiveKind::all_to_all: // block (s, s + d) makes d hops
            return {n - 1, (n - 1) / 2, (n - 1) / 2};
        default:
            return {rounds * (n - 1), rounds * share, rounds * share};
        }
    }
    const double log = log2_up(static_cast<std::int64_t>(n));
    if (algorithm == "tree")
    {
        return {rounds * log, rounds * log, kind == CollectiveKind::reduce ? 1 : log};
    }
    if (algorithm == "double-tree")
    {
        return {2 * log, 2, 2};
    }
    if (algorithm == "recursive-doubling")
    {
        const bool power = std::has_single_bit(static_cast<std::uint64_t>(n));
        const double exchanges = std::floor(std::log2(n));
        return {exchanges + (power ? 0 : 2), exchanges + (power ? 0 : 2), exchanges + (power ? 0 : 1)};
    }
    if (algorithm == "bruck")
    {
        return {log, log / 2, log / 2};
    }
    return {rounds * log, rounds * share, rounds * share}; // halving-doubling
}

CollectiveCost in_switch(CollectiveKind kind, double n, Bytes message, const Link& link)
{
    const double passes = kind == CollectiveKind::all_reduce ? 2 : 1;
    // A rank's data is read in whole and its chunk written, or the other way round.
    double messages = 1;
    double sent = 1;
    switch (kind)
    {
    case CollectiveKind::all_reduce:
        messages = sent = 1 + 1 / n;
        break;
    case CollectiveKind::all_gather:
        sent = 1 / n;
        break;
    default:
        break;
    }
    return {static_cast<std::int64_t>(2 * passes), message * sent, link.latency * passes,
            message * messages / link.bandwidth};
}

CollectiveCost two_levels(CollectiveKind kind, double g, double nodes, Bytes message, const Links& links)
{
    const double rounds = kind == CollectiveKind::all_reduce ? 2 : 1;
    const double n = g * nodes;
    const bool exchange = kind == CollectiveKind::all_to_all;
    const double inside = (g - 1) / g;
    const double between = exchange ? (nodes - 1) / nodes : (nodes - 1) / n;
    CollectiveCost cost;
    cost.steps = static_cast<std::int64_t>(rounds * (g - 1 + nodes - 1));
    cost.sent_per_rank = message * (rounds * (inside + between));
    cost.latency = links.inside.latency * (rounds * (g - 1)) + links.between.latency * (rounds * (nodes - 1));
    cost.transfer = message * (rounds * inside) / links.inside.bandwidth +
                    message * (rounds * between) / links.between.bandwidth;
    return cost;
}

// What Plain sends between nodes of g ranks: steps, and sizes of the message through each of a node's network
// links. The rest stays inside.
struct Crossing
{
    double steps = 0;
    double messages = 0;
    bool streams = false; // both kinds of links are busy at once
};

Crossing crossing(CollectiveKind kind, std::string_view algorithm, const Plain& p, double n, double g)
{
    const double nodes = n / g;
    const double rounds = kind == CollectiveKind::all_reduce ? 2 : 1;
    const double between = log2_up(static_cast<std::int64_t>(std::ceil(nodes)));
    if (algorithm == "ring" || algorithm == "double-tree")
    {
        // One rank of a node sends to the next node, another one in each of the rings that run at once.
        return {algorithm == "ring" ? p.steps / g : 2 * between, p.messages / g, true};
    }
    if (algorithm == "naive")
    {
        // Straight to every rank; through the links of the root's node where there is a root.
        const double others = (n - g) / (n - 1);
        const bool root = p.messages >= 1;
        return {root ? p.steps : p.steps * others, p.messages * others / (root ? g : 1), true};
    }
    if (algorithm == "bruck")
    {
        // In hops shorter than a node only the last ranks reach beyond it.
        return {p.steps, (g - 1) / (2 * g) + between / 2, false};
    }
    if (algorithm == "halving-doubling") // the farthest partner first, and most of the message with it
    {
        return {rounds * between, rounds * (nodes - 1) / nodes, false};
    }
    // Near ranks first, then all of a node's at once to the next nodes.
    const double inside = log2_up(static_cast<std::int64_t>(g));
    const double crossed = algorithm == "tree" ? rounds * between : std::max(between, p.messages - inside);
    return {crossed, crossed, false};
}

} // namespace

CollectiveCost cost_of(const Collective& c, Bytes message, const Links& links)
{
    const double chunk = message.value * chunk_share(c);
    CollectiveCost cost;
    cost.steps = static_cast<std::int64_t>(c.steps.size());
    Ports all(c, links);
    Ports one(c, links);
    for (const Step& step : c.steps)
    {
        one.clear();
        for (const Transfer& t : step.transfers)
        {
            one.add(t, chunk);
            all.add(t, chunk);
        }
        const Seconds alpha = one.crossed() ? links.between.latency : links.inside.latency;
        cost.latency += c.in_switch ? alpha / 2 : alpha;
        cost.transfer += one.longest(links);
    }
    if (c.in_switch)
    {
        cost.transfer = all.longest(links);
    }
    cost.sent_per_rank = all.most_sent();
    return cost;
}

CollectiveCost estimate(CollectiveKind kind, const CollectiveAlgorithm& algorithm, std::int64_t ranks,
                        Bytes message, const Links& links)
{
    if (ranks <= 1)
    {
        return {};
    }
    const auto n = static_cast<double>(ranks);
    const auto g = static_cast<double>(std::clamp<std::int64_t>(links.per_node, 1, ranks));
    const Link& link = ranks > links.per_node ? links.between : links.inside;
    if (algorithm.id == "hierarchical")
    {
        return two_levels(kind, g, n / g, message, links);
    }
    if (algorithm.id == "in-switch")
    {
        return in_switch(kind, n, message, link);
    }
    const Plain p = plain(kind, algorithm.id, n);
    return {static_cast<std::int64_t>(p.steps), message * p.sent, link.latency * p.steps,
            message * p.messages / link.bandwidth};
}

CollectiveCost estimate_on_rails(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                                 std::int64_t ranks, Bytes message, const Links& links)
{
    CollectiveCost cost = estimate(kind, algorithm, ranks, message, links);
    if (ranks <= links.per_node)
    {
        return cost;
    }
    const auto n = static_cast<double>(ranks);
    const auto g = static_cast<double>(links.per_node);
    const auto seconds = [&](double inside, double between, bool streams)
    {
        const Seconds in = message * inside / links.inside.bandwidth;
        const Seconds out = message * between / links.between.bandwidth;
        return streams ? std::max(in, out) : in + out;
    };
    if (algorithm.id == "hierarchical")
    {
        const double rounds = kind == CollectiveKind::all_reduce ? 2 : 1;
        const double out = kind == CollectiveKind::all_to_all ? (n - g) / n : (n - g) / (n * g);
        cost.transfer = seconds(rounds * (g - 1) / g, rounds * out, true);
        return cost;
    }
    if (algorithm.id == "in-switch")
    {
        const double messages = kind == CollectiveKind::all_reduce ? 1 + 1 / n : 1;
        cost.latency += links.inside.latency * (kind == CollectiveKind::all_reduce ? 2 : 1);
        cost.transfer = seconds(messages, messages / g, true);
        return cost;
    }
    const Plain p = plain(kind, algorithm.id, n);
    const Crossing c = crossing(kind, algorithm.id, p, n, g);
    cost.latency = links.inside.latency * (p.steps - c.steps) + links.between.latency * c.steps;
    // A stream goes through a rank's own link whether it leaves the node or not.
    cost.transfer = seconds(c.streams ? p.messages : p.messages - c.messages, c.messages, c.streams);
    return cost;
}

double bus_factor(CollectiveKind kind, std::int64_t ranks)
{
    const double share =
        static_cast<double>(ranks - 1) / static_cast<double>(std::max<std::int64_t>(1, ranks));
    switch (kind)
    {
    case CollectiveKind::all_reduce:
        return 2 * share;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
        return share;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::send_recv:
        break;
    }
    return 1;
}

BytesPerSecond bus_bandwidth(CollectiveKind kind, std::int64_t ranks, Bytes message, Seconds time)
{
    return time.value > 0 ? message * bus_factor(kind, ranks) / time : BytesPerSecond{};
}

RingCost ring_all_reduce_cost(std::int64_t ranks, Bytes message, Link link)
{
    const auto n = static_cast<double>(std::max<std::int64_t>(1, ranks));
    const double steps = 2 * (n - 1);
    RingCost cost;
    cost.sent_per_rank = whole_bytes(message.value * (steps / n));
    cost.latency = link.latency * steps;
    cost.transfer = steps > 0 ? cost.sent_per_rank / link.bandwidth : Seconds{};
    cost.per_step = steps > 0 ? cost.total() / steps : Seconds{};
    return cost;
}

} // namespace ringside
