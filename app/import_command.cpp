#include "app/import_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "core/base/text.h"
#include "core/engine/weights.h"
#include "core/scenario/hugging_face.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <cctype>

namespace ringside
{

namespace
{

using nlohmann::json;

json to_json(const Issues& issues)
{
    json list = json::array();
    for (const Issue& issue : issues)
    {
        list.push_back({{"path", issue.path}, {"message", issue.message}, {"hint", issue.hint}});
    }
    return list;
}

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
        std::vector<std::string> notes;
        for (const Issue& note : read.notes)
        {
            notes.push_back(to_line(note));
        }
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
            {"notes", to_json(read.notes)}};
}

void print_answer(const HuggingFaceModel& read, const ModelPreset* preset)
{
    const ParameterCount count = count_parameters(read.model);
    say("{} ({}): {} parameters", read.model.name, read.model_type, grouped(count.total));
    say("{}\n",
        count.active == count.total ? "" : fmt::format(", {} of them for a token", grouped(count.active)));
    if (preset != nullptr)
    {
        say("the shape of the preset {}{}\n", preset->model.preset,
            preset->published_parameters == count.total ? ", whose published count it meets" : "");
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
        say("\nleft out, so the library's default: {}\n", fmt::join(read.defaults, ", "));
    }
}

// JSON holds text only, and file names and arguments are any bytes.
Issues name_faults(const ImportOptions& options)
{
    Issues issues;
    if (!is_utf8(options.name))
    {
        issues.push_back({"--name", fmt::format("{:?} is not UTF-8", options.name), "type a name in UTF-8"});
    }
    if (const std::string id = std::filesystem::path(options.output).stem().string(); !is_utf8(id))
    {
        issues.push_back({"--output", fmt::format("{:?} is not UTF-8", id),
                          "the id of the model is the name of its file: use letters and digits"});
    }
    return issues;
}

} // namespace

int run_import_hf(const CommonOptions& common, const ImportOptions& options)
{
    if (const Issues issues = name_faults(options); !issues.empty())
    {
        return print_faults(issues);
    }
    if (common.json && is_standard_output(options.output))
    {
        return print_faults({{"--output", "- is standard output, which --json goes to as well",
                              "give a file, or leave --json out"}});
    }
    const auto text = read_text(options.file, kMaxConfigBytes);
    if (!text)
    {
        return print_faults(text.issues());
    }
    auto read = hugging_face_model_from_text(*text);
    if (!read)
    {
        return print_faults(read.issues(), options.file);
    }
    if (!options.name.empty())
    {
        read->model.name = options.name;
    }
    if (!options.output.empty())
    {
        const Issues issues =
            save_text(options.output, preset_json(*read, id_for(options, *read)).dump(2) + "\n");
        if (!issues.empty())
        {
            return print_faults(issues);
        }
    }
    if (is_standard_output(options.output))
    {
        print_faults(read->notes, options.file);
        return kDone;
    }
    const auto opened = open_presets(common);
    const ModelPreset* preset = opened ? preset_of_shape(read->model, opened->presets) : nullptr;
    if (common.json)
    {
        fmt::print("{}\n", answer_json(*read, preset).dump(2));
        return kDone;
    }
    print_faults(read->notes, options.file);
    print_answer(*read, preset);
    return kDone;
}

} // namespace ringside
