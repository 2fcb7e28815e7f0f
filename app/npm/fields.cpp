#include "app/npm/fields.h"

#include "app/commands/console/options.h"
#include "core/scenario/fields.h"
#include "core/scenario/json/json.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

struct FieldsOptions : CommonOptions
{
    std::string scenario; // file
    std::vector<std::string> sets;
    std::vector<std::string> paths; // "parallel.pipeline"
};

// What a control of it is: a switch, a choice, or a number with a slider's range where it has one. Lists have
// none.
template <class S>
json control_of(const S& part, const Field<S>& field)
{
    json out{{"label", field.label}, {"unit", field.unit}, {"says", field.says}};
    const auto describe = [&](const auto& member)
    {
        using M = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<M, Choice<S>>)
        {
            out["choices"] = member.names;
            out["value"] = member.names[static_cast<std::size_t>(member.get(part))];
        }
        else if constexpr (std::is_same_v<M, bool S::*>)
        {
            out["value"] = part.*member;
        }
        else if constexpr (std::is_same_v<M, std::int64_t S::*> || std::is_same_v<M, double S::*>)
        {
            out["value"] = part.*member;
            out["whole"] = std::is_same_v<M, std::int64_t S::*>;
            const FieldSlide all{field.least, field.most, 0, false};
            const FieldSlide& slide = field.slide ? *field.slide : all;
            out.update({{"least", field.least},
                        {"most", field.most},
                        {"low", slide.low},
                        {"high", slide.high},
                        {"step", slide.step}});
        }
    };
    std::visit(describe, field.member);
    return out.contains("value") ? out : json();
}

json controls_of(const Scenario& scenario, const std::vector<std::string>& paths)
{
    auto found = json::object();
    each_section(scenario,
                 [&](const std::string& section, const auto& part)
                 {
                     for (const auto& field : fields_of(part))
                     {
                         const std::string path = section + "." + std::string(field.name);
                         if (std::ranges::find(paths, path) != paths.end())
                         {
                             found[path] = control_of(part, field);
                         }
                     }
                 });
    return found;
}

int run_fields(const FieldsOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const Scenario scenario = read_scenario(o.scenario, o.sets, presets);
    const json found = controls_of(scenario, o.paths);
    auto controls = json::array();
    for (const std::string& path : o.paths)
    {
        end_with(found.contains(path) && found[path].is_object()
                     ? Issues()
                     : Issues{{path, "is no field with a control",
                               "name a number, a switch or a choice, as parallel.pipeline"}});
        controls.push_back(found[path]);
        controls.back()["path"] = path;
    }
    print_document({{"scenario", to_json(scenario, presets)}, {"controls", controls}});
    return kDone;
}

void add_fields_options(CLI::App& app, FieldsOptions& o)
{
    add_scenario_file(app, o.scenario);
    add_scenario_sets(app, o.sets);
    app.add_option("--control", o.paths, "field to describe, as parallel.pipeline");
    add_json(app, o);
}

} // namespace

const CliCommand fields_command = command<add_fields_options, run_fields>(
    "fields", "a scenario in full, and what controls of its fields need");

} // namespace ringside
