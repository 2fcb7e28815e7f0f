// `ringside import FILE...`: launch files of any framework as scenarios, and where each field comes from.
#include "app/commands/import_launch.h"

#include "app/commands/console/table.h"
#include "app/files/files.h"
#include "core/runs/run.h"
#include "core/scenario/json/json.h"

#include <algorithm>
#include <filesystem>

namespace ringside
{

namespace
{

constexpr std::size_t kMostFiles = 64; // of a folder

// Files of a folder by name, those in its folders not.
std::vector<std::string> files_in(const std::string& folder)
{
    std::vector<std::string> files;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
    {
        if (entry.is_regular_file(fault) && files.size() < kMostFiles)
        {
            files.push_back(entry.path().string());
        }
    }
    std::ranges::sort(files);
    return files;
}

void print_fields(const LaunchReading& reading, Basis from, const char* heading)
{
    TextTable table({{"", -30}, {"", -24}, {""}});
    std::size_t rows = 0;
    for (const ReadField& field : reading.fields)
    {
        if (field.from == from)
        {
            const std::string place = field.place.line > 0 ? to_text(field.place) + "  " : "";
            table.add(field.field, plain_text(field.value), place + field.by);
            ++rows;
        }
    }
    if (rows > 0)
    {
        say("{}\n{}\n", heading, table.text(" ", false, "  "));
    }
}

void print_reading(const LaunchReading& reading)
{
    say("{}\n\n", reading.name);
    print_fields(reading, Basis::stated, "stated by a setting");
    print_fields(reading, Basis::follows, "follows from defaults or other settings");
    print_fields(reading, Basis::guessed, "guessed: confirm or give it with --set");
    if (!reading.unsayable.empty())
    {
        TextTable table({{"", -44}, {""}});
        for (const UnsayableSetting& setting : reading.unsayable)
        {
            table.add(setting.setting, to_text(setting));
        }
        say("not modeled\n{}\n", table.text(" ", false, "  "));
    }
    for (const std::string& message : reading.messages)
    {
        say("note: {}\n", message);
    }
}

} // namespace

void add_launch_options(CLI::App& app, LaunchOptions& o)
{
    app.add_option("FILE", o.files,
                   "launch files and the files they refer to, or a folder of them; - for standard input");
    app.add_option("--arguments", o.arguments, "arguments of the shell script")->allow_extra_args();
    app.add_option("--command", o.command, "the command line that starts it, beside the files");
    app.add_option("--gpu", o.gpu, "id of the GPU");
    whole(app.add_option("--gpus", o.gpus, "GPUs; default: as the files say"), 1, 1 << 24);
    add_json(app, o);
}

LaunchReading read_launch(const LaunchOptions& o, const Presets& presets)
{
    // `import accelerate FILE`: as people call the program whose files these are.
    const auto named = std::ranges::find_if(
        presets.frameworks, [&](const Framework& f)
        { return o.kind.empty() && o.files.size() > 1 && std::ranges::count(f.also, o.files.front()) > 0; });
    const bool is_named = named != presets.frameworks.end();
    LaunchRequest request{.files = {},
                          .arguments = o.arguments,
                          .command = o.command,
                          .kind = is_named ? named->id : o.kind,
                          .gpu = o.gpu,
                          .gpus = o.gpus};
    for (const std::string& file : std::span(o.files).subspan(is_named ? 1 : 0))
    {
        const bool folder = std::filesystem::is_directory(file);
        for (const std::string& one : folder ? files_in(file) : std::vector<std::string>{file})
        {
            std::string text = or_end(read_text(one, {kMaxLaunchBytes}), one);
            const std::string run = kind_of_text(text).empty() ? kind_of_run(text) : "";
            if (run.empty())
            {
                request.files.push_back({one, std::move(text)});
            }
            else if (!folder)
            {
                throw BadInput({{one, "is " + run, "ringside import run FILE reads it"}});
            }
        }
    }
    if (request.files.empty() && request.command.empty())
    {
        throw BadInput({{"FILE", "is missing", "give a launch file, a config.json or a folder of them"}});
    }
    return or_end(read_launch_files(request, presets));
}

int run_import_launch(const LaunchOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const LaunchReading reading = read_launch(o, presets);
    const bool to_output = is_standard_output(o.output);
    if (!o.output.empty())
    {
        end_with(save_text(o.output, to_json(reading.scenario, presets).dump(2) + "\n"));
    }
    if (o.json)
    {
        print_document(to_json(reading, presets));
    }
    else if (!to_output)
    {
        print_reading(reading);
        print_faults(reading.issues);
    }
    return reading.starts() ? kDone : kNo;
}

} // namespace ringside
