// The pictures of the checkpoint view: what it holds, ticked or left out; the loss of a small run resumed
// from it; its shards on their way from the ranks of one layout to those of another.
#pragma once

#include "core/reliability/checkpoint.h"
#include "core/reliability/reshard.h"
#include "core/reliability/resume.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

using Held = std::array<bool, kCheckpointParts>;

// The part whose tick was pressed.
std::optional<CheckpointPart> draw_checklist(const Painter& painter, Rect area, const CheckpointSize& size,
                                             const Held& held);
// The run that was never interrupted, and the resumed one where they differ.
void draw_resume(const Painter& painter, Rect area, const ResumeRun& whole, const ResumeRun& resumed,
                 const Held& held);
// The names of what is left out: "variance and step"; empty when nothing is.
std::string missing_words(const Held& held);

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
