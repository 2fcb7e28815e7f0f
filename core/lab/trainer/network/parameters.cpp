#include "core/lab/trainer/network/parameters.h"

#include <fmt/format.h>

#include "core/base/random.h"

#include <cmath>
#include <string_view>

namespace ringside::trainer
{

namespace
{

constexpr double kDeviation = 0.02; // Radford et al. 2019 (GPT-2)

// Mean 0, deviation 1: a sum of four uniforms, a bell without far tails, the same bits on every machine.
double bell(std::uint64_t bits)
{
    const auto sum = static_cast<double>((bits & 0xFFFFU) + (bits >> 16U & 0xFFFFU) +
                                         (bits >> 32U & 0xFFFFU) + (bits >> 48U));
    return (sum / 65535 - 2) * 1.7320508075688772;
}

enum class Split : std::uint8_t
{
    none,
    rows,
    columns
};

// Lays parameters out one after the other.
class Layout
{
public:
    Layout(const Model& whole, const Piece& piece, ParameterTable& table)
        : m_(whole), piece_(piece), t_(table)
    {
    }

    void matrices()
    {
        const Index h = m_.hidden;
        if (piece_.embedding)
        {
            t_.embedding = matrix("embedding", m_.vocab, h, Split::rows);
        }
        if (piece_.embedding && m_.positions == Positions::learned)
        {
            t_.positions = matrix("positions", m_.max_sequence_length, h, Split::none);
        }
        for (const Index layer : piece_.layers)
        {
            layer_matrices(t_.layers.emplace_back(), prefix(layer));
        }
        if (piece_.head)
        {
            t_.head = !m_.tied_embeddings ? matrix("output projection", m_.vocab, h, Split::rows)
                      : piece_.embedding  ? t_.embedding
                                          : matrix("embedding", m_.vocab, h, Split::rows);
        }
    }

    void vectors()
    {
        for (std::size_t i = 0; i < t_.layers.size(); ++i)
        {
            layer_vectors(t_.layers[i], prefix(piece_.layers[i]));
        }
        if (piece_.head)
        {
            norm("final norm", t_.final_gain, t_.final_bias);
        }
    }

private:
    static std::string prefix(Index layer) { return fmt::format("layer {}: ", layer + 1); }

    void layer_matrices(LayerPlaces& layer, const std::string& name)
    {
        const Index h = m_.hidden;
        // What every layer adds to the residual grows with their number unless it starts smaller.
        const double added = kDeviation / std::sqrt(2.0 * static_cast<double>(m_.layers));
        layer.qkv = block(name + "query, key, value", h, query_key_value(), kDeviation);
        layer.out = block(name + "attention output", m_.heads * m_.head_dim, h, added);
        if (m_.experts == 0)
        {
            layer.up = block(name + "MLP up", h, gate_and_up(m_.ffn), kDeviation);
            layer.down = block(name + "MLP down", m_.ffn, h, added);
            return;
        }
        layer.router = matrix(name + "router", h, m_.experts, Split::none);
        layer.expert_up =
            each_expert(name, [&](const std::string& expert)
                        { return block(expert + " up", h, gate_and_up(m_.expert_ffn), kDeviation); });
        layer.expert_down = each_expert(name, [&](const std::string& expert)
                                        { return block(expert + " down", m_.expert_ffn, h, added); });
    }

    // Adds one parameter for each expert of this piece, and returns the place of the first.
    template <class Add>
    int each_expert(const std::string& name, const Add& add)
    {
        const Index held = m_.experts / piece_.expert_ranks;
        const auto first = static_cast<int>(t_.list.size());
        for (Index i = 0; i < held; ++i)
        {
            add(fmt::format("{}expert {}", name, piece_.expert_rank * held + i + 1));
            t_.list.back().expert = true;
        }
        return first;
    }

    void layer_vectors(LayerPlaces& layer, const std::string& name)
    {
        norm(name + "first norm", layer.gain1, layer.bias1);
        norm(name + "second norm", layer.gain2, layer.bias2);
        if (m_.biases || m_.qkv_bias)
        {
            layer.qkv_bias = vector(name + "query, key, value bias", query_key_value(), 0, true);
        }
        if (m_.biases)
        {
            layer.out_bias = vector(name + "attention output bias", {m_.hidden}, 0, false);
            m_.experts > 0 ? expert_biases(layer, name) : mlp_biases(layer, name);
        }
    }
    void mlp_biases(LayerPlaces& layer, const std::string& name)
    {
        layer.up_bias = vector(name + "MLP up bias", gate_and_up(m_.ffn), 0, true);
        layer.down_bias = vector(name + "MLP down bias", {m_.hidden}, 0, false);
    }
    void expert_biases(LayerPlaces& layer, const std::string& name)
    {
        layer.router_bias = vector(name + "router bias", {m_.experts}, 0, false);
        layer.expert_up_bias =
            each_expert(name, [&](const std::string& expert)
                        { return vector(expert + " up bias", gate_and_up(m_.expert_ffn), 0, false); });
        layer.expert_down_bias =
            each_expert(name, [&](const std::string& expert)
                        { return vector(expert + " down bias", {m_.hidden}, 0, false); });
    }

    std::vector<Index> query_key_value() const
    {
        return {m_.heads * m_.head_dim, m_.kv_heads * m_.head_dim, m_.kv_heads * m_.head_dim};
    }
    std::vector<Index> gate_and_up(Index width) const
    {
        return m_.gated_mlp ? std::vector<Index>{width, width} : std::vector<Index>{width};
    }

    void norm(const std::string& name, int& gain, int& bias)
    {
        gain = vector(name + " gain", {m_.hidden}, 1, false);
        if (m_.norm == Norm::layernorm)
        {
            bias = vector(name + " bias", {m_.hidden}, 0, false);
        }
    }
    int matrix(std::string name, Index rows, Index cols, Split cut)
    {
        return add({.name = std::move(name), .deviation = kDeviation}, rows, {cols}, cut);
    }
    // Adds a matrix of a layer, split by columns or, where its input is split already, by rows.
    int block(std::string name, Index rows, const std::vector<Index>& cols, double deviation)
    {
        return add({.name = std::move(name), .block = true, .deviation = deviation}, rows, cols,
                   Split::columns);
    }
    int block(std::string name, Index rows, Index cols, double deviation)
    {
        return add({.name = std::move(name), .block = true, .deviation = deviation}, rows, {cols},
                   Split::rows);
    }
    int vector(std::string name, const std::vector<Index>& cols, double start, bool split)
    {
        return add({.name = std::move(name), .start = start}, 1, cols, split ? Split::columns : Split::none);
    }

    // Columns come in groups that are split one by one.
    int add(Parameter p, Index rows, const std::vector<Index>& groups, Split cut)
    {
        const Index ranks = piece_.tensor_ranks;
        p.whole_rows = rows;
        p.rows = cut == Split::rows ? rows / ranks : rows;
        p.first_row = cut == Split::rows ? p.rows * piece_.tensor_rank : 0;
        for (const Index group : groups)
        {
            const Index count = cut == Split::columns ? group / ranks : group;
            p.columns.push_back(
                {p.whole_cols + (cut == Split::columns ? count * piece_.tensor_rank : 0), count});
            p.cols += count;
            p.whole_cols += group;
        }
        p.offset = p.whole_offset = t_.elements;
        t_.elements += p.elements();
        t_.list.push_back(std::move(p));
        return static_cast<int>(t_.list.size()) - 1;
    }

    const Model& m_;
    const Piece& piece_;
    ParameterTable& t_;
};

void lay_out(const Model& whole, const Piece& piece, ParameterTable& table)
{
    Layout layout(whole, piece, table);
    layout.matrices();
    table.decayed = table.elements;
    layout.vectors();
}

DType sixteen_bits(Precision precision)
{
    return precision == Precision::fp16 ? DType::f16 : DType::bf16;
}

} // namespace

ParameterTable::ParameterTable(const Model& model)
{
    lay_out(model, whole_piece(model), *this);
}

ParameterTable::ParameterTable(const Model& whole, const Piece& piece)
{
    lay_out(whole, piece, *this);
    std::map<std::string_view, Index> offsets;
    const ParameterTable all(whole);
    for (const Parameter& p : all.list)
    {
        offsets[p.name] = p.offset;
    }
    for (Parameter& p : list)
    {
        p.whole_offset = offsets.at(p.name);
    }
}

void first_values(const Parameter& p, std::uint64_t seed, float* values)
{
    const std::uint64_t key = random_key(seed, RandomStream::weights, 0);
    const auto value_of = [&](Index whole)
    {
        return p.deviation > 0 ? p.deviation * bell(random_bits(key, static_cast<std::uint64_t>(whole)))
                               : p.start;
    };
    p.each_run(
        [&](Index here, Index whole, Index count)
        {
            for (Index i = 0; i < count; ++i)
            {
                values[here + i] = static_cast<float>(value_of(whole + i));
            }
        });
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
    : ParameterStore(ParameterTable(config.model), Formats(config)), backend_(backend)
{
    const Formats& formats = this->formats();
    const Index n = table().elements;
    weights_ = arena.take(n * bytes_of(formats.weight), Component::weights);
    gradients_ = arena.take(n * bytes_of(formats.gradient), Component::gradients);
    momentum_ = arena.take(n * 4, Component::momentum);
    if (formats.variance)
    {
        variance_ = arena.take(n * 4, Component::variance);
    }
    if (formats.master)
    {
        master_ = arena.take(n * 4, Component::master_weights);
    }
    if (formats.eight_bit)
    {
        Index scales = 0;
        for (const Parameter& p : table().list)
        {
            scale_offsets_.push_back(scales);
            scales += p.block ? p.rows + p.cols : 0;
        }
        scales_ = arena.take(scales * 4, Component::buffers);
    }
}

Tensor Parameters::matrix(int place, const Block& block, DType type) const
{
    const Parameter& p = at(place);
    return tensor(block.as<char>() + p.offset * bytes_of(type), type, p.rows, p.cols);
}

Tensor Parameters::weight(int place) const
{
    Tensor t = matrix(place, weights_, formats().weight);
    if (is_eight_bit(place))
    {
        t.type = DType::e4m3;
        t.scales = scales_.as<float>() + scale_offsets_[static_cast<std::size_t>(place)];
    }
    return t;
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
    return matrix(place, gradients_, formats().gradient);
}

void Parameters::initialise(std::uint64_t seed)
{
    std::vector<float> first(static_cast<std::size_t>(table().elements));
    for (const Parameter& p : table().list)
    {
        first_values(p, seed, first.data());
    }
    const Index bytes = table().elements * 4;
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
    if (formats().weight == DType::f32)
    {
        backend_.upload(weights_.data(), first.data(), bytes);
        return;
    }
    // The momentum starts at zero, so its memory can hold the fp32 values until they are rounded.
    backend_.upload(momentum_.data(), first.data(), bytes);
    backend_.run(Convert{.from = tensor(momentum_.data(), DType::f32, 1, table().elements),
                         .to = tensor(weights_.data(), formats().weight, 1, table().elements)});
    backend_.clear(momentum_.data(), momentum_.bytes());
}

void Parameters::clear_gradients()
{
    backend_.clear(gradients_.data(), gradients_.bytes());
}

void Parameters::round_weights()
{
    for (int place = 0; place < static_cast<int>(table().list.size()); ++place)
    {
        const Tensor values = matrix(place, master_, DType::f32);
        backend_.run(Convert{.from = values, .to = weight(place)});
        if (is_eight_bit(place))
        {
            backend_.run(Convert{.from = values, .to = forward_weight(place), .transposed = true});
        }
    }
}

void Parameters::update(Update update, bool fused)
{
    update.weights = formats().eight_bit ? nullptr : weights_.data();
    update.weight_type = formats().weight;
    update.master = master_.as<float>();
    update.gradients = gradients_.data();
    update.gradient_type = formats().gradient;
    update.momentum = momentum_.as<float>();
    update.variance = variance_.as<float>();
    update.elements = table().elements;
    update.decayed = table().decayed;
    if (fused)
    {
        backend_.run(update);
    }
    for (int place = 0; !fused && place < static_cast<int>(table().list.size()); ++place)
    {
        const Parameter& p = at(place);
        Update one = update;
        one.weights = update.weights ? matrix(place, weights_, formats().weight).data : nullptr;
        one.gradients = gradient(place).data;
        one.momentum += p.offset;
        one.variance = update.variance ? update.variance + p.offset : nullptr;
        one.master = update.master ? update.master + p.offset : nullptr;
        one.elements = p.elements();
        one.decayed = p.offset < table().decayed ? one.elements : 0;
        one.key = update.key + static_cast<std::uint64_t>(place);
        backend_.run(one);
    }
    if (formats().eight_bit)
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
