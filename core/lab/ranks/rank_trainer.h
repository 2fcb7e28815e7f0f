// One rank of a training that several share: its piece of the model, its shards, and the steps it makes with
// the others. The same code for every strategy; which one it is follows from the plan.
//
// Bit for bit: a team of one and a pipeline against one device (without clipping, whose norm is summed in
// another order), and ZeRO-1, 2 and 3 against each other with one micro-batch. An all-reduce sums a chunk in
// another order of ranks than a reduce-scatter, so plain copies differ in the last bits, as tensor
// parallelism does. Loss and norm are summed in the order of the ranks on every rank, so that all clip
// alike. Biases and the residual are added by the first rank of a tensor group. The vocabulary is sharded
// too: each rank's largest logit and sum of exponentials go round, three numbers per token. ZeRO-3 gathers
// the head once per micro-batch, not twice as the papers count: its backward follows its forward.
//
// Not trained: experts with tensor parallelism (each rank would route the same tokens) or with context
// parallelism (which splits the sequence that capacity is counted over), 8-bit weights, two-way pipelines,
// and ZeRO-2 or 3 in a pipeline, which the engine refuses too.
#pragma once

#include "core/lab/ranks/shards.h"
#include "core/lab/ranks/team_config.h"

#include <deque>
#include <map>

namespace ringside::parallel
{

struct RankStep
{
    trainer::StepResult result; // the same on all ranks
    MemoryUse memory;           // after the step
    MemoryUse peak;
    std::vector<RankTrace::Work> work; // times in seconds since the log's zero, without what it waited for
    double start = 0;                  // [s] since the log's zero
    double end = 0;
    bool died = false; // on purpose
};

class RankTrainer
{
public:
    // `config` must be prepared(). Everything it is given must live longer. Throws trainer::OutOfMemory.
    RankTrainer(const TeamConfig& config, Transport& transport, Backend& backend, CallLog& log,
                Memory& memory = host_memory());
    ~RankTrainer();
    RankTrainer(const RankTrainer&) = delete;
    RankTrainer& operator=(const RankTrainer&) = delete;

    const RankPlan& plan() const { return plan_; }

    // One optimizer step together with all other ranks. Throws Aborted, or trainer::OutOfMemory.
    RankStep step(const PlannedFault& planned = {});

    // From here on, steps write down what they allocate; of the last one.
    void record_allocations() { arena_.record(); }
    AllocationLog allocations() const { return arena_.recorded(); }

    // The whole model's state as one device has it, so that it can go on in any other layout: this rank's
    // part of it. `whole` has room for everything: empty_state().
    void copy_to(trainer::TrainerState& whole);
    void copy_from(const trainer::TrainerState& whole);

private:
    // Where the network asks for what others have.
    class Others;
    // A boundary between two virtual stages on different ranks.
    struct Boundary
    {
        std::unique_ptr<Communicator> forward;
        std::unique_ptr<Communicator> backward;
    };
    struct Sending
    {
        Pending pending;
        trainer::Held data;
    };
    // A micro-batch on its way through one virtual stage.
    struct Visit
    {
        trainer::Network::Pass pass;
        Block tokens;
        Block targets;
        Block losses;
    };

    std::unique_ptr<Communicator> group(std::string axis, std::vector<int> members, std::int64_t number);
    void make_boundaries();
    std::vector<bool> counted_places() const;

    void inject_fault(const Operation& operation);
    void run(const Operation& operation);
    void forward(const Operation& operation);
    void backward(const Operation& operation);
    trainer::Tokens open(Visit& visit, std::int64_t micro_batch);
    trainer::Tokens tokens_of(const Visit& visit) const;
    Index own_length() const; // tokens of a sequence that this rank has
    std::vector<std::int32_t> own_part(const std::vector<std::int32_t>& all) const;
    using Way = std::unique_ptr<Communicator> Boundary::*;
    trainer::Held take_over(const Operation& operation, std::int64_t after, Way way);
    void hand_on(const Operation& operation, std::int64_t after, Way way, trainer::Held data);
    trainer::Held receive(Communicator& from);
    void send(Communicator& to, trainer::Held data);
    void finish_sending();
    void add_losses(const Visit& visit);
    void reduce_rest();
    std::vector<double> sum_over_ranks();
    void finish(trainer::StepResult& result);

    TeamConfig config_;
    RankPlan plan_;
    Corpus corpus_;
    Transport& transport_;
    Backend& backend_;
    CallLog& log_;
    Memory& memory_;
    Arena arena_;
    std::unique_ptr<Communicator> world_;
    std::unique_ptr<Communicator> tensor_;
    std::unique_ptr<Communicator> context_;
    std::unique_ptr<Communicator> replicas_;
    std::unique_ptr<Communicator> experts_; // ranks that share out the experts of a layer
    std::unique_ptr<Communicator> expert_replicas_;
    std::unique_ptr<Communicator> embedding_;     // of the pipeline's two ends, where they share it
    std::map<std::int64_t, Boundary> boundaries_; // by the virtual stage after it
    Shards shards_;
    std::unique_ptr<Others> others_;
    trainer::Network network_;

    trainer::Progress now_;
    double losses_ = 0; // of this step, this rank's
    std::shared_ptr<std::vector<double>> tallies_ =
        std::make_shared<std::vector<double>>(); // of this step and this rank's layers, where they have
                                                 // experts
    std::int64_t asked_ = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, Visit> visits_; // by virtual stage and micro-batch
    std::map<std::pair<std::int64_t, std::int64_t>, trainer::Held> handed_; // between stages of one rank
    std::deque<Sending> sending_;
    std::vector<RankTrace::Work> work_;
    PlannedFault fault_; // this rank's, in this step
};

// With room for the whole model's state, and nothing in it yet.
trainer::TrainerState empty_state(const TrainerConfig& config);

} // namespace ringside::parallel
