// What a scenario's serving gives, as people read it.
#pragma once

#include "core/evaluate/serving_figures.h"

#include <string>

namespace ringside
{

std::string serving_text(const Scenario& scenario, const Report& report);
std::string serving_text(const Scenario& scenario, const ServingFigures& figures);

} // namespace ringside
