#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/parallelism/tensor/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostColumns = 16;

// `count` squares in a row, or one bar where they would be too narrow.
void draw_squares(const Painter& p, Rect row, std::int64_t count, const Ink& ink, bool hatched)
{
    const float each = row.w / static_cast<float>(count);
    const bool single = each < p.px(4);
    const float side = single ? row.w : std::min(each - 1, p.px(18));
    for (std::int64_t i = 0; i < (single ? 1 : count); ++i)
    {
        const Rect box{row.x + static_cast<float>(i) * (side + 1), row.y, side, row.h};
        p.fill(box, ink.fill);
        if (hatched)
        {
            p.hatch(box, p.theme.window, kIdleHatch);
        }
    }
}

std::string head_words(const TensorPlan& plan)
{
    std::string words =
        fmt::format("Attention heads with TP = {}: {} and {} per GPU", plan.ranks,
                    counted(plan.heads, "query head"), counted(plan.kv_heads, "key/value head"));
    if (plan.kv_copies > 1)
    {
        words += fmt::format(", replicated on {}", plan.kv_copies);
    }
    return words;
}

} // namespace

float heads_height(const Painter& p)
{
    return p.px(26) + p.px(18) + p.px(4) + p.px(18) + p.px(6); // the last: what is below keeps off
}

void draw_heads(const Painter& p, Rect area, const TensorPlan& plan)
{
    const Theme& t = p.theme;
    const Rect head = area.cut_top(p.px(26));
    p.text_within(head.x, head.middle(), head.w, Type::small, t.text, head_words(plan));
    const float names = p.width(Type::small, "rank 0") + p.px(12);
    Rect queries = area.cut_top(p.px(18));
    area.cut_top(p.px(4));
    Rect keys = area.cut_top(p.px(18));
    p.text(queries.x, queries.middle(), Type::mono_small, t.muted, "Q");
    p.text(keys.x, keys.middle(), Type::mono_small, t.muted, "K V");
    queries.cut_left(names);
    keys.cut_left(names);
    const std::int64_t columns = std::min(plan.ranks, kMostColumns);
    const float pitch = queries.w / static_cast<float>(columns);
    const float gap = std::min(p.px(12), pitch * 0.2F);
    for (std::int64_t c = 0; c < columns; ++c)
    {
        const float x = queries.x + pitch * static_cast<float>(c);
        draw_squares(p, {x, queries.y, pitch - gap, queries.h}, plan.heads, t.of(Component::weights), false);
        draw_squares(p, {x, keys.y, pitch - gap, keys.h}, plan.kv_heads, t.of(Component::activations),
                     plan.kv_copies > 1 && c % plan.kv_copies != 0);
    }
}

} // namespace ringside
