// The model's weights with their gradients and optimizer state, each in one piece of memory: matrices first,
// then vectors, so that weight decay ends at one place.
#pragma once

#include "core/lab/config.h"
#include "core/trainer/arena.h"

#include <string>
#include <vector>

namespace ringside::trainer
{

struct Parameter
{
    std::string name;     // "layer 3: query, key, value"
    Index rows = 0;       // inputs
    Index cols = 0;       // outputs; a vector has one row
    Index offset = 0;     // in elements
    bool block = false;   // a matrix of a layer: 8 bits in fp8 training
    double deviation = 0; // of its first values; 0: all are `start`
    double start = 0;

    Index elements() const { return rows * cols; }
};

// Places in the list of parameters; -1: the model has none.
struct LayerPlaces
{
    int qkv = -1;
    int out = -1;
    int up = -1; // gate and up side by side in a gated MLP
    int down = -1;
    int qkv_bias = -1;
    int out_bias = -1;
    int up_bias = -1;
    int down_bias = -1;
    int gain1 = -1;
    int bias1 = -1;
    int gain2 = -1;
    int bias2 = -1;
};

struct ParameterTable
{
    explicit ParameterTable(const Model& model);

    std::vector<Parameter> list;
    std::vector<LayerPlaces> layers;
    int embedding = -1;
    int positions = -1;
    int final_gain = -1;
    int final_bias = -1;
    int head = -1; // the embedding where they are tied
    Index elements = 0;
    Index decayed = 0; // elements of matrices
};

// The formats of a training.
struct Formats
{
    explicit Formats(const TrainerConfig& config);

    DType activation = DType::f32; // kept activations and their gradients
    DType input = DType::f32;      // inputs of products in layers
    DType weight = DType::f32;
    DType gradient = DType::f32; // of weights
    bool eight_bit = false;      // matrices of layers as 8-bit copies, one by row and one by column
    bool master = false;
    bool variance = false;
};

class Parameters
{
public:
    Parameters(const TrainerConfig& config, Backend& backend, Arena& arena);

    const ParameterTable& table() const { return table_; }
    const Formats& formats() const { return formats_; }

    // As a matrix product of the forward reads it ([in, out], or [out, in] in 8 bits), and of the backward
    // ([in, out]).
    Tensor weight(int place) const;
    Tensor forward_weight(int place) const;
    Tensor gradient(int place) const;
    bool is_eight_bit(int place) const { return formats_.eight_bit && at(place).block; }

    // First values from the seed: a bell of deviation 0.02, less for what is added to the residual (GPT-2).
    void initialise(std::uint64_t seed);
    void clear_gradients();
    // Fills in the parts of an update that belong to the parameters and runs it.
    void update(Update update);

    // Everything that makes a step come out the same: weights, master copy, moments.
    struct Part
    {
        std::string name; // "momentum"
        void* data;
        Index bytes;
    };
    std::vector<Part> parts();

private:
    const Parameter& at(int place) const { return table_.list[static_cast<std::size_t>(place)]; }
    Tensor values(int place) const; // the fp32 values that 8-bit copies are made of
    void round_weights();

    ParameterTable table_;
    Formats formats_;
    Backend& backend_;
    Block weights_;
    Block gradients_;
    Block master_;
    Block momentum_;
    Block variance_;
    Block scales_; // of 8-bit copies: rows of all matrices, then their columns
    std::vector<Index> scale_offsets_;
};

} // namespace ringside::trainer
