#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/parallelism/experts/runs.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kPaths = 144; // drawn, at most

class Swarm
{
public:
    Swarm(const Painter& painter, Rect area, const ExpertRuns& runs, const SwarmMoment& moment, double factor,
          double most)
        : p_(painter), heads_(area.cut_top(painter.px(34))), feet_(area.cut_bottom(painter.px(22))),
          flight_(area.cut_top(std::clamp(area.h * 0.32F, painter.px(24), painter.px(110)))), r_(runs),
          m_(moment), capacity_(runs.capacity(factor)),
          plot_(painter, area, {0, static_cast<double>(runs.experts())}, {0, most}, {.left = painter.px(76)}),
          bars_(plot_.area)
    {
    }

    std::optional<double> draw()
    {
        if (!plot_)
        {
            return std::nullopt;
        }
        draw_columns();
        draw_paths();
        draw_bars();
        draw_tip();
        plot_.rule_y(r_.even(), {p_.theme.text, 1, true});
        const PlotMove cap =
            plot_.rule_y(static_cast<double>(capacity_), {p_.theme.text, 2}, "", "###capacity line");
        name_levels();
        const auto load = cap.y(0.05 * r_.even());
        return load ? std::optional(std::clamp(std::round(*load / r_.even() * 20) / 20, 0.5, 4.0))
                    : std::nullopt;
    }

private:
    Rect column(std::int64_t index) const
    {
        const float pitch = bars_.w / static_cast<float>(r_.columns());
        const float gap = std::min(p_.px(10), pitch * 0.16F);
        return {bars_.x + pitch * static_cast<float>(index) + gap / 2, heads_.y, pitch - gap,
                feet_.bottom() - heads_.y};
    }
    float bar_x(std::int64_t expert, float share) const
    {
        const std::int64_t each = r_.experts() / r_.columns();
        const Rect c = column(expert / each);
        return c.x + c.w * (static_cast<float>(expert % each) + share) / static_cast<float>(each);
    }
    double load(std::int64_t expert) const
    {
        const auto e = static_cast<std::size_t>(expert);
        return static_cast<double>(m_.from->load[e]) * static_cast<double>(1 - m_.between) +
               static_cast<double>(m_.to->load[e]) * static_cast<double>(m_.between);
    }

    std::string column_name(std::int64_t index, bool brief) const
    {
        const std::int64_t each = r_.gpus_each();
        if (each == 1)
        {
            return brief ? fmt::format("{}", index) : fmt::format("GPU {}", index);
        }
        return brief ? fmt::format("{}", index * each)
                     : fmt::format("{}\u2013{}", index * each, (index + 1) * each - 1);
    }

    void draw_columns() const
    {
        const Theme& t = p_.theme;
        const bool brief = p_.width(Type::mono_small, column_name(r_.columns() - 1, false)) > column(0).w;
        const bool every = p_.width(Type::mono_small, column_name(r_.columns() - 1, true)) <= column(0).w;
        p_.text(bars_.x - p_.px(8), heads_.middle(), Type::small, t.muted, "tokens", Align::right);
        if (brief || r_.gpus_each() > 1)
        {
            p_.text(bars_.x - p_.px(8), feet_.middle() + p_.px(2), Type::small, t.muted, "GPU", Align::right);
        }
        for (std::int64_t c = 0; c < r_.columns(); ++c)
        {
            const Rect all = column(c);
            p_.fill({all.x, heads_.y, all.w, heads_.h}, t.control, p_.px(4));
            p_.fill({all.x, bars_.y - p_.px(14), all.w, bars_.h + p_.px(14)}, t.panel, p_.px(4));
            if (every || c % 4 == 0)
            {
                p_.text(all.centre(), feet_.middle() + p_.px(2), Type::mono_small, t.muted,
                        column_name(c, brief), Align::centre);
            }
        }
    }

    // Where token `i` of a column sits while it waits.
    ImVec2 home(std::int64_t col, std::int64_t token, std::int64_t tokens) const
    {
        const Rect c = column(col);
        return {c.x + c.w * (static_cast<float>(token) + 0.5F) / static_cast<float>(tokens), heads_.middle()};
    }

    void draw_paths() const
    {
        const RouterStep& step = m_.between < 0.5F ? *m_.from : *m_.to;
        // 1 at the experts, 0 at home.
        const float out = m_.between < 0.5F ? 1 - 2 * m_.between : 2 * m_.between - 1;
        const std::int64_t columns = r_.columns();
        const auto choices = static_cast<std::int64_t>(step.seen.size()) / (columns * kSeen);
        const std::int64_t tokens = std::clamp<std::int64_t>(kPaths / (columns * choices), 1, kSeen);
        const std::int64_t drawn = std::clamp<std::int64_t>(kPaths / (columns * tokens), 1, choices);
        const std::int64_t each = r_.experts() / columns;
        for (std::int64_t c = 0; c < columns; ++c)
        {
            for (std::int64_t i = 0; i < tokens; ++i)
            {
                const ImVec2 from = home(c, i, tokens);
                for (std::int64_t k = 0; k < drawn; ++k)
                {
                    const auto at = static_cast<std::size_t>((c * kSeen + i) * choices + k);
                    const std::int64_t expert = step.seen[at];
                    draw_path(from, {bar_x(expert, 0.5F), bars_.y - p_.px(7)}, out, expert / each != c);
                }
                p_.list.AddCircleFilled(from, p_.px(3), out < 1 ? p_.theme.text : p_.theme.muted);
            }
        }
    }

    void draw_path(ImVec2 from, ImVec2 to, float out, bool wire) const
    {
        const Colour ink = wire ? p_.theme.expert.fill : p_.theme.muted;
        const float e = ease(std::clamp(out, 0.0F, 1.0F));
        const ImVec2 at{from.x + (to.x - from.x) * e, from.y + (to.y - from.y) * e};
        p_.line(from.x, from.y, at.x, at.y, with_alpha(ink, 0.45F), 1);
        p_.list.AddCircleFilled(at, p_.px(2.5F), ink);
    }

    void draw_bars() const
    {
        const Theme& t = p_.theme;
        const std::int64_t experts = r_.experts();
        const float width = bar_x(1, 0) - bar_x(0, 0);
        const float gap = width > p_.px(5) || experts == 1 ? std::max(1.0F, width * 0.1F) : 0;
        for (std::int64_t e = 0; e < experts; ++e)
        {
            const double has = load(e);
            const float left = std::round(bar_x(e, 0) + gap);
            const float right = std::max(left + 1, std::round(bar_x(e, 1) - gap));
            const BarPart all{has, {t.expert}};
            const StackedBar bar =
                draw_stacked_bar(p_, {left, bars_.y, right - left, bars_.h}, std::span(&all, 1),
                                 {plot_.y.high, true, static_cast<double>(capacity_)});
            p_.mark(bar.all);
            if (has > plot_.y.high)
            {
                // Taller than the picture.
                const float x = (left + right) / 2;
                const float a = std::clamp(width, p_.px(3), p_.px(8));
                p_.list.AddTriangleFilled({x - a, bars_.y}, {x + a, bars_.y}, {x, bars_.y - a}, t.warning);
            }
        }
    }

    // Left of the bars, one above the other however near they are.
    void name_levels() const
    {
        float mean = plot_.at_y(r_.even());
        float cap = plot_.at_y(static_cast<double>(capacity_));
        const float apart = std::max(0.0F, p_.height(Type::small) - std::abs(mean - cap)) / 2;
        mean += mean > cap ? apart : -apart;
        cap += mean > cap ? -apart : apart;
        const float x = bars_.x - p_.px(8);
        p_.text(x, mean, Type::small, p_.theme.muted, fmt::format("mean {:.0f}", r_.even()), Align::right);
        p_.text(x, cap, Type::small_strong, p_.theme.text, fmt::format("cap {}", capacity_), Align::right);
    }

    void draw_tip() const
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const Rect field{bars_.x, heads_.y, bars_.w, feet_.bottom() - heads_.y};
        if (!p_.points_in(field) || ImGui::IsMouseDown(0) || r_.experts() < 1)
        {
            return;
        }
        const auto col = std::min<std::int64_t>(
            r_.columns() - 1,
            static_cast<std::int64_t>((mouse.x - bars_.x) / (bars_.w / static_cast<float>(r_.columns()))));
        mouse.y < bars_.y - p_.px(14) ? draw_gpu_tip(field, col) : draw_expert_tip(field, col);
    }

    void draw_gpu_tip(Rect field, std::int64_t col) const
    {
        const ExpertPlan& plan = r_.plan();
        const std::vector<TipLine> lines{
            {"tokens per micro-batch", grouped(std::llround(plan.tokens)), 0},
            {"experts per layer", fmt::format("{} of {}", plan.held, plan.experts), p_.theme.expert.fill},
            {"their parameters, all layers", format_count(plan.parameters), 0},
            {"sends in one all-to-all", format_bytes(plan.sent, p_.look.unit), 0},
            {"expert data-parallel group", grouped(plan.copies), 0}};
        tip_card(p_, field, ImGui::GetIO().MousePos,
                 (r_.gpus_each() == 1 ? "" : "Each of GPUs ") + column_name(col, false), lines,
                 "Sent: with balanced routing");
    }

    void draw_expert_tip(Rect field, std::int64_t col) const
    {
        const std::int64_t each = r_.experts() / r_.columns();
        const Rect c = column(col);
        const float share = std::clamp((ImGui::GetIO().MousePos.x - c.x) / c.w, 0.0F, 0.999F);
        const std::int64_t e = col * each + static_cast<std::int64_t>(share * static_cast<float>(each));
        const auto has = static_cast<std::int64_t>(std::llround(load(e)));
        const std::int64_t over = std::max<std::int64_t>(0, has - capacity_);
        const std::vector<TipLine> lines{
            {"tokens that chose it", grouped(has), p_.theme.expert.fill},
            {"over the mean", fmt::format("{}\u00d7", three_digits(load(e) / r_.even())), 0},
            {"computed", grouped(has - over), 0},
            {"dropped", grouped(over), over > 0 ? p_.theme.warning : Colour{0}}};
        tip_card(p_, field, ImGui::GetIO().MousePos, fmt::format("Expert {}", e), lines,
                 over > 0 ? "A dropped token passes through the residual only" : "");
    }

    const Painter& p_;
    Rect heads_, feet_, flight_;
    const ExpertRuns& r_;
    const SwarmMoment& m_;
    std::int64_t capacity_;
    Plot plot_;
    Rect bars_;
};

} // namespace

std::optional<double> draw_swarm(const Painter& painter, Rect area, const ExpertRuns& runs,
                                 const SwarmMoment& moment, double factor, double most)
{
    return Swarm(painter, area, runs, moment, factor, most).draw();
}

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
        const auto at = grid_.pointed(p_);
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
