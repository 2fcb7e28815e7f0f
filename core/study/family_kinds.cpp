#include "core/study/family_kinds.h"

#include <set>

namespace ringside
{

namespace
{

using nlohmann::json;

void read_numeric(JsonReader& r, QuestionVariant& v)
{
    r.expression("key", v.key, true);
    r.unit(v.unit, true);
    r.number("tolerance", v.tolerance, 0, 0.5);
    r.objects("solution",
              [&](JsonReader& s)
              {
                  SolutionStepSpec step;
                  s.only({"says", "formula", "value", "unit"});
                  s.text("says", step.says, true);
                  s.text("formula", step.formula);
                  s.expression("value", step.value, true);
                  s.unit(step.unit, false);
                  v.solution.push_back(std::move(step));
              });
    if (v.solution.empty())
    {
        r.fault("solution", "empty", "give the steps; the last one's value is the key");
    }
    r.objects("mistakes",
              [&](JsonReader& m)
              {
                  MistakeSpec mistake;
                  m.only({"id", "value", "says", "when"});
                  m.id("id", mistake.id);
                  m.expression("value", mistake.value, true);
                  m.text("says", mistake.says, true);
                  m.expression("when", mistake.when);
                  v.mistakes.push_back(std::move(mistake));
              });
}

void read_comparison(JsonReader& r, QuestionVariant& v)
{
    std::size_t right = 0;
    std::size_t valued = 0;
    r.objects("choices",
              [&](JsonReader& c)
              {
                  ChoiceSpec choice;
                  c.only({"id", "says", "value", "unit", "right"});
                  c.id("id", choice.id);
                  c.text("says", choice.says, true);
                  c.expression("value", choice.value);
                  c.unit(choice.unit, false);
                  c.flag("right", choice.right);
                  right += choice.right ? 1U : 0U;
                  valued += choice.value.empty() ? 0U : 1U;
                  v.choices.push_back(std::move(choice));
              });
    constexpr std::array kBest{Pick::largest, Pick::smallest};
    r.choice(
        "best", v.best, kBest, [](Pick p) { return p == Pick::largest ? "largest" : "smallest"; }, false);
    if (v.choices.size() < 2 || v.choices.size() > 4)
    {
        r.fault("choices", fmt::format("there are {}", v.choices.size()), "give 2 to 4");
    }
    if (v.best == Pick::marked ? right != 1 : valued != v.choices.size() || right != 0)
    {
        r.fault("choices", "nothing says which one is right",
                "give each a value and \"best\", or \"right\": true to exactly one");
    }
    r.text("answer", v.answer, true);
}

void read_schedule(JsonReader& r, QuestionVariant& v)
{
    if (!r["schedule"].is_object())
    {
        r.fault("schedule", "not an object",
                "use {\"kind\": \"1f1b\", \"stages\": \"p\", \"micro_batches\": \"m\"}");
        return;
    }
    ScheduleItemsSpec& s = v.schedule.emplace();
    JsonReader reader(r["schedule"], r.at("schedule"), r.issues());
    reader.only({"kind", "stages", "micro_batches", "chunks", "stage", "first"});
    reader.text("kind", s.kind, true);
    reader.expression("stages", s.stages, true);
    reader.expression("micro_batches", s.micro_batches, true);
    reader.expression("chunks", s.chunks);
    reader.expression("stage", s.stage);
    reader.expression("first", s.first);
}

void read_ordering(JsonReader& r, QuestionVariant& v)
{
    if (r.has("schedule"))
    {
        read_schedule(r, v);
        return;
    }
    std::size_t valued = 0;
    r.objects("items",
              [&](JsonReader& i)
              {
                  ItemSpec item;
                  i.only({"id", "says", "after", "value", "unit"});
                  i.id("id", item.id);
                  i.text("says", item.says, true);
                  i.texts("after", item.after);
                  i.expression("value", item.value);
                  i.unit(item.unit, false);
                  valued += item.value.empty() ? 0U : 1U;
                  v.items.push_back(std::move(item));
              });
    constexpr std::array kOrders{ItemOrder::ascending, ItemOrder::descending};
    r.choice(
        "order", v.order, kOrders,
        [](ItemOrder o) { return o == ItemOrder::ascending ? "ascending" : "descending"; }, false);
    if (v.items.size() < 3 || v.items.size() > 8)
    {
        r.fault("items", fmt::format("there are {}", v.items.size()), "give 3 to 8");
    }
    if (valued != (v.order == ItemOrder::after ? 0 : v.items.size()))
    {
        r.fault("items", "some have a value and some none, or \"order\" is missing",
                "give every item a value and \"order\", or none");
    }
    for (const ItemSpec& item : v.items)
    {
        for (const std::string& before : item.after)
        {
            if (std::none_of(v.items.begin(), v.items.end(),
                             [&](const ItemSpec& i) { return i.id == before; }))
            {
                r.fault("items", fmt::format("{} comes after \"{}\", which is not there", item.id, before),
                        "use the id of another item");
            }
        }
    }
}

void read_diagnosis(JsonReader& r, QuestionVariant& v)
{
    std::string asks = "cause";
    r.text("asks", asks);
    if (asks != "cause")
    {
        r.fault("asks", fmt::format("there is no \"{}\"", asks), "use \"cause\", or leave it out");
    }
    r.objects("causes",
              [&](JsonReader& c)
              {
                  CauseSpec cause;
                  c.only({"id", "says", "evidence", "because", "fix"});
                  c.id("id", cause.id);
                  c.text("says", cause.says, true);
                  c.text("because", cause.because, true);
                  c.text("fix", cause.fix, true);
                  cause.evidence = JsonValue(c.has("evidence") ? c["evidence"] : json());
                  if (!cause.evidence.get().is_object() || !cause.evidence.get().contains("kind"))
                  {
                      c.fault("evidence", "not an object with a kind",
                              "use {\"kind\": \"loss\", \"fault\": \"spike\"}");
                  }
                  v.causes.push_back(std::move(cause));
              });
    if (v.causes.size() < 2 || v.causes.size() > 6)
    {
        r.fault("causes", fmt::format("there are {}", v.causes.size()), "give 3 to 6");
    }
}

void read_design(JsonReader& r, QuestionVariant& v)
{
    r.texts("parts", v.parts);
    r.text("answer", v.answer, v.parts.empty());
    if (r.has("goal"))
    {
        GoalSpec& goal = v.goal.emplace();
        if (!r["goal"].is_object())
        {
            r.fault("goal", "not an object", "use {\"fits\": true, \"within_best\": 1.3}");
            return;
        }
        JsonReader reader(r["goal"], r.at("goal"), r.issues());
        reader.only({"fits", "within_best"});
        reader.flag("fits", goal.fits);
        reader.number("within_best", goal.within_best, 1, 100);
    }
    if (!r.has("rubric_levels") || !r["rubric_levels"].is_object())
    {
        if (v.parts.empty())
        {
            r.fault("rubric_levels", "missing",
                    "use {\"strong\": [...], \"lean\": [...], \"no_hire\": [...]}");
        }
        return;
    }
    JsonReader levels(r["rubric_levels"], r.at("rubric_levels"), r.issues());
    levels.only({"strong", "lean", "no_hire"});
    levels.texts("strong", v.levels.strong, 1, 10);
    levels.texts("lean", v.levels.lean, 1, 10);
    levels.texts("no_hire", v.levels.no_hire, 1, 10);
}

template <class List>
void check_ids(JsonReader& r, const char* field, const List& list)
{
    std::set<std::string> seen;
    for (const auto& entry : list)
    {
        if (!entry.id.empty() && !seen.insert(entry.id).second)
        {
            r.fault(field, fmt::format("\"{}\" is there twice", entry.id), "give each its own id");
        }
    }
}

} // namespace

void read_kind(JsonReader& r, QuestionVariant& v)
{
    switch (v.kind)
    {
    case QuestionKind::numeric:
        read_numeric(r, v);
        break;
    case QuestionKind::recall:
        r.text("answer", v.answer, true);
        break;
    case QuestionKind::comparison:
        read_comparison(r, v);
        break;
    case QuestionKind::ordering:
        read_ordering(r, v);
        break;
    case QuestionKind::diagnosis:
        read_diagnosis(r, v);
        break;
    case QuestionKind::design:
        read_design(r, v);
        break;
    }
    const bool recall = v.kind == QuestionKind::recall;
    r.texts("rubric", v.rubric, recall ? 3 : 0, recall ? 6 : 8);
    check_ids(r, "mistakes", v.mistakes);
    check_ids(r, "choices", v.choices);
    check_ids(r, "items", v.items);
    check_ids(r, "causes", v.causes);
}

} // namespace ringside
