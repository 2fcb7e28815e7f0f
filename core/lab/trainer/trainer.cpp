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

Issue keeps_none(const Backend& backend)
{
    return {"training.flash_attention", fmt::format("{} keeps no probabilities of attention", backend.name()),
            "switch it on, or use --device cpu"};
}

std::int64_t asked_in(const Batch& batch)
{
    return static_cast<std::int64_t>(
        std::ranges::count_if(batch.targets, [](std::int32_t t) { return t >= 0; }));
}

} // namespace

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
    if (!ready->training.flash_attention && !backend->keeps_probabilities())
    {
        return keeps_none(*backend);
    }
    const double needed = predicted_memory(*ready).total().value;
    if (needed > static_cast<double>(backend->capacity()))
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

double Trainer::sum_losses(const Upload& up, Index rows)
{
    std::vector<float> losses(static_cast<std::size_t>(rows));
    backend_->download(losses.data(), up.losses.data(), rows * 4);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

// Forward and backward of every micro-batch. False when stopped.
bool Trainer::accumulate(const Onlookers& onlookers, StepResult& result)
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
    double sum = 0;
    std::vector<double> tallies;
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
        sum += sum_losses(up, tokens.rows());
        if (micro == 0 && config_.accumulation() > 1)
        {
            // Its share of the whole mean, made a mean of its own.
            result.micro_gradient_norm = norm_of_gradients() * static_cast<double>(config_.accumulation());
        }
    }
    result.loss = sum / static_cast<double>(asked);
    result.experts = routing_of(config_, tallies);
    return true;
}

// Of what has been summed so far, loss scale taken out.
double Trainer::norm_of_gradients() const
{
    const Tensor all = parameters_.gradient(0);
    return std::sqrt(backend_->sum_of_squares(all.data, all.type, parameters_.table().elements)) /
           now_.scale.value;
}

void Trainer::finish(StepResult& result)
{
    auto update = now_.finish(config_, norm_of_gradients(), result);
    suspicious_ = result.skipped;
    if (update)
    {
        update->stochastic = config_.recipe.stochastic_rounding;
        update->key = random_key(config_.seed, RandomStream::rounding, static_cast<std::uint64_t>(now_.step));
        parameters_.update(*update);
    }
}

StepResult Trainer::whole_step(const Onlookers& onlookers, StepView* view)
{
    StepResult result;
    result.loss_scale = now_.scale.value;
    arena_.start_peak();
    if (!accumulate(onlookers, result))
    {
        return result;
    }
    if (onlookers.gradients)
    {
        Tensor all = parameters_.gradient(0);
        all.rows = (parameters_.table().elements + 255) / 256 - 1; // whole rows of 256
        all.cols = all.stride = 256;
        backend_->count_exponents(all, view->weight_gradients.counts);
    }
    finish(result);
    arena_.note_workspace();
    result.done = true;
    if (view)
    {
        view->timeline.push_back({MemoryMoment::Where::update, 0, 0, arena_.use()});
        view->memory = arena_.use();
        view->peak = arena_.peak();
        view->highest = arena_.highest();
    }
    return result;
}

Result<StepResult> Trainer::step(const std::atomic<bool>* stop, StepView* view, bool exponents)
{
    Onlookers onlookers{.stop = stop};
    if (view)
    {
        *view = {};
        onlookers.timeline = &view->timeline;
        onlookers.activations = exponents ? &view->activations : nullptr;
        onlookers.gradients = exponents ? &view->activation_gradients : nullptr;
        onlookers.first_bad = suspicious_ ? &view->first_bad : nullptr;
    }
    return within_memory<StepResult>([&] { return whole_step(onlookers, view); });
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
                sum += sum_losses(up, count * t.sequence_length);
                asked += asked_in(batch);
            }
            return asked > 0 ? sum / static_cast<double>(asked) : 0.0;
        });
}

// One of the `top_k` likeliest tokens (0: of all), with temperature 0 the likeliest.
std::int32_t Trainer::draw(std::vector<float>& logits, double temperature, std::int64_t top_k,
                           double unit) const
{
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, [&](std::int32_t a, std::int32_t b)
        { return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)]; });
    if (top_k > 0 && top_k < static_cast<std::int64_t>(order.size()))
    {
        order.resize(static_cast<std::size_t>(top_k));
    }
    const auto most = static_cast<double>(logits[static_cast<std::size_t>(order.front())]);
    if (temperature <= 0 || !std::isfinite(most))
    {
        return order.front();
    }
    std::vector<double> chances;
    double sum = 0;
    for (const std::int32_t token : order)
    {
        const double logit = logits[static_cast<std::size_t>(token)];
        sum += std::exp((logit - most) / temperature);
        chances.push_back(sum);
    }
    const auto found = std::upper_bound(chances.begin(), chances.end(), unit * sum);
    return order[std::min(order.size() - 1, static_cast<std::size_t>(found - chances.begin()))];
}

Result<std::string> Trainer::sample(std::int64_t count, double temperature, std::int64_t top_k,
                                    std::uint64_t round, const std::atomic<bool>* stop)
{
    const std::uint64_t key = random_key(config_.seed, RandomStream::sampling, round);
    const std::int64_t window = config_.training.sequence_length;
    auto tokens = corpus_.prompt(key, window);
    std::string text;
    for (const std::int32_t token : tokens)
    {
        text += corpus_.decode(token);
    }
    std::vector<float> logits(static_cast<std::size_t>(config_.model.vocab));
    return within_memory<std::string>(
        [&]
        {
            for (std::int64_t i = 0; i < count && !(stop && stop->load()); ++i)
            {
                const std::int64_t seen = std::min<std::int64_t>(std::ssize(tokens), window);
                // Always a whole window, so that the arena knows the sizes: what comes after a token cannot
                // change it.
                Batch batch;
                batch.tokens.assign(tokens.end() - seen, tokens.end());
                batch.tokens.resize(static_cast<std::size_t>(window));
                const Upload up = upload(batch);
                const Held next = network_.logits_after(tokens_of(up, 1), seen);
                backend_->download(logits.data(), next.tensor().data, config_.model.vocab * 4);
                const double unit = random_unit(key, static_cast<std::uint64_t>(i) + 1);
                tokens.push_back(draw(logits, temperature, top_k, unit));
                text += corpus_.decode(tokens.back());
            }
            return text;
        });
}

Issues Trainer::change(const TrainerConfig& next)
{
    auto ready = prepared(next);
    if (!ready)
    {
        return ready.issues();
    }
    if (!ready->training.flash_attention && !backend_->keeps_probabilities())
    {
        return {keeps_none(*backend_)};
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
    TrainerState state{now_, {}};
    for (const Parameters::Part& part : parameters_.parts())
    {
        auto& copy = state.parts.emplace_back(TrainerState::Part{part.name, {}});
        copy.bytes.resize(static_cast<std::size_t>(part.bytes));
        backend_->download(copy.bytes.data(), part.data, part.bytes);
    }
    return state;
}

Issues Trainer::restore(const TrainerState& state)
{
    const auto parts = parameters_.parts();
    if (const Issues issues = state.check_parts(parts); !issues.empty())
    {
        return issues;
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        backend_->upload(parts[i].data, state.parts[i].bytes.data(), parts[i].bytes);
    }
    now_ = state;
    return {};
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
