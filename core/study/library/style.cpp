#include "core/study/library/style.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/folder.h"
#include "core/base/text/printable.h"
#include "core/base/text/read_text.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ringside
{

namespace
{

// "by-heart" is an id, no phrase.
bool joins(std::string_view text, std::size_t at)
{
    return at < text.size() && (text[at] == '-' || std::isalnum(static_cast<unsigned char>(text[at])) != 0);
}

// Both in small letters.
bool has_phrase(std::string_view text, std::string_view phrase)
{
    for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1))
    {
        if ((at == 0 || !joins(text, at - 1)) && !joins(text, at + phrase.size()))
        {
            return true;
        }
    }
    return false;
}

} // namespace

Result<std::vector<StyleRule>> read_style(const nlohmann::json& file)
{
    const JsonTable<StyleRule> table{{
        {"avoid", &StyleRule::avoid, kNeeded},
        {"write", &StyleRule::write, kNeeded},
        {"whole", &StyleRule::whole},
    }};
    Issues issues;
    auto rules = read_list(file, "ringside.style/1", "rules", table, issues);
    return issues.empty() ? Result(std::move(rules)) : Result<std::vector<StyleRule>>(std::move(issues));
}

const StyleRule* find_breach(std::span<const StyleRule> rules, std::string_view text, bool label)
{
    const std::string small = small_letters(text);
    const auto found =
        std::ranges::find_if(rules, [&](const StyleRule& w)
                             { return w.whole ? label && text == w.avoid : has_phrase(small, w.avoid); });
    return found == rules.end() ? nullptr : &*found;
}

void check_texts(const nlohmann::json& value, const std::string& path, Issues& issues)
{
    constexpr std::size_t kLongestWord = 200;
    if (!value.is_string())
    {
        for (const auto& [name, part] : value.items())
        {
            if (part.is_structured() || part.is_string())
            {
                check_texts(part,
                            value.is_array() ? fmt::format("{}[{}]", path, name)
                                             : path + (path.empty() ? "" : ".") + name,
                            issues);
            }
        }
        return;
    }
    const auto& text = value.get_ref<const std::string&>();
    if (printable(text) != text)
    {
        issues.push_back({path,
                          fmt::format("has a control character: \u201c{}\u201d", shortened(printable(text))),
                          "write plain text"});
    }
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        if (word.size() > kLongestWord)
        {
            issues.push_back({path, fmt::format("has a word of {} bytes", grouped(std::ssize(word))),
                              fmt::format("no line can show it; use {} at most", kLongestWord)});
        }
    }
}

Issues check_style(std::span<const StyleRule> rules, const std::filesystem::path& folder)
{
    Issues issues;
    for (const auto& path : files_below(folder))
    {
        if ((path.extension() != ".json" && path.extension() != ".md") || path.filename() == "style.json")
        {
            continue;
        }
        const auto name = (folder.filename() / path.lexically_relative(folder)).generic_string();
        const auto text = read_plain(path, kMaxJsonBytes);
        if (const auto document =
                path.extension() == ".json" ? read_json_file(path) : Result(nlohmann::json()))
        {
            Issues found;
            check_texts(*document, "", found);
            add_below(issues, found, name);
        }
        std::istringstream in(text ? *text : std::string()); // who reads it for what it says names the fault
        int number = 0;
        for (std::string line; std::getline(in, line);)
        {
            ++number;
            if (const StyleRule* found = find_breach(rules, line))
            {
                issues.push_back({fmt::format("{}:{}", name, number),
                                  fmt::format("says \"{}\"", found->avoid),
                                  fmt::format("write \"{}\"", found->write)});
            }
        }
    }
    return issues;
}

} // namespace ringside
