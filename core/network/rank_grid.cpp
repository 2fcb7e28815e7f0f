#include "core/network/rank_grid.h"

#include "core/scenario/scenario.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kAxes> kShort{"tp", "cp", "ep", "dp", "pp"};

} // namespace

std::string order_name(const AxisOrder& order)
{
    std::string name;
    for (const Axis axis : order)
    {
        name += name.empty() ? "" : "-";
        name += kShort[index(axis)];
    }
    return name;
}

std::optional<AxisOrder> parse_order(std::string_view text)
{
    std::vector<AxisOrder> all = all_orders();
    const auto found = std::ranges::find_if(all, [&](const AxisOrder& o) { return order_name(o) == text; });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

std::vector<AxisOrder> all_orders()
{
    AxisOrder order{};
    for (std::size_t i = 0; i < kAxes; ++i)
    {
        order[i] = static_cast<Axis>(i);
    }
    std::vector<AxisOrder> all;
    do
    {
        all.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return all;
}

AxisOrder moved(AxisOrder order, Axis axis, std::size_t place)
{
    auto at = std::ranges::find(order, axis);
    const auto to = order.begin() + static_cast<std::ptrdiff_t>(std::min(place, kAxes - 1));
    if (at < to)
    {
        std::rotate(at, at + 1, to + 1);
    }
    else
    {
        std::rotate(to, at, at + 1);
    }
    return order;
}

Group group_of(Axis axis)
{
    constexpr std::array kGroupOf{Group::tensor, Group::context, Group::expert, Group::data, Group::pipeline};
    return kGroupOf[index(axis)];
}

// Megatron-LM, megatron/core/parallel_state.py, class RankGenerator: strides are the products of the sizes
// before an axis in the order, for the dense ranks and, with other sizes, for the experts.
RankGrid::RankGrid(const Scenario& s, const AxisOrder& order)
    : order_(order), gpus_(std::max<std::int64_t>(1, s.cluster.gpus)),
      per_domain_(std::max<std::int64_t>(1, s.cluster.gpus_per_node))
{
    const Parallel& p = s.parallel;
    const std::array<std::int64_t, kAxes> dense{p.tensor, p.context, 1, data_parallel(s), p.pipeline};
    const std::array<std::int64_t, kAxes> expert{p.expert_tensor, 1, p.expert, expert_replicas(s), 1};
    std::int64_t dense_stride = 1;
    std::int64_t expert_stride = 1;
    for (const Axis axis : order)
    {
        const std::size_t i = index(axis);
        dense_[i] = {dense_stride, dense[i]};
        dense_stride *= dense[i];
        expert_[i] = {expert_stride, expert[i]};
        expert_stride *= expert[i];
    }
    assert(dense_stride == gpus_); // the grid holds every rank once
}

std::int64_t RankGrid::in_stage(std::int64_t rank) const
{
    const Dim& stages = dense_[index(Axis::pipeline)];
    return rank / (stages.stride * stages.size) * stages.stride + rank % stages.stride;
}

std::int64_t RankGrid::from_stage(std::int64_t i, std::int64_t stage) const
{
    const Dim& stages = dense_[index(Axis::pipeline)];
    return i / stages.stride * stages.stride * stages.size + stage * stages.stride + i % stages.stride;
}

Coordinates RankGrid::coordinates(std::int64_t rank) const
{
    assert(rank >= 0 && rank < gpus_);
    const auto dense = [&](Axis axis) { return dense_[index(axis)].at(rank); };
    const std::int64_t i = in_stage(rank);
    const auto expert = [&](Axis axis) { return expert_[index(axis)].at(i); };
    return {dense(Axis::tensor),  dense(Axis::context), dense(Axis::data), dense(Axis::pipeline),
            expert(Axis::tensor), expert(Axis::expert), expert(Axis::data)};
}

std::int64_t RankGrid::rank(const Coordinates& c) const
{
    return c.tensor * dense_[index(Axis::tensor)].stride + c.context * dense_[index(Axis::context)].stride +
           c.data * dense_[index(Axis::data)].stride + c.pipeline * dense_[index(Axis::pipeline)].stride;
}

std::int64_t RankGrid::expert_rank(const Coordinates& c) const
{
    return from_stage(c.expert_tensor * expert_[index(Axis::tensor)].stride +
                          c.expert * expert_[index(Axis::expert)].stride +
                          c.expert_data * expert_[index(Axis::data)].stride,
                      c.pipeline);
}

RankGrid::Dims RankGrid::dims(Group group) const
{
    const auto dense = [&](Axis axis) { return Dims{dense_[index(axis)], {}, false}; };
    const auto expert = [&](Axis axis) { return Dims{expert_[index(axis)], {}, true}; };
    switch (group)
    {
    case Group::tensor:
        return dense(Axis::tensor);
    case Group::context:
        return dense(Axis::context);
    case Group::data:
        return dense(Axis::data);
    case Group::pipeline:
        return dense(Axis::pipeline);
    case Group::expert:
        return expert(Axis::expert);
    case Group::expert_replicas:
        return expert(Axis::data);
    case Group::expert_tensor:
        return expert(Axis::tensor);
    case Group::replicas:
        break;
    }
    Dims both{dense_[index(Axis::data)], dense_[index(Axis::context)], false};
    if (both.inner.stride > both.outer.stride || both.inner.size == 1)
    {
        std::swap(both.inner, both.outer);
    }
    return both;
}

std::int64_t RankGrid::size(Group group) const
{
    const Dims d = dims(group);
    return d.inner.size * d.outer.size;
}

bool RankGrid::active(Axis axis) const
{
    return dense_[index(axis)].size > 1 || expert_[index(axis)].size > 1;
}

std::int64_t RankGrid::stride(Axis axis) const
{
    return axis == Axis::expert ? expert_[index(axis)].stride : dense_[index(axis)].stride;
}

std::int64_t RankGrid::position(std::int64_t rank, Group group) const
{
    assert(rank >= 0 && rank < gpus_);
    const Dims d = dims(group);
    const std::int64_t i = d.experts ? in_stage(rank) : rank;
    return d.inner.at(i) + d.inner.size * d.outer.at(i);
}

std::int64_t RankGrid::member(std::int64_t rank, Group group, std::int64_t position) const
{
    const Dims d = dims(group);
    assert(rank >= 0 && rank < gpus_ && position >= 0 && position < d.inner.size * d.outer.size);
    const std::int64_t i = d.experts ? in_stage(rank) : rank;
    const std::int64_t to = i + (position % d.inner.size - d.inner.at(i)) * d.inner.stride +
                            (position / d.inner.size - d.outer.at(i)) * d.outer.stride;
    return d.experts ? from_stage(to, dense_[index(Axis::pipeline)].at(rank)) : to;
}

std::vector<std::int64_t> RankGrid::members(std::int64_t rank, Group group) const
{
    std::vector<std::int64_t> all(static_cast<std::size_t>(size(group)));
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        all[i] = member(rank, group, static_cast<std::int64_t>(i));
    }
    return all;
}

bool RankGrid::leaves_domain(Group group) const
{
    return std::ranges::any_of(members(0, group),
                               [&](std::int64_t rank) { return domain(rank) != domain(0); });
}

std::int64_t RankGrid::grain(Group group) const
{
    const Dims d = dims(group);
    std::int64_t grain = per_domain_;
    for (const Dim& dim : {d.inner, d.outer})
    {
        grain = dim.size > 1 ? std::gcd(grain, dim.stride) : grain;
    }
    return d.experts ? std::gcd(grain, dense_[index(Axis::pipeline)].stride) : grain;
}

std::int64_t RankGrid::period(Group group) const
{
    const Dims d = dims(group);
    const Dim& stages = dense_[index(Axis::pipeline)];
    const Dim& last = d.outer.size > 1 ? d.outer : d.inner;
    const std::int64_t block = last.stride * last.size;
    // Experts are counted inside a stage, so a block of theirs is one of ranks only below the stages' stride.
    if (d.experts && stages.size > 1 && stages.stride % block != 0)
    {
        return gpus_;
    }
    const std::int64_t period = std::lcm(block, per_domain_);
    return period > 0 && period < gpus_ && gpus_ % period == 0 ? period : gpus_;
}

namespace
{

// Four by two for a node of 8, twelve by six for a rack of 72.
std::int64_t slot_columns(std::int64_t slots)
{
    std::int64_t columns =
        std::max<std::int64_t>(1, std::llround(std::ceil(std::sqrt(2.0 * static_cast<double>(slots)))));
    const std::int64_t least = columns;
    while (columns < slots && slots % columns != 0)
    {
        ++columns;
    }
    return columns > 2 * least ? least : std::min(columns, slots);
}

// The one axis that advances between `from` and `to` ranks, counted in whole domains.
std::optional<Axis> sole_axis(const RankGrid& grid, std::int64_t from, std::int64_t to)
{
    std::optional<Axis> sole;
    for (const Axis axis : grid.order())
    {
        const std::int64_t n = axis == Axis::expert ? 1 : grid.size(axis);
        const std::int64_t first = grid.stride(axis);
        if (n == 1 || first * n <= from || first >= to)
        {
            continue;
        }
        if (sole || first != from || first * n != to)
        {
            return std::nullopt;
        }
        sole = axis;
    }
    return sole;
}

} // namespace

MapLayout map_layout(const RankGrid& grid, double width, double height)
{
    MapLayout layout;
    layout.domains = grid.domains();
    const std::int64_t slots = std::min(grid.per_domain(), grid.gpus());
    layout.slot_columns = slot_columns(slots);
    layout.slot_rows = (slots + layout.slot_columns - 1) / layout.slot_columns;
    // A card is as wide as its cells and one more; its heading is as high as two.
    const double card_width = static_cast<double>(layout.slot_columns) + 1.25;
    const double card_height = static_cast<double>(layout.slot_rows) + 2.5;
    double best = 0;
    for (std::int64_t columns = 1; columns <= layout.domains; ++columns)
    {
        const std::int64_t rows = (layout.domains + columns - 1) / columns;
        const double pitch = std::min(width / (static_cast<double>(columns) * card_width),
                                      height / (static_cast<double>(rows) * card_height));
        // Rows that end where an axis does show it; next best, each row belongs to one coordinate of the
        // outermost.
        const std::int64_t row = columns * grid.per_domain();
        double shows = layout.domains % columns == 0 ? 1.15 : 1;
        for (const Axis axis : grid.order())
        {
            const std::int64_t n = axis == Axis::expert ? 1 : grid.size(axis);
            const bool outermost = n > 1 && grid.stride(axis) * n == grid.gpus();
            shows = n > 1 && grid.stride(axis) * n == row                   ? 1.7
                    : outermost && grid.stride(axis) % row == 0 && rows > 1 ? std::max(shows, 1.5)
                                                                            : shows;
        }
        const double score = pitch * shows;
        if (score > best * 1.0001)
        {
            best = score;
            layout.columns = columns;
            layout.rows = rows;
        }
    }
    const std::int64_t row = layout.columns * grid.per_domain();
    layout.column_axis = sole_axis(grid, grid.per_domain(), row);
    for (const Axis axis : grid.order())
    {
        // The outermost axis that cuts, where it is the same all along a row.
        if (axis != Axis::expert && grid.size(axis) > 1)
        {
            layout.row_axis =
                layout.rows > 1 && grid.stride(axis) % row == 0 ? std::optional(axis) : std::nullopt;
        }
    }
    return layout;
}

} // namespace ringside
