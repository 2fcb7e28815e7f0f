// Question files: every field read, every fault named by family, variant and field.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/json.h"
#include "core/study/expression.h"
#include "core/study/family.h"
#include "core/study/family_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::size_t kMostFamilies = 2000; // of one file
constexpr std::size_t kMostVariants = 20;
constexpr std::size_t kMostValues = 1000; // to draw a parameter from

const std::vector<std::string_view> kFields{
    "id",    "title", "concept",   "kind",     "variants", "difficulty",    "sources",    "target_s", "stem",
    "note",  "view",  "scenario",  "hints",    "errata",   "follow_ups",    "parameters", "where",    "let",
    "key",   "unit",  "tolerance", "solution", "mistakes", "answer",        "rubric",     "choices",  "best",
    "items", "order", "schedule",  "causes",   "asks",     "rubric_levels", "goal",       "parts"};

std::optional<DrawnValue> drawn(const json& value)
{
    if (value.is_number() && std::isfinite(value.get<double>()))
    {
        return value.get<double>();
    }
    return value.is_string() ? std::optional<DrawnValue>(value.get<std::string>()) : std::nullopt;
}

void read_range(JsonReader& r, ParameterSpec& p)
{
    std::vector<double> ends;
    r.each("range", 2,
           [&](const json& v, const std::string&) { ends.push_back(v.is_number() ? v.get<double>() : NAN); });
    r.number("step", p.step, 1e-300, 1e300);
    if (ends.size() != 2 || !(ends[1] >= ends[0]) || !((ends[1] - ends[0]) / p.step < 1e9))
    {
        r.fault("range", "not [low, high] with low to high", "use \"range\": [low, high], \"step\": s");
        return;
    }
    p.low = ends[0];
    p.high = ends[1];
}

void read_powers(JsonReader& r, ParameterSpec& p)
{
    std::vector<double> ends;
    r.each("powers_of_two", 2,
           [&](const json& v, const std::string&) { ends.push_back(v.is_number() ? v.get<double>() : NAN); });
    if (ends.size() != 2 || !(ends[0] >= 1) || !(ends[1] >= ends[0]) || !(ends[1] <= 1e15))
    {
        r.fault("powers_of_two", "not [low, high] with low to high from 1",
                "use \"powers_of_two\": [8, 1024]");
        return;
    }
    for (double v = 1; v <= ends[1]; v *= 2)
    {
        if (v >= ends[0])
        {
            p.from.emplace_back(v);
        }
    }
}

ParameterSpec read_parameter(JsonReader& r, const std::string& name)
{
    ParameterSpec p;
    p.name = name;
    r.only({"from", "range", "step", "powers_of_two", "unit"});
    r.unit(p.unit, false);
    r.each("from", kMostValues,
           [&](const json& v, const std::string& where)
           {
               const auto value = drawn(v);
               if (!value)
               {
                   r.issues().push_back(
                       {where, v.dump().substr(0, 40) + " is neither number nor word", "use one"});
                   return;
               }
               p.from.push_back(*value);
           });
    if (static_cast<int>(r.has("from")) + static_cast<int>(r.has("range")) +
            static_cast<int>(r.has("powers_of_two")) !=
        1)
    {
        r.fault("from", "not exactly one of from, range and powers_of_two", "give one of them");
    }
    else if (r.has("range"))
    {
        read_range(r, p);
    }
    else if (r.has("powers_of_two"))
    {
        read_powers(r, p);
    }
    else if (p.from.empty())
    {
        r.fault("from", "empty", "give at least one value");
    }
    return p;
}

void check_name(JsonReader& r, const std::string& name, const std::string& where)
{
    if (!is_expression_name(name))
    {
        r.issues().push_back({where, fmt::format("\"{}\" cannot be a name", name),
                              "use letters and digits, a letter first, and no function's name"});
    }
}

// Puts what is needed first first. What goes in circles stays behind and is found when it is drawn.
std::vector<LetSpec> in_order(std::vector<LetSpec> lets)
{
    std::vector<LetSpec> sorted;
    const auto waits = [&](const LetSpec& let)
    {
        const auto parsed = Expression::parse(let.value);
        const auto unmet = [&](const std::string& name)
        { return std::any_of(lets.begin(), lets.end(), [&](const LetSpec& l) { return l.name == name; }); };
        return parsed && std::any_of(parsed->names().begin(), parsed->names().end(), unmet);
    };
    while (!lets.empty())
    {
        auto next = std::find_if_not(lets.begin(), lets.end(), waits);
        next = next == lets.end() ? lets.begin() : next;
        sorted.push_back(std::move(*next));
        lets.erase(next);
    }
    return sorted;
}

void read_names(JsonReader& r, QuestionVariant& v)
{
    r.members(
        "parameters",
        [&](const std::string& name, const json& value, const std::string& where)
        {
            check_name(r, name, where);
            if (!value.is_object())
            {
                r.issues().push_back({where, "not an object", "use {\"from\": [...], \"unit\": \"B\"}"});
                return;
            }
            JsonReader parameter(value, where, r.issues());
            v.parameters.push_back(read_parameter(parameter, name));
        });
    r.members("let",
              [&](const std::string& name, const json& value, const std::string& where)
              {
                  check_name(r, name, where);
                  LetSpec let{name, "", ""};
                  const json object = value.is_object() ? value : json{{"value", value}};
                  JsonReader reader(object, where, r.issues());
                  reader.only({"value", "unit"});
                  reader.expression("value", let.value, true);
                  reader.unit(let.unit, false);
                  v.lets.push_back(std::move(let));
              });
    v.lets = in_order(std::move(v.lets));
    if (r.has("where") && r["where"].is_string())
    {
        v.where.push_back(r["where"].get<std::string>());
    }
    else
    {
        r.texts("where", v.where);
    }
}

void read_follow_ups(JsonReader& r, QuestionVariant& v)
{
    r.objects("follow_ups",
              [&](JsonReader& f)
              {
                  FollowUpSpec spec;
                  f.only({"says", "set"});
                  f.text("says", spec.says, true);
                  f.members("set",
                            [&](const std::string& name, const json& value, const std::string& where)
                            {
                                const auto given = drawn(value);
                                const bool known = std::any_of(v.parameters.begin(), v.parameters.end(),
                                                               [&](const auto& p) { return p.name == name; });
                                if (known && given)
                                {
                                    spec.set[name] = *given;
                                    return;
                                }
                                r.issues().push_back({where, "not a parameter with a number or word",
                                                      "set a parameter of this question"});
                            });
                  v.follow_ups.push_back(std::move(spec));
              });
}

constexpr std::array kKinds{QuestionKind::numeric,  QuestionKind::recall,    QuestionKind::comparison,
                            QuestionKind::ordering, QuestionKind::diagnosis, QuestionKind::design};
constexpr std::array kLevels{Difficulty::easy, Difficulty::medium, Difficulty::hard};

QuestionVariant read_variant(JsonReader& r)
{
    QuestionVariant v;
    r.only(kFields);
    r.id("id", v.id);
    r.choice(
        "kind", v.kind, kKinds, [](QuestionKind k) { return name_of(k); }, true);
    r.choice(
        "difficulty", v.difficulty, kLevels, [](Difficulty d) { return name_of(d); }, true);
    r.text("title", v.title, true);
    r.text("concept", v.concept_id, true);
    r.text("view", v.view);
    r.text("stem", v.stem, true);
    r.text("note", v.note);
    r.texts("sources", v.sources, 1);
    r.texts("errata", v.errata);
    r.texts("hints", v.hints, 3, 3);
    r.number("target_s", v.target_s, 1, 7200);
    read_names(r, v);
    read_scenario(r, v.scenario);
    read_follow_ups(r, v);
    read_kind(r, v);
    return v;
}

// A variant's fields over the family's. Faults of a field are where it was written.
void read_variants(const json& family, const std::string& id, Issues& issues, QuestionFamily& out)
{
    json common = family;
    common.erase("variants");
    for (const json& own : family["variants"])
    {
        const bool good = own.is_object() && own.contains("id") && own["id"].is_string();
        if (!good)
        {
            issues.push_back(
                {id + ".variants", "one is not an object with an id", "use {\"id\": \"easy\", ...}"});
            continue;
        }
        json merged = common;
        merged.update(own);
        const std::string path = fmt::format("{}/{}", id, own["id"].get<std::string>());
        Issues found;
        JsonReader reader(merged, path, found);
        QuestionVariant variant = read_variant(reader);
        if (!found.empty())
        {
            issues.insert(issues.end(), found.begin(), found.end());
            continue;
        }
        out.variants.push_back(std::move(variant));
    }
    std::set<std::string> ids;
    for (const QuestionVariant& v : out.variants)
    {
        if (!ids.insert(v.id).second)
        {
            issues.push_back(
                {id + ".variants", fmt::format("\"{}\" is there twice", v.id), "give each its own id"});
        }
    }
}

void read_family(const json& entry, const std::string& where, const QuestionTopic& topic, Issues& issues,
                 QuestionBank& bank)
{
    QuestionFamily family;
    Issues found;
    if (!entry.is_object())
    {
        issues.push_back({where, "not an object", "use {\"id\": ...}"});
        return;
    }
    JsonReader reader(entry, where, found);
    reader.id("id", family.id);
    reader.text("title", family.title, true);
    reader.text("concept", family.concept_id, true);
    family.topic = topic.id;
    family.file = topic.file;
    if (!reader.has("variants") || !entry["variants"].is_array() || entry["variants"].empty() ||
        entry["variants"].size() > kMostVariants)
    {
        reader.fault("variants", fmt::format("not a list of 1 to {}", kMostVariants),
                     "use [{\"id\": \"easy\", \"difficulty\": \"easy\", \"sources\": [...]}]");
    }
    else if (!family.id.empty())
    {
        read_variants(entry, family.id, found, family);
    }
    if (bank.family(family.id))
    {
        found.push_back(
            {where + ".id", fmt::format("\"{}\" is the id of another family", family.id), "choose another"});
    }
    else if (!family.variants.empty())
    {
        bank.families.push_back(std::move(family));
    }
    issues.insert(issues.end(), found.begin(), found.end());
}

} // namespace

void read_scenario(JsonReader& r, std::optional<ScenarioSpec>& scenario)
{
    if (!r.has("scenario"))
    {
        return;
    }
    if (!r["scenario"].is_object())
    {
        r.fault("scenario", "not an object", "use {\"preset\": \"...\", \"set\": {...}}");
        return;
    }
    ScenarioSpec& s = scenario.emplace();
    JsonReader reader(r["scenario"], r.at("scenario"), r.issues());
    reader.only({"preset", "set"});
    reader.text("preset", s.preset);
    reader.members(
        "set",
        [&](const std::string& path, const json& value, const std::string& where)
        {
            if (value.is_primitive() && !value.is_null())
            {
                s.set.emplace_back(path, JsonValue(value));
                return;
            }
            r.issues().push_back({where, "not a number, word or switch", "use \"{name}\" or \"= ...\""});
        });
}

Issues add_questions(std::string_view text, const std::string& file, QuestionBank& bank)
{
    const auto document = parse_json(text);
    if (!document)
    {
        return document.issues();
    }
    Issues issues;
    if (!document->is_object())
    {
        return {{"", "not an object", "start with {\"schema\": \"ringside.questions/1\", ...}"}};
    }
    JsonReader reader(*document, "", issues);
    reader.only({"schema", "topic", "title", "families"});
    QuestionTopic topic{"", "", file};
    reader.text("topic", topic.id, true);
    reader.text("title", topic.title, true);
    if (document->value("schema", json()) != "ringside.questions/1")
    {
        reader.fault("schema", "missing or another schema", "use \"ringside.questions/1\"");
    }
    if (!reader.has("families"))
    {
        reader.fault("families", "missing", "give a list");
    }
    reader.each("families", kMostFamilies,
                [&](const json& entry, const std::string& where)
                { read_family(entry, where, topic, issues, bank); });
    bank.topics.push_back(std::move(topic));
    return issues;
}

} // namespace ringside
