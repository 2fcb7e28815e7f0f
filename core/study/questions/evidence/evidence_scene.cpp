#include "core/study/questions/evidence/evidence_scene.h"

#include <fmt/format.h>

#include "core/base/json/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// exp(-x) by squaring, so that the last digit is the same with every library.
double decay(double x)
{
    const double small = 1 - x / 1024 + x * x / (2 * 1024.0 * 1024.0);
    double power = std::max(small, 0.0);
    for (int i = 0; i < 10; ++i)
    {
        power *= power;
    }
    return power;
}

// A run of 200 points: the loss falls from that of guessing to a floor, quickly first.
struct LossShape
{
    double start;
    double floor;
    double noise;
    std::size_t at; // where the fault sets in
};

double healthy_loss(const LossShape& s, std::size_t i)
{
    const auto x = static_cast<double>(i);
    return s.floor + (s.start - s.floor) * (0.7 * decay(x / 12) + 0.3 * decay(x / 70));
}

double faulty_loss(const Scene& scene, const LossShape& s, std::size_t i)
{
    const double healthy = healthy_loss(s, i);
    if (i < s.at)
    {
        return healthy;
    }
    const auto since = static_cast<double>(i - s.at);
    if (scene.is("spike") || scene.is("late_spike"))
    {
        return healthy + 0.5 * (s.start - s.floor) * decay(since / 6);
    }
    if (scene.is("divergence"))
    {
        return std::min(healthy + 0.0012 * since * since, s.start * 1.15);
    }
    if (scene.is("nan"))
    {
        return kNothing;
    }
    if (scene.is("plateau"))
    {
        return healthy_loss(s, s.at);
    }
    // The second time round the data is known already: a step down at every epoch, deeper each time.
    return scene.is("data_repeat") ? healthy - 0.22 * (1 + std::floor(since / 45)) : healthy;
}

double faulty_norm(const Scene& scene, const LossShape& s, std::size_t i)
{
    const double healthy = 0.35 + 1.6 * decay(static_cast<double>(i) / 10);
    const double since = static_cast<double>(i) - static_cast<double>(s.at);
    if (scene.is("nan") && since >= 0)
    {
        return kNothing;
    }
    // Norms run ahead of the loss: they rise some steps before it breaks.
    const bool breaks = scene.is("nan") || scene.is("divergence");
    if (breaks && since >= -8)
    {
        return healthy + 0.4 * (since + 8) * (scene.is("nan") ? 3 : 1);
    }
    const bool jumps = scene.is("spike") || scene.is("late_spike");
    return jumps && since >= -1 ? healthy + 14 * decay((since + 1) / 4) : healthy;
}

void make_loss(Scene& s)
{
    constexpr std::size_t kPoints = 200;
    const double per_point = 50;
    const bool late = s.is("late_spike");
    const LossShape shape{s.between(10.6, 11.0), s.between(2.1, 2.7), 0.03,
                          static_cast<std::size_t>(late              ? 160 + s.rng.below(20)
                                                   : s.is("plateau") ? 25 + s.rng.below(15)
                                                                     : 70 + s.rng.below(40))};
    s.out.x_unit = "step";
    EvidenceSeries loss{"training loss", "nats per token", {}, {}};
    EvidenceSeries held{"validation loss", "nats per token", {}, {}};
    EvidenceSeries norm{"gradient norm", "", {}, {}, true};
    for (std::size_t i = 0; i < kPoints; ++i)
    {
        const double x = per_point * static_cast<double>(i);
        const double noise = shape.noise * s.rng.normal();
        const double since = i < shape.at ? 0 : static_cast<double>(i - shape.at);
        for (EvidenceSeries* series : {&loss, &held, &norm})
        {
            series->x.push_back(x);
        }
        loss.y.push_back(faulty_loss(s, shape, i) + noise - (s.is("overfit") ? 0.004 * since : 0));
        held.y.push_back(healthy_loss(shape, i) + 0.05 + (s.is("overfit") ? 0.006 * since : 0) + 0.3 * noise);
        norm.y.push_back(std::max(0.05, faulty_norm(s, shape, i) * (1 + 0.08 * s.rng.normal())));
        if (!std::isfinite(loss.y.back()))
        {
            norm.y.back() = kNothing;
        }
    }
    s.out.series.push_back(std::move(loss));
    if (s.is("overfit") || s.is("data_repeat"))
    {
        s.out.series.push_back(std::move(held));
    }
    if (s.settings.value("gradient_norm", false))
    {
        s.out.series.push_back(std::move(norm));
    }
}

// A dynamic scaler doubles after some good steps and halves on overflow.
void make_loss_scale(Scene& s)
{
    s.out.x_unit = "step";
    EvidenceSeries& scale = s.series("loss scale", "");
    scale.log_scale = true;
    EvidenceSeries skipped{"steps skipped so far", "", {}, {}};
    double value = s.is("fixed_too_high") ? 16777216 : 65536;
    double lost = 0;
    const std::size_t breaks = 60 + s.rng.below(30);
    for (std::size_t i = 0; i < 200; ++i)
    {
        const bool overflow = s.is("fixed_too_high")            ? s.rng.uniform() < 0.9
                              : s.is("collapse") && i >= breaks ? s.rng.uniform() < 0.85
                                                                : value > 262144 || s.rng.uniform() < 0.01;
        lost += overflow ? 1 : 0;
        scale.x.push_back(static_cast<double>(i) * 10);
        scale.y.push_back(value);
        skipped.x.push_back(static_cast<double>(i) * 10);
        skipped.y.push_back(lost);
        if (!s.is("fixed_too_high"))
        {
            value = overflow ? std::max(value / 2, 1.0) : i % 20 == 19 ? value * 2 : value;
        }
    }
    s.out.series.push_back(std::move(skipped));
}

constexpr std::size_t kPerNode = 8;

// Seconds of compute of every rank of four nodes, one bar each.
void make_ranks(Scene& s)
{
    s.out.x_unit = "rank";
    EvidenceSeries& times = s.series("compute of a step", "s");
    const double usual = s.between(1.5, 4.5);
    const std::size_t slow = s.rng.below(4 * kPerNode);
    const double factor = s.between(1.22, 1.4);
    for (std::size_t r = 0; r < 4 * kPerNode; ++r)
    {
        const bool slowed =
            (s.is("one_slow") && r == slow) || (s.is("node_slow") && r / kPerNode == slow / kPerNode);
        const double noise = s.is("jitter") ? 0.12 : 0.006;
        times.x.push_back(static_cast<double>(r));
        times.y.push_back(usual * (slowed ? factor : 1) * std::max(0.7, 1 + noise * s.rng.normal()));
    }
}

struct Call
{
    std::string name;
    std::string shape;
};

// The last collectives of eight ranks: what each entered, and whether it came back.
void make_collectives(Scene& s)
{
    const std::size_t odd = 1 + s.rng.below(7);
    const std::size_t first = 4100 + s.rng.below(800);
    const std::array<Call, 4> calls{Call{"reduce_scatter", "[25165824] bf16"},
                                    Call{"all_gather", "[4096, 8192] bf16"},
                                    Call{"all_reduce", "[8192, 1024] bf16"}, Call{"all_reduce", "[1] fp32"}};
    for (std::size_t r = 0; r < 8; ++r)
    {
        const bool is_odd = r == odd;
        std::vector<Call> made(calls.begin(), calls.end());
        std::size_t finished = 2;
        std::string state = "waiting 600 s, watchdog";
        if (is_odd && s.is("skipped"))
        {
            made.erase(made.begin() + 2);
        }
        else if (is_odd && s.is("mismatch_shape"))
        {
            made[2].shape = "[8192, 1016] bf16";
        }
        else if (is_odd && s.is("mismatch_order"))
        {
            std::swap(made[2], made[3]);
        }
        else if (is_odd && s.is("dead_rank"))
        {
            made.resize(2);
        }
        else if (s.is("slow_rank"))
        {
            finished = is_odd ? 2 : 3;
            state = is_odd ? "computing for 41 s, kernel running" : "waiting 41 s";
        }
        const std::size_t shown =
            is_odd && s.is("slow_rank") ? 2 : std::min<std::size_t>(made.size(), finished + 1);
        for (std::size_t i = 0; i < shown; ++i)
        {
            const bool last = i >= finished;
            s.out.lines.push_back(fmt::format("rank {}  #{}  {:<14} {:<18} {}", r, first + i, made[i].name,
                                              made[i].shape,
                                              !last               ? "done"
                                              : s.is("slow_rank") ? state
                                                                  : "entered, " + state));
        }
        if (is_odd && (s.is("dead_rank") || s.is("slow_rank")))
        {
            s.out.lines.push_back(
                fmt::format("rank {}  {}", r, s.is("dead_rank") ? "no heartbeat for 600 s" : state));
        }
    }
}

void make_memory(Scene& s)
{
    s.out.x_unit = "step";
    EvidenceSeries& used = s.series("allocated", "GB");
    EvidenceSeries reserved{"reserved by the allocator", "GB", {}, {}};
    EvidenceSeries limit{"capacity", "GB", {}, {}};
    const double usual = s.between(58, 66);
    const double slope = s.between(0.09, 0.13);
    const std::size_t evaluates = 40 + s.rng.below(20);
    const bool early = s.is("first_step_oom");
    for (std::size_t i = 0; i < (early ? 12U : 160U); ++i)
    {
        const auto x = static_cast<double>(i);
        double now = usual + 0.15 * s.rng.normal();
        double held = usual + 3;
        if (s.is("leak"))
        {
            now += slope * x;
            held = now + 3;
        }
        else if (s.is("spike_at_eval") && i % evaluates == evaluates - 1)
        {
            now += 13;
            held = now + 2;
        }
        else if (s.is("fragmentation"))
        {
            held = std::min(79.5, usual + 2 + 17 * (1 - decay(x / 60)));
        }
        else if (early)
        {
            // Weights and optimizer first, then activations layer by layer until there is no room.
            now = 34 + 4.3 * x;
            held = now + 1;
        }
        const bool over = now > 80;
        used.x.push_back(x);
        used.y.push_back(over ? kNothing : now);
        reserved.x.push_back(x);
        reserved.y.push_back(over ? kNothing : std::min(80.0, held));
        limit.x.push_back(x);
        limit.y.push_back(80);
    }
    if (early)
    {
        s.out.x_unit = "moment of the first step";
    }
    s.out.series.push_back(std::move(reserved));
    s.out.series.push_back(std::move(limit));
}

void make_utilization(Scene& s)
{
    s.out.x_unit = "s";
    EvidenceSeries& busy = s.series("GPU busy", "%");
    EvidenceSeries network{"network busy", "%", {}, {}};
    EvidenceSeries disk{"storage busy", "%", {}, {}};
    const std::size_t period = 18 + s.rng.below(8);
    const std::size_t save = 90 + s.rng.below(20);
    for (std::size_t i = 0; i < 300; ++i)
    {
        double gpu = 96;
        double net = 22;
        double reads = 6;
        if (s.is("loader_gaps") && i % period >= period - 5)
        {
            gpu = 4;
            net = 1;
            reads = 97;
        }
        else if (s.is("checkpoint_stalls") && i % save >= save - 22)
        {
            gpu = 3;
            net = 3;
            reads = 95;
        }
        else if (s.is("communication_bound") && i % period >= period / 2)
        {
            gpu = 34;
            net = 97;
        }
        const auto add = [&](EvidenceSeries& series, double value)
        {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(std::clamp(value + 1.2 * s.rng.normal(), 0.0, 100.0));
        };
        add(busy, gpu);
        add(network, net);
        add(disk, reads);
    }
    s.out.series.push_back(std::move(network));
    s.out.series.push_back(std::move(disk));
}

} // namespace

const std::vector<EvidenceMaker>& evidence_makers()
{
    static const std::vector<EvidenceMaker> all{
        {"loss",
         make_loss,
         {"none", "spike", "nan", "divergence", "plateau", "overfit", "late_spike", "data_repeat"}},
        {"loss_scale", make_loss_scale, {"healthy", "collapse", "fixed_too_high"}},
        {"ranks", make_ranks, {"even", "one_slow", "node_slow", "jitter"}},
        {"collectives",
         make_collectives,
         {"skipped", "mismatch_shape", "mismatch_order", "dead_rank", "slow_rank"}},
        {"memory", make_memory, {"flat", "leak", "spike_at_eval", "fragmentation", "first_step_oom"}},
        {"utilization",
         make_utilization,
         {"steady", "loader_gaps", "checkpoint_stalls", "communication_bound"}},
        {"trace", make_trace, {"hidden", "late_reduction", "gathers", "launch_gaps", "loader", "late_rank"}},
    };
    return all;
}

} // namespace ringside
