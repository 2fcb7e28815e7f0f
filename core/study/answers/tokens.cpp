#include "core/base/text/find.h"
#include "core/base/text/number.h"
#include "core/base/text/text.h"
#include "core/study/answers/grammar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ringside
{

namespace
{

using TokenKind = TypedToken::Kind;

struct Spelling
{
    std::string_view becomes; // one sign, or one for each spelling
    std::string_view typed;
};

// With | between several.
constexpr std::array kSigns{
    Spelling{" ", "\u2009|\u202f|\u00a0|\u201c|\u201d|\\,|\\left|\\right|\\text|`|\""},
    Spelling{"^", "**"},
    Spelling{"^0|^1|^2|^3|^4|^5|^6|^7|^8|^9|^-",
             "\u2070|\u00b9|\u00b2|\u00b3|\u2074|\u2075|\u2076|\u2077|\u2078|\u2079|\u207b"},
    Spelling{" x ", "\u00d7|\u2715|\\times"},
    Spelling{"*", "\u00b7|\u22c5|\u2219|\\cdot"},
    Spelling{"/", "\u00f7|\u2215|\u2044|divided by"},
    Spelling{"-", "\u2212|\u2010|\u2011|\u2013|\u2014|\ufe63|\uff0d|minus|negative|Minus|Negative"},
    Spelling{"+", "plus"},
    Spelling{" > ", "\u2192|\u21d2|->|=>"},
    Spelling{"=", "=="},
    Spelling{"~", "\\approx|or so|\u2248|\u223c|\u2243|\u2245|?"},
    Spelling{" at most ", "\u2264|<="},
    Spelling{" at least ", "\u2265|>="},
    Spelling{" below ", "<"},
    Spelling{" above ", ">"},
    Spelling{"u", "\u00b5|\u03bc"},
    Spelling{" sqrt ", "\u221a"},
    Spelling{"'", "\u2019"},
    Spelling{"(", "[|{"},
    Spelling{")", "]|}"},
    Spelling{"percent", "per cent"},
    Spelling{" permille ", "per mille|\u2030"},
    Spelling{"bps", "basis points"}};
constexpr std::string_view kVulgar = "\u00bd|\u00bc|\u00be|\u2153|\u2154|\u2155|\u2159|\u215a|\u215b|\u215c|"
                                     "\u215d|\u215e";
constexpr std::array kVulgarValues{1.0 / 2, 1.0 / 4, 3.0 / 4, 1.0 / 3, 2.0 / 3, 1.0 / 5,
                                   1.0 / 6, 5.0 / 6, 1.0 / 8, 3.0 / 8, 5.0 / 8, 7.0 / 8};

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// One by one, the longest first.
std::vector<Spelling> spellings()
{
    std::vector<Spelling> all;
    for (const auto& [becomes, typed] : kSigns)
    {
        const bool several = becomes.find('|') != std::string_view::npos;
        const auto signs = trimmed_parts(becomes, "|");
        std::size_t place = 0;
        for (const std::string_view one : trimmed_parts(typed, "|"))
        {
            all.push_back({several ? signs[place++] : becomes, one});
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, [](const Spelling& s) { return s.typed.size(); });
    return all;
}

// The sign at a place and what it becomes. One spelt in letters stands by itself: the "minus" of "terminus"
// is none.
Spelling sign_at(std::string_view typed, std::size_t at)
{
    static const std::vector<Spelling> kLongestFirst = spellings();
    const auto letter = [&](std::size_t i) { return i < typed.size() && is_letter(typed[i]); };
    const auto found =
        std::ranges::find_if(kLongestFirst,
                             [&](const Spelling& s)
                             {
                                 const bool spelt = s.typed.size() > 2 &&
                                                    std::isalpha(static_cast<unsigned char>(s.typed[0])) != 0;
                                 return typed.substr(at).starts_with(s.typed) &&
                                        !(spelt && (letter(at - 1) || letter(at + s.typed.size())));
                             });
    const std::string_view own = typed.substr(at, 1);
    return found != kLongestFirst.end() ? *found
                                        : Spelling{own == "\t"   ? " "
                                                   : own == "\n" ? " , "
                                                                 : own,
                                                   own};
}

// Same signs made one; superscripts become one power.
std::string tidied(std::string_view typed)
{
    std::string text;
    bool raised = false;
    for (std::size_t at = 0; at < typed.size();)
    {
        const auto [becomes, own] = sign_at(typed, at);
        const bool super = becomes.size() == 2 && becomes[0] == '^';
        text += super && raised ? becomes.substr(1)
                                : std::string(raised && !super ? " " : "") + std::string(becomes);
        raised = super;
        at += own.size();
    }
    return text;
}

// Letters, with an apostrophe inside or behind an s, and the digits of a name such as H100.
std::size_t word_length(std::string_view text)
{
    const auto letter = [text](std::size_t i) { return i < text.size() && is_letter(text[i]); };
    std::size_t end = 0;
    while (letter(end) ||
           (end > 0 && end < text.size() && text[end] == '\'' && (letter(end + 1) || text[end - 1] == 's')))
    {
        ++end;
    }
    std::size_t more = end;
    while (more < text.size() && std::isalnum(static_cast<unsigned char>(text[more])) != 0)
    {
        ++more;
    }
    const bool named = more > end && !thing_named(stem_of(text.substr(0, more))).empty();
    return named ? more : std::max<std::size_t>(1, end);
}

// What stands at a place; a sign for what is nothing else.
TypedToken typed_token_at(std::string_view text, std::size_t at)
{
    static const auto kFractions = trimmed_parts(kVulgar, "|");
    const std::string_view rest = text.substr(at);
    const auto vulgar = std::ranges::find_if(kFractions, [&](auto own) { return rest.starts_with(own); });
    const bool hexadecimal = rest.size() > 2 && rest.starts_with("0x") && std::isxdigit(rest[2]) != 0;
    const bool after = rest[0] == '.' && at > 0 && (is_letter(text[at - 1]) || text[at - 1] == '.');
    // "max(20,30)" has no decimal comma
    const std::size_t open = text.substr(0, at).find_last_of("()");
    const bool listed = open != std::string_view::npos && open > 2 && text[open] == '(' &&
                        has_word("max min", text.substr(open - 3, 3));
    const auto number =
        after || hexadecimal ? std::nullopt : number_at_start(listed ? rest.substr(0, rest.find(',')) : rest);
    const auto part = [&](std::size_t length) { return std::string(rest.substr(0, length)); };
    if (vulgar != kFractions.end())
    {
        const auto place = static_cast<std::size_t>(vulgar - kFractions.begin());
        return {TokenKind::number, std::string(*vulgar), kVulgarValues.at(place), false, true};
    }
    if (number)
    {
        return {TokenKind::number, part(number->length), number->value};
    }
    const bool word = is_letter(rest[0]) || std::string_view("%$~").find(rest[0]) != std::string_view::npos;
    return {word ? TokenKind::word : TokenKind::sign, part(word ? word_length(rest) : hexadecimal ? 2 : 1)};
}

bool is_time(std::string_view word)
{
    const auto unit = word.size() > 1 ? unit_named(word, {}) : std::nullopt;
    return unit && unit->power("s") == 1;
}

// "twenty-four", "two hundred and five". Each part is smaller than the one before: "six forty" is none.
std::optional<double> take_number_words(Tokens& t)
{
    std::optional<double> all;
    for (double last = 1e30;;)
    {
        const std::size_t skip = all && (t.sign('-') || t.word("and")) ? 1 : 0;
        const auto next = number_named(t.text(skip));
        const bool hundred = next == 100.0 && all && *all < 10;
        const bool label = next == 0.0 && (t.sign('-', 1) || t.number(1)); // "ZeRO-2"
        if (!next || label || (*next >= last && !hundred))
        {
            return all;
        }
        all = hundred ? *all * 100 : all.value_or(0) + *next;
        last = *next < 20 ? 1 : *next;
        t.at += skip + 1;
    }
}

} // namespace

Tokens::Tokens(std::string_view typed)
{
    const std::string text = tidied(typed);
    bool apart = false;
    for (std::size_t from = 0; from < text.size();)
    {
        const bool point = text[from] == '.' && from > 0 && text[from - 1] != '.' &&
                           (from + 1 == text.size() || text[from + 1] == ' ');
        TypedToken next = typed_token_at(text, from);
        next.apart = std::exchange(apart, text[from] == ' ');
        from += next.text.size();
        if (next.text != " " && !point)
        {
            all_.push_back(std::move(next));
        }
    }
    for (; at < all_.size(); ++at)
    {
        join_number();
    }
    at = 0;
}

// A number in letters begins the answer, or stands behind a sign or "of"; elsewhere "one" is a word.
void Tokens::join_number()
{
    const std::size_t start = at;
    const bool free = std::none_of(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(at),
                                   [](const TypedToken& t) { return t.kind == TokenKind::number; }) ||
                      before().kind == TokenKind::sign || stem_of(before().text) == "of";
    TypedToken all = peek();
    const auto next = [&](std::size_t ahead) { return part_named(text(ahead)).value_or(0); };
    const bool article = free && (word("a") || word("an"));
    if (free && !number())
    {
        const bool one = article && (is_time(text(1)) || (text(1).size() > 4 && scale_named(text(1))));
        const auto words = take_number_words(*this);
        const std::size_t skip = article || (words && sign('-')) ? 1 : 0;
        all.part = (words || article || has_word("half quarter", small_letters(text()))) && next(skip) > 0;
        all.value = words.value_or(1) * (all.part ? next(skip) : 1);
        at += all.part ? skip + 1 : one ? 1 : 0;
        at += all.part && has_word("a an", text()) && is_time(text(1)) ? 1U : 0U; // "half an hour"
    }
    else if (number())
    {
        ++at;
    }
    if (at > start && !all.part)
    {
        const bool mixed =
            number() && peek().apart && sign('/', 1) && number(2) && peek().value < peek(2).value;
        const bool half = word("and") && word("a", 1) && next(2) > 0;
        const double more = half          ? next(2)
                            : mixed       ? peek().value / peek(2).value
                            : peek().part ? peek().value
                                          : 0;
        all.value += all.value == static_cast<double>(static_cast<std::int64_t>(all.value)) ? more : 0;
        at += half || mixed ? 3U : more > 0 ? 1U : 0U;
    }
    if (at > start)
    {
        all.kind = TokenKind::number;
        all.text = typed_since(start);
        all_[start] = all;
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(start) + 1,
                   all_.begin() + static_cast<std::ptrdiff_t>(at));
        at = start;
    }
}

std::string Tokens::typed_since(std::size_t from) const
{
    std::string typed;
    for (std::size_t i = from; i < std::min(at, all_.size()); ++i)
    {
        typed += (all_[i].apart && i > from ? " " : "") + all_[i].text;
    }
    return typed;
}

std::string_view take_thing(Tokens& t)
{
    std::string_view found;
    std::size_t end = t.at;
    std::string joined;
    for (std::size_t parts = 0, ahead = 0; parts < 3 && t.word(ahead) && t.text() != "tps"; ++parts)
    {
        joined += stem_of(t.text(ahead++));
        const std::string_view named = thing_named(joined);
        end = named.empty() ? end : t.at + ahead;
        found = named.empty() ? found : named;
        ahead += t.sign('-', ahead) && t.word(ahead + 1) ? 1U : 0U;
    }
    t.at = end;
    return found;
}

namespace
{

// "/", "per", "on each", "a": what is behind is under the line.
bool take_line(Tokens& t)
{
    const bool line = t.take_sign('/') || t.take_word("per");
    const std::size_t skip = !line && has_word("on for in of at by", t.text()) ? 1 : 0;
    const bool each =
        has_word("each every per one", t.text(skip)) || (!line && has_word("a an", t.text(skip)));
    t.at += each ? skip + 1 : 0;
    return line || each;
}

// One unit, power of ten or counted thing, over the line for +1.
bool take_factor(Tokens& t, const Measure& asked, Measure& m, int sign)
{
    const std::string word(t.text());
    const bool times = has_word("x X times", word);
    const auto unit = unit_named(word, asked);
    const bool time = unit && unit->power("s") == 1;
    const bool call = t.sign('(', 1) || t.sign('^', 1);
    if (word.empty() || (call && (times || (sign < 0 && !time))) || (times && t.number(1)))
    {
        return false;
    }
    if (times && !thing_named(stem_of(t.text(1))).empty())
    {
        ++t.at; // "46 x A100" counts them
        return take_factor(t, asked, m, sign);
    }
    const bool first = sign < 0 || std::ranges::none_of(m.powers, [](const auto& p)
                                                        { return p.second > 0 && p.first != "USD"; });
    const bool lone_b =
        has_word("B b", word) && (asked.power("B") == 0 || !thing_named(stem_of(t.text(1))).empty());
    const auto scale = lone_b || !has_word("B b", word) ? scale_named(word) : std::nullopt;
    if (scale && (sign > 0 ? m.size == 1 && first : t.word(1)))
    {
        m.size *= sign > 0 ? scale->size : 1 / scale->size;
        ++t.at;
        return sign > 0 || take_factor(t, asked, m, sign);
    }
    // GPU-hours, MW-hours, PFLOP/s-days
    if (unit &&
        (first ? sign > 0 || time || unit->power("B") == 1 : time && m.power("s") <= 0 && m.power("B") == 0))
    {
        const bool said =
            sign < 0 && time && m.power("FLOP") == 1 && m.power("s") == -1; // "TFLOPS per second"
        m.multiply(said ? Measure{} : *unit, sign);
        ++t.at;
        return true;
    }
    const std::size_t start = t.at;
    std::string_view thing = take_thing(t);
    if (!thing.empty() && (first || m.powers.contains(thing)))
    {
        m.multiply({{{std::string(thing), m.powers.contains(thing) && sign > 0 ? 0 : 1}}, 1},
                   sign); // "A100 GPUs"
        return true;
    }
    t.at = start;
    return false;
}

} // namespace

Measure take_unit(Tokens& t, const Measure& asked, Measure m)
{
    for (bool more = true; more && !t.at_end();)
    {
        const std::size_t start = t.at;
        const bool under = take_line(t);
        t.at += !under && (t.hyphen() || (t.sign('*') && t.word(1) && !m.powers.empty()))
                    ? 1U
                    : 0U; // "GPU\u00b7h"
        more = take_factor(t, asked, m, under ? -1 : 1);
        t.at = more ? t.at : start;
    }
    return m;
}

} // namespace ringside
