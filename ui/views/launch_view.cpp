// A scenario as options and files of a training framework: every line with what it says and the field it
// comes from, and at the foot what the framework has no setting for.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/launch/launch.h"
#include "ui/shell/scopes.h"
#include "ui/shell/view.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kRow = 24;
constexpr float kWords = 560;  // [design px] from here on there is room for the explanations
constexpr float kFields = 780; // and from here on for the fields too
constexpr float kFoot = 0.34F; // of the height, for what is not said
constexpr float kLeast = 4;    // rows of the file that are worth a foot, or a row for the files
constexpr const char* kTools = "frameworks";

struct Columns
{
    float code = 0; // widths
    float words = 0;
    float field = 0;
};

Columns columns_of(const Painter& p, float w)
{
    if (w < p.px(kWords))
    {
        return {w, 0, 0};
    }
    const float field = w >= p.px(kFields) ? p.px(216) : 0;
    const float code = std::round((w - field) * 0.61F);
    return {code, w - field - code, field};
}

// Axes of parallelism have the colours they have everywhere.
Colour colour_of(const Theme& t, std::string_view field)
{
    const std::array<std::pair<std::string_view, Colour>, 11> axes{
        {{"parallel.tensor", t.tensor.fill},
         {"parallel.sequence_parallel", t.tensor.fill},
         {"parallel.overlap_tensor", t.tensor.fill},
         {"parallel.overlap_expert", t.expert.fill},
         {"parallel.overlap_pipeline", t.pipeline.fill},
         {"parallel.pipeline", t.pipeline.fill},
         {"parallel.stage_layers", t.pipeline.fill},
         {"parallel.chunks", t.pipeline.fill},
         {"parallel.context", t.context.fill},
         {"parallel.expert", t.expert.fill},
         {"parallel.zero", t.data.fill}}};
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first == field; });
    return found == axes.end() ? 0 : found->second;
}

class LaunchView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    void keys(const Frame& frame, Out& out) override;

private:
    struct Known
    {
        Scenario scenario;
        std::size_t tool;
        Launch launch;
    };

    const Launch& launch(const Frame& frame) const;
    const LaunchTool& tool() const { return launch_tools()[tool_]; }
    const LaunchFile& file(const Frame& frame) const;
    void choose(std::size_t tool, Out& out);
    void copy(const Frame& frame, Out& out) const;
    void draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void choose_from_popup(const Painter& painter, Rect row, Out& out);
    void draw_files(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_lines(const Frame& frame, const Painter& painter, Rect area, bool with_missing);
    static void draw_line(const Painter& painter, Rect row, const Columns& columns, const Launch& launch,
                          const LaunchLine& line);
    void draw_foot(const Frame& frame, const Painter& painter, Rect area) const;
    float draw_missing(const Frame& frame, const Painter& painter, Rect area) const;

    std::size_t tool_ = 0;
    std::size_t file_ = 0;
    bool to_top_ = false;
    int pages_ = 0; // to scroll by
    mutable std::optional<Known> known_;
};

const Launch& LaunchView::launch(const Frame& frame) const
{
    if (!known_ || known_->tool != tool_ || known_->scenario != frame.now.scenario)
    {
        known_ = Known{frame.now.scenario, tool_, tool().write(frame.now.scenario)};
    }
    return known_->launch;
}

const LaunchFile& LaunchView::file(const Frame& frame) const
{
    const Launch& l = launch(frame);
    return l.files[std::min(file_, l.files.size() - 1)];
}

void LaunchView::choose(std::size_t tool, Out& out)
{
    tool_ = tool;
    file_ = 0;
    to_top_ = true;
    out.animating = true;
}

void LaunchView::copy(const Frame& frame, Out& out) const
{
    const LaunchFile& f = file(frame);
    out.push(CopyText{text_of(launch(frame), f), fmt::format("Copied {}", f.name)});
}

void LaunchView::draw_head(const Frame& frame, const Painter& p, Rect row, Out& out)
{
    std::vector<std::string_view> names;
    for (const LaunchTool& each : launch_tools())
    {
        names.push_back(each.name);
    }
    const float buttons = p.px(176) + p.px(8);
    const bool beside = row.w - buttons >= p.px(380);
    Rect right = beside ? row.cut_right(buttons) : Rect{};
    const Rect left{row.x, row.y, std::min(row.w, p.px(480)), row.h};
    const float widest = p.width(Type::small_strong, names.front()) + p.px(16);
    if (left.w < widest * static_cast<float>(names.size()))
    {
        choose_from_popup(p, left, out);
    }
    else if (const auto chosen = segments(p, left, names, tool_))
    {
        choose(*chosen, out);
    }
    if (!beside)
    {
        return; // the keys do the same
    }
    right.cut_left(p.px(8));
    if (button(p, right.cut_right(p.px(84)), "Copy###copy launch", "C", ButtonStyle::primary))
    {
        copy(frame, out);
    }
    right.cut_right(p.px(8));
    if (button(p, right.cut_right(p.px(84)), "Save###save launch", "S"))
    {
        const LaunchFile& f = file(frame);
        out.push(SaveText{f.name, text_of(launch(frame), f)});
    }
}

// With large type, where the names do not stand side by side.
void LaunchView::choose_from_popup(const Painter& p, Rect row, Out& out)
{
    if (dropdown(p, row, "###framework", tool().name))
    {
        ImGui::OpenPopup(kTools);
    }
    std::vector<Choosable> items;
    for (const LaunchTool& each : launch_tools())
    {
        items.push_back({each.id, each.name, ""});
    }
    if (const auto chosen = choice_popup(p, kTools, items))
    {
        choose(*chosen, out);
    }
}

// Which of the files is on show.
void LaunchView::draw_files(const Frame& frame, const Painter& p, Rect row, Out& out)
{
    const Launch& l = launch(frame);
    float x = row.x;
    for (std::size_t i = 0; i < l.files.size(); ++i)
    {
        const std::string& name = l.files[i].name;
        const bool on = i == std::min(file_, l.files.size() - 1);
        const Rect tab{x, row.y, p.width(Type::mono_small, name) + p.px(16), row.h};
        if (press(p, tab, fmt::format("###file {}", name).c_str()).clicked)
        {
            file_ = i;
            to_top_ = true;
            out.animating = true;
        }
        p.text(tab.x + p.px(8), tab.middle(), Type::mono_small, on ? p.theme.text : p.theme.muted, name);
        if (on)
        {
            p.fill({tab.x + p.px(8), tab.bottom() - p.px(2), tab.w - p.px(16), p.px(2)}, p.theme.text);
        }
        x = tab.right() + p.px(4);
    }
    if (l.files.size() > 1)
    {
        x = p.keycap(x + p.px(4), row.middle(), "F").right();
    }
    p.text_within(x + p.px(16), row.middle(), row.right() - x - p.px(16), Type::small, p.theme.muted,
                  fmt::format("read from {}", tool().version));
}

void LaunchView::draw_line(const Painter& p, Rect row, const Columns& c, const Launch& l,
                           const LaunchLine& line)
{
    const Theme& t = p.theme;
    if (line.flag < 0)
    {
        const auto first = line.text.find_first_not_of(' ');
        const bool quiet = first != std::string::npos && line.text[first] == '#';
        p.text_within(row.x, row.middle(), row.w, Type::mono_small, quiet ? t.muted : t.text, line.text);
        return;
    }
    const LaunchFlag& flag = l.flags[static_cast<std::size_t>(line.flag)];
    const Colour axis = colour_of(t, flag.field);
    if (axis != 0)
    {
        p.fill({row.x - p.px(8), row.y + p.px(4), p.px(3), row.h - p.px(8)}, axis, p.px(1.5F));
    }
    // The name stands back behind its value.
    const std::string_view text = std::string_view(line.text).substr(0, line.text.find_last_not_of(',') + 1);
    const bool split = !flag.value.empty() && text.ends_with(flag.value);
    const std::string_view name = split ? text.substr(0, text.size() - flag.value.size()) : text;
    // Where both do not fit, the value keeps room for a number.
    const float room = c.code - p.px(16);
    const float left = room - p.width(Type::mono_small, name) - p.px(6);
    const float wide = split ? std::min(p.width(Type::mono_small, flag.value), std::max(left, p.px(48))) : 0;
    const float used = p.text_within(row.x, row.middle(), room - wide - p.px(6), Type::mono_small,
                                     split ? mix(t.text, t.muted, 0.5F) : t.text, name);
    if (split)
    {
        const float gap = used < p.width(Type::mono_small, name) - 1 ? p.px(6) : 0; // after an ellipsis
        p.text_within(row.x + used + gap, row.middle(), room - used - gap, Type::mono_small, t.text,
                      flag.value);
    }
    if (c.words > 0)
    {
        p.text_within(row.x + c.code, row.middle(), c.words - p.px(12), Type::small, t.muted, flag.explains);
    }
    if (c.field > 0)
    {
        p.text_within(row.x + c.code + c.words, row.middle(), c.field, Type::mono_small, t.muted,
                      flag.field.empty() ? "\u2013" : flag.field);
    }
}

void LaunchView::draw_lines(const Frame& frame, const Painter& window, Rect area, bool with_missing)
{
    const Launch& l = launch(frame);
    window.part("settings", area);
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###launch", {area.w, area.h});
    if (std::exchange(to_top_, false))
    {
        ImGui::SetScrollY(0);
    }
    if (const int pages = std::exchange(pages_, 0); pages != 0)
    {
        ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(pages) * area.h * 0.8F);
    }
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float high = p.px(kRow);
    const float inset = p.px(10);
    const float w = area.w - p.px(16) - inset;
    const Columns columns = columns_of(p, w);
    const std::vector<LaunchLine>& lines = file(frame).lines;
    const bool inside = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        const Rect row{top.x + inset, top.y + high * static_cast<float>(i), w, high};
        if (row.bottom() < area.y || row.y > area.bottom())
        {
            continue;
        }
        if (inside && lines[i].flag >= 0 && row.contains(ImGui::GetMousePos()))
        {
            const LaunchFlag& flag = l.flags[static_cast<std::size_t>(lines[i].flag)];
            p.fill({row.x - inset, row.y, row.w + inset, row.h}, p.theme.control, p.px(4));
            tooltip_at_mouse(p,
                             fmt::format("{} {}\n{}\n{}", flag.flag, flag.value, flag.explains,
                                         flag.field.empty() ? "not of the scenario" : "from " + flag.field));
        }
        draw_line(p, row, columns, l, lines[i]);
    }
    float y = top.y + high * static_cast<float>(lines.size());
    y += with_missing ? draw_missing(frame, p, {top.x + inset, y, w, 0}) : 0;
    ImGui::SetCursorScreenPos({top.x, y});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
}

// Returns the height it took.
float LaunchView::draw_missing(const Frame& frame, const Painter& p, Rect area) const
{
    const Launch& l = launch(frame);
    const Theme& t = p.theme;
    p.text_within(area.x, area.y + p.px(14), area.w, Type::small_strong, t.text,
                  l.not_expressed.empty() ? fmt::format("{} says all of it", tool().name)
                                          : fmt::format("Not said with {}", tool().name));
    float y = area.y + p.px(28);
    for (const NotExpressed& item : l.not_expressed)
    {
        p.outline({area.x + p.px(1), y + p.px(6), p.px(8), p.px(8)}, t.muted, p.px(1.5F), p.px(4));
        y += p.rich({area.x + p.px(18), y, area.w - p.px(18), 0}, Type::small, Type::small_strong, t.muted,
                    fmt::format("**{} {}**  {}", item.field, item.value, item.says)) +
             p.px(4);
    }
    return y - area.y;
}

void LaunchView::draw_foot(const Frame& frame, const Painter& window, Rect area) const
{
    window.line(area.x, area.y, area.right(), area.y, window.theme.grid);
    area.cut_top(window.px(4));
    window.part("not-said", area);
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###not said", {area.w, area.h});
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float used = draw_missing(frame, p, {top.x, top.y, area.w - p.px(16), 0});
    ImGui::SetCursorScreenPos({top.x, top.y + used});
    ImGui::Dummy({1, 1});
}

void LaunchView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    draw_head(frame, p, area.cut_top(p.px(34)), out);
    area.cut_top(p.px(6));
    if (area.h >= p.px(36 + kLeast * kRow))
    {
        draw_files(frame, p, area.cut_top(p.px(30)), out);
        p.line(area.x, area.y, area.right(), area.y, p.theme.grid);
        area.cut_top(p.px(6));
    }
    const auto items = static_cast<float>(launch(frame).not_expressed.size());
    const float wanted = p.px(36) + items * p.px(area.w < p.px(kWords) ? 44 : 24);
    const float foot = std::min(wanted, area.h * kFoot);
    const bool apart = area.h - foot >= p.px(kLeast * kRow);
    const Rect below = apart ? area.cut_bottom(foot) : Rect{};
    if (area.h >= p.px(kRow))
    {
        draw_lines(frame, p, area, !apart);
    }
    if (apart)
    {
        draw_foot(frame, p, below);
    }
}

Caption LaunchView::caption(const Frame& frame) const
{
    const Launch& l = launch(frame);
    const Scenario& s = frame.now.scenario;
    const Parallel& p = s.parallel;
    const auto missing = l.not_expressed.size();
    Caption caption;
    caption.sentence =
        fmt::format("**{} settings** start it with {}; {}.", l.flags.size(), tool().name,
                    missing == 0 ? std::string("nothing of the scenario is left out")
                                 : fmt::format("**{}** of the scenario cannot be said", missing));
    caption.formula =
        fmt::format("{} = data {} \u00d7 tensor {} \u00d7 context {} \u00d7 pipeline {}",
                    counted(s.cluster.gpus, "GPU"), data_parallel(s), p.tensor, p.context, p.pipeline);
    caption.source = fmt::format("Options of {}, read from {}", tool().name, tool().version);
    return caption;
}

void LaunchView::keys(const Frame& frame, Out& out)
{
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
    for (std::size_t i = 0; i < launch_tools().size(); ++i)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i))))
        {
            choose(i, out);
        }
    }
    if (pressed(ImGuiKey_F))
    {
        file_ = (std::min(file_, launch(frame).files.size() - 1) + 1) % launch(frame).files.size();
        to_top_ = true;
        out.animating = true;
    }
    if (pressed(ImGuiKey_C))
    {
        copy(frame, out);
    }
    if (pressed(ImGuiKey_S))
    {
        const LaunchFile& f = file(frame);
        out.push(SaveText{f.name, text_of(launch(frame), f)});
    }
    pages_ =
        (ImGui::IsKeyPressed(ImGuiKey_PageDown) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_PageUp) ? 1 : 0);
    out.animating = out.animating || pages_ != 0;
}

constexpr std::array<std::string_view, 8> kControls{
    "model", "gpus", "tensor", "pipeline", "context", "expert", "parallel.zero", "training.schedule"};
constexpr std::array kKeys{KeyHelp{"1 to 4", "Megatron-LM, DeepSpeed, torchtitan, nanotron"},
                           KeyHelp{"F", "The other file"}, KeyHelp{"C", "Copy the file on show"},
                           KeyHelp{"S", "Save the file on show"}, KeyHelp{"Page keys", "Scroll"}};

} // namespace

extern const ViewInfo launch_view;
const ViewInfo launch_view{
    43,
    "launch",
    "Layout",
    "Launch",
    "How do I start this?",
    "The layout as options and files of Megatron-LM, DeepSpeed, torchtitan and nanotron",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<LaunchView>()); }};

} // namespace ringside
