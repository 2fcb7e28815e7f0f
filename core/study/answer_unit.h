// The unit behind a typed number. Inside of answer.h.
#pragma once

#include "core/base/result.h"
#include "core/study/quantity.h"

#include <string>
#include <string_view>

namespace ringside
{

struct TypedUnit
{
    double scale = 1;  // of one, in what is asked: 1e12 for TB, 1e9 for "B" of parameters
    std::string name;  // "TB", as it is written properly; empty for a plain number
    bool plain = true; // no unit, or one that says nothing: "16 steps"
    bool percent = false;
};

// Faults: a unit of another kind, or none that is known.
Result<TypedUnit> read_unit(std::string_view text, const StudyUnit& asked);

} // namespace ringside
