#include "ui/views/overview/zoom/sight.h"

#include "core/evaluate/report.h"
#include "ui/widgets/pictures/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr float kLeastFrame = 2;    // [px] smaller frames are not drawn
constexpr double kFarOutside = 3;   // [windows] beyond it nothing has a place
constexpr float kLeastGridBox = 7;  // [design px] smaller boxes have no lines between them
constexpr float kLeastNext = 12;    // [design px] of a ring
constexpr float kMostAnchor = 1.6F; // [windows] what is larger is no longer named

// One that the camera is about to leave for the one inside it.
bool covers(const ZoomFrame& f, double ratio)
{
    constexpr double kRounding = 1e-9;
    return f.x <= kRounding && f.y <= kRounding && f.x + f.w >= 1 - kRounding &&
           f.y + f.w * ratio >= ratio - kRounding;
}

using ZoomDrawing = void (*)(ZoomSight&, const ZoomFrame&);
constexpr std::array<ZoomDrawing, kHeights> kPictures{
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_cluster(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_domain(f, s.h.grid.domain(s.h.rank)); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_gpu(f, s.h.rank); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_lane(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_forward(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_layer(f, true); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_gemm(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_tile(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_step(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_number(f); },
    [](ZoomSight& s, const ZoomFrame& f) { s.draw_bit_frame(f); }};
// Those that the picture above draws with its others: nodes, their GPUs, layers.
constexpr std::array<bool, kHeights> kDrawnAbove{false, true, true, false, false, true};

} // namespace

float grown(float length, float from, float to)
{
    return std::clamp((length - from) / (to - from), 0.0F, 1.0F);
}

ZoomScenario::ZoomScenario(const Scenario& scenario, const std::shared_ptr<const Report>& of)
    : report(of), heights(scenario, *of), input_share(ringside::input_share(scenario.stage_times)),
      density(of->pipeline->timeline, input_share)
{
}

Rect ZoomSight::on(const ZoomFrame& f, const ZoomArea& area) const
{
    const auto placed = [](double at, double least, double length) {
        return std::clamp(least + at * length, least - kFarOutside * length,
                          least + (1 + kFarOutside) * length);
    };
    const double wide = static_cast<double>(window.w);
    const double ratio = static_cast<double>(window.h) / wide;
    const auto x = [&](double at) { return placed(f.x + at * f.w, static_cast<double>(window.x), wide); };
    const auto y = [&](double at) {
        return placed((f.y + at * f.w) / ratio, static_cast<double>(window.y), static_cast<double>(window.h));
    };
    const double left = x(area.x);
    const double top = y(area.y);
    return {static_cast<float>(left), static_cast<float>(top), static_cast<float>(x(area.right()) - left),
            static_cast<float>(y(area.bottom()) - top)};
}

ZoomFrame ZoomSight::inside(const ZoomFrame& f, const ZoomFrame& inner) const
{
    return {f.x + inner.x * f.w, f.y + inner.y * f.w, inner.w * f.w};
}

ZoomFrame ZoomSight::inside(const ZoomFrame& f, const ZoomArea& area) const
{
    return inside(f, frame_in(area, layout.ratio()));
}

bool ZoomSight::sees(Rect r) const
{
    return r.x < window.right() && r.right() > window.x && r.y < window.bottom() && r.bottom() > window.y;
}

double ZoomSight::done(Height at) const
{
    return std::clamp(height - static_cast<double>(at) + 0.5, 0.0, 1.0);
}

void ZoomSight::note(Height at, Rect about, std::string text, bool strong, float from_top)
{
    if (sees(about))
    {
        notes.push_back({about, std::move(text), at, strong, from_top});
    }
}

void ZoomSight::fill(Rect r, Colour colour, float radius) const
{
    if (sees(r))
    {
        p.fill(r, colour, radius);
    }
}

void ZoomSight::outline(Rect r, Colour colour, float thickness) const
{
    if (sees(r))
    {
        p.outline(r, colour, thickness);
    }
}

void ZoomSight::frame_next(Rect r) const
{
    const float least = p.px(kLeastNext);
    const float w = std::max(least, r.w + p.px(4));
    const float h_next = std::max(least, r.h + p.px(4));
    const float shown = 1 - grown(r.w, window.w * 0.3F, window.w * 0.8F);
    const Rect ring{r.centre() - w / 2, r.middle() - h_next / 2, w, h_next};
    if (shown > 0 && sees(ring))
    {
        p.outline(ring.inset(-p.px(1)), with_alpha(p.theme.window, shown), p.px(4), p.px(3));
        p.outline(ring, with_alpha(p.theme.text, shown), p.px(2), p.px(3));
    }
}

void ZoomSight::ground(const ZoomFrame& f) const
{
    const Rect r = on(f);
    const float shown = grown(size(f), p.px(20), p.px(60));
    if (shown > 0 && sees(r))
    {
        p.fill(r, with_alpha(p.theme.panel, shown));
        p.outline(r, with_alpha(p.theme.line, shown));
    }
}

void ZoomSight::lines(const ZoomFrame& f, const ZoomGrid& grid, Colour colour) const
{
    const Rect all = on(f, grid.area);
    const auto draw = [&](std::int64_t count, double length, bool across)
    {
        const float pitch = size(f) * static_cast<float>(length / static_cast<double>(count));
        const float shown = grown(pitch, p.px(kLeastGridBox), p.px(2 * kLeastGridBox));
        for (std::int64_t i = 1; shown > 0 && i < count; ++i)
        {
            const double at = length * static_cast<double>(i) / static_cast<double>(count);
            const Rect edge = on(f, {grid.area.x + (across ? 0 : at), grid.area.y + (across ? at : 0), 0, 0});
            const Rect line =
                across ? Rect{all.x, edge.y - 0.5F, all.w, 1} : Rect{edge.x - 0.5F, all.y, 1, all.h};
            fill(line, with_alpha(colour, shown));
        }
    };
    draw(grid.columns, grid.area.w, false);
    draw(grid.rows, grid.area.h, true);
}

void ZoomSight::draw()
{
    std::size_t first = 0;
    // The last is a part of the picture of its number.
    while (first + 2 < kHeights && covers(path.frame(first + 1, height), layout.ratio()))
    {
        ++first;
    }
    for (std::size_t level = first; level < kHeights; ++level)
    {
        const ZoomFrame f = path.frame(level, height);
        if (size(f) < kLeastFrame)
        {
            break;
        }
        if (level == first || !kDrawnAbove.at(level))
        {
            kPictures.at(level)(*this, f);
        }
    }
}

// The nearest heights have their words first; nothing is named that is much smaller than its words or much
// larger than the window.
void ZoomSight::write_notes() const
{
    std::vector<const ZoomNote*> order;
    for (const ZoomNote& note : notes)
    {
        order.push_back(&note);
    }
    const auto off = [&](const ZoomNote* n) { return std::fabs(static_cast<double>(n->height) - height); };
    std::ranges::stable_sort(order, {}, off);
    const Rect bounds = window.inset(p.px(4));
    Labels labels(bounds);
    for (const ZoomNote* n : order)
    {
        const Rect& r = n->about;
        const Type type = n->strong ? Type::small_strong : Type::small;
        const float line = p.height(type);
        const float need = p.width(type, n->text) + p.px(12);
        const float shown = std::min(grown(r.w, need, need * 1.15F), grown(r.h, line, line * 1.3F)) *
                            (1 - grown(r.w, window.w * kMostAnchor, window.w * kMostAnchor * 1.3F));
        const Rect seen{std::max(r.x, bounds.x), std::max(r.y, bounds.y),
                        std::min(r.right(), bounds.right()) - std::max(r.x, bounds.x),
                        std::min(r.bottom(), bounds.bottom()) - std::max(r.y, bounds.y)};
        if (shown > 0.02F && seen.w >= need && seen.h >= line)
        {
            const float middle =
                std::clamp(r.y + r.h * n->from_top, seen.y + line / 2, seen.bottom() - line / 2);
            labels.put_inside(p, seen.centre(), middle, type, with_alpha(p.theme.text, shown), n->text,
                              Align::centre);
        }
    }
}

} // namespace ringside
