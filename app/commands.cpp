#include "app/commands.h"

#include <fmt/format.h>

#include "app/check_file.h"
#include "app/demo_script_file.h"
#include "app/files.h"
#include "app/input.h"
#include "app/lesson_command.h"
#include "app/question_command.h"
#include "app/study_desk.h"
#include "core/base/text.h"
#include "core/engine/case_check.h"
#include "core/engine/cases.h"
#include "core/engine/report.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace ringside
{

using nlohmann::json;

namespace
{

// The cases of all files as one document.
Result<nlohmann::json> read_cases(const std::vector<std::string>& files)
{
    nlohmann::json all;
    for (const std::string& file : files)
    {
        // Cases are lists of scenarios, so they may be larger than one.
        const auto text = read_text(file, kMaxJsonBytes);
        auto document = text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
        Issues issues = document ? check_cases_document(*document) : document.issues();
        if (!issues.empty())
        {
            for (Issue& issue : issues)
            {
                issue.path = text ? file + (issue.path.empty() ? "" : ": " + issue.path) : issue.path;
            }
            return issues;
        }
        if (all.is_null())
        {
            all = std::move(*document);
            continue;
        }
        json& more = (*document)["cases"];
        all["cases"].insert(all["cases"].end(), more.begin(), more.end());
    }
    return all;
}

} // namespace

int run_validate(const CommonOptions& options, const std::vector<std::string>& files)
{
    const auto opened = open_presets(options);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    const Presets& presets = opened->presets;
    const auto document = read_cases(files);
    if (!document)
    {
        return print_faults(document.issues());
    }
    const auto report = run_cases(*document, presets);
    if (!report)
    {
        return print_faults(report.issues(), files.size() == 1 ? files.front() : std::string());
    }
    if (options.json)
    {
        fmt::print("{}\n", to_json(*report).dump(2));
    }
    else
    {
        for (const CaseRow& row : report->rows)
        {
            say("{:<52} {:<28} {:>14.6g} {:>14.6g} {:>9}{}\n", row.name, row.metric, row.expected, row.got,
                error_text(row), row.within ? "" : "  outside its tolerance");
        }
        fmt::print("\n{:<28} {:>5} {:>9} {:>9} {:>9} {:>9}\n", "metric", "n", "mean", "median", "p90", "max");
        for (const auto& [metric, s] : report->metrics)
        {
            fmt::print("{:<28} {:>5} {:>9} {:>9} {:>9} {:>9}\n", metric, s.n, percent_text(s.mean),
                       percent_text(s.median), percent_text(s.p90), percent_text(s.max));
        }
    }
    return report->all_within ? kDone : kNo;
}

namespace
{

// A row for each concept: where it is seen, what of the engine it asks, its families, its lessons.
void print_concepts(const std::vector<ConceptCoverage>& concepts)
{
    constexpr std::size_t kNamed = 4; // of a kind on a line
    const auto some = [=](const std::set<std::string>& names)
    {
        const std::vector<std::string> all(names.begin(), names.end());
        const auto shown = static_cast<std::ptrdiff_t>(std::min(kNamed, all.size()));
        return fmt::format("{}{}", fmt::join(all.begin(), all.begin() + shown, ", "),
                           all.size() > kNamed ? fmt::format(" and {} more", all.size() - kNamed) : "");
    };
    for (const ConceptCoverage& c : concepts)
    {
        fmt::print("{} {}{}\n", c.id, c.title, c.complete() ? "" : "  INCOMPLETE");
        fmt::print("    views     {}\n    engine    {}\n    families  {}\n    lessons   {}\n", some(c.views),
                   c.metrics.empty() ? std::string(c.engine ? "arithmetic, an order, evidence or a goal" : "")
                                     : some(c.metrics),
                   some(c.families), some(c.lessons));
    }
}

json to_json(const std::vector<ConceptCoverage>& concepts)
{
    json all = json::array();
    for (const ConceptCoverage& c : concepts)
    {
        all.push_back({{"id", c.id},
                       {"title", c.title},
                       {"complete", c.complete()},
                       {"views", c.views},
                       {"metrics", c.metrics},
                       {"families", c.families},
                       {"lessons", c.lessons}});
    }
    return all;
}

} // namespace

int run_check(const CommonOptions& options, const std::vector<std::string>& files, std::uint64_t seeds,
              bool concepts)
{
    const auto assets = find_assets(options.assets);
    if (!assets)
    {
        return print_faults(assets.issues());
    }
    Issues issues;
    const Presets presets = load_presets(*assets, issues);
    for (const ModelPreset& preset : presets.models)
    {
        for (Issue wrong : compare_counts(preset))
        {
            wrong.path = fmt::format("models/{}.json: {}", preset.model.preset, wrong.path);
            issues.push_back(std::move(wrong));
        }
    }
    const LessonCheck lessons = check_lessons(*assets, presets);
    issues.insert(issues.end(), lessons.issues.begin(), lessons.issues.end());
    const QuestionCheck questions = check_questions(*assets, presets, seeds, lessons.concepts);
    issues.insert(issues.end(), questions.issues.begin(), questions.issues.end());
    const StudyPlan plan = load_plan(*assets, issues);
    const DemoCheck demos = check_demo_scripts(*assets, presets);
    issues.insert(issues.end(), demos.issues.begin(), demos.issues.end());
    print_faults(issues);
    std::size_t faults = issues.size();
    bool all_read = true;
    for (const std::string& file : files)
    {
        const auto text = read_text(file, kMaxJsonBytes);
        const Issues found = text ? faults_of_file(*text, file, {*assets, presets, seeds}) : text.issues();
        print_faults(found, text ? file : std::string());
        all_read = all_read && text;
        faults += static_cast<std::size_t>(std::count_if(found.begin(), found.end(),
                                                         [](const Issue& issue)
                                                         { return issue.severity == Severity::error; }));
    }
    if (options.json)
    {
        fmt::print("{}\n", json{{"models", presets.models.size()},
                                {"gpus", presets.gpus.size()},
                                {"clusters", presets.clusters.size()},
                                {"scenarios", presets.scenarios.size()},
                                {"question_families", questions.families},
                                {"question_variants", questions.variants},
                                {"concepts_complete", questions.complete},
                                {"concepts", to_json(questions.concepts)},
                                {"source_items_askable", questions.askable},
                                {"errata", questions.errata},
                                {"missions", plan.missions.size()},
                                {"lessons", lessons.count},
                                {"demos", demos.count},
                                {"terms", lessons.terms},
                                {"faults", faults}}
                               .dump(2));
    }
    else
    {
        fmt::print(
            "{} models, {} accelerators, {} clusters, {} scenarios, {} question families ({} variants), {} "
            "lessons, {} errata, {} terms: {}\n",
            presets.models.size(), presets.gpus.size(), presets.clusters.size(), presets.scenarios.size(),
            questions.families, questions.variants, lessons.count, questions.errata, lessons.terms,
            faults == 0 ? "no faults" : fmt::format("{} faults", faults));
        if (concepts)
        {
            print_concepts(questions.concepts);
        }
        for (const std::string& gap : questions.gaps)
        {
            fmt::print("{}\n", gap);
        }
        fmt::print("{}\n", questions.coverage);
    }
    return !all_read ? kBadInput : faults == 0 ? kDone : kNo;
}

} // namespace ringside
