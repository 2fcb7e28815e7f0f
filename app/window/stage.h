// One view of one scenario, set up and settled with no display: what `picture` and `animate` draw.
#pragma once

#include "app/commands/console/input.h"
#include "app/session/drawing.h"
#include "app/window/picture.h"

#include <memory>

namespace ringside
{

class Stage
{
public:
    // Adds what is wrong with the options to `issues`; any error ends the command.
    static std::unique_ptr<Stage> open(const PictureOptions& typed, Issues issues);
    explicit Stage(Opened assets);

    int width() const { return width_; }
    int height() const { return height_; }
    Session& session() { return session_; }
    Drawing& drawing() { return drawing_; }
    Motion motion() { return drawing_.motion(session_); }
    Caption caption() { return drawing_.shell().caption(session_.frame(0)); }
    // Builds frames until nothing is on its way and nothing is being computed.
    void settle();
    // The guide, the search and the tour, where they were asked for.
    void lay_over(const PictureOptions& options);
    // Letters and digits, one after the other.
    void press(std::string_view keys);

private:
    void open_scenarios(const PictureOptions& options, Issues& issues);
    void open_view(const PictureOptions& options);

    Opened opened_;
    Session session_;
    Drawing drawing_;
    int width_ = 0;
    int height_ = 0;
};

} // namespace ringside
