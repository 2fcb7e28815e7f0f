#include "app/session/controllers/team_playback.h"

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/base/overloaded.h"
#include "core/lab/team/team_json.h"
#include "core/lab/trainer/clock.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::size_t kMostRecorded = std::size_t{64} << 20U; // [B]
constexpr double kFastest = 8;                                // [steps/s] that can be looked at
constexpr std::string_view kOnlyRecorded =
    "This is a recording: strategy and speed can be changed; the desktop program trains live";

Result<std::vector<TeamSnapshot>> read_recording(const std::filesystem::path& file)
{
    const auto text = read_plain(file, kMostRecorded);
    if (!text)
    {
        return text.issues();
    }
    std::vector<TeamSnapshot> steps;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
    {
        auto step = snapshot_from_live(line);
        if (!step)
        {
            return step.issues();
        }
        if (step->trace)
        {
            steps.push_back(*step);
        }
    }
    if (steps.empty())
    {
        return Issue{file.filename().string(), "no step is recorded",
                     "use a file of ringside train --record"};
    }
    return steps;
}

} // namespace

Notice TeamPlayback::apply(const TeamAction& action, TeamFrame& frame)
{
    return std::visit(Overloaded{[&](TeamCommand a) { return command(a, frame); },
                                 [&](const RequestTeam& a) { return request(a.request, frame); },
                                 [](const GoWrong&) { return Notice(std::string(kOnlyRecorded)); }},
                      action);
}

// The strategy's recording; false where it cannot be read.
bool TeamPlayback::begin(TeamFrame& frame)
{
    auto steps =
        read_recording(folder_ / fmt::format("{}.jsonl", team_strategies()[frame.request.strategy].id));
    frame.fault = steps ? "" : to_line(steps.issues().front());
    steps_ = steps ? std::move(*steps) : std::vector<TeamSnapshot>();
    at_ = 0;
    if (!steps)
    {
        playing_ = false;
        frame.snapshot = nullptr;
        return false;
    }
    frame.request.ranks = steps_.front().config.ranks;
    frame.request.micro_batches = steps_.front().config.trainer.accumulation();
    return true;
}

Notice TeamPlayback::command(TeamCommand command, TeamFrame& frame)
{
    switch (command)
    {
    case TeamCommand::run:
    case TeamCommand::step:
    {
        const bool fresh = steps_.empty();
        if (fresh && !begin(frame))
        {
            return {"Not started", {frame.fault}};
        }
        playing_ = command == TeamCommand::run;
        next_ = 0;
        at_ = playing_ || fresh ? at_ : (at_ + 1) % steps_.size();
        break;
    }
    case TeamCommand::pause:
        playing_ = false;
        break;
    case TeamCommand::clear:
        playing_ = false;
        steps_.clear();
        frame.snapshot = nullptr;
        return {};
    case TeamCommand::without:
    case TeamCommand::compare:
        return std::string(kOnlyRecorded);
    }
    show(frame);
    return {};
}

Notice TeamPlayback::request(const TeamRequest& request, TeamFrame& frame)
{
    const bool other = request.strategy != frame.request.strategy;
    TeamRequest followed = frame.request;
    followed.strategy = request.strategy;
    followed.steps_per_second = request.steps_per_second;
    const bool all = followed == request;
    frame.request = followed;
    if (other && !steps_.empty() && begin(frame))
    {
        show(frame);
    }
    return all ? Notice() : std::string(kOnlyRecorded);
}

void TeamPlayback::tick(TeamFrame& frame)
{
    const double now = trainer::seconds_now();
    if (!playing_ || now < next_)
    {
        return;
    }
    const double rate = frame.request.steps_per_second;
    const bool first = next_ == 0;
    next_ = now + 1 / (rate > 0 ? std::min(rate, kFastest) : kFastest);
    at_ = first ? at_ : (at_ + 1) % steps_.size();
    show(frame);
}

void TeamPlayback::show(TeamFrame& frame) const
{
    if (steps_.empty())
    {
        return;
    }
    TeamSnapshot now = steps_[at_];
    now.state = playing_ ? TeamState::running : TeamState::paused;
    frame.snapshot = std::make_shared<const TeamSnapshot>(std::move(now));
}

} // namespace ringside
