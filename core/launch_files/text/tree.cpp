// JSON launch files, and the leaves of every tree.
#include <fmt/format.h>

#include "core/base/json/json_text.h"
#include "core/launch_files/source.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Where the names of a JSON text stand, found by looking for them in their order.
class NamePlaces
{
public:
    NamePlaces(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    FilePlace operator()(const std::string& path)
    {
        std::size_t at = 0;
        std::size_t begin = 0;
        while (begin <= path.size() && at != std::string_view::npos)
        {
            const std::size_t end = std::min(path.find('.', begin), path.size());
            at = text_.find("\"" + path.substr(begin, end - begin) + "\"", at);
            begin = end + 1;
        }
        return at == std::string_view::npos ? FilePlace{file_} : place(at);
    }

private:
    // Names are asked for in their order, so lines are counted on from the last one.
    FilePlace place(std::size_t at)
    {
        if (at < seen_)
        {
            seen_ = line_start_ = 0;
            line_ = 1;
        }
        for (; seen_ < at; ++seen_)
        {
            if (text_[seen_] == '\n')
            {
                ++line_;
                line_start_ = seen_ + 1;
            }
        }
        return {file_, line_, static_cast<int>(at - line_start_) + 1};
    }

    std::string_view text_;
    std::string file_;
    std::size_t seen_ = 0;
    std::size_t line_start_ = 0;
    int line_ = 1;
};

} // namespace

namespace
{

// Megatron's tests keep NeMo's overrides among arguments, "trainer.strategy.tensor_model_parallel_size"; the
// last part is the argument's name.
std::string option_of_override(std::string_view name)
{
    const std::string_view last = name.substr(name.rfind('.') + 1);
    std::string option = fmt::format("--{}", last == "max_steps"         ? "train-iters"
                                             : last == "num_moe_experts" ? "num-experts"
                                                                         : last);
    std::ranges::replace(option, '_', '-');
    return option;
}

} // namespace

void add_leaves(const nlohmann::json& tree, const std::string& path,
                const std::function<FilePlace(const std::string&)>& place_of, SettingList& settings)
{
    for (const auto& [name, value] : tree.items())
    {
        const std::string at = path.empty() ? name : path + "." + name;
        const bool is_option = name.starts_with("--"); // wherever a file keeps its options
        const bool is_override = !is_option && path == "MODEL_ARGS" && name.find('.') != std::string::npos;
        if (settings.all().size() >= SettingList::kMost)
        {
            return;
        }
        if (value.is_object() && !value.empty())
        {
            add_leaves(value, at, place_of, settings);
        }
        else
        {
            settings.add({is_option     ? name
                          : is_override ? option_of_override(name)
                                        : at,
                          value, place_of(at)});
        }
    }
}

Result<LaunchSource> read_json_source(std::string_view text, const std::string& file)
{
    auto tree = parse_json(text);
    if (!tree)
    {
        return tree.issues();
    }
    if (!tree->is_object())
    {
        return Issue{"", shown(*tree) + " has no settings", "a launch file is an object: {\"name\": value}"};
    }
    LaunchSource source{.format = SourceFormat::json, .file = file, .tree = std::move(*tree)};
    NamePlaces places(text, file);
    const bool small = text.size() < 65'536; // looking for each name takes as long as the text
    add_leaves(
        source.tree, "", [&](const std::string& path) { return small ? places(path) : FilePlace{file}; },
        source.settings);
    return source;
}

} // namespace ringside
