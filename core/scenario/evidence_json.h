// The JSON of evidence: kinds of measured runs in assets/measured/bands.json and in a software of one's own.
#pragma once

#include "core/base/json/json_table.h"
#include "core/scenario/evidence.h"

namespace ringside
{

extern const JsonTable<MeasuredKind> measured_kind_table;

} // namespace ringside
