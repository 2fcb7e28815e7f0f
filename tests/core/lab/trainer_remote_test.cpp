// A run beyond a line is the run itself: what is asked, and what comes back.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/remote.h"

#include <queue>

using namespace ringside;
using namespace ringside::test;
using trainer::RemoteRun;
using trainer::RunSettings;
using trainer::TrainingRun;

namespace
{

TrainingRun::OpenBackend on_cpu()
{
    return [] { return std::make_unique<trainer::CpuBackend>(1); };
}

// Both ends, with what is under way between them.
struct Wire
{
    RemoteRun::OpenLine open()
    {
        return [this](RemoteRun::Receive receive, RemoteRun::LostLine lost)
        {
            here = std::move(receive);
            breaks = std::move(lost);
            struct Sender : trainer::Line
            {
                explicit Sender(Wire& w) : wire(w) {}
                void send(std::string bytes) override { wire.out.push(std::move(bytes)); }
                Wire& wire;
            };
            return std::make_unique<Sender>(*this);
        };
    }
    void deliver()
    {
        for (; !out.empty(); out.pop())
        {
            host.receive(out.front());
        }
    }
    // Until there is nothing left to do.
    void settle()
    {
        deliver();
        while (host.work(0))
        {
        }
    }

    std::queue<std::string> out = {};
    RemoteRun::Receive here = {};
    RemoteRun::LostLine breaks = {};
    trainer::RunHost host{on_cpu(), [this](std::string_view bytes) { here(bytes); }};
};

RunSettings up_to(std::int64_t step)
{
    RunSettings s;
    s.last_step = step;
    s.threaded = false;
    return s;
}

void finish(TrainingRun& run)
{
    while (run.advance(0))
    {
    }
}

} // namespace

TEST_CASE("a run beyond a line shows what the same run here shows")
{
    TrainerConfig c = tiny_config();
    c.model.experts = 4;
    c.model.experts_per_token = 2;
    RunSettings settings = up_to(12);
    settings.sample_every = 5;
    settings.sample_tokens = 6;
    TrainerConfig turned = c;
    turned.recipe.learning_rate = 0.5;
    settings.plan = {{3, Intervention::Kind::turn_knobs, turned, 0},
                     {6, Intervention::Kind::forget_optimizer, {}, 0}};
    TrainingRun near(c, on_cpu(), settings);
    Wire wire;
    const RemoteRun far(c, wire.open(), settings);
    CHECK(far.snapshot()->state == RunState::running);
    CHECK_FALSE(far.wait_until_idle(0));
    finish(near);
    wire.settle();
    REQUIRE(far.wait_until_idle(0));
    const auto a = near.snapshot();
    const auto b = far.snapshot();
    CHECK(b->state == RunState::paused);
    CHECK(b->step == 12);
    CHECK(a->losses == b->losses);
    CHECK(a->norms == b->norms);
    CHECK(a->rates == b->rates);
    CHECK(a->config == b->config);
    CHECK(a->changes == b->changes);
    CHECK(b->changes.size() == 1);
    CHECK(a->device == b->device);
    CHECK(a->sample == b->sample);
    CHECK(a->sample_step == 10);
    CHECK(a->experts == b->experts);
    CHECK(a->marks == b->marks);
    CHECK(a->memory == b->memory);
    CHECK(a->highest == b->highest);
    CHECK(a->timeline.size() == b->timeline.size());
    CHECK(a->activations.counts == b->activations.counts);
    CHECK(a->noise_scale == b->noise_scale);
}

TEST_CASE("a run beyond a line does what it is asked, and is idle only when all is done")
{
    Wire wire;
    RunSettings settings;
    settings.paused = true;
    RemoteRun run(tiny_config(), wire.open(), settings);
    wire.settle();
    REQUIRE(run.wait_until_idle(0));
    run.step_once();
    CHECK_FALSE(run.wait_until_idle(0)); // the command is under way
    wire.settle();
    CHECK(run.wait_until_idle(0));
    CHECK(run.snapshot()->step == 1);
    run.mark();
    run.step_once();
    wire.settle();
    run.step_once();
    run.sample();
    wire.settle();
    CHECK(run.snapshot()->step == 3);
    CHECK(run.snapshot()->sample_step == 2); // commands come before the next step
    std::optional<trainer::Checkpoint> taken;
    run.checkpoint([&](const trainer::Checkpoint& c) { taken = c; });
    run.rewind(2);
    wire.settle();
    CHECK(run.snapshot()->step == 1);
    REQUIRE(taken);
    CHECK(taken->state.step == 3);
    CHECK(taken->config == run.snapshot()->config);

    TrainerConfig other = tiny_config();
    other.model.hidden = 32;
    run.change(other);
    wire.settle();
    REQUIRE_FALSE(run.snapshot()->events.empty());
    CHECK(run.snapshot()->events.back().text.starts_with("not changed: "));
    run.resume();
    wire.deliver();
    wire.host.work(0);
    CHECK(run.snapshot()->state == RunState::running);
    run.pause();
    wire.settle();
    CHECK(run.snapshot()->state == RunState::paused);

    // Gone on from the state, as the run here goes on.
    Wire second;
    RemoteRun again(taken->config, second.open(), up_to(8), taken->state);
    second.settle();
    TrainingRun near(taken->config, on_cpu(), up_to(8), taken->state);
    finish(near);
    CHECK(again.snapshot()->losses == near.snapshot()->losses);
    CHECK(again.snapshot()->step == 8);
}

TEST_CASE("a line that breaks, and a model that cannot be trained, end the run with a reason")
{
    Wire wire;
    RemoteRun run(tiny_config(), wire.open());
    wire.breaks("the worker could not be loaded");
    CHECK(run.snapshot()->state == RunState::failed);
    CHECK(run.snapshot()->message == "the worker could not be loaded");
    CHECK(run.wait_until_idle(0));

    Wire other;
    TrainerConfig c = tiny_config();
    c.memory_budget = 1000;
    const RemoteRun small(c, other.open());
    other.settle();
    CHECK(small.snapshot()->state == RunState::failed);
    CHECK(small.wait_until_idle(0));
}
