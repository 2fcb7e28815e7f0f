// ringside-rank: one rank of several processes. mpirun starts it; every command is carried out by all ranks
// together.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands/console/misuse.h"
#include "app/commands/console/option_check.h"
#include "app/files/streams.h"
#include "app/rank/train.h"
#include "core/lab/ranks/communication/communicator_check.h"

#include <exception>

namespace
{

using namespace ringside;

struct CheckOptions
{
    int ranks_expected = 0; // 0: any number
    int rounds = 1;
};

// What ranks may be asked for.
struct Options
{
    bool check = false;
    CheckOptions checking;
    RankTrainOptions training;
};

void add_check(CLI::App& app, Options& o)
{
    auto* check = app.add_flag("--check-communicator", o.check,
                               "check that ranks reach each other and get the same bits as threads");
    app.add_option("--ranks-expected", o.checking.ranks_expected, "fail if there are more or fewer ranks")
        ->needs(check)
        ->transform(in_range(1, 1 << 20));
    app.add_option("--rounds", o.checking.rounds, "rounds, each with other numbers")
        ->needs(check)
        ->transform(in_range(1, 1'000'000));
}

void add_train(CLI::App& app, Options& o)
{
    RankTrainOptions& t = o.training;
    auto* train =
        app.add_option("--train", t.from, "resume from a checkpoint that ringside train --save wrote");
    app.add_option("--strategy", t.strategy,
                   "ddp, zero1, zero2, zero3, tp, sp, cp, ep, pp, or a product such as dp2-tp2-pp2")
        ->needs(train)
        ->capture_default_str();
    auto* compress =
        app.add_option("--compress", t.compress,
                       "compression of gradients between ranks: none, bf16, fp16, top-k=0.01, random-k=0.01, "
                       "sign or powersgd=2")
            ->needs(train)
            ->capture_default_str();
    app.add_flag("--no-feedback", t.no_feedback, "no error feedback: the compression error is dropped")
        ->needs(compress);
    app.add_option("--steps", t.steps, "optimizer steps to train")
        ->needs(train)
        ->capture_default_str()
        ->transform(in_range(0, kMostSteps));
    app.add_option("--save", t.save, "write a checkpoint at the end, also when a signal ends the training")
        ->needs(train);
    app.add_option("--live", t.live, "keep this file up to date, for ringside --watch")->needs(train);
    app.add_option(
           "--snapshot", t.snapshot,
           "every rank writes a memory snapshot of its last step as PyTorch does (-rank0), for ringside "
           "import run")
        ->needs(train);
    app.add_option("--trace", t.trace,
                   "every rank writes a trace of its last step as PyTorch's profiler does (-rank0), for "
                   "ringside import run and Perfetto")
        ->needs(train);
    app.add_flag("--json-lines", t.json_lines, "one JSON object per step")->needs(train);
}

// Whether ranks reach each other here, and get the bits that threads get. Rank 0 says what was found.
int run_rank_check(parallel::MpiWorld& world, const CheckOptions& options)
{
    // The others hear of it.
    if (world.rank() == 0 && options.ranks_expected > 0 && world.ranks() != options.ranks_expected)
    {
        throw std::runtime_error(
            fmt::format("{} ranks were started, not {}", world.ranks(), options.ranks_expected));
    }
    std::size_t calls = 0;
    for (int round = 1; round <= options.rounds; ++round)
    {
        const auto seed = static_cast<std::uint64_t>(round);
        const auto checked = parallel::check_communicator(world, seed);
        const std::string wrong = parallel::compare_with_threads(world, checked, seed);
        if (!wrong.empty())
        {
            throw std::runtime_error(wrong);
        }
        calls += checked.size();
    }
    if (world.rank() == 0)
    {
        put("{} ranks by {}: {} calls on each, all with the bits of threads\n", world.ranks(),
            world.library(), calls);
    }
    return 0;
}

// Every rank hears the reason, but one rank says it.
int carry_out(parallel::MpiWorld& world, const Options& o)
{
    try
    {
        return o.check ? run_rank_check(world, o.checking) : run_rank_train(world, o.training);
    }
    catch (const parallel::Aborted&)
    {
        return 1;
    }
    catch (const std::exception& fault)
    {
        warn("rank {} on {}: {}\n", world.rank(), world.host(), fault.what());
        world.abort(fault.what());
        return 1;
    }
}

int run(int argc, char** argv)
{
    CLI::App app("Ranks of one training as processes, for example:\n"
                 "  mpirun -n 4 ringside-rank --check-communicator\n"
                 "  ringside train --steps 0 --save start\n"
                 "  mpirun -n 4 ringside-rank --train start --strategy dp2-tp2 --live now\n"
                 "  ringside --watch now",
                 "ringside-rank");
    Options options;
    add_check(app, options);
    add_train(app, options);
    if (const auto status = parse(app, argc, argv))
    {
        return *status;
    }
    if (!options.check && options.training.from.empty())
    {
        return print_faults(
            {{"ringside-rank", "nothing to do", "give --check-communicator or --train FILE"}});
    }
    const auto world = parallel::MpiWorld::start(&argc, &argv);
    world->tell_of_waits(
        [&world](int from, double seconds)
        {
            warn("rank {} on {}: has waited {:.0f} s for rank {} (the rank that says nothing is stopped, "
                 "hung or "
                 "still computing)\n",
                 world->rank(), world->host(), seconds, from);
        });
    return carry_out(*world, options);
}

} // namespace

int main(int argc, char** argv)
{
    keep_streams();
    int status = kNo;
    if (const auto thrown = caught([&] { status = run(argc, argv); }))
    {
        print_thrown(thrown);
    }
    return flushed(status);
}
