// `ringside validate`: cases with published figures, and how far off each is.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/files/asset_file.h"
#include "core/evaluate/case_check.h"
#include "core/evaluate/cases.h"

#include <filesystem>

namespace ringside
{

using nlohmann::json;

namespace
{

struct ValidateOptions : CommonOptions
{
    std::vector<std::string> files;
    std::string scenario; // the name of a case
    bool markdown = false;
};

// The cases of all files as one document.
json read_cases(const std::vector<std::string>& files)
{
    json all;
    for (const std::string& file : files)
    {
        // Cases are lists of scenarios, so they may be larger than one.
        json document = or_end(read_json(file), file);
        end_with(of_file(check_cases_document(document), file));
        if (all.is_null())
        {
            all = std::move(document);
            continue;
        }
        json& more = document["cases"];
        all["cases"].insert(all["cases"].end(), more.begin(), more.end());
    }
    return all;
}

void print_cases(const CasesReport& report)
{
    TextTable rows({{"", -52}, {"", -28}, {"", 14}, {"", 14}, {"", 9}});
    for (const CaseRow& row : report.rows)
    {
        rows.add(row.name, row.metric, fmt::format("{:.6g}", row.expected), fmt::format("{:.6g}", row.got),
                 fmt::format("{:>9}{}", error_text(row), row.within ? "" : "  outside its tolerance"));
    }
    TextTable metrics({{"metric", -28}, {"n", 5}, {"mean", 9}, {"median", 9}, {"p90", 9}, {"max", 9}});
    for (const auto& [metric, s] : report.metrics)
    {
        metrics.add(metric, s.n, percent_text(s.mean), percent_text(s.median), percent_text(s.p90),
                    percent_text(s.max));
    }
    say("{}\n{}", rows.text(" ", false), metrics.text(" "));
}

// Each file with its own table, for docs/accuracy.sh.
void print_cases_markdown(const std::string& name, const json& document, const CasesReport& report)
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
    TextTable rows({{"row"}, {"measured"}, {"computed"}, {"error"}});
    for (const CaseRow& row : report.rows)
    {
        rows.add(row.name, fmt::format("{:.4g}", row.expected), fmt::format("{:.4g}", row.got),
                 error_text(row, 1));
    }
    say("{}", rows.markdown());
}

// The scenario of one case, for another command to go on from.
int print_scenario(const ValidateOptions& o)
{
    const json cases = read_cases(o.files);
    std::vector<std::string> names;
    for (const json& entry : cases["cases"])
    {
        const bool named = entry.is_object() && entry.contains("name") && entry["name"].is_string();
        names.push_back(named ? entry["name"].get<std::string>() : std::string());
        if (named && names.back() == o.scenario && entry.contains("scenario") &&
            entry["scenario"].is_object())
        {
            json scenario = entry["scenario"];
            scenario["schema"] = "ringside.scenario/1";
            print_document(scenario);
            return kDone;
        }
    }
    end_with({unknown_word("--scenario", "case ", o.scenario, names)});
    return kNo;
}

int run_validate(const ValidateOptions& o)
{
    if (!o.scenario.empty())
    {
        return print_scenario(o);
    }
    const Presets& presets = open_presets(o).presets;
    bool all_within = true;
    if (o.markdown)
    {
        for (const std::string& file : o.files)
        {
            const json document = or_end(read_json(file), file);
            const CasesReport report = or_end(run_cases(document, presets), file);
            print_cases_markdown(std::filesystem::path(file).stem().string(), document, report);
            all_within = all_within && report.all_within;
        }
        return all_within ? kDone : kNo;
    }
    const CasesReport report =
        or_end(run_cases(read_cases(o.files), presets), o.files.size() == 1 ? o.files.front() : "");
    if (o.json)
    {
        print_document(to_json(report));
    }
    else
    {
        print_cases(report);
    }
    return report.all_within ? kDone : kNo;
}

void add_validate_options(CLI::App& app, ValidateOptions& o)
{
    app.add_option("CASES", o.files, "cases (JSON), - for standard input")->required();
    app.add_option("--scenario", o.scenario,
                   "print the scenario of the case of this name instead: | ringside search -");
    auto* document = add_json(app, o);
    exclude_each_other({document, app.add_flag("--markdown", o.markdown, "a Markdown table for each file")});
}

} // namespace

const CliCommand validate_command = command<add_validate_options, run_validate>(
    "validate", "compare predictions with published figures: the error of every case");

} // namespace ringside
