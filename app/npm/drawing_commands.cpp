// The engine that draws views, too, as shapes.
#include "app/npm/engine.h"
#include "app/npm/fields.h"
#include "app/window/offscreen.h"

#include <array>

namespace ringside
{

namespace npm
{

std::span<const CliCommand* const> commands()
{
    static constexpr std::array kCommands{
        &evaluate_command,   &explain_command, &search_command,  &rent_command,     &schedule_command,
        &collective_command, &link_command,    &picture_command, &question_command, &fields_command};
    return kCommands;
}

} // namespace npm

// There is no OpenGL to make pixels with.
Result<std::unique_ptr<Offscreen>> Offscreen::create(int /*width*/, int /*height*/)
{
    return Issue{"--svg", "is missing", "this module draws SVG alone"};
}

Issues save_png(const Image& /*image*/, const std::filesystem::path& /*path*/, std::string_view /*link*/)
{
    return {};
}

} // namespace ringside
