#include "core/study/json_reader.h"

#include "core/study/quantity.h"

namespace ringside
{

namespace
{

bool is_id(std::string_view text)
{
    return !text.empty() && text.size() <= 60 &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

} // namespace

void JsonReader::text(const char* field, std::string& target, bool needed)
{
    if (!has(field))
    {
        if (needed)
        {
            fault(field, "missing", "give one");
        }
        return;
    }
    const auto* text = object_[field].get_ptr<const std::string*>();
    if (!text || (needed && text->empty()) || text->size() > kLongestText)
    {
        fault(field, "not text, empty, or too long",
              fmt::format("use \"...\" with at most {} characters", kLongestText));
        return;
    }
    target = *text;
}

void JsonReader::id(const char* field, std::string& target)
{
    text(field, target, true);
    if (!target.empty() && !is_id(target))
    {
        fault(field, fmt::format("\"{}\" is not an id", target.substr(0, 80)),
              "use small letters, digits and dashes");
    }
}

void JsonReader::expression(const char* field, std::string& target, bool needed)
{
    if (has(field) && object_[field].is_number())
    {
        target = object_[field].dump();
        return;
    }
    text(field, target, needed);
}

void JsonReader::unit(std::string& target, bool needed)
{
    text("unit", target);
    if (needed && !has("unit"))
    {
        fault("unit", "missing", "give one; \"\" for a count");
        return;
    }
    if (!find_study_unit(target))
    {
        std::vector<std::string_view> names;
        for (const StudyUnit& unit : study_units().subspan(1))
        {
            names.push_back(unit.name);
        }
        fault("unit", fmt::format("there is no unit \"{}\"", target.substr(0, 40)),
              fmt::format("known are {}", fmt::join(names, ", ")));
        target.clear();
    }
}

void JsonReader::texts(const char* field, std::vector<std::string>& target, std::size_t least,
                       std::size_t most)
{
    if (!has(field) && least == 0)
    {
        return;
    }
    each(field, kLongestList,
         [&](const nlohmann::json& entry, const std::string& where)
         {
             const auto* text = entry.get_ptr<const std::string*>();
             if (!text || text->empty() || text->size() > kLongestText)
             {
                 issues_.push_back({where, "not text, empty, or too long", "use \"...\""});
                 return;
             }
             target.push_back(*text);
         });
    if (target.size() < least || target.size() > most)
    {
        fault(field, fmt::format("there are {}", target.size()),
              least == most ? fmt::format("give exactly {}", least)
                            : fmt::format("give {} to {}", least, most));
    }
}

void JsonReader::only(const std::vector<std::string_view>& names)
{
    known_.assign(names.begin(), names.end());
    finish();
}

} // namespace ringside
