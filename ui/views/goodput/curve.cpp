#include "ui/views/goodput/curve.h"

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

constexpr double kSnap = 0.06; // share of the best interval within which a drag takes it

class Curve
{
public:
    Curve(const Painter& painter, Rect area, const RunDesk& desk)
        : p_(painter), area_(area), desk_(desk), r_(desk.rates()), points_(desk.curve())
    {
        area_.cut_right(p_.px(8));
        area_.cut_top(p_.height(Type::small) * 2 + p_.px(10));
        area_.cut_bottom(p_.height(Type::mono_small) + p_.px(6));
        low_ = points_.front().interval;
        high_ = points_.back().interval;
        double best = 1;
        for (const IntervalPoint& point : points_)
        {
            best = std::min(best, point.loss);
        }
        most_ = std::clamp(best * 3, 1e-4, 1.0);
        float widest = p_.width(Type::mono_small, "100%");
        for (const double share : shares())
        {
            widest = std::max(widest, p_.width(Type::mono_small, share_words(share)));
        }
        area_.cut_left(widest + p_.px(10));
    }

    std::optional<double> draw()
    {
        if (area_.h < p_.px(30) || area_.w < p_.px(60))
        {
            return std::nullopt;
        }
        draw_axes();
        const Theme& t = p_.theme;
        p_.list.PushClipRect({area_.x, area_.y}, {area_.right(), area_.bottom() + 1}, true);
        line(&IntervalPoint::saving, t.of(Component::variance).fill, 2);
        line(&IntervalPoint::lost, t.forward.fill, 2);
        line(&IntervalPoint::loss, t.text, 2.5F);
        p_.list.PopClipRect();
        draw_marks();
        return draw_own();
    }

private:
    float x(double interval) const
    {
        return area_.x + area_.w * static_cast<float>(std::log(std::clamp(interval, low_, high_) / low_) /
                                                      std::log(high_ / low_));
    }
    float y(double share) const
    {
        return area_.bottom() - area_.h * static_cast<float>(std::min(share / most_, 1.2));
    }

    void line(double IntervalPoint::*value, Colour colour, float thickness) const
    {
        std::vector<ImVec2> line;
        line.reserve(points_.size());
        for (const IntervalPoint& point : points_)
        {
            line.emplace_back(x(point.interval), y(point.*value));
        }
        p_.list.AddPolyline(line.data(), static_cast<int>(line.size()), colour, 0, p_.px(thickness));
    }

    // Those with a rule across.
    std::vector<double> shares() const
    {
        const int most = std::clamp(static_cast<int>(area_.h / (p_.height(Type::mono_small) * 1.6F)), 1, 4);
        return chart_ticks({0, most_}, most);
    }

    static std::string share_words(double share)
    {
        return share == 0 ? "0" : plain_number(share * 100) + "%";
    }

    void draw_axes() const
    {
        const Theme& t = p_.theme;
        for (const double share : shares())
        {
            p_.line(area_.x, y(share), area_.right(), y(share), t.grid);
            p_.text(area_.x - p_.px(6), y(share), Type::mono_small, t.muted, share_words(share),
                    Align::right);
        }
        constexpr std::array<double, 16> kTicks{0.1,      1,     10,    60,     300,      1800,
                                                7200,     21600, 86400, 345600, 1.2096e6, 5.184e6,
                                                3.1536e7, 1.2e8, 1e9,   1e10};
        float taken = -1e9F;
        for (const double tick : kTicks)
        {
            const float half = p_.width(Type::mono_small, short_time(tick)) / 2;
            if (tick < low_ || tick > high_ || x(tick) - half < taken ||
                x(tick) + half > area_.right() + p_.px(8))
            {
                continue;
            }
            p_.line(x(tick), area_.bottom(), x(tick), area_.bottom() + p_.px(4), t.line);
            p_.text(x(tick), area_.bottom() + p_.height(Type::mono_small) / 2 + p_.px(5), Type::mono_small,
                    t.muted, short_time(tick), Align::centre);
            taken = x(tick) + half + p_.px(10);
        }
        p_.line(area_.x, area_.bottom(), area_.right(), area_.bottom(), t.line);
        const float head = area_.y - p_.height(Type::small) * 1.5F - p_.px(8);
        p_.text_within(area_.x - p_.px(30), head, area_.w + p_.px(30), Type::small_strong, t.text,
                       "Lost share by interval");
        draw_key(area_.y - p_.height(Type::small) / 2 - p_.px(6));
    }

    static std::string short_time(double seconds)
    {
        return seconds < 60      ? fmt::format("{:g} s", seconds)
               : seconds < 3600  ? fmt::format("{:g} min", seconds / 60)
               : seconds < 86400 ? fmt::format("{:g} h", seconds / 3600)
                                 : fmt::format("{:g} d", seconds / 86400);
    }

    void draw_key(float middle) const
    {
        const Theme& t = p_.theme;
        float at = area_.x;
        const auto one = [&](Colour colour, std::string_view name)
        {
            const float wide = p_.px(18) + p_.width(Type::small, name);
            if (at + wide > area_.right())
            {
                return;
            }
            p_.line(at, middle, at + p_.px(12), middle, colour, p_.px(3));
            at += p_.px(18) + p_.text(at + p_.px(18), middle, Type::small, t.muted, name) + p_.px(14);
        };
        one(t.text, "all");
        one(t.of(Component::variance).fill, "saving");
        one(t.forward.fill, "work lost");
    }

    // Where the formula has it, and where it is best.
    void draw_marks() const
    {
        const Theme& t = p_.theme;
        p_.dashed(x(r_.best_s), area_.y, x(r_.best_s), area_.bottom(), t.text, 1);
        const bool other = std::abs(std::log(r_.young_s / r_.best_s)) > 0.08 && r_.young_s > low_;
        if (other)
        {
            p_.dashed(x(r_.young_s), area_.y, x(r_.young_s), area_.bottom(), t.muted, 1);
        }
        const std::string words = fmt::format("best {}", say_time(r_.best_s));
        const float w = p_.width(Type::small_strong, words) + p_.px(8);
        const float left = x(r_.best_s) + w < area_.right() ? x(r_.best_s) + p_.px(4) : x(r_.best_s) - w;
        const float middle = area_.y + p_.height(Type::small) / 2 + p_.px(2);
        if (std::abs(r_.interval_s / r_.best_s - 1) > 1e-9)
        {
            p_.fill({left, middle - p_.height(Type::small) / 2, w - p_.px(4), p_.height(Type::small)},
                    with_alpha(t.window, 0.85F));
            p_.text(left + p_.px(2), middle, Type::small_strong, t.text, words);
        }
    }

    std::optional<double> draw_own() const
    {
        const double loss = 1 - desk_.expected().useful();
        const ImVec2 at{x(r_.interval_s), std::max(area_.y, y(loss))};
        const float reach = p_.px(12);
        const Press pressed = press(p_, {at.x - reach, at.y - reach, 2 * reach, 2 * reach},
                                    "###interval between checkpoints", 12);
        const float radius = p_.px(pressed.hovered || pressed.held ? 8.0F : 6.5F);
        p_.list.AddCircleFilled(at, radius, p_.theme.text);
        p_.list.AddCircleFilled(at, radius * 0.55F, p_.theme.window);
        const std::string words = fmt::format("{}: {}", say_time(r_.interval_s), format_percent(loss));
        const float w = p_.width(Type::small_strong, words) + p_.px(8);
        const float left = std::clamp(at.x - w / 2, area_.x, std::max(area_.x, area_.right() - w));
        const float high = p_.height(Type::small_strong);
        const bool above = at.y - radius - high > area_.y;
        const float middle =
            above ? at.y - radius - high / 2 - p_.px(2) : at.y + radius + high / 2 + p_.px(2);
        if (w <= area_.w)
        {
            p_.fill({left, middle - high / 2, w, high}, with_alpha(p_.theme.window, 0.9F), p_.px(4));
            p_.text(left + p_.px(4), middle, Type::small_strong, p_.theme.text, words);
        }
        if (!pressed.held)
        {
            tooltip(p_, "Drag: work between two checkpoints. Arrow keys step.");
        }
        return moved(pressed);
    }

    std::optional<double> moved(const Press& pressed) const
    {
        if (pressed.hovered || pressed.held)
        {
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        }
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            const auto share = static_cast<double>((ImGui::GetIO().MousePos.x - area_.x) / area_.w);
            const double wish = low_ * std::pow(high_ / low_, std::clamp(share, 0.0, 1.0));
            return std::abs(wish / r_.best_s - 1) < kSnap ? 0 : wish;
        }
        if (const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0; steps != 0)
        {
            return std::clamp(r_.interval_s * (steps > 0 ? 1.25 : 0.8), low_, high_);
        }
        return std::nullopt;
    }

    const Painter& p_;
    Rect area_;
    const RunDesk& desk_;
    const RunRates& r_;
    const std::vector<IntervalPoint>& points_;
    double low_ = 1;
    double high_ = 10;
    double most_ = 1;
};

} // namespace

std::optional<double> draw_interval_curve(const Painter& painter, Rect area, const RunDesk& desk)
{
    if (desk.curve().size() < 2)
    {
        return std::nullopt;
    }
    return Curve(painter, area, desk).draw();
}

} // namespace ringside
