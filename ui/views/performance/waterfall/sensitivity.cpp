// What one step of each setting down and up would do to the step time.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/performance/waterfall/pages.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kHardly = 0.001; // of the step

// Both moves of each setting one below the other, the setting that matters most first; `hardly` names those
// that do not matter.
std::vector<const DialMove*> moves_of(const Sensitivity& all, std::string& hardly)
{
    std::vector<std::pair<double, std::vector<const DialMove*>>> dials;
    for (std::size_t i = 0; i < kDials; ++i)
    {
        const auto dial = static_cast<Dial>(i);
        std::vector<const DialMove*> both{all.find(dial, false), all.find(dial, true)};
        std::erase(both, nullptr);
        double size = 0;
        for (const DialMove* move : both)
        {
            size = std::max(size, std::abs(move->change));
        }
        if (size > kHardly * all.now().total())
        {
            dials.emplace_back(size, std::move(both));
        }
        else if (!both.empty())
        {
            hardly += (hardly.empty() ? "" : ", ") + std::string(name_of(dial));
        }
    }
    std::ranges::stable_sort(dials, std::greater{}, [](const auto& dial) { return dial.first; });
    std::vector<const DialMove*> moves;
    for (const auto& dial : dials)
    {
        moves.insert(moves.end(), dial.second.begin(), dial.second.end());
    }
    return moves;
}

// Losses may be a multiple of the step; the gains set the scale. [s]
struct Scale
{
    double least = 0;
    double most = 1;

    float x(Rect cell, double seconds) const
    {
        return cell.x +
               cell.w * static_cast<float>((std::clamp(seconds, least, most) - least) / (most - least));
    }
};

Scale scale_of(std::span<const DialMove* const> moves, double now)
{
    double gain = 0;
    double loss = 0;
    for (const DialMove* move : moves)
    {
        gain = std::max(gain, -move->change);
        loss = std::max(loss, move->change);
    }
    return {-std::max(gain, 0.05 * now) * 1.05,
            std::max(std::min(loss, std::max(2 * gain, 0.4 * now)), 0.05 * now) * 1.05};
}

void draw_change(const Painter& p, Rect cell, const Scale& scale, const DialMove& move, bool bright)
{
    const Theme& t = p.theme;
    const float zero = scale.x(cell, 0);
    const float end = scale.x(cell, move.change);
    const float high = std::round(std::min(p.px(14), cell.h - 4));
    const Rect r{std::min(zero, end), std::round(cell.middle() - high / 2),
                 std::max(p.px(2), std::abs(end - zero)), high};
    p.line(zero, cell.y, zero, cell.bottom(), t.line);
    draw_fill(p, r,
              !move.fits        ? overflow_fill(t)
              : move.change < 0 ? plain_fill(bright ? t.text : mix(t.text, t.window, 0.35F))
                                : Fill{.ink = {t.raised}, .lines = t.idle_hatch, .hatch = kExposedHatch});
    if (move.change > scale.most)
    {
        draw_break(p, {r.right() - p.px(16), r.y, p.px(10), r.h});
    }
}

std::string move_tip(const Sensitivity& all, const DialMove& move)
{
    const StepTime& now = all.now();
    std::string tip =
        fmt::format("{} {} to {}\n\nstep {} to {}\nMFU {} to {} (attention counted)\n{}", name_of(move.dial),
                    shown_value(all.scenario(), move.dial), shown_value(move.after, move.dial),
                    format_seconds(Seconds(now.total())), format_seconds(Seconds(move.step.total())),
                    format_percent(now.mfu()), format_percent(move.step.mfu()),
                    move.fits ? "fits in memory" : "does not fit in memory");
    if (move.step.tokens != now.tokens || move.after.cluster.gpus != all.scenario().cluster.gpus)
    {
        tip += "\n\nThe bar compares GPU time per token, since tokens or GPUs per step change.";
    }
    return tip + "\n\nClick to apply it.";
}

// What the seconds are of, where they are not simply the step's.
std::string now_words(const Sensitivity& all, Dial dial)
{
    const std::string now = shown_value(all.scenario(), dial);
    return dial == Dial::gpus            ? now + ", per GPU-hour"
           : dial == Dial::micro_batches ? now + ", per token"
                                         : now;
}

void draw_moves(const WaterfallRoom& r, Rect area, const Sensitivity& all,
                std::span<const DialMove* const> moves)
{
    using Move = const DialMove*;
    const DialMove* best = all.best();
    const TimeScale time(all.now().total());
    const Scale scale = scale_of(moves, all.now().total());
    const auto first = [&](Move move)
    { return move == moves.front() || (*(std::ranges::find(moves, move) - 1))->dial != move->dial; };
    const Table<Move> table(
        {{"Setting", [&](Move move) { return first(move) ? name_of(move->dial) : ""; }},
         Column<Move>(
             "now", [&](Move move) { return first(move) ? now_words(all, move->dial) : ""; }, 1)
             .words(),
         Column<Move>("to",
                      [&](Move move)
                      {
                          const std::string to = shown_value(move->after, move->dial);
                          return move->fits ? Cell(to) : Cell("\u2715 " + to, r.p.theme.warning);
                      })
             .words(),
         Column<Move>("\u2190 faster, slower \u2192", nullptr)
             .wide(100, [&](const Painter& p, Rect cell, Move move, bool lit)
                   { draw_change(p, cell, scale, *move, move == best || lit); }),
         {fmt::format("step, {}", time.name), [&](Move move) { return time.change(move->change); }}},
        [](Move move) { return fmt::format("###move {} {}", name_of(move->dial), move->up ? "up" : "down"); },
        [best](Move move) { return move == best; }, 36, [&](Move move) { return move_tip(all, *move); });
    if (const TableEvent event = table.draw(r.p, area, moves); event.pressed)
    {
        const DialMove& move = *moves[*event.pressed];
        r.out.push(ChangeScenario{move.after, false,
                                  fmt::format("{} {} to {}", name_of(move.dial),
                                              shown_value(all.scenario(), move.dial),
                                              shown_value(move.after, move.dial))});
    }
}

void draw_sensitivity(const WaterfallRoom& r)
{
    const auto all = what_if(r.frame);
    Rect area = r.area;
    if (!draw_status(r.p, area, all))
    {
        return;
    }
    std::string hardly;
    const std::vector<const DialMove*> moves = moves_of(*all, hardly);
    const Rect foot = area.cut_bottom(hardly.empty() ? 0 : r.p.px(30));
    if (!moves.empty())
    {
        draw_moves(r, area, *all, moves);
    }
    if (!hardly.empty())
    {
        r.p.text_within(foot.x, foot.middle(), foot.w, Type::small, r.p.theme.muted,
                        "Little or no effect: " + hardly);
    }
}

Caption caption_sensitivity(const Frame& frame, WaterfallState&)
{
    const auto all = what_if(frame);
    return {!all         ? fault_sentence(all)
            : all.done() ? say_move(*all, all->best())
                         : "Sensitivity: each setting one step down and up.",
            "change = step \u00d7 tokens now / tokens then \u00d7 GPUs then / GPUs now \u2212 step now",
            "Everything else stays: data parallelism uses the remaining GPUs, micro-batches the rest of the "
            "batch. "
            "Hatched with a cross: does not fit in memory."};
}

} // namespace

const Page<WaterfallState> sensitivity_page{"What-if",           draw_sensitivity, panel_waterfall,
                                            caption_sensitivity, nullptr,          "What-if"};

WorkAnswer<Sensitivity> what_if(const Frame& frame)
{
    return work_on<Sensitivity>(frame.works, {frame.now.scenario, frame.now.report->step});
}

} // namespace ringside
