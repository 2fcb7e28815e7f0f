// A training that was saved, read with what it is known by.
#pragma once

#include "app/files/files.h"
#include "core/lab/trainer/checkpoint.h"

namespace ringside
{

inline Result<std::string> read_checkpoint_text(const std::string& path)
{
    return read_text(path, FileKind{trainer::kMostCheckpointBytes, trainer::kCheckpointBegins,
                                    "use a file that `ringside train --save` has written"});
}

// Asked before the first step, or a file that cannot be would cost the run. Nothing to say of an empty name.
inline Issues check_can_save_checkpoint(const std::string& path)
{
    if (is_standard_output(path))
    {
        return {{"--save", path + " is standard output, where the steps are printed", "give a file"}};
    }
    return path.empty() ? Issues{} : check_can_save(path);
}

} // namespace ringside
