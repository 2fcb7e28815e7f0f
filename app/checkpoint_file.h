// A training that was saved, read with what it is known by.
#pragma once

#include "app/files.h"
#include "core/trainer/checkpoint.h"

namespace ringside
{

inline Result<std::string> read_checkpoint_text(const std::string& path)
{
    return read_text(path, FileKind{trainer::kMostCheckpointBytes, trainer::kCheckpointBegins,
                                    "use a file that `ringside train --save` has written"});
}

} // namespace ringside
