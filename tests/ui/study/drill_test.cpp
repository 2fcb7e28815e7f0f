// The drill in a user's hands, by keyboard alone: every kind of question from the stem to the grade, hints,
// show me, quiz me, undo, leaving and coming back.
#include "tests/ui/study/study_room.h"
#include <fmt/format.h>
#include <unistd.h>

#include "ui/shell/frame/study_frame.h"

#include <algorithm>
#include <filesystem>

using namespace ringside;
using test::Room;
using test::variant_of_kind;

namespace
{

const auto kAny = [](const Question&) { return true; };

class Folder
{
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "ringside-drill-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder()
    {
        std::error_code none;
        std::filesystem::remove_all(path, none);
    }
    std::filesystem::path path;
};

std::size_t right_choice(const Question& q)
{
    const auto found =
        std::find_if(q.choices.begin(), q.choices.end(), [](const ShownChoice& c) { return c.right; });
    return static_cast<std::size_t>(found - q.choices.begin());
}

// Moves the items as a user would: to the item with the arrows, then with Alt.
void put_in_order(Room& room, const std::vector<std::size_t>& legal)
{
    std::vector<std::size_t> now(legal.size());
    for (std::size_t i = 0; i < now.size(); ++i)
    {
        now[i] = i;
    }
    std::size_t cursor = 0;
    for (std::size_t place = 0; place < legal.size(); ++place)
    {
        const auto at =
            static_cast<std::size_t>(std::find(now.begin(), now.end(), legal[place]) - now.begin());
        for (; cursor < at; ++cursor)
        {
            room.w.key(ImGuiKey_DownArrow);
        }
        for (; cursor > at; --cursor)
        {
            room.w.key(ImGuiKey_UpArrow);
        }
        for (; cursor > place; --cursor)
        {
            room.w.key(ImGuiKey_UpArrow, ImGuiMod_Alt);
            std::swap(now[cursor], now[cursor - 1]);
        }
    }
}

} // namespace

TEST_CASE(
    "a number: a known slip is named, a hint makes Hard the best grade, the grade is kept and taken back")
{
    Room room;
    room.ask("model-state/easy");
    CHECK(room.says("Drill: "));
    CHECK(room.says("numeric, easy"));
    CHECK(room.says("Question 1 of 1"));
    const KnownMistake slip = room.question().mistakes.front();
    room.answer(slip.text);
    CHECK(room.says("Not yet. That matches a common mistake: weights only."));
    CHECK(room.says("try 2 of 3"));
    CHECK(room.says(slip.text));
    CHECK_FALSE(room.says(room.question().hints[0]));
    room.key(ImGuiKey_H, ImGuiMod_Alt);
    CHECK(room.says(room.question().hints[0]));
    CHECK(room.says("one used: best grade now Hard"));
    CHECK(room.says("a hint was used"));
    const std::string key = room.question().key_text;
    room.answer(key);
    CHECK(room.drill().stage == DrillStage::grading);
    CHECK(room.says("Worked solution"));
    CHECK(room.says("Hard, continue"));
    room.key(ImGuiKey_4); // never raised
    CHECK(room.progress().reviews.empty());
    CHECK(room.drill().stage == DrillStage::grading);
    room.key(ImGuiKey_Enter);
    REQUIRE(room.progress().reviews.size() == 1);
    const Review review = room.progress().reviews.front();
    CHECK(review.rating == Grade::hard);
    CHECK(review.automatic == Grade::hard);
    CHECK(review.hints == 1);
    CHECK(review.mistake == slip.id);
    CHECK(review.answer == key);
    CHECK(room.says("The drill") == false);
    CHECK(room.says("One question"));
    CHECK(room.says("graded"));
    room.key(ImGuiKey_U);
    CHECK(room.progress().reviews.empty());
    CHECK(room.says("Hard, continue"));
    room.key(ImGuiKey_1);
    CHECK(room.progress().reviews.front().rating == Grade::again);
    room.key(ImGuiKey_Escape);
    CHECK(room.w.session().view() == "study");
}

TEST_CASE("letters go to the field; with Alt they are keys")
{
    Room room;
    room.ask("model-state/easy");
    room.w.type("12 h");
    room.key(ImGuiKey_H);
    room.key(ImGuiKey_S);
    CHECK(room.item().attempt.hints == 0);
    CHECK(room.w.session().view() == "drill");
    CHECK(room.says("12 h"));
    room.key(ImGuiKey_F, ImGuiMod_Alt);
    CHECK(room.progress().flags.contains("model-state"));
    const std::uint64_t seed = room.item().card.seed;
    room.key(ImGuiKey_N, ImGuiMod_Alt);
    CHECK(room.item().card.seed != seed);
    CHECK_FALSE(room.says("12 h")); // it was for other numbers
    const bool light = room.w.session().preferences().light;
    room.key(ImGuiKey_T, ImGuiMod_Alt);
    CHECK(room.says("Paused"));
    CHECK(room.w.session().preferences().light == light);
    room.key(ImGuiKey_T);
    CHECK_FALSE(room.drill().paused_ms.has_value());
    CHECK(room.w.session().preferences().light == light); // T is the drill's here
}

TEST_CASE("what cannot be read costs no try and says what could be")
{
    Room room;
    room.ask("model-state/easy");
    room.answer("about a lot");
    CHECK(room.says("No try used: "));
    CHECK(room.item().attempt.wrong == 0);
    room.key(ImGuiKey_Enter);
    CHECK(room.item().attempt.wrong == 0);
}

TEST_CASE("a number is shown as it is read, and where it is unclear Alt and a digit say what is meant")
{
    Room room;
    room.ask("model-state/easy");
    const Question& q = room.question();
    room.w.type(fmt::format("{:.3f}", q.key / 1e12));
    room.w.frames(2);
    CHECK(room.says("Read as "));
    room.key(ImGuiKey_Enter);
    CHECK(room.says("Do you mean "));
    CHECK(room.item().attempt.wrong == 0);
    CHECK(room.drill().stage == DrillStage::asking);
    room.key(ImGuiKey_2, ImGuiMod_Alt);
    room.w.frames(3);
    CHECK(room.drill().stage == DrillStage::grading);
    CHECK(room.item().answer.ends_with(" TB"));
    CHECK(room.item().attempt.correct);
}

TEST_CASE(
    "the units of a number stand beside its field: Alt and a digit puts one behind it, and it is graded so")
{
    Room room;
    room.ask("model-state/easy");
    const Question q = room.question();
    const std::vector<std::string> units = units_to_offer(q);
    REQUIRE(units.size() >= 3);
    CHECK(units[1] == "GiB");
    CHECK(units[2] == "TB");
    for (const std::string& unit : {units[0], units[1]})
    {
        CHECK(room.says(unit));
    }
    room.w.type(fmt::format("{:.1f} h", q.key / 1073741824.0));
    room.w.frames(2);
    CHECK_FALSE(room.says("Read as "));
    room.key(ImGuiKey_2, ImGuiMod_Alt);
    CHECK(room.says("Read as "));
    CHECK(room.drill().stage == DrillStage::asking);
    room.key(ImGuiKey_Enter);
    CHECK(room.item().answer == fmt::format("{:.1f} GiB", q.key / 1073741824.0));
    CHECK(room.item().attempt.correct);
    CHECK(room.drill().stage == DrillStage::grading);
}

TEST_CASE("three wrong answers and the third hint both end in Again")
{
    Room room;
    room.ask("model-state/easy");
    for (const char* text : {"1 B", "2 B", "3 B"})
    {
        CHECK(room.drill().stage == DrillStage::asking);
        room.answer(text);
    }
    CHECK(room.says("Again, continue"));
    CHECK(room.says(room.question().key_text));
    room.ask("model-state/easy");
    for (int i = 0; i < 3; ++i)
    {
        room.key(ImGuiKey_H, ImGuiMod_Alt);
    }
    CHECK(room.says("Again, continue"));
    room.key(ImGuiKey_Enter);
    CHECK(room.progress().reviews.back().rating == Grade::again);
}

TEST_CASE("a comparison: digits choose, a wrong one is struck, values show only afterwards")
{
    Room room;
    const auto three = [](const Question& q) { return q.choices.size() >= 3 && !q.choices[0].value.empty(); };
    room.ask(variant_of_kind(QuestionKind::comparison, three));
    const std::size_t right = right_choice(room.question());
    const std::size_t wrong = right == 0 ? 1 : 0;
    const std::string value = room.question().choices[right].value;
    room.digit(wrong + 1);
    room.key(ImGuiKey_Enter);
    CHECK(room.item().attempt.wrong == 1);
    CHECK(room.says("Not yet."));
    CHECK(room.w.seek("choice " + room.question().choices[wrong].id) == nullptr);
    room.digit(right + 1);
    room.key(ImGuiKey_Enter);
    CHECK(room.drill().stage == DrillStage::grading);
    CHECK(room.says(value));
    CHECK(room.says("Hard, continue"));
    room.key(ImGuiKey_Enter);
    CHECK(room.progress().reviews.back().rating == Grade::hard);
}

TEST_CASE("with two choices one wrong answer ends it")
{
    Room room;
    room.ask(
        variant_of_kind(QuestionKind::comparison, [](const Question& q) { return q.choices.size() == 2; }));
    room.digit(right_choice(room.question()) == 0 ? 2 : 1);
    room.key(ImGuiKey_Enter);
    CHECK(room.drill().stage == DrillStage::grading);
    CHECK(room.says("Again, continue"));
}

TEST_CASE("a diagnosis: the evidence is drawn, the cause is chosen, why and what to do follow")
{
    Room room;
    room.ask(variant_of_kind(QuestionKind::diagnosis,
                             [](const Question& q) { return !q.evidence.series.empty(); }));
    CHECK(room.says(room.question().evidence.series[0].name));
    room.digit(right_choice(room.question()) + 1);
    room.key(ImGuiKey_Space);
    CHECK(room.drill().stage == DrillStage::grading);
    CHECK(room.says("Why:"));
    room.ask(variant_of_kind(QuestionKind::diagnosis,
                             [](const Question& q) { return q.evidence.lines.size() > 2; }));
    CHECK(room.drill().stage == DrillStage::asking);
    CHECK(room.w.drawn().fault == "");
}

TEST_CASE("an order: Enter checks it, the first wrong place is marked, Alt and arrows mend it")
{
    Room room;
    room.ask(variant_of_kind(QuestionKind::ordering, kAny));
    room.key(ImGuiKey_Enter);
    CHECK(room.item().attempt.wrong == 1);
    CHECK(room.says("Not yet."));
    put_in_order(room, room.question().ordering.legal);
    room.key(ImGuiKey_Enter);
    CHECK(room.drill().stage == DrillStage::grading);
    CHECK(room.item().attempt.correct);
    room.key(ImGuiKey_Enter);
    CHECK(room.progress().reviews.back().rating == Grade::hard);
}

TEST_CASE("an order is dragged, too")
{
    Room room;
    room.ask(variant_of_kind(QuestionKind::ordering, kAny));
    const auto& items = room.question().ordering.items;
    const Rect last = room.w.find("item " + items.back().id).rect;
    ImGuiIO& io = ImGui::GetIO();
    room.w.move_to({last.x + 100, last.middle()});
    room.w.frame();
    io.AddMouseButtonEvent(0, true);
    room.w.frame();
    for (float y = last.middle(); y > last.y - 700; y -= 12)
    {
        room.w.move_to({last.x + 100, y});
        room.w.frame();
    }
    io.AddMouseButtonEvent(0, false);
    room.w.frames(2);
    CHECK(room.w.find("item " + items.back().id).rect.y < room.w.find("item " + items.front().id).rect.y);
}

TEST_CASE("a recall: said, revealed, ticked; the points make the grade")
{
    Room room;
    const std::string id =
        variant_of_kind(QuestionKind::recall, [](const Question& q) { return q.rubric.size() >= 3; });
    room.ask(id);
    const std::size_t points = room.question().rubric.size();
    CHECK_FALSE(room.says(room.question().rubric[0]));
    room.key(ImGuiKey_Space);
    CHECK(room.says(room.question().rubric[0]));
    CHECK(room.says("Again, continue")); // nothing is ticked yet
    for (std::size_t i = 0; i < points; ++i)
    {
        room.key(ImGuiKey_Space);
    }
    CHECK(room.says("Good, continue"));
    room.key(ImGuiKey_Space);
    CHECK(room.progress().reviews.back().rating == Grade::good);
    room.ask(id);
    room.key(ImGuiKey_Space);
    for (std::size_t i = 0; i < points; ++i)
    {
        room.key(ImGuiKey_Space);
    }
    room.key(ImGuiKey_4); // "I could teach it" is the user's to say
    CHECK(room.progress().reviews.back().rating == Grade::easy);
    room.ask(id);
    room.key(ImGuiKey_Space);
    room.key(ImGuiKey_3); // with nothing ticked, too, a key books what it says
    CHECK(room.progress().reviews.back().rating == Grade::good);
    room.ask(id);
    room.key(ImGuiKey_Space);
    room.key(ImGuiKey_Enter);
    CHECK(room.progress().reviews.back().rating == Grade::again);
}

TEST_CASE("a design: without a layout it is said, with one the engine judges it")
{
    Room room;
    room.ask(variant_of_kind(QuestionKind::design,
                             [](const Question& q) { return !q.goal && q.levels.strong.size() > 1; }));
    room.key(ImGuiKey_Space);
    CHECK(room.says("Which points did you make?"));
    CHECK(room.says("A good answer"));
    room.ask("problem-2/full");
    room.answer("tp 1 pp 1");
    CHECK(room.item().attempt.wrong == 1);
    CHECK(room.says("It does not fit: "));
    CHECK(room.says("read as"));
    room.ask(variant_of_kind(QuestionKind::design, [](const Question& q) { return q.goal.has_value(); }));
    room.answer("strong");
    CHECK(room.says("type a layout"));
    room.key(ImGuiKey_A, ImGuiMod_Alt);
    CHECK(room.item().revealed);
}

TEST_CASE("show me opens the question's view with its scenario, Backspace brings everything back")
{
    Room room;
    const auto drawn = [](const Question& q) { return q.scenario != nullptr && !q.view.empty(); };
    room.ask(variant_of_kind(QuestionKind::numeric, drawn));
    const Scenario own = room.w.session().scenario();
    room.w.type("12 GB");
    room.key(ImGuiKey_S, ImGuiMod_Alt);
    CHECK(room.w.session().view() == room.question().view);
    CHECK(room.w.session().scenario() == room.question().scenario->scenario);
    CHECK(room.w.session().own_scenario() == own);
    CHECK(room.says("Back to the question"));
    CHECK(room.item().attempt.looked);
    room.key(ImGuiKey_Backspace);
    CHECK(room.w.session().view() == "drill");
    CHECK(room.w.session().scenario() == own);
    CHECK(room.says("12 GB"));
    CHECK(room.says("view looked at: best grade now Hard"));
    room.answer(room.question().key_text);
    CHECK(room.says("Hard, continue"));
}

TEST_CASE("quiz me asks about the view on show and returns to it; a drill that was on goes on")
{
    Room room;
    room.ask({Room::card("model-state/easy"), Room::card("model-state/easy", 2)});
    room.key(ImGuiKey_Escape);
    CHECK(room.w.session().view() == "study");
    room.w.open("pipelines");
    CHECK(room.w.seek("quiz") != nullptr);
    room.key(ImGuiKey_Q);
    CHECK(room.w.session().view() == "drill");
    CHECK(room.says("Quiz: "));
    CHECK(room.question().view == "pipelines");
    CHECK(room.drill().items.size() == 1);
    room.key(ImGuiKey_Escape);
    CHECK(room.w.session().view() == "pipelines");
    CHECK(room.drill().items.size() == 2);
    room.w.open("drill");
    CHECK(room.says("Paused"));
}

TEST_CASE("Again comes back with new numbers; skipping gives no grade")
{
    Room room;
    room.ask({Room::card("model-state/easy"), Room::card("state-plus-activations")});
    room.key(ImGuiKey_Tab);
    CHECK(room.progress().reviews.empty());
    CHECK(room.drill().at == 1);
    CHECK(room.drill().items[0].skipped);
}

TEST_CASE("what was done is on disk after every grade, and there when one comes back")
{
    const Folder folder;
    Room room({1280, 800}, {}, std::make_unique<StudyStore>(folder.path));
    room.ask({Room::card("model-state/easy"), Room::card("model-state/easy", 2)});
    room.answer(room.question().key_text);
    room.key(ImGuiKey_Enter);
    CHECK(StudyStore(folder.path).load().progress.reviews.size() == 1);
    room.key(ImGuiKey_Escape);
    CHECK(room.says("A drill is in progress: 1 of 2 answered."));
    room.sit({}, std::make_unique<StudyStore>(folder.path)); // the program was started again
    CHECK(room.progress().reviews.size() == 1);
    CHECK(room.progress().reviews[0].card == "model-state");
}

TEST_CASE("a note is written and kept, sources are told")
{
    Room room;
    room.ask("model-state/easy");
    room.key(ImGuiKey_E, ImGuiMod_Alt);
    room.w.type("sixteen bytes");
    room.key(ImGuiKey_Enter);
    CHECK(room.progress().notes.at("model-state") == "sixteen bytes");
    room.w.click("sources");
    CHECK(room.says("Where it comes from"));
    CHECK(room.says(room.question().errata.at(0)));
}

TEST_CASE("a family that is gone and one's own card are asked as far as they can be")
{
    Room room;
    PersonalCard own;
    own.id = "personal:1";
    own.front = "What does NCCL stand for?";
    own.back = "NVIDIA Collective Communications Library";
    room.does(ChangeProgress{own});
    DeckCard gone;
    gone.family = "no-such-family";
    DeckCard card;
    card.family = own.id;
    room.ask({gone, card});
    CHECK(room.says("This question could not be made"));
    CHECK(room.says("no-such-family is no longer among the questions"));
    room.key(ImGuiKey_Tab);
    CHECK(room.says(own.front));
    room.key(ImGuiKey_Space);
    CHECK(room.says(own.back));
    room.key(ImGuiKey_Space);
    room.key(ImGuiKey_Enter);
    CHECK(room.progress().reviews.back().rating == Grade::good);
}

TEST_CASE("the start page offers decks by key")
{
    Room room;
    CHECK(room.says("Or one topic"));
    CHECK(room.says("Quick eight"));
    CHECK(room.says("Recall"));
    room.key(ImGuiKey_2);
    for (const DrillItem& item : room.drill().items)
    {
        const auto& families = room.study().families;
        const auto family = std::find_if(families.begin(), families.end(),
                                         [&](const FamilyInfo& f) { return f.id == item.card.family; });
        REQUIRE(family != families.end());
        CHECK(group_of(*family) == KindGroup::numeric);
    }
}

TEST_CASE("without questions every page of the study says so")
{
    test::Window bare;
    for (const char* view : {"drill", "mock", "spoken"})
    {
        bare.open(view);
        CHECK(says(bare, "No questions found in the assets"));
    }
}

TEST_CASE("the parts of a mission are asked one after the other")
{
    Room room;
    room.ask("design-missions/day-0");
    REQUIRE(room.drill().items.size() == 6);
    CHECK(room.drill().items[1].card.lead == "Missions of the plan, part 1 of 5");
    room.key(ImGuiKey_Tab);
    CHECK(room.question().family == "problem-1-total");
    CHECK(room.says("Missions of the plan, part 1 of 5"));
}

TEST_CASE("no words of a drill are cut off or lie on others at any size")
{
    const std::vector<std::string> ids{"",
                                       "model-state/easy",
                                       variant_of_kind(QuestionKind::comparison, kAny),
                                       variant_of_kind(QuestionKind::ordering, kAny),
                                       variant_of_kind(QuestionKind::diagnosis, kAny),
                                       variant_of_kind(QuestionKind::recall, kAny),
                                       variant_of_kind(QuestionKind::design, kAny)};
    const auto look = [](Room& room)
    {
        room.w.frames(4);
        test::check_words(room.w);
    };
    for (const std::string& id : ids)
    {
        for (const test::Setup& setup : test::setups())
        {
            INFO(id << ", " << setup.says());
            Room room(setup.window);
            room.w.session().set_preferences(setup.preferences());
            room.w.frames(3);
            look(room);
            if (id.empty())
            {
                continue;
            }
            room.ask(id);
            room.does(ChangeProgress{SetInterview{test::kMonday + 14}});
            look(room);
            if (!units_to_offer(room.question()).empty())
            {
                room.w.type("12 GB"); // how it is read stands beside the buttons of the units, not on them
                look(room);
            }
            room.does(StudyStep{DrillInput{DrillKey::hint}});
            room.does(AnswerQuestion{"1"});
            look(room);
            room.does(StudyStep{DrillInput{DrillKey::show}});
            look(room);
            room.does(StudyStep{DrillInput{GradeInput{Grade::again}}});
            look(room);
        }
    }
}
