#include "core/study/lessons/demo_script.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/text.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"
#include "core/study/lessons/lesson_change.h"
#include "core/study/lessons/lesson_words.h"

#include <algorithm>
#include <array>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr double kMostSceneSeconds = 600;

class Reader
{
public:
    Reader(const Presets& presets, std::span<const std::string_view> views,
           std::span<const std::string_view> asked)
        : presets_(presets), views_(views), asked_(asked)
    {
    }

    Result<DemoScript> read(const json& document)
    {
        DemoScript script;
        script_table_.read({document, "", issues_}, script);
        return issues_.empty() ? Result<DemoScript>(std::move(script))
                               : Result<DemoScript>(std::move(issues_));
    }

private:
    void add_scenes(const JsonPlace& list, DemoScript& script)
    {
        DemoScene before;
        if (const ScenarioPreset* preset = presets_.scenario("default"))
        {
            before.scenario = preset->scenario;
        }
        before.view = views_.empty() ? "" : std::string(views_.front());
        for (std::size_t i = 0; list.is_list({.least = 1, .most = kMostScenes}) && i < list.value.size(); ++i)
        {
            DemoScene& scene = script.scenes.emplace_back();
            scene.scenario = before.scenario;
            scene.view = before.view;
            scene_table_.read(list.entry(i), scene);
            before = scene;
        }
        for (std::size_t i = 0; i < script.scenes.size() && issues_.empty(); ++i)
        {
            fill_words(list.entry(i), script.scenes[i], script.scenes[i > 0 ? i - 1 : 0].scenario);
        }
    }

    static LessonValues values_of(const Scenario& scenario)
    {
        const auto report = evaluate(scenario);
        return report ? LessonValues(scenario, *report) : LessonValues();
    }

    // Numbers of title and text are those of the scene's own scenario, "before." those of the scene before.
    void fill_words(const JsonPlace& place, DemoScene& scene, const Scenario& before) const
    {
        const std::array<std::pair<const char*, std::string*>, 2> words{
            {{"title", &scene.title}, {"text", &scene.text}}};
        if ((scene.title + scene.text).find('{') == std::string::npos)
        {
            return;
        }
        const LessonValues now = values_of(scene.scenario);
        const LessonValues earlier = values_of(before);
        for (const auto& [name, text] : words)
        {
            place.fault_if(!scene.ask.empty() && text->find(scene.ask) != std::string::npos, name,
                           fmt::format("gives {} away, which the class is asked", scene.ask),
                           "say it in the scene after");
            const auto filled = fill(*text, {scene.scenario, now, earlier}, place.path + "." + name);
            append(place.issues, filled ? Issues{} : filled.issues());
            *text = filled ? *filled : *text;
        }
    }

    // Both a whole scenario, by id or written out, and values that change it.
    void read_scenario(const JsonPlace& place, Scenario& scenario)
    {
        const json& value = place.value;
        const ScenarioPreset* preset =
            value.is_string() ? presets_.scenario(value.get<std::string>()) : nullptr;
        const auto read = preset != nullptr ? Result<Scenario>(preset->scenario)
                          : value.is_object()
                              ? scenario_from_json(value, presets_)
                              : Result<Scenario>(Issue{"", "there is no such scenario",
                                                       "use a file's name in assets/scenarios, or {...}"});
        scenario = read ? *read : scenario;
        add_below(issues_, read ? Issues{} : read.issues(), place.path);
    }

    void change(const JsonPlace& place, Scenario& scenario)
    {
        const auto changed = place.is_object("use {\"path\": value}")
                                 ? with_sets(scenario, place.value, presets_, place.path)
                                 : Result<Scenario>(scenario);
        if (!changed)
        {
            append(issues_, changed.issues());
            return;
        }
        scenario = *changed;
    }

    void check(const JsonPlace& place, const DemoScene& scene)
    {
        add_below(issues_, errors_of(validate(scene.scenario)), place.path);
        known(place, "view", scene.view, views_);
        known(place, "ask", scene.ask, asked_);
    }

    static void known(const JsonPlace& place, std::string_view name, const std::string& word,
                      std::span<const std::string_view> words)
    {
        if (!word.empty() && std::ranges::find(words, word) == words.end())
        {
            place.fault(name, fmt::format("\"{}\" is unknown", word),
                        did_you_mean(word, std::vector<std::string>(words.begin(), words.end()),
                                     fmt::format("use one like \"{}\"", words.front())));
        }
    }

    const Presets& presets_;
    std::span<const std::string_view> views_;
    std::span<const std::string_view> asked_;
    Issues issues_;
    const JsonTable<ScenePress> press_table_{{
        {"keys", &ScenePress::keys, {.needed = true, .words = kMostWords}},
        {"from", &ScenePress::from, {.least = 0, .most = kMostSceneSeconds}},
        {"to", &ScenePress::to, {.least = 0, .most = kMostSceneSeconds}},
    }};
    const JsonTable<DemoScene> scene_table_{
        {
            {"title", &DemoScene::title, {.needed = true, .words = kMostHeadingWords}},
            {"text", &DemoScene::text, {.words = kMostWords}},
            {"view", &DemoScene::view, {.words = 1}},
            {"hide_numbers", &DemoScene::hide_numbers},
            {"ask", &DemoScene::ask, {.words = 1}},
            {"draw", &DemoScene::draw},
            {"sound", &DemoScene::sound},
            {"seconds", &DemoScene::seconds, {.least = 1, .most = kMostSceneSeconds}},
            {"press", &DemoScene::press, press_table_},
            {"playback", &DemoScene::playback, playback_table()},
            {"scenario", [this](const JsonPlace& p, DemoScene& s) { read_scenario(p, s.scenario); }},
            {"set", [this](const JsonPlace& p, DemoScene& s) { change(p, s.scenario); }},
        },
        [this](const JsonPlace& p, DemoScene& s) { check(p, s); }};
    const JsonTable<DemoScript> script_table_{{
        json_schema<DemoScript>("ringside.demo/1"),
        {"title", &DemoScript::title, {.needed = true, .words = kMostHeadingWords}},
        {"scenes", [this](const JsonPlace& p, DemoScript& s) { add_scenes(p, s); }, kNeeded},
    }};
};

} // namespace

Result<DemoScript> demo_script_from_json(const json& document, const Presets& presets,
                                         std::span<const std::string_view> views,
                                         std::span<const std::string_view> asked)
{
    return Reader(presets, views, asked).read(document);
}

} // namespace ringside
