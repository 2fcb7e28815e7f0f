#include "core/study/grading/tokens.h"

#include <fmt/format.h>

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

std::vector<Token> tokens_of(std::string_view typed)
{
    const std::string text = tidied(typed);
    std::vector<Token> tokens;
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
                {Token::Kind::number, std::string(vulgar->first), vulgar->second, apart, false, true});
        }
        else if (number)
        {
            length = number->length;
            tokens.push_back({Token::Kind::number, std::string(rest.substr(0, length)), number->value, apart,
                              number->exponent, false, with_decimal_comma(rest.substr(0, length))});
        }
        else if (is_word_letter(text[at]) || text[at] == '%' || text[at] == '$' || text[at] == '~')
        {
            length = word_length(rest);
            tokens.push_back({Token::Kind::word, std::string(rest.substr(0, length)), 0, apart});
        }
        else if (text[at] != ' ' && !ends_sentence && text[at] != '"' && text[at] != '`')
        {
            length = hexadecimal ? std::min(rest.find(' '), rest.size()) : 1;
            tokens.push_back({Token::Kind::sign, std::string(rest.substr(0, length)), 0, apart});
        }
        apart = text[at] == ' ';
        at += length;
    }
    return tokens;
}

namespace
{

// Words that end what is counted.
bool ends_things(std::string_view word)
{
    constexpr std::string_view kStops =
        "of in on at for per each every a an with and or so to from by as is are was were be do does did can "
        "could "
        "may must should will would has have had fit fits than then that which the if when x work lie sit "
        "keep run "
        "train remain go not but over under up between before after during while against it";
    return has_word(kStops, stem_of(word)) || has_word(kStops, word);
}

void add_name(Measure& m, std::string_view name)
{
    const bool apart = !m.name.empty() && !m.name.ends_with('/');
    m.name += apart ? (m.name.size() == 1 ? "" : "-") : "";
    m.name += name;
}

std::string singular(std::string_view thing)
{
    const std::size_t ending = thing.ends_with("ches") ? 2 : thing.ends_with('s') ? 1 : 0;
    return std::string(thing.substr(0, thing.size() - ending));
}

} // namespace

void UnitReader::multiply(Measure& m, const UnitWord& unit, int power)
{
    m.of_kind(unit.of) += power;
    m.size *= power > 0 ? unit.size : 1 / unit.size;
    m.of_kind(Of::time) -= unit.per_second ? power : 0;
}

bool UnitReader::scale(Measure& m)
{
    const auto s = t_.word() ? scale_word(t_.peek()->text) : std::nullopt;
    if (s)
    {
        m.size *= s->size;
        add_name(m, s->name);
        ++t_.at;
    }
    return s.has_value();
}

std::string_view UnitReader::thing()
{
    std::string_view found;
    std::size_t end = t_.at;
    std::size_t at = t_.at;
    bool owner = false; // "one layer's weights"
    for (int words = 0; words < 6 && !owner; ++words)
    {
        const std::size_t ahead = at - t_.at;
        if (!t_.word(ahead) || ends_things(t_.peek(ahead)->text))
        {
            break;
        }
        // Up to three words are one: "all to all", "micro-batches".
        std::string joined;
        std::size_t next = at;
        bool named = false;
        for (int part = 0; part < 3 && t_.word(next - t_.at); ++part)
        {
            joined += stem_of(t_.peek(next - t_.at)->text);
            ++next;
            if (const std::string_view name = thing_named(joined); !name.empty())
            {
                found = name;
                end = next;
                at = next - 1;
                named = true;
                owner = t_.peek(next - 1 - t_.at)->text.find('\'') != std::string::npos;
            }
            next += t_.sign('-', next - t_.at) && t_.word(next - t_.at + 1) ? 1U : 0U;
        }
        const std::string& word = t_.peek(ahead)->text;
        if (!named && adjectives && !has_word(*adjectives, stem_of(word)) &&
            manner_of(word) != Manner::silent)
        {
            break;
        }
        ++at;
        at += t_.sign('-', at - t_.at) && t_.word(at - t_.at + 1) ? 1U : 0U;
    }
    t_.at = found.empty() ? t_.at : end;
    return found;
}

// "Mtok", "gpuh", "tps"; "Ttokens"
bool UnitReader::thing_atom(Measure& m)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRates{
        {{"tp", "tokens"}, {"qp", "requests"}, {"rp", "requests"}, {"toksec", "tokens"}}};
    const std::string& word = t_.peek()->text;
    const std::string stem = stem_of(word);
    const auto s = scale_word(word.substr(0, 1));
    const std::string_view behind = s ? thing_named(stem_of(word.substr(1))) : "";
    const auto* rate = word.size() > 2 ? starts_in(kRates, stem) : nullptr;
    if (!behind.empty() && thing_named(stem).empty())
    {
        m.size *= s->size;
        m.of.push_back(behind);
        add_name(m, s->name);
        add_name(m, behind);
    }
    else if (rate && stem == rate->first)
    {
        m.of.push_back(rate->second);
        --m.of_kind(Of::time);
        m.name += std::string(rate->second) + "/s";
    }
    else if (stem.starts_with("gpu") && thing_named(stem).empty() && time_word(stem.substr(3)))
    {
        m.of.push_back("GPUs");
        multiply(m, *time_word(stem.substr(3)), 1);
        m.name = "GPU-" + time_word(stem.substr(3))->name;
    }
    else
    {
        const std::string_view named = thing();
        if (!named.empty())
        {
            m.of.push_back(named);
            m.name += (m.name.empty() || m.name.ends_with('/') ? "" : " ") + std::string(named);
        }
        return !named.empty();
    }
    ++t_.at;
    return true;
}

bool UnitReader::unit_atom(Measure& m)
{
    const auto unit = unit_word(t_.peek()->text, wanted_, bits_);
    if (!unit)
    {
        return false;
    }
    const bool product = unit->of == Of::time && m.of_kind(Of::time) == 0 && m.of_kind(Of::data) == 0 &&
                         (!m.of.empty() || m.of_kind(Of::work) == 1 || m.of_kind(Of::energy) == 1);
    const bool energy = unit->of == Of::time && m.of_kind(Of::energy) == 1 && m.of_kind(Of::time) == -1;
    if ((m.physical() || m.percent || m.ratio || !m.of.empty()) && !product && !energy)
    {
        return false;
    }
    m.name = product && m.name.ends_with('s') ? m.name.substr(0, m.name.size() - 1) : m.name;
    m.percent = unit->of == Of::percent;
    m.ratio = unit->of == Of::ratio;
    m.size *= m.percent ? unit->size : 1;
    if (!m.percent && !m.ratio)
    {
        multiply(m, *unit, 1);
        m.loose_rate = unit->of == Of::work && unit->per_second;
    }
    add_name(m, unit->name);
    ++t_.at;
    return true;
}

// One unit or counted thing over the line.
bool UnitReader::atom(Measure& m)
{
    const Token& token = *t_.peek();
    const bool bare = !m.physical() && !m.percent && !m.ratio && m.of.empty();
    if ((token.text == "t" || token.text == "T") && t_.sign('/', 1) && t_.word(2) &&
        time_word(t_.peek(2)->text))
    {
        m.of.emplace_back("tokens");
        add_name(m, "tokens");
        ++t_.at;
        return true;
    }
    const bool factor = token.text == "x" || token.text == "X" || token.text == "times";
    if (factor && (t_.number(1) || t_.sign('(', 1) || !m.name.empty()))
    {
        return false;
    }
    // "405 B parameters" are no bytes, "185 tps" no bits.
    const bool counted = token.text.size() == 1 && scale_word(token.text) && t_.word(1) &&
                         !thing_named(stem_of(t_.peek(1)->text)).empty();
    if (bare && (counted ? scale(m) : token.text.size() > 2 && stem_of(token.text) == "tp" && thing_atom(m)))
    {
        return true;
    }
    return unit_atom(m) || (bare && (scale(m) || thing_atom(m)));
}

// What is under the line.
bool UnitReader::under(Measure& m, double count)
{
    const std::size_t start = t_.at;
    if (t_.word() && (t_.word(1) || t_.peek()->text.size() > 4) && !time_next() &&
        scale_word(t_.peek()->text))
    {
        count *= scale_word(t_.peek()->text)->size;
        ++t_.at;
    }
    // "2.5 per thousand" of a share
    if (count > 1 && t_.at > start && !t_.word())
    {
        m.percent = true;
        m.size /= count;
        m.name = fmt::format("per {:.0f}", count);
        return true;
    }
    const bool unit_next =
        time_next() || !t_.peek(1) || !(t_.sign('(', 1) || t_.sign('^', 1) || t_.number(1));
    if (!t_.word() || t_.peek()->text == "$" || !unit_next)
    {
        t_.at = start;
        return false;
    }
    const std::string word = t_.peek()->text;
    auto unit = time_word(word);
    if (!unit && thing_named(stem_of(word)).empty())
    {
        unit = unit_word(word, Of::data, false);
        unit = unit && unit->of == Of::data && (word == "B" || word.size() > 3) ? unit : std::nullopt;
    }
    const auto glue = scale_word(word.substr(0, 1));
    const std::string_view glued = glue ? thing_named(stem_of(word.substr(1))) : "";
    std::string_view named;
    if (unit)
    {
        ++t_.at;
        multiply(m, *unit, -1);
        m.size /= count;
        m.name += "/" + unit->name;
    }
    else if (!glued.empty())
    {
        named = glued;
        count *= glue->size;
        ++t_.at;
    }
    else if (named = thing(); named.empty() && word.size() < 3)
    {
        t_.at = start;
        return false;
    }
    else if (named.empty())
    {
        m.strange = word;
        ++t_.at;
    }
    if (!named.empty())
    {
        m.per.push_back({named, count});
        m.name += "/" + singular(named);
    }
    return true;
}

bool UnitReader::denominator(Measure& m)
{
    const std::size_t start = t_.at;
    const bool slash = t_.take_sign('/');
    bool sure = slash || t_.take_word("per");
    if (slash && t_.sign('(') && t_.word(1) && (t_.sign(')', 2) || t_.sign('*', 2))) // "GB/(s*GPU)"
    {
        for (++t_.at; !t_.at_end() && !t_.take_sign(')');)
        {
            t_.take_sign('*');
            t_.at += under(m, 1) ? 0U : 1U;
        }
        return true;
    }
    const bool preposition =
        t_.word("for") || t_.word("on") || t_.word("in") || t_.word("of") || t_.word("at") || t_.word("by");
    t_.at += !sure && preposition ? 1U : 0U;
    const Manner manner = t_.word() ? manner_of(t_.peek()->text) : Manner::unknown;
    const bool article = manner == Manner::each || manner == Manner::one_word;
    t_.at += article ? 1U : 0U;
    t_.at += article && t_.word("of") ? 1U : 0U;
    t_.at += article && t_.word("the") ? 1U : 0U;
    double count = 1;
    // "8/16 GPUs" is a quotient, and so is "2700/2000 s".
    const bool things = t_.word(1) && !thing_named(stem_of(t_.peek(1)->text)).empty();
    if (sure && t_.number() && t_.word(1) && (!slash || (t_.peek()->value >= 1000 && things)))
    {
        count = t_.peek()->value;
        ++t_.at;
    }
    // "a day", "on each GPU"; "each" alone and "a bit" are none.
    if (!sure && article && t_.word())
    {
        const std::size_t place = t_.at;
        sure = (time_next() && t_.peek()->text.size() > 1) || !thing().empty();
        t_.at = place;
    }
    if (sure && under(m, count))
    {
        return true;
    }
    t_.at = start;
    return false;
}

Measure UnitReader::measure()
{
    Measure m;
    for (bool more = true; more && !t_.at_end();)
    {
        // "16-way", "GPU-hours", "GPU\u00b7h"
        const bool hyphen =
            (t_.sign('-') || (t_.sign('*') && !m.name.empty())) && t_.word(1) && t_.joined() && t_.joined(1);
        t_.at += hyphen ? 1U : 0U;
        more = t_.word() && atom(m);
        t_.at -= hyphen && !more ? 1U : 0U;
    }
    for (bool more = true; more && !t_.at_end();)
    {
        const std::size_t dot = t_.sign('*') && t_.sign('^', 2) && t_.sign('-', 3) ? 1 : 0; // "GB·s^-1"
        const std::size_t hyphen = t_.sign('-') && time_next(1) ? 1 : 0;                    // "PFLOP/s-days"
        if (m.of_kind(Of::work) == 1 && m.of_kind(Of::time) == -1 && time_next(hyphen))
        {
            t_.at += hyphen;
            multiply(m, *time_word(t_.peek()->text), 1);
            m.name += "-" + time_word(t_.peek()->text)->name;
            ++t_.at;
        }
        else if (time_next(dot) && t_.sign('^', dot + 1) && t_.sign('-', dot + 2))
        {
            t_.at += dot;
            multiply(m, *time_word(t_.peek()->text), -1);
            m.name += "/" + time_word(t_.peek()->text)->name;
            t_.at += 4;
        }
        else
        {
            more = denominator(m);
        }
    }
    return m;
}

Measure read_measure(std::string_view phrase, Of wanted)
{
    Tokens tokens(tokens_of(phrase));
    return UnitReader(tokens, wanted, false).measure();
}

} // namespace ringside
