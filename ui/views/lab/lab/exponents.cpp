#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ringside
{

namespace
{

// Powers of two on show; what is smaller, zeros included, is the column at the left.
constexpr int kLeast = -44;
constexpr int kMost = 20;

// The smallest subnormal and the largest finite number, by power of two.
struct Format
{
    std::string_view name;
    int smallest;
    int smallest_normal;
    int largest;
};
// IEEE 754; OCP 8-bit formats: Micikevicius et al., arXiv 2209.05433, table 1. bf16 has float's exponents.
constexpr std::array kFormats{Format{"bf16", -133, -126, 127}, Format{"fp16", -24, -14, 15},
                              Format{"e5m2", -16, -14, 15}, Format{"e4m3", -9, -6, 8}};

struct Powers
{
    Rect area;
    float x(int power) const
    {
        const int clamped = std::clamp(power, kLeast, kMost);
        return area.x + area.w * static_cast<float>(clamped - kLeast) / static_cast<float>(kMost - kLeast);
    }
};

std::int64_t total(const ExponentHistogram& h)
{
    return sum_over<std::int64_t>(h.counts);
}

// Shares by column, square roots so that rare powers are still seen.
void draw_histogram(const Painter& p, Rect r, const ExponentHistogram& h, const Powers& powers, Colour colour)
{
    const auto all = static_cast<double>(std::max<std::int64_t>(1, total(h)));
    std::array<double, kMost - kLeast + 1> shares{};
    double most = 1e-9;
    for (int bin = 0; bin < 255; ++bin)
    {
        const int power = std::clamp(bin - 127, kLeast, kMost);
        double& share = shares.at(static_cast<std::size_t>(power - kLeast));
        share += static_cast<double>(h.counts.at(static_cast<std::size_t>(bin))) / all;
        most = std::max(most, share);
    }
    for (int power = kLeast; power < kMost; ++power)
    {
        const double share = shares.at(static_cast<std::size_t>(power - kLeast));
        const float height = r.h * static_cast<float>(std::sqrt(share / most));
        const float x = powers.x(power);
        p.fill({x, r.bottom() - height, std::max(1.0F, powers.x(power + 1) - x - 1), height}, colour);
    }
    p.line(r.x, r.bottom(), r.right(), r.bottom(), p.theme.line);
}

std::string lost_words(const ExponentHistogram& h)
{
    const auto all = static_cast<double>(std::max<std::int64_t>(1, total(h)));
    const auto below = sum_over<std::int64_t>(std::span(h.counts).first<127 - 24>());
    return h.counts.back() > 0
               ? fmt::format("{} not finite", grouped(h.counts.back()))
               : fmt::format("{} below fp16", format_percent(static_cast<double>(below) / all));
}

void draw_formats(const Painter& p, Rect area, const Powers& powers)
{
    const Theme& t = p.theme;
    const float step = area.h / static_cast<float>(kFormats.size());
    for (const Format& f : kFormats)
    {
        const Rect row = area.cut_top(step);
        const float from = powers.x(f.smallest);
        const float normal = powers.x(f.smallest_normal);
        const float to = powers.x(f.largest + 1);
        const float h = std::min(row.h - p.px(3), p.px(14));
        const float y = row.middle() - h / 2;
        p.hatch({from, y, normal - from, h}, t.muted, kIdleHatch);
        p.outline({from, y, to - from, h}, t.line);
        p.fill({normal, y, to - normal, h}, with_alpha(t.muted, 0.25F));
        p.text(powers.area.x - p.px(12), row.middle(), Type::small, t.text, f.name, Align::right);
    }
}

void draw_powers(const Painter& p, Rect row, const Powers& powers)
{
    const float wanted = p.width(Type::mono_small, "2^-40") + p.px(14);
    const auto pace = std::max(8, 8 * static_cast<int>(std::ceil(wanted / (powers.x(8) - powers.x(0)))));
    for (int power = -40; power < kMost; power += pace)
    {
        p.text(powers.x(power), row.middle(), Type::mono_small, p.theme.muted, fmt::format("2^{}", power),
               Align::centre);
    }
}

} // namespace

void draw_exponents(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    const Theme& t = p.theme;
    const bool counted = run.step == 0 || total(run.activations) > 0; // a GPU in a page counts none
    draw_head(p, head, "Numbers by size",
              counted ? "by power of two; below, what formats hold"
                      : "counted only in runs on the CPU; below, what formats hold");
    struct Row
    {
        std::string_view name;
        const ExponentHistogram* histogram;
        Colour colour;
    };
    const std::array<Row, 3> rows{
        Row{"activations", &run.activations, t.of(Component::activations).fill},
        Row{"their gradients", &run.activation_gradients, t.of(Component::buffers).fill},
        Row{"weight gradients", &run.weight_gradients, t.of(Component::gradients).fill}};
    const float names = std::min(p.px(150), area.w * 0.3F);
    const Powers powers{{area.x + names, area.y, area.w - names - p.px(8), area.h}};
    const Rect formats = area.cut_bottom(area.h > p.px(200) ? p.px(80) : 0);
    const Rect axis = area.cut_bottom(area.h > p.px(96) ? p.px(24) : 0);
    const float height = area.h / static_cast<float>(rows.size());
    if (height < p.px(20))
    {
        return;
    }
    for (const Row& row : rows)
    {
        Rect r = area.cut_top(height);
        r.cut_top(p.px(4));
        p.text_within(r.x, r.middle() - p.px(9), names - p.px(12), Type::small, t.text, row.name);
        if (height > p.px(44) && total(*row.histogram) > 0)
        {
            p.text_within(r.x, r.middle() + p.px(11), names - p.px(12), Type::small, t.muted,
                          lost_words(*row.histogram));
        }
        draw_histogram(p, {powers.area.x, r.y, powers.area.w, r.h}, *row.histogram, powers, row.colour);
    }
    if (axis.h > 0)
    {
        draw_powers(p, axis, powers);
    }
    if (formats.h > 0)
    {
        draw_formats(p, formats, powers);
    }
}

void draw_samples(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    const Theme& t = p.theme;
    draw_head(p, head, "Samples", "temperature 0.8, the newest first");
    if (lab.a.samples.empty())
    {
        empty_state(p, area, "", "Nothing yet: every 200 steps, or press S.");
        return;
    }
    const float label = p.px(96);
    for (auto sample = lab.a.samples.rbegin(); sample != lab.a.samples.rend(); ++sample)
    {
        if (area.h < p.px(48))
        {
            return;
        }
        p.text(area.x, area.y + p.px(14), Type::mono_small, t.muted,
               fmt::format("step {}", grouped(sample->step)));
        const Rect words{area.x + label, area.y + p.px(2), area.w - label, 0};
        p.list.PushClipRect({words.x, area.y}, {area.right(), area.bottom()}, true);
        const float used = p.paragraph(words, Type::mono_small, t.text, sample->text);
        p.list.PopClipRect();
        area.cut_top(used + p.px(10));
    }
}

} // namespace ringside
