#include <fmt/format.h>

#include "core/engine/compression/random.h"
#include "core/study/draw.h"
#include "core/study/quantity.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Choices closer than this are a tie nobody should be asked about.
constexpr double kTie = 0.01;

template <class List>
void shuffle(List& list, std::uint64_t seed)
{
    SplitMix rng(seed);
    for (std::size_t i = list.size(); i > 1; --i)
    {
        std::swap(list[i - 1], list[rng.below(i)]);
    }
}

} // namespace

Draw::Outcome Draw::fill(std::string path, const std::string& text, std::string& target)
{
    auto filled = words_.fill(text);
    if (!filled)
    {
        return fail(std::move(path), filled.issues());
    }
    target = std::move(*filled);
    return Outcome::good;
}

Draw::Outcome Draw::fill_all(const std::string& path, const std::vector<std::string>& texts,
                             std::vector<std::string>& target)
{
    target.assign(texts.size(), {});
    for (std::size_t i = 0; i < texts.size(); ++i)
    {
        if (fill(fmt::format("{}[{}]", path, i), texts[i], target[i]) != Outcome::good)
        {
            return Outcome::fault;
        }
    }
    return Outcome::good;
}

Draw::Outcome Draw::make_texts()
{
    for (const ParameterSpec& p : v_.parameters)
    {
        q_.givens[p.name] = words_.shown(p.name);
    }
    q_.follow_ups.clear();
    for (const FollowUpSpec& f : v_.follow_ups)
    {
        q_.follow_ups.push_back({"", DrawnValues(f.set.begin(), f.set.end())});
        if (fill("follow_ups", f.says, q_.follow_ups.back().says) != Outcome::good)
        {
            return Outcome::fault;
        }
    }
    const bool good =
        fill("stem", v_.stem, q_.stem) == Outcome::good && fill("note", v_.note, q_.note) == Outcome::good &&
        fill("title", v_.title, q_.title) == Outcome::good &&
        fill("answer", v_.answer, q_.answer) == Outcome::good &&
        fill_all("hints", v_.hints, q_.hints) == Outcome::good &&
        fill_all("rubric", v_.rubric, q_.rubric) == Outcome::good &&
        fill_all("rubric_levels.strong", v_.levels.strong, q_.levels.strong) == Outcome::good &&
        fill_all("rubric_levels.lean", v_.levels.lean, q_.levels.lean) == Outcome::good &&
        fill_all("rubric_levels.no_hire", v_.levels.no_hire, q_.levels.no_hire) == Outcome::good;
    return good ? Outcome::good : Outcome::fault;
}

Draw::Outcome Draw::make_solution()
{
    q_.solution.clear();
    for (std::size_t i = 0; i < v_.solution.size(); ++i)
    {
        const SolutionStepSpec& spec = v_.solution[i];
        const std::string path = fmt::format("solution[{}]", i);
        const auto number = value(spec.value);
        SolutionStep step;
        if (!number)
        {
            return fail(path + ".value", number.issues());
        }
        if (fill(path + ".says", spec.says, step.says) != Outcome::good ||
            fill(path + ".formula", spec.formula, step.formula) != Outcome::good)
        {
            return Outcome::fault;
        }
        step.value = *number;
        step.working = words_.working(spec.value);
        step.result = result_text(*number, *find_study_unit(spec.unit));
        q_.solution.push_back(std::move(step));
    }
    return Outcome::good;
}

Draw::Outcome Draw::make_mistakes()
{
    q_.mistakes.clear();
    for (std::size_t i = 0; i < v_.mistakes.size(); ++i)
    {
        const MistakeSpec& spec = v_.mistakes[i];
        const std::string path = fmt::format("mistakes[{}]", i);
        const auto applies = spec.when.empty() ? Result<double>(1.0) : value(spec.when);
        if (!applies)
        {
            return fail(path + ".when", applies.issues());
        }
        if (*applies == 0)
        {
            continue;
        }
        const auto number = value(spec.value);
        if (!number)
        {
            return fail(path + ".value", number.issues());
        }
        if (too_close(*number, q_.key, q_.tolerance))
        {
            continue;
        }
        KnownMistake mistake{spec.id, "", *number, result_text(*number, *find_study_unit(v_.unit)),
                             words_.working(spec.value)};
        if (fill(path + ".says", spec.says, mistake.says) != Outcome::good)
        {
            return Outcome::fault;
        }
        q_.mistakes.push_back(std::move(mistake));
    }
    return Outcome::good;
}

Draw::Outcome Draw::make_numeric()
{
    const auto key = value(v_.key);
    if (!key)
    {
        return fail("key", key.issues());
    }
    q_.key = *key;
    if (q_.tolerance == 0 && q_.key != std::round(q_.key))
    {
        return fail("key", {{"", fmt::format("{} is not whole", q_.key), "give a tolerance, or round it"}});
    }
    const StudyUnit& unit = *find_study_unit(v_.unit);
    q_.key_text = q_.tolerance == 0 ? given_text(q_.key, unit) : result_text(q_.key, unit);
    if (make_solution() != Outcome::good || make_mistakes() != Outcome::good)
    {
        return Outcome::fault;
    }
    add_engine_terms();
    return Outcome::good;
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
    for (std::size_t i = 0; i < v_.choices.size(); ++i)
    {
        const ChoiceSpec& spec = v_.choices[i];
        const std::string path = fmt::format("choices[{}]", i);
        ShownChoice choice;
        choice.id = spec.id;
        choice.right = spec.right;
        if (fill(path + ".says", spec.says, choice.says) != Outcome::good)
        {
            return Outcome::fault;
        }
        if (!spec.value.empty())
        {
            const auto number = value(spec.value);
            if (!number)
            {
                return fail(path + ".value", number.issues());
            }
            numbers.push_back(*number);
            choice.value = result_text(*number, *find_study_unit(spec.unit));
        }
        q_.choices.push_back(std::move(choice));
    }
    if (v_.best != Pick::marked)
    {
        const auto sign = v_.best == Pick::largest ? -1.0 : 1.0;
        const auto best = static_cast<std::size_t>(std::min_element(numbers.begin(), numbers.end(),
                                                                    [&](double a, double b)
                                                                    { return sign * a < sign * b; }) -
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
    shuffle(q_.choices, seed_for("choices"));
    return Outcome::good;
}

Draw::Outcome Draw::make_diagnosis()
{
    q_.choices.clear();
    const std::size_t fault = SplitMix(seed_for("cause")).below(v_.causes.size());
    for (std::size_t i = 0; i < v_.causes.size(); ++i)
    {
        const CauseSpec& spec = v_.causes[i];
        const std::string path = fmt::format("causes[{}]", i);
        ShownChoice choice;
        choice.id = spec.id;
        choice.right = i == fault;
        if (fill(path + ".says", spec.says, choice.says) != Outcome::good ||
            fill(path + ".because", spec.because, choice.because) != Outcome::good ||
            fill(path + ".fix", spec.fix, choice.fix) != Outcome::good)
        {
            return Outcome::fault;
        }
        q_.choices.push_back(std::move(choice));
    }
    auto evidence = make_evidence(v_.causes[fault].evidence.get(), seed_for("evidence"),
                                  [this](std::string_view text) { return words_.fill(text); });
    if (!evidence)
    {
        return fail(fmt::format("causes[{}].evidence", fault), evidence.issues());
    }
    q_.evidence = std::move(*evidence);
    shuffle(q_.choices, seed_for("choices"));
    return Outcome::good;
}

Draw::Outcome Draw::make()
{
    Outcome outcome = make_texts();
    if (outcome != Outcome::good)
    {
        return outcome;
    }
    switch (v_.kind)
    {
    case QuestionKind::numeric:
        return make_numeric();
    case QuestionKind::comparison:
        return make_choices();
    case QuestionKind::diagnosis:
        return make_diagnosis();
    case QuestionKind::ordering:
    {
        auto ordering = make_ordering(v_, calculator_, q_.values, scenario_.get(), seed_for("items"));
        if (!ordering)
        {
            return fail("", ordering.issues());
        }
        q_.ordering = std::move(*ordering);
        for (OrderedItem& item : q_.ordering.items)
        {
            if (fill("items", std::string(item.says), item.says) != Outcome::good)
            {
                return Outcome::fault;
            }
        }
        return Outcome::good;
    }
    case QuestionKind::recall:
    case QuestionKind::design:
        break;
    }
    return Outcome::good;
}

} // namespace ringside
