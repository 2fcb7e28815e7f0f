// `fields`, a command of the module that draws: what a page's own controls need.
#pragma once

#include "app/commands/commands.h"

namespace ringside
{

extern const CliCommand fields_command;

} // namespace ringside
