#include "ui/views/serving/curves.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

using Value = double (*)(const ServingReport&);

double reading(const ServingReport& r)
{
    return r.decode.memory;
}
double multiplying(const ServingReport& r)
{
    return r.decode.compute;
}
double step(const ServingReport& r)
{
    return r.decode.total();
}
double token(const ServingReport& r)
{
    return r.token_seconds();
}
double throughput(const ServingReport& r)
{
    return r.tokens_per_gpu();
}

std::string count(double n)
{
    return n >= 1e6   ? fmt::format("{:g}M", n / 1e6)
           : n >= 1e3 ? fmt::format("{:g}k", n / 1e3)
                      : fmt::format("{:g}", n);
}

std::string seconds(double s)
{
    return format_seconds(Seconds(s));
}

std::vector<ChartPoint> line_of(const std::vector<ServingReport>& curve, Value value)
{
    std::vector<ChartPoint> line;
    for (const ServingReport& r : curve)
    {
        line.push_back({static_cast<double>(r.setup.batch), value(r)});
    }
    return line;
}

ChartAxis span_of(const std::vector<ServingReport>& curve, std::initializer_list<Value> values, double lowest)
{
    ChartAxis axis{1e300, 0, true};
    for (const ServingReport& r : curve)
    {
        for (const Value value : values)
        {
            axis.low = std::min(axis.low, value(r));
            axis.high = std::max(axis.high, value(r));
        }
    }
    axis.high = std::max(axis.high, 1e-12) * 1.4;
    axis.low = std::max(axis.low / 1.4, axis.high * lowest);
    return axis;
}

class Curves
{
public:
    Curves(const Painter& painter, Rect area, const ServingDesk& desk)
        : p_(painter), r_(desk.report()), curve_(desk.curve())
    {
        const ChartAxis batches{1, static_cast<double>(std::max<std::int64_t>(2, curve_.back().setup.batch)),
                                true};
        const ChartAxis times = span_of(curve_, {reading, multiplying, token}, 1e-4);
        const ChartAxis rates = span_of(curve_, {throughput}, 1e-6);
        const float left = std::max(chart_left(p_, times, seconds), chart_left(p_, rates, count));
        if (area.h > p_.px(250))
        {
            Rect below = area;
            below.cut_top(area.h * 0.54F + p_.px(8));
            rate_ = chart_in(p_, below, left, batches, rates);
        }
        two_ = rate_.area.h > 0;
        latency_ = chart_in(p_, two_ ? area.cut_top(area.h * 0.54F) : area, left, batches, times, !two_);
    }

    std::optional<std::int64_t> draw()
    {
        if (!latency_.drawable(p_))
        {
            return std::nullopt;
        }
        const Theme& t = p_.theme;
        draw_chart_y(p_, latency_, "Seconds a token", seconds);
        two_ ? draw_chart_x(p_, latency_, "", nullptr) : draw_batches(latency_);
        draw_no_room(latency_);
        draw_chart_line(p_, latency_, line_of(curve_, reading), t.of(Component::activations).fill);
        draw_chart_line(p_, latency_, line_of(curve_, multiplying), t.forward.fill);
        draw_chart_line(p_, latency_, line_of(curve_, step), t.muted, 1.5F);
        draw_chart_line(p_, latency_, line_of(curve_, token), t.text, 2.5F);
        p_.part("latency", latency_.area);
        if (two_)
        {
            draw_chart_y(p_, rate_, "Tokens a second and GPU", count);
            draw_batches(rate_);
            draw_no_room(rate_);
            draw_chart_line(p_, rate_, line_of(curve_, throughput), t.text, 2.5F);
            p_.part("throughput", rate_.area);
        }
        const auto next = draw_own();
        name();
        return next;
    }

private:
    void draw_batches(const Chart& c) const { draw_chart_x(p_, c, "requests at once", count); }

    float full_at(const Chart& c) const
    {
        return r_.most == 0 ? c.area.x : c.at(static_cast<double>(r_.most), c.y.low).x;
    }

    void draw_no_room(const Chart& c) const
    {
        const float from = full_at(c);
        const Rect beyond{from, c.area.y, c.area.right() - from, c.area.h};
        if (beyond.w >= 1)
        {
            p_.hatch(beyond, with_alpha(p_.theme.warning, 0.45F), kOverflowHatch);
            p_.line(from, c.area.y, from, c.area.bottom(), p_.theme.warning, p_.px(1.5F));
        }
    }

    // The point's own words, where there is no room, and each line's name on the line.
    void name() const
    {
        struct Name
        {
            Value value;
            std::string_view words;
            double at;  // share of the points
            float side; // lines above (below 0) or below its line
        };
        constexpr std::array kNames{Name{token, "with prefills between", 0.6, -1.1F},
                                    Name{reading, "reading", 0.08, 0.9F},
                                    Name{multiplying, "multiplying", 0.34, 0.9F}};
        const Rect& area = latency_.area;
        const Theme& t = p_.theme;
        const float line = p_.height(Type::small);
        const ImVec2 own = place(latency_, r_, token);
        const float reach = p_.px(9);
        FreeLabels labels(area);
        labels.put_inside(p_, own.x, own.y - line / 2 - p_.px(14), Type::small_strong, t.text,
                          fmt::format("{} at once, {} a token", grouped(r_.setup.batch), seconds(token(r_))),
                          Align::centre);
        labels.take({own.x - reach, own.y - reach, 2 * reach, 2 * reach});
        if (full_at(latency_) < area.right() - 1 && area.h > p_.px(70))
        {
            labels.put_inside(
                p_, area.right() - p_.px(4), area.bottom() - p_.px(14), Type::small_strong, t.warning,
                r_.most == 0 ? "no room for one" : fmt::format("full at {}", grouped(r_.most)), Align::right);
        }
        for (const Name& each : kNames)
        {
            const auto k = static_cast<std::size_t>(each.at * static_cast<double>(curve_.size() - 1));
            const ImVec2 at = place(latency_, curve_[k], each.value);
            const float middle = at.y + each.side * line;
            if (middle > area.y + line / 2 && middle < area.bottom() - line && area.h > p_.px(90))
            {
                labels.put_inside(p_, at.x, middle, Type::small, t.text, each.words);
            }
        }
    }

    static ImVec2 place(const Chart& c, const ServingReport& r, Value value)
    {
        return c.at(static_cast<double>(r.setup.batch), value(r));
    }

    std::optional<std::int64_t> draw_own() const
    {
        const ImVec2 at = place(latency_, r_, token);
        const float bottom = two_ ? rate_.area.bottom() : latency_.area.bottom();
        p_.line(at.x, at.y, at.x, bottom, p_.theme.text, 1);
        const Rect grip{at.x - p_.px(12), latency_.area.y, p_.px(24), bottom - latency_.area.y};
        const Press pressed = press(p_, grip, "###requests at once", 3);
        const bool lit = pressed.hovered || pressed.held || pressed.focused;
        draw_dot(at, lit);
        if (two_)
        {
            const ImVec2 rate = place(rate_, r_, throughput);
            draw_dot(rate, lit);
            const float line = p_.height(Type::small) / 2 + p_.px(14);
            FreeLabels(rate_.area)
                .put_inside(p_, rate.x + p_.px(14),
                            rate.y + line < rate_.area.bottom() - line ? rate.y + line : rate.y - line,
                            Type::small_strong, p_.theme.text,
                            fmt::format("{} tokens/s", throughput(r_) < 1e6 ? three_digits(throughput(r_))
                                                                            : format_count(throughput(r_))));
        }
        return moved(pressed);
    }

    void draw_dot(ImVec2 at, bool lit) const
    {
        p_.list.AddCircleFilled(at, p_.px(lit ? 9.0F : 7.5F), p_.theme.text);
        p_.list.AddCircleFilled(at, p_.px(lit ? 4.0F : 3.5F), p_.theme.window);
    }

    std::optional<std::int64_t> moved(const Press& pressed) const
    {
        if (pressed.hovered || pressed.held)
        {
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        }
        if (!pressed.held)
        {
            tooltip(p_, "Drag, or arrow keys: requests decoded together");
        }
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            return std::max<std::int64_t>(1, std::llround(latency_.x_of(ImGui::GetIO().MousePos.x)));
        }
        if (const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0; steps != 0)
        {
            const auto batch = static_cast<double>(r_.setup.batch);
            const double next =
                steps > 0 ? std::max(batch + 1, batch * 1.25) : std::min(batch - 1, batch / 1.25);
            return std::clamp<std::int64_t>(std::llround(next), 1, curve_.back().setup.batch);
        }
        return std::nullopt;
    }

    const Painter& p_;
    const ServingReport& r_;
    const std::vector<ServingReport>& curve_;
    Chart latency_;
    Chart rate_;
    bool two_ = false;
};

} // namespace

std::optional<std::int64_t> draw_serving_curves(const Painter& painter, Rect area, const ServingDesk& desk)
{
    return desk.curve().size() < 2 ? std::nullopt : Curves(painter, area, desk).draw();
}

} // namespace ringside
