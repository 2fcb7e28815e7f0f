#include "app/team_desk.h"

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/lab/team_traffic.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ringside
{

TeamDesk::TeamDesk(Setup setup) : setup_(std::move(setup))
{
    frame_.wish = setup_.wish;
    const auto config = nearest(frame_.wish);
    if (config)
    {
        config_ = *config;
    }
    else
    {
        frame_.fault = to_line(config.issues().front());
    }
    tick();
}

// Of the wish, or with the number of ranks next to it that can be trained: first on the side to which the
// number was moved.
Result<TeamConfig> TeamDesk::nearest(TeamWish& wish) const
{
    const auto with_ranks = [&](std::int64_t ranks) -> Result<TeamConfig>
    {
        TeamWish other = wish;
        other.ranks = ranks;
        auto config = config_of(setup_.trainer, other);
        return config ? parallel::prepared(*config) : config;
    };
    auto first = with_ranks(wish.ranks);
    if (first)
    {
        return first;
    }
    const std::int64_t side = wish.ranks < frame_.wish.ranks ? -1 : 1;
    for (const std::int64_t by : {side, -side})
    {
        for (std::int64_t ranks = wish.ranks + by; 2 <= ranks && ranks <= kMostWishedRanks; ranks += by)
        {
            if (auto config = with_ranks(ranks))
            {
                wish.ranks = ranks;
                return config;
            }
        }
    }
    return first;
}

std::string TeamDesk::apply(const TeamAction& action)
{
    std::string notice = std::visit(Overloaded{[this](TeamCommand a) { return command(a); },
                                               [this](const WishTeam& a) { return wish(a.wish); },
                                               [this](const GoWrong& a) { return go_wrong(a.mishap); }},
                                    action);
    tick();
    return notice;
}

parallel::TeamRunSettings TeamDesk::settings(bool paused) const
{
    parallel::TeamRunSettings s;
    s.paused = paused;
    s.steps_per_second = frame_.wish.steps_per_second;
    s.patience = setup_.patience;
    return s;
}

std::string TeamDesk::begin(bool paused)
{
    run_.reset(); // its threads first
    if (!frame_.fault.empty())
    {
        return "Not started: " + frame_.fault;
    }
    run_ = std::make_unique<parallel::TeamRun>(config_, settings(paused));
    return {};
}

std::string TeamDesk::command(TeamCommand command)
{
    const bool fresh = !run_ || frame_.is(TeamState::failed);
    switch (command)
    {
    case TeamCommand::run:
        if (fresh)
        {
            return begin(false);
        }
        run_->change(settings(false)); // no last step any more
        run_->resume();
        return {};
    case TeamCommand::pause:
        if (run_)
        {
            run_->pause();
        }
        return {};
    case TeamCommand::step:
    {
        std::string fault = fresh ? begin(true) : std::string();
        if (run_)
        {
            run_->step_once();
        }
        return fault;
    }
    case TeamCommand::without:
        if (!frame_.can_go_without)
        {
            return "Only a broken data-parallel team can go on with a rank fewer";
        }
        run_->go_on_without();
        config_ = *without_one(frame_.snapshot->config);
        frame_.wish.ranks = config_.ranks;
        return fmt::format("Rank {} is left behind; the batch is shared out anew",
                           frame_.snapshot->suffered.rank);
    case TeamCommand::clear:
        run_.reset();
        return {};
    }
    return {};
}

std::string TeamDesk::wish(const TeamWish& wish)
{
    TeamWish next = wish;
    const std::int64_t asked = next.ranks = std::clamp<std::int64_t>(next.ranks, 1, kMostWishedRanks);
    const auto config = nearest(next);
    if (!config)
    {
        return "Not changed: " + to_line(config.issues().front());
    }
    frame_.fault.clear();
    config_ = *config;
    const bool speed = next.steps_per_second != frame_.wish.steps_per_second;
    frame_.wish = next;
    if (run_ && frame_.is(TeamState::failed))
    {
        run_.reset();
    }
    if (run_ && speed)
    {
        run_->change(settings(false));
    }
    else if (run_)
    {
        run_->change(config_);
        if (frame_.is(TeamState::paused) && frame_.snapshot->trace)
        {
            run_->step_once(); // so that the difference is seen
        }
    }
    return next.ranks == asked
               ? std::string()
               : fmt::format("{} ranks, since {} do not divide this model so", next.ranks, asked);
}

std::string TeamDesk::go_wrong(const PlannedMishap& mishap)
{
    if (frame_.is(TeamState::broken))
    {
        return "The team is broken already; Space goes on";
    }
    std::string fault = !run_ || frame_.is(TeamState::failed) ? begin(true) : std::string();
    if (run_)
    {
        run_->plan(mishap);
        if (!frame_.is(TeamState::running))
        {
            run_->step_once();
        }
    }
    return fault;
}

// Of the team that trains; its configuration changes when its run has come to it.
void TeamDesk::predict()
{
    const TeamConfig& config =
        frame_.snapshot && frame_.snapshot->state != TeamState::failed ? frame_.snapshot->config : config_;
    TeamPrediction& p = frame_.predicted;
    if (p.of == config || !frame_.fault.empty())
    {
        return;
    }
    const Scenario scenario = scenario_of(config);
    p = {config, memory_report(scenario), {}, {}};
    const RankGrid grid(scenario, kMegatronOrder);
    for (std::int64_t rank = 0; rank < config.ranks; ++rank)
    {
        p.places.push_back(grid.coordinates(rank));
        p.traffic.push_back(predicted_traffic(config, p.places.back()));
    }
}

void TeamDesk::tick()
{
    frame_.snapshot = run_ ? run_->snapshot() : nullptr;
    frame_.can_go_without =
        frame_.is(TeamState::broken) && static_cast<bool>(without_one(frame_.snapshot->config));
    predict();
}

bool TeamDesk::busy() const
{
    return run_ && !run_->wait_until_idle(0);
}

bool TeamDesk::run_to(std::int64_t step, double patience)
{
    parallel::TeamRunSettings fast = settings(false);
    fast.last_step = step;
    fast.steps_per_second = 0;
    if (!run_)
    {
        run_ = std::make_unique<parallel::TeamRun>(config_, fast);
    }
    else
    {
        run_->change(fast);
        run_->resume();
    }
    return wait(patience);
}

bool TeamDesk::wait(double patience)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    while (busy() && std::chrono::steady_clock::now() < end)
    {
        run_->wait_until_idle(0.02);
        tick();
    }
    tick();
    return !busy();
}

} // namespace ringside
