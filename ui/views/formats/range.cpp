// Range against precision, and the numbers next to one number.
#include <fmt/format.h>

#include "ui/views/formats/bits.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kFirst = -152; // octaves on show
constexpr double kLast = 136;
constexpr double kMostBits = 30;
constexpr int kMostRungs = 1000;

Chart chart_of(const Painter& p, Rect area)
{
    Chart g;
    g.area = area;
    g.cut_left(p.px(44));
    g.area.cut_right(p.px(52));
    g.area.cut_top(p.px(26));
    g.area.cut_bottom(p.height(Type::mono_small) + p.px(10));
    g.x = {kFirst, kLast};
    g.y = {0.8, kMostBits, true, 2};
    return g;
}

// Steps of one octave each: up the subnormal numbers, along, and down.
std::vector<ChartPoint> outline_of(const NumberFormat& f)
{
    std::vector<ChartPoint> points{{static_cast<double>(f.least_exponent() - f.mantissa_bits), 0.8}};
    for (int e = f.least_exponent() - f.mantissa_bits; e <= f.most_exponent(); ++e)
    {
        const auto bits = static_cast<double>(significant_bits(f, e));
        points.push_back({static_cast<double>(e), bits});
        points.push_back({static_cast<double>(e) + 1, bits});
    }
    points.push_back({static_cast<double>(f.most_exponent()) + 1, 0.8});
    return points;
}

void fill_under(const Painter& p, const Chart& g, const std::vector<ChartPoint>& outline, Colour colour)
{
    for (std::size_t i = 1; i + 1 < outline.size(); i += 2)
    {
        const float left = g.at_x(outline[i].x);
        const float top = g.at_y(outline[i].y);
        p.fill({left, top, g.at_x(outline[i + 1].x) - left, g.area.bottom() - top}, colour);
    }
}

// Where a name has room of its own: right of the wide ones, in or beside the narrow ones.
void draw_name(const Painter& p, const Chart& g, const NumberFormat& f, bool strong)
{
    const double top = f.mantissa_bits + 1;
    const double right = f.most_exponent() + 1;
    const float half = p.height(Type::small) / 2;
    const float w = p.width(strong ? Type::small_strong : Type::small, f.name);
    const Rect all{g.area.x, g.area.y - p.px(8), g.area.w + p.px(50), g.area.h + p.px(8)};
    ImVec2 at{g.at_x(right) + p.px(6), g.at_y(top)};
    if (f.id == FormatId::tf32)
    {
        at.y = std::min(at.y, g.at_y(number_format(FormatId::bf16).mantissa_bits + 1) - 2 * half);
    }
    else if (f.id == FormatId::fp16)
    {
        at = {g.at_x(right) + p.px(4), g.at_y(top * 0.87)};
    }
    else if (f.id == FormatId::e4m3)
    {
        at = {g.at_x(1) - w / 2, g.at_y(top) - half - p.px(3)};
    }
    else if (f.id == FormatId::e2m1)
    {
        at = {g.at_x(f.least_exponent() - 17) - w, g.at_y(1.3)};
        p.line(at.x + w + p.px(4), at.y, g.at_x(0.5), at.y, p.theme.line);
    }
    draw_chart_label(p, all, at, f.name, strong);
}

double exponent_of(double value)
{
    return value == 0 ? kFirst : std::log2(std::fabs(value));
}

void draw_marker(const Painter& p, const Chart& g, FormatsState& state, FormatId shown)
{
    if (!std::isfinite(state.value))
    {
        draw_chart_label(p, g.area, {g.area.right(), g.area.y}, short_figure(state.value), true);
        return;
    }
    const float x = g.at_x(g.x.held(exponent_of(state.value)));
    p.line(x, g.area.y, x, g.area.bottom(), p.theme.text, p.px(1.5F));
    draw_chart_label(p, g.area, {x + p.px(8), g.area.y + p.px(4)}, "x = " + short_figure(state.value), true);
    const ChartGrip grip =
        draw_chart_grip(p, {x, g.area.bottom() - p.px(12)}, "###magnitude of the number", p.theme.text);
    const double sign = std::signbit(state.value) ? -1 : 1;
    if (grip.to)
    {
        // Three digits are what a pixel is worth.
        const double to = std::exp2(g.x_of(ImGui::GetIO().MousePos.x));
        const double power = std::pow(10, std::floor(std::log10(to)) - 2);
        state.value = state.middle = sign * std::round(to / power) * power;
    }
    else if (grip.steps != 0)
    {
        const NumberFormat& f = number_format(shown);
        const double held = round_to(f, state.value, Overflow::saturate);
        state.value = state.middle = held + grip.steps * step_at(f, held);
    }
}

// A value's neighbours in a format, as far as they lie inside.
void draw_rungs(const Painter& p, const Chart& g, const NumberFormat& f, float height, Colour colour)
{
    const double step = step_at(f, g.x.low + (g.x.high - g.x.low) / 2);
    const double count = (g.x.high - g.x.low) / step;
    if (!(step > 0) || g.area.w / static_cast<float>(count) < p.px(3) || count < 0.1)
    {
        return;
    }
    int left = kMostRungs; // near 0 a finer format's numbers are ever closer
    for (double v = round_to(f, g.x.low, Overflow::saturate); v <= g.x.high && left > 0; --left)
    {
        if (v >= g.x.low)
        {
            const float x = g.at_x(v);
            p.line(x, g.area.bottom() - height, x, g.area.bottom(), colour, p.px(1.5F));
        }
        const double next = v + step_at(f, v);
        if (!(next > v) || v >= largest(f))
        {
            break;
        }
        v = next;
    }
}

void draw_rung_words(const Painter& p, const Chart& g, const NumberFormat& f, double held)
{
    const double step = step_at(f, held);
    float taken = -1e9F;
    for (const double v : {held - step, held, held + step})
    {
        const std::string words = short_figure(round_to(f, v, Overflow::saturate));
        const float half = p.width(Type::mono_small, words) / 2;
        const float x = g.at_x(v);
        if (x - half > std::max(taken, g.area.x - p.px(40)) && x + half < g.area.right() + p.px(40))
        {
            p.text(x, g.area.bottom() + p.height(Type::mono_small) / 2 + p.px(3), Type::mono_small,
                   v == held ? p.theme.text : p.theme.muted, words, Align::centre);
            taken = x + half + p.px(8);
        }
    }
}

void draw_snap(const Painter& p, const Chart& g, FormatsState& state, const NumberFormat& f, double held)
{
    const float y = g.area.y + p.px(12);
    const float x = g.at_x(g.x.held(state.value));
    p.line(x, y, x, g.area.bottom(), p.theme.text, p.px(1.5F));
    const float to = g.at_x(g.x.held(held));
    if (std::fabs(to - x) > p.px(10))
    {
        p.arrow({x, g.area.y + p.px(32)}, {to, g.area.y + p.px(32)}, p.theme.muted, p.px(1.5F));
    }
    const ChartGrip grip = draw_chart_grip(p, {x, y}, "###number among its neighbours", p.theme.text);
    if (grip.to)
    {
        state.value = g.x_of(ImGui::GetIO().MousePos.x);
    }
    else if (grip.steps != 0)
    {
        state.value = state.middle = held + grip.steps * step_at(f, held);
    }
    else
    {
        // While it is dragged the line stays; then it goes on from where the number is.
        const double reach = (g.x.high - g.x.low) / 2;
        state.middle = std::fabs(state.value - state.middle) > reach * 0.7 ? state.value : state.middle;
    }
}

} // namespace

void draw_format_range(const Painter& p, Rect area, FormatsState& state, FormatId shown)
{
    const Chart g = chart_of(p, area);
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, "Range against precision",
                     "significant bits at each magnitude; slopes are subnormal numbers");
    if (!g.drawable(p))
    {
        return;
    }
    const auto count = [](double v) { return fmt::format("{:g}", v); };
    draw_chart_y(p, g, "", count);
    draw_chart_x(p, g, "", [](double e) { return e == 0 ? std::string("1") : fmt::format("2^{:g}", e); });
    const NumberFormat& own = number_format(shown);
    fill_under(p, g, outline_of(own), with_alpha(p.theme.stage_ramp[3], 0.35F));
    for (const NumberFormat& f : number_formats())
    {
        draw_chart_line(p, g, outline_of(f), p.theme.muted, 1);
    }
    draw_chart_line(p, g, outline_of(own), p.theme.text, 2.5F);
    // Three names need the room of three lines; else TF32 or BF16 goes without.
    const bool roomy = g.at_y(8) - g.at_y(24) > 2.2F * p.height(Type::small);
    const std::optional<FormatId> left_out = roomy                     ? std::nullopt
                                             : shown == FormatId::tf32 ? std::optional(FormatId::bf16)
                                                                       : std::optional(FormatId::tf32);
    for (const NumberFormat& f : number_formats())
    {
        if (f.id != left_out)
        {
            draw_name(p, g, f, f.id == shown);
        }
    }
    draw_marker(p, g, state, shown);
    p.part("range", area);
}

void draw_format_line(const Painter& p, Rect area, FormatsState& state, FormatId shown)
{
    const NumberFormat& f = number_format(shown);
    const double step = step_at(f, state.middle);
    Chart g;
    g.area = area;
    g.cut_left(p.px(44));
    g.area.cut_right(p.px(52));
    g.area.cut_top(p.px(22));
    g.area.cut_bottom(p.height(Type::mono_small) + p.px(6));
    g.x = {state.middle - 3 * step, state.middle + 3 * step};
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, fmt::format("Beside it in {}", f.name),
                     fmt::format("numbers are {} apart here", exact_power(step)));
    if (!g.drawable(p) || !std::isfinite(state.value))
    {
        return;
    }
    const double held = round_to(f, state.value, Overflow::saturate);
    for (const NumberFormat& other : number_formats())
    {
        draw_rungs(p, g, other, p.px(other.id == shown ? 0 : 5), p.theme.line);
    }
    draw_rungs(p, g, f, p.px(24), p.theme.text);
    p.line(g.area.x, g.area.bottom(), g.area.right(), g.area.bottom(), p.theme.line);
    draw_rung_words(p, g, f, held);
    draw_snap(p, g, state, f, held);
}

} // namespace ringside
