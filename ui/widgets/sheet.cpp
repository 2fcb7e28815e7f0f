#include "ui/widgets/sheet.h"

#include "ui/draw/transcript.h"
#include "ui/widgets/markdown.h"

#include <algorithm>

namespace ringside
{

namespace
{

Type strong_of(Type type)
{
    return type == Type::small ? Type::small_strong : type == Type::body ? Type::body_strong : type;
}

std::string_view words_on(const KeyButton& b)
{
    return std::string_view(b.label).substr(0, b.label.find("##"));
}

bool is_word_edge(std::string_view text, std::size_t at)
{
    constexpr std::string_view kEdges = " \n().,;:?!";
    return at >= text.size() || kEdges.find(text[at]) != std::string_view::npos;
}

bool key_pressed(ImGuiKey code)
{
    return code != ImGuiKey_None && (ImGui::IsKeyPressed(code, false) ||
                                     (code == ImGuiKey_Enter && key_pressed(ImGuiKey_KeypadEnter)));
}

void put_button(const Painter& p, Rect r, const KeyButton& b)
{
    if (button(p, r, b.label.c_str(), b.key, b.style))
    {
        b.run();
    }
}

} // namespace

// Each as wide as its words want where equal ones would cut some.
void draw_buttons(const Painter& p, Rect row, std::span<const KeyButton> buttons)
{
    float count = 0;
    float sum = 0;
    float widest = 0;
    for (const KeyButton& b : buttons)
    {
        const float w = p.width(Type::small_strong, words_on(b));
        count += b.label.empty() ? 0.0F : 1.0F;
        sum += w;
        widest = std::max(widest, w);
    }
    float gap = p.px(12);
    const float each = std::min(p.px(240), (row.w - gap * (count - 1)) / std::max(1.0F, count));
    const bool equal = widest + p.px(12) <= each;
    gap = equal ? gap : p.px(8);
    const float spare = (row.w - gap * (count - 1) - sum) / std::max(1.0F, count);
    for (const KeyButton& b : buttons)
    {
        if (!b.label.empty())
        {
            const float w = p.width(Type::small_strong, words_on(b));
            put_button(p,
                       row.cut_left(equal       ? each
                                    : spare > 0 ? w + spare
                                                : w * (1 + spare * count / sum)),
                       b);
            row.cut_left(gap);
        }
    }
}

bool press_keys(std::span<const KeyButton> buttons)
{
    const auto pressed = std::ranges::find_if(buttons, key_pressed, &KeyButton::code);
    if (pressed == buttons.end())
    {
        return false;
    }
    pressed->run();
    return true;
}

std::optional<std::size_t> digit_pressed(std::size_t count)
{
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 9); ++i)
    {
        const auto digit = static_cast<int>(i);
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + digit), false) ||
            ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_Keypad1 + digit), false))
        {
            return i;
        }
    }
    return std::nullopt;
}

int key_steps(ImGuiKey back, ImGuiKey on)
{
    return (ImGui::IsKeyPressed(on) ? 1 : 0) - (ImGui::IsKeyPressed(back) ? 1 : 0);
}

Rect Sheet::take(float height)
{
    const Rect r{area_.x, y_, area_.w, height};
    y_ += height;
    return r;
}

Rect Sheet::words(Type type, Colour colour, std::string_view text, float indent)
{
    const Rect r{area_.x + indent, y_, area_.w - indent, 0};
    const float used = text.empty() ? 0 : p.rich(r, type, strong_of(type), colour, without_light_marks(text));
    y_ += used;
    return {r.x, r.y, r.w, used};
}

void Sheet::point(std::string_view text, Colour colour, Type type)
{
    p.list.AddCircleFilled({area_.x + p.px(7), y_ + p.height(type) * 0.58F}, p.px(2.5F), p.theme.muted);
    words(type, colour, text, p.px(20));
    gap(3);
}

void Sheet::markdown(std::string_view text)
{
    markdown(text, {});
}

void Sheet::markdown(std::string_view text, const MarkdownTypes& types, Colour ink)
{
    y_ += ringside::markdown(p, {area_.x, y_, area_.w, 0}, ink == 0 ? p.theme.text : ink, text, types);
}

void Sheet::heading(std::string_view text, std::string_view right, Type type)
{
    const Rect r = row(30);
    const float aside = right.empty() ? 0 : std::min(p.width(Type::small, right) + p.px(8), r.w * 0.4F);
    const float used = p.text_within(r.x, r.middle(), r.w - aside, type, p.theme.text, text);
    p.text(r.right(), r.middle(), Type::small, p.theme.muted,
           right.empty() ? std::string() : p.shortened(Type::small, right, r.w - used - p.px(8)),
           Align::right);
}

void Sheet::fact(std::string_view label, std::string_view value, std::string_view tip, FactInk ink)
{
    const Rect r = row(24);
    const Theme& t = p.theme;
    const bool strong = ink == FactInk::strong;
    const float w = p.text(r.right(), r.middle(), Type::mono_small,
                           ink == FactInk::warned ? t.warning : t.text, value, Align::right);
    p.text_within(r.x, r.middle(), r.w - w - p.px(8), strong ? Type::small_strong : Type::small,
                  strong ? t.text : t.muted, label);
    if (!tip.empty())
    {
        press(p, r, ("###" + std::string(label)).c_str(), 2);
        tooltip(p, tip);
    }
}

void Sheet::rule(float above, float below)
{
    gap(above);
    p.line(area_.x, y_, area_.x + area_.w, y_, p.theme.grid);
    gap(below);
}

DrawnCard Sheet::card(const SheetCard& c)
{
    const Rect inside{area_.x + p.px(c.left), 0, area_.w - p.px(c.left) - c.right, 0};
    const float h = words_height(p, inside.w, Type::small, c.words);
    DrawnCard drawn{take(std::max(p.px(c.least), h + p.px(18))), {}};
    const Rect& r = drawn.r;
    drawn.pressed = c.label.empty()
                        ? Press{}
                        : press(p, r, c.label.c_str(), 8,
                                {.role = c.chosen ? ReadRole::choice : ReadRole::button, .on = c.chosen});
    p.card(r, c.chosen, drawn.pressed.hovered);
    p.rich({inside.x, r.middle() - h / 2, inside.w, 0}, Type::small, Type::small_strong,
           c.ink == 0 ? p.theme.text : c.ink, without_light_marks(c.words));
    gap(c.gap);
    return drawn;
}

bool Sheet::button(const char* label, std::string_view key, ButtonStyle style, float height)
{
    return ringside::button(p, row(height), label, key, style);
}

void Sheet::buttons(std::span<const KeyButton> buttons)
{
    const float high = p.px(32);
    Rect left{area_.x, y_, area_.w, high};
    for (const KeyButton& b : buttons)
    {
        const float cap = b.key.empty() ? 0 : p.width(Type::mono_small, b.key) + p.px(20);
        const float w = std::min(area_.w, p.width(Type::small_strong, words_on(b)) + cap + p.px(28));
        if (left.x > area_.x && w > left.w)
        {
            left = {area_.x, left.y + high + p.px(8), area_.w, high};
        }
        put_button(p, left.cut_left(w), b);
        left.cut_left(p.px(8));
    }
    y_ = left.y + (buttons.empty() ? 0 : high);
}

void Sheet::grid(std::size_t count, float least, float height, float between,
                 const std::function<void(std::size_t, Rect)>& cell, std::size_t most)
{
    const float apart = p.px(between);
    const auto fit = static_cast<std::size_t>(std::max(1.0F, (area_.w + apart) / (p.px(least) + apart)));
    const std::size_t columns = std::min(fit, most);
    const float step = (area_.w + apart) / static_cast<float>(columns);
    Rect line;
    for (std::size_t i = 0; i < count; ++i)
    {
        if (i % columns == 0)
        {
            line = row(height);
            gap(between);
        }
        cell(i, {line.x + step * static_cast<float>(i % columns), line.y, step - apart, line.h});
    }
}

// What stands in it is drawn first, to know its height, the ground below it afterwards.
Rect Sheet::boxed(Colour fill, Colour edge, float thickness, float margin,
                  const std::function<void(Sheet&)>& content)
{
    const float m = p.px(margin);
    Sheet inside(p, {area_.x + m, y_ + m, area_.w - 2 * m, 0});
    p.list.ChannelsSplit(2);
    p.list.ChannelsSetCurrent(1);
    content(inside);
    p.list.ChannelsSetCurrent(0);
    const Rect box = take(inside.y() - y_ + m);
    p.fill(box, fill, p.px(8));
    p.outline(box, edge, thickness, p.px(8));
    p.list.ChannelsMerge();
    return box;
}

std::string without_light_marks(std::string_view text)
{
    std::string out;
    bool open = false;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const bool pair = text.substr(i).starts_with("**");
        if (pair)
        {
            out += "**";
            ++i;
            continue;
        }
        const bool opens =
            text[i] == '*' && !open && (i == 0 || is_word_edge(text, i - 1)) && !is_word_edge(text, i + 1);
        const bool closes = text[i] == '*' && open && is_word_edge(text, i + 1);
        open = (open || opens) && !closes;
        if (!opens && !closes && text[i] != '`')
        {
            out += text[i];
        }
    }
    return out;
}

float words_height(const Painter& p, float width, Type type, std::string_view text)
{
    return p.rich({0, 0, width, 0}, type, strong_of(type), 0, without_light_marks(text));
}

} // namespace ringside
