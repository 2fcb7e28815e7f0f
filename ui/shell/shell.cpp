#include "ui/shell/shell.h"

#include <fmt/format.h>

#include "ui/shell/icons.h"
#include "ui/shell/saving_strip.h"
#include "ui/shell/scopes.h"
#include "ui/shell/shows_by_id.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cctype>

namespace ringside
{

namespace
{

// Signs sit on different keys of different keyboards, so they are taken as what was typed.
bool typed(char sign)
{
    const ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    return std::find(queue.begin(), queue.end(), static_cast<ImWchar>(sign)) != queue.end();
}

const CommandInfo& find_command(std::string_view name)
{
    const auto all = commands();
    return *std::find_if(all.begin(), all.end(),
                         [name](const CommandInfo& command) { return command.name == name; });
}

} // namespace

const ViewInfo* find_view(std::string_view id)
{
    const auto all = views();
    const auto found = std::find_if(all.begin(), all.end(), [id](const ViewInfo* v) { return v->id == id; });
    return found == all.end() ? nullptr : *found;
}

std::vector<std::string_view> view_ids()
{
    std::vector<std::string_view> ids;
    for (const ViewInfo* info : views())
    {
        ids.push_back(info->id);
    }
    return ids;
}

View& Shell::view(std::string_view id)
{
    auto found = views_.find(id);
    if (found == views_.end())
    {
        const ViewInfo* info = find_view(id);
        info = info == nullptr ? views().front() : info;
        found = views_.emplace(std::string(id), info->make()).first;
    }
    return *found->second;
}

void Shell::show(std::string_view view_id, std::string_view id)
{
    if (auto* shows = dynamic_cast<ShowsById*>(&view(view_id)))
    {
        shows->show(id);
    }
}

Shell::Parts Shell::layout(const Frame& frame, const Look& look, ImVec2 size) const
{
    Parts parts;
    Rect all{0, 0, size.x, size.y};
    const float wide = size.x / look.scale; // in design pixels
    const bool presenter = frame.preferences.presenter;
    parts.status = all.cut_bottom(look.px(48));
    parts.rail_words = wide >= 900;
    parts.rail = all.cut_left(presenter || wide < 560 ? 0 : look.px(parts.rail_words ? 88 : 56));
    parts.has_panel = !presenter && wide >= 900;
    parts.panel = parts.has_panel ? all.cut_right(look.px(272)) : Rect{};
    const float margin = look.px(24);
    all.cut_left(margin);
    all.cut_right(margin);
    parts.title = all.cut_top(look.px(64));
    parts.caption = presenter || size.y / look.scale < 480 ? Rect{} : all.cut_bottom(look.px(88));
    if (frame.lesson != nullptr)
    {
        lay_out_lesson(*frame.lesson, look, wide, parts, all);
    }
    parts.picture = all;
    return parts;
}

namespace
{

// A group of views on the rail; whether it was clicked.
bool draw_rail_cell(const Painter& painter, Rect cell, const ViewInfo& info, bool selected, bool words)
{
    const Theme& t = painter.theme;
    const std::string group(info.group);
    const Press pressed = press(painter, cell, (group + "###rail " + group).c_str(), 0);
    if (selected || pressed.hovered)
    {
        painter.fill(cell, selected ? t.raised : t.control);
    }
    if (selected)
    {
        painter.fill({cell.x, cell.y, painter.px(3), cell.h}, t.text);
    }
    const Colour colour = selected ? t.text : t.muted;
    // Lower cells have picture and word closer together.
    const float word_y = std::min(cell.y + painter.px(56), cell.bottom() - painter.px(10));
    const float icon_y = std::min(cell.y + painter.px(26), word_y - painter.px(23));
    group_icon(painter, {cell.centre(), words ? icon_y : cell.middle()}, info.group, colour);
    if (words)
    {
        const Type type = selected ? Type::small_strong : Type::small;
        painter.text(cell.centre(), word_y, type, colour,
                     painter.shortened(type, group, cell.w - painter.px(4)), Align::centre);
    }
    tooltip(painter, info.description);
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
    const bool says = parts.rail_words && step >= painter.px(52);
    for (const ViewInfo* info : groups)
    {
        const Rect cell = rail.cut_top(step - std::min(painter.px(8), step * 0.1F));
        const bool selected = current != nullptr && current->group == info->group;
        if (info->group == "Lab" || info->group == "Study")
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

std::vector<const ViewInfo*> tabs_of(const ViewInfo& info)
{
    std::vector<const ViewInfo*> tabs;
    for (const ViewInfo* other : views())
    {
        if (other->group == info.group)
        {
            tabs.push_back(other);
        }
    }
    return tabs;
}

// All as wide as the widest where there is room for that, else as their words want; never more than `most`.
float width_of_tabs(const Painter& painter, std::span<const ViewInfo* const> tabs, float most)
{
    float widest = 0;
    float sum = 0;
    for (const ViewInfo* tab : tabs)
    {
        const float w = painter.width(Type::small_strong, tab->tab);
        widest = std::max(widest, w + painter.px(24));
        sum += w + painter.px(20);
    }
    const float even = widest * static_cast<float>(tabs.size());
    return even <= most ? even : std::min(sum, most);
}

// Whether a question has its picture in the view on show.
bool has_questions(const Frame& frame)
{
    const auto about = [&](const VariantInfo& v) { return v.view == frame.view; };
    return frame.study != nullptr &&
           std::any_of(frame.study->families.begin(), frame.study->families.end(),
                       [&](const FamilyInfo& f)
                       { return std::any_of(f.variants.begin(), f.variants.end(), about); });
}

} // namespace

void Shell::draw_title(const Frame& frame, const Painter& painter, const Parts& parts, const ViewInfo& info,
                       Out& out)
{
    Rect row{parts.title.x, parts.title.y, parts.title.w, painter.px(64)};
    const Rect help = row.cut_right(painter.px(24));
    row.cut_right(painter.px(16));
    if (press(painter, {help.x, help.middle() - painter.px(12), help.w, painter.px(24)}, "?###help", 4)
            .clicked)
    {
        help_open_ = true;
    }
    tooltip(painter, "Every key (?)");
    painter.keycap(help.x, help.middle(), "?");
    const auto small_button = [&](const char* label, std::string_view words, bool on, std::string_view says)
    {
        const float w = painter.width(Type::mono_small, words) + painter.px(24);
        const Rect r = row.cut_right(w);
        row.cut_right(painter.px(12));
        const Rect box{r.x, r.middle() - painter.px(12), r.w, painter.px(24)};
        const Press pressed = press(painter, box, label, 4);
        painter.fill(box,
                     on                ? painter.theme.text
                     : pressed.hovered ? painter.theme.raised
                                       : painter.theme.control,
                     painter.px(4));
        painter.outline(box, painter.theme.line, 1, painter.px(4));
        painter.text(box.centre(), box.middle(), Type::mono_small,
                     on ? painter.theme.window : painter.theme.text, words, Align::centre);
        tooltip(painter, says);
        return pressed.clicked;
    };
    const View& shown = view(info.id);
    const bool room = parts.title.w > painter.px(420) && shown.about_scenario();
    if (room && small_button("A|B###compare", "A | B", frame.before != nullptr,
                             "Keep this scenario as A and go on changing B (B); again to stop"))
    {
        out.push(Command::compare);
    }
    const std::string own = shown.about_scenario() ? std::string() : shown.title(frame);
    const std::string words_of_title = own.empty() ? std::string(info.title) : own;
    const float title = painter.width(Type::title, words_of_title) + painter.px(16);
    const auto tabs = tabs_of(info);
    const float of_tabs = tabs.size() > 1 ? width_of_tabs(painter, tabs, row.w * 0.6F) + painter.px(16) : 0;
    const bool roomy_head =
        row.w > title + of_tabs + painter.width(Type::mono_small, "Quiz me") + painter.px(36);
    if (room && roomy_head && frame.back.empty() && has_questions(frame) &&
        small_button("Quiz me###quiz", "Quiz me", false, "A question about this view (Q)"))
    {
        out.push(QuizView{frame.view});
    }
    if (!parts.has_panel && !frame.preferences.presenter &&
        small_button("Scenario###panel button", shown.about_scenario() ? "Scenario" : "Panel", panel_over_,
                     "What stands beside the picture in a wide window (\\)"))
    {
        panel_over_ = !panel_over_;
    }
    if (tabs.size() > 1 && row.w > title + painter.px(160))
    {
        std::vector<std::string_view> words;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < tabs.size(); ++i)
        {
            words.push_back(tabs[i]->tab);
            chosen = tabs[i] == &info ? i : chosen;
        }
        const Rect r = row.cut_right(width_of_tabs(painter, tabs, row.w * 0.6F));
        row.cut_right(painter.px(16));
        if (const auto clicked =
                segments(painter, {r.x, r.middle() - painter.px(16), r.w, painter.px(32)}, words, chosen))
        {
            out.push(OpenView{std::string(tabs[*clicked]->id)});
        }
    }
    const bool roomy = row.w >= painter.width(Type::title, words_of_title);
    painter.text_within(row.x, row.middle(), row.w, roomy ? Type::title : Type::small_strong,
                        painter.theme.text, words_of_title);
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

void Shell::draw_caption(const Frame& frame, const Painter& painter, Rect area, const View& view) const
{
    if (area.h < 1)
    {
        return;
    }
    painter.line(area.x, area.y, area.right(), area.y, painter.theme.grid);
    const Caption caption = view.caption(frame);
    painter.list.PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
    const float used = painter.rich({area.x, area.y + painter.px(12), area.w, 0}, Type::body,
                                    Type::body_strong, painter.theme.text, caption.sentence);
    const bool long_formula = painter.width(Type::mono_small, caption.formula) > area.w;
    const float top = area.y + std::max(painter.px(long_formula ? 42 : 48), painter.px(12) + used);
    painter.paragraph({area.x, top, area.w, 0}, Type::mono_small, painter.theme.muted, caption.formula);
    painter.list.PopClipRect();
    const Rect formula{area.x, top, area.w, area.bottom() - top};
    press(painter, formula, "formula###formula");
    tooltip(painter, caption.formula + (caption.source.empty() ? "" : "\n\n" + caption.source));
}

namespace
{

bool pointed_at(Rect r)
{
    return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(r.min(), r.max());
}

} // namespace

void Shell::draw_verdict(const Frame& frame, const Painter& painter, Rect& area)
{
    const float from = area.x;
    const Theme& t = painter.theme;
    const MemoryReport& memory = frame.now.report.memory;
    const auto gigabytes = [&](Bytes bytes) { return format_gigabytes(bytes, painter.look.unit); };
    const std::string words = fmt::format(
        "{} {} of {} {}", memory.fits() ? "Fits" : "Does not fit:", gigabytes(memory.worst().total()),
        plain_number(in_gigabytes(memory.capacity, painter.look.unit)), painter.look.gigabyte());
    if (memory.fits())
    {
        painter.tick(area.x + painter.px(4), area.middle(), t.ok);
        area.cut_left(painter.px(30));
        area.cut_left(painter.text(area.x, area.middle(), Type::small_strong, t.text, words));
    }
    else
    {
        const float w = painter.width(Type::small_strong, words) + painter.px(44);
        const Rect pill{area.x - painter.px(4), area.middle() - painter.px(14), w, painter.px(28)};
        painter.fill(pill, t.warning, painter.px(6));
        const Colour ink = t.light ? rgb(0xFFFFFF) : rgb(0x000000);
        painter.triangle(pill.x + painter.px(10), pill.middle(), ink);
        painter.text(pill.x + painter.px(34), pill.middle(), Type::small_strong, ink, words);
        area.cut_left(w - painter.px(4));
    }
    if (pointed_at({from, area.y, area.x - from, area.h}))
    {
        tooltip_at_mouse(painter, memory_tip(frame));
    }
}

void Shell::draw_issues(const Frame& frame, const Painter& painter, Rect& area)
{
    const std::size_t count = frame.issues.size();
    if (count == 0)
    {
        return;
    }
    const std::string words = fmt::format("{} issue{}", count, count == 1 ? "" : "s");
    const float w = painter.width(Type::small, words) + painter.px(frame.valid() ? 8 : 32);
    const Rect r = area.cut_right(w);
    area.cut_right(painter.px(16));
    const Press pressed =
        press(painter, {r.x, r.y + painter.px(8), r.w, r.h - painter.px(16)}, "issues###issues");
    float x = r.x;
    if (!frame.valid())
    {
        painter.triangle(x, r.middle(), painter.theme.warning);
        x += painter.px(24);
    }
    painter.text(x, r.middle(), Type::small, pressed.hovered ? painter.theme.text : painter.theme.muted,
                 words);
    if (pressed.clicked)
    {
        ImGui::OpenPopup("issue list");
    }
    ImGui::SetNextWindowPos({area.right(), area.y}, ImGuiCond_Always, {1, 1});
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{painter.px(16), painter.px(12)});
    if (const PopupScope popup("issue list"); popup)
    {
        const FontScope font(painter.look.fonts.of(Type::small));
        ImGui::PushTextWrapPos(painter.px(520));
        for (const Issue& issue : frame.issues)
        {
            const std::string line =
                (issue.severity == Severity::error ? "\u2717  " : "\u2022  ") + to_line(issue);
            ImGui::TextUnformatted(line.c_str());
        }
        ImGui::PopTextWrapPos();
    }
}

void Shell::draw_speed(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (press(painter, {area.x, area.middle() - painter.px(14), area.w, painter.px(28)}, "Speed###speed")
            .clicked)
    {
        out.push(SetSpeed{frame.playback.speed >= 4 ? 0.25F : frame.playback.speed * 2});
    }
    tooltip(painter, "Speed: a quarter to four times");
    painter.text(area.right(), area.middle(), Type::mono_small, painter.theme.muted,
                 fmt::format("{:g}\u00d7", frame.playback.speed), Align::right);
}

void Shell::draw_transport(const Frame& frame, const Painter& painter, Rect area, const Motion& motion,
                           Out& out)
{
    if (motion.duration <= 0 || area.w < painter.px(44))
    {
        return; // the keys work without
    }
    const Theme& t = painter.theme;
    // Wide enough for every label, or the track would move under the mouse that drags it.
    const float label = std::max(painter.px(112), painter.width(Type::mono_small, motion.label));
    const float pace = std::max(painter.px(44), painter.width(Type::mono_small, motion.pace));
    const Rect speed = area.cut_right(area.w > painter.px(96) ? pace : 0);
    const bool says = area.w > label + painter.px(52);
    const Rect words = area.cut_right(says ? label + painter.px(8) : 0);
    const bool roomy = area.w > painter.px(260);
    const float track_width = std::min(area.w - painter.px(roomy ? 150 : 56), painter.px(224));
    if (!motion.pace.empty() && speed.w > 0)
    {
        painter.text(speed.right(), speed.middle(), Type::mono_small, t.muted, motion.pace, Align::right);
    }
    else if (speed.w > 0)
    {
        draw_speed(frame, painter, speed, out);
    }
    if (says)
    {
        painter.text(words.x + painter.px(4), words.middle(), Type::mono_small, t.text, motion.label);
    }
    if (track_width > painter.px(40))
    {
        Rect track{area.right() - track_width - painter.px(8), area.middle() - painter.px(14), track_width,
                   painter.px(28)};
        area.w = track.x - area.x;
        const Press pressed = press(painter, track, "Time###scrub");
        const float knob = painter.px(8);
        const float span = std::max(1.0F, track.w - 2 * knob);
        if (pressed.held)
        {
            const float to = std::clamp((ImGui::GetIO().MousePos.x - track.x - knob) / span, 0.0F, 1.0F);
            out.push(Play{false});
            out.push(Seek{static_cast<double>(to) * motion.duration});
        }
        const float x = track.x + knob +
                        span * static_cast<float>(std::clamp(frame.playback.t / motion.duration, 0.0, 1.0));
        painter.fill({track.x, track.middle() - painter.px(2), track.w, painter.px(4)}, t.raised,
                     painter.px(2));
        painter.fill({track.x, track.middle() - painter.px(2), x - track.x, painter.px(4)}, t.text,
                     painter.px(2));
        painter.list.AddCircleFilled({x, track.middle()}, knob, t.text);
    }
    if (roomy)
    {
        area.cut_right(painter.px(8));
        const float w = painter.width(Type::mono_small, "Space") + painter.px(12);
        painter.keycap(area.right() - w, area.middle(), "Space");
        area.cut_right(w + painter.px(8));
    }
    const Rect play{area.right() - painter.px(40), area.middle() - painter.px(16), painter.px(40),
                    painter.px(32)};
    if (press(painter, play, "Play or pause###play").clicked)
    {
        out.push(Play{!frame.playback.playing});
    }
    painter.fill(play, t.text, painter.px(6));
    const float u = painter.px(7);
    if (frame.playback.playing)
    {
        painter.fill({play.centre() - u, play.middle() - u, painter.px(5), 2 * u}, t.window);
        painter.fill({play.centre() + u - painter.px(5), play.middle() - u, painter.px(5), 2 * u}, t.window);
    }
    else
    {
        painter.list.AddTriangleFilled({play.centre() - u * 0.8F, play.middle() - u},
                                       {play.centre() + u, play.middle()},
                                       {play.centre() - u * 0.8F, play.middle() + u}, t.window);
    }
}

void Shell::draw_facts(const Frame& frame, const Painter& painter, Rect area,
                       std::span<const StatusFact> facts, bool first)
{
    const Theme& t = painter.theme;
    for (const auto& [fact, tip] : facts)
    {
        const float w = painter.width(Type::small, fact);
        const float gap = first ? 0 : painter.px(24);
        if (fact.empty() || w + gap > area.w)
        {
            continue;
        }
        if (!first)
        {
            const float x = area.x + painter.px(12);
            painter.line(x, area.middle() - painter.px(8), x, area.middle() + painter.px(8), t.line);
        }
        painter.text(area.x + gap, area.middle(), Type::small, t.text, fact);
        if (tip != nullptr && pointed_at({area.x + gap, area.y, w, area.h}))
        {
            tooltip_at_mouse(painter, tip(frame));
        }
        area.cut_left(w + gap);
        first = false;
    }
}

void Shell::draw_status(const Frame& frame, const Painter& painter, Rect area, const Motion& motion, Out& out)
{
    painter.fill(area, painter.theme.control);
    painter.line(area.x, area.y, area.right(), area.y, painter.theme.grid);
    area.cut_left(painter.px(20));
    area.cut_right(painter.px(20));
    const View& shown = view(frame.view);
    if (shown.about_scenario())
    {
        draw_verdict(frame, painter, area);
        draw_issues(frame, painter, area);
    }
    if (frame.saving != nullptr)
    {
        draw_saving(frame, painter, area, out);
    }
    const float transport = motion.duration > 0 ? std::min(area.w * 0.75F, painter.px(520)) : 0;
    const Rect moving = area.cut_right(transport);
    painter.part(kTourTime, moving);
    std::vector<StatusFact> facts{{frame.notice}};
    if (frame.stage != nullptr && frame.stage->has(StageTool::freeze))
    {
        facts.push_back({"Frozen (Ctrl F)"});
    }
    if (shown.about_scenario())
    {
        const auto all = facts_of_scenario(frame);
        facts.insert(facts.end(), all.begin(), all.end());
    }
    else
    {
        for (std::string& own : shown.facts(frame))
        {
            facts.push_back({std::move(own)});
        }
    }
    draw_facts(frame, painter, area, facts, !shown.about_scenario());
    draw_transport(frame, painter, moving, motion, out);
}

void Shell::draw_scene(const Frame& frame, const Painter& p, Rect& picture)
{
    const DemoScene* scene = frame.stage == nullptr ? nullptr : frame.stage->at();
    if (scene == nullptr || frame.lesson != nullptr || picture.h < p.px(240))
    {
        return;
    }
    const Rect row = picture.cut_top(p.px(32));
    const std::string place =
        fmt::format("{} of {}", frame.stage->scene + 1, frame.stage->script->scenes.size());
    const float w = p.text(row.right(), row.middle(), Type::small, p.theme.muted, place, Align::right);
    p.text_within(row.x, row.middle(), row.w - w - p.px(16), Type::body_strong, p.theme.text, scene->title);
    const float used = scene->text.empty() ? 0
                                           : p.rich({picture.x, picture.y, picture.w, 0}, Type::body,
                                                    Type::body_strong, p.theme.text, scene->text);
    picture.cut_top(used + p.px(12));
}

void Shell::draw_fault_banner(const Frame& frame, const Painter& painter, Rect area) const
{
    const auto fault = std::find_if(frame.issues.begin(), frame.issues.end(),
                                    [](const Issue& i) { return i.severity == Severity::error; });
    if (fault == frame.issues.end())
    {
        return;
    }
    painter.fill(area, with_alpha(painter.theme.window, 0.55F));
    const Rect card{area.x, area.y + painter.px(8), area.w, painter.px(76)};
    painter.fill(card, painter.theme.control, painter.px(8));
    painter.outline(card, painter.theme.warning, painter.px(2), painter.px(8));
    painter.triangle(card.x + painter.px(16), card.y + painter.px(24), painter.theme.warning);
    const float x = card.x + painter.px(44);
    painter.text_within(x, card.y + painter.px(24), card.right() - x - painter.px(16), Type::body_strong,
                        painter.theme.text, fault->path + ": " + fault->message);
    painter.text_within(x, card.y + painter.px(52), card.right() - x - painter.px(16), Type::small,
                        painter.theme.muted,
                        fault->hint + (fault->hint.empty() ? "" : ". ") +
                            "Below: the last scenario that worked; Ctrl+Z goes back to it.");
}

// Keys that work whatever is open.
bool Shell::keys_always(const Frame& frame, Out& out)
{
    if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_K))
    {
        palette_.is_open() ? palette_.close() : palette_.open();
    }
    if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Q))
    {
        out.push(Command::quit);
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        if (!palette_.is_open() && !help_open_ && !popup_was_open_ && close_stage(frame, out))
        {
            return true;
        }
        if (!palette_.is_open() && !help_open_ && frame.lesson != nullptr && !popup_was_open_)
        {
            out.push(LeaveLesson{});
        }
        else if (!palette_.is_open() && !help_open_ && frame.preferences.presenter)
        {
            Preferences next = frame.preferences;
            next.presenter = false;
            out.push(ChangePreferences{next});
        }
        const bool closed = palette_.is_open() || help_open_ || panel_over_ || frame.preferences.presenter;
        palette_.close();
        help_open_ = panel_over_ = false;
        return closed;
    }
    return false;
}

bool Shell::close_stage(const Frame& frame, Out& out)
{
    for (const StageTool tool : {StageTool::pen, StageTool::guesses, StageTool::spotlight})
    {
        if (frame.stage != nullptr && frame.stage->has(tool))
        {
            out.push(TurnTool{tool});
            return true;
        }
    }
    return false;
}

bool Shell::keys_of_clicker(const Frame& frame, const View& view, Out& out)
{
    const bool scenes = frame.stage != nullptr && frame.stage->script != nullptr;
    if (frame.lesson != nullptr || (!scenes && (!frame.preferences.presenter || !view.about_scenario())))
    {
        return false; // a lesson has its own, and so have some views
    }
    const bool on = ImGui::IsKeyPressed(ImGuiKey_PageDown, false);
    const bool back = ImGui::IsKeyPressed(ImGuiKey_PageUp, false);
    if (on || back)
    {
        find_command(on ? "Clicker: on" : "Clicker: back").run(frame, out);
    }
    return on || back;
}

// Keys of the transport.
void Shell::keys_of_motion(const Frame& frame, const Motion& motion, Out& out)
{
    const bool widget_has_keys = !GImGui->NavDisableHighlight && GImGui->NavId != 0;
    if (!widget_has_keys && ImGui::IsKeyPressed(ImGuiKey_Space, false))
    {
        out.push(Play{!frame.playback.playing});
    }
    const int step = (typed('.') ? 1 : 0) - (typed(',') ? 1 : 0);
    if (step != 0)
    {
        out.push(Play{false});
        out.push(Seek{next_stop(motion, frame.playback.t, step)});
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Home, false))
    {
        out.push(Seek{0});
    }
    if (ImGui::IsKeyPressed(ImGuiKey_End, false))
    {
        out.push(Seek{motion.duration});
    }
}

// A view's own key goes before the window's.
void Shell::keys_of_commands(const Frame& frame, const ViewInfo& info, bool about_scenario, Out& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    for (const CommandInfo& command : commands())
    {
        if (command.of_scenario && !about_scenario)
        {
            continue; // nobody would see what it did
        }
        if (std::any_of(info.keys.begin(), info.keys.end(),
                        [&](const KeyHelp& own) { return own.key == command.key; }))
        {
            continue;
        }
        const bool chord = command.chord != ImGuiKey_None && ImGui::IsKeyChordPressed(command.chord);
        if (chord || (command.typed != 0 && typed(command.typed)))
        {
            command.run(frame, out);
        }
    }
    if (io.KeyCtrl &&
        (ImGui::IsKeyPressed(ImGuiKey_KeypadAdd) || (io.KeyShift && ImGui::IsKeyPressed(ImGuiKey_Equal))))
    {
        find_command("Larger text").run(frame, out);
    }
    if (io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_KeypadSubtract))
    {
        find_command("Smaller text").run(frame, out);
    }
}

namespace
{

bool any_popup_open()
{
    return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

} // namespace

void Shell::keys(const Frame& frame, const Motion& motion, View& view, Out& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (tour_.keys(out))
    {
        return;
    }
    if (keys_always(frame, out) || palette_.is_open() || popup_was_open_ || any_popup_open())
    {
        return;
    }
    if (keys_of_clicker(frame, view, out))
    {
        return;
    }
    if (io.WantTextInput || io.KeyAlt)
    {
        view.typing_keys(frame, out);
    }
    if (io.WantTextInput)
    {
        return;
    }
    const ViewInfo* info = find_view(frame.view);
    keys_of_commands(frame, info == nullptr ? *views().front() : *info, view.about_scenario(), out);
    if (io.KeyCtrl || io.KeyAlt || io.KeySuper || stage_.keys(frame, out))
    {
        return;
    }
    if (typed('?'))
    {
        help_open_ = !help_open_;
    }
    if (view.about_scenario() && ImGui::IsKeyPressed(ImGuiKey_M, false))
    {
        panel_.toggle_more();
    }
    if (typed('\\'))
    {
        panel_over_ = !panel_over_;
    }
    if (frame.lesson != nullptr && lesson_.keys(frame, out))
    {
        return;
    }
    if (motion.duration > 0)
    {
        keys_of_motion(frame, motion, out);
    }
    if (!frame.back.empty() && ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
    {
        out.push(BackToQuestion{});
    }
    view.keys(frame, out);
}

void Shell::draw_window(const Frame& frame, const Painter& painter, const Parts& parts, const ViewInfo& info,
                        Out& out)
{
    View& shown = view(info.id);
    const Motion motion = shown.motion(frame);
    Look open = painter.look;
    open.hide_numbers = false; // what is asked and pressed keeps its figures
    const Painter plain(painter.list.raw, open, painter.parts);
    if (frame.lesson != nullptr)
    {
        draw_lesson_title(frame, plain, parts);
    }
    else
    {
        draw_title(frame, plain, parts, info, out);
    }
    if (parts.picture.w > 40 && parts.picture.h > 40)
    {
        painter.list.PushClipRect({parts.picture.x - painter.px(12), parts.picture.y - painter.px(4)},
                                  {parts.picture.right() + painter.px(12), parts.picture.bottom()}, true);
        Rect picture = parts.picture;
        if (!frame.back.empty())
        {
            draw_back_strip(frame, painter, picture.cut_top(painter.px(48)), out);
        }
        draw_scene(frame, plain, picture);
        const IdScope id(info.id.data());
        if (frame.lesson != nullptr)
        {
            draw_lesson_picture(frame, painter, picture, shown, out);
        }
        else
        {
            shown.draw(frame, painter, picture, out);
        }
        painter.list.PopClipRect();
    }
    if (shown.about_scenario())
    {
        draw_fault_banner(frame, painter, parts.picture);
    }
    draw_caption(frame, painter, parts.caption, shown);
    draw_rail(frame, plain, parts, out);
    if (frame.lesson != nullptr)
    {
        if (parts.has_panel)
        {
            lesson_.draw_question(frame, plain, parts.band, out);
        }
        else
        {
            lesson_.draw_compact(frame, plain, parts.band, panel_, out);
        }
        draw_lesson_status(frame, painter, parts.status, motion, out);
    }
    else
    {
        draw_status(frame, painter, parts.status, motion, out);
    }
    keys(frame, motion, shown, out);
}

void Shell::draw(const Frame& frame, const Look& look, const Settle& settle, Out& out)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    popup_was_open_ = any_popup_open();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("###ringside", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
    window_parts_.clear();
    const Painter painter(*ImGui::GetWindowDrawList(), look, tour_.on() ? &window_parts_ : nullptr);
    const ViewInfo* found = find_view(frame.view);
    const ViewInfo& info = found == nullptr ? *views().front() : *found;
    const Parts parts = layout(frame, look, size);
    const float over = std::min(look.px(272), size.x);
    const bool shown_over = !parts.has_panel && panel_over_ && !frame.preferences.presenter;
    if (frame.lesson != nullptr)
    {
        if (parts.has_panel)
        {
            lesson_.draw(frame, painter, parts.panel, panel_, out);
        }
    }
    else if (parts.has_panel || shown_over)
    {
        const Rect area =
            parts.has_panel ? parts.panel : Rect{size.x - over, 0, over, size.y - parts.status.h};
        View& shown = view(info.id);
        if (shown.about_scenario())
        {
            panel_.draw(frame, painter, area, info, shown, out);
        }
        else
        {
            Panel::draw_own(frame, painter, area, shown, out);
        }
    }
    const Frame settled = settle(out);
    const bool hidden =
        tally_.hides(settled) || (settled.stage != nullptr && settled.stage->has(StageTool::numbers));
    Look shown = look;
    shown.hide_numbers = hidden;
    const Painter told(*ImGui::GetWindowDrawList(), shown, painter.parts);
    // A lesson's step may have opened another view meanwhile.
    const ViewInfo* now = find_view(settled.view);
    const Parts settled_parts = layout(settled, look, size);
    draw_window(settled, told, settled_parts, now == nullptr ? info : *now, out);
    ImGui::End();
    tally_.draw(settled, painter, out);
    stage_.draw(settled, painter);
    draw_palette(settled, painter, settled_parts, out);
    draw_help(settled, painter, info);
    draw_tour(settled, painter, settled_parts, out);
}

void Shell::draw_palette(const Frame& frame, const Painter& painter, const Parts& parts, Out& out)
{
    const PaletteEntry* chosen = palette_.draw(frame, painter, out);
    if (chosen == nullptr)
    {
        return;
    }
    if (chosen->wish == ShellWish::field)
    {
        panel_.reveal(chosen->which);
        panel_over_ = !parts.has_panel;
    }
    else if (chosen->wish == ShellWish::term)
    {
        show("glossary", chosen->which);
    }
    else if (chosen->wish == ShellWish::tour)
    {
        tour_.start();
    }
}

void Shell::draw_tour(const Frame& frame, const Painter& painter, const Parts& parts, Out& out)
{
    const std::array<std::pair<std::string_view, Rect>, 4> fixed{{{kTourPicture, parts.picture},
                                                                  {kTourPanel, parts.panel},
                                                                  {kTourCaption, parts.caption},
                                                                  {kTourRail, parts.rail}}};
    for (const auto& [name, rect] : fixed)
    {
        window_parts_.push_back({std::string(name), rect});
    }
    tour_.draw(frame, painter, window_parts_, out);
}

} // namespace ringside
