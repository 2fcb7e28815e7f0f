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

namespace
{

// What nothing was assumed in, of the files in a folder.
Result<std::vector<MeasuredSet>> firm_sets(const std::filesystem::path& folder, const Presets& presets)
{
    std::vector<MeasuredSet> sets;
    for (const std::filesystem::path& file : json_files(folder))
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

} // namespace

Result<std::vector<MeasuredSet>> measured_sources(const std::filesystem::path& assets, const Presets& presets)
{
    auto sets = firm_sets(assets / "measured/steps", presets);
    if (sets)
    {
        std::erase_if(*sets, [](const MeasuredSet& set) { return set.rows.empty(); });
    }
    return sets;
}

Result<std::vector<MeasuredSet>> measured_peaks(const std::filesystem::path& assets, const Presets& presets)
{
    auto sets = firm_sets(assets / "measured/steps", presets);
    auto more = firm_sets(assets / "measured/memory", presets);
    if (!sets || !more)
    {
        return sets ? more : sets;
    }
    sets->insert(sets->end(), more->begin(), more->end());
    std::erase_if(*sets, [](const MeasuredSet& set) { return set.memory.empty(); });
    return sets;
}

std::filesystem::path own_software_folder()
{
    return data_folder() / "software";
}

Issues keep_software(const SoftwarePreset& preset)
{
    return save_text(own_software_folder() / (preset.software.id + ".json"), to_json(preset).dump(2) + "\n");
}

} // namespace ringside
