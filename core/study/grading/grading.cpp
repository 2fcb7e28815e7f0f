#include "core/study/grading/grading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/text.h"
#include "core/study/answers/grammar.h"
#include "core/study/grading/answer_check.h"
#include "core/study/progress/attempt.h"
#include "core/study/questions/layout_answer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

namespace ringside
{

namespace
{

// Asked about only where it decides: a reading that is right next to one that is not.
std::optional<ToAsk> doubt_of(const AnswerReading& reading, const AnswerKey& key)
{
    ToAsk ask{reading.doubt, {}};
    if (!ask.question.empty())
    {
        for (const OtherReading& other : reading.others)
        {
            ask.choices.push_back(other.text);
        }
        return ask;
    }
    const auto right = [&](double value) { return check_answer(value, key).correct; };
    if (right(reading.value) || std::ranges::any_of(reading.others, [&](const OtherReading& other)
                                                    { return other.as_likely && right(other.value); }))
    {
        return std::nullopt;
    }
    if (reading.loose)
    {
        return ToAsk{fmt::format("That is read as {}: type the number without more words", reading.read_as),
                     {reading.read_as}};
    }
    for (const OtherReading& other : reading.others)
    {
        if (!other.as_likely && right(other.value))
        {
            ask.question = fmt::format("Do you mean {} or {}?", reading.read_as, other.text);
            ask.choices = {reading.read_as, other.text};
            return ask;
        }
    }
    return std::nullopt;
}

std::string bare_lower(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\n");
    const auto last = text.find_last_not_of(" \t\n.");
    return first == std::string::npos || last < first ? ""
                                                      : small_letters(text.substr(first, last - first + 1));
}

Result<Verdict> grade_number(const Question& q, const Response& r)
{
    const auto reading = read_answer(r.text, asked_in(q));
    if (!reading)
    {
        return reading.issues();
    }
    const AnswerKey key{q.key, *find_study_unit(q.unit), q.tolerance, q.mistakes};
    AnswerCheck check = check_answer(reading->value, key);
    if (const auto ask = doubt_of(*reading, key))
    {
        return Issue{"", ask->question, fmt::format("type {}", fmt::join(ask->choices, " or "))};
    }
    std::string read_as = reading->read_as;
    for (const OtherReading& other : reading->others)
    {
        if (!check.correct && other.as_likely && check_answer(other.value, key).correct)
        {
            check = check_answer(other.value, key);
            read_as = other.text.empty() ? read_as : other.text;
        }
    }
    Verdict v;
    v.correct = check.correct;
    v.mistake = check.slip;
    v.message = check.message;
    v.read_as = read_as;
    if (check.known)
    {
        const KnownMistake& m = *check.known;
        v.nearest = m.working.empty() ? m.text : fmt::format("{} = {}", m.working, m.text);
    }
    return v;
}

// Letters and digits in small letters.
std::string squashed(std::string_view text)
{
    std::string out = small_letters(text);
    std::erase_if(out, [](unsigned char c) { return std::isalnum(c) == 0; });
    return out;
}

// The words that say something, as stems, and the numbers: "3" of "option 3)".
std::vector<std::string> stems_in(std::string_view text)
{
    std::vector<std::string> stems;
    for (Tokens t(text); !t.at_end(); ++t.at)
    {
        const bool silent =
            manner_of(t.text()) == Manner::silent || has_word("option choice number", t.text());
        if (t.number() || (t.word() && !silent))
        {
            stems.push_back(t.number() ? fmt::format("{}", t.peek().value) : stem_of(t.text()));
        }
    }
    return stems;
}

// The only choice that is what was typed, else the one with that number or letter, else the only one with it
// in one piece, else the only one that has all of its words.
std::size_t choice_with(const Question& q, const std::string& typed)
{
    const std::string whole = squashed(typed);
    const std::vector<std::string> words = stems_in(typed);
    const std::string label = words.size() == 1 ? words.front() : "";
    std::array<std::vector<std::size_t>, 4> fitting;
    for (std::size_t i = 0; i < q.choices.size(); ++i)
    {
        const ShownChoice& c = q.choices[i];
        const std::string own = squashed(c.says);
        const auto held = stems_in(fmt::format("{} {}", c.id, c.says));
        const auto has = [&](const std::string& word) { return std::ranges::count(held, word) > 0; };
        const std::array fits{whole == squashed(c.id) || whole == own,
                              label == std::to_string(i + 1) ||
                                  label == std::string(1, static_cast<char>('a' + i)),
                              whole.size() > 5 && own.find(whole) != std::string::npos,
                              !words.empty() && std::ranges::all_of(words, has)};
        for (std::size_t way = 0; way < fits.size(); ++way)
        {
            fits.at(way) ? fitting.at(way).push_back(i) : void();
        }
    }
    const auto* only = std::ranges::find_if(fitting, [](const auto& those) { return those.size() == 1; });
    return only == fitting.end() ? q.choices.size() : only->front();
}

Result<Verdict> grade_choice(const Question& q, const Response& r)
{
    const std::size_t place = choice_with(q, bare_lower(r.text));
    std::vector<std::string> ids;
    for (const ShownChoice& c : q.choices)
    {
        ids.push_back(c.id);
    }
    if (place == q.choices.size())
    {
        return Issue{"", fmt::format("\u201c{}\u201d is none of the choices", r.text.substr(0, 40)),
                     fmt::format("use 1 to {}, or {}", ids.size(), fmt::join(ids, ", "))};
    }
    const ShownChoice& c = q.choices[place];
    Verdict v;
    v.correct = c.right;
    v.mistake = c.right ? "" : c.id;
    v.message = c.right ? "" : fmt::format("Not \u201c{}\u201d.", c.says);
    v.read_as = c.says;
    return v;
}

Result<Verdict> grade_order(const Question& q, const Response& r)
{
    const auto order = parse_order(q.ordering, r.text);
    if (!order)
    {
        return order.issues();
    }
    const OrderVerdict checked = check_order(q.ordering, *order);
    Verdict v;
    v.correct = checked.correct;
    v.message = checked.correct ? "" : checked.message;
    v.mistake = checked.correct ? "" : fmt::format("place-{}", checked.right + 1);
    return v;
}

// How it went, in the words of the bands; 0 for anything else.
int level_of(std::string_view text)
{
    constexpr std::array<std::string_view, 5> kWords{"", "no hire|no_hire|again|", "lean|hard|",
                                                     "strong|good|", "teach|easy|"};
    const std::string word = std::string(text) + "|";
    const auto* found =
        std::ranges::find_if(kWords, [&](std::string_view words)
                             { return text.size() > 3 && words.find(word) != std::string::npos; });
    return found == kWords.end() ? 0 : static_cast<int>(found - kWords.begin());
}

// The points ticked: "1,3", "1-3, 5", "4/5", "all of them", "none".
Result<std::size_t> ticks_of(std::string text, std::size_t points)
{
    std::ranges::replace(text, ',', ';');
    Tokens t(text);
    const auto point = [&](std::size_t ahead)
    {
        const double n = t.number(ahead) ? t.peek(ahead).value : 0;
        return n == std::floor(n) && n >= 1 && n <= static_cast<double>(points) ? static_cast<std::size_t>(n)
                                                                                : 0;
    };
    if (t.word("all") || t.word("none") || t.at_end() || text == "0")
    {
        return t.word("all") ? points : 0;
    }
    if ((t.sign('/', 1) || t.word("of", 1)) && point(0) > 0 && point(2) == points)
    {
        return point(0); // "4/5"
    }
    std::set<std::size_t> ticked;
    for (; !t.at_end(); ++t.at)
    {
        const std::size_t from = point(0);
        const std::size_t to = t.sign('-', 1) ? point(2) : from;
        if (!t.sign(';') && !t.word("and") && (from == 0 || to < from))
        {
            return Issue{
                "", fmt::format("\u201c{}\u201d ticks no points", text.substr(0, 40)),
                fmt::format("use numbers from 1 to {}, all, none; or no hire, lean, strong, teach", points)};
        }
        t.at += t.sign('-', 1) ? 2U : 0U;
        for (std::size_t i = from; i > 0 && i <= to; ++i)
        {
            ticked.insert(i);
        }
    }
    return ticked.size();
}

// By the points ticked, as everywhere; that one could teach it only the user knows.
Result<Verdict> grade_spoken(const Question& q, const Response& r)
{
    const std::string typed = bare_lower(r.text);
    const std::size_t points = q.rubric.empty() ? q.levels.strong.size() : q.rubric.size();
    Verdict v;
    v.grade = level_of(typed);
    if (v.grade == 0)
    {
        const auto ticks = ticks_of(typed, points);
        if (!ticks)
        {
            return ticks.issues();
        }
        v.grade = static_cast<int>(rubric_grade(static_cast<int>(*ticks), static_cast<int>(points), false));
        v.message = fmt::format("{} of {} points.", *ticks, points);
    }
    v.grade = r.shown ? 1 : r.hints > 0 ? std::min(v.grade, 2) : v.grade;
    v.correct = v.grade >= 3;
    v.message = fmt::format("{}{}{}.", v.message, v.message.empty() ? "" : " ",
                            rubric_name(static_cast<Grade>(v.grade)));
    return v;
}

Result<Verdict> grade_layout(const Question& q, const Response& r, Calculator& calculator)
{
    const auto base =
        q.scenario ? Result<std::shared_ptr<StudiedScenario>>(nullptr) : calculator.scenario({}, {});
    if (!base)
    {
        return base.issues();
    }
    const auto laid = read_layout(r.text, q.scenario ? q.scenario->scenario : (*base)->scenario);
    if (!laid)
    {
        return laid.issues();
    }
    const auto judged = judge_layout(*laid, *q.goal);
    if (!judged)
    {
        return judged.issues();
    }
    Verdict v;
    v.correct = judged->good;
    v.message = judged->message;
    v.mistake = judged->good ? "" : judged->fits ? "slow" : "does-not-fit";
    v.read_as = layout_text(*laid);
    return v;
}

} // namespace

Asked asked_in(const Question& q)
{
    const StudyUnit& unit = *find_study_unit(q.unit);
    const auto declared = asked_for(unit, q.counts, q.per);
    Asked asked = declared ? *declared : asked_for(unit);
    asked.tolerance = q.tolerance;
    asked.sentence = asking_words(q.stem);
    for (const auto& [name, value] : q.values)
    {
        asked.names.insert(name);
    }
    return asked;
}

std::optional<ToAsk> to_ask(const Question& q, std::string_view text)
{
    if (q.kind != QuestionKind::numeric)
    {
        return std::nullopt;
    }
    const auto reading = read_answer(text, asked_in(q));
    return reading ? doubt_of(*reading, {q.key, *find_study_unit(q.unit), q.tolerance, q.mistakes})
                   : std::nullopt;
}

std::string reading_of(const Question& q, std::string_view text)
{
    const auto reading = q.kind == QuestionKind::numeric ? read_answer(text, asked_in(q)) : Issue{};
    return reading ? reading->read_as : "";
}

std::vector<std::string> units_to_offer(const Question& q)
{
    return q.kind == QuestionKind::numeric ? units_to_offer(asked_in(q)) : std::vector<std::string>{};
}

Result<Verdict> grade(const Question& q, const Response& response, Calculator& calculator)
{
    if (response.text.size() > 1000)
    {
        return Issue{"", "too long for an answer", "type at most 1000 characters"};
    }
    const bool spoken = q.kind == QuestionKind::recall || q.kind == QuestionKind::design;
    // A layout is judged by the engine, what was said about it by the user.
    if (spoken && (!q.goal || level_of(bare_lower(response.text)) > 0))
    {
        return grade_spoken(q, response);
    }
    auto verdict = q.kind == QuestionKind::numeric    ? grade_number(q, response)
                   : q.kind == QuestionKind::ordering ? grade_order(q, response)
                   : spoken                           ? grade_layout(q, response, calculator)
                                                      : grade_choice(q, response);
    if (verdict)
    {
        Attempt a;
        a.correct = verdict->correct;
        a.shown = response.shown;
        a.wrong = response.tries - 1;
        a.hints = response.hints;
        a.seconds = response.seconds;
        a.target_s =
            response.seconds > 0 ? q.target_s : 0; // a time that is not known is neither fast nor slow
        verdict->grade = static_cast<int>(automatic_grade(a));
    }
    return verdict;
}

} // namespace ringside
