#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pictures/timeline.h"

#include <array>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

class Circle
{
public:
    Circle(const Painter& painter, Rect area, const RingScene& scene)
        : p_(painter), s_(scene), centre_{area.centre(), area.middle()}
    {
        const float half = std::min(area.w, area.h) / 2;
        node_ = std::clamp(half * 0.17F, p_.px(13), p_.px(24));
        block_ = node_ * 0.8F;
        outer_ = half - block_ - p_.px(2);
        inner_ = outer_ - block_ - node_ - p_.px(8);
    }

    std::optional<std::int64_t> draw() const
    {
        const Theme& t = p_.theme;
        p_.list.AddCircle(centre_, outer_, t.line, 96, 1);
        std::optional<std::int64_t> pressed;
        for (std::int64_t r = 0; r < s_.ranks(); ++r)
        {
            if (draw_rank(r))
            {
                pressed = r;
            }
        }
        for (std::int64_t r = 0; r < s_.ranks(); ++r)
        {
            draw_block(r);
        }
        draw_words();
        return pressed;
    }

private:
    ImVec2 place(float turns, float radius) const
    {
        const float a = 2 * std::numbers::pi_v<float> * turns - std::numbers::pi_v<float> / 2;
        return {centre_.x + radius * std::cos(a), centre_.y + radius * std::sin(a)};
    }
    float share(std::int64_t rank) const { return static_cast<float>(rank) / static_cast<float>(s_.ranks()); }

    bool draw_rank(std::int64_t rank) const
    {
        const Theme& t = p_.theme;
        const ImVec2 at = place(share(rank), inner_);
        const Rect box{at.x - node_, at.y - node_, 2 * node_, 2 * node_};
        const Press pressed = press(p_, box, fmt::format("rank {}", rank).c_str(), node_);
        p_.list.AddCircleFilled(at, node_, s_.colour(t, rank), 48);
        if (rank == s_.rank || pressed.hovered)
        {
            p_.list.AddCircle(at, node_ + p_.px(2), t.text, 48, p_.px(2));
        }
        const std::string name = fmt::format("Q{}", rank);
        p_.fill({at.x - p_.width(Type::mono_small, name) / 2 - p_.px(3), at.y - p_.px(9),
                 p_.width(Type::mono_small, name) + p_.px(6), p_.px(18)},
                t.window, p_.px(3));
        p_.text(at.x, at.y, Type::mono_small, t.text, name, Align::centre);
        return pressed.clicked;
    }

    // The keys and values that began with this rank.
    void draw_block(std::int64_t owner) const
    {
        const Theme& t = p_.theme;
        const std::int64_t hop = std::min(s_.merged(), s_.ranks() - 1);
        const bool moves = s_.merged() < s_.ranks() - 1;
        const float turns =
            share(owner + hop) + (moves ? ease(s_.part()) / static_cast<float>(s_.ranks()) : 0);
        const ImVec2 at = place(turns, outer_);
        const Rect box{at.x - block_, at.y - block_ * 0.75F, 2 * block_, 1.5F * block_};
        p_.fill(box, t.window, p_.px(3));
        p_.outline(box, s_.colour(t, owner), p_.px(2.5F), p_.px(3));
        const std::string name = fmt::format("KV{}", owner);
        const bool fits = p_.width(Type::mono_small, name) <= box.w - p_.px(2);
        p_.text(at.x, at.y, Type::mono_small, t.text, fits ? name : std::to_string(owner), Align::centre);
    }

    void draw_words() const
    {
        const Theme& t = p_.theme;
        const float room = 2 * (inner_ - node_) - p_.px(8);
        if (room < p_.px(84))
        {
            return;
        }
        const bool done = s_.merged() == s_.ranks();
        const std::string top = done ? "all merged" : fmt::format("block {}/{}", s_.merged() + 1, s_.ranks());
        p_.text(centre_.x, centre_.y - p_.px(10), Type::body_strong, t.text, top, Align::centre);
        const std::int64_t last = s_.ranks() - 1;
        p_.text(centre_.x, centre_.y + p_.px(14), Type::small, t.muted,
                fmt::format("{} of {} hops", std::min(s_.merged(), last), last), Align::centre);
    }

    const Painter& p_;
    const RingScene& s_;
    ImVec2 centre_;
    float node_, block_, outer_, inner_;
};

} // namespace

std::optional<std::int64_t> draw_circle(const Painter& painter, Rect area, const RingScene& scene)
{
    if (std::min(area.w, area.h) < painter.px(130))
    {
        return std::nullopt;
    }
    return Circle(painter, area, scene).draw();
}

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
                const double end = starts_[static_cast<std::size_t>(hop) + 1];
                lanes.block(lane, busy, end, idle_fill(t));
                const auto read = [&](double start, double until, std::string_view label)
                {
                    lanes.read_out(lane, start, until, fmt::format("Rank {}, hop {}", rank, hop),
                                   std::array{TipLine{std::string(label), three_digits(until - start)}});
                };
                read(from, busy, "attention scores");
                read(busy, end, "idle, in scores");
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
