#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/ring_attention/scene.h"
#include "ui/widgets/controls.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kRow = 22; // [design px]
constexpr std::size_t kOutputs = 2;

std::string signed_two(float value)
{
    return std::isfinite(value) ? fmt::format("{}{:.2f}", value < 0 ? "\u2212" : " ", std::abs(value))
                                : std::string("\u2212\u221e");
}

std::string vector_of(const RunningSoftmax& s)
{
    std::string words;
    for (std::size_t i = 0; i < kOutputs; ++i)
    {
        words += (i > 0 ? " " : "") + signed_two(s.result(i));
    }
    return words;
}

std::string vector_of(const std::vector<float>& values)
{
    std::string words;
    for (std::size_t i = 0; i < kOutputs; ++i)
    {
        words += (i > 0 ? " " : "") + signed_two(values[i]);
    }
    return words;
}

struct Columns
{
    std::array<float, 5> right{};
};

Columns columns_of(const Painter& p, Rect area)
{
    const float number = p.width(Type::mono_small, "\u22120.00");
    const float two = p.width(Type::mono_small, "\u22120.00 \u22120.00");
    const float names = p.width(Type::small, "query") + p.px(4);
    const float free = area.w - names - 2 * number - 2 * two;
    const float gap = std::max(p.px(6), free / 4);
    Columns c;
    c.right[0] = area.x + names;
    c.right[1] = c.right[0] + gap + number;
    c.right[2] = c.right[1] + gap + number;
    c.right[3] = c.right[2] + gap + two;
    c.right[4] = c.right[3] + gap + two;
    return c;
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
        {"Ring: keys and values, hop by hop", "Ring", format_bytes(plan.ring, unit),
         plan.ranks < 2 ? "nothing to hide" : (hidden ? "each hop hides" : "hops stick out"), "any",
         say(explain_hop(plan)) + fmt::format("\n{} hops in the forward of a layer.", plan.ranks - 1)},
        {"All-gather of keys and values", "Gather", format_bytes(plan.ring, unit), "stands before", "any",
         "Llama 3 gathers keys and values of all first and then attends: any mask is simple, and with few "
         "key/value heads they are small. arXiv 2407.21783, section 3.3.2. The whole sequence's keys and "
         "values are there at once."},
        {"All-to-all of heads (Ulysses)", "Ulysses", format_bytes(plan.exchange, unit), "stands around",
         fmt::format("{} GPU{}", plan.most, plan.most == 1 ? "" : "s"), say(explain_exchange(plan))}};
}

} // namespace

float numbers_height(const Painter& p, const RingScene& s)
{
    const auto rows = std::min<std::size_t>(4, tokens_of(s.options(), s.rank).size());
    return p.px(26) + p.px(kRow) * static_cast<float>(rows + 1);
}

void draw_numbers(const Painter& p, Rect area, const RingScene& s)
{
    const Theme& t = p.theme;
    const Rect head = area.cut_top(p.px(26));
    const bool done = s.merged() == s.ranks();
    const std::string right =
        done ? fmt::format("differs by {:.0e}", s.ring.difference()) : std::string("softmax so far");
    const float said = p.text(head.right(), head.middle(), Type::small, t.muted, right, Align::right);
    p.text_within(head.x, head.middle(), head.w - said - p.px(10), Type::body_strong, t.text,
                  fmt::format("Rank {}, {} block{} merged", s.rank, s.merged(), s.merged() == 1 ? "" : "s"));
    const Columns c = columns_of(p, area);
    const auto row = [&](Type type, Colour ink, const std::array<std::string, 5>& words)
    {
        const Rect r = area.cut_top(p.px(kRow));
        for (std::size_t i = 0; i < words.size(); ++i)
        {
            p.text(c.right.at(i), r.middle(), type, ink, words.at(i), Align::right);
        }
    };
    row(Type::small, t.muted, {"query", "max", "sum", "output", "uncut"});
    for (const std::int64_t q : tokens_of(s.options(), s.rank))
    {
        if (area.h < p.px(kRow) - 1)
        {
            break;
        }
        const RunningSoftmax& now = s.ring.state(q, s.merged());
        row(Type::mono_small, done ? t.text : t.muted,
            {std::to_string(q), signed_two(now.max), fmt::format("{:.2f}", now.sum), vector_of(now),
             vector_of(s.ring.whole(q))});
    }
}

float ways_height(const Painter& p)
{
    return p.px(26) + 3 * p.px(kRow + 2);
}

void draw_ways(const Painter& p, Rect area, const ContextPlan& plan)
{
    const Theme& t = p.theme;
    const Rect head = area.cut_top(p.px(26));
    const float column = std::min(p.px(112), area.w * 0.22F);
    const bool wide = area.w >= p.px(560);
    const auto at = [&](int i) { return area.right() - column * static_cast<float>(i); };
    p.text_within(head.x, head.middle(), area.w - column * (wide ? 3 : 2), Type::body_strong, t.text,
                  plan.supposed && plan.ranks > 1 ? fmt::format("If {} GPUs shared a sequence", plan.ranks)
                                                  : fmt::format("{} GPUs share a sequence", plan.ranks));
    p.text(at(wide ? 2 : 1), head.middle(), Type::small, t.muted, "sent a layer", Align::right);
    if (wide)
    {
        p.text(at(1), head.middle(), Type::small, t.muted, "its time", Align::right);
    }
    p.text(at(0), head.middle(), Type::small, t.muted, "at most", Align::right);
    for (const Way& way : ways_of(plan, p.look.unit))
    {
        const Rect row = area.cut_top(p.px(kRow + 2));
        const float room = area.w - column * (wide ? 3 : 2);
        p.text_within(row.x, row.middle(), room, Type::small, t.text,
                      p.width(Type::small, way.name) <= room ? way.name : way.brief);
        p.text(at(wide ? 2 : 1), row.middle(), Type::mono_small, t.text, way.sends, Align::right);
        if (wide)
        {
            p.text(at(1), row.middle(), Type::small, t.muted, way.hides, Align::right);
        }
        p.text(at(0), row.middle(), Type::small, t.muted, way.limit, Align::right);
        if (row.contains(ImGui::GetIO().MousePos) && !ImGui::IsMouseDown(0))
        {
            tooltip_at_mouse(p, way.says);
        }
    }
}

} // namespace ringside
