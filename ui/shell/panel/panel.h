// The scenario panel: presets, sliders with typed entry, every other field under More, faults beside their
// field.
//
// Sliders stop only where the scenario is valid; typed values may break it, and get the fault at their field
// with the nearest values that work. A bad number is an Issue; the last good report stays on screen, veiled.
#pragma once

#include "core/scenario/choices.h"
#include "core/scenario/fields.h"
#include "core/scenario/fit.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"

#include <map>

namespace ringside
{

class Panel
{
public:
    void draw(const Frame& frame, const Painter& window, Rect area, const ViewInfo& info, View& view,
              Out& out);
    // The whole panel for a view that the scenario has no part in.
    static void draw_own(const Frame& frame, const Painter& window, Rect area, View& view, Out& out);
    // Only the controls of these fields, from the top of `area`; returns the height they take.
    float draw_fields(const Frame& frame, const Painter& painter, Rect area,
                      std::span<const std::string> paths, Out& out);
    // Only the control of this field, and its faults.
    float draw_field(const Frame& frame, const Painter& painter, Rect area, std::string_view path, Out& out);
    // What would mend a fault of the scenario, each by one button.
    const std::vector<Correction>& remedies_for(const Frame& frame, const Issue& issue);
    // For tests and the key M.
    void toggle_more() { more_ = !more_; }
    // The control of a field gets the keyboard at the next draw, under More where the view has none of its
    // own.
    void reveal(std::string path) { reveal_ = std::move(path); }

private:
    struct Column : PanelColumn
    {
        Column(const Frame& a_frame, const Painter& painter, Rect area, Out& an_out)
            : PanelColumn(painter, area, an_out.animating), frame(a_frame), out(an_out)
        {
        }

        const Frame& frame;
        Out& out;
    };

    void draw_heading(Column& column);
    void draw_menu(Column& column);
    void draw_control(Column& column, std::string_view id);
    void draw_control_of(Column& column, std::string_view path);
    void open_for_reveal(const ViewInfo& info);
    void focus_if_revealed(std::string_view path);
    void draw_knob(Column& column, std::string_view path, Knob knob);
    void draw_model_size(Column& column);
    void draw_model_preset(Column& column);
    void draw_gpu_preset(Column& column);
    void draw_software(Column& column);
    // False when the field is none that slides.
    bool draw_slide(Column& column, std::string_view path);
    template <class S>
    void draw_slide(Column& column, std::string_view path, Scenario& next, S& object, const Field<S>& field);
    void draw_field(Column& column, std::string_view path);
    template <class S>
    void draw_toggle(Column& column, const std::string& path, Scenario& next, S& object,
                     const Field<S>& field);
    template <class S>
    void draw_choice(Column& column, const std::string& path, Scenario& next, S& object,
                     const Field<S>& field);
    template <class S>
    void draw_typed(Column& column, const std::string& path, Scenario& next, S& object,
                    const Field<S>& field);
    void draw_section(Column& column, const char* title, std::string_view section);
    void draw_more(Column& column);
    void draw_faults(Column& column, std::string_view path);
    void draw_remedies(Column& column, const Issue& issue);
    void draw_other_faults(Column& column);
    void draw_memory_cost(Column& column);
    void draw_costs(Column& column);
    // A popup under `under`, with a filter where there are many; returns the index chosen.
    std::optional<std::size_t> list_popup(const Painter& painter, const char* id,
                                          std::span<const TipLine> items, Rect under);
    const std::vector<std::int64_t>& stops(const Scenario& scenario, Knob knob);
    bool has_fault(const Frame& frame, std::string_view path) const;
    void change(Column& column, Scenario next, bool dragging = false);
    void change(Column& column, ChangeScenario next);
    void change_field(Column& column, std::string_view path, Scenario next);
    void refuse(std::string_view path, std::string message);

    bool more_ = false;
    std::string reveal_; // path of the field
    std::map<std::string, bool, std::less<>> open_sections_;
    std::array<char, 48> filter_{};
    Scenario stops_of_; // the legal stops below belong to this scenario
    std::map<Knob, std::vector<std::int64_t>> stops_;
    Scenario remedies_of_; // the remedies below belong to this scenario
    std::map<std::string, std::vector<Correction>, std::less<>> remedies_; // by path and message of the fault
    std::string refused_path_; // what was typed and is no number, or out of range
    std::string refused_;
    std::vector<std::string> drawn_; // paths drawn this frame, so that other faults get a place too
};

// Id of the view whose panel has the control of a field: `shown` where it does, else the first; where none
// has it, one that has every field under More.
std::string view_with_control(std::string_view path, const std::string& shown);

// A preset's model in this scenario. The session makes the layout suit it.
ChangeScenario with_model(const Scenario& scenario, const Model& model);
// The slider's model: a sensible shape of about this many parameters.
ChangeScenario with_model_size(const Scenario& scenario, double parameters, bool dragging);

} // namespace ringside
