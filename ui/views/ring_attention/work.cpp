#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/ring_attention/scene.h"
#include "ui/widgets/controls.h"

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

class Work
{
public:
    Work(const Painter& painter, Rect area, const RingScene& scene)
        : p_(painter), s_(scene), most_(most_each_hop(scene.options())), head_(area.cut_top(painter.px(26)))
    {
        area.cut_left(p_.width(Type::mono_small, "0") + p_.px(10));
        lanes_ = area;
        scale_ = lanes_.w / static_cast<float>(longest(s_.options()));
    }

    std::optional<double> draw() const
    {
        const Theme& t = p_.theme;
        const RingAttentionOptions& o = s_.options();
        const std::string cost = fmt::format("{}\u00d7 even", three_digits(imbalance(o)));
        const float said =
            p_.text(head_.right(), head_.middle(), Type::mono_small, t.text, cost, Align::right);
        p_.text_within(head_.x, head_.middle(), head_.w - said - p_.px(10), Type::body_strong, t.text,
                       "Work by hop");
        const float pitch = lanes_.h / static_cast<float>(o.ranks);
        for (std::int64_t r = 0; r < o.ranks; ++r)
        {
            draw_lane(r, {lanes_.x, lanes_.y + pitch * static_cast<float>(r), lanes_.w, pitch});
        }
        const float now = x_of(s_.t);
        p_.line(now, lanes_.y - p_.px(2), now, lanes_.bottom(), t.text, p_.px(2));
        const Press pressed = press(p_, lanes_, "###work of the ranks", 2);
        if (!pressed.held)
        {
            return std::nullopt;
        }
        return t_of(ImGui::GetIO().MousePos.x);
    }

private:
    float start(std::int64_t hop) const
    {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < hop; ++i)
        {
            sum += most_[static_cast<std::size_t>(i)];
        }
        return lanes_.x + scale_ * static_cast<float>(sum);
    }
    float x_of(double t) const
    {
        const auto hop = std::min(static_cast<std::int64_t>(t), s_.ranks() - 1);
        const float from = start(hop);
        return from + (start(hop + 1) - from) * static_cast<float>(t - static_cast<double>(hop));
    }
    double t_of(float x) const
    {
        for (std::int64_t hop = 0; hop < s_.ranks(); ++hop)
        {
            const float end = start(hop + 1);
            if (x < end)
            {
                const float from = start(hop);
                const auto share = static_cast<double>(std::clamp((x - from) / (end - from), 0.0F, 1.0F));
                return static_cast<double>(hop) + std::round(share * 20) / 20;
            }
        }
        return static_cast<double>(s_.ranks());
    }

    void draw_lane(std::int64_t rank, Rect lane) const
    {
        const Theme& t = p_.theme;
        p_.text(lane.x - p_.px(8), lane.middle(), Type::mono_small, rank == s_.rank ? t.text : t.muted,
                std::to_string(rank), Align::right);
        const float gap = std::min(p_.px(4), lane.h * 0.2F);
        for (std::int64_t hop = 0; hop < s_.ranks(); ++hop)
        {
            const float from = start(hop);
            const float to = start(hop + 1);
            const float width = scale_ * static_cast<float>(scores_in(s_.options(), rank, hop));
            const Rect whole{from, lane.y + gap / 2, to - from - 1, lane.h - gap};
            const Rect busy{from, whole.y, std::max(0.0F, width - 1), whole.h};
            const Colour ink = s_.colour(t, rank);
            p_.fill(busy, hop < s_.merged() ? ink : mix(t.light ? t.raised : t.control, ink, 0.35F));
            if (busy.w + 2 < whole.w)
            {
                p_.hatch({busy.right() + 1, whole.y, whole.right() - busy.right() - 1, whole.h}, t.idle_hatch,
                         kIdleHatch);
            }
        }
    }

    const Painter& p_;
    const RingScene& s_;
    std::vector<std::int64_t> most_;
    Rect head_, lanes_;
    float scale_ = 1;
};

} // namespace

std::optional<double> draw_work(const Painter& painter, Rect area, const RingScene& scene)
{
    if (area.h < painter.px(26 + 40) || area.w < painter.px(120))
    {
        return std::nullopt;
    }
    return Work(painter, area, scene).draw();
}

} // namespace ringside
