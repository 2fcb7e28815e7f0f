// The controller: actions in, a frame and a file out, all with a clock of the test's own.
#include "tests/core/study/study_clock.h"
#include "tests/core/support.h"
#include "tests/source_path.h"
#include <unistd.h>

#include "app/session/controllers/study_controller.h"
#include "ui/shell/frame/study_frame.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::kMonday;
using test::kMorning;

namespace
{

struct Room
{
    std::int64_t now = kMorning;
    StudyController controller;

    explicit Room(int families, std::unique_ptr<StudyStore> store = nullptr)
        : controller(setup(families, std::move(store)))
    {
    }
    StudyController::Setup setup(int families, std::unique_ptr<StudyStore> store)
    {
        StudyController::Setup s;
        for (int i = 0; i < families; ++i)
        {
            s.families.push_back(test::family("f" + std::to_string(i), i % 2 == 0 ? "zero" : "tp"));
        }
        s.plan = *read_plan(test::read("assets/study/plan.json"));
        s.clock = [this] { return StudyTime{now, 0}; };
        s.store = std::move(store);
        return s;
    }
    StudyController::Answer does(const StudyAction& action, int seconds = 30)
    {
        now += seconds * 1000;
        return controller.apply(action);
    }
    void right()
    {
        does(StudyStep{DrillInput{AnswerInput{"1", true, ""}}});
        does(StudyStep{DrillInput{DrillKey::accept}}, 0);
    }
    const Progress& progress() const { return *controller.frame().progress; }
};

class Folder
{
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "ringside-controller-XXXXXX").string();
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

} // namespace

TEST_CASE("a drill through the controller is logged, saved and shown")
{
    const Folder folder;
    Room room(4, std::make_unique<StudyStore>(folder.path));
    CHECK(room.controller.frame().fresh == 4);
    CHECK(room.does(StartDrill{}).view == "drill");
    CHECK(is_running(*room.controller.frame().session));
    for (int i = 0; i < 4; ++i)
    {
        room.right();
    }
    CHECK_FALSE(is_running(*room.controller.frame().session));
    CHECK(room.progress().reviews.size() == 4);
    CHECK(room.controller.frame().fresh == 0);
    CHECK(room.controller.frame().heat[1].all.seen == 2);
    CHECK(room.controller.frame().saved);
    CHECK(StudyStore(folder.path).load().progress == room.progress());
    CHECK(room.does(EndStudy{}).view == "study");
    CHECK(std::holds_alternative<std::monostate>(*room.controller.frame().session));
}

TEST_CASE("a round waits for a question that is asked by name, and goes on after it")
{
    Room room(4);
    room.does(StartDrill{});
    room.right();
    const StudySession round = *room.controller.frame().session;
    StartDrill one;
    one.cards = {{"f2", 7}};
    room.does(one);
    CHECK(std::get<DrillSession>(*room.controller.frame().session).items.size() == 1);
    CHECK(room.controller.frame().came_from == "drill");
    room.right();
    CHECK(room.does(EndStudy{}).view == "drill");
    const auto& on = std::get<DrillSession>(*room.controller.frame().session);
    CHECK(on.items.size() == 4);
    CHECK(on.at == std::get<DrillSession>(round).at);
}

TEST_CASE("questions fall due, and the day turns, when the clock says so")
{
    Room room(2);
    room.does(StartDrill{});
    room.right();
    room.right();
    CHECK(room.controller.frame().due == 0);
    room.now += 9 * kMinuteMs;
    room.controller.tick();
    CHECK(room.controller.frame().due == 0);
    room.now += 2 * kMinuteMs;
    room.controller.tick();
    CHECK(room.controller.frame().due == 2);
    CHECK(room.controller.frame().mission.day == 0);
    room.now += kDayMs;
    room.controller.tick();
    CHECK(room.controller.frame().mission.day == 1);
}

TEST_CASE("a task of the plan is done when its session has ended")
{
    Room room(4);
    StartDrill task{deck_of(room.controller.frame().plan->missions[0].tasks[3]), "day0-zero"};
    room.does(task);
    room.right();
    CHECK(room.progress().tasks.empty());
    room.right();
    REQUIRE(room.progress().tasks.size() == 1);
    CHECK(room.progress().tasks[0].task == "day0-zero");
}

TEST_CASE("the bell of a mock rings by the controller's clock, and its scorecard can be saved")
{
    Room room(4);
    CHECK(room.does(ExportStudy{StudyExport::scorecard}).notice == "No mock interview is over");
    CHECK(room.does(StartMock{5, ""}).view == "mock");
    room.does(StudyStep{MockInput{AnswerInput{"1", true, ""}}});
    room.now += 6 * kMinuteMs;
    room.controller.tick();
    CHECK(std::get<MockSession>(*room.controller.frame().session).stage == MockStage::judging);
    room.does(StudyStep{MockInput{MockKey::finish}});
    CHECK(room.progress().reviews.size() == 1);
    const auto card = room.does(ExportStudy{StudyExport::scorecard});
    CHECK(card.file == "ringside-mock-2026-11-02.md");
    CHECK(card.text.starts_with("# Mock interview, 5 minutes"));
}

TEST_CASE("a spoken answer is a session of the controller")
{
    Room room(1);
    CHECK(room.does(StartSpoken{"nobody", 3, 60, ""}).notice == "There is no question nobody");
    room.does(StartSpoken{"f0", 3, 60, "day0-zero"});
    room.does(StudyStep{SpokenInput{SpokenKey::start}});
    room.now += 61'000;
    room.controller.tick();
    CHECK(std::get<SpokenSession>(*room.controller.frame().session).stage == SpokenStage::ticking);
    room.does(StudyStep{SpokenInput{SpokenKey::accept}});
    CHECK(room.progress().reviews.size() == 1);
    CHECK(room.progress().tasks.size() == 1);
}

TEST_CASE("with no questions nothing starts, and it says so")
{
    Room room(0);
    CHECK(room.does(StartDrill{}).notice == "There are no questions");
    CHECK(room.does(StartMock{12, ""}).notice == "There are no questions");
    CHECK_FALSE(is_running(*room.controller.frame().session));
    Room some(2);
    StartDrill nowhere;
    nowhere.request.filter.topics = {"pp"};
    CHECK(some.does(nowhere).notice == "Nothing to ask there");
}

TEST_CASE("exports come with a name and a day, imports say what was added")
{
    Room room(2);
    CHECK(room.does(ExportStudy{StudyExport::anki}).notice == "There are no cards to export");
    CHECK(room.does(ImportStudy{"front\tback\n\tx\n"}).notice == "Found 1 card: take them or leave them");
    REQUIRE(room.controller.frame().import);
    CHECK(room.controller.frame().import->says.ends_with(
        "1 fault left out, the first: line 2: the note has no front (fill the first field)"));
    CHECK(room.does(AnswerImport{true}).notice == "1 card added; Exports (X) can remove them again");
    CHECK(room.controller.frame().families.size() == 3);
    const auto anki = room.does(ExportStudy{StudyExport::anki});
    CHECK(anki.file == "ringside-anki-2026-11-02.txt");
    CHECK(room.does(ImportStudy{anki.text}).notice == "Nothing in it is new"); // the same guid: the same card
    const std::string log = "card_id,review_time,review_rating\nf0,1000,3\n";
    room.does(ImportStudy{log});
    CHECK(room.does(AnswerImport{true}).notice == "1 review added; Exports (X) can remove them again");
    CHECK(room.does(ImportStudy{log}).notice == "Nothing in it is new");
    CHECK(room.does(ExportStudy{StudyExport::history}).text.find("f0,1000,3,0,0") != std::string::npos);
    CHECK(room.does(ExportStudy{StudyExport::history}).file == "ringside-history-2026-11-02.csv");
    CHECK(room.does(ExportStudy{StudyExport::sheet}).text.starts_with("# Study sheet, 2026-11-02"));
}

TEST_CASE("an import changes nothing before it is taken, and can be removed as a whole")
{
    Room room(2);
    room.does(ImportStudy{"#separator:tab\n#guid column:3\nfirst\tback\tg1\n"});
    CHECK(room.progress().personal.empty());
    CHECK(room.does(AnswerImport{false}).notice == "Nothing was imported");
    CHECK(room.progress().personal.empty());
    CHECK_FALSE(room.controller.frame().import);

    room.does(ImportStudy{"#separator:tab\n#guid column:3\nfirst\tback\tg1\n"});
    room.does(AnswerImport{true});
    const Progress before = room.progress();
    room.now += 60'000;
    room.does(ImportStudy{"#separator:tab\n#guid column:3\nfirst, again\tback\tg1\nsecond\tback\tg2\n"});
    CHECK(room.controller.frame().import->says.starts_with("1 new, 1 changed"));
    room.does(AnswerImport{true});
    CHECK(room.progress().personal.front().front == "first, again");
    REQUIRE(room.controller.frame().imports.size() == 2);
    CHECK(room.does(RemoveImport{room.controller.frame().imports.front().time_ms}).notice ==
          "2 cards removed");
    CHECK(room.progress() == before);
    CHECK(room.controller.frame().imports.size() == 1);
    room.does(RemoveImport{room.controller.frame().imports.front().time_ms});
    CHECK(room.progress().personal.empty());
}

TEST_CASE("what is on a clipboard by chance is not imported")
{
    Room room(2);
    for (const std::string& text : {std::string("a password"), std::string(100'000, '"'),
                                    std::string("\xff\xfe\t\x00 bytes", 10), std::string()})
    {
        CHECK(room.does(ImportStudy{text}).notice.text == "Not imported");
        CHECK_FALSE(room.controller.frame().import);
    }
    std::string lines = "#separator:tab\n";
    for (int i = 0; i < 100'000; ++i)
    {
        lines += std::to_string(i) + "\n";
    }
    room.does(ImportStudy{lines});
    REQUIRE(room.controller.frame().import);
    room.does(AnswerImport{true});
    CHECK(room.progress().personal.size() == kMostImported);
}

TEST_CASE("a round goes on after a restart, and its time away counts as none")
{
    const Folder folder;
    std::string family;
    {
        Room room(4, std::make_unique<StudyStore>(folder.path));
        room.does(StartDrill{});
        room.right();
        family = card_on_show(*room.controller.frame().session)->family;
    }
    Room room(4, std::make_unique<StudyStore>(folder.path));
    REQUIRE(is_running(*room.controller.frame().session));
    CHECK(card_on_show(*room.controller.frame().session)->family == family);
    CHECK_FALSE(is_ticking(*room.controller.frame().session));
    for (int i = 0; i < 3; ++i)
    {
        room.right();
    }
    CHECK_FALSE(is_running(*room.controller.frame().session));
    CHECK(room.progress().reviews.size() == 4);
    CHECK_FALSE(is_running(*Room(4, std::make_unique<StudyStore>(folder.path)).controller.frame().session));
}

TEST_CASE("a mock interview goes on after a restart, with its clock stopped")
{
    const Folder folder;
    std::vector<MockItem> items;
    {
        Room room(4, std::make_unique<StudyStore>(folder.path));
        room.does(StartMock{5, ""});
        room.does(StudyStep{MockInput{MockKey::skip}});
        items = std::get<MockSession>(*room.controller.frame().session).items;
    }
    Room room(4, std::make_unique<StudyStore>(folder.path));
    const auto* mock = std::get_if<MockSession>(room.controller.frame().session);
    REQUIRE(mock != nullptr);
    CHECK(mock->paused);
    CHECK(mock->items == items);
}

TEST_CASE("a clock that is set does not make an answer take eleven years")
{
    std::int64_t steady = 1;
    std::int64_t now = kMorning;
    StudyController::Setup setup;
    setup.families = {test::family("a", "zero")};
    setup.clock = [&] { return StudyTime{now, 0, steady}; };
    StudyController controller(std::move(setup));
    controller.apply(StartDrill{});
    now += 30'000 + 11 * 365 * kDayMs;
    steady += 30'000;
    controller.apply(StudyStep{DrillInput{AnswerInput{"1", true, ""}}});
    controller.apply(StudyStep{DrillInput{DrillKey::accept}});
    REQUIRE(controller.frame().progress->reviews.size() == 1);
    CHECK(controller.frame().progress->reviews.front().duration_ms == 30'000);
}

TEST_CASE("progress goes back to the backup of a day, and what it was before is kept")
{
    const Folder folder;
    std::string today = "2026-11-02";
    auto store = std::make_unique<StudyStore>(folder.path);
    store->today = [&] { return today; };
    Room room(4, std::move(store));
    room.does(StartDrill{});
    room.right();
    room.right();
    today = "2026-11-03";
    room.right();
    REQUIRE(room.controller.frame().backups == std::vector<std::string>{"2026-11-03", "2026-11-02"});
    CHECK(room.does(RestoreBackup{"2026-11-03"}).notice.text.ends_with("2 reviews"));
    CHECK(room.progress().reviews.size() == 2);
    CHECK(StudyStore(folder.path).load().progress == room.progress());
    CHECK(room.does(RestoreBackup{"2020-01-01"}).notice.text == "Not restored");
}

TEST_CASE("all progress is exported and imported elsewhere")
{
    Room here(4);
    here.does(StartDrill{});
    here.right();
    here.does(ChangeProgress{SetFlag{"f1", true}});
    const auto file = here.does(ExportStudy{StudyExport::progress});
    CHECK(file.file == "ringside-progress-2026-11-02.json");
    Room there(4);
    there.does(ImportStudy{file.text});
    there.does(AnswerImport{true});
    CHECK(there.progress().reviews == here.progress().reviews);
    CHECK(there.progress().flags == here.progress().flags);
}

TEST_CASE("what cannot be saved is said, and the progress is kept in the window")
{
    Room room(2, std::make_unique<StudyStore>("/dev/null/nowhere"));
    CHECK(room.does(ChangeProgress{SetInterview{kMonday + 5}}).notice.text == "Not saved");
    CHECK_FALSE(room.controller.frame().saved);
    CHECK(room.progress().interview == kMonday + 5);
}

TEST_CASE("a plan with faults is named by its file, none is no plan")
{
    const Folder folder;
    Issues issues;
    CHECK(load_plan(folder.path, issues).missions.empty());
    CHECK(issues.empty());
    CHECK(load_plan(test::source_path("assets"), issues).missions.size() == 5);
    CHECK(issues.empty());
    std::filesystem::create_directories(folder.path / "study");
    REQUIRE(std::filesystem::copy_file(test::source_path("assets/scenarios/default.json"),
                                       folder.path / "study/plan.json"));
    CHECK(load_plan(folder.path, issues).missions.empty());
    REQUIRE_FALSE(issues.empty());
    CHECK(issues.front().path.starts_with((folder.path / "study/plan.json").string() + ": "));
}

TEST_CASE("the wall clock's day begins at four in the morning")
{
    const StudyTime now = wall_clock();
    CHECK(now.ms > 1'700'000'000'000);
    CHECK(now.offset_ms >= -16 * 60 * kMinuteMs - 4 * 60 * kMinuteMs);
    CHECK(now.offset_ms <= 14 * 60 * kMinuteMs - 4 * 60 * kMinuteMs);
}
