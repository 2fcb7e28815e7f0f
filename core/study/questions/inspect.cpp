#include "core/study/questions/inspect.h"

#include <fmt/format.h>

#include "core/study/grading/answer_check.h"
#include "core/study/grading/grading.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

std::vector<std::string_view> words_of(std::string_view text)
{
    std::vector<std::string_view> words;
    while (!text.empty())
    {
        const auto end = text.find(' ');
        words.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return words;
}

// What questions count.
constexpr std::array<std::string_view, 34> kPlurals{
    "GPUs",      "nodes",         "ranks",   "replicas", "stages",  "layers",  "heads",
    "experts",   "copies",        "hops",    "steps",    "epochs",  "tokens",  "requests",
    "sequences", "micro-batches", "samples", "answers",  "prompts", "groups",  "chunks",
    "blocks",    "rows",          "bits",    "bytes",    "nats",    "days",    "hours",
    "minutes",   "seconds",       "weeks",   "years",    "spares",  "failures"};

// "1 GPUs", "16 GPUs GPUs", "2 step(s)": what a placeholder makes of a text
// that was written for another number.
void check_wording(Issues& issues, const std::string& path, const std::string& text)
{
    const auto words = words_of(text);
    const auto fault = [&](const std::string& what, const char* hint) {
        issues.push_back({path, fmt::format("{} in \"{}\"", what, text.substr(0, 60)), hint});
    };
    add_if(issues, text.find("(s)") != std::string::npos,
           {path, fmt::format("\"(s)\" in \"{}\"", text.substr(0, 60)), "use {name:step}: 1 step, 2 steps"});
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
    {
        const std::string_view next = words[i + 1].substr(0, words[i + 1].find_last_not_of(".,:;?") + 1);
        const bool in_a_sum = i > 0 && words[i - 1].size() == 1; // "p - 1 hops", "2 x 1 rows"
        if (words[i] == "1" && !in_a_sum && std::ranges::find(kPlurals, next) != kPlurals.end())
        {
            fault(fmt::format("\"1 {}\"", next), "use {name:noun}, or the unit's own word");
        }
        if (words[i] == next && next.size() > 1 &&
            next.find_first_not_of("0123456789-.") != std::string_view::npos)
        {
            fault(fmt::format("\"{0} {0}\"", next), "the placeholder prints its unit");
        }
    }
}

void check_text(Issues& issues, const std::string& path, const std::string& text)
{
    check_wording(issues, path, text);
    if (text.find_first_of("{}") != std::string::npos)
    {
        issues.push_back({path, fmt::format("a brace is left in \"{}\"", text.substr(0, 60)), "use {name}"});
    }
    if (text.find("  ") != std::string::npos || text.starts_with(" ") || text.ends_with(" "))
    {
        issues.push_back(
            {path, fmt::format("spaces too many in \"{}\"", text.substr(0, 60)), "take them out"});
    }
    if (text.find("not a number") != std::string::npos)
    {
        issues.push_back({path, fmt::format("a value that is no number in \"{}\"", text.substr(0, 60)),
                          "keep what is divided by above 0"});
    }
}

void check_texts(Issues& issues, const Question& q)
{
    check_text(issues, "stem", q.stem);
    check_text(issues, "note", q.note);
    check_text(issues, "answer", q.answer);
    for (std::size_t i = 0; i < q.hints.size(); ++i)
    {
        check_text(issues, fmt::format("hints[{}]", i), q.hints[i]);
    }
    for (const KnownMistake& m : q.mistakes)
    {
        check_text(issues, fmt::format("mistakes[{}].says", m.id), m.says);
    }
    for (const SolutionStep& s : q.solution)
    {
        check_text(issues, "solution", s.line());
    }
    for (const ShownChoice& c : q.choices)
    {
        check_text(issues, fmt::format("choices[{}]", c.id), c.says);
    }
    for (const std::string& line : q.evidence.lines)
    {
        if (line.find_first_of("{}") != std::string::npos)
        {
            issues.push_back({"evidence", "a brace is left", "use {name}"});
        }
    }
}

bool is_digit(const std::string& text, std::size_t at)
{
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

// Whether a text says the key: with its unit, not as part of a longer number.
bool gives_away(const std::string& text, const std::string& key)
{
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    {
        const std::size_t end = at + key.size();
        const bool before = at > 0 && (is_digit(text, at - 1) || text[at - 1] == '.');
        const bool behind =
            is_digit(text, end) || (end < text.size() && text[end] == '.' && is_digit(text, end + 1));
        if (!before && !behind)
        {
            return true;
        }
    }
    return false;
}

void check_numeric(Issues& issues, const Question& q)
{
    if (!q.solution.empty())
    {
        const double last = q.solution.back().value;
        const double allowed = q.tolerance == 0 ? 1e-9 : q.tolerance;
        add_if(issues, std::abs(last - q.key) > allowed * std::abs(q.key),
               {fmt::format("solution[{}]", q.solution.size() - 1),
                fmt::format("ends at {}, the key is {}", q.solution.back().result, q.key_text),
                "the last step's value is the key"});
    }
    // Lone small numbers turn up in any text, and what the question says itself
    // gives nothing away.
    const bool telling =
        q.key_text.size() >= 3 && !gives_away(q.stem, q.key_text) && !gives_away(q.note, q.key_text);
    for (std::size_t i = 0; telling && i + 1 < q.hints.size(); ++i)
    {
        add_if(issues, gives_away(q.hints[i], q.key_text),
               {fmt::format("hints[{}]", i), fmt::format("says the answer, {}", q.key_text),
                "keep it for the solution"});
    }
}

// What is printed is what is typed: the key must be right, every mistake must
// be recognised.
void check_typed(Issues& issues, const Question& q)
{
    const AnswerKey key{q.key, *find_study_unit(q.unit), q.tolerance, q.mistakes};
    const Asked asked = asked_in(q);
    const auto answer = read_answer(q.key_text, asked);
    add_if(
        issues, !answer || !answer->doubt.empty() || !check_answer(answer->value, key).correct,
        {"key", fmt::format("\"{}\" typed back is not right", q.key_text), "give another unit or tolerance"});
    for (const KnownMistake& m : q.mistakes)
    {
        const auto typed = read_answer(m.text, asked);
        const AnswerCheck check = typed ? check_answer(typed->value, key) : AnswerCheck{};
        add_if(issues, check.correct || !check.known,
               {fmt::format("mistakes[{}]", m.id),
                fmt::format("\"{}\" typed back is {}", m.text, check.correct ? "right" : "not recognized"),
                "change its value, or say \"when\" it applies"});
    }
}

void check_choices(Issues& issues, const Question& q)
{
    const bool chosen = q.kind == QuestionKind::comparison || q.kind == QuestionKind::diagnosis;
    const auto right = std::ranges::count_if(q.choices, [](const ShownChoice& c) { return c.right; });
    add_if(issues, chosen && right != 1,
           {"choices", fmt::format("{} are right", right), "exactly one must be"});
    // "A: 16" and "Neither: 16" say the same.
    const auto said = [](const ShownChoice& c)
    {
        const auto colon = c.says.find(": ");
        return colon == std::string::npos ? c.says : c.says.substr(colon + 2);
    };
    std::set<std::string> all;
    for (const ShownChoice& choice : q.choices)
    {
        add_if(
            issues, !all.insert(said(choice)).second,
            {"choices", fmt::format("two say \"{}\"", said(choice)), "rule such numbers out by \"where\""});
    }
}

} // namespace

Issues inspect(const Question& q)
{
    Issues issues;
    check_texts(issues, q);
    if (q.kind == QuestionKind::numeric)
    {
        check_numeric(issues, q);
        check_typed(issues, q);
    }
    check_choices(issues, q);
    return issues;
}

namespace
{

// Keeps each fault once, with the seed it was first met with.
class Faults
{
public:
    Faults(std::string id, Issues& out) : id_(std::move(id)), out_(out) {}

    void add(const Issues& issues, std::uint64_t seed, std::string_view where = "")
    {
        for (const Issue& issue : issues)
        {
            if (seen_.insert(issue.path + (issue.path.starts_with("hints") ? "" : issue.hint)).second)
            {
                out_.push_back({fmt::format("{}{}.{}", id_, where, issue.path),
                                fmt::format("{} [seed {}]", issue.message, seed), issue.hint});
            }
        }
    }

private:
    std::string id_;
    Issues& out_;
    std::set<std::string> seen_;
};

} // namespace

VariantCheck check_variant(Calculator& calculator, const QuestionFamily& family, std::size_t variant,
                           std::uint64_t seeds)
{
    const QuestionVariant& v = family.variants[variant];
    VariantCheck check;
    const std::string path = fmt::format("{}: {}/{}", family.file, family.id, v.id);
    Faults faults(path, check.issues);
    std::map<std::string, std::size_t> met; // mistakes by how often they told themselves from the key
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
    {
        const auto question = draw(calculator, family, variant, seed);
        if (!question)
        {
            faults.add(question.issues(), seed);
            continue;
        }
        ++check.drawn;
        faults.add(inspect(*question), seed);
        for (const KnownMistake& m : question->mistakes)
        {
            ++met[m.id];
        }
        for (std::size_t i = 0; seed < 5 && i < question->follow_ups.size(); ++i)
        {
            const auto next = draw(calculator, family, variant, seed, question->follow_ups[i].set);
            faults.add(next ? inspect(*next) : next.issues(), seed, fmt::format(".follow_ups[{}]", i));
        }
    }
    for (const MistakeSpec& m : v.mistakes)
    {
        add_if(check.issues, check.drawn >= 10 && !met.contains(m.id),
               {fmt::format("{}.mistakes[{}]", path, m.id),
                fmt::format("never differs from the key in {} draws", check.drawn),
                "its value must lie outside the tolerance for some numbers"});
    }
    return check;
}

} // namespace ringside
