// The window: GLFW, an event-driven loop that draws nothing at idle, settings and last scenario kept between
// starts.
//
// An event buys three frames; then it sleeps until the next event and wakes each second to save a changed
// scenario. A frame asks for the next one when something eases, plays or has pushed an Action. At most 60
// frames per second.
#pragma once

#include "app/commands/commands.h"

#include <optional>

namespace ringside
{

struct Opened;

struct WindowOptions : CommonOptions
{
    std::string view;
    std::string scenario;
    bool presenter = false;
    std::string lesson; // id of one to begin
    std::string script; // file or name of a demonstration to walk through
    bool no_tour = false;
    std::string link;
    std::string watch; // file of a training that runs elsewhere
};

// CPU time over wall time of the real event loop with nothing to do, in a hidden window. Nothing without a
// display.
std::optional<double> idle_cpu_share(const Opened& opened, double seconds);

void add_window_options(CLI::App& app, WindowOptions& options);
int run_window(const WindowOptions& options);

} // namespace ringside
