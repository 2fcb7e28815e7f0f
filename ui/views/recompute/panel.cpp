#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/recompute/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

void say_row(const Painter& p, Rect& area, std::string_view name, const std::string& value,
             std::string_view tip)
{
    const Rect row = area.cut_top(p.px(24));
    const float w = p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, value, Align::right);
    p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::small, p.theme.muted, name);
    press(p, row, fmt::format("###row {}", name).c_str(), 4);
    tooltip(p, tip);
}

// On a track with a stop for each count, even where there are more than a list of stops may have.
void slide_segments(const Painter& p, Rect row, const RecomputeDesk& desk, RecomputeState& state)
{
    const std::int64_t most = std::max<std::int64_t>(1, desk.choices().layers);
    const std::int64_t k = desk.segments(state);
    const auto span = static_cast<float>(std::max<std::int64_t>(1, most - 1));
    const SliderChange c =
        slider(p, row, {"Segments k", grouped(k), {}, false}, static_cast<float>(k - 1) / span, state.entry);
    const auto typed = c.kind == SliderChange::Kind::typed ? parse_number(c.text) : std::nullopt;
    if (c.kind == SliderChange::Kind::dragged)
    {
        state.wished = 1 + std::lround(std::clamp(c.position, 0.0F, 1.0F) * span);
    }
    else if (c.kind == SliderChange::Kind::stepped)
    {
        state.wished = std::clamp<std::int64_t>(k + c.steps, 1, most);
    }
    else if (typed)
    {
        state.wished = std::llround(std::clamp(*typed, 1.0, static_cast<double>(most)));
    }
}

} // namespace

void draw_recompute_panel(const Painter& p, Rect area, const RecomputeDesk& desk, RecomputeState& state,
                          Out& out)
{
    const RecomputeChoices& c = desk.choices();
    const std::int64_t before = state.wished;
    slide_segments(p, area.cut_top(p.px(44)), desk, state);
    if (button(p, area.cut_top(p.px(32)), fmt::format("The least: {}###least", c.best).c_str(), "M"))
    {
        state.wished = 0;
    }
    area.cut_top(p.px(10));
    const auto bytes = [&](Bytes b) { return format_bytes(b, p.look.unit); };
    say_row(p, area, "Layers L", grouped(c.layers), "Of the stage\u2019s longest chunk");
    say_row(p, area, "In flight n", grouped(c.in_flight),
            "Micro-batches that the stage keeps at once; each keeps its inputs");
    say_row(p, area, "A layer\u2019s input I", bytes(c.input), "2 s b h, cut by t with sequence parallelism");
    say_row(p, area, "All of a layer A", bytes(c.layer), "Every tensor that its forward pass leaves");
    say_row(p, area, "A / I", three_digits(c.layer / c.input),
            "The more a layer leaves beside its input, the more segments are best");
    say_row(
        p, area, "\u221a(L A / n I)", three_digits(c.root),
        "Where n k I + (L / k) A is least: its derivative is zero. With A = I and n = 1 it is Chen\u2019s "
        "square root of L");
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           "One more forward is **all of a forward again**, and a third of the step: backward is twice a "
           "forward.");
    out.animating = out.animating || before != state.wished;
}

} // namespace ringside
