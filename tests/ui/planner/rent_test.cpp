// What to rent, in a user's hands: answers opened by their digit and by a press, a deadline that is
// dragged, prices and the network.
#include "tests/ui/words.h"

#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

void open_rent(Window& w)
{
    w.session().set_works(std::make_unique<WorkRunner>(WorkPace::at_once));
    w.open("rent");
    w.settle();
}

} // namespace

TEST_CASE("what to rent answers four questions, and a digit opens an answer")
{
    Window w;
    open_rent(w);
    CHECK(says(w, "Cheapest within 60.0 d"));
    CHECK(says(w, "Fastest with 1,024 GPUs"));
    w.key(ImGuiKey_4);
    w.settle(300);
    CHECK(w.session().scenario().cluster.gpus == 1024);
    CHECK(w.valid());
    CHECK(w.session().now().report->memory.fits());
    // The offers are still those of this run: nothing is searched again.
    CHECK(says(w, "Fastest with 1,024 GPUs"));
    CHECK_FALSE(says(w, "Searching layouts"));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(w.session().scenario().cluster.gpus != 1024);
}

TEST_CASE("a deadline that nothing meets is said, with what the fastest takes")
{
    Window w;
    open_rent(w);
    w.type_value("Deadline", "0.1");
    w.settle(300);
    CHECK(says(w, "Nothing trains"));
    CHECK(says(w, "the fastest takes"));
}
