#include "core/evaluate/serving_accuracy.h"

#include <fmt/format.h>

#include "core/base/index.h"
#include "core/base/ranges.h"
#include "core/base/text/find_by.h"
#include "core/evaluate/case_check.h"
#include "core/scenario/json/json.h"
#include "core/scenario/serving_fields.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr std::array<std::string_view, kServingMeasures> kMeasured{
    "serving.tpot_mean_s", "serving.ttft_mean_s", "serving.output_tokens_per_s_per_gpu"};
constexpr std::array<double, kServingMeasures> kMeasureWeights{1, 0.5, 1};
constexpr double kMostLog = 1; // of one row, so that no outlier leads
constexpr double kTail = 0.1;

// A constant that is fitted: where the descent begins and what it may become. Starts and ranges are what
// kernels, links and hosts were measured to do elsewhere, so that a constant which no row of the fit tells
// apart stays possible.
struct FittedConstant
{
    double ServingEngine::*member;
    double start;
    double least;
    double most;
};

constexpr std::array kFitted{
    FittedConstant{&ServingEngine::kernel_us, 3.5, 1.5, 8},
    FittedConstant{&ServingEngine::eager_kernel_us, 40, 10, 120},
    FittedConstant{&ServingEngine::reduce_us, 8, 4, 30},
    FittedConstant{&ServingEngine::step_us, 300, 50, 3000},
    FittedConstant{&ServingEngine::request_us, 8, 2, 30},
    FittedConstant{&ServingEngine::weight_bandwidth, 0.85, 0.7, 0.98},
    FittedConstant{&ServingEngine::kv_bandwidth, 0.85, 0.4, 0.95},
    FittedConstant{&ServingEngine::kv8_bandwidth, 0.6, 0.3, 0.95},
    FittedConstant{&ServingEngine::kv_start_us, 10, 1, 100},
    FittedConstant{&ServingEngine::products, 0.65, 0.4, 0.85},
    FittedConstant{&ServingEngine::grouped, 0.5, 0.15, 1},
    FittedConstant{&ServingEngine::grouped_rows, 16, 1, 128},
    FittedConstant{&ServingEngine::grouped_width, 500, 20, 8000},
    FittedConstant{&ServingEngine::expert_spread, 0.5, 0.05, 4},
    FittedConstant{&ServingEngine::widened, 0.6, 0.2, 1},
    FittedConstant{&ServingEngine::attention, 0.45, 0.15, 0.9},
    FittedConstant{&ServingEngine::link, 0.7, 0.3, 0.9},
    FittedConstant{&ServingEngine::prompt_ms, 5, 1, 30},
    FittedConstant{&ServingEngine::token_us, 4, 0.5, 15},
};

const Field<ServingEngine>& field_of(double ServingEngine::*member)
{
    const auto fields = fields_of(ServingEngine{});
    return *std::ranges::find_if(fields,
                                 [&](const Field<ServingEngine>& f)
                                 {
                                     const auto* own = std::get_if<double ServingEngine::*>(&f.member);
                                     return own != nullptr && *own == member;
                                 });
}

Scenario with_constants(const Scenario& scenario, const ServingEngine& constants, bool shorter)
{
    constexpr std::int64_t kFewRequests = 1500; // of a replica say the same in less time
    Serving s = *scenario.serving;
    for (const FittedConstant& c : kFitted)
    {
        s.engine.*c.member = constants.*c.member;
    }
    const bool closed =
        s.traffic.arrivals() == Arrivals::concurrency; // its first turn queues: all are needed
    if (shorter && !closed && s.traffic.requests > 0)
    {
        s.traffic.requests = std::min(s.traffic.requests, kFewRequests * s.layout.replicas);
    }
    Scenario changed = scenario;
    changed.serving = std::make_shared<const Serving>(std::move(s));
    return changed;
}

std::array<double, kServingMeasures> ratios_of(const ServedRow& row, const Scenario& scenario)
{
    const ServingFigures f = serving_figures(scenario);
    const std::array<double, kServingMeasures> got{f.tpot.mean, f.ttft.mean,
                                                   f.output_tokens_per_s / real(f.gpus)};
    std::array<double, kServingMeasures> ratios{};
    for (std::size_t m = 0; m < kServingMeasures; ++m)
    {
        ratios[m] = f.fits && row.measured[m] > 0 ? got[m] / row.measured[m] : 0;
    }
    return ratios;
}

struct WeighedRow
{
    const ServedRow* row;
    double weight;
};

double misfit(const std::vector<WeighedRow>& rows, const ServingEngine& constants)
{
    double sum = 0;
    double weights = 0;
    for (const WeighedRow& r : rows)
    {
        const auto ratios = ratios_of(*r.row, with_constants(r.row->scenario, constants, true));
        for (std::size_t m = 0; m < kServingMeasures; ++m)
        {
            if (r.row->measured[m] > 0)
            {
                const double w = r.weight * kMeasureWeights[m];
                sum += w * (ratios[m] > 0 ? std::min(kMostLog, std::abs(std::log(ratios[m]))) : kMostLog);
                weights += w;
            }
        }
    }
    return weights > 0 ? sum / weights : 0;
}

std::vector<WeighedRow> rows_to_fit(const std::vector<ServedRow>& rows, const std::string& but)
{
    std::map<std::string, std::vector<const ServedRow*>> kinds;
    for (const ServedRow& row : rows)
    {
        if (row.scenario.model.preset != but)
        {
            kinds[row.set + row.kind()].push_back(&row);
        }
    }
    std::vector<WeighedRow> picked;
    std::map<std::string, double> models;
    for (const auto& [_, all] : kinds)
    {
        const std::int64_t count = std::min<std::int64_t>(kFittedRows, std::ssize(all));
        for (std::int64_t i = 0; i < count; ++i)
        {
            picked.push_back({all[at(i * std::ssize(all) / count)], 1});
            models[picked.back().row->scenario.model.preset] += 1;
        }
    }
    for (WeighedRow& r : picked)
    {
        r.weight = 1 / std::sqrt(models[r.row->scenario.model.preset]);
    }
    return picked;
}

const std::string& engine_named(const ServedRow& row)
{
    return row.scenario.serving->engine.id;
}

} // namespace

std::string ServedRow::kind() const
{
    return fmt::format("{}, {}, {}", scenario.model.preset, accelerator_kind(scenario.cluster.gpu.id),
                       engine_named(*this));
}

std::array<double, kServingMeasures> serving_ratios(const ServedRow& row, const ServingEngine& constants)
{
    return ratios_of(row, with_constants(row.scenario, constants, false));
}

Result<std::vector<ServedRow>> served_rows(const json& cases, const std::string& set, const Presets& presets)
{
    Issues issues = check_cases_document(cases);
    std::vector<ServedRow> rows;
    for (std::size_t i = 0; issues.empty() && i < cases["cases"].size(); ++i)
    {
        const json& entry = cases["cases"][i];
        const std::string path = fmt::format("cases[{}]", i);
        append(issues, check_case(entry, path));
        if (!issues.empty())
        {
            break;
        }
        auto scenario = scenario_from_json(entry["scenario"], presets);
        add_errors(path + ".scenario", scenario ? validate(*scenario) : scenario.issues(), issues);
        if (!scenario || !issues.empty() || scenario->serving == nullptr)
        {
            continue;
        }
        ServedRow row{set, entry.value("name", path), std::move(*scenario)};
        for (std::size_t m = 0; m < kServingMeasures; ++m)
        {
            row.measured[m] = entry["expect"].value(std::string(kMeasured[m]), 0.0);
        }
        row.ratio = serving_ratios(row, row.scenario.serving->engine);
        rows.push_back(std::move(row));
    }
    return issues.empty() ? Result<std::vector<ServedRow>>(std::move(rows)) : issues;
}

std::vector<std::string> fitted_serving_constants()
{
    return list_of<std::string>(kFitted,
                                [](const FittedConstant& c) { return std::string(field_of(c.member).name); });
}

ServingEngine fitted_engine(const std::vector<ServedRow>& rows, const std::string& but)
{
    constexpr int kPasses = 8;
    constexpr double kFirstStep = 0.4;
    constexpr double kShrinks = 0.72;
    const std::vector<WeighedRow> picked = rows_to_fit(rows, but);
    ServingEngine best;
    for (const FittedConstant& c : kFitted)
    {
        best.*c.member = c.start;
    }
    double least = misfit(picked, best);
    double step = kFirstStep;
    for (int pass = 0; pass < kPasses; ++pass, step *= kShrinks)
    {
        for (const FittedConstant& c : kFitted)
        {
            for (const double factor : {1 + step, 1 / (1 + step)})
            {
                ServingEngine tried = best;
                tried.*c.member = std::clamp(best.*c.member * factor, c.least, c.most);
                const double now = misfit(picked, tried);
                if (now < least)
                {
                    least = now;
                    best = tried;
                    break;
                }
            }
        }
    }
    return best;
}

void leave_models_out(std::vector<ServedRow>& rows)
{
    std::set<std::string> models;
    for (const ServedRow& row : rows)
    {
        models.insert(row.scenario.model.preset);
    }
    for (const std::string& model : models)
    {
        const ServingEngine constants = fitted_engine(rows, model);
        for (ServedRow& row : rows)
        {
            row.left_out = row.scenario.model.preset == model ? serving_ratios(row, constants) : row.left_out;
        }
    }
}

MedianError median_error(const std::vector<const ServedRow*>& rows, ServingMeasure measure, bool left_out)
{
    std::vector<double> errors;
    for (const ServedRow* row : rows)
    {
        const double ratio = (left_out ? row->left_out : row->ratio)[static_cast<std::size_t>(measure)];
        if (ratio > 0)
        {
            errors.push_back(std::abs(ratio - 1));
        }
    }
    if (errors.empty())
    {
        return {};
    }
    const auto middle = errors.begin() + std::ssize(errors) / 2;
    std::nth_element(errors.begin(), middle, errors.end());
    return {*middle, std::ssize(errors)};
}

namespace
{

struct LeftOut
{
    std::string model;
    double log = 0; // of measured over computed
};

double quantile_of(std::vector<double> values, double q)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[at(static_cast<std::int64_t>(q * real(std::ssize(values) - 1)))];
}

// Ends that leave a tenth of the rows below and above, of all models but one.
std::pair<double, double> ends_without(const std::vector<LeftOut>& all, const std::string& but)
{
    std::vector<double> logs;
    for (const LeftOut& l : all)
    {
        if (l.model != but)
        {
            logs.push_back(l.log);
        }
    }
    return logs.empty() ? std::pair{-0.5, 0.5}
                        : std::pair{std::min(-0.01, quantile_of(logs, kTail)),
                                    std::max(0.01, quantile_of(logs, 1 - kTail))};
}

ServingBand band_from(const std::vector<ServedRow>& rows, ServingMeasure measure)
{
    const auto m = static_cast<std::size_t>(measure);
    std::vector<LeftOut> all;
    std::vector<const ServedRow*> pointers;
    std::set<std::string> models;
    for (const ServedRow& row : rows)
    {
        pointers.push_back(&row);
        if (row.left_out[m] > 0)
        {
            all.push_back({row.scenario.model.preset, -std::log(row.left_out[m])});
            models.insert(all.back().model);
        }
    }
    // How far beyond the other models' ends each row lies: 80% of them at most that far.
    const auto beyond = [&](const LeftOut& l)
    {
        const auto [low, high] = ends_without(all, l.model);
        return std::max(low - l.log, l.log - high);
    };
    const std::vector<double> needed = list_of<double>(all, beyond);
    const double wider = std::max(0.0, quantile_of(needed, 1 - 2 * kTail));
    const auto [low, high] = ends_without(all, {});
    ServingBand band;
    band.low = std::exp(low - wider);
    band.high = std::exp(high + wider);
    band.rows = std::ssize(all);
    band.models = std::ssize(models);
    band.median = median_error(pointers, measure, true).median;
    const auto inside = std::ranges::count_if(needed, [&](double n) { return n <= wider; });
    band.coverage = all.empty() ? 0 : real(inside) / real(std::ssize(all));
    return band;
}

} // namespace

ServingEvidence serving_evidence(const std::vector<ServedRow>& rows)
{
    ServingEvidence e;
    e.tpot = band_from(rows, ServingMeasure::tpot);
    e.ttft = band_from(rows, ServingMeasure::ttft);
    e.rate = band_from(rows, ServingMeasure::rate);
    std::map<std::string, ServedKind> kinds;
    for (const ServedRow& row : rows)
    {
        ServedKind& kind = kinds[row.kind()];
        kind.engine = engine_named(row);
        kind.model = row.scenario.model.preset;
        kind.gpu = accelerator_kind(row.scenario.cluster.gpu.id);
        kind.rows += 1;
    }
    for (auto& [_, kind] : kinds)
    {
        e.kinds.push_back(std::move(kind));
    }
    for (const ServedRow& row : rows)
    {
        auto& own = e.left_out[row.set];
        own.insert(own.end(), row.left_out.begin(), row.left_out.end());
    }
    return e;
}

} // namespace ringside
