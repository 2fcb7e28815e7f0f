// Cases (schema ringside.cases/1): scenarios with published or measured figures, and how far we
// are off.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"
#include "core/scenario/presets.h"

#include <map>

namespace ringside
{

struct CaseRow
{
    std::string name;
    std::string metric;
    double expected = 0;
    double got = 0;
    double error = 0;     // (got - expected) / expected; got - expected where 0 is expected
    bool relative = true; // false where 0 is expected and something else got: no share of 0 says how far off
    bool within = true;   // of the tolerance, where one is given
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

// Summarizes relative errors with their signs; at least one.
ErrorSummary summarize(std::vector<double> errors);

struct CasesReport
{
    std::vector<CaseRow> rows;
    std::map<std::string, ErrorSummary> metrics; // of relative errors; those with none are left out
    bool all_within = true;
};

Result<CasesReport> run_cases(const nlohmann::json& cases, const Presets& presets);
nlohmann::json to_json(const CasesReport& report);

// 0.125 -> "12.50%", or "+12.50%" with its sign; "1.25e+08%" where digits would fill the line.
std::string percent_text(double fraction, int digits = 2);
std::string signed_percent_text(double fraction, int digits = 2);
// How far off a row is: "+12.50%", or "+0.0512 (from 0)" where 0 is expected.
std::string error_text(const CaseRow& row, int digits = 2);

} // namespace ringside
