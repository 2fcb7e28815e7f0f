// Attention round a ring against attention in one place, on any backend: every rank's pieces, hop after hop,
// forward and backward.
#pragma once

#include "core/base/random.h"
#include "core/lab/trainer/backend.h"
#include "core/lab/trainer/network/piece.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::test
{

using Numbers = std::vector<float>;
using trainer::Backend;
using trainer::Cut;
using trainer::Index;

struct RingSizes
{
    Index sequences = 2;
    Index length = 24; // of a whole sequence
    Index heads = 4;
    Index kv_heads = 2;
    Index head_dim = 6;

    Index width() const { return heads * head_dim; }
    Index kv_width() const { return 2 * kv_heads * head_dim; }
    Index rows() const { return sequences * length; }
};

inline Numbers random_numbers(Index count, std::uint64_t key)
{
    Numbers all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        all[i] = static_cast<float>(2 * random_unit(key, i) - 1);
    }
    return all;
}

// Numbers in a backend's memory.
class Room
{
public:
    Room(Backend& backend, const Numbers& numbers, Index cols)
        : backend_(backend), count_(static_cast<Index>(numbers.size())), data_(backend.allocate(count_ * 4)),
          tensor_(trainer::tensor(data_, trainer::DType::f32, count_ / cols, cols))
    {
        backend_.upload(data_, numbers.data(), count_ * 4);
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { backend_.release(data_); }

    operator const trainer::Tensor&() const { return tensor_; } // NOLINT(google-explicit-constructor)
    float* floats() const { return static_cast<float*>(data_); }
    Numbers read() const
    {
        backend_.wait();
        Numbers numbers(static_cast<std::size_t>(count_));
        backend_.download(numbers.data(), data_, count_ * 4);
        return numbers;
    }

private:
    Backend& backend_;
    Index count_;
    void* data_;
    trainer::Tensor tensor_;
};

// Everything of whole sequences, or of one rank's pieces of them.
struct Whole
{
    Numbers qkv;
    Numbers gradient;
    Numbers out;
    Numbers dqkv;
};

inline Whole in_one_place(Backend& backend, const RingSizes& s)
{
    const Index cols = s.width() + s.kv_width();
    Whole w{random_numbers(s.rows() * cols, 1), random_numbers(s.rows() * s.width(), 2), {}, {}};
    const Room qkv(backend, w.qkv, cols);
    const Room gradient(backend, w.gradient, s.width());
    const Room out(backend, w.gradient, s.width());
    const Room dqkv(backend, w.qkv, cols);
    const Room log_sums(backend, random_numbers(s.rows() * s.heads, 3), s.heads);
    const trainer::Attention a{.qkv = qkv,
                               .out = out,
                               .log_sums = log_sums.floats(),
                               .length = s.length,
                               .heads = s.heads,
                               .kv_heads = s.kv_heads,
                               .head_dim = s.head_dim};
    backend.run(a);
    backend.run(trainer::AttentionBackward{.forward = a, .gradient = gradient, .dqkv = dqkv});
    w.out = out.read();
    w.dqkv = dqkv.read();
    return w;
}

// The rows of `all` that a rank has, columns [first, first + count).
inline Numbers part_of(const Numbers& all, const RingSizes& s, Index cols, const Cut& cut, Index own,
                       Index first, Index count)
{
    Numbers part;
    for (Index row = 0; row < s.sequences * own; ++row)
    {
        const Index place = row / own * s.length + cut.place(row % own, own);
        const auto from = all.begin() + place * cols + first;
        part.insert(part.end(), from, from + count);
    }
    return part;
}

inline double furthest(const Numbers& a, const Numbers& b)
{
    double most = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    {
        most = std::max(most, static_cast<double>(std::abs(a[i] - b[i])));
    }
    return most;
}

// All ranks of the ring, one after the other, each with the keys of all in the order in which they come.
inline void check_ring(Backend& backend, const RingSizes& s, Index ranks)
{
    const Whole whole = in_one_place(backend, s);
    const Index own = s.length / ranks;
    const Index cols = s.width() + s.kv_width();
    const auto pieces = [&](const Numbers& all, Index rank, Index width, Index first, Index count)
    { return part_of(all, s, width, trainer::cut_of(ranks, rank, own), own, first, count); };
    const auto zeros = [&](Index width)
    { return Numbers(static_cast<std::size_t>(s.sequences * own * width)); };
    std::vector<std::unique_ptr<Room>> dkeys;
    for (Index rank = 0; rank < ranks; ++rank)
    {
        dkeys.push_back(std::make_unique<Room>(backend, zeros(s.kv_width()), s.kv_width()));
    }
    for (Index rank = 0; rank < ranks; ++rank)
    {
        INFO("rank " << rank << " of " << ranks);
        const Room query(backend, pieces(whole.qkv, rank, cols, 0, s.width()), s.width());
        const Room gradient(backend, pieces(whole.gradient, rank, s.width(), 0, s.width()), s.width());
        const Room out(backend, random_numbers(s.sequences * own * s.width(), 4), s.width()); // overwritten
        const Room dquery(backend, zeros(s.width()), s.width());
        const Room log_sums(backend, random_numbers(s.sequences * own * s.heads, 5), s.heads);
        std::vector<std::unique_ptr<Room>> keys;
        std::vector<trainer::AttentionHop> hops;
        for (Index hop = 0; hop < ranks; ++hop)
        {
            const Index whose = (rank + ranks - hop) % ranks;
            keys.push_back(std::make_unique<Room>(
                backend, pieces(whole.qkv, whose, cols, s.width(), s.kv_width()), s.kv_width()));
            hops.push_back({.query = query,
                            .key_value = *keys.back(),
                            .out = out,
                            .log_sums = log_sums.floats(),
                            .begins = hop == 0,
                            .queries = trainer::cut_of(ranks, rank, own),
                            .keys = trainer::cut_of(ranks, whose, own),
                            .length = own,
                            .heads = s.heads,
                            .kv_heads = s.kv_heads,
                            .head_dim = s.head_dim});
            backend.run(hops.back());
        }
        CHECK(furthest(out.read(), pieces(whole.out, rank, s.width(), 0, s.width())) < 2e-6);
        for (Index hop = 0; hop < ranks; ++hop)
        {
            const auto whose = static_cast<std::size_t>((rank + ranks - hop) % ranks);
            backend.run(trainer::AttentionHopBackward{.forward = hops[static_cast<std::size_t>(hop)],
                                                      .gradient = gradient,
                                                      .dquery = dquery,
                                                      .dkey_value = *dkeys[whose]});
        }
        CHECK(furthest(dquery.read(), pieces(whole.dqkv, rank, cols, 0, s.width())) < 1e-5);
    }
    for (Index rank = 0; rank < ranks; ++rank)
    {
        INFO("keys of rank " << rank << " of " << ranks);
        CHECK(furthest(dkeys[static_cast<std::size_t>(rank)]->read(),
                       pieces(whole.dqkv, rank, cols, s.width(), s.kv_width())) < 1e-5);
    }
}

} // namespace ringside::test
