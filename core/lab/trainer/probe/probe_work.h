// The operations that a device is measured by, with the memory that they need.
#pragma once

#include "core/lab/config.h"
#include "core/lab/trainer/arena.h"

namespace ringside::trainer
{

class ProbeWork
{
public:
    // One call of it, again and again.
    struct Piece
    {
        std::vector<Block> memory;
        std::function<void()> work;
        double amount = 0; // FLOPs, or bytes read and written
        Index launches = 1;
    };

    // For a prepared configuration.
    ProbeWork(Backend& backend, const TrainerConfig& config)
        : backend_(backend), arena_(backend), model_(config.model), length_(config.training.sequence_length),
          tokens_(config.training.micro_batch * length_)
    {
    }

    // That has nothing to do.
    Piece nothing()
    {
        Piece piece;
        const Add one{.from = zeros(piece, DType::f32, 1, 1), .to = zeros(piece, DType::f32, 1, 1)};
        piece.work = [this, one] { backend_.run(one); };
        return piece;
    }
    Piece product(DType type, Index m, Index n, Index k)
    {
        Piece piece;
        const Product product{
            .a = zeros(piece, type, m, k), .b = zeros(piece, type, k, n), .c = zeros(piece, type, m, n)};
        piece.work = [this, product] { backend_.run(product); };
        piece.amount = 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        return piece;
    }
    // The products of the model's MLP: forward, and the gradients of its input and of its weights, transposed
    // as there.
    Piece layer(DType type, bool subgroups = false)
    {
        Piece piece;
        const Tensor x = zeros(piece, type, tokens_, model_.hidden);
        const Tensor w = zeros(piece, type, model_.hidden, model_.ffn);
        const Tensor y = zeros(piece, type, tokens_, model_.ffn);
        piece.work = [this, x, w, y, subgroups]
        {
            backend_.use_subgroups({.products = subgroups});
            backend_.run(Product{.a = x, .b = w, .c = y});
            backend_.run(Product{.a = y, .b = w, .c = x, .b_transposed = true});
            backend_.run(Product{.a = x, .b = y, .c = w, .a_transposed = true, .accumulate = true});
        };
        piece.amount = 6 * static_cast<double>(tokens_ * model_.hidden * model_.ffn);
        piece.launches = 3;
        return piece;
    }
    // As the model has it, forward and backward, masked scores not counted. The backward makes them again and
    // has four products of their size, so 2.5 times the forward's FLOPs (Dao, arXiv 2307.08691, section 3.1).
    Piece attention(DType type, bool subgroups = false)
    {
        const Index width = model_.hidden / model_.heads;
        const Index qkv_width = (model_.heads + 2 * model_.kv_heads) * width;
        Piece piece;
        const Attention attention{
            .qkv = zeros(piece, type, tokens_, qkv_width),
            .out = zeros(piece, type, tokens_, model_.hidden),
            .log_sums = static_cast<float*>(zeros(piece, DType::f32, tokens_, model_.heads).data),
            .length = length_,
            .heads = model_.heads,
            .kv_heads = model_.kv_heads,
            .head_dim = width};
        const AttentionBackward backward{.forward = attention,
                                         .gradient = zeros(piece, type, tokens_, model_.hidden),
                                         .dqkv = zeros(piece, type, tokens_, qkv_width)};
        piece.work = [this, attention, backward, subgroups]
        {
            backend_.use_subgroups({.attention = subgroups});
            backend_.run(attention);
            backend_.run(backward);
        };
        piece.amount = 3.5 * 2 * static_cast<double>(tokens_ * length_ * model_.hidden);
        piece.launches = 3;
        return piece;
    }
    Piece copy(Index bytes)
    {
        Piece piece;
        void* from = zeros(piece, DType::f32, 1, bytes / bytes_of(DType::f32)).data;
        void* to = zeros(piece, DType::f32, 1, bytes / bytes_of(DType::f32)).data;
        piece.work = [this, from, to, bytes] { backend_.copy(to, from, bytes); };
        piece.amount = 2 * static_cast<double>(bytes);
        return piece;
    }
    // A float to be read when all before it is done.
    Block flag() { return arena_.take(4, Component::buffers); }

private:
    Tensor zeros(Piece& piece, DType type, Index rows, Index cols)
    {
        Block& block =
            piece.memory.emplace_back(arena_.take(rows * cols * bytes_of(type), Component::buffers));
        backend_.clear(block.data(), block.bytes());
        return tensor(block.data(), type, rows, cols);
    }

    Backend& backend_;
    Arena arena_;
    Model model_;
    Index length_;
    Index tokens_;
};

} // namespace ringside::trainer
