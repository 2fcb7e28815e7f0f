#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/table.h"

#include <cmath>

namespace ringside
{

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
         {"unsharded", [&s](std::int64_t q)
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
