#include "core/study/grading/answer.h"

#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

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

std::string_view example_of(const StudyUnit& asked)
{
    switch (asked.dimension)
    {
    case Dimension::data:
        return asked.base == 1 ? "1.5 GB" : "1.5 Gbit";
    case Dimension::data_rate:
        return asked.base == 1 ? "25 GB/s" : "200 Gbit/s";
    case Dimension::time:
        return "1.5 s, 20 ms or 3 d";
    case Dimension::work:
        return "3e15 FLOP or 3 PFLOP";
    case Dimension::work_rate:
        return "300 TFLOP/s";
    case Dimension::money:
        return "$1.5M";
    case Dimension::share:
        return "12% or 0.12";
    case Dimension::ratio:
        return "1.5 or 1.5x";
    case Dimension::count:
        return "12, 1.5k or 7B";
    case Dimension::other:
        break;
    }
    return "12";
}

std::string in_words(const Measure& m)
{
    const int data = m.of_kind(Of::data);
    const int time = m.of_kind(Of::time);
    const int work = m.of_kind(Of::work);
    const std::string_view kind = m.percent || m.cancelled() ? "a share"
                                  : m.ratio                  ? "a ratio"
                                  : m.of_kind(Of::money)     ? "an amount of money"
                                  : data > 0 && time < 0     ? "a data rate"
                                  : data > 0                 ? "an amount of data"
                                  : work > 0 && time < 0     ? "a rate of FLOP"
                                  : work > 0                 ? "a number of FLOP"
                                  : time > 0 && m.of.empty() ? "a time"
                                  : time < 0                 ? "a rate"
                                                             : "";
    return !kind.empty()  ? std::string(kind)
           : m.of.empty() ? "a number"
           : time > 0     ? fmt::format("a number of {}", m.name)
                          : fmt::format("a number of {}", m.of.front());
}

std::string wanted_words(const Asked& a)
{
    if (a.unit.dimension == Dimension::share || a.unit.dimension == Dimension::ratio)
    {
        return a.unit.dimension == Dimension::share ? "a share" : "a ratio";
    }
    const bool counted = !a.measure.physical() && a.counted.size() == 1;
    return counted ? fmt::format("a number of {}", a.counted.front()) : in_words(a.measure);
}

bool any_of_things(const std::vector<std::string_view>& all, std::string_view thing)
{
    return std::any_of(all.begin(), all.end(), [&](std::string_view t) { return same_thing(t, thing); });
}

bool has_word(std::string_view list, std::string_view word)
{
    return fmt::format(" {} ", list).find(fmt::format(" {} ", word)) != std::string::npos;
}

// The powers of the units: 0 where they fit, else a reason.
std::string power_fault(Measure& m, const Asked& a)
{
    const Measure& want = a.measure;
    int& time = m.of_kind(Of::time);
    // "TFLOPS" is a count or a rate, PFLOP-days are PFLOP/s for days.
    if (m.of_kind(Of::work) == 1 && want.of_kind(Of::work) == 1)
    {
        const bool rate_days = time == 1 && want.of_kind(Of::time) == 0;
        const bool loose = m.loose_rate && time == want.of_kind(Of::time) - 1;
        time = rate_days || loose ? want.of_kind(Of::time) : time;
    }
    // 18 GB are no bytes per parameter.
    const bool other = a.unit.dimension == Dimension::other && m.per.empty();
    if (m.power == want.power)
    {
        return other && a.wanted == Of::data && m.size >= 1e6 ? in_words(m) : "";
    }
    Measure slower = m;
    ++slower.of_kind(Of::time);
    if (a.per_time > 0 && slower.power == want.power)
    {
        m.size *= a.per_time;
        return "";
    }
    // "How many FLOP for every byte": the denominator may be left out.
    return other && want.of_kind(Of::time) == 0 && m.of_kind(a.wanted) == 1 && m.of_kind(Of::time) == 0
               ? ""
               : in_words(m);
}

std::string thing_fault(const Measure& m, const Asked& a)
{
    const bool of_unit = a.measure.physical() && a.measure.of_kind(Of::time) >= 0;
    const auto& allowed = of_unit ? a.measure.of : a.counted;
    for (const std::string_view thing : m.of)
    {
        const bool generic = !of_unit && (thing == "elements" || (thing == "nats" && a.unit.name.empty() &&
                                                                  !has_word(a.sentence, "perplexity")));
        if (!a.anything() && !generic && !any_of_things(allowed, thing))
        {
            return in_words(m);
        }
    }
    const bool lacks = of_unit && m.physical() && m.of.size() < a.measure.of.size();
    return lacks ? in_words(m) : "";
}

std::string per_fault(Measure& m, const Asked& a)
{
    for (const Per& per : m.per)
    {
        if (per.thing == "tokens" && m.of.size() == 1 && m.of.front() == "nats")
        {
            continue; // a loss is said so
        }
        const auto fits = [&](const Per& p) { return same_thing(p.thing, per.thing); };
        auto found = std::find_if(a.measure.per.begin(), a.measure.per.end(), fits);
        const bool unit = found != a.measure.per.end();
        const auto said = std::find_if(a.per.begin(), a.per.end(), fits);
        if (!unit && said == a.per.end())
        {
            return fmt::format("per {}",
                               per.thing.substr(0, per.thing.size() - (per.thing.ends_with('s') ? 1 : 0)));
        }
        m.size *= (unit ? found->count : said->count) / per.count;
    }
    const std::string strange = stem_of(m.strange);
    const bool said =
        strange.empty() || strange == "direction" || strange == "way" || has_word(a.sentence, strange);
    return said ? "" : fmt::format("per {}", m.strange);
}

// As given numbers are printed: with thin spaces from five digits on.
std::string whole_text(double number)
{
    const auto whole = static_cast<std::int64_t>(number);
    return std::abs(number) < 10000 ? std::to_string(whole) : grouped(whole);
}

std::string said(double number, const Measure& m)
{
    const std::string digits = std::abs(number) >= 1e6 || (number != 0 && std::abs(number) < 1e-3)
                                   ? working_figure(number)
                               : number == std::round(number) ? whole_text(number)
                                                              : fmt::format("{:.6g}", number);
    const std::string name = m.name == "m" ? "min" : m.name;
    return name.empty()                 ? digits
           : name == "%" || name == "x" ? digits + name
                                        : fmt::format("{} {}", digits, name);
}

Fit fit(const TypedValue& v, const Asked& a)
{
    Measure m = v.measure;
    if (!m.physical() && m.of.empty() && v.value < 1) // "a third of a layer"
    {
        const bool part =
            std::erase_if(m.per, [&](const Per& p) { return any_of_things(a.counted, p.thing); }) > 0;
        m.name = part ? "" : m.name;
    }
    const Dimension d = a.unit.dimension;
    const bool pure = d == Dimension::share || d == Dimension::ratio;
    const bool rate_lacks = a.measure.of_kind(Of::time) < 0 && m.of_kind(Of::time) == 0;
    if ((m.percent || m.ratio) && !m.per.empty())
    {
        if (const std::string per = per_fault(m, a); !per.empty())
        {
            return {0, per, ""};
        }
    }
    if (m.percent || m.ratio)
    {
        const bool counts = !a.unit.name.empty() || (m.percent && a.tolerance == 0);
        return {v.value * m.size, (pure || !counts) && m.of.empty() ? "" : in_words(m), ""};
    }
    if (m.cancelled() && !pure)
    {
        const std::string fault = a.measure.physical() ? power_fault(m, a) : in_words(m);
        return {v.value * m.size / a.measure.size, fault, ""};
    }
    if (m.plain())
    {
        const double value = v.value * m.size;
        return {d == Dimension::share && value > 1 ? value / 100 : value, "", ""};
    }
    if (m.physical() && rate_lacks)
    {
        Measure rate = m;
        --rate.of_kind(Of::time);
        if (rate.power == a.measure.power && m.per.empty())
        {
            return {v.value * m.size / a.measure.size, "", said(v.value, m) + "/s"};
        }
    }
    const std::string per = per_fault(m, a);
    const bool only_things = !m.physical() && a.measure.physical() && !(rate_lacks && !a.measure.of.empty());
    std::string other = only_things ? (m.of.empty() ? per : in_words(m)) : "";
    // "57 per GPU" of bytes is a number of bytes.
    other = only_things && m.of.empty() && per.empty() ? "" : other;
    if (other.empty() && !(only_things && m.of.empty()) && !(rate_lacks && !m.physical()))
    {
        other = power_fault(m, a);
    }
    other = other.empty() ? thing_fault(m, a) : other;
    other = other.empty() ? per : other;
    const double value = v.value * m.size / (m.physical() ? a.measure.size : 1);
    const bool asks = other.empty() && rate_lacks && !m.physical() && !m.of.empty();
    return {value, other, asks ? said(v.value, m) + "/s" : ""};
}

std::string read_as(const TypedValue& v, double value, const Asked& a)
{
    std::string typed = said(v.value, v.measure);
    const bool own = a.unit.name.empty() && a.measure.physical();
    if (own)
    {
        return v.measure.plain() ? fmt::format("{} {}", typed, a.measure.name) : typed;
    }
    std::string base = given_text(value, a.unit);
    const bool count = a.unit.name.empty() && a.counted.size() == 1 && v.measure.plain();
    base += count ? fmt::format(" {}", a.counted.front()) : "";
    const bool same = v.measure.plain() || typed == base || (a.unit.name.empty() && v.measure.size == 1);
    return v.measure.plain() || v.worked ? base : same ? typed : fmt::format("{} = {}", typed, base);
}

using Others = std::vector<OtherReading>;

void add_unit_readings(Others& others, double number, const Asked& a)
{
    struct Size
    {
        double size;
        std::string_view name;
    };
    constexpr std::array kDecimal{Size{1e3, "k"}, Size{1e6, "M"}, Size{1e9, "G"}, Size{1e12, "T"},
                                  Size{1e15, "P"}};
    constexpr std::array kTime{Size{1e-3, "ms"}, Size{1e-6, "\u00b5s"}, Size{60, "min"}, Size{3600, "h"},
                               Size{86400, "d"}};
    const bool prefixed = a.wanted == Of::data || a.wanted == Of::work;
    for (const Size& s : prefixed ? kDecimal : kTime)
    {
        others.push_back(
            {number * s.size, fmt::format("{} {}{}", said(number, {}), s.name, prefixed ? a.unit.name : "")});
    }
}

bool has_any_of(const TypedText& text, std::string_view list)
{
    return std::any_of(text.words.begin(), text.words.end(),
                       [list](const std::string& word) { return has_word(list, word); });
}

Others other_readings(const TypedValue& v, const TypedText& text, double value, const Asked& a)
{
    Others others;
    const Measure& m = v.measure;
    const bool unitless = m.plain() && v.clock.empty();
    const Dimension d = a.unit.dimension;
    if (v.clock.size() > 1 && a.wanted == Of::time)
    {
        const double first = v.clock[0] * 3600 + v.clock[1] * 60 + (v.clock.size() > 2 ? v.clock[2] : 0);
        others.push_back({first / a.measure.size, "", true});
        others.push_back({(v.clock[0] * 60 + v.clock[1]) / a.measure.size, "", true});
    }
    else if (unitless && a.measure.physical() && !a.unit.name.empty() && m.size == 1)
    {
        add_unit_readings(others, v.value, a);
    }
    if (m.plain() && d == Dimension::share && value <= 1)
    {
        others.push_back({v.value * m.size / 100, fmt::format("{}%", said(v.value, {})), false});
    }
    if (m.plain() && d == Dimension::share && v.value > 1 && v.value < 10)
    {
        others.push_back({v.value, "", true}); // 1.33 of 133%
    }
    if (m.plain() && a.step != 1)
    {
        others.push_back({value / a.step, "", true});
    }
    if (d == Dimension::ratio && value > 0 && value < 1 &&
        ((v.clock.size() == 2 && v.clock[0] == 1) || has_any_of(text, "size")))
    {
        others.push_back({1 / value, "", true}); // "1:8", "an eighth of the size"
    }
    if (v.letter && v.worked && m.name == "B" && a.wanted == Of::data)
    {
        others.push_back({v.value * 1e9, "", true}); // 16 x 175B, in billions
    }
    if (a.tolerance == 0 && value != std::round(value) && has_any_of(text, "rounded round"))
    {
        const bool down = has_any_of(text, "down");
        others.push_back({down ? std::floor(value) : std::ceil(value), "", true});
    }
    if (a.tolerance == 0 && a.wanted == Of::none && v.spelt && !v.worked && value > 0 && value < 0.5)
    {
        others.push_back({std::round(1 / value), "", true}); // the eleventh step
    }
    if (m.percent && d == Dimension::ratio)
    {
        const bool more =
            has_any_of(text, "more longer faster higher larger greater increase slower bigger growth");
        others.push_back({1 + value, fmt::format("{}x", said(1 + value, {})), more});
        if (value < 1 && has_any_of(text, "less lower smaller fewer shorter decrease reduction reduced"))
        {
            // "86% less" is a reduction by a factor of 7, elsewhere 0.14 times as much.
            const bool shrinks = has_word(a.sentence, stem_of("reduce")) ||
                                 has_word(a.sentence, stem_of("smaller")) ||
                                 has_word(a.sentence, stem_of("less"));
            others.push_back({shrinks ? 1 / (1 - value) : 1 - value, "", true});
        }
    }
    if (m.name == "m")
    {
        others.push_back({value / 60 * 2629800, said(v.value, {}) + " months", false});
    }
    const bool thousands = m.name.starts_with("k") && m.size == 1e3;
    const bool millions = m.name.starts_with("M") && m.size == 1e6;
    if ((thousands || millions) && !m.physical())
    {
        others.push_back({value * (thousands ? 1.024 : 1.048576),
                          fmt::format("{} {}", said(v.value, {}), thousands ? "Ki" : "Mi"), false});
    }
    return others;
}

// What the words around the number say against it, or leave open.
std::string word_fault(const TypedText& text, const Asked& a, std::string& doubtful)
{
    if (!text.denial.empty())
    {
        return fmt::format("\u201c{}\u201d says what it is not, and this asks for {}", text.denial,
                           wanted_words(a));
    }
    for (const std::string_view label : text.labels)
    {
        const bool fits =
            a.anything() || any_of_things(a.counted, label) || a.measure.physical() || label == "answers";
        const bool unit = a.wanted == Of::percent || a.wanted == Of::ratio || a.wanted == Of::money;
        if (!fits && !unit)
        {
            return fmt::format("that is about {}, and this asks for {}", label, wanted_words(a));
        }
    }
    for (const std::string& word : text.words)
    {
        if (contradicts(word, a.sentence))
        {
            return fmt::format("\u201c{}\u201d is not what this asks about", word);
        }
    }
    // "360 tiles" are no share, whatever the question is about.
    const bool things =
        a.wanted == Of::percent && text.counted.ends_with('s') && text.values.back().value > 1;
    const bool known = a.stem.empty() || (has_word(a.sentence, stem_of(text.counted)) && !things);
    doubtful = known ? "" : text.counted;
    return "";
}

bool has_hedge(const TypedText& text)
{
    return std::any_of(text.words.begin(), text.words.end(),
                       [](const std::string& w) { return w[0] == '~'; });
}

// What one more in the last digit typed is: 1 of "4", 10 of "60"; 0 of a fraction, and where it was worked
// out.
double last_digit(const TypedValue& v)
{
    if (v.worked || v.value < 1)
    {
        return 0;
    }
    double digit = decade_below(v.value);
    for (int more = 0; more < 4; ++more)
    {
        const double times = v.value / digit;
        if (std::abs(times - std::round(times)) < 1e-6)
        {
            return digit;
        }
        digit /= 10;
    }
    return 0;
}

// "above what rate", "at least": then "more than" says nothing else.
bool asks_for_limit(std::string_view sentence)
{
    constexpr std::array kLimits{"above",    "below",   "least",  "most",    "largest",
                                 "smallest", "highest", "lowest", "minimum", "maximum"};
    return std::any_of(kLimits.begin(), kLimits.end(),
                       [&](const char* word) { return has_word(sentence, word); });
}

bool near_enough(double a, double b)
{
    return std::abs(a - b) <= 0.015 * std::max(std::abs(a), std::abs(b));
}

// The same digits in another unit: 16 × 70 = 1.12 TB.
bool same_digits(double a, double b)
{
    constexpr std::array kFactors{60.0, 3600.0, 86400.0, 24.0, 1024.0, 1048576.0, 1073741824.0, 8.0};
    const double tens = a > 0 && b > 0 ? std::log10(a / b) : 0.5;
    return near_enough(a, b) || std::abs(tens - std::round(tens)) < 0.006 ||
           std::any_of(kFactors.begin(), kFactors.end(),
                       [&](double f) { return near_enough(a, b * f) || near_enough(a * f, b); });
}

Issue unreadable(std::string_view text, std::string_view why, std::string_view hint)
{
    return {"", fmt::format("\u201c{}\u201d {}", text.substr(0, 40), why), std::string(hint)};
}

// "N - 1 = 15"
bool is_symbol(const std::string& word)
{
    return word.size() <= 2 && word[0] != '~' && manner_of(word) == Manner::unknown;
}

// "2 nodes = 16 GPUs" counts the same in other things; "12h = 24,576" is 12 times a symbol.
bool is_working(const TypedValue& v, const Fit& fit)
{
    const bool things = !v.measure.of.empty() && !v.measure.physical();
    return !fit.other.empty() && (things || v.measure.name.size() == 1);
}

// "8 x 16 = 128", "N - 1 = 15", "64 GB -> 56 GB"
bool works_out(const TypedText& text, const TypedValue& v, const Fit& fit, const TypedValue& result)
{
    const bool worked = v.measure.plain() || result.measure.plain() || v.worked;
    return result.follows || is_working(v, fit) ||
           (worked && (std::ranges::any_of(text.words, is_symbol) ||
                       same_digits(v.value * v.measure.size, result.value * result.measure.size) ||
                       same_digits(v.value, result.value)));
}

// Which of several numbers is the answer; what is wrong with them otherwise.
std::string several(const TypedText& text, const std::vector<Fit>& fits, std::size_t& answer)
{
    for (std::size_t i = 0; i < fits.size(); ++i)
    {
        answer = text.values[i].equated ? i : answer;
    }
    for (std::size_t i = 0; i < fits.size() && !fits[answer].other.empty(); ++i)
    {
        answer =
            fits[i].other.empty() && !text.values[i].measure.plain() ? i : answer; // "17 nodes = 136 GPUs"
    }
    const TypedValue& chosen = text.values[answer];
    double total = 0; // "2 s forward + 4.5 s = 6.5 s"
    for (std::size_t i = 0; i < answer; ++i)
    {
        total += fits[i].other.empty() ? fits[i].value : 0;
    }
    const bool adds_up = chosen.equated && near_enough(total, fits[answer].value);
    for (std::size_t i = 0; i < fits.size(); ++i)
    {
        const TypedValue& v = text.values[i];
        const bool equal = fits[i].other.empty() && near_enough(fits[i].value, fits[answer].value);
        const bool linked = (chosen.equated && i < answer) || (v.equated && i > answer);
        const bool aside = v.remark || chosen.remark;
        if (!equal && !(linked && (adds_up || works_out(text, v, fits[i], chosen))) &&
            !(aside && (!fits[i].other.empty() || same_digits(v.value, chosen.value))))
        {
            return linked ? "does not come to what it says" : "has several different numbers";
        }
    }
    return "";
}

} // namespace

Result<AnswerReading> read_answer(std::string_view typed, const Asked& a)
{
    if (typed.size() > kLongestAnswer)
    {
        return Issue{"", fmt::format("{} characters are no number", typed.size()),
                     "type a number with its unit"};
    }
    if (typed.find_first_not_of(" \t\n") == std::string_view::npos)
    {
        return Issue{"", "nothing was typed", "type a number with its unit"};
    }
    const TypedText text = read_typed(typed, a.wanted, a.unit.base != 1);
    const std::string hint = fmt::format("write it such as {}", example_of(a.unit));
    if (text.values.empty() || !text.fault.empty())
    {
        return unreadable(typed, text.fault.empty() ? "is not a number that can be read" : text.fault,
                          "start with a number: 1.12 TB, 1,120 GB, 1.12e12, 2/9, 22%, 3h 20min");
    }
    std::string doubtful;
    if (const std::string fault = word_fault(text, a, doubtful); !fault.empty())
    {
        return Issue{"", fault, hint};
    }
    std::vector<Fit> fits;
    for (const TypedValue& v : text.values)
    {
        fits.push_back(fit(v, a));
    }
    std::size_t at = 0;
    if (const std::string fault = fits.size() > 1 ? several(text, fits, at) : ""; !fault.empty())
    {
        return unreadable(typed, fault, "type one number with its unit");
    }
    const TypedValue& v = text.values[at];
    if (!fits[at].other.empty())
    {
        return Issue{"",
                     fmt::format("\u201c{}\u201d is {}, and this asks for {}", said(v.value, v.measure),
                                 fits[at].other, wanted_words(a)),
                     hint};
    }
    AnswerReading reading;
    reading.value = fits[at].value;
    if (!v.clock.empty() && a.wanted == Of::time && v.measure.plain())
    {
        const double minutes = v.clock.size() > 2 ? v.clock[0] * 3600 + v.clock[1] * 60 + v.clock[2]
                                                  : v.clock[0] * 60 + v.clock[1];
        reading.value = minutes / a.measure.size;
    }
    if (!std::isfinite(reading.value))
    {
        return unreadable(typed, "is not a number that can be read", "type a finite number");
    }
    reading.has_unit =
        !v.measure.plain() || v.measure.size != 1 || (a.unit.dimension == Dimension::share && v.value > 1);
    reading.read_as = read_as(v, reading.value, a);
    reading.others = other_readings(v, text, reading.value, a);
    reading.digit = has_hedge(text) ? last_digit(v) * std::abs(reading.value / v.value) : 0;
    const bool limit = asks_for_limit(a.sentence);
    const bool bound = !text.bound.empty() && !has_hedge(text) && !limit;
    if (v.spread > std::max(a.tolerance, 1e-9))
    {
        reading.doubt = "That range is too wide to be graded: which number is it?";
    }
    else if (!fits[at].doubt.empty())
    {
        reading.doubt = fmt::format("Do you mean {}?", fits[at].doubt);
        reading.others.assign(1, {reading.value, fits[at].doubt, false});
    }
    else if (bound || !doubtful.empty())
    {
        const std::string meant = said(v.value, v.measure);
        reading.doubt = fmt::format("\u201c{}\u201d is not understood here: do you mean {}?",
                                    bound ? text.bound : doubtful, meant);
        reading.others.assign(1, {reading.value, meant, false});
    }
    return reading;
}

} // namespace ringside
