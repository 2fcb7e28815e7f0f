#include "core/parallel/team_run.h"

#include <fmt/format.h>

#include "core/lab/team_wish.h"
#include "core/trainer/checkpoint.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ringside::parallel
{

namespace
{

constexpr double kPublishEvery = 0.02; // [s]
constexpr std::size_t kMostMarks = 200;
constexpr std::size_t kMostPace = 120;
constexpr std::size_t kMostSaves = 200;

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string lines(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += (all.empty() ? "" : "; ") + to_line(issue);
    }
    return all;
}

template <class T>
void forget_first(std::vector<T>& list, std::size_t most)
{
    if (list.size() > most)
    {
        list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(most));
    }
}

void add_up(std::vector<RankTrace::Sent>& sum, const std::vector<RankTrace::Sent>& step)
{
    for (const RankTrace::Sent& sent : step)
    {
        auto axis = std::ranges::find(sum, sent.axis, &RankTrace::Sent::axis);
        if (axis == sum.end())
        {
            axis = sum.insert(sum.end(), {sent.axis, 0, 0});
        }
        axis->bytes += sent.bytes;
        axis->calls += sent.calls;
    }
}

} // namespace

TeamRun::TeamRun(TeamConfig config, TeamRunSettings settings)
    : config_(std::move(config)), settings_(std::move(settings))
{
    now_.config = config_;
    now_.state = TeamState::running;
    published_ = std::make_shared<TeamSnapshot>(now_);
    thread_ = std::thread([this] { work(); });
}

TeamRun::~TeamRun()
{
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
        if (team_)
        {
            team_->abort("the run was ended");
        }
    }
    saver_.stop();
    wake_.notify_all();
    thread_.join();
}

void TeamRun::ask(std::function<void()> command)
{
    {
        const std::scoped_lock lock(mutex_);
        commands_.push_back(std::move(command));
    }
    wake_.notify_all();
}

void TeamRun::pause()
{
    ask(
        [this]
        {
            now_.state = now_.state == TeamState::running ? TeamState::paused : now_.state;
            single_ = false;
        });
}

// On the run's own thread, in one go, so that no step comes between the start and whether it is a single one.
void TeamRun::go_on(bool single)
{
    if (now_.state == TeamState::broken)
    {
        rebuild(config_);
    }
    now_.state = now_.state == TeamState::failed ? now_.state : TeamState::running;
    single_ = single;
}

void TeamRun::resume()
{
    ask([this] { go_on(false); });
}

void TeamRun::step_once()
{
    ask([this] { go_on(true); });
}

void TeamRun::change(TeamConfig next)
{
    ask(
        [this, next = std::move(next)]
        {
            const auto ready = prepared(next);
            if (!ready || *ready == config_)
            {
                now_.message = ready ? now_.message : lines(ready.issues());
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

void TeamRun::plan(PlannedMishap mishap)
{
    ask(
        [this, mishap]
        {
            now_.planned = mishap;
            now_.planned.rank = std::clamp(mishap.rank, 0, static_cast<int>(config_.ranks) - 1);
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
                now_.message += next ? "" : (now_.message.empty() ? "" : "; ") + lines(next.issues());
                return;
            }
            const int lost = now_.suffered.rank;
            rebuild(*next);
            if (now_.state != TeamState::failed)
            {
                now_.state = TeamState::running;
                mark(fmt::format("without rank {}", lost), false);
            }
        });
}

std::shared_ptr<const TeamSnapshot> TeamRun::snapshot() const
{
    const std::scoped_lock lock(mutex_);
    return published_;
}

bool TeamRun::wait_until_idle(double seconds) const
{
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [this] { return commands_.empty() && published_->state != TeamState::running; });
}

void TeamRun::fail(const Issues& issues)
{
    now_.state = TeamState::failed;
    now_.message = lines(issues);
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
        now_.message = lines(issues);
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
    forget_first(now_.marks, kMostMarks);
}

void TeamRun::work()
{
    try
    {
        if (make_team(config_, std::nullopt))
        {
            now_.state = settings_.paused ? TeamState::paused : TeamState::running;
            mark(strategy_name(config_), false);
        }
        else
        {
            now_.state = TeamState::failed;
        }
        publish(true);
        while (serve_commands())
        {
            one_step();
        }
    }
    catch (const std::exception& fault) // the host's own memory
    {
        fail({{"team", fault.what(), "use a smaller model or fewer ranks"}});
    }
    now_.state = now_.state == TeamState::failed ? now_.state : TeamState::stopped;
    {
        const std::scoped_lock lock(mutex_);
        team_.reset();
    }
    publish(true);
}

// Waits, at most until the speed that was asked for allows the next step.
bool TeamRun::next_step_is_due(std::unique_lock<std::mutex>& lock)
{
    const double wait = due_ - seconds_now();
    return wait <= 0 || !wake_.wait_for(lock, std::chrono::duration<double>(wait),
                                        [this] { return stop_ || !commands_.empty(); });
}

// Waits while there is nothing to do. False when the run is to end.
bool TeamRun::serve_commands()
{
    std::unique_lock lock(mutex_);
    while (!stop_)
    {
        if (!commands_.empty())
        {
            const auto command = std::move(commands_.front());
            lock.unlock();
            if (now_.state != TeamState::failed)
            {
                command();
            }
            publish(true);
            lock.lock();
            commands_.pop_front(); // only now: an idle run is one that has done what it was asked
            idle_.notify_all();
            continue;
        }
        if (now_.state == TeamState::running)
        {
            if (next_step_is_due(lock))
            {
                return true;
            }
            continue;
        }
        wake_.wait(lock, [this] { return stop_ || !commands_.empty(); });
    }
    return false;
}

void TeamRun::one_step()
{
    const double start = seconds_now();
    due_ = settings_.steps_per_second > 0 ? start + 1 / settings_.steps_per_second : start;
    const PlannedMishap mishap = std::exchange(now_.planned, PlannedMishap{});
    if (mishap.mishap != Mishap::none)
    {
        mark(fmt::format("{} {}", name_of(mishap.mishap), mishap.rank), true);
    }
    now_.suffered = mishap;
    auto step = team_->step(mishap, settings_.patience);
    if (!step)
    {
        break_up(step.issues());
        return;
    }
    note(std::move(*step));
    const bool last = settings_.last_step > 0 && now_.step >= settings_.last_step;
    if (single_ || last)
    {
        single_ = false;
        now_.state = TeamState::paused;
        saver_.wait(); // nobody waits for training any more
        note_saved();
    }
    publish(now_.state != TeamState::running);
}

void TeamRun::break_up(const Issues& why)
{
    {
        const std::scoped_lock lock(mutex_);
        if (stop_)
        {
            return; // it was ended, and so nobody is missing
        }
    }
    single_ = false;
    now_.state = TeamState::broken;
    now_.message = why.front().message;
    publish(true);
}

void TeamRun::note(TeamStep step)
{
    now_.message.clear();
    now_.step = step.trace.step;
    note_step(now_, step.result.loss, most_sent(step.trace));
    for (std::size_t rank = 0; rank < step.trace.ranks.size(); ++rank)
    {
        add_up(now_.sent[rank], step.trace.ranks[rank].sent);
    }
    now_.pace.push_back({now_.step, step.trace.seconds, 0});
    forget_first(now_.pace, kMostPace);
    save();
    now_.trace = std::make_shared<const TeamStepTrace>(std::move(step.trace));
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
    const double start = seconds_now();
    saver_.wait(); // one is written at a time
    note_saved();
    const auto copy =
        std::make_shared<const trainer::Checkpoint>(trainer::Checkpoint{config_.trainer, team_->state()});
    TeamSave& save = now_.saves.emplace_back();
    save.step = now_.step;
    save.mode = plan.mode;
    forget_first(now_.saves, kMostSaves);
    saver_.begin([copy] { return trainer::checkpoint_text(*copy); }, settings_.write, plan.bytes_per_second);
    if (plan.mode == SaveMode::synchronous)
    {
        saver_.wait();
    }
    now_.pace.back().stalled_s = now_.saves.back().stalled_s = seconds_now() - start;
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

void TeamRun::publish(bool always)
{
    const double now = seconds_now();
    if (!always && now - last_published_ < kPublishEvery)
    {
        return;
    }
    last_published_ = now;
    auto copy = std::make_shared<const TeamSnapshot>(now_);
    {
        const std::scoped_lock lock(mutex_);
        published_.swap(copy);
    }
    idle_.notify_all();
}

} // namespace ringside::parallel
