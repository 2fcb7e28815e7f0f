#include "core/lab/ranks/team.h"
#include "core/lab/trainer/cpu/cpu_backend.h"
#include "core/network/traffic.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>
#include <cstring>
#include <thread>

using namespace ringside;
using namespace ringside::parallel;

namespace
{

// Small, and divisible by everything that is tried.
TeamConfig small_team()
{
    TeamConfig c;
    c.trainer = default_trainer_config();
    Model& m = c.trainer.model;
    m.layers = 4;
    m.hidden = 32;
    m.heads = m.kv_heads = 4;
    m.head_dim = 8;
    m.ffn = 64;
    m.tied_embeddings = false;
    c.trainer.data.task = LabTask::copy;
    c.trainer.data.symbols = 15; // and one separator: a vocabulary of 16
    Training& t = c.trainer.training;
    t.precision = Precision::fp32;
    t.sequence_length = 16;
    t.micro_batch = 2;
    t.global_batch = 16;
    t.recompute = Recompute::none;
    c.trainer.recipe.clip = 1;
    c.trainer.recipe.warmup_steps = 5;
    return c;
}

struct Course
{
    std::vector<double> losses;
    trainer::TrainerState state;
};

Course alone(const TeamConfig& config, int steps)
{
    TrainerConfig c = config.trainer;
    c.training.schedule = ringside::schedule("1f1b");
    auto made = trainer::Trainer::create(c, std::make_unique<trainer::CpuBackend>(1));
    REQUIRE(static_cast<bool>(made));
    Course course;
    for (int i = 0; i < steps; ++i)
    {
        const auto step = (*made)->step();
        REQUIRE(step);
        course.losses.push_back(step->loss);
    }
    course.state = (*made)->state();
    return course;
}

std::unique_ptr<Team> team_of(const TeamConfig& config)
{
    auto made = Team::create(config);
    INFO((made ? std::string() : to_line(made.issues().front())));
    REQUIRE(static_cast<bool>(made));
    return std::move(*made);
}

Course together(const TeamConfig& config, int steps)
{
    const auto team = team_of(config);
    Course course;
    for (int i = 0; i < steps; ++i)
    {
        const auto step = team->step();
        REQUIRE(step);
        course.losses.push_back(step->result.loss);
    }
    course.state = team->state();
    return course;
}

std::vector<float> floats(const trainer::TrainerState::Part& part)
{
    std::vector<float> values(part.bytes.size() / 4);
    std::memcpy(values.data(), part.bytes.data(), part.bytes.size());
    return values;
}

// Largest difference of any weight, and of any loss.
double difference(const Course& a, const Course& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.losses.size(); ++i)
    {
        most = std::max(most, std::abs(a.losses[i] - b.losses[i]));
    }
    const auto x = floats(a.state.parts[0]);
    const auto y = floats(b.state.parts[0]);
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
    {
        most = std::max(most, static_cast<double>(std::abs(x[i] - y[i])));
    }
    return most;
}

TeamConfig cut(std::int64_t tensor, bool sequence, std::int64_t pipeline, std::int64_t data,
               std::int64_t zero, std::string_view schedule = "1f1b", std::int64_t chunks = 1)
{
    TeamConfig c = small_team();
    c.parallel.tensor = tensor;
    c.parallel.sequence_parallel = sequence;
    c.parallel.pipeline = pipeline;
    c.parallel.chunks = chunks;
    c.parallel.zero = zero;
    c.ranks = tensor * pipeline * data;
    c.trainer.training.schedule = ringside::schedule(schedule);
    return c;
}

} // namespace

TEST_CASE("a team of one does what one device does, to the last bit")
{
    const TeamConfig c = cut(1, false, 1, 1, 0);
    const Course one = alone(c, 10);
    const Course team = together(c, 10);
    CHECK(one.losses == team.losses);
    CHECK(one.state.parts == team.state.parts);
}

namespace
{

void check_equal(const TeamConfig& c)
{
    INFO("tensor " << c.parallel.tensor << ", pipeline " << c.parallel.pipeline << ", ranks " << c.ranks
                   << ", zero " << c.parallel.zero << ", " << c.trainer.training.schedule->id);
    const Course one = alone(c, 50);
    const Course team = together(c, 50);
    CHECK(difference(one, team) < 2e-3);
    CHECK(one.losses.back() == Catch::Approx(team.losses.back()).epsilon(1e-3));
    CHECK(one.losses.front() == Catch::Approx(team.losses.front()).epsilon(1e-6));
}

} // namespace

TEST_CASE("data parallelism trains as one device does, at every stage of ZeRO")
{
    check_equal(GENERATE(cut(1, false, 1, 2, 0), cut(1, false, 1, 4, 0), cut(1, false, 1, 4, 1),
                         cut(1, false, 1, 4, 2), cut(1, false, 1, 4, 3)));
}

TEST_CASE("tensor parallelism trains as one device does, with the sequence split or not")
{
    check_equal(GENERATE(cut(2, false, 1, 1, 0), cut(4, false, 1, 1, 0), cut(2, true, 1, 1, 0),
                         cut(4, true, 1, 1, 0)));
}

namespace
{

// With sequences shared by so many ranks.
TeamConfig in_ring(TeamConfig c, std::int64_t context)
{
    c.parallel.context = context;
    c.ranks *= context;
    return c;
}

} // namespace

TEST_CASE("context parallelism trains as one device does, alone and with every other cut")
{
    TeamConfig c = GENERATE(in_ring(cut(1, false, 1, 1, 0), 2), in_ring(cut(1, false, 1, 1, 0), 4),
                            in_ring(cut(2, true, 1, 2, 1), 2), in_ring(cut(1, false, 2, 1, 0, "1f1b"), 2),
                            in_ring(cut(1, false, 1, 2, 3), 2));
    c.trainer.model.positions = GENERATE(Positions::learned, Positions::rope);
    INFO("context " << c.parallel.context << (c.trainer.model.positions == Positions::rope ? ", rope" : ""));
    check_equal(c);
}

namespace
{

// The same with experts, some of whose tokens are dropped, shared out by so many ranks.
TeamConfig with_experts(TeamConfig c, std::int64_t expert, std::int64_t chosen = 2)
{
    c.trainer.model.experts = 4;
    c.trainer.model.experts_per_token = chosen;
    c.trainer.model.expert_ffn = 32;
    c.trainer.recipe.capacity_factor = 1;
    c.parallel.expert = expert;
    return c;
}

} // namespace

TEST_CASE("experts train as on one device: copied, shared out, or both, with ZeRO and in a pipeline")
{
    const TeamConfig c =
        GENERATE(with_experts(cut(1, false, 1, 4, 0), 1), with_experts(cut(1, false, 1, 2, 0), 2),
                 with_experts(cut(1, false, 1, 4, 0), 4), with_experts(cut(1, false, 1, 4, 0), 2, 1),
                 with_experts(cut(1, false, 1, 4, 1), 2), with_experts(cut(1, false, 1, 4, 2), 2),
                 with_experts(cut(1, false, 1, 4, 3), 2), with_experts(cut(1, false, 2, 2, 0), 2),
                 with_experts(cut(1, false, 2, 2, 0, "zb-h1"), 2));
    INFO("expert " << c.parallel.expert);
    check_equal(c);
    const auto one = trainer::Trainer::create(c.trainer, std::make_unique<trainer::CpuBackend>(1));
    REQUIRE(one);
    const auto here = (*one)->step();
    const auto there = team_of(c)->step();
    REQUIRE(here);
    REQUIRE(there);
    REQUIRE(there->result.experts.size() == 4);
    for (std::size_t i = 0; i < 4; ++i)
    {
        CHECK(there->result.experts[i].wanted == here->experts[i].wanted);
        CHECK(there->result.experts[i].taken == here->experts[i].taken);
        CHECK(there->result.experts[i].balance == Catch::Approx(here->experts[i].balance).epsilon(1e-6));
        CHECK(here->experts[i].dropped() > 0);
    }
}

TEST_CASE("a pipeline trains as one device does under every kind of schedule")
{
    check_equal(GENERATE(cut(1, false, 2, 1, 0, "gpipe"), cut(1, false, 4, 1, 0, "1f1b"),
                         cut(1, false, 2, 1, 0, "interleaved", 2), cut(1, false, 4, 1, 0, "zb-h1"),
                         cut(1, false, 2, 1, 0, "zb-v", 2)));
}

TEST_CASE("all strategies together train as one device does")
{
    check_equal(GENERATE(cut(2, true, 2, 2, 1), cut(2, false, 1, 2, 2), cut(2, true, 1, 2, 3)));
}

TEST_CASE("a pipeline changes no bit: every sum is made where and as one device makes it")
{
    for (const char* schedule : {"gpipe", "1f1b", "zb-h1"})
    {
        TeamConfig c = cut(1, false, 2, 1, 0, schedule);
        c.trainer.recipe.clip = 0; // the norm is summed up in another order
        INFO(schedule);
        const Course one = alone(c, 20);
        const Course team = together(c, 20);
        CHECK(one.losses == team.losses);
        CHECK(one.state.parts == team.state.parts);
    }
}

// An all-reduce adds up a chunk in another order of the ranks than a reduce-scatter, so plain copies differ
// in the last bits.
TEST_CASE("the stages of ZeRO differ in memory and bytes, and in no bit of the result")
{
    TeamConfig c = cut(1, false, 1, 4, 1);
    c.trainer.training.global_batch = 8; // one micro-batch for each
    c.trainer.recipe.clip = 0;
    const Course first = together(c, 20);
    for (const std::int64_t zero : {2, 3})
    {
        INFO("zero " << zero);
        c.parallel.zero = zero;
        const Course next = together(c, 20);
        CHECK(next.losses == first.losses);
        CHECK(next.state.parts == first.state.parts);
    }
}

TEST_CASE("formats of 16 bits, clipping, tied ends and recomputation go with every cut")
{
    TeamConfig c = GENERATE(cut(2, true, 2, 2, 1), cut(1, false, 2, 2, 0), cut(1, false, 1, 4, 3));
    c.trainer.training.precision = GENERATE(Precision::bf16, Precision::fp16);
    c.trainer.model.tied_embeddings = true;
    c.trainer.training.recompute = Recompute::full;
    INFO(c.parallel.tensor << " x " << c.parallel.pipeline << ", zero " << c.parallel.zero);
    const Course one = alone(c, 20);
    const Course team = together(c, 20);
    for (std::size_t i = 0; i < one.losses.size(); ++i)
    {
        INFO(i);
        CHECK(one.losses[i] == Catch::Approx(team.losses[i]).epsilon(0.02));
    }
}

namespace
{

std::int64_t sent(const Team& team, int rank, std::string_view axis)
{
    std::int64_t bytes = 0;
    const auto records = team.records();
    for (const CallTotal& total : records[static_cast<std::size_t>(rank)].totals)
    {
        bytes += total.axis == axis ? total.sent : 0;
    }
    return bytes;
}

} // namespace

TEST_CASE("bytes on the data axis are the papers'")
{
    // Passes over the parameters, in fp32; from ZeRO-2 on gradients travel after each of k micro-batches. The
    // head is gathered once a micro-batch, not twice: its backward follows its forward.
    constexpr std::int64_t kMicroBatches = 2;
    const auto zero = GENERATE(0, 1, 2, 3);
    const std::int64_t passes = zero <= 1 ? 2 : zero == 2 ? kMicroBatches + 1 : 3 * kMicroBatches;
    const auto team = team_of(cut(1, false, 1, 4, zero));
    REQUIRE(team->step());
    const Model& m = team->config().trainer.model;
    const std::int64_t elements = trainer::ParameterTable(m).elements;
    const std::int64_t head = m.hidden * (m.vocab + (m.norm == Norm::layernorm ? 2 : 1));
    INFO("zero " << zero);
    CHECK(sent(*team, 1, "data") == 3 * (passes * elements - (zero == 3 ? kMicroBatches * head : 0)));
}

TEST_CASE("bytes inside the model are the engine's")
{
    TeamConfig c = cut(2, false, 2, 1, 0);
    const auto team = team_of(c);
    REQUIRE(team->step());
    const Training& t = team->config().trainer.training;
    const std::int64_t message = t.micro_batch * t.sequence_length * 32 * 4;
    const std::int64_t micro_batches = t.global_batch / t.micro_batch;
    // Forward: one way; backward: the other.
    CHECK(sent(*team, 0, "pipeline") == micro_batches * message);
    // Two all-reduces a layer each way, of 2 (t-1)/t of the message, and one for the embedding.
    CHECK(sent(*team, 0, "tensor") == micro_batches * (2 * 4 + 1) * message);
}

TEST_CASE("bytes round the ring are the engine's")
{
    TeamConfig c = in_ring(cut(1, false, 1, 2, 0), 2);
    c.trainer.training.recompute = GENERATE(Recompute::none, Recompute::full);
    const auto team = team_of(c);
    REQUIRE(team->step());
    const Scenario s = scenario_of(team->config());
    // Keys and values of 2 sequences of 8 tokens, 2 x 32 wide, in fp32: once forward, once more where it is
    // computed again, and in the backward with their gradients.
    const std::int64_t message = 2 * 8 * 2 * 32 * 4;
    const std::int64_t passes = c.trainer.training.recompute == Recompute::full ? 4 : 3;
    CHECK(sent(*team, 0, "context") == 4 * passes * micro_batches(s) * message);
    CHECK(static_cast<double>(sent(*team, 3, "context")) == context_traffic(s).value);
}

TEST_CASE(
    "bytes to experts and back are the engine's times the capacity, and so are those of their gradients")
{
    TeamConfig c = with_experts(cut(1, false, 1, 4, GENERATE(0, 1)), 2);
    c.trainer.training.recompute = GENERATE(Recompute::none, Recompute::full);
    c.trainer.recipe.capacity_factor = GENERATE(1.0, 1.5);
    const auto team = team_of(c);
    REQUIRE(team->step());
    const Scenario s = scenario_of(team->config());
    // 4 experts x 8 (12) rows x 2 sequences x 32 wide in fp32; half of it leaves. 2 micro-batches, 4 layers.
    const std::int64_t rows = c.trainer.recipe.capacity_factor > 1 ? 12 : 8;
    const std::int64_t passes = c.trainer.training.recompute == Recompute::full ? 6 : 4;
    CHECK(sent(*team, 0, "expert") == 2 * 4 * passes * (4 * rows * 2 * 32 * 4) / 2);
    CHECK(static_cast<double>(sent(*team, 3, "expert")) ==
          c.trainer.recipe.capacity_factor * expert_traffic(s).value);
    CHECK(static_cast<double>(sent(*team, 2, "data")) == data_traffic(s, memory_report(s)).value);
}

TEST_CASE("what a rank keeps is what the engine says, to the byte")
{
    const TeamConfig c =
        GENERATE(in_ring(cut(1, false, 1, 2, 1), 2), with_experts(cut(1, false, 1, 4, 0), 4),
                 with_experts(cut(1, false, 1, 4, 1), 2), with_experts(cut(1, false, 1, 4, 3), 2),
                 with_experts(cut(1, false, 2, 2, 0), 2), cut(1, false, 1, 4, 1), cut(1, false, 1, 4, 2),
                 cut(1, false, 1, 4, 3), cut(4, true, 1, 1, 0), cut(2, true, 2, 2, 1));
    const auto team = team_of(c);
    const auto step = team->step();
    REQUIRE(step);
    const MemoryReport predicted = memory_report(scenario_of(team->config()));
    for (std::size_t rank = 0; rank < step->trace.ranks.size(); ++rank)
    {
        const auto stage = static_cast<std::size_t>(team->plan(static_cast<int>(rank)).place.pipeline);
        for (const Component component :
             {Component::weights, Component::gradients, Component::momentum, Component::variance})
        {
            INFO("zero " << c.parallel.zero << ", tensor " << c.parallel.tensor << ", rank " << rank << ", "
                         << name_of(component));
            CHECK(static_cast<double>(step->trace.ranks[rank].memory.of(component)) ==
                  predicted.stages[stage].parts[static_cast<std::size_t>(component)].value);
        }
    }
}

TEST_CASE("a run goes on in another layout as if nothing had happened")
{
    const TeamConfig first = cut(1, false, 1, 4, 2);
    const auto before = team_of(first);
    for (int i = 0; i < 5; ++i)
    {
        REQUIRE(before->step());
    }
    const trainer::TrainerState state = before->state();
    for (const TeamConfig& next : {cut(2, true, 1, 2, 0), cut(1, false, 2, 1, 0), cut(1, false, 1, 1, 0),
                                   in_ring(cut(1, false, 1, 1, 0), 4)})
    {
        const auto after = team_of(next);
        REQUIRE(after->restore(state).empty());
        CHECK(after->state() == state);
        const auto here = after->step();
        REQUIRE(here);
        const auto again = team_of(first);
        REQUIRE(again->restore(state).empty());
        const auto there = again->step();
        REQUIRE(there);
        CHECK(here->result.loss == Catch::Approx(there->result.loss).epsilon(1e-6));
    }
}

TEST_CASE("a strategy is read by its name, and says it again")
{
    const auto name = [](std::string_view strategy, std::int64_t ranks)
    {
        const auto team = with_strategy(small_team().trainer, strategy, ranks);
        return team ? strategy_name(*team) : team.issues().front().message;
    };
    CHECK(name("none", 1) == "none");
    CHECK(name("ddp", 4) == "dp4");
    CHECK(name("zero3", 4) == "dp4-zero3");
    CHECK(name("tp", 2) == "tp2");
    CHECK(name("sp", 4) == "tp4-sp");
    CHECK(name("pp", 4) == "pp4");
    CHECK(name("cp", 4) == "cp4");
    CHECK(name("dp2-cp2", 4) == "dp2-cp2");
    CHECK(name("ep", 4) == "ep4");
    CHECK(name("dp2-ep2", 4) == "dp2-ep2");
    CHECK(name("dp2-ep2-pp2", 8) == "dp2-ep2-pp2");
    CHECK(name("ep2-zero1", 4) == "dp2-ep2-zero1");
    CHECK(name("dp4-ep2", 4) == "4 ranks, but “dp4-ep2” needs 8");
    CHECK(name("dp2-tp2-pp2", 8) == "dp2-tp2-pp2");
    CHECK(name("tp2-sp-zero1", 4) == "dp2-tp2-sp-zero1");
    CHECK(name("dp3-tp2", 8) == "8 ranks, but “dp3-tp2” needs 6");
    CHECK(name("faster", 2) == "“faster” in “faster” is not a strategy");
    CHECK(name("tp2-", 2) == "“” in “tp2-” is not a strategy");
    CHECK(name("zero4", 2) == "“zero4” in “zero4” is not a strategy");
    CHECK(name("tp99999999999999999999", 2).ends_with("is not a strategy"));
    CHECK(name("dp999999999999-tp999999999999", 2).ends_with("is not a strategy"));
    CHECK(name("zero", 2) == "“zero” in “zero” is not a strategy");
}

TEST_CASE("a strategy that says an axis twice is refused, and no ranks are no strategy's fault")
{
    const auto line = [](std::string_view strategy, std::int64_t ranks)
    {
        const auto team = with_strategy(small_team().trainer, strategy, ranks);
        return team ? strategy_name(*team) : to_line(team.issues().front());
    };
    CHECK(line("dp2-dp2-dp4", 4) == "--strategy: “dp2” in “dp2-dp2-dp4” repeats what was said before it (use "
                                    "every word once, such as dp2-tp2-pp2)");
    for (const char* strategy : {"ddp2-dp4", "tp2-tp2", "dp2-zero1-zero2", "tp2-sp-sp"})
    {
        INFO(strategy);
        CHECK(line(strategy, 4).find("repeats what was said before it") != std::string::npos);
    }
    CHECK(line("ddp", 0) == "--ranks: 0 is out of range (use 1 or more)");
    CHECK(line("none", -3) == "--ranks: -3 is out of range (use 1 or more)");
}

TEST_CASE("a rank that dies, or leaves a collective out, is named with the call the others wait in")
{
    for (const RankFault fault : {RankFault::dead, RankFault::left_out})
    {
        const auto team = team_of(cut(1, false, 1, 4, 0));
        REQUIRE(team->step());
        const auto step = team->step({fault, 2, 0}, 0.2);
        INFO(name_of(fault));
        REQUIRE_FALSE(step);
        INFO(step.issues().front().message);
        CHECK(step.issues().front().message.find("rank 2") != std::string::npos);
        CHECK(step.issues().front().message.find("data") != std::string::npos);
    }
}

TEST_CASE("a slow rank makes all of them slow, and no number other than it was")
{
    const TeamConfig c = cut(1, false, 1, 4, 0);
    const auto team = team_of(c);
    const auto slow = team_of(c);
    const auto there = team->step();
    const auto here = slow->step({RankFault::slow, 1, 0.01});
    REQUIRE(there);
    REQUIRE(here);
    CHECK(here->result.loss == there->result.loss);
    // Two forwards and two backwards, each of them later.
    CHECK(here->trace.seconds > 0.04);
}

TEST_CASE("a NaN on one rank reaches every rank, and the step changes nothing")
{
    const auto team = team_of(cut(1, false, 1, 4, 0));
    REQUIRE(team->step());
    const trainer::TrainerState before = team->state();
    const auto step = team->step({RankFault::not_a_number, 3, 0});
    REQUIRE(step);
    CHECK(step->result.skipped);
    CHECK(std::isnan(step->result.gradient_norm));
    CHECK(team->state().parts == before.parts);
}

TEST_CASE("a step is seen as it was: every operation once, inside the step, and the bytes by axis")
{
    const auto team = team_of(cut(2, false, 2, 2, 1));
    const auto step = team->step();
    REQUIRE(step);
    for (std::size_t rank = 0; rank < step->trace.ranks.size(); ++rank)
    {
        const RankTrace& r = step->trace.ranks[rank];
        const RankPlan& plan = team->plan(static_cast<int>(rank));
        REQUIRE(r.work.size() == plan.order.size());
        for (std::size_t i = 0; i < r.work.size(); ++i)
        {
            CHECK(r.work[i].operation == plan.order[i]);
            CHECK((0 <= r.work[i].start && r.work[i].start <= r.work[i].end &&
                   r.work[i].end <= step->trace.seconds));
        }
        for (const RankTrace::Sent& sent : r.sent)
        {
            CHECK(sent.bytes > 0);
        }
        CHECK(r.sent.size() == 4); // control, data, pipeline, tensor
    }
}

TEST_CASE("a team can be started and ended again and again, and ended in the middle of a step")
{
    for (int i = 0; i < 200; ++i)
    {
        const auto team = team_of(cut(1, false, 2, 1, 0));
        if (i % 4 == 0)
        {
            std::thread other([&] { team->abort("enough"); });
            team->step();
            other.join();
        }
        else
        {
            REQUIRE(team->step());
        }
    }
}

TEST_CASE("what cannot be cut is refused with the field, and what would work")
{
    TeamConfig c = small_team();
    c.parallel.tensor = 3;
    c.ranks = 3;
    auto made = Team::create(c);
    REQUIRE_FALSE(made);
    CHECK(made.issues().front().path == "parallel.tensor");
    CHECK(made.issues().front().hint == "use a divisor of 4");

    c = cut(1, false, 1, 4, 0);
    c.ranks = 65;
    made = Team::create(c);
    REQUIRE_FALSE(made);
    CHECK(made.issues().front().path == "ranks");

    const auto refused = [](const TeamConfig& config)
    {
        const auto team = Team::create(config);
        return team ? std::string() : team.issues().front().path;
    };
    c = cut(1, false, 1, 4, 0);
    c.parallel.expert = 4;
    CHECK(refused(c) == "parallel.expert"); // no experts
    c = with_experts(cut(1, false, 1, 3, 0), 3);
    c.trainer.training.global_batch = 12;
    CHECK(refused(c) == "parallel.expert"); // of 4
    CHECK(refused(with_experts(cut(2, false, 1, 2, 0), 2)) == "parallel.tensor");
    CHECK(refused(with_experts(in_ring(cut(1, false, 1, 2, 0), 2), 2)) == "parallel.context");

    c = cut(1, false, 2, 1, 2);
    c.trainer.model.tied_embeddings = true;
    made = Team::create(c);
    REQUIRE_FALSE(made);
    CHECK(made.issues().front().path == "parallel.zero");
}
