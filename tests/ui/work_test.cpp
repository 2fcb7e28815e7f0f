// Pictures of views that work longer than a frame: the same bytes whether all of the work is done at once, a
// slice each frame, or by threads; and what they say of work that fails.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "app/session/session.h"
#include "core/base/caught.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <chrono>
#include <new>
#include <thread>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

constexpr std::array<std::string_view, 9> kWorking{"planner",
                                                   "decide",
                                                   "frontier",
                                                   "growth",
                                                   "waterfall/sensitivity",
                                                   "slo/price",
                                                   "slo/split",
                                                   "compression/compressors",
                                                   "experts"};

// A scenario that is small enough to be searched whole in a test.
Scenario small()
{
    return test::scenario(R"({"model": "mixtral-8x7b", "cluster": {"gpus": 32},
                              "parallel": {"pipeline": 4, "expert": 8}, "training": {"global_batch": 64}})");
}

// What is on show, written down as shapes once nothing is under way.
std::string drawn(std::string_view place, WorkPace pace)
{
    Preferences still;
    still.reduced_motion = true;
    Window w({1280, 800}, still);
    w.session().set_works(std::make_unique<WorkRunner>(pace, 3));
    w.session().apply(ChangeScenario{small()});
    w.open(place);
    w.frame();
    for (int i = 0; i < 100'000 && w.session().works().busy(); ++i)
    {
        if (pace == WorkPace::threaded)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        w.frame();
    }
    w.session().say({});
    w.frames(5);
    w.settle(5000);
    Sketch sketch;
    w.drawing.set_sketch(&sketch);
    w.frame();
    w.drawing.set_sketch(nullptr);
    return w.drawing.svg(sketch, w.session());
}

// Every request fails as if memory ran out.
class NoMemory final : public Works
{
private:
    const AnyAnswer& ask(const WorkKind&, const void*) override
    {
        answer_ = failed_work(std::make_exception_ptr(std::bad_alloc()));
        return answer_;
    }

    AnyAnswer answer_;
};

} // namespace

TEST_CASE("a picture has the same bytes however its work was done")
{
    for (const std::string_view place : kWorking)
    {
        INFO(place);
        const std::string whole = drawn(place, WorkPace::at_once);
        CHECK(whole.size() > 10'000);
        CHECK(drawn(place, WorkPace::sliced) == whole);
        if (place != "planner") // each thread of a search keeps points of its own for the chart
        {
            CHECK(drawn(place, WorkPace::threaded) == whole);
        }
    }
}

TEST_CASE("work that is done at once leaves no frame that shows a part of it")
{
    for (const std::string_view place : kWorking)
    {
        INFO(place);
        Window w;
        w.session().set_works(std::make_unique<WorkRunner>(WorkPace::at_once));
        w.session().apply(ChangeScenario{small()});
        w.open(place);
        w.frame();
        CHECK_FALSE(w.session().works().busy());
    }
}

TEST_CASE("a view whose work runs out of memory says so in its picture or its caption")
{
    const Scenario s = small();
    Evaluated now(s, *evaluate(s));
    const Issues none;
    const Preferences preferences;
    const std::string view = "planner";
    const Notice notice;
    NoMemory works;
    for (const std::string_view place : kWorking)
    {
        INFO(place);
        Frame frame{s, none, now, nullptr, test::presets(), preferences, view, notice, {}};
        frame.works = &works;
        const auto shown = find_view(place)->make();
        shown->show(place.substr(place.find('/') + 1)); // the page's own name
        const Caption caption = shown->caption(frame);
        const std::string all = caption.sentence + caption.formula + caption.source;
        const bool searching = caption.sentence.find("earching") != std::string::npos; // drawn by the picture
        INFO(all);
        CHECK((searching || all.find("not enough of it") != std::string::npos));
    }
}
