// How far down the camera is, and how much a length on screen stands for.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/draw/transcript.h"
#include "ui/views/overview/zoom/sight.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// The largest of 1, 2, 5, 10, 20 ... that is no more.
double round_length(double most)
{
    const double power = std::pow(10.0, std::floor(std::log10(most)));
    const double times = most / power;
    return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

// Bytes are the one quantity that ends: below a byte they are bits.
std::string length_words(std::size_t quantity, double value, ByteUnit unit)
{
    return quantity == 0   ? zoomed_bytes(value, unit)
           : quantity == 1 ? zoomed_flops(value)
                           : zoomed_seconds(value);
}

} // namespace

std::optional<std::size_t> draw_ladder(const ZoomSight& s, Rect area, std::size_t at)
{
    const Painter& p = s.p;
    const Theme& t = p.theme;
    std::optional<std::size_t> pressed;
    const float pitch = std::min(p.px(36), area.h / static_cast<float>(kHeights));
    const float x = area.x + p.px(8);
    const auto middle = [&](double height) { return area.y + pitch * (static_cast<float>(height) + 0.5F); };
    p.line(x, middle(0), x, middle(kHeights - 1), t.line, p.px(2));
    for (std::size_t i = 0; i < kHeights; ++i)
    {
        const Rect row{area.x, area.y + pitch * static_cast<float>(i), area.w, pitch};
        const std::string_view name = s.h.name_of(static_cast<Height>(i));
        const std::string id = fmt::format("###height {}", i);
        const Press hit = press(p, row.inset(p.px(1)), id.c_str(), 6,
                                {.role = ReadRole::choice, .on = i == at, .name = name});
        pressed = hit.clicked ? i : pressed;
        p.list.AddCircleFilled({x, row.middle()}, p.px(3), i == at || hit.hovered ? t.text : t.muted);
        p.text_within(row.x + p.px(20), row.middle(), row.w - p.px(24),
                      i == at ? Type::small_strong : Type::small, i == at || hit.hovered ? t.text : t.muted,
                      name);
    }
    p.list.AddCircle({x, middle(s.height)}, p.px(7), t.text, 0, p.px(2));
    return pressed;
}

void draw_scales(const ZoomSight& s, Rect area)
{
    const Painter& p = s.p;
    const HeightSize size = s.h.at(s.path, s.height);
    const std::array<double, 3> across{size.bytes, size.flops, size.seconds};
    const float slot = area.w / static_cast<float>(across.size());
    const float room = slot - p.px(24);
    for (std::size_t i = 0; i < across.size(); ++i)
    {
        const Rect cell{area.x + slot * static_cast<float>(i), area.y, slot, area.h};
        // So much is all that is in sight; a bar stands for a round part of it.
        const double pixel = across.at(i) / static_cast<double>(s.window.w);
        const double most = pixel * static_cast<double>(room);
        const double unit = i == 0 && most < 1 ? 0.125 : 1; // below a byte, bits are round
        const double value = round_length(most / unit) * unit;
        const auto length = static_cast<float>(value / pixel);
        const float y = cell.bottom() - p.px(8);
        const float tick = p.px(5);
        p.line(cell.x, y, cell.x + length, y, p.theme.text, p.px(2));
        p.line(cell.x, y - tick, cell.x, y + tick, p.theme.text, p.px(2));
        p.line(cell.x + length, y - tick, cell.x + length, y + tick, p.theme.text, p.px(2));
        p.text_within(cell.x, cell.y + p.height(Type::small) / 2, room, Type::small, p.theme.text,
                      length_words(i, value, s.frame.preferences.unit));
    }
    p.part("scales", area);
}

} // namespace ringside
