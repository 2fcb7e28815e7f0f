#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/views/memory/recompute/pictures.h"
#include "ui/widgets/bar_rows.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Choice
{
    std::string key;
    std::string name;
    std::string says; // for the tooltip
    RecomputePoint point;
    std::optional<Recompute> setting; // empty: segments, which are the view's own
};

std::vector<Choice> choices_of(const RecomputeDesk& desk, const RecomputeState& state)
{
    const RecomputeChoices& c = desk.choices;
    const auto of = [&](Recompute r) { return c.settings[static_cast<std::size_t>(r)]; };
    return {
        {"1", "none", "Everything that the forward pass computes is stored.", of(Recompute::none),
         Recompute::none},
        {"2", "selective",
         "Attention scores are discarded and recomputed: large to store, cheap to compute. "
         "FlashAttention never stores them. Korthikanti et al. 2022, arXiv 2205.05198, section 5",
         of(Recompute::selective), Recompute::selective},
        {"3", "full",
         "Only the input of every layer is stored; each layer\u2019s forward runs again before its backward. "
         "2 s b h per layer: Korthikanti et al. 2022, arXiv 2205.05198, Table 2",
         of(Recompute::full), Recompute::full},
        {"", counted(desk.segments(state), "segment"),
         "Only the input of every segment is stored; a segment\u2019s forward runs again before its "
         "backward, with all its tensors in memory. Chen et al. 2016, arXiv 1604.06174, section 4.3",
         desk.point(state), std::nullopt}};
}

Fill again_fill(const Theme& t, const Ink& ink)
{
    return {.ink = {dim(t, ink.fill, 0.6F)}, .lines = ink.fill, .hatch = kExposedHatch};
}

BarCell bytes_cell(const Painter& p, const RecomputePoint& point)
{
    const Ink& ink = p.theme.of(Component::activations);
    return {{{point.kept.value, {ink}}, {point.again.value, again_fill(p.theme, ink)}},
            {},
            format_bytes(point.total(), p.look.unit)};
}

// Forward, backward, and what is computed again: thirds, and the rest to scale.
BarCell work_cell(const Theme& t, const RecomputePoint& point)
{
    return {{{1.0 / 3, {t.forward}, "F"},
             {point.extra, again_fill(t, t.forward)},
             {2.0 / 3, {t.backward_input}, "B"}},
            {},
            point.extra > 0 ? "+" + format_percent(point.extra) : "0"};
}

} // namespace

void draw_choices(const Painter& p, Rect area, const Frame& frame, const RecomputeDesk& desk,
                  const RecomputeState& state, Out& out)
{
    const std::vector<Choice> choices = choices_of(desk, state);
    const Scenario& s = frame.now.scenario;
    BarRows rows{
        {{fmt::format("Memory on stage {}", desk.stage), "", 1, 0.55F}, {"FLOPs per step", "", 1.01, 0.45F}},
        {},
        60};
    for (const Choice& c : choices)
    {
        const std::string id = c.setting ? c.name : "segments";
        rows.rows.push_back({c.name,
                             {bytes_cell(p, c.point), work_cell(p.theme, c.point)},
                             c.key,
                             "###choice " + id,
                             id,
                             c.setting == s.training.recompute});
        rows.columns[0].most = std::max(rows.columns[0].most, c.point.total().value);
        rows.columns[1].most = std::max(rows.columns[1].most, 1 + c.point.extra);
    }
    const DrawnRows drawn = draw_bar_rows(p, area, rows);
    if (drawn.hovered)
    {
        const Choice& c = choices[*drawn.hovered];
        tooltip_at_mouse(p, fmt::format("{}\n\nstored {}, live during recomputation {}, FLOPs +{}", c.says,
                                        format_bytes(c.point.kept, p.look.unit),
                                        format_bytes(c.point.again, p.look.unit),
                                        format_percent(c.point.extra)));
    }
    if (drawn.pressed && choices[*drawn.pressed].setting && !rows.rows[*drawn.pressed].chosen)
    {
        Scenario next = s;
        next.training.recompute = *choices[*drawn.pressed].setting;
        out.push(ChangeScenario{next, false});
    }
}

} // namespace ringside
