// A snapshot of what the trainer allocated and a trace of what a rank did, read back as My run reads them.
#include "tests/core/lab/trainer_support.h"

#include "app/commands/train/train_snapshot.h"
#include "app/commands/train/train_trace.h"
#include "core/lab/ranks/team.h"
#include "core/runs/run.h"

#include <catch2/catch_approx.hpp>

using namespace ringside;

namespace
{

MemorySnapshot read_back(const AllocationLog& log)
{
    const auto run = read_run({run_file("memory.pickle", snapshot_text(log))});
    REQUIRE(run);
    REQUIRE(run->snapshot);
    return *run->snapshot;
}

// In use after the step, by what it is for.
MemoryUse held_in(const AllocationLog& log)
{
    MemoryUse use;
    for (const ArenaBuffer& buffer : log.buffers)
    {
        use.of(buffer.component) += buffer.in_use ? buffer.bytes : 0;
    }
    return use;
}

void check_same(const AllocationLog& log, const MemoryUse& memory, const MemoryUse& peak)
{
    CHECK(held_in(log) == memory);
    const MemorySnapshot read = read_back(log);
    CHECK(read.peak == peak.total());
    CHECK(read.requested == memory.total());
    CHECK(read.live == memory.total());
    CHECK(read.peak_reserved >= read.peak);
    CHECK(read.events > 0);
    std::int64_t in_parts = 0;
    for (const SnapshotGroup& part : read.parts)
    {
        in_parts += part.total();
    }
    CHECK(in_parts == memory.total());
}

} // namespace

TEST_CASE("a snapshot of the trainer's step has its peak and what it holds, to the byte")
{
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
    {
        for (const std::int64_t experts : {0, 4})
        {
            TrainerConfig c = test::tiny_config();
            c.training.recompute = recompute;
            c.training.global_batch = 2 * c.training.micro_batch;
            c.model.experts = experts;
            c.model.experts_per_token = experts > 0 ? 2 : 0;
            INFO(name_of(recompute) << ", " << experts << " experts");
            const auto t = test::make_trainer(c);
            t->record_allocations();
            trainer::StepView view;
            for (int step = 0; step < 3; ++step)
            {
                test::step(*t, &view);
                check_same(t->allocations(), view.memory, view.peak);
            }
        }
    }
}

TEST_CASE("blocks of the trainer's snapshot say what they are for and where in the step they were made")
{
    TrainerConfig c = test::tiny_config();
    const auto t = test::make_trainer(c);
    t->record_allocations();
    trainer::StepView view;
    test::step(*t, &view);
    const MemorySnapshot read = read_back(t->allocations());
    const auto total = [&](std::string_view by)
    {
        std::int64_t bytes = 0;
        for (const SnapshotGroup& group : read.peak_lines)
        {
            bytes += group.by == by ? group.total() : 0;
        }
        return bytes;
    };
    CHECK(total("model.py:weights:0") == view.memory.of(Component::weights));
    CHECK(total("backward.py:gradients:0") == view.memory.of(Component::gradients));
    CHECK(total("step.py:momentum:0") == view.memory.of(Component::momentum));
    // Both layers are alike, and at the peak the backward has not freed the first one's.
    CHECK(total("forward.py:activations, layer 0 forward:0") > 0);
    // What was taken in the step was given back in it, so only the state is left.
    CHECK(view.memory.of(Component::activations) == 0);
}

TEST_CASE("each rank of a team has a snapshot of its own, with its own peak")
{
    TeamConfig c;
    c.trainer = test::tiny_config();
    c.trainer.training.global_batch = 2 * c.trainer.training.micro_batch;
    const auto cut = with_strategy(c.trainer, "zero2", 2);
    REQUIRE(cut);
    const auto team = parallel::Team::create(*cut);
    REQUIRE(team);
    (*team)->record_allocations();
    const auto step = (*team)->step();
    REQUIRE(step);
    for (int rank = 0; rank < 2; ++rank)
    {
        const RankTrace& trace = step->trace.ranks[static_cast<std::size_t>(rank)];
        check_same((*team)->allocations(rank), trace.memory, trace.peak);
    }
    CHECK(snapshot_name("run/memory.pickle", 3) == "run/memory-rank3.pickle");
    CHECK(rank_of_name(snapshot_name("memory.pickle", 3)) == 3);
}

TEST_CASE("a rank's step is a trace that reads back: its operations compute, its messages are communication")
{
    TeamStepTrace step;
    step.step = 7;
    step.ranks.resize(2);
    RankTrace& own = step.ranks[1];
    own.work.push_back({{Pass::forward, false, 0, 2}, 0.001, 0.003});
    own.work.push_back({{Pass::backward, false, 0, 2}, 0.004, 0.008});
    own.messages.push_back({"data", "all-reduce", 4096, 0.007, 0.010, 0});
    own.messages.push_back({"tensor", "all-reduce", 4096, 0.0015, 0.002, 0}); // the forward waits for it
    const auto run = read_run({run_file("trace-rank1.json", trace_text(step, 1))});
    REQUIRE(run);
    REQUIRE(run->traces.size() == 1);
    const GpuTrace& trace = run->traces.front();
    CHECK(trace.rank == 1);
    CHECK(trace.world == 2);
    CHECK(trace.timeline.total == Catch::Approx(0.009));
    CHECK(trace.timeline.computing == Catch::Approx(0.0055));
    CHECK(trace.timeline.communication == Catch::Approx(0.0035));
    CHECK(trace.timeline.exposed_communication == Catch::Approx(0.0025));
    CHECK(trace.timeline.idle == Catch::Approx(0.001));
    REQUIRE(trace.steps.size() == 1);
    CHECK(trace.steps.front().name == "ProfilerStep#7");
    REQUIRE(trace.collectives.size() == 2);
    CHECK(trace.collectives.front().name == "all-reduce");
}
