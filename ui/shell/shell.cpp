// One file, since it is one class: what a frame shows is laid out and drawn in one order.
#include "ui/shell/shell.h"

#include <fmt/format.h>

#include "core/base/place.h"
#include "core/study/lessons/demo_script.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/guide/sound_strip.h"
#include "ui/shell/guide/spotlight.h"
#include "ui/shell/popups.h"
#include "ui/widgets/sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ringside
{

namespace
{

// Pages that became part of another, by their former names in links, lessons and scripts; then where they
// are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kFormerPlaces{
    {{"growth/gpu", "growth/mfu"}}};

} // namespace

std::string_view place_now(std::string_view place)
{
    const auto* const found =
        std::ranges::find(kFormerPlaces, place, [](const auto& each) { return each.first; });
    return found == kFormerPlaces.end() ? place : found->second;
}

const ViewInfo* find_view(std::string_view place)
{
    place = place_now(place);
    const auto all = views();
    const auto found = std::ranges::find(all, view_of(place), &ViewInfo::id);
    const bool there =
        found != all.end() && (place == (*found)->id || page_index((*found)->pages, page_of(place)));
    return there ? *found : nullptr;
}

const Opening* find_opening(std::string_view place)
{
    const ViewInfo* info = find_view(place);
    if (info == nullptr)
    {
        return nullptr;
    }
    const auto found = std::ranges::find(info->openings, place, &Opening::place);
    return found == info->openings.end() ? nullptr : &*found;
}

std::optional<Scenario> shipped_scenario(const Presets& presets, std::string_view id)
{
    const ScenarioPreset* preset = presets.scenario(id);
    return preset == nullptr ? std::nullopt : std::optional(preset->scenario);
}

std::optional<Scenario> deepseek_for_experts(const Scenario& own, const Presets& presets)
{
    return own.model.experts > 0 ? std::nullopt : shipped_scenario(presets, "deepseek-v3-2048");
}

std::string id_of(ViewRole role)
{
    const auto all = views();
    const auto found = std::ranges::find(all, role, &ViewInfo::role);
    return found == all.end() ? std::string() : std::string((*found)->id);
}

std::optional<std::size_t> page_index(std::span<const std::string_view> pages, std::string_view name)
{
    const auto found = std::ranges::find(pages, name, page_of);
    return found == pages.end() ? std::nullopt : std::optional<std::size_t>(found - pages.begin());
}

std::vector<std::string_view> view_places()
{
    std::vector<std::string_view> places;
    for (const ViewInfo* info : views())
    {
        places.push_back(info->id);
        places.insert(places.end(), info->pages.begin(), info->pages.end());
    }
    for (const auto& [former, now] : kFormerPlaces)
    {
        places.push_back(former);
    }
    return places;
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

bool Shell::has_rail(const Frame& frame, const Look& look)
{
    return !frame.preferences.presenter && ImGui::GetIO().DisplaySize.x >= look.px(560);
}

Shell::Parts Shell::layout(const Frame& frame, const Look& look, ImVec2 size) const
{
    Parts parts;
    Rect all{0, 0, size.x, size.y};
    const float wide = size.x / look.scale; // in design pixels
    const bool presenter = frame.preferences.presenter;
    parts.status = all.cut_bottom(look.px(48));
    parts.rail_words = wide >= 900;
    parts.rail = all.cut_left(!has_rail(frame, look) ? 0 : look.px(parts.rail_words ? 100 : 56));
    parts.has_panel = !presenter && wide >= 900;
    parts.panel = parts.has_panel ? all.cut_right(look.px(272)) : Rect{};
    const float beside = guide_.beside(frame, wide);
    parts.guide = beside > 0 ? all.cut_left(look.px(beside)) : all;
    const float margin = look.px(24);
    all.cut_left(margin);
    all.cut_right(margin);
    parts.title = all.cut_top(look.px(64));
    const float drawn = std::min(look.px(ClassCurve::height(frame, all.w / look.scale)), all.h);
    const float asked = std::max(
        drawn, std::min(look.px(ClassTally::height(frame, all.w / look.scale)), size.y - parts.status.h));
    if (asked > 0) // in low windows over the picture and the title
    {
        parts.asked = {all.x, all.bottom() - asked, all.w, asked};
        all.cut_bottom(std::min(all.h, asked + look.px(8)));
    }
    parts.caption =
        presenter || asked > 0 || size.y / look.scale < 480
            ? Rect{}
            : all.cut_bottom(look.px(beside > 0 ? 116 : 88)); // its lines are shorter beside the guide
    if (frame.lesson != nullptr)
    {
        lay_out_lesson(*frame.lesson, look, wide, parts, all);
    }
    all.cut_bottom(presenter ? look.px(8) : 0); // no caption parts it from the strip
    parts.picture = all;
    return parts;
}

void Shell::draw_scene(const Frame& frame, const Painter& p, Rect& picture)
{
    const DemoScene* scene = frame.stage == nullptr ? nullptr : frame.stage->on_show(frame.view);
    if (scene == nullptr || scene->text.empty())
    {
        return;
    }
    const std::string place =
        fmt::format("{} of {}", frame.stage->scene + 1, frame.stage->script->scenes.size());
    const float line = p.height(Type::body);
    const float wide = picture.w - p.width(Type::small, place) - p.px(24);
    constexpr float kLeast = 200; // [design px] of a picture that is worth its words
    if (picture.h - words_height(p, wide, Type::body, scene->text) < p.px(kLeast))
    {
        return; // its title stands above in any case
    }
    const float w =
        p.text(picture.right(), picture.y + line * 0.6F, Type::small, p.theme.muted, place, Align::right);
    const float used = p.rich({picture.x, picture.y, picture.w - w - p.px(24), 0}, Type::body,
                              Type::body_strong, p.theme.text, scene->text);
    picture.cut_top(used + p.px(12));
}

// What keeps the scenario from being computed: a press leads to its field, a button mends it. A window of its
// own, since what lies below it would have the mouse.
void Shell::draw_fault_banner(const Frame& frame, const Painter& painter, Rect area, bool dim, Out& out)
{
    const auto fault = std::ranges::find(frame.issues, Severity::error, &Issue::severity);
    if (fault == frame.issues.end() || area.w < 1)
    {
        return;
    }
    const Theme& t = painter.theme;
    if (dim)
    {
        painter.fill(area, with_alpha(t.window, 0.7F));
    }
    const Rect whole{area.x, area.y + painter.px(8), area.w, painter.px(76)};
    ImGui::SetCursorScreenPos(whole.min());
    const ChildScope child("###fault of the scenario", {whole.w, whole.h});
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const auto& mends = panel_.remedies_for(frame, *fault);
    const float mend = mends.empty() ? 0 : p.width(Type::small_strong, mends.front().label) + p.px(40);
    Rect card = whole;
    Rect mend_at = mend > 0 && mend < area.w / 2 ? card.cut_right(mend) : Rect{};
    const Press pressed = press(p, card, "Show the field###fault banner", 8);
    p.fill(whole, pressed.hovered ? t.raised : t.control, p.px(8));
    p.outline(whole, t.warning, p.px(2), p.px(8));
    p.triangle(card.x + p.px(16), card.y + p.px(24), t.warning);
    const float x = card.x + p.px(44);
    const float room = card.right() - x - p.px(16);
    p.text_within(x, card.y + p.px(24), room, Type::body_strong, t.text, fault->path + ": " + fault->message);
    p.text_within(x, card.y + p.px(52), room, Type::small, t.muted,
                  fault->hint + (fault->hint.empty() ? "" : ". ") +
                      "Press to see the field; Ctrl Z goes back.");
    tooltip(p, to_line(*fault));
    mend_at.cut_right(p.px(16));
    if (mend_at.w > 0 && button(p, {mend_at.x, whole.middle() - p.px(18), mend_at.w, p.px(36)},
                                (mends.front().label + "###mend").c_str(), {}, ButtonStyle::primary))
    {
        out.push(ChangeScenario{mends.front().after, false, mends.front().label + "; Ctrl Z goes back"});
    }
    else if (pressed.clicked)
    {
        show_field(fault->path);
        out.animating = true;
    }
}

void Shell::draw_picture(const Frame& frame, const Painter& painter, Rect area, View& shown, Out& out)
{
    const HeldPicture::Of of{frame.view, area, painter.look.scale, &painter.theme};
    const bool frozen = is_frozen(frame);
    if (!frozen)
    {
        held_.release();
    }
    if (held_.holds(of) && painter.look.sketch == nullptr)
    {
        held_.draw(painter.list.raw);
        if (painter.look.transcript != nullptr)
        {
            painter.look.transcript->repeat(ReadRegion::picture);
        }
        return;
    }
    // What is on show when it is frozen stays as it is; what is opened later first comes to rest.
    const bool before = std::exchange(out.animating, false);
    const MouseAway away(frozen);
    Look look = painter.look;
    look.no_tips =
        look.no_tips || frozen || curve_.hides(frame); // controls still show theirs to the keyboard
    const Painter still(painter.list.raw, look, painter.parts);
    held_.begin();
    const auto picture = [&](const Painter& p)
    {
        frame.lesson != nullptr ? draw_lesson_picture(frame, p, area, shown, out)
                                : shown.draw(frame, p, area, out);
    };
    if (frozen)
    {
        picture(still);
    }
    else
    {
        walk_.draw(still, picture);
        walk_.walk(still, area, out);
    }
    if (frozen && (!out.animating || drawn_last_ == of))
    {
        held_.end(of);
    }
    drawn_last_ = frozen ? HeldPicture::Of{} : of;
    out.animating = out.animating || before;
}

bool Shell::is_frozen(const Frame& frame)
{
    return frame.lesson != nullptr ? frame.lesson->frozen
                                   : frame.stage != nullptr && frame.stage->has(StageTool::freeze);
}

void Shell::draw_window(const Frame& frame, const Painter& painter, const Parts& parts, const ViewInfo& info,
                        Out& out)
{
    View& shown = view(info.id);
    const Motion motion = shown.motion(frame);
    Look open = painter.look;
    open.hide_numbers = false; // what is asked and pressed keeps its figures
    const Painter plain(painter.list.raw, open, painter.parts);
    if (guide_.on() && parts.guide.right() > parts.picture.x)
    {
        draw_rail(frame, plain, parts, out);
        draw_status(frame, painter, parts.status, {}, out);
        keys(frame, motion, shown, out);
        return; // the guide stands in the picture's place
    }
    read_region(painter.look, ReadRegion::title);
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
        read_region(painter.look, ReadRegion::picture);
        if (const float strip = painter.px(sound_strip_height(frame)); strip > 0)
        {
            draw_sound_strip(frame, painter, picture.cut_bottom(strip), shown, out);
        }
        draw_scene(frame, plain, picture);
        const IdScope id(info.id.data());
        draw_picture(frame, painter, picture, shown, out);
        painter.list.PopClipRect();
    }
    if (shown.about_scenario() && !is_frozen(frame))
    {
        draw_fault_banner(frame, painter, parts.picture, !shown.holds_while_invalid(), out);
    }
    Look caption = painter.look; // a covered part's sum stands here too
    caption.hide_numbers = caption.hide_numbers || cover_.caption;
    read_region(caption, ReadRegion::caption);
    draw_caption(frame, Painter(painter.list.raw, caption, painter.parts), parts.caption, shown);
    if (shown.about_scenario() && !frame.valid() && !shown.holds_while_invalid() && !is_frozen(frame))
    {
        painter.fill(parts.caption, with_alpha(painter.theme.window, 0.7F));
    }
    read_region(painter.look, ReadRegion::rail);
    draw_rail(frame, plain, parts, out);
    draw_foot(frame, painter, plain, parts, motion, out);
    keys(frame, motion, shown, out);
}

void Shell::draw_foot(const Frame& frame, const Painter& painter, const Painter& plain, const Parts& parts,
                      const Motion& motion, Out& out)
{
    read_region(painter.look, frame.lesson == nullptr ? ReadRegion::status : ReadRegion::lesson);
    if (frame.lesson == nullptr)
    {
        draw_status(frame, painter, parts.status, motion, out);
        return;
    }
    if (parts.has_panel)
    {
        lesson_.draw_question(frame, plain, parts.band, out);
    }
    else
    {
        lesson_.draw_compact(frame, plain, parts.band, panel_, out);
    }
    read_region(painter.look, ReadRegion::status);
    draw_lesson_status(frame, painter, parts.status, motion, out);
}

Look Shell::look_for(const Frame& frame, Look look) const
{
    const bool turned_off = frame.stage != nullptr && frame.stage->has(StageTool::numbers);
    const bool asked = tally_.hides(frame) || curve_.hides(frame);
    look.hide_numbers = asked || turned_off || cover_.figures;
    look.known_numbers = asked || turned_off ? std::span<const std::string>() : said_;
    return look;
}

void Shell::draw(const Frame& frame, const Look& look, const Settle& settle, Out& out)
{
    const auto draw_beneath = [&]
    {
        const MouseAway away(mouse_rests(frame));
        return draw_main(frame, look, settle, out);
    };
    const Frame settled = draw_beneath();
    read_region(look, ReadRegion::over);
    const Painter painter(*ImGui::GetForegroundDrawList(), look);
    const Parts parts = layout(settled, look, ImGui::GetIO().DisplaySize);
    const ViewInfo* found = find_view(settled.view);
    const ViewInfo& info = found == nullptr ? *views().front() : *found;
    tally_.draw(settled, painter, parts.asked, out);
    curve_.draw(settled, painter, parts.asked, out);
    stage_.draw(settled, painter, out);
    guide_.draw(settled, painter, parts.guide, info, out);
    import_.draw(settled, painter, parts.picture, out);
    draw_fault(settled, painter, parts.picture, out);
    draw_palette(settled, painter, parts, out);
    draw_help(settled, painter, info, out);
    draw_tour(settled, painter, parts, out);
    popup_was_open_ = any_popup_open();
    drop_lost_focus();
}

bool Shell::mouse_rests(const Frame& frame)
{
    const ImGuiIO& io = ImGui::GetIO();
    const std::string place = fmt::format(
        "{} {} {} {} {}", frame.view, view(frame.view).page_on_show(), frame.preferences.presenter,
        frame.stage != nullptr && frame.stage->script != nullptr ? frame.stage->scene : 0,
        frame.lesson != nullptr ? frame.lesson->state.step : 0);
    // ImGui's own difference is 0 where the mouse comes into the window.
    const bool moves = io.MousePos.x != mouse_at_.x || io.MousePos.y != mouse_at_.y || io.MouseWheel != 0 ||
                       std::ranges::find(io.MouseDown, true) != std::end(io.MouseDown);
    mouse_rests_ = !moves && (mouse_rests_ || place != shown_place_);
    shown_place_ = place;
    mouse_at_ = io.MousePos;
    return mouse_rests_;
}

void Shell::draw_panel(const Frame& frame, const Painter& painter, Rect area, const ViewInfo& info, Out& out)
{
    View& shown = view(info.id);
    if (shown.about_scenario())
    {
        const Look veiled = look_for(frame, painter.look);
        walk_.draw(Painter(painter.list.raw, veiled, painter.parts),
                   [&](const Painter& p) { panel_.draw(frame, p, area, info, shown, out); });
    }
    else
    {
        walk_.draw(painter, [&](const Painter& p) { Panel::draw_own(frame, p, area, shown, out); });
    }
}

// A window of its own over all of the other, so that nothing beneath it is pressed; a press beside it closes
// it.
void Shell::draw_panel_over(const Frame& frame, const Painter& painter, Rect area, const ViewInfo& info,
                            Out& out)
{
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::Begin("###panel over", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
    const Painter over(*ImGui::GetWindowDrawList(), painter.look, painter.parts);
    const Rect beside{0, 0, area.x, area.h};
    over.fill(beside, with_alpha(over.theme.window, 0.8F));
    const bool away =
        ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0) && beside.contains(ImGui::GetIO().MousePos);
    const Rect close{area.x - over.px(60), over.px(8), over.px(48), over.px(48)};
    if (beside.w > over.px(72) && button(over, close, "\u00D7###close panel"))
    {
        panel_over_ = false;
    }
    draw_panel(frame, over, area, info, out);
    panel_over_ = panel_over_ && !away;
    out.animating = out.animating || !panel_over_;
    ImGui::End();
}

Frame Shell::draw_main(const Frame& frame, const Look& look, const Settle& settle, Out& out)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    keep_keys_from_widgets();
    walk_.begin();
    const std::string_view page = view(frame.view).page_on_show();
    walk_.set_board(curve_.begin(frame, page.empty() ? frame.view : page, look, out));
    leave_view(frame);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("###ringside", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoScrollWithMouse);
    window_parts_.clear();
    const Painter painter(*ImGui::GetWindowDrawList(), look, tour_.on() ? &window_parts_ : nullptr);
    const ViewInfo* found = find_view(frame.view);
    const ViewInfo& info = found == nullptr ? *views().front() : *found;
    const Parts parts = layout(frame, look, size);
    panel_over_ = panel_over_ && !parts.has_panel;
    const bool shown_over = !parts.has_panel && panel_over_ && !frame.preferences.presenter;
    read_region(look, frame.lesson == nullptr ? ReadRegion::panel : ReadRegion::lesson);
    if (frame.lesson != nullptr)
    {
        if (parts.has_panel)
        {
            lesson_.draw(frame, painter, parts.panel, panel_, out);
        }
    }
    else if (parts.has_panel)
    {
        draw_panel(frame, painter, parts.panel, info, out);
    }
    else if (shown_over)
    {
        const float over = std::min(look.px(288), size.x);
        draw_panel_over(frame, painter, {size.x - over, 0, over, size.y}, info, out);
    }
    const Frame settled = settle(out);
    follow_lesson(settled);
    const Look veiled = look_for(settled, look);
    const Painter of_picture(painter.list.raw, veiled, painter.parts);
    // A lesson's step may have opened another view meanwhile.
    const ViewInfo* now = find_view(settled.view);
    const Parts settled_parts = layout(settled, look, size);
    draw_window(settled, of_picture, settled_parts, now == nullptr ? info : *now, out);
    ImGui::End();
    return settled;
}

void Shell::draw_palette(const Frame& frame, const Painter& painter, const Parts& parts, Out& out)
{
    const PaletteEntry* chosen = palette_.draw(frame, painter, out);
    if (chosen == nullptr)
    {
        return;
    }
    if (chosen->request == ShellRequest::field)
    {
        panel_.reveal(chosen->which);
        panel_over_ = !parts.has_panel;
    }
    else if (chosen->request == ShellRequest::term)
    {
        show("glossary", chosen->which);
    }
    else if (chosen->request == ShellRequest::tour)
    {
        tour_.start();
    }
    else if (chosen->request == ShellRequest::guide)
    {
        guide_.toggle();
    }
    help_open_ = help_open_ || chosen->request == ShellRequest::keys;
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
