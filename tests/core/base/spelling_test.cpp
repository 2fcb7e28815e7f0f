// One spelling on screen, the American one of the field's papers: every text a user may read is looked at.
#include "tests/source_path.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fs = std::filesystem;
using ringside::test::source_path;

namespace
{

// Of a word in small letters.
bool is_british(std::string_view word)
{
    constexpr std::array<std::string_view, 6> kOur{"colour", "behaviour", "neighbour",
                                                   "favour", "honour",    "flavour"};
    constexpr std::array<std::string_view, 16> kIse{
        "optimis",   "organis", "synchronis", "serialis", "initialis", "normalis",   "quantis",  "parallelis",
        "generalis", "minimis", "maximis",    "recognis", "tokenis",   "materialis", "vectoris", "amortis"};
    constexpr std::array<std::string_view, 14> kWhole{
        "practise", "practises", "practised", "licence",   "grey",   "greyed",    "centre",
        "centred",  "centres",   "modelled",  "modelling", "learnt", "totalling", "cancelled"};
    const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
    const auto ends_so = [&](std::string_view stem)
    {
        const std::size_t at = word.find(stem);
        const std::string_view rest = at == std::string_view::npos ? "" : word.substr(at + stem.size());
        return rest.starts_with("e") || rest.starts_with("ing") || rest.starts_with("ation");
    };
    return std::ranges::any_of(kOur, has) || std::ranges::any_of(kIse, ends_so) ||
           std::ranges::find(kWhole, word) != kWhole.end();
}

// The first such word; empty: none.
std::string british_word(std::string_view text)
{
    std::string word;
    for (const char c : std::string(text) + " ")
    {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
        {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        if (is_british(word))
        {
            return word;
        }
        word.clear();
    }
    return {};
}

std::string text_of(const fs::path& file)
{
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
}

// What people may type or a file's own names are written as they come.
bool is_read(const fs::path& file)
{
    const std::string path = file.generic_string();
    const bool typed = path.ends_with("palette/synonyms.cpp") || path.ends_with("grading/vocabulary.cpp");
    return !typed && path.find("assets/measured") == std::string::npos;
}

// Texts of a source file: literals up to the id that follows "###". What is no text becomes spaces.
std::string literals(const std::string& source)
{
    std::string texts;
    std::istringstream lines(source);
    for (std::string line; std::getline(lines, line);)
    {
        const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
        if (line.compare(first, 2, "//") == 0 || line.compare(first, 8, "#include") == 0)
        {
            continue;
        }
        for (std::size_t from = line.find('"'); from != std::string::npos; from = line.find('"', from))
        {
            std::size_t to = from + 1;
            while (to < line.size() && line[to] != '"')
            {
                to += line[to] == '\\' ? 2 : 1;
            }
            const std::string text = line.substr(from + 1, std::min(to, line.size()) - from - 1);
            texts += text.substr(0, text.find("###")) + " ";
            from = std::min(to + 1, line.size());
        }
    }
    return texts;
}

// Without ids, which people's own files refer to.
std::string without_ids(std::string text)
{
    for (const std::string key : {"\"id\": \"", "\"family\": \"", "\"related\": \""})
    {
        for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at))
        {
            text.erase(at, text.find('"', at + key.size()) + 1 - at);
        }
    }
    return text;
}

void check(const fs::path& file)
{
    const bool source = file.extension() == ".cpp" || file.extension() == ".h";
    const bool document = file.extension() == ".json" || file.extension() == ".md";
    if ((!source && !document) || !is_read(file))
    {
        return;
    }
    std::string all = text_of(file);
    if (all.starts_with("Also called:")) // what users type to find a view
    {
        all.erase(0, all.find('\n'));
    }
    constexpr std::string_view kOfProtocol = "notifications/cancelled"; // of MCP, spelled as its authors do
    if (const std::size_t at = all.find(kOfProtocol); at != std::string::npos)
    {
        all.erase(at, kOfProtocol.size());
    }
    const std::string word = british_word(source ? literals(all) : without_ids(all));
    INFO(file.generic_string() << ": " << word);
    CHECK(word.empty());
}

} // namespace

TEST_CASE("texts that people read are spelled the American way, as the field's papers are")
{
    for (const char* folder : {"assets", "lessons", "core", "ui", "app"})
    {
        for (const auto& entry : fs::recursive_directory_iterator(source_path(folder)))
        {
            check(entry.path());
        }
    }
}
