// The window's frame round a view: rail, title row, caption, scenario panel, status strip with transport,
// palette, key help.
#pragma once

#include "core/base/notice.h"
#include "core/base/work.h"
#include "core/study/lessons/lesson_cover.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/guide/class_curve.h"
#include "ui/shell/guide/class_tally.h"
#include "ui/shell/guide/guide_panel.h"
#include "ui/shell/guide/lesson_panel.h"
#include "ui/shell/guide/tour.h"
#include "ui/shell/held_picture.h"
#include "ui/shell/import_card.h"
#include "ui/shell/mark_walk.h"
#include "ui/shell/palette/palette.h"
#include "ui/shell/panel/panel.h"
#include "ui/shell/stage_tools.h"
#include "ui/shell/status.h"
#include "ui/shell/view.h"

#include <functional>
#include <map>
#include <memory>

namespace ringside
{

// What a browser leaves of a command.
enum class InBrowser : std::uint8_t
{
    same,
    without_key, // its key is the browser's
    none
};

struct CommandInfo
{
    std::string_view name;
    std::string_view key; // as people read it
    ImGuiKeyChord chord;  // none where `typed` is given
    char typed;           // a character, wherever the keyboard has it; 0: none
    void (*run)(const Frame&, Out&);
    bool of_scenario = false; // its key is free in views that are not about the scenario
    InBrowser in_browser = InBrowser::same;
};
// Commands of the whole window; keys, palette and key help all read this table.
std::span<const CommandInfo> commands();

class Shell
{
public:
    // Applies what was asked for so far and gives the frame that follows from it.
    using Settle = std::function<Frame(Out&)>;
    // Fills the whole display. `look` is for this frame. The panel comes first and is settled before the
    // picture is drawn, so that a slider and everything that follows from it move in the same frame.
    void draw(const Frame& frame, const Look& look, const Settle& settle, Out& out);
    View& view(std::string_view id);
    // The motion of the view on show.
    Motion motion(const Frame& frame) { return view(frame.view).motion(frame); }
    Caption caption(const Frame& frame) { return view(frame.view).caption(frame); }
    Palette& palette() { return palette_; }
    Tour& tour() { return tour_; }
    // Asks a view to show one of its pages or things; nothing where it has none of that name.
    void show(std::string_view view_id, std::string_view id) { view(view_id).show(id); }
    GuidePanel& guide() { return guide_; }
    // What the view named in the last frame of a lesson.
    const std::vector<NamedPart>& named() const { return named_; }

private:
    struct Parts
    {
        Rect rail, title, picture, caption, panel, status;
        Rect guide; // beside the picture, or in its place
        Rect band;  // of a lesson, below the picture
        Rect asked; // of a class, at the foot
        bool rail_words = true;
        bool has_panel = true;
    };

    // All but what lies over the window; the frame that follows from its panel.
    Frame draw_main(const Frame& frame, const Look& look, const Settle& settle, Out& out);
    // A mouse that lies still while another picture comes is not pointing at it.
    bool mouse_rests(const Frame& frame);
    // With figures hidden where a class has still to guess them.
    Look look_for(const Frame& frame, Look look) const;
    void draw_window(const Frame& frame, const Painter& painter, const Parts& parts, const ViewInfo& info,
                     Out& out);
    // The status, and in a lesson its question; `plain` shows all figures.
    void draw_foot(const Frame& frame, const Painter& painter, const Painter& plain, const Parts& parts,
                   const Motion& motion, Out& out);
    // The view's picture, or while it is frozen what was drawn of it then.
    void draw_picture(const Frame& frame, const Painter& painter, Rect area, View& shown, Out& out);
    static bool is_frozen(const Frame& frame);
    Parts layout(const Frame& frame, const Look& look, ImVec2 size) const;
    static void lay_out_lesson(const LessonFrame& lesson, const Look& look, float wide, Parts& parts,
                               Rect& all);
    void draw_rail(const Frame& frame, const Painter& painter, const Parts& parts, Out& out);
    void draw_title(const Frame& frame, const Painter& painter, const Parts& parts, const ViewInfo& info,
                    Out& out);
    // At the right end of a title row: the guide and the keys; left of them comparing, a quiz and the panel,
    // each at the same place in every view that has it. A presenter's row has none of them.
    void draw_title_keys(const Painter& painter, bool presenter, Rect& row);
    void draw_title_buttons(const Frame& frame, const Painter& painter, const Parts& parts, Rect& row,
                            Out& out);
    // Above the picture, while it is shown for a question: how to go back to that.
    static void draw_back_strip(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_caption(const Frame& frame, const Painter& painter, Rect area, const View& view);
    void draw_status(const Frame& frame, const Painter& painter, Rect area, const Motion& motion, Out& out);
    // Facts in a row with lines between them, as many as there is room for.
    static void draw_facts(const Frame& frame, const Painter& painter, Rect area,
                           std::span<const StatusFact> facts, bool first);
    void draw_verdict(const Frame& frame, const Painter& painter, Rect& area, const View& shown);
    static void draw_speed(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_transport(const Frame& frame, const Painter& painter, Rect area, const Motion& motion,
                        Out& out);
    void draw_issues(const Frame& frame, const Painter& painter, Rect& area);
    void draw_issue_list(const Frame& frame, const Painter& painter, ImVec2 corner, bool on_button);
    // The control of a field gets the keyboard, under More where it has none of its own.
    void show_field(const std::string& path);
    // What a running lesson keeps from sight in this frame.
    void follow_lesson(const Frame& frame);
    // The view on show is the one the step brings.
    static bool is_own_view(const Frame& frame);
    // What a running lesson has in place of title, picture and status.
    void draw_lesson_title(const Frame& frame, const Painter& painter, const Parts& parts);
    void draw_lesson_picture(const Frame& frame, const Painter& painter, Rect area, View& view, Out& out);
    void draw_lesson_status(const Frame& frame, const Painter& painter, Rect area, const Motion& motion,
                            Out& out);
    // What the scene of a demonstration says, over the picture.
    static void draw_scene(const Frame& frame, const Painter& painter, Rect& picture);
    void draw_fault_banner(const Frame& frame, const Painter& painter, Rect area, bool dim, Out& out);
    // A fault lies over the picture until it is closed or something else succeeds.
    void take_fault(const Notice& notice);
    void draw_fault(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void close_fault(const Frame& frame, Out& out);
    // A notice that is wider than its place in the strip wraps above it; what is left for the strip.
    static std::string draw_notice(const Frame& frame, const Painter& painter, Rect strip);
    void draw_palette(const Frame& frame, const Painter& painter, const Parts& parts, Out& out);
    void draw_tour(const Frame& frame, const Painter& painter, const Parts& parts, Out& out);
    void draw_help(const Frame& frame, const Painter& painter, const ViewInfo& info, Out& out);
    void keys(const Frame& frame, const Motion& motion, View& view, Out& out);
    // True when Esc closed something, so that it does nothing else.
    bool keys_always(const Frame& frame, Out& out);
    // Only the innermost of what is open; false when nothing is.
    bool close_innermost(const Frame& frame, Out& out);
    // Esc ends what is on for a class; true when there was something.
    static bool close_stage(const Frame& frame, Out& out);
    // Page keys, as clickers send them; true when one was pressed.
    static bool keys_of_clicker(const Frame& frame, const View& view, Out& out);
    // The clicker's key for a black screen; true when the keys of this frame are its own.
    static bool keys_of_black(const Frame& frame, Out& out);
    static void keys_of_commands(const Frame& frame, const ViewKeys& own, bool about_scenario, bool typing,
                                 Out& out);
    // What the lesson or the view makes of keys while a text is typed, or with Alt.
    void keys_while_typing(const Frame& frame, View& view, Out& out);
    void leave_view(const Frame& frame);
    void drop_lost_focus();
    void keep_keys_from_widgets();
    static bool has_rail(const Frame& frame, const Look& look);
    void draw_panel(const Frame& frame, const Painter& painter, Rect area, const ViewInfo& info, Out& out);
    void draw_panel_over(const Frame& frame, const Painter& painter, Rect area, const ViewInfo& info,
                         Out& out);
    static void keys_of_motion(const Frame& frame, const Motion& motion, Out& out);

    std::map<std::string, std::unique_ptr<View>, std::less<>> views_;
    Panel panel_;
    LessonPanel lesson_;
    StageTools stage_;
    MarkWalk walk_;
    HeldPicture held_;           // while the window is frozen
    HeldPicture::Of drawn_last_; // by the view itself, before it was frozen
    Caption caption_;            // of caption_of_, a view; it stays while that is frozen
    std::string caption_of_;
    ClassTally tally_;
    ClassCurve curve_;
    LessonCover cover_;             // of this frame; empty: no lesson runs, or it hides nothing
    std::vector<std::string> said_; // numbers in the step's words, which stay while others are hidden
    std::vector<NamedPart> named_;  // parts of the picture of this frame
    Tween ring_;
    std::string ring_of_;         // the step that ring_ eases in for
    bool popup_was_open_ = false; // when the last frame ended: ImGui closes it before a frame is ours
    bool space_plays_ = false;    // as the last frame's keys were read
    std::string shown_view_;      // of the last frame
    bool view_changed_ = false;   // and Tab has still to begin at its first control
    std::string shown_place_;     // view, page, scene or step of the last frame
    bool mouse_rests_ = false;    // since that changed
    ImVec2 mouse_at_{0, 0};       // in the last frame
    bool panel_over_ = false;     // shown over the picture where there is no room beside it
    bool help_open_ = false;
    bool issues_open_ = false;
    Notice fault_;            // on show; empty: none
    Notice seen_;             // the last notice
    float help_height_ = 480; // of what it shows, once it has been drawn
    GuidePanel guide_;
    ImportCard import_;
    Palette palette_;
    Tour tour_;
    std::vector<NamedPart> window_parts_; // of this frame, for the tour
};

} // namespace ringside
