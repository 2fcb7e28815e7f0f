// Cases (schema ringside.cases/1): scenarios with the figures somebody published or measured, and how far we
// are off.
#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <map>

namespace ringside
{

struct CaseRow
{
    std::string name;
    std::string metric;
    double expected = 0;
    double got = 0;
    double error = 0;   // (got - expected) / expected; got - expected where 0 is expected
    bool within = true; // of the tolerance, where one is given
};

struct ErrorSummary
{
    std::int64_t n = 0;
    double mean = 0; // mean, median, p90 and max of absolute values
    double median = 0;
    double p90 = 0;
    double max = 0;
    double signed_mean = 0;
};

// Of relative errors with their signs; at least one.
ErrorSummary summarize(std::vector<double> errors);

struct CasesReport
{
    std::vector<CaseRow> rows;
    std::map<std::string, ErrorSummary> metrics;
    bool all_within = true;
};

Result<CasesReport> run_cases(const nlohmann::json& cases, const Presets& presets);
nlohmann::json to_json(const CasesReport& report);

} // namespace ringside
