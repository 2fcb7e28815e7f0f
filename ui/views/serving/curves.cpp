#include "ui/views/serving/curves.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart_field.h"
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

std::vector<ChartPoint> line_of(const std::vector<ServingReport>& curve, Value value)
{
    std::vector<ChartPoint> line;
    for (const ServingReport& r : curve)
    {
        line.push_back({static_cast<double>(r.setup.batch), value(r)});
    }
    return line;
}

AxisScale span_of(const std::vector<ServingReport>& curve, std::initializer_list<Value> values, double lowest)
{
    AxisScale axis{1e300, 0, true};
    for (const ServingReport& r : curve)
    {
        for (const Value value : values)
        {
            axis.least = std::min(axis.least, value(r));
            axis.most = std::max(axis.most, value(r));
        }
    }
    axis.most = std::max(axis.most, 1e-12) * 1.4;
    axis.least = std::max(axis.least / 1.4, axis.most * lowest);
    return axis;
}

class Curves
{
public:
    Curves(const Painter& painter, Rect area, const ServingDesk& desk)
        : p_(painter), r_(desk.report()), curve_(desk.curve())
    {
        const AxisScale batches{1, static_cast<double>(std::max<std::int64_t>(2, curve_.back().setup.batch)),
                                true};
        const bool two = area.h > p_.px(250);
        const Rect top = two ? area.cut_top(area.h * 0.54F) : area;
        x_words_ = {"requests at once", count};
        x_bare_ = {"", nullptr};
        latency_words_ = {"Seconds a token", [](double s) { return format_seconds(Seconds(s)); }};
        rate_words_ = {"Tokens a second and GPU", count};
        latency_ = chart_field(p_, top, batches, span_of(curve_, {reading, multiplying, token}, 1e-4),
                               two ? x_bare_ : x_words_, latency_words_);
        if (two)
        {
            area.cut_top(p_.px(8));
            rate_ =
                chart_field(p_, area, batches, span_of(curve_, {throughput}, 1e-6), x_words_, rate_words_);
            line_up();
        }
        two_ = two && rate_.area.w > 0;
    }

    std::optional<std::int64_t> draw()
    {
        if (latency_.area.w <= 0)
        {
            return std::nullopt;
        }
        const Theme& t = p_.theme;
        draw_field(p_, latency_, two_ ? x_bare_ : x_words_, latency_words_);
        draw_no_room(latency_, true);
        draw_curve(p_, latency_, line_of(curve_, reading), t.of(Component::activations).fill, 2);
        draw_curve(p_, latency_, line_of(curve_, multiplying), t.forward.fill, 2);
        draw_curve(p_, latency_, line_of(curve_, step), t.muted, 1.5F);
        draw_curve(p_, latency_, line_of(curve_, token), t.text, 2.5F);
        name_lines();
        p_.part("latency", latency_.area);
        if (two_)
        {
            draw_field(p_, rate_, x_words_, rate_words_);
            draw_no_room(rate_, false);
            draw_curve(p_, rate_, line_of(curve_, throughput), t.text, 2.5F);
            p_.part("throughput", rate_.area);
        }
        return draw_own();
    }

private:
    // The same left edge for both.
    void line_up()
    {
        const float left = std::max(latency_.area.x, rate_.area.x);
        const float right = std::min(latency_.area.right(), rate_.area.right());
        for (Rect* area : {&latency_.area, &rate_.area})
        {
            if (area->w > 0)
            {
                *area = {left, area->y, std::max(0.0F, right - left), area->h};
            }
        }
    }

    void draw_no_room(const ChartField& f, bool said) const
    {
        const double most = static_cast<double>(std::max<std::int64_t>(r_.most, 1));
        const float from = r_.most == 0 ? f.area.x : f.px(most);
        const Rect beyond{from, f.area.y, f.area.right() - from, f.area.h};
        if (beyond.w < 1)
        {
            return;
        }
        p_.hatch(beyond, with_alpha(p_.theme.warning, 0.45F), kOverflowHatch);
        p_.line(from, f.area.y, from, f.area.bottom(), p_.theme.warning, p_.px(1.5F));
        const std::string words =
            r_.most == 0 ? "no room for one" : fmt::format("full at {}", grouped(r_.most));
        if (said && f.area.h > p_.px(70))
        {
            label_on_field(p_, f, f.area.right() - p_.px(4), f.area.bottom() - p_.px(14), Type::small_strong,
                           p_.theme.warning, words, Align::right);
        }
    }

    // Each line's name on the line, where it is far enough from those already named.
    void name_lines() const
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
        const std::string own = own_words();
        const float w = p_.width(Type::small_strong, own);
        const float left = latency_.px(static_cast<double>(r_.setup.batch)) - w / 2;
        std::vector<Rect> taken{
            {std::clamp(left, latency_.area.x, std::max(latency_.area.x, latency_.area.right() - w)),
             own_height(), w, 0},
            {latency_.area.right() - p_.px(110), latency_.area.bottom() - p_.px(14), p_.px(110), 0}};
        for (const Name& name : kNames)
        {
            const auto k = static_cast<std::size_t>(name.at * static_cast<double>(curve_.size() - 1));
            const float line = p_.height(Type::small);
            const Rect words{latency_.px(static_cast<double>(curve_[k].setup.batch)),
                             latency_.py(name.value(curve_[k])) + name.side * line,
                             p_.width(Type::small, name.words), 0};
            const bool clear = std::ranges::none_of(taken,
                                                    [&](const Rect& other)
                                                    {
                                                        return std::abs(other.y - words.y) < line * 1.3F &&
                                                               words.x < other.right() + p_.px(12) &&
                                                               other.x < words.right() + p_.px(12);
                                                    });
            const bool inside =
                words.y > latency_.area.y + line / 2 && words.y < latency_.area.bottom() - line;
            if (clear && inside && latency_.area.h > p_.px(90))
            {
                label_on_field(p_, latency_, words.x, words.y, Type::small, p_.theme.text, name.words);
                taken.push_back(words);
            }
        }
    }

    std::string own_words() const
    {
        return fmt::format("{} at once, {} a token", grouped(r_.setup.batch),
                           format_seconds(Seconds(token(r_))));
    }

    float own_height() const { return latency_.py(token(r_)) - p_.height(Type::small) / 2 - p_.px(14); }

    std::optional<std::int64_t> draw_own() const
    {
        const auto batch = static_cast<double>(r_.setup.batch);
        const float x = latency_.px(batch);
        const float bottom = two_ ? rate_.area.bottom() : latency_.area.bottom();
        p_.line(x, latency_.py(token(r_)), x, bottom, p_.theme.text, 1);
        const Rect grip{x - p_.px(12), latency_.area.y, p_.px(24), bottom - latency_.area.y};
        const Press pressed = press(p_, grip, "###requests at once", 3);
        const bool lit = pressed.hovered || pressed.held || pressed.focused;
        draw_dot(x, latency_.py(token(r_)), lit);
        label_on_field(p_, latency_, x, own_height(), Type::small_strong, p_.theme.text, own_words(),
                       Align::centre);
        if (two_)
        {
            const float y = rate_.py(throughput(r_));
            draw_dot(x, y, lit);
            const float line = p_.height(Type::small) / 2 + p_.px(14);
            label_on_field(p_, rate_, x + p_.px(14),
                           y + line < rate_.area.bottom() - line ? y + line : y - line, Type::small_strong,
                           p_.theme.text, fmt::format("{} tokens/s", three_digits(throughput(r_))));
        }
        return moved(pressed, batch);
    }

    void draw_dot(float x, float y, bool lit) const
    {
        p_.list.AddCircleFilled({x, y}, p_.px(lit ? 9.0F : 7.5F), p_.theme.text);
        p_.list.AddCircleFilled({x, y}, p_.px(lit ? 4.0F : 3.5F), p_.theme.window);
    }

    std::optional<std::int64_t> moved(const Press& pressed, double batch) const
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
            const auto share =
                static_cast<double>((ImGui::GetIO().MousePos.x - latency_.area.x) / latency_.area.w);
            return std::max<std::int64_t>(1, std::llround(latency_.x.at(share)));
        }
        if (const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0; steps != 0)
        {
            const double next =
                steps > 0 ? std::max(batch + 1, batch * 1.25) : std::min(batch - 1, batch / 1.25);
            return std::clamp<std::int64_t>(std::llround(next), 1, curve_.back().setup.batch);
        }
        return std::nullopt;
    }

    const Painter& p_;
    const ServingReport& r_;
    const std::vector<ServingReport>& curve_;
    AxisWords x_words_, x_bare_, latency_words_, rate_words_;
    ChartField latency_;
    ChartField rate_;
    bool two_ = false;
};

} // namespace

std::optional<std::int64_t> draw_serving_curves(const Painter& painter, Rect area, const ServingDesk& desk)
{
    return desk.curve().size() < 2 ? std::nullopt : Curves(painter, area, desk).draw();
}

} // namespace ringside
