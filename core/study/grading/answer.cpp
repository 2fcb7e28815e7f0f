#include "core/study/grading/answer.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/study/grading/grammar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

// A value in the unit that is asked for, or why it is none.
struct Fit
{
    double value = 0;
    std::string other; // which other quantity it is
    std::string doubt; // what it may have been meant as
};

std::string kind_of(const Measure& m)
{
    struct Kind
    {
        std::string_view of;
        std::string_view amount;
        std::string_view rate;
    };
    constexpr std::array kKinds{Kind{"%", "a share", "a share"},
                                Kind{"x", "a ratio", "a ratio"},
                                Kind{"USD", "an amount of money", "an amount of money"},
                                Kind{"J", "an energy", "a power"},
                                Kind{"B", "an amount of data", "a data rate"},
                                Kind{"FLOP", "a number of FLOP", "a rate of FLOP"}};
    for (const Kind& k : kKinds)
    {
        if (m.power(k.of) > 0)
        {
            return std::string(m.power("s") < 0 ? k.rate : k.amount);
        }
    }
    const auto thing =
        std::ranges::find_if(m.powers, [](const auto& p) { return p.second > 0 && !is_physical(p.first); });
    return thing != m.powers.end() ? fmt::format("a number of {}", m.power("s") > 0 ? m.name : thing->first)
           : m.power("s") > 0      ? "a time"
           : m.power("s") < 0      ? "a rate"
                                   : "a number";
}

std::string wanted_words(const Asked& a)
{
    return !a.measure.physical() && a.counted.size() == 1 ? fmt::format("a number of {}", a.counted.front())
                                                          : kind_of(a.measure);
}

std::string said_back(double number, const Measure& m)
{
    const bool grouped_digits = number == std::round(number) && std::abs(number) < 1e6;
    const std::string digits =
        std::abs(number) >= 1e6 || (number != 0 && std::abs(number) < 1e-3) ? working_figure(number)
        : grouped_digits && std::abs(number) >= 10000 ? grouped(static_cast<std::int64_t>(number))
                                                      : fmt::format("{:.6g}", number);
    const bool apart = !m.name.empty() && m.name != "%" && m.name != "x";
    return digits + (apart ? " " : "") + m.name;
}

// The reason why a power of the answer is none of those asked for; empty where
// it is, with the size changed.
std::string power_fault(std::string_view of, int typed, int wanted, const Asked& a, Measure& m)
{
    const auto same = [&](const auto& p) { return same_thing(p.first, of); };
    const auto per = std::ranges::find_if(a.per, same);
    const bool thing = !is_physical(of);
    if (typed < 0 && typed - wanted == -1 && per != a.per.end())
    {
        m.size *= per->second;
        return "";
    }
    if (typed < 0 && thing)
    {
        const bool strange = of.starts_with('?');
        const bool unit = std::ranges::any_of(a.measure.powers, same);
        return unit || (strange && has_word(a.sentence, of.substr(1)))
                   ? ""
                   : fmt::format("per {}", strange ? of.substr(1) : of.substr(0, of.size() - 1));
    }
    const bool nats =
        of == "nats" && a.unit.name.empty() && a.counted.empty() && !has_word(a.sentence, "perplexity");
    const bool counted =
        typed > 0 && thing && !a.measure.physical() &&
        (a.any_noun || nats ||
         std::ranges::any_of(a.counted, [&](std::string_view c) { return same_thing(c, of); }));
    const bool left_out = typed == 0 && wanted < 0 && thing && m.size < 1e6; // "16 B" of bytes per parameter
    return counted || left_out ? "" : kind_of(m);
}

Fit fit(const TypedValue& v, const Asked& a)
{
    Measure m = v.measure;
    const Dimension d = a.unit.dimension;
    const bool pure = d == Dimension::share || d == Dimension::ratio;
    const bool percent = m.powers == Powers{{"%", 1}};
    if (percent || m.powers == Powers{{"x", 1}})
    {
        const bool counts = !a.unit.name.empty() || (percent && a.tolerance == 0);
        return {v.value * m.size, pure || !counts ? "" : kind_of(m), ""};
    }
    const bool over = std::ranges::any_of(m.powers, [](const auto& p) { return p.second > 0; });
    // "8.25 GB" where it is asked how many bits a number takes
    if (a.unit.name.empty() && m.power("B") == 1 && a.measure.power("B") == 1 && m.size >= 1e6)
    {
        return {0, kind_of(m), ""};
    }
    if (pure && m.plain() && m.size > 1 && !v.worked)
    {
        return {0, "a number", ""};
    }
    if (!over && (v.cancelled || (m.plain() && m.name.find('/') != std::string::npos)) &&
        a.measure.physical() && !pure)
    {
        return {0, "a share", ""};
    }
    Powers all = a.measure.powers;
    pure ? all.clear() : void();
    const bool rate = all.contains("s") && all["s"] < 0 && m.power("s") == 0 && over;
    rate ? void(m.powers["s"] = -1) : void(); // "450 GB" of a rate
    all.insert(m.powers.begin(), m.powers.end());
    const bool units = m.physical() || (over && !pure);
    for (const auto& [of, power] : all)
    {
        const int wanted = pure ? 0 : a.measure.power(of);
        const int typed = m.power(of);
        const bool left_out = !over && wanted != 0 && typed == 0; // a plain number
        const bool worked = v.worked && wanted != 0 && typed == 0 && !is_physical(of);
        const std::string fault =
            typed == wanted || left_out || worked ? "" : power_fault(of, typed, wanted, a, m);
        if (!fault.empty())
        {
            return {0,
                    typed == wanted                                         ? fault
                    : v.measure.power(of) == 0 || fault.starts_with("per ") ? fault
                                                                            : kind_of(v.measure),
                    ""};
        }
    }
    const double value = v.value * m.size / (units && m.physical() ? a.measure.size : 1);
    const bool share = d == Dimension::share && m.plain() && value > 1;
    return {share ? value / 100 : value, "", rate ? said_back(v.value, v.measure) + "/s" : ""};
}

std::string read_as(const TypedValue& v, double value, const Asked& a)
{
    const std::string typed = said_back(v.value, v.measure);
    if (a.unit.name.empty() && a.measure.physical())
    {
        return v.measure.plain() ? fmt::format("{} {}", typed, a.measure.name) : typed;
    }
    std::string base = given_text(value, a.unit);
    base += a.unit.name.empty() && a.counted.size() == 1 && v.measure.plain()
                ? fmt::format(" {}", a.counted.front())
                : "";
    const bool same = typed == base || (a.unit.name.empty() && v.measure.size == 1);
    return v.measure.plain() || v.worked ? base : same ? typed : fmt::format("{} = {}", typed, base);
}

using Others = std::vector<OtherReading>;

Others other_readings(const TypedValue& v, double value, const Asked& a)
{
    Others others;
    const Measure& m = v.measure;
    const Dimension d = a.unit.dimension;
    const bool bare = m.plain() && m.size == 1 && v.clock.empty();
    const auto add = [&](double other, std::string text) { others.push_back({other, std::move(text)}); };
    if (v.clock.size() == 2 && a.measure.power("s") > 0)
    {
        others.push_back({(v.clock[0] * 3600 + v.clock[1] * 60) / a.measure.size, "", true});
    }
    else if (bare && a.measure.physical() && d != Dimension::share && d != Dimension::ratio)
    {
        using Size = std::pair<std::string_view, double>;
        const bool time = a.measure.power("s") > 0;
        for (const auto& [name, size] : time ? std::array{Size{"ms", 1e-3}, Size{"us", 1e-6}, Size{"min", 60},
                                                          Size{"h", 3600}, Size{"d", 86400}}
                                             : std::array{Size{"k", 1e3}, Size{"M", 1e6}, Size{"G", 1e9},
                                                          Size{"T", 1e12}, Size{"P", 1e15}})
        {
            add(v.value * size,
                fmt::format("{} {}{}", said_back(v.value, {}), name, time ? "" : a.unit.name));
        }
    }
    if (v.clock.size() == 2 && d == Dimension::ratio && value < 1)
    {
        others.push_back({1 / value, "", true}); // "1:8"
    }
    if (bare && d == Dimension::share && v.value <= 1)
    {
        add(v.value / 100, said_back(v.value, {{}, 1, "%"}));
    }
    else if (bare && d == Dimension::share && v.value < 10)
    {
        others.push_back({v.value, "", true}); // 1.33 of 133%
    }
    if (m.power("%") != 0 && d == Dimension::ratio)
    {
        add(1 + value, said_back(1 + value, {{}, 1, "x"}));
    }
    if (m.plain() && a.step != 1)
    {
        others.push_back({value / a.step, "", true});
    }
    const double nearest = std::round(value);
    if (a.tolerance == 0 && v.worked && std::abs(value - nearest) < 1e-3 * std::abs(nearest))
    {
        others.push_back({nearest, "", true}); // worked out from rounded numbers
    }
    if (!m.physical() && (m.size == 1e3 || m.size == 1e6))
    {
        add(value * (m.size == 1e3 ? 1.024 : 1.048576),
            fmt::format("{} {}", said_back(v.value, {}), m.size == 1e3 ? "Ki" : "Mi"));
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

// Which of several numbers is the answer: the last behind an equals sign. All
// others have to come to it.
std::string several(const TypedText& text, const std::vector<Fit>& fits, std::size_t& answer)
{
    for (std::size_t i = 0; i < fits.size(); ++i)
    {
        answer = text.values[i].linked ? i : answer;
    }
    const TypedValue& chosen = text.values[answer];
    for (std::size_t i = 0; i < fits.size(); ++i)
    {
        const TypedValue& v = text.values[i];
        const bool fitting = fits[i].other.empty() && near_enough(fits[i].value, fits[answer].value);
        const bool unitless = v.measure.plain() != chosen.measure.plain() || v.worked;
        if (i != answer && !fitting &&
            !(unitless && same_digits(v.value * v.measure.size, chosen.value * chosen.measure.size)))
        {
            return fmt::format("has several numbers, {} and {}", said_back(chosen.value, chosen.measure),
                               said_back(v.value, v.measure));
        }
    }
    return "";
}

// What the words around the number leave open: the one that is not understood.
std::string strange_word(const TypedText& text, const Asked& a, bool& loose)
{
    constexpr std::string_view kOfShares = "total ideal mfu hfu"; // asked and given in one sentence
    const bool shared = has_word(a.sentence, "whole") || has_word(a.sentence, "total");
    const bool counts = !a.measure.physical();
    for (const TypedWord& w : text.words)
    {
        const auto& [word, thing] = w;
        const auto same = [&w](std::string_view c) { return same_thing(c, w.thing); };
        const std::string stem = stem_of(word);
        const Manner manner = manner_of(word);
        const bool noun = word == text.counted && word.ends_with('s') && !counts;
        const bool echo = word.size() > 2 && !noun && has_word(a.sentence, stem);
        const bool apart =
            (a.measure.power("%") != 0 && has_word(kOfShares, stem)) || (word == "each" && shared);
        const bool symbol = word.ends_with('=') && !a.names.contains(word.substr(0, word.size() - 1));
        const bool said =
            !thing.empty() && std::ranges::any_of(a.per, [&](const auto& p) { return same(p.first); });
        const bool known = counts && !thing.empty()
                               ? std::ranges::any_of(a.counted, same) || manner == Manner::silent
                               : said || echo || symbol || manner != Manner::unknown;
        loose = loose || manner == Manner::hedge || word == "each";
        if (manner == Manner::denial || apart || (!known && !(a.any_noun && !thing.empty())))
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

Result<AnswerReading> reading_in(const TypedText& text, std::string_view typed, const Asked& a)
{
    constexpr std::array<std::string_view, 10> kExamples{
        "12, 1.5k or 7B", "1.5 GB", "1.5 s, 20 ms or 3 d", "25 GB/s",     "3e15 FLOP or 3 PFLOP",
        "300 TFLOP/s",    "$1.5M",  "12% or 0.12",         "1.5 or 1.5x", "12"};
    const std::string hint =
        fmt::format("write it such as {}", kExamples.at(static_cast<std::size_t>(a.unit.dimension)));
    if (text.values.empty() || !text.fault.empty())
    {
        return unreadable(typed, text.fault.empty() ? "is not a number that can be read" : text.fault,
                          "start with a number: 1.12 TB, 1,120 GB, 1.12e12, 2/9, 22%, 3h 20min");
    }
    AnswerReading reading;
    const std::string strange = strange_word(text, a, reading.loose);
    std::vector<Fit> fits;
    std::ranges::transform(text.values, std::back_inserter(fits), [&](const auto& v) { return fit(v, a); });
    std::size_t at = 0;
    if (const std::string fault = several(text, fits, at); !fault.empty())
    {
        return unreadable(typed, fault, "type one number with its unit");
    }
    const TypedValue& v = text.values[at];
    const std::string typed_value = said_back(v.value, v.measure);
    if (!fits[at].other.empty())
    {
        return Issue{"",
                     fmt::format("\u201c{}\u201d is {}, and this asks for {}", typed_value, fits[at].other,
                                 wanted_words(a)),
                     hint};
    }
    const auto& c = v.clock;
    reading.value = fits[at].value;
    if (!c.empty() && a.measure.power("s") > 0)
    {
        reading.value = (c.size() > 2 ? c[0] * 3600 + c[1] * 60 + c[2] : c[0] * 60 + c[1]) / a.measure.size;
    }
    if (!std::isfinite(reading.value))
    {
        return unreadable(typed, "is not a number that can be read", "type a finite number");
    }
    reading.has_unit =
        !v.measure.plain() || v.measure.size != 1 || (a.unit.dimension == Dimension::share && v.value > 1);
    reading.read_as = read_as(v, reading.value, a);
    reading.others = other_readings(v, reading.value, a);
    reading.loose = reading.loose || (v.measure.power("%") != 0 && a.unit.dimension == Dimension::ratio);
    const std::string meant = fits[at].doubt.empty() ? typed_value : fits[at].doubt;
    if (!strange.empty() || !fits[at].doubt.empty())
    {
        reading.doubt =
            strange.empty()
                ? fmt::format("Do you mean {}?", meant)
                : fmt::format("\u201c{}\u201d is not understood here: do you mean {}?", strange, meant);
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
    const TypedText text = read_typed(typed, a.measure, false);
    auto first = reading_in(text, typed, a);
    const auto other = [&](std::string_view again, bool billions)
    {
        const auto reading = reading_in(read_typed(again, a.measure, billions), again, a);
        if (reading && reading->doubt.empty() && (!first || !first->doubt.empty()))
        {
            first = reading;
        }
        else if (reading && reading->doubt.empty() && reading->value != first->value)
        {
            first->others.push_back({reading->value, reading->read_as});
        }
    };
    text.billions ? other(typed, true) : void();
    const std::size_t comma = typed.find(',');
    if (comma != std::string_view::npos && typed.find(',', comma + 1) == std::string_view::npos)
    {
        std::string decimal(typed); // "1,175" may be a little more than one
        decimal[comma] = '.';
        first ? other(decimal, false) : void();
    }
    return first;
}

std::vector<std::string> units_to_offer(const Asked& a)
{
    switch (a.unit.dimension)
    {
    case Dimension::data:
        return a.unit.base == 1 ? std::vector<std::string>{"GB", "GiB", "TB", "MB", "kB"}
                                : std::vector<std::string>{"Gbit", "GB", "Tbit"};
    case Dimension::data_rate:
        return {"GB/s", "Gbit/s", "TB/s", "MB/s"};
    case Dimension::time:
        return {"s", "ms", "min", "h", "d"};
    case Dimension::work:
        return {"FLOP", "PFLOP", "EFLOP", "ZFLOP"};
    case Dimension::work_rate:
        return {"TFLOP/s", "PFLOP/s", "EFLOP/s"};
    case Dimension::money:
        return {"$", "k$", "M$"};
    case Dimension::share:
        return {"%"};
    case Dimension::ratio:
        return {"x"};
    case Dimension::count:
    case Dimension::other:
        break;
    }
    if (!a.unit.name.empty() && a.unit.dimension == Dimension::other)
    {
        return {std::string(a.unit.name)};
    }
    return a.measure.physical() && !a.measure.name.empty() ? std::vector<std::string>{a.measure.name}
                                                           : std::vector<std::string>{};
}

} // namespace ringside
