#include "ui/widgets/chart_field.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kRight = 12; // [design px] beside the field, for the last number
constexpr float kLeast = 24; // [design px] of a field worth drawing

std::vector<double> decades(const AxisScale& axis, std::span<const double> within)
{
    std::vector<double> ticks;
    for (double power = std::pow(10, std::floor(std::log10(axis.least))); power <= axis.most; power *= 10)
    {
        for (const double digit : within)
        {
            const double value = digit * power;
            if (value >= axis.least * 0.999 && value <= axis.most * 1.001)
            {
                ticks.push_back(value);
            }
        }
    }
    return ticks;
}

float widest(const Painter& p, const AxisScale& axis, const AxisWords& words)
{
    float w = 0;
    for (const double tick : words.number ? axis.ticks(5) : std::vector<double>{})
    {
        w = std::max(w, p.width(Type::mono_small, words.number(tick)));
    }
    return w;
}

int ticks_of(const Painter& p, float length, float each)
{
    return std::clamp(static_cast<int>(length / std::max(1.0F, p.px(each))), 2, 8);
}

void draw_columns(const Painter& p, const ChartField& f, const AxisWords& words)
{
    float taken = f.area.x - p.px(200);
    for (const double tick : f.x.ticks(ticks_of(p, f.area.w, 80)))
    {
        const float at = f.px(tick);
        p.line(at, f.area.y, at, f.area.bottom(), p.theme.grid);
        if (!words.number)
        {
            continue;
        }
        const std::string number = words.number(tick);
        const float half = p.width(Type::mono_small, number) / 2;
        const float middle = f.area.bottom() + p.height(Type::mono_small) / 2 + p.px(3);
        // The last one stays inside of the room that was taken at the right.
        const float centre = std::min(at, f.area.right() + p.px(kRight) - half);
        if (centre - half > taken)
        {
            p.text(centre, middle, Type::mono_small, p.theme.muted, number, Align::centre);
            taken = centre + half + p.px(10);
        }
    }
}

void draw_rows(const Painter& p, const ChartField& f, const AxisWords& words)
{
    float above = f.area.bottom() + p.px(200);
    for (const double tick : f.y.ticks(ticks_of(p, f.area.h, 34)))
    {
        const float at = f.py(tick);
        p.line(f.area.x, at, f.area.right(), at, p.theme.grid);
        if (words.number && at < above - p.height(Type::mono_small))
        {
            p.text(f.area.x - p.px(8), at, Type::mono_small, p.theme.muted, words.number(tick), Align::right);
            above = at;
        }
    }
}

} // namespace

double AxisScale::place(double value) const
{
    if (!(most > least))
    {
        return 0;
    }
    const double part = logarithmic ? std::log(std::max(value, least * 1e-9) / least) / std::log(most / least)
                                    : (value - least) / (most - least);
    return std::isfinite(part) ? std::clamp(part, -100.0, 100.0) : 0;
}

double AxisScale::share(double value) const
{
    return std::clamp(place(value), 0.0, 1.0);
}

double AxisScale::at(double share) const
{
    const double part = std::clamp(share, 0.0, 1.0);
    return logarithmic ? least * std::pow(most / least, part) : least + (most - least) * part;
}

std::vector<double> AxisScale::ticks(int most_of_them) const
{
    if (!(most > least) || most_of_them < 1)
    {
        return {};
    }
    if (logarithmic)
    {
        constexpr std::array kOne{1.0};
        constexpr std::array kThree{1.0, 2.0, 5.0};
        std::vector<double> fine = decades(*this, kThree);
        return static_cast<int>(fine.size()) <= most_of_them ? fine : decades(*this, kOne);
    }
    const double rough = (most - least) / most_of_them;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    const double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    std::vector<double> ticks;
    for (double k = std::ceil(least / step - 1e-9); k * step <= most + 1e-9 * step; ++k)
    {
        ticks.push_back(k * step + 0.0); // never -0
    }
    return ticks;
}

ChartField chart_field(const Painter& p, Rect whole, AxisScale x, AxisScale y, const AxisWords& x_words,
                       const AxisWords& y_words)
{
    ChartField field{whole, x, y};
    Rect& r = field.area;
    r.cut_left(y_words.number ? widest(p, y, y_words) + p.px(12) : 0);
    if (!y_words.title.empty())
    {
        r.cut_top(p.height(Type::small) + p.px(8));
    }
    r.cut_bottom((x_words.number ? p.height(Type::mono_small) + p.px(5) : 0) +
                 (x_words.title.empty() ? 0 : p.height(Type::small) + p.px(2)));
    r.cut_right(x_words.number ? p.px(kRight) : 0);
    if (r.w < p.px(kLeast) || r.h < p.px(kLeast))
    {
        r.w = 0;
    }
    return field;
}

void draw_field(const Painter& p, const ChartField& f, const AxisWords& x_words, const AxisWords& y_words)
{
    if (f.area.w <= 0)
    {
        return;
    }
    draw_columns(p, f, x_words);
    draw_rows(p, f, y_words);
    p.line(f.area.x, f.area.bottom(), f.area.right(), f.area.bottom(), p.theme.line);
    if (!y_words.title.empty())
    {
        p.text_within(f.area.x, f.area.y - p.height(Type::small) / 2 - p.px(6), f.area.w, Type::small_strong,
                      p.theme.text, y_words.title);
    }
    if (!x_words.title.empty())
    {
        const float under = x_words.number ? p.height(Type::mono_small) + p.px(4) : p.px(2);
        p.text_within(f.area.x, f.area.bottom() + under + p.height(Type::small) / 2, f.area.w, Type::small,
                      p.theme.muted, x_words.title);
    }
}

void draw_curve(const Painter& p, const ChartField& f, std::span<const ChartPoint> points, Colour colour,
                float thickness, bool dashed)
{
    if (f.area.w <= 0 || points.size() < 2)
    {
        return;
    }
    p.list.PushClipRect({f.area.x, f.area.y - p.px(2)}, {f.area.right(), f.area.bottom() + p.px(1)}, true);
    std::vector<ImVec2> line;
    for (const ChartPoint& point : points)
    {
        line.emplace_back(f.area.x + f.area.w * static_cast<float>(f.x.place(point.x)),
                          f.area.bottom() - f.area.h * static_cast<float>(f.y.place(point.y)));
    }
    if (!dashed)
    {
        p.list.AddPolyline(line.data(), static_cast<int>(line.size()), colour, 0, p.px(thickness));
    }
    for (std::size_t i = 1; dashed && i < line.size(); ++i)
    {
        p.dashed(line[i - 1].x, line[i - 1].y, line[i].x, line[i].y, colour, p.px(thickness));
    }
    p.list.PopClipRect();
}

void label_on_field(const Painter& p, const ChartField& f, float x, float middle, Type type, Colour colour,
                    std::string_view words, Align align)
{
    const float w = p.width(type, words);
    const float edge = p.px(4);
    if (f.area.w < w + 2 * edge)
    {
        return;
    }
    const float wanted = align == Align::left ? x : align == Align::right ? x - w : x - w / 2;
    const float from = std::clamp(wanted, f.area.x + edge, f.area.right() - w - edge);
    const float half = p.height(type) / 2;
    const float at = std::clamp(middle, f.area.y + half, std::max(f.area.y + half, f.area.bottom() - half));
    p.fill({from - edge, at - half, w + 2 * edge, 2 * half}, with_alpha(p.theme.window, 0.88F), p.px(3));
    p.text(from, at, type, colour, words);
}

} // namespace ringside
