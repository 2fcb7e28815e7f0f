// Effective training time from 1,000 to 100,000 GPUs against published fleets, and warm spares by hand.
#include "core/reliability/fleet.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

TEST_CASE(
    "published: Llama 3's 466 interruptions in 54 days on 16,384 GPUs, and one in 27 minutes on 100,000")
{
    const FleetPlan plan;
    CHECK(54 * 86400 / fleet_between(plan, 16384) == Approx(466));
    CHECK(fleet_between(plan, 100000) / 60 == Approx(27).margin(0.5));
    CHECK(effective_time(plan, Recovery::spares, 16384) > 0.90); // section 3.3.4
}

TEST_CASE(
    "published: one rate of failures explains both of FT-HSDP's figures, 44% and 80% with stalls of 10 and 3 "
    "minutes")
{
    FleetPlan plan;
    plan.checkpoint = 0; // all that a failure costs is in the stall
    plan.step_s = 1e-3;
    plan.replica_gpus = 1024;
    // e^(-10 min / M) = 44%
    plan.gpu_hours = 100000 * (10.0 / 60) / -std::log(0.44);
    CHECK(effective_time(plan, Recovery::memory, 100000) == Approx(0.44).margin(0.01));
    CHECK(effective_time(plan, Recovery::replica, 100000) == Approx(0.80).margin(0.04));
}

TEST_CASE("published: ByteRobust's 97% on 9,600 GPUs, with in-memory checkpoints and warm spares")
{
    const FleetPlan plan;
    CHECK(effective_time(plan, Recovery::memory, 9600) == Approx(0.97).margin(0.015));
}

TEST_CASE("each way to recover loses less than the one before, and all lose more on more GPUs")
{
    FleetPlan plan;
    plan.replica_gpus = 256;
    for (double gpus = 1024; gpus <= 131072; gpus *= 2)
    {
        double last = 0;
        for (const Recovery recovery : every<Recovery>())
        {
            const double share = effective_time(plan, recovery, gpus);
            CHECK(share >= last);
            CHECK(share <= 1);
            CHECK(effective_time(plan, recovery, 2 * gpus) <= share);
            last = share;
        }
    }
}

TEST_CASE("hand-worked: nodes in repair, and the spares that are enough")
{
    const FleetPlan plan;
    CHECK(nodes_away(plan, 16384) == Approx(0.78 * 466 / 54));
    CHECK(poisson_at_most(2, 0) == Approx(std::exp(-2.0)));
    CHECK(poisson_at_most(2, 4) == Approx(7 * std::exp(-2.0)));
    CHECK(spares_for(2, 0.9) == 4);
    CHECK(spares_for(2, 0.95) == 5);
    CHECK(spares_for(0, 0.99) == 0);
    CHECK(spares_for(400, 0.5) == 400);
}
