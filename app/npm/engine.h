// The engine as a module of WebAssembly: a line of JSON in, a line out, as `ringside serve` has them. There
// are two: the engine alone, and one that also draws views.
#pragma once

#include "app/commands/commands.h"

#include <span>

namespace ringside::npm
{

// What this module can be asked.
std::span<const CliCommand* const> commands();

} // namespace ringside::npm
