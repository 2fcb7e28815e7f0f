// The panel's sliders: the layout's knobs on their legal values, the model's size, and fields with a range.
#include "core/model/family.h"
#include "ui/shell/panel/panel.h"
#include "ui/shell/panel/panel_fields.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

float log_position(double value, double low, double high)
{
    return high > low && value > 0 ? static_cast<float>(std::log(value / low) / std::log(high / low)) : 0.0F;
}

float position_of(const FieldSlide& slide, double value)
{
    return slide.step == kLogarithmic ? log_position(value, slide.low, slide.high)
                                      : static_cast<float>((value - slide.low) / (slide.high - slide.low));
}

double dragged_to(const FieldSlide& s, float position)
{
    const double share = std::clamp(static_cast<double>(position), 0.0, 1.0);
    return s.step == kLogarithmic ? s.low * std::pow(s.high / s.low, share)
                                  : s.low + std::round((s.high - s.low) * share / s.step) * s.step;
}

double stepped(const FieldSlide& s, double value, int steps)
{
    const double next = s.step == kLogarithmic ? value * (steps > 0 ? 1.25 : 0.8) : value + steps * s.step;
    return std::clamp(next, s.low, s.high);
}

// What a field that is 0 follows.
double followed(const Frame& frame, std::string_view path)
{
    const CollectiveReport& c = frame.now.report.collective;
    return path == "collective.ranks"        ? static_cast<double>(c.ranks)
           : path == "collective.message_gb" ? c.message.value / 1e9
                                             : node_link(frame.scenario.cluster);
}

std::size_t nearest_stop(const std::vector<std::int64_t>& stops, float position)
{
    const auto low = static_cast<double>(stops.front());
    const auto high = static_cast<double>(stops.back());
    std::size_t best = 0;
    for (std::size_t i = 1; i < stops.size(); ++i)
    {
        const auto distance = [&](std::size_t k)
        { return std::abs(log_position(static_cast<double>(stops[k]), low, high) - position); };
        best = distance(i) < distance(best) ? i : best;
    }
    return best;
}

// Where the arrow keys go from here.
std::int64_t neighbour(const std::vector<std::int64_t>& stops, std::int64_t value, int direction)
{
    if (direction > 0)
    {
        const auto next = std::upper_bound(stops.begin(), stops.end(), value);
        return next == stops.end() ? stops.back() : *next;
    }
    const auto next = std::lower_bound(stops.begin(), stops.end(), value);
    return next == stops.begin() ? stops.front() : *(next - 1);
}

// The number a person asked for, as if typed; empty when there was nothing.
std::string asked_for(const FieldSlide& slide, const SliderChange& c, double value)
{
    switch (c.kind)
    {
    case SliderChange::Kind::dragged:
        return fmt::format("{:.3g}", dragged_to(slide, c.position));
    case SliderChange::Kind::stepped:
        return fmt::format("{:.3g}", stepped(slide, value, c.steps));
    case SliderChange::Kind::typed:
        return c.text;
    case SliderChange::Kind::none:
        break;
    }
    return {};
}

} // namespace

ChangeScenario with_model(const Scenario& scenario, const Model& model)
{
    Scenario next = scenario;
    next.parallel.stage_layers.clear();
    next.model = model;
    return {std::move(next)};
}

ChangeScenario with_model_size(const Scenario& scenario, double parameters, bool dragging)
{
    Scenario next = scenario;
    next.parallel.stage_layers.clear();
    next.model =
        model_of_size(parameters, family_of(scenario.model),
                      scenario.parallel.pipeline * scenario.parallel.chunks, scenario.parallel.tensor);
    return {std::move(next), dragging, {}};
}

const std::vector<std::int64_t>& Panel::stops(const Scenario& scenario, Knob knob)
{
    if (scenario != stops_of_)
    {
        stops_.clear();
        stops_of_ = scenario;
    }
    auto found = stops_.find(knob);
    if (found == stops_.end())
    {
        found = stops_.emplace(knob, legal_values(scenario, knob)).first;
    }
    return found->second;
}

void Panel::draw_knob(Column& column, std::string_view path, Knob knob)
{
    const Scenario& s = column.frame.scenario;
    std::string label = "Micro-batches"; // which the global batch follows
    if (knob != Knob::micro_batches)
    {
        with_field(s, path, [&](const auto&, const auto& field) { label = field.label; });
    }
    const std::vector<std::int64_t>& legal = stops(s, knob);
    const std::int64_t value = value_of(s, knob);
    const auto low = static_cast<double>(legal.front());
    const auto high = static_cast<double>(legal.back());
    std::vector<float> ticks;
    ticks.reserve(legal.size());
    for (const std::int64_t stop : legal)
    {
        ticks.push_back(log_position(static_cast<double>(stop), low, high));
    }
    const SliderText words{label.c_str(), grouped(value), ticks, has_fault(column.frame, path)};
    const SliderChange c =
        slider(column.painter, column.row(48), words, log_position(static_cast<double>(value), low, high));
    if (c.kind == SliderChange::Kind::dragged)
    {
        const std::int64_t next = legal[nearest_stop(legal, c.position)];
        change(column, with(s, knob, next), true);
    }
    else if (c.kind == SliderChange::Kind::stepped)
    {
        change(column, with(s, knob, neighbour(legal, value, c.steps)));
    }
    else if (c.kind == SliderChange::Kind::typed)
    {
        const auto typed = parse_number(c.text);
        if (!typed || *typed < 1 || *typed > 1e9 || *typed != std::floor(*typed))
        {
            refuse(path, fmt::format("\u201c{}\u201d is not a whole number from 1 up", c.text));
        }
        else
        {
            change(column, with(s, knob, static_cast<std::int64_t>(*typed)));
        }
    }
    draw_faults(column, path);
}

void Panel::draw_model_size(Column& column)
{
    const Scenario& s = column.frame.scenario;
    const double size = column.frame.valid() ? static_cast<double>(column.frame.now.report.parameters.total)
                                             : static_cast<double>(count_parameters(s.model).total);
    const SliderText words{"Model size", format_count(size), {}, false};
    const SliderChange c =
        slider(column.painter, column.row(48), words, log_position(size, kLeastParameters, kMostParameters));
    std::optional<double> next;
    if (c.kind == SliderChange::Kind::dragged)
    {
        next =
            kLeastParameters * std::pow(kMostParameters / kLeastParameters, static_cast<double>(c.position));
    }
    else if (c.kind == SliderChange::Kind::stepped)
    {
        next = size * (c.steps > 0 ? 1.25 : 0.8);
    }
    else if (c.kind == SliderChange::Kind::typed)
    {
        next = parse_number(c.text);
        if (!next || *next < kLeastParameters || *next > kMostParameters)
        {
            refuse("model.size", fmt::format("\u201c{}\u201d is not a size from 100 M to 10 T", c.text));
            next.reset();
        }
    }
    if (next)
    {
        change(column, with_model_size(s, *next, c.kind == SliderChange::Kind::dragged));
    }
    draw_faults(column, "model.size");
}

template <class S>
void Panel::draw_slide(Column& column, std::string_view path, Scenario& next, S& object,
                       const Field<S>& field)
{
    const FieldSlide& slide = *field.slide;
    const double stored = number_of(object, field);
    const bool automatic = stored == 0 && slide.zero_is_automatic;
    const double value = automatic ? followed(column.frame, path) : stored;
    const std::string_view unit = field.unit == "units" ? "" : field.unit == "us" ? "\u00b5s" : field.unit;
    const bool small = unit == "GB" && value > 0 && value < 1e-3;
    const std::string amount =
        small ? format_bytes(Bytes(value * 1e9)) : with_unit(plain_number(value), unit);
    const std::string label(field.label);
    const SliderText words{
        label.c_str(), (automatic ? "auto  " : "") + amount, {}, has_fault(column.frame, path)};
    const SliderChange c = slider(column.painter, column.row(48), words, position_of(slide, value));
    const std::string typed = asked_for(slide, c, value);
    if (!typed.empty())
    {
        const std::string message = set_number(object, field, typed);
        own_shape(next, path, column.frame.presets);
        message.empty() ? change(column, next, c.kind == SliderChange::Kind::dragged) : refuse(path, message);
    }
}

bool Panel::draw_slide(Column& column, std::string_view path)
{
    bool slides = false;
    Scenario next = column.frame.scenario;
    with_field(next, path,
               [&](auto& object, const auto& field)
               {
                   if (field.slide)
                   {
                       slides = true;
                       draw_slide(column, path, next, object, field);
                       draw_faults(column, path);
                   }
               });
    return slides;
}

} // namespace ringside
