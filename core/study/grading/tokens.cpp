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

struct Sign
{
    std::string_view becomes;
    std::string_view of; // with | between them
};

constexpr std::array kSigns{Sign{" ", "\u2009|\u202f|\u00a0|\t|\u201c|\u201d|\\,|\\left|\\right|\\text|`|\""},
                            Sign{" , ", "\n"},
                            Sign{"^", "**"},
                            Sign{" x ", "\u00d7|\u2715|\\times"},
                            Sign{"*", "\u00b7|\u22c5|\u2219|\\cdot"},
                            Sign{"/", "\u00f7|\u2215|\u2044|divided by"},
                            Sign{"-", "\u2212|\u2010|\u2011|\u2013|\u2014|\ufe63|\uff0d|minus|negative|"
                                      "Minus|Negative"},
                            Sign{"+", "plus"},
                            Sign{" > ", "\u2192|\u21d2|->|=>"},
                            Sign{"=", "=="},
                            Sign{" ~ ", "\\approx|or so|\u2248|\u223c|\u2243|\u2245|~|?"},
                            Sign{" at most ", "\u2264|<="},
                            Sign{" at least ", "\u2265|>="},
                            Sign{" below ", "<"},
                            Sign{" above ", ">"},
                            Sign{"u", "\u00b5|\u03bc"},
                            Sign{" sqrt ", "\u221a"},
                            Sign{"'", "\u2019"},
                            Sign{"(", "[|{"},
                            Sign{")", "]|}"},
                            Sign{"percent", "per cent"},
                            Sign{" permille ", "per mille|\u2030"},
                            Sign{"bps", "basis points"},
                            Sign{" % ", "%"},
                            Sign{" $ ", "$"}};
constexpr std::string_view kSuper = "\u2070|\u00b9|\u00b2|\u00b3|\u2074|\u2075|"
                                    "\u2076|\u2077|\u2078|\u2079|\u207b";
struct Vulgar
{
    std::string_view sign;
    double value;
};
constexpr std::array kVulgar{Vulgar{"\u00bd", 1.0 / 2}, Vulgar{"\u00bc", 1.0 / 4}, Vulgar{"\u00be", 3.0 / 4},
                             Vulgar{"\u2153", 1.0 / 3}, Vulgar{"\u2154", 2.0 / 3}, Vulgar{"\u2155", 1.0 / 5},
                             Vulgar{"\u2159", 1.0 / 6}, Vulgar{"\u215a", 5.0 / 6}, Vulgar{"\u215b", 1.0 / 8},
                             Vulgar{"\u215c", 3.0 / 8}, Vulgar{"\u215d", 5.0 / 8}, Vulgar{"\u215e", 7.0 / 8}};

bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// The longest entry of a list with | between its parts that the text begins
// with, and its place.
std::pair<std::string_view, std::size_t> begins_with(std::string_view text, std::string_view list)
{
    std::pair<std::string_view, std::size_t> found;
    for (std::size_t place = 0; !list.empty(); ++place)
    {
        const std::string_view own = list.substr(0, list.find('|'));
        list.remove_prefix(std::min(own.size() + 1, list.size()));
        found = text.starts_with(own) && own.size() > found.first.size() ? std::pair{own, place} : found;
    }
    return found;
}

// Same signs made one; superscripts become powers. A sign spelt in letters
// stands by itself: the "minus" of "terminus" is none.
std::string tidied(std::string_view typed)
{
    std::string text;
    bool raised = false;
    for (std::size_t at = 0; at < typed.size();)
    {
        const std::string_view rest = typed.substr(at);
        const auto [super, digit] = begins_with(rest, kSuper);
        std::string_view from = super;
        std::string_view to;
        for (const Sign& s : kSigns)
        {
            const std::string_view own = begins_with(rest, s.of).first;
            const bool inside = !own.empty() && is_letter(own.back()) && own.size() > 2 && own[0] != '\\' &&
                                ((at > 0 && is_letter(typed[at - 1])) ||
                                 (own.size() < rest.size() && is_letter(rest[own.size()])));
            to = own.size() > from.size() && !inside ? s.becomes : to;
            from = own.size() > from.size() && !inside ? own : from;
        }
        if (!super.empty())
        {
            text += raised ? "" : "^";
            text += digit == 10 ? '-' : static_cast<char>('0' + digit);
        }
        else
        {
            text += raised ? " " : "";
            text += from.empty() ? rest.substr(0, 1) : to;
        }
        raised = !super.empty();
        at += std::max<std::size_t>(1, from.size());
    }
    return text;
}

// Letters, with an apostrophe inside or behind an s, and the digits of a name
// such as H100.
std::size_t word_length(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size() &&
           (is_letter(text[end]) ||
            (text[end] == '\'' && end > 0 &&
             ((end + 1 < text.size() && is_letter(text[end + 1])) || text[end - 1] == 's'))))
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

} // namespace

std::vector<TypedToken> tokens_of(std::string_view typed)
{
    using Kind = TypedToken::Kind;
    const std::string text = tidied(typed);
    std::vector<TypedToken> tokens;
    bool apart = false;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::string_view rest = std::string_view(text).substr(at);
        const auto vulgar =
            std::ranges::find_if(kVulgar, [&](const Vulgar& v) { return rest.starts_with(v.sign); });
        const bool hexadecimal = rest.size() > 2 && rest.starts_with("0x") && std::isxdigit(rest[2]) != 0;
        const bool dot = text[at] == '.';
        const bool after = dot && at > 0 && (is_letter(text[at - 1]) || text[at - 1] == '.');
        const auto number = after || hexadecimal ? std::nullopt : number_at_start(rest);
        const bool ends = dot && at > 0 && text[at - 1] != '.' && (rest.size() == 1 || rest[1] == ' ');
        std::size_t length = 1;
        if (vulgar != kVulgar.end())
        {
            length = vulgar->sign.size();
            tokens.push_back({Kind::number, std::string(vulgar->sign), vulgar->value, apart, true});
        }
        else if (number)
        {
            length = number->length;
            tokens.push_back({Kind::number, std::string(rest.substr(0, length)), number->value, apart});
        }
        else if (is_letter(text[at]) || std::string_view("%$~").find(text[at]) != std::string_view::npos)
        {
            length = word_length(rest);
            tokens.push_back({Kind::word, std::string(rest.substr(0, length)), 0, apart});
        }
        else if (text[at] != ' ' && !ends)
        {
            tokens.push_back({Kind::sign, hexadecimal ? "0x" : std::string(rest.substr(0, 1)), 0, apart});
        }
        apart = text[at] == ' ';
        at += length;
    }
    return tokens;
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

void add_name(Measure& m, std::string_view name)
{
    const bool apart = !m.name.empty() && !m.name.ends_with('/') && m.name.size() > 1;
    m.name += (apart ? (m.power("s") > 0 ? "-" : " ") : "") + std::string(name);
}

void take_measure(Tokens& t, Measure& m, const Measure& next, int sign)
{
    m.multiply(next, sign);
    sign < 0 ? void(m.name += "/" + next.name) : add_name(m, next.name);
    ++t.at;
}

// "s" where it may stand in a product: GPU-hours, MW-hours, PFLOP/s-days.
std::optional<Measure> time_next(const Tokens& t, std::size_t ahead, const Measure& asked)
{
    auto unit = t.word(ahead) ? unit_named(t.text(ahead), asked) : std::nullopt;
    return unit && unit->power("s") == 1 ? unit : std::nullopt;
}

// One unit, power of ten or counted thing over the line.
bool take_over(Tokens& t, const Measure& asked, Measure& m)
{
    const std::string word(t.text());
    const bool factor = has_word("x X times", word) &&
                        (t.number(1) || t.sign('(', 1) || !thing_named(stem_of(t.text(1))).empty());
    if (factor && !t.number(1) && !t.sign('(', 1))
    {
        ++t.at; // "46 x A100" counts them
        return true;
    }
    if (factor || word.empty())
    {
        return false;
    }
    if (!m.plain())
    {
        const auto time = m.power("s") <= 0 && m.power("B") == 0 ? time_next(t, 0, asked) : std::nullopt;
        const std::size_t start = t.at;
        const std::string_view thing = time || m.physical() ? "" : take_thing(t);
        t.at = m.powers.contains(thing) ? t.at : start; // "A100 GPUs"
        time ? take_measure(t, m, *time, 1) : void();
        return time || m.powers.contains(thing);
    }
    const bool lone_b = has_word("B b", word) && asked.power("B") == 0;
    const auto scale = lone_b || !has_word("B b", word) ? scale_named(word) : std::nullopt;
    const auto unit = scale ? scale : unit_named(word, asked);
    if (unit)
    {
        take_measure(t, m, *unit, 1);
        return true;
    }
    std::string_view thing = take_thing(t);
    const auto glued = thing.empty() ? scale_named(word.substr(0, 1)) : std::nullopt;
    if (glued && word.size() > 2 && !thing_named(stem_of(word.substr(1))).empty()) // "Mtok"
    {
        thing = thing_named(stem_of(word.substr(1)));
        take_measure(t, m, *glued, 1);
    }
    if (!thing.empty())
    {
        m.powers.emplace(thing, 1);
        add_name(m, thing);
    }
    return !thing.empty();
}

} // namespace

bool take_denominator(Tokens& t, const Measure& asked, Measure& m)
{
    const std::size_t start = t.at;
    const bool sure = t.take_sign('/') || t.take_word("per");
    t.at += !sure && has_word("on for in of at by", t.text()) ? 1U : 0U;
    const bool article = has_word("a an", t.text()) && !sure;
    const bool each = has_word("each every per one", t.text()) || article || has_word("the", t.text());
    const bool counts = each && !t.word("the");
    t.at += each ? 1U : 0U;
    double count = t.number() && t.word(1) && sure && t.before()->text == "per" ? t.peek()->value : 1;
    t.at += count != 1 ? 1U : 0U;
    if (const auto scale = t.word() && t.word(1) ? scale_named(t.text()) : std::nullopt; scale)
    {
        count *= scale->size;
        ++t.at;
    }
    const bool call = t.sign('(', 1) || t.number(1) || t.sign('^', 1);
    const auto time = time_next(t, 0, asked);
    const auto bytes =
        t.word() && has_word("B b byte", stem_of(t.text())) ? unit_named("B", asked) : std::nullopt;
    if ((sure || counts) && t.word() && (!call || time))
    {
        const std::string word(t.text());
        if ((time && (word.size() > 1 || sure)) || (bytes && sure))
        {
            const bool said = time && m.power("FLOP") == 1 && m.power("s") == -1; // "TFLOPS per second"
            take_measure(t, m, said ? Measure{} : time ? *time : *bytes, -1);
            m.size /= count;
            return true;
        }
        const std::string_view thing = take_thing(t);
        if (!thing.empty() || (sure && word.size() > 2))
        {
            t.at += thing.empty() ? 1U : 0U;
            m.multiply({{{thing.empty() ? "?" + stem_of(word) : std::string(thing), 1}}, count, ""}, -1);
            m.name += "/" + (thing.empty() ? word : std::string(thing.substr(0, thing.size() - 1)));
            return true;
        }
    }
    t.at = start;
    return false;
}

Measure take_unit(Tokens& t, const Measure& asked)
{
    Measure m;
    for (bool more = true; more && !t.at_end();)
    {
        const std::size_t start = t.at;
        t.at += t.hyphen() || (t.sign('*') && t.joined() && !m.name.empty()) ? 1U : 0U;
        more = take_over(t, asked, m);
        t.at = more ? t.at : start;
    }
    while (take_denominator(t, asked, m))
    {
    }
    if (t.hyphen() && m.power("s") == -1 && time_next(t, 1, asked)) // "PFLOP/s-days"
    {
        ++t.at;
        m.name += "-";
        take_measure(t, m, *time_next(t, 0, asked), 1);
    }
    return m;
}

} // namespace ringside
