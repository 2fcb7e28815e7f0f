#include "ui/views/formats/gradients.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

bool same(const LossScaleRun& a, const LossScaleRun& b)
{
    return a.start == b.start && a.spread == b.spread && a.gradients == b.gradients && a.format == b.format &&
           a.rule.dynamic == b.rule.dynamic && a.rule.growth_interval == b.rule.growth_interval;
}

// The bell of scaled gradients over the ranges of one format.
class Bell
{
public:
    Bell(const Painter& painter, Rect area, FormatsState& state, const NumberFormat& format, double scale)
        : p_(painter), state_(state), f_(format), shift_(std::log2(scale))
    {
        g_.area = area;
        g_.area.cut_top(p_.px(48));
        g_.area.cut_bottom(p_.height(Type::mono_small) + p_.px(8));
        g_.x = {-64, 38};
        g_.y = {0, 1.15};
    }

    void draw()
    {
        if (!g_.drawable(p_))
        {
            return;
        }
        draw_ranges();
        draw_bell();
        draw_chart_x(p_, g_, "",
                     [](double e) { return e == 0 ? std::string("1") : fmt::format("2^{:g}", e); });
        draw_grips();
    }

private:
    double density(double octave) const
    {
        const double z = (octave - shift_ - state_.run.spread.centre) / state_.run.spread.width;
        return std::exp(-z * z / 2);
    }

    void say_range(double from, double to, std::string_view words) const
    {
        const float left = g_.at_x(g_.x.held(from));
        const float right = g_.at_x(g_.x.held(to));
        if (right - left > p_.width(Type::small, words) + p_.px(6))
        {
            p_.text((left + right) / 2, g_.area.y - p_.px(10), Type::small, p_.theme.muted, words,
                    Align::centre);
        }
    }

    // Lost at either end hatched, fewer bits tinted.
    void draw_ranges() const
    {
        const Theme& t = p_.theme;
        const double zero = std::log2(underflow_threshold(f_));
        const double normal = std::log2(smallest_normal(f_));
        const double end = std::log2(overflow_threshold(f_));
        const auto band = [&](double from, double to)
        {
            const float left = g_.at_x(g_.x.held(from));
            return Rect{left, g_.area.y, g_.at_x(g_.x.held(to)) - left, g_.area.h};
        };
        p_.hatch(band(g_.x.low, zero), with_alpha(t.idle_hatch, 0.6F), kIdleHatch);
        p_.fill(band(zero, normal), with_alpha(t.stage_ramp[1], 0.3F));
        p_.fill(band(normal, end), with_alpha(t.stage_ramp[3], 0.3F));
        p_.hatch(band(end, g_.x.high), with_alpha(t.warning, 0.5F), kOverflowHatch);
        for (const double at : {zero, normal, end})
        {
            if (at > g_.x.low && at < g_.x.high)
            {
                p_.line(g_.at_x(at), g_.area.y, g_.at_x(at), g_.area.bottom(), t.muted);
            }
        }
        say_range(g_.x.low, zero, "becomes 0");
        say_range(zero, normal, "fewer bits");
        say_range(normal, end, "kept");
        say_range(end, g_.x.high, f_.specials == Specials::ieee ? "overflows" : "beyond the end");
    }

    void draw_bell() const
    {
        const Colour colour = p_.theme.of(Component::gradients).fill;
        std::vector<ChartPoint> points;
        for (double e = g_.x.low; e <= g_.x.high; e += 1)
        {
            points.push_back({e, density(e)});
            points.push_back({e + 1, density(e)});
            const float left = g_.at_x(e);
            const float top = g_.at_y(density(e));
            p_.fill({left, top, g_.at_x(e + 1) - left, g_.area.bottom() - top}, with_alpha(colour, 0.6F));
        }
        draw_chart_line(p_, g_, points, colour, 2);
    }

    void draw_grips()
    {
        GradientSpread& spread = state_.run.spread;
        const double top = g_.x.held(spread.centre + shift_);
        const ChartGrip middle =
            draw_chart_grip(p_, g_.at(top, 1), "###centre of the gradients", p_.theme.text);
        if (middle.to)
        {
            spread.centre =
                std::clamp(std::round((g_.x_of(ImGui::GetIO().MousePos.x) - shift_) * 4) / 4, -60.0, 20.0);
        }
        spread.centre = std::clamp(spread.centre + middle.steps, -60.0, 20.0);
        const double side = g_.x.held(spread.centre + shift_ + spread.width);
        const ChartGrip width =
            draw_chart_grip(p_, g_.at(side, std::exp(-0.5)), "###width of the gradients", p_.theme.text);
        if (width.to)
        {
            const double to = g_.x_of(ImGui::GetIO().MousePos.x) - shift_ - spread.centre;
            spread.width = std::clamp(std::round(to * 4) / 4, 0.5, 12.0);
        }
        spread.width = std::clamp(spread.width + 0.5 * width.steps, 0.5, 12.0);
    }

    const Painter& p_;
    FormatsState& state_;
    const NumberFormat& f_;
    double shift_;
    Chart g_;
};

Chart trace_graph(const Painter& p, Rect area, const std::vector<LossScaleStep>& steps)
{
    Chart g;
    g.area = area;
    g.cut_left(p.px(52));
    g.area.cut_right(p.px(14));
    g.area.cut_top(p.px(28));
    g.area.cut_bottom(p.height(Type::mono_small) + p.px(8));
    double low = 1e300;
    double high = 0;
    for (const LossScaleStep& s : steps)
    {
        low = std::min(low, s.scale);
        high = std::max(high, s.scale);
    }
    g.x = {0, static_cast<double>(std::max<std::size_t>(1, steps.size() - 1))};
    g.y = {low / 4, high * 4, true, 2};
    return g;
}

void draw_overflow(const Painter& p, ImVec2 at)
{
    const float u = p.px(4);
    p.line(at.x - u, at.y - u, at.x + u, at.y + u, p.theme.warning, p.px(2));
    p.line(at.x - u, at.y + u, at.x + u, at.y - u, p.theme.warning, p.px(2));
}

void draw_trace(const Painter& p, Rect area, const std::vector<LossScaleStep>& steps, std::size_t at,
                const FormatsState& state, Out& out)
{
    const Chart g = trace_graph(p, area, steps);
    const std::string rule =
        state.run.rule.dynamic
            ? fmt::format("doubled after {} good steps in a row, halved and skipped (\u00d7) on overflow",
                          state.run.rule.growth_interval)
            : "fixed";
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, "Loss scale over the steps", rule);
    if (!g.drawable(p))
    {
        return;
    }
    draw_chart_y(p, g, "", exact_power);
    draw_chart_x(p, g, "", [](double v) { return fmt::format("{:g}", v); });
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        points.push_back({static_cast<double>(i), steps[i].scale});
        points.push_back({static_cast<double>(i) + 1, steps[i].scale});
    }
    draw_chart_line(p, g, points, p.theme.text, 2);
    float taken = -1e9F;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const ImVec2 spot = g.at(static_cast<double>(i), steps[i].scale);
        if (steps[i].overflow && spot.x - taken > p.px(3))
        {
            draw_overflow(p, spot);
            taken = spot.x;
        }
    }
    const float x = g.at_x(static_cast<double>(at));
    p.line(x, g.area.y, x, g.area.bottom(), p.theme.text);
    p.part("loss scale", area);
    if (press(p, g.area, "###loss scale over steps", 3).held && ImGui::IsMouseDown(0))
    {
        out.push(Seek{std::round(g.x_of(ImGui::GetIO().MousePos.x))});
    }
}

} // namespace

const std::vector<LossScaleStep>& LossScaleRuns::of(const FormatsState& state, FormatId format) const
{
    LossScaleRun wanted = state.run;
    wanted.format = format;
    if (steps_.size() != loss_scale_steps(state) || !same(wanted, run_) || seed_ != state.seed)
    {
        run_ = wanted;
        seed_ = state.seed;
        steps_ = run_loss_scale(wanted, loss_scale_steps(state), state.seed);
    }
    return steps_;
}

void draw_gradients_page(const Painter& p, Rect area, FormatsState& state, const Frame& frame,
                         const std::vector<LossScaleStep>& steps, Out& out)
{
    const std::size_t at = std::min(loss_step_at(state, frame), steps.size() - 1);
    const double scale = steps[at].scale;
    const NumberFormat& f = number_format(shown_format(state, frame));
    if (area.h > p.px(300))
    {
        draw_trace(p, area.cut_bottom(area.h * 0.36F), steps, at, state, out);
        area.cut_bottom(p.px(12));
    }
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)},
                     fmt::format("Gradients times {} in {}", exact_power(scale), f.name),
                     fmt::format("step {}: the largest is 2^{:.1f}{}", at + 1,
                                 steps[at].largest + std::log2(scale),
                                 steps[at].overflow ? ", too large" : ""));
    p.part("gradients", area);
    Bell(p, area, state, f, scale).draw();
}

void draw_range_table(const Painter& p, Rect area, FormatsState& state, FormatId shown, double scale)
{
    const float name = p.px(56);
    Rect head = area.cut_top(p.px(22));
    p.text(head.x + name + (head.w - name) * 0.5F, head.middle(), Type::small, p.theme.muted, "become 0",
           Align::right);
    p.text(head.right(), head.middle(), Type::small, p.theme.muted, "overflow", Align::right);
    for (const NumberFormat& f : number_formats())
    {
        if (area.h < p.px(24))
        {
            return;
        }
        const Rect row = area.cut_top(p.px(24));
        const bool strong = f.id == shown;
        const Press hit = press(p, row, fmt::format("###format {}", f.name).c_str());
        state.chosen = hit.clicked ? f.id : state.chosen;
        const RangeShares s = range_shares(f, state.run.spread, scale);
        const Colour ink = strong || hit.hovered ? p.theme.text : p.theme.muted;
        p.text(row.x, row.middle(), strong ? Type::small_strong : Type::small, ink, f.name);
        p.text(row.x + name + (row.w - name) * 0.5F, row.middle(), Type::mono_small, ink,
               s.zero < 1e-9 ? "0%" : format_percent(s.zero), Align::right);
        p.text(row.right(), row.middle(), Type::mono_small, ink,
               s.overflow < 1e-9 ? "0%" : format_percent(s.overflow), Align::right);
    }
}

} // namespace ringside
