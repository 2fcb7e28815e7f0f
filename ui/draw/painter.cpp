#include "ui/draw/painter.h"

#include "core/base/text/hide_numbers.h"
#include "ui/draw/marks.h"
#include "ui/draw/transcript.h"
#include "ui/draw/wrap.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

Rect Rect::cut_top(float amount)
{
    const float taken = std::min(amount, h);
    const Rect strip{x, y, w, taken};
    y += taken;
    h -= taken;
    return strip;
}

Rect Rect::cut_bottom(float amount)
{
    const float taken = std::min(amount, h);
    h -= taken;
    return {x, y + h, w, taken};
}

Rect Rect::cut_left(float amount)
{
    const float taken = std::min(amount, w);
    const Rect strip{x, y, taken, h};
    x += taken;
    w -= taken;
    return strip;
}

Rect Rect::cut_right(float amount)
{
    const float taken = std::min(amount, w);
    w -= taken;
    return {x + w, y, taken, h};
}

float ease(float t)
{
    const float x = std::clamp(t, 0.0F, 1.0F);
    const float left = 2 - 2 * x;
    return x < 0.5F ? 4 * x * x * x : 1 - left * left * left / 2;
}

void Painter::part(std::string_view name, Rect r) const
{
    if (parts != nullptr && r.w > 0 && r.h > 0)
    {
        parts->push_back({std::string(name), r});
    }
}

bool Painter::points_in(Rect r) const
{
    const bool walking = look.marks != nullptr && look.marks->walking;
    return (walking || ImGui::IsWindowHovered()) && r.contains(ImGui::GetIO().MousePos);
}

bool Painter::walks_in(Rect r) const
{
    return look.marks != nullptr && look.marks->walking && r.contains(ImGui::GetIO().MousePos);
}

void Painter::mark(Rect r, int curve) const
{
    const ImVec2 low = list.raw.GetClipRectMin();
    const ImVec2 high = list.raw.GetClipRectMax();
    const Rect seen{low.x, low.y, high.x - low.x, high.y - low.y};
    if (look.marks != nullptr && r.w >= 1 && r.h >= 1 && seen.contains({r.centre(), r.middle()}))
    {
        look.marks->all.push_back({r.x, r.y, r.w, r.h, curve});
    }
}

bool Painter::points_at(Rect r) const
{
    mark(r);
    return points_in(r);
}

std::string_view Painter::veiled(std::string_view text, std::string& room) const
{
    if (!look.hide_numbers)
    {
        return text;
    }
    room = ringside::hide_numbers(text, look.known_numbers);
    return room;
}

float Painter::raw_width(Type type, std::string_view text) const
{
    if (text.empty())
    {
        return 0; // ImGui takes an empty range at address 0 for a C string
    }
    const ImFont* font = look.fonts.of(type);
    return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

float Painter::width(Type type, std::string_view text) const
{
    std::string hidden;
    return raw_width(type, veiled(text, hidden));
}

float Painter::height(Type type) const
{
    return look.fonts.of(type)->FontSize;
}

float Painter::write(float x, float middle, Type type, Colour colour, std::string_view text, Align align,
                     float shrunk) const
{
    if (text.empty())
    {
        return 0;
    }
    const ImFont* font = look.fonts.of(type);
    const float size = font->FontSize * shrunk;
    const float w = raw_width(type, text) * shrunk;
    const float left = align == Align::left ? x : align == Align::centre ? x - w / 2 : x - w;
    list.AddText(font, size, {std::round(left), std::round(middle - size / 2)}, colour, text.data(),
                 text.data() + text.size());
    if (look.transcript != nullptr)
    {
        look.transcript->write(type, size, {left, middle - size / 2, w, size}, text, list.raw);
    }
    return w;
}

float Painter::text(float x, float middle, Type type, Colour colour, std::string_view text, Align align) const
{
    std::string hidden;
    return write(x, middle, type, colour, veiled(text, hidden), align);
}

float Painter::text_shrunk(float x, float middle, Type type, float share, Colour colour,
                           std::string_view text, Align align) const
{
    std::string hidden;
    return write(x, middle, type, colour, veiled(text, hidden), align, share);
}

std::string Painter::shortened(Type type, std::string_view text, float most) const
{
    std::string hidden;
    text = veiled(text, hidden);
    if (width(type, text) <= most)
    {
        return std::string(text);
    }
    const float room = most - width(type, "\u2026");
    std::size_t end = text.size();
    while (end > 0)
    {
        --end;
        const bool boundary = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
        if (boundary && width(type, text.substr(0, end)) <= room)
        {
            break;
        }
    }
    while (end > 0 && text[end - 1] == ' ')
    {
        --end;
    }
    return end == 0 ? std::string() : std::string(text.substr(0, end)) + "\u2026";
}

float Painter::text_within(float x, float middle, float most, Type type, Colour colour,
                           std::string_view words) const
{
    return text(x, middle, type, colour, shortened(type, words, most));
}

float Painter::paragraph(Rect area, Type type, Colour colour, std::string_view text) const
{
    return rich(area, type, type, colour, text);
}

namespace
{

struct Word
{
    std::string_view text;
    bool strong = false;
    bool warning = false;
    bool space_before = false;
};

std::vector<Word> split_words(std::string_view text)
{
    std::vector<Word> words;
    bool strong = false;
    bool warning = false;
    bool space = false;
    std::size_t i = 0;
    while (i < text.size())
    {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("**") || rest.starts_with("!!"))
        {
            bool& mark = rest[0] == '*' ? strong : warning;
            mark = !mark;
            i += 2;
            continue;
        }
        if (text[i] == ' ' || text[i] == '\n')
        {
            space = true;
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && text[end] != ' ' && text[end] != '\n' &&
               !text.substr(end).starts_with("**") && !text.substr(end).starts_with("!!"))
        {
            ++end;
        }
        words.push_back({text.substr(i, end - i), strong, warning, space});
        space = false;
        i = end;
    }
    return words;
}

// A number stays with the unit behind it, so that no line begins with "s".
bool belongs_to(const Word& before, const Word& word)
{
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !word.space_before ||
           (digit(before.text.back()) && !digit(word.text.front()) && word.text.size() <= 3);
}

} // namespace

float Painter::rich(Rect area, Type plain, Type strong, Colour colour, std::string_view text) const
{
    if (look.hide_numbers) // a number of a name can be told while it stands behind it: stage 0
    {
        Look open = look;
        open.hide_numbers = false;
        std::string hidden;
        return Painter(list.raw, open, parts).rich(area, plain, strong, colour, veiled(text, hidden));
    }
    const float line_height = std::round(height(plain) * 1.17F);
    const float space = width(plain, " ");
    float x = area.x;
    float middle = area.y + line_height / 2;
    const std::vector<Word> words = split_words(text);
    const auto width_of = [&](const Word& word)
    { return width(word.strong || word.warning ? strong : plain, word.text); };
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const Word& word = words[i];
        const float w = width_of(word);
        // With all that belongs to it: no line begins with the comma behind a strong word.
        float whole = w;
        for (std::size_t k = i + 1; k < words.size() && belongs_to(words[k - 1], words[k]); ++k)
        {
            whole += (words[k].space_before ? space : 0) + width_of(words[k]);
        }
        const float gap = word.space_before && x > area.x ? space : 0;
        const bool together = word.space_before && whole <= area.w;
        if (x > area.x && x + gap + (together ? whole : w) > area.right())
        {
            x = area.x;
            middle += line_height;
        }
        else
        {
            x += gap;
        }
        const Type type = word.strong || word.warning ? strong : plain;
        std::string_view rest = word.text;
        for (std::size_t n = 0; (n = fitting(*this, type, rest, area.w)) < rest.size(); rest.remove_prefix(n))
        {
            this->text(area.x, middle, type, word.warning ? theme.warning : colour, rest.substr(0, n));
            x = area.x;
            middle += line_height;
        }
        x += this->text(x, middle, type, word.warning ? theme.warning : colour, rest);
    }
    return middle + line_height / 2 - area.y;
}

void Painter::fill(Rect r, Colour colour, float radius) const
{
    if (r.w > 0 && r.h > 0)
    {
        list.AddRectFilled(r.min(), r.max(), colour, radius);
    }
}

void Painter::outline(Rect r, Colour colour, float thickness, float radius) const
{
    if (r.w > 0 && r.h > 0)
    {
        list.AddRect(r.min(), r.max(), colour, radius, 0, thickness);
    }
}

void Painter::line(float x1, float y1, float x2, float y2, Colour colour, float thickness) const
{
    list.AddLine({x1, y1}, {x2, y2}, colour, thickness);
}

void Painter::dashed(float x1, float y1, float x2, float y2, Colour colour, float thickness) const
{
    const float length = std::hypot(x2 - x1, y2 - y1);
    const float dash = px(4);
    const auto dashes = static_cast<int>(std::ceil(length / (2 * dash)));
    for (int i = 0; i < dashes; ++i)
    {
        const float at = static_cast<float>(i) * 2 * dash;
        const float from = at / length;
        const float to = std::min(at + dash, length) / length;
        line(x1 + (x2 - x1) * from, y1 + (y2 - y1) * from, x1 + (x2 - x1) * to, y1 + (y2 - y1) * to, colour,
             thickness);
    }
}

void Painter::hatch(Rect r, Colour colour, Hatch kind) const
{
    // Nothing of what is out of sight: a picture that is zoomed into may reach far beyond the window.
    const ImVec2 least = list.raw.GetClipRectMin();
    const ImVec2 most = list.raw.GetClipRectMax();
    const float left_edge = std::max(r.x, least.x - px(2));
    const float top_edge = std::max(r.y, least.y - px(2));
    r = {left_edge, top_edge, std::min(r.right(), most.x + px(2)) - left_edge,
         std::min(r.bottom(), most.y + px(2)) - top_edge};
    if (r.w < 1 || r.h < 1)
    {
        return;
    }
    const float gap = std::max(3.0F, px(kind.gap));
    const float thickness = std::max(1.0F, kind.line * look.scale);
    // On one grid for the whole window, so that neighbouring hatched blocks read as one surface. Each line
    // ends where its corners touch the edges: a clip rectangle would be a draw call for every block.
    const float corner = thickness * 0.35F;
    const auto first = static_cast<int>(std::ceil((r.x + r.y) / gap));
    const auto last = static_cast<int>(std::floor((r.right() + r.bottom()) / gap));
    for (int i = first; i <= last; ++i)
    {
        const float sum = static_cast<float>(i) * gap; // of x and y, on this line
        const float right = std::min(r.right(), sum - r.y) - corner;
        const float left = std::max(r.x, sum - r.bottom()) + corner;
        if (right > left)
        {
            list.AddLine({right, sum - right}, {left, sum - left}, colour, thickness);
        }
    }
}

void Painter::block(Rect r, const Ink& ink, std::string_view label, Type type) const
{
    fill(r, ink.fill);
    if (ink.edge != 0 && r.w > 3 && r.h > 3)
    {
        outline(r, ink.edge);
    }
    // A number alone is the name of a micro-batch or rank, not a figure.
    std::string hidden;
    const bool name = label.find_first_not_of("0123456789") == std::string_view::npos;
    label = name ? label : veiled(label, hidden);
    if (!label.empty() && r.h >= px(14) && raw_width(type, label) + px(4) <= r.w)
    {
        write(r.centre(), r.middle(), type, ink.label, label, Align::centre);
    }
}

void Painter::card(Rect r, bool selected, bool hovered) const
{
    fill(r, selected || hovered ? theme.raised : theme.control, px(8));
    outline(r, selected ? theme.text : theme.line, selected ? px(2) : 1, px(8));
}

Rect Painter::keycap(float x, float middle, std::string_view key) const
{
    const float h = px(24);
    const Rect r{x, std::round(middle - h / 2), std::max(h, raw_width(Type::mono_small, key) + px(12)), h};
    fill(r, theme.raised, px(4));
    outline(r, theme.line, 1, px(4));
    write(r.centre(), r.middle(), Type::mono_small, theme.text, key, Align::centre);
    return r;
}

void Painter::tick(float x, float middle, Colour colour) const
{
    const float u = px(1);
    const std::array points{ImVec2{x, middle + u}, ImVec2{x + 5 * u, middle + 6 * u},
                            ImVec2{x + 15 * u, middle - 6 * u}};
    list.AddPolyline(points.data(), 3, colour, 0, std::max(2.0F, 3 * look.scale));
}

void Painter::tick_in(Rect box, Colour colour) const
{
    const float u = box.w / 14;
    const std::array points{ImVec2{box.x + 3 * u, box.middle()}, ImVec2{box.x + 6 * u, box.middle() + 3 * u},
                            ImVec2{box.right() - 3 * u, box.middle() - 4 * u}};
    list.AddPolyline(points.data(), 3, colour, 0, std::max(1.5F, 2 * u));
}

void Painter::triangle(float x, float middle, Colour colour) const
{
    const float u = px(8);
    list.AddTriangleFilled({x, middle + u * 0.85F}, {x + u, middle - u}, {x + 2 * u, middle + u * 0.85F},
                           colour);
}

void Painter::arrow(ImVec2 from, ImVec2 to, Colour colour, float thickness) const
{
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1)
    {
        return;
    }
    const ImVec2 d{(to.x - from.x) / length, (to.y - from.y) / length};
    const float head = px(8);
    const ImVec2 base{to.x - d.x * head, to.y - d.y * head};
    list.AddLine(from, base, colour, thickness);
    list.AddTriangleFilled(to, {base.x - d.y * head / 2, base.y + d.x * head / 2},
                           {base.x + d.y * head / 2, base.y - d.x * head / 2}, colour);
}

void Painter::meter(Rect r, double value, double limit, double most) const
{
    const double scale = most > 0 ? static_cast<double>(r.w) / most : 0;
    const auto at = [&](double v)
    { return static_cast<float>(std::clamp(v * scale, 0.0, static_cast<double>(r.w))); };
    fill(r, theme.raised, px(2));
    fill({r.x, r.y, at(std::min(value, limit)), r.h}, mix(theme.text, theme.window, 0.3F), px(2));
    if (value > limit)
    {
        fill({r.x + at(limit), r.y, at(value) - at(limit), r.h}, theme.warning);
    }
    fill({r.x + at(limit) - px(1), r.y - px(5), px(2), r.h + px(10)}, theme.text);
}

} // namespace ringside
