#include "app/question_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "app/progress_bar.h"
#include "core/base/place.h"
#include "core/base/text.h"
#include "core/scenario/json.h"
#include "core/study/coverage.h"
#include "core/study/errata.h"
#include "core/study/grading.h"
#include "core/study/inspect.h"
#include "ui/shell/view.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace ringside
{

namespace
{

using nlohmann::json;

struct OpenedBank
{
    Opened opened;
    QuestionBank bank;
};

Result<OpenedBank> open_bank(const CommonOptions& common)
{
    auto opened = open_presets(common);
    if (!opened)
    {
        return opened.issues();
    }
    Issues issues;
    QuestionBank bank = load_questions(opened->assets, issues);
    print_faults(issues);
    return OpenedBank{std::move(*opened), std::move(bank)};
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
    json out = json::array();
    for (const ShownChoice& c : q.choices)
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
        out.push_back(std::move(entry));
    }
    return out;
}

json evidence_json(const Evidence& e)
{
    json out{{"kind", e.kind}, {"lines", e.lines}, {"series", json::array()}};
    for (const EvidenceSeries& s : e.series)
    {
        json y = json::array();
        for (const double v : s.y)
        {
            y.push_back(std::isfinite(v) ? json(v) : json());
        }
        out["series"].push_back(
            {{"name", s.name}, {"x_unit", e.x_unit}, {"y_unit", s.y_unit}, {"x", s.x}, {"y", std::move(y)}});
    }
    return out;
}

// What the kind adds to a question.
void add_kind(json& out, const Question& q)
{
    out["answer"] = {{"value", q.kind == QuestionKind::numeric ? json(q.key) : json()},
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
        json order = json::array();
        for (const std::size_t i : q.ordering.legal)
        {
            order.push_back(q.ordering.items[i].id);
        }
        for (const OrderedItem& item : q.ordering.items)
        {
            out["items"].push_back({{"id", item.id}, {"says", item.says}});
        }
        out["answer"]["order"] = std::move(order);
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
    json out{{"id", q.id},
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
             {"solution", json::array()},
             {"mistakes", json::array()},
             {"parameters", json::object()},
             {"follow_ups", json::array()}};
    for (const auto& [name, text] : q.givens)
    {
        out["parameters"][name] = to_json(q.values.at(name));
    }
    for (const SolutionStep& s : q.solution)
    {
        out["solution"].push_back(s.line());
    }
    for (const Term& t : q.engine)
    {
        out["engine"].push_back(
            {{"label", t.label}, {"formula", t.formula}, {"working", t.working}, {"source", t.source}});
    }
    for (const KnownMistake& m : q.mistakes)
    {
        out["mistakes"].push_back({{"id", m.id}, {"value", m.value}, {"says", m.says}});
    }
    for (const FollowUp& f : q.follow_ups)
    {
        out["follow_ups"].push_back(f.says);
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
    std::vector<std::string> order;
    for (const std::size_t i : q.ordering.legal)
    {
        const OrderedItem& item = q.ordering.items[i];
        order.push_back(item.value.empty() ? item.says : fmt::format("{}: {}", item.says, item.value));
    }
    print_list("One right order", order);
    std::vector<std::string> steps;
    for (const SolutionStep& s : q.solution)
    {
        steps.push_back(s.line());
    }
    print_list("Solution", steps);
    std::vector<std::string> terms;
    for (const Term& t : q.engine)
    {
        terms.push_back(fmt::format("{}: {} = {}", t.label, t.formula, t.working));
    }
    print_list("The engine", terms);
    std::vector<std::string> mistakes;
    for (const KnownMistake& m : q.mistakes)
    {
        mistakes.push_back(fmt::format("{} [{}] {}", m.text, m.id, m.says));
    }
    print_list("Known slips", mistakes);
    if (!q.answer.empty())
    {
        say("\n{}\n", q.answer);
    }
    print_list("Rubric", q.rubric);
    print_list("Strong", q.levels.strong);
    print_list("Lean", q.levels.lean);
    print_list("No hire", q.levels.no_hire);
    print_list("Parts", q.parts);
    std::vector<std::string> next;
    for (const FollowUp& f : q.follow_ups)
    {
        next.push_back(f.says);
    }
    print_list("Follow-ups", next);
    say("\nconcept {}, sources {}{}{}\n", q.concept_id, fmt::join(q.sources, " "),
        q.errata.empty() ? "" : ", errata ", fmt::join(q.errata, " "));
}

} // namespace

int run_question_list(const CommonOptions& common, const QuestionOptions& options)
{
    const auto open = open_bank(common);
    if (!open)
    {
        return print_faults(open.issues());
    }
    json rows = json::array();
    for (const QuestionFamily& family : open->bank.families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            if (options.topic.empty() || options.topic == family.topic)
            {
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
    if (common.json)
    {
        fmt::print("{}\n", json{{"families", std::move(rows)}}.dump(2));
        return kDone;
    }
    for (const json& row : rows)
    {
        const auto text = [&](const char* field) { return row[field].get<std::string>(); };
        say("{:<48}{:<5}{:<11}{:<8}{}\n", text("id"), text("concept"), text("kind"), text("difficulty"),
            text("title"));
    }
    return kDone;
}

namespace
{

// The question that is asked for, or every fault that keeps it from being made.
Result<Question> draw_asked(const OpenedBank& open, Calculator& calculator, const QuestionOptions& options)
{
    const auto found = variant_of(open.bank, options.id);
    if (!found)
    {
        return found.issues();
    }
    auto question = draw(calculator, *found->family, found->variant, options.seed);
    if (question)
    {
        return question;
    }
    Issues issues = question.issues();
    for (Issue& issue : issues)
    {
        issue.path = fmt::format("{}: {}.{}", found->family->file, full_name(*found->family, found->get()),
                                 issue.path);
    }
    return issues;
}

} // namespace

int run_question_answer(const CommonOptions& common, const QuestionOptions& options)
{
    const auto open = open_bank(common);
    if (!open)
    {
        return print_faults(open.issues());
    }
    Calculator calculator(open->opened.presets);
    const auto question = draw_asked(*open, calculator, options);
    if (!question)
    {
        return print_faults(question.issues());
    }
    const auto verdict =
        grade(*question, {options.text, 1, options.hints, false, options.seconds}, calculator);
    if (!verdict)
    {
        return print_faults(verdict.issues(), "TEXT");
    }
    if (common.json)
    {
        fmt::print("{}\n", json{{"correct", verdict->correct},
                                {"grade", verdict->grade},
                                {"mistake", verdict->mistake.empty() ? json() : json(verdict->mistake)},
                                {"message", verdict->message},
                                {"read_as", verdict->read_as}}
                               .dump(2));
    }
    else
    {
        constexpr std::array kNames{"again", "hard", "good", "easy"};
        say("{}\n", question->stem);
        say("{}{}\n", verdict->read_as.empty() ? "" : "read as " + verdict->read_as + "\n", verdict->message);
        say("{}{}grade {}\n", verdict->mistake, verdict->mistake.empty() ? "" : ", ",
            kNames.at(static_cast<std::size_t>(verdict->grade - 1)));
    }
    return verdict->correct ? kDone : kNo;
}

int run_question_show(const CommonOptions& common, const QuestionOptions& options)
{
    const auto open = open_bank(common);
    if (!open)
    {
        return print_faults(open.issues());
    }
    Calculator calculator(open->opened.presets);
    const auto question = draw_asked(*open, calculator, options);
    if (!question)
    {
        return print_faults(question.issues());
    }
    if (common.json)
    {
        fmt::print("{}\n", question_json(*question, open->opened.presets).dump(2));
        return kDone;
    }
    print_asked(*question);
    print_answer(*question);
    return kDone;
}

namespace
{

// What is missing, a line each.
std::vector<std::string> gaps_of(const Coverage& coverage)
{
    std::vector<std::string> gaps;
    for (const DocumentCoverage& d : coverage.documents)
    {
        gaps.push_back(fmt::format("document {}: {} of {} items askable", d.document, d.askable, d.items));
    }
    constexpr std::size_t kNamed = 40;
    if (!coverage.missing.empty())
    {
        const std::size_t named = std::min(kNamed, coverage.missing.size());
        gaps.push_back(
            fmt::format("items nobody asks: {}{}",
                        fmt::join(coverage.missing.begin(),
                                  coverage.missing.begin() + static_cast<std::ptrdiff_t>(named), " "),
                        named < coverage.missing.size() ? " ..." : ""));
    }
    const auto lacking = [&](const char* what, auto has)
    {
        std::vector<std::string> ids;
        for (const ConceptCoverage& c : coverage.concepts)
        {
            if (!has(c))
            {
                ids.push_back(c.id);
            }
        }
        if (!ids.empty())
        {
            gaps.push_back(fmt::format("concepts without {}: {}", what, fmt::join(ids, " ")));
        }
    };
    lacking("a view", [](const ConceptCoverage& c) { return !c.views.empty(); });
    lacking("a computed answer", [](const ConceptCoverage& c) { return c.engine; });
    lacking("a family", [](const ConceptCoverage& c) { return !c.families.empty(); });
    lacking("a lesson", [](const ConceptCoverage& c) { return !c.lessons.empty(); });
    return gaps;
}

} // namespace

QuestionCheck check_questions(const std::filesystem::path& assets, const Presets& presets,
                              std::uint64_t seeds, const LessonsByConcept& lessons)
{
    QuestionCheck check;
    const auto add = [&](const Issues& more)
    { check.issues.insert(check.issues.end(), more.begin(), more.end()); };
    const QuestionBank bank = load_questions(assets, check.issues);
    const auto inventory = load_inventory(assets);
    if (!inventory)
    {
        add(inventory.issues());
        return check;
    }
    const auto ids = view_places();
    const std::set<std::string> known(ids.begin(), ids.end());
    add(check_references(bank, *inventory, known));
    Calculator calculator(presets);
    const ErrataRead errata = load_errata(assets);
    add(errata.issues);
    add(check_errata(errata.errata, *inventory, known, calculator));
    check.errata = errata.errata.size();
    check.families = bank.families.size();
    ProgressBar bar;
    for (std::size_t i = 0; i < bank.families.size(); ++i)
    {
        const QuestionFamily& family = bank.families[i];
        for (std::size_t v = 0; v < family.variants.size(); ++v)
        {
            add(check_variant(calculator, family, v, seeds).issues);
            ++check.variants;
        }
        bar.show(static_cast<double>(i + 1) / static_cast<double>(bank.families.size()));
    }
    bar.clear();
    const Coverage coverage = coverage_of(bank, *inventory, lessons);
    check.complete = coverage.complete();
    check.askable = coverage.askable();
    check.gaps = gaps_of(coverage);
    check.concepts = coverage.concepts;
    check.coverage = fmt::format("{} of {} concepts complete\n{} of {} source items askable", check.complete,
                                 coverage.concepts.size(), check.askable, coverage.items);
    return check;
}

} // namespace ringside
