#include "ui/views/step/compare.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/step/picture.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRow = 24;
constexpr float kNames = 116;
constexpr float kColumn = 76;

struct Column
{
    std::string_view heading;
    std::string (*value)(const StepLife&, ByteUnit);
    float room; // [design px] the table must have before it is shown
};

std::string sent(const StepLife& life, StepKind kind, ByteUnit unit)
{
    const Bytes bytes = life.sent_of(kind);
    return bytes.value > 0 ? format_gigabytes(bytes, unit) : "\u2013";
}

// From the left; the last ones are the most important.
constexpr std::array kColumns{
    Column{"gather", [](const StepLife& l, ByteUnit u) { return sent(l, StepKind::all_gather, u); }, 760},
    Column{"scatter", [](const StepLife& l, ByteUnit u) { return sent(l, StepKind::reduce_scatter, u); },
           760},
    Column{"reduce", [](const StepLife& l, ByteUnit u) { return sent(l, StepKind::all_reduce, u); }, 760},
    Column{"sent", [](const StepLife& l, ByteUnit u) { return format_gigabytes(l.all_sent(), u); }, 440},
    Column{"exposed", [](const StepLife& l, ByteUnit) { return format_seconds(Seconds(l.exposed)); }, 0},
    Column{"efficient", [](const StepLife& l, ByteUnit) { return format_percent(l.efficiency()); }, 520}};

// Compute, then what it waited for, on one scale for all.
void draw_bar(const Painter& p, Rect bar, const StepLife& life, double longest, bool chosen)
{
    const auto width = [&](double seconds) { return bar.w * static_cast<float>(seconds / longest); };
    const Colour work = chosen ? p.theme.forward.fill : dim(p.theme, p.theme.forward.fill, 0.45F);
    p.fill({bar.x, bar.y, width(life.compute), bar.h}, work);
    draw_exposed(p, {bar.x + width(life.compute), bar.y, width(life.exposed), bar.h});
}

} // namespace

float step_compare_height(const Painter& painter)
{
    return painter.px(kRow) * static_cast<float>(kStepStrategies + 1);
}

std::optional<StepStrategy> draw_step_compare(const Painter& p, Rect area, const StepLives& lives)
{
    const Theme& t = p.theme;
    const float roomy = area.w / p.look.scale;
    std::vector<const Column*> columns;
    for (const Column& c : kColumns)
    {
        if (roomy >= c.room)
        {
            columns.push_back(&c);
        }
    }
    const float column = p.px(kColumn);
    const float table = column * static_cast<float>(columns.size());
    const float names = p.px(kNames);
    Rect row = area.cut_top(p.px(kRow));
    const float bar = std::max(0.0F, area.w - names - table - p.px(8));
    const auto right_of = [&](std::size_t i)
    { return area.right() - column * static_cast<float>(columns.size() - 1 - i); };
    p.text_within(row.x, row.middle(), names - p.px(8), Type::body_strong, t.text, "Compare");
    p.text_within(row.x + names, row.middle(), bar - p.px(8), Type::small, t.muted, "compute, then exposed");
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
        const bool unit = columns[i]->heading == "sent"; // and the three before it
        p.text(right_of(i), row.middle(), Type::small, t.muted,
               unit ? fmt::format("sent {}", p.look.gigabyte()) : std::string(columns[i]->heading),
               Align::right);
    }
    const double longest = std::max(1e-12, lives.longest());
    std::optional<StepStrategy> clicked;
    for (std::size_t k = 0; k < kStepStrategies; ++k)
    {
        const auto strategy = static_cast<StepStrategy>(k);
        const bool chosen = strategy == lives.options().strategy;
        const StepLife& life = lives.of(strategy);
        row = area.cut_top(p.px(kRow));
        p.line(row.x, row.y, row.right(), row.y, t.grid);
        const Press pressed = press(p, row, fmt::format("compare {}", name_of(strategy)).c_str(), 4);
        clicked = pressed.clicked ? std::optional(strategy) : clicked;
        const bool lit = chosen || pressed.hovered;
        p.text_within(row.x, row.middle(), names - p.px(8), chosen ? Type::small_strong : Type::small,
                      lit ? t.text : t.muted, name_of(strategy));
        draw_bar(p, {row.x + names, row.y + p.px(6), bar - p.px(8), row.h - p.px(11)}, life, longest, lit);
        for (std::size_t i = 0; i < columns.size(); ++i)
        {
            p.text(right_of(i), row.middle(), Type::mono_small, lit ? t.text : t.muted,
                   columns[i]->value(life, p.look.unit), Align::right);
        }
    }
    return clicked;
}

} // namespace ringside
