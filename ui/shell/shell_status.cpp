// The status strip: verdict, issues, facts, transport.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/draw/painter.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/lab_frame.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/frame/team_frame.h"
#include "ui/shell/overlay.h"
#include "ui/shell/shell.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Takes its place off the left of `area`. Only while Frame::saving is there.
void draw_saving(const Frame& frame, const Painter& painter, Rect& area, Out& out)
{
    const Theme& t = painter.theme;
    const Saving& saving = *frame.saving;
    const std::string left =
        saving.seconds_left > 0 ? fmt::format(", {:.0f} s left", std::ceil(saving.seconds_left)) : "";
    const std::string words = fmt::format("Saving {} {:.0f}%{}", saving.name, saving.share * 100, left);
    // Wide enough for every percent, or what follows would tremble.
    const float w = painter.width(Type::small, fmt::format("Saving {} 100%, 000 s left", saving.name));
    area.cut_left(painter.px(24));
    Rect room = area.cut_left(std::min(area.w, w + painter.px(80)));
    const Rect stop = room.cut_right(std::min(room.w, painter.px(64)));
    room.cut_right(painter.px(12));
    painter.text_within(room.x, room.middle() - painter.px(4), room.w, Type::small, t.text, words);
    const Rect track{room.x, room.middle() + painter.px(12), room.w, painter.px(3)};
    painter.fill(track, t.raised);
    painter.fill({track.x, track.y, track.w * static_cast<float>(saving.share), track.h}, t.text);
    const Rect button{stop.x, stop.middle() - painter.px(14), stop.w, painter.px(28)};
    const Press pressed = press(painter, button, "Stop saving the animation###stop saving");
    painter.fill(button, pressed.hovered ? t.raised : t.control, painter.px(6));
    painter.outline(button, t.line, 1, painter.px(6));
    painter.text(button.centre(), button.middle(), Type::small, t.text, "Stop", Align::centre);
    if (pressed.clicked)
    {
        out.push(Command::save_animation);
    }
}

bool pointed_at(Rect r)
{
    return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(r.min(), r.max());
}

} // namespace

void Shell::draw_verdict(const Frame& frame, const Painter& painter, Rect& area, const View& shown)
{
    const float from = area.x;
    const Theme& t = painter.theme;
    if (!frame.valid()) // nothing is said of a layout that is none
    {
        area.cut_left(
            painter.text(area.x, area.middle(), Type::small_strong, t.muted, "\u2013 does not compute"));
        return;
    }
    const bool training = shown.facts(frame).empty();
    const MemoryReport& memory = frame.now.report->memory;
    const auto use = training ? GpuMemory{memory.worst().total(), memory.capacity} : shown.gpu_memory(frame);
    if (!use)
    {
        return;
    }
    const bool fits = use->needed <= use->capacity;
    const bool may =
        training && memory.verdict() != MemoryVerdict::no; // its range reaches below the capacity
    const std::string words =
        fmt::format("{} {} of {} {}",
                    fits  ? "Fits"
                    : may ? "May not fit:"
                          : "Does not fit:",
                    format_gigabytes(use->needed, painter.look.unit),
                    plain_number(in_gigabytes(use->capacity, painter.look.unit)), painter.look.gigabyte());
    if (fits)
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
    if (training && pointed_at({from, area.y, area.x - from, area.h}))
    {
        tooltip_at_mouse(painter, memory_tip(frame));
    }
}

void Shell::draw_issues(const Frame& frame, const Painter& painter, Rect& area)
{
    const std::size_t count = frame.issues.size();
    if (count == 0)
    {
        issues_open_ = false;
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
    issues_open_ = issues_open_ != pressed.clicked;
    if (issues_open_)
    {
        draw_issue_list(frame, painter, {area.right(), area.y}, pressed.hovered);
    }
}

// No popup, so that keys and the click that closes it also do what they do anywhere.
void Shell::draw_issue_list(const Frame& frame, const Painter& painter, ImVec2 corner, bool on_button)
{
    ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {1, 1});
    push_overlay_style(painter);
    ImGui::Begin("###issue list", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
    {
        const FontScope font(painter.look.fonts.of(Type::small));
        ImGui::PushTextWrapPos(painter.px(520));
        for (const Issue& issue : frame.issues)
        {
            const std::string line =
                (issue.severity == Severity::error ? "\u2717  " : "\u2022  ") + to_line(issue);
            ImGui::TextUnformatted(line.c_str());
            if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(0))
            {
                show_field(issue.path);
                issues_open_ = false;
            }
        }
        ImGui::PopTextWrapPos();
    }
    const bool elsewhere = !ImGui::IsWindowHovered() && !on_button;
    issues_open_ = issues_open_ && !(ImGui::IsMouseClicked(0) && elsewhere);
    ImGui::End();
    pop_overlay_style();
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

namespace
{

// The track of a motion's time, which the mouse drags.
void draw_track(const Frame& frame, const Painter& painter, Rect track, const Motion& motion, Out& out)
{
    const Theme& t = painter.theme;
    const float done = static_cast<float>(std::clamp(frame.playback.t / motion.duration, 0.0, 1.0));
    const Press pressed = press(painter, track, "Time###scrub", 6,
                                {.role = ReadRole::slider, .value = motion.label, .position = done});
    const float knob = painter.px(8);
    const float span = std::max(1.0F, track.w - 2 * knob);
    if (pressed.held)
    {
        const float to = std::clamp((ImGui::GetIO().MousePos.x - track.x - knob) / span, 0.0F, 1.0F);
        out.push(Play{false});
        out.push(Seek{static_cast<double>(to) * motion.duration});
    }
    const float x = track.x + knob + span * done;
    painter.fill({track.x, track.middle() - painter.px(2), track.w, painter.px(4)}, t.raised, painter.px(2));
    painter.fill({track.x, track.middle() - painter.px(2), x - track.x, painter.px(4)}, t.text,
                 painter.px(2));
    painter.list.AddCircleFilled({x, track.middle()}, knob, t.text);
}

void draw_play_button(const Frame& frame, const Painter& painter, Rect play, Out& out)
{
    const Theme& t = painter.theme;
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

} // namespace

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
        draw_track(frame, painter, track, motion, out);
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
    draw_play_button(frame, painter, play, out);
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
        painter.text(area.x + gap, area.middle(), Type::small,
                     tip == nullptr || frame.valid() ? t.text : t.muted, fact);
        if (tip != nullptr && pointed_at({area.x + gap, area.y, w, area.h}))
        {
            tooltip_at_mouse(painter, tip(frame));
        }
        area.cut_left(w + gap);
        first = false;
    }
}

std::string Shell::draw_notice(const Frame& frame, const Painter& painter, Rect strip)
{
    if (frame.notice.empty() || frame.notice.is_fault()) // that is draw_fault()'s
    {
        return {};
    }
    read_aloud(painter.look, frame.notice.text);
    if (painter.width(Type::small, frame.notice.text) + painter.px(24) <= strip.w)
    {
        return frame.notice.text;
    }
    const float pad = painter.px(12);
    // Where the strip is far to the right, the card goes to the left rather than break its words.
    const float room = ImGui::GetIO().DisplaySize.x - 2 * pad;
    const float w = std::max(strip.w, std::min(painter.px(480), room));
    const float h = words_height(painter, w - 2 * pad, Type::small, frame.notice.text) + 2 * pad;
    const Rect card{std::max(0.0F, std::min(strip.x, room + pad - w)), strip.y - h - painter.px(8), w, h};
    painter.fill(card, painter.theme.control, painter.px(6));
    painter.outline(card, painter.theme.line, 1, painter.px(6));
    painter.paragraph(card.inset(pad), Type::small, painter.theme.text, frame.notice.text);
    return {};
}

void Shell::take_fault(const Notice& notice)
{
    if (notice != seen_ && !notice.empty())
    {
        fault_ = notice.is_fault() ? notice : Notice();
    }
    seen_ = notice;
}

void Shell::close_fault(const Frame& frame, Out& out)
{
    fault_ = Notice();
    out.push(
        SetSpeed{frame.playback.speed}); // anything that is done ends a notice, so that it may come again
    out.animating = true;
}

void Shell::draw_fault(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    take_fault(frame.notice);
    if (fault_.empty())
    {
        return;
    }
    const float pad = painter.px(16);
    const float wide = std::max(area.w, painter.px(240));
    const float row = painter.px(32);
    float height = row + 2 * pad;
    for (const std::string& line : fault_.faults)
    {
        height += words_height(painter, wide - 3 * pad, Type::small, line) * 1.1F;
    }
    ImGui::SetNextWindowPos({area.x, area.y + painter.px(8)});
    ImGui::SetNextWindowSize({wide, std::min(height, std::max(area.h * 0.8F, painter.px(120)))});
    push_overlay_style(painter);
    ImGui::PushStyleColor(ImGuiCol_Border, painter.theme.warning);
    ImGui::Begin("###fault", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Painter own(*ImGui::GetWindowDrawList(), painter.look);
    const Rect head{at.x, at.y, wide - 2 * pad, row};
    own.triangle(head.x, head.y + row / 3, painter.theme.warning);
    own.text(head.x + painter.px(28), head.y + row / 3, Type::body_strong, painter.theme.text, fault_.text);
    const float w = own.width(Type::small, "Close") + painter.px(64);
    if (button(own, {head.right() - w, head.y - painter.px(6), w, painter.px(28)}, "Close###close fault",
               "Esc"))
    {
        close_fault(frame, out);
    }
    ImGui::SetCursorScreenPos({at.x, at.y + row});
    {
        const FontScope font(painter.look.fonts.of(Type::small));
        ImGui::PushTextWrapPos(wide - pad);
        const std::string lines = fmt::format("{}", fmt::join(fault_.faults, "\n"));
        ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
        read_aloud(own.look, fault_.text + ": " + lines);
        ImGui::PopTextWrapPos();
    }
    ImGui::End();
    ImGui::PopStyleColor();
    pop_overlay_style();
}

namespace
{

// What trains while another view is on show: a chip that leads back to it.
void draw_running(const Frame& frame, const Painter& painter, Rect& area, Out& out)
{
    const auto chip = [&](ViewRole role, std::string_view name, std::int64_t step)
    {
        const std::string view = id_of(role);
        if (view == frame.view || view.empty())
        {
            return;
        }
        const std::string words = fmt::format("{}: step {}", name, grouped(step));
        const float w = painter.width(Type::small_strong, words) + painter.px(40);
        const Rect r = area.cut_right(std::min(w, area.w));
        area.cut_right(painter.px(12));
        const Rect box{r.x, r.middle() - painter.px(14), r.w, painter.px(28)};
        const Press pressed = press(painter, box, fmt::format("{}###running {}", words, view).c_str());
        painter.fill(box, pressed.hovered ? painter.theme.line : painter.theme.raised, painter.px(6));
        painter.list.AddCircleFilled({box.x + painter.px(16), box.middle()}, painter.px(5), painter.theme.ok);
        painter.text_within(box.x + painter.px(28), box.middle(), box.w - painter.px(34), Type::small_strong,
                            painter.theme.text, words);
        tooltip(painter, "Trains on; press to see it");
        if (pressed.clicked)
        {
            out.push(OpenView{view});
        }
    };
    if (frame.lab != nullptr && frame.lab->running && frame.lab->started())
    {
        chip(ViewRole::lab, "Lab", frame.lab->a.snapshot->step);
    }
    if (frame.team != nullptr && frame.team->is(TeamState::running))
    {
        chip(ViewRole::ranks, "Ranks", frame.team->snapshot->step);
    }
}

} // namespace

void Shell::show_field(const std::string& path)
{
    panel_.reveal(path);
    panel_over_ = true;
}

void Shell::draw_status(const Frame& frame, const Painter& painter, Rect area, const Motion& motion, Out& out)
{
    painter.fill(area, painter.theme.control);
    painter.line(area.x, area.y, area.right(), area.y, painter.theme.grid);
    area.cut_left(painter.px(20));
    area.cut_right(painter.px(20));
    const View& shown = view(frame.view);
    const bool room = area.w >= painter.px(320); // for the verdict beside it
    if (room && !has_rail(frame, painter.look) && !frame.preferences.presenter)
    {
        // All views, questions and terms by finger, too.
        if (button(painter, area.cut_left(painter.px(72)).inset(painter.px(2)), "Views###all views"))
        {
            palette_.open();
        }
        area.cut_left(painter.px(12));
    }
    const float start = area.x;
    if (shown.about_scenario())
    {
        draw_verdict(frame, painter, area, shown);
        draw_issues(frame, painter, area);
    }
    const bool first = area.x == start; // no verdict stands there
    draw_running(frame, painter, area, out);
    import_.draw_chip(frame, painter, area);
    if (frame.saving != nullptr)
    {
        draw_saving(frame, painter, area, out);
    }
    const float transport = motion.duration > 0 ? std::min(area.w * 0.75F, painter.px(520)) : 0;
    const Rect moving = area.cut_right(transport);
    painter.part(kTourTime, moving);
    std::vector<StatusFact> facts{{draw_notice(frame, painter, area)}};
    if (frame.stage != nullptr && frame.stage->has(StageTool::freeze))
    {
        facts.push_back({"Frozen (Ctrl F)"});
    }
    std::vector<std::string> own = shown.facts(frame);
    if (shown.about_scenario() && (own.empty() || !frame.valid()))
    {
        const auto all = facts_of_scenario(frame);
        facts.insert(facts.end(), all.begin(), all.end());
    }
    else
    {
        for (std::string& each : own)
        {
            facts.push_back({std::move(each)});
        }
    }
    draw_facts(frame, painter, area, facts, first);
    draw_transport(frame, painter, moving, motion, out);
}

} // namespace ringside
