#include "core/study/grading/tokens.h"

#include "core/base/text/number.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ringside
{

namespace
{

using TokenKind = TypedToken::Kind;

// Several spellings, each in the list with | between them, and what they
// become.
constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kSigns{
    {{" ", "\u2009|\u202f|\u00a0|\t|\u201c|\u201d|\\,|\\left|\\right|\\text|`|\""},
     {" , ", "\n"},
     {"^", "**"},
     {" x ", "\u00d7|\u2715|\\times"},
     {"*", "\u00b7|\u22c5|\u2219|\\cdot"},
     {"/", "\u00f7|\u2215|\u2044|divided by"},
     {"-", "\u2212|\u2010|\u2011|\u2013|\u2014|\ufe63|\uff0d|minus|negative|"
           "Minus|Negative"},
     {"+", "plus"},
     {" > ", "\u2192|\u21d2|->|=>"},
     {"=", "=="},
     {"~", "\\approx|or so|\u2248|\u223c|\u2243|\u2245|?"},
     {" at most ", "\u2264|<="},
     {" at least ", "\u2265|>="},
     {" below ", "<"},
     {" above ", ">"},
     {"u", "\u00b5|\u03bc"},
     {" sqrt ", "\u221a"},
     {"'", "\u2019"},
     {"(", "[|{"},
     {")", "]|}"},
     {"percent", "per cent"},
     {" permille ", "per mille|\u2030"},
     {"bps", "basis points"}}};
constexpr std::string_view kSuper = "\u2070|\u00b9|\u00b2|\u00b3|\u2074|\u2075|\u2076|\u2077|\u2078|\u2079|"
                                    "\u207b";
constexpr std::string_view kVulgar = "\u00bd|\u00bc|\u00be|\u2153|\u2154|\u2155|\u2159|\u215a|\u215b|\u215c|"
                                     "\u215d|\u215e";
constexpr std::array kVulgarValues{1.0 / 2, 1.0 / 4, 3.0 / 4, 1.0 / 3, 2.0 / 3, 1.0 / 5,
                                   1.0 / 6, 5.0 / 6, 1.0 / 8, 3.0 / 8, 5.0 / 8, 7.0 / 8};

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// The parts of a list with | between them, in order.
std::vector<std::string_view> spellings_in(std::string_view list)
{
    std::vector<std::string_view> all;
    while (!list.empty())
    {
        all.push_back(list.substr(0, list.find('|')));
        list.remove_prefix(std::min(all.back().size() + 1, list.size()));
    }
    return all;
}

// The entry that the text begins with, and its place; none of these is the
// beginning of another.
std::pair<std::string_view, std::size_t> begins_with(std::string_view text,
                                                     const std::vector<std::string_view>& list)
{
    const auto found =
        std::ranges::find_if(list, [&](std::string_view own) { return text.starts_with(own); });
    const bool ascii = static_cast<unsigned char>(text[0]) < 0x80;
    return ascii || found == list.end() ? std::pair<std::string_view, std::size_t>{}
                                        : std::pair{*found, static_cast<std::size_t>(found - list.begin())};
}

struct Spelling
{
    std::string_view own;
    std::string_view becomes;
};

// Those of a first byte, the longest first.
const std::vector<Spelling>& spellings_from(char first)
{
    static const auto kAll = []
    {
        std::array<std::vector<Spelling>, 256> all;
        for (const auto& [becomes, list] : kSigns)
        {
            for (const std::string_view own : spellings_in(list))
            {
                all.at(static_cast<unsigned char>(own[0])).push_back({own, becomes});
            }
        }
        const auto longer = [](const Spelling& s) { return -static_cast<std::ptrdiff_t>(s.own.size()); };
        std::ranges::for_each(all, [&](auto& those) { std::ranges::stable_sort(those, {}, longer); });
        return all;
    }();
    return kAll.at(static_cast<unsigned char>(first));
}

// The sign at a place and what it becomes. One spelt in letters stands by
// itself: the "minus" of "terminus" is none.
Spelling sign_at(std::string_view typed, std::size_t at)
{
    for (const Spelling& s : spellings_from(typed[at]))
    {
        const std::size_t end = at + s.own.size();
        const bool spelt = s.own.size() > 2 && is_letter(s.own.back()) && s.own[0] != '\\';
        const bool inside =
            spelt && ((at > 0 && is_letter(typed[at - 1])) || (end < typed.size() && is_letter(typed[end])));
        if (typed.substr(at).starts_with(s.own) && !inside)
        {
            return s;
        }
    }
    return {typed.substr(at, 1), typed.substr(at, 1)};
}

// Same signs made one; superscripts become powers.
std::string tidied(std::string_view typed)
{
    static const std::vector<std::string_view> kSupers = spellings_in(kSuper);
    std::string text;
    bool raised = false;
    for (std::size_t at = 0; at < typed.size();)
    {
        const auto [super, digit] = begins_with(typed.substr(at), kSupers);
        const auto [from, to] = sign_at(typed, at);
        if (!super.empty())
        {
            text += raised ? "" : "^";
            text += digit == 10 ? '-' : static_cast<char>('0' + digit);
        }
        else
        {
            text += (raised ? " " : "") + std::string(to);
        }
        raised = !super.empty();
        at += super.empty() ? from.size() : super.size();
    }
    return text;
}

// Letters, with an apostrophe inside or behind an s, and the digits of a name
// such as H100.
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
    static const std::vector<std::string_view> kFractions = spellings_in(kVulgar);
    const std::string_view rest = text.substr(at);
    const auto [vulgar, place] = begins_with(rest, kFractions);
    const bool hexadecimal = rest.size() > 2 && rest.starts_with("0x") && std::isxdigit(rest[2]) != 0;
    const bool after = rest[0] == '.' && at > 0 && (is_letter(text[at - 1]) || text[at - 1] == '.');
    // "max(20,30)" has no decimal comma
    const std::size_t open = text.substr(0, at).find_last_of("()");
    const bool listed = open != std::string_view::npos && open > 2 && text[open] == '(' &&
                        has_word("max min", text.substr(open - 3, 3));
    const auto number =
        after || hexadecimal ? std::nullopt : number_at_start(listed ? rest.substr(0, rest.find(',')) : rest);
    const auto part = [&](std::size_t length) { return std::string(rest.substr(0, length)); };
    if (!vulgar.empty())
    {
        return {TokenKind::number, std::string(vulgar), kVulgarValues.at(place), false, true};
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

// "twenty-four", "two hundred and five". Each part is smaller than the one
// before, so that "six forty" is none.
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

// A number in letters begins the answer, or stands behind a sign or "of";
// elsewhere "one" is a word.
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
