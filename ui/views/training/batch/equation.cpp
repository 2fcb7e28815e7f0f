#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/training/batch/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array kOrder{BatchPart::global, BatchPart::replicas, BatchPart::accumulation,
                            BatchPart::micro};
constexpr std::array<std::string_view, kBatchParts> kSigns{"", "=", "\u00d7", "\u00d7"};

std::string_view says_of(BatchPart part)
{
    switch (part)
    {
    case BatchPart::global:
        return "sequences of one optimizer step, over all ranks";
    case BatchPart::replicas:
        return "copies of the model, each on its own share of the batch";
    case BatchPart::accumulation:
        return "micro-batches that each replica works through before the one update";
    case BatchPart::micro:
        break;
    }
    return "sequences that go through forward and backward at once; what activations are counted for";
}

void draw_tile(const Painter& p, Rect r, BatchPart part, const BatchSplit& split, BatchState& state,
               bool solved, Out& out)
{
    const Theme& t = p.theme;
    const bool unknown = part == state.unknown;
    const std::string label = fmt::format("###solve for {}", name_of(part));
    const Press pressed = press(p, r, label.c_str(), 8);
    p.part(name_of(part), r);
    p.card(r, unknown, pressed.hovered);
    tooltip(p, fmt::format("{}: {}\n\nPress to solve for it.", name_of(part), says_of(part)));
    if (pressed.clicked)
    {
        state.unknown = part;
        state.draft.reset();
        out.animating = true;
    }
    const float pad = p.px(10);
    Rect inner{r.x + pad, r.y + p.px(6), r.w - 2 * pad, r.h - p.px(12)};
    const Rect name = inner.cut_top(p.height(Type::small));
    const bool whole = p.width(Type::small, name_of(part)) <= name.w;
    p.text_within(name.x, name.middle(), name.w, Type::small, t.muted,
                  whole ? name_of(part) : symbol_of(part));
    const float follows = p.width(Type::small, "follows");
    if (unknown && whole && p.width(Type::small, name_of(part)) + follows + p.px(8) <= name.w)
    {
        p.text(name.right(), name.middle(), Type::small, t.muted, "follows", Align::right);
    }
    const bool lost = unknown && !solved;
    const std::string number = lost ? "?" : grouped(split.of(part));
    const bool large = p.width(Type::mono_title, number) <= inner.w;
    p.text_within(inner.x, inner.middle(), inner.w, large ? Type::mono_title : Type::mono_small,
                  lost ? t.warning : t.text, number);
}

// All of it on one line, where tiles have no room.
std::string line_of(const BatchSplit& split, const BatchState& state, bool solved)
{
    std::string line;
    for (std::size_t i = 0; i < kBatchParts; ++i)
    {
        const bool lost = kOrder[i] == state.unknown && !solved;
        line += fmt::format("{}{}{}{}", i > 0 ? " " : "", kSigns[i], i > 0 ? " " : "",
                            lost ? "?" : grouped(split.of(kOrder[i])));
    }
    return line;
}

} // namespace

BatchSplit shown_split(const BatchState& state, const Scenario& scenario)
{
    const BatchSplit own = batch_split(scenario);
    return state.draft && state.of == own ? *state.draft : own;
}

void give_part(BatchState& state, const Scenario& scenario, BatchPart part, std::int64_t value, Out& out)
{
    const BatchSplit wanted = shown_split(state, scenario).with(part, value);
    const auto solved = solve_batch(wanted, state.unknown);
    if (solved)
    {
        state.draft.reset();
        if (*solved != batch_split(scenario))
        {
            out.push(ChangeScenario{with_batch(scenario, *solved), false});
        }
    }
    else
    {
        state.of = batch_split(scenario);
        state.draft = wanted;
    }
    out.animating = true;
}

float equation_height(const Painter& p)
{
    return p.height(Type::small) + p.height(Type::mono_title) + p.px(16);
}

void draw_equation(const Painter& p, Rect area, const Frame& frame, BatchState& state, Out& out)
{
    const Scenario& s = frame.now.scenario;
    const BatchSplit split = shown_split(state, s);
    const auto solved = static_cast<bool>(solve_batch(split, state.unknown));
    p.part("equation", area.inset(-p.px(2)));
    const std::string tokens = format_count(batch_tokens(s)) + " tokens";
    const std::string each = fmt::format("\u00d7 {} a sequence", grouped(s.training.sequence_length));
    const float wide = std::max(p.width(Type::body_strong, tokens), p.width(Type::small, each)) + p.px(32);
    if (area.w - wide > p.px(90) * static_cast<float>(kBatchParts))
    {
        Rect r = area.cut_right(wide);
        r.cut_left(p.px(24));
        const Rect top = r.cut_top(r.h / 2);
        p.text(top.x, top.middle() + p.px(4), Type::small, p.theme.muted, each);
        p.text(r.x, r.middle() - p.px(4), Type::body_strong, p.theme.text, tokens);
    }
    const float sign = p.px(24);
    const float tile = (area.w - sign * 3) / static_cast<float>(kBatchParts);
    if (tile < p.px(64))
    {
        p.text_within(area.x, area.middle(), area.w, Type::mono_small, p.theme.text,
                      line_of(split, state, solved));
        return;
    }
    for (std::size_t i = 0; i < kBatchParts; ++i)
    {
        if (i > 0)
        {
            const Rect between = area.cut_left(sign);
            p.text(between.centre(), between.middle(), Type::body, p.theme.muted, kSigns[i], Align::centre);
        }
        draw_tile(p, area.cut_left(tile), kOrder[i], split, state, solved, out);
    }
}

} // namespace ringside
