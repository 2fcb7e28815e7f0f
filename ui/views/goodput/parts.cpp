#include "ui/views/goodput/parts.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kRunParts> kSays{
    "Training that is kept: t / (M e^((R+L)/M) (e^((t+d)/M) \u2212 1)), Daly 2006",
    "Training waits while a checkpoint is written: d of every t + d",
    "Done since the last safe checkpoint, and done again: (t + d) / 2 a failure, and what a save on its way "
    "adds",
    "Until somebody notices: PyTorch\u2019s NCCL watchdog waits 10 minutes unless told otherwise",
    "New processes, loading the checkpoint, the first step",
    "No spare node left: waiting for one, or going on with fewer replicas"};

void draw_bar(const Painter& p, Rect r, const std::array<double, kRunParts>& share)
{
    float at = r.x;
    for (std::size_t i = 0; i < kRunParts; ++i)
    {
        const float wide = r.w * static_cast<float>(share[i]);
        if (wide > 0.3F)
        {
            draw_part(p, {at, r.y, std::max(1.0F, wide), r.h}, static_cast<RunPart>(i));
        }
        at += wide;
    }
}

} // namespace

float parts_height(const Painter& p)
{
    return p.px(34) + static_cast<float>(kRunParts + 1) * (p.height(Type::small) + p.px(7));
}

void draw_parts(const Painter& p, Rect area, const RunDesk& desk, double now)
{
    const Theme& t = p.theme;
    const float pitch = std::min(p.height(Type::small) + p.px(7), (area.h - p.px(30)) / (kRunParts + 1.0F));
    std::array<double, kRunParts> seen = parts_until(desk.story(), now);
    for (double& s : seen)
    {
        s = now > 0 ? s / std::min(now, desk.story().horizon) : 0;
    }
    const float column = p.width(Type::mono_small, "00.00%") + p.px(14);
    const auto write = [&](Rect row, std::string_view name, const std::string& expected,
                           const std::string& here, Type type, Colour colour, float indent)
    {
        p.text_within(row.x + indent, row.middle(), row.w - 2 * column - indent, type, colour, name);
        p.text(row.right() - column, row.middle(), Type::mono_small, t.text, expected, Align::right);
        p.text(row.right(), row.middle(), Type::mono_small, t.muted, here, Align::right);
    };
    const Rect head = area.cut_top(pitch);
    p.text_within(head.x, head.middle(), head.w - 2 * column, Type::small_strong, t.text, "The wall clock");
    p.text(head.right() - column, head.middle(), Type::small, t.muted, "expected", Align::right);
    p.text(head.right(), head.middle(), Type::small, t.muted, "this run", Align::right);
    const Rect bar = area.cut_top(p.px(18));
    draw_bar(p, bar, desk.expected().share);
    area.cut_top(p.px(8));
    for (std::size_t i = 0; i < kRunParts; ++i)
    {
        const auto part = static_cast<RunPart>(i);
        const Rect row = area.cut_top(pitch);
        const float side = std::min(p.px(12), row.h - 2);
        draw_part(p, {row.x, row.middle() - side / 2, side, side}, part);
        write(row, name_of(part), format_percent(desk.expected().share[i]),
              now > 0 ? format_percent(seen[i]) : "\u2013", i == 0 ? Type::small_strong : Type::small,
              i == 0 ? t.text : t.muted, p.px(20));
        press(p, row, fmt::format("###part {}", name_of(part)).c_str(), 2);
        tooltip(p, kSays[i]);
    }
}

} // namespace ringside
