#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/study/questions/draw.h"
#include "core/study/questions/quantity.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Choices closer than this are a tie nobody should be asked about.
constexpr double kTie = 0.01;

// The id of a claim's choice is the letter it has on screen, in lower case: what is read is what is typed.
std::string shown_id(const std::string& id, const DrawnValues& values)
{
    constexpr int kToUpper = 'A' - 'a';
    const auto letter =
        id.size() == 1 ? values.find(std::string(1, static_cast<char>(id[0] + kToUpper))) : values.end();
    return letter == values.end()
               ? id
               : std::string(1, static_cast<char>(std::get<std::string>(letter->second)[0] - kToUpper));
}

} // namespace

std::string Draw::filled(const std::string& path, const std::string& text)
{
    auto words = words_.fill(text);
    return words ? std::move(*words) : (note(path, words.issues()), std::string());
}

std::vector<std::string> Draw::filled(const std::string& path, const std::vector<std::string>& texts)
{
    std::vector<std::string> all;
    for (const std::string& text : texts)
    {
        all.push_back(filled(fmt::format("{}[{}]", path, all.size()), text));
    }
    return all;
}

double Draw::number(const std::string& path, const std::string& expression)
{
    const auto found = value(expression);
    return found ? *found : (note(path, found.issues()), 0.0);
}

void Draw::make_claims()
{
    if (v_.claims.empty())
    {
        return;
    }
    std::vector<std::string> claims;
    for (std::size_t i = 0; i < v_.claims.size(); ++i)
    {
        claims.push_back(
            filled("claims", fmt::format("Source {{{}}}: {}", static_cast<char>('A' + i), v_.claims[i])));
    }
    std::ranges::sort(claims);
    q_.values["claims"] = fmt::format("{}", fmt::join(claims, " "));
}

void Draw::make_texts()
{
    make_claims();
    for (const ParameterSpec& p : v_.parameters)
    {
        q_.givens[p.name] = words_.shown(p.name);
    }
    q_.follow_ups.clear();
    for (const FollowUpSpec& f : v_.follow_ups)
    {
        q_.follow_ups.push_back({filled("follow_ups", f.says), DrawnValues(f.set.begin(), f.set.end())});
    }
    q_.stem = filled("stem", v_.stem);
    q_.note = filled("note", v_.note);
    q_.title = filled("title", v_.title);
    q_.answer = filled("answer", v_.answer);
    q_.hints = filled("hints", v_.hints);
    q_.rubric = filled("rubric", v_.rubric);
    q_.levels = {filled("rubric_levels.strong", v_.levels.strong),
                 filled("rubric_levels.lean", v_.levels.lean),
                 filled("rubric_levels.no_hire", v_.levels.no_hire)};
}

void Draw::make_solution()
{
    q_.solution.clear();
    for (const SolutionStepSpec& spec : v_.solution)
    {
        const std::string path = fmt::format("solution[{}]", q_.solution.size());
        SolutionStep step;
        step.value = number(path + ".value", spec.value);
        step.says = filled(path + ".says", spec.says);
        step.formula = filled(path + ".formula", spec.formula);
        step.working = words_.working(spec.value);
        step.result = result_text(step.value, *find_study_unit(spec.unit));
        q_.solution.push_back(std::move(step));
    }
}

void Draw::make_mistakes()
{
    q_.mistakes.clear();
    for (std::size_t i = 0; i < v_.mistakes.size(); ++i)
    {
        const MistakeSpec& spec = v_.mistakes[i];
        const std::string path = fmt::format("mistakes[{}]", i);
        if (!spec.when.empty() && number(path + ".when", spec.when) == 0)
        {
            continue;
        }
        const double wrong = number(path + ".value", spec.value);
        if (!too_close(wrong, q_.key, q_.tolerance))
        {
            q_.mistakes.push_back({spec.id, filled(path + ".says", spec.says), wrong,
                                   result_text(wrong, *find_study_unit(v_.unit)),
                                   words_.working(spec.value)});
        }
    }
}

void Draw::make_numeric()
{
    q_.key = number("key", v_.key);
    if (q_.tolerance == 0 && q_.key != std::round(q_.key))
    {
        note("key", {{"", fmt::format("{} is not whole", q_.key), "give a tolerance, or round it"}});
    }
    const StudyUnit& unit = *find_study_unit(v_.unit);
    q_.key_text = q_.tolerance == 0 ? given_text(q_.key, unit) : result_text(q_.key, unit);
    make_solution();
    make_mistakes();
    add_engine_terms();
}

// The engine's working for every metric of the key that has one.
void Draw::add_engine_terms()
{
    q_.engine.clear();
    if (!scenario_)
    {
        return;
    }
    for (const std::string& name : calculator_.names(v_.key))
    {
        if (auto term = calculator_.explain_metric(name, *scenario_))
        {
            q_.engine.push_back(std::move(*term));
        }
    }
}

Draw::Outcome Draw::make_choices()
{
    q_.choices.clear();
    std::vector<double> numbers;
    for (const ChoiceSpec& spec : v_.choices)
    {
        const std::string path = fmt::format("choices[{}]", q_.choices.size());
        ShownChoice choice;
        choice.id = v_.claims.empty() ? spec.id : shown_id(spec.id, q_.values);
        choice.right = spec.right;
        choice.says = filled(path + ".says", spec.says);
        if (!spec.value.empty())
        {
            numbers.push_back(number(path + ".value", spec.value));
            choice.value = result_text(numbers.back(), *find_study_unit(spec.unit));
        }
        q_.choices.push_back(std::move(choice));
    }
    if (v_.best != Pick::marked && !faulty_)
    {
        const auto sign = v_.best == Pick::largest ? -1.0 : 1.0;
        const auto best = static_cast<std::size_t>(
            std::ranges::min_element(numbers, [&](double a, double b) { return sign * a < sign * b; }) -
            numbers.begin());
        for (std::size_t i = 0; i < numbers.size(); ++i)
        {
            if (i != best && std::abs(numbers[i] - numbers[best]) <= kTie * std::abs(numbers[best]))
            {
                issues_ = {{"choices", "two are always within 1% of each other",
                            "give numbers that tell them apart"}};
                return Outcome::again;
            }
        }
        q_.choices[best].right = true;
    }
    shuffle(q_.choices, SplitMix(seed_for("choices")));
    if (!v_.claims.empty())
    {
        const auto letter = [](const ShownChoice& c) { return c.id.size() == 1 ? c.id : "~"; };
        std::ranges::stable_sort(q_.choices, {}, letter);
    }
    return Outcome::good;
}

void Draw::make_diagnosis()
{
    q_.choices.clear();
    const std::size_t fault = SplitMix(seed_for("cause")).below(v_.causes.size());
    for (const CauseSpec& spec : v_.causes)
    {
        const std::string path = fmt::format("causes[{}]", q_.choices.size());
        ShownChoice choice;
        choice.id = spec.id;
        choice.right = q_.choices.size() == fault;
        choice.says = filled(path + ".says", spec.says);
        choice.because = filled(path + ".because", spec.because);
        choice.fix = filled(path + ".fix", spec.fix);
        q_.choices.push_back(std::move(choice));
    }
    auto evidence = make_evidence(v_.causes[fault].evidence.get(), seed_for("evidence"),
                                  [this](std::string_view text) { return words_.fill(text); });
    if (!evidence)
    {
        note(fmt::format("causes[{}].evidence", fault), evidence.issues());
        return;
    }
    q_.evidence = std::move(*evidence);
    shuffle(q_.choices, SplitMix(seed_for("choices")));
}

void Draw::make_items()
{
    auto ordering = make_ordering(v_, calculator_, q_.values, scenario_.get(), seed_for("items"));
    if (!ordering)
    {
        note("", ordering.issues());
        return;
    }
    q_.ordering = std::move(*ordering);
    for (OrderedItem& item : q_.ordering.items)
    {
        item.says = filled("items", item.says);
    }
}

Draw::Outcome Draw::make()
{
    Outcome outcome = Outcome::good;
    make_texts();
    switch (v_.kind)
    {
    case QuestionKind::numeric:
        make_numeric();
        break;
    case QuestionKind::comparison:
        outcome = make_choices();
        break;
    case QuestionKind::diagnosis:
        make_diagnosis();
        break;
    case QuestionKind::ordering:
        make_items();
        break;
    case QuestionKind::recall:
    case QuestionKind::design:
        break;
    }
    return faulty_ ? Outcome::fault : outcome;
}

} // namespace ringside
