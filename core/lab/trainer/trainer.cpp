// One file, since it is one class: a step from the batch to the update, and what a checkpoint keeps of it.
#include "core/lab/trainer/trainer.h"

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/text/text.h"

#include <cmath>
#include <cstring>
#include <numeric>

namespace ringside::trainer
{

namespace
{

Issue no_room(Index bytes, const Backend& backend, Index budget)
{
    const std::string where =
        budget > 0 ? fmt::format("the budget of {}", format_bytes(Bytes(budget))) : backend.name();
    return {"training.micro_batch",
            fmt::format("{} has no room for {} more", where, format_bytes(Bytes(bytes))),
            "use a smaller micro_batch, a shorter sequence_length, or full recomputation"};
}

std::int64_t asked_in(const Batch& batch)
{
    return static_cast<std::int64_t>(
        std::ranges::count_if(batch.targets, [](std::int32_t t) { return t >= 0; }));
}

} // namespace

Issues lacking(const TrainerConfig& config, const Abilities& can, std::string_view name)
{
    Issues issues;
    if (!config.training.flash_attention && !can.probabilities)
    {
        issues.push_back({"training.flash_attention",
                          fmt::format("{} keeps no probabilities of attention", name),
                          "switch it on, or use --device cpu"});
    }
    if (config.training.precision == Precision::fp8 && !can.eight_bits)
    {
        issues.push_back({"training.precision", fmt::format("{} has no 8-bit formats", name),
                          "use bf16 or fp16, or train on the CPU"});
    }
    if (config.model.experts > 0 && !can.experts)
    {
        issues.push_back(
            {"model.experts", fmt::format("{} has no experts", name), "use 0, or train on the CPU"});
    }
    if (config.model.head_dim > can.head_dim)
    {
        issues.push_back({"model.head_dim",
                          fmt::format("{} has heads of width {} at most", name, can.head_dim),
                          "use more heads, or train on the CPU"});
    }
    return issues;
}

Progress first_progress(const TrainerConfig& config)
{
    return {0, 0, {config.training.precision == Precision::fp16 ? config.recipe.loss_scale : 1.0, 0}};
}

std::optional<Update> Progress::finish(const TrainerConfig& config, double norm, StepResult& result)
{
    const Recipe& r = config.recipe;
    result.gradient_norm = norm;
    result.learning_rate = learning_rate(r, step);
    const double unscale = 1 / scale.value;
    const bool finite = std::isfinite(norm);
    const bool scaled = config.training.precision == Precision::fp16;
    result.skipped = !(scaled ? scale.after(finite, loss_scale_rule(r)) : finite);
    ++step;
    if (result.skipped)
    {
        return std::nullopt;
    }
    ++updates;
    return update_of(config, updates, result.learning_rate, clipping(r, norm) * unscale);
}

Update Progress::finish_unseen(const TrainerConfig& config, StepResult& result)
{
    result.learning_rate = learning_rate(config.recipe, step);
    ++step;
    ++updates;
    Update update = update_of(config, updates, result.learning_rate, 1 / scale.value);
    update.clip = static_cast<float>(config.recipe.clip);
    return update;
}

// Steps that were asked for before an overflow was known say nothing of the scale that it led to.
void Progress::seen(const TrainerConfig& config, double norm, StepResult& result)
{
    const bool finite = std::isfinite(norm);
    result.gradient_norm = norm;
    result.skipped = !finite;
    updates -= finite ? 0 : 1;
    if (config.training.precision == Precision::fp16 && result.loss_scale == scale.value)
    {
        scale.after(finite, loss_scale_rule(config.recipe));
    }
}

TrainerState::Part* TrainerState::part(std::string_view name)
{
    const auto found = std::ranges::find(parts, name, &Part::name);
    return found == parts.end() ? nullptr : &*found;
}

GradientNorms norms_of(const TrainerConfig& config, const StepResult& result)
{
    const Training& t = config.training;
    return {static_cast<double>(t.micro_batch * t.sequence_length),
            result.micro_gradient_norm * result.micro_gradient_norm,
            static_cast<double>(t.global_batch * t.sequence_length),
            result.gradient_norm * result.gradient_norm};
}

Trainer::Trainer(const TrainerConfig& config, std::shared_ptr<Backend> backend)
    : config_(config), corpus_(config.data), backend_(std::move(backend)), arena_(*backend_),
      parameters_(config_, *backend_, arena_), network_(config_, *backend_, arena_, parameters_),
      replay_(*backend_, arena_, parameters_.table().elements), now_(first_progress(config_))
{
    arena_.set_limit(config_.memory_budget);
    parameters_.initialise(config_.seed);
}

Result<std::unique_ptr<Trainer>> Trainer::create(const TrainerConfig& config,
                                                 std::shared_ptr<Backend> backend)
{
    const auto ready = prepared(config);
    if (!ready)
    {
        return ready.issues();
    }
    if (Issues issues = lacking(*ready, backend->abilities(), backend->name()); !issues.empty())
    {
        return issues;
    }
    const double needed = predicted_memory(*ready).total().value;
    if (backend->capacity() > 0 && needed > static_cast<double>(backend->capacity()))
    {
        return no_room(static_cast<Index>(needed), *backend, 0);
    }
    try
    {
        return std::unique_ptr<Trainer>(new Trainer(*ready, std::move(backend)));
    }
    catch (const OutOfMemory& fault)
    {
        return Issue{"model",
                     fmt::format("the device has no room for {} more", format_bytes(Bytes(fault.bytes))),
                     "use a smaller model"};
    }
}

template <class T, class Work>
Result<T> Trainer::within_memory(const Work& work) const
{
    try
    {
        return work();
    }
    catch (const OutOfMemory& fault)
    {
        return no_room(fault.bytes, *backend_, config_.memory_budget);
    }
}

template <class Work>
Issues Trainer::within_memory(const Work& work) const
{
    const auto done = within_memory<bool>(
        [&]
        {
            work();
            return true;
        });
    return done ? Issues{} : done.issues();
}

Trainer::Upload Trainer::upload(const Batch& batch)
{
    const auto bytes = static_cast<Index>(batch.tokens.size() * sizeof(std::int32_t));
    Upload up{arena_.take(bytes, Component::buffers), arena_.take(bytes, Component::buffers),
              arena_.take(bytes, Component::buffers)};
    backend_->upload(up.tokens.data(), batch.tokens.data(), bytes);
    if (!batch.targets.empty())
    {
        backend_->upload(up.targets.data(), batch.targets.data(), bytes);
    }
    return up;
}

Tokens Trainer::tokens_of(const Upload& up, Index sequences) const
{
    const Index rows = up.tokens.bytes() / 4;
    return {up.tokens.as<std::int32_t>(), up.targets.as<std::int32_t>(), sequences, rows / sequences};
}

void Trainer::read_losses(const Upload& up, Index rows, const TakeNumber& take)
{
    backend_->read(up.losses.data(), rows * 4,
                   [take](std::span<const char> bytes)
                   {
                       std::vector<float> losses(bytes.size() / sizeof(float));
                       std::memcpy(losses.data(), bytes.data(), bytes.size());
                       take(std::accumulate(losses.begin(), losses.end(), 0.0));
                   });
}

// Forward and backward of every micro-batch. False when stopped.
bool Trainer::accumulate(const Onlookers& onlookers, const std::shared_ptr<StepResult>& result,
                         const Tallies& tallies)
{
    const Training& t = config_.training;
    const auto batch_of = [&](std::int64_t micro) {
        return corpus_.batch(config_.seed, now_.step, micro * t.micro_batch, t.micro_batch,
                             t.sequence_length);
    };
    // Every target counts the same in the step's mean, so the number of all of them comes first.
    const auto each = asked_in(batch_of(0));
    const std::int64_t asked = each * config_.accumulation();
    parameters_.clear_gradients();
    for (std::int64_t micro = 0; micro < config_.accumulation(); ++micro)
    {
        const Upload up = upload(batch_of(micro));
        const Tokens tokens = tokens_of(up, t.micro_batch);
        const LossWeights weights = loss_weights(config_, now_.scale.value, asked);
        if (!replay_.train(network_, tokens, weights, up.losses.as<float>(), onlookers))
        {
            return false;
        }
        network_.add_tallies({0, config_.model.layers}, tallies);
        read_losses(up, tokens.rows(), [result](double sum) { result->loss += sum; });
        if (micro == 0 && config_.accumulation() > 1)
        {
            // Its share of the whole mean, made a mean of its own.
            ask_norm([result, all = static_cast<double>(config_.accumulation())](double norm)
                     { result->micro_gradient_norm = norm * all; });
        }
    }
    result->asked = asked;
    return true;
}

// The norm of the gradients summed so far, loss scale taken out.
double Trainer::norm_of_gradients() const
{
    const Tensor all = parameters_.gradient(0);
    return std::sqrt(backend_->sum_of_squares(all.data, all.type, parameters_.table().elements)) /
           now_.scale.value;
}

// Told at once where the host waits; otherwise the sum of squares stays on the device, too.
Block Trainer::ask_norm(const TakeNumber& take)
{
    if (backend_->waits())
    {
        take(norm_of_gradients());
        return {};
    }
    const Tensor all = parameters_.gradient(0);
    Block squares = arena_.take(4, Component::buffers);
    backend_->add_squares(SquareSum{all.data, all.type, parameters_.table().elements, squares.as<float>()});
    backend_->read(squares.data(), 4,
                   [take, unscale = 1 / now_.scale.value](std::span<const char> bytes)
                   {
                       float sum = 0;
                       std::memcpy(&sum, bytes.data(), sizeof sum);
                       take(std::sqrt(static_cast<double>(sum)) * unscale);
                   });
    return squares;
}

void Trainer::update(Update update)
{
    update.stochastic = config_.recipe.stochastic_rounding;
    update.key = random_key(config_.seed, RandomStream::rounding, static_cast<std::uint64_t>(now_.step));
    parameters_.update(update, config_.recipe.fused);
}

void Trainer::finish(StepResult& result)
{
    const auto made = now_.finish(config_, norm_of_gradients(), result);
    suspicious_ = result.skipped;
    if (made)
    {
        update(*made);
    }
}

// An update that turns out to have been skipped was none; steps that were asked for before that was known
// correct their means as if it had been one.
void Trainer::finish_unseen(const std::shared_ptr<StepResult>& result, const Tallies& tallies,
                            const TakeStep& take)
{
    const Block squares = ask_norm(
        [this, result, tallies, take](double norm)
        {
            result->experts = routing_of(config_, *tallies);
            now_.seen(config_, norm, *result);
            result->loss /= static_cast<double>(result->asked);
            take(*result);
        });
    Update made = now_.finish_unseen(config_, *result);
    made.squares = squares.as<float>();
    update(made);
}

void Trainer::whole_step(const Onlookers& onlookers, StepView* view, const TakeStep& take)
{
    const auto result = std::make_shared<StepResult>();
    const auto tallies = std::make_shared<std::vector<double>>();
    result->loss_scale = now_.scale.value;
    result->step = now_.step + 1;
    arena_.start_peak();
    if (!accumulate(onlookers, result, tallies))
    {
        take(*result);
        return;
    }
    if (onlookers.gradients)
    {
        Tensor all = parameters_.gradient(0);
        all.rows = (parameters_.table().elements + 255) / 256 - 1; // whole rows of 256
        all.cols = all.stride = 256;
        backend_->count_exponents(all, view->weight_gradients.counts);
    }
    result->done = true;
    const bool waits = backend_->waits();
    if (waits)
    {
        result->loss /= static_cast<double>(result->asked);
        result->experts = routing_of(config_, *tallies);
        finish(*result);
    }
    else
    {
        finish_unseen(result, tallies, take);
    }
    arena_.note_workspace();
    arena_.mark(MemoryMoment::Where::update);
    if (view)
    {
        view->timeline.push_back({MemoryMoment::Where::update, 0, 0, arena_.use()});
        view->memory = arena_.use();
        view->peak = arena_.peak();
        view->highest = arena_.highest();
    }
    if (waits)
    {
        take(*result);
    }
}

Result<StepResult> Trainer::step(const std::atomic<bool>* stop, StepView* view, bool exponents)
{
    StepResult result;
    Issues issues = ask_step(stop, view, exponents, [&](const StepResult& taken) { result = taken; });
    return issues.empty() ? Result<StepResult>(std::move(result)) : Result<StepResult>(std::move(issues));
}

Issues Trainer::ask_step(const std::atomic<bool>* stop, StepView* view, bool exponents, const TakeStep& take)
{
    Onlookers onlookers{.stop = stop};
    const bool looks = abilities().exponents;
    if (view)
    {
        *view = {};
        onlookers.timeline = &view->timeline;
        onlookers.activations = exponents && looks ? &view->activations : nullptr;
        onlookers.gradients = exponents && looks ? &view->activation_gradients : nullptr;
        onlookers.first_bad = suspicious_ && looks ? &view->first_bad : nullptr;
    }
    return within_memory(
        [&]
        {
            whole_step(onlookers, view, take);
            backend_->submit();
        });
}

Result<double> Trainer::validation_loss(std::int64_t sequences)
{
    const Training& t = config_.training;
    return within_memory<double>(
        [&]
        {
            double sum = 0;
            std::int64_t asked = 0;
            for (std::int64_t first = 0; first < sequences; first += t.micro_batch)
            {
                const std::int64_t count = std::min(t.micro_batch, sequences - first);
                const Batch batch = corpus_.batch(config_.seed, 0, first, count, t.sequence_length, true);
                const Upload up = upload(batch);
                network_.evaluate(tokens_of(up, count), up.losses.as<float>(), {});
                read_losses(up, count * t.sequence_length, [&](double losses) { sum += losses; });
                asked += asked_in(batch);
            }
            return asked > 0 ? sum / static_cast<double>(asked) : 0.0;
        });
}

// One of the `top_k` likeliest tokens (0: of all), with temperature 0 the likeliest.
std::int32_t Trainer::draw(const Text& t, const std::vector<float>& logits)
{
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, [&](std::int32_t a, std::int32_t b)
        { return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)]; });
    if (t.top_k > 0 && t.top_k < static_cast<std::int64_t>(order.size()))
    {
        order.resize(static_cast<std::size_t>(t.top_k));
    }
    const auto most = static_cast<double>(logits[static_cast<std::size_t>(order.front())]);
    if (t.temperature <= 0 || !std::isfinite(most))
    {
        return order.front();
    }
    std::vector<double> chances;
    double sum = 0;
    for (const std::int32_t token : order)
    {
        const double logit = logits[static_cast<std::size_t>(token)];
        sum += std::exp((logit - most) / t.temperature);
        chances.push_back(sum);
    }
    const double unit = random_unit(t.key, static_cast<std::uint64_t>(t.drawn) + 1);
    const auto found = std::upper_bound(chances.begin(), chances.end(), unit * sum);
    return order[std::min(order.size() - 1, static_cast<std::size_t>(found - chances.begin()))];
}

Result<std::string> Trainer::sample(std::int64_t count, double temperature, std::int64_t top_k,
                                    std::uint64_t round, const std::atomic<bool>* stop)
{
    std::string text;
    Issues issues = ask_sample(count, temperature, top_k, round, stop,
                               [&](std::string taken) { text = std::move(taken); });
    return issues.empty() ? Result<std::string>(std::move(text)) : Result<std::string>(std::move(issues));
}

Issues Trainer::ask_sample(std::int64_t count, double temperature, std::int64_t top_k, std::uint64_t round,
                           const std::atomic<bool>* stop, TakeText take)
{
    const auto text = std::make_shared<Text>();
    text->count = count;
    text->temperature = temperature;
    text->top_k = top_k;
    text->key = random_key(config_.seed, RandomStream::sampling, round);
    text->stop = stop;
    text->take = std::move(take);
    text->tokens = corpus_.prompt(text->key, config_.training.sequence_length);
    for (const std::int32_t token : text->tokens)
    {
        text->text += corpus_.decode(token);
    }
    return within_memory([&] { write_on(text); });
}

// Token after token; where the host does not wait, it goes on when the logits have come.
void Trainer::write_on(const std::shared_ptr<Text>& text)
{
    const bool waits = backend_->waits();
    while (text->drawn < text->count && !(text->stop && text->stop->load()))
    {
        ask_logits(*text,
                   [this, text, waits](std::span<const char> bytes)
                   {
                       std::vector<float> logits(bytes.size() / sizeof(float));
                       std::memcpy(logits.data(), bytes.data(), bytes.size());
                       text->tokens.push_back(draw(*text, logits));
                       text->text += corpus_.decode(text->tokens.back());
                       ++text->drawn;
                       if (!waits)
                       {
                           write_on(text);
                       }
                   });
        if (!waits)
        {
            backend_->submit();
            return;
        }
    }
    text->take(std::move(text->text));
}

// Always a whole window, so that the arena knows the sizes: what comes after a token cannot change it.
void Trainer::ask_logits(const Text& text, const Backend::Take& take)
{
    const std::int64_t window = config_.training.sequence_length;
    const std::int64_t seen = std::min<std::int64_t>(std::ssize(text.tokens), window);
    Batch batch;
    batch.tokens.assign(text.tokens.end() - seen, text.tokens.end());
    batch.tokens.resize(static_cast<std::size_t>(window));
    const Upload up = upload(batch);
    const Held next = network_.logits_after(tokens_of(up, 1), seen);
    backend_->read(next.tensor().data, config_.model.vocab * 4, take);
}

Issues Trainer::change(const TrainerConfig& next)
{
    auto ready = prepared(next);
    if (!ready)
    {
        return ready.issues();
    }
    if (Issues issues = lacking(*ready, abilities(), backend_->name()); !issues.empty())
    {
        return issues;
    }
    if (!same_state(config_, *ready))
    {
        return {
            {"config", "another model, data or format cannot take over these weights", "start a new run"}};
    }
    if (ready->recipe.loss_scale != config_.recipe.loss_scale ||
        ready->recipe.dynamic_scale != config_.recipe.dynamic_scale)
    {
        now_.scale = first_progress(*ready).scale;
    }
    config_ = *ready;
    network_.set(config_);
    arena_.set_limit(config_.memory_budget);
    replay_.forget();
    arena_.trim();
    return {};
}

TrainerState Trainer::state()
{
    TrainerState state;
    ask_state([&](TrainerState taken) { state = std::move(taken); });
    return state;
}

void Trainer::ask_state(const TakeState& take)
{
    const auto parts = parameters_.parts();
    const auto state = std::make_shared<TrainerState>(TrainerState{now_, {}});
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        backend_->read(
            parts[i].data, parts[i].bytes,
            [state, take, name = parts[i].name, last = i + 1 == parts.size()](std::span<const char> bytes)
            {
                state->parts.push_back({name, {bytes.begin(), bytes.end()}});
                if (last)
                {
                    take(std::move(*state));
                }
            });
    }
    backend_->submit();
}

Issues Trainer::ask_kernel_times(std::int64_t repeats, Backend::TakeTimes take)
{
    if (!waits())
    {
        backend_->time_kernels(repeats, std::move(take));
        return ask_step(nullptr, nullptr, false, [](const StepResult&) {});
    }
    // What was recorded is one kernel to the host, so the step is asked for operation by operation.
    KernelTimes times;
    replay_.forget();
    backend_->time_kernels(repeats, [&](KernelTimes taken) { times = std::move(taken); });
    Issues issues = ask_step(nullptr, nullptr, false, [](const StepResult&) {});
    replay_.forget();
    issues.empty() ? take(std::move(times)) : backend_->time_kernels(0, nullptr);
    return issues;
}

std::vector<float> Trainer::gradients()
{
    const Tensor all = parameters_.gradient(0);
    const Index n = parameters_.table().elements;
    const Block floats = arena_.take(n * 4, Component::buffers);
    backend_->run(
        Convert{.from = tensor(all.data, all.type, 1, n), .to = tensor(floats.data(), DType::f32, 1, n)});
    std::vector<float> out(static_cast<std::size_t>(n));
    backend_->download(out.data(), floats.data(), n * 4);
    for (float& value : out)
    {
        value /= static_cast<float>(now_.scale.value);
    }
    return out;
}

} // namespace ringside::trainer
