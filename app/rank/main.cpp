// ringside-rank: one rank of several processes. mpirun starts it; every command is carried out by all ranks
// together.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/rank/check.h"
#include "app/rank/train.h"

#include <exception>

namespace
{

using namespace ringside;

// What ranks may be asked for, and how it went.
struct Options
{
    bool check = false;
    RankCheckOptions checking;
    RankTrainOptions training;
};

void add_check(CLI::App& app, Options& o)
{
    auto* check = app.add_flag("--check-communicator", o.check,
                               "whether ranks reach each other and get the bits that threads get");
    app.add_option("--ranks-expected", o.checking.ranks_expected,
                   "it is a fault when there are more or fewer")
        ->needs(check)
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--rounds", o.checking.rounds, "again and again, with other numbers")
        ->needs(check)
        ->check(CLI::Range(1, 1000000));
}

void add_train(CLI::App& app, Options& o)
{
    RankTrainOptions& t = o.training;
    auto* train =
        app.add_option("--train", t.from, "goes on from a file that ringside train --save has written");
    app.add_option("--strategy", t.strategy,
                   "ddp, zero1, zero2, zero3, tp, sp, cp, ep, pp, or a product such as dp2-tp2-pp2")
        ->needs(train)
        ->capture_default_str();
    auto* compress = app.add_option("--compress", t.compress,
                                    "gradients between ranks: none, bf16, fp16, top-k=0.01, random-k=0.01, "
                                    "sign or powersgd=2")
                         ->needs(train)
                         ->capture_default_str();
    app.add_flag("--no-feedback", t.no_feedback, "what is not sent is lost instead of kept for later")
        ->needs(compress);
    app.add_option("--steps", t.steps, "optimizer steps from there on")
        ->needs(train)
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app.add_option("--save", t.save, "writes everything to go on from into this file at the end")
        ->needs(train);
    app.add_option("--live", t.live, "keeps this file up to date, for ringside --watch to show")
        ->needs(train);
    app.add_flag("--json-lines", t.json_lines, "one JSON object for each step")->needs(train);
}

int work(parallel::MpiWorld& world, const Options& o)
{
    return o.check ? run_rank_check(world, o.checking) : run_rank_train(world, o.training);
}

// Everybody hears the reason, but one rank says it.
int carry_out(parallel::MpiWorld& world, const Options& o)
{
    try
    {
        return work(world, o);
    }
    catch (const parallel::Aborted&)
    {
        return 1;
    }
    catch (const std::exception& fault)
    {
        fmt::print(stderr, "rank {} on {}: {}\n", world.rank(), world.host(), fault.what());
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
    app.require_option(1, 0);
    CLI11_PARSE(app, argc, argv);
    if (!options.check && options.training.from.empty())
    {
        fmt::print(stderr, "say --check-communicator or --train FILE; --help tells more\n");
        return 2;
    }
    parallel::MpiWorld world(&argc, &argv);
    return carry_out(world, options);
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        return run(argc, argv);
    }
    catch (const std::exception& fault)
    {
        fmt::print(stderr, "{}\n", fault.what());
        return 1;
    }
}
