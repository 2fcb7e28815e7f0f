// The panel's sliders: the layout's knobs on their legal values, the model's size, and fields with a range.
#include "core/evaluate/report.h"
#include "core/model/family.h"
#include "core/network/collective/cost.h"
#include "ui/shell/panel/panel.h"
#include "ui/shell/panel/panel_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// The range of a knob is the same in every scenario, so that its thumb stays where it is while another field
// changes which stops are legal.
constexpr std::array<double, kNamesOf<Knob>.size()> kKnobHigh{131072, 64, 64, 128, 128, 512, 4096, 4096};

Track track_of(Knob knob, std::span<const double> stops, double value)
{
    const double high = kKnobHigh.at(static_cast<std::size_t>(knob));
    return Track::log_at(stops, 1, std::max({high, stops.back(), value}));
}

Track track_of(const FieldSlide& slide)
{
    Track track = slide.step == kLogarithmic ? Track::log(slide.low, slide.high, nullptr)
                                             : Track::even(slide.low, slide.high, nullptr);
    track.step = slide.step;
    return track;
}

// What a field that is 0 follows.
double followed(const Frame& frame, std::string_view path)
{
    const CollectiveReport& c = *frame.now.report->collective;
    return path == "collective.ranks"        ? static_cast<double>(c.ranks)
           : path == "collective.message_gb" ? c.message.value / 1e9
                                             : node_link(frame.scenario.cluster);
}

// The number that was asked for, as if typed; empty when there was nothing.
std::string asked_for(const Track& track, const SliderChange& c, double value)
{
    return c.kind == SliderChange::Kind::none    ? std::string()
           : c.kind == SliderChange::Kind::typed ? c.text
                                                 : fmt::format("{:.3g}", moved_to(track, value, c));
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
    const std::vector<double> at(legal.begin(), legal.end());
    const auto value = static_cast<double>(value_of(s, knob));
    const Track track = track_of(knob, at, value);
    const SliderChange c =
        column.slider(label.c_str(), say_whole(value), track, value, has_fault(column.frame, path));
    if (c.kind == SliderChange::Kind::dragged || c.kind == SliderChange::Kind::stepped)
    {
        change(column, with(s, knob, std::llround(moved_to(track, value, c))),
               c.kind == SliderChange::Kind::dragged);
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
    const double size = column.frame.valid() ? static_cast<double>(column.frame.now.report->parameters.total)
                                             : static_cast<double>(count_parameters(s.model).total);
    const Track track = Track::log(kLeastParameters, kMostParameters, nullptr);
    const SliderChange c = column.slider("Model size", format_count(size), track, size);
    std::optional<double> next;
    if (c.kind == SliderChange::Kind::dragged || c.kind == SliderChange::Kind::stepped)
    {
        next = moved_to(track, size, c);
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
    const Track track = track_of(slide);
    const SliderChange c = column.slider(label.c_str(), (automatic ? "auto  " : "") + amount, track, value,
                                         has_fault(column.frame, path));
    const std::string typed = asked_for(track, c, value);
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
