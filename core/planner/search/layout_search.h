// Every legal layout of a scenario's model on its GPUs, with the step time and memory of each: the fastest,
// the smallest, the frontier between them, and rejected layouts, by reason. Works in slices and in parts, so
// that a window goes on drawing and several threads can share the work. Nothing is left out by guessing:
// schedules that only a simulation can time are simulated wherever they would count if they never idled.
//
// The scatter is a random sample of all legal layouts, the same one however many parts share the work, each
// with the nearest closed form; frontier and table come from all of them. What is
// illegal counts once, where the search turns back, so reasons count branches, not layouts. Layers that do
// not divide are dealt as evenly as possible (stage_layers.h); other uneven splits are not tried. Selective
// recomputation is skipped with flash attention, where it would be the same layout twice. The scenario's
// overlap_* switches are taken as they stand: they say what the software does, not how the model is cut.
#pragma once

#include "core/base/names.h"
#include "core/memory/memory.h"
#include "core/performance/step_model/step_model.h"
#include "core/planner/layout.h"
#include "core/planner/search/freed.h"
#include "core/planner/search/idle_times.h"
#include "core/planner/search/memory_model.h"
#include "core/scenario/framework.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside
{

enum class Objective : std::uint8_t
{
    step_time,
    memory,
    cost // GPU-seconds of a step; fewer GPUs are tried too, or those that are freed
};
template <>
inline constexpr auto kNamesOf<Objective> = names<Objective>("step_time", "memory", "cost");

// What a search may use.
struct SearchLimits
{
    bool full_recompute = true;
    bool zero3 = true;
    bool deep_pipelines = true;          // more than 8 stages
    bool tensor_across_nodes = false;    // tensor groups larger than a node
    bool zero_with_stages = false;       // ZeRO 2 and 3 in a pipeline, which Megatron-LM and DeepSpeed refuse
    std::vector<std::string_view> fixed; // layout_fields() by name that have to be as in `like`
    Layout like;
    Freed freed; // what of the step may be moved too
    // Only what this one runs; without an id: any. Its own rule for ZeRO in a pipeline holds.
    Framework framework;
    Objective objective = Objective::step_time;
    // Share of a GPU's memory to leave free. What needs more fits, but is ranked behind all that leaves it.
    double headroom = kHeadroom;

    bool any_framework() const { return framework.id.empty(); }
    bool keeps_fixed(const Layout& layout) const;
    bool operator==(const SearchLimits&) const = default;
};

// Why something was not tried further. Counted where the search turns back, so a tensor size that does not
// divide the heads counts once, whatever could have followed.
enum class Rejection : std::uint8_t
{
    heads,    // tensor parallelism does not divide heads or MLP
    sequence, // context (with tensor) does not divide the sequence
    layers,   // fewer layers than stages, or an uneven cut with more chunks than the schedule needs
    experts,
    batch,     // the global batch does not divide into micro-batches
    schedule,  // the schedule does not take this shape
    allowed,   // SearchLimits
    framework, // does not run it
    memory     // legal, but does not fit
};
inline constexpr std::size_t kRejections = 9;
template <>
inline constexpr auto kNamesOf<Rejection> = names<Rejection>("heads not divisible", "sequence not divisible",
                                                             "layers not divisible", "experts not divisible",
                                                             "batch not divisible", "schedule not applicable",
                                                             "switched off", "framework cannot run it",
                                                             "does not fit");

struct Candidate
{
    Layout layout;
    double seconds = 0; // of a step
    double bytes = 0;   // of the fullest GPU
    double mfu = 0;
    double bubble = 0;  // of total
    bool tight = false; // needs more than the headroom leaves
    double units = 1;   // work_units() of a step
    // What 80% of new runs took of the seconds (core/scenario/evidence.h); 1 until timed().
    double low = 1;
    double high = 1;
    std::uint64_t draw = 0; // of a sample, which keeps the smallest ones; else 0

    // [s] What times are compared by: of a step, or of a million tokens where Freed::work().
    double pace() const { return seconds / units; }
    double gpu_seconds() const { return pace() * static_cast<double>(layout.gpus); } // of the same
    bool operator==(const Candidate&) const = default;
};

struct SearchResult
{
    double capacity = 0;    // [B] of one GPU
    std::int64_t tried = 0; // legal and rejected
    std::int64_t legal = 0;
    std::int64_t fit = 0;   // of the legal ones
    std::int64_t tight = 0; // of those that fit
    std::array<std::int64_t, kRejections> rejected{};
    std::vector<Candidate> best; // fit, best first, at most kMostKept
    // Fit, the best of each tensor x context x pipeline x expert with one batch and length, best first.
    std::vector<Candidate> cuts;
    // Ascending bytes, descending pace(); among them what does not fit, up to kFarTooLarge times the
    // capacity.
    std::vector<Candidate> frontier;
    std::vector<Candidate> sample;         // of all that are legal, at most kMostSampled
    std::optional<Candidate> nearest_miss; // the smallest that does not fit

    std::int64_t count(Rejection r) const { return rejected[static_cast<std::size_t>(r)]; }
};
inline constexpr std::size_t kMostKept = 64;
inline constexpr double kFarTooLarge = 2;
inline constexpr std::size_t kMostSampled = 2048;

// What a search starts from, whichever of its layouts the scenario has now.
Scenario searched_scenario(const Scenario& scenario, const SearchLimits& limits);

// What a search has found so far.
struct LayoutAnswer
{
    Scenario scenario; // searched from; its own layout does not matter
    SearchLimits limits;
    SearchResult result;
    double progress = 0; // 1: all of it
    Issues faults = {};  // why it ended before all of it, without a result; empty: it did not

    // Whether it is the answer for this scenario, however that is laid out now.
    bool answers(const Scenario& other, const SearchLimits& wanted) const
    {
        return limits == wanted && scenario == searched_scenario(other, limits);
    }
};

// Whether `a` comes before `b`.
bool better(Objective objective, const Candidate& a, const Candidate& b);
// What two parts of one search found. The estimates have then chosen what is kept, whatever the parts;
// timed() gives it step_time()'s times, and leaves of layouts with one timeline only one.
SearchResult merged(const SearchResult& a, const SearchResult& b, Objective objective);
SearchResult timed(Scenario s, SearchResult result, Objective objective);
// What a layout may need without being tight.
double roomy_bytes(double capacity, const SearchLimits& limits);

class LayoutSearch
{
public:
    // Part `part` of `parts`, which together look at everything. The scenario must be valid.
    LayoutSearch(const Scenario& scenario, const SearchLimits& limits, std::size_t part = 0,
                 std::size_t parts = 1);

    // Looks at about this many layouts more; false when none is left. What a search in one part has kept is
    // then timed(); several are to be merged first.
    bool advance(std::int64_t layouts);
    bool done() const { return next_ >= units_.size(); }
    double progress() const; // 0 to 1
    const SearchResult& result() const { return result_; }

private:
    // A cut of the model with a micro-batch: what is looked at in one go.
    struct Unit
    {
        std::int64_t gpus, tensor, context, pipeline, expert, expert_tensor, micro_batch;
        StepWork work;
        std::size_t index = 0; // among those of all parts
    };
    // A schedule with its chunks, and whether it takes the shape.
    struct Plan
    {
        ScheduleKind schedule;
        std::int64_t chunks;
    };
    // What the layouts of a unit with one plan have in common, and those of a unit.
    struct PlanShared
    {
        Plan plan;
        bool runs; // on the framework
        PipelineMemory memory;
    };
    struct Shared
    {
        std::vector<PlanShared> plans;
        std::vector<std::pair<std::int64_t, bool>> zero; // stage, and whether the framework runs it
        double units = 1;                                // of a step
        double least = -1;               // [s] that its layouts take with what layers do; not yet known
        std::int64_t refused_zero = 0;   // stages that the limits leave out
        const Candidate* best = nullptr; // of the unit's cut, so far
        std::uint64_t next_draw = 0;     // for the sample, before mixing
    };

    void list_units();
    std::vector<std::int64_t> gpus_tried() const;
    void list_groups(std::int64_t gpus, std::int64_t tensor, const StepWork& work);
    void list_all(const StepWork& work);
    void keep_part(std::size_t part, std::size_t parts);
    void list_experts(Unit unit);
    void list_micro_batches(Unit unit);
    const std::vector<Plan>& plans(const Unit& unit, std::int64_t micro_batches);
    // Whether its sizes may be looked at.
    bool set_unit(const Unit& unit);
    void share(const Unit& unit);
    void look_at(const Unit& unit);
    void look_at_layers();
    void look_at_plan(const PlanShared& plan);
    void look_at_some_layers();
    void look_at_fewest(const PlanShared& plan, const LayerKept& layer);
    Bytes bytes_of(const PlanShared& plan, const LayerKept& layer);
    void look_at_sized(Candidate& candidate, double bytes);
    bool could_count(const Candidate& candidate) const;
    bool on_frontier(const Candidate& candidate) const;
    void fill_time(Candidate& candidate);
    void count(const Candidate& candidate);
    void sample(const Candidate& candidate);
    void thin_sample();
    void time_sample();
    void take(const Candidate& candidate);
    void reject(Rejection reason, std::int64_t times = 1);
    std::vector<std::int64_t> zero_stages() const;

    Scenario s_; // its layout is the one being looked at
    SearchLimits limits_;
    StepModel model_;
    MemoryModel memory_;
    bool counts_ = true; // this part counts what is rejected before the work is shared out
    bool whole_ = true;  // this is the only part
    IdleTimes idle_;
    std::vector<Unit> units_;
    std::size_t next_ = 0;
    std::map<std::array<std::int64_t, 2>, std::pair<std::vector<Plan>, std::array<std::int64_t, 2>>> plans_;
    std::map<std::array<std::int64_t, 7>, Candidate> cuts_;
    Shared shared_;
    std::vector<MemoryHalf> tokens_; // of the plan being looked at, by stage
    bool finished_ = false;
    std::vector<Candidate> drawn_;                 // for the sample, timed or not yet
    std::uint64_t most_drawn_ = ~std::uint64_t{0}; // none of them has a larger draw
    std::int64_t next_timed_ = 1;                  // how many are legal when the sample is timed again
    SearchResult result_;
};

} // namespace ringside
