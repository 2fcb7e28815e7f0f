#include "ui/shell/palette_entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/closest.h"
#include "ui/shell/lesson_frame.h"
#include "ui/shell/panel.h"
#include "ui/shell/panel_fields.h"
#include "ui/shell/shell.h"
#include "ui/shell/study_frame.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using Entries = std::vector<PaletteEntry>;
using Names = std::vector<std::string_view>;

using Run = std::function<void(const Frame&, Out&)>;

Run does(Action action)
{
    return [action = std::move(action)](const Frame&, Out& out) { out.push(action); };
}

// The kind is a name too, so that "model" lists all models.
PaletteEntry entry(std::string_view kind, std::string label, std::string says, Names names, Run run)
{
    names.push_back(kind);
    Findable words = findable(names, says);
    return {kind, std::move(label), std::move(says), std::move(words), std::move(run)};
}

// With all that the tour points at: no lesson round it, and the panel beside it.
void to_the_overview(const Frame& frame, Out& out)
{
    if (frame.lesson != nullptr)
    {
        out.push(LeaveLesson{});
    }
    Preferences preferences = frame.preferences;
    preferences.presenter = false;
    out.push(ChangePreferences{preferences});
    out.push(OpenView{std::string(views().front()->id)});
}

void add_views(Entries& all)
{
    for (const ViewInfo* info : views())
    {
        all.push_back(entry("View", fmt::format("{}: {}", info->tab, info->title),
                            std::string(info->description), {info->tab, info->id, info->title, info->group},
                            does(OpenView{std::string(info->id)})));
    }
}

void add_commands(Entries& all)
{
    for (const CommandInfo& command : commands())
    {
        all.push_back(entry("Command", std::string(command.name), std::string(command.key), {command.name},
                            command.run));
    }
    all.push_back(entry("Command", "Show the tour again", "", {"Show the tour again"}, to_the_overview));
    all.back().wish = ShellWish::tour;
    all.push_back(entry("Command", "Guide: what this view shows, and what to try", "F1",
                        {"Guide: what this view shows, and what to try", "Help on this view"},
                        [](const Frame&, Out&) {}));
    all.back().wish = ShellWish::guide;
}

void add_terms(Entries& all, const Course& course)
{
    for (const GlossaryTerm& term : course.glossary)
    {
        Names names{term.term, term.id};
        names.insert(names.end(), term.also.begin(), term.also.end());
        const std::string says =
            term.also.empty() ? term.text : fmt::format("{}", fmt::join(term.also, ", "));
        all.push_back(entry("Term", term.term, says, names, does(OpenView{"glossary"})));
        all.back().wish = ShellWish::term;
        all.back().which = term.id;
        all.back().words.text += " " + folded(term.text);
    }
}

void add_lessons(Entries& all, const Course& course)
{
    for (const Lesson& lesson : course.lessons)
    {
        all.push_back(
            entry("Lesson", lesson.title, lesson.about, {lesson.title}, does(StartLesson{lesson.id})));
    }
}

// A drill of this family alone, the variant whose turn it is.
StudyAction drill_of(const FamilyInfo& family, const StudyFrame& study)
{
    const auto seed = static_cast<std::uint64_t>(study.now.ms);
    const int passes = card_of(*study.cards, family.id).passes;
    const int variant = variant_to_ask(family, {}, passes, seed);
    StartDrill drill;
    drill.cards = {{family.id, seed, false, target_of(family, variant), variant}};
    return drill;
}

void add_questions(Entries& all, const Frame& frame)
{
    for (const FamilyInfo& family : frame.study->families)
    {
        const StudyTopic* topic = find_topic(family.topic);
        const std::string says(topic == nullptr ? std::string_view(family.topic) : topic->name);
        all.push_back(entry("Question", family.title, says, {family.title},
                            [family](const Frame& now, Out& out)
                            { out.push(drill_of(family, *now.study)); }));
    }
}

template <class S>
std::string range_of(const Field<S>& field)
{
    if (const auto* choice = std::get_if<Choice<S>>(&field.member))
    {
        return fmt::format("{}", fmt::join(choice->names, ", "));
    }
    if (std::holds_alternative<bool S::*>(field.member))
    {
        return "on or off";
    }
    return fmt::format("{} to {}", plain_number(field.least),
                       with_unit(plain_number(field.most), field.unit));
}

void add_fields(Entries& all, const Frame& frame)
{
    Scenario scenario = frame.scenario;
    each_field(scenario,
               [&](const std::string& path, const auto&, const auto& field)
               {
                   all.push_back(entry("Field", path, fmt::format("{}; {}", field.says, range_of(field)),
                                       {path, field.name, field.alias},
                                       [path](const Frame& now, Out& out)
                                       { out.push(OpenView{view_with_control(path, now.view)}); }));
                   all.back().wish = ShellWish::field;
                   all.back().which = path;
               });
}

void add_presets(Entries& all, const Presets& presets)
{
    for (const ScenarioPreset& preset : presets.scenarios)
    {
        all.push_back(entry("Example", preset.name, preset.about, {preset.name, preset.id},
                            does(LoadScenario{preset.id})));
    }
    for (const ModelPreset& preset : presets.models)
    {
        all.push_back(entry("Model", preset.model.name, preset.family,
                            {preset.model.name, preset.model.preset},
                            [model = preset.model](const Frame& now, Out& out)
                            { out.push(with_model(now.scenario, model)); }));
    }
    for (const GpuPreset& preset : presets.gpus)
    {
        const auto take = [gpu = preset.gpu](const Frame& now, Out& out)
        {
            Scenario next = now.scenario;
            next.cluster.gpu = gpu;
            next.cluster.node_link_gb_per_s = 0;
            out.push(ChangeScenario{std::move(next), false});
        };
        all.push_back(entry("GPU", preset.gpu.name, fmt::format("{} GB", three_digits(preset.gpu.memory_gb)),
                            {preset.gpu.name, preset.gpu.id}, take));
    }
}

} // namespace

std::vector<PaletteEntry> palette_entries(const Frame& frame)
{
    Entries all;
    add_views(all);
    add_commands(all);
    if (frame.course != nullptr)
    {
        add_lessons(all, frame.course->course);
        add_terms(all, frame.course->course);
    }
    add_presets(all, frame.presets);
    add_fields(all, frame);
    if (frame.study != nullptr)
    {
        add_questions(all, frame);
    }
    return all;
}

std::vector<std::size_t> matching_entries(const std::vector<PaletteEntry>& entries, std::string_view query)
{
    const std::string wanted = folded(query);
    std::vector<Fit> fits;
    fits.reserve(entries.size());
    for (const PaletteEntry& entry : entries)
    {
        fits.push_back(fit_of(entry.words, wanted));
    }
    return closest_first(fits);
}

} // namespace ringside
