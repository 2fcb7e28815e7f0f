#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/choices.h"
#include "ui/views/optimizer/pages.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kPoints = 160;

Chart chart_of(const Painter& p, Rect area, double critical, double batch)
{
    Chart g;
    g.area = area;
    g.cut_left(p.px(64));
    g.area.cut_right(p.px(120));
    g.area.cut_top(p.px(36));
    g.area.cut_bottom(p.height(Type::mono_small) + p.height(Type::small) + p.px(12));
    const double low = std::min(critical / 300, batch / 4);
    const double high = std::max(critical * 300, batch * 4);
    g.x = {low, high, true};
    g.y = {0.9, 300, true};
    return g;
}

template <class Cost>
std::vector<ChartPoint> points_of(const Chart& g, Cost cost)
{
    std::vector<ChartPoint> points;
    for (int i = 0; i <= kPoints; ++i)
    {
        const double batch = g.x.at(static_cast<double>(i) / kPoints);
        points.push_back({batch, cost(batch)});
    }
    return points;
}

// The scenario's batch goes to the nearest that suits its layout.
void drag_batch(const Chart& g, const Frame& frame, Out& out)
{
    const Scenario& s = frame.now.scenario;
    const double wanted = g.x_of(ImGui::GetIO().MousePos.x);
    const auto values = legal_values(s, Knob::micro_batches);
    if (values.empty())
    {
        return;
    }
    const double one =
        batch_tokens(s) / static_cast<double>(std::max<std::int64_t>(1, value_of(s, Knob::micro_batches)));
    const auto off = [&](std::int64_t v)
    { return std::fabs(std::log(one * static_cast<double>(v) / wanted)); };
    const std::int64_t best = *std::min_element(
        values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) { return off(a) < off(b); });
    if (best != value_of(s, Knob::micro_batches))
    {
        out.push(ChangeScenario{with(s, Knob::micro_batches, best), true});
    }
}

std::string costs_at(double batch, double critical)
{
    return fmt::format("{} tokens\nsteps 1 + {} / {} = {}\u00d7\nexamples 1 + {} / {} = {}\u00d7",
                       format_count(batch), format_count(critical), format_count(batch),
                       three_digits(steps_over_least(batch, critical)), format_count(batch),
                       format_count(critical), three_digits(examples_over_least(batch, critical)));
}

void draw_regions(const Painter& p, const Chart& g, double critical)
{
    const float middle = g.at_x(critical);
    p.fill({g.area.x, g.area.y, middle - g.area.x, g.area.h}, with_alpha(p.theme.stage_ramp[3], 0.12F));
    p.fill({middle, g.area.y, g.area.right() - middle, g.area.h}, with_alpha(p.theme.stage_ramp[1], 0.14F));
    p.dashed(middle, g.area.y, middle, g.area.bottom(), p.theme.text, p.px(1.5F));
    const std::string_view saved = "more GPUs save time";
    const std::string_view wasted = "more GPUs waste examples";
    const float y = g.area.bottom() - g.area.h * 0.25F;
    const float save_room = p.width(Type::small, saved) + p.px(24);
    const float waste_room = p.width(Type::small, wasted) + p.px(24);
    if (save_room < middle - g.area.x)
    {
        draw_chart_label(p, g.area, {g.area.x + p.px(12), y}, saved);
    }
    if (waste_room < g.area.right() - middle)
    {
        draw_chart_label(p, g.area, {g.area.right() - waste_room + p.px(12), y}, wasted);
    }
    draw_chart_label(p, g.area, {middle + p.px(8), g.area.y + p.px(12)},
                     fmt::format("critical: {} tokens", format_count(critical)), true);
}

void draw_costs(const Painter& p, const Chart& g, double critical)
{
    const Theme& t = p.theme;
    draw_chart_line(p, g, points_of(g, [&](double b) { return steps_over_least(b, critical); }), t.text, 3);
    draw_chart_line(p, g, points_of(g, [&](double b) { return examples_over_least(b, critical); }),
                    t.of(Component::gradients).fill, 3);
    p.text_within(g.area.right() + p.px(8), g.at_y(1), p.px(110), Type::small_strong, t.text, "steps");
    const double last = std::min(g.y.high, examples_over_least(g.x.high, critical));
    p.text_within(g.area.right() + p.px(8), g.at_y(last), p.px(110), Type::small_strong, t.text, "examples");
}

// The larger cost is named above its point, the smaller below, so that they stay apart where both are two.
void draw_batch_now(const Painter& p, const Chart& g, double batch, double critical)
{
    const float x = g.at_x(batch);
    p.line(x, g.area.y, x, g.area.bottom(), p.theme.text, p.px(1.5F));
    const double steps = steps_over_least(batch, critical);
    const double examples = examples_over_least(batch, critical);
    const auto point = [&](double cost, float away)
    {
        const float y = g.at_y(g.y.held(cost));
        p.list.AddCircleFilled({x, y}, p.px(5), p.theme.text);
        draw_chart_label(p, g.area, {x + p.px(10), y + away}, three_digits(cost) + "\u00d7", true);
    };
    point(std::max(steps, examples), -p.px(14));
    point(std::min(steps, examples), p.px(14));
}

} // namespace

void draw_batch_page(const Painter& p, Rect area, OptimizerState& state, const Frame& frame, Out& out)
{
    const double critical = critical_batch_tokens(state.loss);
    const double batch = batch_tokens(frame.now.scenario);
    const Chart g = chart_of(p, area, critical, batch);
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)}, "Steps and examples to the same loss",
                     "over the least there can be of each");
    if (!g.drawable(p))
    {
        return;
    }
    p.part("batch", area);
    draw_regions(p, g, critical);
    draw_chart_y(p, g, "", [](double v) { return fmt::format("{:g}\u00d7", v); });
    draw_chart_x(p, g, "", [](double v) { return format_count(v); });
    p.text(g.area.right(), g.area.bottom() + p.height(Type::mono_small) + p.px(14), Type::small,
           p.theme.muted, "tokens in a batch", Align::right);
    draw_costs(p, g, critical);
    draw_batch_now(p, g, batch, critical);
    const ChartGrip grip = draw_chart_grip(p, {g.at_x(batch), g.area.bottom() - p.px(12)},
                                           "###batch of the scenario", p.theme.text);
    // After the grip: what was there first has the mouse.
    const Press over = press(p, g.area, "###steps against the batch", 3);
    if (grip.to || (over.held && ImGui::IsMouseDown(0)))
    {
        drag_batch(g, frame, out);
    }
    else if (over.hovered)
    {
        tooltip_at_mouse(p, costs_at(g.x_of(ImGui::GetIO().MousePos.x), critical));
    }
}

} // namespace ringside
