#include "app/files/measured_file.h"

#include "app/files/files.h"
#include "core/evaluate/measured_csv.h"
#include "core/scenario/json/json.h"

#include <filesystem>

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

} // namespace ringside
