#include "core/study/questions/draw.h"

#include <fmt/format.h>

#include "core/base/random.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Work spent until the conditions hold: a draw is one, what simulates or makes
// a scenario costs more.
constexpr int kMostWork = 2000;
constexpr int kSimulation = 40;
// FNV-1a of the names, mixed with the seed.
std::uint64_t stream(std::uint64_t seed, std::string_view family, std::string_view what, int attempt = 0)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto mix = [&](std::string_view text)
    {
        for (const char c : text)
        {
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        }
        hash = (hash ^ 0xffU) * 0x100000001b3U;
    };
    mix(family);
    mix(what);
    return SplitMix(hash ^ SplitMix(seed + static_cast<std::uint64_t>(attempt) * 0x632be59bd9b4e019U).next())
        .next();
}

DrawnValue pick(const ParameterSpec& p, std::uint64_t seed)
{
    SplitMix rng(seed);
    if (!p.from.empty())
    {
        return p.from[rng.below(p.from.size())];
    }
    const double steps = std::floor((p.high - p.low) / p.step * (1 + 1e-12)) + 1;
    return p.low + p.step * static_cast<double>(rng.below(static_cast<std::uint64_t>(steps)));
}

bool waits_for_report(const std::vector<std::string>& names, const DrawnValues& values)
{
    return std::ranges::any_of(names, [&](const std::string& name)
                               { return name.find('.') != std::string::npos && !values.contains(name); });
}

} // namespace

Draw::Draw(Calculator& calculator, const QuestionFamily& family, const QuestionVariant& variant,
           std::uint64_t seed)
    : calculator_(calculator), v_(variant)
{
    q_.id = fmt::format("{}/{}", family.id, variant.id);
    q_.family = family.id;
    q_.topic = family.topic;
    q_.concept_id = variant.concept_id;
    q_.title = variant.title;
    q_.kind = variant.kind;
    q_.difficulty = variant.difficulty;
    q_.seed = seed;
    q_.target_s = variant.target_s;
    q_.sources = variant.sources;
    q_.errata = variant.errata;
    q_.view = variant.view;
    q_.unit = variant.unit;
    q_.counts = variant.counts;
    q_.per = variant.per;
    q_.tolerance = variant.tolerance;
    q_.goal = variant.goal;
    q_.parts = variant.parts;
    for (const ParameterSpec& p : v_.parameters)
    {
        words_.names[p.name] = {p.unit, true};
    }
    for (const LetSpec& let : v_.lets)
    {
        words_.names[let.name] = {let.unit, false};
    }
}

Draw::Outcome Draw::fail(std::string path, const Issues& issues)
{
    Issue issue = issues.front();
    issue.path = issue.path.empty() ? std::move(path) : path.empty() ? issue.path : path + "." + issue.path;
    issues_ = {std::move(issue)};
    return Outcome::fault;
}

void Draw::note(const std::string& path, const Issues& issues)
{
    if (!faulty_)
    {
        fail(path, issues);
    }
    faulty_ = true;
}

void Draw::spend_on(const std::string& expression)
{
    work_ += calculator_.simulates(expression) ? kSimulation : 0;
}

std::uint64_t Draw::seed_for(std::string_view what, int attempt) const
{
    return stream(q_.seed, v_.was.empty() ? q_.id : v_.was, what, attempt);
}

Draw::Outcome Draw::draw_values(const DrawnValues& overrides, int attempt)
{
    q_.values.clear();
    for (const ParameterSpec& p : v_.parameters)
    {
        const auto given = overrides.find(p.name);
        q_.values[p.name] = given == overrides.end() ? pick(p, seed_for(p.name, attempt)) : given->second;
    }
    // Nobody learns that source B is usually right.
    std::vector<std::string> letters{"A", "B", "C"};
    letters.resize(v_.claims.size());
    shuffle(letters, SplitMix(seed_for("claims")));
    for (std::size_t i = 0; i < letters.size(); ++i)
    {
        q_.values[std::string(1, static_cast<char>('A' + i))] = letters[i];
    }
    for (const auto& [name, unused] : overrides)
    {
        if (!q_.values.contains(name))
        {
            return fail("parameters",
                        {{"", fmt::format("there is no \"{}\"", name), "use one of this question's"}});
        }
    }
    return Outcome::good;
}

// What needs no report comes before the scenario, whose settings may use it;
// the rest after.
Draw::Outcome Draw::compute_lets(bool with_report)
{
    for (const LetSpec& let : v_.lets)
    {
        if (q_.values.contains(let.name))
        {
            continue;
        }
        const auto names = calculator_.names(let.value);
        const bool waits =
            std::ranges::any_of(names, [&](const std::string& name)
                                { return words_.names.contains(name) && !q_.values.contains(name); });
        if (!with_report && (waits || waits_for_report(names, q_.values)))
        {
            continue;
        }
        spend_on(let.value);
        const auto number = value(let.value);
        if (!number)
        {
            return fail("let." + let.name, number.issues());
        }
        q_.values[let.name] = *number;
    }
    return Outcome::good;
}

Draw::Outcome Draw::check_conditions(bool with_report)
{
    for (std::size_t i = 0; i < v_.where.size(); ++i)
    {
        const auto names = calculator_.names(v_.where[i]);
        const bool waits =
            std::ranges::any_of(names, [&](const std::string& name)
                                { return words_.names.contains(name) && !q_.values.contains(name); }) ||
            waits_for_report(names, q_.values);
        if (waits != with_report)
        {
            continue;
        }
        spend_on(v_.where[i]);
        const auto holds = value(v_.where[i]);
        if (!holds)
        {
            return fail(fmt::format("where[{}]", i), holds.issues());
        }
        if (*holds == 0)
        {
            issues_ = {{"where", fmt::format("\"{}\" holds for none of many draws", v_.where[i]),
                        "give values for which it does"}};
            return Outcome::again;
        }
    }
    return Outcome::good;
}

Draw::Outcome Draw::make_scenario()
{
    if (!v_.scenario)
    {
        return Outcome::good;
    }
    work_ += kSimulation;
    auto made = calculator_.scenario(*v_.scenario, q_.values);
    if (!made)
    {
        fail("scenario", made.issues());
        return Outcome::again;
    }
    scenario_ = *made;
    q_.scenario = scenario_;
    return Outcome::good;
}

Result<Question> Draw::run(const DrawnValues& overrides)
{
    words_.calculator = &calculator_;
    words_.values = &q_.values;
    for (int attempt = 0; work_ < kMostWork; ++attempt)
    {
        ++work_;
        scenario_ = nullptr;
        Outcome outcome = draw_values(overrides, attempt);
        for (const bool with_report : {false, true})
        {
            outcome = outcome == Outcome::good ? compute_lets(with_report) : outcome;
            outcome = outcome == Outcome::good ? check_conditions(with_report) : outcome;
            outcome = outcome == Outcome::good && !with_report ? make_scenario() : outcome;
        }
        words_.scenario = scenario_.get();
        outcome = outcome == Outcome::good ? make() : outcome;
        if (outcome == Outcome::good)
        {
            return std::move(q_);
        }
        if (outcome == Outcome::fault)
        {
            break;
        }
    }
    return issues_;
}

} // namespace ringside
