// A proxy reward that is optimized until it parts from the gold reward, and the KL penalty that stops it.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/alignment/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kDoubts{0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4};
constexpr std::array<double, 12> kPenalties{0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.15, 0.25, 0.5, 1, 2};
constexpr double kAlpha = 1; // of the gold reward: its slope at the start

void draw_over_optimization(const AlignmentRoom& r)
{
    const Painter& p = r.p;
    AlignmentState& state = r.state;
    const Theme& t = p.theme;
    const double peak = gold_peak(Optimizing::best_of_n, kAlpha, state.doubt);
    const double stop = penalized_distance(kAlpha, state.penalty);
    const double most = std::clamp(2.6 * peak, 4.0, 60.0);
    const double top = 1.5 * std::max(gold_reward(Optimizing::best_of_n, kAlpha, state.doubt, peak), 0.5);
    Plot plot(p, r.area,
              {0, most, PlotScale::linear, "distance from the initial policy, d = \u221aKL", signed_words},
              {-0.4 * top, top, PlotScale::linear, "reward: proxy (reward model) and gold", signed_words},
              {.part = "hacking"});
    if (!plot)
    {
        return;
    }
    const auto rewards = [&](Optimizing how, double doubt)
    { return sampled(plot.x, [&, how, doubt](double d) { return gold_reward(how, kAlpha, doubt, d); }); };
    plot.line({{0, 0}, {most, kAlpha * most}}, {t.data, 2}, "proxy (reward model)");
    plot.line(rewards(Optimizing::best_of_n, state.doubt), {t.muted, 2}, "gold, best of n");
    plot.line(rewards(Optimizing::reinforcement, 4 * state.doubt), {t.text, 2.5F}, "gold, RL");
    const double gold = gold_reward(Optimizing::reinforcement, kAlpha, 4 * state.doubt, std::min(stop, most));
    const double best = gold_peak(Optimizing::reinforcement, kAlpha, 4 * state.doubt);
    const PlotPoint highest{best, gold_reward(Optimizing::reinforcement, kAlpha, 4 * state.doubt, best)};
    if (best <= most)
    {
        plot.dot(highest, {t.text, 5});
        plot.label(highest,
                   fmt::format("gold peaks at d = {}: {}", three_digits(best), three_digits(highest.y)),
                   true);
    }
    const PlotMove move =
        plot.rule_x(stop, {t.text, 2, true},
                    fmt::format("the policy stops at d = {}: gold reward {}", three_digits(stop),
                                signed_words(std::round(gold * 100) / 100)),
                    "###where it stops");
    plot.dot({stop, gold}, {t.text, move.hovered ? 9.0F : 7.5F});
    const auto to = move.x(most / 100);
    if (!to)
    {
        tooltip(p,
                "Drag: a lower KL coefficient lets the policy move further, where the reward model is wrong");
        return;
    }
    state.penalty = std::clamp(kAlpha / (2 * std::max(0.2, *to)), 0.005, 2.0);
}

void panel_over_optimization(PanelColumn& column, const AlignmentRoom& r)
{
    column.slide("Reward-model error b", Track::at(kDoubts, three_digits), r.state.doubt);
    column.slide("KL coefficient", Track::at(kPenalties, three_digits), r.state.penalty);
}

Caption caption_over_optimization(const Frame&, AlignmentState& s)
{
    const double stop = penalized_distance(kAlpha, s.penalty);
    const double gold = gold_reward(Optimizing::reinforcement, kAlpha, 4 * s.doubt, stop);
    const double best = gold_peak(Optimizing::reinforcement, kAlpha, 4 * s.doubt);
    const double peak = gold_reward(Optimizing::reinforcement, kAlpha, 4 * s.doubt, best);
    const double past = stop / best;
    const std::string_view where = past > 1.05   ? "past the peak of the gold reward"
                                   : past < 0.95 ? "before the peak of the gold reward"
                                                 : "near the peak of the gold reward";
    return {
        fmt::format(
            "With a KL coefficient of {} the policy stops at **d = {}**, {}: the reward model says {}, the "
            "gold reward is **{}** of at most {} at d = {}.",
            three_digits(s.penalty), three_digits(stop), where, three_digits(kAlpha * stop),
            signed_words(std::round(gold * 100) / 100), three_digits(peak), three_digits(best)),
        fmt::format("proxy d \u2212 KL d\u00b2: d = 1 / (2 \u00d7 {}) = {};  gold d (1 \u2212 {} ln d): e^(1 "
                    "/ {} \u2212 1) = {}",
                    three_digits(s.penalty), three_digits(stop), three_digits(4 * s.doubt),
                    three_digits(4 * s.doubt), three_digits(best)),
        "A toy in the form of Gao et al. 2022, arXiv 2210.10760, section 3.1: gold reward d (1 \u2212 b d) "
        "for best "
        "of n, d (1 \u2212 4b ln d) for RL; the policy stops where d less the KL coefficient times d\u00b2 "
        "is largest."};
}

} // namespace

const Page<AlignmentState> over_optimization_page{
    "Reward", draw_over_optimization, panel_over_optimization, caption_over_optimization,
    nullptr,  "Reward hacking"};

} // namespace ringside
