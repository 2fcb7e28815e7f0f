#include "core/study/grading/tokens.h"

#include "core/base/text/number.h"

#include <algorithm>
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
                            Sign{"\n", " , "},
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
                            Sign{"\u2013", "-"},
                            Sign{"\u2014", "-"},
                            Sign{"\ufe63", "-"},
                            Sign{"\uff0d", "-"},
                            Sign{"\u2192", " > "},
                            Sign{"\u21d2", " > "},
                            Sign{"->", " > "},
                            Sign{"=>", " > "},
                            Sign{"==", "="},
                            Sign{"\\approx", " ~ "},
                            Sign{"\u2248", " ~ "},
                            Sign{"\u223c", " ~ "},
                            Sign{"\u2243", " ~ "},
                            Sign{"\u2245", " ~ "},
                            Sign{"~", " ~ "},
                            Sign{"\u2264", " most "},
                            Sign{"\u2265", " least "},
                            Sign{"<=", " most "},
                            Sign{">=", " least "},
                            Sign{"<", " below "},
                            Sign{">", " over "},
                            Sign{"\u00b5", "u"},
                            Sign{"\u03bc", "u"},
                            Sign{"\u221a", " sqrt "},
                            Sign{"\u20ac", " eur "},
                            Sign{"\u00a3", " gbp "},
                            Sign{"\u2019", "'"},
                            Sign{"\u201c", " "},
                            Sign{"\u201d", " "},
                            Sign{"&", " and "},
                            Sign{"[", "("},
                            Sign{"]", ")"},
                            Sign{"\\{", "("},
                            Sign{"\\}", ")"},
                            Sign{"{", "("},
                            Sign{"}", ")"},
                            Sign{"i.e.", " so "},
                            Sign{"per cent", "percent"},
                            Sign{"per mille", "permille"},
                            Sign{"per mil ", "permille "},
                            Sign{"\u2030", " permille "},
                            Sign{"basis points", "bps"},
                            Sign{"divided by", "/"},
                            Sign{"?", " ~ "},
                            Sign{"$", " $ "},
                            Sign{"%", " % "},
                            Sign{"\u00b1", " plusminus "},
                            Sign{"+/-", " plusminus "},
                            Sign{"w/o", " without "},
                            Sign{"minus", "-"},
                            Sign{"negative", "-"},
                            Sign{"Minus", "-"},
                            Sign{"Negative", "-"},
                            Sign{"\\times", " x "},
                            Sign{"\\cdot", "*"},
                            Sign{"\\left", ""},
                            Sign{"\\right", ""},
                            Sign{"\\,", " "},
                            Sign{"\\text", " "},
                            Sign{"\\dfrac", " frac "},
                            Sign{"\\frac", " frac "},
                            Sign{"\\sqrt", " sqrt "},
                            Sign{"log2", " lb "},
                            Sign{"log10", " lg "},
                            Sign{"plus", "+"},
                            Sign{"squared", "^2 "},
                            Sign{"cubed", "^3 "},
                            Sign{"\u2308", " ceil("},
                            Sign{"\u2309", ")"},
                            Sign{"\u230a", " floor("},
                            Sign{"\u230b", ")"}};
constexpr std::array kSuper{Sign{"\u2070", "0"}, Sign{"\u00b9", "1"}, Sign{"\u00b2", "2"},
                            Sign{"\u00b3", "3"}, Sign{"\u2074", "4"}, Sign{"\u2075", "5"},
                            Sign{"\u2076", "6"}, Sign{"\u2077", "7"}, Sign{"\u2078", "8"},
                            Sign{"\u2079", "9"}, Sign{"\u207b", "-"}, Sign{"\u207a", "+"}};
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

bool is_word_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

template <typename Table>
auto starts_in(const Table& table, std::string_view rest)
{
    const auto found = std::ranges::find_if(table, [&](const auto& s) { return rest.starts_with(s.first); });
    return found == table.end() ? nullptr : &*found;
}

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

// Same signs made one; superscripts become powers, but blanks that group digits stay for the numbers. A sign
// spelt in letters stands by itself: the "minus" of "terminus" is none.
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
        if (starts_in(kSuper, rest))
        {
            text += "^";
            for (const Sign* s = starts_in(kSuper, rest); s; s = starts_in(kSuper, typed.substr(at)))
            {
                text += s->second;
                at += s->first.size();
            }
            text += " ";
            continue;
        }
        const Sign* same = starts_in(kSigns, rest);
        const std::size_t length = same ? same->first.size() : 1;
        const bool inside =
            same && std::isalpha(static_cast<unsigned char>(same->first[0])) != 0 &&
            ((at > 0 && is_word_letter(typed[at - 1])) ||
             (length < rest.size() && is_word_letter(rest[length]) && same->first.back() != ' '));
        text += same && !inside ? same->second : rest.substr(0, inside ? 1 : length);
        at += inside ? 1 : length;
    }
    return text;
}

// Letters, with an apostrophe inside, and the digits of a name such as H100.
std::size_t word_length(std::string_view text)
{
    const auto joins = [&](std::size_t at)
    { return at > 0 && ((at + 1 < text.size() && is_word_letter(text[at + 1])) || text[at - 1] == 's'); };
    std::size_t end = 0;
    while (end < text.size() && (is_word_letter(text[end]) || (text[end] == '\'' && joins(end))))
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
    return more > end && named ? more : std::max<std::size_t>(1, end);
}

// "1,175" may be a decimal comma: one group of three digits behind it.
double with_decimal_comma(std::string_view text)
{
    const std::size_t comma = text.find(',');
    const bool one = comma != std::string_view::npos && comma > 0 && comma + 4 == text.size() &&
                     text.find_first_not_of("0123456789,") == std::string_view::npos;
    return one ? std::stod(std::string(text.substr(0, comma)) + "." + std::string(text.substr(comma + 1)))
               : 0;
}

} // namespace

std::vector<TypedToken> tokens_of(std::string_view typed)
{
    const std::string text = tidied(typed);
    std::vector<TypedToken> tokens;
    bool apart = false;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::string_view rest = std::string_view(text).substr(at);
        const auto* vulgar = starts_in(kVulgar, rest);
        const bool after_word = at > 0 && is_word_letter(text[at - 1]) && text[at] == '.';
        const bool hexadecimal =
            rest.size() > 2 && rest.starts_with("0x") && std::isxdigit(static_cast<unsigned char>(rest[2]));
        const auto number = after_word || hexadecimal ? std::nullopt : number_at_start(rest);
        const bool ends_sentence =
            text[at] == '.' && (rest.size() == 1 || rest[1] == ' ') && at > 0 && text[at - 1] != '.';
        std::size_t length = 1;
        if (vulgar)
        {
            length = vulgar->first.size();
            tokens.push_back(
                {TypedToken::Kind::number, std::string(vulgar->first), vulgar->second, apart, false, true});
        }
        else if (number)
        {
            length = number->length;
            tokens.push_back({TypedToken::Kind::number, std::string(rest.substr(0, length)), number->value,
                              apart, number->exponent, false, with_decimal_comma(rest.substr(0, length))});
        }
        else if (is_word_letter(text[at]) || text[at] == '%' || text[at] == '$' || text[at] == '~')
        {
            length = word_length(rest);
            tokens.push_back({TypedToken::Kind::word, std::string(rest.substr(0, length)), 0, apart});
        }
        else if (text[at] != ' ' && !ends_sentence && text[at] != '"' && text[at] != '`')
        {
            length = hexadecimal ? std::min(rest.find(' '), rest.size()) : 1;
            tokens.push_back({TypedToken::Kind::sign, std::string(rest.substr(0, length)), 0, apart});
        }
        apart = text[at] == ' ';
        at += length;
    }
    return tokens;
}

} // namespace ringside
