#include "core/study/library/errata.h"

#include <fmt/format.h>

#include "core/base/text/read_text.h"
#include "core/base/text/text.h"
#include "core/study/questions/quantity.h"
#include "core/study/questions/study_json.h"
#include "core/study/sessions/deck.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr const char* kFile = "study/errata.json";
constexpr std::size_t kMostErrata = 1000;
constexpr double kReach = 16; // a parameter goes from its value over this to its value times this

bool counts(const ErratumParameter& p)
{
    const StudyUnit* unit = find_study_unit(p.unit);
    return unit && unit->dimension == Dimension::count && p.value == std::round(p.value);
}

void read_range(const JsonPlace& place, ErratumParameter& p)
{
    constexpr const char* kHint = "use \"range\": [1, 64]";
    const auto ends = read_ends(place, kHint);
    if (ends && (!((*ends)[0] > 0) || !((*ends)[0] <= p.value) || !((*ends)[1] >= p.value)))
    {
        place.fault("not [low, high] around the value", kHint);
    }
    else if (ends)
    {
        std::tie(p.low, p.high) = std::tuple((*ends)[0], (*ends)[1]);
    }
}

// The value, and the range there is without another.
void read_number(const JsonPlace& place, ErratumParameter& p)
{
    read_value(place, {.least = 1e-12, .most = 1e30}, p.value);
    const StudyUnit* unit = find_study_unit(p.unit);
    const bool share = unit && unit->dimension == Dimension::share;
    p.whole = counts(p);
    p.low = p.whole ? std::max(1.0, std::ceil(p.value / kReach)) : p.value / kReach;
    p.high = share ? std::max(1.0, p.value) : p.value * kReach;
}

const JsonTable<ErratumParameter> kNumberTable{{
    {"unit", &ErratumParameter::unit, kNeededUnit},
    {"value", read_number, kNeeded},
    {"range", read_range},
}};

void read_numbers(const JsonPlace& place, Erratum& e)
{
    if (!place.is_object())
    {
        return;
    }
    for (const auto& [name, _] : place.value.items())
    {
        const JsonPlace member = place.member(name);
        if (!is_expression_name(name))
        {
            member.fault(fmt::format("\"{}\" is no name", name.substr(0, 40)),
                         "use \"N\": {\"value\": 64, \"unit\": \"\"}");
            continue;
        }
        e.parameters.emplace_back().name = name;
        kNumberTable.read(member, e.parameters.back());
    }
}

// One of the two numbers, and its unit for the erratum.
struct SideWithUnit : ErratumSide
{
    std::string unit;
};

const JsonTable<SideWithUnit> kSideTable{{
    {"value", &SideWithUnit::value, kExpressionRule},
    {"unit", &SideWithUnit::unit, kNeededUnit},
    {"says", &SideWithUnit::says, kNeeded},
    {"formula", &SideWithUnit::formula},
}};

void read_side(const JsonPlace& place, std::optional<ErratumSide>& target, std::string& unit)
{
    SideWithUnit read;
    if (!place.value.is_null() && kSideTable.read(place, read))
    {
        unit = std::move(read.unit);
        target = std::move(static_cast<ErratumSide&>(read));
    }
}

void check_sides(const JsonPlace& place, Erratum& e)
{
    const auto unit_of = [&](const char* name)
    {
        const JsonPlace side = place.member(name);
        return side.has("unit") ? side.member("unit").value : json();
    };
    if (e.claimed.has_value() != e.right.has_value())
    {
        place.fault(e.right ? "claimed" : "right", "is missing", "give both numbers or none");
    }
    else if (e.right && unit_of("claimed") != unit_of("right"))
    {
        place.fault("right.unit", fmt::format("\"{}\" is not the claim's", e.unit), "use one unit for both");
    }
}

const JsonTable<Erratum> kErratumTable{
    {
        {"id", &Erratum::id, kNeeded},
        {"severity", &Erratum::kind, kNeeded},
        {"topic", &Erratum::topic, kNeeded},
        {"concept", &Erratum::concept_id, kNeeded},
        {"title", &Erratum::title, kNeeded},
        {"claim", &Erratum::claim, kNeeded},
        {"truth", &Erratum::truth, kNeeded},
        {"assumption", &Erratum::assumption},
        {"why", &Erratum::why, {.needed = true, .least = 1}},
        {"view", &Erratum::view},
        {"scenario", &Erratum::scenario, scenario_spec_table()},
        {"parameters", read_numbers},
        {"conditions", &Erratum::conditions},
        {"claimed", [](const JsonPlace& p, Erratum& e) { read_side(p, e.claimed, e.unit); }},
        {"right", [](const JsonPlace& p, Erratum& e) { read_side(p, e.right, e.unit); }},
    },
    check_sides};

} // namespace

ErrataRead read_errata(std::string_view text)
{
    ErrataRead all;
    const auto document = parse_json(text);
    if (!document)
    {
        all.issues = document.issues();
        return all;
    }
    std::set<std::string> ids;
    const auto take = [&](const JsonPlace& list, ErrataRead& read)
    {
        for (std::size_t i = 0; list.is_list() && i < list.value.size(); ++i)
        {
            const json& entry = list.value[i];
            const bool named = entry.is_object() && entry.contains("id") && entry["id"].is_string();
            Issues found;
            const JsonPlace place{entry,
                                  named ? entry["id"].get<std::string>().substr(0, 20) : list.entry(i).path,
                                  found, kStudyLimits};
            Erratum erratum;
            kErratumTable.read(place, erratum);
            if (!ids.insert(erratum.id).second)
            {
                place.fault("id", "there twice", "give each its own");
            }
            if (found.empty())
            {
                read.errata.push_back(std::move(erratum));
            }
            append(read.issues, found);
        }
    };
    const JsonTable<ErrataRead> table{
        {json_schema<ErrataRead>("ringside.errata/1"), {"errata", take, kNeeded}}};
    table.read({*document, "", all.issues, {kStudyLimits.letters, kMostErrata}}, all);
    return all;
}

ErrataRead load_errata(const std::filesystem::path& assets)
{
    const auto text = read_plain(assets / kFile, kMaxJsonBytes);
    ErrataRead all = text ? read_errata(*text) : ErrataRead{{}, text.issues()};
    Issues issues;
    add_below(issues, all.issues, kFile);
    all.issues = std::move(issues);
    return all;
}

bool matches(const Erratum& e, std::string_view query)
{
    std::string all =
        fmt::format("{} {} {} {} {} {}", e.id, e.title, e.claim, e.truth, name_of(e.kind), e.topic);
    all = small_letters(all);
    std::istringstream words(small_letters(query));
    std::string word;
    while (words >> word)
    {
        if (all.find(word) == std::string::npos)
        {
            return false;
        }
    }
    return true;
}

std::vector<const QuestionFamily*> questions_about(const QuestionBank& bank, std::string_view erratum)
{
    std::vector<const QuestionFamily*> found;
    for (const QuestionFamily& family : bank.families)
    {
        const auto names_it = [erratum](const QuestionVariant& v)
        { return std::ranges::find(v.errata, erratum) != v.errata.end(); };
        if (std::ranges::any_of(family.variants, names_it))
        {
            found.push_back(&family);
        }
    }
    return found;
}

namespace
{

// What is checked of one erratum, every fault with its path.
class Check
{
public:
    Check(const Erratum& erratum, Issues& issues) : e_(erratum), issues_(issues) {}

    void need(bool there, std::string_view field, std::string_view id, std::string hint)
    {
        if (!there)
        {
            add(field, fmt::format("there is no \"{}\"", id), std::move(hint));
        }
    }

    void numbers(Calculator& calculator)
    {
        const auto run = run_erratum(calculator, e_);
        if (!run)
        {
            const Issue& issue = run.issues().front();
            add(issue.path, issue.message, issue.hint);
        }
        else if (run->has_numbers() && run->claimed->text == run->right->text)
        {
            add("right", fmt::format("printed as {}, like the claim", run->right->text),
                "give numbers that tell them apart");
        }
    }

    void scenario(Calculator& calculator)
    {
        const auto made = e_.scenario ? calculator.scenario(*e_.scenario, values_of(e_, {}))
                                      : Result<std::shared_ptr<StudiedScenario>>(nullptr);
        if (!made)
        {
            const Issue& issue = made.issues().front();
            add("scenario." + issue.path, issue.message, issue.hint);
        }
    }

private:
    void add(std::string_view field, std::string message, std::string hint)
    {
        issues_.push_back(
            {fmt::format("{}: {}.{}", kFile, e_.id, field), std::move(message), std::move(hint)});
    }

    const Erratum& e_;
    Issues& issues_;
};

} // namespace

Issues check_errata(const std::vector<Erratum>& errata, const Inventory& inventory,
                    const std::set<std::string>& views, Calculator& calculator)
{
    Issues issues;
    for (const Erratum& e : errata)
    {
        const auto& ids = inventory.errata;
        Check check(e, issues);
        check.need(std::ranges::find(ids, e.id) != ids.end(), "id", e.id,
                   "use an id of study/inventory.json");
        check.need(find_topic(e.topic) != nullptr, "topic", e.topic, "use one of the 24 topics");
        check.need(inventory.find_concept(e.concept_id) != nullptr, "concept", e.concept_id,
                   "use an id of study/inventory.json");
        check.need(e.view.empty() || views.empty() || views.contains(e.view), "view", e.view,
                   "ringside picture --list names the views");
        check.numbers(calculator);
        check.scenario(calculator);
    }
    for (const std::string& id : inventory.errata)
    {
        if (std::ranges::none_of(errata, [&](const Erratum& e) { return e.id == id; }))
        {
            issues.push_back(
                {fmt::format("{}: {}", kFile, id), "the inventory has it and the errata do not", "add it"});
        }
    }
    return issues;
}

} // namespace ringside
