// Where the keyboard is: what is typed goes into the answer field whatever was pressed before, and Tab finds
// the first control of every view.
#include "tests/ui/study/glossary_room.h"
#include "tests/ui/study/study_room.h"
#include <fmt/format.h>

#include "core/study/lessons/class_guesses.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/widgets/choice.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <set>

using namespace ringside;
using test::Room;
using test::says;
using test::Window;

namespace
{

std::vector<std::string> rail_items(const Window& w)
{
    std::vector<std::string> all;
    for (const std::string& label : w.labels())
    {
        if (label.find("###rail ") != std::string::npos)
        {
            all.push_back(label);
        }
    }
    return all;
}

// What Tab goes to, with a ring or with a caret; empty: nothing.
std::string tabbed(Window& w)
{
    w.key(ImGuiKey_Tab);
    w.frames(2);
    return GImGui->NavDisableHighlight && !ImGui::GetIO().WantTextInput ? std::string() : w.focused();
}

Lesson lesson(const std::string& id)
{
    const auto& all = test::whole_course().lessons;
    const auto found = std::ranges::find(all, id, &Lesson::id);
    REQUIRE(found != all.end());
    return *found;
}

const LessonFrame& lesson_of(const Window& w)
{
    return *w.session().frame(0).lesson;
}

// The first step of a lesson that asks for a number in this unit.
void ask_lesson(Window& w, const std::string& id, std::string_view unit)
{
    const auto steps = lesson(id).steps;
    const auto found =
        std::ranges::find_if(steps, [&](const LessonStep& s)
                             { return s.predict && !s.predict->is_choice() && s.predict->unit == unit; });
    REQUIRE(found != steps.end());
    w.session().apply(StartLesson{id, "", found - steps.begin() + 1});
    w.settle(5000);
    REQUIRE(lesson_of(w).pending());
}

} // namespace

TEST_CASE("each view of the rail, then Q: what is typed stands in the field and is no shortcut")
{
    Room room;
    Window& w = room.w;
    for (const std::string& item : rail_items(w))
    {
        w.open("glossary");
        w.click(item);
        const std::string view = w.session().view();
        if (!w.drawing.shell().view(view).about_scenario())
        {
            continue;
        }
        INFO(item);
        w.key(ImGuiKey_Q);
        w.settle(300);
        REQUIRE(w.session().view() == "drill");
        if (room.question().kind != QuestionKind::numeric)
        {
            continue;
        }
        const bool light = w.session().preferences().light;
        w.type("120");
        w.key(ImGuiKey_T);
        w.key(ImGuiKey_H);
        CHECK(says(w, "120"));
        CHECK_FALSE(room.drill().paused_ms.has_value());
        CHECK(room.item().attempt.hints == 0);
        CHECK(w.session().preferences().light == light);
        w.key(ImGuiKey_Escape);
    }
}

TEST_CASE(
    "an answer field has the keyboard again when the mouse was pressed elsewhere, and nothing typed is lost")
{
    Room room;
    room.ask("model-state/easy");
    Window& w = room.w;
    w.type("1");
    for (const ImVec2 at : {ImVec2{200, 30}, ImVec2{500, 740}, ImVec2{1150, 40}})
    {
        w.move_to(at);
        w.frame();
        ImGui::GetIO().AddMouseButtonEvent(0, true);
        w.frame();
        ImGui::GetIO().AddMouseButtonEvent(0, false);
        w.frame(); // the window may sleep after this one until the next key
        ImGui::GetIO().AddKeyEvent(ImGuiKey_T, true);
        ImGui::GetIO().AddInputCharacter('2');
        w.frame();
        ImGui::GetIO().AddKeyEvent(ImGuiKey_T, false);
        w.settle(300);
        REQUIRE(w.session().view() == "drill");
        CHECK_FALSE(room.drill().paused_ms.has_value());
    }
    CHECK(says(w, "1222"));
}

TEST_CASE("Tab goes to the first control after a way through all views by bracket")
{
    Window w;
    test::give_course(w);
    w.open("overview");
    for (std::size_t i = 0; i < views().size(); ++i)
    {
        INFO(w.session().view());
        const std::string first = tabbed(w);
        CHECK(first != "");
        for (int more = 0; more < 5; ++more)
        {
            CHECK(tabbed(w) != "");
        }
        if (ImGui::GetIO().WantTextInput)
        {
            w.session().apply(OpenView{std::string(views()[(i + 1) % views().size()]->id)});
        }
        else
        {
            w.key(ImGuiKey_RightBracket);
        }
        w.settle();
    }
    CHECK(w.session().view() == "overview");
}

TEST_CASE("Tab goes to the same first control however a view was reached")
{
    Window w;
    test::give_course(w);
    w.open("memory");
    const std::string first = tabbed(w);
    REQUIRE(first != "");
    const auto arrive = [&](const char* by, const std::function<void()>& way)
    {
        INFO(by);
        w.open("roofline");
        tabbed(w);
        tabbed(w);
        way();
        w.settle();
        REQUIRE(w.session().view() == "memory");
        CHECK(tabbed(w) == first);
    };
    arrive("the rail", [&] { w.click("Memory###rail Memory"); });
    arrive("the palette",
           [&]
           {
               w.key(ImGuiKey_K, ImGuiMod_Ctrl);
               w.frames(2);
               w.type("memory breakdown");
               w.key(ImGuiKey_Enter);
           });
    arrive("a link or a lesson's end", [&] { w.session().apply(OpenView{"memory"}); });
    arrive("a click into the picture before",
           [&]
           {
               w.press_at({600, 400});
               w.session().apply(OpenView{"memory"});
           });
}

TEST_CASE("a lesson's number is typed with its unit, and kept as it was said")
{
    Window w;
    test::give_course(w);
    const bool light = w.session().preferences().light;
    ask_lesson(w, "memory", "bytes");
    w.type("16 bytes");
    CHECK(lesson_of(w).state.record().guess == 16);
    ask_lesson(w, "memory", "GB");
    w.type("1.1TB");
    CHECK(*lesson_of(w).state.record().guess == Catch::Approx(1100));
    w.key(ImGuiKey_A, ImGuiMod_Ctrl);
    w.type("16 000 MB");
    CHECK(*lesson_of(w).state.record().guess == Catch::Approx(16));
    w.key(ImGuiKey_A, ImGuiMod_Ctrl);
    w.type("1.13 TB");
    w.key(ImGuiKey_Enter);
    w.settle(5000);
    CHECK(lesson_of(w).state.record().locked_in);
    CHECK(says(w, "You said 1,130 GB"));
    CHECK(w.session().preferences().light == light);
    CHECK(w.session().frame(0).before == nullptr);
}

TEST_CASE("what is no number is not locked in, is named, and is typed over")
{
    Window w;
    test::give_course(w);
    ask_lesson(w, "bubble", "%");
    w.type("many");
    w.key(ImGuiKey_Enter);
    w.frames(3);
    CHECK(lesson_of(w).pending());
    w.type("about 25 percent");
    CHECK(*lesson_of(w).state.record().guess == Catch::Approx(25));
    w.key(ImGuiKey_A, ImGuiMod_Ctrl);
    w.type("1/6");
    CHECK(*lesson_of(w).state.record().guess == Catch::Approx(100.0 / 6));
    w.key(ImGuiKey_Enter);
    w.frames(3);
    CHECK(lesson_of(w).state.record().locked_in);
}

TEST_CASE("arrows move a lesson's slider until something is typed; Alt makes letters keys")
{
    Window w;
    test::give_course(w);
    ask_lesson(w, "bubble", "%");
    w.key(ImGuiKey_RightArrow);
    REQUIRE(lesson_of(w).state.record().guess);
    const double stepped = *lesson_of(w).state.record().guess;
    w.key(ImGuiKey_RightArrow);
    CHECK(*lesson_of(w).state.record().guess > stepped);
    w.type("12");
    w.key(ImGuiKey_LeftArrow); // in the text
    w.type("3");
    CHECK(lesson_of(w).state.record().guess == 132);
    w.key(ImGuiKey_S);
    CHECK(lesson_of(w).pending());
    w.key(ImGuiKey_S, ImGuiMod_Alt);
    CHECK_FALSE(lesson_of(w).pending());
}

TEST_CASE("a class is asked about the view on show, by a number that this view shows")
{
    std::set<std::string_view> asked;
    for (const ViewInfo* info : views())
    {
        const std::string_view metric = class_metric(info->id);
        if (metric.empty())
        {
            continue;
        }
        INFO(info->id << ", " << metric);
        asked.insert(info->id);
        const auto all = class_questions();
        const auto q = std::ranges::find(all, metric, &ClassQuestion::metric);
        REQUIRE(q != all.end());
        Window w;
        const auto number = [&] // of what is on show, perhaps the view's example
        {
            const Frame frame = w.session().frame(0);
            return find_metric(metric)->value(frame.now.scenario, *frame.now.report) * q->scale;
        };
        for (const ScenarioPreset& preset : test::presets().scenarios)
        {
            if (!(number() > 0))
            {
                w.session().apply(ChangeScenario{preset.scenario});
            }
        }
        REQUIRE(number() > 0);
        w.open(info->id);
        w.settle(5000);
        const auto digits = [](const std::string& text)
        {
            std::string kept;
            std::ranges::copy_if(text, std::back_inserter(kept),
                                 [](unsigned char c) { return std::isdigit(c); });
            return kept.substr(std::min(kept.size(), kept.find_first_not_of('0'))).substr(0, 3);
        };
        const std::string wanted = digits(fmt::format("{:.2e}", number()).substr(0, 4));
        bool shown = false;
        for (const test::Words& words : test::words_of(w))
        {
            std::string token;
            for (const char c : words.text + " ")
            {
                if (std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == ',')
                {
                    token += c;
                    continue;
                }
                shown = shown || (!token.empty() && (digits(token) + "00").substr(0, 3) == wanted);
                token.clear();
            }
        }
        INFO(number() << " is looked for in " << test::text_of(w));
        CHECK(shown);
        w.key(ImGuiKey_G, ImGuiMod_Ctrl);
        w.settle(300);
        CHECK(says(w, q->asks.substr(0, 24)));
    }
    CHECK(asked.size() > 30);
}

TEST_CASE("no question to a class speaks of what another one said")
{
    for (const ClassQuestion& q : class_questions())
    {
        INFO(q.asks);
        for (const std::string_view word : {" that", " it "})
        {
            CHECK(q.asks.find(word) == std::string_view::npos);
        }
    }
}

TEST_CASE("a guess that is called out goes to the field after a press into the picture, and is no shortcut")
{
    Window w;
    w.open("memory");
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.settle(300);
    const Preferences before = w.session().preferences();
    for (const ImVec2 at : {ImVec2{500, 300}, ImVec2{700, 400}, ImVec2{400, 30}})
    {
        w.press_at(at);
        for (const ImGuiKey key : {ImGuiKey_T, ImGuiKey_U, ImGuiKey_B, ImGuiKey_1})
        {
            w.key(key);
        }
        w.type("40 GB");
        w.key(ImGuiKey_Enter);
    }
    w.settle(300);
    CHECK(says(w, "3 guesses"));
    CHECK(w.session().preferences().light == before.light);
    CHECK(w.session().preferences().unit == before.unit);
    CHECK(w.session().frame(0).before == nullptr);
    w.key(ImGuiKey_F5);
    CHECK(w.session().preferences().presenter);
    w.key(ImGuiKey_F5);
    CHECK_FALSE(w.session().preferences().presenter);
    w.key(ImGuiKey_F11);
    CHECK(w.session().full_screen());
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.frames(2);
    CHECK_FALSE(w.session().frame(0).stage->has(StageTool::guesses));
}

TEST_CASE("a share is no amount: 20% is refused where GB are asked for, selected, and typed over")
{
    Window w;
    w.open("memory");
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.settle(300);
    w.type("20%");
    w.key(ImGuiKey_Enter);
    w.frames(3);
    CHECK_FALSE(says(w, "1 guess"));
    w.type("16 000 MB");
    w.key(ImGuiKey_Enter);
    w.frames(3);
    CHECK(says(w, "1 guess, last 16.0 GB"));
}

TEST_CASE("the question to a class is a strip at the foot of the picture")
{
    for (const bool presenter : {false, true})
    {
        Preferences p;
        p.presenter = presenter;
        Window w({1280, 800}, p);
        w.open("memory");
        w.key(ImGuiKey_G, ImGuiMod_Ctrl);
        w.settle(300);
        const ImGuiWindow* strip = ImGui::FindWindowByName("###guesses");
        REQUIRE(strip != nullptr);
        CHECK(strip->Size.y < 800 * 0.3F);
        CHECK(strip->Pos.y > 800 * 0.55F);
        test::check_words(w);
    }
}

TEST_CASE("page keys, Home and End leave the keyboard where it is, and no ring appears")
{
    Window w;
    for (const char* view : {"memory", "launch", "pipelines"})
    {
        INFO(view);
        w.open(view);
        w.press_at({200, 30});
        for (const ImGuiKey key : {ImGuiKey_PageDown, ImGuiKey_PageUp, ImGuiKey_End, ImGuiKey_Home})
        {
            w.key(key);
            w.frames(2);
            CHECK(GImGui->NavDisableHighlight);
        }
        const std::string first = tabbed(w);
        w.key(ImGuiKey_PageDown);
        w.frames(2);
        CHECK(w.focused() == first);
    }
}

TEST_CASE("letters find the closest name: the whole, its beginning, a word of it")
{
    Window w;
    w.open("pipelines");
    const auto choose = [&](const char* list, const char* letters)
    {
        INFO(list << ": " << letters);
        w.click(list);
        w.frames(3);
        w.type(letters);
        w.frames(2);
        w.key(ImGuiKey_Enter);
        w.key(ImGuiKey_Escape);
        w.frame(2); // letters typed later begin anew
        w.frames(3);
        return w.session().scenario().training;
    };
    // A long list has a filter: the beginning before a word, of equals the shorter name.
    CHECK(choose("training.schedule", "zb-h1").schedule->name == "ZB-H1");
    CHECK(choose("training.schedule", "zb").schedule->name == "ZB-V");
    w.key(ImGuiKey_M); // every field
    w.frames(3);
    // Letters in a short list: adamw, adamw-8bit, sgd-momentum, adafactor, muon.
    CHECK(choose("training.optimizer", "Muon").optimizer == Optimizer::muon);
    CHECK(choose("training.optimizer", "adaf").optimizer == Optimizer::adafactor);
    CHECK(choose("training.optimizer", "adamw").optimizer == Optimizer::adamw);
    CHECK(choose("training.optimizer", "mom").optimizer == Optimizer::sgd_momentum);
    CHECK(choose("training.optimizer", "m").optimizer == Optimizer::muon);
    CHECK(choose("training.optimizer", "8").optimizer == Optimizer::adamw_8bit);
    CHECK(choose("training.optimizer", "x").optimizer == Optimizer::adamw_8bit);
}
