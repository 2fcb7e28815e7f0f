// The scenario of a link: an example that ships with the program, and what `--set` changes in it.
#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"

#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

// Letters, digits and signs that every address takes stay; everything else is a %XX for each byte.
std::string link_escaped(std::string_view text);
// Nothing where an escape is cut or wrong, or the text is not UTF-8.
std::optional<std::string> link_unescaped(std::string_view text);

// "default;parallel.tensor=4", from the example that needs the fewest changes.
std::string scenario_for_link(const Scenario& scenario, const Presets& presets);
// Reads such a text: what cannot be set is left out, with one fault each. Nothing where the example is not
// known, because changes say nothing without it.
std::optional<Scenario> scenario_of_link(std::string_view text, const Presets& presets, Issues& issues);

} // namespace ringside
