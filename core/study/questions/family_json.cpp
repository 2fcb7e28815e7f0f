// Question files: every field read, every fault named by family, variant and field.
#include <fmt/format.h>

#include "core/study/questions/formula/expression.h"
#include "core/study/questions/study_json.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::size_t kMostFamilies = 2000; // of one file
constexpr std::size_t kMostVariants = 20;
constexpr std::size_t kMostValues = 1000; // to draw a parameter from

std::optional<DrawnValue> drawn(const json& value)
{
    if (value.is_number() && std::isfinite(value.get<double>()))
    {
        return value.get<double>();
    }
    return value.is_string() ? std::optional<DrawnValue>(value.get<std::string>()) : std::nullopt;
}

void read_from(const JsonPlace& place, ParameterSpec& p)
{
    const JsonPlace list{place.value, place.path, place.issues, {place.limits.letters, kMostValues}};
    for (std::size_t i = 0; list.is_list({.least = 1}) && i < list.value.size(); ++i)
    {
        if (const auto value = drawn(list.value[i]))
        {
            p.from.push_back(*value);
            continue;
        }
        list.entry(i).fault(shown(list.value[i]) + " is neither number nor word", "use one");
    }
}

void read_range(const JsonPlace& place, ParameterSpec& p)
{
    constexpr const char* kHint = "use \"range\": [low, high], \"step\": s";
    const auto ends = read_ends(place, kHint);
    place.fault_if(ends && (!((*ends)[1] >= (*ends)[0]) || !(((*ends)[1] - (*ends)[0]) / p.step < 1e9)), "",
                   "not [low, high] with low to high", kHint);
    std::tie(p.low, p.high) = std::tuple(ends ? (*ends)[0] : 0, ends ? (*ends)[1] : 0);
}

void read_powers(const JsonPlace& place, ParameterSpec& p)
{
    constexpr const char* kHint = "use \"powers_of_two\": [8, 1024]";
    const auto ends = read_ends(place, kHint);
    if (ends && (!((*ends)[0] >= 1) || !((*ends)[1] >= (*ends)[0]) || !((*ends)[1] <= 1e15)))
    {
        place.fault("not [low, high] with low to high from 1", kHint);
        return;
    }
    for (double v = 1; ends && v <= (*ends)[1]; v *= 2)
    {
        if (v >= (*ends)[0])
        {
            p.from.emplace_back(v);
        }
    }
}

const JsonTable<ParameterSpec> kParameterTable{
    {
        {"unit", &ParameterSpec::unit, kUnitRule},
        {"step", &ParameterSpec::step, {.least = 1e-300, .most = 1e300}},
        {"from", read_from},
        {"range", read_range},
        {"powers_of_two", read_powers},
    },
    [](const JsonPlace& place, ParameterSpec&)
    {
        place.fault_if(static_cast<int>(place.has("from")) + static_cast<int>(place.has("range")) +
                               static_cast<int>(place.has("powers_of_two")) !=
                           1,
                       "from", "not exactly one of from, range and powers_of_two", "give one of them");
    }};

const JsonTable<LetSpec> kLetTable{{
    {"value", &LetSpec::value, kExpressionRule},
    {"unit", &LetSpec::unit, kUnitRule},
}};

// The members of an object, each read by a function (place, name).
template <class Read>
void each_named(const JsonPlace& place, Read read)
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
            member.fault(fmt::format("\"{}\" cannot be a name", name),
                         "use letters and digits, a letter first, and no function's name");
        }
        read(member, name);
    }
}

void read_parameters(const JsonPlace& place, QuestionVariant& v)
{
    each_named(place,
               [&](const JsonPlace& p, const std::string& name)
               {
                   v.parameters.emplace_back().name = name;
                   kParameterTable.read(p, v.parameters.back());
               });
}

// Puts what is needed first first. What goes in circles stays behind and is found when it is drawn.
std::vector<LetSpec> in_order(std::vector<LetSpec> lets)
{
    std::vector<LetSpec> sorted;
    const auto waits = [&](const LetSpec& let)
    {
        const auto parsed = Expression::parse(let.value);
        const auto unmet = [&](const std::string& name)
        { return std::ranges::any_of(lets, [&](const LetSpec& l) { return l.name == name; }); };
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

void read_lets(const JsonPlace& place, QuestionVariant& v)
{
    each_named(place,
               [&](const JsonPlace& p, const std::string& name)
               {
                   LetSpec& let = v.lets.emplace_back();
                   let.name = name;
                   if (p.value.is_object())
                   {
                       kLetTable.read(p, let);
                       return;
                   }
                   read_value(p, kExpressionRule, let.value);
               });
    v.lets = in_order(std::move(v.lets));
}

// One condition, or a list.
void read_where(const JsonPlace& place, QuestionVariant& v)
{
    if (place.value.is_string())
    {
        v.where.push_back(place.value.get<std::string>());
        return;
    }
    read_value(place, {}, v.where);
}

void read_follow_ups(const JsonPlace& place, QuestionVariant& v)
{
    const auto read_set = [&v](const JsonPlace& set, FollowUpSpec& spec)
    {
        if (!set.is_object())
        {
            return;
        }
        for (const auto& [name, value] : set.value.items())
        {
            const auto given = drawn(value);
            if (given && std::ranges::find(v.parameters, name, &ParameterSpec::name) != v.parameters.end())
            {
                spec.set[name] = *given;
                continue;
            }
            set.fault(name, "not a parameter with a number or word", "set a parameter of this question");
        }
    };
    const JsonTable<FollowUpSpec> table{{{"says", &FollowUpSpec::says, kNeeded}, {"set", read_set}}};
    for (std::size_t i = 0; place.is_list() && i < place.value.size(); ++i)
    {
        table.read(place.entry(i), v.follow_ups.emplace_back());
    }
}

using V = QuestionVariant;
const JsonTable<V> kVariantTable{{
    {"id", &V::id, kIdRule},
    {"was", &V::was},
    {"kind", &V::kind, kNeeded},
    {"difficulty", &V::difficulty, kNeeded},
    {"title", &V::title, kNeeded},
    {"concept", &V::concept_id, kNeeded},
    {"view", &V::view},
    {"stem", &V::stem, kNeeded},
    {"note", &V::note},
    {"sources", &V::sources},
    {"errata", &V::errata},
    {"hints", &V::hints, {.needed = true, .least = 3, .most = 3}},
    {"target_s", &V::target_s, {.least = 1, .most = 7200}},
    {"parameters", read_parameters},
    {"let", read_lets},
    {"where", read_where},
    {"scenario", &V::scenario, scenario_spec_table()},
    {"follow_ups", read_follow_ups},
}};

// The fields of all kinds: a family may have one for variants of several.
const std::vector<std::string>& variant_fields()
{
    static const std::vector<std::string> kFields = []
    {
        std::vector<std::string> all = kVariantTable.names();
        for (const QuestionKind kind : every<QuestionKind>())
        {
            const std::vector<std::string> names = table_of(kind).names();
            all.insert(all.end(), names.begin(), names.end());
        }
        return all;
    }();
    return kFields;
}

QuestionVariant read_variant(const JsonPlace& place)
{
    QuestionVariant v;
    kVariantTable.take(place, v);
    table_of(v.kind).take(place, v);
    place.refuse_others(variant_fields());
    return v;
}

// A variant's fields over the family's. Faults of a field are where it was written.
void read_variants(const json& family, const std::string& id, Issues& issues, QuestionFamily& out)
{
    json common = family;
    for (const char* own : {"variants", "interview"}) // the family's alone
    {
        common.erase(own);
    }
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
        if (own.contains("stem") && !own.contains("note"))
        {
            merged.erase("note"); // A note belongs to the stem it was written for.
        }
        const std::string path = fmt::format("{}/{}", id, own["id"].get<std::string>());
        Issues found;
        QuestionVariant variant = read_variant({merged, path, found, kStudyLimits});
        if (!found.empty())
        {
            append(issues, found);
            continue;
        }
        out.variants.push_back(std::move(variant));
    }
    std::set<std::string> ids;
    for (const QuestionVariant& v : out.variants)
    {
        add_if(issues, !ids.insert(v.id).second,
               {id + ".variants", fmt::format("\"{}\" is there twice", v.id), "give each its own id"});
    }
}

void read_family(const JsonPlace& place, const QuestionTopic& topic, QuestionBank& bank)
{
    QuestionFamily family;
    family.topic = topic.id;
    family.file = topic.file;
    Issues found;
    const JsonPlace own{place.value, place.path, found, place.limits};
    const auto variants = [&](const JsonPlace& list, QuestionFamily& f)
    {
        if (list.is_list({.least = 1, .most = kMostVariants}) && !f.id.empty())
        {
            read_variants(place.value, f.id, found, f);
        }
    };
    // Every other field is a variant's, unless it says otherwise.
    const JsonTable<QuestionFamily> table{{
        {"id", &QuestionFamily::id, kIdRule},
        {"title", &QuestionFamily::title, kNeeded},
        {"concept", &QuestionFamily::concept_id, kNeeded},
        {"interview", &QuestionFamily::interview},
        {"variants", variants, kNeeded},
    }};
    table.take(own, family);
    if (bank.family(family.id))
    {
        own.fault("id", fmt::format("\"{}\" is the id of another family", family.id), "choose another");
    }
    else if (!family.variants.empty())
    {
        bank.families.push_back(std::move(family));
    }
    append(place.issues, found);
}

} // namespace

Issues add_questions(std::string_view text, const std::string& file, QuestionBank& bank)
{
    const auto document = parse_json(text);
    if (!document)
    {
        return document.issues();
    }
    Issues issues;
    QuestionTopic topic{"", "", file};
    const auto families = [&](const JsonPlace& place, QuestionTopic& t)
    {
        const JsonPlace list{place.value, place.path, issues, {kStudyLimits.letters, kMostFamilies}};
        for (std::size_t i = 0; list.is_list() && i < list.value.size(); ++i)
        {
            JsonPlace entry = list.entry(i);
            entry.limits = kStudyLimits;
            read_family(entry, t, bank);
        }
    };
    const JsonTable<QuestionTopic> table{{
        json_schema<QuestionTopic>("ringside.questions/1"),
        {"topic", &QuestionTopic::id, kNeeded},
        {"title", &QuestionTopic::title, kNeeded},
        {"families", families, kNeeded},
    }};
    table.read({*document, "", issues, kStudyLimits}, topic);
    if (document->is_object())
    {
        bank.topics.push_back(std::move(topic));
    }
    return issues;
}

} // namespace ringside
