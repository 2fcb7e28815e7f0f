// The model's weights with their gradients and optimizer state, each in one piece of memory: matrices first,
// then vectors, so that weight decay ends at one place.
#pragma once

#include "core/lab/config.h"
#include "core/lab/trainer/arena.h"
#include "core/lab/trainer/network/piece.h"

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
    bool expert = false;  // of a routed expert: only ranks with the same experts have copies
    double deviation = 0; // of its first values; 0: all are `start`
    double start = 0;

    // Where it lies in the whole model's parameter of the same name.
    struct Columns
    {
        Index first = 0;
        Index count = 0;
    };
    Index whole_offset = 0;
    Index whole_rows = 0;
    Index whole_cols = 0;
    Index first_row = 0;
    std::vector<Columns> columns = {}; // side by side here; [query, key, value] of this part's heads

    Index elements() const { return rows * cols; }
    bool split() const { return rows != whole_rows || cols != whole_cols; }
    // Calls with (element here, element of the whole model, count) for each run of neighbours.
    template <class Run>
    void each_run(const Run& run) const
    {
        for (Index row = 0; row < rows; ++row)
        {
            Index col = 0;
            for (const Columns& part : columns)
            {
                run(offset + row * cols + col, whole_offset + (first_row + row) * whole_cols + part.first,
                    part.count);
                col += part.count;
            }
        }
    }
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
    // In place of the MLP. Of experts the first one's; the others' follow.
    int router = -1;
    int router_bias = -1;
    int expert_up = -1;
    int expert_down = -1;
    int expert_up_bias = -1;
    int expert_down_bias = -1;
};

struct ParameterTable
{
    explicit ParameterTable(const Model& model);
    ParameterTable(const Model& whole, const Piece& piece);

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

// The first values of a parameter: a bell of its deviation, or its start. The same for an element on any rank
// that has it. `values` is where element 0 of the table goes.
void first_values(const Parameter& parameter, std::uint64_t seed, float* values);

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

// Where a network finds its weights and leaves their gradients.
class ParameterStore
{
public:
    ParameterStore(ParameterTable table, Formats formats) : table_(std::move(table)), formats_(formats) {}
    ParameterStore(const ParameterStore&) = delete;
    ParameterStore& operator=(const ParameterStore&) = delete;
    virtual ~ParameterStore() = default;

    const ParameterTable& table() const { return table_; }
    const Formats& formats() const { return formats_; }
    bool is_eight_bit(int place) const { return formats_.eight_bit && at(place).block; }

    // As a matrix product of the forward reads it ([in, out], or [out, in] in 8 bits), and of the backward
    // ([in, out]).
    virtual Tensor weight(int place) const = 0;
    virtual Tensor forward_weight(int place) const { return weight(place); }
    virtual Tensor gradient(int place) const = 0;

protected:
    const Parameter& at(int place) const { return table_.list[static_cast<std::size_t>(place)]; }

private:
    ParameterTable table_;
    Formats formats_;
};

class Parameters final : public ParameterStore
{
public:
    Parameters(const TrainerConfig& config, Backend& backend, Arena& arena);

    Tensor weight(int place) const override;
    Tensor forward_weight(int place) const override;
    Tensor gradient(int place) const override;

    // First values from the seed: a bell of deviation 0.02, less for what is added to the residual (GPT-2).
    void initialise(std::uint64_t seed);
    void clear_gradients();
    // Fills in the parts of an update that belong to the parameters and runs it, in one kernel or with one
    // for each tensor.
    void update(Update update, bool fused);
    // Weights in the training's own formats from the master copy.
    void round_weights();

    // Everything that makes a step come out the same: weights, master copy, moments.
    struct Part
    {
        std::string name; // "momentum"
        void* data;
        Index bytes;

        Index size() const { return bytes; }
    };
    std::vector<Part> parts();

private:
    Tensor matrix(int place, const Block& block, DType type) const;

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
