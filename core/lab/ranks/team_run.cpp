#include "core/lab/ranks/team_run.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/lab/team/team_request.h"
#include "core/lab/trainer/checkpoint.h"

#include <algorithm>

namespace ringside::parallel
{

namespace
{

constexpr std::size_t kMostMarks = 200;
constexpr std::size_t kMostSaves = 200;

} // namespace

TeamRun::TeamRun(TeamConfig config, TeamRunSettings settings)
    : config_(std::move(config)), settings_(std::move(settings))
{
    TeamSnapshot first;
    first.config = config_;
    start(std::move(first), settings_.threaded);
}

TeamRun::~TeamRun()
{
    stop_ = true; // so that a step that ends now is known to have been ended
    {
        const std::scoped_lock lock(mutex_);
        if (team_)
        {
            team_->abort("the run was ended");
        }
    }
    saver_.stop();
    stop();
}

void TeamRun::mend()
{
    if (now_.state == TeamState::broken)
    {
        rebuild(config_);
    }
}

void TeamRun::change(TeamConfig next)
{
    ask(
        [this, next = std::move(next)]
        {
            const auto ready = prepared(next);
            if (!ready || *ready == config_)
            {
                now_.message = ready ? now_.message : trainer::lines(ready.issues());
                return;
            }
            now_.message.clear();
            const bool same = same_state(config_.trainer, ready->trainer);
            const bool broken = now_.state == TeamState::broken;
            const auto state = same && team_ && !broken ? std::optional(team_->state())
                               : same                   ? kept_
                                                        : std::nullopt;
            if (!make_team(*ready, state))
            {
                return;
            }
            now_.state = broken ? TeamState::paused : now_.state;
            if (!same)
            {
                now_.marks.clear();
            }
            mark(strategy_name(*ready), false);
        });
}

void TeamRun::change(TeamRunSettings settings)
{
    ask(
        [this, settings = std::move(settings)]
        {
            settings_ = settings;
            due_ = 0;
        });
}

void TeamRun::plan(PlannedFault fault)
{
    ask(
        [this, fault]
        {
            now_.planned = fault;
            now_.planned.rank = std::clamp(fault.rank, 0, static_cast<int>(config_.ranks) - 1);
        });
}

void TeamRun::go_on_without()
{
    ask(
        [this]
        {
            const auto next = without_one(config_);
            if (now_.state != TeamState::broken || !next)
            {
                now_.message +=
                    next ? "" : (now_.message.empty() ? "" : "; ") + trainer::lines(next.issues());
                return;
            }
            const int lost = now_.happened.rank;
            rebuild(*next);
            if (now_.state != TeamState::failed)
            {
                now_.state = TeamState::running;
                mark(fmt::format("without rank {}", lost), false);
            }
        });
}

// The old team is there until the new one has its state. False where there is none to be had.
bool TeamRun::make_team(const TeamConfig& config, const std::optional<trainer::TrainerState>& from)
{
    auto made = Team::create(config);
    Issues issues = made ? Issues{} : made.issues();
    if (made && from)
    {
        issues = (*made)->restore(*from);
    }
    if (!issues.empty())
    {
        now_.message = trainer::lines(issues);
        return false;
    }
    std::shared_ptr<Team> team = std::move(*made);
    {
        const std::scoped_lock lock(mutex_);
        team_.swap(team);
    }
    config_ = now_.config = team_->config();
    now_.step = from ? from->step : 0;
    const std::int64_t points = (now_.step + now_.loss_stride - 1) / now_.loss_stride;
    now_.losses.resize(std::min(now_.losses.size(), static_cast<std::size_t>(points)));
    now_.sent_until.resize(now_.losses.size());
    const auto later = [this](const auto& of) { return of.step > now_.step; };
    std::erase_if(now_.pace, later);
    std::erase_if(now_.saves, later);
    now_.sent_so_far = now_.sent_until.empty() ? 0 : now_.sent_until.back();
    now_.planned = {};
    now_.trace.reset();
    now_.sent.assign(static_cast<std::size_t>(config_.ranks), {});
    keep();
    return true;
}

// From the state that was kept: the losses since then are made again.
void TeamRun::rebuild(const TeamConfig& config)
{
    if (!make_team(config, std::exchange(kept_, std::nullopt)))
    {
        now_.state = TeamState::failed;
        return;
    }
    now_.message.clear();
}

void TeamRun::keep()
{
    kept_ = team_->state();
    now_.kept = now_.step;
}

void TeamRun::mark(std::string says, bool trouble)
{
    now_.marks.push_back({now_.step, std::move(says), trouble});
    keep_last(now_.marks, kMostMarks);
}

void TeamRun::open()
{
    if (!make_team(config_, std::nullopt))
    {
        now_.state = TeamState::failed;
        return;
    }
    now_.state = settings_.paused ? TeamState::paused : TeamState::running;
    mark(strategy_name(config_), false);
}

void TeamRun::close()
{
    const std::scoped_lock lock(mutex_);
    team_.reset();
}

void TeamRun::one_step()
{
    const double start = trainer::seconds_now();
    due_ = settings_.steps_per_second > 0 ? start + 1 / settings_.steps_per_second : start;
    const PlannedFault fault = std::exchange(now_.planned, PlannedFault{});
    if (fault.kind != RankFault::none)
    {
        mark(fmt::format("{} {}", name_of(fault.kind), fault.rank), true);
    }
    now_.happened = fault;
    auto step = team_->step(fault, settings_.patience);
    if (!step)
    {
        break_up(step.issues());
        return;
    }
    note(std::move(*step));
    const bool pauses = pauses_after(settings_.last_step);
    if (pauses)
    {
        saver_.wait(); // nobody waits for training any more
        note_saved();
    }
    publish(pauses);
}

void TeamRun::break_up(const Issues& why)
{
    if (stop_)
    {
        return; // it was ended, and so nobody is missing
    }
    single_ = false;
    now_.state = TeamState::broken;
    now_.message = why.front().message;
    publish(true);
}

void TeamRun::note(TeamStep step)
{
    note_step(now_, std::move(step.trace));
    save();
    if (now_.step % std::max<std::int64_t>(1, settings_.keep_every) == 0)
    {
        keep();
    }
}

// Everything that training stands still for is counted: the copy of the state, and waiting for the storage.
void TeamRun::save()
{
    note_saved();
    const SavePlan& plan = settings_.saving;
    if (plan.mode == SaveMode::none || !settings_.write ||
        now_.step % std::max<std::int64_t>(1, plan.every) != 0)
    {
        return;
    }
    const double start = trainer::seconds_now();
    saver_.wait(); // one is written at a time
    note_saved();
    const auto copy =
        std::make_shared<const trainer::Checkpoint>(trainer::Checkpoint{config_.trainer, team_->state()});
    TeamSave& save = now_.saves.emplace_back();
    save.step = now_.step;
    save.mode = plan.mode;
    keep_last(now_.saves, kMostSaves);
    saver_.begin([copy] { return trainer::checkpoint_text(*copy); }, settings_.write, plan.bytes_per_second);
    if (plan.mode == SaveMode::synchronous)
    {
        saver_.wait();
    }
    now_.pace.back().stalled_s = now_.saves.back().stalled_s = trainer::seconds_now() - start;
    note_saved();
}

void TeamRun::note_saved()
{
    const auto done = saver_.take();
    const auto waits = std::ranges::find_if(now_.saves, [](const TeamSave& s) { return s.written_s < 0; });
    if (done && waits != now_.saves.end())
    {
        waits->bytes = done->bytes;
        waits->written_s = done->seconds;
        waits->fault = done->issues.empty() ? "" : to_line(done->issues.front());
    }
}

} // namespace ringside::parallel
