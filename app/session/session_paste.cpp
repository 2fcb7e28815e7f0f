// What is pasted or dropped: links, scenarios, launch files, a config.json, machines, measured steps, runs;
// and what is fitted to those.
#include <fmt/format.h>

#include "app/session/session.h"
#include "core/base/place.h"
#include "core/base/text/text.h"
#include "core/evaluate/measured_csv.h"
#include "core/evaluate/own_software.h"
#include "core/launch_files/launch_files.h"
#include "core/model/weights.h"
#include "core/scenario/json/json.h"
#include "core/scenario/model_file.h"
#include "core/study/lessons/drawn_hands.h"
#include "ui/shell/panel/panel.h"

#include <algorithm>

namespace ringside
{

namespace
{

// What cannot be read, by its name where it has one.
std::string not_read(const std::string& name)
{
    return name.empty() ? "Not pasted" : "Not read: " + name;
}

// The scenario with the model of a file, the layout made to suit it.
Result<ChangeScenario> with_model_of(const nlohmann::json& file, const Scenario& scenario,
                                     const Presets& presets)
{
    const auto read = model_of_file(file);
    if (!read)
    {
        return read.issues();
    }
    const ModelPreset* preset = preset_of_shape(read->model, presets);
    const Model& model = preset != nullptr ? preset->model : read->model;
    ChangeScenario next = fitted(with_model(scenario, model));
    std::string said = fmt::format("Read from {}: {}, {} parameters", kind_of_model_file(file), model.name,
                                   format_count(static_cast<double>(count_parameters(model).total)));
    said += next.notice.empty() ? "" : ". " + next.notice;
    for (const Issue& note : read->notes)
    {
        said += ". " + to_line(note);
    }
    next.notice = std::move(said);
    return next;
}

// Machines, or the scenario itself or with another model, of which the notice tells.
using Document = std::variant<AddMachines, ChangeScenario>;

Result<Document> read_document(const nlohmann::json& document, const Scenario& scenario,
                               const Presets& presets)
{
    if (is_machines(document))
    {
        auto machines = machines_from_json(document);
        return machines ? Result<Document>(AddMachines{std::move(*machines)})
                        : Result<Document>(machines.issues());
    }
    if (is_model_file(document))
    {
        auto next = with_model_of(document, scenario, presets);
        return next ? Result<Document>(std::move(*next)) : Result<Document>(next.issues());
    }
    auto read = scenario_from_json(document, presets);
    return read ? Result<Document>(ChangeScenario{std::move(*read)}) : Result<Document>(read.issues());
}

} // namespace

void Session::take_text(const std::string& text, const std::string& name)
{
    if (is_link(text))
    {
        open_link(text);
        visit_.reset(); // it was asked for here
        return;
    }
    if (is_measured_csv(text))
    {
        measure(text);
        return;
    }
    if (!kind_of_run(text).empty())
    {
        take_run({run_file(name, text)});
        return;
    }
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (blank)
    {
        fail(not_read(name),
             {{"", "there is nothing in it", "give a scenario, a launch file or a config.json"}});
        return;
    }
    const auto document = parse_json(text);
    if (is_launch_text(text) || (!document && text.find_first_of("{[") != text.find_first_not_of(" \t\r\n")))
    {
        take_launch({{name, text}});
        return;
    }
    if (document && is_drawn_hands(*document))
    {
        take_hands(*document, name);
        return;
    }
    auto read =
        document ? read_document(*document, scene_.scenario, presets_) : Result<Document>(document.issues());
    if (!read)
    {
        fail(not_read(name), read.issues());
        return;
    }
    if (auto* machines = std::get_if<AddMachines>(&*read))
    {
        const std::ptrdiff_t added = std::ssize(machines->machines);
        work_in_lab(std::move(*machines));
        show_place("roofline/machines");
        say(counted(added, "machine") + " added");
        return;
    }
    auto& next = std::get<ChangeScenario>(*read);
    if (next.notice.empty())
    {
        imported_.reset();
    }
    change(std::move(next.scenario), false);
    say(next.notice.empty() ? "Pasted" : next.notice);
}

// Curves that were drawn elsewhere; the page they are of comes on show, on paper.
void Session::take_hands(const nlohmann::json& document, const std::string& name)
{
    auto hands = drawn_hands_from_json(document);
    if (hands && find_view(hands->place) == nullptr)
    {
        hands =
            Issues{{"place", fmt::format("there is no page \"{}\"", hands->place), "copy it from a page"}};
    }
    if (hands && aside_ && hands->place != place_)
    {
        hands =
            Issues{{"place", fmt::format("it was drawn on {}", hands->place), "leave what is on show first"}};
    }
    if (!hands)
    {
        fail(not_read(name), hands.issues());
        return;
    }
    const ViewInfo* info = find_view(hands->place);
    const bool first = page_of(hands->place).empty() && !info->pages.empty();
    hands->place = std::string(first ? info->pages.front() : place_now(hands->place));
    if (hands->place != place_)
    {
        show_place(hands->place);
    }
    if (!stage_.has(StageTool::curve))
    {
        turn(StageTool::curve);
    }
    say(counted(std::ssize(hands->hands), "hand") + " added");
    stage_.hands = std::make_shared<const DrawnHands>(std::move(*hands));
    ++stage_.pasted;
}

void Session::take_texts(const std::vector<LaunchText>& texts)
{
    std::vector<LaunchText> launch;
    std::ranges::copy_if(texts, std::back_inserter(launch),
                         [](const LaunchText& file) { return is_beside_launch(file.text); });
    if (launch.size() > 1 &&
        std::ranges::any_of(launch, [](const LaunchText& file) { return is_launch_text(file.text); }))
    {
        take_launch(launch);
        return;
    }
    for (const LaunchText& file : texts)
    {
        take_text(file.text, file.name);
    }
}

// The scenario of launch files, with a card of who says what of it, which stays until it is closed; one step
// of undo takes it back.
void Session::take_launch(const std::vector<LaunchText>& files)
{
    const std::string name = files.size() == 1 ? files.front().name : counted(std::ssize(files), "file");
    auto reading = read_launch_files({.files = files}, presets_);
    if (!reading)
    {
        fail(not_read(name), reading.issues());
        return;
    }
    change(reading->scenario, false);
    say(fmt::format("Read from {}; Undo takes it back", reading->name));
    imported_ = std::make_shared<ImportFrame>(ImportFrame{++imports_, name, std::move(*reading)});
    imported_at_ = scene_.undo.size();
}

void Session::measure(std::string_view text)
{
    auto set = measured_from_csv(text, scene_.now.scenario, presets_);
    if (!set)
    {
        fail(not_read({}), set.issues());
        return;
    }
    set_measured(std::move(*set));
    open(id_of(ViewRole::measured));
    notice_ = fmt::format("Pasted {} measured step{}", measured_->set.rows.size(),
                          measured_->set.rows.size() == 1 ? "" : "s");
}

void Session::set_measured(MeasuredSet set)
{
    measured_ = MeasuredFrame{std::move(set), {}};
    fit_measured({constants_for(measured_->set)});
}

void Session::next_accuracy()
{
    if (!accuracy_)
    {
        auto sets = measured_sources();
        accuracy_ =
            sets ? AccuracyFrame{std::move(*sets), {}, {}, {}} : AccuracyFrame{{}, {}, {}, sets.issues()};
    }
    if (!accuracy_->done())
    {
        accuracy_->sources.push_back(known_accuracy(accuracy_->sets[accuracy_->sources.size()], presets_));
        accuracy_->held =
            accuracy_->done() ? held_by_source(band_rows(accuracy_->sources)) : std::vector<HeldRows>();
    }
}

void Session::keep_measured(const MeasuredSet& set, const std::string& name)
{
    const auto own = fit_own_software(set, name, presets_);
    const Issues faults = own ? keep_software(own->preset) : own.issues();
    if (!faults.empty())
    {
        fail("Not kept", faults);
        return;
    }
    Scenario next = scene_.scenario;
    next.software = own->preset.software;
    change(std::move(next), false);
    say(fmt::format("Kept as \"{}\", in every list from the next start: {}", name, summary_of(*own)));
}

void Session::fit_measured(const FitMeasured& action)
{
    if (action.shipped)
    {
        auto set = shipped_runs();
        set ? set_measured(std::move(*set)) : say(to_line(set.issues().front()));
        if (set)
        {
            measured_->shipped = true;
        }
        return;
    }
    if (!measured_)
    {
        return;
    }
    if (!action.keep.empty())
    {
        keep_measured(measured_->set, action.keep);
        return;
    }
    auto fit = fit_calibration({measured_->set}, action.constants, false);
    if (fit)
    {
        measured_->fit = std::move(*fit);
    }
    else
    {
        fail("Not fitted", fit.issues());
    }
}

} // namespace ringside
