#include "ui/views/message/ranks_chart.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/message/line_ends.h"

#include <algorithm>
#include <cfloat>
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

// One of the two pictures. `height` says how high a cost stands, 0 to 1 and beyond.
class Panel
{
public:
    Panel(const Painter& painter, Rect area, std::string_view title) : p_(painter), area_(area)
    {
        p_.text(area.x, area.y + p_.px(10), Type::body_strong, p_.theme.text, title);
        area_.cut_top(p_.px(34));
        area_.cut_left(p_.px(64));
        area_.cut_right(p_.px(kLineEndsRoom));
    }

    Rect field() const { return area_; }
    float x(double ranks) const
    {
        return area_.x + area_.w * static_cast<float>((std::log2(ranks) - 1) / (kDoublings - 1));
    }

    // From the bottom up; figures that would touch the one below are left out.
    void rule(float height, const std::string& words)
    {
        const float y = area_.bottom() - area_.h * height;
        p_.line(area_.x, y, area_.right(), y, p_.theme.grid);
        if (y <= free_)
        {
            p_.text(area_.x - p_.px(8), y, Type::mono_small, p_.theme.muted, words, Align::right);
            free_ = y - p_.height(Type::mono_small);
        }
    }

    template <typename Height>
    void lines(const std::vector<Row>& rows, std::string_view bold, Height height) const
    {
        std::vector<LineEnd> ends;
        p_.list.PushClipRect({area_.x, area_.y}, {area_.right(), area_.bottom()}, true);
        for (const Row& row : rows)
        {
            std::vector<ImVec2> points;
            for (std::size_t i = 0; i < row.costs.size(); ++i)
            {
                const ImVec2 at{x(std::exp2(static_cast<double>(i + 1))),
                                area_.bottom() - area_.h * static_cast<float>(height(row.costs[i]))};
                if (at.y < area_.y && !points.empty())
                {
                    // What the direct way sends grows without end: the line ends where it leaves the field.
                    const ImVec2 last = points.back();
                    const float share = last.y > area_.y ? (last.y - area_.y) / (last.y - at.y) : 0;
                    points.emplace_back(last.x + (at.x - last.x) * share, area_.y);
                    break;
                }
                points.push_back(at);
            }
            const bool strong = row.algorithm->id == bold;
            p_.list.AddPolyline(points.data(), static_cast<int>(points.size()),
                                strong ? p_.theme.text : p_.theme.muted, 0, p_.px(strong ? 3.0F : 1.5F));
            ends.push_back({std::max(points.back().y, area_.y), row.algorithm->name, strong,
                            points.back().x > area_.right() - 1});
        }
        p_.list.PopClipRect();
        draw_line_ends(p_, area_, std::move(ends));
    }

    void mark(std::int64_t ranks) const
    {
        const float at = x(static_cast<double>(std::clamp<std::int64_t>(ranks, 2, 1 << kDoublings)));
        p_.dashed(at, area_.y, at, area_.bottom(), p_.theme.text, 1);
    }

private:
    const Painter& p_;
    Rect area_;
    float free_ = FLT_MAX; // figures of rules may stand above this
};

} // namespace

namespace
{

void draw_sent(const Painter& p, Rect area, const std::vector<Row>& rows, std::int64_t ranks)
{
    Panel sent(p, area, "Sent by the busiest rank, in messages");
    for (int messages = 0; messages <= static_cast<int>(kMostSent); ++messages)
    {
        sent.rule(static_cast<float>(messages / kMostSent), std::to_string(messages));
    }
    sent.lines(rows, "ring", [](const CollectiveCost& c) { return c.sent_per_rank.value / kMostSent; });
    sent.mark(ranks);
}

void draw_steps(const Painter& p, Rect area, const std::vector<Row>& rows, std::int64_t ranks)
{
    Panel steps(p, area, "Steps, one after the other");
    const double most = 2.0 * (1 << kDoublings);
    for (double n = 1; n < most; n *= 10)
    {
        steps.rule(static_cast<float>(std::log(n) / std::log(most)), format_count(n));
    }
    steps.lines(rows, "ring",
                [&](const CollectiveCost& c)
                { return std::log(std::max<double>(1, static_cast<double>(c.steps))) / std::log(most); });
    steps.mark(ranks);
}

} // namespace

void draw_ranks_chart(const Painter& p, Rect area, CollectiveKind kind, std::int64_t ranks, bool switches_add)
{
    const std::vector<Row> rows = rows_of(kind, switches_add);
    const Rect axis = area.cut_bottom(p.px(40));
    const Panel below(p, area, "");
    const float half = (area.h - p.px(20)) / 2;
    // Where two have no room for the names of their lines, there is one.
    if (half >= p.px(34) + p.height(Type::small) * static_cast<float>(rows.size() - 1))
    {
        draw_sent(p, area.cut_top(half), rows, ranks);
        area.cut_top(p.px(20));
        draw_steps(p, area, rows, ranks);
    }
    else
    {
        draw_sent(p, area, rows, ranks);
    }
    const Rect field = below.field();
    const float pitch = std::max(1.0F, field.w / (kDoublings - 1));
    const auto every = static_cast<int>(std::ceil((p.width(Type::mono_small, "16384") + p.px(4)) / pitch));
    for (int k = 1; k <= kDoublings; k += every)
    {
        p.text(below.x(std::exp2(k)), axis.y + p.px(14), Type::mono_small, p.theme.muted,
               std::to_string(std::int64_t{1} << k), Align::centre);
    }
    p.text(field.right(), axis.y + p.px(32), Type::small, p.theme.muted, "ranks", Align::right);
}

} // namespace ringside
