#include "core/study/answers/answer.h"

#include <fmt/format.h>

#include "core/base/text/find.h"
#include "core/base/text/text.h"
#include "core/study/answers/grammar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// A value in the unit that is asked for, or which other quantity it is.
struct Fit
{
    double value = 0;
    std::string other;
    bool rate_of = false; // "450 GB" of a rate: per second is left out
};

// Words for a kind of quantity, an example, and the units to choose from; by Dimension.
struct QuantityKind
{
    std::string_view words;
    std::string_view example;
    std::string_view units;
};

constexpr std::array kQuantityKinds{
    QuantityKind{"a number", "12, 1.5k or 7B", ""},
    QuantityKind{"an amount of data", "1.5 GB", "GB GiB TB MB kB"},
    QuantityKind{"a time", "1.5 s, 20 ms or 3 d", "s ms min h d"},
    QuantityKind{"a data rate", "25 GB/s", "GB/s Gbit/s TB/s MB/s"},
    QuantityKind{"a number of FLOP", "3e15 FLOP or 3 PFLOP", "FLOP PFLOP EFLOP ZFLOP"},
    QuantityKind{"a rate of FLOP", "300 TFLOP/s", "TFLOP/s PFLOP/s EFLOP/s"},
    QuantityKind{"an amount of money", "$1.5M", "$ k$ M$"},
    QuantityKind{"a share", "12% or 0.12", "%"},
    QuantityKind{"a ratio", "1.5 or 1.5x", "x"},
    QuantityKind{"one quantity over another", "12", ""}};

const QuantityKind& quantity_kind(Dimension d)
{
    return kQuantityKinds.at(static_cast<std::size_t>(d));
}

std::string kind_of(const Measure& m)
{
    const auto thing =
        std::ranges::find_if(m.powers, [](const auto& p) { return p.second > 0 && !is_physical(p.first); });
    const Dimension d = dimension_of(m);
    const bool counted = thing != m.powers.end() && (d == Dimension::count || d == Dimension::time);
    return counted ? fmt::format("a number of {}{}", thing->first, m.power("s") > 0 ? " times a time" : "")
           : m.power("J") > 0                          ? (m.power("s") < 0 ? "a power" : "an energy")
           : d == Dimension::count && m.power("s") < 0 ? "a rate"
                                                       : std::string(quantity_kind(d).words);
}

std::string wanted_words(const Asked& a)
{
    return !a.measure.physical() && a.counted.size() == 1 ? fmt::format("a number of {}", a.counted.front())
                                                          : kind_of(a.measure);
}

// In the unit that is asked for: as everywhere, or as the sentence has it, "5.61 years".
std::string said_back(double value, const Asked& a)
{
    if (a.unit.name.empty() && !a.name.empty())
    {
        return fmt::format("{:.6g} {}", value, a.name);
    }
    const bool counted = a.unit.name.empty() && a.counted.size() == 1;
    return given_text(value, a.unit) + (counted ? fmt::format(" {}", a.counted.front()) : "");
}

// Why a power of the answer is none of those asked for; empty where it is, with the value changed.
std::string power_fault(std::string_view of, int typed, int wanted, const TypedValue& v, const Asked& a,
                        double& value)
{
    const auto same = [&](const auto& p) { return same_thing(p.first, of); };
    const auto per = std::ranges::find_if(a.per, same);
    const bool thing = !is_physical(of);
    if (typed < 0 && typed - wanted == -1 && per != a.per.end())
    {
        value *= per->second;
        return "";
    }
    if (typed < 0 && thing)
    {
        return std::ranges::any_of(a.measure.powers, same)
                   ? ""
                   : fmt::format("per {}", of.substr(0, of.size() - 1));
    }
    const bool nats =
        of == "nats" && a.unit.name.empty() && a.counted.empty() && !has_word(a.sentence, "perplexity");
    const bool counted =
        typed > 0 && thing && !a.measure.physical() &&
        (a.any_noun || nats ||
         std::ranges::any_of(a.counted, [&](std::string_view c) { return same_thing(c, of); }));
    // "16 B" of bytes per parameter, and what is worked out of counted things
    const bool left_out = typed == 0 && thing && (v.worked || (wanted < 0 && std::abs(value) < 1e6));
    return counted || left_out ? "" : kind_of(v.measure());
}

Fit fit(const TypedValue& v, const Asked& a)
{
    const Measure m = v.measure();
    const Dimension d = a.unit.dimension;
    const bool pure = d == Dimension::share || d == Dimension::ratio;
    const bool plain = m.powers.empty();
    const bool over = std::ranges::any_of(m.powers, [](const auto& p) { return p.second > 0; });
    if (m.powers == Powers{{"%", 1}} || m.powers == Powers{{"x", 1}})
    {
        const bool wrong = !pure && (!a.unit.name.empty() || (m.power("%") != 0 && a.tolerance == 0));
        return {v.value, wrong ? kind_of(m) : ""};
    }
    if ((pure && v.scale > 1 && !v.worked) || (v.cancelled && a.measure.physical() && !pure))
    {
        return {0, v.cancelled ? "a share" : "a number"};
    }
    // "8.25 GB" where it is asked how many bits a number takes
    if (a.unit.name.empty() && m.power("B") == 1 && a.measure.power("B") == 1 && v.value >= 1e6)
    {
        return {0, kind_of(m)};
    }
    Powers typed = m.powers;
    Powers all = pure ? Powers{} : a.measure.powers;
    const bool rate = all.contains("s") && all["s"] < 0 && m.power("s") == 0 && over;
    rate ? void(typed["s"] = -1) : void();
    all.insert(typed.begin(), typed.end());
    double value = v.value;
    for (const auto& [of, unused] : all)
    {
        const int wanted = pure ? 0 : a.measure.power(of);
        const int has = Measure{typed, 1}.power(of);
        const std::string fault =
            has == wanted || (has == 0 && !over) ? "" : power_fault(of, has, wanted, v, a, value);
        if (!fault.empty())
        {
            return {0, fault};
        }
    }
    const bool share = d == Dimension::share && plain && value > 1;
    return {(m.physical() ? value / a.measure.size : share ? value / 100 : value), "", rate};
}

// The others that a user may have meant.
std::vector<OtherReading> other_readings(const TypedValue& v, double value, const Asked& a)
{
    std::vector<OtherReading> others;
    const Dimension d = a.unit.dimension;
    const bool plain = v.powers.empty();
    const bool bare = plain && v.scale == 1 && v.clock.empty();
    const auto asked = [&](double other) { others.push_back({other, said_back(other, a)}); };
    const auto likely = [&](double other, bool is) { is ? others.push_back({other, "", true}) : void(); };
    if (bare && a.measure.physical() && d != Dimension::share && d != Dimension::ratio)
    {
        constexpr std::array kTimes{1e-3, 1e-6, 60.0, 3600.0, 86400.0};
        constexpr std::array kTens{1e3, 1e6, 1e9, 1e12, 1e15};
        for (const double size : a.measure.power("s") > 0 ? kTimes : kTens)
        {
            asked(v.value * size);
        }
    }
    if (v.clock.size() == 2)
    {
        likely((v.clock[0] * 3600 + v.clock[1] * 60) / a.measure.size, a.measure.power("s") > 0);
        likely(1 / value, d == Dimension::ratio && value < 1); // "1:8"
    }
    if (bare && d == Dimension::share)
    {
        v.value <= 1 ? asked(v.value / 100) : likely(v.value, v.value < 10); // 1.33 of 133%
    }
    if (v.powers.contains("%") && d == Dimension::ratio)
    {
        asked(1 + value);
    }
    likely(value / a.step, plain && a.step != 1);
    const double nearest = std::round(value);
    likely(nearest, a.tolerance == 0 && v.worked && std::abs(value - nearest) < 1e-3 * std::abs(nearest));
    if (v.scale == 1e3 || v.scale == 1e6)
    {
        const double size = v.scale == 1e3 ? 1024 : 1048576;
        others.push_back(
            {value / v.scale * size, fmt::format("{:.6g} {}", value / v.scale, size == 1024 ? "Ki" : "Mi")});
    }
    return others;
}

bool near_enough(double a, double b)
{
    return std::abs(a - b) <= 0.015 * std::max(std::abs(a), std::abs(b));
}

// Whether the digits are those of another unit, where the unit is left out: 16 × 70 = 1.12 TB.
bool same_digits(double a, double b)
{
    constexpr std::array kFactors{60.0, 3600.0, 86400.0, 24.0, 1024.0, 1048576.0, 1073741824.0, 8.0};
    const double tens = a > 0 && b > 0 ? std::log10(a / b) : 0.5;
    return std::abs(tens - std::round(tens)) < 0.006 ||
           std::ranges::any_of(kFactors,
                               [&](double f) { return near_enough(a, b * f) || near_enough(a * f, b); });
}

// Which of several numbers is the answer: the last behind an equals sign. All others have to come to it.
std::string several(const std::vector<TypedValue>& values, const Asked& a, std::size_t& answer)
{
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        answer = values[i].linked ? i : answer;
    }
    const TypedValue& chosen = values[answer];
    for (const TypedValue& v : values)
    {
        const Fit own = fit(v, a);
        const bool fitting = own.other.empty() && near_enough(own.value, fit(chosen, a).value);
        const bool unitless = v.powers.empty() != chosen.powers.empty() || v.worked;
        if (!fitting && &v != &chosen && !(unitless && same_digits(v.value, chosen.value)))
        {
            return fmt::format("has several numbers, {} and {}", chosen.typed, v.typed);
        }
    }
    return "";
}

// What the words around the number leave open: the one that is not understood.
std::string strange_word(const TypedText& text, const Asked& a, bool& loose)
{
    const bool shared = has_word(a.sentence, "whole") || has_word(a.sentence, "total");
    const bool counts = !a.measure.physical();
    for (const auto& [word, thing, counted] : text.words)
    {
        const auto same = [&named = thing](std::string_view c) { return same_thing(c, named); };
        const std::string stem = stem_of(word);
        const Manner manner = manner_of(word);
        const bool noun = counted && word.ends_with('s') && !counts;
        const bool echo = word.size() > 2 && !noun && has_word(a.sentence, stem);
        const bool apart = (a.measure.power("%") != 0 && has_word("total ideal mfu hfu", stem)) ||
                           (word == "each" && shared);
        const bool symbol = word.ends_with('=') && !a.names.contains(word.substr(0, word.size() - 1));
        const bool said =
            !thing.empty() && std::ranges::any_of(a.per, [&](const auto& p) { return same(p.first); });
        const bool known = counts && !thing.empty() ? a.any_noun || std::ranges::any_of(a.counted, same) ||
                                                          manner == Manner::silent
                                                    : said || echo || symbol || manner != Manner::unknown;
        loose = loose || manner == Manner::hedge || word == "each";
        if (manner == Manner::denial || apart || !known)
        {
            return word;
        }
    }
    return "";
}

Issue unreadable(std::string_view text, std::string_view why, std::string_view hint)
{
    return {"", fmt::format("\u201c{}\u201d {}", text.substr(0, 40), why), std::string(hint)};
}

// "8:10" is minutes and seconds of a time.
double clock_value(const std::vector<double>& c)
{
    return c.size() > 2 ? c[0] * 3600 + c[1] * 60 + c[2] : c[0] * 60 + c[1];
}

Result<AnswerReading> reading_in(const TypedText& text, std::string_view typed, const Asked& a)
{
    if (text.values.empty() || !text.fault.empty())
    {
        return unreadable(typed, text.fault.empty() ? "is not a number that can be read" : text.fault,
                          "start with a number: 1.12 TB, 1,120 GB, 1.12e12, 2/9, 22%, 3h 20min");
    }
    std::size_t at = 0;
    if (const std::string fault = several(text.values, a, at); !fault.empty())
    {
        return unreadable(typed, fault, "type one number with its unit");
    }
    const TypedValue& v = text.values[at];
    const Fit own = fit(v, a);
    if (!own.other.empty())
    {
        return unreadable(v.typed, fmt::format("is {}, and this asks for {}", own.other, wanted_words(a)),
                          fmt::format("write it such as {}", quantity_kind(a.unit.dimension).example));
    }
    AnswerReading reading;
    const bool clock = !v.clock.empty() && a.measure.power("s") > 0;
    reading.value = clock ? clock_value(v.clock) / a.measure.size : own.value;
    if (!std::isfinite(reading.value))
    {
        return unreadable(typed, "is not a number that can be read", "type a finite number");
    }
    reading.has_unit = v.unit || (a.unit.dimension == Dimension::share && v.value > 1);
    const std::string base = said_back(reading.value, a);
    const bool same = v.powers.empty() || v.worked || v.typed == base;
    reading.read_as = same ? base : a.unit.name.empty() ? v.typed : fmt::format("{} = {}", v.typed, base);
    reading.others = other_readings(v, reading.value, a);
    const std::string strange = strange_word(text, a, reading.loose);
    reading.loose = reading.loose || (v.powers.contains("%") && a.unit.dimension == Dimension::ratio);
    if (!strange.empty() || own.rate_of)
    {
        const std::string meant = v.typed + (own.rate_of ? "/s" : "");
        reading.doubt =
            (strange.empty() ? "" : fmt::format("\u201c{}\u201d is not understood here: ", strange)) +
            fmt::format("do you mean {}?", meant);
        reading.doubt = capitalized(reading.doubt);
        reading.others.assign(1, {reading.value, meant});
    }
    return reading;
}

} // namespace

Result<AnswerReading> read_answer(std::string_view typed, const Asked& a)
{
    if (typed.size() > kLongestAnswer || typed.find_first_not_of(" \t\n") == std::string_view::npos)
    {
        return Issue{"",
                     typed.size() > kLongestAnswer ? fmt::format("{} characters are no number", typed.size())
                                                   : "nothing was typed",
                     "type a number with its unit"};
    }
    auto first = reading_in(read_typed(typed, a.measure), typed, a);
    const auto other = [&](std::string_view again, const Measure& asked)
    {
        const auto reading = reading_in(read_typed(again, asked), again, a);
        if (reading && reading->doubt.empty() && (!first || !first->doubt.empty()))
        {
            first = reading;
        }
        else if (reading && reading->doubt.empty() && reading->value != first->value)
        {
            first->others.push_back({reading->value, reading->read_as});
        }
    };
    if (a.measure.power("B") != 0 && typed.find_first_of("Bb") != std::string_view::npos)
    {
        Measure billions = a.measure; // where a lone B may be a power of ten
        billions.powers.erase("B");
        other(typed, billions);
    }
    const std::size_t comma = typed.find(',');
    if (first && comma != std::string_view::npos && typed.find(',', comma + 1) == std::string_view::npos)
    {
        std::string decimal(typed); // "1,175" may be a little more than one
        decimal[comma] = '.';
        other(decimal, a.measure);
    }
    return first;
}

Dimension dimension_of(const Measure& m)
{
    const bool rate = m.power("s") < 0;
    return m.power("%") > 0                            ? Dimension::share
           : m.power("x") > 0                          ? Dimension::ratio
           : m.power("USD") > 0                        ? Dimension::money
           : m.power("B") != 0 && m.power("FLOP") != 0 ? Dimension::other
           : m.power("B") > 0                          ? (rate ? Dimension::data_rate : Dimension::data)
           : m.power("FLOP") > 0                       ? (rate ? Dimension::work_rate : Dimension::work)
           : m.power("s") > 0                          ? Dimension::time
                                                       : Dimension::count;
}

std::vector<std::string> units_to_offer(const Asked& a)
{
    const Dimension d = a.unit.dimension;
    const bool bits = d == Dimension::data && a.unit.base != 1;
    const auto units = trimmed_parts(bits ? "Gbit GB Tbit" : quantity_kind(d).units, " ");
    const std::string own = d == Dimension::other  ? std::string(a.unit.name)
                            : a.measure.physical() ? a.name
                                                   : "";
    return !units.empty() || own.empty() ? std::vector<std::string>(units.begin(), units.end())
                                         : std::vector{own};
}

} // namespace ringside
