// The window's frame round a view: rail, title row with tabs, the way back to a question, caption.
// One file, since rail, title and tabs share one row of the window.
#include <fmt/format.h>

#include "core/base/place.h"
#include "core/study/lessons/demo_script.h"
#include "ui/draw/icons.h"
#include "ui/draw/transcript.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/shell.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// What a cell of the rail has room for.
struct RailSays
{
    bool icon = true;
    bool words = true;
};

// A group of views on the rail; whether it was clicked.
bool draw_rail_cell(const Painter& painter, Rect cell, const ViewInfo& info, bool selected, RailSays says)
{
    const Theme& t = painter.theme;
    const std::string group(name_of(info.group));
    const Press pressed = press(painter, cell, (group + "###rail " + group).c_str(), 0,
                                {.role = ReadRole::choice, .on = selected});
    if (selected || pressed.hovered)
    {
        painter.fill(cell, selected ? t.raised : t.control);
    }
    if (selected)
    {
        painter.fill({cell.x, cell.y, painter.px(3), cell.h}, t.text);
    }
    const Colour colour = selected ? t.text : t.muted;
    // Picture and word stand in the middle together, in lower cells closer.
    const float apart = std::clamp(cell.h - painter.px(34), painter.px(20), painter.px(30));
    const float icon_y = cell.middle() - apart / 2 + painter.px(2); // the picture is higher than the word
    const float word_y = says.icon ? icon_y + apart : cell.middle();
    if (says.icon)
    {
        // In low windows with large type alone: smaller rather than on each other.
        constexpr float kHigh = 30; // [design px] of the tallest
        Look look = painter.look;
        look.scale = says.words ? look.scale : std::min(look.scale, cell.h / kHigh);
        group_icon(Painter(painter.list.raw, look), {cell.centre(), says.words ? icon_y : cell.middle()},
                   group, colour);
    }
    if (says.words)
    {
        const Type type = selected ? Type::small_strong : Type::small;
        painter.text(cell.centre(), word_y, type, colour,
                     painter.shortened(type, group, cell.w - painter.px(4)), Align::centre);
    }
    tooltip(painter,
            says.words ? std::string_view() : group); // beside the word it would hide the picture
    return pressed.clicked;
}

} // namespace

void Shell::draw_rail(const Frame& frame, const Painter& painter, const Parts& parts, Out& out)
{
    Rect rail = parts.rail;
    if (rail.w < 1)
    {
        return;
    }
    const Theme& t = painter.theme;
    painter.fill(rail, t.panel);
    painter.line(rail.right(), rail.y, rail.right(), rail.bottom(), t.grid);
    logo(painter, {rail.centre(), rail.y + painter.px(28)});
    rail.cut_top(painter.px(64));
    const Rect search = rail.cut_bottom(painter.px(56));
    std::vector<const ViewInfo*> groups; // the first view of each
    for (const ViewInfo* info : views())
    {
        if (groups.empty() || groups.back()->group != info->group)
        {
            groups.push_back(info);
        }
    }
    const ViewInfo* current = find_view(frame.view);
    const float wanted = painter.px(parts.rail_words ? 80 : 64);
    const float step = std::min(wanted, rail.h / static_cast<float>(groups.size())); // low windows: closer
    // The names stay longer than the pictures: they are what is read.
    const RailSays says{!parts.rail_words || step >= painter.px(50), parts.rail_words};
    for (const ViewInfo* info : groups)
    {
        const Rect cell = rail.cut_top(step - std::min(painter.px(8), step * 0.1F));
        const bool selected = current != nullptr && current->group == info->group;
        if (info->group == ViewGroup::lab || info->group == ViewGroup::study)
        {
            painter.part(kTourLab, cell);
        }
        if (draw_rail_cell(painter, cell, *info, selected, says) && !selected)
        {
            out.push(OpenView{std::string(info->id)});
        }
        rail.cut_top(std::min(painter.px(8), step * 0.1F));
    }
    const std::string_view words = parts.rail_words ? "Ctrl K" : "K";
    const float w = painter.width(Type::mono_small, words) + painter.px(12);
    const Rect cap{search.centre() - w / 2, search.y + painter.px(8), w, painter.px(24)};
    if (press(painter, cap, "Find anything###find", 4).clicked)
    {
        palette_.open();
    }
    painter.part(kTourFind, cap);
    tooltip(painter, "Find any view, word, lesson, question, field or model");
    painter.keycap(cap.x, cap.middle(), words);
}

namespace
{

// One view per tab: others of the same tab are modes of it, which it opens.
std::vector<const ViewInfo*> tabs_of(const ViewInfo& info)
{
    std::vector<const ViewInfo*> tabs;
    for (const ViewInfo* other : views())
    {
        const bool mode = std::ranges::find(tabs, other->tab, &ViewInfo::tab) != tabs.end();
        if (other->group == info.group && !mode)
        {
            tabs.push_back(other);
        }
    }
    return tabs;
}

// The title is drawn in the first type that it has room for.
constexpr std::array kTitleTypes{Type::title, Type::body_strong, Type::small_strong};

// The width of tabs is one for all views of a group, so that a tab stays where it is when another is opened:
// each as wide as the widest where that leaves every title its room, else as their words need, if need be
// next to smaller titles; 0 where words would have to be cut.
float width_of_tabs(const Painter& painter, std::span<const ViewInfo* const> tabs, float row)
{
    float widest = 0;
    float sum = 0;
    for (const ViewInfo* tab : tabs)
    {
        const float w = painter.width(Type::small_strong, tab->tab);
        widest = std::max(widest, w + painter.px(24));
        sum += w + painter.px(20);
    }
    const auto left_by = [&](Type type)
    {
        float title = 0;
        for (const ViewInfo* tab : tabs)
        {
            title = std::max(title, painter.width(type, tab->title));
        }
        return row - title - painter.px(24);
    };
    const float even = widest * static_cast<float>(tabs.size());
    for (const Type type : kTitleTypes)
    {
        if (even <= std::min(row * 0.6F, left_by(type)))
        {
            return even;
        }
        if (sum <= left_by(type))
        {
            return sum;
        }
    }
    const float tight = sum - painter.px(8) * static_cast<float>(tabs.size());
    return tight <= left_by(Type::small_strong) ? tight : 0;
}

float width_of_list(const Painter& painter, std::span<const ViewInfo* const> tabs)
{
    float widest = 0;
    for (const ViewInfo* tab : tabs)
    {
        widest = std::max(widest, painter.width(Type::small_strong, tab->tab));
    }
    return widest + painter.px(48);
}

// The group's views, one of them on show: side by side, or in a list where they have no room. A scene's own
// title goes before them.
void draw_tabs(const Painter& painter, Rect& row, const ViewInfo& info, std::span<const ViewInfo* const> tabs,
               std::string_view scene_title, Out& out)
{
    constexpr const char* kPopup = "choose a view of the group";
    const auto chosen =
        static_cast<std::size_t>(std::ranges::find(tabs, info.tab, &ViewInfo::tab) - tabs.begin());
    const float side_by_side = width_of_tabs(painter, tabs, row.w);
    const float listed = std::min(width_of_list(painter, tabs), row.w);
    const auto leaves_title = [&](float taken, Type type)
    { return row.w - taken - painter.px(16) >= painter.width(type, scene_title); };
    std::optional<std::size_t> clicked;
    if (side_by_side > 0 && leaves_title(side_by_side, Type::title))
    {
        std::vector<std::string_view> words;
        for (const ViewInfo* tab : tabs)
        {
            words.push_back(tab->tab);
        }
        const Rect r = row.cut_right(side_by_side);
        clicked = segments(painter, {r.x, r.middle() - painter.px(16), r.w, painter.px(32)}, words, chosen);
    }
    else if (row.w - listed >= painter.px(112) && leaves_title(listed, Type::small_strong))
    {
        const Rect r = row.cut_right(listed);
        const Rect box{r.x, r.middle() - painter.px(16), r.w, painter.px(32)};
        if (dropdown(painter, box, "Views of the group###views of the group", info.tab))
        {
            ImGui::OpenPopup(kPopup);
        }
        tooltip(painter, "The other views of this group ([ and ])");
        std::vector<Choosable> items;
        for (const ViewInfo* tab : tabs)
        {
            items.push_back({tab->id, tab->tab, tab->title});
        }
        clicked = choice_popup(painter, kPopup, items);
    }
    row.cut_right(painter.px(16));
    if (clicked && tabs[*clicked] != &info)
    {
        out.push(OpenView{std::string(tabs[*clicked]->id)});
    }
}

// Whether a question has its picture in the view on show.
bool has_questions(const Frame& frame)
{
    const auto about = [&](const VariantInfo& v) { return view_of(v.view) == frame.view; };
    return frame.study != nullptr &&
           std::any_of(frame.study->families.begin(), frame.study->families.end(),
                       [&](const FamilyInfo& f)
                       { return std::any_of(f.variants.begin(), f.variants.end(), about); });
}

} // namespace

void Shell::draw_title_keys(const Painter& painter, bool presenter, Rect& row)
{
    if (presenter)
    {
        return; // the row is the title's; the keys are the same
    }
    const auto key = [&](const char* label, std::string_view cap, std::string_view says)
    {
        const Rect r = row.cut_right(painter.px(24));
        const bool pressed =
            press(painter, {r.x, r.middle() - painter.px(12), r.w, painter.px(24)}, label, 4, {.name = says})
                .clicked;
        tooltip(painter, says);
        painter.keycap(r.x, r.middle(), cap);
        return pressed;
    };
    help_open_ = key("?###help", "?", "Every key (?)") || help_open_;
    row.cut_right(painter.px(8));
    if (key("Guide###guide", "i", "What this view shows, and what to try (F1)"))
    {
        guide_.toggle();
    }
    row.cut_right(painter.px(16));
}

namespace
{

struct TitleButton
{
    const char* label; // "Quiz me###quiz"
    std::string_view says;
    bool on = false;
    bool enabled = true;
};

constexpr const char* kCompareButton = "A | B###compare";
constexpr const char* kQuizButton = "Quiz me###quiz";

std::string_view words_of_button(std::string_view label)
{
    return label.substr(0, label.find("##"));
}

// A place at the right end of the row.
Rect title_button_place(const Painter& painter, Rect& row, std::string_view label)
{
    const Rect r = row.cut_right(painter.width(Type::mono_small, words_of_button(label)) + painter.px(20));
    row.cut_right(painter.px(8));
    return r;
}

// True when it was pressed.
bool title_button(const Painter& painter, Rect& row, const TitleButton& b)
{
    const std::string_view words = words_of_button(b.label);
    const Rect r = title_button_place(painter, row, b.label);
    const Rect box{r.x, r.middle() - painter.px(12), r.w, painter.px(24)};
    const Press pressed = press(painter, b.enabled ? box : Rect{}, b.label, 4,
                                {.role = b.on ? ReadRole::choice : ReadRole::button, .on = b.on});
    const Theme& t = painter.theme;
    painter.fill(box, b.on ? t.text : pressed.hovered ? t.raised : t.control, painter.px(4));
    painter.outline(box, t.line, 1, painter.px(4));
    painter.text(box.centre(), box.middle(), Type::mono_small,
                 b.on        ? t.window
                 : b.enabled ? t.text
                             : t.muted,
                 words, Align::centre);
    tooltip(painter, b.says);
    return pressed.clicked;
}

} // namespace

void Shell::draw_title_buttons(const Frame& frame, const Painter& painter, const Parts& parts, Rect& row,
                               Out& out)
{
    const bool about_scenario = view(frame.view).about_scenario();
    const bool roomy = parts.title.w > painter.px(480);
    const auto tabs = tabs_of(*find_view(frame.view));
    if (roomy && !about_scenario &&
        std::any_of(tabs.begin(), tabs.end(),
                    [&](const ViewInfo* v) { return view(v->id).about_scenario(); }))
    {
        title_button_place(painter, row, kCompareButton); // tabs stay where the others of the group have them
        title_button_place(painter, row, kQuizButton);
    }
    if (roomy && about_scenario)
    {
        if (title_button(painter, row,
                         {kCompareButton,
                          "Keep this scenario as A and continue changing B (B); again to stop",
                          frame.before != nullptr}))
        {
            out.push(Command::compare);
        }
        if (title_button(painter, row,
                         {kQuizButton, "A question about this view (Q)", false,
                          frame.back.empty() && has_questions(frame)}))
        {
            out.push(QuizView{frame.view});
        }
    }
    if (!parts.has_panel &&
        title_button(painter, row,
                     {about_scenario ? "Scenario###panel button" : "Panel###panel button",
                      "The panel next to the picture in a wide window (\\)", panel_over_}))
    {
        panel_over_ = !panel_over_;
    }
}

namespace
{

// Below a title: what is shown in place of the user's scenario, or could be, and the key between the two.
void draw_example_line(const Frame& frame, const Painter& p, Rect row, Out& out)
{
    const std::string_view name = frame.example;
    const std::array<std::string, 3> says =
        frame.shows_example ? std::array{fmt::format("shown: {}; your scenario:", name),
                                         fmt::format("{}; yours:", name), std::string("yours:")}
                            : std::array{fmt::format("your scenario; example {}:", name),
                                         fmt::format("example {}:", name), std::string("example:")};
    const float cap = p.width(Type::mono_small, "Z") + p.px(12);
    const float most = std::max(0.0F, row.w - cap - p.px(8));
    const auto* const fits = std::ranges::find_if(says, [&](const std::string& each)
                                                  { return p.width(Type::small, each) <= most; });
    const float w = fits == says.end() ? 0 : p.width(Type::small, *fits) + p.px(8);
    const Press pressed = press(p, {row.x, row.y, w + cap, row.h}, "Example or your scenario###example", 4);
    if (fits != says.end())
    {
        p.text(row.x, row.middle(), Type::small, pressed.hovered ? p.theme.text : p.theme.muted, *fits);
    }
    p.keycap(row.x + w, row.middle(), "Z");
    tooltip(p,
            frame.shows_example
                ? "Your scenario has nothing to show here, so this page opens with an example. Your scenario "
                  "stays as it is; what you change in the panel is yours, and shown at once."
                : "Shows the example that this page opens with; your scenario stays as it is.");
    if (pressed.clicked)
    {
        out.push(Command::example);
    }
}

} // namespace

void Shell::draw_title(const Frame& frame, const Painter& painter, const Parts& parts, const ViewInfo& info,
                       Out& out)
{
    Rect row{parts.title.x, parts.title.y, parts.title.w, painter.px(64)};
    draw_title_keys(painter, frame.preferences.presenter, row);
    if (!frame.preferences.presenter)
    {
        draw_title_buttons(frame, painter, parts, row, out);
    }
    const View& shown = view(info.id);
    const std::string own = shown.title(frame);
    const DemoScene* scene = frame.stage == nullptr ? nullptr : frame.stage->on_show(frame.view);
    const std::string title = scene != nullptr ? scene->title : own.empty() ? std::string(info.title) : own;
    if (const auto tabs = tabs_of(info); tabs.size() > 1)
    {
        draw_tabs(painter, row, info, tabs, scene != nullptr ? title : std::string_view(), out);
    }
    const auto* const fits =
        std::ranges::find_if(kTitleTypes, [&](Type type) { return painter.width(type, title) <= row.w; });
    if (!frame.example.empty())
    {
        row.cut_top(painter.px(4));
        draw_example_line(frame, painter, row.cut_bottom(painter.px(24)), out);
    }
    painter.text_within(row.x, row.middle(), row.w, fits == kTitleTypes.end() ? kTitleTypes.back() : *fits,
                        painter.theme.text, title);
}

void Shell::draw_back_strip(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    area.cut_bottom(p.px(8));
    p.fill(area, p.theme.raised, p.px(6));
    const float key = p.width(Type::mono_small, "Backspace") + p.px(48);
    const Rect back =
        area.cut_left(std::min(area.w, key + p.width(Type::small_strong, "Back to the question")));
    if (button(p, back, "Back to the question###back", "Backspace", ButtonStyle::primary))
    {
        out.push(BackToQuestion{});
    }
    area.cut_left(p.px(16));
    p.text_within(area.x, area.middle(), area.w - p.px(8), Type::small, p.theme.muted,
                  frame.study->question != nullptr && frame.study->question->scenario
                      ? "The question\u2019s scenario; your own is kept."
                      : "Shown for the question; your own scenario is kept.");
}

namespace
{

// The end of what fits on one line: at a space where there is one.
std::size_t end_of_line(const Painter& painter, std::string_view words, float most)
{
    std::size_t end = 0;
    while (end < words.size())
    {
        const std::size_t at = std::min(words.find(' ', end + 1), words.size());
        if (end > 0 && painter.width(Type::mono_small, words.substr(0, at)) > most)
        {
            break;
        }
        end = at;
    }
    return end;
}

// Whole lines only, the last one shortened: the tooltip has all of it.
void draw_formula(const Painter& painter, Rect area, std::string_view words)
{
    const float line = std::round(painter.height(Type::mono_small) * 1.17F);
    while (!words.empty() && area.h >= line - painter.px(2))
    {
        const bool last = area.h < 2 * line - painter.px(2);
        const std::size_t end = last ? words.size() : end_of_line(painter, words, area.w);
        const Rect row = area.cut_top(line);
        painter.text_within(row.x, row.y + line / 2, row.w, Type::mono_small, painter.theme.muted,
                            words.substr(0, end));
        words.remove_prefix(std::min(words.find_first_not_of(' ', end), words.size()));
    }
}

} // namespace

void Shell::draw_caption(const Frame& frame, const Painter& painter, Rect area, const View& view)
{
    if (area.h < 1)
    {
        return;
    }
    painter.line(area.x, area.y, area.right(), area.y, painter.theme.grid);
    if (!is_frozen(frame) || caption_of_ != frame.view)
    {
        caption_ = view.caption(frame);
        caption_of_ = frame.view;
    }
    Caption caption = caption_;
    caption.sentence = cover_.sentence ? "" : caption.sentence;
    painter.list.PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
    const float used = painter.rich({area.x, area.y + painter.px(12), area.w, 0}, Type::body,
                                    Type::body_strong, painter.theme.text, caption.sentence);
    const bool long_formula = painter.width(Type::mono_small, caption.formula) > area.w;
    const float top = area.y + std::max(painter.px(long_formula ? 42 : 48), painter.px(12) + used);
    const Rect formula{area.x, top, area.w, area.bottom() - top};
    draw_formula(painter, formula, caption.formula);
    painter.list.PopClipRect();
    press(painter, formula, "formula###formula");
    tooltip(painter, caption.formula + (caption.source.empty() ? "" : "\n\n" + caption.source));
}

} // namespace ringside
