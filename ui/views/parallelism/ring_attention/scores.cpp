#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pictures/cell_grid.h"
#include "ui/widgets/table.h"

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
        const auto at = grid_.pointed(p_);
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

namespace
{

constexpr float kPitch = 22;
constexpr std::size_t kOutputs = 2;

std::string signed_two(float value)
{
    return std::isfinite(value) ? fmt::format("{}{:.2f}", value < 0 ? "\u2212" : " ", std::abs(value))
                                : std::string("\u2212\u221e");
}

std::string vector_of(auto value)
{
    std::string words;
    for (std::size_t i = 0; i < kOutputs; ++i)
    {
        words += (i > 0 ? " " : "") + signed_two(value(i));
    }
    return words;
}

struct Way
{
    std::string_view name;
    std::string_view brief;
    std::string sends;
    std::string hides;
    std::string limit;
    std::string says;
};

std::vector<Way> ways_of(const ContextPlan& plan, ByteUnit unit)
{
    const bool hidden = plan.tokens >= plan.least_causal();
    const auto say = [&](const Term& term)
    { return fmt::format("{} = {}\n{}", term.formula, term.working, term.source); };
    return {
        {"Ring attention: KV hop by hop", "Ring", format_bytes(plan.ring, unit),
         plan.ranks < 2 ? "nothing sent" : (hidden ? "overlapped" : "partly exposed"), "any",
         say(explain_hop(plan)) + fmt::format("\n{} hops in the forward pass of a layer.", plan.ranks - 1)},
        {"All-gather of KV", "Gather", format_bytes(plan.ring, unit), "before attention", "any",
         "Llama 3 gathers all keys and values first and then attends: any mask is simple, and with few "
         "key/value heads they are small. arXiv 2407.21783, section 3.3.2. The keys and values of the whole "
         "sequence are in memory together."},
        {"All-to-all over heads (Ulysses)", "Ulysses", format_bytes(plan.exchange, unit), "before and after",
         grouped(plan.most), say(explain_exchange(plan))}};
}

} // namespace

float numbers_height(const Painter& p, const RingScene& s)
{
    return p.px(26) +
           table_height(p, std::min<std::size_t>(4, tokens_of(s.options(), s.rank).size()), kPitch);
}

void draw_numbers(const Painter& p, Rect area, const RingScene& s)
{
    const bool done = s.merged() == s.ranks();
    draw_chart_title(p, area.cut_top(p.px(26)),
                     fmt::format("Rank {}, {} merged", s.rank, counted(s.merged(), "block")),
                     "online softmax", done ? fmt::format("differs by {:.0e}", s.ring.difference()) : "");
    const auto state = [&s](auto words)
    { return [&s, words](std::int64_t q) { return Cell(words(s.ring.state(q, s.merged()))); }; };
    const Table<std::int64_t> table(
        {{"query", [](std::int64_t q) { return std::to_string(q); }},
         {"max", state([](const RunningSoftmax& now) { return signed_two(now.max); })},
         {"sum", state([](const RunningSoftmax& now) { return fmt::format("{:.2f}", now.sum); })},
         {"output", state([](const RunningSoftmax& now)
                          { return vector_of([&](std::size_t i) { return now.result(i); }); })},
         {"reference", [&s](std::int64_t q)
          { return vector_of([values = s.ring.whole(q)](std::size_t i) { return values[i]; }); }}},
        nullptr, nullptr, kPitch);
    table.draw(p, area, tokens_of(s.options(), s.rank));
}

float ways_height(const Painter& p)
{
    return table_height(p, 3);
}

void draw_ways(const Painter& p, Rect area, const ContextPlan& plan)
{
    const bool wide = area.w >= p.px(560);
    const auto quiet = [&p](std::string Way::*words)
    { return [&p, words](const Way& way) { return Cell(way.*words, p.theme.muted); }; };
    const bool supposed = plan.supposed && plan.ranks > 1;
    const Table<Way> table(
        {{supposed ? fmt::format("With CP = {}", plan.ranks) : fmt::format("CP = {}", plan.ranks),
          [wide](const Way& way) { return wide ? way.name : way.brief; }},
         {"sent per layer", [](const Way& way) { return way.sends; }},
         {"communication", quiet(&Way::hides), 1},
         {"largest CP", quiet(&Way::limit), 2}},
        nullptr, nullptr, kTablePitch, [](const Way& way) { return way.says; });
    table.draw(p, area, ways_of(plan, p.look.unit));
}

} // namespace ringside
