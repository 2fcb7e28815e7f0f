// `ringside check`: every fault of all that ships, and of the files named.
#include "app/commands/check_file.h"
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/files/demo_script_file.h"
#include "app/files/lesson_files.h"
#include "app/session/controllers/study_controller.h"
#include "core/planner/launch/framework_launch.h"
#include "core/scenario/json/json.h"
#include "core/study/library/errata.h"
#include "core/study/questions/inspect.h"
#include "core/study/sessions/chain.h"
#include "ui/shell/view.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

struct CheckOptions : CommonOptions
{
    std::vector<std::string> files;
    std::uint64_t seeds = 25; // questions drawn of every family
    bool concepts = false;
};

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
        put("{} {}{}\n", c.id, c.title, c.complete() ? "" : "  INCOMPLETE");
        put("    views     {}\n    engine    {}\n    families  {}\n    lessons   {}\n", some(c.views),
            c.metrics.empty() ? std::string(c.engine ? "arithmetic, an order, evidence or a goal" : "")
                              : some(c.metrics),
            some(c.families), some(c.lessons));
    }
}

json to_json(const std::vector<ConceptCoverage>& concepts)
{
    return json_list(concepts,
                     [](const ConceptCoverage& c) -> json
                     {
                         return {{"id", c.id},          {"title", c.title},     {"complete", c.complete()},
                                 {"views", c.views},    {"metrics", c.metrics}, {"families", c.families},
                                 {"lessons", c.lessons}};
                     });
}

// What concepts still lack, a line each.
std::vector<std::string> gaps_of(const Coverage& coverage)
{
    std::vector<std::string> gaps;
    const auto lacking = [&](const char* what, auto has)
    {
        auto ids = list_where<std::string>(
            coverage.concepts, [&](const ConceptCoverage& c) { return !has(c); }, &ConceptCoverage::id);
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

// Items that questions are to ask, in files of the tests: beside the assets in a source tree alone, and never
// named.
struct SourceItems
{
    std::size_t items = 0;
    std::size_t askable = 0;
};

std::optional<SourceItems> source_items(const std::filesystem::path& assets, const QuestionBank& bank)
{
    const std::filesystem::path folder = assets / "../tests/data/study";
    const auto inventory = read_plain(folder / "inventory.json", kMaxJsonBytes);
    const auto rows = read_plain(folder / "coverage.json", kMaxJsonBytes);
    const auto all = inventory ? read_inventory(*inventory) : Result<Inventory>(inventory.issues());
    const json coverage = rows ? json::parse(*rows, nullptr, false) : json();
    if (!all || !coverage.is_object() || !coverage.contains("questions"))
    {
        return {};
    }
    std::set<std::string> asked;
    for (const auto& [question, items] : coverage["questions"].items())
    {
        if (find_variant(bank, question))
        {
            for (const json& item : items)
            {
                asked.insert(item.get<std::string>());
            }
        }
    }
    const auto askable =
        std::ranges::count_if(all->items, [&](const InventoryItem& i) { return asked.contains(i.id); });
    return SourceItems{all->items.size(), static_cast<std::size_t>(askable)};
}

// What there is of everything, and every fault of it.
struct Shipped
{
    Issues issues;
    std::size_t lessons = 0;
    std::size_t terms = 0; // of the glossary
    std::size_t families = 0;
    std::size_t variants = 0;
    std::size_t errata = 0;
    std::size_t missions = 0;
    std::size_t demos = 0;
    std::optional<Coverage> coverage;
    std::optional<SourceItems> sources; // none outside a source tree

    std::string coverage_words() const
    {
        return (coverage ? fmt::format("{} of {} concepts complete", coverage->complete(),
                                       coverage->concepts.size())
                         : "") +
               (sources ? fmt::format("\n{} of {} source items askable", sources->askable, sources->items)
                        : "");
    }
};

// Worked out by the engine; the concepts that lessons teach.
LessonsByConcept check_lessons(const std::filesystem::path& assets, const Presets& presets, Shipped& found)
{
    const Course course = open_course(assets, found.issues);
    append(found.issues, check_course(course, presets, view_places()));
    append(found.issues, check_words(assets));
    found.lessons = course.lessons.size();
    found.terms = course.glossary.size();
    LessonsByConcept taught_by;
    for (const Lesson& lesson : course.lessons)
    {
        for (const std::string& taught : lesson.concepts)
        {
            taught_by[taught].insert(lesson.id);
        }
    }
    return taught_by;
}

// Every family sampled with seeds 0 to `seeds` - 1, every erratum run, and the coverage.
void check_questions(const std::filesystem::path& assets, const Presets& presets, std::uint64_t seeds,
                     const LessonsByConcept& lessons, Shipped& found)
{
    const QuestionBank bank = load_questions(assets, found.issues);
    const auto inventory = load_inventory(assets);
    if (!inventory)
    {
        append(found.issues, inventory.issues());
        return;
    }
    const std::set<std::string> known = known_views();
    append(found.issues, check_references(bank, *inventory, known));
    for (const auto& [taught, by] : lessons)
    {
        if (inventory->find_concept(taught) == nullptr)
        {
            found.issues.push_back({fmt::format("lesson {}: concepts", *by.begin()),
                                    fmt::format("there is no \"{}\"", taught),
                                    "use an id of study/inventory.json"});
        }
    }
    Calculator calculator(presets);
    const ErrataRead errata = load_errata(assets);
    append(found.issues, errata.issues);
    append(found.issues, check_errata(errata.errata, *inventory, known, calculator));
    found.errata = errata.errata.size();
    found.families = bank.families.size();
    ProgressBar bar;
    for (std::size_t i = 0; i < bank.families.size(); ++i)
    {
        const QuestionFamily& family = bank.families[i];
        for (std::size_t v = 0; v < family.variants.size(); ++v)
        {
            append(found.issues, check_variant(calculator, family, v, seeds).issues);
            ++found.variants;
        }
        bar.show(static_cast<double>(i + 1) / static_cast<double>(bank.families.size()));
    }
    bar.clear();
    found.coverage = coverage_of(bank, *inventory, lessons);
    found.sources = source_items(assets, bank);
}

Shipped check_shipped(const std::filesystem::path& assets, const Presets& presets, std::uint64_t seeds,
                      Issues issues)
{
    Shipped found;
    found.issues = std::move(issues);
    for (const ModelPreset& preset : presets.models)
    {
        append(found.issues,
               of_file(compare_counts(preset), fmt::format("models/{}.json", preset.model.preset)));
    }
    for (const Framework& framework : presets.frameworks)
    {
        append(found.issues,
               of_file(launch_rule_faults(framework), fmt::format("frameworks/{}.json", framework.id)));
    }
    const LessonsByConcept lessons = check_lessons(assets, presets, found);
    check_questions(assets, presets, seeds, lessons, found);
    found.missions = load_plan(assets, found.issues).missions.size();
    add_below(found.issues, check_chains(load_chains(assets, found.issues), presets), "study/chains.json");
    const DemoScripts demos = read_demo_scripts(assets, presets);
    append(found.issues, demos.issues);
    append(found.issues, read_demo_scripts(assets, presets, "films").issues);
    found.demos = demos.scripts.size();
    return found;
}

json to_json(const Shipped& found, const Presets& presets, std::size_t faults)
{
    const Coverage coverage = found.coverage.value_or(Coverage());
    json all{{"models", presets.models.size()},
             {"gpus", presets.gpus.size()},
             {"clusters", presets.clusters.size()},
             {"frameworks", presets.frameworks.size()},
             {"scenarios", presets.scenarios.size()},
             {"question_families", found.families},
             {"question_variants", found.variants},
             {"concepts_complete", coverage.complete()},
             {"concepts", to_json(coverage.concepts)},
             {"errata", found.errata},
             {"missions", found.missions},
             {"lessons", found.lessons},
             {"demos", found.demos},
             {"terms", found.terms},
             {"faults", faults}};
    if (found.sources)
    {
        all["source_items_askable"] = found.sources->askable;
    }
    return all;
}

void print_words(const Shipped& found, const Presets& presets, std::size_t faults, bool concepts)
{
    put("{} models, {} accelerators, {} clusters, {} scenarios, {} question families ({} variants), {} "
        "lessons, {} errata, {} terms: {}\n",
        presets.models.size(), presets.gpus.size(), presets.clusters.size(), presets.scenarios.size(),
        found.families, found.variants, found.lessons, found.errata, found.terms,
        faults == 0 ? "no faults" : fmt::format("{} faults", faults));
    const Coverage coverage = found.coverage.value_or(Coverage());
    if (concepts)
    {
        print_concepts(coverage.concepts);
    }
    for (const std::string& gap : found.coverage ? gaps_of(coverage) : std::vector<std::string>{})
    {
        put("{}\n", gap);
    }
    put("{}\n", found.coverage_words());
}

int run_check(const CheckOptions& o)
{
    const auto assets = or_end(find_assets(o.assets));
    std::vector<std::string> texts; // read before anything is checked, which takes seconds
    for (const std::string& file : o.files)
    {
        texts.push_back(or_end(read_text(file, {kMaxJsonBytes})));
    }
    Issues issues;
    const Presets presets = load_presets(assets, issues);
    const Shipped found = check_shipped(assets, presets, o.seeds, issues);
    print_faults(found.issues);
    std::size_t faults = found.issues.size();
    for (std::size_t i = 0; i < texts.size(); ++i)
    {
        const Issues more = faults_of_file(texts[i], o.files[i], {assets, presets, o.seeds});
        print_faults(more, o.files[i]);
        faults += static_cast<std::size_t>(std::ranges::count(more, Severity::error, &Issue::severity));
    }
    if (o.json)
    {
        print_document(to_json(found, presets, faults));
    }
    else
    {
        print_words(found, presets, faults, o.concepts);
    }
    return faults == 0 ? kDone : kNo;
}

void add_check_options(CLI::App& app, CheckOptions& o)
{
    app.add_option("PATH", o.files, "files to check, recognized by their schema");
    add_json(app, o);
    whole(app.add_option("--seeds", o.seeds, "questions drawn per family"), 1, kMostSeeds)
        ->capture_default_str();
    app.add_flag("--concepts", o.concepts, "list each concept with its views, metrics, families and lessons");
}

} // namespace

const CliCommand check_command = command<add_check_options, run_check>(
    "check", "check everything that ships, and the files named: scenarios, presets, lessons, questions ...");

} // namespace ringside
