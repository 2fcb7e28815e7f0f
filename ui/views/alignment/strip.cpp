#include "ui/views/alignment/strip.h"

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

using Wish = std::optional<AlignmentWish>;

constexpr std::array<std::string_view, 3> kNames{"DPO loss", "Hacking", "Group"};
constexpr double kReach = 20; // [nats] of the log-ratios on show
constexpr int kCells = 40;
constexpr double kAlpha = 1; // of the gold reward: its slope at the start

std::string plain(double v)
{
    const double rounded = std::round(v * 1e6) / 1e6;
    return fmt::format("{}{:g}", rounded < 0 ? "\u2212" : "", std::abs(rounded));
}

void draw_dot(const Painter& p, ImVec2 at, bool lit)
{
    p.list.AddCircleFilled(at, p.px(lit ? 9.0F : 7.5F), p.theme.text);
    p.list.AddCircleFilled(at, p.px(lit ? 4.0F : 3.5F), p.theme.window);
}

// Loss as colour, half-way at ln 2; the line where both log-ratios are alike.
void draw_heat(const Painter& p, const Chart& c, double beta)
{
    const Theme& t = p.theme;
    const float w = c.area.w / kCells;
    const float h = c.area.h / kCells;
    for (int i = 0; i < kCells; ++i)
    {
        for (int k = 0; k < kCells; ++k)
        {
            const double chosen = c.x.at((i + 0.5) / kCells);
            const double rejected = c.y.at((k + 0.5) / kCells);
            const double loss = dpo_loss(beta, chosen, rejected);
            const double share = loss / (loss + std::log(2));
            p.fill({c.area.x + w * static_cast<float>(i), c.area.bottom() - h * static_cast<float>(k + 1),
                    w + 1, h + 1},
                   mix(t.panel, t.of(Component::activations).fill, static_cast<float>(share)));
        }
    }
    p.dashed(c.area.x, c.area.bottom(), c.area.right(), c.area.y, t.text, 1);
}

Wish draw_surface(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const ChartAxis nats{-kReach, kReach, false};
    const Chart c = chart_in(p, area, chart_left(p, nats, plain), nats, nats);
    if (!c.drawable(p))
    {
        return std::nullopt;
    }
    draw_heat(p, c, wish.beta);
    draw_chart_y(p, c, "Rejected", plain);
    draw_chart_x(p, c, "chosen: log-ratio to the reference, nats", plain);
    const Press pressed = press(p, c.area, "###log-ratios", 2);
    const ImVec2 at = c.at(wish.chosen, wish.rejected);
    // The step that gradient descent takes: the chosen up, the rejected down.
    const auto reach = p.px(54) * static_cast<float>(dpo_weight(wish.beta, wish.chosen, wish.rejected));
    if (reach > p.px(6))
    {
        p.arrow(at, {at.x + reach, at.y + reach}, p.theme.text);
    }
    draw_dot(p, at, pressed.hovered || pressed.held);
    p.part("surface", c.area);
    if (!pressed.held)
    {
        tooltip(p, "Drag the pair. The arrow is gradient descent\u2019s way, as long as the pair\u2019s "
                   "weight; dashed, "
                   "both log-ratios are alike and the loss is ln 2");
        return std::nullopt;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    AlignmentWish next = wish;
    next.chosen = std::round(c.x_of(mouse.x) * 10) / 10;
    next.rejected = std::round(c.y_of(mouse.y) * 10) / 10;
    return next;
}

void draw_margin(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const ChartAxis up{0, std::max(2.0, dpo_loss(wish.beta, -kReach, kReach)), false};
    const Chart c = chart_in(p, area, chart_left(p, up, plain), {-2 * kReach, 2 * kReach, false}, up);
    if (!c.drawable(p))
    {
        return;
    }
    draw_chart_y(p, c, "Loss, nats, and weight in the gradient", plain);
    draw_chart_x(p, c, "chosen \u2212 rejected, nats", plain);
    std::vector<ChartPoint> loss;
    std::vector<ChartPoint> weight;
    for (double m = -2 * kReach; m <= 2 * kReach; m += 0.5)
    {
        loss.push_back({m, dpo_loss(wish.beta, m, 0)});
        weight.push_back({m, dpo_weight(wish.beta, m, 0)});
    }
    draw_chart_line(p, c, weight, p.theme.of(Component::gradients).fill);
    draw_chart_line(p, c, loss, p.theme.of(Component::activations).fill, 2.5F);
    const double now = dpo_loss(wish.beta, wish.chosen, wish.rejected);
    const ImVec2 at = c.at(wish.chosen - wish.rejected, now);
    draw_dot(p, at, false);
    FreeLabels(c.area).put_inside(
        p, at.x, at.y - p.px(20), Type::small_strong, p.theme.text,
        fmt::format("loss {}, weight {}", three_digits(now),
                    format_percent(dpo_weight(wish.beta, wish.chosen, wish.rejected))),
        Align::centre);
}

Wish draw_loss(const Painter& p, Rect area, const AlignmentWish& wish)
{
    if (area.w > p.px(460))
    {
        Rect right = area.cut_right(area.w * 0.52F);
        right.cut_left(p.px(28));
        draw_margin(p, right, wish);
    }
    return draw_surface(p, area, wish);
}

struct Line
{
    Optimizing how;
    std::string_view name;
    double doubt;
    bool strong;
};

// Each at its peak, the reward model's at the top.
void name_lines(const Painter& p, const Chart& c, std::span<const Line> lines, FreeLabels& labels)
{
    const auto name = [&](ImVec2 at, std::string_view words)
    { labels.put_inside(p, at.x, at.y, Type::small, p.theme.text, words, Align::centre); };
    for (const Line& line : lines)
    {
        const double d = gold_peak(line.how, kAlpha, line.doubt);
        const ImVec2 peak = c.at(d, gold_reward(line.how, kAlpha, line.doubt, d));
        name({peak.x, peak.y - p.px(12)}, line.name);
    }
    name(c.at(c.y.high * 0.9, c.y.high * 0.9), "the reward model");
}

Wish draw_hacking(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const Theme& t = p.theme;
    const std::array lines{Line{Optimizing::best_of_n, "best of n, people", wish.doubt, false},
                           Line{Optimizing::reinforcement, "RL, people", 4 * wish.doubt, true}};
    const double peak = gold_peak(Optimizing::best_of_n, kAlpha, wish.doubt);
    const double stop = penalized_distance(kAlpha, wish.penalty);
    const double most = std::clamp(2.6 * peak, 4.0, 60.0);
    const double top = 1.5 * std::max(gold_reward(Optimizing::best_of_n, kAlpha, wish.doubt, peak), 0.5);
    const ChartAxis up{-0.4 * top, top, false};
    const Chart c = chart_in(p, area, chart_left(p, up, plain), {0, most, false}, up);
    if (!c.drawable(p))
    {
        return std::nullopt;
    }
    draw_chart_y(p, c, "Reward: what the model says, what people would say", plain);
    draw_chart_x(p, c, "distance from the start, d = \u221aKL", plain);
    draw_chart_line(p, c, std::array{ChartPoint{0, 0}, ChartPoint{most, kAlpha * most}}, t.data.fill);
    for (const Line& line : lines)
    {
        std::vector<ChartPoint> points;
        for (int i = 0; i <= 120; ++i)
        {
            const double d = most * i / 120;
            points.push_back({d, gold_reward(line.how, kAlpha, line.doubt, d)});
        }
        draw_chart_line(p, c, points, line.strong ? t.text : t.muted, line.strong ? 2.5F : 2.0F);
    }
    const double gold = gold_reward(Optimizing::reinforcement, kAlpha, 4 * wish.doubt, std::min(stop, most));
    const ImVec2 at = c.at(stop, gold);
    p.dashed(at.x, c.area.y, at.x, c.area.bottom(), t.text, 1);
    FreeLabels labels(c.area);
    labels.put_inside(p, at.x + p.px(12), c.area.bottom() - p.px(12), Type::small_strong, t.text,
                      fmt::format("stops at {}: people say {}", three_digits(stop), three_digits(gold)));
    if (c.area.h > p.px(80))
    {
        name_lines(p, c, lines, labels);
    }
    const Press pressed = press(p, {at.x - p.px(14), c.area.y, p.px(28), c.area.h}, "###where it stops", 3);
    draw_dot(p, at, pressed.hovered || pressed.held);
    p.part("hacking", c.area);
    if (!pressed.held)
    {
        tooltip(p, "Drag: a lower price on KL lets the policy go further, where the reward model is wrong");
        return std::nullopt;
    }
    AlignmentWish next = wish;
    next.penalty = std::clamp(kAlpha / (2 * std::max(0.2, c.x_of(ImGui::GetIO().MousePos.x))), 0.005, 2.0);
    return next;
}

Wish draw_group(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const Theme& t = p.theme;
    std::array<double, kGroup> rewards{};
    std::ranges::transform(wish.right, rewards.begin(), [](bool right) { return right ? 1.0 : 0.0; });
    const std::vector<double> advantages = group_advantages(rewards);
    const auto right = std::ranges::count(wish.right, true);
    const Rect head = area.cut_top(p.px(24));
    const bool silent = right == 0 || right == static_cast<std::ptrdiff_t>(kGroup);
    p.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text,
                  silent ? "All alike: no advantage, nothing is learnt from this prompt"
                         : fmt::format("{} of {} answers right: mean {}, press one to change it", right,
                                       kGroup, three_digits(static_cast<double>(right) / kGroup)));
    const Rect foot = area.cut_bottom(p.px(26));
    const float pitch = area.w / static_cast<float>(kGroup);
    constexpr double kMost = 2.8; // one of eight right: 2.65
    const float unit = area.h / 2 / static_cast<float>(kMost);
    Wish moved;
    for (std::size_t i = 0; i < kGroup; ++i)
    {
        const Rect column{area.x + pitch * static_cast<float>(i), area.y, pitch - p.px(8), area.h};
        const auto a = static_cast<float>(advantages[i]);
        const Rect bar{column.x, a > 0 ? column.middle() - a * unit : column.middle(), column.w,
                       std::abs(a) * unit};
        p.fill(column, t.panel);
        p.fill(bar, a > 0 ? t.backward_input.fill : t.of(Component::gradients).fill);
        const Press pressed = press(p, {column.x, column.y, column.w, foot.bottom() - column.y},
                                    fmt::format("###answer {}", i + 1).c_str(), 4);
        const std::string number = fmt::format("{}{:.2f}",
                                               advantages[i] < 0   ? "\u2212"
                                               : advantages[i] > 0 ? "+"
                                                                   : "",
                                               std::abs(advantages[i]));
        if (p.width(Type::mono_small, number) <= column.w && area.h > p.px(60))
        {
            p.text(column.centre(), a > 0 ? column.middle() + p.px(12) : column.middle() - p.px(12),
                   Type::mono_small, t.text, number, Align::centre);
        }
        p.text(column.centre(), foot.middle(), Type::small, t.muted,
               p.shortened(Type::small, wish.right[i] ? "right" : "wrong", column.w), Align::centre);
        if (pressed.clicked)
        {
            moved = wish;
            moved->right[i] = !wish.right[i];
        }
    }
    p.line(area.x, area.middle(), area.right(), area.middle(), t.line);
    p.part("group", area);
    return moved;
}

} // namespace

Wish draw_alignment_strip(const Painter& p, Rect area, const AlignmentDesk& desk)
{
    Wish moved;
    const Rect head = area.cut_top(p.px(28));
    const Rect tabs{head.x, head.y, std::min(head.w, p.px(300)), head.h};
    if (const auto chosen = segments(p, tabs, kNames, static_cast<std::size_t>(desk.wish.strip)))
    {
        moved = desk.wish;
        moved->strip = static_cast<AlignmentStrip>(*chosen);
    }
    area.cut_top(p.px(6));
    if (area.h < p.px(90))
    {
        return moved;
    }
    const Wish inside = desk.wish.strip == AlignmentStrip::loss      ? draw_loss(p, area, desk.wish)
                        : desk.wish.strip == AlignmentStrip::hacking ? draw_hacking(p, area, desk.wish)
                                                                     : draw_group(p, area, desk.wish);
    return inside ? inside : moved;
}

} // namespace ringside
