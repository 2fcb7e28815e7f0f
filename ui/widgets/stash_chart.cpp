#include "ui/widgets/stash_chart.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class Chart
{
public:
    Chart(const Painter& painter, Rect area, TimeWindow window, double most)
        : p_(painter), area_(area), window_(window), most_(most)
    {
    }

    float y(double held) const
    {
        return std::round(area_.bottom() - area_.h * static_cast<float>(held / most_));
    }

    void draw_grid() const
    {
        for (const double line : {0.0, most_ / 2, most_})
        {
            p_.line(area_.x, y(line), area_.right(), y(line), p_.theme.grid);
            p_.text(area_.x - p_.px(12), y(line), Type::mono_small, p_.theme.muted, plain_number(line),
                    Align::right);
        }
    }

    void draw_curve(const StashCurve& curve, bool filled, std::size_t index) const
    {
        const Colour colour = p_.theme.of(Component::activations).fill;
        const std::vector<Bar> bars = bars_of(curve);
        for (std::size_t k = 0; k < bars.size(); ++k)
        {
            const auto [x1, x2, here] = bars[k];
            const float next = k + 1 < bars.size() ? bars[k + 1].y : here;
            if (filled)
            {
                p_.fill({x1, here, x2 - x1, area_.bottom() - here}, with_alpha(colour, 0.4F));
                p_.line(x1, here, x2, here, colour, p_.px(2));
                p_.line(x2, here, x2, next, colour, p_.px(2));
                continue;
            }
            const Colour ink = index == 0 ? p_.theme.text : p_.theme.muted;
            if (index == 1)
            {
                p_.line(x1, here, x2, here, ink, p_.px(1.5F));
                p_.line(x2, here, x2, next, ink, p_.px(1.5F));
            }
            else
            {
                p_.dashed(x1, here, x2, here, ink, p_.px(index == 0 ? 1.5F : 2.5F));
                p_.dashed(x2, here, x2, next, ink, p_.px(index == 0 ? 1.5F : 2.5F));
            }
        }
    }

    struct Bar
    {
        float x1, x2, y;
    };

    // The steps in sight, in pixels. Those within one pixel are one, as high as the highest.
    std::vector<Bar> bars_of(const StashCurve& curve) const
    {
        std::vector<Bar> bars;
        for (std::size_t k = 0; k + 1 < curve.steps.size(); ++k)
        {
            const float x1 = std::max(area_.x, window_.x(area_, curve.steps[k].t));
            const float x2 = std::min(area_.right(), window_.x(area_, curve.steps[k + 1].t));
            if (x2 < area_.x || x1 > area_.right())
            {
                continue;
            }
            const float here = y(curve.steps[k].held);
            if (!bars.empty() && (x2 - bars.back().x1 < 1 || bars.back().y == here))
            {
                bars.back().x2 = x2;
                bars.back().y = std::min(bars.back().y, here);
                continue;
            }
            bars.push_back({x1, x2, here});
        }
        return bars;
    }

    void draw_name(const StashCurve& curve, bool filled, std::size_t index, std::size_t count) const
    {
        double peak = 0;
        for (const StashStep& step : curve.steps)
        {
            peak = std::max(peak, step.held);
        }
        constexpr std::array<std::string_view, 3> kLook{"dashed", "line", "thick dashes"};
        const std::string words = std::string(filled ? "filled" : kLook.at(std::min<std::size_t>(index, 2))) +
                                  ": " + curve.name + " " + curve.holds;
        const float share = 0.06F + 0.88F * (static_cast<float>(index) + 0.2F) / static_cast<float>(count);
        const float x = area_.x + area_.w * share;
        const float room = area_.w * 0.88F / static_cast<float>(count) - p_.px(8);
        const float w = std::min(room, p_.width(Type::small_strong, words));
        const float top = std::max(area_.y - p_.px(16), y(peak) - p_.px(20));
        p_.fill({x - p_.px(4), top, w + p_.px(8), p_.px(18)}, p_.theme.window);
        p_.text_within(x, top + p_.px(9), room, Type::small_strong, p_.theme.text, words);
    }

private:
    const Painter& p_;
    Rect area_;
    TimeWindow window_;
    double most_;
};

} // namespace

void draw_stash_chart(const Painter& painter, Rect area, TimeWindow window,
                      std::span<const StashCurve> curves)
{
    double most = 1;
    for (const StashCurve& curve : curves)
    {
        for (const StashStep& step : curve.steps)
        {
            most = std::max(most, step.held);
        }
    }
    const Chart chart(painter, area, window, most);
    chart.draw_grid();
    painter.list.PushClipRect({area.x, area.y - painter.px(20)}, {area.right() + 1, area.bottom() + 2}, true);
    for (std::size_t i = curves.size(); i-- > 0;)
    {
        chart.draw_curve(curves[i], i + 1 == curves.size(), i);
    }
    for (std::size_t i = 0; i < curves.size(); ++i)
    {
        chart.draw_name(curves[i], i + 1 == curves.size(), i, curves.size());
    }
    painter.list.PopClipRect();
}

} // namespace ringside
