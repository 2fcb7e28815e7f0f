#include "app/files/measured_file.h"

#include "app/files/files.h"
#include "core/evaluate/accuracy.h"
#include "core/evaluate/case_check.h"
#include "core/evaluate/measured_csv.h"
#include "core/scenario/json/json.h"

namespace ringside
{

Result<MeasuredSet> read_measured(const std::string& file, const Scenario& base, const Presets& presets)
{
    const std::string name = std::filesystem::path(file).stem().string();
    const auto text = read_text(file, {kMaxJsonBytes});
    if (!text)
    {
        return text.issues();
    }
    if (is_measured_csv(*text) || std::filesystem::path(file).extension() == ".csv")
    {
        auto set = measured_from_csv(*text, base, presets);
        if (set)
        {
            set->name = name;
        }
        return set;
    }
    const auto document = parse_json(*text);
    return document ? measured_set(*document, name, presets) : Result<MeasuredSet>(document.issues());
}

Result<std::vector<MeasuredSet>> measured_sources(const std::filesystem::path& assets, const Presets& presets)
{
    std::vector<MeasuredSet> sets;
    for (const std::filesystem::path& file : json_files(assets / "measured/steps"))
    {
        const auto document = read_json_file(file);
        const Issues faults = document ? check_cases_document(*document) : document.issues();
        if (!faults.empty())
        {
            Issues issues;
            add_below(issues, faults, file.string());
            return issues;
        }
        const nlohmann::json firm = firm_cases(*document);
        if (firm.at("cases").empty())
        {
            continue;
        }
        auto set = measured_set(firm, file.stem().string(), presets);
        if (!set)
        {
            Issues issues;
            add_below(issues, set.issues(), file.string());
            return issues;
        }
        sets.push_back(std::move(*set));
    }
    return sets;
}

} // namespace ringside
