#include "core/parallelism/context/ring_attention.h"

#include "core/base/index.h"
#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

bool sees(const RingAttentionOptions& o, std::int64_t query, std::int64_t key)
{
    return !o.causal || key <= query;
}

RunningSoftmax nothing(std::int64_t width)
{
    return {-std::numeric_limits<float>::infinity(), 0, std::vector<float>(at(width), 0)};
}

} // namespace

std::int64_t holder(const RingAttentionOptions& o, std::int64_t position)
{
    switch (o.spread)
    {
    case Spread::contiguous:
        return position / (o.tokens / o.ranks);
    case Spread::striped:
        return position % o.ranks;
    case Spread::zigzag:
        break;
    }
    const std::int64_t part = position / (o.tokens / (2 * o.ranks));
    return std::min(part, 2 * o.ranks - 1 - part);
}

std::vector<std::int64_t> tokens_of(const RingAttentionOptions& o, std::int64_t rank)
{
    std::vector<std::int64_t> mine;
    for (std::int64_t i = 0; i < o.tokens; ++i)
    {
        if (holder(o, i) == rank)
        {
            mine.push_back(i);
        }
    }
    return mine;
}

std::int64_t visitor(std::int64_t ranks, std::int64_t rank, std::int64_t hop)
{
    assert(ranks > 0 && rank >= 0 && rank < ranks);
    return ((rank - hop) % ranks + ranks) % ranks;
}

std::int64_t scores_in(const RingAttentionOptions& o, std::int64_t rank, std::int64_t hop)
{
    assert(rank >= 0 && rank < o.ranks && hop >= 0 && hop < o.ranks);
    const auto queries = tokens_of(o, rank);
    const auto keys = tokens_of(o, visitor(o.ranks, rank, hop));
    std::int64_t sum = 0;
    for (const std::int64_t q : queries)
    {
        sum += std::count_if(keys.begin(), keys.end(), [&](std::int64_t k) { return sees(o, q, k); });
    }
    return sum;
}

std::int64_t scores_in_lockstep(const RingAttentionOptions& o)
{
    std::int64_t sum = 0;
    for (std::int64_t hop = 0; hop < o.ranks; ++hop)
    {
        const std::int64_t most =
            largest_over<std::int64_t>(o.ranks, [&](std::int64_t rank) { return scores_in(o, rank, hop); });
        sum += most;
    }
    return sum;
}

double imbalance(const RingAttentionOptions& o)
{
    const auto n = static_cast<double>(o.tokens);
    const double all = o.causal ? n * (n + 1) / 2 : n * n;
    return static_cast<double>(scores_in_lockstep(o) * o.ranks) / all;
}

void RunningSoftmax::merge(const RunningSoftmax& block)
{
    if (block.sum == 0)
    {
        return;
    }
    assert(block.out.size() == out.size());
    const float largest = std::max(max, block.max);
    const float mine = sum == 0 ? 0 : std::exp(max - largest);
    const float theirs = std::exp(block.max - largest);
    for (std::size_t i = 0; i < out.size(); ++i)
    {
        out[i] = out[i] * mine + block.out[i] * theirs;
    }
    sum = sum * mine + block.sum * theirs;
    max = largest;
}

RingAttention::RingAttention(const RingAttentionOptions& options) : options_(options)
{
    SplitMix random(options.seed);
    for (auto* values : {&q_, &k_, &v_})
    {
        values->resize(at(options.tokens * options.width));
        for (float& x : *values)
        {
            // Two digits, as they are shown.
            x = static_cast<float>(std::round(random.normal() * 100) / 100);
        }
    }
    run();
}

float RingAttention::score(std::int64_t query, std::int64_t key) const
{
    const float sum =
        sum_over<float>(options_.width, [&](std::int64_t i)
                        { return q_[at(query * options_.width + i)] * k_[at(key * options_.width + i)]; });
    return sum / std::sqrt(static_cast<float>(options_.width));
}

RunningSoftmax RingAttention::block(std::int64_t query, std::int64_t owner) const
{
    RunningSoftmax done = nothing(options_.width);
    std::vector<std::int64_t> keys;
    for (std::int64_t k = 0; k < options_.tokens; ++k)
    {
        if ((owner < 0 || holder(options_, k) == owner) && sees(options_, query, k))
        {
            keys.push_back(k);
            done.max = std::max(done.max, score(query, k));
        }
    }
    for (const std::int64_t k : keys)
    {
        const float weight = std::exp(score(query, k) - done.max);
        done.sum += weight;
        for (std::int64_t i = 0; i < options_.width; ++i)
        {
            done.out[at(i)] += weight * v_[at(k * options_.width + i)];
        }
    }
    return done;
}

void RingAttention::run()
{
    for (std::int64_t q = 0; q < options_.tokens; ++q)
    {
        std::vector<RunningSoftmax> states{nothing(options_.width)};
        for (std::int64_t hop = 0; hop < options_.ranks; ++hop)
        {
            RunningSoftmax next = states.back();
            next.merge(block(q, visitor(options_.ranks, holder(options_, q), hop)));
            states.push_back(std::move(next));
        }
        state_.push_back(std::move(states));
        const RunningSoftmax all = block(q, -1);
        std::vector<float> result;
        for (std::size_t i = 0; i < all.out.size(); ++i)
        {
            result.push_back(all.result(i));
        }
        whole_.push_back(std::move(result));
    }
}

const RunningSoftmax& RingAttention::state(std::int64_t position, std::int64_t blocks) const
{
    return state_[at(position)][at(blocks)];
}

const std::vector<float>& RingAttention::whole(std::int64_t position) const
{
    return whole_[at(position)];
}

double RingAttention::difference() const
{
    double most = 0;
    for (std::size_t q = 0; q < whole_.size(); ++q)
    {
        for (std::size_t i = 0; i < whole_[q].size(); ++i)
        {
            const float d = state_[q].back().result(i) - whole_[q][i];
            most = std::max(most, static_cast<double>(std::abs(d)));
        }
    }
    return most;
}

} // namespace ringside
