#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/table.h"

#include <array>
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
         plan.ranks < 2 ? "nothing to hide" : (hidden ? "each hop hides" : "exposed communication"), "any",
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
    return p.px(26) +
           table_height(p, std::min<std::size_t>(4, tokens_of(s.options(), s.rank).size()), kPitch);
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
    const auto state = [&s](auto words)
    { return [&s, words](std::int64_t q) { return Cell(words(s.ring.state(q, s.merged()))); }; };
    const Table<std::int64_t> table(
        {{"query", [](std::int64_t q) { return std::to_string(q); }},
         {"max", state([](const RunningSoftmax& now) { return signed_two(now.max); })},
         {"sum", state([](const RunningSoftmax& now) { return fmt::format("{:.2f}", now.sum); })},
         {"output", state([](const RunningSoftmax& now) { return vector_of(now); })},
         {"uncut", [&s](std::int64_t q) { return vector_of(s.ring.whole(q)); }}},
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
    const Table<Way> table({{supposed ? fmt::format("If {} GPUs shared a sequence", plan.ranks)
                                      : fmt::format("{} GPUs share a sequence", plan.ranks),
                             [wide](const Way& way) { return wide ? way.name : way.brief; }},
                            {"sent a layer", [](const Way& way) { return way.sends; }},
                            {"its time", quiet(&Way::hides), 1},
                            {"at most", quiet(&Way::limit), 2}},
                           nullptr, nullptr, kTablePitch, [](const Way& way) { return way.says; });
    table.draw(p, area, ways_of(plan, p.look.unit));
}

} // namespace ringside
