// The gallery of errata in a user's hands: all of them by the keyboard, narrowed, switched, moved, shown.
#include "tests/source_path.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "app/session/controllers/study_controller.h"
#include "ui/shell/frame/study_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

const std::string kAssets = test::source_path("assets");

std::shared_ptr<const ErrataFrame> gallery()
{
    Issues issues;
    const QuestionBank bank = load_questions(kAssets, issues);
    auto frame = load_errata_frame(kAssets, bank, issues);
    REQUIRE(issues.empty());
    return frame;
}

const std::vector<Erratum>& errata(Window& w)
{
    return w.session().frame(0).study->errata->errata;
}

void give(Window& w, std::shared_ptr<const ErrataFrame> gallery)
{
    StudyController::Setup setup;
    setup.errata = std::move(gallery);
    w.session().set_study(std::make_unique<StudyController>(std::move(setup)));
}

void seat(Window& w)
{
    give(w, gallery());
    w.open("errata");
    w.settle();
}

// Words in their places, and no figure that is none.
void check_figures(const Window& w)
{
    test::check_words(w);
    CHECK_FALSE(says(w, " nan")); // but Narayanan
    CHECK_FALSE(says(w, "not a number"));
}

} // namespace

TEST_CASE("the gallery begins with the first erratum: claim, truth, both numbers and the working")
{
    Window w;
    seat(w);
    CHECK(says(w, "73 misconceptions"));
    CHECK(says(w, "ZeRO-3 triples the traffic"));
    CHECK(says(w, "What is true: 1.50x."));
    CHECK(says(w, "the claim is 2.00x what is true"));
    CHECK_FALSE(says(w, "001 section 2"));
    CHECK(says(w, "Questions about it"));
    CHECK(w.seek("compare") == nullptr); // nothing of the scenario
    check_figures(w);
}

TEST_CASE("without a file it says where it looked, and its keys do nothing")
{
    Window w;
    w.open("errata");
    CHECK(says(w, "No misconceptions found in study/errata.json of the assets"));
    Issues issues;
    give(w, load_errata_frame("/nowhere", {}, issues));
    CHECK(issues.size() == 1);
    w.open("errata");
    CHECK(says(w, "No misconceptions found in /nowhere/study/errata.json"));
    for (const ImGuiKey key :
         {ImGuiKey_DownArrow, ImGuiKey_C, ImGuiKey_S, ImGuiKey_R, ImGuiKey_F, ImGuiKey_1, ImGuiKey_0})
    {
        w.key(key);
    }
    CHECK(w.session().view() == "errata");
    CHECK(w.drawn().fault == "");
}

TEST_CASE("down goes through all 73, with nothing cut off or on top of each other")
{
    struct Mode
    {
        ImVec2 size;
        float text;
        bool presenter;
        bool light;
    };
    constexpr std::array kModes{Mode{{1280, 800}, 1, false, false},   Mode{{1920, 1080}, 1, false, true},
                                Mode{{1280, 800}, 1, true, false},    Mode{{640, 480}, 1, false, false},
                                Mode{{1280, 800}, 2.5F, false, true}, Mode{{1280, 720}, 0.75F, false, false}};
    for (const Mode& mode : kModes)
    {
        Preferences p;
        p.text_scale = mode.text;
        p.presenter = mode.presenter;
        p.light = mode.light;
        p.reduced_motion = true;
        Window w(mode.size, p);
        seat(w);
        for (const Erratum& e : errata(w))
        {
            INFO(e.id << ", " << mode.size.x << " x " << mode.size.y << ", text " << mode.text
                      << (mode.presenter ? ", presenter" : ""));
            CHECK(says(w, e.title));
            check_figures(w);
            w.key(ImGuiKey_DownArrow);
        }
        CHECK(says(w, "73 of 73"));
        w.key(ImGuiKey_UpArrow);
        CHECK(says(w, "72 of 73"));
        w.key(ImGuiKey_PageUp);
        CHECK(says(w, "62 of 73"));
    }
}

TEST_CASE("the switch eases from the truth to the claim, with its working and assumption")
{
    Window w;
    seat(w);
    CHECK(says(w, "(2 \u00d7 70e9 \u00d7 (64 \u2212 1) / 64)"));
    w.key(ImGuiKey_C);
    CHECK(w.settle() > 8); // 240 ms
    CHECK(says(w, "Often said: 3.00x."));
    CHECK(says(w, "When the claim would hold: Three would hold if an all-reduce were a single pass over the "
                  "data; it is two."));
    CHECK_FALSE(says(w, "(2 \u00d7 70e9 \u00d7 (64 \u2212 1) / 64)"));
    w.click("What is true");
    CHECK(says(w, "What is true: 1.50x."));
    w.click("claim card");
    CHECK(says(w, "Often said: 3.00x."));
}

TEST_CASE("the list is narrowed by kind, topic and words, and opened up again")
{
    Window w;
    seat(w);
    w.key(ImGuiKey_5);
    CHECK(says(w, "8 of 73 misconceptions"));
    CHECK(says(w, "Bubble of total or over ideal")); // the first lost value
    w.key(ImGuiKey_5);
    CHECK(says(w, "73 misconceptions"));
    w.click("kind wrong");
    CHECK(says(w, "18 of 73 misconceptions"));
    w.key(ImGuiKey_0);
    w.click("topic of errata");
    w.frames(2);
    w.click("topics of errata pp");
    CHECK(says(w, "5 of 73 misconceptions"));
    w.key(ImGuiKey_0);
    w.key(ImGuiKey_F);
    w.frames(2);
    w.type("bubble 1f1b");
    CHECK(w.seek("erratum E20") != nullptr);
    CHECK(w.seek("erratum E01") == nullptr);
    w.type("qqq");
    CHECK(says(w, "Nothing matches."));
    check_figures(w);
    w.click("all errata");
    CHECK(says(w, "73 misconceptions"));
}

TEST_CASE("a row that is pressed is chosen, and arrows go on from there while words are typed")
{
    Window w;
    seat(w);
    w.click("erratum E05");
    CHECK(says(w, "Recomputation saves 70%"));
    CHECK(says(w, "4 of 73"));
    w.key(ImGuiKey_DownArrow);
    CHECK(says(w, "5 of 73"));
    w.click("find errata");
    w.type("mfu");
    w.key(ImGuiKey_DownArrow);
    CHECK(says(w, "2 of "));
}

TEST_CASE("a slider moves both numbers at once and R brings the sources' back")
{
    Window w;
    seat(w);
    w.click("erratum E08");
    CHECK(says(w, "What is true: 4.27x."));
    w.type_value("number N", "64");
    w.settle();
    CHECK(says(w, "What is true: 7.21x.")); // 16 / (2 + 14/64)
    w.drag("number N", 0.5F, 0);
    CHECK(says(w, "What is true: 1.00x."));
    w.type_value("number N", "1e9");
    CHECK(says(w, "N goes from 1 to 128"));
    w.key(ImGuiKey_R);
    w.settle();
    CHECK(says(w, "What is true: 4.27x."));
    CHECK(w.seek("reset numbers") == nullptr);
}

TEST_CASE("a slider stops where the numbers would make no sense, and says why")
{
    Window w;
    seat(w);
    for (int i = 1; i < 37; ++i)
    {
        w.key(ImGuiKey_DownArrow);
    }
    CHECK(says(w, "37 of 73"));
    w.drag("number n", 0.5F, 0); // 32 GPUs
    w.drag("number t", 0.5F, 1);
    CHECK(says(w, "does not hold"));
    check_figures(w);
}

TEST_CASE("sliders at both ends of every number of every erratum leave a picture without a fault")
{
    Preferences p;
    p.reduced_motion = true;
    Window w({1280, 800}, p);
    seat(w);
    for (const Erratum& e : errata(w))
    {
        for (const float end : {0.0F, 1.0F})
        {
            for (const ErratumParameter& parameter : e.parameters)
            {
                w.drag("number " + parameter.name, 0.5F, end);
            }
            INFO(e.id << " at " << end);
            check_figures(w);
            w.key(ImGuiKey_C);
            check_figures(w);
        }
        w.key(ImGuiKey_DownArrow);
    }
}

TEST_CASE("S opens the view with the erratum's scenario, and Ctrl Z takes that back")
{
    Window w;
    seat(w);
    const Scenario before = w.session().scenario();
    w.key(ImGuiKey_S);
    CHECK(w.session().view() == "step");
    CHECK(w.session().scenario() != before);
    CHECK(w.session().scenario().parallel.zero == 3);
    CHECK(w.valid());
    CHECK(says(w, "E01; Ctrl Z takes it back"));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    w.open("errata");
    w.key(ImGuiKey_DownArrow); // E02 has no scenario of its own
    w.click("show me");
    CHECK(w.session().view() == "step");
    CHECK(w.session().scenario() == before);
}

TEST_CASE("where there is room for one pane, L shows the list and a choice goes back")
{
    Window w({640, 480});
    seat(w);
    CHECK(w.seek("find errata") == nullptr);
    w.key(ImGuiKey_L);
    CHECK(w.seek("find errata") != nullptr);
    check_figures(w);
    w.click("erratum E03");
    CHECK(w.seek("find errata") == nullptr);
    CHECK(says(w, "3 of 73"));
}
