// A report as a document of JSON, "ringside.report/1".
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"
#include "core/evaluate/report.h"

namespace ringside
{

// Bytes and counts are whole numbers, "memory.fits" is true or false.
nlohmann::json metric_value(const Metric& metric, const Scenario& scenario, const Report& report);

nlohmann::json report_json(const Scenario& scenario, const Report& report, const Issues& warnings);

// Issues as a list of {path, message, hint}.
nlohmann::json issues_json(const Issues& issues);

} // namespace ringside
