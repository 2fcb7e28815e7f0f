
#include "core/base/text/text.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kAcross = SmallTask::kInputs;
constexpr std::size_t kDown = SmallTask::kHidden;
constexpr float kGap = 30;   // [design px] between two pictures, for the sign
constexpr float kTitle = 26; // above a picture
constexpr float kFoot = 22;  // below it

struct Part
{
    std::string_view sign; // before it
    std::string_view title;
    std::string_view brief; // where the title has no room
    const Values* values;
    std::string foot;
    bool lost = false;
};

bool in_two_rows(const Painter& p, float width)
{
    return width < p.px(460);
}

// Gold is positive, blue negative, nothing is the control's grey.
Colour colour_of(const Theme& t, float value, float most)
{
    const float amount = std::sqrt(std::min(1.0F, std::abs(value) / most));
    return mix(t.light ? t.panel : t.control, value < 0 ? t.forward.fill : t.of(Component::gradients).fill,
               amount);
}

void draw_cells(const Painter& p, Rect box, const Values& values, float most)
{
    const Theme& t = p.theme;
    p.fill(box, t.light ? t.panel : t.control);
    const CellGrid grid{box, kDown, kAcross, 0};
    for (std::size_t j = 0; j < kDown; ++j)
    {
        for (std::size_t i = 0; i < kAcross; ++i)
        {
            const float v = values[i * kDown + j];
            if (std::abs(v) < most * 4e-4F)
            {
                continue;
            }
            p.fill(grid.cell(static_cast<std::int64_t>(j), static_cast<std::int64_t>(i)),
                   colour_of(t, v, most));
        }
    }
    p.outline(box, t.line);
}

std::string times_of(double size)
{
    return three_digits(size) + "\u00d7";
}

bool number_fits(const Painter& p, const Part& part, double size, float room)
{
    return p.width(Type::body_strong, part.title) + p.width(Type::mono_small, times_of(size)) + p.px(10) <=
           room;
}

// A negative size is not said.
void draw_part(const Painter& p, Rect area, const Part& part, double size, float most)
{
    const Theme& t = p.theme;
    const Rect head = area.cut_top(p.px(kTitle));
    const bool whole = p.width(Type::body_strong, part.title) <= head.w;
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, t.text, whole ? part.title : part.brief);
    if (size >= 0)
    {
        p.text(head.right(), head.middle(), Type::mono_small, t.muted, times_of(size), Align::right);
    }
    const Rect foot = area.cut_bottom(p.px(kFoot));
    draw_cells(p, area, *part.values, most);
    if (part.lost && norm(*part.values) > 0)
    {
        p.hatch(area, with_alpha(t.text, 0.35F), kIdleHatch);
    }
    if (p.width(Type::small, part.foot) <= foot.w)
    {
        p.text(foot.x, foot.middle() + p.px(2), Type::small, t.muted, part.foot);
    }
}

// A size that one percent of them exceeds.
float large_of(const Values& values)
{
    Values sizes;
    for (const float v : values)
    {
        sizes.push_back(std::abs(v));
    }
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() * 99 / 100);
    std::nth_element(sizes.begin(), at, sizes.end());
    return std::max(*at, 1e-12F);
}

// One scale for all four. What was carried over may be many times the gradient, which must stay visible.
float scale_of(const CompressionMoment& m)
{
    const float gradient = large_of(m.gradient);
    return std::clamp(large_of(m.carried), gradient, 3 * gradient);
}

} // namespace

float heat_height(const Painter& p, float width)
{
    const int columns = in_two_rows(p, width) ? 2 : 4;
    const float each = (width - p.px(kGap) * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float one = p.px(kTitle + kFoot) + each * static_cast<float>(kDown) / static_cast<float>(kAcross);
    return columns == 2 ? 2 * one + p.px(6) : one;
}

void draw_heat(const Painter& p, Rect area, const CompressionMoment& m, const HeatStyle& style)
{
    const double unit = std::max(norm(m.gradient), 1e-30);
    const std::array parts{Part{"", "gradient", "gradient", &m.gradient, style.gradient},
                           Part{"+", "residual", "residual", &m.carried, style.carried},
                           Part{"=", "sent", "sent", &m.sent, style.sent},
                           Part{"+", "not sent", "unsent", &m.left, style.left, style.lost}};
    const float most = scale_of(m);
    const std::size_t columns = in_two_rows(p, area.w) ? 2 : 4;
    const std::size_t rows = parts.size() / columns;
    const float gap = p.px(kGap);
    const float w = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float between = rows > 1 ? p.px(6) : 0;
    const float h = (area.h - between * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    const auto size_of = [&](const Part& part) { return norm(*part.values) / unit; };
    const bool numbers = std::all_of(
        parts.begin(), parts.end(), [&](const Part& part) { return number_fits(p, part, size_of(part), w); });
    for (std::size_t k = 0; k < parts.size(); ++k)
    {
        const std::size_t row = k / columns;
        const Rect box{area.x + static_cast<float>(k % columns) * (w + gap),
                       area.y + static_cast<float>(row) * (h + between), w, h};
        draw_part(p, box, parts.at(k), numbers ? size_of(parts.at(k)) : -1, most);
        if (k % columns > 0)
        {
            const float middle = box.y + p.px(kTitle) + (h - p.px(kTitle + kFoot)) / 2;
            p.text(box.x - gap / 2, middle, Type::title, p.theme.muted, parts.at(k).sign, Align::centre);
        }
    }
}

float draw_heat_key(const Painter& p, float right, float middle)
{
    constexpr int kSteps = 32;
    const float bar = p.px(96);
    const float high = p.px(10);
    const float plus = p.width(Type::mono_small, "+");
    const float x = right - plus - p.px(6) - bar;
    for (int i = 0; i < kSteps; ++i)
    {
        const float share = (static_cast<float>(i) + 0.5F) / kSteps * 2 - 1;
        const float from = std::round(x + bar * static_cast<float>(i) / kSteps);
        const float to = std::round(x + bar * static_cast<float>(i + 1) / kSteps);
        p.fill({from, middle - high / 2, to - from, high}, colour_of(p.theme, share, 1));
    }
    p.text(right, middle, Type::mono_small, p.theme.muted, "+", Align::right);
    p.text(x - p.px(6), middle, Type::mono_small, p.theme.muted, "\u2212", Align::right);
    return right - x + p.px(6) + plus;
}

} // namespace ringside
