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

// Whether nothing of this set can be left out: a fit without its only group has not seen the set at all.
bool lacks_groups(const CalibrationFit& fit, const CalibrationFit::SetErrors& set)
{
    return fit.leave_out && set.left_out.n == 0;
}

void print_lacking_groups(const CalibrationFit& fit)
{
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        if (lacks_groups(fit, set))
        {
            say("\n{} is one group, so none can be left out: at least 2 groups are needed; give a column "
                "\"group\" (in cases, a field).\n",
                set.name);
        }
    }
}

void print_fit(const CalibrationFit& fit)
{
    say("{:<24} {:>10} {:>10}\n", "constant", "before", "after");
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        if (named(fit, field.name))
        {
            say("{:<24} {:>10.4g} {:>10.4g} {}\n", field.name, value_of(fit.before, field),
                value_of(fit.after, field), field.unit);
        }
    }
    say("\n{:<28} {:>6} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "set", "weight", "n", "before", "mean",
        "median", "max", "left out");
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        say("{:<28} {:>6.3g} {:>5} {:>9} {:>9} {:>9} {:>9}", set.name, set.weight, set.after.n,
            percent_text(set.before.mean), percent_text(set.after.mean), percent_text(set.after.median),
            percent_text(set.after.max));
        say(" {:>9}\n", set.left_out.n > 0       ? percent_text(set.left_out.mean)
                        : lacks_groups(fit, set) ? "-"
                                                 : "");
    }
    print_lacking_groups(fit);
}

void print_fit_markdown(const CalibrationFit& fit)
{
    say("| constant | fitted | unit | what it is |\n|---|---|---|---|\n");
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        say("| {} | {:.4g}{} | {} | {} |\n", field.name, value_of(fit.after, field),
            named(fit, field.name) ? "" : " (not fitted)", field.unit, field.says);
    }
    say("\n| set | weight in the fit | rows | mean | median | worst | mean, left-out groups |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        const std::string left = set.weight > 0 && set.left_out.n > 0 ? percent_text(set.left_out.mean, 1)
                                 : set.weight > 0 && fit.leave_out    ? "- (one group)"
                                                                      : "not fitted";
        say("| {} | {:.3g} | {} | {} | {} | {} | {} |\n", set.name, set.weight, set.after.n,
            percent_text(set.after.mean, 1), percent_text(set.after.median, 1),
            percent_text(set.after.max, 1), left);
    }
}

void print_rows_markdown(const std::string& name, const nlohmann::json& document, const CasesReport& report)
{
    say("\n## {}\n\n", name);
    if (document.contains("source") && document["source"].is_string())
    {
        say("{}.\n\n", document["source"].get<std::string>());
    }
    for (const auto& [metric, s] : report.metrics)
    {
        say("{}: {} rows, mean {}, median {}, p90 {}, worst {}, bias {}.\n\n", metric, s.n,
            percent_text(s.mean), percent_text(s.median), percent_text(s.p90), percent_text(s.max),
            signed_percent_text(s.signed_mean));
    }
    say("| row | measured | computed | error |\n|---|---|---|---|\n");
    for (const CaseRow& row : report.rows)
    {
        say("| {} | {:.4g} | {:.4g} | {} |\n", row.name, row.expected, row.got, error_text(row, 1));
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
        // Sets have the names of their files, which may be any bytes.
        fmt::print("{}\n", to_json(*fit).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
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
