#include "core/trainer/parameters.h"

#include <fmt/format.h>

#include "core/lab/random.h"

#include <cmath>

namespace ringside::trainer
{

namespace
{

constexpr double kDeviation = 0.02; // Radford et al. 2019 (GPT-2)

// Mean 0, deviation 1: a sum of four uniforms, a bell without far tails, the same bits on every machine.
double bell(std::uint64_t bits)
{
    const double sum = static_cast<double>((bits & 0xFFFFU) + (bits >> 16U & 0xFFFFU) +
                                           (bits >> 32U & 0xFFFFU) + (bits >> 48U));
    return (sum / 65535 - 2) * 1.7320508075688772;
}

// Lays parameters out one after the other.
class Layout
{
public:
    Layout(const Model& model, ParameterTable& table) : m_(model), t_(table) {}

    int matrix(std::string name, Index rows, Index cols, bool block, double deviation = kDeviation)
    {
        return add({std::move(name), rows, cols, 0, block, deviation, 0});
    }
    int vector(std::string name, Index length, double start)
    {
        return add({std::move(name), 1, length, 0, false, 0, start});
    }

    void matrices()
    {
        const Index h = m_.hidden;
        t_.embedding = matrix("embedding", m_.vocab, h, false);
        if (m_.positions == Positions::learned)
        {
            t_.positions = matrix("positions", m_.max_sequence_length, h, false);
        }
        // What every layer adds to the residual grows with their number unless it starts smaller.
        const double added = kDeviation / std::sqrt(2.0 * static_cast<double>(m_.layers));
        for (Index i = 0; i < m_.layers; ++i)
        {
            LayerPlaces& layer = t_.layers.emplace_back();
            const std::string prefix = fmt::format("layer {}: ", i + 1);
            layer.qkv =
                matrix(prefix + "query, key, value", h, (m_.heads + 2 * m_.kv_heads) * m_.head_dim, true);
            layer.out = matrix(prefix + "attention output", m_.heads * m_.head_dim, h, true, added);
            layer.up = matrix(prefix + "MLP up", h, m_.gated_mlp ? 2 * m_.ffn : m_.ffn, true);
            layer.down = matrix(prefix + "MLP down", m_.ffn, h, true, added);
        }
        t_.head = m_.tied_embeddings ? t_.embedding : matrix("output projection", m_.vocab, h, false);
    }

    void vectors()
    {
        const Index h = m_.hidden;
        for (std::size_t i = 0; i < t_.layers.size(); ++i)
        {
            LayerPlaces& layer = t_.layers[i];
            const std::string prefix = fmt::format("layer {}: ", i + 1);
            norm(prefix + "first norm", layer.gain1, layer.bias1);
            norm(prefix + "second norm", layer.gain2, layer.bias2);
            if (m_.biases || m_.qkv_bias)
            {
                layer.qkv_bias =
                    vector(prefix + "query, key, value bias", (m_.heads + 2 * m_.kv_heads) * m_.head_dim, 0);
            }
            if (m_.biases)
            {
                layer.out_bias = vector(prefix + "attention output bias", h, 0);
                layer.up_bias = vector(prefix + "MLP up bias", m_.gated_mlp ? 2 * m_.ffn : m_.ffn, 0);
                layer.down_bias = vector(prefix + "MLP down bias", h, 0);
            }
        }
        norm("final norm", t_.final_gain, t_.final_bias);
    }

private:
    void norm(const std::string& name, int& gain, int& bias)
    {
        gain = vector(name + " gain", m_.hidden, 1);
        if (m_.norm == Norm::layernorm)
        {
            bias = vector(name + " bias", m_.hidden, 0);
        }
    }
    int add(Parameter parameter)
    {
        parameter.offset = t_.elements;
        t_.elements += parameter.elements();
        t_.list.push_back(std::move(parameter));
        return static_cast<int>(t_.list.size()) - 1;
    }

    const Model& m_;
    ParameterTable& t_;
};

DType sixteen_bits(Precision precision)
{
    return precision == Precision::fp16 ? DType::f16 : DType::bf16;
}

} // namespace

ParameterTable::ParameterTable(const Model& model)
{
    Layout layout(model, *this);
    layout.matrices();
    decayed = elements;
    layout.vectors();
}

Formats::Formats(const TrainerConfig& config)
{
    const Training& t = config.training;
    variance = t.optimizer == Optimizer::adamw;
    if (t.precision == Precision::fp32)
    {
        return;
    }
    activation = input = weight = sixteen_bits(t.precision);
    eight_bit = t.precision == Precision::fp8;
    input = eight_bit ? DType::e4m3 : activation;
    gradient = t.gradient_dtype == GradientDtype::fp32   ? DType::f32
               : t.gradient_dtype == GradientDtype::fp16 ? DType::f16
                                                         : DType::bf16;
    master = config.recipe.master_weights;
}

Parameters::Parameters(const TrainerConfig& config, Backend& backend, Arena& arena)
    : table_(config.model), formats_(config), backend_(backend)
{
    const Index n = table_.elements;
    weights_ = arena.take(n * bytes_of(formats_.weight), Component::weights);
    gradients_ = arena.take(n * bytes_of(formats_.gradient), Component::gradients);
    momentum_ = arena.take(n * 4, Component::momentum);
    if (formats_.variance)
    {
        variance_ = arena.take(n * 4, Component::variance);
    }
    if (formats_.master)
    {
        master_ = arena.take(n * 4, Component::master_weights);
    }
    if (formats_.eight_bit)
    {
        Index scales = 0;
        for (const Parameter& p : table_.list)
        {
            scale_offsets_.push_back(scales);
            scales += p.block ? p.rows + p.cols : 0;
        }
        scales_ = arena.take(scales * 4, Component::buffers);
    }
}

Tensor Parameters::weight(int place) const
{
    const Parameter& p = at(place);
    auto* start = weights_.as<char>() + p.offset * bytes_of(formats_.weight);
    if (is_eight_bit(place))
    {
        return tensor(start, DType::e4m3, p.rows, p.cols,
                      scales_.as<float>() + scale_offsets_[static_cast<std::size_t>(place)]);
    }
    return tensor(start, formats_.weight, p.rows, p.cols);
}

Tensor Parameters::forward_weight(int place) const
{
    Tensor t = weight(place);
    if (!is_eight_bit(place))
    {
        return t;
    }
    // The copy by column: its rows are outputs, each with the scale of its own inputs.
    const Parameter& p = at(place);
    return tensor(static_cast<char*>(t.data) + p.elements(), DType::e4m3, p.cols, p.rows, t.scales + p.rows);
}

Tensor Parameters::gradient(int place) const
{
    const Parameter& p = at(place);
    return tensor(gradients_.as<char>() + p.offset * bytes_of(formats_.gradient), formats_.gradient, p.rows,
                  p.cols);
}

Tensor Parameters::values(int place) const
{
    const Parameter& p = at(place);
    return tensor(master_.as<float>() + p.offset, DType::f32, p.rows, p.cols);
}

void Parameters::initialise(std::uint64_t seed)
{
    const std::uint64_t key = random_key(seed, RandomStream::weights, 0);
    std::vector<float> first(static_cast<std::size_t>(table_.elements));
    for (const Parameter& p : table_.list)
    {
        for (Index i = p.offset; i < p.offset + p.elements(); ++i)
        {
            const double value = p.deviation > 0
                                     ? p.deviation * bell(random_bits(key, static_cast<std::uint64_t>(i)))
                                     : p.start;
            first[static_cast<std::size_t>(i)] = static_cast<float>(value);
        }
    }
    const Index bytes = table_.elements * 4;
    backend_.clear(momentum_.data(), momentum_.bytes());
    if (variance_)
    {
        backend_.clear(variance_.data(), variance_.bytes());
    }
    if (master_)
    {
        backend_.upload(master_.data(), first.data(), bytes);
        round_weights();
        return;
    }
    if (formats_.weight == DType::f32)
    {
        backend_.upload(weights_.data(), first.data(), bytes);
        return;
    }
    // The momentum starts at zero, so its memory can hold the fp32 values until they are rounded.
    backend_.upload(momentum_.data(), first.data(), bytes);
    backend_.run(Convert{.from = tensor(momentum_.data(), DType::f32, 1, table_.elements),
                         .to = tensor(weights_.data(), formats_.weight, 1, table_.elements)});
    backend_.clear(momentum_.data(), momentum_.bytes());
}

void Parameters::clear_gradients()
{
    backend_.clear(gradients_.data(), gradients_.bytes());
}

void Parameters::round_weights()
{
    for (int place = 0; place < static_cast<int>(table_.list.size()); ++place)
    {
        backend_.run(Convert{.from = values(place), .to = weight(place)});
        if (is_eight_bit(place))
        {
            backend_.run(Convert{.from = values(place), .to = forward_weight(place), .transposed = true});
        }
    }
}

void Parameters::update(Update update)
{
    update.weights = formats_.eight_bit ? nullptr : weights_.data();
    update.weight_type = formats_.weight;
    update.master = master_.as<float>();
    update.gradients = gradients_.data();
    update.gradient_type = formats_.gradient;
    update.momentum = momentum_.as<float>();
    update.variance = variance_.as<float>();
    update.elements = table_.elements;
    update.decayed = table_.decayed;
    backend_.run(update);
    if (formats_.eight_bit)
    {
        round_weights();
    }
}

std::vector<Parameters::Part> Parameters::parts()
{
    std::vector<Part> all{{"weights", weights_.data(), weights_.bytes()}};
    const auto add = [&all](std::string name, const Block& block)
    {
        if (block)
        {
            all.push_back({std::move(name), block.data(), block.bytes()});
        }
    };
    add("momentum", momentum_);
    add("variance", variance_);
    add("master weights", master_);
    add("scales", scales_);
    return all;
}

} // namespace ringside::trainer
