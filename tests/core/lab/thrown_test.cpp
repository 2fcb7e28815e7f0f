// An exception in a thread of the lab is its caller's, or a result; it never ends the program.
#include "core/lab/ranks/communication/thread_world.h"
#include "core/lab/ranks/saver.h"
#include "core/lab/trainer/cpu/pool.h"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <new>
#include <stdexcept>

using namespace ringside;

TEST_CASE("what a part of a loop throws is the caller's, whichever thread it ran on, and the pool goes on")
{
    for (const std::size_t threads : {1U, 4U})
    {
        trainer::cpu::Pool pool(threads);
        for (const trainer::Index bad : {0, 17, 63})
        {
            CHECK_THROWS_AS(pool.run(64,
                                     [&](trainer::Index part, std::size_t)
                                     {
                                         if (part == bad)
                                         {
                                             throw std::bad_alloc();
                                         }
                                     }),
                            std::bad_alloc);
        }
        std::atomic<int> done = 0;
        pool.run(64, [&](trainer::Index, std::size_t) { ++done; });
        CHECK(done == 64);
    }
}

TEST_CASE("what making or writing a save throws is the fault of that save, and the next one is made")
{
    parallel::Saver saver;
    saver.begin([]() -> std::string { throw std::bad_alloc(); }, [](const std::string&) { return Issues(); },
                0);
    saver.wait();
    auto done = saver.take();
    REQUIRE(done);
    CHECK(done->issues.front().path == "memory");
    saver.begin([] { return std::string("text"); },
                [](const std::string&) -> Issues { throw std::runtime_error("the disk is gone"); }, 0);
    saver.wait();
    done = saver.take();
    REQUIRE(done);
    CHECK(done->issues.front().message == "the disk is gone");
    saver.begin([] { return std::string("text"); }, [](const std::string&) { return Issues(); }, 0);
    saver.wait();
    done = saver.take();
    REQUIRE(done);
    CHECK(done->issues.empty());
    CHECK(done->bytes == 4);
}

TEST_CASE("what a rank throws ends the wait of the others and is the caller's")
{
    parallel::ThreadWorld world(4);
    CHECK_THROWS_AS(world.run(
                        [](parallel::Transport& transport)
                        {
                            if (transport.rank() == 2)
                            {
                                throw std::bad_alloc();
                            }
                        }),
                    std::bad_alloc);
    CHECK(world.aborted());
}
