#include "core/study/demo_script.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"
#include "core/study/json_fields.h"
#include "core/study/lesson_change.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

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
        JsonFields fields(document, "", issues_);
        if (!fields.ask("schema", false, "") || document["schema"] != "ringside.demo/1")
        {
            fields.fault("schema", "missing or another schema", "use \"ringside.demo/1\"");
        }
        fields.text("title", script.title, true, kMostHeadingWords);
        if (fields.ask("scenes", true, "give a list of scenes"))
        {
            const json& list = document["scenes"];
            if (!list.is_array() || list.empty() || list.size() > kMostScenes)
            {
                fields.fault("scenes", fmt::format("is not a list of 1 to {} scenes", kMostScenes),
                             "use [{\"title\", \"view\", ...}, ...]");
            }
            else
            {
                add_scenes(list, script);
            }
        }
        fields.finish();
        return issues_.empty() ? Result<DemoScript>(std::move(script))
                               : Result<DemoScript>(std::move(issues_));
    }

private:
    void add_scenes(const json& list, DemoScript& script)
    {
        DemoScene before;
        if (const ScenarioPreset* preset = presets_.scenario("default"))
        {
            before.scenario = preset->scenario;
        }
        before.view = views_.empty() ? "" : std::string(views_.front());
        for (std::size_t i = 0; i < list.size(); ++i)
        {
            script.scenes.push_back(scene(list[i], fmt::format("scenes[{}]", i), before));
            before = script.scenes.back();
        }
    }

    DemoScene scene(const json& object, const std::string& path, const DemoScene& before)
    {
        DemoScene s;
        s.scenario = before.scenario;
        s.view = before.view;
        JsonFields fields(object, path, issues_);
        fields.text("title", s.title, true, kMostHeadingWords);
        fields.text("text", s.text, false, kMostWords);
        fields.text("view", s.view, false, 1);
        fields.flag("hide_numbers", s.hide_numbers);
        fields.text("ask", s.ask, false, 1);
        read_playback(fields, s.playback, issues_);
        read_scenario(fields, s.scenario);
        fields.finish();
        known(fields, "view", s.view, views_);
        known(fields, "ask", s.ask, asked_);
        return s;
    }

    // Both a whole scenario, by id or written out, and values that change it.
    void read_scenario(JsonFields& fields, Scenario& scenario)
    {
        if (fields.ask("scenario", false, ""))
        {
            const json& value = fields["scenario"];
            const ScenarioPreset* preset =
                value.is_string() ? presets_.scenario(value.get<std::string>()) : nullptr;
            const auto read =
                preset != nullptr ? Result<Scenario>(preset->scenario)
                : value.is_object()
                    ? scenario_from_json(value, presets_)
                    : Result<Scenario>(Issue{"", "there is no such scenario",
                                             "use a file's name in assets/scenarios, or {...}"});
            scenario = read ? *read : scenario;
            add_below(issues_, read ? Issues{} : read.issues(), fields.at("scenario"));
        }
        JsonValue sets;
        fields.sets("set", sets);
        const auto changed = sets.get().is_object()
                                 ? with_sets(scenario, sets.get(), presets_, fields.at("set"))
                                 : Result<Scenario>(scenario);
        if (!changed)
        {
            issues_.insert(issues_.end(), changed.issues().begin(), changed.issues().end());
            return;
        }
        scenario = *changed;
        Issues found = validate(scenario);
        std::erase_if(found, [](const Issue& issue) { return issue.severity != Severity::error; });
        add_below(issues_, found, fields.at(""));
    }

    static void known(JsonFields& fields, std::string_view name, const std::string& word,
                      std::span<const std::string_view> words)
    {
        if (!word.empty() && std::ranges::find(words, word) == words.end())
        {
            const std::string near = nearest_word(word, std::vector<std::string>(words.begin(), words.end()));
            fields.fault(name, fmt::format("\"{}\" is unknown", word),
                         near.empty() ? fmt::format("use one like \"{}\"", words.front())
                                      : fmt::format("did you mean \"{}\"?", near));
        }
    }

    const Presets& presets_;
    std::span<const std::string_view> views_;
    std::span<const std::string_view> asked_;
    Issues issues_;
};

} // namespace

Result<DemoScript> demo_script_from_json(const json& document, const Presets& presets,
                                         std::span<const std::string_view> views,
                                         std::span<const std::string_view> asked)
{
    return Reader(presets, views, asked).read(document);
}

} // namespace ringside
