#include "app/calibrate_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "app/progress_bar.h"
#include "app/session.h"
#include "core/engine/calibrate.h"
#include "core/engine/measured_csv.h"
#include "core/scenario/fields.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <filesystem>

namespace ringside
{

namespace
{

Result<nlohmann::json> read_document(const std::string& file)
{
    const auto text = read_text(file, kMaxJsonBytes);
    return text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
}

std::string name_of_file(const std::string& file)
{
    return std::filesystem::path(file).stem().string();
}

double value_of(const Calibration& calibration, const Field<Calibration>& field)
{
    return calibration.*std::get<double Calibration::*>(field.member);
}

bool named(const CalibrationFit& fit, std::string_view name)
{
    return std::find(fit.constants.begin(), fit.constants.end(), name) != fit.constants.end();
}

void print_fit(const CalibrationFit& fit)
{
    fmt::print("{:<24} {:>10} {:>10}\n", "constant", "before", "after");
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        if (named(fit, field.name))
        {
            fmt::print("{:<24} {:>10.4g} {:>10.4g} {}\n", field.name, value_of(fit.before, field),
                       value_of(fit.after, field), field.unit);
        }
    }
    fmt::print("\n{:<28} {:>6} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "set", "weight", "n", "before", "mean",
               "median", "max", "left out");
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        fmt::print("{:<28} {:>6.3g} {:>5} {:>8.2f}% {:>8.2f}% {:>8.2f}% {:>8.2f}%", set.name, set.weight,
                   set.after.n, set.before.mean * 100, set.after.mean * 100, set.after.median * 100,
                   set.after.max * 100);
        fmt::print(" {:>9}\n",
                   set.left_out.n > 0 ? fmt::format("{:.2f}%", set.left_out.mean * 100) : std::string());
    }
}

void print_fit_markdown(const CalibrationFit& fit)
{
    fmt::print("| constant | fitted | unit | what it is |\n|---|---|---|---|\n");
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        fmt::print("| {} | {:.4g}{} | {} | {} |\n", field.name, value_of(fit.after, field),
                   named(fit, field.name) ? "" : " (not fitted)", field.unit, field.says);
    }
    fmt::print("\n| set | weight in the fit | rows | mean | median | worst | mean, left-out groups |\n"
               "|---|---|---|---|---|---|---|\n");
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        const bool left = set.left_out.n > 0 && set.weight > 0;
        fmt::print("| {} | {:.3g} | {} | {:.1f}% | {:.1f}% | {:.1f}% | {} |\n", set.name, set.weight,
                   set.after.n, set.after.mean * 100, set.after.median * 100, set.after.max * 100,
                   left ? fmt::format("{:.1f}%", set.left_out.mean * 100) : std::string("not fitted"));
    }
}

void print_rows_markdown(const std::string& name, const nlohmann::json& document, const CasesReport& report)
{
    fmt::print("\n## {}\n\n", name);
    if (document.contains("source") && document["source"].is_string())
    {
        fmt::print("{}.\n\n", document["source"].get<std::string>());
    }
    for (const auto& [metric, s] : report.metrics)
    {
        fmt::print(
            "{}: {} rows, mean {:.2f}%, median {:.2f}%, p90 {:.2f}%, worst {:.2f}%, bias {:+.2f}%.\n\n",
            metric, s.n, s.mean * 100, s.median * 100, s.p90 * 100, s.max * 100, s.signed_mean * 100);
    }
    fmt::print("| row | measured | computed | error |\n|---|---|---|---|\n");
    for (const CaseRow& row : report.rows)
    {
        fmt::print("| {} | {:.4g} | {:.4g} | {:+.1f}% |\n", row.name, row.expected, row.got, row.error * 100);
    }
}

} // namespace

Result<MeasuredSet> read_measured(const std::string& file, const Scenario& base, const Presets& presets)
{
    const auto text = read_text(file, kMaxJsonBytes);
    if (!text)
    {
        return text.issues();
    }
    if (is_measured_csv(*text) || std::filesystem::path(file).extension() == ".csv")
    {
        auto set = measured_from_csv(*text, base, presets);
        if (set)
        {
            set->name = name_of_file(file);
        }
        return set;
    }
    const auto document = parse_json(*text);
    return document ? measured_set(*document, name_of_file(file), presets)
                    : Result<MeasuredSet>(document.issues());
}

int run_calibrate(const CalibrateOptions& options)
{
    const auto opened = open_presets(options.common);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    const auto base = options.scenario.empty() ? Result<Scenario>(default_scenario(opened->presets))
                                               : read_scenario(options.scenario, opened->presets);
    if (!base)
    {
        return print_faults(base.issues(), options.scenario);
    }
    std::vector<MeasuredSet> sets;
    for (const std::string& file : options.files)
    {
        auto set = read_measured(file, *base, opened->presets);
        if (!set)
        {
            return print_faults(set.issues(), file);
        }
        sets.push_back(std::move(*set));
    }
    ProgressBar bar;
    const auto fit =
        fit_calibration(sets, options.constants, options.leave_out, [&](double share) { bar.show(share); });
    bar.clear();
    if (!fit)
    {
        return print_faults(fit.issues());
    }
    if (options.common.json)
    {
        fmt::print("{}\n", to_json(*fit).dump(2));
    }
    else if (options.markdown)
    {
        print_fit_markdown(*fit);
    }
    else
    {
        print_fit(*fit);
    }
    return kDone;
}

int run_validate_markdown(const CommonOptions& options, const std::vector<std::string>& files)
{
    const auto opened = open_presets(options);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    bool all_within = true;
    for (const std::string& file : files)
    {
        const auto document = read_document(file);
        const auto report =
            document ? run_cases(*document, opened->presets) : Result<CasesReport>(document.issues());
        if (!report)
        {
            return print_faults(report.issues(), file);
        }
        print_rows_markdown(name_of_file(file), *document, *report);
        all_within = all_within && report->all_within;
    }
    return all_within ? kDone : kNo;
}

} // namespace ringside
