// Memory runs out at the n-th request for it, for n = 1, 2 ...: every command ends with a fault and status 2,
// or with its usual answer. At every other place it stays out until the command has ended; else later
// requests succeed. A program of its own, because it takes the place of operator new. usage:
// out_of_memory_test ASSETS [POINTS]
#include "tests/share.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands/console/misuse.h"
#include "app/commands/console/options.h"
#include "core/base/caught.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

namespace
{

constexpr unsigned kPatience = 120; // [s] of one run, which a lost exception would wait for ever
constexpr int kEveryFirst = 40;     // requests that fail one after the other, before they are spread
constexpr int kStatusOfBadInput = 2;

std::atomic<long> requests = 0;
std::atomic<long> failing = 0; // the request that fails; 0: none does
std::atomic<bool> for_good = false;

void* taken(std::size_t size)
{
    const long request = ++requests;
    if (request == failing || (for_good && failing > 0 && request > failing))
    {
        throw std::bad_alloc();
    }
    void* memory = std::malloc(std::max<std::size_t>(size, 1));
    return memory != nullptr ? memory : throw std::bad_alloc();
}

} // namespace

void* operator new(std::size_t size)
{
    return taken(size);
}
void* operator new[](std::size_t size)
{
    return taken(size);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace
{

using namespace ringside;

constexpr std::array kCommands{&evaluate_command, &search_command,   &import_command,
                               &export_command,   &schedule_command, &question_command};

// As main() does.
int run(std::vector<std::string> words)
{
    int status = kBadInput;
    const auto work = [&]
    {
        CLI::App app{"", "ringside"};
        Program program;
        app.add_option("--assets", program.assets, "");
        for (const CliCommand* command : kCommands)
        {
            command->add(*command, app, program);
        }
        const auto arguments =
            list_of<const char*>(words, [](const std::string& word) { return word.c_str(); });
        const auto refused = parse(app, static_cast<int>(arguments.size()), arguments.data());
        status = refused.value_or(program.status);
    };
    const auto thrown = caught(work);
    for_good = false; // what it held is free again
    if (thrown)
    {
        status = print_thrown(thrown);
    }
    return flushed(status);
}

struct Ended
{
    int status = 0; // of wait()
    std::string output;
    std::string faults;
    long requests = 0;
};

std::string text_of(std::FILE* file)
{
    std::string text;
    std::rewind(file);
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), file))
    {
        text.append(part.data(), size);
    }
    std::fclose(file);
    return text;
}

Ended ended(const std::vector<std::string>& words, long place, bool stays_out = false)
{
    std::array<std::FILE*, 3> files{std::tmpfile(), std::tmpfile(), std::tmpfile()};
    const pid_t child = fork();
    if (child == 0)
    {
        alarm(kPatience);
        dup2(fileno(files[0]), STDOUT_FILENO);
        dup2(fileno(files[1]), STDERR_FILENO);
        auto copy = words;
        requests = 0;
        failing = place;
        for_good = stays_out;
        const int status = run(std::move(copy));
        failing = 0;
        const long asked = requests;
        (void)write(fileno(files[2]), &asked, sizeof asked);
        _exit(status);
    }
    Ended end;
    waitpid(child, &end.status, 0);
    end.output = text_of(files[0]);
    end.faults = text_of(files[1]);
    const std::string asked = text_of(files[2]);
    std::copy_n(asked.data(), std::min(asked.size(), sizeof end.requests),
                reinterpret_cast<char*>(&end.requests));
    return end;
}

// Empty where it ended as it should.
std::string trouble_with(const Ended& end, const Ended& usual)
{
    if (!WIFEXITED(end.status))
    {
        return fmt::format("ended by signal {}", WTERMSIG(end.status));
    }
    if (end.status == usual.status && end.output == usual.output)
    {
        return {};
    }
    if (WEXITSTATUS(end.status) != kStatusOfBadInput)
    {
        return fmt::format("status {} and another answer", WEXITSTATUS(end.status));
    }
    const bool told =
        end.faults.find("memory: ") != std::string::npos && end.faults.find('(') != std::string::npos;
    return told ? "" : "status 2 without a fault of memory: " + end.faults;
}

int troubles_of(const std::vector<std::string>& words, int points)
{
    const Ended usual = ended(words, 0);
    if (!WIFEXITED(usual.status) || WEXITSTATUS(usual.status) != 0 || usual.requests < points)
    {
        fmt::print("{}: status {}, {} requests: {}\n", words[3], usual.status, usual.requests, usual.faults);
        return 1;
    }
    std::vector<long> places;
    for (int i = 1; i <= points; ++i)
    {
        if (test::is_in_share(static_cast<std::size_t>(i / 2)))
        {
            places.push_back(i <= kEveryFirst ? i
                                              : usual.requests * (i - kEveryFirst) / (points - kEveryFirst));
        }
    }
    int troubles = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
    {
        const bool stays_out = i % 2 == 1;
        const std::string trouble = trouble_with(ended(words, places[i], stays_out), usual);
        if (!trouble.empty() && ++troubles < 10)
        {
            fmt::print("{}: request {} of {} fails{}: {}\n", words[3], places[i], usual.requests,
                       stays_out ? ", and all that follow" : "", trouble);
        }
    }
    fmt::print("{}: {} requests, {} places tried, {} ended otherwise than with a fault\n", words[3],
               usual.requests, places.size(), troubles);
    // A comparison of a JSON value with a text makes a value of it in a noexcept function.
    return troubles > static_cast<int>(places.size()) / 10 ? troubles : 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2)
    {
        return 1;
    }
    const std::filesystem::path assets = argv[1];
    const int points = argc > 2 ? std::atoi(argv[2]) : 120;
    const std::string small = (assets / "scenarios/llama-8b-8.json").string();
    const std::string config = (assets / "../tests/data/hf/llama-3.1-8b.json").string();
    const std::vector<std::vector<std::string>> commands{
        {"evaluate", small, "--json"},
        {"search", small, "--top", "2", "--csv"},
        {"import", "hf", config, "--json"},
        {"export", small, "--to", "megatron"},
        {"schedule", "--kind", "1f1b", "--stages", "4", "--micro-batches", "8"},
        {"question", "show", "problem-4-link", "--seed", "3"}};
    int troubles = 0;
    for (const auto& command : commands)
    {
        std::vector<std::string> words{"ringside", "--assets", assets.string()};
        words.insert(words.end(), command.begin(), command.end());
        troubles += troubles_of(words, points);
    }
    return troubles > 0 ? 1 : 0;
}
