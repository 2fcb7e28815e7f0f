#include "core/study/errata.h"

#include <fmt/format.h>

#include "core/scenario/json.h"
#include "core/study/deck.h"
#include "core/study/family_kinds.h"
#include "core/study/json_reader.h"
#include "core/study/quantity.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <sstream>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr const char* kFile = "study/errata.json";
constexpr std::size_t kMostErrata = 1000;
constexpr double kReach = 16; // a parameter goes from its value over this to its value times this
constexpr std::array kKinds{ErratumKind::contradiction, ErratumKind::wrong, ErratumKind::imprecise,
                            ErratumKind::ambiguous, ErratumKind::lost_value};

bool counts(const ErratumParameter& p)
{
    const StudyUnit* unit = find_study_unit(p.unit);
    return unit && unit->dimension == Dimension::count && p.value == std::round(p.value);
}

void read_range(JsonReader& r, ErratumParameter& p)
{
    const StudyUnit* unit = find_study_unit(p.unit);
    const bool share = unit && unit->dimension == Dimension::share;
    p.low = p.whole ? std::max(1.0, std::ceil(p.value / kReach)) : p.value / kReach;
    p.high = share ? std::max(1.0, p.value) : p.value * kReach;
    if (!r.has("range"))
    {
        return;
    }
    std::vector<double> ends;
    r.each("range", 2,
           [&](const json& v, const std::string&) { ends.push_back(v.is_number() ? v.get<double>() : NAN); });
    if (ends.size() != 2 || !(ends[0] > 0) || !(ends[0] <= p.value) || !(ends[1] >= p.value))
    {
        r.fault("range", "not [low, high] around the value", "use \"range\": [1, 64]");
        return;
    }
    p.low = ends[0];
    p.high = ends[1];
}

ErratumParameter read_parameter(JsonReader& r, const std::string& name)
{
    ErratumParameter p;
    p.name = name;
    r.only({"value", "unit", "range"});
    r.unit(p.unit, true);
    if (!r.has("value"))
    {
        r.fault("value", "missing", "give one");
        return p;
    }
    r.number("value", p.value, 1e-12, 1e30);
    p.whole = counts(p);
    read_range(r, p);
    return p;
}

void read_parameters(JsonReader& r, Erratum& e)
{
    r.members("parameters",
              [&](const std::string& name, const json& value, const std::string& where)
              {
                  if (!is_expression_name(name) || !value.is_object())
                  {
                      r.issues().push_back({where,
                                            fmt::format("\"{}\" is no name with a value", name.substr(0, 40)),
                                            "use \"N\": {\"value\": 64, \"unit\": \"\"}"});
                      return;
                  }
                  JsonReader parameter(value, where, r.issues());
                  e.parameters.push_back(read_parameter(parameter, name));
              });
}

// One of the two numbers and its unit; nothing where there is none.
std::optional<ErratumSide> read_side(JsonReader& r, const char* field, std::string& unit)
{
    if (!r.has(field) || r[field].is_null())
    {
        return std::nullopt;
    }
    if (!r[field].is_object())
    {
        r.fault(field, "not an object", "use {\"value\": \"2*P\", \"unit\": \"B\", \"says\": \"...\"}");
        return std::nullopt;
    }
    ErratumSide side;
    JsonReader reader(r[field], r.at(field), r.issues());
    reader.only({"value", "unit", "says"});
    reader.expression("value", side.value, true);
    reader.unit(unit, true);
    reader.text("says", side.says, true);
    return side;
}

void read_sides(JsonReader& r, Erratum& e)
{
    std::string other;
    e.claimed = read_side(r, "claimed", other);
    e.right = read_side(r, "right", e.unit);
    if (e.claimed.has_value() != e.right.has_value())
    {
        r.fault(e.right ? "claimed" : "right", "missing", "give both numbers or none");
    }
    else if (other != e.unit)
    {
        r.fault("right.unit", fmt::format("\"{}\" beside \"{}\"", e.unit, other), "use one unit for both");
    }
}

Erratum read_erratum(JsonReader& r)
{
    Erratum e;
    r.only({"id", "severity", "topic", "concept", "title", "claim", "where", "truth", "assumption", "why",
            "view", "scenario", "parameters", "conditions", "claimed", "right"});
    r.text("id", e.id, true);
    r.choice(
        "severity", e.kind, kKinds, [](ErratumKind k) { return name_of(k); }, true);
    r.text("topic", e.topic, true);
    r.text("concept", e.concept_id, true);
    r.text("title", e.title, true);
    r.text("claim", e.claim, true);
    r.texts("where", e.where, 1);
    r.text("truth", e.truth, true);
    r.text("assumption", e.assumption);
    r.texts("why", e.why, 1);
    r.text("view", e.view);
    read_scenario(r, e.scenario);
    read_parameters(r, e);
    r.texts("conditions", e.conditions);
    read_sides(r, e);
    return e;
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return out;
}

} // namespace

std::string_view name_of(ErratumKind kind)
{
    constexpr std::array<std::string_view, kErratumKinds> kNames{"contradiction", "wrong", "imprecise",
                                                                 "ambiguous", "lost-value"};
    return kNames.at(static_cast<std::size_t>(kind));
}

ErrataRead read_errata(std::string_view text)
{
    ErrataRead all;
    const auto document = parse_json(text);
    if (!document || !document->is_object() || document->value("schema", json()) != "ringside.errata/1" ||
        !document->contains("errata"))
    {
        all.issues = document ? Issues{{"", "not a list of errata",
                                        "use {\"schema\": \"ringside.errata/1\", \"errata\": [...]}"}}
                              : document.issues();
        return all;
    }
    JsonReader reader(*document, "", all.issues);
    reader.only({"schema", "errata"});
    std::set<std::string> ids;
    const auto take = [&](const json& entry, const std::string& place)
    {
        if (!entry.is_object())
        {
            all.issues.push_back({place, "not an object", "use {\"id\": \"E01\", ...}"});
            return;
        }
        const bool named = entry.contains("id") && entry["id"].is_string();
        const std::string path = named ? entry["id"].get<std::string>().substr(0, 20) : place;
        Issues found;
        JsonReader one(entry, path, found);
        Erratum erratum = read_erratum(one);
        if (!ids.insert(erratum.id).second)
        {
            one.fault("id", "there twice", "give each its own");
        }
        if (found.empty())
        {
            all.errata.push_back(std::move(erratum));
        }
        all.issues.insert(all.issues.end(), found.begin(), found.end());
    };
    reader.each("errata", kMostErrata, take);
    return all;
}

ErrataRead load_errata(const std::filesystem::path& assets)
{
    std::ifstream in(assets / kFile, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    ErrataRead all = in ? read_errata(text.str())
                        : ErrataRead{{}, Issues{Issue{"", "cannot be read", "it belongs to the assets"}}};
    for (Issue& issue : all.issues)
    {
        issue.path = issue.path.empty() ? kFile : fmt::format("{}: {}", kFile, issue.path);
    }
    return all;
}

bool matches(const Erratum& e, std::string_view query)
{
    std::string all =
        fmt::format("{} {} {} {} {} {}", e.id, e.title, e.claim, e.truth, name_of(e.kind), e.topic);
    for (const std::string& where : e.where)
    {
        all += " " + where;
    }
    all = lower(all);
    std::istringstream words(lower(query));
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
        { return std::find(v.errata.begin(), v.errata.end(), erratum) != v.errata.end(); };
        if (std::any_of(family.variants.begin(), family.variants.end(), names_it))
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
        check.need(std::find(ids.begin(), ids.end(), e.id) != ids.end(), "id", e.id,
                   "use an id of study/inventory.json");
        check.need(find_topic(e.topic) != nullptr, "topic", e.topic, "use one of the 24 topics");
        check.need(inventory.find_concept(e.concept_id) != nullptr, "concept", e.concept_id,
                   "use C01 to C42");
        check.need(e.view.empty() || views.empty() || views.contains(e.view), "view", e.view,
                   "ringside picture --list names the views");
        check.numbers(calculator);
        check.scenario(calculator);
    }
    for (const std::string& id : inventory.errata)
    {
        if (std::none_of(errata.begin(), errata.end(), [&](const Erratum& e) { return e.id == id; }))
        {
            issues.push_back(
                {fmt::format("{}: {}", kFile, id), "the inventory has it and the errata do not", "add it"});
        }
    }
    return issues;
}

} // namespace ringside
