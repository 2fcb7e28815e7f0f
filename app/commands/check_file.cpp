#include "app/commands/check_file.h"

#include <fmt/format.h>

#include "app/commands/console/input.h"
#include "app/files/demo_script_file.h"
#include "app/files/lesson_files.h"
#include "core/base/json/json.h"
#include "core/evaluate/cases.h"
#include "core/planner/launch/framework_launch.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"
#include "core/study/assignment/task_grade.h"
#include "core/study/library/errata.h"
#include "core/study/library/style.h"
#include "core/study/questions/inspect.h"
#include "core/study/sessions/chain.h"
#include "core/study/sessions/plan.h"
#include "ui/shell/view.h"

#include <array>

namespace ringside
{

using nlohmann::json;

namespace
{

// A file with everything its check may ask for.
struct Checked
{
    const json& document;
    const std::string& text;
    const std::string& file;
    const CheckedAgainst& against;

    std::string stem() const { return std::filesystem::path(file).stem().string(); }
    // Faults of the course itself are named by `check` without this file.
    Course course() const
    {
        Issues others;
        return open_course(against.assets, others);
    }
};

// The faults of a value that could not be read, or what `check` says of it.
template <class T, class Check>
Issues faults_of(const Result<T>& read, const Check& check)
{
    return read ? check(*read) : read.issues();
}

template <class T>
Issues faults_of(const Result<T>& read)
{
    return read ? Issues() : read.issues();
}

Issues check_scenario(const Checked& c)
{
    return faults_of(scenario_from_json(c.document, c.against.presets),
                     [](const Scenario& scenario) { return validate(scenario); });
}

Issues check_a_preset(const Checked& c)
{
    PresetCheck check = check_preset(c.document, c.stem(), c.against.presets);
    if (check.model)
    {
        append(check.issues, compare_counts(*check.model));
    }
    if (check.framework)
    {
        append(check.issues, launch_rule_faults(*check.framework));
    }
    return check.issues;
}

Issues check_lesson(const Checked& c)
{
    const auto lesson = lesson_from_json(c.document, c.file);
    if (!lesson)
    {
        return lesson.issues();
    }
    Issues issues = check_place(*lesson, c.course());
    append(issues, faults_of(plan_lesson(*lesson, c.against.presets, view_places())));
    return issues;
}

// Those of the file take the place of the shipped ones with their ids; the others are there to be named.
Issues check_question_file(const Checked& c)
{
    QuestionBank bank;
    Issues issues = add_questions(c.text, c.file, bank);
    const std::size_t own = bank.families.size();
    Issues others;
    for (QuestionFamily& family : load_questions(c.against.assets, others).families)
    {
        if (bank.family(family.id) == nullptr)
        {
            bank.families.push_back(std::move(family));
        }
    }
    Issues found;
    if (const auto inventory = load_inventory(c.against.assets))
    {
        append(found, check_references(bank, *inventory, known_views()));
    }
    Calculator calculator(c.against.presets);
    for (std::size_t i = 0; i < own; ++i)
    {
        for (std::size_t v = 0; v < bank.families[i].variants.size(); ++v)
        {
            append(found, check_variant(calculator, bank.families[i], v, c.against.seeds).issues);
        }
    }
    const std::string prefix = c.file + ": "; // which the printer puts there again
    for (Issue& issue : found)
    {
        if (issue.path.starts_with(prefix))
        {
            issue.path.erase(0, prefix.size());
            issues.push_back(std::move(issue));
        }
    }
    return issues;
}

Issues check_errata_file(const Checked& c)
{
    ErrataRead read = read_errata(c.text);
    if (const auto inventory = load_inventory(c.against.assets); inventory && read.issues.empty())
    {
        Calculator calculator(c.against.presets);
        Issues found = check_errata(read.errata, *inventory, known_views(), calculator);
        append(read.issues, found);
    }
    return read.issues;
}

Issues check_glossary_file(const Checked& c)
{
    return faults_of(read_glossary(c.document), [&](const std::vector<GlossaryTerm>& terms)
                     { return check_glossary(terms, c.course().lessons, view_places()); });
}

Issues check_tracks_file(const Checked& c)
{
    return faults_of(read_tracks(c.document), [&](const std::vector<CourseTrack>& tracks)
                     { return check_tracks(tracks, c.course().lessons); });
}

Issues check_assignment_file(const Checked& c)
{
    Issues others;
    const QuestionBank bank = load_questions(c.against.assets, others);
    const Course course = c.course();
    Calculator calculator(c.against.presets);
    return faults_of(assignment_from_json(c.document),
                     [&](const Assignment& assignment) {
                         return check_assignment(assignment, {bank, course, calculator});
                     });
}

Issues check_chains_file(const Checked& c)
{
    return faults_of(chains_from_json(c.document), [&](const std::vector<Chain>& chains)
                     { return check_chains(chains, c.against.presets); });
}

struct Schema
{
    std::string_view name;
    Issues (*check)(const Checked&);
};

// To have another kind of file checked, add a row.
constexpr std::array kSchemas{
    Schema{"ringside.scenario/1", check_scenario},
    Schema{"ringside.model/1", check_a_preset},
    Schema{"ringside.gpu/1", check_a_preset},
    Schema{"ringside.software/1", check_a_preset},
    Schema{"ringside.cluster/1", check_a_preset},
    Schema{"ringside.framework/1", check_a_preset},
    Schema{"ringside.lesson/1", check_lesson},
    Schema{"ringside.course/1", [](const Checked& c) { return faults_of(read_course_order(c.document)); }},
    Schema{"ringside.questions/1", check_question_file},
    Schema{"ringside.glossary/1", check_glossary_file},
    Schema{"ringside.tracks/1", check_tracks_file},
    Schema{"ringside.style/1", [](const Checked& c) { return faults_of(read_style(c.document)); }},
    Schema{"ringside.plan/1", [](const Checked& c) { return faults_of(read_plan(c.document)); }},
    Schema{"ringside.inventory/1", [](const Checked& c) { return faults_of(read_inventory(c.text)); }},
    Schema{"ringside.errata/1", check_errata_file},
    Schema{"ringside.assignment/1", check_assignment_file},
    Schema{"ringside.chains/1", check_chains_file},
    Schema{"ringside.demo/1",
           [](const Checked& c) { return faults_of(demo_script_of(c.document, c.against.presets)); }},
    Schema{"ringside.cases/1",
           [](const Checked& c) { return faults_of(run_cases(c.document, c.against.presets)); }},
    Schema{"ringside.progress/1", [](const Checked& c) { return read_progress(c.text).issues; }},
};

} // namespace

std::set<std::string> known_views()
{
    const auto places = view_places();
    return {places.begin(), places.end()};
}

Issues compare_counts(const ModelPreset& preset)
{
    Issues issues;
    const ParameterCount counted = count_parameters(preset.model);
    const auto compare = [&](std::string_view what, std::int64_t count, std::optional<std::int64_t> published)
    {
        if (published && *published != count)
        {
            issues.push_back({std::string(what),
                              fmt::format("{} were published, the shape has {}", *published, count),
                              "check biases, norms, tied embeddings and the vocabulary"});
        }
    };
    compare("published_parameters", counted.total, preset.published_parameters);
    compare("published_active_parameters", counted.active, preset.published_active_parameters);
    return issues;
}

Issues faults_of_file(const std::string& text, const std::string& file, const CheckedAgainst& against)
{
    const auto document = parse_json(text);
    if (!document || !document->is_object() || !document->contains("schema"))
    {
        const auto scenario = scenario_from_text(text, against.presets);
        return scenario ? validate(*scenario) : scenario.issues();
    }
    const json& schema = (*document)["schema"];
    for (const Schema& known : kSchemas)
    {
        if (schema == std::string(known.name))
        {
            Issues issues = known.check({*document, text, file, against});
            check_texts(*document, "", issues);
            return issues;
        }
    }
    return {{"schema",
             fmt::format("{} is not read by this version",
                         schema.dump(-1, ' ', false, json::error_handler_t::replace)),
             fmt::format("use one of {}", fmt::join(texts_of(kSchemas, &Schema::name), ", "))}};
}

} // namespace ringside
