#include "core/study/sessions/chain.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/scenario/validate.h"
#include "core/study/grading/metric_answer.h"
#include "core/study/progress/fsrs.h"
#include "core/study/questions/layout_answer.h"
#include "core/study/questions/study_json.h"

#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr JsonLimits kChainLimits{.letters = 2000, .entries = 500};

void check_link(const JsonPlace& place, ChainLink& link)
{
    place.fault_if(link.layout == !link.truth.empty(), "truth", "and \"layout\" are both given, or neither",
                   "give one of the two");
}

const JsonTable<ChainLink> kLinkTable{{
                                          {"ask", &ChainLink::ask, kNeeded},
                                          {"seconds", &ChainLink::seconds, {.least = 10, .most = 1200}},
                                          {"then", &ChainLink::then},
                                          {"layout", &ChainLink::layout},
                                          {"truth", &ChainLink::truth},
                                          {"unit", &ChainLink::unit},
                                          {"tolerance", &ChainLink::tolerance, {.least = 0, .most = 1}},
                                          {"because", &ChainLink::because},
                                      },
                                      check_link};

const JsonTable<Chain> kChainTable{{
    {"id", &Chain::id, kIdRule},
    {"title", &Chain::title, kNeeded},
    {"roles", &Chain::roles, kNeeded},
    {"level", &Chain::level, kNeeded},
    {"scenario", &Chain::scenario},
    {"set", &Chain::set},
    {"draw", &Chain::draw},
    {"stem", &Chain::stem, kNeeded},
    {"links", &Chain::links, kLinkTable, {.needed = true, .least = kLeastLinks, .most = kMostLinks}},
}};

Result<LessonScene> chain_scene(Scenario scenario)
{
    Issues issues = errors_of(validate(scenario));
    const auto report = issues.empty() ? evaluate(scenario) : Result<Report>(issues);
    if (!report)
    {
        return report.issues();
    }
    LessonScene scene{std::move(scenario), {}};
    scene.values = {scene.scenario, *report};
    return scene;
}

json drawn_sets(const Chain& chain, std::uint64_t seed)
{
    json sets = chain.set.get().is_object() ? chain.set.get() : json::object();
    if (chain.draw.get().is_object())
    {
        for (const auto& [path, values] : chain.draw.get().items())
        {
            sets[path] = values[stable_hash(path, seed) % values.size()];
        }
    }
    return sets;
}

} // namespace

double Chain::seconds() const
{
    return sum_over(links, [](const ChainLink& link) { return link.seconds; });
}

Result<std::vector<Chain>> chains_from_json(const json& document)
{
    struct Document
    {
        std::vector<Chain> chains;
    };
    const JsonTable<Document> whole{
        {json_schema<Document>("ringside.chains/1"), {"chains", &Document::chains, kChainTable, kNeeded}}};
    Issues issues;
    Document read;
    whole.read({document, "", issues, kChainLimits}, read);
    return issues.empty() ? Result<std::vector<Chain>>(std::move(read.chains))
                          : Result<std::vector<Chain>>(std::move(issues));
}

std::vector<Chain> load_chains(const std::filesystem::path& assets, Issues& issues)
{
    const auto document = read_json_file(assets / "study" / "chains.json");
    auto chains = document ? chains_from_json(*document) : Result<std::vector<Chain>>(document.issues());
    if (!chains)
    {
        add_below(issues, chains.issues(), "study/chains.json");
        return {};
    }
    return std::move(*chains);
}

Result<ChainRun> start_chain(const Chain& chain, std::uint64_t seed, const Presets& presets)
{
    const ScenarioPreset* preset = presets.scenario(chain.scenario);
    if (preset == nullptr)
    {
        return Issue{"scenario", fmt::format("there is no scenario \"{}\"", chain.scenario),
                     "use the name of a file in assets/scenarios"};
    }
    const auto scenario = with_sets(preset->scenario, drawn_sets(chain, seed), presets, "set");
    const auto scene = scenario ? chain_scene(*scenario) : Result<LessonScene>(scenario.issues());
    return scene ? Result<ChainRun>(ChainRun{&chain, *scene, *scene}) : Result<ChainRun>(scene.issues());
}

namespace
{

Result<std::string> filled_in(const ChainRun& run, std::string_view text, const std::string& path)
{
    return fill(text, {run.scene.scenario, run.scene.values, run.before.values}, path);
}

} // namespace

std::string chain_stem(const ChainRun& run)
{
    const auto text = filled_in(run, run.chain->stem, "stem");
    return text ? *text : run.chain->stem;
}

Result<AskedLink> ask_link(ChainRun& run, std::size_t index, const Presets& presets)
{
    const ChainLink& link = run.chain->links[index];
    if (!link.then.get().empty())
    {
        const auto changed = with_sets(run.scene.scenario, link.then.get(), presets, "then");
        const auto scene = changed ? chain_scene(*changed) : Result<LessonScene>(changed.issues());
        if (!scene)
        {
            return scene.issues();
        }
        run.before = std::exchange(run.scene, *scene);
    }
    AskedLink asked;
    Issues issues;
    for (const auto& [from, to] : {std::pair{&link.ask, &asked.ask}, {&link.because, &asked.because}})
    {
        const auto text = filled_in(run, *from, "ask");
        append(issues, text ? Issues{} : text.issues());
        *to = text ? *text : *from;
    }
    asked.key = layout_text(run.scene.scenario);
    if (!link.layout)
    {
        const auto truth = calculate(link.truth, run.scene.values, run.before.values, "truth");
        append(issues, truth ? Issues{} : truth.issues());
        asked.truth = truth ? *truth : 0;
        asked.key = value_with_unit(*asked.truth, link.unit);
    }
    return issues.empty() ? Result<AskedLink>(std::move(asked)) : Result<AskedLink>(std::move(issues));
}

Result<LinkVerdict> answer_link(ChainRun& run, std::size_t index, const AskedLink& asked,
                                std::string_view text)
{
    const ChainLink& link = run.chain->links[index];
    if (!link.layout)
    {
        const auto value = read_metric_answer(text, {link.unit, 0});
        if (!value)
        {
            return value.issues();
        }
        const bool near = std::abs(*value - *asked.truth) <= link.tolerance * std::abs(*asked.truth);
        return LinkVerdict{near, fmt::format("{} {}", asked.key, asked.because)};
    }
    const auto laid = read_layout(text, run.scene.scenario);
    auto scene = laid ? chain_scene(*laid) : Result<LessonScene>(laid.issues());
    const auto verdict = scene ? judge_layout(*laid, {}) : Result<DesignVerdict>(scene.issues());
    if (!verdict)
    {
        return verdict.issues();
    }
    if (verdict->good)
    {
        run.before = std::exchange(run.scene, std::move(*scene));
    }
    return LinkVerdict{verdict->good, verdict->message};
}

namespace
{

Issues faults_of_chain(const Chain& chain, std::uint64_t seed, const Presets& presets)
{
    auto run = start_chain(chain, seed, presets);
    if (!run)
    {
        return run.issues();
    }
    Issues issues;
    for (std::size_t i = 0; i < chain.links.size() && issues.empty(); ++i)
    {
        const auto asked = ask_link(*run, i, presets);
        const auto verdict =
            asked ? answer_link(*run, i, *asked, asked->key) : Result<LinkVerdict>(asked.issues());
        const std::string path = fmt::format("links[{}]", i);
        add_below(issues, verdict ? Issues{} : verdict.issues(), path);
        add_if(issues, verdict && !verdict->correct,
               {path, fmt::format("its own key \"{}\" is not right", asked->key), "change the link"});
    }
    return issues;
}

} // namespace

Issues check_chains(std::span<const Chain> chains, const Presets& presets)
{
    constexpr std::uint64_t kSeeds = 8;
    Issues issues;
    for (const Chain& chain : chains)
    {
        Issues own;
        for (std::uint64_t seed = 0; seed < kSeeds && own.empty(); ++seed)
        {
            own = faults_of_chain(chain, seed, presets);
        }
        add_below(issues, own, chain.id);
    }
    return issues;
}

} // namespace ringside
