#include <fmt/format.h>

#include "core/base/counted.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/cell_grid.h"
#include "ui/widgets/controls.h"

#include <cmath>

namespace ringside
{

namespace
{

class Scores
{
public:
    Scores(const Painter& painter, Rect area, const RingScene& scene) : p_(painter), s_(scene)
    {
        const float words = p_.height(Type::small) + p_.px(4);
        const float strip = p_.px(18);
        Rect in = area;
        in.cut_top(words);
        in.cut_left(p_.width(Type::small, "queries") + p_.px(8));
        const float side = std::floor(std::min(in.w, in.h) - strip);
        bounds_ = area;
        const std::int64_t n = scene.options().tokens;
        grid_ = {{in.x + strip, in.y + strip, std::max(side, 1.0F), std::max(side, 1.0F)}, n, n};
        strip_ = strip - p_.px(3);
        p_.text(grid_.area.centre(), area.y + words / 2 - p_.px(2), Type::small, p_.theme.muted, "keys",
                Align::centre);
        p_.text(in.x - p_.px(8), grid_.area.middle(), Type::small, p_.theme.muted, "queries", Align::right);
    }

    void draw() const
    {
        const std::int64_t n = s_.options().tokens;
        for (std::int64_t q = 0; q < n; ++q)
        {
            for (std::int64_t k = 0; k < n; ++k)
            {
                draw_cell(q, k);
            }
        }
        draw_strips();
        draw_chosen();
        draw_tip();
    }

private:
    // After how many hops the block of this key is with the rank of this query.
    std::int64_t hop(std::int64_t q, std::int64_t k) const
    {
        return visitor(s_.ranks(), holder(s_.options(), q), holder(s_.options(), k));
    }

    void draw_cell(std::int64_t q, std::int64_t k) const
    {
        const Theme& t = p_.theme;
        if (s_.options().causal && k > q)
        {
            return;
        }
        const std::int64_t when = hop(q, k);
        const Colour ink = s_.colour(t, holder(s_.options(), q));
        const float made = when < s_.merged() ? 1 : when == s_.merged() ? s_.part() : 0;
        const Rect box = grid_.cell(q, k);
        p_.fill(box, mix(t.light ? t.raised : t.control, ink, made > 0 ? 0.25F + 0.75F * made : 0));
        if (made > 0 && made < 1)
        {
            p_.outline(box, t.text, 1);
        }
    }

    void draw_strips() const
    {
        const std::int64_t n = s_.options().tokens;
        for (std::int64_t from = 0; from < n;)
        {
            const std::int64_t rank = holder(s_.options(), from);
            std::int64_t to = from + 1;
            while (to < n && holder(s_.options(), to) == rank)
            {
                ++to;
            }
            const Rect& all = grid_.area;
            const Rect left{all.x - p_.px(3) - strip_, grid_.y(from), strip_,
                            grid_.y(to) - grid_.y(from) - 1};
            const Rect top{grid_.x(from), all.y - p_.px(3) - strip_, grid_.x(to) - grid_.x(from) - 1, strip_};
            for (const Rect& r : {left, top})
            {
                const Colour ink = s_.colour(p_.theme, rank);
                p_.fill(r, ink);
                p_.outline(r, p_.theme.line);
                const std::string name = std::to_string(rank);
                if (r.h >= p_.height(Type::mono_small) * 0.8F && r.w >= p_.width(Type::mono_small, name))
                {
                    p_.text(r.centre(), r.middle(), Type::mono_small, ink_on(ink), name, Align::centre);
                }
            }
            from = to;
        }
    }

    void draw_chosen() const
    {
        const auto mine = tokens_of(s_.options(), s_.rank);
        for (std::size_t i = 0; i < mine.size();)
        {
            std::size_t j = i + 1;
            while (j < mine.size() && mine[j] == mine[j - 1] + 1)
            {
                ++j;
            }
            const float top = grid_.y(mine[i]);
            const float out = strip_ + p_.px(3);
            p_.outline({grid_.area.x - out, top - 1, grid_.area.w + out, grid_.y(mine[j - 1] + 1) - top + 1},
                       p_.theme.text, p_.px(1.5F), p_.px(2));
            i = j;
        }
    }

    void draw_tip() const
    {
        const auto at = grid_.pointed();
        if (!at)
        {
            return;
        }
        const auto [q, k] = *at;
        const bool masked = s_.options().causal && k > q;
        const std::vector<TipLine> lines{
            {fmt::format("query {}", q), fmt::format("stays with rank {}", holder(s_.options(), q)),
             s_.colour(p_.theme, holder(s_.options(), q))},
            {fmt::format("key {}", k), fmt::format("from rank {}", holder(s_.options(), k)),
             s_.colour(p_.theme, holder(s_.options(), k))}};
        const std::int64_t hops = hop(q, k);
        tip_card(p_, bounds_, ImGui::GetIO().MousePos,
                 masked ? "Masked: a later token" : "Computed after " + counted(hops, "hop"), lines);
    }

    const Painter& p_;
    const RingScene& s_;
    Rect bounds_;
    CellGrid grid_;
    float strip_ = 0;
};

} // namespace

void draw_scores(const Painter& painter, Rect area, const RingScene& scene)
{
    if (area.w > painter.px(120) && area.h > painter.px(80))
    {
        Scores(painter, area, scene).draw();
    }
}

} // namespace ringside
