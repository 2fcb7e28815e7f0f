// One file, since it is one class: the sections of the panel share its scroll, focus and search.
#include "ui/shell/panel/panel.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/network/collective/cost.h"
#include "core/pipeline/simulate.h"
#include "ui/draw/scopes.h"
#include "ui/shell/panel/panel_fields.h"
#include "ui/widgets/choice.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Least room for a view's own part of the panel [design px]: below it the panel scrolls.
constexpr float kOwnHeight = 430;

struct KnobRow
{
    std::string_view id;   // as views name it
    std::string_view path; // of the field, for faults
    Knob knob;
};
constexpr std::array<KnobRow, 8> kKnobs{{{"gpus", "cluster.gpus", Knob::gpus},
                                         {"tensor", "parallel.tensor", Knob::tensor},
                                         {"context", "parallel.context", Knob::context},
                                         {"pipeline", "parallel.pipeline", Knob::pipeline},
                                         {"chunks", "parallel.chunks", Knob::chunks},
                                         {"expert", "parallel.expert", Knob::expert},
                                         {"micro_batch", "training.micro_batch", Knob::micro_batch},
                                         {"micro_batches", "training.global_batch", Knob::micro_batches}}};

struct Section
{
    const char* title;
    std::string_view path;
};
constexpr std::array<Section, 8> kSections{{{"Layout", "parallel"},
                                            {"Training", "training"},
                                            {"Adapters", "training.lora"},
                                            {"Cluster", "cluster"},
                                            {"GPU", "cluster.gpu"},
                                            {"Model shape", "model"},
                                            {"Pipeline times", "stage_times"},
                                            {"Collective", "collective"}}};

// The path of the field that a view's control moves.
std::string_view path_of(std::string_view control)
{
    const auto knob = std::find_if(kKnobs.begin(), kKnobs.end(),
                                   [control](const KnobRow& row) { return row.id == control; });
    return knob == kKnobs.end() ? control : knob->path;
}

bool has_control(const ViewInfo& info, std::string_view path)
{
    return std::any_of(info.controls.begin(), info.controls.end(),
                       [path](std::string_view control) { return path_of(control) == path; });
}

} // namespace

std::string view_with_control(std::string_view path, const std::string& shown)
{
    const auto all = views();
    const ViewInfo* now = find_view(shown);
    const auto has = std::find_if(all.begin(), all.end(),
                                  [path](const ViewInfo* info) { return has_control(*info, path); });
    const bool here =
        now != nullptr && !now->controls.empty() && (has == all.end() || has_control(*now, path));
    return here ? shown : std::string(has == all.end() ? all.front()->id : (*has)->id);
}

void Panel::open_for_reveal(const ViewInfo& info)
{
    const std::string section = reveal_.substr(0, reveal_.rfind('.'));
    if (reveal_.empty() || has_control(info, reveal_))
    {
        return;
    }
    for (const Section& s : kSections)
    {
        if (s.path == section)
        {
            more_ = open_sections_[s.title] = true;
        }
    }
}

void Panel::focus_if_revealed(std::string_view path)
{
    if (path != reveal_)
    {
        return;
    }
    focus_last_item(); // ImGui's own way to give the keyboard would press the control too
    reveal_.clear();
}

void Panel::change(Column& column, Scenario next, bool dragging)
{
    change(column, ChangeScenario{std::move(next), dragging, {}});
}

void Panel::change(Column& column, ChangeScenario next)
{
    refused_path_.clear();
    if (next.scenario != column.frame.scenario)
    {
        column.out.push(std::move(next));
    }
}

void Panel::refuse(std::string_view path, std::string message)
{
    refused_path_ = path;
    refused_ = std::move(message);
}

bool Panel::has_fault(const Frame& frame, std::string_view path) const
{
    return refused_path_ == path ||
           std::any_of(frame.issues.begin(), frame.issues.end(),
                       [path](const Issue& i) { return i.severity == Severity::error && i.path == path; });
}

const std::vector<Correction>& Panel::remedies_for(const Frame& frame, const Issue& issue)
{
    if (frame.scenario != remedies_of_)
    {
        remedies_.clear();
        remedies_of_ = frame.scenario;
    }
    const auto [found, fresh] = remedies_.try_emplace(issue.path + " " + issue.message);
    if (fresh)
    {
        found->second = remedies(frame.scenario, issue);
    }
    return found->second;
}

void Panel::draw_remedies(Column& column, const Issue& issue)
{
    constexpr std::size_t kMost = 3;
    const auto& all = remedies_for(column.frame, issue);
    for (std::size_t i = 0; i < std::min(kMost, all.size()); ++i)
    {
        const std::string label = fmt::format("{}###remedy {} {}", all[i].label, issue.path, i);
        if (button(column.p, column.row(32), label.c_str(), {},
                   i == 0 ? ButtonStyle::primary : ButtonStyle::plain))
        {
            change(column, {all[i].after, false, all[i].label + "; Ctrl Z goes back"});
            return; // they belong to the scenario that was
        }
        column.row(6);
    }
}

void Panel::draw_faults(Column& column, std::string_view path)
{
    drawn_.emplace_back(path);
    focus_if_revealed(path); // of its control, which was drawn last
    const Painter& p = column.p;
    const auto say = [&](std::string_view message, std::string_view hint, Colour colour)
    {
        const Rect rest = column.rest();
        float used = p.paragraph({rest.x, rest.y, rest.w, 0}, Type::small, colour, message);
        used += hint.empty()
                    ? 0
                    : p.paragraph({rest.x, rest.y + used, rest.w, 0}, Type::small, p.theme.muted, hint);
        column.take(used);
        column.row(8);
    };
    if (refused_path_ == path)
    {
        say(refused_, "", p.theme.warning);
    }
    const Issue* first = nullptr;
    for (const Issue& issue : column.frame.issues)
    {
        if (issue.path == path && issue.severity == Severity::error)
        {
            say(issue.message, issue.hint, p.theme.warning);
            first = first != nullptr ? first : &issue;
        }
    }
    if (first != nullptr)
    {
        draw_remedies(column, *first); // once, however many faults a field has
    }
}

void Panel::draw_other_faults(Column& column)
{
    std::vector<std::string> places;
    for (const Issue& issue : column.frame.issues)
    {
        if (issue.severity == Severity::error &&
            std::find(drawn_.begin(), drawn_.end(), issue.path) == drawn_.end() &&
            std::find(places.begin(), places.end(), issue.path) == places.end())
        {
            places.push_back(issue.path);
        }
    }
    for (const std::string& path : places)
    {
        const Painter& p = column.p;
        const Rect r = column.row(24);
        p.triangle(r.x, r.middle(), p.theme.warning);
        p.text(r.x + p.px(22), r.middle(), Type::mono_small, p.theme.warning, path);
        draw_faults(column, path);
    }
}

void Panel::draw_control(Column& column, std::string_view id)
{
    const auto knob =
        std::find_if(kKnobs.begin(), kKnobs.end(), [id](const KnobRow& row) { return row.id == id; });
    if (knob != kKnobs.end())
    {
        draw_knob(column, knob->path, knob->knob);
    }
    else if (id == "model")
    {
        draw_model_preset(column);
    }
    else if (id == "model_size")
    {
        draw_model_size(column);
    }
    else if (id == "gpu")
    {
        draw_gpu_preset(column);
    }
    else if (id == "software")
    {
        draw_software(column);
    }
    else if (!draw_slide(column, id))
    {
        draw_field(column, id);
    }
}

void Panel::draw_control_of(Column& column, std::string_view path)
{
    const auto knob =
        std::find_if(kKnobs.begin(), kKnobs.end(), [&](const KnobRow& row) { return row.path == path; });
    draw_control(column, knob != kKnobs.end() ? knob->id : path == "cluster.gpu" ? "gpu" : path);
}

float Panel::draw_fields(const Frame& frame, const Painter& painter, Rect area,
                         std::span<const std::string> paths, Out& out)
{
    Column column{frame, painter, area, out};
    drawn_.clear();
    for (const std::string& path : paths)
    {
        draw_control_of(column, path);
    }
    draw_other_faults(column);
    return column.y() - area.y;
}

float Panel::draw_field(const Frame& frame, const Painter& painter, Rect area, std::string_view path,
                        Out& out)
{
    Column column{frame, painter, area, out};
    drawn_.clear();
    draw_control_of(column, path);
    return column.y() - area.y;
}

void Panel::draw_section(Column& column, const char* title, std::string_view section)
{
    const Painter& p = column.p;
    bool& open = open_sections_.try_emplace(title, section == "training").first->second;
    const Rect r = column.row(32);
    const Press pressed = press(p, r, (std::string(title) + "###section " + title).c_str());
    p.text(r.x, r.middle(), Type::small_strong, p.theme.text,
           fmt::format("{}  {}", open ? "\u25bc" : "\u25b6", title));
    open = pressed.clicked ? !open : open;
    if (!open)
    {
        return;
    }
    // Not a second time where the view has it among its controls.
    const auto drawn = [&](std::string_view path)
    { return std::find(drawn_.begin(), drawn_.end(), path) != drawn_.end(); };
    if (section == "cluster.gpu" && !drawn(section))
    {
        draw_gpu_preset(column);
    }
    if (section == "cluster.gpu" && !drawn("software"))
    {
        draw_software(column);
    }
    for (const std::string& path : fields_in(column.frame.scenario, section))
    {
        if (!drawn(path))
        {
            draw_field(column, path);
        }
    }
}

void Panel::draw_more(Column& column)
{
    for (const Section& section : kSections)
    {
        draw_section(column, section.title, section.path);
    }
}

void Panel::draw_menu(Column& column)
{
    const Painter& p = column.p;
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{p.px(8), p.px(8)});
    const PopupScope popup("scenario menu");
    if (!popup)
    {
        return;
    }
    const FontScope font(p.look.fonts.of(Type::small));
    struct Entry
    {
        const char* label;
        const char* key;
        Command command;
        bool enabled;
    };
    const std::array entries{Entry{"Undo", "Ctrl+Z", Command::undo, column.frame.can_undo},
                             Entry{"Redo", "Ctrl+Y", Command::redo, column.frame.can_redo},
                             Entry{"Copy as text", "Ctrl+C", Command::copy, true},
                             Entry{"Copy a link", "Ctrl+L", Command::copy_link, true},
                             Entry{"Paste", "Ctrl+V", Command::paste, true},
                             Entry{"Reset to the default", "Ctrl+0", Command::reset, true}};
    for (const Entry& entry : entries)
    {
        if (ImGui::MenuItem(entry.label, entry.key, false, entry.enabled))
        {
            column.out.push(entry.command);
        }
    }
    ImGui::Separator();
    for (const ScenarioPreset& preset : column.frame.presets.scenarios)
    {
        if (ImGui::MenuItem(preset.name.c_str()))
        {
            column.out.push(LoadScenario{preset.id});
        }
        tooltip(p, preset.about);
    }
}

void Panel::draw_heading(Column& column)
{
    const Painter& p = column.p;
    Rect r = column.row(32);
    const Rect menu = r.cut_right(p.px(32));
    r.cut_right(p.px(4));
    const Rect redo = r.cut_right(p.px(32));
    const Rect undo = r.cut_right(p.px(32));
    p.text_within(r.x, r.middle(), r.w, Type::body_strong, p.theme.text, "Scenario");
    const auto icon =
        [&](Rect box, const char* id, std::string_view glyph, bool enabled, std::string_view says)
    {
        const Press pressed = press(p, box, id);
        if (pressed.hovered)
        {
            p.fill(box, p.theme.raised, p.px(6));
        }
        p.text(box.centre(), box.middle(), Type::body, enabled ? p.theme.text : p.theme.line, glyph,
               Align::centre);
        tooltip(p, says);
        return pressed.clicked;
    };
    if (icon(undo, "Undo", "\u21b6", column.frame.can_undo, "Undo (Ctrl+Z)"))
    {
        column.out.push(Command::undo);
    }
    if (icon(redo, "Redo", "\u21b7", column.frame.can_redo, "Redo (Ctrl+Y)"))
    {
        column.out.push(Command::redo);
    }
    if (icon(menu, "Scenario menu", "\u22ef", true, "Copy, paste, reset, examples"))
    {
        ImGui::OpenPopup("scenario menu");
    }
    draw_menu(column);
    column.row(8);
}

void Panel::draw_memory_cost(Column& column)
{
    const Painter& p = column.p;
    const MemoryReport& memory = column.frame.now.report->memory;
    const double total = memory.worst().total().value;
    const double capacity = memory.capacity.value;
    Rect r = column.row(48);
    const std::string unit(p.look.gigabyte());
    p.text(r.x, r.middle(), Type::display, memory.fits() ? p.theme.text : p.theme.warning,
           format_gigabytes(Bytes(total), p.look.unit) + " " + unit);
    r = column.row(24);
    p.text_within(
        r.x, r.middle(), r.w, Type::small, p.theme.muted,
        fmt::format("of {} {} per GPU", plain_number(in_gigabytes(Bytes(capacity), p.look.unit)), unit));
    r = column.row(24);
    p.meter({r.x, r.middle() - p.px(4), r.w, p.px(8)}, total, capacity, std::max(total, capacity * 1.15));
    column.row(8);
}

void Panel::draw_costs(Column& column)
{
    const Painter& p = column.p;
    const Rect r = column.row(32);
    p.text(r.x, r.middle(), Type::body_strong, p.theme.text, "Peak memory");
    if (!column.frame.valid())
    {
        const Rect none = column.row(32);
        p.text_within(none.x, none.middle(), none.w, Type::body, p.theme.muted, "\u2013 does not compute");
        return;
    }
    draw_memory_cost(column);
    const Evaluated* a = column.frame.before;
    const auto line = [&](std::string_view label, auto&& of)
    {
        const std::string value = of(column.frame.now);
        const std::string before = a != nullptr ? of(*a) : std::string();
        const Rect row = column.row(28);
        p.text(row.x, row.middle(), Type::small, p.theme.muted, label);
        const float w =
            p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, value, Align::right);
        if (!before.empty() && before != value)
        {
            p.text(row.right() - w - p.px(8), row.middle(), Type::mono_small, p.theme.muted,
                   before + " \u2192", Align::right);
        }
    };
    if (a != nullptr)
    {
        line("Memory", [&](const Evaluated& e)
             { return format_gigabytes(e.report->memory.worst().total(), p.look.unit); });
    }
    line("Parameters",
         [](const Evaluated& e) { return format_count(static_cast<double>(e.report->parameters.total)); });
    line("Data parallel", [](const Evaluated& e) { return grouped(data_parallel(e.scenario)); });
    line("Micro-batches", [](const Evaluated& e) { return grouped(micro_batches(e.scenario)); });
    line("Bubble of the step",
         [](const Evaluated& e) { return format_percent(explain_step_bubble(*e.report).value); });
    line("EFLOPs per step",
         [](const Evaluated& e) { return format_count(e.report->compute.model_step.value / 1e18); });
    line("All-reduce", [](const Evaluated& e) { return format_seconds(e.report->collective->cost.total()); });
}

void Panel::draw(const Frame& frame, const Painter& window, Rect area, const ViewInfo& info, View& view,
                 Out& out)
{
    window.fill(area, window.theme.panel);
    window.line(area.x, area.y, area.x, area.bottom(), window.theme.grid);
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###panel", {area.w, area.h});
    // What is set keeps its figures when those of what follows are hidden.
    Look open = window.look;
    open.hide_numbers = false;
    const Painter painter(*ImGui::GetWindowDrawList(), open);
    const Painter of_view(*ImGui::GetWindowDrawList(), window.look);
    const float margin = painter.px(24);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    Column column{frame, painter, {top.x + margin, top.y + painter.px(16), area.w - 2 * margin, 1e6F}, out};
    drawn_.clear();
    draw_heading(column);
    open_for_reveal(info);
    for (const std::string_view id : info.controls)
    {
        draw_control(column, id);
    }
    Rect r = column.row(24);
    const Scenario& s = frame.scenario;
    painter.text_within(r.x, r.middle(), r.w, Type::small, painter.theme.muted,
                        frame.valid() ? fmt::format("DP {}, {}", grouped(data_parallel(s)),
                                                    counted(micro_batches(s), "micro-batch"))
                                      : "");
    r = column.row(28);
    const Press pressed = press(painter, r, "More###more");
    painter.text(r.x, r.middle(), Type::small_strong, painter.theme.text,
                 more_ ? "Less  \u25b2" : "More  \u25bc");
    tooltip(painter, "Every field of the scenario (M)");
    more_ = pressed.clicked ? !more_ : more_;
    if (more_)
    {
        draw_more(column);
    }
    reveal_.clear(); // a path that has no control
    draw_other_faults(column);
    r = column.row(24);
    painter.line(r.x, r.middle(), r.right(), r.middle(), painter.theme.grid);
    const float left = std::max(top.y + area.h - column.y(), painter.px(kOwnHeight));
    const Rect own{column.x(), column.y(), column.width(), left};
    if (!view.draw_panel(frame, of_view, own, out))
    {
        Column costs{frame, of_view, column.rest(), out};
        draw_costs(costs);
        column.below(costs.y());
    }
    else
    {
        if (!frame.valid()) // of the last layout that worked
        {
            painter.fill(own, with_alpha(painter.theme.panel, 0.7F));
        }
        column.below(own.y + painter.px(kOwnHeight));
    }
    column.row(8);
}

void Panel::draw_own(const Frame& frame, const Painter& window, Rect area, View& view, Out& out)
{
    window.fill(area, window.theme.panel);
    window.line(area.x, area.y, area.x, area.bottom(), window.theme.grid);
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###panel", {area.w, area.h});
    const Painter painter(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float margin = painter.px(24);
    const float height = std::max(area.h, painter.px(view.panel_height()));
    view.draw_panel(frame, painter,
                    {top.x + margin, top.y + painter.px(16), area.w - 2 * margin, height - painter.px(32)},
                    out);
    ImGui::SetCursorScreenPos({top.x, top.y + height - 1});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
}

} // namespace ringside
