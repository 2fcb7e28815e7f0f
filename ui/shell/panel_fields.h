// Any field of a scenario by its path, as the panel reads and writes it.
#pragma once

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"

#include <cmath>

namespace ringside
{

// Calls f(path, object, field) for every field of the scenario.
template <class S, class F>
void each_field(std::string_view prefix, S& object, F&& f)
{
    for (const auto& field : fields_of(object))
    {
        f(fmt::format("{}.{}", prefix, field.name), object, field);
    }
}

template <class F>
void each_field(Scenario& s, F&& f)
{
    each_field("parallel", s.parallel, f);
    each_field("training", s.training, f);
    each_field("cluster", s.cluster, f);
    each_field("cluster.gpu", s.cluster.gpu, f);
    each_field("model", s.model, f);
    each_field("stage_times", s.stage_times, f);
    each_field("collective", s.collective, f);
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

// The paths of a section's own fields: those of "cluster" without those of "cluster.gpu".
std::vector<std::string> fields_in(const Scenario& scenario, std::string_view section);

// "80 GB", or the bare number of what has no unit.
inline std::string with_unit(const std::string& number, std::string_view unit)
{
    return unit.empty() ? number : number + " " + std::string(unit);
}

} // namespace ringside
