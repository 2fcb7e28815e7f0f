#include "ui/shell/palette/entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/find.h"
#include "core/study/lessons/demo_script.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/shell/frame/lab_frame.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/palette/synonyms.h"
#include "ui/shell/panel/panel.h"
#include "ui/shell/panel/panel_fields.h"
#include "ui/shell/shell.h"

#include <algorithm>
#include <array>
#include <tuple>

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

// The kind is a name too, so that "model" lists all models; and so is what people call `which` besides.
PaletteEntry entry(std::string_view kind, std::string label, std::string says, Names names, Run run,
                   std::string which = {}, ShellRequest request = ShellRequest::none)
{
    const auto also = synonyms_of(which);
    names.insert(names.end(), also.begin(), also.end());
    names.push_back(kind);
    Findable words = findable(names, says);
    return {kind,           std::move(label), std::move(says), std::move(words),
            std::move(run), request,          std::move(which)};
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

// With the names of its page in the guide.
void add_views(Entries& all, const CourseFrame* course)
{
    for (const ViewInfo* info : views())
    {
        const bool named = folded(info->title).find(folded(info->tab)) != std::string::npos;
        Names names{info->tab, info->id, info->title, name_of(info->group)};
        if (course != nullptr && course->course.guide.contains(info->id))
        {
            const GuidePage& page = course->course.guide.find(info->id)->second;
            names.insert(names.end(), page.names.begin(), page.names.end());
        }
        all.push_back(entry("View", (named ? "" : fmt::format("{}: ", info->tab)) + std::string(info->title),
                            std::string(info->description), std::move(names),
                            does(OpenView{std::string(info->id)}), std::string(info->id)));
    }
}

void add_commands(Entries& all, bool in_browser)
{
    const auto add = [&](std::string_view name, std::string_view key, Run run, ShellRequest request)
    {
        all.push_back(entry("Command", std::string(name), std::string(key), {name}, std::move(run),
                            std::string(name), request));
    };
    const auto nothing = [](const Frame&, Out&) {};
    for (const CommandInfo& command : commands())
    {
        const InBrowser left = in_browser ? command.in_browser : InBrowser::same;
        if (left != InBrowser::none)
        {
            add(command.name, left == InBrowser::same ? command.key : "", command.run, ShellRequest::none);
        }
    }
    add("Show the tour again", "", to_the_overview, ShellRequest::tour);
    add("Guide: what this view shows, and what to try", "F1", nothing, ShellRequest::guide);
    add("Keys of this view, and of the window", "?", nothing, ShellRequest::keys);
}

void add_page(Entries& all)
{
    constexpr std::string_view kName = "Open the lab on this computer's GPU in a page";
    all.push_back(entry("Command", std::string(kName), "in the browser, with WebGPU",
                        {kName, "webgpu", "browser", "web page", "lab in the browser", "train on my gpu"},
                        does(to_action(LabAction(LabCommand::page)))));
}

void add_exports(Entries& all)
{
    constexpr std::string_view kName = "Export your progress";
    all.push_back(entry("Command", std::string(kName), "a file that another browser or computer imports",
                        {kName, "save progress", "download progress", "back up progress", "move progress"},
                        does(to_action(StudyAction(ExportStudy{StudyExport::progress})))));
    constexpr std::string_view kBack = "Import, or go back to a backup of your progress";
    all.push_back(entry("Command", std::string(kBack), "Study, then Exports (X)",
                        {kBack, "import progress", "restore progress", "backup"},
                        does(OpenView{std::string(id_of(ViewRole::study))})));
}

void add_scripts(Entries& all, const StageFrame& stage)
{
    for (std::size_t i = 0; i < stage.scripts.size(); ++i)
    {
        const DemoScript& script = stage.scripts[i];
        const bool on = stage.script != nullptr && stage.script->title == script.title;
        all.push_back(
            entry("Scenes", (on ? "End: " : "") + script.title,
                  fmt::format("{} scenes for a class; PgDn continues", script.scenes.size()),
                  {script.title, "first class", "class script", "scenes", "demonstration", "demonstrations",
                   "demonstration script", "teach", "lecture", "walk through", "slides"},
                  does(StartScript{i}), script.title));
    }
}

void add_terms(Entries& all, const Course& course)
{
    for (const GlossaryTerm& term : course.glossary)
    {
        Names names{term.term, term.id};
        names.insert(names.end(), term.also.begin(), term.also.end());
        const std::string says =
            term.also.empty() ? term.text : fmt::format("{}", fmt::join(term.also, ", "));
        all.push_back(
            entry("Term", term.term, says, names, does(OpenView{"glossary"}), term.id, ShellRequest::term));
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
    const int variant = next_variant(study.state(), family);
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
    if (const auto* some = std::get_if<Selection<S>>(&field.member))
    {
        return fmt::format("some of {}", fmt::join(some->all, ", "));
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
                   all.push_back(entry(
                       "Field", path, fmt::format("{}; {}", field.says, range_of(field)),
                       {path, field.name, field.alias},
                       [path](const Frame& now, Out& out)
                       { out.push(OpenView{view_with_control(path, now.view)}); },
                       path, ShellRequest::field));
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
        const auto take = [gpu = preset.gpu](const Frame& now, Out& out) {
            out.push(ChangeScenario{with_gpu(now.scenario, gpu, now.presets), false});
        };
        all.push_back(entry("GPU", preset.gpu.name,
                            fmt::format("{}, {} GB", preset.vendor, three_digits(preset.gpu.memory_gb)),
                            {preset.gpu.name, preset.gpu.id, preset.vendor}, take));
    }
}

} // namespace

std::vector<PaletteEntry> palette_entries(const Frame& frame)
{
    Entries all;
    add_views(all, frame.course);
    add_commands(all, frame.in_browser);
    add_exports(all);
    if (frame.lab != nullptr && frame.lab->offers_page)
    {
        add_page(all);
    }
    if (frame.stage != nullptr)
    {
        add_scripts(all, *frame.stage);
    }
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

namespace
{

constexpr std::array kOfSentences = std::to_array<std::string_view>(
    {"a",    "an",   "and",  "are",   "as",    "at",   "be",   "by",    "can",  "do",     "does", "for",
     "from", "give", "how",  "i",     "in",    "is",   "it",   "its",   "many", "me",     "much", "my",
     "of",   "on",   "or",   "our",   "show",  "that", "the",  "there", "this", "to",     "use",  "view",
     "want", "what", "when", "where", "which", "why",  "will", "with",  "you",  "should", "work", "works"});

// The words that count, without the s of a plural.
std::vector<std::string> counting_words(std::string_view folded_query)
{
    std::vector<std::string> words;
    while (!folded_query.empty())
    {
        const std::size_t end = std::min(folded_query.find(' '), folded_query.size());
        std::string word(folded_query.substr(0, end));
        folded_query.remove_prefix(std::min(end + 1, folded_query.size()));
        if (std::ranges::find(kOfSentences, word) == kOfSentences.end())
        {
            word.resize(word.size() > 3 && word.ends_with('s') ? word.size() - 1 : word.size());
            words.push_back(std::move(word));
        }
    }
    return words;
}

// All of the words begin words of one name, in any order.
bool one_name_has(const PaletteEntry& entry, const std::vector<std::string>& words)
{
    return std::ranges::any_of(entry.words.names,
                               [&](const std::string& name)
                               {
                                   const std::string padded = " " + name;
                                   return std::ranges::all_of(
                                       words, [&](const std::string& word)
                                       { return padded.find(" " + word) != std::string::npos; });
                               });
}

// Where no entry has all of the words: those that have most of them, at least half.
std::vector<std::size_t> with_most_words(const Entries& entries, const std::vector<std::string>& words)
{
    std::vector<std::size_t> found;
    std::size_t most = std::max<std::size_t>(1, (words.size() + 1) / 2);
    for (std::size_t i = 0; i < entries.size(); ++i)
    {
        const auto has = static_cast<std::size_t>(
            std::ranges::count_if(words, [&](const std::string& word)
                                  { return fit_of(entries[i].words, word) <= Closeness::word; }));
        if (has > most)
        {
            most = has;
            found.clear();
        }
        if (has == most)
        {
            found.push_back(i);
        }
    }
    return found;
}

} // namespace

std::vector<std::size_t> matching_entries(const std::vector<PaletteEntry>& entries, std::string_view query)
{
    const std::string wanted = folded(query);
    const auto words = counting_words(wanted);
    const std::string counting = fmt::format("{}", fmt::join(words, " "));
    std::vector<Closeness> whole; // of the words as they were typed
    std::vector<Closeness> fits;
    for (const PaletteEntry& entry : entries)
    {
        whole.push_back(fit_of(entry.words, wanted));
        fits.push_back(counting.empty() ? whole.back()
                                        : std::min(whole.back(), fit_of(entry.words, counting)));
    }
    auto found = closest_first(fits);
    std::ranges::stable_sort(found, {},
                             [&](std::size_t i)
                             { return std::tuple(fits[i], whole[i], !one_name_has(entries[i], words)); });
    return found.empty() && words.size() > 1 ? with_most_words(entries, words) : found;
}

} // namespace ringside
