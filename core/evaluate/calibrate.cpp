#include "core/evaluate/calibrate.h"

#include <fmt/format.h>

#include "core/base/minimize.h"
#include "core/base/ranges.h"
#include "core/base/text/find_by.h"
#include "core/performance/step_model/step_model.h"
#include "core/scenario/fields.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside
{

using nlohmann::json;

namespace
{

// Errors well above this count by their size, those below by their square.
constexpr double kScale = 0.05;
constexpr int kSteps = 400;
constexpr std::size_t kFolds = 8;

double loss(double error)
{
    return 2 * kScale * kScale * (std::sqrt(1 + error * error / (kScale * kScale)) - 1);
}

// The scenario without everything its profile does not depend on, to find rows that share one.
Scenario profile_part(Scenario s)
{
    s.model.layers = std::max<std::int64_t>(1, s.model.dense_layers);
    s.model.name.clear();
    s.cluster.gpus = 1;
    s.parallel.pipeline = std::min<std::int64_t>(2, s.parallel.pipeline);
    s.parallel.chunks = 1;
    s.parallel.zero = 0;
    s.parallel.stage_layers.clear();
    s.training.global_batch = 1;
    s.training.schedule = schedule("1f1b");
    return s;
}

struct Row
{
    const MeasuredRow* row = nullptr;
    std::size_t set = 0;
    std::size_t profile = 0;
    std::size_t fold = 0;
};

class Fitter
{
public:
    Fitter(const std::vector<MeasuredSet>& sets, std::vector<const Field<Calibration>*> fields)
        : sets_(sets), fields_(std::move(fields))
    {
        std::vector<Scenario> parts;
        for (std::size_t i = 0; i < sets.size(); ++i)
        {
            std::map<std::string, std::size_t> groups;
            for (const MeasuredRow& row : sets[i].rows)
            {
                const std::size_t group = groups.emplace(row.group, groups.size()).first->second;
                const Scenario part = profile_part(row.scenario);
                const auto found = std::find(parts.begin(), parts.end(), part);
                rows_.push_back({&row, i, static_cast<std::size_t>(found - parts.begin()), group % kFolds});
                if (found == parts.end())
                {
                    parts.push_back(part);
                    examples_.push_back(row.scenario);
                }
            }
        }
        profiles_.resize(examples_.size());
    }

    // Fitted to all rows, or to those outside one fold.
    Calibration fit(const Calibration& start, std::size_t left_out = kFolds)
    {
        if (fields_.empty())
        {
            return start;
        }
        const auto x = list_of<double>(fields_, [&](const Field<Calibration>* field)
                                       { return std::log(std::max(1e-9, start.*member(field))); });
        const auto cost = [&](const std::vector<double>& y)
        { return mean_loss(at(start, y), left_out) + outside(y); };
        Minimum best = minimize(cost, x, 0.2, kSteps);
        best = minimize(cost, best.at, -0.1, kSteps);
        return at(start, best.at);
    }

    // [row] of the relative errors.
    std::vector<double> errors(const Calibration& calibration)
    {
        make_profiles(calibration);
        return list_of<double>(rows_, [&](const Row& row)
                               { return seconds(row, calibration) / row.row->seconds - 1; });
    }

    const std::vector<Row>& rows() const { return rows_; }
    // Whether anything is left to fit when a fold is left out.
    bool folds() const
    {
        return std::ranges::any_of(rows_, [&](const Row& row) { return row.fold != rows_.front().fold; });
    }

private:
    static double Calibration::*member(const Field<Calibration>* field)
    {
        return std::get<double Calibration::*>(field->member);
    }

    // Constants are looked for by their logarithm and kept in their ranges.
    Calibration at(const Calibration& start, const std::vector<double>& y) const
    {
        Calibration c = start;
        for (std::size_t i = 0; i < y.size(); ++i)
        {
            c.*member(fields_[i]) = std::clamp(std::exp(y[i]), fields_[i]->least, fields_[i]->most);
        }
        return c;
    }

    double outside(const std::vector<double>& y) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
        {
            const double value = std::exp(y[i]);
            const double kept = std::clamp(value, fields_[i]->least, fields_[i]->most);
            sum += kept > 0 ? std::pow(std::log(value / kept), 2) : 0;
        }
        return sum;
    }

    void make_profiles(const Calibration& calibration)
    {
        for (std::size_t i = 0; i < examples_.size(); ++i)
        {
            examples_[i].cluster.gpu.calibration = calibration;
            profiles_[i] = step_profile(examples_[i]);
        }
    }

    double seconds(const Row& row, const Calibration& calibration) const
    {
        Scenario s = row.row->scenario;
        s.cluster.gpu.calibration = calibration;
        return StepModel(s).estimate(s, profiles_[row.profile]).total();
    }

    double mean_loss(const Calibration& calibration, std::size_t left_out)
    {
        make_profiles(calibration);
        std::vector<double> sum(sets_.size());
        std::vector<double> n(sets_.size());
        for (const Row& row : rows_)
        {
            if (row.fold != left_out && sets_[row.set].weight > 0)
            {
                sum[row.set] += loss(std::log(seconds(row, calibration) / row.row->seconds));
                n[row.set] += 1;
            }
        }
        return sum_over(sum.size(),
                        [&](std::size_t i) { return n[i] > 0 ? sets_[i].weight * sum[i] / n[i] : 0; });
    }

    const std::vector<MeasuredSet>& sets_;
    std::vector<const Field<Calibration>*> fields_;
    std::vector<Row> rows_;
    std::vector<Scenario> examples_; // [profile] a scenario it can be made from
    std::vector<StepProfile> profiles_;
};

Result<std::vector<const Field<Calibration>*>> fields_named(const std::vector<std::string>& names)
{
    const auto known = fields_of(Calibration{});
    std::vector<const Field<Calibration>*> found;
    for (const std::string& name : names)
    {
        found.push_back(find_by(known, name, &Field<Calibration>::name));
        if (found.back() == nullptr)
        {
            const auto all = list_of<std::string_view>(known, &Field<Calibration>::name);
            return Issue{name, "no constant of a calibration",
                         fmt::format("known are {}", fmt::join(all, ", "))};
        }
    }
    return found;
}

ErrorSummary of_set(const Fitter& fitter, const std::vector<double>& errors, std::size_t set)
{
    std::vector<double> own;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        if (fitter.rows()[i].set == set)
        {
            own.push_back(errors[i]);
        }
    }
    return own.empty() ? ErrorSummary{} : summarize(own);
}

// [row]. A set of one group has none: its fold is the whole set.
std::vector<double> left_out_errors(Fitter& fitter, const Calibration& start,
                                    const std::function<void(double)>& told)
{
    std::vector<double> errors(fitter.rows().size());
    for (std::size_t fold = 0; fold < kFolds; ++fold)
    {
        const auto asked = [&](const Row& row) { return row.fold == fold; };
        if (std::ranges::any_of(fitter.rows(), asked))
        {
            const std::vector<double> here = fitter.errors(fitter.fit(start, fold));
            for (std::size_t i = 0; i < errors.size(); ++i)
            {
                errors[i] = asked(fitter.rows()[i]) ? here[i] : errors[i];
            }
        }
        told(static_cast<double>(fold + 2) / (kFolds + 1));
    }
    return errors;
}

} // namespace

Result<CalibrationFit> fit_calibration(const std::vector<MeasuredSet>& sets,
                                       const std::vector<std::string>& constants, bool leave_out,
                                       const std::function<void(double)>& told)
{
    const auto tell = [&](double share)
    {
        if (told)
        {
            told(share);
        }
    };
    auto fields = fields_named(constants);
    if (!fields)
    {
        return fields.issues();
    }
    const auto first =
        std::find_if(sets.begin(), sets.end(), [](const MeasuredSet& s) { return !s.rows.empty(); });
    if (first == sets.end())
    {
        return Issue{"cases", "no row expects a step.time_s", "give measured steps in seconds"};
    }
    CalibrationFit fit;
    fit.constants = constants;
    fit.leave_out = leave_out;
    fit.before = first->rows.front().scenario.cluster.gpu.calibration;
    Fitter fitter(sets, *fields);
    fit.after = fitter.fit(fit.before);
    const std::vector<double> before = fitter.errors(fit.before);
    const std::vector<double> after = fitter.errors(fit.after);
    tell(leave_out ? 1.0 / (kFolds + 1) : 1.0);
    const std::vector<double> left =
        leave_out && fitter.folds() ? left_out_errors(fitter, fit.after, tell) : std::vector<double>{};
    for (std::size_t i = 0; i < sets.size(); ++i)
    {
        CalibrationFit::SetErrors errors{
            sets[i].name, sets[i].weight, of_set(fitter, before, i), of_set(fitter, after, i), {}};
        if (!left.empty())
        {
            errors.left_out = of_set(fitter, left, i);
        }
        fit.sets.push_back(errors);
    }
    for (std::size_t i = 0; i < before.size(); ++i)
    {
        const MeasuredRow& row = *fitter.rows()[i].row;
        fit.rows.push_back({row.name, row.seconds, before[i], after[i]});
    }
    return fit;
}

std::vector<std::string> constants_for(const MeasuredSet& set)
{
    const auto some = [&](auto crosses)
    { return std::ranges::any_of(set.rows, [&](const MeasuredRow& r) { return crosses(r.scenario); }); };
    std::vector<std::string> constants{"gemm_efficiency"};
    if (some([](const Scenario& s) { return s.parallel.tensor > 1 && s.cluster.gpus_per_node > 1; }))
    {
        constants.emplace_back("link_efficiency");
    }
    if (some([](const Scenario& s) { return s.cluster.gpus > s.cluster.gpus_per_node; }))
    {
        constants.emplace_back("network_efficiency");
    }
    constants.emplace_back("host_kernel_us");
    constants.resize(std::clamp<std::size_t>(set.rows.size() / 2, 1, constants.size()));
    return constants;
}

json to_json(const CalibrationFit& fit)
{
    json out = {{"constants", json::object()}, {"sets", json::array()}};
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        if (std::find(fit.constants.begin(), fit.constants.end(), field.name) != fit.constants.end())
        {
            const auto member = std::get<double Calibration::*>(field.member);
            out["constants"][std::string(field.name)] = {{"before", fit.before.*member},
                                                         {"after", fit.after.*member}};
        }
    }
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        json row = {{"set", set.name},        {"weight", set.weight},
                    {"n", set.after.n},       {"mean_before", set.before.mean},
                    {"mean", set.after.mean}, {"max", set.after.max}};
        if (fit.leave_out)
        {
            row["mean_left_out"] = set.left_out.n > 0 ? json(set.left_out.mean) : json();
        }
        out["sets"].push_back(row);
    }
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        out["rows"].push_back({{"name", row.name},
                               {"measured_s", row.seconds},
                               {"error_before", row.before},
                               {"error", row.after}});
    }
    return out;
}

} // namespace ringside
