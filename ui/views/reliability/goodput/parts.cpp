#include <fmt/format.h>

#include "ui/views/reliability/goodput/pictures.h"
#include "ui/widgets/stacked_bar.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kRunParts> kSays{
    "Goodput: t / (M e^((R+L)/M) (e^((t+d)/M) \u2212 1)), Daly 2006",
    "Training stalls while a checkpoint is written: d of every t + d",
    "Re-run since the last complete checkpoint: (t + d) / 2 per failure, and what an unfinished save adds",
    "Until the failure is detected: PyTorch\u2019s NCCL watchdog waits 10 minutes by default",
    "New processes, loading the checkpoint, the first step",
    "No spare node left: waiting for one, or continuing with fewer replicas"};

} // namespace

float parts_height(const Painter& p)
{
    return p.px(26) + table_height(p, kRunParts);
}

void draw_parts(const Painter& p, Rect area, const RunDesk& desk, double now)
{
    std::array<double, kRunParts> seen = parts_until(desk.story(), now);
    for (double& s : seen)
    {
        s = now > 0 ? s / std::min(now, desk.story().horizon) : 0;
    }
    std::vector<BarPart> shares;
    for (std::size_t i = 0; i < kRunParts; ++i)
    {
        shares.push_back({desk.expected().share[i], part_fill(p.theme, static_cast<RunPart>(i))});
    }
    const auto at = [](RunPart part) { return static_cast<std::size_t>(part); };
    const Table<RunPart> table(
        {Column<RunPart>("Wall-clock time", [](RunPart part) { return name_of(part); })
             .with(kSwatchRoom, [&](const Painter&, Rect cell, RunPart part, bool)
                   { draw_swatch(p, cell, shares[at(part)].fill); }),
         {"expected", [&](RunPart part) { return say_share(desk.expected().share[at(part)]); }},
         {"this run",
          [&](RunPart part) { return Cell(now > 0 ? say_share(seen[at(part)]) : "\u2013", p.theme.muted); }}},
        [](RunPart part) { return fmt::format("###part {}", name_of(part)); }, nullptr, kTablePitch,
        [at](RunPart part) { return std::string(kSays[at(part)]); });
    table.draw(p, area.cut_top(std::min(table_height(p, kRunParts), area.h - p.px(26))),
               rows_of<RunPart, kRunParts>());
    area.cut_top(p.px(8));
    draw_stacked_bar(p, area.cut_top(p.px(18)), shares, {1, false});
}

} // namespace ringside
