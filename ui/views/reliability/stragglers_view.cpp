// The slowest rank of a synchronous step: times of all ranks, and what more of them cost.
#include <fmt/format.h>

#include "core/base/term.h"
#include "core/base/text.h"
#include "core/scenario/choices.h"
#include "ui/shell/view.h"
#include "ui/views/reliability/stragglers/ranks.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kSteps = 100;

class StragglersView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    // The person's settings for the scenario's GPUs and step.
    RankTimes ranks(const Frame& frame) const;
    const RankCosts& costs(const Frame& frame) const;

    RankTimes asked_;
    std::uint64_t seed_ = 1;
    std::optional<std::pair<RankTimes, std::uint64_t>> drawn_;
    std::vector<double> times_;
    mutable std::optional<RankCosts> costs_;
};

RankTimes StragglersView::ranks(const Frame& frame) const
{
    RankTimes ranks = asked_;
    ranks.ranks = frame.now.scenario.cluster.gpus;
    ranks.mean = frame.now.report.step.total();
    ranks.slow = std::min(ranks.slow, ranks.ranks);
    return ranks;
}

const RankCosts& StragglersView::costs(const Frame& frame) const
{
    const RankTimes now = ranks(frame);
    if (!costs_ || !(costs_->of == now))
    {
        costs_ = rank_costs(now);
    }
    return *costs_;
}

Motion StragglersView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = kSteps;
    motion.per_second = 3;
    motion.label = fmt::format("step {}/{}", static_cast<int>(frame.playback.t) + 1, kSteps + 1);
    return motion;
}

std::int64_t nearest_legal(const Scenario& s, std::int64_t gpus)
{
    const auto legal = legal_values(s, Knob::gpus);
    const auto distance = [gpus](std::int64_t n) {
        return std::abs(
            std::log(static_cast<double>(n) / static_cast<double>(std::max<std::int64_t>(1, gpus))));
    };
    return *std::min_element(legal.begin(), legal.end(),
                             [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); });
}

void StragglersView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const RankTimes now = ranks(frame);
    const auto step = static_cast<std::uint64_t>(std::max(0.0, frame.playback.t));
    const std::pair asked{now, step ^ (seed_ << 32U)};
    if (!drawn_ || *drawn_ != asked)
    {
        times_ = draw_rank_times(now, seed_, step);
        drawn_ = asked;
    }
    const RankWish wish = draw_ranks(painter, area, costs(frame), times_);
    if (wish.slower)
    {
        asked_.slower = *wish.slower;
        out.animating = true;
    }
    if (wish.gpus && frame.valid())
    {
        const std::int64_t gpus = nearest_legal(frame.scenario, *wish.gpus);
        if (gpus != frame.scenario.cluster.gpus)
        {
            out.push(ChangeScenario{with(frame.scenario, Knob::gpus, gpus), true});
        }
    }
}

Caption StragglersView::caption(const Frame& frame) const
{
    const RankCosts& all = costs(frame);
    const RankTimes& now = all.of;
    const std::string who =
        now.slow > 0 ? fmt::format("{} of {} ranks take {} longer", grouped(now.slow), grouped(now.ranks),
                                   format_percent(now.slower))
                     : fmt::format("{} ranks have {} jitter", grouped(now.ranks), format_percent(now.spread));
    const std::string lost = format_percent(all.lost);
    Caption caption;
    caption.sentence =
        fmt::format("{}, and every rank waits for the slowest: **{} of the throughput** is lost.", who, lost);
    caption.formula = fmt::format("1 \u2212 mean / E[max t] = 1 \u2212 {} / {} = {}", figure(now.mean, 4),
                                  figure(all.step, 4), lost);
    caption.source =
        "A synchronous step takes as long as its slowest rank. Healthy ranks: normal, independent. "
        "Maximum of n draws: Tippett, Biometrika 17 (1925) 364.";
    return caption;
}

void draw_rank_facts(PanelColumn& column, const RankCosts& costs)
{
    column.fact("Mean rank time", format_seconds(Seconds(costs.of.mean)),
                "The scenario\u2019s step time, if all ranks were equally fast");
    column.fact("Expected step time", format_seconds(Seconds(costs.step)),
                "Mean of the maximum of n draws: the integral of 1 \u2212 F(x)^n");
    column.fact("Throughput lost", format_percent(costs.lost), "1 \u2212 mean / step");
    column.fact("With one slow rank", format_percent(one_slow_loss(costs.of.slower)),
                "x / (1 + x), however many ranks wait");
    column.fact("Expected maximum", fmt::format("{} \u03c3", three_digits(costs.largest)),
                "Of n standard normal draws, about \u221a(2 ln n) for many (Tippett 1925)");
}

bool StragglersView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    RankTimes now = ranks(frame);
    PanelColumn column(p, area, out.animating);
    column.heading("Ranks");
    if (column.slide("Slow ranks",
                     Track::even(0, static_cast<double>(std::min<std::int64_t>(now.ranks, 64)), say_whole),
                     now.slow))
    {
        asked_.slow = now.slow;
    }
    column.slide("Slower by", Track::even(0, 1, format_percent, 0.01), asked_.slower);
    column.slide("Jitter of healthy ranks", Track::even(0, 0.2, format_percent, 0.01), asked_.spread);
    column.gap();
    draw_rank_facts(column, costs(frame));
    return true;
}

ViewKeys StragglersView::keys()
{
    return {{"S", "One more slow rank",
             [this](const KeyPress& k) { asked_.slow = std::min(asked_.slow + 1, ranks(k.frame).ranks); }},
            {"R", "All ranks healthy", [this] { asked_.slow = 0; }},
            {"drag", "The points: how slow, and how many ranks"},
            {"N", "Another seed", [this] { ++seed_; }}};
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpus"};

} // namespace

extern const ViewInfo stragglers_view;
const ViewInfo stragglers_view{36,
                               "stragglers",
                               "Reliability",
                               "Stragglers",
                               "Stragglers",
                               "Step times of all ranks, the slowest of them, and what more ranks cost",
                               kControls,
                               [] { return std::unique_ptr<View>(std::make_unique<StragglersView>()); }};

} // namespace ringside
