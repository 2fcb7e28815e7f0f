#include "core/reliability/reshard.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Place
{
    std::int64_t tensor = 0, data = 0, pipeline = 0;
};

Place place_of(const ShardLayout& l, std::int64_t rank)
{
    return {rank % l.tensor, rank / l.tensor % l.data, rank / l.tensor / l.data};
}

std::int64_t rank_of(const ShardLayout& l, const Place& p)
{
    return p.tensor + l.tensor * (p.data + l.data * p.pipeline);
}

// The cell of a tensor that a rank holds: tensor shards in order, each cut over data.
std::int64_t cell_of(const ShardLayout& l, const Place& p)
{
    return l.sharded ? p.tensor * l.data + p.data : p.tensor;
}

// Where cell `i` of `cells` begins in `n` elements.
std::int64_t bound(std::int64_t n, std::int64_t i, std::int64_t cells)
{
    return n / cells * i + n % cells * i / cells;
}

class Resharder
{
public:
    Resharder(const std::vector<std::int64_t>& units, const ShardLayout& from, const ShardLayout& to)
        : units_(units), from_(from), to_(to)
    {
    }

    Resharding run()
    {
        for (const std::int64_t n : units_)
        {
            result_.elements += n;
        }
        for (std::int64_t rank = 0; rank < to_.ranks(); ++rank)
        {
            received_ = 0;
            fill(rank);
            result_.most_received = std::max(result_.most_received, received_);
        }
        return std::move(result_);
    }

private:
    void fill(std::int64_t rank)
    {
        const Place place = place_of(to_, rank);
        const auto all = static_cast<std::int64_t>(units_.size());
        const auto [first, last] = units_of_stage(all, to_.pipeline, place.pipeline);
        for (std::int64_t stage = 0; stage < from_.pipeline; ++stage)
        {
            const auto [old_first, old_last] = units_of_stage(all, from_.pipeline, stage);
            const std::int64_t low = std::max(first, old_first);
            const std::int64_t high = std::min(last, old_last);
            if (low < high)
            {
                fill_units(rank, cell_of(to_, place), stage, low, high);
            }
        }
    }

    void fill_units(std::int64_t rank, std::int64_t cell, std::int64_t stage, std::int64_t first,
                    std::int64_t last)
    {
        const std::int64_t cells = to_.cells();
        const std::int64_t old_cells = from_.cells();
        // Old cells that overlap [cell, cell + 1) / cells.
        const std::int64_t begin = cell * old_cells / cells;
        const std::int64_t end = ((cell + 1) * old_cells + cells - 1) / cells;
        for (std::int64_t old = begin; old < end; ++old)
        {
            ShardPiece piece;
            piece.to = rank;
            piece.from = source(rank, old, stage);
            piece.first_unit = first;
            piece.last_unit = last;
            const auto share = [](std::int64_t i, std::int64_t n)
            { return static_cast<double>(i) / static_cast<double>(n); };
            piece.low = std::max(share(cell, cells), share(old, old_cells));
            piece.high = std::min(share(cell + 1, cells), share(old + 1, old_cells));
            for (std::int64_t u = first; u < last; ++u)
            {
                const std::int64_t n = units_[static_cast<std::size_t>(u)];
                const std::int64_t low = std::max(bound(n, cell, cells), bound(n, old, old_cells));
                const std::int64_t high = std::min(bound(n, cell + 1, cells), bound(n, old + 1, old_cells));
                piece.elements += std::max<std::int64_t>(0, high - low);
            }
            add(piece);
        }
    }

    std::int64_t source(std::int64_t rank, std::int64_t cell, std::int64_t stage) const
    {
        Place place;
        place.pipeline = stage;
        if (from_.sharded)
        {
            place.tensor = cell / from_.data;
            place.data = cell % from_.data;
            return rank_of(from_, place);
        }
        place.tensor = cell;
        const Place own = place_of(from_, rank);
        const bool has = rank < from_.ranks() && own.tensor == cell && own.pipeline == stage;
        place.data = has ? own.data : rank % from_.data;
        return rank_of(from_, place);
    }

    void add(const ShardPiece& piece)
    {
        if (piece.elements == 0)
        {
            return;
        }
        (piece.stays() ? result_.kept : result_.moved) += piece.elements;
        received_ += piece.stays() ? 0 : piece.elements;
        result_.pieces.push_back(piece);
    }

    const std::vector<std::int64_t>& units_;
    ShardLayout from_;
    ShardLayout to_;
    Resharding result_;
    std::int64_t received_ = 0;
};

} // namespace

std::vector<std::int64_t> reshard_units(const ParameterCount& count, std::int64_t layers)
{
    std::vector<std::int64_t> units{count.embedding};
    for (std::int64_t i = 0; i < layers; ++i)
    {
        units.push_back(bound(count.layers, i + 1, layers) - bound(count.layers, i, layers));
    }
    // The head and what belongs to neither: the last norm.
    units.push_back(count.total - count.embedding - count.layers);
    return units;
}

std::pair<std::int64_t, std::int64_t> units_of_stage(std::int64_t units, std::int64_t stages,
                                                     std::int64_t stage)
{
    const std::int64_t layers = std::max<std::int64_t>(0, units - 2);
    const std::int64_t first = stage == 0 ? 0 : 1 + bound(layers, stage, stages);
    const std::int64_t last = stage + 1 == stages ? units : 1 + bound(layers, stage + 1, stages);
    return {first, last};
}

Resharding reshard(const std::vector<std::int64_t>& units, const ShardLayout& from, const ShardLayout& to)
{
    return Resharder(units, from, to).run();
}

} // namespace ringside
