// What helps most: every count, rate and switch of a scenario moved one step down and one up, and what that
// makes of the step and of memory.
//
// Where GPUs or tokens per step change, it compares GPU time per token: otherwise more GPUs always win.
#pragma once

#include "core/base/names.h"
#include "core/performance/step_time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Dial : std::uint8_t
{
    tensor,
    context,
    pipeline,
    chunks,
    expert,
    zero,
    schedule, // the best of the other ones, and no step the other way
    micro_batch,
    micro_batches, // of one step, and with them the global batch
    recompute,
    sequence_parallel,
    flash_attention,
    overlap_tensor,
    overlap_expert,
    overlap_pipeline,
    gpus,
    node_link, // half and twice the rate
    network
};
inline constexpr std::size_t kDials = 18;
template <>
inline constexpr auto kNamesOf<Dial> = names<Dial>("Tensor parallel", "Context parallel", "Pipeline stages",
                                                   "Chunks per stage", "Expert parallel", "ZeRO stage",
                                                   "Schedule", "Micro-batch size", "Micro-batches",
                                                   "Recompute", "Sequence parallel", "Flash attention",
                                                   "Tensor overlap", "Expert overlap", "Stage overlap",
                                                   "GPUs", "Node link", "Network");
std::string shown_value(const Scenario& scenario, Dial dial);
// What another machine is needed for.
bool is_hardware(Dial dial);

struct DialMove
{
    Dial dial = Dial::tensor;
    bool up = false;
    Scenario after; // valid
    StepTime step;
    double change = 0; // [s] of a step with as many tokens a GPU as now; below 0: it helps
    bool fits = false;
};

// Seconds `after` needs for the tokens a GPU of `before` works on in a step, less the step of `before`: the
// change of step time where neither GPUs nor tokens change, else that of the GPU time a token takes.
double time_change(const Scenario& before, const StepTime& now, const Scenario& after, const StepTime& then);

// Work (core/base/work.h).
class Sensitivity
{
public:
    // The scenario must be valid, and `now` its step_time().
    struct Request
    {
        Scenario scenario;
        StepTime now;

        bool operator==(const Request& other) const { return scenario == other.scenario; }
    };
    static constexpr double kSlice = 60'000; // operations

    Sensitivity(Scenario scenario, const StepTime& now);
    explicit Sensitivity(const Request& request) : Sensitivity(request.scenario, request.now) {}

    // Tries moves until about this many pipeline operations have run; false when none is left.
    bool advance(double operations);
    bool done() const { return next_ == wanted_.size(); }
    double progress() const
    {
        return wanted_.empty() ? 1 : static_cast<double>(next_) / static_cast<double>(wanted_.size());
    }

    const Scenario& scenario() const { return scenario_; }
    const StepTime& now() const { return now_; }
    // In the order of Dial, down before up.
    const std::vector<DialMove>& found() const { return found_; }
    const DialMove* find(Dial dial, bool up) const;
    // What helps most of what fits and needs no other machine; null where nothing helps.
    const DialMove* best() const;

private:
    struct Wanted
    {
        Dial dial;
        bool up;
        ScheduleKind schedule; // of Dial::schedule
    };

    void try_one(const Wanted& wanted);
    void keep(DialMove move);

    Scenario scenario_;
    StepTime now_;
    std::vector<Wanted> wanted_;
    std::size_t next_ = 0;
    std::vector<DialMove> found_;
};

} // namespace ringside
