#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/lab/snapshot.h"
#include "ui/draw/scopes.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// Shares of the tokens, for every layer alike.
struct Shares
{
    double even = 0;     // of each expert
    double capacity = 0; // that an expert has room for
    double most = 0;     // at the top
};

Shares shares_of(const TrainingSnapshot& run)
{
    const TrainerConfig& c = run.config;
    const auto experts = static_cast<double>(c.model.experts);
    const auto length = static_cast<double>(c.training.sequence_length);
    const auto slots =
        static_cast<double>(slots_of_expert(c.model, c.recipe.capacity_factor, c.training.sequence_length));
    Shares s{1 / experts, slots / (length * static_cast<double>(c.model.experts_per_token)), 0};
    s.most = std::max(s.capacity, 2 * s.even);
    for (const LayerRouting& layer : run.experts)
    {
        for (const float wanted : layer.wanted)
        {
            s.most = std::max(s.most, static_cast<double>(wanted));
        }
    }
    return s;
}

void draw_expert(const Painter& p, Rect r, const LayerRouting& layer, std::size_t expert, const Shares& s)
{
    const Theme& t = p.theme;
    const auto height = [&](float share) { return r.h * share / static_cast<float>(s.most); };
    const float wanted = height(layer.wanted[expert]);
    const float taken = height(layer.taken[expert]);
    p.fill({r.x, r.bottom() - taken, r.w, taken}, t.expert.fill);
    if (wanted - taken > 1)
    {
        const Rect dropped{r.x, r.bottom() - wanted, r.w, wanted - taken};
        p.hatch(dropped, t.warning, kOverflowHatch);
        p.outline(dropped, t.warning);
    }
    if (p.points_at(r))
    {
        tooltip_at_mouse(p, fmt::format("Expert {}: chosen by {} of the tokens, room for {}", expert + 1,
                                        format_percent(static_cast<double>(layer.wanted[expert])),
                                        format_percent(static_cast<double>(layer.taken[expert]))));
    }
}

void draw_layer(const Painter& p, Rect r, const LayerRouting& layer, std::size_t number, const Shares& s)
{
    const Theme& t = p.theme;
    const Rect head = r.cut_top(std::min(r.h, p.px(22)));
    const std::string name = fmt::format("Layer {}", number + 1);
    const float used =
        p.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text, name) + p.px(10);
    if (head.w - used > p.px(40))
    {
        p.text_within(
            head.x + used, head.middle(), head.w - used, Type::small, t.muted,
            fmt::format("{} dropped, balance {:.2f}", format_percent(layer.dropped()), layer.balance));
    }
    r.cut_top(p.px(4));
    const auto count = static_cast<float>(layer.wanted.size());
    const float pitch = r.w / count;
    const float gap = std::min(p.px(6), pitch * 0.2F);
    for (std::size_t i = 0; i < layer.wanted.size(); ++i)
    {
        draw_expert(p, {r.x + pitch * static_cast<float>(i), r.y, pitch - gap, r.h}, layer, i, s);
    }
    const auto y = [&](double share) { return r.bottom() - r.h * static_cast<float>(share / s.most); };
    p.dashed(r.x, y(s.even), r.right(), y(s.even), t.muted);
    p.line(r.x, y(s.capacity), r.right(), y(s.capacity), t.text, p.px(1.5F));
    p.line(r.x, r.bottom(), r.right(), r.bottom(), t.line);
}

// A recipe's number over several to choose from.
template <std::size_t N>
void choose(const Painter& p, Rect row, std::string_view label, const std::array<double, N>& all,
            double& value)
{
    const float words = std::min(row.w * 0.4F, p.width(Type::small, label) + p.px(12));
    p.text_within(row.x, row.middle(), words - p.px(8), Type::small, p.theme.muted, label);
    row.cut_left(words);
    std::array<std::string, N> numbers;
    std::array<std::string_view, N> shown;
    std::size_t chosen = N;
    for (std::size_t i = 0; i < N; ++i)
    {
        numbers[i] = plain_number(all[i]);
        shown[i] = numbers[i];
        chosen = std::abs(all[i] - value) < 1e-9 ? i : chosen;
    }
    const IdScope id(std::string(label).c_str());
    if (const auto clicked = segments(p, row, shown, chosen))
    {
        value = all[*clicked];
    }
}

// What may be turned while it trains.
void draw_routing_knobs(const Painter& p, Rect row, const LabFrame& lab, Out& out)
{
    TrainerConfig next = lab.a.config;
    Rect left = row.cut_left((row.w - p.px(24)) / 2);
    row.cut_left(p.px(24));
    choose(p, left, "Capacity factor", std::array{0.5, 1.0, 1.25, 2.0, 4.0}, next.recipe.capacity_factor);
    choose(p, row, "Balance loss", std::array{0.0, 0.01, 0.1, 1.0}, next.recipe.balance_loss);
    if (!(next == lab.a.config))
    {
        out.push(LabAction(TurnKnobs{next}));
    }
}

} // namespace

std::string routing_words(const std::vector<LayerRouting>& layers)
{
    const WholeRouting whole = whole_routing(layers);
    return fmt::format("**{}** of the tokens were dropped by full experts; the busiest expert has **{:.1f} "
                       "times** its even share.",
                       format_percent(whole.dropped), 1 + whole.violation);
}

std::string capacity_formula(const TrainerConfig& c)
{
    const std::int64_t length = c.training.sequence_length;
    return fmt::format(
        "capacity = \u2308f k T / E\u2309 = \u2308{} \u00d7 {} \u00d7 {} / {}\u2309 = {} of the {} "
        "tokens of a sequence",
        plain_number(c.recipe.capacity_factor), c.model.experts_per_token, length, c.model.experts,
        slots_of_expert(c.model, c.recipe.capacity_factor, length), length);
}

void draw_lab_experts(const Painter& p, Rect head, Rect area, const LabFrame& lab, Out& out)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    draw_head(p, head, "Where the tokens go", "hatched: no room");
    if (run.experts.empty())
    {
        empty_state(p, area, "",
                    run.config.model.experts > 0
                        ? "Nothing yet: press . for a step."
                        : "Every token goes through the same MLP. Choose a model with experts in the panel.");
        return;
    }
    if (area.h > p.px(190) && area.w > p.px(420))
    {
        draw_routing_knobs(p, area.cut_bottom(p.px(30)), lab, out);
        area.cut_bottom(p.px(12));
    }
    p.part("experts", area);
    const auto layers = static_cast<float>(run.experts.size());
    const float least = p.px(84); // of a layer's height
    const float columns = std::clamp(std::ceil(layers * least / std::max(1.0F, area.h)), 1.0F,
                                     std::max(1.0F, std::floor(area.w / p.px(180))));
    const float rows = std::ceil(layers / columns);
    const float gap = p.px(14);
    const Rect cell{0, 0, (area.w - (columns - 1) * 2 * gap) / columns, (area.h - (rows - 1) * gap) / rows};
    if (cell.h < p.px(30))
    {
        return;
    }
    const Shares shares = shares_of(run);
    for (std::size_t i = 0; i < run.experts.size(); ++i)
    {
        const auto place = static_cast<float>(i);
        const float column = std::fmod(place, columns);
        const float row = std::floor(place / columns);
        draw_layer(p, {area.x + column * (cell.w + 2 * gap), area.y + row * (cell.h + gap), cell.w, cell.h},
                   run.experts[i], i, shares);
    }
}

} // namespace ringside
