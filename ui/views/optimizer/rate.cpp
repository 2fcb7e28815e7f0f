#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/optimizer/pages.h"
#include "ui/views/optimizer/words.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kPoints = 400;

Chart chart_of(const Painter& p, Rect area, const RateSchedule& s)
{
    Chart g;
    g.area = area;
    g.cut_left(p.px(64));
    g.area.cut_right(p.px(110));
    g.area.cut_top(p.px(40));
    g.area.cut_bottom(p.height(Type::mono_small) + p.height(Type::small) + p.px(12));
    g.x = {0, static_cast<double>(std::max<std::int64_t>(2, s.end))};
    g.y = {0, s.peak * 1.12};
    return g;
}

// Every step where they are few; the corners of the warmup are always among them.
std::vector<ChartPoint> points_of(const RateSchedule& s)
{
    std::vector<double> steps;
    for (int i = 0; i <= kPoints; ++i)
    {
        steps.push_back(std::round(static_cast<double>(s.end) * i / kPoints));
    }
    steps.push_back(static_cast<double>(std::min(s.warmup, s.end)));
    steps.push_back(std::round(s.stable * static_cast<double>(s.end)));
    std::sort(steps.begin(), steps.end());
    std::vector<ChartPoint> points;
    points.reserve(steps.size());
    for (const double step : steps)
    {
        points.push_back({step, learning_rate(s, static_cast<std::int64_t>(step))});
    }
    return points;
}

struct Named
{
    float y;
    Decay decay;
};

void draw_names(const Painter& p, const Chart& g, const RateSchedule& s, OptimizerState& state)
{
    std::vector<Named> names;
    for (std::size_t i = 0; i < kDecays; ++i)
    {
        RateSchedule each = s;
        each.decay = static_cast<Decay>(i);
        names.push_back({g.at_y(learning_rate(each, s.end)), each.decay});
    }
    std::sort(names.begin(), names.end(), [](const Named& a, const Named& b) { return a.y < b.y; });
    const float pitch = p.height(Type::small) + p.px(2);
    float limit = g.area.bottom() - pitch * static_cast<float>(names.size() - 1);
    float free = g.area.y;
    for (const Named& n : names)
    {
        const float y = std::max(free, std::min(n.y, limit));
        const bool chosen = n.decay == s.decay;
        const Rect box{g.area.right() + p.px(14), y - pitch / 2, p.px(94), pitch};
        const Press hit = press(p, box, fmt::format("###decay {}", name_of(n.decay)).c_str());
        state.rate.decay = hit.clicked ? n.decay : state.rate.decay;
        p.text_within(box.x + p.px(2), y, box.w, chosen ? Type::small_strong : Type::small,
                      chosen || hit.hovered ? p.theme.text : p.theme.muted, name_of(n.decay));
        free = y + pitch;
        limit += pitch;
    }
}

double mouse_x(const Chart& g)
{
    return g.x_of(ImGui::GetIO().MousePos.x);
}
double mouse_y(const Chart& g)
{
    return g.y_of(ImGui::GetIO().MousePos.y);
}

double two_digits(double value)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(value, 1e-30))) - 1);
    return std::round(value / power) * power;
}

// The peak, where the warmup ends; the floor, at the end; where WSD begins to fall.
void draw_grips(const Painter& p, const Chart& g, const RateSchedule& s, OptimizerState& state)
{
    const auto end = static_cast<double>(s.end);
    const ChartGrip peak =
        draw_chart_grip(p, g.at(static_cast<double>(s.warmup), s.peak), "###peak of the rate", p.theme.text);
    if (peak.to)
    {
        state.rate.warmup = std::llround(std::clamp(mouse_x(g), 0.0, end));
        // The axis follows the peak, so it moves by a share of where it is.
        const double ratio = std::clamp(mouse_y(g) / s.peak, 0.97, 1.03);
        state.rate.peak = std::clamp(
            two_digits(s.peak * ratio) == s.peak ? s.peak * ratio : two_digits(s.peak * ratio), 1e-7, 1.0);
    }
    state.rate.warmup =
        std::max<std::int64_t>(0, state.rate.warmup + peak.steps * std::max<std::int64_t>(1, s.end / 200));
    if (s.decay == Decay::constant || s.decay == Decay::inverse_sqrt)
    {
        return;
    }
    const ChartGrip floor =
        draw_chart_grip(p, g.at(end, s.peak * s.final_share), "###floor of the rate", p.theme.text);
    if (floor.to)
    {
        state.rate.final_share = std::round(std::clamp(mouse_y(g) / s.peak, 0.0, 1.0) * 100) / 100;
    }
    state.rate.final_share = std::clamp(state.rate.final_share + 0.01 * floor.steps, 0.0, 1.0);
    if (s.decay == Decay::wsd)
    {
        const ChartGrip stable =
            draw_chart_grip(p, g.at(std::max(s.stable * end, static_cast<double>(s.warmup)), s.peak),
                            "###start of the decay", p.theme.text);
        if (stable.to)
        {
            state.rate.stable = std::round(mouse_x(g) / end * 100) / 100;
        }
        state.rate.stable = std::clamp(state.rate.stable + 0.01 * stable.steps, 0.0, 1.0);
    }
}

void draw_curves(const Painter& p, const Chart& g, const RateSchedule& s)
{
    for (std::size_t i = 0; i < kDecays; ++i)
    {
        RateSchedule each = s;
        each.decay = static_cast<Decay>(i);
        if (each.decay != s.decay)
        {
            draw_chart_line(p, g, points_of(each), p.theme.line, 1.5F);
        }
    }
    draw_chart_line(p, g, points_of(s), p.theme.text, 3);
}

// Last, since what was there first has the mouse.
void draw_time(const Painter& p, const Chart& g, const RateSchedule& s, Out& out)
{
    const Press over = press(p, g.area, "###rate over steps", 3);
    if (over.held && ImGui::IsMouseDown(0))
    {
        out.push(Seek{std::clamp(mouse_x(g) / static_cast<double>(s.end), 0.0, 1.0) * 100});
    }
    else if (over.hovered)
    {
        const std::int64_t step = std::llround(mouse_x(g));
        tooltip_at_mouse(p, fmt::format("Step {}\n{}", step_number_words(static_cast<double>(step)),
                                        rate_formula(s, step)));
    }
}

} // namespace

std::string step_number_words(double count)
{
    return count < 10'000 ? fmt::format("{:g}", count) : format_count(count);
}

std::string learning_rate_words(double rate)
{
    if (rate <= 0)
    {
        return "0";
    }
    const auto e = static_cast<int>(std::floor(std::log10(rate) + 1e-9));
    return e >= -2 ? fmt::format("{:.3g}", rate) : fmt::format("{:.3g}e{}", rate * std::pow(10, -e), e);
}

void draw_rate_page(const Painter& p, Rect area, OptimizerState& state, const Frame& frame, Out& out)
{
    const RateSchedule s = schedule_of(state, frame.now.scenario);
    const Chart g = chart_of(p, area, s);
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, "Learning rate over the run",
                     "drag peak, floor and the start of the decay; press a name to change the shape");
    if (!g.drawable(p))
    {
        return;
    }
    p.part("rate", area);
    draw_chart_y(p, g, "", [](double v) { return learning_rate_words(v); });
    draw_chart_x(p, g, "", [](double v) { return step_number_words(v); });
    p.text(g.area.right(), g.area.bottom() + p.height(Type::mono_small) + p.px(14), Type::small,
           p.theme.muted, "optimizer steps of the scenario\u2019s run", Align::right);
    draw_curves(p, g, s);
    const auto at = static_cast<double>(rate_step_at(state, frame));
    const double now = learning_rate(s, rate_step_at(state, frame));
    p.line(g.at_x(at), g.area.y, g.at_x(at), g.area.bottom(), p.theme.text);
    p.list.AddCircleFilled(g.at(at, now), p.px(5), p.theme.stage_ramp[3]);
    draw_chart_label(p, g.area, {g.at_x(at) + p.px(10), g.at_y(now) - p.px(14)}, learning_rate_words(now),
                     true);
    draw_grips(p, g, s, state);
    draw_names(p, g, s, state);
    draw_time(p, g, s, out);
}

} // namespace ringside
