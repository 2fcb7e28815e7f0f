// The advantages of a group of responses to one prompt, how often a group teaches nothing, and how much a
// prompt of each difficulty weighs.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/serving/alignment/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 4> kGroups{4, kGroup, 16, 64};
constexpr std::array kBaselines{GroupBaseline::deviations, GroupBaseline::mean};

std::vector<double> rewards_of(const AlignmentState& state)
{
    std::vector<double> rewards;
    for (const bool right : state.right)
    {
        rewards.push_back(right ? 1 : 0);
    }
    return rewards;
}

double pass_rate_of(const AlignmentState& state)
{
    return static_cast<double>(std::ranges::count(state.right, true)) / static_cast<double>(kGroup);
}

void draw_response(const AlignmentRoom& r, Rect column, float foot, std::size_t i, double advantage)
{
    constexpr float kMost = 2.8F; // one of eight right: 2.65
    const Painter& p = r.p;
    const Theme& t = p.theme;
    const auto a = static_cast<float>(advantage);
    const float long_as = std::abs(a) * column.h / 2 / kMost;
    p.fill(column, t.panel);
    p.fill({column.x, a > 0 ? column.middle() - long_as : column.middle(), column.w, long_as},
           a > 0 ? t.backward_input.fill : t.of(Component::gradients).fill);
    const Press pressed = press(p, {column.x, column.y, column.w, column.h + foot},
                                fmt::format("###answer {}", i + 1).c_str(), 4);
    const std::string number = fmt::format("{}{:.2f}",
                                           advantage < 0   ? "\u2212"
                                           : advantage > 0 ? "+"
                                                           : "",
                                           std::abs(advantage));
    if (p.width(Type::mono_small, number) <= column.w && column.h > p.px(60))
    {
        p.text(column.centre(), a > 0 ? column.middle() + p.px(12) : column.middle() - p.px(12),
               Type::mono_small, t.text, number, Align::centre);
    }
    p.text(column.centre(), column.bottom() + foot / 2, Type::small, t.muted,
           p.shortened(Type::small, r.state.right[i] ? "right" : "wrong", column.w), Align::centre);
    if (pressed.clicked)
    {
        r.state.right[i] = !r.state.right[i];
        r.out.animating = true;
    }
}

void draw_responses(const AlignmentRoom& r, Rect area)
{
    const Painter& p = r.p;
    const std::vector<double> advantages = group_advantages(rewards_of(r.state), r.state.baseline);
    draw_chart_title(p, area.cut_top(p.px(24)),
                     fmt::format("Advantages of {} responses to one prompt", kGroup),
                     "click a response to make it right or wrong");
    const float foot = p.px(26);
    area.cut_bottom(foot);
    const float pitch = area.w / static_cast<float>(kGroup);
    for (std::size_t i = 0; i < kGroup; ++i)
    {
        draw_response(r, {area.x + pitch * static_cast<float>(i), area.y, pitch - p.px(8), area.h}, foot, i,
                      advantages[i]);
    }
    p.line(area.x, area.middle(), area.right(), area.middle(), p.theme.line);
    p.part("group", area);
}

PlotAxis pass_rates()
{
    return {0, 1, PlotScale::linear, "pass rate of the prompt", format_percent};
}

// How often all responses are alike, by pass rate, for groups of several sizes.
void draw_alike(const AlignmentRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    Plot plot(
        r.p, area, pass_rates(), {0, 1, PlotScale::linear, "", format_percent},
        {.title = "Prompts that teach nothing", .note = "all responses alike", .part = "alike", .names = 76});
    if (!plot)
    {
        return;
    }
    for (const std::int64_t group : kGroups)
    {
        const bool own = group == static_cast<std::int64_t>(kGroup);
        plot.line(sampled(
                      {0, 1}, [&](double p) { return alike_share(p, group); }, 96),
                  {own ? t.text : t.muted, own ? 3.0F : 1.5F}, fmt::format("{} each", group), own);
    }
    const double now = pass_rate_of(r.state);
    plot.dot({now, alike_share(now, kGroup)}, {t.text, 6});
}

// The mean advantage of a prompt, by pass rate: what the deviation does to hard and easy prompts.
void draw_weights(const AlignmentRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, pass_rates(), {0, 1.1, PlotScale::linear, "", plain_number},
              {.title = "Mean |advantage| of a prompt", .part = "weights"});
    if (!plot)
    {
        return;
    }
    for (const GroupBaseline baseline : kBaselines)
    {
        const bool own = baseline == r.state.baseline;
        plot.line(sampled(
                      {0, 1}, [&](double p) { return mean_advantage(p, baseline); }, 96),
                  {own ? t.text : t.muted, own ? 3.0F : 1.5F}, std::string(name_of(baseline)), own);
    }
    const double now = pass_rate_of(r.state);
    plot.dot({now, mean_advantage(now, r.state.baseline)}, {t.text, 6});
}

void draw_group(const AlignmentRoom& r)
{
    Rect area = r.area;
    if (area.h > r.p.px(360) && area.w > r.p.px(480))
    {
        Rect below = area.cut_bottom(area.h * 0.52F);
        below.cut_top(r.p.px(14));
        draw_weights(r, below.cut_right(below.w * 0.45F));
        below.cut_right(r.p.px(24));
        draw_alike(r, below);
    }
    draw_responses(r, area);
}

void panel_group(PanelColumn& column, const AlignmentRoom& r)
{
    const double p = pass_rate_of(r.state);
    column.choice({"GRPO", "Dr. GRPO"}, r.state.baseline);
    column.fact("Group size", std::to_string(kGroup));
    column.fact("Correct responses", fmt::format("{:g}", p * static_cast<double>(kGroup)));
    column.fact("Mean reward", three_digits(p));
    column.fact("Groups all alike", format_percent(alike_share(p, kGroup)),
                "Of groups of 8 at this pass rate: p^8 + (1 \u2212 p)^8");
    column.gap();
    column.note(
        "Where all responses are right, or all wrong, every advantage is 0: the prompt teaches nothing. DAPO "
        "samples such prompts again.");
}

Caption caption_group(const Frame&, AlignmentState& s)
{
    const double mean = pass_rate_of(s);
    const auto right = std::ranges::count(s.right, true);
    const bool alike = mean == 0 || mean == 1;
    return {
        alike ? std::string("All responses alike: every advantage is 0, and **nothing is learned** from this "
                            "prompt.")
              : fmt::format(
                    "**{} of {} responses correct**: the mean reward is {}. At that pass rate {} of the "
                    "groups teach nothing.",
                    right, kGroup, three_digits(mean), format_percent(alike_share(mean, kGroup))),
        fmt::format(s.baseline == GroupBaseline::deviations
                        ? "advantage = (reward \u2212 mean) / standard deviation, mean {}"
                        : "advantage = reward \u2212 mean, mean {}",
                    three_digits(mean)),
        "Shao et al. 2024, arXiv 2402.03300, section 4.1.2; without the deviation, which weighs hard and "
        "easy "
        "prompts more: Liu et al. 2025, arXiv 2503.20783; prompts that teach nothing: Yu et al. 2025, arXiv "
        "2503.14476, section 3.2"};
}

} // namespace

const Page<AlignmentState> group_page{"Group",       draw_group, panel_group,
                                      caption_group, nullptr,    "Group advantages"};

} // namespace ringside
