#include "ui/views/serving/alignment/strip.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

using Wish = std::optional<AlignmentWish>;

constexpr std::array<std::string_view, 3> kNames{"DPO loss", "Over-optimization", "Group"};
constexpr double kReach = 20; // [nats] of the log-ratios on show
constexpr int kCells = 40;
constexpr double kAlpha = 1; // of the gold reward: its slope at the start

std::string plain(double v)
{
    const double rounded = std::round(v * 1e6) / 1e6;
    return fmt::format("{}{:g}", rounded < 0 ? "\u2212" : "", std::abs(rounded));
}

// Loss as colour, half-way at ln 2; the line where both log-ratios are alike.
void draw_heat(const Painter& p, Plot& plot, double beta)
{
    const Theme& t = p.theme;
    const double cell = 1.0 / kCells;
    for (double i = 0; i < kCells; ++i)
    {
        for (double k = 0; k < kCells; ++k)
        {
            const double loss = dpo_loss(beta, plot.x.at((i + 0.5) * cell), plot.y.at((k + 0.5) * cell));
            const double share = loss / (loss + std::log(2));
            Rect r = plot.rect(plot.x.at(i * cell), plot.x.at((i + 1) * cell), plot.y.at(k * cell),
                               plot.y.at((k + 1) * cell));
            r.w += 1;
            r.h += 1;
            p.fill(r, mix(t.panel, t.of(Component::activations).fill, static_cast<float>(share)));
        }
    }
    plot.line({{-kReach, -kReach}, {kReach, kReach}}, {t.text, 1, true});
}

Wish draw_surface(const Painter& p, Rect area, const AlignmentWish& wish)
{
    Plot plot(p, area,
              {-kReach, kReach, PlotScale::linear, "chosen: log-ratio to the reference, nats", plain},
              {-kReach, kReach, PlotScale::linear, "Rejected", plain}, {.part = "surface"});
    if (!plot)
    {
        return std::nullopt;
    }
    draw_heat(p, plot, wish.beta);
    const PlotField field = plot.field("###log-ratios");
    const ImVec2 at = plot.at({wish.chosen, wish.rejected});
    // The step that gradient descent takes: the chosen up, the rejected down.
    const auto reach = p.px(54) * static_cast<float>(dpo_weight(wish.beta, wish.chosen, wish.rejected));
    if (reach > p.px(6))
    {
        p.arrow(at, {at.x + reach, at.y + reach}, p.theme.text);
    }
    plot.dot({wish.chosen, wish.rejected}, {p.theme.text, field.hovered || field.held ? 9.0F : 7.5F});
    if (!field.held)
    {
        tooltip(p, "Drag the pair. The arrow is gradient descent\u2019s way, as long as the pair\u2019s "
                   "weight; dashed, "
                   "both log-ratios are alike and the loss is ln 2");
        return std::nullopt;
    }
    AlignmentWish next = wish;
    next.chosen = std::round(field.at.x * 10) / 10;
    next.rejected = std::round(field.at.y * 10) / 10;
    return next;
}

void draw_margin(const Painter& p, Rect area, const AlignmentWish& wish)
{
    Plot plot(p, area, {-2 * kReach, 2 * kReach, PlotScale::linear, "chosen \u2212 rejected, nats", plain},
              {0, std::max(2.0, dpo_loss(wish.beta, -kReach, kReach)), PlotScale::linear,
               "Loss, nats, and weight in the gradient", plain});
    if (!plot)
    {
        return;
    }
    plot.line(sampled(plot.x, [&](double m) { return dpo_weight(wish.beta, m, 0); }),
              {p.theme.of(Component::gradients).fill, 2});
    plot.line(sampled(plot.x, [&](double m) { return dpo_loss(wish.beta, m, 0); }),
              {p.theme.of(Component::activations).fill, 2.5F});
    const PlotPoint now{wish.chosen - wish.rejected, dpo_loss(wish.beta, wish.chosen, wish.rejected)};
    plot.dot(now, {p.theme.text, 7.5F});
    plot.label(now,
               fmt::format("loss {}, weight {}", three_digits(now.y),
                           format_percent(dpo_weight(wish.beta, wish.chosen, wish.rejected))),
               true, 12);
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

Wish draw_hacking(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const Theme& t = p.theme;
    const double peak = gold_peak(Optimizing::best_of_n, kAlpha, wish.doubt);
    const double stop = penalized_distance(kAlpha, wish.penalty);
    const double most = std::clamp(2.6 * peak, 4.0, 60.0);
    const double top = 1.5 * std::max(gold_reward(Optimizing::best_of_n, kAlpha, wish.doubt, peak), 0.5);
    Plot plot(p, area, {0, most, PlotScale::linear, "distance from the start, d = \u221aKL", plain},
              {-0.4 * top, top, PlotScale::linear, "Reward: proxy (reward model) and gold", plain},
              {.part = "hacking"});
    if (!plot)
    {
        return std::nullopt;
    }
    const auto rewards = [&](Optimizing how, double doubt)
    { return sampled(plot.x, [&, how, doubt](double d) { return gold_reward(how, kAlpha, doubt, d); }); };
    plot.line({{0, 0}, {most, kAlpha * most}}, {t.data.fill, 2}, "the reward model");
    plot.line(rewards(Optimizing::best_of_n, wish.doubt), {t.muted, 2}, "best of n, people");
    plot.line(rewards(Optimizing::reinforcement, 4 * wish.doubt), {t.text, 2.5F}, "RL, people");
    const double gold = gold_reward(Optimizing::reinforcement, kAlpha, 4 * wish.doubt, std::min(stop, most));
    const PlotMove move =
        plot.rule_x(stop, {t.text, 2, true},
                    fmt::format("stops at {}: people say {}", three_digits(stop), three_digits(gold)),
                    "###where it stops");
    plot.dot({stop, gold}, {t.text, move.hovered ? 9.0F : 7.5F});
    const auto to = move.x(most / 100);
    if (!to)
    {
        tooltip(p,
                "Drag: a lower KL coefficient lets the policy go further, where the reward model is wrong");
        return std::nullopt;
    }
    AlignmentWish next = wish;
    next.penalty = std::clamp(kAlpha / (2 * std::max(0.2, *to)), 0.005, 2.0);
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
