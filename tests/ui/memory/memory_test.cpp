// The memory breakdown at sizes where bars have room and where they have none.
#include "tests/ui/words.h"

#include "core/base/text/text.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using test::says;
using test::Window;

TEST_CASE("what each way to save memory costs is said whole at 1280 x 800, for a presenter too")
{
    for (const bool presenter : {false, true})
    {
        Preferences p;
        p.presenter = presenter;
        Window w({1280, 800}, p);
        w.open("memory");
        w.settle(600);
        INFO(test::text_of(w));
        CHECK(says(w, "step bubble"));
        CHECK_FALSE(says(w, "\u2026"));
    }
}

TEST_CASE("where not all stages have a row the peak-memory stage has one")
{
    Preferences p;
    p.text_scale = 2.5F;
    Window w({640, 480}, p);
    w.open("memory");
    w.settle(300);
    const MemoryReport& memory = w.session().now().report->memory;
    CHECK(says(w, "stage " + std::to_string(memory.fullest)));
    CHECK(says(w, format_gigabytes(memory.worst().total())));
    CHECK(test::words_on_each_other(w) == "");
}

TEST_CASE("a breakdown of petabytes counts in terabytes, and says what its peak-memory stage needs")
{
    Window w({1024, 700});
    w.open("memory");
    Scenario s = w.session().scenario();
    s.parallel.pipeline = 16;
    s.training.sequence_length = std::int64_t{1} << 23;
    s.training.flash_attention = false;
    w.session().apply(ChangeScenario{s});
    w.settle(500);
    CHECK(says(w, "TB per GPU"));
    const StageMemory& worst = w.session().now().report->memory.worst();
    const ByteScale scale = byte_scale(worst.total());
    CHECK(scale.name == "TB");
    CHECK(says(w, scale.words(worst.total())));
    CHECK(test::words_on_each_other(w) == "");
    CHECK(test::cut_words(w) == "");
}

TEST_CASE("bars that come back do not come from another scenario's petabytes")
{
    Window w;
    w.open("memory");
    const auto show = [&](std::int64_t stages, std::int64_t sequence)
    {
        Scenario s = default_scenario(test::presets());
        s.parallel.pipeline = stages;
        s.training.sequence_length = sequence;
        s.training.flash_attention = false;
        w.session().apply(ChangeScenario{s});
    };
    show(16, std::int64_t{1} << 23);
    w.settle(500);
    show(1, 8192);
    w.settle(500);
    show(16, 8192);
    for (int i = 0; i < 30; ++i)
    {
        w.frames(1);
        REQUIRE(w.drawn().fault == "");
    }
}

TEST_CASE("the caption says most of a component only where it is most")
{
    Window w;
    w.open("memory");
    w.settle(300);
    CHECK(says(w, "most of it activations"));
    Scenario s = w.session().scenario();
    s.training.recompute = Recompute::full;
    w.session().apply(ChangeScenario{s});
    w.settle(300);
    const StageMemory& m = w.session().now().report->memory.worst();
    REQUIRE(*std::max_element(m.parts.begin(), m.parts.end()) < 0.5 * m.total());
    CHECK(says(w, "its largest part gradients"));
}
