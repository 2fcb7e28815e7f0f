// The command of a shell script that starts the training, and the lines for SLURM above it.
#include "core/base/json/json_text.h"
#include "core/base/text/text.h"
#include "core/launch_files/shell/shell_run.h"
#include "core/launch_files/source.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

struct Launcher
{
    std::string_view program; // as it is called in a script
    std::string_view name;    // as its settings begin
};
constexpr std::array kLaunchers{
    Launcher{"torchrun", "torchrun"},
    Launcher{"torch.distributed.run", "torchrun"},
    Launcher{"torch.distributed.launch", "torchrun"},
    Launcher{"deepspeed", "deepspeed"},
    Launcher{"srun", "srun"},
    Launcher{"mpirun", "mpirun"},
    Launcher{"mpiexec", "mpirun"},
    Launcher{"accelerate", "accelerate"},
    Launcher{"sbatch", "sbatch"},
};

struct ShortOption
{
    std::string_view launcher;
    std::string_view option;
    std::string_view name;
};
constexpr std::array kShortOptions{
    ShortOption{"sbatch", "-N", "--nodes"}, ShortOption{"sbatch", "-n", "--ntasks"},
    ShortOption{"sbatch", "-G", "--gpus"},  ShortOption{"srun", "-N", "--nodes"},
    ShortOption{"srun", "-n", "--ntasks"},  ShortOption{"srun", "-G", "--gpus"},
    ShortOption{"mpirun", "-np", "-np"},    ShortOption{"mpirun", "-n", "-n"},
};

std::string_view base_of(std::string_view path)
{
    return path.substr(path.find_last_of('/') + 1);
}

bool is_launch_option(std::string_view word)
{
    return word.size() > 2 && word.starts_with("--") &&
           std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

const Launcher* launcher_of(std::string_view word)
{
    const auto found = std::ranges::find(kLaunchers, base_of(word), &Launcher::program);
    return found == kLaunchers.end() ? nullptr : &*found;
}

// "trainer.num_nodes=4", as Hydra and MaxText take them.
std::size_t assignment(std::string_view word)
{
    const std::size_t begin = std::min(word.find_first_not_of("+~"), word.size());
    if (begin == word.size() ||
        (std::isalpha(static_cast<unsigned char>(word[begin])) == 0 && word[begin] != '_'))
    {
        return 0;
    }
    const std::size_t equals = word.find('=');
    const bool name = equals != std::string_view::npos &&
                      std::ranges::all_of(word.substr(begin, equals - begin),
                                          [](char c) {
                                              return c == '_' || c == '.' || c == '-' || c == '/' ||
                                                     std::isalnum(static_cast<unsigned char>(c)) != 0;
                                          });
    return name ? equals : 0;
}

// Where options stand in a script, which its variables do not remember: the last place of each.
class OptionPlaces
{
public:
    OptionPlaces(std::string_view text, const std::string& file)
    {
        int line = 1;
        for (std::size_t begin = 0; begin < text.size(); ++line)
        {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            const std::string_view row = text.substr(begin, end - begin);
            const std::size_t first = row.find_first_not_of(" \t");
            for (std::size_t at = row.find("--"); at != std::string_view::npos && row[first] != '#';)
            {
                std::size_t stop = at + 2;
                while (stop < row.size() && (std::isalnum(static_cast<unsigned char>(row[stop])) != 0 ||
                                             row[stop] == '-' || row[stop] == '_' || row[stop] == '.'))
                {
                    ++stop;
                }
                places_[std::string(row.substr(at, stop - at))] = {file, line, static_cast<int>(at) + 1};
                at = row.find("--", stop);
            }
            begin = end + 1;
        }
    }
    FilePlace of(const std::string& option, const FilePlace& otherwise) const
    {
        const auto found = places_.find(option);
        return found == places_.end() ? otherwise : found->second;
    }

private:
    std::map<std::string, FilePlace, std::less<>> places_;
};

// Words of a program's arguments as settings: an option takes what follows it up to the next.
class ArgumentReader
{
public:
    explicit ArgumentReader(const OptionPlaces& places) : places_(places) {}

    void add(const ShellField& word)
    {
        const bool is_unknown_alone = !word.unknown.empty() && word.text.starts_with("${") &&
                                      word.text.find('}') + 1 == word.text.size();
        if (is_launch_option(word.text) && !is_unknown_alone)
        {
            close();
            const std::size_t equals = word.text.find('=');
            open_ = Setting{word.text.substr(0, equals), true, {}, word.unknown};
            open_->place = places_.of(open_->name, word.place);
            if (equals != std::string::npos)
            {
                open_->value = word.text.substr(equals + 1);
                close();
            }
            return;
        }
        if (is_unknown_alone && (!open_ || open_->value != true))
        {
            return; // arguments that only a run has
        }
        const std::size_t equals = assignment(word.text);
        if (equals > 0 && (!open_ || open_->value != true))
        {
            close();
            const std::size_t begin = word.text.find_first_not_of("+~");
            settings.add({word.text.substr(begin, equals - begin),
                          typed(std::string_view(word.text).substr(equals + 1)), word.place, word.unknown});
            return;
        }
        if (!open_)
        {
            return;
        }
        if (open_->value == true)
        {
            open_->value = word.text;
        }
        else if (open_->value.is_array())
        {
            open_->value.push_back(word.text);
        }
        else
        {
            open_->value = nlohmann::json::array({open_->value, word.text});
        }
        open_->unknown = open_->unknown.empty() ? word.unknown : open_->unknown;
    }
    void close()
    {
        if (open_)
        {
            settings.add(std::move(*open_));
        }
        open_.reset();
    }

    SettingList settings;

private:
    const OptionPlaces& places_;
    std::optional<Setting> open_;
};

// deepspeed --include "node1:0,1@node2:0,1": as hosts and GPUs of one.
void add_included(const Setting& include, SettingList& launcher)
{
    const std::string hosts = plain_text(include.value);
    const std::string first = hosts.substr(0, hosts.find('@'));
    const auto colon = first.find(':');
    const auto nodes = static_cast<std::int64_t>(1 + std::ranges::count(hosts, '@'));
    launcher.add({"deepspeed --num-nodes", nodes, include.place, include.unknown});
    if (colon != std::string::npos)
    {
        const auto gpus = static_cast<std::int64_t>(
            1 + std::count(first.begin() + static_cast<std::ptrdiff_t>(colon), first.end(), ','));
        launcher.add({"deepspeed --num-gpus", gpus, include.place, include.unknown});
    }
}

class LaunchLineReader
{
public:
    LaunchLineReader(std::string_view text, LaunchSource& source)
        : places_(text, source.file), source_(source)
    {
    }

    // Takes the command with the most options; of as many, the later one.
    void take(const std::vector<ShellCommand>& commands)
    {
        const ShellCommand* best = nullptr;
        std::ptrdiff_t most = 0;
        for (const ShellCommand& command : commands)
        {
            const std::ptrdiff_t options =
                std::ranges::count_if(command.words, [](const ShellField& word)
                                      { return is_launch_option(word.text) || assignment(word.text) > 0; }) +
                (starts(command) ? 1 : 0);
            if (options > 0 && options >= most)
            {
                best = &command;
                most = options;
            }
        }
        if (best != nullptr)
        {
            read(best->words);
        }
    }

private:
    static bool starts(const ShellCommand& command)
    {
        return std::ranges::any_of(command.words,
                                   [](const ShellField& word) {
                                       return launcher_of(word.text) != nullptr || word.text.ends_with(".py");
                                   });
    }

    void read(const std::vector<ShellField>& words)
    {
        std::size_t i = before_program(words);
        ArgumentReader arguments(places_);
        for (; i < words.size(); ++i)
        {
            if (words[i].text == "--" || words[i].text == "&" || words[i].text == "|")
            {
                continue;
            }
            arguments.add(words[i]);
        }
        arguments.close();
        source_.settings.add(arguments.settings);
    }

    // Reads the launchers and finds the program; the place of its first argument.
    std::size_t before_program(const std::vector<ShellField>& words)
    {
        if (is_launch_option(words[0].text))
        {
            return 0; // arguments alone
        }
        const Launcher* launcher = nullptr;
        for (std::size_t i = 0; i < words.size(); ++i)
        {
            const std::string& word = words[i].text;
            if (const Launcher* next = launcher_of(word))
            {
                launcher = next;
                continue;
            }
            const bool serves = i + 1 < words.size() && words[i + 1].text == "serve"; // "vllm serve"
            if (serves || word.ends_with("-serve"))
            {
                source_.entry = std::string(base_of(word)) + (serves ? " serve" : "");
                return i + (serves ? 2 : 1);
            }
            const bool module =
                word == "-m" && i + 1 < words.size() && launcher_of(words[i + 1].text) == nullptr;
            if (word.ends_with(".py") || word.ends_with(".sh") || module)
            {
                source_.entry = module ? words[i + 1].text : word;
                return i + (module ? 2 : 1);
            }
            if (launcher != nullptr && word.starts_with("-") && word != "-m")
            {
                i += launcher_option(*launcher, words, i);
            }
        }
        return launcher == nullptr ? 1 : words.size();
    }

    // How many words beside this one belong to it.
    std::size_t launcher_option(const Launcher& launcher, const std::vector<ShellField>& words, std::size_t i)
    {
        const std::string& word = words[i].text;
        const std::size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        const auto brief = std::ranges::find_if(kShortOptions, [&](const ShortOption& o)
                                                { return o.launcher == launcher.name && o.option == name; });
        name = brief == kShortOptions.end() ? name : std::string(brief->name);
        std::replace(name.begin(), name.end(), '_', '-');
        Setting setting{std::string(launcher.name) + " " + name, true,
                        places_.of(word.substr(0, equals), words[i].place), words[i].unknown};
        std::size_t taken = 0;
        if (equals != std::string::npos)
        {
            setting.value = word.substr(equals + 1);
        }
        else if (i + 1 < words.size() && !words[i + 1].text.starts_with("-") &&
                 !words[i + 1].text.ends_with(".py"))
        {
            setting.value = words[i + 1].text;
            setting.unknown = words[i + 1].unknown;
            taken = 1;
        }
        if (setting.name == "deepspeed --include")
        {
            add_included(setting, source_.launcher);
        }
        source_.launcher.add(std::move(setting));
        return taken;
    }

    OptionPlaces places_;
    LaunchSource& source_;
};

// "#SBATCH --nodes=48" as settings of sbatch.
void read_sbatch(std::string_view text, const std::string& file, SettingList& launcher)
{
    int line = 1;
    for (std::size_t begin = 0; begin < text.size(); ++line)
    {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view row = text.substr(begin, end - begin);
        begin = end + 1;
        if (!row.starts_with("#SBATCH"))
        {
            continue;
        }
        row.remove_prefix(7);
        row = row.substr(0, row.find(" #"));
        std::vector<std::string> words;
        for (std::size_t at = row.find_first_not_of(" \t\r="); at != std::string_view::npos;
             at = row.find_first_not_of(" \t\r=", at))
        {
            const std::size_t stop = std::min(row.find_first_of(" \t\r=", at), row.size());
            words.emplace_back(row.substr(at, stop - at));
            at = stop;
        }
        if (words.size() >= 2)
        {
            const auto brief =
                std::ranges::find_if(kShortOptions, [&](const ShortOption& o)
                                     { return o.launcher == "sbatch" && o.option == words[0]; });
            const std::string name = brief == kShortOptions.end() ? words[0] : std::string(brief->name);
            launcher.add({"sbatch " + name, words[1], {file, line, 1}});
        }
    }
}

// What SLURM sets by its own lines.
std::map<std::string, std::string> slurm_environment(const SettingList& launcher)
{
    std::map<std::string, std::string> environment;
    const auto set = [&](std::string_view option, std::initializer_list<const char*> names)
    {
        if (const Setting* setting = launcher.find(option))
        {
            const std::string text = plain_text(setting->value);
            for (const char* name : names)
            {
                environment[name] = text.substr(text.find_last_of(':') + 1);
            }
        }
    };
    set("sbatch --nodes", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"});
    set("sbatch --ntasks", {"SLURM_NTASKS", "SLURM_NPROCS"});
    set("sbatch --ntasks-per-node", {"SLURM_NTASKS_PER_NODE"});
    set("sbatch --gres", {"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"});
    set("sbatch --gpus-per-node", {"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"});
    return environment;
}

// Commands inside bash -c "...", in place of it.
void open_quotes(std::vector<ShellCommand>& commands)
{
    for (std::size_t n = 0; n < commands.size() && commands.size() < 4'000; ++n)
    {
        for (std::size_t i = 2; i < commands[n].words.size(); ++i)
        {
            const std::string_view shell = base_of(commands[n].words[i - 2].text);
            const std::string_view option = commands[n].words[i - 1].text;
            if ((shell == "bash" || shell == "sh") && option.starts_with("-") && option.ends_with("c"))
            {
                const std::string inside = commands[n].words[i].text;
                std::vector<ShellField> front(commands[n].words.begin(),
                                              commands[n].words.begin() + static_cast<std::ptrdiff_t>(i) - 2);
                ShellResult inner = run_shell(inside, commands[n].words[i].place.file, {}, {});
                for (ShellCommand& command : inner.commands)
                {
                    command.words.insert(command.words.begin(), front.begin(), front.end());
                    commands.push_back(std::move(command));
                }
                break;
            }
        }
    }
}

} // namespace

Result<LaunchSource> read_shell(std::string_view text, const std::string& file,
                                const std::vector<std::string>& arguments)
{
    LaunchSource source{.format = SourceFormat::shell, .file = file};
    read_sbatch(text, file, source.launcher);
    ShellResult result = run_shell(text, file, arguments, slurm_environment(source.launcher));
    source.messages = std::move(result.messages);
    auto& commands = result.commands;
    const bool options_alone =
        !commands.empty() && std::ranges::all_of(commands, [](const ShellCommand& command)
                                                 { return is_launch_option(command.words[0].text); });
    if (options_alone)
    {
        source.format = SourceFormat::arguments;
        for (std::size_t i = 1; i < commands.size(); ++i)
        {
            std::ranges::move(commands[i].words, std::back_inserter(commands[0].words));
        }
        commands.resize(1);
    }
    open_quotes(commands);
    LaunchLineReader(text, source).take(commands);
    for (const std::string& here : result.heres)
    {
        const std::size_t first = here.find_first_not_of(" \t\r\n");
        if (first != std::string::npos && here[first] == '{')
        {
            if (const auto json = read_json_source(here, file))
            {
                source.settings.add(json->settings);
                source.tree = json->tree;
            }
        }
    }
    return source;
}

} // namespace ringside
