#include "core/study/grading/tokens.h"

#include "core/base/text/number.h"
#include "core/study/grading/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ringside
{

namespace
{

using Sign = std::pair<std::string_view, std::string_view>;

constexpr std::array kSigns{Sign{"**", " ^ "},
                            Sign{"\u2009", " "},
                            Sign{"\u202f", " "},
                            Sign{"\u00a0", " "},
                            Sign{"\t", " "},
                            Sign{"\n", " "},
                            Sign{"\u00d7", " x "},
                            Sign{"\u2715", " x "},
                            Sign{"\u00b7", "*"},
                            Sign{"\u22c5", "*"},
                            Sign{"\u2219", "*"},
                            Sign{"\u00f7", "/"},
                            Sign{"\u2215", "/"},
                            Sign{"\u2044", "/"},
                            Sign{"\u2212", "-"},
                            Sign{"\u2010", "-"},
                            Sign{"\u2011", "-"},
                            Sign{"\u2013", " to "},
                            Sign{"\u2014", " to "},
                            Sign{"\u2192", ">"},
                            Sign{"\u21d2", ">"},
                            Sign{"->", ">"},
                            Sign{"=>", ">"},
                            Sign{"==", "="},
                            Sign{"\u2248", " ~ "},
                            Sign{"\u223c", " ~ "},
                            Sign{"\u2243", " ~ "},
                            Sign{"\u2245", " ~ "},
                            Sign{"~", " ~ "},
                            Sign{"\u2264", " ~ "},
                            Sign{"\u2265", " ~ "},
                            Sign{"<=", " ~ "},
                            Sign{">=", " ~ "},
                            Sign{"<", " below "},
                            Sign{">", " over "},
                            Sign{"\u00b5", "u"},
                            Sign{"\u03bc", "u"},
                            Sign{"\u221a", " sqrt "},
                            Sign{"\u20ac", " eur "},
                            Sign{"\u00a3", " gbp "},
                            Sign{"\u2019", "'"},
                            Sign{"&", " and "},
                            Sign{"[", "("},
                            Sign{"]", ")"},
                            Sign{"{", "("},
                            Sign{"}", ")"},
                            Sign{"i.e.", " ie "},
                            Sign{"e.g.", " ie "},
                            Sign{"a.k.a.", " ie "},
                            Sign{"...", " to "},
                            Sign{"\u2026", " to "},
                            Sign{"..", " to "},
                            Sign{"per cent", "percent"},
                            Sign{"?", " ~ "},
                            Sign{"$", " $ "},
                            Sign{"%", " % "},
                            Sign{"\u00b1", " plusminus "},
                            Sign{"+/-", " plusminus "},
                            Sign{"w/o", " without "}};

constexpr std::array<Sign, 12> kSuper{{{"\u2070", "0"},
                                       {"\u00b9", "1"},
                                       {"\u00b2", "2"},
                                       {"\u00b3", "3"},
                                       {"\u2074", "4"},
                                       {"\u2075", "5"},
                                       {"\u2076", "6"},
                                       {"\u2077", "7"},
                                       {"\u2078", "8"},
                                       {"\u2079", "9"},
                                       {"\u207b", "-"},
                                       {"\u207a", "+"}}};
constexpr std::array<std::pair<std::string_view, double>, 15> kVulgar{{{"\u00bd", 1.0 / 2},
                                                                       {"\u00bc", 1.0 / 4},
                                                                       {"\u00be", 3.0 / 4},
                                                                       {"\u2153", 1.0 / 3},
                                                                       {"\u2154", 2.0 / 3},
                                                                       {"\u2155", 1.0 / 5},
                                                                       {"\u2156", 2.0 / 5},
                                                                       {"\u2157", 3.0 / 5},
                                                                       {"\u2158", 4.0 / 5},
                                                                       {"\u2159", 1.0 / 6},
                                                                       {"\u215a", 5.0 / 6},
                                                                       {"\u215b", 1.0 / 8},
                                                                       {"\u215c", 3.0 / 8},
                                                                       {"\u215d", 5.0 / 8},
                                                                       {"\u215e", 7.0 / 8}}};

// Which bytes begin a sign: most of a sentence begins none.
constexpr auto kBegins = []
{
    std::array<bool, 256> begins{};
    for (const Sign& s : kSigns)
    {
        begins[static_cast<unsigned char>(s.first.front())] = true;
    }
    for (const Sign& s : kSuper)
    {
        begins[static_cast<unsigned char>(s.first.front())] = true;
    }
    return begins;
}();

const Sign* super_at(std::string_view rest)
{
    const auto found =
        std::find_if(kSuper.begin(), kSuper.end(), [&](const Sign& s) { return rest.starts_with(s.first); });
    return found == kSuper.end() ? nullptr : &*found;
}

// Same signs made one; superscripts become powers, but blanks that group digits stay for the numbers.
std::string tidied(std::string_view typed)
{
    std::string text;
    for (std::size_t at = 0; at < typed.size();)
    {
        const std::string_view rest = typed.substr(at);
        if (!kBegins[static_cast<unsigned char>(rest.front())])
        {
            text += rest.front();
            ++at;
            continue;
        }
        if (const Sign* s = super_at(rest))
        {
            text += "^";
            for (; s; s = super_at(typed.substr(std::min(at, typed.size()))))
            {
                text += s->second;
                at += s->first.size();
            }
            text += " ";
            continue;
        }
        const auto same = std::find_if(kSigns.begin(), kSigns.end(),
                                       [&](const Sign& s) { return rest.starts_with(s.first); });
        text += same == kSigns.end() ? rest.substr(0, 1) : same->second;
        at += same == kSigns.end() ? 1 : same->first.size();
    }
    return text;
}

bool is_word_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// "one layer's", "ranks' values"
bool joins(std::string_view text, std::size_t apostrophe)
{
    const bool inside = apostrophe + 1 < text.size() && is_word_letter(text[apostrophe + 1]);
    return inside || text[apostrophe - 1] == 's';
}

// Letters, with an apostrophe inside, and the digits of a name such as H100.
std::size_t word_length(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size() &&
           (is_word_letter(text[end]) || (text[end] == '\'' && end > 0 && joins(text, end))))
    {
        ++end;
    }
    std::size_t more = end;
    while (more < text.size() && std::isalnum(static_cast<unsigned char>(text[more])) != 0)
    {
        ++more;
    }
    const std::string_view whole = text.substr(0, more);
    const bool named = !thing_named(stem_of(whole)).empty() || manner_of(whole) == Manner::silent;
    return more > end && named ? more : end;
}

} // namespace

std::vector<Token> tokens_of(std::string_view typed)
{
    const std::string text = tidied(typed);
    std::vector<Token> tokens;
    bool apart = false;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::string_view rest = std::string_view(text).substr(at);
        const auto vulgar = static_cast<unsigned char>(text[at]) < 0x80
                                ? kVulgar.end()
                                : std::find_if(kVulgar.begin(), kVulgar.end(),
                                               [&](const auto& v) { return rest.starts_with(v.first); });
        const bool after_word = at > 0 && is_word_letter(text[at - 1]) && text[at] == '.';
        const auto number = after_word ? std::nullopt : number_at_start(rest);
        std::size_t length = 1;
        if (vulgar != kVulgar.end())
        {
            length = vulgar->first.size();
            tokens.push_back(
                {Token::Kind::number, std::string(vulgar->first), vulgar->second, apart, false, true});
        }
        else if (number)
        {
            length = number->length;
            tokens.push_back({Token::Kind::number, std::string(rest.substr(0, length)), number->value, apart,
                              number->exponent});
        }
        else if (is_word_letter(text[at]) || text[at] == '%' || text[at] == '$' || text[at] == '~')
        {
            length = std::max<std::size_t>(1, word_length(rest));
            tokens.push_back({Token::Kind::word, std::string(rest.substr(0, length)), 0, apart});
        }
        else if (std::string_view("+-*/^()=>,;:").find(text[at]) != std::string_view::npos)
        {
            tokens.push_back({Token::Kind::sign, std::string(1, text[at]), 0, apart});
        }
        apart = text[at] == ' ';
        at += length;
    }
    return tokens;
}

} // namespace ringside
