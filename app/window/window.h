// The window: GLFW, an event-driven loop that draws nothing at idle, settings and last scenario kept between
// starts.
#pragma once

#include "app/commands.h"

#include <optional>

namespace ringside
{

struct Opened;

struct WindowOptions
{
    std::string view;
    std::string scenario;
    bool presenter = false;
    std::string lesson; // id of one to begin
    std::string script; // file or name of a demonstration to walk through
    bool no_tour = false;
    std::string watch; // file of a training that runs elsewhere
};

// CPU time over wall time of the real event loop with nothing to do, in a hidden window. Nothing without a
// display.
std::optional<double> idle_cpu_share(const Opened& opened, double seconds);

int run_window(const CommonOptions& common, const WindowOptions& options);

} // namespace ringside
