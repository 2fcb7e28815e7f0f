#include "ui/views/lab/peak.h"

#include "core/base/text.h"
#include "ui/views/lab/words.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::string bytes(const Painter& p, std::int64_t amount)
{
    return format_bytes(Bytes(amount), p.look.unit);
}

struct Bar
{
    const MemoryUse* use;
    double most; // [B] at the right edge
    bool outlined;
};

void draw_bar(const Painter& p, Rect r, const Bar& bar, std::string_view label)
{
    const Theme& t = p.theme;
    float x = r.x;
    Rect widest{};
    const Ink* ink = nullptr;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const double share = static_cast<double>(bar.use->parts[i]) / bar.most;
        const Rect part{x, r.y, r.w * static_cast<float>(share), r.h};
        x += part.w;
        if (part.w < 0.5F)
        {
            continue;
        }
        const Rect shown{part.x, part.y, std::max(1.0F, part.w - 1), part.h};
        p.fill(shown, bar.outlined ? dim(t, t.component[i].fill, 0.6F) : t.component[i].fill);
        if (bar.outlined)
        {
            p.outline(shown, t.component[i].fill);
        }
        if (part.w > widest.w)
        {
            widest = part;
            ink = &t.component[i];
        }
    }
    if (ink != nullptr && widest.w > p.width(Type::small_strong, label) + p.px(16))
    {
        p.text(widest.centre(), widest.middle(), Type::small_strong, bar.outlined ? t.text : ink->label,
               label, Align::centre);
    }
    p.text(x + p.px(12), r.middle(), bar.outlined ? Type::mono_small : Type::mono,
           bar.outlined ? t.muted : t.text, bytes(p, bar.use->total()));
}

// Components that share a line of the table.
struct Line
{
    std::string_view name;
    std::array<int, 3> parts; // Component, -1: none
};
constexpr int of(Component c)
{
    return static_cast<int>(c);
}
constexpr std::array kLines{
    Line{"weights", {of(Component::weights), -1, -1}}, Line{"gradients", {of(Component::gradients), -1, -1}},
    Line{"master, momentum, variance",
         {of(Component::master_weights), of(Component::momentum), of(Component::variance)}},
    Line{"buffers", {of(Component::buffers), -1, -1}},
    Line{"activations", {of(Component::activations), -1, -1}}};

std::int64_t sum(const MemoryUse& use, const Line& line)
{
    std::int64_t total = 0;
    for (const int part : line.parts)
    {
        total += part < 0 ? 0 : use.parts.at(static_cast<std::size_t>(part));
    }
    return total;
}

// Columns of numbers there is room for: off by goes last, predicted first.
std::size_t columns_in(const Painter& p, float w)
{
    const float column = p.px(96);
    return w >= 3 * column + p.px(160)   ? 3
           : w >= 2 * column + p.px(130) ? 2
           : w >= column + p.px(120)     ? 1
                                         : 0;
}

void draw_line(const Painter& p, Rect row, const Line& line, const LabRun& run)
{
    const Theme& t = p.theme;
    const MemoryUse& measured = run.snapshot->highest;
    const std::int64_t predicted = sum(run.predicted.memory, line);
    p.line(row.x, row.y, row.right(), row.y, t.grid);
    float x = row.x;
    for (const int part : line.parts)
    {
        if (part >= 0)
        {
            p.fill({x, row.middle() - p.px(6), p.px(12), p.px(12)},
                   t.component.at(static_cast<std::size_t>(part)).fill);
            x += p.px(16);
        }
    }
    const float column = p.px(96);
    const std::size_t columns = columns_in(p, row.w);
    const float left = row.x + p.px(56);
    const float names = row.right() - column * static_cast<float>(columns) - left;
    p.text_within(left, row.middle(), names, Type::small, t.text, line.name);
    const std::array<std::string, 3> words{bytes(p, predicted), bytes(p, sum(measured, line)),
                                           off_by(predicted, sum(measured, line))};
    for (std::size_t i = words.size() - columns; i < words.size(); ++i)
    {
        p.text(row.right() - column * static_cast<float>(2 - i), row.middle(), Type::mono_small,
               i == 0 ? t.muted : t.text, words.at(i), Align::right);
    }
}

void draw_table(const Painter& p, Rect area, const LabRun& run)
{
    const float column = p.px(96);
    const std::size_t columns = columns_in(p, area.w);
    if (columns == 0 || area.h < p.px(48))
    {
        return;
    }
    const Rect head = area.cut_top(p.px(24));
    constexpr std::array<std::string_view, 3> kHeads{"predicted", "measured", "off by"};
    for (std::size_t i = kHeads.size() - columns; i < kHeads.size(); ++i)
    {
        p.text(head.right() - column * static_cast<float>(2 - i), head.middle(), Type::small, p.theme.muted,
               kHeads.at(i), Align::right);
    }
    for (const Line& line : kLines)
    {
        if (area.h < p.px(22))
        {
            return;
        }
        draw_line(p, area.cut_top(p.px(24)), line, run);
    }
}

} // namespace

void draw_peak(const Painter& p, Rect area, const LabFrame& lab)
{
    p.part("memory", area);
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, "Memory at the peak");
    const LabRun& run = lab.a;
    const bool second = lab.b && lab.b->snapshot && lab.b->snapshot->step > 0 &&
                        lab.b->snapshot->peak.total() != run.snapshot->peak.total();
    const float number = p.width(Type::mono, "888.8 MB") + p.px(20);
    auto most = static_cast<double>(std::max(run.predicted.memory.total(), run.snapshot->peak.total()));
    most = second ? std::max(most, static_cast<double>(lab.b->snapshot->peak.total())) : most;
    const float scale = area.w > number + p.px(40) ? (area.w - number) / area.w : 1;
    const float height = p.px(second ? 24 : 32);
    const auto bar = [&](const MemoryUse& use, bool outlined, std::string_view label)
    {
        draw_bar(p, area.cut_top(height), {&use, std::max(1.0, most / static_cast<double>(scale)), outlined},
                 label);
        area.cut_top(p.px(4));
    };
    if (area.h < height * 2 + p.px(8))
    {
        return;
    }
    bar(run.predicted.memory, true, "predicted");
    bar(run.snapshot->peak, false, second ? run.name : "measured");
    if (second && area.h > height)
    {
        bar(lab.b->snapshot->peak, false, lab.b->name);
    }
    area.cut_top(p.px(6));
    draw_table(p, area, run);
}

void draw_predicted_bar(const Painter& p, Rect area, const LabRun& run)
{
    const float number = p.width(Type::mono_small, "888.8 MB") + p.px(20);
    const double most = static_cast<double>(std::max<std::int64_t>(1, run.predicted.memory.total())) *
                        static_cast<double>(area.w / std::max(p.px(40), area.w - number));
    draw_bar(p, area, {&run.predicted.memory, most, true}, "predicted");
}

} // namespace ringside
