#include "ui/views/reliability/goodput/desk.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

void RunDesk::find_curve()
{
    constexpr int kPoints = 120;
    const double low = std::max({rates_.least_s, rates_.best_s / 40, 1e-3});
    const double high = std::max(rates_.best_s * 40, low * 100);
    curve_.clear();
    for (int i = 0; i <= kPoints; ++i)
    {
        const double interval = low * std::pow(high / low, static_cast<double>(i) / kPoints);
        const Goodput g = goodput_at(rates_, plan, interval);
        curve_.push_back({interval, g.of(RunPart::saving), g.of(RunPart::lost), 1 - g.useful()});
    }
}

void RunDesk::update(const Evaluated& now)
{
    const bool same = scenario_ && *scenario_ == now.scenario && made_ == plan;
    if (same && made_seed_ == seed && made_kills_ == kills)
    {
        return;
    }
    scenario_ = now.scenario;
    made_ = plan;
    made_seed_ = seed;
    made_kills_ = kills;
    size_ = checkpoint_size(now.scenario, now.report.memory);
    rates_ = run_rates(now.scenario, size_, Seconds(now.report.step.total()), plan);
    expected_ = goodput(rates_, plan);
    story_ = simulate_run(rates_, plan, kHorizon, seed, kills);
    if (!same)
    {
        find_curve();
    }
}

std::optional<std::size_t> RunDesk::fleet() const
{
    const auto fleets = fleet_records();
    for (std::size_t i = 0; i < fleets.size(); ++i)
    {
        if (std::abs(fleets[i].gpu_hours() - plan.gpu_hours) < 1e-6 * plan.gpu_hours)
        {
            return i;
        }
    }
    return std::nullopt;
}

std::string say_time(double seconds)
{
    return format_seconds(Seconds(seconds));
}

std::string say_share(double share)
{
    const std::string words = format_percent(share);
    return share < 1 && words == "100%" ? fmt::format("{:.3f}%", 100 * share) : words;
}

Fill part_fill(const Theme& t, RunPart part)
{
    switch (part)
    {
    case RunPart::useful:
        break;
    case RunPart::saving:
        return plain_fill(t.of(Component::variance).fill);
    case RunPart::lost:
        return {
            .ink = {mix(t.window, t.forward.fill, 0.28F)}, .lines = t.forward.fill, .hatch = kOverflowHatch};
    case RunPart::detect:
        return {.ink = {t.panel}, .lines = t.idle_hatch};
    case RunPart::restart:
        return plain_fill(t.data.fill);
    case RunPart::missing:
        return {.ink = {t.raised}, .lines = t.muted, .hatch = kOverflowHatch};
    }
    return plain_fill(t.forward.fill);
}

} // namespace ringside
