// Explains, term by term, what memory.h computed; the numbers are its own.
#pragma once

#include "core/base/text/term.h"
#include "core/memory/memory.h"

#include <vector>

namespace ringside
{

// One part of one stage. `stage` counts from 0 and must be in the report. An offloaded part is 0, "on the
// host".
Term explain(const Scenario& scenario, const MemoryReport& memory, std::size_t stage, Component component);
// The sum of the parts, in GB.
Term explain_total(const MemoryReport& memory, std::size_t stage);
// What the buffers of a stage consist of; parts that are 0 are left out.
std::vector<Term> explain_buffers(const Scenario& scenario, const MemoryReport& memory, std::size_t stage);

} // namespace ringside
