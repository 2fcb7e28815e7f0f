// Files of a training run as the engine reads them: opened here, a piece at a time.
#pragma once

#include "core/base/result.h"
#include "core/runs/run.h"

#include <string>
#include <vector>

namespace ringside
{

// Reads files and folders by name, at most 4,096 of them; those in a folder's folders not. Faults: what
// cannot be opened.
Result<std::vector<RunFile>> run_files(const std::vector<std::string>& names);
// Whether one of them is a log, a trace, a snapshot, a dump or a table of a run, by its beginning.
bool is_of_run(const std::vector<RunFile>& files);

} // namespace ringside
