// The shards of a checkpoint on their way from the ranks of one layout to those of another.
#pragma once

#include "core/reliability/reshard.h"
#include "ui/draw/painter.h"

namespace ringside
{

struct ShardMove
{
    const Resharding& result;
    ShardLayout whole; // what `from` shows, or shows a part of
    ShardLayout from;
    ShardLayout to;
    std::int64_t units = 0;
    double bytes_each = 0; // an element's
};

// `share` of the way, 0 to 1.
void draw_reshard(const Painter& painter, Rect area, const ShardMove& move, double share);

} // namespace ringside
