// Assignments: numbers of each student's own, grading of every kind, what a changed file gives away, and the
// three that ship.
#include "tests/core/support.h"
#include "tests/source_path.h"
#include <fmt/format.h>

#include "core/base/json/json_text.h"
#include "core/base/sha256.h"
#include "core/study/assignment/task_grade.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace ringside;
using nlohmann::json;

namespace
{

constexpr int kStudents = 10;

struct Room
{
    Issues issues;
    QuestionBank bank = load_questions(test::source_path("assets"), issues);
    Course course = load_course(test::source_path("lessons"), issues);
    Calculator calculator{test::presets()};

    TaskSources sources() { return {bank, course, calculator}; }
};

Assignment shipped(const std::string& name)
{
    const auto document = read_json_file(test::source_path("assets/assignments/" + name + ".json"));
    REQUIRE(document);
    const auto read = assignment_from_json(*document);
    INFO((read ? std::string() : to_line(read.issues().front())));
    REQUIRE(read);
    return *read;
}

json small()
{
    return json::parse(R"({"schema": "ringside.assignment/1", "id": "small", "title": "Small", "salt": "2027",
      "tasks": [{"id": "state", "title": "State", "kind": "question", "question": "model-state/easy", "attempts": 2},
                {"id": "why", "title": "Why", "kind": "essay"}]})");
}

Assignment small_assignment()
{
    const auto read = assignment_from_json(small());
    REQUIRE(read);
    return *read;
}

std::string student(int n)
{
    return fmt::format("student-{}@example.edu", n);
}

// Answers as a student would give them, kept as the program keeps them.
Answers answered(const Assignment& assignment, const std::string& name, Room& room, bool right)
{
    Answers answers = new_answers(assignment, name);
    std::int64_t now = 1'800'000'000'000;
    for (const AssignmentTask& task : assignment.tasks)
    {
        const auto made = student_task(assignment, task, name, room.sources());
        REQUIRE(made);
        const auto reference = reference_answer(*made);
        REQUIRE(reference);
        answers.log.push_back({task.id, ++now, right ? *reference : "987654321"});
    }
    const auto kept = answers_from_json(json::parse(to_json(answers, assignment).dump()));
    REQUIRE(kept);
    return *kept;
}

} // namespace

TEST_CASE("published: SHA-256 of FIPS 180-4's examples, HMAC of RFC 4231's first and second")
{
    CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(first_number(sha256("abc")) == 0xba7816bf8f01cfeaU);
}

TEST_CASE("a student's numbers follow from salt, student and task, and differ from another's")
{
    const Assignment assignment = small_assignment();
    std::set<std::uint64_t> seeds;
    for (int n = 0; n < kStudents; ++n)
    {
        CHECK(task_seed(assignment, student(n), "state") == task_seed(assignment, student(n), "state"));
        seeds.insert(task_seed(assignment, student(n), "state"));
        seeds.insert(task_seed(assignment, student(n), "why"));
    }
    Assignment next_year = assignment;
    next_year.salt = "2028";
    seeds.insert(task_seed(next_year, student(0), "state"));
    CHECK(seeds.size() == 2 * kStudents + 1);
}

TEST_CASE("every fault of an assignment is named by its path")
{
    json document = small();
    document["tasks"][0].erase("question");
    document["tasks"].push_back({{"id", "why"}, {"title", "Again"}, {"kind", "repair"}});
    const auto read = assignment_from_json(document);
    REQUIRE_FALSE(read);
    std::string lines;
    for (const Issue& issue : read.issues())
    {
        lines += to_line(issue) + "\n";
    }
    INFO(lines);
    CHECK(lines.find("tasks[0].question: is missing") != std::string::npos);
    CHECK(lines.find("tasks[2].causes: has 0 entries") != std::string::npos);
    CHECK(lines.find("\"why\" is there twice") != std::string::npos);
}

TEST_CASE("the three assignments that ship are solvable for every student that is tried")
{
    Room room;
    for (const char* name : {"memory-of-a-run", "pipeline-by-hand", "fastest-layout"})
    {
        const Assignment assignment = shipped(name);
        const bool searches = assignment.id == "fastest-layout"; // every layout, for each student
        const Issues issues = check_assignment(assignment, room.sources(), searches ? 1 : kStudents);
        INFO(name << ": " << (issues.empty() ? std::string() : to_line(issues.front())));
        CHECK(issues.empty());
    }
}

TEST_CASE("right answers of ten students get all points, wrong ones none but for a prediction")
{
    Room room;
    std::set<AssignmentKind> kinds;
    for (const char* name : {"memory-of-a-run", "pipeline-by-hand"})
    {
        const Assignment assignment = shipped(name);
        for (int n = 0; n < kStudents; ++n)
        {
            const auto right =
                grade_answers(assignment, answered(assignment, student(n), room, true), room.sources());
            const auto wrong =
                grade_answers(assignment, answered(assignment, student(n), room, false), room.sources());
            REQUIRE(right);
            REQUIRE(wrong);
            CHECK(right->oddities.empty());
            CHECK(right->score() == Catch::Approx(right->points()));
            for (std::size_t i = 0; i < wrong->tasks.size(); ++i)
            {
                INFO(name << " " << wrong->tasks[i].task << ": " << wrong->tasks[i].message);
                kinds.insert(assignment.tasks[i].kind);
                const bool predicted = assignment.tasks[i].kind == AssignmentKind::lesson;
                CHECK(wrong->tasks[i].score <= (predicted ? wrong->tasks[i].points : 0));
                CHECK(wrong->tasks[i].score < wrong->tasks[i].points + (wrong->tasks[i].by_hand ? 1 : 0));
            }
        }
    }
    CHECK(kinds.size() == 6); // all but the layout, whose search takes longer
}

TEST_CASE("another student's right answers are wrong, and a file changed by hand is found")
{
    Room room;
    const Assignment assignment = shipped("pipeline-by-hand");
    Answers copied = answered(assignment, student(1), room, true);
    copied.student = student(2);
    const auto grade = grade_answers(assignment, copied, room.sources());
    REQUIRE(grade);
    CHECK(grade->score() < grade->points());
    REQUIRE(grade->oddities.size() == 1);
    CHECK(grade->oddities.front() == "The file was changed outside of Ringside.");

    Answers changed = answered(assignment, student(1), room, false);
    changed.log[0].answer = "25%";
    CHECK(oddities(changed, assignment).size() == 1);
    const Answers honest = answered(assignment, student(1), room, true);
    CHECK(oddities(honest, assignment, student(1)).empty());
    CHECK(oddities(honest, assignment, student(3)).size() == 1);
    Assignment other = assignment;
    other.fingerprint = "another";
    CHECK(oddities(honest, other).size() == 1);
}

TEST_CASE("no more answers count than there are attempts")
{
    const Assignment assignment = small_assignment();
    Answers answers = new_answers(assignment, student(0));
    answers.log = {{"state", 1, "1 GB"}, {"state", 2, "2 GB"}, {"state", 3, "3 GB"}};
    CHECK(answers.counted(assignment.tasks[0])->answer == "2 GB");
    const auto kept = answers_from_json(json::parse(to_json(answers, assignment).dump()));
    REQUIRE(kept);
    REQUIRE(oddities(*kept, assignment).size() == 1);
    CHECK(oddities(*kept, assignment).front() == "State has 3 answers, 2 count.");
}

TEST_CASE("a locked field, a schedule that waits for itself and what is no answer get no points and say why")
{
    Room room;
    const auto graded = [&](const char* name, std::string_view task, std::string_view answer)
    {
        const Assignment assignment = shipped(name);
        const auto made = student_task(assignment, *assignment.task(task), student(0), room.sources());
        REQUIRE(made);
        return grade_task(*made, answer, room.sources());
    };
    const TaskGrade locked = graded("memory-of-a-run", "fit", "cluster.gpus=64");
    CHECK(locked.score == 0);
    CHECK(locked.message.find("a locked field was changed") != std::string::npos);
    const TaskGrade short_order = graded("pipeline-by-hand", "one-f-one-b", "0F0 0B0\n1F0 1B0");
    CHECK(short_order.score == 0);
    CHECK(short_order.unread);
    CHECK(graded("memory-of-a-run", "state", "a lot").unread);
    const TaskGrade half = graded("memory-of-a-run", "broken", "micro-batch training.recompute=full");
    CHECK(half.score == Catch::Approx(15 * 0.75)); // the cause, and one of two conditions
}

TEST_CASE(
    "Gradescope's file has a test for each task, a hidden one for oddities, and a leaderboard of seconds")
{
    AnswersGrade grade;
    grade.student = "=1+1";
    grade.tasks = {{.task = "a", .title = "A", .score = 5, .points = 5},
                   {.task = "b", .title = "B", .score = 1, .points = 4, .leaderboard = 2.5},
                   {.task = "c", .title = "C", .points = 10, .by_hand = true}};
    grade.oddities = {"Odd."};
    const json out = gradescope_results(grade);
    CHECK(out["score"] == 6);
    CHECK(out["tests"].size() == 4);
    CHECK(out["tests"][0]["status"] == "passed");
    CHECK(out["tests"][1]["status"] == "failed");
    CHECK_FALSE(out["tests"][2].contains("score"));
    CHECK(out["tests"][3]["visibility"] == "hidden");
    CHECK(out["leaderboard"][0]["value"] == 2.5);
    CHECK(out["leaderboard"][0]["order"] == "asc");
    Assignment assignment;
    assignment.tasks.resize(3);
    assignment.tasks[0].id = "a";
    assignment.tasks[1].id = "b";
    assignment.tasks[2].id = "c";
    CHECK(grades_csv(assignment, std::vector{grade}) ==
          "student,score,points,a,b,c,oddities\n'=1+1,6,9,5,1,,Odd.\n");
}
