// The tables of a scenario's `serving` and of an engine's constants (core/scenario/fields.h).
#pragma once

#include "core/scenario/fields.h"
#include "core/scenario/serving.h"

namespace ringside
{

std::span<const Field<ServingEngine>> fields_of(const ServingEngine&);
std::span<const Field<ServingLayout>> fields_of(const ServingLayout&);
std::span<const Field<Serving>> fields_of(const Serving&);
std::span<const Field<ServingTraffic>> fields_of(const ServingTraffic&);
std::span<const Field<ServingObjective>> fields_of(const ServingObjective&);
std::span<const Field<ServingSpeculation>> fields_of(const ServingSpeculation&);

} // namespace ringside
