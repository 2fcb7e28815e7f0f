// TOML by toml++, without its exceptions; its headers alone, so that nothing is linked whose build differs.
#define TOML_EXCEPTIONS 0
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_SHARED_LIB
#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/launch_files/source.h"

namespace ringside
{

namespace
{

using TomlPlaces = std::map<std::string, FilePlace>;

nlohmann::json toml_tree(const toml::node& node, const std::string& path, const std::string& file,
                         TomlPlaces& places);

nlohmann::json toml_value(const toml::node& node)
{
    if (const auto text = node.value_exact<std::string>())
    {
        return *text;
    }
    if (const auto is = node.value_exact<bool>())
    {
        return *is;
    }
    if (const auto whole = node.value_exact<std::int64_t>())
    {
        return *whole;
    }
    const auto number = node.value_exact<double>();
    return number ? nlohmann::json(*number) : nlohmann::json(); // dates say nothing here
}

nlohmann::json toml_tree(const toml::node& node, const std::string& path, const std::string& file,
                         TomlPlaces& places)
{
    const toml::source_position begin = node.source().begin;
    places[path] = {file, static_cast<int>(begin.line), static_cast<int>(begin.column)};
    if (const toml::table* table = node.as_table())
    {
        auto object = nlohmann::json::object();
        for (const auto& [key, value] : *table)
        {
            const std::string name(key.str());
            object[name] = toml_tree(value, path.empty() ? name : path + "." + name, file, places);
        }
        return object;
    }
    if (const toml::array* array = node.as_array())
    {
        auto list = nlohmann::json::array();
        for (const toml::node& entry : *array)
        {
            list.push_back(toml_tree(entry, path, file, places));
        }
        return list;
    }
    return toml_value(node);
}

} // namespace

Result<LaunchSource> read_toml(std::string_view text, const std::string& file)
{
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed)
    {
        const toml::source_position at = parsed.error().source().begin;
        return Issue{fmt::format("line {}, column {}", at.line, at.column),
                     fmt::format("not TOML: {}", parsed.error().description()), "mend that line"};
    }
    TomlPlaces places;
    LaunchSource source{
        .format = SourceFormat::toml, .file = file, .tree = toml_tree(parsed.table(), "", file, places)};
    add_leaves(
        source.tree, "", [&](const std::string& path) { return places[path]; }, source.settings);
    return source;
}

} // namespace ringside
