// The shards of a checkpoint on their way from the ranks of one layout to those of another.
#pragma once

#include "core/engine/reshard.h"
#include "ui/widgets/painter.h"

namespace ringside
{

// `share` of the way, 0 to 1. `whole` is the layout that `from` shows, or shows a part of.
void draw_reshard(const Painter& painter, Rect area, const Resharding& result, const ShardLayout& whole,
                  const ShardLayout& from, const ShardLayout& to, std::int64_t units, double share,
                  double bytes_each);

} // namespace ringside
