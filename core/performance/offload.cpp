// One file, since an offloaded step is one timeline, and every tier has its tasks on it.
#include "core/performance/offload.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/model/host.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"
#include "core/network/traffic.h"
#include "core/performance/step_life.h"
#include "core/performance/step_units.h"
#include "core/pipeline/tasks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::size_t kMostPieces = 48;     // neighbouring layers beyond that move together
constexpr std::int64_t kMostFetching = 4;   // micro-batches that are simulated where each fetches weights
constexpr std::int64_t kMostComputing = 32; // and where none does, before several become one
constexpr std::int64_t kAhead = 1;          // pieces fetched ahead of the one at work

// Neighbouring layers that move and compute as one.
struct Piece
{
    std::int64_t first = 0;
    std::int64_t last = 0;
    double forward = 0;   // [s] of one micro-batch
    double backward = 0;  // [s]
    double weights = 0;   // [B] this GPU fetches
    double trained = 0;   // [B] of those, what the optimizer changes
    double gradients = 0; // [B] this GPU sends
    double update = 0;    // share of the optimizer's work
};

struct OffloadPieces
{
    std::vector<Piece> all;
    std::int64_t stage = 0;
    double elements = 0; // this GPU's optimizer updates
    double forward = 0;  // [s] of one micro-batch
    double backward = 0; // [s]
    double flops = 0;    // of both
};

// What LoRA makes of an element, dense and of experts: all is trained without it, of a layer its adapters
// with it.
class TrainedShares
{
public:
    TrainedShares(const Scenario& s, const StepUnits& units)
        : lora_(s.training.lora), width_(element_bytes(s.training))
    {
        if (lora_.rank == 0)
        {
            return;
        }
        const StageWeights held = stage_weights(s.model, s.parallel, s.training.schedule->placement, lora_)
                                      .at(static_cast<std::size_t>(units.stage));
        const std::array<std::int64_t, 2> adapters{held.adapters_dense, held.adapters_expert};
        const std::array<std::int64_t, 2> linear{held.linear_dense, held.linear_expert};
        for (std::size_t k = 0; k < 2; ++k)
        {
            double layers = 0;
            for (const StepUnit& unit : units.units)
            {
                layers += is_layer(unit) ? unit.elements(k) : 0;
            }
            adapters_[k] = layers > 0 ? static_cast<double>(adapters[k]) / layers : 0;
            linear_[k] = layers > 0 ? static_cast<double>(linear[k]) / layers : 0;
        }
    }

    double elements(const StepUnit& unit, std::size_t k) const
    {
        const double share = lora_.rank == 0 ? 1 : is_layer(unit) ? adapters_[k] : 0;
        return share * unit.elements(k);
    }

    // [B] of all weights, a frozen base and its adapters.
    double weights(const StepUnit& unit, std::size_t k) const
    {
        const double base = width_ * unit.elements(k);
        if (lora_.rank == 0)
        {
            return base;
        }
        const double saved = lora_.quantized && is_layer(unit) ? (width_ - kQuantizedWeight) * linear_[k] : 0;
        return base - saved * unit.elements(k) + width_ * elements(unit, k);
    }

private:
    static bool is_layer(const StepUnit& unit)
    {
        return unit.layer != kEmbeddingUnit && unit.layer != kHeadUnit;
    }

    Lora lora_;
    double width_; // [B]
    std::array<double, 2> adapters_{};
    std::array<double, 2> linear_{};
};

// Times come from the same units as the life of a step.
OffloadPieces pieces_of(const Scenario& s)
{
    const StepUnits units = step_units(s, false);
    const TrainedShares shares(s, units);
    const std::array<double, 2> ranks{static_cast<double>(dense_shards(s)),
                                      static_cast<double>(s.model.experts > 0 ? expert_shards(s) : 1)};
    const double w = element_bytes(s.training);
    const double g = state_bytes(s.training).gradient;
    const std::size_t group = (units.units.size() + kMostPieces - 1) / kMostPieces;
    OffloadPieces pieces;
    pieces.stage = units.stage;
    for (std::size_t i = 0; i < units.units.size(); ++i)
    {
        const StepUnit& unit = units.units[i];
        if (i % std::max<std::size_t>(1, group) == 0)
        {
            pieces.all.push_back({unit.layer, unit.layer, 0, 0, 0, 0, 0, 0});
        }
        Piece& piece = pieces.all.back();
        piece.last = unit.layer;
        piece.forward += unit.seconds(false);
        piece.backward += unit.seconds(true);
        pieces.flops += unit.flops;
        for (std::size_t k = 0; k < 2; ++k)
        {
            const double trained = shares.elements(unit, k);
            const double updated = trained / (s.parallel.zero >= 1 ? ranks[k] : 1);
            const double held = s.parallel.zero == 3 ? ranks[k] : 1;
            piece.weights += shares.weights(unit, k) / held;
            piece.trained += w * trained / held;
            piece.gradients += g * updated;
            piece.update += updated;
        }
    }
    for (Piece& piece : pieces.all)
    {
        pieces.elements += piece.update;
        pieces.forward += piece.forward;
        pieces.backward += piece.backward;
    }
    for (Piece& piece : pieces.all)
    {
        piece.update = pieces.elements > 0 ? piece.update / pieces.elements : 0;
    }
    return pieces;
}

// What the pipes carry beside the pieces' own bytes, and how fast.
struct Tier
{
    Offload placement = Offload::none;
    bool delayed = false;
    double state = 0;   // [B] of the optimizer
    double touched = 0; // [B] in host memory by the update
    double fresh = 0;   // [B] new weights to the GPU
    double written = 0; // [B] new weights to disk
    std::array<double, kOffloadLanes> rate{};
};

// Whole matrices are dealt out, so the largest share of the optimizer is more than the mean: memory's.
void take_largest_share(OffloadPieces& pieces, const Scenario& s, const OffloadReport& r)
{
    const double gradients = r.of(Tank::host, Component::gradients).value;
    const double mean = state_bytes(s.training).gradient * pieces.elements;
    if (!s.parallel.whole_shards || s.parallel.zero == 0 || !r.offloads() || mean <= 0)
    {
        return;
    }
    pieces.elements *= gradients / mean;
    for (Piece& piece : pieces.all)
    {
        piece.gradients *= gradients / mean;
    }
}

// Writes the tasks of one step down. `scale` shortens or lengthens all compute; 0 leaves the tier alone.
class Steps
{
public:
    Steps(const OffloadPieces& pieces, const Tier& tier, double scale)
        : pieces_(pieces), tier_(tier), scale_(scale)
    {
    }

    // Weights come up for every pass of every micro-batch.
    void fetching(std::int64_t micro_batches, std::int64_t of)
    {
        for (std::int64_t m = 0; m < micro_batches; ++m)
        {
            // Those left out are in the middle: the last keeps its name.
            const std::int64_t named = m + 1 == micro_batches ? of - 1 : m;
            const bool last = m + 1 == micro_batches;
            there_and_back(named, last);
        }
        update();
    }

    // Nothing crosses the pipes before the last backward. `micro_batches` need not be whole.
    void resident(double micro_batches)
    {
        if (tier_.delayed)
        {
            update();
        }
        const double before = std::max(0.0, micro_batches - 1);
        const auto blocks = std::min(kMostComputing, static_cast<std::int64_t>(std::ceil(before)));
        for (std::int64_t m = 0; m < blocks; ++m)
        {
            const double times = before / static_cast<double>(blocks);
            compute(OffloadKind::forward, times * pieces_.forward, m);
            compute(OffloadKind::backward, times * pieces_.backward, m);
        }
        const auto last = std::max<std::int64_t>(0, std::llround(micro_batches) - 1);
        scale_ *= std::min(1.0, micro_batches);
        there_and_back(last, true);
        if (!tier_.delayed)
        {
            update();
        }
    }

    TaskRun run() const
    {
        auto run = run_tasks(tasks_, kOffloadLanes);
        return run ? *run : TaskRun{}; // tasks only wait for those before them, so it always runs
    }
    std::vector<OffloadTask> take_tasks() { return std::move(named_); }

private:
    bool moves() const { return tier_.placement != Offload::none; }

    std::int32_t add(const OffloadTask& task, double seconds, std::vector<std::int32_t> after)
    {
        std::erase(after, -1);
        tasks_.push_back({static_cast<std::int32_t>(task.lane), seconds, std::move(after)});
        named_.push_back(task);
        return static_cast<std::int32_t>(tasks_.size()) - 1;
    }

    std::int32_t move(OffloadLane lane, OffloadKind kind, const Piece& piece, std::int64_t micro_batch,
                      double bytes, std::vector<std::int32_t> after)
    {
        OffloadTask task;
        task.lane = lane;
        task.kind = kind;
        task.layer = piece.first;
        task.last = piece.last;
        task.micro_batch = micro_batch;
        task.bytes = Bytes(bytes);
        return add(task, bytes / tier_.rate[static_cast<std::size_t>(lane)], std::move(after));
    }

    void compute(OffloadKind kind, double seconds, std::int64_t micro_batch)
    {
        OffloadTask task;
        task.kind = kind;
        task.layer = task.last = kWholeModel;
        task.micro_batch = micro_batch;
        add(task, scale_ * seconds, {});
    }

    // How many passes ago `kAhead` pieces lie: who must be done before the next may take their place.
    std::int32_t ago(const std::vector<std::int32_t>& passes) const
    {
        const auto back = static_cast<std::size_t>(kAhead) + 1;
        return passes.size() >= back ? passes[passes.size() - back] : -1;
    }

    void pass(const Piece& piece, OffloadKind kind, std::int64_t micro_batch, bool sends)
    {
        std::int32_t up = -1;
        if (offloads_weights(tier_.placement))
        {
            std::int32_t from = -1;
            if (uses_nvme(tier_.placement))
            {
                from = move(OffloadLane::nvme, OffloadKind::weights, piece, micro_batch, piece.weights,
                            {ago(ups_)});
            }
            up = move(OffloadLane::up, OffloadKind::weights, piece, micro_batch, piece.weights,
                      {from, ago(works_)});
            ups_.push_back(up);
        }
        OffloadTask task;
        task.kind = kind;
        task.layer = piece.first;
        task.last = piece.last;
        task.micro_batch = micro_batch;
        const bool forward = kind == OffloadKind::forward;
        const std::int32_t work = add(task, scale_ * (forward ? piece.forward : piece.backward), {up});
        works_.push_back(work);
        if (sends && moves())
        {
            gradients_ =
                move(OffloadLane::down, OffloadKind::gradients, piece, micro_batch, piece.gradients, {work});
        }
    }

    void there_and_back(std::int64_t micro_batch, bool sends)
    {
        for (const Piece& piece : pieces_.all)
        {
            pass(piece, OffloadKind::forward, micro_batch, false);
        }
        for (std::size_t i = pieces_.all.size(); i-- > 0;)
        {
            pass(pieces_.all[i], OffloadKind::backward, micro_batch, sends);
        }
    }

    // Piece by piece once all gradients are there, because clipping needs their norm: from disk, updated,
    // back to disk, and up to the GPU.
    void update()
    {
        if (!moves())
        {
            return;
        }
        const bool disks = uses_nvme(tier_.placement);
        const std::size_t n = pieces_.all.size();
        std::vector<std::int32_t> read(n, -1);
        for (std::size_t i = 0; i < n; ++i)
        {
            for (std::size_t k = i == 0 ? 0 : i + 1; disks && k < std::min(n, i + 2); ++k)
            {
                const Piece& next = pieces_.all[k];
                read[k] = move(OffloadLane::nvme, OffloadKind::read, next, 0, tier_.state * next.update,
                               {gradients_});
            }
            const Piece& piece = pieces_.all[i];
            const std::int32_t done = move(OffloadLane::host, OffloadKind::update, piece, 0,
                                           tier_.touched * piece.update, {gradients_, read[i]});
            if (disks)
            {
                move(OffloadLane::nvme, OffloadKind::write, piece, 0,
                     (tier_.state + tier_.written) * piece.update, {done});
            }
            if (!offloads_weights(tier_.placement))
            {
                // Where the optimizer is cut, every rank sends its own share up.
                move(OffloadLane::up, OffloadKind::weights, piece, 0, tier_.fresh * piece.update, {done});
            }
        }
    }

    const OffloadPieces& pieces_;
    const Tier& tier_;
    double scale_;
    std::vector<Task> tasks_;
    std::vector<OffloadTask> named_;
    std::vector<std::int32_t> works_;
    std::vector<std::int32_t> ups_;
    std::int32_t gradients_ = -1; // the last that went down
};

} // namespace

namespace
{

constexpr std::array<std::string_view, kOffloads> kTitles{"nothing", "optimizer on host", "optimizer on NVMe",
                                                          "optimizer, weights on host",
                                                          "optimizer, weights on NVMe"};

double sum(const std::array<Bytes, kComponents>& parts)
{
    return std::accumulate(parts.begin(), parts.end(), Bytes{}).value;
}

Tier tier_of(const Scenario& s, const OffloadReport& r, const OffloadPieces& pieces)
{
    const Training& t = s.training;
    const Offload placement = r.options.placement;
    const bool own = state_bytes(t).master == 0; // the weights are the master copy
    const double w = element_bytes(t);
    const auto& kept = r.holds[static_cast<std::size_t>(uses_nvme(placement) ? Tank::nvme : Tank::host)];
    const auto part = [&](Component c) { return kept[static_cast<std::size_t>(c)].value; };
    const auto all = [&](double Piece::*bytes)
    {
        return std::accumulate(pieces.all.begin(), pieces.all.end(), 0.0,
                               [&](double so_far, const Piece& p) { return so_far + p.*bytes; });
    };
    Tier tier;
    tier.placement = placement;
    tier.delayed = r.options.delayed_update;
    tier.state = part(Component::master_weights) + part(Component::momentum) + part(Component::variance) +
                 (!own                                             ? 0
                  : t.lora.rank > 0 && offloads_weights(placement) ? all(&Piece::trained)
                                                                   : part(Component::weights));
    tier.fresh = w * pieces.elements;
    tier.touched = all(&Piece::gradients) + 2 * tier.state + tier.fresh;
    tier.written = uses_nvme(placement) && offloads_weights(placement) && !own ? all(&Piece::trained) : 0;
    const double pcie = s.cluster.gpu.pcie_gb_per_s * 1e9;
    tier.rate = {1, pcie, pcie, host_optimizer_rate(s.cluster), s.cluster.nvme_gb_per_s * 1e9};
    return tier;
}

// A report without times.
OffloadReport places(const Scenario& s, const OffloadOptions& options, std::int64_t stage)
{
    const MemoryReport memory = memory_report(s);
    const StageMemory& at = memory.stages.at(static_cast<std::size_t>(stage));
    OffloadReport r;
    r.options = options;
    r.options.delayed_update = options.delayed_update && r.offloads() && !offloads_weights(options.placement);
    r.stage = stage;
    r.holds = {at.parts, at.host, at.nvme};
    r.sharing = std::max<std::int64_t>(1, std::min(s.cluster.gpus, s.cluster.gpus_per_node));
    const double host = s.cluster.host_memory_gb * 1e9 / static_cast<double>(r.sharing);
    r.capacity = {memory.capacity, Bytes(host)};
    r.fullest = memory.worst().total();
    r.fullest_stage = static_cast<std::int64_t>(memory.fullest);
    r.gpu_fits = memory.fits();
    for (const StageMemory& m : memory.stages)
    {
        r.host_fullest = std::max(r.host_fullest, m.host_bytes);
    }
    r.host_fits = r.host_fullest.value <= host;
    r.micro_batches = micro_batches(s);
    r.tokens = static_cast<double>(r.micro_batches * s.training.micro_batch * s.training.sequence_length) /
               static_cast<double>(s.parallel.context);
    r.possible = !r.offloads() || (s.cluster.gpu.pcie_gb_per_s > 0 && s.cluster.host_gb_per_s > 0 &&
                                   (!uses_nvme(options.placement) || s.cluster.nvme_gb_per_s > 0));
    return r;
}

void fill_flows(OffloadReport& r, const OffloadPieces& pieces, const Tier& tier)
{
    if (!r.offloads())
    {
        return;
    }
    const bool fetches = offloads_weights(tier.placement);
    const bool disks = uses_nvme(tier.placement);
    const auto k = static_cast<double>(r.micro_batches);
    for (const Piece& piece : pieces.all)
    {
        r.each.up += Bytes(fetches ? 2 * piece.weights : 0); // forward and backward
        r.step.down += Bytes(piece.gradients);
    }
    r.each.read = disks ? r.each.up : Bytes{};
    r.step.up = fetches ? k * r.each.up : Bytes(tier.fresh);
    r.step.read = k * r.each.read + Bytes(disks ? tier.state : 0);
    r.step.write = Bytes(disks ? tier.state + tier.written : 0);
    r.touched = Bytes(tier.touched);
}

// What one more micro-batch adds once they follow each other evenly, and the run it adds to.
struct Paced
{
    double total = 0;
    std::array<double, kOffloadLanes> busy{};
    double each = 0;
};

Paced paced(const OffloadPieces& pieces, const Tier& tier, double scale, double micro_batches)
{
    const auto run = [&](std::int64_t m)
    {
        Steps steps(pieces, tier, scale);
        offloads_weights(tier.placement) ? steps.fetching(m, m) : steps.resident(micro_batches);
        return steps.run();
    };
    const auto k = static_cast<std::int64_t>(micro_batches);
    const std::int64_t most = std::min(k, kMostFetching);
    const TaskRun whole = run(most);
    Paced p{whole.makespan, {}, 0};
    std::copy(whole.busy.begin(), whole.busy.end(), p.busy.begin());
    if (offloads_weights(tier.placement) && k > 1)
    {
        const TaskRun one_less = run(most - 1);
        p.each = whole.makespan - one_less.makespan;
        const auto more = static_cast<double>(k - most);
        p.total += more * p.each;
        for (std::size_t lane = 0; lane < kOffloadLanes; ++lane)
        {
            p.busy[lane] += more * (whole.busy[lane] - one_less.busy[lane]);
        }
    }
    return p;
}

void fill_tasks(OffloadReport& r, const OffloadPieces& pieces, const Tier& tier)
{
    Steps steps(pieces, tier, 1);
    const bool fetches = offloads_weights(tier.placement);
    r.shown = fetches ? std::min(r.micro_batches, kMostFetching) : r.micro_batches;
    fetches ? steps.fetching(r.shown, r.micro_batches) : steps.resident(static_cast<double>(r.micro_batches));
    const TaskRun run = steps.run();
    r.tasks = steps.take_tasks();
    r.shown_total = run.makespan;
    for (std::size_t i = 0; i < run.times.size(); ++i)
    {
        r.tasks[i].start = run.times[i].start;
        r.tasks[i].end = run.times[i].end;
        r.tasks[i].waited_for = run.times[i].waited_for;
    }
}

// The tier's pace alone: the slower of PCIe and, where weights lie there, the disks.
double each_of(const OffloadReport& r, const Tier& tier)
{
    return std::max(r.each.up.value / tier.rate[static_cast<std::size_t>(OffloadLane::up)],
                    r.each.read.value > 0
                        ? r.each.read.value / tier.rate[static_cast<std::size_t>(OffloadLane::nvme)]
                        : 0);
}

} // namespace

std::string_view title_of(Offload placement)
{
    return kTitles.at(static_cast<std::size_t>(placement));
}

Bytes OffloadReport::held(Tank tank) const
{
    return Bytes(sum(holds[static_cast<std::size_t>(tank)]));
}

OffloadReport offload_report(const Scenario& scenario, const OffloadOptions& options)
{
    Scenario s = scenario;
    s.training.offload = options.placement;
    OffloadPieces pieces = pieces_of(s);
    OffloadReport r = places(s, options, pieces.stage);
    take_largest_share(pieces, s, r);
    const Tier tier = tier_of(s, r, pieces);
    for (std::size_t lane = 1; lane < kOffloadLanes; ++lane)
    {
        r.rate[lane] = BytesPerSecond(tier.rate[lane]);
    }
    fill_flows(r, pieces, tier);
    r.compute = static_cast<double>(r.micro_batches) * (pieces.forward + pieces.backward);
    r.flops = static_cast<double>(r.micro_batches) * pieces.flops;
    r.total = r.compute;
    if (!r.possible)
    {
        return r;
    }
    const auto k = static_cast<double>(r.micro_batches);
    const Paced step = paced(pieces, tier, 1, k);
    r.total = std::max(r.compute, step.total); // equal but for rounding where nothing moves
    r.exposed = r.offloads() ? r.total - r.compute : 0;
    r.busy = step.busy;
    r.transfer = paced(pieces, tier, 0, k).total;
    r.transfer_each = r.each.up.value > 0 ? each_of(r, tier) : 0;
    fill_tasks(r, pieces, tier);
    return r;
}

std::vector<double> offload_totals(const Scenario& scenario, const OffloadOptions& options,
                                   std::span<const double> tokens)
{
    Scenario s = scenario;
    s.training.offload = options.placement;
    OffloadPieces pieces = pieces_of(s);
    const OffloadReport r = places(s, options, pieces.stage);
    take_largest_share(pieces, s, r);
    const Tier tier = tier_of(s, r, pieces);
    const auto k = static_cast<double>(r.micro_batches);
    const double each = (pieces.forward + pieces.backward) * k / r.tokens;
    std::vector<double> totals;
    for (const double t : tokens)
    {
        const double times = t / r.tokens;
        const double total = !r.possible                           ? 0
                             : offloads_weights(options.placement) ? paced(pieces, tier, times, k).total
                                                                   : paced(pieces, tier, 1, k * times).total;
        totals.push_back(std::max(total, each * t));
    }
    return totals;
}

double break_even_tokens(double bytes, double flops, BytesPerSecond pipe, FlopsPerSecond compute)
{
    return bytes / pipe.value * compute.value / flops;
}

BytesPerSecond rate_for_efficiency(double efficiency, double intensity, FlopsPerSecond peak)
{
    return BytesPerSecond(efficiency / (1 - efficiency) * peak.value / intensity);
}

Term explain_break_even(const OffloadReport& r)
{
    Term term{
        "break-even", r.break_even(), "tokens", "transfer time × FLOP/s reached / FLOPs per token", "", ""};
    term.working = fmt::format("{} × {} / {}", figure(r.transfer), figure(r.flops_per_second().value),
                               figure(r.flops / r.tokens));
    term.source =
        offloads_weights(r.options.placement)
            ? "Rajbhandari et al. 2021, ZeRO-Infinity, arXiv 2104.07857, section 4: weights are fetched for "
              "every forward and every backward, optimizer states are read and written once per step"
            : "Ren et al. 2021, ZeRO-Offload, arXiv 2101.06840, sections 3 and 4: gradients to the host, "
              "update there, weights back, once per step";
    return term;
}

} // namespace ringside
