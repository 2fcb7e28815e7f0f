// The fields that belong to one kind of question.
#include <fmt/format.h>

#include "core/study/answers/answer.h"
#include "core/study/questions/study_json.h"

#include <algorithm>
#include <array>
#include <set>

namespace ringside
{

namespace
{

using V = QuestionVariant;

const JsonTable<SolutionStepSpec> kSolutionTable{{
    {"says", &SolutionStepSpec::says, kNeeded},
    {"formula", &SolutionStepSpec::formula},
    {"value", &SolutionStepSpec::value, kExpressionRule},
    {"unit", &SolutionStepSpec::unit, kUnitRule},
}};

const JsonTable<MistakeSpec> kMistakeTable{{
    {"id", &MistakeSpec::id, kIdRule},
    {"value", &MistakeSpec::value, kExpressionRule},
    {"says", &MistakeSpec::says, kNeeded},
    {"when", &MistakeSpec::when, {.expression = true}},
}};

const JsonTable<ChoiceSpec> kChoiceTable{{
    {"id", &ChoiceSpec::id, kIdRule},
    {"says", &ChoiceSpec::says, kNeeded},
    {"value", &ChoiceSpec::value, {.expression = true}},
    {"unit", &ChoiceSpec::unit, kUnitRule},
    {"right", &ChoiceSpec::right},
}};

const JsonTable<ItemSpec> kItemTable{{
    {"id", &ItemSpec::id, kIdRule},
    {"says", &ItemSpec::says, kNeeded},
    {"after", &ItemSpec::after},
    {"value", &ItemSpec::value, {.expression = true}},
    {"unit", &ItemSpec::unit, kUnitRule},
}};

const JsonTable<ScheduleItemsSpec> kScheduleTable{{
    {"kind", &ScheduleItemsSpec::kind, kNeeded},
    {"stages", &ScheduleItemsSpec::stages, kExpressionRule},
    {"micro_batches", &ScheduleItemsSpec::micro_batches, kExpressionRule},
    {"chunks", &ScheduleItemsSpec::chunks, {.expression = true}},
    {"stage", &ScheduleItemsSpec::stage, {.expression = true}},
    {"first", &ScheduleItemsSpec::first, {.expression = true}},
}};

const JsonTable<CauseSpec> kCauseTable{
    {
        {"id", &CauseSpec::id, kIdRule},
        {"says", &CauseSpec::says, kNeeded},
        {"evidence", &CauseSpec::evidence, kNeeded},
        {"because", &CauseSpec::because, kNeeded},
        {"fix", &CauseSpec::fix, kNeeded},
    },
    [](const JsonPlace& place, CauseSpec&)
    {
        place.fault_if(!place.has("evidence") || !place.member("evidence").has("kind"), "evidence",
                       "not an object with a kind", "use {\"kind\": \"loss\", \"fault\": \"spike\"}");
    }};

const JsonTable<GoalSpec> kGoalTable{{
    {"fits", &GoalSpec::fits},
    {"within_best", &GoalSpec::within_best, {.least = 1, .most = 100}},
}};

constexpr JsonRule kLevelRule{.needed = true, .least = 1, .most = 10};
const JsonTable<RubricLevels> kLevelsTable{{
    {"strong", &RubricLevels::strong, kLevelRule},
    {"lean", &RubricLevels::lean, kLevelRule},
    {"no_hire", &RubricLevels::no_hire, kLevelRule},
}};

template <class List>
void check_ids(const JsonPlace& place, const char* field, const List& list)
{
    std::set<std::string> seen;
    for (const auto& entry : list)
    {
        place.fault_if(!entry.id.empty() && !seen.insert(entry.id).second, field,
                       fmt::format("\"{}\" is there twice", entry.id), "give each its own id");
    }
}

template <class List>
std::size_t valued(const List& list)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(list, [](const auto& e) { return !e.value.empty(); }));
}

void check_choices(const JsonPlace& place, V& v)
{
    check_ids(place, "choices", v.choices);
    const auto right = std::ranges::count_if(v.choices, &ChoiceSpec::right);
    place.fault_if(v.best == Pick::marked ? right != 1 : valued(v.choices) != v.choices.size() || right != 0,
                   "choices", "nothing says which one is right",
                   "give each a value and \"best\", or \"right\": true to exactly one");
}

void check_items(const JsonPlace& place, V& v)
{
    if (v.schedule)
    {
        return;
    }
    check_ids(place, "items", v.items);
    place.fault_if(v.items.empty(), "items", "is missing", "give 3 to 8, or \"schedule\"");
    place.fault_if(valued(v.items) != (v.order == ItemOrder::after ? 0 : v.items.size()), "items",
                   "some have a value and some none, or \"order\" is missing",
                   "give every item a value and \"order\", or none");
    for (const ItemSpec& item : v.items)
    {
        for (const std::string& before : item.after)
        {
            place.fault_if(std::ranges::find(v.items, before, &ItemSpec::id) == v.items.end(), "items",
                           fmt::format("{} comes after \"{}\", which is not there", item.id, before),
                           "use the id of another item");
        }
    }
}

void check_design(const JsonPlace& place, V& v)
{
    for (const char* name : {"answer", "rubric_levels"})
    {
        place.fault_if(v.parts.empty() && !place.has(name), name, "is missing", "give it, or \"parts\"");
    }
}

std::optional<Issue> no_question(std::string_view asks)
{
    return asks == "cause" ? std::nullopt
                           : std::optional(Issue{"", fmt::format("there is no \"{}\"", asks),
                                                 "use \"cause\", or leave it out"});
}

// What the grader can make nothing of.
std::optional<Issue> not_counted(std::string_view counts)
{
    const auto asked = asked_for({}, counts, "");
    return asked ? std::nullopt : std::optional(asked.issues().front());
}

std::optional<Issue> not_per(std::string_view per)
{
    const auto asked = asked_for({}, "", per);
    return asked ? std::nullopt : std::optional(asked.issues().front());
}

void read_asks(const JsonPlace& place, V&)
{
    std::string asks;
    read_value(place, {.check = no_question}, asks);
}

} // namespace

const JsonTable<QuestionVariant>& table_of(QuestionKind kind)
{
    static const JsonField<V> kRubric{"rubric", &V::rubric, {.most = 8}};
    static const std::array<JsonTable<V>, kQuestionKinds> kTables{
        JsonTable<V>{{
                         {"key", &V::key, kExpressionRule},
                         {"unit", &V::unit, kNeededUnit},
                         {"counts", &V::counts, {.check = not_counted}},
                         {"per", &V::per, {.check = not_per}},
                         {"tolerance", &V::tolerance, {.least = 0, .most = 0.5}},
                         {"solution", &V::solution, kSolutionTable, {.needed = true, .least = 1}},
                         {"mistakes", &V::mistakes, kMistakeTable},
                         kRubric,
                     },
                     [](const JsonPlace& place, V& v) { check_ids(place, "mistakes", v.mistakes); }},
        JsonTable<V>{{
            {"answer", &V::answer, kNeeded},
            {"rubric", &V::rubric, {.needed = true, .least = 3, .most = 6}},
        }},
        JsonTable<V>{{
                         {"choices", &V::choices, kChoiceTable, {.needed = true, .least = 2, .most = 4}},
                         {"best", &V::best},
                         {"claims", &V::claims, {.least = 2, .most = 3}},
                         {"answer", &V::answer, kNeeded},
                         kRubric,
                     },
                     check_choices},
        JsonTable<V>{{
                         {"schedule", &V::schedule, kScheduleTable},
                         {"items", &V::items, kItemTable, {.least = 3, .most = 8}},
                         {"order", &V::order},
                         kRubric,
                     },
                     check_items},
        JsonTable<V>{{
                         {"asks", read_asks},
                         {"causes", &V::causes, kCauseTable, {.needed = true, .least = 2, .most = 6}},
                         kRubric,
                     },
                     [](const JsonPlace& place, V& v) { check_ids(place, "causes", v.causes); }},
        JsonTable<V>{{
                         {"parts", &V::parts},
                         {"answer", &V::answer},
                         {"goal", &V::goal, kGoalTable},
                         {"rubric_levels", &V::levels, kLevelsTable},
                         kRubric,
                     },
                     check_design},
    };
    return kTables.at(static_cast<std::size_t>(kind));
}

} // namespace ringside
