// What may be asked of a run while it goes on, wherever its steps are made: on a thread (run.h) or beyond a
// line (remote.h).
#pragma once

#include "core/lab/snapshot.h"
#include "core/lab/trainer/checkpoint.h"

#include <functional>
#include <memory>

namespace ringside::trainer
{

template <class Snapshot>
class Live
{
public:
    virtual ~Live() = default;
    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual void step_once() = 0; // one step, then pause
    // The newest; never null.
    virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
    // Waits until the run does nothing by itself any more, or `seconds` are over.
    virtual bool wait_until_idle(double seconds) const = 0;
};

// How the run shows itself; may change while it runs.
struct RunSettings
{
    bool paused = false;           // start without running
    std::int64_t last_step = 0;    // pause when it is reached; 0: never
    std::int64_t sample_every = 0; // steps between two samples of text; 0: none
    std::int64_t sample_tokens = 120;
    double temperature = 0.8;
    std::int64_t top_k = 0;              // 0: all tokens
    std::int64_t exponents_every = 10;   // steps between two looks at exponents; 0: never
    std::vector<Intervention> plan = {}; // by step; read when the run begins
    bool threaded = true;                // false: advance() makes its steps
};

class LiveTraining : public Live<TrainingSnapshot>
{
public:
    // Knobs: everything that same_state() allows. What cannot be done is an event of the snapshot.
    virtual void change(TrainerConfig next) = 0;
    virtual void change(RunSettings settings) = 0;
    virtual void sample() = 0;                  // now
    virtual void time_kernels() = 0;            // of one step, which does not count
    virtual void mark() = 0;                    // this state, to be gone back to; the oldest of 8 makes room
    virtual void rewind(std::int64_t step) = 0; // to the last mark at or before this step
    // The state at the next moment between two steps, handed to `take`, which may be on another thread.
    virtual void checkpoint(std::function<void(const Checkpoint&)> take) = 0;
};

} // namespace ringside::trainer
