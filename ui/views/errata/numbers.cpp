#include "ui/views/errata/numbers.h"

#include <fmt/format.h>

#include "core/study/answer.h"

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

// On a logarithmic track.
float position_of(const ErratumParameter& p, double value)
{
    const double span = std::log(p.high / p.low);
    return span > 0 ? static_cast<float>(std::clamp(std::log(value / p.low) / span, 0.0, 1.0)) : 0.0F;
}

std::size_t nearest(const std::vector<double>& stops, double value)
{
    const auto far = [value](double stop) { return std::abs(std::log(stop / value)); };
    const auto best =
        std::min_element(stops.begin(), stops.end(), [&](double a, double b) { return far(a) < far(b); });
    return static_cast<std::size_t>(best - stops.begin());
}

// The stop beyond `value` in the direction of `steps`.
double next_of(const std::vector<double>& stops, double value, int steps)
{
    if (steps > 0)
    {
        const auto next = std::upper_bound(stops.begin(), stops.end(), value * (1 + 1e-9));
        return next == stops.end() ? stops.back() : *next;
    }
    const auto next = std::lower_bound(stops.begin(), stops.end(), value * (1 - 1e-9));
    return next == stops.begin() ? stops.front() : *(next - 1);
}

// Where a change of the slider wants to go; nothing where it says nothing that can be read.
std::optional<double> wanted_of(const SliderChange& change, const ErratumParameter& p, double value,
                                std::string& refused)
{
    const std::vector<double> stops = stops_of(p);
    switch (change.kind)
    {
    case SliderChange::Kind::none:
        return std::nullopt;
    case SliderChange::Kind::dragged:
        return stops[nearest(stops, p.low * std::pow(p.high / p.low, static_cast<double>(change.position)))];
    case SliderChange::Kind::stepped:
        return next_of(stops, value, change.steps);
    case SliderChange::Kind::typed:
        break;
    }
    const StudyUnit& unit = *find_study_unit(p.unit);
    const auto typed = read_answer(change.text, unit);
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

void draw_questions(const Painter& p, Rect area, const std::vector<std::string>& titles)
{
    const Theme& t = p.theme;
    if (titles.empty() || area.h < p.px(60))
    {
        return;
    }
    const Rect row = area.cut_top(p.px(28));
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, "Questions about it");
    const float line = p.px(24);
    const auto room = static_cast<std::size_t>(std::max(1.0F, std::floor(area.h / line)));
    const std::size_t shown = titles.size() <= room ? titles.size() : room - 1;
    for (std::size_t i = 0; i < shown; ++i)
    {
        const Rect r = area.cut_top(line);
        p.text_within(r.x, r.middle(), r.w, Type::small, t.muted, titles[i]);
    }
    if (shown < titles.size())
    {
        const Rect r = area.cut_top(line);
        p.text_within(r.x, r.middle(), r.w, Type::small, t.muted,
                      fmt::format("and {} more", titles.size() - shown));
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

} // namespace

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

std::optional<double> ErrataNumbers::draw_parameter(const Painter& painter, Rect row, const Erratum& e,
                                                    const ErratumParameter& p, const DrawnValues& overrides,
                                                    Calculator& calculator)
{
    const double value = value_of(p, overrides);
    const std::string label = fmt::format("{}###number {}", p.name, p.name);
    std::vector<float> ticks;
    for (const double stop : stops_of(p))
    {
        ticks.push_back(position_of(p, stop));
    }
    const SliderText words{label.c_str(), given_text(value, *find_study_unit(p.unit)), ticks};
    const SliderChange change = slider(painter, row, words, position_of(p, value), entry_);
    std::string refused;
    std::optional<double> moved;
    if (const auto wanted = wanted_of(change, p, value, refused))
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
    const Theme& t = p.theme;
    NumbersEvent event;
    if (id_ != e.id)
    {
        id_ = e.id;
        refused_.clear();
        entry_ = {};
    }
    Rect row = area.cut_top(p.px(32));
    if (!overrides.empty() &&
        button(p, row.cut_right(p.px(96)), "Reset###reset numbers", "R", ButtonStyle::quiet))
    {
        event.values = DrawnValues();
        refused_.clear();
    }
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, "Your numbers");
    area.cut_top(p.px(6));
    for (const ErratumParameter& parameter : e.parameters)
    {
        if (const auto to = draw_parameter(p, area.cut_top(p.px(50)), e, parameter, overrides, calculator))
        {
            event.values = overrides;
            (*event.values)[parameter.name] = *to;
        }
    }
    const std::string note = e.parameters.empty() ? "This one is about words; no number moves it." : refused_;
    if (!note.empty())
    {
        area.cut_top(p.paragraph({area.x, area.y, area.w, 0}, Type::small, t.muted, note));
    }
    area.cut_top(p.px(12));
    p.line(area.x, area.y, area.right(), area.y, t.grid);
    area.cut_top(p.px(16));
    if (!e.view.empty())
    {
        event.show = button(p, area.cut_top(p.px(36)), "Show me###show me", "S", ButtonStyle::primary);
        area.cut_top(p.px(8));
        area.cut_top(p.paragraph({area.x, area.y, area.w, 0}, Type::small, t.muted, place_words(frame, e)) +
                     p.px(16));
    }
    const auto questions = frame.study->errata->questions.find(e.id);
    if (questions != frame.study->errata->questions.end())
    {
        draw_questions(p, area, questions->second);
    }
    return event;
}

} // namespace ringside
