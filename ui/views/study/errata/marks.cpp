#include "ui/views/study/errata/parts.h"

#include <array>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

// One wave of "about equal".
void draw_wave(const Painter& p, ImVec2 centre, Colour ink, float thickness)
{
    constexpr std::size_t kPoints = 13;
    std::array<ImVec2, kPoints> points{};
    for (std::size_t i = 0; i < kPoints; ++i)
    {
        const float share = static_cast<float>(i) / static_cast<float>(kPoints - 1);
        points.at(i) = {centre.x + p.px(12) * (share - 0.5F),
                        centre.y - p.px(2) * std::sin(2 * std::numbers::pi_v<float> * share)};
    }
    p.list.AddPolyline(points.data(), static_cast<int>(kPoints), ink, 0, thickness);
}

// A box of which only the corners are left.
void draw_corners(const Painter& p, ImVec2 c, Colour ink, float thickness)
{
    const float half = p.px(6);
    const float arm = p.px(4);
    for (const float sx : {-1.0F, 1.0F})
    {
        for (const float sy : {-1.0F, 1.0F})
        {
            const ImVec2 corner{c.x + sx * half, c.y + sy * half};
            p.line(corner.x, corner.y, corner.x - sx * arm, corner.y, ink, thickness);
            p.line(corner.x, corner.y, corner.x, corner.y - sy * arm, ink, thickness);
        }
    }
}

} // namespace

void draw_mark(const Painter& p, ImVec2 c, ErratumKind kind, Colour ink)
{
    const float thickness = std::max(1.5F, p.look.scale * 1.75F);
    const float u = p.px(5);
    switch (kind)
    {
    case ErratumKind::contradiction:
        p.line(c.x - p.px(6), c.y - p.px(2.5F), c.x + p.px(6), c.y - p.px(2.5F), ink, thickness);
        p.line(c.x - p.px(6), c.y + p.px(2.5F), c.x + p.px(6), c.y + p.px(2.5F), ink, thickness);
        p.line(c.x - p.px(3), c.y + p.px(7), c.x + p.px(3), c.y - p.px(7), ink, thickness);
        break;
    case ErratumKind::wrong:
        p.line(c.x - u, c.y - u, c.x + u, c.y + u, p.theme.warning, thickness);
        p.line(c.x - u, c.y + u, c.x + u, c.y - u, p.theme.warning, thickness);
        break;
    case ErratumKind::imprecise:
        draw_wave(p, {c.x, c.y - p.px(3)}, ink, thickness);
        draw_wave(p, {c.x, c.y + p.px(3)}, ink, thickness);
        break;
    case ErratumKind::ambiguous: // one way in, two ways out
        p.line(c.x, c.y + p.px(6), c.x, c.y, ink, thickness);
        p.line(c.x, c.y, c.x - u, c.y - p.px(6), ink, thickness);
        p.line(c.x, c.y, c.x + u, c.y - p.px(6), ink, thickness);
        break;
    case ErratumKind::lost_value:
        draw_corners(p, c, ink, thickness);
        break;
    }
}

std::string_view words_of(ErratumKind kind)
{
    constexpr std::array<std::string_view, kErratumKinds> kWords{
        "said both ways", "wrong", "true under conditions", "ambiguous", "a value is lost"};
    return kWords.at(static_cast<std::size_t>(kind));
}

} // namespace ringside
