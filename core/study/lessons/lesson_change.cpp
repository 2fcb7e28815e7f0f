#include "core/study/lessons/lesson_change.h"

#include <fmt/format.h>

#include "core/scenario/json/json.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

bool is_below(std::string_view path, std::string_view folder)
{
    return path == folder || (path.starts_with(folder) && path[folder.size()] == '.');
}

} // namespace

Result<Scenario> with_sets(const Scenario& scenario, const json& sets, const Presets& presets,
                           const std::string& path)
{
    if (sets.empty())
    {
        return scenario;
    }
    json document = to_json(scenario, presets);
    Issues issues;
    for (const auto& [name, value] : sets.items())
    {
        add_below(issues, set_path(document, fmt::format("{}={}", name, value.dump())), path);
    }
    auto read = issues.empty() ? scenario_from_json(document, presets) : Result<Scenario>(issues);
    if (!read && issues.empty())
    {
        add_below(issues, read.issues(), path);
        return issues;
    }
    return read;
}

std::vector<std::string> changed_paths(const Scenario& from, const Scenario& to, const Presets& presets)
{
    const json one = to_json(from, presets);
    const json other = to_json(to, presets);
    std::vector<std::string> changed;
    const auto compare = [&](const auto& self, const json& a, const json& b, const std::string& path) -> void
    {
        if (a == b)
        {
            return;
        }
        if (!a.is_object() || !b.is_object())
        {
            changed.push_back(path);
            return;
        }
        json all = a;
        all.update(b);
        const std::string before = path.empty() ? "" : path + ".";
        for (const auto& [key, unused] : all.items())
        {
            self(self, a.value(key, json()), b.value(key, json()), before + key);
        }
    };
    compare(compare, one, other, "");
    return changed;
}

bool may_change(const Scenario& from, const Scenario& to, const std::vector<std::string>& free,
                const Presets& presets)
{
    const auto is_free = [&](const std::string& path)
    {
        return std::ranges::any_of(free, [&](const std::string& f)
                                   { return is_below(path, f) || is_below(f, path); });
    };
    const bool any_model = std::ranges::find(free, "model") != free.end();
    const auto follows = [&](const std::string& path)
    {
        return path == "parallel.stage_layers" || path == "parallel.chunks" ||
               path == "cluster.node_link_gb_per_s" ||
               (any_model && (is_below(path, "parallel") || path == "training.micro_batch" ||
                              path == "training.global_batch"));
    };
    const auto changed = changed_paths(from, to, presets);
    return std::ranges::any_of(changed, is_free) &&
           std::ranges::all_of(changed,
                               [&](const std::string& path) { return is_free(path) || follows(path); });
}

} // namespace ringside
