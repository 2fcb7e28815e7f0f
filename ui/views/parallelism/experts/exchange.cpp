#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/parallelism/experts/runs.h"
#include "ui/widgets/cell_grid.h"
#include "ui/widgets/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

class Exchange
{
public:
    Exchange(const Painter& painter, Rect area, const ExpertRuns& runs, const RouterStep& step,
             const ExchangeStyle& style)
        : p_(painter), area_(area), r_(runs), step_(step), style_(style)
    {
        most_ = *std::max_element(step.sent.begin(), step.sent.end());
    }

    void draw()
    {
        const Theme& t = p_.theme;
        draw_chart_title(p_, area_.cut_top(p_.px(26)),
                         style_.back ? "Combine (all-to-all)" : "Dispatch (all-to-all)");
        const Rect foot = area_.cut_bottom(p_.height(Type::small) + p_.px(6));
        area_.cut_left(p_.height(Type::small) + p_.px(30));
        area_.cut_top(p_.height(Type::small) + p_.px(4));
        const float side = std::min(area_.w, area_.h);
        if (side < p_.px(40))
        {
            return;
        }
        const std::int64_t n = r_.columns();
        grid_ = {{area_.x, area_.y, side, side}, n, n, side / static_cast<float>(n) > p_.px(6) ? 1.0F : 0.0F};
        p_.text(grid_.area.centre(), grid_.area.y - p_.height(Type::small) / 2 - p_.px(2), Type::small,
                t.muted, "to GPU", Align::centre);
        p_.text(grid_.area.x - p_.px(8), grid_.area.middle(), Type::small, t.muted, "from", Align::right);
        draw_cells();
        p_.text_within(foot.x, foot.middle() + p_.px(2), foot.w, Type::small, t.muted,
                       r_.columns() > 1 ? "hatched: stays on the GPU" : "one GPU: nothing is sent");
        draw_tip();
    }

private:
    std::int64_t pairs(std::int64_t from, std::int64_t to) const
    {
        const std::int64_t i = style_.back ? to * r_.columns() + from : from * r_.columns() + to;
        return step_.sent[static_cast<std::size_t>(i)];
    }

    void draw_cells() const
    {
        const Theme& t = p_.theme;
        for (std::int64_t from = 0; from < r_.columns(); ++from)
        {
            for (std::int64_t to = 0; to < r_.columns(); ++to)
            {
                const double share = static_cast<double>(pairs(from, to)) /
                                     static_cast<double>(std::max<std::int64_t>(1, most_));
                const Rect box = grid_.cell(from, to);
                const Colour ink =
                    mix(t.light ? t.panel : t.control, t.expert.fill, static_cast<float>(share));
                p_.fill(box, ink);
                if (from == to)
                {
                    p_.hatch(box, t.window, kIdleHatch);
                }
            }
        }
        p_.outline(grid_.area, t.line);
    }

    std::string name(std::int64_t column) const
    {
        const std::int64_t each = r_.gpus_each();
        return each == 1 ? fmt::format("{}", column)
                         : fmt::format("{}\u2013{}", column * each, (column + 1) * each - 1);
    }

    void draw_tip() const
    {
        const auto at = grid_.pointed();
        if (!at)
        {
            return;
        }
        const auto [from, to] = *at;
        p_.outline(grid_.cell(from, to), p_.theme.text, p_.px(2));
        const auto even = static_cast<double>(r_.tokens() * r_.of(Balance::none).options().chosen) /
                          static_cast<double>(r_.columns() * r_.columns());
        const std::vector<TipLine> lines{
            {from == to && r_.gpus_each() == 1 ? "stays" : "sends",
             format_bytes(static_cast<double>(pairs(from, to)) * r_.pair(), p_.look.unit),
             p_.theme.expert.fill},
            {"over the mean",
             fmt::format("{}\u00d7", three_digits(static_cast<double>(pairs(from, to)) / even)), 0}};
        tip_card(p_, style_.bounds, ImGui::GetIO().MousePos,
                 fmt::format("GPU {} to {}", name(from), name(to)), lines, "One layer, one micro-batch");
    }

    const Painter& p_;
    Rect area_;
    CellGrid grid_;
    const ExpertRuns& r_;
    const RouterStep& step_;
    const ExchangeStyle& style_;
    std::int64_t most_;
};

} // namespace

void draw_exchange(const Painter& painter, Rect area, const ExpertRuns& runs, const RouterStep& step,
                   const ExchangeStyle& style)
{
    Exchange(painter, area, runs, step, style).draw();
}

} // namespace ringside
