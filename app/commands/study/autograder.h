// The folder that Gradescope runs (gradescope-autograders.readthedocs.io, "Specifications"): setup.sh,
// run_autograder, the assignment, this program with the libraries it is using, and its data. It needs nothing
// of the image but a shell and the kernel.
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace ringside
{

// Into a folder that is not there yet or is empty.
Issues pack_autograder(const std::filesystem::path& assignment, const std::filesystem::path& assets,
                       const std::filesystem::path& folder);

} // namespace ringside
