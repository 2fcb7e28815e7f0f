// One ImGui context with our fonts, style and shell. Builds frames; its owner shows them (window,
// picture, test).
//
// The panel is drawn first and what it asks for is applied before the picture is drawn (Shell::Settle), so
// that a slider and its consequences move in the same frame. A chord whose modifier is let go within one
// frame is still seen: the release waits one frame, because slow displays and tools that type let go of Ctrl
// that fast.
#pragma once

#include "app/session/session.h"
#include "ui/draw/chart_record.h"
#include "ui/draw/sketch.h"
#include "ui/draw/transcript.h"
#include "ui/shell/shell.h"

#include <imgui.h>

namespace ringside
{

class Drawing
{
public:
    explicit Drawing(FontFiles fonts);
    Drawing(const Drawing&) = delete;
    Drawing& operator=(const Drawing&) = delete;
    ~Drawing();

    // Loads the fonts again when the preferences, or a presenter's window, ask for another size. True when
    // the atlas changed: its texture is stale. Call between frames.
    bool prepare(const Preferences& preferences, float display_scale);
    // Makes this the context that ImGui works on, where there are several.
    void enter() const { ImGui::SetCurrentContext(context_); }
    // The next frames are written down as shapes too; null: no more.
    void set_sketch(Sketch* sketch) { sketch_ = sketch; }
    // What the charts of each next frame draw and read out; null: nobody asks.
    void set_record(ChartRecord* record) { record_ = record; }
    // What each next frame says; null: nobody reads.
    void set_transcript(Transcript* transcript) { transcript_ = transcript; }
    // The last frame, which was written down in `sketch`, as SVG; with a link to what it shows.
    std::string svg(const Sketch& sketch, const Session& session) const;
    // One frame, from NewFrame to Render; actions are applied to the session. True when the next frame should
    // follow at once.
    bool build(Session& session, double clock, double seconds);

    // The motion of the view on show, at the page that was asked for.
    Motion motion(Session& session, double clock = 0);

    Shell& shell() { return shell_; }
    const Fonts& fonts() const { return fonts_; }

private:
    FontFiles files_;
    ImGuiContext* context_;
    Fonts fonts_;
    float scale_ = 0;
    bool presenter_ = false;
    Shell shell_;
    Sketch* sketch_ = nullptr;
    ChartRecord* record_ = nullptr;
    Transcript* transcript_ = nullptr;

    Look look(const Preferences& preferences) const;
    void turn_page(Session& session);
};

// The fonts beside the assets of an installation, or the system's.
FontFiles find_fonts(const std::filesystem::path& assets);

} // namespace ringside
