#include "ui/views/network/message/ranks_chart.h"

#include "core/base/text.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr int kDoublings = 14;  // up to 16,384 ranks
constexpr double kMostSent = 4; // messages; what sends more leaves the picture

struct Row
{
    const CollectiveAlgorithm* algorithm;
    std::vector<CollectiveCost> costs; // [doubling - 1]
};

std::vector<Row> rows_of(CollectiveKind kind, bool switches_add)
{
    // Bytes and steps do not depend on the links.
    const Link link{Seconds(1e-6), BytesPerSecond(1e9)};
    std::vector<Row> rows;
    for (const CollectiveAlgorithm* a : collective_algorithms())
    {
        if (!a->can(kind) || (a->id == "in-switch" && !switches_add))
        {
            continue;
        }
        Row row{a, {}};
        for (int k = 1; k <= kDoublings; ++k)
        {
            row.costs.push_back(estimate(kind, *a, std::int64_t{1} << k, Bytes(1.0), {link, link, 8}));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

template <typename Value>
void draw_costs(const Painter& p, Rect area, const std::vector<Row>& rows, std::int64_t ranks, PlotAxis y,
                std::string_view title, Value value)
{
    Plot plot(p, area,
              {2, std::exp2(kDoublings), PlotScale::log2, "ranks", [](double n) { return plain_number(n); }},
              std::move(y), {.title = title, .names = 168});
    if (!plot)
    {
        return;
    }
    for (const Row& row : rows)
    {
        std::vector<PlotPoint> points;
        for (const CollectiveCost& cost : row.costs)
        {
            points.push_back({std::exp2(static_cast<double>(points.size() + 1)), value(cost)});
        }
        const bool ring = row.algorithm->id == "ring";
        plot.line(points, ring ? PlotStroke{p.theme.text, 3} : PlotStroke{p.theme.muted, 1.5F},
                  std::string(row.algorithm->name), ring);
    }
    plot.rule_x(plot.x.held(static_cast<double>(ranks)), {p.theme.text, 1, true});
}

} // namespace

void draw_ranks_chart(const Painter& p, Rect area, CollectiveKind kind, std::int64_t ranks, bool switches_add)
{
    const std::vector<Row> rows = rows_of(kind, switches_add);
    const float half = (area.h - p.px(20)) / 2;
    // Where two have no room for the names of their lines, there is one.
    if (half >= p.px(80) + p.height(Type::small) * static_cast<float>(rows.size() - 1))
    {
        draw_costs(
            p, area.cut_bottom(half), rows, ranks,
            {1, 2.0 * (1 << kDoublings), PlotScale::log, "", format_count}, "Steps, one after the other",
            [](const CollectiveCost& c) { return static_cast<double>(std::max<std::int64_t>(1, c.steps)); });
        area.cut_bottom(p.px(20));
    }
    draw_costs(p, area, rows, ranks, {0, kMostSent, PlotScale::linear, "", plain_number},
               "Sent by the busiest rank, in messages",
               [](const CollectiveCost& c) { return c.sent_per_rank.value; });
}

} // namespace ringside
