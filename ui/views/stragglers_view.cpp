// The slowest rank of a synchronous step: times of all ranks, and what more of them cost.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "core/scenario/choices.h"
#include "ui/shell/view.h"
#include "ui/views/goodput/range.h"
#include "ui/views/stragglers/ranks.h"

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
    void keys(const Frame& frame, Out& out) override;

private:
    // The person's settings for the scenario's GPUs and step.
    RankTimes ranks(const Frame& frame) const;
    const RankCosts& costs(const Frame& frame) const;
    static void draw_numbers(const Painter& painter, Rect area, const RankCosts& costs);

    RankTimes asked_;
    std::uint64_t seed_ = 1;
    TypedEntry entry_;
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
                     : fmt::format("{} ranks differ by {}", grouped(now.ranks), format_percent(now.spread));
    const std::string lost = format_percent(all.lost);
    Caption caption;
    caption.sentence =
        fmt::format("{}, and everybody waits for the slowest: **{} of the throughput** is lost.", who, lost);
    caption.formula = fmt::format("1 \u2212 mean / E[max t] = 1 \u2212 {} / {} = {}", figure(now.mean, 4),
                                  figure(all.step, 4), lost);
    caption.source =
        "A synchronous step takes as long as its slowest rank. Healthy ranks: normal, independent. "
        "Largest of n draws: Tippett, Biometrika 17 (1925) 364.";
    return caption;
}

void StragglersView::draw_numbers(const Painter& p, Rect area, const RankCosts& costs)
{
    const auto line = [&](std::string_view label, const std::string& value, std::string_view says)
    {
        const Rect row = area.cut_top(p.px(27));
        const float w =
            p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, value, Align::right);
        p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::small, p.theme.muted, label);
        press(p, row, fmt::format("###{}", label).c_str(), 2);
        tooltip(p, says);
    };
    line("Mean of a rank", format_seconds(Seconds(costs.of.mean)),
         "The scenario\u2019s step, if every rank took as long as every other");
    line("Step, expected", format_seconds(Seconds(costs.step)),
         "Mean of the largest of n draws: the integral of 1 \u2212 F(x)^n");
    line("Throughput lost", format_percent(costs.lost), "1 \u2212 mean / step");
    line("One slow rank alone", format_percent(one_slow_loss(costs.of.slower)),
         "x / (1 + x), however many ranks wait");
    line("Largest of n", fmt::format("{} \u03c3", three_digits(costs.largest)),
         "Of n standard normal draws, about \u221a(2 ln n) for many (Tippett 1925)");
}

bool StragglersView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const RankTimes before = asked_;
    const RankTimes now = ranks(frame);
    const Rect head = area.cut_top(p.px(32));
    p.text(head.x, head.middle(), Type::body_strong, p.theme.text, "Ranks");
    const auto row = [&] { return area.cut_top(p.px(48)); };
    const auto most = static_cast<double>(std::min<std::int64_t>(now.ranks, 64));
    const auto slow = static_cast<double>(now.slow);
    const auto wanted =
        std::llround(slide(p, row(), {"Slow ranks", grouped(now.slow), 0, most, false, 1}, slow, entry_));
    asked_.slow = wanted == now.slow ? asked_.slow : wanted;
    asked_.slower = slide(p, row(), {"They take longer by", format_percent(now.slower), 0, 1, false, 0.01},
                          now.slower, entry_);
    asked_.spread =
        slide(p, row(), {"Spread of healthy ranks", format_percent(now.spread), 0, 0.2, false, 0.01},
              now.spread, entry_);
    area.cut_top(p.px(8));
    draw_numbers(p, area, costs(frame));
    out.animating = out.animating || !(before == asked_);
    return true;
}

void StragglersView::keys(const Frame& frame, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    const std::int64_t had = asked_.slow;
    asked_.slow = pressed(ImGuiKey_S)   ? std::min(asked_.slow + 1, ranks(frame).ranks)
                  : pressed(ImGuiKey_R) ? 0
                                        : asked_.slow;
    seed_ += pressed(ImGuiKey_N) ? 1U : 0U;
    out.animating = out.animating || had != asked_.slow || pressed(ImGuiKey_N);
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpus"};
constexpr std::array kKeys{KeyHelp{"S", "One more slow rank"}, KeyHelp{"R", "All ranks healthy"},
                           KeyHelp{"drag", "The points: how slow, and how many ranks"},
                           KeyHelp{"N", "Another seed"}};

} // namespace

extern const ViewInfo stragglers_view;
const ViewInfo stragglers_view{54,
                               "stragglers",
                               "Failures",
                               "Stragglers",
                               "Who does everybody wait for?",
                               "Step times of all ranks, the slowest of them, and what more ranks cost",
                               kControls,
                               kKeys,
                               [] { return std::unique_ptr<View>(std::make_unique<StragglersView>()); }};

} // namespace ringside
