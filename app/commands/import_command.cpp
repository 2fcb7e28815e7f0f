// `ringside import`: launch files of frameworks; `import hf`: a model's config.json from the Hugging Face hub
// as a shape of ours; `import run`: files of a training run; `import serving`: a serving engine's command.
#include "app/commands/import_launch.h"
#include "app/commands/import_run.h"
#include "app/files/files.h"
#include "core/base/text/text.h"
#include "core/launch_files/serving_command.h"
#include "core/model/weights.h"
#include "core/scenario/hugging_face/hugging_face.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/serving_json.h"

#include <cctype>

namespace ringside
{

namespace
{

using nlohmann::json;

struct ImportOptions : CommonOptions
{
    std::string file;   // config.json, or -
    std::string output; // a ringside.model/1 file to write; empty: none
    std::string name;   // of the model; empty: what the config calls itself
};

// The file that a folder of models takes; its id is the file's name.
json preset_json(const HuggingFaceModel& read, const std::string& id)
{
    json out{{"schema", "ringside.model/1"},
             {"id", id},
             {"name", read.model.name},
             {"family", read.family},
             {"source", fmt::format("config.json of the release, model_type {}", read.model_type)},
             {"shape", to_json(read.model)}};
    if (!read.notes.empty())
    {
        auto notes = list_of<std::string>(read.notes, [&](const Issue& note) { return to_line(note); });
        out["note"] = fmt::format("{}", fmt::join(notes, "; "));
    }
    return out;
}

// A model file is named after its id; on its way to standard output it has no name yet.
std::string id_for(const ImportOptions& options, const HuggingFaceModel& read)
{
    if (!is_standard_output(options.output))
    {
        return std::filesystem::path(options.output).stem().string();
    }
    std::string id;
    for (const char c : read.model.name)
    {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
        id += plain ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
    }
    return id.empty() ? "model" : id;
}

json answer_json(const HuggingFaceModel& read, const ModelPreset* preset)
{
    const ParameterCount count = count_parameters(read.model);
    return {{"model_type", read.model_type},
            {"family", read.family},
            {"name", read.model.name},
            {"parameters", count.total},
            {"active_parameters", count.active},
            {"preset", preset != nullptr ? json(preset->model.preset) : json()},
            {"model", to_json(read.model)},
            {"defaults", read.defaults},
            {"unread", read.unread},
            {"notes", issues_json(read.notes)}};
}

void print_answer(const HuggingFaceModel& read, const ModelPreset* preset)
{
    const ParameterCount count = count_parameters(read.model);
    say("{} ({}): {} parameters", read.model.name, read.model_type, grouped(count.total));
    say("{}\n",
        count.active == count.total ? "" : fmt::format(", {} active per token", grouped(count.active)));
    if (preset != nullptr)
    {
        say("same shape as the preset {}{}\n", preset->model.preset,
            preset->published_parameters == count.total ? ", with its published parameter count" : "");
    }
    say("\n");
    const json shape = to_json(read.model);
    const json plain = to_json(Model{}); // fields that say nothing here are left out
    for (const auto& [field, value] : shape.items())
    {
        if (value != plain[field] || field == "layers" || field == "heads")
        {
            say("  {:<22}{}\n", field, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    if (!read.defaults.empty())
    {
        say("\nnot given, so the library's default: {}\n", fmt::join(read.defaults, ", "));
    }
}

// JSON holds text only, and file names and arguments are any bytes.
Issues name_faults(const ImportOptions& options)
{
    Issues issues;
    add_if(issues, !is_utf8(options.name),
           {"--name", fmt::format("{:?} is not UTF-8", options.name), "type a name in UTF-8"});
    if (const std::string id = std::filesystem::path(options.output).stem().string(); !is_utf8(id))
    {
        issues.push_back({"--output", fmt::format("{:?} is not UTF-8", id),
                          "the id of the model is the name of its file: use letters and digits"});
    }
    return issues;
}

int run_import_hf(const ImportOptions& o)
{
    const bool to_output = is_standard_output(o.output);
    end_with(name_faults(o));
    if (o.json && to_output)
    {
        return print_faults({{"--output", "- is standard output, which --json goes to as well",
                              "give a file, or leave --json out"}});
    }
    HuggingFaceModel read =
        or_end(hugging_face_model_from_text(or_end(read_text(o.file, {kMaxConfigBytes}))), o.file);
    if (!o.name.empty())
    {
        read.model.name = o.name;
    }
    if (!o.output.empty())
    {
        end_with(save_text(o.output, preset_json(read, id_for(o, read)).dump(2) + "\n"));
    }
    if (!o.json || to_output)
    {
        print_faults(read.notes, o.file);
    }
    if (to_output)
    {
        return kDone;
    }
    const auto assets = find_assets(o.assets);
    const auto opened = assets ? std::optional(open_presets(o)) : std::nullopt;
    const bool whole = opened && read.unread.empty(); // else the shape may be another
    const ModelPreset* preset = whole ? preset_of_shape(read.model, opened->presets) : nullptr;
    if (o.json)
    {
        print_document(answer_json(read, preset));
        return kDone;
    }
    print_answer(read, preset);
    return kDone;
}

void add_hf_options(CLI::App& app, ImportOptions& o)
{
    app.add_option("CONFIG", o.file, "config.json, - for standard input")->required();
    app.add_option("-o,--output", o.output, "model file to write, for assets/models; - for standard output");
    app.add_option("--name", o.name, "name of the model; default: as in the config");
    add_json(app, o);
}

struct ServingImportOptions : CommonOptions
{
    std::vector<std::string> files;   // scripts that start an engine; of two the first prefills
    std::vector<std::string> options; // TensorRT-LLM's options files, one for each script
    std::string scenario;             // what commands do not say; empty: the defaults
};

int run_import_serving(const ServingImportOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    Scenario scenario = o.scenario.empty() ? Scenario() : read_scenario(o.scenario, {}, presets);
    std::vector<ServingCommand> commands;
    for (std::size_t i = 0; i < o.files.size(); ++i)
    {
        commands.push_back({{o.files[i], or_end(read_text(o.files[i], {kMaxLaunchBytes}))}});
        if (i < o.options.size())
        {
            commands.back().options = {o.options[i], or_end(read_text(o.options[i], {kMaxLaunchBytes}))};
        }
    }
    Serving usual;
    usual.traffic.concurrency = 64; // as where a scenario says nothing
    const Serving& base = scenario.serving ? *scenario.serving : usual;
    ServingReading read = or_end(read_serving_commands(commands, base, presets));
    for (const std::string& unread : read.unread)
    {
        warn("not read: {}\n", unread);
    }
    scenario.serving = std::make_shared<const Serving>(std::move(read.serving));
    print_document(o.scenario.empty() ? json{{"serving", serving_json(*scenario.serving, presets)}}
                                      : to_json(scenario, presets));
    return kDone;
}

void add_serving_options(CLI::App& app, ServingImportOptions& o)
{
    app.add_option("SCRIPT", o.files, "script of vllm serve, sglang.launch_server or trtllm-serve")
        ->required()
        ->expected(1, 2);
    app.add_option("--options", o.options, "options file of TensorRT-LLM, one per script")->expected(1, 2);
    app.add_option("--scenario", o.scenario, "scenario with what commands do not say: model, GPUs, traffic");
}

constexpr CliCommand kServing =
    command<add_serving_options, run_import_serving>("serving", "the command of a serving engine");

constexpr CliCommand kHuggingFace =
    command<add_hf_options, run_import_hf>("hf", "config.json of the Hugging Face Hub");

constexpr CliCommand kRun =
    command<add_run_options, run_import_run>("run", "logs, traces, snapshots and dumps of a training run");

void add_import_options(CLI::App& app, LaunchOptions& o)
{
    add_launch_options(app, o);
    app.add_option("-o,--output", o.output, "scenario file to write; - for standard output");
}

void add_kind(CLI::App& parent, Program& program, const LaunchKind& kind)
{
    const auto options = std::make_shared<LaunchOptions>();
    CLI::App& app = *parent.add_subcommand(std::string(kind.id), "import, as " + std::string(kind.name));
    add_import_options(app, *options);
    options->kind = kind.id;
    app.callback(
        [&program, options]
        {
            options->assets = program.assets;
            program.status = or_faults([&] { return run_import_launch(*options); });
        });
}

} // namespace

// `import FILE...`, and a command for each kind, which forces it.
const CliCommand import_command{"import", "import launch files and models of other programs",
                                [](const CliCommand& self, CLI::App& parent, Program& program)
                                {
                                    const auto options = std::make_shared<LaunchOptions>();
                                    CLI::App& app = *parent.add_subcommand(self.name, self.help);
                                    add_import_options(app, *options);
                                    app.require_subcommand(0, 1);
                                    app.callback(
                                        [&app, &program, options]
                                        {
                                            if (app.get_subcommands().empty())
                                            {
                                                options->assets = program.assets;
                                                program.status =
                                                    or_faults([&] { return run_import_launch(*options); });
                                            }
                                        });
                                    kHuggingFace.add(kHuggingFace, app, program);
                                    kRun.add(kRun, app, program);
                                    kServing.add(kServing, app, program);
                                    for (const LaunchKind& kind : launch_kinds())
                                    {
                                        add_kind(app, program, kind);
                                    }
                                }};

} // namespace ringside
