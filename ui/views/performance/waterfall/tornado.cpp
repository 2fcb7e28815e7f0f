#include "ui/views/performance/waterfall/tornado.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/performance/waterfall/words.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kHardly = 0.001; // of the step
constexpr float kPitch = 44;
constexpr float kLeastPitch = 40;

struct Pair
{
    Dial dial;
    const DialMove* down;
    const DialMove* up;

    double size() const
    {
        return std::max(down != nullptr ? std::abs(down->change) : 0,
                        up != nullptr ? std::abs(up->change) : 0);
    }
};

struct Columns
{
    float names = 0; // right edge
    Rect plot;
    float to = 0;     // left edge of the value a notch leads to
    float change = 0; // right edge
    double least = 0; // [s] at the plot's left edge
    double most = 1;  // [s] at its right edge

    float x(double seconds) const
    {
        return plot.x +
               plot.w * static_cast<float>((std::clamp(seconds, least, most) - least) / (most - least));
    }
};

// The widest first, and by name those that hardly matter.
std::vector<Pair> pairs_of(const Sensitivity& all, std::string& hardly)
{
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < kDials; ++i)
    {
        const auto dial = static_cast<Dial>(i);
        const Pair pair{dial, all.find(dial, false), all.find(dial, true)};
        if (pair.size() > kHardly * all.now().total())
        {
            pairs.push_back(pair);
        }
        else if (pair.down != nullptr || pair.up != nullptr)
        {
            hardly += (hardly.empty() ? "" : ", ") + std::string(name_of(dial));
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.size() > b.size(); });
    return pairs;
}

// Losses may be a multiple of the step; the gains set the scale.
Columns layout_of(const Painter& p, Rect area, const std::vector<Pair>& pairs, double now)
{
    Columns l;
    const float roomy = area.w / p.look.scale;
    l.names = area.x + p.px(roomy > 560 ? 168 : 128);
    l.change = area.right();
    l.to = area.right() - p.px(roomy > 560 ? 216 : 176);
    l.plot = {l.names + p.px(8), area.y, std::max(1.0F, l.to - p.px(20) - l.names - p.px(8)), area.h};
    double gain = 0;
    double loss = 0;
    for (const Pair& pair : pairs)
    {
        for (const DialMove* move : {pair.down, pair.up})
        {
            gain = std::max(gain, move != nullptr ? -move->change : 0);
            loss = std::max(loss, move != nullptr ? move->change : 0);
        }
    }
    l.least = -std::max(gain, 0.05 * now) * 1.05;
    l.most = std::max(std::min(loss, std::max(2 * gain, 0.4 * now)), 0.05 * now) * 1.05;
    return l;
}

void draw_bar(const Painter& p, const Columns& l, Rect line, const DialMove& move, bool best, bool lit)
{
    const Theme& t = p.theme;
    const float zero = l.x(0);
    const float end = l.x(move.change);
    const float high = std::round(std::min(p.px(14), line.h - 2));
    const Rect r{std::min(zero, end), std::round(line.middle() - high / 2),
                 std::max(p.px(2), std::abs(end - zero)), high};
    if (!move.fits)
    {
        p.fill(r, with_alpha(t.warning, 0.2F));
        p.hatch(r, t.warning, kOverflowHatch);
    }
    else if (move.change < 0)
    {
        p.fill(r, best || lit ? t.text : mix(t.text, t.window, 0.35F));
    }
    else
    {
        p.fill(r, t.raised);
        p.hatch(r, t.idle_hatch, kExposedHatch);
    }
    if (lit)
    {
        p.outline(r, t.text, p.px(2));
    }
    if (move.change > l.most)
    {
        // Goes on beyond the picture.
        p.fill({r.right() - p.px(10), r.y, p.px(3), r.h}, t.window);
        p.fill({r.right() - p.px(4), r.y, p.px(1), r.h}, t.window);
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
        tip += "\n\nThe bar compares the GPU time of a token, since tokens or GPUs of a step change.";
    }
    return tip + "\n\nPress to take it.";
}

void draw_move(const Painter& p, const Columns& l, Rect line, const Sensitivity& all, const DialMove& move,
               bool best, Out& out)
{
    const Theme& t = p.theme;
    const std::string id = fmt::format("###move {} {}", name_of(move.dial), move.up ? "up" : "down");
    const Press pressed = press(p, {l.plot.x, line.y, line.right() - l.plot.x, line.h}, id.c_str(), 3);
    tooltip(p, move_tip(all, move));
    draw_bar(p, l, line, move, best, pressed.hovered);
    const Type type = best ? Type::small_strong : Type::small;
    const Colour ink = best || pressed.hovered ? t.text : t.muted;
    const TimeScale scale(all.now().total());
    const float figures = p.width(Type::mono_small, scale.change(move.change));
    const float cross = move.fits ? 0 : p.px(18);
    if (!move.fits)
    {
        p.text(l.to, line.middle(), Type::small, t.warning, "\u2715");
    }
    p.text_within(l.to + cross, line.middle(), l.change - figures - p.px(8) - l.to - cross, type, ink,
                  shown_value(move.after, move.dial));
    p.text(l.change, line.middle(), Type::mono_small, ink, scale.change(move.change), Align::right);
    if (pressed.clicked)
    {
        out.push(ChangeScenario{move.after, false,
                                fmt::format("{} {} to {}", name_of(move.dial),
                                            shown_value(all.scenario(), move.dial),
                                            shown_value(move.after, move.dial))});
    }
}

// What the seconds are of, where they are not simply the step's.
std::string now_words(const Sensitivity& all, Dial dial)
{
    const std::string now = "now " + shown_value(all.scenario(), dial);
    return dial == Dial::gpus            ? now + ", by GPU time"
           : dial == Dial::micro_batches ? now + ", by token"
                                         : now;
}

void draw_heading(const Painter& p, Rect head, const Columns& l, const TimeScale& scale)
{
    const Theme& t = p.theme;
    p.text_within(head.x, head.middle(), l.names - head.x, Type::small, t.muted, "one notch");
    const float zero = l.x(0);
    if (zero - l.plot.x > p.width(Type::small, "\u2190 shorter") + p.px(8))
    {
        p.text(zero - p.px(8), head.middle(), Type::small, t.muted, "\u2190 shorter", Align::right);
    }
    if (l.plot.right() - zero > p.width(Type::small, "longer \u2192") + p.px(8))
    {
        p.text(zero + p.px(8), head.middle(), Type::small, t.muted, "longer \u2192");
    }
    p.text(l.to, head.middle(), Type::small, t.muted, "to");
    p.text(l.change, head.middle(), Type::small, t.muted, fmt::format("step, {}", scale.name), Align::right);
}

void draw_pair(const Painter& p, const Columns& l, Rect line, const Sensitivity& all, const Pair& pair,
               Out& out)
{
    const Theme& t = p.theme;
    const DialMove* best = all.best();
    p.line(line.x, line.y, line.right(), line.y, t.grid);
    p.text_within(line.x, line.middle() - p.px(9), l.names - line.x, Type::small, t.text, name_of(pair.dial));
    p.text_within(line.x, line.middle() + p.px(9), l.names - line.x, Type::small, t.muted,
                  now_words(all, pair.dial));
    line = {line.x, line.y + p.px(2), line.w, line.h - p.px(4)};
    if (pair.down != nullptr && pair.up != nullptr)
    {
        draw_move(p, l, line.cut_top(line.h / 2), all, *pair.down, pair.down == best, out);
    }
    const DialMove& other = pair.up != nullptr ? *pair.up : *pair.down;
    draw_move(p, l, line, all, other, &other == best, out);
}

} // namespace

void draw_tornado(const Painter& p, Rect area, const Sensitivity& all, Out& out)
{
    std::string hardly;
    const std::vector<Pair> pairs = pairs_of(all, hardly);
    const Columns l = layout_of(p, area, pairs, all.now().total());
    draw_heading(p, area.cut_top(p.px(30)), l, TimeScale(all.now().total()));
    const Rect foot = area.cut_bottom(p.px(30));
    const std::size_t rows =
        std::min(static_cast<std::size_t>(std::max(0.0F, area.h / p.px(kLeastPitch))), pairs.size());
    const float pitch =
        std::floor(std::min(p.px(kPitch), area.h / static_cast<float>(std::max<std::size_t>(1, rows))));
    const float zero = std::round(l.x(0));
    p.line(zero, area.y, zero, area.y + pitch * static_cast<float>(rows), p.theme.line, p.px(1));
    for (std::size_t i = 0; i < rows; ++i)
    {
        draw_pair(p, l, area.cut_top(pitch), all, pairs[i], out);
    }
    for (std::size_t i = pairs.size(); i > rows; --i)
    {
        hardly.insert(0, fmt::format("{}{}", name_of(pairs[i - 1].dial), hardly.empty() ? "" : ", "));
    }
    if (!hardly.empty())
    {
        p.text_within(foot.x, foot.middle(), foot.w, Type::small, p.theme.muted,
                      "less or nothing: " + hardly);
    }
}

} // namespace ringside
