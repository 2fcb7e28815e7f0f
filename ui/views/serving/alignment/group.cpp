// The advantages of a group of responses to one prompt, as GRPO computes them.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/alignment/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::vector<double> rewards_of(const AlignmentState& state)
{
    std::vector<double> rewards;
    for (const bool right : state.right)
    {
        rewards.push_back(right ? 1 : 0);
    }
    return rewards;
}

void draw_group(const AlignmentRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    AlignmentState& state = r.state;
    const Theme& t = p.theme;
    const std::vector<double> advantages = group_advantages(rewards_of(state));
    draw_chart_title(p, area.cut_top(p.px(24)),
                     fmt::format("Advantages of {} responses to one prompt", kGroup),
                     "click a response to make it right or wrong");
    const Rect foot = area.cut_bottom(p.px(26));
    const float pitch = area.w / static_cast<float>(kGroup);
    constexpr double kMost = 2.8; // one of eight right: 2.65
    const float unit = area.h / 2 / static_cast<float>(kMost);
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
               p.shortened(Type::small, state.right[i] ? "right" : "wrong", column.w), Align::centre);
        if (pressed.clicked)
        {
            state.right[i] = !state.right[i];
            r.out.animating = true;
        }
    }
    p.line(area.x, area.middle(), area.right(), area.middle(), t.line);
    p.part("group", area);
}

void panel_group(PanelColumn& column, const AlignmentRoom& r)
{
    const auto right = static_cast<double>(std::ranges::count(r.state.right, true));
    column.fact("Group size", std::to_string(kGroup));
    column.fact("Correct responses", fmt::format("{:g}", right));
    column.fact("Mean reward", three_digits(right / kGroup));
    column.note(
        "Where all responses are right, or all wrong, every advantage is 0: the prompt teaches nothing.");
}

Caption caption_group(const Frame&, AlignmentState& s)
{
    const auto right = static_cast<std::size_t>(std::ranges::count(s.right, true));
    const double mean = static_cast<double>(right) / kGroup;
    return {
        right == 0 || right == kGroup
            ? std::string(
                  "All responses alike: every advantage is 0, and **nothing is learned** from this prompt.")
            : fmt::format("**{} of {} responses correct**: the mean reward is {}.", right, kGroup,
                          three_digits(mean)),
        fmt::format("advantage = (reward \u2212 mean) / standard deviation, mean {}", three_digits(mean)),
        "Shao et al. 2024, arXiv 2402.03300, section 4.1.2"};
}

} // namespace

const Page<AlignmentState> group_page{"Group",       draw_group, panel_group,
                                      caption_group, nullptr,    "Group advantages"};

} // namespace ringside
