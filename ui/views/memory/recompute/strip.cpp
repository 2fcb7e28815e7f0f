#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/memory/recompute/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Held by one micro-batch at this moment.
Bytes held_bytes(const RecomputeChoices& c, const SegmentMoment& m)
{
    double bytes = 0;
    for (const Held held : m.held)
    {
        bytes += held == Held::whole ? c.layer.value : held == Held::input ? c.input.value : 0;
    }
    return Bytes(bytes);
}

std::string_view doing_words(SegmentMoment::Doing doing)
{
    switch (doing)
    {
    case SegmentMoment::Doing::forward:
        return "forward";
    case SegmentMoment::Doing::again:
        return "recomputed forward";
    case SegmentMoment::Doing::backward:
        return "backward";
    case SegmentMoment::Doing::done:
        break;
    }
    return "done";
}

Colour doing_colour(const Theme& t, SegmentMoment::Doing doing)
{
    return doing == SegmentMoment::Doing::backward ? t.backward_input.fill : t.forward.fill;
}

// A layer as a box filled by what it holds: its input as a foot, or all of it.
void draw_layer(const Painter& p, Rect box, Held held, double input_share)
{
    const Theme& t = p.theme;
    p.fill(box, t.control);
    const Ink& ink = t.of(Component::activations);
    const auto foot = static_cast<float>(std::max(input_share, 0.12)) * box.h;
    const float h = held == Held::whole ? box.h : held == Held::input ? std::max(2.0F, foot) : 0;
    if (h > 0)
    {
        p.fill({box.x, box.bottom() - h, box.w, h}, ink.fill);
    }
}

} // namespace

void draw_segment_strip(const Painter& p, Rect area, const Frame& frame, const RecomputeDesk& desk,
                        const RecomputeState& state)
{
    const RecomputeChoices& c = desk.choices;
    const std::int64_t k = desk.segments(state);
    const SegmentMoment m = segment_moment(c.layers, k, frame.playback.t);
    p.part("strip", area);
    draw_chart_title(
        p, area.cut_top(p.height(Type::small) + p.px(8)), segment_words(c, k), "one micro-batch",
        fmt::format("{}, {} held", doing_words(m.doing), format_bytes(held_bytes(c, m), p.look.unit)));
    const float pitch = area.w / static_cast<float>(c.layers);
    const float gap = pitch > p.px(6) ? p.px(1) : 0;
    // Of more layers than there are pixels some stand for their neighbours.
    const auto cells = std::min<std::int64_t>(c.layers, std::max<std::int64_t>(1, std::lround(area.w / 2)));
    const float wide = area.w / static_cast<float>(cells);
    const Rect boxes{area.x, area.y, area.w, area.h - p.px(8)};
    const auto x_of = [&](std::int64_t layer) { return boxes.x + pitch * static_cast<float>(layer); };
    for (std::int64_t cell = 0; cell < cells; ++cell)
    {
        const auto layer = static_cast<std::size_t>(cell * c.layers / cells);
        draw_layer(p, {boxes.x + wide * static_cast<float>(cell), boxes.y, wide - gap, boxes.h},
                   m.held[layer], c.input / c.layer);
    }
    for (std::int64_t i = 0; i <= k && k <= cells; ++i)
    {
        const float x = x_of(segment_start(c.layers, k, i));
        p.line(x, boxes.y - p.px(2), x, boxes.bottom() + p.px(6), p.theme.text, k < c.layers ? p.px(2) : 1);
    }
    if (m.doing != SegmentMoment::Doing::done)
    {
        p.outline({x_of(m.layer), boxes.y, std::max(3.0F, pitch - gap), boxes.h},
                  doing_colour(p.theme, m.doing), p.px(2));
    }
}

} // namespace ringside
