// What an answer to a question is worth: right or not, which known slip, what to tell the user, and the
// grade for spaced repetition.
#pragma once

#include "core/study/answers/answer.h"
#include "core/study/questions/question.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside
{

// What a user did with a question.
struct Response
{
    // By kind: a number with its unit; the id or number of a choice or cause; ids or numbers in order; a
    // layout "tp 8 pp 4 zero 1 micro 1"; ticked points of a rubric "1,3", "all", "none", or how it went: "no
    // hire", "lean", "strong", "teach".
    std::string text;
    int tries = 1;      // this one included
    int hints = 0;      // opened, 0 to 3
    bool shown = false; // the solution was looked at
    double seconds = 0; // it took; 0: not known
};

struct Verdict
{
    bool correct = false;
    int grade = 1;       // 1 again, 2 hard, 3 good, 4 easy
    std::string mistake; // id of the slip, where one is recognised
    std::string message; // what there is to say beside right or wrong; the key is not in it
    std::string read_as; // "1.1 TB = 1.10e12 B"; empty where nothing had to be read
    std::string nearest; // the recognised slip with its value: "16 × 70.55e9 = 1.13 TB"
};

// What the question's number is asked for in.
Asked asked_in(const Question& question);

// What has to be asked before a typed number is graded: "Do you mean 57 B or 57 GB?"
struct ToAsk
{
    std::string question;
    std::vector<std::string> choices; // what to type instead
};
std::optional<ToAsk> to_ask(const Question& question, std::string_view text);
// How a typed number is read, "1120 GB = 1.12 TB"; empty where it is not.
std::string reading_of(const Question& question, std::string_view text);

// The units of a numeric question to choose from beside the field, the likeliest first: "GB", "GiB", "TB".
std::vector<std::string> units_to_offer(const Question& question);

// The grade is automatic_grade()'s. Faults: an answer that cannot be read, or that has to be
// asked about; nothing is graded then.
Result<Verdict> grade(const Question& question, const Response& response, Calculator& calculator);

} // namespace ringside
