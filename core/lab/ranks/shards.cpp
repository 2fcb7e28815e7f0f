// One file, since it is one class: what a rank keeps, gathers and reduces under every ZeRO stage.
#include "core/lab/ranks/shards.h"

#include "core/lab/ranks/communication/compressed_sum.h"

namespace ringside::parallel
{

namespace
{

// Places that the model has not are left out.
std::vector<int> without_absent(std::vector<int> places)
{
    std::erase(places, -1);
    return places;
}

// Matrices first, then vectors, as in the whole table.
std::vector<int> places_of(const trainer::LayerPlaces& l)
{
    return without_absent({l.qkv, l.out, l.up, l.down, l.router, l.gain1, l.bias1, l.qkv_bias, l.out_bias,
                           l.up_bias, l.gain2, l.bias2, l.down_bias, l.router_bias});
}

// The places of the weights of the experts that are here.
std::vector<int> expert_places_of(const trainer::LayerPlaces& l, int experts)
{
    std::vector<int> places;
    for (const int first : {l.expert_up, l.expert_down, l.expert_up_bias, l.expert_down_bias})
    {
        for (int i = 0; first >= 0 && i < experts; ++i)
        {
            places.push_back(first + i);
        }
    }
    return places;
}

char* element_of(const Block& block, Index element, DType type)
{
    return block.as<char>() + element * bytes_of(type);
}

} // namespace

// One part of a rank's state: elements `range` of a unit.
struct Shards::State
{
    std::string_view name; // as Trainer::state() names it
    Range range;
    char* data = nullptr; // of the range's first element
    DType type = DType::f32;
};

Shards::Shards(const TeamConfig& config, const trainer::Piece& piece, Backend& backend, Arena& arena,
               const Replicas& replicas, Memory& memory)
    : ParameterStore(trainer::ParameterTable(config.trainer.model, piece), trainer::Formats(config.trainer)),
      zero_(config.parallel.zero), backend_(backend), arena_(arena), memory_(memory),
      homes_(table().list.size())
{
    const trainer::ParameterTable& t = table();
    add_unit(without_absent({t.embedding, t.positions}), replicas.dense);
    for (const trainer::LayerPlaces& layer : t.layers)
    {
        add_unit(places_of(layer), replicas.dense);
    }
    const int head = t.head == t.embedding ? -1 : t.head;
    add_unit(without_absent({head, t.final_gain, t.final_bias}), replicas.dense);
    const auto experts = static_cast<int>(config.trainer.model.experts / piece.expert_ranks);
    for (std::size_t i = 0; experts > 0 && i < t.layers.size(); ++i)
    {
        add_unit(expert_places_of(t.layers[i], experts), replicas.experts);
    }
    for (std::size_t i = 0; i < units_.size(); ++i)
    {
        take_memory(units_[i]);
        compress(units_[i], config.compression, config.trainer.seed + i);
    }
}

Shards::~Shards() = default;

void Shards::add_unit(const std::vector<int>& places, Communicator& replicas)
{
    Unit& unit = units_.emplace_back();
    unit.replicas = &replicas;
    unit.places = places;
    for (const int place : places)
    {
        const trainer::Parameter& p = at(place);
        homes_[static_cast<std::size_t>(place)] = {units_.size() - 1, unit.elements};
        unit.elements += p.elements();
        unit.decayed = p.offset < table().decayed ? unit.elements : unit.decayed;
    }
    const Index ranks = replicas.ranks();
    unit.elements = (unit.elements + ranks - 1) / ranks * ranks;
}

Shards::Range Shards::held(const Unit& unit, std::int64_t from) const
{
    if (zero_ < from)
    {
        return {0, unit.elements};
    }
    const Index share = unit.elements / unit.replicas->ranks();
    return {share * unit.replicas->rank(), share};
}

std::vector<Shards::Unit*> Shards::parts_of(Index unit)
{
    const auto place = static_cast<std::size_t>(unit);
    std::vector<Unit*> parts{&units_[place]};
    const std::size_t experts = static_cast<std::size_t>(units()) + place - 1;
    if (unit > 0 && unit + 1 < units() && experts < units_.size())
    {
        parts.push_back(&units_[experts]);
    }
    return parts;
}

void Shards::take_memory(Unit& unit)
{
    const trainer::Formats& f = formats();
    const Index state = held(unit, 1).count;
    Block& weights = zero_ < 3 ? unit.weights : unit.shard_weights;
    weights = arena_.take(held(unit, 3).count * bytes_of(f.weight), Component::weights);
    Block& gradients = zero_ < 2 ? unit.gradients : unit.shard_gradients;
    gradients = arena_.take(held(unit, 2).count * bytes_of(f.gradient), Component::gradients);
    unit.momentum = arena_.take(state * 4, Component::momentum);
    unit.variance = f.variance ? arena_.take(state * 4, Component::variance) : Block();
    unit.master = f.master ? arena_.take(state * 4, Component::master_weights) : Block();
}

void Shards::compress(Unit& unit, const CompressionOptions& options, std::uint64_t seed)
{
    if (options.compressor == Compressor::none || unit.replicas->ranks() == 1 || unit.places.empty())
    {
        return;
    }
    std::vector<GradientBlock> tensors;
    for (const int place : unit.places)
    {
        const trainer::Parameter& p = at(place);
        tensors.push_back({p.rows, p.cols, 1});
    }
    GradientShape bucket = bucket_of(tensors);
    const Index elements = elements_of(bucket);
    std::span<float> unsent;
    if (feeds_back(options))
    {
        unit.unsent = arena_.take(elements * 4, Component::buffers);
        backend_.clear(unit.unsent.data(), unit.unsent.bytes());
        unsent = {unit.unsent.as<float>(), static_cast<std::size_t>(elements)};
    }
    unit.compressed =
        std::make_unique<CompressedSum>(options, std::move(bucket), *unit.replicas, unsent, seed);
}

Tensor Shards::matrix(int place, Block Unit::*block, DType type) const
{
    const trainer::Parameter& p = at(place);
    const Unit& unit = units_[home(place).unit];
    return trainer::tensor(element_of(unit.*block, home(place).offset, type), type, p.rows, p.cols);
}

Tensor Shards::weight(int place) const
{
    return matrix(place, &Unit::weights, formats().weight);
}

Tensor Shards::gradient(int place) const
{
    return matrix(place, &Unit::gradients, formats().gradient);
}

void Shards::initialise(std::uint64_t seed)
{
    std::vector<float> all(static_cast<std::size_t>(table().elements));
    for (const trainer::Parameter& p : table().list)
    {
        trainer::first_values(p, seed, all.data());
    }
    const DType type = formats().weight;
    for (Unit& unit : units_)
    {
        std::vector<float> values(static_cast<std::size_t>(unit.elements));
        for (const int place : unit.places)
        {
            const trainer::Parameter& p = at(place);
            std::copy_n(all.begin() + p.offset, p.elements(), values.begin() + home(place).offset);
        }
        for (const State& state : states(unit))
        {
            const Index bytes = state.range.count * bytes_of(state.type);
            const float* first = values.data() + state.range.first;
            if (state.name != "weights" && state.name != "master weights")
            {
                backend_.clear(state.data, bytes);
            }
            else if (state.type == DType::f32)
            {
                backend_.upload(state.data, first, bytes);
            }
            else
            {
                const Block floats = arena_.take(state.range.count * 4, Component::buffers);
                backend_.upload(floats.data(), first, floats.bytes());
                backend_.run(
                    trainer::Convert{.from = trainer::tensor(floats.data(), DType::f32, 1, state.range.count),
                                     .to = trainer::tensor(state.data, type, 1, state.range.count)});
            }
        }
    }
}

void Shards::clear_gradients()
{
    for (const Unit& unit : units_)
    {
        const Block& gradients = zero_ < 2 ? unit.gradients : unit.shard_gradients;
        if (gradients.bytes() > 0)
        {
            backend_.clear(gradients.data(), gradients.bytes());
        }
    }
}

void Shards::prefetch(Unit& unit)
{
    if (zero_ < 3 || unit.weights || unit.elements == 0)
    {
        return;
    }
    const DType type = formats().weight;
    unit.weights = arena_.take(unit.elements * bytes_of(type), Component::buffers);
    unit.gathering = unit.replicas->start(
        [&unit, type]
        { unit.replicas->all_gather(unit.shard_weights.data(), unit.weights.data(), type, unit.elements); });
}

void Shards::prefetch(Index index)
{
    for (Unit* unit : parts_of(index))
    {
        prefetch(*unit);
    }
}

void Shards::need(Index index)
{
    for (Unit* unit : parts_of(index))
    {
        prefetch(*unit);
        unit->gathering.finish();
    }
}

void Shards::free(Index index)
{
    if (zero_ < 3)
    {
        return;
    }
    need(index); // a gather that nobody came to use must end before its memory goes
    for (Unit* unit : parts_of(index))
    {
        unit->weights = Block();
    }
}

void Shards::release_reduced(Unit& unit)
{
    if (unit.reducing)
    {
        unit.reducing.finish();
        if (zero_ >= 2)
        {
            unit.gradients = Block();
        }
    }
}

void Shards::need_gradients(Index index)
{
    for (Unit* unit : parts_of(index))
    {
        if (zero_ < 2 || unit->elements == 0)
        {
            continue;
        }
        release_reduced(*unit);
        if (!unit->gradients)
        {
            unit->gradients = arena_.take(unit->elements * bytes_of(formats().gradient), Component::buffers);
            backend_.clear(unit->gradients.data(), unit->gradients.bytes());
        }
    }
}

void Shards::reduce(Unit& unit)
{
    const DType type = formats().gradient;
    const Range own = held(unit, 1);
    void* sum = element_of(unit.gradients, own.first, type);
    unit.reducing = unit.replicas->start(
        [this, &unit, type, own, sum]
        {
            if (unit.compressed)
            {
                const auto sent = static_cast<std::size_t>(elements_of(unit.compressed->bucket()));
                unit.compressed->all_reduce({unit.gradients.as<float>(), sent});
                return;
            }
            if (zero_ == 0)
            {
                unit.replicas->all_reduce(unit.gradients.data(), type, unit.elements);
                return;
            }
            unit.replicas->reduce_scatter(unit.gradients.data(), sum, type, unit.elements);
            if (zero_ >= 2)
            {
                memory_.add(unit.shard_gradients.data(), sum, type, own.count);
            }
        });
}

void Shards::reduce(Index index)
{
    backend_.wait();
    for (Unit* unit : parts_of(index))
    {
        if (unit->elements > 0)
        {
            reduce(*unit);
        }
    }
    // Two units on their way at most, or all of ZeRO-2's gradients would be there again.
    for (Index other = index + 1; zero_ >= 2 && other < units(); ++other)
    {
        for (Unit* unit : parts_of(other))
        {
            release_reduced(*unit);
        }
    }
}

void Shards::finish_reducing()
{
    for (Unit& unit : units_)
    {
        release_reduced(unit);
    }
}

void* Shards::reduced_gradients(const Unit& unit) const
{
    return zero_ >= 2 ? unit.shard_gradients.data()
                      : element_of(unit.gradients, held(unit, 1).first, formats().gradient);
}

double Shards::sum_of_squares(const std::vector<bool>& counted)
{
    const DType type = formats().gradient;
    double sum = 0;
    for (const Unit& unit : units_)
    {
        const Range own = held(unit, 1);
        if (zero_ == 0 && unit.replicas->rank() != 0)
        {
            continue; // the first one has the same
        }
        for (const int place : unit.places)
        {
            const Index begin = std::max(own.first, home(place).offset);
            const Index end = std::min(own.first + own.count, home(place).offset + at(place).elements());
            if (counted[static_cast<std::size_t>(place)] && begin < end)
            {
                auto* data =
                    static_cast<char*>(reduced_gradients(unit)) + (begin - own.first) * bytes_of(type);
                sum += backend_.sum_of_squares(data, type, end - begin);
            }
        }
    }
    return sum;
}

void Shards::update(trainer::Update update)
{
    const trainer::Formats& f = formats();
    update.weight_type = f.weight;
    update.gradient_type = f.gradient;
    for (const Unit& unit : units_)
    {
        const Range own = held(unit, 1);
        if (own.count == 0)
        {
            continue;
        }
        update.weights =
            zero_ >= 3 ? unit.shard_weights.data() : element_of(unit.weights, own.first, f.weight);
        update.gradients = reduced_gradients(unit);
        update.master = unit.master.as<float>();
        update.momentum = unit.momentum.as<float>();
        update.variance = unit.variance.as<float>();
        update.elements = own.count;
        update.decayed = std::clamp(unit.decayed - own.first, Index{0}, own.count);
        backend_.run(update);
    }
    if (zero_ == 1 || zero_ == 2)
    {
        share_weights();
    }
}

void Shards::share_weights()
{
    backend_.wait();
    const DType type = formats().weight;
    for (Unit& unit : units_)
    {
        unit.gathering = unit.replicas->start(
            [this, &unit, type]
            {
                const void* own = element_of(unit.weights, held(unit, 1).first, type);
                unit.replicas->all_gather(own, unit.weights.data(), type, unit.elements);
            });
    }
    for (Unit& unit : units_)
    {
        unit.gathering.finish();
    }
}

std::vector<Shards::State> Shards::states(Unit& unit)
{
    const Range own = held(unit, 1);
    const Block& weights = zero_ >= 3 ? unit.shard_weights : unit.weights;
    std::vector<State> all{{"weights", held(unit, 3), weights.as<char>(), formats().weight},
                           {"momentum", own, unit.momentum.as<char>(), DType::f32}};
    if (unit.variance)
    {
        all.push_back({"variance", own, unit.variance.as<char>(), DType::f32});
    }
    if (unit.master)
    {
        all.push_back({"master weights", own, unit.master.as<char>(), DType::f32});
    }
    return all;
}

template <class Copy>
void Shards::each_run(int place, const State& state, const Copy& copy) const
{
    const trainer::Parameter& p = at(place);
    const Index size = bytes_of(state.type);
    p.each_run(
        [&](Index in_table, Index in_whole, Index count)
        {
            const Index in_unit = in_table - p.offset + home(place).offset;
            const Index begin = std::max(in_unit, state.range.first);
            const Index end = std::min(in_unit + count, state.range.first + state.range.count);
            if (begin < end)
            {
                copy(state.data + (begin - state.range.first) * size, (in_whole + begin - in_unit) * size,
                     (end - begin) * size);
            }
        });
}

void Shards::copy_to(trainer::TrainerState& whole, const std::vector<bool>& counted)
{
    for (Unit& unit : units_)
    {
        for (const State& state : states(unit))
        {
            // What every replica has, the first one writes.
            const bool mine = state.range.count < unit.elements || unit.replicas->rank() == 0;
            trainer::TrainerState::Part* part = whole.part(state.name);
            for (const int place : unit.places)
            {
                if (mine && counted[static_cast<std::size_t>(place)])
                {
                    each_run(place, state,
                             [&](const char* here, Index there, Index bytes)
                             { backend_.download(part->bytes.data() + there, here, bytes); });
                }
            }
        }
    }
}

void Shards::copy_from(const trainer::TrainerState& whole)
{
    for (Unit& unit : units_)
    {
        for (const State& state : states(unit))
        {
            const auto part = std::ranges::find(whole.parts, state.name, &trainer::TrainerState::Part::name);
            for (const int place : unit.places)
            {
                each_run(place, state,
                         [&](char* here, Index there, Index bytes)
                         { backend_.upload(here, part->bytes.data() + there, bytes); });
            }
        }
    }
}

} // namespace ringside::parallel
