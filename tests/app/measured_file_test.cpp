// The measured runs that ship: read, and shown by the Accuracy view source by source.
#include "tests/core/support.h"

#include "app/files/measured_file.h"
#include "app/session/set_up.h"
#include "core/evaluate/accuracy.h"
#include "ui/shell/frame/measured_frame.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("every source of measured runs has a title, a place where it is published, and runs")
{
    const Presets& presets = test::presets();
    const auto sets = measured_sources(test::source_path("assets"), presets);
    REQUIRE(sets);
    CHECK(sets->size() >= 12);
    for (const MeasuredSet& set : *sets)
    {
        INFO(set.name);
        CHECK(set.title != set.name);
        CHECK_FALSE(set.source.empty());
        CHECK_FALSE(set.rows.empty());
    }
}

TEST_CASE("a session computes one source of measured runs each time it is asked, until all are there")
{
    const Presets& presets = test::presets();
    Session session(presets, default_scenario(presets));
    CHECK(session.frame(0).accuracy == nullptr);
    set_up_measured(session, test::source_path("assets"), presets);
    for (int i = 0; i < 3; ++i)
    {
        session.apply(Command::next_accuracy);
        REQUIRE(session.frame(0).accuracy != nullptr);
        CHECK(session.frame(0).accuracy->sources.size() == static_cast<std::size_t>(i + 1));
        CHECK_FALSE(session.frame(0).accuracy->done());
    }
    Session bare(presets, default_scenario(presets));
    bare.apply(Command::next_accuracy);
    CHECK(bare.frame(0).accuracy->done());
    CHECK(bare.frame(0).accuracy->issues.size() == 1);
}
