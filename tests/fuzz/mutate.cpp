// Feeds a target its seeds, its corpus and a fixed number of mutations of them. With clang the same targets
// run under libFuzzer (preset fuzz), which looks for ways into the code by itself; this driver needs nothing.
//
// usage: fuzz_tests TARGET [--runs N] [--seed S]; without a target all. What was fed last is kept in
// fuzz-TARGET.input when a target aborts or throws.
#include "tests/fuzz/targets.h"
#include "tests/source_path.h"
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace
{

using namespace ringside;

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): for what runs when the target dies
std::string fed;          // by this program last
std::string_view feeding; // the target's name
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void keep_input()
{
    const std::string file = fmt::format("fuzz-{}.input", feeding);
    std::ofstream(file, std::ios::binary) << fed;
    fmt::print(stderr, "the input is kept in {}\n", file);
}

void on_abort(int)
{
    keep_input();
    std::_Exit(1);
}

std::vector<std::string> corpus_of(const fuzz::Target& target)
{
    std::vector<std::string> all = target.seeds();
    const std::filesystem::path folder = test::source_path(fmt::format("tests/fuzz/corpus/{}", target.name));
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    {
        std::ifstream in(entry.path(), std::ios::binary);
        all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return all;
}

// What parsers stumble over.
constexpr std::array<std::string_view, 24> kWords{"null",
                                                  "true",
                                                  "-1",
                                                  "0",
                                                  "1e308",
                                                  "-1e-400",
                                                  "9223372036854775808",
                                                  "1e999",
                                                  "\"\"",
                                                  "[]",
                                                  "{}",
                                                  "[[[[[[[[",
                                                  "\\u0000",
                                                  "\xff",
                                                  "\",",
                                                  "NaN",
                                                  "1e15",
                                                  "{metric:",
                                                  "}",
                                                  "(((((",
                                                  "^^",
                                                  "**",
                                                  "\n",
                                                  "\xf0\x9f\x8e\xb2"};

std::string mutated(std::string text, const std::vector<std::string>& corpus, std::mt19937_64& random)
{
    const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
    for (std::size_t i = 1 + below(4); i > 0; --i)
    {
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = std::min(below(24), text.size() - at);
        switch (below(6))
        {
        case 0:
            if (at < text.size())
            {
                text[at] = static_cast<char>(random());
            }
            break;
        case 1:
            text.insert(at, kWords.at(below(kWords.size())));
            break;
        case 2:
            text.erase(at, length);
            break;
        case 3:
            text.insert(at, text.substr(at, length));
            break;
        case 4:
            text.replace(at, length, kWords.at(below(kWords.size())));
            break;
        default:
        {
            const std::string& other = corpus[below(corpus.size())];
            text = text.substr(0, at) + other.substr(below(other.size() + 1));
            break;
        }
        }
    }
    return text;
}

void feed(const fuzz::Target& target, std::string bytes)
{
    fed = std::move(bytes);
    target.feed(fed);
}

void run(const fuzz::Target& target, int runs, std::uint64_t seed)
{
    feeding = target.name;
    const std::vector<std::string> corpus = corpus_of(target);
    std::mt19937_64 random(seed);
    for (const std::string& text : corpus)
    {
        feed(target, text);
    }
    for (int i = 0; i < runs; ++i)
    {
        feed(target, mutated(corpus[random() % corpus.size()], corpus, random));
    }
    feed(target, "");
    fmt::print("{}: {} inputs and {} mutations\n", target.name, corpus.size(), runs);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGABRT, on_abort);
    std::signal(SIGSEGV, on_abort);
    std::string_view name;
    int runs = 0;
    std::uint64_t seed = 1;
    for (int i = 1; i < argc; ++i)
    {
        const std::string_view word = argv[i];
        if (word == "--runs" && i + 1 < argc)
        {
            runs = std::atoi(argv[++i]);
        }
        else if (word == "--seed" && i + 1 < argc)
        {
            seed = std::strtoull(argv[++i], nullptr, 10);
        }
        else
        {
            name = word;
        }
    }
    try
    {
        for (const fuzz::Target& target : fuzz::targets())
        {
            if (name.empty() || target.name == name)
            {
                run(target, runs > 0 ? runs : target.runs, seed);
            }
        }
    }
    catch (const std::exception& fault)
    {
        fmt::print(stderr, "{}: {}\n", feeding, fault.what());
        keep_input();
        return 1;
    }
    return name.empty() || fuzz::find_target(name) != nullptr ? 0 : 2;
}
