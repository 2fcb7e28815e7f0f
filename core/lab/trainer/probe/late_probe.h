// measure() for a device that the host cannot wait for: one thing after the other is asked of it, and how
// long its answer takes is measured. Of a device that the host waits for, it has taken all before it is made.
#pragma once

#include "core/lab/trainer/clock.h"
#include "core/lab/trainer/probe/probe.h"
#include "core/lab/trainer/probe/probe_work.h"
#include "core/lab/trainer/trainer.h"

#include <deque>

namespace ringside::trainer
{

// Begins when it is made; `take` gets the rates some seconds later, unless the probe is gone before. Rates of
// the configuration's format stand for all.
class LateProbe
{
public:
    using Take = std::function<void(const DeviceRates&)>;

    LateProbe(std::unique_ptr<Backend> backend, const TrainerConfig& config, Take take,
              ProbeKind kind = ProbeKind::model, std::function<double()> clock = seconds_now);
    LateProbe(const LateProbe&) = delete;
    LateProbe& operator=(const LateProbe&) = delete;
    ~LateProbe() = default;

private:
    static constexpr double kUntried = 1e300; // [s]
    // What is measured, and what becomes of the seconds of one call.
    struct Measurement
    {
        ProbeWork::Piece piece;
        std::function<void(double)> note;
        bool compiled = false;
    };
    void measure(ProbeWork::Piece piece, std::function<void(double)> note);
    void rate(ProbeWork::Piece piece, double& rate);
    // A piece without subgroups and, where the device has them, with; from here on it goes the faster way.
    void both_ways(const std::function<ProbeWork::Piece(bool)>& piece, double& rate_of,
                   bool Subgroups::*which);
    void next();
    // Sizes the next measurement; `before`: what as many calls took at least [s], `tries`: how often they may
    // be tried yet.
    void grow(std::int64_t calls, double before, int tries);
    // How long an answer takes by itself, the least of so many times.
    void answer_time(int times);
    // `calls` calls and an answer, as in a step: recorded before where the device can; then(seconds).
    void record(std::int64_t calls);
    void time(std::int64_t calls, const std::function<void(double)>& then);
    void whole_product(Index side);
    // Larger ones as long as the device computes them in the time there is.
    void products_from(Index side);
    void copies_from(Index bytes);
    // A training; false where it cannot be. Then so many steps of it, of which the first does not count.
    bool begin(const TrainerConfig& config);
    void step(int left);
    void finish();
    void note_point(ProbeWork::Piece piece, double bytes, std::function<void(double)> then);

    std::shared_ptr<Backend> backend_;
    TrainerConfig config_;
    ProbeKind kind_;
    std::function<double()> clock_; // [s]
    ProbeWork work_;
    DType format_; // that the configuration stores
    Block flag_;
    DeviceRates rates_;
    double answer_s_ = 1e9;
    double latest_s_ = 0; // of the answers that took only themselves
    std::deque<Measurement> left_;
    std::int64_t recorded_ = 0; // calls
    std::unique_ptr<Trainer> trainer_;
    double step_s_ = kUntried; // [s] the least
    Take take_;
};

// Rates of a device that the host waits for; returns when all is measured.
DeviceRates machine_rates(std::unique_ptr<Backend> backend, const TrainerConfig& config);

} // namespace ringside::trainer
