#include "app/commands/serve/mcp_resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/console/input.h"
#include "core/base/json/json_text.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using nlohmann::json;

// A collection, and where its documents come from: a folder of the assets with a file each, one file with a
// list, or a command that lists and shows them.
struct Catalog
{
    std::string_view name;
    std::string_view about;
    std::string_view folder;
    std::string_view file;
    std::string_view list; // in the file
    std::string_view command;
};

constexpr std::array kCatalogs{
    Catalog{"models", "Models with the shapes that their papers and configs give, each with its source",
            "models", "", "", ""},
    Catalog{"accelerators", "GPUs and TPUs: FLOP/s, memory, links, measured constants, each with its source",
            "gpus", "", "", ""},
    Catalog{"clusters", "Clusters: nodes, networks, prices, each with its source", "clusters", "", "", ""},
    Catalog{"software", "Training software by release: what it overlaps, its kernels, its memory", "software",
            "", "", ""},
    Catalog{"glossary", "Terms of large-scale training with definition, formula and source", "",
            "study/glossary.json", "terms", ""},
    Catalog{"lessons", "The course: lessons with the engine's numbers in their texts", "", "", "", "lesson"}};

constexpr std::string_view kScheme = "ringside://";
constexpr const char* kJson = "application/json";

std::string address_of(const Catalog& catalog)
{
    return fmt::format("{}{}", kScheme, catalog.name);
}

std::string text_of(const json& document)
{
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

// A row of a collection's list.
json row_of(const Catalog& catalog, const std::string& id, const json& document)
{
    const json name = document.value("name", document.value("term", json(id)));
    return {{"id", id}, {"name", name}, {"uri", fmt::format("{}/{}", address_of(catalog), id)}};
}

// What the rows are made of: the id and document of each.
Result<std::vector<std::pair<std::string, json>>> entries_of(const Catalog& catalog,
                                                             const std::filesystem::path& assets)
{
    std::vector<std::pair<std::string, json>> entries;
    if (!catalog.file.empty())
    {
        const auto file = read_json_file(assets / catalog.file);
        if (!file)
        {
            return file.issues();
        }
        for (const json& entry : file->value(std::string(catalog.list), json::array()))
        {
            entries.emplace_back(entry.value("id", ""), entry);
        }
        return entries;
    }
    for (const std::filesystem::path& path : json_files(assets / catalog.folder))
    {
        const auto document = read_json_file(path);
        if (document && document->is_object())
        {
            entries.emplace_back(path.stem().string(), *document);
        }
    }
    return entries;
}

Result<std::string> from_command(const Program& program, const Catalog& catalog, const std::string& id)
{
    std::vector<std::string> words{std::string(catalog.command), id.empty() ? "list" : "show"};
    words.insert(words.end(), id.empty() ? 0 : 1, "--");
    words.insert(words.end(), id.empty() ? 0 : 1, id);
    const ServedAnswer answer = run_served(program, words, "", true);
    return answer.status == kDone ? Result<std::string>(answer.out) : Issue{"uri", answer.errors, ""};
}

Result<std::string> from_assets(const Program& program, const Catalog& catalog, const std::string& id)
{
    const auto assets = attempted([&] { return find_assets(program.assets); });
    const auto entries = assets ? entries_of(catalog, *assets) : assets.issues();
    if (!entries)
    {
        return entries.issues();
    }
    if (id.empty())
    {
        json rows = json::array();
        for (const auto& [entry, document] : *entries)
        {
            rows.push_back(row_of(catalog, entry, document));
        }
        return text_of({{std::string(catalog.name), std::move(rows)}});
    }
    const auto found = std::ranges::find(*entries, id, [](const auto& entry) { return entry.first; });
    if (found != entries->end())
    {
        return text_of(found->second);
    }
    const auto ids = list_of<std::string>(*entries, [](const auto& entry) { return entry.first; });
    return unknown_word("uri", fmt::format("{} ", catalog.name), id, ids);
}

} // namespace

json mcp_resource_list()
{
    return json_list(kCatalogs,
                     [](const Catalog& catalog) -> json
                     {
                         return {{"uri", address_of(catalog)},
                                 {"name", catalog.name},
                                 {"description", catalog.about},
                                 {"mimeType", kJson}};
                     });
}

json mcp_resource_template_list()
{
    return json_list(kCatalogs,
                     [](const Catalog& catalog) -> json
                     {
                         return {{"uriTemplate", address_of(catalog) + "/{id}"},
                                 {"name", catalog.name},
                                 {"description", fmt::format("One of {}, by its id", address_of(catalog))},
                                 {"mimeType", kJson}};
                     });
}

Result<std::string> mcp_resource(const Program& program, std::string_view address)
{
    const std::string_view path =
        address.starts_with(kScheme) ? address.substr(kScheme.size()) : std::string_view();
    const std::size_t end = std::min(path.find('/'), path.size());
    const auto catalog = std::ranges::find(kCatalogs, path.substr(0, end), &Catalog::name);
    if (catalog == kCatalogs.end())
    {
        return Issue{"uri", fmt::format("there is no \u201c{}\u201d", shortened(address)),
                     "resources/list has those there are"};
    }
    const std::string id(path.substr(std::min(end + 1, path.size())));
    return catalog->command.empty() ? from_assets(program, *catalog, id)
                                    : from_command(program, *catalog, id);
}

} // namespace ringside
