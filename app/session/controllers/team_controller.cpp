#include "app/session/controllers/team_controller.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/files/files.h"
#include "core/base/overloaded.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::size_t kMostCurves = 6;

// A file of this controller's own.
std::filesystem::path checkpoint_of_controller()
{
    static std::atomic<int> controllers = 0;
    return cache_folder() / fmt::format("ranks-{}-{}.checkpoint", ::getpid(), ++controllers);
}

} // namespace

TeamController::TeamController(Setup setup)
    : setup_(std::move(setup)), checkpoint_(checkpoint_of_controller())
{
    frame_.request = setup_.request;
    if (!setup_.watch.empty())
    {
        watch_ = std::make_unique<TeamWatch>(setup_.watch);
        frame_.watched = setup_.watch.filename().string();
    }
    if (!setup_.recordings.empty())
    {
        playback_ = std::make_unique<TeamPlayback>(setup_.recordings);
        frame_.recorded = true;
    }
    const auto config = nearest(frame_.request);
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

TeamController::~TeamController()
{
    run_.reset(); // it writes there
    std::error_code none;
    std::filesystem::remove(checkpoint_, none);
}

// The configuration of the request, or with the number of ranks next to it that can be trained: first on the
// side to which the number was moved.
Result<TeamConfig> TeamController::nearest(TeamRequest& request) const
{
    const auto with_ranks = [&](std::int64_t ranks) -> Result<TeamConfig>
    {
        TeamRequest other = request;
        other.ranks = ranks;
        auto config = config_of(setup_.trainer, other);
        return config ? parallel::prepared(*config) : config;
    };
    auto first = with_ranks(request.ranks);
    if (first)
    {
        return first;
    }
    const std::int64_t side = request.ranks < frame_.request.ranks ? -1 : 1;
    for (const std::int64_t by : {side, -side})
    {
        for (std::int64_t ranks = request.ranks + by; 2 <= ranks && ranks <= kMostRequestedRanks; ranks += by)
        {
            if (auto config = with_ranks(ranks))
            {
                request.ranks = ranks;
                return config;
            }
        }
    }
    return first;
}

Notice TeamController::apply(const TeamAction& action)
{
    if (watch_)
    {
        return "This training runs elsewhere: it can be watched from here, not changed";
    }
    if (playback_)
    {
        Notice notice = playback_->apply(action, frame_);
        tick();
        return notice;
    }
    Notice notice = std::visit(Overloaded{[this](TeamCommand a) { return command(a); },
                                          [this](const RequestTeam& a) { return request(a.request); },
                                          [this](const GoWrong& a) { return go_wrong(a.fault); }},
                               action);
    tick();
    return notice;
}

parallel::TeamRunSettings TeamController::settings(bool paused) const
{
    parallel::TeamRunSettings s;
    s.paused = paused;
    s.steps_per_second = frame_.comparing ? 0 : frame_.request.steps_per_second;
    s.last_step = frame_.comparing ? setup_.compared_steps : 0;
    s.patience = setup_.patience;
    s.saving = frame_.request.saving;
    s.write = [file = checkpoint_](const std::string& text) { return save_text(file, text); };
    return s;
}

Notice TeamController::begin(bool paused)
{
    run_.reset(); // its threads first
    if (!frame_.fault.empty())
    {
        return {"Not started", {frame_.fault}};
    }
    run_ = std::make_unique<parallel::TeamRun>(config_, settings(paused));
    return {};
}

Notice TeamController::command(TeamCommand command)
{
    const bool fresh = !run_ || frame_.is(TeamState::failed);
    switch (command)
    {
    case TeamCommand::run:
        if (fresh)
        {
            return begin(false);
        }
        run_->change(settings(false)); // no last step any more, but in a comparison
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
        Notice fault = fresh ? begin(true) : Notice();
        if (run_)
        {
            run_->step_once();
        }
        return fault;
    }
    case TeamCommand::without:
        if (!frame_.can_go_without)
        {
            return "Only a broken data-parallel run can resume with one rank fewer";
        }
        run_->go_on_without();
        config_ = *without_one(frame_.snapshot->config);
        frame_.request.ranks = config_.ranks;
        return fmt::format("Rank {} is dropped; the batch is redistributed", frame_.snapshot->happened.rank);
    case TeamCommand::clear:
        end_comparison();
        keep_curve();
        run_.reset();
        return {};
    case TeamCommand::compare:
        return compare();
    }
    return {};
}

// What has been trained stays to compare with, the newest of each kind.
void TeamController::keep_curve()
{
    const auto snapshot = run_ ? run_->snapshot() : nullptr;
    if (!snapshot || snapshot->losses.size() < 2)
    {
        return;
    }
    const bool changed = std::ranges::count(snapshot->marks, false, &TeamMark::trouble) > 1;
    TeamCurve curve{run_name(snapshot->config) + (changed ? ", changed on the way" : ""),
                    snapshot->losses,
                    snapshot->sent_until,
                    snapshot->loss_stride,
                    snapshot->trace ? static_cast<double>(most_sent(*snapshot->trace)) : 0,
                    frame_.predicted.dense};
    std::erase_if(frame_.earlier, [&](const TeamCurve& c) { return c.name == curve.name; });
    frame_.earlier.push_back(std::move(curve));
    if (frame_.earlier.size() > kMostCurves)
    {
        frame_.earlier.erase(frame_.earlier.begin());
    }
}

Notice TeamController::compare()
{
    if (frame_.comparing)
    {
        end_comparison();
        if (run_)
        {
            run_->pause();
        }
        return "The comparison ends here";
    }
    TeamRequest next = frame_.request;
    next.strategy = can_compress(config_) ? next.strategy : 0;
    next.ranks = std::max<std::int64_t>(2, next.ranks);
    const auto config = nearest(next);
    if (!config || !can_compress(*config))
    {
        return {"Not compared", {"a compressor needs data-parallel ranks that sum whole gradients"}};
    }
    frame_.request = next;
    frame_.fault.clear();
    frame_.earlier.clear();
    const auto compared = compared_compressions();
    to_compare_.assign(compared.begin(), compared.end());
    frame_.comparing = true;
    run_.reset();
    compare_next();
    return {};
}

void TeamController::compare_next()
{
    frame_.request.compression = to_compare_.front();
    to_compare_.pop_front();
    if (const auto config = nearest(frame_.request))
    {
        config_ = *config;
    }
    run_.reset(); // its threads first
    run_ = std::make_unique<parallel::TeamRun>(config_, settings(false));
}

void TeamController::end_comparison()
{
    to_compare_.clear();
    if (std::exchange(frame_.comparing, false) && run_)
    {
        run_->change(settings(false)); // it may go on beyond the steps of a comparison
    }
}

Notice TeamController::request(const TeamRequest& request)
{
    end_comparison();
    TeamRequest next = request;
    const std::int64_t asked = next.ranks = std::clamp<std::int64_t>(next.ranks, 1, kMostRequestedRanks);
    const auto config = nearest(next);
    if (!config)
    {
        return {"Not changed", {to_line(config.issues().front())}};
    }
    frame_.fault.clear();
    if (!same_state(config_.trainer, config->trainer))
    {
        keep_curve(); // another model or optimizer starts anew
    }
    config_ = *config;
    const bool pace =
        next.steps_per_second != frame_.request.steps_per_second || !(next.saving == frame_.request.saving);
    frame_.request = next;
    if (run_ && frame_.is(TeamState::failed))
    {
        run_.reset();
    }
    if (run_ && pace)
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
               ? Notice()
               : fmt::format("{} ranks, since {} do not divide this model so", next.ranks, asked);
}

Notice TeamController::go_wrong(const PlannedFault& planned)
{
    end_comparison();
    if (frame_.is(TeamState::broken))
    {
        return "The run has failed already; Space resumes it";
    }
    Notice fault = !run_ || frame_.is(TeamState::failed) ? begin(true) : Notice();
    if (run_)
    {
        run_->plan(planned);
        if (!frame_.is(TeamState::running))
        {
            run_->step_once();
        }
    }
    return fault;
}

// Predicts for the team that trains; its configuration changes when its run has come to it.
void TeamController::predict()
{
    const TeamConfig& config =
        frame_.snapshot && frame_.snapshot->state != TeamState::failed ? frame_.snapshot->config : config_;
    if (frame_.predicted.of != config && (frame_.fault.empty() || watch_ || playback_))
    {
        frame_.predicted = prediction_of(config);
    }
}

void TeamController::tick()
{
    if (watch_)
    {
        TeamWatch::Seen seen = watch_->seen();
        frame_.snapshot = std::move(seen.snapshot);
        frame_.fault = std::move(seen.fault);
        frame_.silent_s = seen.silent_s;
        predict();
        return;
    }
    if (playback_)
    {
        playback_->tick(frame_);
        predict();
        return;
    }
    frame_.snapshot = run_ ? run_->snapshot() : nullptr;
    if (frame_.comparing && frame_.is(TeamState::paused) && frame_.snapshot->step >= setup_.compared_steps)
    {
        if (to_compare_.empty())
        {
            end_comparison();
        }
        else
        {
            keep_curve();
            compare_next();
            frame_.snapshot = run_->snapshot();
        }
    }
    frame_.to_compare = to_compare_.size();
    frame_.can_go_without =
        frame_.is(TeamState::broken) && static_cast<bool>(without_one(frame_.snapshot->config));
    predict();
}

bool TeamController::busy() const
{
    if (watch_)
    {
        return !frame_.snapshot || frame_.is(TeamState::running);
    }
    if (playback_)
    {
        return playback_->playing();
    }
    // A run of a comparison that is done is followed by the next, or by the end of it, at the next tick.
    return run_ && (!run_->wait_until_idle(0) ||
                    (frame_.comparing && run_->snapshot()->step >= setup_.compared_steps));
}

bool TeamController::run_to(std::int64_t step, double patience)
{
    if (frame_.comparing)
    {
        return wait(patience);
    }
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

bool TeamController::wait(double patience)
{
    if (watch_)
    {
        watch_->wait_for_first();
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    while (run_ && busy() && std::chrono::steady_clock::now() < end) // what is watched does not end for us
    {
        run_->wait_until_idle(0.02);
        tick();
    }
    tick();
    return !busy();
}

} // namespace ringside
