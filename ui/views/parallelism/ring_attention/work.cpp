
#include "core/base/text.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/timeline.h"

#include <cmath>

namespace ringside
{

namespace
{

std::vector<std::int64_t> most_each_hop(const RingAttentionOptions& o)
{
    std::vector<std::int64_t> most(static_cast<std::size_t>(o.ranks), 0);
    for (std::int64_t hop = 0; hop < o.ranks; ++hop)
    {
        for (std::int64_t rank = 0; rank < o.ranks; ++rank)
        {
            auto& m = most[static_cast<std::size_t>(hop)];
            m = std::max(m, scores_in(o, rank, hop));
        }
    }
    return most;
}

// So that all ways to spread the tokens are drawn to the same scale.
std::int64_t longest(RingAttentionOptions o)
{
    std::int64_t most = 1;
    for (std::size_t i = 0; i < kSpreads; ++i)
    {
        o.spread = static_cast<Spread>(i);
        most = std::max(most, scores_in_lockstep(o));
    }
    return most;
}

// On an axis of scores: a hop takes as long as the rank with the most.
class Work
{
public:
    Work(const Painter& painter, const RingScene& scene) : p_(painter), s_(scene)
    {
        for (const std::int64_t most : most_each_hop(scene.options()))
        {
            starts_.push_back(starts_.back() + static_cast<double>(most));
        }
        window_.to = static_cast<double>(longest(s_.options()));
    }

    std::optional<double> draw(Rect area) const
    {
        const RingAttentionOptions& o = s_.options();
        draw_chart_title(p_, area.cut_top(p_.px(26)), "Work per hop", "hatched: idle",
                         "imbalance " + three_digits(imbalance(o)) + "\u00d7");
        const float label = p_.width(Type::mono_small, "0") + p_.px(10);
        Rect field = area;
        field.cut_left(label);
        draw_lanes(area, {area.h / static_cast<float>(o.ranks), label, 0, false});
        const auto hop = std::min(static_cast<std::size_t>(s_.t), starts_.size() - 2);
        const double length = starts_[hop + 1] - starts_[hop];
        draw_now(p_, field, window_, starts_[hop] + length * (s_.t - static_cast<double>(hop)));
        const Press pressed = press(p_, field, "###work of the ranks", 2);
        return pressed.held ? std::optional(t_of(window_.t(field, ImGui::GetIO().MousePos.x))) : std::nullopt;
    }

private:
    double t_of(double scores) const
    {
        for (std::size_t hop = 0; hop + 1 < starts_.size(); ++hop)
        {
            if (scores < starts_[hop + 1])
            {
                const double share = (scores - starts_[hop]) / (starts_[hop + 1] - starts_[hop]);
                return static_cast<double>(hop) + std::round(std::clamp(share, 0.0, 1.0) * 20) / 20;
            }
        }
        return static_cast<double>(s_.ranks());
    }

    void draw_lanes(Rect area, const LaneStyle& style) const
    {
        const Theme& t = p_.theme;
        std::vector<LaneName> names;
        for (std::int64_t rank = 0; rank < s_.ranks(); ++rank)
        {
            names.push_back({std::to_string(rank)});
            names.back().strong = rank == s_.rank;
        }
        TimeLanes lanes(p_, area, window_, style, names);
        for (std::int64_t rank = 0; rank < s_.ranks(); ++rank)
        {
            const Colour ink = s_.colour(t, rank);
            for (std::int64_t hop = 0; hop < s_.ranks(); ++hop)
            {
                const auto lane = static_cast<std::size_t>(rank);
                const double from = starts_[static_cast<std::size_t>(hop)];
                const double busy = from + static_cast<double>(scores_in(s_.options(), rank, hop));
                const bool done = hop < s_.merged();
                lanes.block(lane, from, busy,
                            plain_fill(done ? ink : mix(t.light ? t.raised : t.control, ink, 0.35F)));
                lanes.block(lane, busy, starts_[static_cast<std::size_t>(hop) + 1], idle_fill(t));
            }
        }
    }

    const Painter& p_;
    const RingScene& s_;
    std::vector<double> starts_{0}; // of the hops, in scores, and the end
    TimeWindow window_;
};

} // namespace

std::optional<double> draw_work(const Painter& painter, Rect area, const RingScene& scene)
{
    if (area.h < painter.px(26 + 40) || area.w < painter.px(120))
    {
        return std::nullopt;
    }
    return Work(painter, scene).draw(area);
}

} // namespace ringside
