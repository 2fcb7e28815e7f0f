// What an engineer who has to find a fault would look at: loss curves, step times of ranks, collective logs,
// memory and utilisation over time, lanes of a trace. Made from a seed by simple rules that keep to what such
// faults do; nothing here was measured.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct EvidenceSeries
{
    std::string name;   // "loss"
    std::string y_unit; // "nats per token"
    std::vector<double> x;
    std::vector<double> y; // as many; not finite where there is nothing to draw, as after a NaN
    bool log_scale = false;
    bool lane = false; // of blocks, which begin at x and end at y
};

struct Evidence
{
    std::string kind;   // "loss"
    std::string x_unit; // "step"
    std::vector<EvidenceSeries> series;
    std::vector<std::string> lines; // of a log, instead of or beside the series
};

// The kinds there are, and the faults each can show: {"kind": "loss", "fault": "spike"}.
struct EvidenceKind
{
    std::string_view id;
    std::vector<std::string_view> faults; // empty: none to choose from
};
const std::vector<EvidenceKind>& evidence_kinds();

// Text of a log line or a text, its placeholders filled in.
using FillText = std::function<Result<std::string>(std::string_view)>;

// Faults: an unknown kind, fault or setting; paths are the settings. The same seed gives the same evidence.
Result<Evidence> make_evidence(const nlohmann::json& settings, std::uint64_t seed, const FillText& fill);

} // namespace ringside
