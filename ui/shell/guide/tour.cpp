#include "ui/shell/guide/tour.h"

#include <fmt/format.h>

#include "ui/shell/guide/spotlight.h"
#include "ui/shell/overlay.h"
#include "ui/widgets/sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kButtonRow = 32; // [design px]
constexpr ImGuiWindowFlags kPlain = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                    ImGuiWindowFlags_NoNav;

// What people come for, each a way to begin at once.
struct TourUse
{
    const char* label;
    const char* key;
    std::string_view says;
    Action (*run)(); // null: the places below
};
constexpr std::array kUses{
    TourUse{"Plan a run###use plan", "1",
            "Which layout fits and is fastest, and the launch files for Megatron-LM, DeepSpeed, torchtitan.",
            [] { return Action(OpenView{"planner"}); }},
    TourUse{
        "Teach###use teach", "2",
        "Scenes for a first class, with questions to ask. F5 shows only the picture, F11 fills the screen.",
        [] { return Action(StartScript{0}); }},
    TourUse{"Study###use study", "3", "Lessons that ask first, drills, mock interviews, a glossary.",
            [] { return Action(OpenView{"lessons"}); }},
    TourUse{"Try an example###use example", "4",
            "Twelve scenarios, each in the view that says most about it.", nullptr}};

// Where a first-time user may begin: those of assets/gallery/start.txt, in few words.
struct TourPlace
{
    const char* label;
    std::string_view view;
    std::string_view scenario = {}; // a preset; empty: as it is
};
constexpr std::array kPlaces{
    TourPlace{"What fills a GPU\u2019s memory: a 70B###place 1", "memory", "llama-70b-256"},
    TourPlace{"What ZeRO shards: a 13B###place 2", "zero", "gpt-13b-8"},
    TourPlace{"The bubble of a pipeline: GPT-3###place 3", "pipelines", "gpt-3-175b-1024"},
    TourPlace{"Where the time of a step goes###place 4", "waterfall", "llama-70b-256"},
    TourPlace{"Which GPU holds what: DeepSeek-V3###place 5", "layout", "deepseek-v3-2048"},
    TourPlace{"Tokens on their way to experts###place 6", "experts", "mixtral-8x7b-64"},
    TourPlace{"A ring all-reduce, chunk by chunk###place 7", "ring"},
    TourPlace{"Memory or time: recomputation###place 8", "recompute", "mpt-30b-512"},
    TourPlace{"Every legal layout of a 70B, ranked###place 9", "planner", "llama-70b-128"},
    TourPlace{"The rank that hung###place 10", "hangs"},
    TourPlace{"Latencies of an 8B that is served###place 11", "slo", "served-8b"},
    TourPlace{"What a budget buys: scaling laws###place 12", "laws"}};

constexpr std::array kStops{
    TourStop{"", "What brings you here?", ""},
    TourStop{kTourPicture, "One training step",
             "Every view answers the question above it with a picture of your scenario. Press a part of this "
             "one to open it on its own."},
    TourStop{kTourPanel, "Your scenario",
             "Model, GPUs, layout. Move a slider and everything follows immediately; double-click a value to "
             "type it. In a small window \\ opens this."},
    TourStop{kTourCaption, "In one sentence",
             "Today\u2019s answer, and its formula with the numbers put in. Point at it for the paper that "
             "it comes from."},
    TourStop{kTourTime, "Time is yours",
             "Space plays and pauses. Drag the track, or step with the comma and period keys; it all runs "
             "backwards, too."},
    TourStop{kTourRail, "One picture for each question",
             "A group for each subject, with its views as tabs. The keys [ and ] go through all of them."},
    TourStop{
        kTourFind, "Find anything",
        "Ctrl K finds views, words, lessons, questions and fields by name. ? shows every key of the view "
        "you are in."},
    TourStop{
        kTourLab, "Lab and Study",
        "The Lab trains a tiny GPT for real, measured next to predicted. Study has lessons, drills, mock "
        "interviews and a glossary."},
    TourStop{"", "Begin with an example", "Ctrl Z brings your own scenario back."}};
constexpr std::size_t kPlacesStop = kStops.size() - 1;

// So far from the window's edges that the whole ring is seen.
Rect kept_inside(const Painter& p, Rect part, Rect display)
{
    const Rect in = display.inset(p.px(9));
    const float x = std::max(part.x, in.x);
    const float y = std::max(part.y, in.y);
    return {x, y, std::min(part.right(), in.right()) - x, std::min(part.bottom(), in.bottom()) - y};
}

float shared_area(Rect a, Rect b)
{
    const float w = std::min(a.right(), b.right()) - std::max(a.x, b.x);
    const float h = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
    return std::max(0.0F, w) * std::max(0.0F, h);
}

// Beside the part, on the side where it hides least of it.
Rect place_of(const Painter& p, Rect part, Rect display, float w, float h)
{
    const auto within = [&](float x, float y)
    {
        return Rect{std::clamp(x, display.x, std::max(display.x, display.right() - w)),
                    std::clamp(y, display.y, std::max(display.y, display.bottom() - h)), w, h};
    };
    if (part.w <= 0)
    {
        return within(display.centre() - w / 2, display.middle() - h / 2);
    }
    const float gap = p.px(20);
    const std::array sides{within(part.right() + gap, part.y), within(part.x - gap - w, part.y),
                           within(part.centre() - w / 2, part.y - gap - h),
                           within(part.centre() - w / 2, part.bottom() + gap)};
    return *std::ranges::min_element(sides, {}, [&](const Rect& r) { return shared_area(r, part); });
}

// Inside the card; less where the window is low.
float margin_of(const Painter& p)
{
    return p.px(ImGui::GetIO().DisplaySize.y < p.px(320) ? 8 : 16);
}

// The ways to begin; in a low window without what they are.
void draw_uses(Sheet& sheet, std::optional<std::size_t>& used)
{
    const Painter& p = sheet.p;
    const bool low = ImGui::GetIO().DisplaySize.y < p.px(540);
    std::vector<KeyButton> row;
    for (std::size_t i = 0; i < kUses.size(); ++i)
    {
        const auto use = [&used, i] { used = i; };
        if (low)
        {
            const std::string label = kUses.at(i).label;
            const std::size_t end = label.find_first_of(" #"); // "Plan"
            row.push_back({label.substr(0, end) + label.substr(label.find("###")), kUses.at(i).key, use});
        }
        else if (sheet.gap(6); sheet.button(kUses.at(i).label, kUses.at(i).key, ButtonStyle::plain))
        {
            use();
        }
        if (!low)
        {
            sheet.gap(4);
            sheet.note(kUses.at(i).says);
            sheet.gap(6);
        }
    }
    sheet.buttons(row);
}

// As many of the places as there is room for.
void draw_places(Sheet& sheet, std::optional<std::size_t>& used)
{
    const Painter& p = sheet.p;
    const float room = ImGui::GetIO().DisplaySize.y - p.px(190);
    for (std::size_t i = 0; i < kPlaces.size() && static_cast<float>(i + 1) * p.px(40) < room; ++i)
    {
        sheet.gap(4);
        if (sheet.button(kPlaces.at(i).label, "", ButtonStyle::plain))
        {
            used = i;
        }
    }
}

// Everything of the card above its last row; the height it takes.
float draw_words(const Painter& p, Rect in, std::size_t stop, std::optional<std::size_t>& used)
{
    Sheet sheet(p, in);
    sheet.name(kStops.at(stop).title);
    sheet.gap(6);
    sheet.text(kStops.at(stop).text);
    if (stop == 0)
    {
        draw_uses(sheet, used);
    }
    else if (stop == kPlacesStop)
    {
        draw_places(sheet, used);
    }
    return sheet.y() - in.y;
}

constexpr std::array kOurs{ImGuiKey_Enter, ImGuiKey_KeypadEnter, ImGuiKey_Space, ImGuiKey_RightArrow,
                           ImGuiKey_LeftArrow};

// Whether the key is one of the keyboard, and not held for another key's sake.
bool is_some_key(ImGuiKey key)
{
    const bool modifier = key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper;
    return key < ImGuiKey_GamepadStart && !modifier && std::ranges::find(kOurs, key) == kOurs.end();
}

bool other_key_pressed()
{
    for (int k = ImGuiKey_NamedKey_BEGIN; k < ImGuiKey_NamedKey_END; ++k)
    {
        const auto key = static_cast<ImGuiKey>(k);
        if (is_some_key(key) && ImGui::IsKeyPressed(key, false))
        {
            return true;
        }
    }
    const ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
    return std::any_of(typed.begin(), typed.end(), [](ImWchar sign) { return sign > ' '; });
}

} // namespace

std::span<const TourStop> tour_stops()
{
    return kStops;
}

void Tour::start(std::size_t stop)
{
    stop_ = std::min(stop, kStops.size() - 1);
    ring_of_.reset();
}

// Beyond the last stop it ends.
void Tour::go(std::ptrdiff_t by)
{
    const std::ptrdiff_t next = std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(*stop_) + by);
    stop_ = next < std::ssize(kStops) ? std::optional(static_cast<std::size_t>(next)) : std::nullopt;
}

bool Tour::keys(Out& out)
{
    if (!stop_)
    {
        return false;
    }
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
    const bool on = pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeypadEnter) || pressed(ImGuiKey_Space) ||
                    pressed(ImGuiKey_RightArrow);
    const bool back = pressed(ImGuiKey_LeftArrow);
    if (const auto use = *stop_ == 0 ? digit_pressed(kUses.size()) : std::nullopt)
    {
        begin(*use, out);
        return true;
    }
    if (other_key_pressed())
    {
        stop_.reset();
        return false;
    }
    if (on || back)
    {
        go(on ? 1 : -1);
        out.animating = true;
    }
    return on || back;
}

void Tour::begin(std::size_t use, Out& out)
{
    out.animating = true;
    if (*stop_ == kPlacesStop)
    {
        const TourPlace& place = kPlaces.at(use);
        if (!place.scenario.empty())
        {
            out.push(LoadScenario{std::string(place.scenario)});
        }
        out.push(OpenView{std::string(place.view)});
        stop_.reset();
    }
    else if (kUses.at(use).run == nullptr)
    {
        stop_ = kPlacesStop;
    }
    else
    {
        out.push(kUses.at(use).run());
        stop_.reset();
    }
}

// True when its button was pressed.
bool Tour::draw_card(const Painter& painter, Rect card, Out& out)
{
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    Rect in = card.inset(margin_of(p));
    Rect row = in.cut_bottom(p.px(kButtonRow));
    std::optional<std::size_t> used;
    const float words = draw_words(p, in, *stop_, used);
    out.animating = out.animating || words != words_;
    words_ = words;
    if (used)
    {
        begin(*used, out);
        return false;
    }
    const bool last = *stop_ + 1 == kStops.size();
    const std::string label = fmt::format("{}###tour next", last          ? "Done"
                                                            : *stop_ == 0 ? "Look around"
                                                                          : "Next");
    const float cap = p.width(Type::mono_small, "Enter") + p.px(20);
    const Rect next = row.cut_right(std::min(
        row.w * 0.6F, p.width(Type::small_strong, label.substr(0, label.find('#'))) + cap + p.px(24)));
    const float place = p.text(row.x, row.middle(), Type::small, p.theme.muted,
                               fmt::format("{} of {}", *stop_ + 1, kStops.size()));
    const std::string_view leave = "Esc leaves";
    if (place + p.width(Type::small, leave) + p.px(32) < row.w)
    {
        p.text(row.x + place + p.px(16), row.middle(), Type::small, p.theme.muted, leave);
    }
    return button(p, next, label.c_str(), "Enter", ButtonStyle::primary);
}

void Tour::draw_ring(const Frame& frame, const Painter& painter, Rect part, Out& out)
{
    if (ring_of_ != stop_)
    {
        ring_of_ = stop_;
        ring_ = Tween();
        ring_.towards(0, frame, painter.look, out);
    }
    const float strength = ring_.towards(1, frame, painter.look, out);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("###tour veil", nullptr, kPlain | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    if (part.w <= 0)
    {
        p.fill({0, 0, size.x, size.y}, with_alpha(p.theme.window, 0.55F * strength));
    }
    ring_part(p, {0, 0, size.x, size.y}, {{"here", part}}, "here", strength);
    ImGui::End();
}

void Tour::draw(const Frame& frame, const Painter& painter, const std::vector<NamedPart>& parts, Out& out)
{
    if (!stop_)
    {
        return;
    }
    for (const ImGuiKey key : kOurs)
    {
        ImGui::SetKeyOwner(key, ImHashStr("tour keys")); // they press nothing that lies below
    }
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const Rect display{0, 0, size.x, size.y};
    const Rect part = kept_inside(painter, bounds_of(parts, kStops.at(*stop_).part), display);
    draw_ring(frame, painter, part, out);
    const float w = std::min(painter.px(360), size.x - painter.px(24));
    const float margin = margin_of(painter);
    const float h = words_ + 2 * margin + painter.px(kButtonRow) + margin / 2;
    const Rect card = place_of(painter, part, display.inset(margin / 2), w, h);
    ImGui::SetNextWindowPos(card.min());
    ImGui::SetNextWindowSize({card.w, card.h});
    push_overlay_style(painter);
    ImGui::Begin("###tour card", nullptr, kPlain);
    const bool next = draw_card(painter, card, out);
    const bool inside = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    ImGui::End();
    pop_overlay_style();
    if (!stop_)
    {
        return;
    }
    if (next)
    {
        go(1);
        out.animating = true;
    }
    else if (!inside && (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1)))
    {
        stop_.reset();
        out.animating = true;
    }
}

} // namespace ringside
