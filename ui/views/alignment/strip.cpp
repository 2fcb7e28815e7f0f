#include "ui/views/alignment/strip.h"

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

void draw_dot(const Painter& p, float x, float y, bool lit)
{
    p.list.AddCircleFilled({x, y}, p.px(lit ? 9.0F : 7.5F), p.theme.text);
    p.list.AddCircleFilled({x, y}, p.px(lit ? 4.0F : 3.5F), p.theme.window);
}

// Loss as colour, half-way at ln 2; the line where both log-ratios are alike.
void draw_heat(const Painter& p, const ChartField& f, double beta)
{
    const Theme& t = p.theme;
    const float w = f.area.w / kCells;
    const float h = f.area.h / kCells;
    for (int i = 0; i < kCells; ++i)
    {
        for (int k = 0; k < kCells; ++k)
        {
            const double chosen = f.x.at((i + 0.5) / kCells);
            const double rejected = f.y.at((k + 0.5) / kCells);
            const double loss = dpo_loss(beta, chosen, rejected);
            const double share = loss / (loss + std::log(2));
            p.fill({f.area.x + w * static_cast<float>(i), f.area.bottom() - h * static_cast<float>(k + 1),
                    w + 1, h + 1},
                   mix(t.panel, t.of(Component::activations).fill, static_cast<float>(share)));
        }
    }
    p.dashed(f.area.x, f.area.bottom(), f.area.right(), f.area.y, t.text, 1);
}

Wish draw_surface(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const AxisWords across{"chosen: log-ratio to the reference, nats", plain};
    const AxisWords up{"Rejected", plain};
    const AxisScale scale{-kReach, kReach, false};
    const ChartField f = chart_field(p, area, scale, scale, across, up);
    if (f.area.w <= 0)
    {
        return std::nullopt;
    }
    draw_heat(p, f, wish.beta);
    draw_field(p, f, across, up);
    const Press pressed = press(p, f.area, "###log-ratios", 2);
    const float x = f.px(wish.chosen);
    const float y = f.py(wish.rejected);
    // The step that gradient descent takes: the chosen up, the rejected down.
    const auto reach = p.px(54) * static_cast<float>(dpo_weight(wish.beta, wish.chosen, wish.rejected));
    if (reach > p.px(6))
    {
        p.arrow({x, y}, {x + reach, y + reach}, p.theme.text);
    }
    draw_dot(p, x, y, pressed.hovered || pressed.held);
    p.part("surface", f.area);
    if (!pressed.held)
    {
        tooltip(p, "Drag the pair. The arrow is gradient descent\u2019s way, as long as the pair\u2019s "
                   "weight; dashed, "
                   "both log-ratios are alike and the loss is ln 2");
        return std::nullopt;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    AlignmentWish next = wish;
    next.chosen = std::round(f.x.at(static_cast<double>((mouse.x - f.area.x) / f.area.w)) * 10) / 10;
    next.rejected = std::round(f.y.at(static_cast<double>((f.area.bottom() - mouse.y) / f.area.h)) * 10) / 10;
    return next;
}

void draw_margin(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const AxisWords across{"chosen \u2212 rejected, nats", plain};
    const AxisWords up{"Loss, nats, and weight in the gradient", plain};
    const double most = std::max(2.0, dpo_loss(wish.beta, -kReach, kReach));
    const ChartField f = chart_field(p, area, {-2 * kReach, 2 * kReach, false}, {0, most, false}, across, up);
    if (f.area.w <= 0)
    {
        return;
    }
    draw_field(p, f, across, up);
    std::vector<ChartPoint> loss;
    std::vector<ChartPoint> weight;
    for (double m = -2 * kReach; m <= 2 * kReach; m += 0.5)
    {
        loss.push_back({m, dpo_loss(wish.beta, m, 0)});
        weight.push_back({m, dpo_weight(wish.beta, m, 0)});
    }
    draw_curve(p, f, weight, p.theme.of(Component::gradients).fill, 2);
    draw_curve(p, f, loss, p.theme.of(Component::activations).fill, 2.5F);
    const double margin = wish.chosen - wish.rejected;
    const double now = dpo_loss(wish.beta, wish.chosen, wish.rejected);
    draw_dot(p, f.px(margin), f.py(now), false);
    label_on_field(p, f, f.px(margin), f.py(now) - p.px(20), Type::small_strong, p.theme.text,
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

// Names of lines, each only where it is clear of those before.
class LineNames
{
public:
    LineNames(const Painter& painter, const ChartField& field) : p_(painter), f_(field) {}

    void put(float x, float y, std::string_view words)
    {
        const float w = p_.width(Type::small, words);
        const float h = p_.height(Type::small);
        const float edge = p_.px(4);
        const float from =
            std::clamp(x - w / 2, f_.area.x + edge, std::max(f_.area.x + edge, f_.area.right() - w - edge));
        const float middle =
            std::clamp(y, f_.area.y + h / 2, std::max(f_.area.y + h / 2, f_.area.bottom() - h / 2));
        const Rect r{from, middle - h / 2, w, h};
        const bool clear = std::ranges::none_of(taken_,
                                                [&](const Rect& o) {
                                                    return r.x < o.right() + edge && o.x < r.right() + edge &&
                                                           r.y < o.bottom() && o.y < r.bottom();
                                                });
        if (clear && f_.area.h > p_.px(80))
        {
            label_on_field(p_, f_, from, middle, Type::small, p_.theme.text, words);
            taken_.push_back(r);
        }
    }

    void keep_clear(Rect r) { taken_.push_back(r); }

private:
    const Painter& p_;
    const ChartField& f_;
    std::vector<Rect> taken_;
};

struct Line
{
    Optimizing how;
    std::string_view name;
    double doubt;
    bool strong;
};

Wish draw_hacking(const Painter& p, Rect area, const AlignmentWish& wish)
{
    const Theme& t = p.theme;
    const AxisWords across{"distance from the start, d = \u221aKL", plain};
    const AxisWords up{"Reward: what the model says, what people would say", plain};
    const std::array lines{Line{Optimizing::best_of_n, "best of n, people", wish.doubt, false},
                           Line{Optimizing::reinforcement, "RL, people", 4 * wish.doubt, true}};
    const double peak = gold_peak(Optimizing::best_of_n, kAlpha, wish.doubt);
    const double stop = penalized_distance(kAlpha, wish.penalty);
    const double most = std::clamp(2.6 * peak, 4.0, 60.0);
    const double top = 1.5 * std::max(gold_reward(Optimizing::best_of_n, kAlpha, wish.doubt, peak), 0.5);
    const ChartField f = chart_field(p, area, {0, most, false}, {-0.4 * top, top, false}, across, up);
    if (f.area.w <= 0)
    {
        return std::nullopt;
    }
    draw_field(p, f, across, up);
    const std::array said{ChartPoint{0, 0}, ChartPoint{most, kAlpha * most}};
    draw_curve(p, f, said, t.data.fill, 2);
    LineNames names(p, f);
    // Where the words about the point are.
    names.keep_clear(
        {f.area.x, f.area.bottom() - p.height(Type::small) - p.px(8), f.area.w, p.height(Type::small)});
    for (const Line& line : lines)
    {
        std::vector<ChartPoint> points;
        for (int i = 0; i <= 120; ++i)
        {
            const double d = most * i / 120;
            points.push_back({d, gold_reward(line.how, kAlpha, line.doubt, d)});
        }
        draw_curve(p, f, points, line.strong ? t.text : t.muted, line.strong ? 2.5F : 2.0F);
        const double at = gold_peak(line.how, kAlpha, line.doubt);
        names.put(f.px(at), f.py(gold_reward(line.how, kAlpha, line.doubt, at)) - p.px(12), line.name);
    }
    names.put(f.px(top * 0.9), f.py(top * 0.9), "the reward model");
    const double gold = gold_reward(Optimizing::reinforcement, kAlpha, 4 * wish.doubt, std::min(stop, most));
    const float x = f.px(std::min(stop, most));
    p.dashed(x, f.area.y, x, f.area.bottom(), t.text, 1);
    const Press pressed = press(p, {x - p.px(14), f.area.y, p.px(28), f.area.h}, "###where it stops", 3);
    draw_dot(p, x, f.py(gold), pressed.hovered || pressed.held);
    label_on_field(p, f, x + p.px(12), f.area.bottom() - p.px(12), Type::small_strong, t.text,
                   fmt::format("stops at {}: people say {}", three_digits(stop), three_digits(gold)));
    p.part("hacking", f.area);
    if (!pressed.held)
    {
        tooltip(p, "Drag: a lower price on KL lets the policy go further, where the reward model is wrong");
        return std::nullopt;
    }
    AlignmentWish next = wish;
    const double d = f.x.at(static_cast<double>((ImGui::GetIO().MousePos.x - f.area.x) / f.area.w));
    next.penalty = std::clamp(kAlpha / (2 * std::max(0.2, d)), 0.005, 2.0);
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
