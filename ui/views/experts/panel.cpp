#include "ui/views/experts/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/stop_slider.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kSkews{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};
constexpr std::array<double, 8> kFactors{0.5, 1, 1.1, 1.25, 1.5, 2, 3, 4};
constexpr std::array<double, 7> kStrengths{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};

struct Line
{
    std::string_view label;
    std::string value;
    std::string says; // when it is pointed at
};

void draw_line(const Painter& p, Rect row, const Line& line)
{
    const float w =
        p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, line.value, Align::right);
    p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::small, p.theme.muted, line.label);
    if (!line.says.empty() && row.contains(ImGui::GetIO().MousePos))
    {
        tooltip_at_mouse(p, line.says);
    }
}

std::string say(const Term& term, const std::string& result)
{
    return fmt::format("{} = {} = {}\n{}", term.formula, term.working, result, term.source);
}

std::vector<Line> lines_of(const Frame& frame, const ExpertPlan& plan)
{
    const ByteUnit unit = frame.preferences.unit;
    const Bytes layer = plan.sent * static_cast<double>(plan.passes);
    std::vector<Line> lines{
        {"Experts a GPU", fmt::format("{} of {}", plan.held, plan.experts),
         fmt::format("E / ep = {} / {}, of every layer with experts", plan.experts, plan.ranks)},
        {"GPUs with the same", grouped(plan.copies),
         say(explain_expert_copies(plan), grouped(plan.copies)) +
             "\nThese are an expert data parallel group: gradients of its experts are reduced over them "
             "only."},
        {"Their parameters", format_count(plan.parameters),
         fmt::format("Of {} in all experts of the model; fullest stage.", format_count(plan.whole))},
        {"One all-to-all sends", format_bytes(plan.sent, unit),
         say(explain_expert_sent(plan), format_bytes(plan.sent, unit))},
        {plan.passes == 4 ? "\u00d7 4 a layer" : "\u00d7 6, recomputed", format_bytes(layer, unit),
         "Dispatch and combine, forward and backward; twice more where the whole layer is computed again."}};
    if (!plan.supposed)
    {
        const StepTime& step = frame.now.report.step;
        lines.push_back(
            {"Share of the step", format_percent(step.expert_comm / step.total()),
             "All-to-alls of the step, in which nothing else is computed; tokens falling evenly."});
    }
    return lines;
}

} // namespace

void ExpertPanel::draw_settings(const Painter& p, Rect& area, RouterChoice& c)
{
    constexpr std::array<std::string_view, kBalances> kNames{"None", "Loss", "Bias"};
    Rect row = area.cut_top(p.px(26));
    p.text(row.x, row.middle(), Type::body_strong, p.theme.text, "Balancing");
    if (const auto chosen = segments(p, area.cut_top(p.px(32)), kNames, static_cast<std::size_t>(c.balance)))
    {
        c.balance = static_cast<Balance>(*chosen);
    }
    area.cut_top(p.px(6));
    c.skew = stop_slider(p, area.cut_top(p.px(44)),
                         {"Skew, Zipf\u2019s exponent", plain_number(c.skew), kSkews}, c.skew, entry_);
    c.factor = stop_slider(p, area.cut_top(p.px(44)), {"Capacity factor", plain_number(c.factor), kFactors},
                           c.factor, entry_);
    if (c.balance == Balance::auxiliary)
    {
        c.alpha =
            stop_slider(p, area.cut_top(p.px(44)),
                        {"Loss coefficient \u03b1", plain_number(c.alpha), kStrengths}, c.alpha, entry_);
        tooltip(
            p, "\u03b1 E \u03a3 f P is added to the loss. Switch: 0.01; DeepSeek-V3, for a sequence: 0.0001");
    }
    if (c.balance == Balance::bias)
    {
        c.gamma = stop_slider(p, area.cut_top(p.px(44)),
                              {"Bias step \u03b3", plain_number(c.gamma), kStrengths}, c.gamma, entry_);
        tooltip(
            p,
            "b \u00b1 \u03b3 after every step, for choosing only. DeepSeek-V3: 0.001, over many more steps");
    }
}

void ExpertPanel::draw(const Frame& frame, const Painter& p, Rect area, RouterChoice& choice,
                       const ExpertRuns& runs, Out& out)
{
    draw_settings(p, area, choice);
    const ExpertPlan& plan = runs.plan();
    area.cut_top(p.px(4));
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text,
                  plan.supposed ? "If it had experts" : "In this scenario");
    for (const Line& line : lines_of(frame, plan))
    {
        if (area.h < p.px(24 + 44))
        {
            break;
        }
        draw_line(p, area.cut_top(p.px(24)), line);
    }
    if (area.h < p.px(36))
    {
        return;
    }
    area.cut_top(p.px(6));
    if (button(p, area.cut_top(p.px(34)), "Mixtral 8x7B", "8"))
    {
        out.push(LoadScenario{"mixtral-8x7b-64"});
    }
    area.cut_top(p.px(6));
    if (area.h >= p.px(34) && button(p, area.cut_top(p.px(34)), "DeepSeek-V3", "D"))
    {
        out.push(LoadScenario{"deepseek-v3-2048"});
    }
}

} // namespace ringside
