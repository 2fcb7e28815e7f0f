// `ringside assignment`: assignments checked, opened by a student, answered, graded, and packed for an
// autograder.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/commands/study/autograder.h"
#include "app/files/files.h"
#include "app/files/lesson_files.h"
#include "core/base/json/json_text.h"
#include "core/scenario/link/link.h"
#include "core/study/assignment/task_grade.h"

#include <chrono>
#include <filesystem>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::size_t kMostAnswerBytes = 1U << 20U;

struct AssignmentOptions : CommonOptions
{
    std::string file; // of the assignment
    std::string student;
    std::string answers; // file
    std::vector<std::string> handed_in;
    std::string task;
    std::string text;
    std::string output;
    std::string page{kLinkScheme};
    std::string gradescope; // file
    std::string csv;        // file
    std::string metadata;   // file of Gradescope's
    std::int64_t students = 10;
};

// What an assignment is made from, read once.
struct Grader
{
    const Opened& opened;
    QuestionBank bank;
    Course course;
    Calculator calculator;
    Assignment assignment;

    TaskSources sources() { return {bank, course, calculator}; }
};

Grader open_grader(const AssignmentOptions& o)
{
    const Opened& opened = open_presets(o);
    Issues issues;
    QuestionBank bank = load_questions(opened.assets, issues);
    Course course = open_course(opened.assets, issues);
    print_faults(issues);
    const std::string text = or_end(read_text(o.file, {kMostAnswerBytes}), o.file);
    const json document = or_end(parse_json(text), o.file);
    return {opened, std::move(bank), std::move(course), Calculator(opened.presets),
            or_end(assignment_from_json(document), o.file)};
}

Answers read_answers(const std::string& file)
{
    const json document = or_end(parse_json(or_end(read_text(file, {kMostAnswerBytes}), file)), file);
    return or_end(answers_from_json(document), file);
}

std::string answers_text(const Answers& answers, const Assignment& assignment)
{
    return to_json(answers, assignment).dump(2) + "\n";
}

int run_check_assignment(const AssignmentOptions& o)
{
    Grader grader = open_grader(o);
    const Issues issues = check_assignment(grader.assignment, grader.sources(), o.students);
    json tasks = json::array();
    for (const AssignmentTask& task : grader.assignment.tasks)
    {
        const auto made = student_task(grader.assignment, task, o.student, grader.sources());
        const auto reference = made ? reference_answer(*made) : Result<std::string>(made.issues());
        tasks.push_back({{"id", task.id},
                         {"kind", name_of(task.kind)},
                         {"points", task.points},
                         {"reference", reference ? json(*reference) : json()}});
    }
    if (o.json)
    {
        print_document({{"id", grader.assignment.id},
                        {"fingerprint", grader.assignment.fingerprint},
                        {"student", o.student},
                        {"points", grader.assignment.points()},
                        {"tasks", tasks},
                        {"faults", issues_json(issues)}});
        return issues.empty() ? kDone : kNo;
    }
    print_faults(of_file(issues, o.file));
    say("{}: {} points; numbers and answers of \"{}\"\n", grader.assignment.title,
        plain_number(grader.assignment.points()), o.student);
    for (const json& task : tasks)
    {
        say("\n{} ({}, {} points)\n{}\n", task["id"].get<std::string>(), task["kind"].get<std::string>(),
            task["points"].get<double>(),
            task["reference"].is_string() ? task["reference"].get<std::string>() : "no answer");
    }
    return issues.empty() ? kDone : kNo;
}

int run_open_assignment(const AssignmentOptions& o)
{
    Grader grader = open_grader(o);
    json tasks = json::array();
    std::string text = fmt::format("# {}\n{}{}{}\n", grader.assignment.title, grader.assignment.about,
                                   grader.assignment.due.empty() ? "" : "\nDue ", grader.assignment.due);
    for (const AssignmentTask& task : grader.assignment.tasks)
    {
        const StudentTask made =
            or_end(student_task(grader.assignment, task, o.student, grader.sources()), task.id);
        const std::string words = task_words(made, grader.opened.presets);
        tasks.push_back({{"id", task.id},
                         {"kind", name_of(task.kind)},
                         {"text", words},
                         {"link", task_link(made, grader.opened.presets, o.page)}});
        text += fmt::format("\n{}[{}]\n", words, task.id);
    }
    if (!o.output.empty())
    {
        if (std::filesystem::exists(o.output))
        {
            end_with({{"--output", fmt::format("\"{}\" is there already", o.output),
                       "answers stay: use another name"}});
        }
        end_with(
            save_text(o.output, answers_text(new_answers(grader.assignment, o.student), grader.assignment)));
    }
    o.json ? print_document({{"id", grader.assignment.id}, {"student", o.student}, {"tasks", tasks}})
           : say("{}", text);
    return kDone;
}

int run_answer_task(const AssignmentOptions& o)
{
    Grader grader = open_grader(o);
    Answers answers = read_answers(o.answers);
    const AssignmentTask* task = grader.assignment.task(o.task);
    if (task == nullptr)
    {
        end_with(
            {unknown_word("TASK", "task ", o.task, texts_of(grader.assignment.tasks, &AssignmentTask::id))});
    }
    const std::size_t given = answers.given(task->id);
    if (task->attempts > 0 && given >= static_cast<std::size_t>(task->attempts))
    {
        end_with({{"TASK", fmt::format("{} has its {} already", task->id, counted(task->attempts, "answer")),
                   "the last one counts"}});
    }
    const std::string text = o.text == "-" ? or_end(read_text("-", {kMostAnswerBytes})) : o.text;
    const StudentTask made =
        or_end(student_task(grader.assignment, *task, answers.student, grader.sources()));
    const TaskGrade grade = grade_task(made, text, grader.sources());
    if (grade.unread)
    {
        end_with({{task->id, grade.message, "nothing was handed in for it"}});
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    answers.log.push_back(
        {task->id, std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), text});
    end_with(save_text(o.answers, answers_text(answers, grader.assignment)));
    say("{}: kept, answer {}{}\n", task->id, given + 1,
        task->attempts > 0 ? fmt::format(" of {}", task->attempts) : "");
    return kDone;
}

// Who handed it in, by the address or the number that Gradescope knows.
std::string submitter(const std::string& file, const Answers& answers)
{
    const json document = or_end(parse_json(or_end(read_text(file, {kMostAnswerBytes}), file)), file);
    std::string first;
    for (const json& user : document.value("users", json::array()))
    {
        const std::string email = user.is_object() ? user.value("email", json("")).dump() : "";
        const std::string id = user.is_object() ? user.value("id", json("")).dump() : "";
        if (email == json(answers.student).dump() || id == answers.student)
        {
            return answers.student;
        }
        first = first.empty() && email.size() > 2 ? email.substr(1, email.size() - 2) : first;
    }
    return first;
}

// The files, and those of folders.
std::vector<std::string> files_of(const std::vector<std::string>& handed_in)
{
    std::vector<std::string> files;
    for (const std::string& name : handed_in)
    {
        if (!std::filesystem::is_directory(name))
        {
            files.push_back(name);
            continue;
        }
        for (const auto& file : json_files(name))
        {
            files.push_back(file.string());
        }
    }
    return files;
}

Result<AnswersGrade> grade_file(const AssignmentOptions& o, Grader& grader, const std::string& file)
{
    try
    {
        const Answers answers = read_answers(file);
        const std::string student = o.metadata.empty() ? "" : submitter(o.metadata, answers);
        return grade_answers(grader.assignment, answers, grader.sources(), student);
    }
    catch (const BadInput& bad)
    {
        return bad.issues;
    }
}

// What a student reads whose file could not be graded.
json refused_results(const Issues& issues)
{
    std::string text = "Hand in the one file of answers that Ringside keeps.";
    for (const Issue& issue : issues)
    {
        text += "\n" + to_line(issue);
    }
    return {{"score", 0}, {"output", text}, {"tests", json::array()}};
}

void print_grade(const AnswersGrade& grade)
{
    say("{}: {} of {} points\n", grade.student, plain_number(grade.score()), plain_number(grade.points()));
    for (const TaskGrade& task : grade.tasks)
    {
        say("  {:<24} {}\n", task.task,
            task.by_hand ? "to be graded by hand"
                         : fmt::format("{} of {}", plain_number(task.score), plain_number(task.points)));
    }
    for (const std::string& odd : grade.oddities)
    {
        say("  ! {}\n", odd);
    }
}

int run_grade(const AssignmentOptions& o)
{
    Grader grader = open_grader(o);
    const std::vector<std::string> files = files_of(o.handed_in);
    std::vector<AnswersGrade> grades;
    Issues issues;
    add_if(issues, files.empty() || (!o.gradescope.empty() && files.size() != 1),
           {"ANSWERS", fmt::format("{} were handed in", counted(std::ssize(files), "JSON file")),
            "one is graded for Gradescope"});
    for (std::size_t i = 0; i < files.size() && issues.empty(); ++i)
    {
        const auto grade = grade_file(o, grader, files[i]);
        grade ? grades.push_back(*grade) : append(issues, of_file(grade.issues(), files[i]));
    }
    print_faults(issues);
    if (!o.gradescope.empty())
    {
        const auto results = grades.empty() ? nlohmann::ordered_json(refused_results(issues))
                                            : gradescope_results(grades.front());
        end_with(save_text(o.gradescope, results.dump(2) + "\n"));
    }
    if (!o.csv.empty())
    {
        end_with(save_text(o.csv, grades_csv(grader.assignment, grades)));
    }
    if (o.json)
    {
        print_document(json_list(grades, [](const AnswersGrade& g) { return json(gradescope_results(g)); }));
    }
    else if (o.csv != "-" && o.gradescope != "-")
    {
        std::ranges::for_each(grades, print_grade);
    }
    const bool odd = std::ranges::any_of(grades, [](const AnswersGrade& g) { return !g.oddities.empty(); });
    return !issues.empty() ? (grades.empty() ? kBadInput : kNo) : odd ? kNo : kDone;
}

int run_autograder(const AssignmentOptions& o)
{
    Grader grader = open_grader(o);
    const Issues issues = check_assignment(grader.assignment, grader.sources(), o.students);
    if (!issues.empty())
    {
        print_faults(of_file(issues, o.file));
        return kNo;
    }
    end_with(pack_autograder(o.file, grader.opened.assets, o.output));
    say("Zip what is in {} and give it to Gradescope as the autograder.\n", o.output);
    return kDone;
}

CLI::Option* add_assignment_file(CLI::App& app, AssignmentOptions& o)
{
    return app.add_option("ASSIGNMENT", o.file, "assignment (JSON, ringside.assignment/1)")->required();
}

void add_student(CLI::App& app, AssignmentOptions& o, bool needed)
{
    app.add_option("--student", o.student, "id of the student, whose numbers follow from it")
        ->required(needed);
}

void add_assignment_check_options(CLI::App& app, AssignmentOptions& o)
{
    add_assignment_file(app, o);
    o.student = "student-0";
    add_student(app, o, false);
    whole(app.add_option("--students", o.students, "draws that every task is tried with"), 1, 1000);
    add_json(app, o);
}

void add_assignment_open_options(CLI::App& app, AssignmentOptions& o)
{
    add_assignment_file(app, o);
    add_student(app, o, true);
    app.add_option("-o,--output", o.output, "file of answers to begin");
    app.add_option("--page", o.page, "address of the page that links open; without it, the program");
    add_json(app, o);
}

void add_assignment_answer_options(CLI::App& app, AssignmentOptions& o)
{
    add_assignment_file(app, o);
    app.add_option("ANSWERS", o.answers, "file of answers, which assignment open began")->required();
    app.add_option("TASK", o.task, "id of the task")->required();
    app.add_option("TEXT", o.text, "the answer; - reads it from standard input")->required();
}

void add_assignment_grade_options(CLI::App& app, AssignmentOptions& o)
{
    add_assignment_file(app, o);
    app.add_option("ANSWERS", o.handed_in, "files of answers, or folders of them")->required();
    app.add_option("--gradescope", o.gradescope, "write Gradescope's results.json of the one file");
    app.add_option("--csv", o.csv, "write a row for each student");
    app.add_option("--metadata", o.metadata, "Gradescope's submission_metadata.json: who handed it in");
    add_json(app, o);
}

void add_autograder_options(CLI::App& app, AssignmentOptions& o)
{
    add_assignment_file(app, o);
    app.add_option("-o,--output", o.output, "folder that is made")->required();
}

constexpr CliCommand kCheckAssignment = command<add_assignment_check_options, run_check_assignment>(
    "check", "prove every task solvable and print an answer to each; exit 1 if one is not");
constexpr CliCommand kOpenAssignment = command<add_assignment_open_options, run_open_assignment>(
    "open", "print a student's tasks with links that open them, and begin a file of answers");
constexpr CliCommand kAnswerTask = command<add_assignment_answer_options, run_answer_task>(
    "answer", "keep an answer to a task in a file of answers");
constexpr CliCommand kGrade = command<add_assignment_grade_options, run_grade>(
    "grade", "grade files of answers, everything worked out anew; exit 1 where one is odd or faulty");
constexpr CliCommand kAutograder = command<add_autograder_options, run_autograder>(
    "autograder", "make the folder that Gradescope runs: setup.sh, run_autograder, this program");

} // namespace

const CliCommand assignment_command =
    group<kCheckAssignment, kOpenAssignment, kAnswerTask, kGrade, kAutograder>(
        "assignment", "assignments: check, open, answer and grade them, pack an autograder");

} // namespace ringside
