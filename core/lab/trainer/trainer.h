// One training on one device, step by step, on the caller's thread: data, network, optimizer and their state.
// Threads that show it live are in run.h.
#pragma once

#include "core/lab/corpus.h"
#include "core/lab/trainer/replay.h"
#include "core/training/critical_batch.h"

#include <algorithm>

namespace ringside::trainer
{

struct StepResult
{
    bool done = false;      // false: stopped half-way; nothing has changed
    std::int64_t step = 0;  // counted from 1
    bool skipped = false;   // a gradient was not finite: no update
    double loss = 0;        // nats per token
    std::int64_t asked = 0; // tokens that a loss is of
    double gradient_norm = 0;
    double micro_gradient_norm = 0; // of the first micro-batch alone, if there are several
    double learning_rate = 0;
    double loss_scale = 1;             // that the step ran with
    std::vector<LayerRouting> experts; // by layer; empty without experts
};

// What the step tells of the noise scale, batches in tokens; both the same where nothing was accumulated.
GradientNorms norms_of(const TrainerConfig& config, const StepResult& result);

// What a step leaves to be looked at.
struct StepView
{
    MemoryUse memory;
    MemoryUse peak;
    MemoryUse highest;
    std::vector<MemoryMoment> timeline;
    ExponentHistogram activations;
    ExponentHistogram activation_gradients;
    ExponentHistogram weight_gradients;
    // After a step that was skipped, the next is looked through: where its first number that is not finite
    // comes from.
    std::string first_bad;
};

// How far a training is.
struct Progress
{
    std::int64_t step = 0;
    std::int64_t updates = 0; // steps that were not skipped: what AdamW corrects its means by
    LossScale scale;

    // Ends a step whose gradients have this norm, loss scale taken out. The update to make, clipped; nothing
    // where the step is skipped.
    std::optional<Update> finish(const TrainerConfig& config, double norm, StepResult& result);
    // Finishes a step whose norm the host does not know yet: the device clips and skips.
    Update finish_unseen(const TrainerConfig& config, StepResult& result);
    // Now one does, of the loss scale that the step ran with.
    void seen(const TrainerConfig& config, double norm, StepResult& result);
    bool operator==(const Progress&) const = default;
};
Progress first_progress(const TrainerConfig& config);

// Everything a training goes on from, on the host. Two trainings with equal states make equal steps.
struct TrainerState : Progress
{
    struct Part
    {
        std::string name;
        std::vector<char> bytes;

        Index size() const { return std::ssize(bytes); }
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;

    Part* part(std::string_view name); // null where there is none
    // A fault where these are other parts, or of another size.
    template <class Parts>
    Issues check_parts(const Parts& wanted) const
    {
        const bool fit = std::ranges::equal(parts, wanted,
                                            [](const auto& a, const auto& b)
                                            { return a.name == b.name && a.size() == b.size(); });
        return fit ? Issues{}
                   : Issues{{"state", "belongs to another model or format",
                             "start a run with the state's own configuration"}};
    }
    bool operator==(const TrainerState&) const = default;
};

// What of a prepared configuration a backend of that name cannot compute.
Issues lacking(const TrainerConfig& config, const Abilities& abilities, std::string_view name);

class Trainer
{
public:
    // The configuration is prepared() here. Faults: it cannot be trained, the device cannot, or it has no
    // room. Nobody else uses the device at the same time.
    static Result<std::unique_ptr<Trainer>> create(const TrainerConfig& config,
                                                   std::shared_ptr<Backend> backend);

    const TrainerConfig& config() const { return config_; }
    const Corpus& corpus() const { return corpus_; }
    Backend& backend() { return *backend_; }
    const std::shared_ptr<Backend>& shared_backend() const { return backend_; }
    std::int64_t step_count() const { return now_.step; }
    const ParameterTable& parameters() const { return parameters_.table(); }
    bool waits() const { return backend_->waits(); }
    Abilities abilities() const { return backend_->abilities(); }
    // Micro-batches that the device carried out in one go.
    std::int64_t replays() const { return replay_.replays(); }

    // `view` is filled where it is given; `exponents` says whether with histograms, which cost some time.
    // Faults: out of memory.
    Result<StepResult> step(const std::atomic<bool>* stop = nullptr, StepView* view = nullptr,
                            bool exponents = false);
    // The three that a run needs, without waiting: `take` gets what comes of it, where the backend waits
    // before this returns. It is not called any more once the trainer is gone.
    using TakeStep = std::function<void(const StepResult&)>;
    using TakeState = std::function<void(TrainerState)>;
    using TakeText = std::function<void(std::string)>;
    Issues ask_step(const std::atomic<bool>* stop, StepView* view, bool exponents, const TakeStep& take);
    void ask_state(const TakeState& take);
    // Asks for the kernels' times in a step after which the state is to be restored.
    Issues ask_kernel_times(std::int64_t repeats, Backend::TakeTimes take);
    Issues ask_sample(std::int64_t count, double temperature, std::int64_t top_k, std::uint64_t round,
                      const std::atomic<bool>* stop, TakeText take);

    // What follows needs a backend that waits.

    // Mean loss of `sequences` held out from training; the same ones every time.
    Result<double> validation_loss(std::int64_t sequences);
    // `count` tokens as text after a prompt of the data's own. The same `round` draws the same.
    Result<std::string> sample(std::int64_t count, double temperature, std::int64_t top_k,
                               std::uint64_t round, const std::atomic<bool>* stop = nullptr);

    TrainerState state();
    // From here on, steps write down what they allocate and are not replayed; of the last one.
    void record_allocations() { arena_.record(); }
    AllocationLog allocations() const { return arena_.recorded(); }
    // Gradients of the last step in the order of the parameters, as floats, loss scale taken out.
    std::vector<float> gradients();

    // From here on any backend will do. Changes everything that same_state() allows; nothing when there are
    // faults.
    Issues change(const TrainerConfig& next);

    Issues restore(const TrainerState& state);
    // A state of a training that may have other formats, where both keep fp32 weights (same_weights()): the
    // loss scale then begins anew.
    Issues restore(const TrainerState& state, const TrainerConfig& of);

private:
    Trainer(const TrainerConfig& config, std::shared_ptr<Backend> backend);

    struct Upload
    {
        Block tokens;
        Block targets;
        Block losses;
    };
    // Calls work(); what it has no room for is a fault.
    template <class T, class Work>
    Result<T> within_memory(const Work& work) const;
    template <class Work>
    Issues within_memory(const Work& work) const;
    Upload upload(const Batch& batch);
    Tokens tokens_of(const Upload& upload, Index sequences) const;
    using TakeNumber = std::function<void(double)>;
    void read_losses(const Upload& upload, Index rows, const TakeNumber& take);
    void whole_step(const Onlookers& onlookers, StepView* view, const TakeStep& take);
    // Sums over the micro-batches of where tokens went; empty without experts.
    using Tallies = std::shared_ptr<std::vector<double>>;
    bool accumulate(const Onlookers& onlookers, const std::shared_ptr<StepResult>& result,
                    const Tallies& tallies);
    double norm_of_gradients() const;
    Block ask_norm(const TakeNumber& take);
    void finish(StepResult& result);
    void finish_unseen(const std::shared_ptr<StepResult>& result, const Tallies& tallies,
                       const TakeStep& take);
    void update(Update update);
    // A text that is being drawn.
    struct Text
    {
        std::vector<std::int32_t> tokens;
        std::string text;
        std::int64_t count = 0; // tokens to draw
        std::int64_t drawn = 0;
        double temperature = 0;
        std::int64_t top_k = 0;
        std::uint64_t key = 0;
        const std::atomic<bool>* stop = nullptr;
        TakeText take;
    };
    void write_on(const std::shared_ptr<Text>& text);
    void ask_logits(const Text& text, const Backend::Take& take);
    static std::int32_t draw(const Text& text, const std::vector<float>& logits);

    TrainerConfig config_;
    Corpus corpus_;
    std::shared_ptr<Backend> backend_;
    Arena arena_;
    Parameters parameters_;
    Network network_;
    Replay replay_;
    Progress now_;
    bool suspicious_ = false; // the last step was skipped
};

} // namespace ringside::trainer
