// A training whose steps are made elsewhere by the same program: a page has no threads, but workers that
// share nothing with it. Commands go over a line as bytes, snapshots come back. Both ends are of one build.
#pragma once

#include "core/lab/trainer/probe/late_probe.h"
#include "core/lab/trainer/run.h"

#include <deque>
#include <string_view>

namespace ringside::trainer
{

// Its destructor hangs up, which ends what is at the other end.
class Line
{
public:
    virtual ~Line() = default;
    virtual void send(std::string bytes) = 0;
};

// This end: what is asked goes out at once; what comes back counts when it is received.
class RemoteRun final : public LiveTraining
{
public:
    using Receive = std::function<void(std::string_view bytes)>;
    using LostLine = std::function<void(std::string why)>;
    // Opens a line; what comes over it is handed to the first, that it broke to the second.
    using OpenLine = std::function<std::unique_ptr<Line>(Receive, LostLine)>;

    RemoteRun(const TrainerConfig& config, const OpenLine& open, const RunSettings& settings = {},
              const std::optional<TrainerState>& from = {});
    RemoteRun(const RemoteRun&) = delete;
    RemoteRun& operator=(const RemoteRun&) = delete;

    void pause() override;
    void resume() override;
    void step_once() override;
    void change(TrainerConfig next) override;
    void change(RunSettings settings) override;
    void sample() override;
    void time_kernels() override;
    void mark() override;
    void rewind(std::int64_t step) override;
    void checkpoint(std::function<void(const Checkpoint&)> take) override;
    std::shared_ptr<const TrainingSnapshot> snapshot() const override { return newest_; }
    // Nothing can come while the caller waits, so it does not wait.
    bool wait_until_idle(double seconds) const override;

private:
    void ask(std::string bytes);
    void receive(std::string_view bytes);
    void fail(std::string why);

    std::shared_ptr<const TrainingSnapshot> newest_;
    std::uint64_t asked_ = 0; // commands
    std::uint64_t done_ = 0;
    std::deque<std::function<void(const Checkpoint&)>> takers_;
    std::unique_ptr<Line> line_; // last: what it hands over is for the others
};

// This end of a measurement. `take` gets what came of it, unless the line breaks or this is gone before; it
// does not end this.
class RemoteProbe
{
public:
    using Take = std::function<void(std::optional<DeviceRates>)>;

    RemoteProbe(const TrainerConfig& config, const RemoteRun::OpenLine& open, const Take& take,
                ProbeKind kind = ProbeKind::model);
    RemoteProbe(const RemoteProbe&) = delete;
    RemoteProbe& operator=(const RemoteProbe&) = delete;

private:
    std::unique_ptr<Line> line_;
};

// The other end.
class RunHost
{
public:
    RunHost(TrainingRun::OpenBackend open, std::function<void(std::string bytes)> send)
        : open_(std::move(open)), send_(std::move(send))
    {
    }

    void receive(std::string_view bytes);
    // Commands and steps for about so many seconds, one step at least. False once there is nothing left to
    // do.
    bool work(double seconds);
    // What the device reports where the host does not wait for it.
    void lose_device(const std::string& why);
    void say(std::string what);

private:
    void tell();
    void measure(const TrainerConfig& config, ProbeKind kind);

    TrainingRun::OpenBackend open_;
    std::function<void(std::string)> send_;
    std::unique_ptr<TrainingRun> run_;
    std::unique_ptr<LateProbe> probe_;
    std::shared_ptr<const TrainingSnapshot> told_;
    std::uint64_t done_ = 0; // commands
    std::uint64_t told_done_ = 0;
};

} // namespace ringside::trainer
