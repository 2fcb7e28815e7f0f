// `ringside question`: families listed, one shown with numbers from a seed, an answer graded.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "core/base/place.h"
#include "core/base/text/text.h"
#include "core/scenario/json/json.h"
#include "core/study/grading/grading.h"
#include "core/study/questions/inspect.h"
#include "ui/shell/view.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

using nlohmann::json;

struct QuestionOptions : CommonOptions
{
    std::string id;   // "model-state" or "model-state/easy"
    std::string text; // an answer as people type it
    std::uint64_t seed = 1;
    std::string topic;  // of `list`; empty: all
    int hints = 0;      // opened before answering
    double seconds = 0; // it took; 0: not known
};

struct OpenedBank
{
    Opened opened;
    QuestionBank bank;
};

OpenedBank open_bank(const CommonOptions& common)
{
    Opened opened = open_presets(common);
    Issues issues;
    QuestionBank bank = load_questions(opened.assets, issues);
    print_faults(issues);
    return {std::move(opened), std::move(bank)};
}

std::string full_name(const QuestionFamily& family, const QuestionVariant& variant)
{
    return fmt::format("{}/{}", family.id, variant.id);
}

Result<VariantRef> variant_of(const QuestionBank& bank, const std::string& id)
{
    if (const auto found = find_variant(bank, id))
    {
        return *found;
    }
    std::vector<std::string> names;
    for (const QuestionFamily& family : bank.families)
    {
        names.push_back(family.id);
        for (const QuestionVariant& v : family.variants)
        {
            names.push_back(full_name(family, v));
        }
    }
    const std::string near = nearest_word(id, names);
    return Issue{"ID", fmt::format("there is no question \"{}\"", id),
                 near.empty() ? "ringside question list names them"
                              : fmt::format("did you mean \"{}\"?", near)};
}

json to_json(const DrawnValue& value)
{
    const double* number = std::get_if<double>(&value);
    return number ? json(*number) : json(std::get<std::string>(value));
}

json choices_json(const Question& q)
{
    return json_list(q.choices,
                     [](const ShownChoice& c)
                     {
                         json entry{{"id", c.id}, {"says", c.says}, {"right", c.right}};
                         for (const auto& [name, text] :
                              {std::pair{"value", &c.value}, {"because", &c.because}, {"fix", &c.fix}})
                         {
                             if (!text->empty())
                             {
                                 entry[name] = *text;
                             }
                         }
                         return entry;
                     });
}

json evidence_json(const Evidence& e)
{
    const auto series = [&](const EvidenceSeries& s) -> json
    {
        json y = json_list(s.y, [](double v) { return std::isfinite(v) ? json(v) : json(); });
        return {
            {"name", s.name}, {"x_unit", e.x_unit}, {"y_unit", s.y_unit}, {"x", s.x}, {"y", std::move(y)}};
    };
    return {{"kind", e.kind}, {"lines", e.lines}, {"series", json_list(e.series, series)}};
}

// In the unit that stands beside it: 5.9 of "%", where the engine has 0.059.
double in_unit(double value, const Question& q)
{
    return find_study_unit(q.unit)->dimension == Dimension::share ? value * 100 : value;
}

// What the kind adds to a question.
void add_kind(json& out, const Question& q)
{
    out["answer"] = {{"value", q.kind == QuestionKind::numeric ? json(in_unit(q.key, q)) : json()},
                     {"unit", q.unit},
                     {"tolerance", q.kind == QuestionKind::numeric ? json(q.tolerance) : json()}};
    if (q.kind == QuestionKind::numeric)
    {
        out["answer"]["text"] = q.key_text;
    }
    if (!q.answer.empty())
    {
        out["answer"]["says"] = q.answer;
    }
    if (!q.rubric.empty())
    {
        out["rubric"] = q.rubric;
    }
    if (!q.choices.empty())
    {
        out["choices"] = choices_json(q);
    }
    if (!q.ordering.items.empty())
    {
        out["items"] = json_list(q.ordering.items,
                                 [](const OrderedItem& item) -> json {
                                     return {{"id", item.id}, {"says", item.says}};
                                 });
        out["answer"]["order"] =
            json_list(q.ordering.legal, [&](std::size_t i) { return q.ordering.items[i].id; });
    }
    if (!q.evidence.kind.empty())
    {
        out["evidence"] = evidence_json(q.evidence);
    }
    if (!q.levels.strong.empty())
    {
        out["rubric_levels"] = {
            {"strong", q.levels.strong}, {"lean", q.levels.lean}, {"no_hire", q.levels.no_hire}};
    }
    if (!q.parts.empty())
    {
        out["parts"] = q.parts;
    }
}

json question_json(const Question& q, const Presets& presets)
{
    json out{
        {"id", q.id},
        {"family", q.family},
        {"topic", q.topic},
        {"concept", q.concept_id},
        {"title", q.title},
        {"kind", name_of(q.kind)},
        {"seed", q.seed},
        {"difficulty", name_of(q.difficulty)},
        {"stem", q.stem},
        {"note", q.note},
        {"hints", q.hints},
        {"target_s", q.target_s},
        {"sources", q.sources},
        {"errata", q.errata},
        {"solution", json_list(q.solution, &SolutionStep::line)},
        {"mistakes", json_list(q.mistakes,
                               [&](const KnownMistake& m) -> json {
                                   return {{"id", m.id}, {"value", in_unit(m.value, q)}, {"says", m.says}};
                               })},
        {"parameters", json::object()},
        {"follow_ups", json_list(q.follow_ups, &FollowUp::says)}};
    for (const auto& [name, text] : q.givens)
    {
        out["parameters"][name] = to_json(q.values.at(name));
    }
    for (const Term& t : q.engine)
    {
        out["engine"].push_back(
            {{"label", t.label}, {"formula", t.formula}, {"working", t.working}, {"source", t.source}});
    }
    add_kind(out, q);
    out["show_me"] = {{"view", q.view.empty() ? json() : json(view_of(q.view))},
                      {"page", page_of(q.view).empty() ? json() : json(page_of(q.view))},
                      {"scenario", q.scenario ? to_json(q.scenario->scenario, presets) : json()}};
    return out;
}

void print_list(const char* title, const std::vector<std::string>& lines)
{
    if (!lines.empty())
    {
        say("\n{}\n", title);
        for (const std::string& line : lines)
        {
            say("  - {}\n", line);
        }
    }
}

void print_series(const EvidenceSeries& s, const std::string& x_unit)
{
    // A dozen points are enough to see what it does.
    say("\n{}{} over {}\n ", s.name, s.y_unit.empty() ? "" : " [" + s.y_unit + "]", x_unit);
    const std::size_t every = s.x.size() <= 32 ? 1 : s.x.size() / 16;
    for (std::size_t i = 0; i < s.x.size(); i += every)
    {
        say(" {}:{}", three_digits(s.x[i]), std::isfinite(s.y[i]) ? three_digits(s.y[i]) : "-");
    }
    say("\n");
}

void print_asked(const Question& q)
{
    say("{}  ({}, {}, {}, seed {})\n\n{}\n", q.title, q.id, name_of(q.kind), name_of(q.difficulty), q.seed,
        q.stem);
    if (!q.note.empty())
    {
        say("{}\n", q.note);
    }
    for (const EvidenceSeries& s : q.evidence.series)
    {
        print_series(s, q.evidence.x_unit);
    }
    print_list("Evidence", q.evidence.lines);
    for (std::size_t i = 0; i < q.choices.size(); ++i)
    {
        say("{}  {}. {} [{}]\n", i == 0 ? "\n" : "", i + 1, q.choices[i].says, q.choices[i].id);
    }
    for (std::size_t i = 0; i < q.ordering.items.size(); ++i)
    {
        say("{}  {}. {} [{}]\n", i == 0 ? "\n" : "", i + 1, q.ordering.items[i].says, q.ordering.items[i].id);
    }
    print_list("Hints", q.hints);
}

void print_answer(const Question& q)
{
    if (q.kind == QuestionKind::numeric)
    {
        say("\nAnswer: {} ({})\n", q.key_text,
            q.tolerance == 0 ? "exactly" : "within " + format_percent(q.tolerance));
    }
    for (const ShownChoice& c : q.choices)
    {
        if (c.right)
        {
            say("\nAnswer: {}\n{}{}{}\n", c.says, c.because, c.because.empty() ? "" : " ", c.fix);
        }
    }
    print_list("A correct order", texts_of(q.ordering.legal,
                                           [&](std::size_t i)
                                           {
                                               const OrderedItem& item = q.ordering.items[i];
                                               return item.value.empty()
                                                          ? item.says
                                                          : fmt::format("{}: {}", item.says, item.value);
                                           }));
    print_list("Solution", texts_of(q.solution, &SolutionStep::line));
    print_list("Computed by the engine",
               texts_of(q.engine, [](const Term& t)
                        { return fmt::format("{}: {} = {}", t.label, t.formula, t.working); }));
    print_list("Common mistakes", texts_of(q.mistakes, [](const KnownMistake& m)
                                           { return fmt::format("{} [{}] {}", m.text, m.id, m.says); }));
    if (!q.answer.empty())
    {
        say("\n{}\n", q.answer);
    }
    print_list("Rubric", q.rubric);
    print_list("Strong", q.levels.strong);
    print_list("Lean", q.levels.lean);
    print_list("No hire", q.levels.no_hire);
    print_list("Parts", q.parts);
    print_list("Follow-ups", texts_of(q.follow_ups, &FollowUp::says));
    if (!q.errata.empty())
    {
        say("\nmisconceptions: {}\n", fmt::join(q.errata, " "));
    }
}

int run_question_list(const QuestionOptions& o)
{
    const QuestionBank bank = open_bank(o).bank;
    std::set<std::string> topics;
    for (const QuestionFamily& family : bank.families)
    {
        topics.insert(family.topic);
    }
    if (!o.topic.empty() && !topics.contains(o.topic))
    {
        return print_faults({unknown_word("--topic", "topic ", o.topic, {topics.begin(), topics.end()})});
    }
    json rows = json::array();
    TextTable table({{"", -48}, {"", -11}, {"", -8}, {""}});
    for (const QuestionFamily& family : bank.families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            if (o.topic.empty() || o.topic == family.topic)
            {
                table.add(full_name(family, v), name_of(v.kind), name_of(v.difficulty), v.title);
                rows.push_back({{"id", full_name(family, v)},
                                {"family", family.id},
                                {"title", v.title},
                                {"topic", family.topic},
                                {"concept", v.concept_id},
                                {"kind", name_of(v.kind)},
                                {"difficulty", name_of(v.difficulty)},
                                {"sources", v.sources}});
            }
        }
    }
    if (o.json)
    {
        print_document({{"families", std::move(rows)}});
        return kDone;
    }
    say("{}", table.text("", false));
    return kDone;
}

// The question that is asked for, or every fault that keeps it from being made.
Question draw_asked(const OpenedBank& open, Calculator& calculator, const QuestionOptions& o)
{
    const VariantRef found = or_end(variant_of(open.bank, o.id));
    const auto question = draw(calculator, *found.family, found.variant, o.seed);
    if (question)
    {
        return *question;
    }
    Issues issues = question.issues();
    for (Issue& issue : issues)
    {
        issue.path =
            fmt::format("{}: {}.{}", found.family->file, full_name(*found.family, found.get()), issue.path);
    }
    throw BadInput(issues);
}

// Exit 1: not right.
int run_question_answer(const QuestionOptions& o)
{
    const OpenedBank open = open_bank(o);
    Calculator calculator(open.opened.presets);
    const Question question = draw_asked(open, calculator, o);
    const auto judged = grade(question, {o.text, 1, o.hints, false, o.seconds}, calculator);
    const auto ask = judged ? std::nullopt : to_ask(question, o.text);
    if (ask && o.json)
    {
        print_document({{"correct", nullptr},
                        {"grade", nullptr},
                        {"mistake", nullptr},
                        {"message", ask->question},
                        {"choices", ask->choices}});
    }
    const Verdict verdict = or_end(judged, "TEXT");
    const std::string message = verdict.correct && verdict.message.empty() ? "Right." : verdict.message;
    if (o.json)
    {
        print_document({{"correct", verdict.correct},
                        {"grade", verdict.grade},
                        {"mistake", verdict.mistake.empty() ? json() : json(verdict.mistake)},
                        {"message", message},
                        {"read_as", verdict.read_as}});
    }
    else
    {
        constexpr std::array kNames{"again", "hard", "good", "easy"};
        say("{}\n", question.stem);
        say("{}{}\n", verdict.read_as.empty() ? "" : "read as " + verdict.read_as + "\n", message);
        say("{}{}grade {}\n", verdict.mistake, verdict.mistake.empty() ? "" : ", ",
            kNames.at(static_cast<std::size_t>(verdict.grade - 1)));
    }
    return verdict.correct ? kDone : kNo;
}

int run_question_show(const QuestionOptions& o)
{
    const OpenedBank open = open_bank(o);
    Calculator calculator(open.opened.presets);
    const Question question = draw_asked(open, calculator, o);
    if (o.json)
    {
        print_document(question_json(question, open.opened.presets));
        return kDone;
    }
    print_asked(question);
    print_answer(question);
    return kDone;
}

void add_list_options(CLI::App& app, QuestionOptions& o)
{
    app.add_option("--topic", o.topic, "only families of this topic");
    add_json(app, o);
}

void add_show_options(CLI::App& app, QuestionOptions& o)
{
    app.add_option("ID", o.id, "family, or family/variant")->required();
    add_seed(app, o.seed);
    add_json(app, o);
}

void add_answer_options(CLI::App& app, QuestionOptions& o)
{
    add_show_options(app, o);
    app.add_option(
           "TEXT", o.text,
           "the answer as typed: 1.12TB, 22%, 3h 20min; or the id of a choice, an order, ticked points")
        ->required();
    whole(app.add_option("--hints", o.hints, "hints opened before answering"), 0, 3);
    real(app.add_option("--seconds", o.seconds, "time taken to answer"), 0, 1e6);
}

constexpr CliCommand kList =
    command<add_list_options, run_question_list>("list", "list every family and variant");
constexpr CliCommand kAnswer =
    command<add_answer_options, run_question_answer>("answer", "grade an answer; exit 1 if it is not right");
constexpr CliCommand kShow = command<add_show_options, run_question_show>(
    "show", "show a question with its hints, answer, solution and common mistakes");

} // namespace

const CliCommand question_command =
    group<kList, kAnswer, kShow>("question", "question families: list them, show one, grade an answer");

} // namespace ringside
