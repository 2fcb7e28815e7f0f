#include "ui/shell/guide/lesson_panel.h"

#include <fmt/format.h>

#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kButtons = 152; // room for them at the bottom of the panel [design px]

std::string forward_words(const LessonFrame& lesson)
{
    if (lesson.state.finished)
    {
        return lesson.next.empty() ? "Leave" : "Next lesson";
    }
    if (lesson.pending())
    {
        const auto& guess = lesson.state.record().guess;
        const bool number = !lesson.step().predict->is_choice();
        return guess && number ? "Lock in " + said(*lesson.step().predict, *guess) : "Lock in";
    }
    return lesson.state.step + 1 < lesson.lesson().steps.size() ? "Next" : "Finish";
}

struct Extra
{
    const char* label;
    const char* key;
    LessonMove move;
};

// What else this moment offers.
std::vector<Extra> extras(const LessonFrame& lesson)
{
    if (lesson.state.finished)
    {
        return {};
    }
    const LessonStep& step = lesson.step();
    if (lesson.pending())
    {
        return {{"Show it", "S", LessonMove::skip}};
    }
    if (step.predict)
    {
        return {{"Predict again", "R", LessonMove::retry}};
    }
    if (lesson.open())
    {
        return {{"Hint", "H", LessonMove::hint}, {"Solution", "S", LessonMove::skip}};
    }
    return step.task ? std::vector<Extra>{{"Start again", "R", LessonMove::retry}} : std::vector<Extra>{};
}

bool widget_has_keys()
{
    return !GImGui->NavDisableHighlight && GImGui->NavId != 0;
}

bool pressed_enter()
{
    return ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
}

// Pressed, whatever scrolls by this key otherwise.
bool own_key(ImGuiKey key)
{
    const ImGuiID id = ImGui::GetID("###lesson keys");
    ImGui::SetKeyOwner(key, id);
    return ImGui::IsKeyPressed(key, id, ImGuiInputFlags_None);
}

} // namespace

void push_forward(const Frame& frame, bool reveals, Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    if (lesson.state.finished && lesson.next.empty())
    {
        out.push(LeaveLesson{});
    }
    else if (lesson.state.finished)
    {
        out.push(StartLesson{lesson.next, lesson.track == nullptr ? "" : lesson.track->id});
    }
    else if (lesson.pending())
    {
        const bool without = reveals && !lesson.state.record().guess;
        out.push(LessonInput{without ? LessonMove::skip : LessonMove::lock_in, 0});
    }
    else
    {
        out.push(LessonInput{LessonMove::next, 0});
    }
}

float LessonPanel::band_height(const LessonFrame& lesson, float picture)
{
    constexpr float kNumber = 264;
    constexpr float kChoices = 100;
    constexpr float kChoice = 52;
    const auto& predict = lesson.step().predict;
    if (lesson.state.finished || !predict)
    {
        return 0;
    }
    return std::min(picture * 0.5F, predict->is_choice()
                                        ? kChoices + kChoice * static_cast<float>(predict->choices.size())
                                        : kNumber);
}

void LessonPanel::follow(const LessonFrame& lesson)
{
    if (step_ != lesson.state.step || of_ != lesson.lesson().id)
    {
        step_ = lesson.state.step;
        of_ = lesson.lesson().id;
        guess_.reset();
    }
}

void LessonPanel::draw_buttons(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    const float gap = painter.px(8);
    const std::array below{KeyButton{"Back###lesson back", "PgUp",
                                     [&] {
                                         out.push(LessonInput{LessonMove::back, 0});
                                     }},
                           KeyButton{"Leave###lesson leave", "Esc", [&] { out.push(LeaveLesson{}); }}};
    ringside::draw_buttons(painter, area.cut_bottom(painter.px(40)), below);
    area.cut_bottom(gap);
    const std::string forward = forward_words(lesson) + "###lesson forward";
    if (button(painter, area.cut_bottom(painter.px(48)), forward.c_str(), lesson.pending() ? "Enter" : "PgDn",
               lesson.open() ? ButtonStyle::plain : ButtonStyle::primary))
    {
        push_forward(frame, false, out);
    }
    area.cut_bottom(gap);
    std::vector<KeyButton> more;
    for (const Extra& extra : extras(lesson))
    {
        more.push_back({fmt::format("{0}###lesson {0}", extra.label), letter_key(extra.key), [&out, extra] {
                            out.push(LessonInput{extra.move, 0});
                        }});
    }
    ringside::draw_buttons(painter, area.cut_bottom(painter.px(36)), more);
}

// As high as a finger, since there may be nothing else to press them with.
void LessonPanel::draw_compact_buttons(const Frame& frame, const Painter& painter, Rect& area, Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    const float gap = painter.px(8);
    const auto move = [&out](LessonMove what) { return [&out, what] { out.push(LessonInput{what, 0}); }; };
    std::vector<KeyButton> row{{"Back###lesson back", "", move(LessonMove::back)},
                               {forward_words(lesson) + "###lesson forward", "",
                                [&] { push_forward(frame, false, out); }, ImGuiKey_None,
                                lesson.open() ? ButtonStyle::plain : ButtonStyle::primary},
                               {"Leave###lesson leave", "", [&out] { out.push(LeaveLesson{}); }}};
    std::vector<KeyButton> more;
    for (const Extra& extra : extras(lesson))
    {
        more.push_back({fmt::format("{0}###lesson {0}", extra.label), "", move(extra.move)});
    }
    if (more.size() == 1)
    {
        row.push_back(std::move(more.front()));
        more.clear();
    }
    for (const auto& buttons : {row, more})
    {
        if (!buttons.empty())
        {
            ringside::draw_buttons(painter, area.cut_bottom(painter.px(44)), buttons);
            area.cut_bottom(gap);
        }
    }
}

void LessonPanel::draw(const Frame& frame, const Painter& window, Rect area, Panel& controls, Out& out)
{
    follow(*frame.lesson);
    window.fill(area, window.theme.panel);
    window.line(area.x, area.y, area.x, area.bottom(), window.theme.grid);
    const float margin = window.px(24);
    Rect inside = area.inset(margin);
    const Rect buttons = inside.cut_bottom(window.px(kButtons));
    inside.cut_bottom(window.px(8));
    draw_buttons(frame, window, buttons, out);
    ScrolledSheet sheet(window, inside, "###lesson");
    Column column{frame, *sheet, out};
    draw_heading(column);
    draw_step(column, controls);
}

void LessonPanel::draw_question(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (area.h < 1)
    {
        return;
    }
    follow(*frame.lesson);
    painter.line(area.x, area.y, area.right(), area.y, painter.theme.grid);
    area.cut_top(painter.px(20));
    area.cut_bottom(painter.px(12));
    draw_guess(frame, painter, area, out);
}

float LessonPanel::draw_guess(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const float used = guess_.draw(frame, painter, area, out);
    if (guess_.take_enter())
    {
        push_forward(frame, false, out);
    }
    return used;
}

void LessonPanel::draw_compact(const Frame& frame, const Painter& window, Rect area, Panel& controls,
                               Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    follow(lesson);
    draw_compact_buttons(frame, window, area, out);
    const bool asks = !lesson.state.finished && lesson.step().predict.has_value();
    // The question stands at the bottom and does not move when words above it change.
    const bool apart = asks && area.h > guess_height_ + window.px(72);
    if (apart)
    {
        const float used = draw_guess(frame, window, area.cut_bottom(guess_height_), out);
        area.cut_bottom(window.px(8));
        out.animating = out.animating || used != guess_height_;
        guess_height_ = used;
    }
    ScrolledSheet sheet(window, area, "###lesson band");
    Column column{frame, *sheet, out};
    if (asks && !apart)
    {
        const Rect room{sheet->x(), sheet->y(), sheet->width(), window.px(190)};
        sheet->take(draw_guess(frame, sheet->p, room, out));
        sheet->gap(16);
    }
    const bool reads = !lesson.state.finished && !asks && !lesson.step().task && !lesson.controls();
    if (reads)
    {
        draw_text(column, lesson.words.text, {Type::body, Type::body_strong, Type::mono});
    }
    else
    {
        draw_words(column);
        draw_controls(column, controls);
    }
    sheet->gap(-16); // below the last words, where nothing follows
}

bool LessonPanel::page_keys(const Frame& frame, Out& out)
{
    const bool enter = !is_typed_in() && !widget_has_keys() && pressed_enter();
    if (own_key(ImGuiKey_PageDown) || enter)
    {
        push_forward(frame, frame.preferences.presenter && !enter, out);
        return true;
    }
    if (own_key(ImGuiKey_PageUp))
    {
        out.push(LessonInput{LessonMove::back, 0});
        return true;
    }
    return false;
}

bool LessonPanel::letter_keys(const Frame& frame, Out& out)
{
    for (const Extra& extra : extras(*frame.lesson))
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + (extra.key[0] - 'A')), false))
        {
            out.push(LessonInput{extra.move, 0});
            return true;
        }
    }
    if (ImGui::IsKeyPressed(ImGuiKey_F, false) || ImGui::IsKeyPressed(ImGuiKey_L, false))
    {
        out.push(ImGui::IsKeyPressed(ImGuiKey_F, false) ? LessonSwitch::freeze : LessonSwitch::controls);
        return true;
    }
    return false;
}

// Arrows do not go to a button by accident, which Enter would then press; Tab goes there.
void LessonPanel::own_arrows()
{
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    {
        if (!widget_has_keys())
        {
            own_key(key);
        }
    }
}

bool LessonPanel::keys(const Frame& frame, Out& out)
{
    own_arrows();
    if (page_keys(frame, out) || letter_keys(frame, out))
    {
        return true;
    }
    if (frame.lesson->pending())
    {
        guess_.keys(frame, out);
    }
    return frame.lesson->pending();
}

void LessonPanel::typing_keys(const Frame& frame, Out& out)
{
    if (is_typed_in())
    {
        own_arrows();
        page_keys(frame, out);
        guess_.keys(frame, out);
    }
    if (ImGui::GetIO().KeyAlt)
    {
        letter_keys(frame, out);
    }
}

} // namespace ringside
