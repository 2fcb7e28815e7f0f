// Any field of a scenario by its path, as the panel reads and writes it.
#pragma once

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/fields.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

// Calls f(path, object, field) for every field of the scenario.
template <class F>
void each_field(Scenario& s, F&& f)
{
    each_section(s,
                 [&](std::string_view section, auto& object)
                 {
                     for (const auto& field : fields_of(object))
                     {
                         f(fmt::format("{}.{}", section, field.name), object, field);
                     }
                 });
}

// Calls f(object, field) for the field of this path.
template <class S, class F>
void with_field(S& s, std::string_view path, const F& f)
{
    const std::size_t dot = std::min(path.rfind('.'), path.size());
    each_section(s,
                 [&](std::string_view section, auto& object)
                 {
                     const auto fields = fields_of(object);
                     for (auto field = fields.begin();
                          section == path.substr(0, dot) && field != fields.end(); ++field)
                     {
                         if (field->name == path.substr(std::min(dot + 1, path.size())))
                         {
                             f(object, *field);
                         }
                     }
                 });
}

template <class S>
double number_of(const S& object, const Field<S>& field)
{
    if (const auto* whole = std::get_if<std::int64_t S::*>(&field.member))
    {
        return static_cast<double>(object.*(*whole));
    }
    const auto* real = std::get_if<double S::*>(&field.member);
    return real != nullptr ? object.*(*real) : 0;
}

// Reads a typed number into a field; the message when it cannot be.
template <class S>
std::string set_number(S& object, const Field<S>& field, std::string_view text)
{
    const auto typed = parse_number(text);
    const bool whole = std::holds_alternative<std::int64_t S::*>(field.member);
    if (!typed || (whole && *typed != std::floor(*typed)))
    {
        return fmt::format("\u201c{}\u201d is not a {}", text, whole ? "whole number" : "number");
    }
    if (*typed < field.least || *typed > field.most)
    {
        return fmt::format("{} is outside {} to {}", text, three_digits(field.least),
                           three_digits(field.most));
    }
    if (whole)
    {
        object.*std::get<std::int64_t S::*>(field.member) = static_cast<std::int64_t>(*typed);
    }
    else
    {
        object.*std::get<double S::*>(field.member) = *typed;
    }
    return {};
}

// After the field of this path was edited: the model's shape is the user's own; the accelerator says that
// it was edited, and stays based on its preset.
void own_shape(Scenario& scenario, std::string_view path, const Presets& presets);

// The paths of a section's own fields: those of "cluster" without those of "cluster.gpu".
std::vector<std::string> fields_in(const Scenario& scenario, std::string_view section);

// "sequence" of "sequences"; what is no word stays.
inline std::string_view of_one(std::string_view unit)
{
    const bool word = unit.size() > 4 && unit.ends_with('s') && unit.find('/') == std::string_view::npos;
    return unit.substr(0, unit.size() - (word ? 1 : 0));
}

// "80 GB", or the bare number of what has no unit.
inline std::string with_unit(const std::string& number, std::string_view unit)
{
    return unit.empty() ? number : number + " " + std::string(number == "1" ? of_one(unit) : unit);
}

} // namespace ringside
