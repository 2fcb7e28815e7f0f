// One file, since the life of a step is one list of events, made and told in one order.
#include "core/performance/step_life.h"

#include "core/memory/memory.h"
#include "core/model/sizes.h"
#include "core/performance/step_order.h"
#include "core/pipeline/tasks.h"

#include <algorithm>
#include <utility>

namespace ringside
{

std::string units_in_words(std::int64_t from, std::int64_t to)
{
    const auto one = [](std::int64_t unit)
    {
        return unit == kEmbeddingUnit ? "the embedding"
               : unit == kHeadUnit    ? "the head"
                                      : "layer " + std::to_string(unit);
    };
    return from == kWholeModel ? "all layers" : from == to ? one(to) : one(from) + " to " + one(to);
}

namespace
{

std::int64_t largest_divisor(std::int64_t n, std::int64_t most)
{
    for (std::int64_t d = std::min(n, most); d > 1; --d)
    {
        if (n % d == 0)
        {
            return d;
        }
    }
    return 1;
}

// The ranks of a group stand `stride` apart, so a node has so many fewer of them.
StepGroup group_of(const Scenario& s, std::int64_t ranks, std::int64_t stride)
{
    StepGroup g;
    g.ranks = std::max<std::int64_t>(1, ranks);
    const Seconds latency(s.collective.latency_us * 1e-6);
    const BytesPerSecond network(s.cluster.network_gb_per_s * 1e9);
    const double link = node_link(s.cluster);
    g.links = {{latency, link > 0 ? BytesPerSecond(link * 1e9) : network},
               {latency, network},
               std::max<std::int64_t>(1, s.cluster.gpus_per_node / stride)};
    g.shards = g.ranks;
    return g;
}

StepGroup replicas(const Scenario& s, const StepOptions& o, std::int64_t ranks, std::int64_t stride)
{
    StepGroup g = group_of(s, ranks, stride);
    if (o.strategy == StepStrategy::hsdp)
    {
        g.shards = largest_divisor(g.ranks, o.hsdp_ranks > 0 ? o.hsdp_ranks : g.links.per_node);
    }
    return g;
}

class Builder
{
public:
    Builder(const Scenario& s, const StepOptions& o)
        : s_(s), o_(in_range(o)), units_(step_units(s, o.inside_layers)), bytes_(state_bytes(s.training))
    {
        life_.stage = units_.stage;
        life_.weight_bytes = element_bytes(s.training);
        life_.gradient_bytes = bytes_.gradient;
        const Parallel& p = s.parallel;
        life_.groups = {
            replicas(s, o_, dense_replicas(s), p.tensor),
            replicas(s, o_, s.model.experts > 0 ? expert_replicas(s) : 1, p.expert * p.expert_tensor)};
        group_on(Axis::tensor) = group_of(s, p.tensor, 1);
        group_on(Axis::context) = group_of(s, p.context, p.tensor);
        group_on(Axis::expert) = group_of(s, p.expert, p.expert_tensor);
        for (const StepUnit& unit : units_.units)
        {
            life_.units.push_back(unit.layer);
            for (std::size_t g = 0; g < 2; ++g)
            {
                life_.groups[g].elements += unit.elements(g);
                life_.groups[g].persistent += unit.elements(g) - cut_elements(unit, g);
            }
        }
        gradient_open_.assign(units_.units.size(), {false, false});
        gathered_by_.resize(units_.units.size());
    }

    StepLife build()
    {
        positions_ = step_order(units_.units, o_);
        gather_until(-1, static_cast<std::size_t>(o_.prefetch) + 1);
        for (std::size_t p = 0; p < positions_.size(); ++p)
        {
            work(p);
            const auto next = static_cast<std::int64_t>(p);
            if (o_.prefetch > 0)
            {
                // The next gather goes before this layer's reduction (FSDP, arXiv 2304.11277, section 3.3.2).
                gather_until(next, p + 2 + static_cast<std::size_t>(o_.prefetch));
            }
            reduce(positions_[p]);
            gather_until(next, p + 2 + static_cast<std::size_t>(o_.prefetch));
        }
        finish();
        take_times();
        return std::move(life_);
    }

private:
    // Bytes of memory that come at the start of one task or go at the end of one.
    struct Change
    {
        std::int32_t task;
        bool at_end;
        double weights;
        double gradients;
    };

    // A bucket that is filling, of one group.
    struct Bucket
    {
        double bytes = 0;
        std::int64_t from = kWholeModel;
        std::int64_t layer = kWholeModel;
        std::int32_t filled_by = -1;
    };

    double cut_elements(const StepUnit& unit, std::size_t g) const
    {
        if (!shards_weights(o_.strategy))
        {
            return unit.elements(g);
        }
        double sum = 0;
        for (const double tensor : unit.tensors[g])
        {
            sum += tensor >= o_.persistence ? tensor : 0;
        }
        return sum;
    }

    StepGroup& group_on(Axis axis) { return life_.layer_groups[static_cast<std::size_t>(axis)]; }

    bool gathers(std::size_t g) const { return shards_weights(o_.strategy) && life_.groups[g].shards > 1; }

    std::int32_t add(StepTask task, double duration, std::vector<std::int32_t> after)
    {
        const auto index = static_cast<std::int32_t>(tasks_.size());
        if (!o_.overlap && index > 0)
        {
            after.push_back(index - 1);
        }
        tasks_.push_back({static_cast<std::int32_t>(task.lane), duration, std::move(after)});
        life_.tasks.push_back(task);
        return index;
    }

    std::int32_t collective(StepTask task, CollectiveKind kind, std::int64_t ranks, const Links& links,
                            std::vector<std::int32_t> after)
    {
        // Blocks for all others go to each of them directly.
        const std::string_view algorithm = kind == CollectiveKind::all_to_all ? "naive" : "ring";
        const CollectiveCost cost = estimate(kind, *find_algorithm(algorithm), ranks, task.message, links);
        task.sent = cost.sent_per_rank;
        life_.sent_on[static_cast<std::size_t>(task.axis)] += cost.sent_per_rank;
        if (task.axis == Axis::data)
        {
            task.lane = ranks > links.per_node ? StepLane::between : StepLane::inside;
            life_.sent[static_cast<std::size_t>(task.kind)] += cost.sent_per_rank;
        }
        return add(task, cost.total().value, std::move(after));
    }

    // Gathers for the positions before `end`, as far as those they wait for have been written down.
    void gather_until(std::int64_t written, std::size_t end)
    {
        while (next_gather_ < std::min(end, positions_.size()) && positions_[next_gather_].freed <= written)
        {
            const StepPosition& at = positions_[next_gather_];
            std::vector<std::int32_t> after;
            const std::int64_t ahead = static_cast<std::int64_t>(next_gather_) - 1 - o_.prefetch;
            for (const std::int64_t p : {ahead, at.freed})
            {
                if (p >= 0)
                {
                    after.push_back(worked_[static_cast<std::size_t>(p)]);
                }
            }
            for (const std::size_t unit : at.gathers)
            {
                gather_unit(unit, at.micro_batch, after);
            }
            ++next_gather_;
        }
    }

    void gather_unit(std::size_t index, std::int32_t micro_batch, const std::vector<std::int32_t>& after)
    {
        const StepUnit& unit = units_.units[index];
        gathered_by_[index].clear();
        for (std::size_t g = 0; g < 2; ++g)
        {
            const double bytes = cut_elements(unit, g) * life_.weight_bytes;
            if (!gathers(g) || bytes == 0)
            {
                continue;
            }
            StepTask task;
            task.kind = StepKind::all_gather;
            task.layer = task.from = unit.layer;
            task.micro_batch = micro_batch;
            task.message = Bytes(bytes);
            const std::int32_t t = collective(task, CollectiveKind::all_gather, life_.groups[g].shards,
                                              life_.groups[g].links, after);
            gathered_by_[index].push_back(t);
            changes_.push_back({t, false, bytes, 0});
        }
    }

    void work(std::size_t p)
    {
        const StepPosition& at = positions_[p];
        const StepUnit& unit = units_.units[at.unit];
        std::vector<std::int32_t> after = gathered_by_[at.unit];
        if (unit.needs_first)
        {
            after.insert(after.end(), gathered_by_[0].begin(), gathered_by_[0].end());
        }
        StepTask task;
        task.layer = task.from = unit.layer;
        task.micro_batch = at.micro_batch;
        std::int32_t first = -1;
        std::int32_t t = -1;
        for (const StepPiece& piece : unit.pieces(at.backward))
        {
            task.kind = piece.kind;
            task.axis = piece.axis;
            task.lane = piece.computes() ? StepLane::compute : StepLane::layers;
            if (!piece.computes())
            {
                send_inside(task, piece);
                continue;
            }
            after.insert(after.end(), needed_now_.begin(), needed_now_.end());
            needed_now_ = std::exchange(needed_next_, {});
            t = last_computed_ = add(task, piece.seconds, std::exchange(after, {}));
            first = first < 0 ? t : first;
        }
        worked_.push_back(t);
        for (std::size_t g = 0; g < 2; ++g)
        {
            for (const std::size_t freed : at.frees)
            {
                if (gathers(g))
                {
                    changes_.push_back(
                        {t, true, -cut_elements(units_.units[freed], g) * life_.weight_bytes, 0});
                }
            }
            if (at.backward && !gradient_open_[at.unit][g])
            {
                gradient_open_[at.unit][g] = true;
                changes_.push_back({first, false, 0, unit.elements(g) * life_.gradient_bytes});
            }
        }
    }

    // What a layer sends itself, once what comes before it has been computed.
    void send_inside(StepTask task, const StepPiece& piece)
    {
        const StepGroup& g = group_on(piece.axis);
        task.message = piece.message;
        // Keys and values go round as in a ring's all-gather, where every rank passes on all but one chunk.
        const CollectiveKind kind = piece.kind == StepKind::all_to_all       ? CollectiveKind::all_to_all
                                    : piece.kind == StepKind::all_reduce     ? CollectiveKind::all_reduce
                                    : piece.kind == StepKind::reduce_scatter ? CollectiveKind::reduce_scatter
                                                                             : CollectiveKind::all_gather;
        std::vector<std::int32_t> after;
        if (last_computed_ >= 0)
        {
            after.push_back(last_computed_);
        }
        (piece.beside ? needed_next_ : needed_now_)
            .push_back(collective(task, kind, g.ranks, g.links, std::move(after)));
    }

    bool reduces_now(std::int32_t micro_batch) const
    {
        const bool last = micro_batch + 1 == o_.accumulation;
        const bool every =
            o_.strategy == StepStrategy::zero2 || (shards_weights(o_.strategy) && o_.reduce_every);
        return last || every;
    }

    void reduce(const StepPosition& at)
    {
        if (!at.backward || !reduces_now(at.micro_batch))
        {
            return;
        }
        const StepUnit& unit = units_.units[at.unit];
        for (std::size_t g = 0; g < 2; ++g)
        {
            if (life_.groups[g].ranks <= 1 || unit.tensors[g].empty())
            {
                continue;
            }
            Bucket& bucket = buckets_[g];
            // Gradients come out in the reverse order (PyTorch DDP, arXiv 2006.15704, section 3.2.3).
            for (std::size_t i = unit.tensors[g].size(); i-- > 0;)
            {
                bucket.from = bucket.bytes == 0 ? unit.layer : bucket.from;
                bucket.bytes += unit.tensors[g][i] * life_.gradient_bytes;
                bucket.layer = unit.layer;
                bucket.filled_by = worked_.back();
                if (!shards_weights(o_.strategy) && bucket.bytes >= o_.bucket_mb * 1e6)
                {
                    send(bucket, g, at.micro_batch);
                }
            }
            if (shards_weights(o_.strategy))
            {
                send(bucket, g, at.micro_batch);
            }
        }
        for (std::size_t g = 0; g < 2 && at.unit == 0; ++g)
        {
            send(buckets_[g], g, at.micro_batch);
        }
        for (std::size_t g = 0; g < 2; ++g)
        {
            gradient_open_[at.unit][g] = gradient_open_[at.unit][g] && !frees_gradients(g);
        }
    }

    // Once reduced, only this rank's part of a gradient stays.
    bool frees_gradients(std::size_t g) const
    {
        return life_.groups[g].shards > 1 &&
               (o_.strategy == StepStrategy::zero2 || shards_weights(o_.strategy));
    }

    void send(Bucket& bucket, std::size_t g, std::int32_t micro_batch)
    {
        if (bucket.bytes == 0)
        {
            return;
        }
        const StepGroup& group = life_.groups[g];
        StepTask task;
        task.layer = bucket.layer;
        task.from = bucket.from;
        task.micro_batch = micro_batch;
        task.message = Bytes(bucket.bytes);
        std::int32_t t = bucket.filled_by;
        if (o_.strategy == StepStrategy::ddp)
        {
            task.kind = StepKind::all_reduce;
            t = collective(task, CollectiveKind::all_reduce, group.ranks, group.links, {t});
        }
        else if (group.shards > 1)
        {
            task.kind = StepKind::reduce_scatter;
            t = collective(task, CollectiveKind::reduce_scatter, group.shards, group.links, {t});
        }
        if (frees_gradients(g))
        {
            changes_.push_back({t, true, 0, -bucket.bytes});
        }
        if (group.shards < group.ranks) // copies of the shard elsewhere
        {
            task.kind = StepKind::all_reduce;
            task.message = Bytes(bucket.bytes / static_cast<double>(group.shards));
            Links links = group.links;
            links.per_node = std::max<std::int64_t>(1, links.per_node / group.shards);
            t = collective(task, CollectiveKind::all_reduce, group.ranks / group.shards, links, {t});
        }
        reductions_.push_back(t);
        bucket = {};
    }

    // Reads the gradient, reads and writes the state, writes the weight: as fast as the memory goes.
    double optimizer_seconds() const
    {
        const double each =
            bytes_.gradient + 2 * (bytes_.master + bytes_.momentum + bytes_.variance) + bytes_.weight;
        double elements = 0;
        for (const StepGroup& g : life_.groups)
        {
            elements += g.elements / static_cast<double>(o_.strategy == StepStrategy::ddp ? 1 : g.shards);
        }
        const double rate = s_.cluster.gpu.hbm_gb_per_s * 1e9 *
                            with_software(s_.cluster.gpu.calibration, s_.software).hbm_efficiency;
        return rate > 0 ? elements * each / rate : 0;
    }

    void finish()
    {
        StepTask task;
        task.kind = StepKind::optimizer;
        task.micro_batch = static_cast<std::int32_t>(o_.accumulation) - 1;
        std::vector<std::int32_t> after = reductions_;
        after.insert(after.end(), needed_now_.begin(), needed_now_.end());
        after.insert(after.end(), needed_next_.begin(), needed_next_.end());
        const std::int32_t t = add(task, optimizer_seconds(), std::move(after));
        double left = 0;
        for (std::size_t unit = 0; unit < units_.units.size(); ++unit)
        {
            for (std::size_t g = 0; g < 2; ++g)
            {
                left += gradient_open_[unit][g] ? units_.units[unit].elements(g) * life_.gradient_bytes : 0;
            }
        }
        changes_.push_back({t, true, 0, -left});
        task.kind = StepKind::all_gather;
        for (std::size_t g = 0; g < 2; ++g)
        {
            const StepGroup& group = life_.groups[g];
            if (gathers(g) && group.persistent > 0)
            {
                task.message = Bytes(group.persistent * life_.weight_bytes);
                collective(task, CollectiveKind::all_gather, group.shards, group.links, {t});
            }
            const bool once = o_.strategy == StepStrategy::zero1 || o_.strategy == StepStrategy::zero2;
            for (std::size_t unit = 0; once && group.ranks > 1 && unit < units_.units.size(); ++unit)
            {
                task.layer = task.from = units_.units[unit].layer;
                task.message = Bytes(units_.units[unit].elements(g) * life_.weight_bytes);
                if (task.message.value > 0)
                {
                    collective(task, CollectiveKind::all_gather, group.ranks, group.links, {t});
                }
            }
            task.layer = task.from = kWholeModel;
        }
    }

    void take_times()
    {
        const auto run = run_tasks(tasks_, kStepLanes);
        if (!run)
        {
            return; // tasks wait for earlier ones only
        }
        for (std::size_t i = 0; i < tasks_.size(); ++i)
        {
            const TaskTime& time = run->times[i];
            StepTask& task = life_.tasks[i];
            task.start = time.start;
            task.end = time.end;
            task.free = time.free;
            task.waited_for = time.waited_for;
        }
        std::copy(run->busy.begin(), run->busy.end(), life_.busy.begin());
        life_.total = run->makespan;
        life_.compute = life_.busy[0];
        life_.exposed = life_.total - life_.compute;
        double flops = 0;
        double seconds = 0;
        for (const StepUnit& unit : units_.units)
        {
            flops += unit.flops;
            seconds += unit.seconds(false) + unit.seconds(true);
        }
        life_.reached = seconds > 0 ? flops / seconds : 0;
        take_waits();
        take_memory();
    }

    // Which axis compute waited for; what comes after the last compute is data parallelism's.
    void take_waits()
    {
        for (const StepTask& task : life_.tasks)
        {
            if (task.lane == StepLane::compute && task.waited_for >= 0)
            {
                const StepTask& cause = life_.tasks[static_cast<std::size_t>(task.waited_for)];
                life_.waited[static_cast<std::size_t>(cause.axis)] += task.start - task.free;
            }
        }
        double others = 0;
        for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
        {
            others += life_.waited_for(axis);
        }
        life_.waited[static_cast<std::size_t>(Axis::data)] = std::max(0.0, life_.exposed - others);
    }

    void take_memory()
    {
        std::vector<std::pair<double, Change>> events;
        for (const Change& c : changes_)
        {
            const StepTask& task = life_.tasks[static_cast<std::size_t>(c.task)];
            events.emplace_back(c.at_end ? task.end : task.start, c);
        }
        std::stable_sort(events.begin(), events.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        double weights = 0;
        for (std::size_t g = 0; g < 2; ++g)
        {
            weights +=
                (gathers(g) ? life_.groups[g].persistent : life_.groups[g].elements) * life_.weight_bytes;
        }
        double gradients = 0;
        life_.held.push_back({0, Bytes(weights), Bytes(gradients)});
        for (std::size_t i = 0; i < events.size(); ++i)
        {
            weights += events[i].second.weights;
            gradients += events[i].second.gradients;
            const bool last = i + 1 == events.size() || events[i + 1].first > events[i].first;
            if (!last)
            {
                continue;
            }
            if (life_.held.back().t == events[i].first)
            {
                life_.held.pop_back();
            }
            life_.held.push_back({events[i].first, Bytes(weights), Bytes(gradients)});
        }
        life_.held.push_back({std::max(life_.total, life_.held.back().t), Bytes(weights), Bytes(gradients)});
        for (const StepHeld& h : life_.held)
        {
            life_.peak_weights = std::max(life_.peak_weights, h.weights);
            life_.peak_gradients = std::max(life_.peak_gradients, h.gradients);
        }
    }

    const Scenario& s_;
    StepOptions o_;
    StepUnits units_;
    StateBytes bytes_;
    StepLife life_;
    std::vector<Task> tasks_;
    std::vector<StepPosition> positions_;
    std::vector<std::int32_t> worked_; // [position] its task
    std::vector<std::vector<std::int32_t>> gathered_by_;
    std::vector<std::array<bool, 2>> gradient_open_;
    std::array<Bucket, 2> buckets_;
    std::vector<std::int32_t> reductions_;
    std::vector<Change> changes_;
    std::size_t next_gather_ = 0;
    std::int32_t last_computed_ = -1;
    // Collectives of layers that the next stretch of compute waits for, and those the one after it does.
    std::vector<std::int32_t> needed_now_;
    std::vector<std::int32_t> needed_next_;
};

} // namespace

StepLife step_life(const Scenario& scenario, const StepOptions& options)
{
    return Builder(scenario, options).build();
}

} // namespace ringside
