#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/study/grading/tokens.h"

#include <array>
#include <utility>

namespace ringside
{

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

// "s", "B", "byte"; not "MB", which nothing is said per.
std::optional<UnitWord> unit_under(std::string_view word)
{
    const auto time = time_word(word);
    const auto unit = time || !thing_named(stem_of(word)).empty() ? time : unit_word(word, Of::data, false);
    const bool bytes = unit && unit->of == Of::data && (word == "B" || word.size() > 3);
    return time || bytes ? unit : std::nullopt;
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
    const auto* rate = word.size() > 2
                           ? find_by(kRates, stem, &std::pair<std::string_view, std::string_view>::first)
                           : nullptr;
    if (!behind.empty() && thing_named(stem).empty())
    {
        m.size *= s->size;
        m.of.push_back(behind);
        add_name(m, s->name);
        add_name(m, behind);
    }
    else if (rate)
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
    const TypedToken& token = *t_.peek();
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
    // Not "min(3, 4)", "e^2" or "ln 2".
    const bool call = t_.sign('(', 1) && t_.joined(1);
    const bool unit_next = !call && (time_next() || !(t_.sign('^', 1) || t_.number(1)));
    if (!t_.word() || t_.peek()->text == "$" || !unit_next)
    {
        t_.at = start;
        return false;
    }
    const std::string word = t_.peek()->text;
    const auto unit = unit_under(word);
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
