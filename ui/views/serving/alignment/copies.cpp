#include "ui/views/serving/alignment/copies.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/bar_rows.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kModelRoles> kShort{"policy", "ref", "RM", "value"};

std::vector<BarPart> parts_of(const Theme& t, const AlignmentReport& r)
{
    std::vector<BarPart> parts;
    for (const ModelCopy& c : r.copies)
    {
        parts.push_back({c.weights.value, {t.of(Component::weights)}});
        parts.push_back({c.gradients.value, {t.of(Component::gradients)}});
        parts.push_back({c.optimizer.value, {t.of(Component::momentum)}});
    }
    parts.push_back({r.cache.value, {t.of(Component::activations)}});
    return parts;
}

void name_copy(const Painter& p, Rect b, const ModelCopy& c)
{
    p.line(b.right(), b.y - p.px(2), b.right(), b.bottom() + p.px(2), p.theme.window, p.px(2));
    const std::string words(name_of(c.role));
    const std::string whole = c.state == CopyState::trained ? words + ", trained" : words;
    const bool roomy = p.width(Type::small, whole) <= b.w - p.px(8);
    const std::string_view said = roomy ? whole : kShort.at(static_cast<std::size_t>(c.role));
    const float w = p.width(Type::small, said);
    // Closer to the edge rather than no name.
    const float edge = w <= b.w - p.px(8) ? p.px(2) : p.px(1);
    if (w <= b.w - 4 * edge && b.h >= p.height(Type::small) - p.px(4))
    {
        p.fill({b.x + edge, b.middle() - p.px(9), w + 3 * edge, p.px(18)}, with_alpha(p.theme.window, 0.82F),
               p.px(3));
        p.text(b.x + 2.5F * edge, b.middle(), Type::small, p.theme.text, said);
    }
}

std::string tip_of(const ModelCopy& c, ByteUnit unit)
{
    return fmt::format("{}, {}: {}\n\nweights {}, gradients {}, optimizer {}", name_of(c.role),
                       c.state == CopyState::trained ? "trained" : "frozen", format_bytes(c.total(), unit),
                       format_bytes(c.weights, unit), format_bytes(c.gradients, unit),
                       format_bytes(c.optimizer, unit));
}

// Names on the copies of a row, and what is under the mouse.
void draw_copies(const Painter& p, const AlignmentReport& r, const AlignmentSetup& setup,
                 const StackedBar& bar)
{
    for (std::size_t i = 0; i < r.copies.size(); ++i)
    {
        const Rect first = bar.parts[3 * i];
        name_copy(p, {first.x, first.y, bar.parts[3 * i + 2].right() - first.x, first.h}, r.copies[i]);
    }
    if (bar.hovered)
    {
        const std::size_t copy = *bar.hovered / 3;
        tooltip_at_mouse(p, copy < r.copies.size()
                                ? tip_of(r.copies[copy], p.look.unit)
                                : fmt::format("Keys and values of {} answers of {} tokens while they are "
                                              "written: {}",
                                              grouped(setup.answers), grouped(setup.tokens),
                                              format_bytes(r.cache, p.look.unit)));
    }
}

} // namespace

std::optional<AlignmentRecipe> draw_model_copies(const Frame& frame, const Painter& p, Rect area,
                                                 const AlignmentDesk& desk, CopyLevels& levels, Out& out)
{
    const Theme& t = p.theme;
    constexpr std::string_view kTitle = "Models in memory, before any sharding";
    Rect head = area.cut_top(p.px(24));
    head.cut_left(p.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text, kTitle) +
                  p.px(24));
    draw_legend(p, head,
                std::array{LegendItem{"weights", {t.of(Component::weights)}},
                           LegendItem{"gradients", {t.of(Component::gradients)}},
                           LegendItem{"optimizer", {t.of(Component::momentum)}},
                           LegendItem{"cache", {t.of(Component::activations)}}});
    BarRows rows{{{}, {"", "", 1, 0}}, {}, 44};
    double most = 1;
    for (const AlignmentInfo& info : alignment_recipes())
    {
        const AlignmentReport& r = desk.of(info.recipe);
        const std::int64_t gpus = desk.gpus(info.recipe);
        most = std::max(most, r.total().value);
        rows.rows.push_back({std::string(info.name),
                             {{parts_of(t, r), {}, format_bytes(r.total(), p.look.unit)},
                              {{}, {}, fmt::format("{} GPU{}", grouped(gpus), gpus == 1 ? "" : "s")}},
                             "",
                             fmt::format("###align {}", info.name),
                             "",
                             info.recipe == desk.wish.recipe});
    }
    rows.columns[0].most =
        static_cast<double>(levels.most.towards(static_cast<float>(most / 1e9), frame, p.look, out)) * 1e9;
    const DrawnRows drawn = draw_bar_rows(p, area, rows);
    p.part("copies", area);
    for (const AlignmentInfo& info : alignment_recipes())
    {
        if (const auto& bars = drawn.bars[static_cast<std::size_t>(info.recipe)]; !bars.empty())
        {
            draw_copies(p, desk.of(info.recipe), desk.wish.setup, bars.front());
        }
    }
    return drawn.pressed ? std::optional(static_cast<AlignmentRecipe>(*drawn.pressed)) : std::nullopt;
}

} // namespace ringside
