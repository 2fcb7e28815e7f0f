#include "core/lab/ranks/rank_trainer.h"

#include "core/base/random.h"
#include "core/lab/ranks/rank_others.h"
#include "core/pipeline/schedule.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

namespace ringside::parallel
{

using trainer::Held;

namespace
{

// Groups that may meet on one rank need numbers of their own.
enum class Purpose : std::uint8_t
{
    world,
    tensor,
    context,
    replicas,
    experts,
    expert_replicas,
    embedding,
    boundaries // two for each
};
constexpr std::int64_t kRanksOfOneNumber = 4096;

std::int64_t number_of(Purpose purpose, std::int64_t index = 0)
{
    return static_cast<std::int64_t>(purpose) + index;
}

std::vector<int> all_ranks(const TeamConfig& config)
{
    std::vector<int> all(static_cast<std::size_t>(config.ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

} // namespace

RankTrainer::RankTrainer(const TeamConfig& config, Transport& transport, Backend& backend, CallLog& log,
                         Memory& memory)
    : config_(config), plan_(plan_of(config, transport.rank())), corpus_(config.trainer.data),
      transport_(transport), backend_(backend), log_(log), memory_(memory), arena_(backend),
      world_(group("control", all_ranks(config), number_of(Purpose::world))),
      tensor_(group("tensor", members_of(config, plan_.rank, Group::tensor), number_of(Purpose::tensor))),
      context_(group("context", members_of(config, plan_.rank, Group::context), number_of(Purpose::context))),
      replicas_(group("data", members_of(config, plan_.rank, Group::replicas), number_of(Purpose::replicas))),
      experts_(group("expert", members_of(config, plan_.rank, Group::expert), number_of(Purpose::experts))),
      expert_replicas_(group("data", members_of(config, plan_.rank, Group::expert_replicas),
                             number_of(Purpose::expert_replicas))),
      shards_(config, plan_.piece, backend, arena_, {*replicas_, *expert_replicas_}, memory),
      others_(std::make_unique<Others>(*this)),
      network_(config.trainer, plan_.piece, backend, arena_, shards_, *others_),
      now_(trainer::first_progress(config.trainer))
{
    make_boundaries();
    shards_.initialise(config.trainer.seed);
}

RankTrainer::~RankTrainer() = default;

std::unique_ptr<Communicator> RankTrainer::group(std::string axis, std::vector<int> members,
                                                 std::int64_t number)
{
    const std::int64_t tag = number * kRanksOfOneNumber + *std::ranges::min_element(members);
    return std::make_unique<Communicator>(transport_, std::move(axis), std::move(members), tag, log_,
                                          memory_);
}

void RankTrainer::make_boundaries()
{
    const std::int64_t stages = plan_.all_stages;
    for (std::int64_t after = 1; after < stages; ++after)
    {
        const int from = rank_of_stage(config_, plan_.place, after - 1);
        const int to = rank_of_stage(config_, plan_.place, after);
        if (from != to && (plan_.rank == from || plan_.rank == to))
        {
            const std::int64_t number = number_of(Purpose::boundaries, 2 * after);
            auto& boundary = boundaries_[after];
            boundary.forward = group("pipeline", {from, to}, number);
            boundary.backward = group("pipeline", {to, from}, number + 1);
        }
    }
    const int first = rank_of_stage(config_, plan_.place, 0);
    const int last = rank_of_stage(config_, plan_.place, stages - 1);
    const bool end = plan_.piece.embedding || plan_.piece.head;
    if (config_.trainer.model.tied_embeddings && first != last && end)
    {
        embedding_ = group("embedding", {first, last}, number_of(Purpose::embedding));
    }
}

// Places whose gradients and state this rank answers for: what every rank of the tensor group has, the first
// one does; the head's copy of the embedding belongs to the first stage.
std::vector<bool> RankTrainer::counted_places() const
{
    const trainer::ParameterTable& t = shards_.table();
    std::vector<bool> counted;
    for (const trainer::Parameter& p : t.list)
    {
        const bool copy =
            embedding_ && !plan_.piece.embedding && p.name == t.list[static_cast<std::size_t>(t.head)].name;
        counted.push_back(!copy && (p.split() || plan_.place.tensor == 0));
    }
    return counted;
}

RankStep RankTrainer::step(const PlannedFault& planned)
{
    fault_ = planned.rank == plan_.rank ? planned : PlannedFault{};
    RankStep step;
    step.start = log_.now();
    step.result.loss_scale = now_.scale.value;
    const Training& t = config_.trainer.training;
    const Batch one = corpus_.batch(config_.trainer.seed, now_.step, 0, t.micro_batch, t.sequence_length);
    asked_ = std::ranges::count_if(one.targets, [](std::int32_t target) { return target >= 0; }) *
             config_.trainer.accumulation();
    losses_ = 0;
    tallies_->clear();
    work_.clear();
    arena_.start_peak();
    others_->start_step();
    shards_.clear_gradients();
    for (const Operation& operation : plan_.order)
    {
        if (fault_.kind == RankFault::dead && &operation == &plan_.order[plan_.order.size() / 2])
        {
            log_.finish();
            step.died = true;
            return step;
        }
        inject_fault(operation);
        run(operation);
    }
    reduce_rest();
    finish(step.result);
    finish_sending();
    arena_.note_workspace();
    arena_.mark(MemoryMoment::Where::update);
    step.result.done = true;
    step.memory = arena_.use();
    step.peak = arena_.peak();
    step.work = std::move(work_);
    step.end = log_.now();
    return step;
}

// What was planned to go wrong with this operation.
void RankTrainer::inject_fault(const Operation& operation)
{
    if (fault_.kind == RankFault::slow)
    {
        std::this_thread::sleep_for(std::chrono::duration<double>(fault_.seconds));
    }
    if (fault_.kind == RankFault::not_a_number && operation.pass != Pass::forward)
    {
        const Tensor victim = shards_.gradient(shards_.table().layers.front().gain1);
        if (victim)
        {
            const float bad = std::numeric_limits<float>::quiet_NaN();
            const Block one = arena_.take(sizeof bad, Component::buffers);
            backend_.upload(one.data(), &bad, sizeof bad);
            backend_.run(trainer::Convert{.from = trainer::tensor(one.data(), DType::f32, 1, 1),
                                          .to = trainer::tensor(victim.data, victim.type, 1, 1)});
            fault_ = {};
        }
    }
}

void RankTrainer::run(const Operation& operation)
{
    if (operation.pass == Pass::forward)
    {
        forward(operation);
        return;
    }
    if (operation.pass != Pass::weight)
    {
        backward(operation);
        return;
    }
    const double start = log_.now();
    const auto visit = visits_.find({operation.stage, operation.micro_batch});
    network_.backward_weights(plan_.stage(operation.stage).stretch, visit->second.pass);
    visits_.erase(visit);
    work_.push_back({operation, start, log_.now()});
}

trainer::Tokens RankTrainer::open(Visit& visit, std::int64_t micro_batch)
{
    const Training& t = config_.trainer.training;
    const std::int64_t number = micro_batch * data_parallel(scenario_of(config_)) + plan_.place.data;
    const Batch batch = corpus_.batch(config_.trainer.seed, now_.step, number * t.micro_batch, t.micro_batch,
                                      t.sequence_length);
    const std::vector<std::int32_t> tokens = own_part(batch.tokens);
    const std::vector<std::int32_t> targets = own_part(batch.targets);
    const auto bytes = static_cast<Index>(tokens.size() * sizeof(std::int32_t));
    visit.tokens = arena_.take(bytes, Component::buffers);
    visit.targets = arena_.take(bytes, Component::buffers);
    visit.losses = arena_.take(bytes, Component::buffers);
    backend_.upload(visit.tokens.data(), tokens.data(), bytes);
    backend_.upload(visit.targets.data(), targets.data(), bytes);
    return tokens_of(visit);
}

Index RankTrainer::own_length() const
{
    return config_.trainer.training.sequence_length / context_->ranks();
}

// This rank's tokens of every sequence.
std::vector<std::int32_t> RankTrainer::own_part(const std::vector<std::int32_t>& all) const
{
    const Index own = own_length();
    const trainer::Cut cut = trainer::cut_of(context_->ranks(), plan_.place.context, own);
    std::vector<std::int32_t> part;
    for (Index row = 0; row < static_cast<Index>(all.size()) / context_->ranks(); ++row)
    {
        const Index sequence = row / own * config_.trainer.training.sequence_length;
        part.push_back(all[static_cast<std::size_t>(sequence + cut.place(row % own, own))]);
    }
    return part;
}

trainer::Tokens RankTrainer::tokens_of(const Visit& visit) const
{
    const Training& t = config_.trainer.training;
    return {visit.tokens.as<std::int32_t>(), visit.targets.as<std::int32_t>(), t.micro_batch, own_length()};
}

Held RankTrainer::receive(Communicator& from)
{
    const Training& t = config_.trainer.training;
    Held data(arena_, network_.own_rows(t.micro_batch * own_length()), config_.trainer.model.hidden,
              shards_.formats().activation, Component::activations);
    const Tensor room = data;
    // What is started meets what is started.
    from.start([&from, room] { from.receive(0, room.data, room.type, room.elements()); }).wait();
    return data;
}

// On a thread of its own, since the receiver may be about to send too.
void RankTrainer::send(Communicator& to, Held data)
{
    backend_.wait();
    const Tensor t = data;
    sending_.push_back({to.start([&to, t] { to.send(1, t.data, t.type, t.elements()); }), std::move(data)});
    while (sending_.size() > 2 * boundaries_.size() + 2)
    {
        sending_.front().pending.wait();
        sending_.pop_front();
    }
}

void RankTrainer::finish_sending()
{
    for (Sending& sending : sending_)
    {
        sending.pending.wait();
    }
    sending_.clear();
}

// What the neighbouring stage has made for this one, across the boundary before stage `after`.
Held RankTrainer::take_over(const Operation& operation, std::int64_t after, Way way)
{
    const auto boundary = boundaries_.find(after);
    return boundary != boundaries_.end()
               ? receive(*(boundary->second.*way))
               : std::move(handed_.extract({operation.stage, operation.micro_batch}).mapped());
}

void RankTrainer::hand_on(const Operation& operation, std::int64_t after, Way way, Held data)
{
    const auto boundary = boundaries_.find(after);
    if (boundary != boundaries_.end())
    {
        send(*(boundary->second.*way), std::move(data));
        return;
    }
    const std::int64_t to = after == operation.stage ? after - 1 : after;
    handed_[{to, operation.micro_batch}] = std::move(data);
}

void RankTrainer::forward(const Operation& operation)
{
    const trainer::Stretch& stretch = plan_.stage(operation.stage).stretch;
    Held in = stretch.embeds ? Held() : take_over(operation, operation.stage, &Boundary::forward);
    const double start = log_.now();
    Visit& visit = visits_[{operation.stage, operation.micro_batch}];
    const trainer::Tokens batch = open(visit, operation.micro_batch);
    Held out = network_.forward(stretch, batch, std::move(in), visit.pass);
    network_.add_tallies(stretch, tallies_);
    work_.push_back({operation, start, log_.now()});
    if (!stretch.heads)
    {
        hand_on(operation, operation.stage + 1, &Boundary::forward, std::move(out));
    }
}

void RankTrainer::backward(const Operation& operation)
{
    const trainer::Stretch& stretch = plan_.stage(operation.stage).stretch;
    Held gradient = stretch.heads ? Held() : take_over(operation, operation.stage + 1, &Boundary::backward);
    const double start = log_.now();
    const auto visit = visits_.find({operation.stage, operation.micro_batch});
    const auto weights = trainer::loss_weights(config_.trainer, now_.scale.value, asked_);
    const bool later = operation.pass == Pass::input;
    Held in = network_.backward(stretch, tokens_of(visit->second), std::move(gradient), visit->second.pass,
                                weights, visit->second.losses.as<float>(), later);
    work_.push_back({operation, start, log_.now()});
    if (stretch.heads)
    {
        add_losses(visit->second);
    }
    if (!later)
    {
        visits_.erase(visit);
    }
    if (!stretch.embeds)
    {
        hand_on(operation, operation.stage, &Boundary::backward, std::move(in));
    }
}

void RankTrainer::add_losses(const Visit& visit)
{
    if (plan_.place.tensor != 0)
    {
        return; // the whole group has the same
    }
    std::vector<float> losses(static_cast<std::size_t>(visit.losses.bytes() / 4));
    backend_.download(losses.data(), visit.losses.data(), visit.losses.bytes());
    losses_ += std::accumulate(losses.begin(), losses.end(), 0.0);
}

// What could not be reduced while the backward was still going on.
void RankTrainer::reduce_rest()
{
    if (embedding_)
    {
        backend_.wait();
        const trainer::ParameterTable& t = shards_.table();
        const Tensor shared = shards_.gradient(plan_.piece.embedding ? t.embedding : t.head);
        embedding_->all_reduce(shared.data, shared.type, shared.elements());
        shards_.reduce(plan_.piece.embedding ? 0 : shards_.units() - 1);
    }
    shards_.finish_reducing();
}

// Losses, squares of gradients and experts' tallies of the whole model; added in the order of the ranks, so
// that all come to the same.
std::vector<double> RankTrainer::sum_over_ranks()
{
    std::vector<double> mine{losses_, shards_.sum_of_squares(counted_places())};
    const Model& m = config_.trainer.model;
    if (m.experts > 0)
    {
        const auto width = static_cast<std::size_t>(trainer::Route::tally_width(m.experts));
        mine.resize(2 + width * static_cast<std::size_t>(m.layers));
        for (std::size_t i = 0; i < plan_.piece.layers.size(); ++i)
        {
            std::copy_n(tallies_->begin() + static_cast<std::ptrdiff_t>(i * width), width,
                        mine.begin() + 2 + plan_.piece.layers[i] * static_cast<std::ptrdiff_t>(width));
        }
    }
    const auto ranks = static_cast<std::size_t>(world_->ranks());
    std::vector<double> all(ranks * mine.size());
    const auto own = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(world_->rank()) * mine.size());
    std::copy(mine.begin(), mine.end(), all.begin() + own);
    constexpr std::size_t kFloats = sizeof(double) / sizeof(float);
    world_->all_gather(mine.data(), all.data(), DType::f32, static_cast<Index>(kFloats * all.size()));
    std::vector<double> sums(mine.size());
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        sums[i % sums.size()] += all[i];
    }
    return sums;
}

void RankTrainer::finish(trainer::StepResult& result)
{
    const std::vector<double> sums = sum_over_ranks();
    result.loss = sums[0] / static_cast<double>(asked_);
    result.experts = trainer::routing_of(config_.trainer, {sums.begin() + 2, sums.end()});
    if (const auto update = now_.finish(config_.trainer, std::sqrt(sums[1]) / now_.scale.value, result))
    {
        shards_.update(*update);
    }
}

void RankTrainer::copy_to(trainer::TrainerState& whole)
{
    static_cast<trainer::Progress&>(whole) = now_;
    shards_.copy_to(whole, counted_places());
}

void RankTrainer::copy_from(const trainer::TrainerState& whole)
{
    shards_.copy_from(whole);
    now_ = whole;
}

trainer::TrainerState empty_state(const TrainerConfig& config)
{
    const trainer::Formats formats(config);
    const auto elements = static_cast<std::size_t>(trainer::ParameterTable(config.model).elements);
    trainer::TrainerState state;
    state.parts.push_back(
        {"weights", std::vector<char>(elements * static_cast<std::size_t>(bytes_of(formats.weight)))});
    state.parts.push_back({"momentum", std::vector<char>(elements * 4)});
    if (formats.variance)
    {
        state.parts.push_back({"variance", std::vector<char>(elements * 4)});
    }
    if (formats.master)
    {
        state.parts.push_back({"master weights", std::vector<char>(elements * 4)});
    }
    return state;
}

} // namespace ringside::parallel
