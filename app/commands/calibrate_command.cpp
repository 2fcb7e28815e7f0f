// `ringside calibrate`: fits constants of an accelerator to measured steps and says how far off it is,
// left-out rows apart.
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/commands/console/table.h"
#include "app/files/measured_file.h"
#include "app/session/session.h"
#include "core/base/text/text.h"
#include "core/evaluate/own_software.h"
#include "core/scenario/fields.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct CalibrateOptions : CommonOptions
{
    std::vector<std::string> files;
    std::vector<std::string> constants{"gemm_efficiency", "host_kernel_us", "link_efficiency",
                                       "network_efficiency"};
    std::string scenario; // that rows of a CSV file start from; empty: the default
    std::string save;     // the name of a software of one's own
    bool leave_out = false;
    bool markdown = false;
};

double value_of(const Calibration& calibration, const Field<Calibration>& field)
{
    return calibration.*std::get<double Calibration::*>(field.member);
}

bool named(const CalibrationFit& fit, std::string_view name)
{
    return std::ranges::find(fit.constants, name) != fit.constants.end();
}

// Whether nothing of this set can be left out: a fit without its only group has not seen the set at all.
bool lacks_groups(const CalibrationFit& fit, const CalibrationFit::SetErrors& set)
{
    return fit.leave_out && set.left_out.n == 0;
}

void print_fit(const CalibrationFit& fit)
{
    TextTable constants({{"constant", -24}, {"before", 10}, {"after", 10}, {""}});
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        if (named(fit, field.name))
        {
            constants.add(field.name, fmt::format("{:.4g}", value_of(fit.before, field)),
                          fmt::format("{:.4g}", value_of(fit.after, field)), field.unit);
        }
    }
    TextTable sets({{"set", -28},
                    {"weight", 6},
                    {"n", 5},
                    {"before", 9},
                    {"mean", 9},
                    {"median", 9},
                    {"max", 9},
                    {"left out", 9}});
    std::string lacking;
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        sets.add(set.name, fmt::format("{:.3g}", set.weight), set.after.n, percent_text(set.before.mean),
                 percent_text(set.after.mean), percent_text(set.after.median), percent_text(set.after.max),
                 set.left_out.n > 0       ? percent_text(set.left_out.mean)
                 : lacks_groups(fit, set) ? "-"
                                          : "");
        lacking += lacks_groups(fit, set)
                       ? fmt::format("\n{} is one group, so none can be left out: at least 2 groups are "
                                     "needed; give a column \"group\" (in cases, a field).\n",
                                     set.name)
                       : "";
    }
    say("{}\n{}{}", constants.text(" "), sets.text(" "), lacking);
}

void print_fit_markdown(const CalibrationFit& fit)
{
    TextTable constants({{"constant"}, {"fitted"}, {"unit"}, {"what it is"}});
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        constants.add(field.name,
                      fmt::format("{:.4g}{}", value_of(fit.after, field),
                                  named(fit, field.name) ? "" : " (not fitted)"),
                      field.unit, field.says);
    }
    TextTable sets({{"set"},
                    {"weight in the fit"},
                    {"rows"},
                    {"mean"},
                    {"median"},
                    {"worst"},
                    {"mean, left-out groups"}});
    for (const CalibrationFit::SetErrors& set : fit.sets)
    {
        sets.add(set.name, fmt::format("{:.3g}", set.weight), set.after.n, percent_text(set.after.mean, 1),
                 percent_text(set.after.median, 1), percent_text(set.after.max, 1),
                 set.weight > 0 && set.left_out.n > 0 ? percent_text(set.left_out.mean, 1)
                 : set.weight > 0 && fit.leave_out    ? "- (one group)"
                                                      : "not fitted");
    }
    say("{}\n{}", constants.markdown(), sets.markdown());
}

void print_own(const OwnSoftware& own)
{
    TextTable constants({{"constant", -24}, {"before", 10}, {"after", 10}});
    for (const OwnSoftware::Constant& constant : own.constants)
    {
        constants.add(constant.name, fmt::format("{:.4g}", constant.before),
                      fmt::format("{:.4g}", constant.after));
    }
    TextTable rows({{"step", -28}, {"measured", 10}, {"before", 9}, {"after", 9}, {"left out", 9}});
    for (const OwnSoftware::Row& row : own.rows)
    {
        rows.add(row.name, format_seconds(Seconds(row.seconds)), signed_percent_text(row.before, 1),
                 signed_percent_text(row.after, 1),
                 own.left_out.n > 0 ? signed_percent_text(row.left_out, 1) : std::string("-"));
    }
    say("{}\n{}\n{}\nKept as software \"{}\": name it in a scenario, or choose it in the window.\n",
        constants.text(" "), rows.text(" "), summary_of(own), own.preset.software.id);
}

// All steps together give one software, which is kept.
int keep_own(const CalibrateOptions& o, const std::vector<MeasuredSet>& sets, const Presets& presets)
{
    MeasuredSet all = sets.front();
    for (std::size_t i = 1; i < sets.size(); ++i)
    {
        all.rows.insert(all.rows.end(), sets[i].rows.begin(), sets[i].rows.end());
    }
    const OwnSoftware own = or_end(fit_own_software(all, o.save, presets));
    end_with(keep_software(own.preset));
    if (o.json)
    {
        print_document(to_json(own));
    }
    else
    {
        print_own(own);
    }
    return kDone;
}

int run_calibrate(const CalibrateOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const Scenario base = o.scenario.empty() ? default_scenario(presets)
                                             : or_end(read_scenario(o.scenario, presets), o.scenario);
    auto sets = list_of<MeasuredSet>(o.files, [&](const std::string& file)
                                     { return or_end(read_measured(file, base, presets), file); });
    if (!o.save.empty())
    {
        return keep_own(o, sets, presets);
    }
    ProgressBar bar;
    const auto fit = fit_calibration(sets, o.constants, o.leave_out, [&](double share) { bar.show(share); });
    bar.clear();
    const CalibrationFit found = or_end(fit);
    if (o.json)
    {
        print_document(to_json(found));
    }
    else
    {
        (o.markdown ? print_fit_markdown : print_fit)(found);
    }
    return kDone;
}

void add_calibrate_options(CLI::App& app, CalibrateOptions& o)
{
    app.add_option("CASES", o.files, "cases (JSON) or tables of steps (CSV), each file one set")->required();
    app.add_option("--scenario", o.scenario,
                   "scenario that the rows of a table override; default: the default scenario");
    app.add_option("--constants", o.constants, "constants to fit, separated by commas")
        ->delimiter(',')
        ->type_name("NAME,...")
        ->allow_extra_args(false);
    app.add_flag("--leave-out", o.leave_out,
                 "cross-validate: refit without each eighth of the groups and report the error there");
    app.add_option("--save", o.save,
                   "keep what fits these steps as a software of this name; three steps are enough")
        ->type_name("NAME");
    auto* document = add_json(app, o);
    exclude_each_other({document, app.add_flag("--markdown", o.markdown, "Markdown tables")});
}

} // namespace

const CliCommand calibrate_command = command<add_calibrate_options, run_calibrate>(
    "calibrate", "fit an accelerator's efficiency constants to measured step times");

} // namespace ringside
