// The window: GLFW, an event-driven loop that draws nothing at idle, settings and last scenario kept between
// starts.
#pragma once

#include "app/commands.h"

namespace ringside
{

struct WindowOptions
{
    std::string view;
    std::string scenario;
    bool presenter = false;
};

int run_window(const CommonOptions& common, const WindowOptions& options);

} // namespace ringside
