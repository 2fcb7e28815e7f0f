#include "core/base/text/find.h"

#include "core/base/ranges.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::size_t kTypoLetters = 4; // shorter words are near to too many others

std::vector<std::string_view> words_in(std::string_view text)
{
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at < text.size())
    {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

// The word begins with what was typed, but for one letter that is wrong, missing, too many or swapped with
// the next. The first letter counts as meant.
bool nearly_begins(std::string_view word, std::string_view typed)
{
    if (typed.size() < kTypoLetters)
    {
        return word.starts_with(typed);
    }
    const auto differ = std::mismatch(typed.begin(), typed.end(), word.begin(), word.end());
    const auto i = static_cast<std::size_t>(differ.first - typed.begin());
    if (i == typed.size())
    {
        return true;
    }
    const auto rest = [](std::string_view s, std::size_t from) { return s.substr(std::min(from, s.size())); };
    const bool wrong = rest(word, i + 1).starts_with(rest(typed, i + 1)) && i < word.size();
    const bool too_many = rest(word, i).starts_with(rest(typed, i + 1));
    const bool missing = rest(word, i + 1).starts_with(rest(typed, i));
    const bool swapped = i + 1 < typed.size() && i + 1 < word.size() && typed[i] == word[i + 1] &&
                         typed[i + 1] == word[i] && rest(word, i + 2).starts_with(rest(typed, i + 2));
    return i > 0 && (wrong || too_many || missing || swapped);
}

// Each word of the query meets some word of some name.
template <class F>
bool all_words(const Findable& what, std::string_view query, F&& meets)
{
    const auto wanted = words_in(query);
    return std::ranges::all_of(wanted,
                               [&](std::string_view typed)
                               {
                                   return std::ranges::any_of(what.names,
                                                              [&](const std::string& name)
                                                              {
                                                                  const auto words = words_in(name);
                                                                  return std::ranges::any_of(
                                                                      words, [&](std::string_view word)
                                                                      { return meets(word, typed); });
                                                              });
                               });
}

// Each word of the query stands in a name, or in the text where that counts too.
bool stands_in(const Findable& what, std::string_view query, bool text)
{
    const auto wanted = words_in(query);
    return std::ranges::all_of(wanted,
                               [&](std::string_view typed)
                               {
                                   return std::ranges::any_of(
                                              what.names, [&](const std::string& name)
                                              { return name.find(typed) != std::string::npos; }) ||
                                          (text && what.text.find(typed) != std::string::npos);
                               });
}

} // namespace

std::string folded(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || std::isalnum(byte) != 0)
        {
            out += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
        }
        else if (!out.empty() && out.back() != ' ')
        {
            out += ' ';
        }
    }
    if (!out.empty() && out.back() == ' ')
    {
        out.pop_back();
    }
    return out;
}

Findable findable(std::span<const std::string_view> names, std::string_view text)
{
    Findable made;
    for (const std::string_view name : names)
    {
        if (std::string words = folded(name); !words.empty())
        {
            made.names.push_back(std::move(words));
        }
    }
    made.text = folded(text);
    return made;
}

Closeness fit_of(const Findable& what, std::string_view query)
{
    if (query.empty())
    {
        return Closeness::text;
    }
    const auto any = [&](auto&& is) { return std::ranges::any_of(what.names, is); };
    if (any([&](const std::string& name) { return name == query; }))
    {
        return Closeness::exact;
    }
    if (any([&](const std::string& name) { return name.starts_with(query); }))
    {
        return Closeness::start;
    }
    if (all_words(what, query,
                  [](std::string_view word, std::string_view typed) { return word.starts_with(typed); }))
    {
        return Closeness::word;
    }
    if (stands_in(what, query, false))
    {
        return Closeness::inside;
    }
    if (stands_in(what, query, true))
    {
        return Closeness::text;
    }
    return all_words(what, query, nearly_begins) ? Closeness::typo : Closeness::none;
}

std::vector<std::string_view> trimmed_parts(std::string_view text, std::string_view separators)
{
    constexpr std::string_view kBlanks = " \t\n\r";
    std::vector<std::string_view> parts;
    while (!text.empty())
    {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        const std::string_view part = text.substr(0, end);
        if (const std::size_t first = part.find_first_not_of(kBlanks); first != std::string_view::npos)
        {
            parts.push_back(part.substr(first, part.find_last_not_of(kBlanks) + 1 - first));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::vector<std::string_view> names_between(std::string_view list)
{
    return trimmed_parts(list, ";");
}

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j)
        {
            const std::size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row.back();
}

std::vector<std::size_t> closest_first(const std::vector<Closeness>& fits)
{
    const auto least = std::ranges::min_element(fits);
    const bool supposed = least != fits.end() && *least == Closeness::typo;
    auto places = list_where<std::size_t>(
        fits.size(),
        [&](std::size_t i) { return fits[i] < Closeness::typo || (supposed && fits[i] == Closeness::typo); });
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return fits[i]; });
    return places;
}

} // namespace ringside
