// The loops of the CPU backend, compiled once for each instruction set and chosen at run time. Each works on
// a part of an operation's rows or columns, so that threads can share it; none of them depends on how many
// do.
#pragma once

#include "core/lab/trainer/operations.h"

namespace ringside::trainer::cpu
{

// Rows or columns [begin, end) of an operation.
struct Part
{
    Index begin = 0;
    Index end = 0;
};

// A tile of a product's result.
struct Tile
{
    Part rows;
    Part cols;
};

// Whether A is read where it lies instead of being packed: floats, of which the next to be multiplied is no
// further away than a page. Each instruction set has its own.
static inline bool reads_in_place(const Product& p)
{
    constexpr Index kNear = 1024; // floats: 4 KiB
    return p.a.type == DType::f32 && (!p.a_transposed || p.a.stride <= kNear);
}

// Columns that are summed over all rows by one thread: enough for a cache line in every format.
inline constexpr Index kSumColumns = 32;
// Elements of one partial sum of squares.
inline constexpr Index kSumBlock = 16384;
// Query rows of attention that are worked on together.
inline constexpr Index kQueryRows = 64;

struct Kernels
{
    const char* name; // "AVX2"
    Index tile_rows;  // of the micro-kernel
    Index tile_cols;
    Index product_scratch; // floats that a thread needs for product()

    void (*product)(const Product& product, const Tile& tile, float* scratch);
    void (*embed)(const Embed& embed, Part rows);
    void (*embed_backward)(const EmbedBackward& embed, Part cols);
    void (*norm)(const NormForward& norm, Part rows);
    void (*norm_backward)(const NormBackward& norm, Part rows);
    void (*norm_parameters)(const NormBackward& norm, Part cols);
    void (*rope)(const Rope& rope, Part places); // in the sequence
    // `part` counts sequence x head x block of query rows.
    void (*attention)(const Attention& attention, Index part, float* scratch);
    // `part` counts sequence x key/value head.
    void (*attention_backward)(const AttentionBackward& attention, Index part, float* scratch);
    // Attention of a hop; blocks of query rows are counted piece by piece.
    void (*attention_hop)(const AttentionHop& hop, Index part, float* scratch);
    void (*attention_hop_backward)(const AttentionHopBackward& hop, Index part, float* scratch);
    void (*activation)(const Activation& activation, Part rows);
    void (*activation_backward)(const ActivationBackward& activation, Part rows);
    void (*route)(const Route& route, Index sequence);
    void (*route_backward)(const RouteBackward& route, Part rows);
    void (*dispatch)(const Dispatch& dispatch, Part rows); // of what is sent
    void (*combine)(const Combine& combine, Part rows);
    void (*cross_entropy)(const CrossEntropy& loss, Part rows);
    void (*logit_statistics)(const LogitStatistics& statistics, Part rows);
    void (*add)(const Add& add, Part rows);
    void (*sum_rows)(const SumRows& sum, Part cols);
    void (*convert)(const Convert& convert, Part rows); // of what is written
    void (*update)(const Update& update, Part elements);
    double (*sum_of_squares)(const void* data, DType type, Part elements);
    void (*count_exponents)(const Tensor& tensor, Part rows, Index step, std::int64_t* counts);
};

// Floats that a thread needs for attention of this shape.
Index attention_scratch(Index length, Index head_dim);

// Best for this processor, and all that run on it, slowest first.
const Kernels& best_kernels();
struct KernelList
{
    const Kernels* kernels[3]; // NOLINT(modernize-avoid-c-arrays): compiled three times, so no templates
    int count;
};
KernelList usable_kernels();

} // namespace ringside::trainer::cpu
