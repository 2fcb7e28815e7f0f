#include "ui/views/formats/sums.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kReach = 2.6; // steps of the format on show above the sum

std::vector<ChartPoint> points_of(const std::vector<double>& sums)
{
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < sums.size(); ++i)
    {
        points.push_back({static_cast<double>(i), sums[i]});
    }
    return points;
}

// Between the neighbours of the sum: where the addition leads to, the middle that decides, where it ends.
class Ladder
{
public:
    Ladder(const Painter& painter, Rect area, FormatsState& state, const NumberFormat& format, double sum)
        : p_(painter), state_(state), f_(format), sum_(sum), step_(step_at(format, sum))
    {
        g_.area = area;
        g_.cut_left(p_.px(56));
        g_.area.cut_right(p_.px(72));
        g_.area.cut_top(p_.px(26));
        g_.area.cut_bottom(p_.height(Type::mono_small) + p_.px(6));
        g_.x = {sum - 0.6 * step_, sum + kReach * step_};
    }

    void draw()
    {
        if (!g_.drawable(p_) || step_ <= 0)
        {
            return;
        }
        draw_rungs();
        draw_addition();
    }

private:
    void draw_rungs() const
    {
        const Theme& t = p_.theme;
        const float base = g_.area.bottom();
        for (double v = sum_; v <= g_.x.high; v += step_)
        {
            const float x = g_.at_x(v);
            p_.line(x, base - p_.px(26), x, base, t.text, p_.px(2));
            p_.text(x, base + p_.height(Type::mono_small) / 2 + p_.px(4), Type::mono_small,
                    v == sum_ ? t.text : t.muted, short_figure(v), Align::centre);
            const float half = g_.at_x(v + step_ / 2);
            if (half < g_.area.right())
            {
                p_.dashed(half, base - p_.px(20), half, base, t.muted);
            }
        }
        p_.line(g_.area.x, base, g_.area.right(), base, t.line);
        draw_chart_label(p_, g_.area,
                         {g_.at_x(sum_ + step_ / 2) - p_.width(Type::small, "half") / 2, base - p_.px(30)},
                         "half");
    }

    void draw_addition()
    {
        const Theme& t = p_.theme;
        const float y = g_.area.y + p_.px(16);
        const float from = g_.at_x(sum_);
        const double exact = sum_ + state_.walk.addend;
        const float to = g_.at_x(g_.x.held(exact));
        const double held = round_to(f_, exact, Overflow::saturate);
        const Colour colour = t.of(Component::gradients).fill;
        p_.line(from, y, from, g_.area.bottom(), t.grid);
        p_.line(from, y, to, y, colour, p_.px(4));
        p_.line(to, y, to, y + p_.px(18), t.muted);
        const float snap = g_.at_x(g_.x.held(held));
        if (std::fabs(snap - to) > p_.px(6))
        {
            p_.arrow({to, y + p_.px(18)}, {snap, y + p_.px(18)}, t.text, p_.px(1.5F));
        }
        const ChartGrip grip = draw_chart_grip(p_, {to, y}, "###number that is added", p_.theme.text);
        draw_chart_label(p_, {g_.area.x, g_.area.y - p_.px(14), g_.area.w + p_.px(70), g_.area.h},
                         {to + p_.px(14), y}, held == sum_ ? "rounds back" : "rounds on", true);
        if (grip.to)
        {
            const double dragged = g_.x_of(ImGui::GetIO().MousePos.x) - sum_;
            state_.walk.addend = std::clamp(dragged, step_ / 256, kReach * step_);
        }
        else if (grip.steps != 0)
        {
            state_.walk.addend =
                std::clamp(state_.walk.addend + grip.steps * step_ / 16, step_ / 256, kReach * step_);
        }
    }

    const Painter& p_;
    FormatsState& state_;
    const NumberFormat& f_;
    double sum_;
    double step_;
    Chart g_;
};

Chart chart_of(const Painter& p, Rect area, const Walk& walk, double highest)
{
    Chart g;
    g.area = area;
    g.cut_left(p.px(56));
    g.area.cut_right(p.px(150));
    g.area.cut_top(p.px(28));
    g.area.cut_bottom(p.height(Type::mono_small) + p.px(8));
    g.x = {0, static_cast<double>(walk.steps)};
    const double room = std::max(highest - walk.start, step_at(number_format(FormatId::fp32), walk.start));
    g.y = {walk.start - room * 0.06, walk.start + room * 1.08};
    return g;
}

static_assert(kDraws == 64, "the name of the curve says so");

struct Named
{
    float y;
    std::string_view name;
    std::string value;
    bool strong;
};

void draw_names(const Painter& p, const Chart& g, std::vector<Named> names)
{
    std::sort(names.begin(), names.end(), [](const Named& a, const Named& b) { return a.y < b.y; });
    const float pitch = p.height(Type::small) + p.px(1);
    float free = g.area.y;
    for (const Named& n : names)
    {
        const float y = std::max(n.y, free);
        const Colour ink = n.strong ? p.theme.text : p.theme.muted;
        const float number = p.width(Type::mono_small, n.value);
        p.text(g.area.right() + p.px(148), y, Type::mono_small, ink, n.value, Align::right);
        p.text_within(g.area.right() + p.px(8), y, p.px(134) - number,
                      n.strong ? Type::small_strong : Type::small, ink, n.name);
        free = y + pitch;
    }
}

void draw_chart(const Painter& p, Rect area, FormatsState& state, const Walk& walk, std::size_t at, Out& out)
{
    const std::vector<double> nearest = walk_nearest(walk);
    const std::vector<double> random = walk_at_random(walk, state.seed);
    const std::vector<double> mean = walk_mean(walk, state.seed, kDraws);
    const double exact = walk.start + walk.addend * static_cast<double>(walk.steps);
    const auto highest = [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); };
    const Chart g = chart_of(p, area, walk, std::max({exact, highest(nearest), highest(random)}));
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, "The sum, addition by addition",
                     fmt::format("each rounded to {}", number_format(walk.format).name));
    if (!g.drawable(p))
    {
        return;
    }
    draw_chart_y(p, g, "", [](double v) { return fmt::format("{:.5g}", v); });
    draw_chart_x(p, g, "", [](double v) { return fmt::format("{:g}", v); });
    const Theme& t = p.theme;
    const ImVec2 from = g.at(0, walk.start);
    const ImVec2 to = g.at(static_cast<double>(walk.steps), exact);
    p.dashed(from.x, from.y, to.x, to.y, t.text, p.px(1.5F));
    draw_chart_line(p, g, points_of(random), t.stage_ramp[1], 1.5F);
    draw_chart_line(p, g, points_of(mean), t.stage_ramp[3], 2.5F);
    draw_chart_line(p, g, points_of(nearest), t.of(Component::weights).fill, 3);
    const float x = g.at_x(static_cast<double>(at));
    p.line(x, g.area.y, x, g.area.bottom(), t.text);
    p.list.AddCircleFilled({x, g.at_y(nearest[at])}, p.px(5), t.of(Component::weights).fill);
    const auto says = [](double v) { return fmt::format("{:.4g}", v); };
    draw_names(p, g,
               {{g.at_y(exact), "exact", says(exact), false},
                {g.at_y(nearest.back()), "to nearest", says(nearest.back()), true},
                {g.at_y(random.back()), "at random", says(random.back()), false},
                {g.at_y(mean.back()), "mean of 64", says(mean.back()), false}});
    p.part("sums", area);
    if (press(p, g.area, "###sum over additions", 3).held && ImGui::IsMouseDown(0))
    {
        out.push(Seek{std::round(g.x_of(ImGui::GetIO().MousePos.x))});
    }
}

} // namespace

void draw_sums_page(const Painter& p, Rect area, FormatsState& state, const Frame& frame, Out& out)
{
    Walk walk = state.walk;
    walk.format = shown_format(state, frame);
    const std::size_t at = addition_at(state, frame);
    const NumberFormat& f = number_format(walk.format);
    if (area.h > p.px(260))
    {
        Rect top = area.cut_top(p.px(128));
        draw_chart_title(
            p, {top.x, top.y, top.w, p.px(20)}, fmt::format("After {} additions in {}", at, f.name),
            fmt::format("{} between neighbours", exact_power(step_at(f, walk_nearest(walk)[at]))));
        p.part("addition", top);
        Ladder(p, top, state, f, walk_nearest(walk)[at]).draw();
        area.cut_top(p.px(8));
    }
    draw_chart(p, area, state, walk, at, out);
}

} // namespace ringside
