// The columns of a layout search's rows, for the window, the command's text, CSV and JSON.
#pragma once

#include "core/base/names.h"
#include "core/base/text/data_column.h"
#include "core/planner/search/layout_search.h"

#include <span>
#include <string>
#include <vector>

namespace ringside
{

enum class CandidateColumn : std::uint8_t
{
    gpus,
    tensor,
    sequence_parallel,
    context,
    pipeline,
    chunks,
    expert,
    expert_tensor,
    data,
    zero,
    micro,
    recompute_layers,
    batch,
    sequence,
    recompute,
    schedule,
    memory,
    bubble,
    mfu,
    step,
    step_low,
    step_high,
    verdict,
    pace,
    cost
};
template <>
inline constexpr auto kNamesOf<CandidateColumn> = names<CandidateColumn>(
    "gpus", "tensor", "sequence_parallel", "context", "pipeline", "chunks", "expert", "expert_tensor", "data",
    "zero", "micro", "recompute_layers", "batch", "sequence", "recompute", "schedule", "memory", "bubble",
    "mfu", "step", "step_low", "step_high", "verdict", "pace", "cost");

// All of them, by CandidateColumn: from left to right.
std::span<const DataColumn<Candidate>> candidate_columns();
const DataColumn<Candidate>& info_of(CandidateColumn column);
// The columns with a heading in which these rows may differ under these limits, from left to right.
std::vector<CandidateColumn> shown_columns(std::span<const Candidate> rows, const SearchLimits& limits);
// The column that rows are ranked by.
CandidateColumn ranked_by(const SearchLimits& limits);

// "1F1B", "Interleaved, VPP 4"; a dash for one stage.
std::string schedule_words(const Layout& layout);

} // namespace ringside
