#include "core/evaluate/zoom/layout.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double whole_parts(double length, double part)
{
    return std::max(1.0, std::ceil(length / part));
}

// As many columns as make boxes of the frame's shape.
ZoomGrid even_grid(const ZoomArea& area, std::int64_t count, double ratio)
{
    const double across = std::sqrt(static_cast<double>(count) * area.w * ratio / area.h);
    const auto columns = std::clamp<std::int64_t>(std::llround(std::ceil(across - 1e-9)), 1, count);
    return {area, columns, (count + columns - 1) / columns, 0.1};
}

} // namespace

ZoomArea ZoomGrid::box(std::int64_t row, std::int64_t column) const
{
    const double w = area.w / static_cast<double>(columns);
    const double h = area.h / static_cast<double>(rows);
    return {area.x + w * (static_cast<double>(column) + gap / 2),
            area.y + h * (static_cast<double>(row) + gap / 2), w * (1 - gap), h * (1 - gap)};
}

ZoomLayout::ZoomLayout(const Heights& heights, const Timeline& timeline, double ratio)
    : h_(heights), timeline_(timeline), ratio_(ratio)
{
    const ZoomGrid grid = tiles();
    tile_ = static_cast<std::int64_t>(static_cast<double>(grid.rows) * 0.4) * grid.columns +
            static_cast<std::int64_t>(static_cast<double>(grid.columns) * 0.55);
    // The first of the mantissa.
    const NumberFormat& format = number_format(h_.format);
    bit_ = std::min(1 + format.exponent_bits, format.bits() - 1);
}

ZoomGrid ZoomLayout::domains() const
{
    const ZoomArea area = ZoomArea{0, 0, 1, ratio_}.inset(0.01);
    const MapLayout map = map_layout(h_.grid, area.w, area.h);
    return {area, map.columns, map.rows, 0.12};
}

ZoomGrid ZoomLayout::gpus() const
{
    const std::int64_t count = std::min(h_.grid.per_domain(), h_.grid.gpus());
    return even_grid({edge(), edge(), 1 - 2 * edge(), ratio_ * 0.78 - edge()}, count, ratio_);
}

ZoomArea ZoomLayout::links() const
{
    return {edge(), ratio_ * 0.84, 1 - 2 * edge(), ratio_ * 0.1};
}

ZoomArea ZoomLayout::memory() const
{
    return {edge(), edge(), 0.22, ratio_ - 2 * edge()};
}

ZoomArea ZoomLayout::time() const
{
    return {0.29, edge(), 0.68, 0.68 * ratio_};
}

ZoomGrid ZoomLayout::processors() const
{
    const ZoomArea below = time();
    const double top = below.bottom() + edge() / 2;
    const auto count = static_cast<std::int64_t>(h_.processors);
    const std::int64_t rows = count > 24 ? 4 : 1;
    return {{below.x, top, below.w, ratio_ - edge() - top}, (count + rows - 1) / rows, rows, 0.25};
}

// Below a line of words.
ZoomArea ZoomLayout::lanes() const
{
    const double above = 0.12 * ratio_;
    const double room = ratio_ - above - edge();
    const double high = std::min(room, 0.3 * ratio_ * static_cast<double>(timeline_.ranks()));
    return {0, above + (room - high) / 2, 1, high};
}

ZoomArea ZoomLayout::forward() const
{
    const ZoomArea all = lanes();
    const Event& e = timeline_.events[h_.event];
    const double span = std::max(timeline_.makespan, 1e-300);
    const double pitch = all.h / static_cast<double>(timeline_.ranks());
    return {all.x + all.w * e.start / span, all.y + pitch * static_cast<double>(e.rank),
            std::max(1e-7, all.w * (e.end - e.start) / span), pitch * 0.9};
}

ZoomGrid ZoomLayout::layers() const
{
    return even_grid(ZoomArea{0, 0, 1, ratio_}.inset(edge() / 2), h_.layers, ratio_);
}

ZoomArea ZoomLayout::kernels() const
{
    return {edge(), ratio_ * 0.12, 1 - 2 * edge(), ratio_ * 0.76};
}

ZoomArea ZoomLayout::kernel(std::size_t index) const
{
    const ZoomArea all = kernels();
    double before = 0;
    for (std::size_t i = 0; i < index; ++i)
    {
        before += h_.kernels[i].seconds;
    }
    const double sum = h_.of(Height::layer).seconds;
    return {all.x + all.w * before / sum, all.y, all.w * h_.kernels[index].seconds / sum, all.h};
}

// The lengths keep their order, but none is so short that nothing is seen of it.
ZoomProduct ZoomLayout::product(double rows, double cols, double inner) const
{
    const double gap = edge() / 2;
    const ZoomArea room{edge(), edge(), 1 - 2 * edge() - gap, ratio_ - 2 * edge() - gap};
    const auto share = [&](double other) { return std::clamp(inner / (inner + other), 0.16, 0.4); };
    const double left = room.w * share(cols);
    const double above = room.h * share(rows);
    const double x = room.x + left + gap;
    const double y = room.y + above + gap;
    return {{room.x, y, left, room.h - above},
            {x, room.y, room.w - left, above},
            {x, y, room.w - left, room.h - above}};
}

ZoomProduct ZoomLayout::gemm() const
{
    return product(h_.product.product.rows, h_.product.product.cols, h_.product.product.inner);
}

ZoomGrid ZoomLayout::tiles() const
{
    const Product& p = h_.product.product;
    return {gemm().result, static_cast<std::int64_t>(whole_parts(p.cols, h_.product.tiling.cols)),
            static_cast<std::int64_t>(whole_parts(p.rows, h_.product.tiling.rows)), 0};
}

ZoomProduct ZoomLayout::in_tile() const
{
    return product(h_.tile_rows, h_.tile_cols, h_.step.inner * kShownSteps);
}

ZoomGrid ZoomLayout::steps() const
{
    return {in_tile().result, static_cast<std::int64_t>(whole_parts(h_.tile_cols, h_.step.cols)),
            static_cast<std::int64_t>(whole_parts(h_.tile_rows, h_.step.rows)), 0};
}

double ZoomLayout::number_side() const
{
    const double gap = edge();
    return std::min((1 - 2 * edge() - gap) / (h_.step.inner + h_.step.cols),
                    (ratio_ - 2 * edge() - gap) / (h_.step.inner + h_.step.rows));
}

ZoomProduct ZoomLayout::in_step() const
{
    const double gap = edge();
    const double side = number_side();
    const double w = side * (h_.step.inner + h_.step.cols) + gap;
    const double h = side * (h_.step.inner + h_.step.rows) + gap;
    const double left = (1 - w) / 2;
    const double top = (ratio_ - h) / 2;
    const double inner = side * h_.step.inner;
    const double x = left + inner + gap;
    const double y = top + inner + gap;
    return {{left, y, inner, side * h_.step.rows},
            {x, top, side * h_.step.cols, inner},
            {x, y, side * h_.step.cols, side * h_.step.rows}};
}

ZoomArea ZoomLayout::number() const
{
    const double side = number_side();
    const ZoomArea a = in_step().a;
    return {a.x + side * std::floor(h_.step.inner / 2), a.y + side * std::floor(h_.step.rows / 2), side,
            side};
}

ZoomGrid ZoomLayout::bits() const
{
    const auto count = static_cast<std::int64_t>(number_format(h_.format).bits());
    const double w = 1 - 2 * edge();
    const double high = std::min(ratio_ * 0.36, w / static_cast<double>(count) * 2);
    return {{edge(), (ratio_ - high) / 2, w, high}, count, 1, 0.08};
}

std::vector<ZoomFrame> ZoomLayout::frames() const
{
    const auto in = [&](const ZoomArea& area) { return frame_in(area, ratio_); };
    return {in(domains().box(h_.grid.domain(h_.rank))),
            in(gpus().box(h_.grid.slot(h_.rank))),
            in(time()),
            in(forward()),
            in(layers().box(h_.layers / 2)),
            in(kernel(h_.gemm)),
            in(tiles().box(tile_)),
            in(steps().box(0)),
            in(number()),
            in(bits().box(bit_))};
}

} // namespace ringside
