#include "core/study/grading/unit_reader.h"

#include "core/base/text/find_by.h"

#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

// Words that end what is counted.
bool ends_things(std::string_view word)
{
    static constexpr std::string_view kStops =
        " of in on at for per each every a an with and or so to from by as is are was were do does did must "
        "can "
        "could may might should will would has have had fit fits be than then that which the if when x must "
        "work "
        "lie lies sit sits keep keeps run runs train remain go not but over under up between before after "
        "during while against = ";
    std::string padded(1, ' ');
    padded += stem_of(word);
    padded += ' ';
    std::string plain(1, ' ');
    plain += word;
    plain += ' ';
    return kStops.find(padded) != std::string_view::npos || kStops.find(plain) != std::string_view::npos;
}

bool is_preposition(const Tokens& t)
{
    return t.word("for") || t.word("on") || t.word("in") || t.word("of") || t.word("at") || t.word("by") ||
           t.word("to");
}

void add_name(Measure& m, std::string_view name)
{
    const bool apart = !m.name.empty() && !m.name.ends_with('/');
    m.name += apart ? (m.name.size() == 1 ? "" : "-") : "";
    m.name += name;
}

double logistic(double x)
{
    return 1 / (1 + std::exp(-x));
}

} // namespace

Function function_named(std::string_view name)
{
    static constexpr std::array<std::pair<std::string_view, Function>, 9> kFunctions{{{"sqrt", std::sqrt},
                                                                                      {"sigmoid", logistic},
                                                                                      {"logistic", logistic},
                                                                                      {"ln", std::log},
                                                                                      {"log", std::log},
                                                                                      {"exp", std::exp},
                                                                                      {"ceil", std::ceil},
                                                                                      {"floor", std::floor},
                                                                                      {"round", std::round}}};
    const auto* found = find_by(kFunctions, name, &std::pair<std::string_view, Function>::first);
    return found ? found->second : nullptr;
}

bool Tokens::function(std::size_t ahead) const
{
    const bool named = word(ahead) && function_named(stem_of(peek(ahead)->text)) != nullptr;
    return named ? number(ahead + 1) || sign('(', ahead + 1) : word("e", ahead) && sign('^', ahead + 1);
}

bool Tokens::take_word(std::string_view text)
{
    const bool found = word(text);
    at += found ? 1U : 0U;
    return found;
}

bool Tokens::take_sign(char c)
{
    const bool found = sign(c);
    at += found ? 1U : 0U;
    return found;
}

void UnitReader::multiply(Measure& m, const UnitWord& unit, int power)
{
    m.of_kind(unit.of) += power;
    m.size *= power > 0 ? unit.size : 1 / unit.size;
    m.of_kind(Of::time) -= unit.per_second ? power : 0;
}

bool UnitReader::scale(Measure& m)
{
    const auto s = t_.word() ? scale_word(t_.peek()->text) : std::nullopt;
    if (!s)
    {
        return false;
    }
    m.size *= s->size;
    add_name(m, s->name);
    ++t_.at;
    return true;
}

std::string_view UnitReader::thing()
{
    std::string_view found;
    std::size_t end = t_.at;
    std::size_t at = t_.at;
    bool owner = false; // "one layer's weights"
    for (int words = 0; words < 6 && at - t_.at < 10 && !owner; ++words)
    {
        const std::size_t ahead = at - t_.at;
        if (!t_.word(ahead) || ends_things(t_.peek(ahead)->text))
        {
            break;
        }
        // Up to three words are one: "all to all", "micro-batches".
        std::string joined;
        std::size_t next = at;
        for (int part = 0; part < 3 && t_.word(next - t_.at); ++part)
        {
            joined += stem_of(t_.peek(next - t_.at)->text);
            ++next;
            if (const std::string_view named = thing_named(joined); !named.empty())
            {
                found = named;
                end = next;
                at = next - 1;
                owner = t_.peek(next - 1 - t_.at)->text.find('\'') != std::string::npos;
            }
            next += t_.sign('-', next - t_.at) && t_.word(next - t_.at + 1) ? 1U : 0U;
        }
        ++at;
        at += t_.sign('-', at - t_.at) && t_.word(at - t_.at + 1) ? 1U : 0U;
    }
    t_.at = found.empty() ? t_.at : end;
    return found;
}

// "Mtok", "70Bparams", "gpuh"
bool UnitReader::glued(Measure& m)
{
    const std::string& word = t_.peek()->text;
    const std::string stem = stem_of(word);
    const auto s = scale_word(word.substr(0, 1));
    if (const std::string_view named = thing_named(stem_of(word.substr(1))); s && !named.empty())
    {
        m.size *= s->size;
        m.of.push_back(named);
        add_name(m, s->name);
        add_name(m, named);
        ++t_.at;
        return true;
    }
    if (stem == "gpuh" || stem == "gpuhr" || stem == "gpuhour" || stem == "gpuday" || stem == "gpud")
    {
        m.of.push_back("GPUs");
        multiply(m, *time_word(stem.substr(3)), 1);
        m.name = "GPU-" + time_word(stem.substr(3))->name;
        ++t_.at;
        return true;
    }
    return false;
}

// "tps", "qps"
bool UnitReader::abbreviated_rate(Measure& m)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRates{
        {{"tp", "tokens"}, {"qp", "requests"}, {"rp", "requests"}, {"toksec", "tokens"}}};
    for (const auto& [word, named] : kRates)
    {
        if (t_.peek()->text.size() > 2 && t_.word(word))
        {
            m.of.push_back(named);
            --m.of_kind(Of::time);
            m.name += std::string(named) + "/s";
            ++t_.at;
            return true;
        }
    }
    return false;
}

// One unit or counted thing over the line.
bool UnitReader::atom(Measure& m)
{
    const Token& token = *t_.peek();
    const bool rate_of_tokens = (token.text == "t" || token.text == "T") && t_.sign('/', 1) &&
                                time_word(t_.peek(2) ? t_.peek(2)->text : "");
    if (rate_of_tokens)
    {
        m.of.emplace_back("tokens");
        add_name(m, "tokens");
        ++t_.at;
        return true;
    }
    if (!m.physical() && token.text.size() > 2 && abbreviated_rate(m))
    {
        return true;
    }
    const bool factor = token.text == "x" || token.text == "X" || (token.text == "times" && t_.number(1));
    if (factor && (t_.number(1) || t_.sign('(', 1) || !m.name.empty()))
    {
        return false;
    }
    // "405 B parameters" are no bytes.
    if (!m.physical() && token.text.size() == 1 && scale_word(token.text) && t_.word(1))
    {
        const std::size_t start = t_.at;
        ++t_.at;
        const bool counted = thing_named(stem_of(t_.peek()->text)).size() > 0;
        t_.at = start;
        if (counted)
        {
            return scale(m);
        }
    }
    if (const auto unit = unit_word(token.text, wanted_, bits_))
    {
        const bool again = m.physical() || m.percent || m.ratio;
        const bool product =
            unit->of == Of::time && m.of_kind(Of::time) == 0 && m.of_kind(Of::data) == 0 && !m.of.empty();
        const bool work_time = unit->of == Of::time && m.of_kind(Of::work) == 1;
        if ((again && !work_time) || (!m.of.empty() && !product))
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
        m.name += unit->per_second && unit->of == Of::data ? "/s" : "";
        ++t_.at;
        return true;
    }
    if (m.physical() || m.percent || m.ratio || !m.of.empty())
    {
        return false;
    }
    if (scale(m) || glued(m))
    {
        return true;
    }
    const std::string_view named = thing();
    if (named.empty())
    {
        return false;
    }
    m.of.push_back(named);
    m.name += (m.name.empty() || m.name.ends_with('/') ? "" : " ") + std::string(named);
    return true;
}

// What is under the line.
bool UnitReader::under(Measure& m, double count)
{
    const auto s = t_.word() && !time_word(t_.peek()->text) ? scale_word(t_.peek()->text) : std::nullopt;
    const std::size_t start = t_.at;
    if (s && t_.word(1))
    {
        ++t_.at;
        count *= s->size;
    }
    if (!t_.word() || t_.function())
    {
        t_.at = start;
        return false;
    }
    const std::string word = t_.peek()->text;
    auto unit = time_word(word);
    if (!unit && !thing_named(stem_of(word)).empty())
    {
        unit.reset();
    }
    else if (!unit)
    {
        unit = unit_word(word, Of::data, false);
        unit = unit && unit->of == Of::data && (word == "B" || word.size() > 3) ? unit : std::nullopt;
    }
    if (unit)
    {
        ++t_.at;
        multiply(m, *unit, -1);
        m.size /= count;
        m.name += "/" + unit->name;
        return true;
    }
    if (const auto glue = scale_word(word.substr(0, 1));
        glue && !thing_named(stem_of(word.substr(1))).empty())
    {
        m.per.push_back({thing_named(stem_of(word.substr(1))), count * glue->size});
        ++t_.at;
    }
    else if (const std::string_view named = thing(); !named.empty())
    {
        m.per.push_back({named, count});
    }
    else
    {
        m.strange = word;
        ++t_.at;
        return true;
    }
    std::string_view name = m.per.back().thing;
    name.remove_suffix(name.ends_with("es") && name.ends_with("ches") ? 2 : name.ends_with('s') ? 1 : 0);
    m.name += "/" + std::string(name);
    return true;
}

bool UnitReader::denominator(Measure& m)
{
    const std::size_t start = t_.at;
    const bool slash = t_.sign('/');
    bool sure = slash || t_.word("per");
    if (sure)
    {
        ++t_.at;
        if (slash && t_.sign('(') && t_.word(1))
        {
            ++t_.at;
            while (!t_.at_end() && !t_.take_sign(')'))
            {
                t_.take_sign('*');
                if (!under(m, 1))
                {
                    ++t_.at;
                }
            }
            return true;
        }
    }
    else
    {
        t_.at += is_preposition(t_) ? 1U : 0U;
    }
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
    t_.at += t_.number() && t_.sign('-', 1) && t_.word(2) && t_.word(3) ? 2U : 0U; // "three 8-GPU nodes"
    for (bool more = true; more && !t_.at_end();)
    {
        const std::size_t skip = m.name.empty() ? (t_.sign('-') && t_.word(1) ? 1 : 0) : joined();
        t_.at += skip;
        more = t_.word() && atom(m);
        t_.at -= more ? 0 : skip;
    }
    while (!t_.at_end())
    {
        const std::size_t dot = t_.sign('*') && t_.sign('^', 2) && t_.sign('-', 3) ? 1 : 0;
        t_.at += dot; // "GB·s^-1"
        if (t_.sign('-') && m.of_kind(Of::work) == 1 && time_next(1))
        {
            ++t_.at; // PFLOP/s-days
        }
        if (m.of_kind(Of::work) == 1 && m.of_kind(Of::time) == -1 && time_next())
        {
            const UnitWord unit = *time_word(t_.peek()->text);
            multiply(m, unit, 1);
            m.name += "-" + unit.name;
            ++t_.at;
        }
        else if (t_.word() && t_.sign('^', 1) && t_.sign('-', 2) && time_next())
        {
            multiply(m, *time_word(t_.peek()->text), -1);
            m.name += "/" + time_word(t_.peek()->text)->name;
            t_.at += 4;
        }
        else if (!denominator(m))
        {
            break;
        }
    }
    return m;
}

} // namespace ringside
