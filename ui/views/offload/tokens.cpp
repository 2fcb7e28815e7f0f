#include "ui/views/offload/tokens.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class Chart
{
public:
    Chart(const Painter& painter, Rect area, const Shelves& shelves)
        : p_(painter), area_(area), r_(shelves.timed()), curve_(shelves.curve())
    {
        area_.cut_left(p_.px(70));
        area_.cut_bottom(p_.height(Type::mono_small) + p_.height(Type::small) + p_.px(8));
        area_.cut_top(p_.height(Type::small) + p_.px(6));
        area_.cut_right(p_.px(10));
        least_ = curve_.front().tokens;
        most_ = curve_.back().tokens;
        low_ = std::min(curve_.front().compute, r_.shelf > 0 ? r_.shelf : curve_.front().compute);
        high_ = curve_.back().total;
        low_ = std::max(low_ / 1.5, high_ * 1e-7);
        high_ = std::max(high_ * 1.4, low_ * 10);
    }

    std::optional<TokenWish> draw()
    {
        draw_regimes();
        draw_axes();
        const float own = std::clamp(x(r_.tokens), area_.x, area_.right());
        p_.line(own, y(r_.total), own, area_.bottom(), p_.theme.text, 1);
        draw_lines();
        draw_break_even();
        return draw_own();
    }

private:
    float x(double tokens) const
    {
        return area_.x + area_.w * static_cast<float>(std::log(tokens / least_) / std::log(most_ / least_));
    }
    float y(double seconds) const
    {
        return area_.bottom() -
               area_.h * static_cast<float>(std::log(std::clamp(seconds, low_, high_) / low_) /
                                            std::log(high_ / low_));
    }

    // Time that cannot hide: left of the break-even.
    void draw_regimes() const
    {
        const float at = std::clamp(x(std::max(r_.break_even(), least_)), area_.x, area_.right());
        p_.hatch({area_.x, area_.y, at - area_.x, area_.h}, with_alpha(p_.theme.data.fill, 0.22F),
                 kExposedHatch);
        const auto say = [&](float from, float to, std::string_view words)
        {
            const float w = p_.width(Type::small, words);
            if (w + p_.px(20) < to - from && area_.h > p_.px(60))
            {
                const float middle = area_.y + p_.height(Type::small) / 2 + p_.px(4);
                p_.fill({from + p_.px(6), middle - p_.px(9), w + p_.px(8), p_.px(18)}, p_.theme.window);
                p_.text(from + p_.px(10), middle, Type::small, p_.theme.muted, words);
            }
        };
        say(area_.x, at, "the shelf takes longer");
    }

    static std::string count(double n)
    {
        return n >= 1e9   ? fmt::format("{:g} G", n / 1e9)
               : n >= 1e6 ? fmt::format("{:g} M", n / 1e6)
               : n >= 1e3 ? fmt::format("{:g} k", n / 1e3)
                          : fmt::format("{:g}", n);
    }

    void draw_axes() const
    {
        const Theme& t = p_.theme;
        float taken = -1e9F;
        for (double tokens = std::pow(10, std::ceil(std::log10(least_))); tokens <= most_; tokens *= 10)
        {
            const float at = x(tokens);
            p_.line(at, area_.y, at, area_.bottom(), t.grid);
            const std::string words = count(tokens);
            const float half = p_.width(Type::mono_small, words) / 2;
            if (at - half > taken)
            {
                p_.text(at, area_.bottom() + p_.height(Type::mono_small) / 2 + p_.px(2), Type::mono_small,
                        t.muted, words, Align::centre);
                taken = at + half + p_.px(8);
            }
        }
        float above = area_.bottom() + 1e3F;
        for (double v = std::pow(10, std::ceil(std::log10(low_))); v <= high_; v *= 10)
        {
            p_.line(area_.x, y(v), area_.right(), y(v), t.grid);
            if (y(v) < above - p_.height(Type::mono_small))
            {
                p_.text(area_.x - p_.px(6), y(v), Type::mono_small, t.muted, format_seconds(Seconds(v)),
                        Align::right);
                above = y(v);
            }
        }
        p_.line(area_.x, area_.bottom(), area_.right(), area_.bottom(), t.line);
        p_.text_within(area_.x,
                       area_.bottom() + p_.height(Type::mono_small) + p_.height(Type::small) / 2 + p_.px(4),
                       area_.w, Type::small, t.muted, "tokens through a GPU in a step");
        p_.text_within(area_.x - p_.px(70), area_.y - p_.height(Type::small) / 2 - p_.px(3),
                       area_.w + p_.px(70), Type::small_strong, t.text, "Step time by tokens");
    }

    void line_of(double TokenPoint::*value, Colour colour, float thickness) const
    {
        std::vector<ImVec2> points;
        for (const TokenPoint& point : curve_)
        {
            points.emplace_back(x(point.tokens), y(point.*value));
        }
        p_.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, thickness);
    }

    void draw_lines() const
    {
        const Theme& t = p_.theme;
        p_.list.PushClipRect(area_.min(), {area_.right(), area_.bottom() + 1}, true);
        const Colour shelf = t.data.edge != 0 ? t.data.edge : t.data.fill;
        p_.line(area_.x, y(r_.shelf), area_.right(), y(r_.shelf), shelf, p_.px(2));
        line_of(&TokenPoint::compute, t.forward.fill, p_.px(2));
        line_of(&TokenPoint::total, t.text, p_.px(2.5F));
        p_.list.PopClipRect();
        const std::string words = "shelf " + format_seconds(Seconds(r_.shelf));
        const float below = y(r_.shelf) + p_.height(Type::small) / 2 + p_.px(3);
        const float w = p_.width(Type::small_strong, words);
        const float from = x(std::max(r_.break_even(), least_));
        const float clear = area_.bottom() - p_.height(Type::small) * 1.5F - p_.px(6); // of the break-even's
        if (area_.right() - from > w + p_.px(40) && below < clear)
        {
            p_.text(area_.right() - p_.px(4), below, Type::small_strong, shelf, words, Align::right);
        }
        name_compute();
    }

    // Under its line, where the shelf's is far enough below, and clear of the point's words.
    void name_compute() const
    {
        const float w = p_.width(Type::small_strong, "compute");
        const float line = p_.height(Type::small_strong);
        const Rect own = own_words();
        for (const TokenPoint& point : curve_)
        {
            const float left = x(point.tokens) + p_.px(8);
            const float middle = y(point.compute) + line / 2;
            const bool clear = left > own.right() + p_.px(4) || left + w < own.x - p_.px(4) ||
                               middle - line / 2 > own.bottom() || middle + line / 2 < own.y;
            const float stem = std::clamp(x(r_.tokens), area_.x, area_.right());
            const bool crossed = left - p_.px(4) < stem && stem < left + w + p_.px(4);
            const float base = std::min(y(r_.shelf), area_.bottom());
            if (clear && !crossed && base - middle > line * 0.8F && left + w < area_.right())
            {
                p_.text(left, middle, Type::small_strong, p_.theme.text, "compute");
                return;
            }
        }
    }

    void draw_break_even() const
    {
        const double tokens = r_.break_even();
        if (tokens < least_ || tokens > most_)
        {
            return;
        }
        const float at = x(tokens);
        p_.dashed(at, area_.y, at, area_.bottom(), p_.theme.text, 1);
        p_.list.AddCircle({at, y(r_.shelf)}, p_.px(5), p_.theme.text, 0, p_.px(2));
        const std::string words = fmt::format("break-even {}", format_count(tokens));
        const float w = p_.width(Type::small_strong, words);
        const float middle = area_.bottom() - p_.height(Type::small) / 2 - p_.px(4);
        const bool right = at + w + p_.px(10) <= area_.right();
        if (!right && at - w - p_.px(10) < area_.x)
        {
            return;
        }
        const float from = right ? at + p_.px(6) : at - p_.px(6) - w;
        p_.fill({from - p_.px(2), middle - p_.px(9), w + p_.px(4), p_.px(18)}, p_.theme.window);
        p_.text(from, middle, Type::small_strong, p_.theme.text, words);
    }

    std::optional<TokenWish> draw_own() const
    {
        const float at = std::clamp(x(r_.tokens), area_.x, area_.right());
        const float high = y(r_.total);
        const Rect grip{at - p_.px(12), area_.y, p_.px(24), area_.h};
        const Press pressed = press(p_, grip, "###tokens of a step", 3);
        const bool lit = pressed.hovered || pressed.held || pressed.focused;
        p_.list.AddCircleFilled({at, high}, p_.px(lit ? 9.0F : 7.5F), p_.theme.text);
        p_.list.AddCircleFilled({at, high}, p_.px(lit ? 4.0F : 3.5F), p_.theme.window);
        if (const Rect words = own_words(); words.w > 0)
        {
            p_.fill(words, p_.theme.window, p_.px(4));
            p_.text(words.centre(), words.middle(), Type::small_strong, p_.theme.text, own_text(),
                    Align::centre);
        }
        if (pressed.hovered || pressed.held)
        {
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        }
        if (!pressed.held)
        {
            tooltip(p_, offloads_weights(r_.options.placement)
                            ? "Drag: larger micro-batches bring more tokens for every fetched weight"
                            : "Drag: more micro-batches bring more tokens for every update");
        }
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            const auto share = static_cast<double>((ImGui::GetIO().MousePos.x - area_.x) / area_.w);
            return TokenWish{least_ * std::pow(most_ / least_, std::clamp(share, 0.0, 1.0)), 0};
        }
        if (const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0; steps != 0)
        {
            return TokenWish{0, steps};
        }
        return std::nullopt;
    }

    std::string own_text() const
    {
        return fmt::format("{}, {}", format_count(r_.tokens), format_seconds(Seconds(r_.total)));
    }

    Rect own_words() const
    {
        const float at = std::clamp(x(r_.tokens), area_.x, area_.right());
        const float high = y(r_.total);
        const float w = p_.width(Type::small_strong, own_text());
        const float lift = p_.height(Type::small) / 2 + p_.px(12);
        // Above the point, and below it where the heading is in the way.
        const float line = p_.height(Type::small) + p_.px(4);
        const float middle = high - lift > area_.y + line + line / 2 ? high - lift : high + lift;
        const float from =
            std::clamp(at - w / 2, area_.x + p_.px(4), std::max(area_.x + p_.px(4), area_.right() - w));
        if (w + p_.px(8) > area_.w || middle + lift > area_.bottom())
        {
            return {at, high, 0, 0};
        }
        return {from - p_.px(4), middle - p_.px(9), w + p_.px(8), p_.px(18)};
    }

    const Painter& p_;
    Rect area_;
    const OffloadReport& r_;
    const std::vector<TokenPoint>& curve_;
    double least_ = 1;
    double most_ = 10;
    double low_ = 1;
    double high_ = 10;
};

} // namespace

std::optional<TokenWish> draw_tokens(const Painter& painter, Rect area, const Shelves& shelves)
{
    if (shelves.curve().size() < 2 || shelves.curve().back().tokens <= shelves.curve().front().tokens)
    {
        return std::nullopt;
    }
    return Chart(painter, area, shelves).draw();
}

} // namespace ringside
