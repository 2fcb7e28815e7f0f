#include <fmt/format.h>

#include "core/study/answers/answer.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/views/study/errata/parts.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double value_of(const ErratumParameter& p, const DrawnValues& overrides)
{
    const auto found = overrides.find(p.name);
    return found == overrides.end() ? p.value : std::get<double>(found->second);
}

// Where a change of the slider wants to go; nothing where it says nothing that can be read.
std::optional<double> wanted_of(const SliderChange& change, const Track& track, const ErratumParameter& p,
                                double value, std::string& refused)
{
    if (change.kind == SliderChange::Kind::none)
    {
        return std::nullopt;
    }
    if (change.kind != SliderChange::Kind::typed)
    {
        return moved_to(track, value, change);
    }
    const StudyUnit& unit = *find_study_unit(p.unit);
    const auto typed = read_answer(change.text, asked_for(unit));
    if (!typed)
    {
        refused = typed.issues().front().message;
        return std::nullopt;
    }
    const double inside = within(p, typed->value);
    if (inside != typed->value)
    {
        refused =
            fmt::format("{} goes from {} to {}", p.name, given_text(p.low, unit), given_text(p.high, unit));
    }
    return inside;
}

// As many as there is room for.
void draw_questions(Sheet& sheet, float bottom, const std::vector<std::string>& titles)
{
    if (titles.empty() || bottom - sheet.y() < sheet.p.px(60))
    {
        return;
    }
    sheet.heading("Questions about it");
    constexpr float kLine = 24;
    const auto room = static_cast<std::size_t>(std::max(1.0F, (bottom - sheet.y()) / sheet.p.px(kLine)));
    for (std::size_t i = 0; i < std::min(room, titles.size()); ++i)
    {
        const Rect r = sheet.row(kLine);
        const bool last = i + 1 == room && room < titles.size();
        sheet.p.text_within(r.x, r.middle(), r.w, Type::small, sheet.p.theme.muted,
                            last ? fmt::format("and {} more", titles.size() - i) : titles[i]);
    }
}

// The view and the scenario that "Show me" opens.
std::string place_words(const Frame& frame, const Erratum& e)
{
    const ViewInfo* view = find_view(e.view);
    const std::string question = view == nullptr ? e.view : std::string(view->title);
    const ScenarioPreset* preset = e.scenario ? frame.presets.scenario(e.scenario->preset) : nullptr;
    return preset == nullptr
               ? fmt::format("\u201c{}\u201d with your scenario", question)
               : fmt::format("\u201c{}\u201d with {}; Ctrl Z takes that back", question, preset->name);
}

// The value nearest to `wanted` on the way there with which the erratum can still be run; `refused` says what
// kept it from going all the way, and is empty otherwise.
double as_far_as_it_runs(Calculator& calculator, const Erratum& e, const ErratumParameter& p,
                         const DrawnValues& overrides, double wanted, std::string& refused)
{
    const double from = value_of(p, overrides);
    std::vector<double> stops = stops_of(p);
    std::erase_if(stops,
                  [&](double s) { return s <= std::min(from, wanted) || s >= std::max(from, wanted); });
    if (wanted > from)
    {
        std::reverse(stops.begin(), stops.end()); // from where it was to go back to where it is
    }
    stops.insert(stops.begin(), wanted);
    for (const double stop : stops)
    {
        DrawnValues tried = overrides;
        tried[p.name] = stop;
        const auto run = run_erratum(calculator, e, tried);
        if (run)
        {
            return stop;
        }
        refused = fmt::format("{} = {}: {}", p.name, given_text(stop, *find_study_unit(p.unit)),
                              run.issues().front().message);
    }
    return from;
}

} // namespace

std::optional<double> ErrataNumbers::draw_parameter(PanelColumn& column, const Erratum& e,
                                                    const ErratumParameter& p, const DrawnValues& overrides,
                                                    Calculator& calculator)
{
    const double value = value_of(p, overrides);
    const std::string label = fmt::format("{}###number {}", p.name, p.name);
    const std::vector<double> stops = stops_of(p);
    const Track track = Track::log_at(stops, p.low, p.high);
    const SliderChange change =
        column.slider(label.c_str(), given_text(value, *find_study_unit(p.unit)), track, value);
    std::string refused;
    std::optional<double> moved;
    if (const auto wanted = wanted_of(change, track, p, value, refused))
    {
        const double to = as_far_as_it_runs(calculator, e, p, overrides, *wanted, refused);
        refused_ = refused;
        moved = to != value ? std::optional(to) : std::nullopt;
    }
    refused_ = refused.empty() ? refused_ : refused;
    return moved;
}

NumbersEvent ErrataNumbers::draw(const Frame& frame, const Painter& p, Rect area, const Erratum& e,
                                 const DrawnValues& overrides, Calculator& calculator)
{
    NumbersEvent event;
    if (id_ != e.id)
    {
        id_ = e.id;
        refused_.clear();
    }
    bool moves = false; // the view asks for the next frame when it takes the event
    PanelColumn sheet(p, area, moves);
    Rect row = sheet.row(32);
    if (!overrides.empty() &&
        button(p, row.cut_right(p.px(96)), "Reset###reset numbers", "R", ButtonStyle::quiet))
    {
        event.values = DrawnValues();
        refused_.clear();
    }
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, p.theme.text, "Your numbers");
    sheet.gap(6);
    for (const ErratumParameter& parameter : e.parameters)
    {
        if (const auto to = draw_parameter(sheet, e, parameter, overrides, calculator))
        {
            event.values = overrides;
            (*event.values)[parameter.name] = *to;
        }
    }
    sheet.note(e.parameters.empty() ? "This one is about words; no number moves it." : refused_);
    sheet.rule(12, 16);
    if (!e.view.empty())
    {
        event.show = sheet.button("Show me###show me", "S", ButtonStyle::primary);
        sheet.gap(8);
        sheet.note(place_words(frame, e));
        sheet.gap(16);
    }
    const auto questions = frame.study->errata->questions.find(e.id);
    if (questions != frame.study->errata->questions.end())
    {
        draw_questions(sheet, area.bottom(), questions->second);
    }
    return event;
}

} // namespace ringside
