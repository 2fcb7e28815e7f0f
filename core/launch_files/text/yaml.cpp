// YAML by yaml-cpp, whose exceptions end here. Plain scalars are what PyYAML makes of them; aliases are
// copies, as many as are bearable.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "core/base/json/json_text.h"
#include "core/launch_files/source.h"

#include <array>

namespace ringside
{

namespace
{

constexpr int kMostDeep = 64;
constexpr std::size_t kMostNodes = 200'000;

class YamlTree
{
public:
    explicit YamlTree(std::string file) : file_(std::move(file)) {}

    nlohmann::json tree(const YAML::Node& node, const std::string& path, int depth)
    {
        if (++nodes_ > kMostNodes || depth > kMostDeep)
        {
            too_much_ = true;
            return nullptr;
        }
        const YAML::Mark mark = node.Mark();
        places_[path] = {file_, mark.line + 1, mark.column + 1};
        if (node.IsMap())
        {
            return map(node, path, depth);
        }
        if (node.IsSequence())
        {
            auto list = nlohmann::json::array();
            for (const auto& entry : node)
            {
                list.push_back(tree(entry, path, depth + 1));
                if (too_much_)
                {
                    break;
                }
            }
            return list;
        }
        return node.IsScalar() ? scalar(node) : nlohmann::json();
    }

    bool too_much() const { return too_much_; }
    FilePlace place(const std::string& path) const
    {
        const auto found = places_.find(path);
        return found == places_.end() ? FilePlace{file_} : found->second;
    }

private:
    nlohmann::json map(const YAML::Node& node, const std::string& path, int depth)
    {
        auto object = nlohmann::json::object();
        for (const auto& entry : node)
        {
            const YAML::Node& key = entry.first;
            const YAML::Node& value = entry.second;
            const std::string name = key.IsScalar() ? key.Scalar() : std::string();
            if (name == "<<" && value.IsMap())
            {
                const nlohmann::json merged = map(value, path, depth + 1);
                for (const auto& [inner, content] : merged.items())
                {
                    object.emplace(inner, content);
                }
                continue;
            }
            const std::string below = path.empty() ? name : path + "." + name;
            object[name] = tree(value, below, depth + 1);
            places_[below] = {file_, key.Mark().line + 1, key.Mark().column + 1};
            if (too_much_)
            {
                break;
            }
        }
        return object;
    }

    static nlohmann::json scalar(const YAML::Node& node)
    {
        const std::string& text = node.Scalar();
        if (node.Tag() == "!") // quoted
        {
            return text;
        }
        constexpr std::array<std::string_view, 6> kTrue{"yes", "Yes", "on", "On", "TRUE", "YES"};
        constexpr std::array<std::string_view, 6> kFalse{"no", "No", "off", "Off", "FALSE", "NO"};
        if (std::ranges::find(kTrue, text) != kTrue.end())
        {
            return true;
        }
        if (std::ranges::find(kFalse, text) != kFalse.end())
        {
            return false;
        }
        return text.empty() ? nlohmann::json() : typed(std::string_view(text));
    }

    std::string file_;
    std::map<std::string, FilePlace> places_;
    std::size_t nodes_ = 0;
    bool too_much_ = false;
};

} // namespace

Result<LaunchSource> read_yaml(std::string_view text, const std::string& file)
try
{
    const YAML::Node node = YAML::Load(std::string(text));
    if (!node.IsMap())
    {
        return Issue{"", "this YAML has no settings", "a launch file begins with a name and a colon"};
    }
    YamlTree reader(file);
    LaunchSource source{.format = SourceFormat::yaml, .file = file, .tree = reader.tree(node, "", 0)};
    if (reader.too_much())
    {
        return Issue{"",
                     fmt::format("has more than {} values, or more than {} levels", kMostNodes, kMostDeep),
                     "give the part that starts the training"};
    }
    add_leaves(
        source.tree, "", [&](const std::string& path) { return reader.place(path); }, source.settings);
    return source;
}
catch (const YAML::Exception& fault)
{
    return Issue{fmt::format("line {}, column {}", fault.mark.line + 1, fault.mark.column + 1),
                 "not YAML: " + fault.msg, "mend that line"};
}

} // namespace ringside
