// The engine alone.
#include "app/npm/engine.h"

#include <array>

namespace ringside::npm
{

std::span<const CliCommand* const> commands()
{
    static constexpr std::array kCommands{&evaluate_command, &search_command, &schedule_command,
                                          &collective_command, &link_command};
    return kCommands;
}

} // namespace ringside::npm
