// A scenario as options and files of a training framework: every line with what it means and the field it
// comes from, a mark where it is only the nearest thing, and below what the framework has no setting for.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/planner/launch/framework_launch.h"
#include "core/scenario/presets.h"
#include "ui/shell/view.h"
#include "ui/views/planner/launch/layout_strip.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kRow = 24;
constexpr float kWords = 560;  // [design px] narrower, what is missing takes two lines each
constexpr float kFoot = 0.34F; // of the height, for what is not said
constexpr float kStrip = 56;   // height of the layout, where there are rows enough below it
constexpr float kLeast = 4;    // rows of the file that are worth a foot, or a row for the files
constexpr float kCode =
    350; // [design px] of a setting, and the longest with its value: a list of modules is cut
constexpr float kMostCode = 520;
constexpr const char* kTools = "frameworks";
constexpr const char* kVersions = "versions";

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

std::string tip_of(const Launch& launch, const LaunchFlag& flag)
{
    const NotExpressed* missed = launch.missed(flag);
    return fmt::format("{} {}\n{}\n{}{}", flag.flag, flag.value, flag.explains,
                       flag.field.empty() ? "not from the scenario" : "from " + flag.field,
                       missed == nullptr
                           ? ""
                           : fmt::format("\n\n\u2715 The scenario has {}: {}", missed->value, missed->says));
}

// The predicted step with its range.
std::string band_words(const Frame& frame)
{
    const double step = frame.now.report->step.total();
    const Band band = step_band(frame.now.scenario, *frame.now.report);
    return fmt::format("A step takes **{}**, 80% range {} to {}.", format_seconds(Seconds(step)),
                       format_seconds(Seconds(step * band.low)), format_seconds(Seconds(step * band.high)));
}

// Frameworks with versions to export to, in the order of their names; Megatron-LM, the usual one, is first.
std::vector<const Framework*> exported(const Presets& presets)
{
    std::vector<const Framework*> list;
    for (const Framework& framework : presets.frameworks)
    {
        if (!framework.versions.empty())
        {
            list.push_back(&framework);
        }
    }
    std::stable_partition(list.begin(), list.end(), [](const Framework* f) { return f->id == "megatron"; });
    return list;
}

class LaunchView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    const Launch& launch(const Frame& frame) const
    {
        return launch_.of({frame.now.scenario, tool(frame).id, version(frame).id}, [&](const auto& from)
                          { return write_launch(tool(frame), std::get<0>(from), std::get<2>(from)); });
    }
    const Framework& tool(const Frame& frame) const { return *exported(frame.presets)[tool_]; }
    const LaunchVersion& version(const Frame& frame) const
    {
        const auto& versions = tool(frame).versions;
        return versions[std::min(version_, versions.size() - 1)];
    }
    const LaunchFile& file(const Frame& frame) const;
    void choose(std::size_t tool, Out& out);
    void copy(const Frame& frame, Out& out) const;
    void draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void choose_from_popup(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void choose_version(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_files(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_lines(const Frame& frame, const Painter& painter, Rect area, bool with_missing) const;
    static void draw_code(const Painter& painter, Rect cell, float right, const Launch& launch,
                          const LaunchLine& line);
    void draw_foot(const Frame& frame, const Painter& painter, Rect area) const;
    void draw_missing(const Frame& frame, Sheet& sheet) const;

    std::size_t tool_ = 0;
    std::size_t version_ = 0; // the newest
    std::size_t file_ = 0;
    Derived<std::tuple<Scenario, std::string, std::string>, Launch> launch_; // of a tool and a version
};

const LaunchFile& LaunchView::file(const Frame& frame) const
{
    const Launch& l = launch(frame);
    return l.files[std::min(file_, l.files.size() - 1)];
}

void LaunchView::choose(std::size_t tool, Out& out)
{
    tool_ = tool;
    version_ = 0;
    file_ = 0;
    out.animating = true;
}

void LaunchView::copy(const Frame& frame, Out& out) const
{
    const LaunchFile& f = file(frame);
    out.push(CopyText{text_of(launch(frame), f), fmt::format("Copied {}", f.name)});
}

void LaunchView::draw_head(const Frame& frame, const Painter& p, Rect row, Out& out)
{
    const float buttons = p.px(176) + p.px(8);
    const bool beside = row.w - buttons >= p.px(380);
    Rect right = beside ? row.cut_right(buttons) : Rect{};
    Rect left{row.x, row.y, std::min(row.w, p.px(480)), row.h};
    const bool several = tool(frame).versions.size() > 1;
    const Rect versions = several ? left.cut_right(left.w * 0.4F) : Rect{};
    choose_from_popup(frame, p, left, out);
    if (several)
    {
        choose_version(frame, p, {versions.x + p.px(8), versions.y, versions.w - p.px(8), versions.h}, out);
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

void LaunchView::choose_from_popup(const Frame& frame, const Painter& p, Rect row, Out& out)
{
    if (dropdown(p, row, "###framework", tool(frame).name))
    {
        ImGui::OpenPopup(kTools);
    }
    std::vector<Choosable> items;
    for (const Framework* each : exported(frame.presets))
    {
        items.push_back({each->id, each->name, each->versions.front().says});
    }
    if (const auto chosen = choice_popup(p, kTools, items))
    {
        choose(*chosen, out);
    }
}

void LaunchView::choose_version(const Frame& frame, const Painter& p, Rect row, Out& out)
{
    if (dropdown(p, row, "###version", version(frame).id))
    {
        ImGui::OpenPopup(kVersions);
    }
    std::vector<Choosable> items;
    for (const LaunchVersion& each : tool(frame).versions)
    {
        items.push_back({each.id, each.id, each.says});
    }
    if (const auto chosen = choice_popup(p, kVersions, items))
    {
        version_ = *chosen;
        file_ = 0;
        out.animating = true;
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
                  fmt::format("{}, {}", tool(frame).name, version(frame).says));
}

// `right`: where lines without a setting may end.
void LaunchView::draw_code(const Painter& p, Rect cell, float right, const Launch& l, const LaunchLine& line)
{
    const Theme& t = p.theme;
    if (line.flag < 0)
    {
        const auto first = line.text.find_first_not_of(' ');
        const bool quiet = first != std::string::npos && line.text[first] == '#';
        p.text_within(cell.x, cell.middle(), right - cell.x, Type::mono_small, quiet ? t.muted : t.text,
                      line.text);
        return;
    }
    const LaunchFlag& flag = l.flags[static_cast<std::size_t>(line.flag)];
    const bool missed = l.missed(flag) != nullptr;
    if (missed)
    {
        p.fill({cell.x - p.px(10), cell.y + 1, cell.w + p.px(14), cell.h - 1}, with_alpha(t.warning, 0.16F),
               p.px(3));
        p.text(cell.right(), cell.middle(), Type::small, t.warning, "\u2715", Align::right);
        cell.cut_right(p.px(20));
    }
    if (const Colour axis = colour_of(t, flag.field); axis != 0)
    {
        p.fill({cell.x - p.px(8), cell.y + p.px(4), p.px(3), cell.h - p.px(8)}, axis, p.px(1.5F));
    }
    // The name stands back behind its value.
    const std::string_view text = std::string_view(line.text).substr(0, line.text.find_last_not_of(',') + 1);
    const bool split = !flag.value.empty() && text.ends_with(flag.value);
    const std::string_view name = split ? text.substr(0, text.size() - flag.value.size()) : text;
    // Where both do not fit, the value keeps room for a number.
    const float left = cell.w - p.width(Type::mono_small, name) - p.px(6);
    const float wide = split ? std::min(p.width(Type::mono_small, flag.value), std::max(left, p.px(48))) : 0;
    const float used = p.text_within(cell.x, cell.middle(), cell.w - wide - p.px(6), Type::mono_small,
                                     split ? mix(t.text, t.muted, 0.5F) : t.text, name);
    if (split)
    {
        const float gap = used < p.width(Type::mono_small, name) - 1 ? p.px(6) : 0; // after an ellipsis
        p.text_within(cell.x + used + gap, cell.middle(), cell.w - used - gap, Type::mono_small, t.text,
                      flag.value);
    }
}

void LaunchView::draw_lines(const Frame& frame, const Painter& window, Rect area, bool with_missing) const
{
    const Launch& l = launch(frame);
    const LaunchFile& shown = file(frame);
    window.part("settings", area);
    ScrolledSheet sheet(window, area, "###launch", fmt::format("{} {}", tool(frame).id, shown.name));
    sheet.page_keys();
    const Painter& p = sheet->p;
    const auto flag_words = [&](auto words)
    {
        return [&l, words, muted = p.theme.muted](const LaunchLine& line) {
            return Cell(line.flag < 0 ? std::string() : words(l.flags[static_cast<std::size_t>(line.flag)]),
                        muted);
        };
    };
    float longest = kCode; // [design px] of a setting
    for (const LaunchLine& line : shown.lines)
    {
        const float w = line.flag < 0 ? 0 : p.width(Type::mono_small, line.text) / p.px(1) + 12;
        longest = std::max(longest, w);
    }
    Rect rows = sheet->row(kRow * static_cast<float>(shown.lines.size()));
    rows.cut_left(p.px(10));
    const Table<LaunchLine> table(
        {Column<LaunchLine>("", nullptr)
             .wide(std::min(longest, kMostCode),
                   [&l, right = rows.right()](const Painter& at, Rect r, const LaunchLine& line, bool)
                   { draw_code(at, r, right, l, line); }),
         Column<LaunchLine>("", flag_words([](const LaunchFlag& flag) { return std::string(flag.explains); }),
                            2)
             .words()
             .wide(200),
         Column<LaunchLine>("",
                            flag_words([](const LaunchFlag& flag)
                                       { return flag.field.empty() ? "\u2013" : std::string(flag.field); }),
                            1)
             .words()},
        nullptr, nullptr, kRow,
        [&l](const LaunchLine& line)
        { return line.flag < 0 ? std::string() : tip_of(l, l.flags[static_cast<std::size_t>(line.flag)]); });
    table.draw(p, rows, shown.lines);
    if (with_missing)
    {
        draw_missing(frame, *sheet);
    }
}

void LaunchView::draw_missing(const Frame& frame, Sheet& sheet) const
{
    const Launch& l = launch(frame);
    const Painter& p = sheet.p;
    sheet.heading(l.not_expressed.empty() ? fmt::format("{} supports all of the scenario", tool(frame).name)
                                          : fmt::format("Not supported by {}", tool(frame).name),
                  "", Type::small_strong);
    for (const NotExpressed& item : l.not_expressed)
    {
        p.outline({sheet.x() + p.px(1), sheet.y() + p.px(6), p.px(8), p.px(8)}, p.theme.muted, p.px(1.5F),
                  p.px(4));
        sheet.words(Type::small, p.theme.muted,
                    fmt::format("**{} {}**  {}", item.field, item.value, item.says), p.px(18));
        sheet.gap(4);
    }
}

void LaunchView::draw_foot(const Frame& frame, const Painter& window, Rect area) const
{
    window.line(area.x, area.y, area.right(), area.y, window.theme.grid);
    area.cut_top(window.px(4));
    window.part("not-said", area);
    ScrolledSheet sheet(window, area, "###not said");
    draw_missing(frame, *sheet);
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
    if (area.h >= p.px(kStrip + 16 * kRow) && area.w >= p.px(kWords))
    {
        draw_layout_strip(p, area.cut_top(p.px(kStrip)), frame.now.scenario);
        area.cut_top(p.px(8));
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
        fmt::format("**{} settings** launch it with {}; {}. {}", l.flags.size(), tool(frame).name,
                    missing == 0 ? std::string("every setting of the scenario is in it")
                                 : fmt::format("!!{} of the scenario!! {} not honored",
                                               counted(static_cast<std::int64_t>(missing), "setting"),
                                               missing == 1 ? "is" : "are"),
                    band_words(frame));
    caption.formula =
        fmt::format("{} = data {} \u00d7 tensor {} \u00d7 context {} \u00d7 pipeline {}",
                    counted(s.cluster.gpus, "GPU"), data_parallel(s), p.tensor, p.context, p.pipeline);
    caption.source = fmt::format("Options of {}, checked against {}. Range of the step: {}", tool(frame).name,
                                 version(frame).says, step_evidence_words(s, frame.now.report->step.total()));
    return caption;
}

ViewKeys LaunchView::keys()
{
    return {{"1 to 8", "Framework, in the order of the list",
             [this](const KeyPress& k)
             {
                 if (k.which < exported(k.frame.presets).size())
                 {
                     choose(k.which, k.out);
                 }
             }},
            {"V", "Another version of the framework",
             [this](const KeyPress& k)
             {
                 version_ = (version_ + 1) % tool(k.frame).versions.size();
                 file_ = 0;
             }},
            {"F", "The other file",
             [this](const KeyPress& k)
             {
                 const std::size_t count = launch(k.frame).files.size();
                 file_ = (std::min(file_, count - 1) + 1) % count;
             }},
            {"C", "Copy the file on show", [this](const KeyPress& k) { copy(k.frame, k.out); }},
            {"S", "Save the file on show",
             [this](const KeyPress& k) {
                 k.out.push(SaveText{file(k.frame).name, text_of(launch(k.frame), file(k.frame))});
             }},
            {"PgUp PgDn", "Scroll"}};
}

} // namespace

extern const ViewInfo launch_view{
    50,
    "launch",
    ViewGroup::planner,
    "Launch config",
    "Launch config",
    "The layout as options and files of Megatron-LM, torchtitan and other frameworks, by version",
    {"model", "gpus", "tensor", "pipeline", "context", "expert", "parallel.zero", "training.schedule"},
    make_view<LaunchView>};

} // namespace ringside
