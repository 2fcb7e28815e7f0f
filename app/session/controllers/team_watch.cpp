#include "app/session/controllers/team_watch.h"

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/base/caught.h"
#include "core/lab/ranks/team_config.h"
#include "core/lab/team/team_json.h"
#include "core/lab/trainer/clock.h"

#include <algorithm>
#include <chrono>

namespace ringside
{

namespace
{

constexpr double kEvery = 0.1;                              // [s]
constexpr std::size_t kMostBytes = std::size_t{256} << 20U; // of a live file

// What can be drawn: a training that could run here too.
Result<TeamSnapshot> shown(const std::string& text)
{
    auto snapshot = snapshot_from_live(text);
    if (!snapshot)
    {
        return snapshot;
    }
    // The text that is trained on is not in there, and need not be.
    TeamConfig config = snapshot->config;
    config.trainer.data.task = LabTask::copy;
    config.trainer.data.symbols = std::clamp<std::int64_t>(config.trainer.model.vocab - 1, 2, 255);
    config.trainer.data.text = nullptr;
    const auto ready = parallel::prepared(config);
    return ready ? snapshot : ready.issues();
}

} // namespace

TeamWatch::TeamWatch(std::filesystem::path file) : file_(std::move(file)), changed_at_(trainer::seconds_now())
{
    thread_ = std::thread([this] { work(); });
}

TeamWatch::~TeamWatch()
{
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

TeamWatch::Seen TeamWatch::seen() const
{
    const std::scoped_lock lock(mutex_);
    Seen seen = seen_;
    seen.silent_s = trainer::seconds_now() - changed_at_;
    return seen;
}

void TeamWatch::wait_for_first() const
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return read_ || stop_; });
}

void TeamWatch::work()
{
    std::unique_lock lock(mutex_);
    while (!stop_)
    {
        lock.unlock();
        const auto thrown = caught([this] { poll(); });
        lock.lock();
        seen_.fault = thrown ? fault_line(thrown) : std::move(seen_.fault);
        read_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, std::chrono::duration<double>(kEvery), [this] { return stop_; });
    }
}

void TeamWatch::poll()
{
    // What was written a while ago and has been read since is not read again. Clocks of files are coarse, so
    // what is newer may have been written twice.
    std::error_code none;
    const auto written = std::filesystem::last_write_time(file_, none);
    const std::chrono::duration<double> age = std::filesystem::file_time_type::clock::now() - written;
    if (!none && !text_.empty() && written == written_ && age.count() > 1)
    {
        return;
    }
    written_ = written;
    auto text = read_plain(file_, kMostBytes);
    if (text && !text->empty() && *text == text_)
    {
        return;
    }
    const auto snapshot = text ? shown(*text) : Result<TeamSnapshot>(text.issues());
    // One that was written long ago does not begin to be silent only now.
    const double before = text_.empty() && !none ? std::max(0.0, age.count()) : 0;
    text_ = text ? std::move(*text) : std::string();
    const std::scoped_lock lock(mutex_);
    seen_.fault = snapshot ? "" : fmt::format("{}: {}", file_.string(), to_line(snapshot.issues().front()));
    if (snapshot)
    {
        seen_.snapshot = std::make_shared<const TeamSnapshot>(*snapshot);
        changed_at_ = trainer::seconds_now() - before;
    }
}

} // namespace ringside
