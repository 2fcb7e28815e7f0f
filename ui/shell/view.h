// A view answers one question with one picture, one sentence and one formula. One file in ui/views each.
//
// A view's own key goes before the window's of the same name; while a text field has the keyboard, letters
// belong to it and Alt makes them keys (typing_keys). Punctuation keys are read as characters, because `?`,
// `[` and `,` sit on different keys of different keyboards.
#pragma once

#include "core/base/names.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside
{

struct Score;
struct Training;
class TimeZoom;

// How a view moves. Its playback clock counts in its own units (steps, time units, ZeRO stages).
struct Motion
{
    double duration = 0;            // 0: the view does not move, and has no transport
    double per_second = 1;          // units a second at speed 1
    std::vector<double> stops = {}; // where stepping stops, ascending; empty: whole units
    std::string label = {};         // "step 5/14"
    int rounds = 1;                 // how often playing runs through before it stops
    double rest = 0;                // where the clock stands until the user moves it
    std::string pace = {}; // shown in place of the speed where that is not a user's to choose: "live"
};

// The next stop of a motion after t (direction 1) or before it (-1).
double next_stop(const Motion& motion, double t, int direction);

// The sentence may mark **strong** and !!warning!! words; the formula is drawn in mono below it.
struct Caption
{
    std::string sentence;
    std::string formula;
    std::string source; // shown when the formula is pointed at
};

// Memory of one GPU against what it has.
struct GpuMemory
{
    Bytes needed;
    Bytes capacity;
};

struct KeyPress
{
    const Frame& frame;
    Out& out;
    std::size_t which; // of the row's keys, from 0
};

// A row names keys ("Y", "W S", "1 \u2026 4", "Enter") or what is done with the mouse ("drag"), which only
// helps. Enter and arrows belong to a widget that has the keyboard; Space is never a widget's where a row or
// the transport has it.
struct ViewKey
{
    std::string_view key;
    std::string_view does;
    std::function<void(const KeyPress&)> act = {};
    bool repeats = false; // while it is held

    ViewKey(std::string_view a_key, std::string_view what) : key(a_key), does(what) {}
    template <class Act>
    ViewKey(std::string_view a_key, std::string_view what, Act action, bool again = false)
        : key(a_key), does(what), repeats(again)
    {
        if constexpr (std::is_invocable_v<Act&, const KeyPress&>)
        {
            act = std::move(action);
        }
        else
        {
            act = [action = std::move(action)](const KeyPress&) mutable { action(); };
        }
    }
};
using ViewKeys = std::vector<ViewKey>;

// Whether one of the rows names Space.
bool have_space(std::span<const ViewKey> keys);
// Does what the keys pressed in this frame do.
void do_keys(std::span<const ViewKey> keys, const Frame& frame, Out& out);

// The next of `count`, and the first after the last.
template <class E>
void turn(E& value, std::size_t count)
{
    value = static_cast<E>((static_cast<std::size_t>(value) + 1) % count);
}

template <class E>
auto turns(E& value, std::size_t count)
{
    return [&value, count] { turn(value, count); };
}
inline auto flips(bool& on)
{
    return [&on] { on = !on; };
}
// Asks for the scenario with its training changed.
void change_training(const KeyPress& press, const std::function<void(Training&)>& change);
// W S A D F of a timeline that is `length` long.
void add_zoom(ViewKeys& keys, TimeZoom& zoom, std::function<double(const Frame&)> length);

class View
{
public:
    View() = default;
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    virtual ~View() = default;

    virtual void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) = 0;
    virtual Caption caption(const Frame& frame) const = 0;
    virtual Motion motion(const Frame&) const { return {}; }
    // What its motion sounds like, in the units of its clock (core/base/sound/score.h); null: nothing. The
    // same score is the same pointer.
    virtual std::shared_ptr<const Score> sound(const Frame&) const { return {}; }
    // The lower part of the panel. False: nothing of its own, so the shell says what the scenario costs.
    virtual bool draw_panel(const Frame&, const Painter&, Rect, Out&) { return false; }
    // False: the scenario has no part in this view, so its panel, status, faults and keys stay away, and
    // draw_panel has the whole panel. holds_while_invalid and panel_height are asked only then.
    virtual bool about_scenario() const { return true; }
    // Whether what was drawn last holds although the scenario is invalid.
    virtual bool holds_while_invalid() const { return false; }
    virtual float panel_height() const { return 736; }           // [design px] with less the panel scrolls
    virtual std::string title(const Frame&) const { return {}; } // of its page; empty: that of its ViewInfo
    // In the status strip. A view about the scenario that gives none has those of the training's layout
    // there; with facts of its own it says its own memory, or none.
    virtual std::vector<std::string> facts(const Frame&) const { return {}; }
    virtual std::optional<GpuMemory> gpu_memory(const Frame&) const { return {}; }
    // Keys of this view only, as the help shows them.
    virtual ViewKeys keys() { return {}; }
    // Does what they do; called when no text field has the keyboard.
    virtual void on_keys(const Frame& frame, Out& out) { do_keys(keys(), frame, out); }
    // Keys while a text field has the keyboard, or Alt is held: what is typed belongs to the field.
    virtual void typing_keys(const Frame&, Out&) {}
    // Shows one of its pages, by its name in ViewInfo::pages, or one of its things. Nothing when it has none
    // of that name.
    virtual void show(std::string_view) {}
    // The page it shows, as in ViewInfo::pages; empty where it has none.
    virtual std::string_view page_on_show() const { return {}; }
};

// What the session has to know of a view; it knows none by its name.
enum class ViewRole : std::uint8_t
{
    other,
    lab,   // its clock is the steps of the live lab, which wakes for it
    ranks, // the same of the ranks that train
    study, // where sessions of study begin and end
    drill, // a session of study, with its clock; so are the next two
    mock,
    spoken,
    measured, // measured steps that the user pastes
    run,      // a real run's files
    hangs,    // where its flight recorders' dumps are shown
    message   // and its table of nccl-tests
};

// The panel's controls, by id; the rest is under More.
class ControlIds
{
public:
    constexpr ControlIds(std::initializer_list<std::string_view> ids) : count_(ids.size())
    {
        std::copy(ids.begin(), ids.end(), ids_.begin());
    }
    const std::string_view* begin() const { return ids_.data(); }
    const std::string_view* end() const { return ids_.data() + count_; }
    bool empty() const { return count_ == 0; }

private:
    std::array<std::string_view, 8> ids_{};
    std::size_t count_;
};

// What a page opens with where the scenario of the user has nothing to show there, as one without experts
// has nothing to say of experts. The user's own is a key away, and is never changed by this.
struct Opening
{
    std::string_view place; // a page, or a view without pages
    std::string_view name;  // of what is shown: "DeepSeek-V3"
    // Valid, or nothing where the own scenario shows something.
    std::optional<Scenario> (*make)(const Scenario& own, const Presets& presets);
    bool plays = false; // from the start to where it rests
};
// A shipped scenario; nothing where the assets have none of this id.
std::optional<Scenario> shipped_scenario(const Presets& presets, std::string_view id);
// DeepSeek-V3, where a model has no experts.
std::optional<Scenario> deepseek_for_experts(const Scenario& own, const Presets& presets);

template <class Shown>
std::unique_ptr<View> make_view()
{
    return std::make_unique<Shown>();
}

// Entries of the rail, from top to bottom.
enum class ViewGroup : std::uint8_t
{
    overview,
    memory,
    pipeline,
    network,
    parallelism,
    performance,
    planner,
    training,
    scaling,
    reliability,
    serving,
    post_training,
    lab,
    study
};
template <>
inline constexpr auto kNamesOf<ViewGroup> = names<ViewGroup>("Overview", "Memory", "Pipeline", "Network",
                                                             "Parallelism", "Performance", "Planner",
                                                             "Training", "Scaling", "Reliability", "Serving",
                                                             "Post-training", "Lab", "Study");

struct ViewInfo
{
    int order;           // inside the group; in tens, so that another fits between two
    std::string_view id; // "memory"
    ViewGroup group;
    std::string_view tab;         // inside the group
    std::string_view title;       // the question it answers
    std::string_view description; // one line
    ControlIds controls;
    std::unique_ptr<View> (*make)();
    std::span<const std::string_view> pages = {}; // "optimizer/rate"; the first is the one it opens with
    ViewRole role = ViewRole::other;
    std::span<const Opening> openings = {};
};

// Every view, in order. Generated from the files in ui/views.
std::span<const ViewInfo* const> views();
// The name of a place that may have had another in an earlier version.
std::string_view place_now(std::string_view place);
// By its id, or by one of its pages; null when there is none of either.
const ViewInfo* find_view(std::string_view place);
// What this view or page opens with; null where it always shows the scenario.
const Opening* find_opening(std::string_view place);
// The id of the view that has this role.
std::string id_of(ViewRole role);
// Ids and pages of all views, former names last.
std::vector<std::string_view> view_places();
// Which of a view's pages has this name.
std::optional<std::size_t> page_index(std::span<const std::string_view> pages, std::string_view name);
template <class Page>
std::string_view name_at(Page page, std::span<const std::string_view> pages)
{
    return pages[static_cast<std::size_t>(page)];
}
// Pages are numbered as in the list; nothing happens where none has this name.
template <class Page>
void turn_to(Page& page, std::span<const std::string_view> pages, std::string_view name)
{
    if (const auto index = page_index(pages, name))
    {
        page = static_cast<Page>(*index);
    }
}

} // namespace ringside
