// The desk: actions in, a frame and a file out, all with a clock of the test's own.
#include "tests/core/study/study_clock.h"
#include "tests/core/support.h"
#include "tests/source_path.h"
#include <unistd.h>

#include "app/session/desks/study_desk.h"
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
    StudyDesk desk;

    explicit Room(int families, std::unique_ptr<StudyStore> store = nullptr)
        : desk(setup(families, std::move(store)))
    {
    }
    StudyDesk::Setup setup(int families, std::unique_ptr<StudyStore> store)
    {
        StudyDesk::Setup s;
        for (int i = 0; i < families; ++i)
        {
            s.families.push_back(test::family("f" + std::to_string(i), i % 2 == 0 ? "zero" : "tp"));
        }
        s.plan = *read_plan(test::read("assets/study/plan.json"));
        s.clock = [this] { return StudyTime{now, 0}; };
        s.store = std::move(store);
        return s;
    }
    StudyDesk::Answer does(const StudyAction& action, int seconds = 30)
    {
        now += seconds * 1000;
        return desk.apply(action);
    }
    void right()
    {
        does(StudyStep{DrillInput{AnswerInput{"1", true, ""}}});
        does(StudyStep{DrillInput{DrillKey::accept}}, 0);
    }
    const Progress& progress() const { return *desk.frame().progress; }
};

class Folder
{
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "ringside-desk-XXXXXX").string();
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

TEST_CASE("a drill through the desk is logged, saved and shown")
{
    const Folder folder;
    Room room(4, std::make_unique<StudyStore>(folder.path));
    CHECK(room.desk.frame().fresh == 4);
    CHECK(room.does(StartDrill{}).view == "drill");
    CHECK(is_running(*room.desk.frame().session));
    for (int i = 0; i < 4; ++i)
    {
        room.right();
    }
    CHECK_FALSE(is_running(*room.desk.frame().session));
    CHECK(room.progress().reviews.size() == 4);
    CHECK(room.desk.frame().fresh == 0);
    CHECK(room.desk.frame().heat[1].all.seen == 2);
    CHECK(room.desk.frame().saved);
    CHECK(StudyStore(folder.path).load().progress == room.progress());
    CHECK(room.does(EndStudy{}).view == "study");
    CHECK(std::holds_alternative<std::monostate>(*room.desk.frame().session));
}

TEST_CASE("questions fall due, and the day turns, when the clock says so")
{
    Room room(2);
    room.does(StartDrill{});
    room.right();
    room.right();
    CHECK(room.desk.frame().due == 0);
    room.now += 9 * kMinuteMs;
    room.desk.tick();
    CHECK(room.desk.frame().due == 0);
    room.now += 2 * kMinuteMs;
    room.desk.tick();
    CHECK(room.desk.frame().due == 2);
    CHECK(room.desk.frame().mission.day == 0);
    room.now += kDayMs;
    room.desk.tick();
    CHECK(room.desk.frame().mission.day == 1);
}

TEST_CASE("a task of the plan is done when its session has ended")
{
    Room room(4);
    StartDrill task{deck_of(room.desk.frame().plan->missions[0].tasks[3]), "day0-zero"};
    room.does(task);
    room.right();
    CHECK(room.progress().tasks.empty());
    room.right();
    REQUIRE(room.progress().tasks.size() == 1);
    CHECK(room.progress().tasks[0].task == "day0-zero");
}

TEST_CASE("the bell of a mock rings by the desk's clock, and its scorecard can be saved")
{
    Room room(4);
    CHECK(room.does(ExportStudy{StudyExport::scorecard}).notice == "No mock interview is over");
    CHECK(room.does(StartMock{5, ""}).view == "mock");
    room.does(StudyStep{MockInput{AnswerInput{"1", true, ""}}});
    room.now += 6 * kMinuteMs;
    room.desk.tick();
    CHECK(std::get<MockSession>(*room.desk.frame().session).stage == MockStage::judging);
    room.does(StudyStep{MockInput{MockKey::finish}});
    CHECK(room.progress().reviews.size() == 1);
    const auto card = room.does(ExportStudy{StudyExport::scorecard});
    CHECK(card.file == "ringside-mock-2026-11-02.md");
    CHECK(card.text.starts_with("# Mock interview, 5 minutes"));
}

TEST_CASE("a spoken answer is a session of the desk")
{
    Room room(1);
    CHECK(room.does(StartSpoken{"nobody", 3, 60, ""}).notice == "There is no question nobody");
    room.does(StartSpoken{"f0", 3, 60, "day0-zero"});
    room.does(StudyStep{SpokenInput{SpokenKey::start}});
    room.now += 61'000;
    room.desk.tick();
    CHECK(std::get<SpokenSession>(*room.desk.frame().session).stage == SpokenStage::ticking);
    room.does(StudyStep{SpokenInput{SpokenKey::accept}});
    CHECK(room.progress().reviews.size() == 1);
    CHECK(room.progress().tasks.size() == 1);
}

TEST_CASE("with no questions nothing starts, and it says so")
{
    Room room(0);
    CHECK(room.does(StartDrill{}).notice == "There are no questions");
    CHECK(room.does(StartMock{12, ""}).notice == "There are no questions");
    CHECK_FALSE(is_running(*room.desk.frame().session));
    Room some(2);
    StartDrill nowhere;
    nowhere.wish.filter.topics = {"pp"};
    CHECK(some.does(nowhere).notice == "Nothing to ask there");
}

TEST_CASE("exports come with a name and a day, imports say what was added")
{
    Room room(2);
    CHECK(room.does(ExportStudy{StudyExport::anki}).notice == "There are no cards to export");
    CHECK(room.does(ImportStudy{"front\tback\n\tx\n"}).notice ==
          "1 card added; 1 fault left out, the first: line 2: the note has no front (fill the first field)");
    CHECK(room.desk.frame().families.size() == 3);
    const auto anki = room.does(ExportStudy{StudyExport::anki});
    CHECK(anki.file == "ringside-anki-2026-11-02.txt");
    CHECK(room.does(ImportStudy{anki.text}).notice == "1 card added");
    CHECK(room.progress().personal.size() == 1); // the same guid: the same card
    const std::string log = "card_id,review_time,review_rating\nf0,1000,3\n";
    CHECK(room.does(ImportStudy{log}).notice == "1 review added");
    CHECK(room.does(ImportStudy{log}).notice == "0 reviews added");
    CHECK(room.does(ExportStudy{StudyExport::history}).text.find("f0,1000,3,0,0") != std::string::npos);
    CHECK(room.does(ExportStudy{StudyExport::history}).file == "ringside-history-2026-11-02.csv");
    CHECK(room.does(ExportStudy{StudyExport::sheet}).text.starts_with("# Study sheet, 2026-11-02"));
}

TEST_CASE("what cannot be saved is said, and the progress is kept in the window")
{
    Room room(2, std::make_unique<StudyStore>("/dev/null/nowhere"));
    CHECK(room.does(ChangeProgress{SetInterview{kMonday + 5}}).notice.starts_with("Not saved: "));
    CHECK_FALSE(room.desk.frame().saved);
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
