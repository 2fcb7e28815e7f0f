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

constexpr std::array kFitted{&ServingEngine::layer_us,        &ServingEngine::expert_us,
                             &ServingEngine::latent_us,       &ServingEngine::quant_us,
                             &ServingEngine::reduce_us,       &ServingEngine::step_us,
                             &ServingEngine::request_us,      &ServingEngine::weight_bandwidth,
                             &ServingEngine::kv_bandwidth,    &ServingEngine::kv8_bandwidth,
                             &ServingEngine::products,        &ServingEngine::grouped,
                             &ServingEngine::grouped_rows,    &ServingEngine::widened,
                             &ServingEngine::attention,       &ServingEngine::link,
                             &ServingEngine::eager_layer_us,  &ServingEngine::eager_expert_us,
                             &ServingEngine::eager_latent_us, &ServingEngine::prompt_ms};

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

// Fewer turns of a closed loop say the same in less time.
Scenario for_fitting(const Scenario& scenario, const ServingEngine& constants)
{
    constexpr std::int64_t kFewTurns = 5;
    Serving s = *scenario.serving;
    for (const auto member : kFitted)
    {
        s.engine.*member = constants.*member;
    }
    if (s.traffic.arrivals() == Arrivals::concurrency)
    {
        s.traffic.requests = kFewTurns * s.traffic.concurrency;
    }
    Scenario changed = scenario;
    changed.serving = std::make_shared<const Serving>(std::move(s));
    return changed;
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
        const auto ratios = serving_ratios(*r.row, constants);
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
    const ServingFigures f = serving_figures(for_fitting(row.scenario, constants));
    const std::array<double, kServingMeasures> got{f.tpot.mean, f.ttft.mean,
                                                   f.output_tokens_per_s / real(f.gpus)};
    std::array<double, kServingMeasures> ratios{};
    for (std::size_t m = 0; m < kServingMeasures; ++m)
    {
        ratios[m] = f.fits && row.measured[m] > 0 ? got[m] / row.measured[m] : 0;
    }
    return ratios;
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
    return list_of<std::string>(kFitted, [](auto member) { return std::string(field_of(member).name); });
}

ServingEngine fitted_engine(const std::vector<ServedRow>& rows, const ServingEngine& start,
                            const std::string& but)
{
    constexpr int kPasses = 5;
    constexpr double kFirstStep = 0.4;
    constexpr double kShrinks = 0.68;
    const std::vector<WeighedRow> picked = rows_to_fit(rows, but);
    ServingEngine best = start;
    double least = misfit(picked, best);
    double step = kFirstStep;
    for (int pass = 0; pass < kPasses; ++pass, step *= kShrinks)
    {
        for (const auto member : kFitted)
        {
            const double most = field_of(member).most <= 1 ? 0.97 : field_of(member).most;
            for (const double factor : {1 + step, 1 / (1 + step)})
            {
                ServingEngine tried = best;
                tried.*member = std::min(most, best.*member * factor);
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
        const ServingEngine constants = fitted_engine(rows, ServingEngine{}, model);
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
    std::sort(logs.begin(), logs.end());
    const auto place = [&](double q)
    { return logs[at(static_cast<std::int64_t>(q * real(std::ssize(logs) - 1)))]; };
    return logs.empty() ? std::pair{-0.5, 0.5}
                        : std::pair{std::min(-0.01, place(kTail)), std::max(0.01, place(1 - kTail))};
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
    ServingBand band;
    const auto [low, high] = ends_without(all, {});
    band.low = std::exp(low);
    band.high = std::exp(high);
    band.rows = std::ssize(all);
    band.models = std::ssize(models);
    band.median = median_error(pointers, measure, true).median;
    double inside = 0;
    for (const LeftOut& l : all)
    {
        const auto own = models.size() > 1 ? ends_without(all, l.model) : std::pair{low, high};
        inside += l.log >= own.first && l.log <= own.second ? 1 : 0;
    }
    band.coverage = all.empty() ? 0 : inside / real(std::ssize(all));
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
