// One file, since each part has one caller: what a text comes to, whether that fits, and what else it may be.
#include "core/study/grading/answer.h"

#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/study/grading/grammar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

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
    constexpr std::array<std::string_view, 10> kExamples{
        "12, 1.5k or 7B", "1.5 GB", "1.5 s, 20 ms or 3 d", "25 GB/s",     "3e15 FLOP or 3 PFLOP",
        "300 TFLOP/s",    "$1.5M",  "12% or 0.12",         "1.5 or 1.5x", "12"};
    const bool bits = asked.base != 1;
    return bits && asked.dimension == Dimension::data ? "1.5 Gbit"
           : bits && asked.dimension == Dimension::data_rate
               ? "200 Gbit/s"
               : kExamples.at(static_cast<std::size_t>(asked.dimension));
}

std::string in_words(const Measure& m)
{
    const int data = m.of_kind(Of::data);
    const int time = m.of_kind(Of::time);
    const int work = m.of_kind(Of::work);
    const std::string_view kind = m.percent || m.cancelled() ? "a share"
                                  : m.ratio                  ? "a ratio"
                                  : m.of_kind(Of::money)     ? "an amount of money"
                                  : m.of_kind(Of::energy)    ? (time < 0 ? "a power" : "an energy")
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
        return (other || a.unit.name.empty()) && a.wanted == Of::data && m.size >= 1e6 ? in_words(m) : "";
    }
    Measure slower = m;
    ++slower.of_kind(Of::time);
    if (a.per_time > 0 && slower.power == want.power)
    {
        m.size *= a.per_time;
        return "";
    }
    // "How many FLOP for every byte": the denominator may be left out.
    return other && want.of_kind(Of::time) == 0 && std::as_const(m).of_kind(a.wanted) == 1 &&
                   m.of_kind(Of::time) == 0
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
        if (!a.any_noun && !generic && !any_of_things(allowed, thing))
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
    const bool rate_lacks =
        a.measure.of_kind(Of::time) < 0 && m.of_kind(Of::time) == 0 && a.wanted != Of::energy;
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
    using Size = std::pair<double, std::string_view>;
    constexpr std::array kDecimal{Size{1e3, "k"}, Size{1e6, "M"}, Size{1e9, "G"}, Size{1e12, "T"},
                                  Size{1e15, "P"}};
    constexpr std::array kTime{Size{1e-3, "ms"}, Size{1e-6, "\u00b5s"}, Size{60, "min"}, Size{3600, "h"},
                               Size{86400, "d"}};
    const bool prefixed = a.wanted == Of::data || a.wanted == Of::work;
    for (const auto& [size, name] : prefixed ? kDecimal : kTime)
    {
        others.push_back(
            {number * size, fmt::format("{} {}{}", said(number, {}), name, prefixed ? a.unit.name : "")});
    }
}

bool has_any(const TypedText& text, bool (*says)(std::string_view))
{
    return std::ranges::any_of(text.words, [says](const std::string& word) { return says(word); });
}

// "12% longer" of a ratio is 1.12, "86% less" 0.14 or, where it is asked how much smaller, a seventh.
void read_change(AnswerReading& reading, const TypedText& text, const Asked& a)
{
    const double change = reading.value;
    const bool shrinks =
        has_word(a.sentence, "reduce") || has_word(a.sentence, "smaller") || has_word(a.sentence, "less");
    const bool less = has_any(text, says_less) && change < 1;
    if (!less && !has_any(text, says_more))
    {
        reading.others.push_back({1 + change, fmt::format("{}x", said(1 + change, {})), false});
        return;
    }
    reading.value = !less ? 1 + change : shrinks ? 1 / (1 - change) : 1 - change;
    reading.read_as = fmt::format("{} = {}", reading.read_as.substr(0, reading.read_as.find(" =")),
                                  given_text(reading.value, a.unit));
}

Others other_readings(const TypedValue& v, const TypedText& text, double value, const Asked& a)
{
    Others others;
    const Measure& m = v.measure;
    const Dimension d = a.unit.dimension;
    const auto says = [&](std::string_view list)
    { return std::ranges::any_of(text.words, [&](const std::string& w) { return has_word(list, w); }); };
    if (v.clock.size() > 1 && a.wanted == Of::time)
    {
        const double first = v.clock[0] * 3600 + v.clock[1] * 60 + (v.clock.size() > 2 ? v.clock[2] : 0);
        others.push_back({first / a.measure.size, "", true});
        others.push_back({(v.clock[0] * 60 + v.clock[1]) / a.measure.size, "", true});
    }
    else if (m.plain() && m.size == 1 && v.clock.empty() && a.measure.physical() && !a.unit.name.empty())
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
        ((v.clock.size() == 2 && v.clock[0] == 1) || says("size")))
    {
        others.push_back({1 / value, "", true}); // "1:8", "an eighth of the size"
    }
    const double nearest = std::round(value);
    if (a.tolerance == 0 && v.worked && std::abs(value - nearest) < 1e-3 * std::abs(nearest))
    {
        others.push_back({nearest, "", true}); // worked out from rounded numbers
    }
    if (a.tolerance == 0 && value != std::round(value) && says("rounded round"))
    {
        others.push_back({says("down") ? std::floor(value) : std::ceil(value), "", true});
    }
    if (m.name == "m")
    {
        others.push_back({value / 60 * 2629800, said(v.value, {}) + " months", false});
    }
    const bool thousands = m.name.starts_with("k") && m.size == 1e3;
    if ((thousands || (m.name.starts_with("M") && m.size == 1e6)) && !m.physical())
    {
        others.push_back({value * (thousands ? 1.024 : 1.048576),
                          fmt::format("{} {}", said(v.value, {}), thousands ? "Ki" : "Mi"), false});
    }
    if (v.exclaimed && !v.worked)
    {
        others.push_back({*v.exclaimed, said(*v.exclaimed, {}), false});
    }
    return others;
}

// What the words around the number say against it, or leave open: then `doubtful` is the word.
std::string word_fault(const TypedText& text, const Asked& a, std::string& doubtful)
{
    for (const std::string_view label : text.labels)
    {
        const bool unit = a.wanted == Of::percent || a.wanted == Of::ratio || a.wanted == Of::money;
        if (!a.any_noun && !unit && !any_of_things(a.counted, label) && !a.measure.physical() &&
            label != "answers")
        {
            return fmt::format("that is about {}, and this asks for {}", label, wanted_words(a));
        }
    }
    for (const std::string& word : text.words)
    {
        const Manner manner = manner_of(word);
        const bool echo = has_word(a.sentence, stem_of(word)) || has_word(a.noun, stem_of(word));
        if (manner == Manner::denial)
        {
            return fmt::format("\u201c{}\u201d says what it is not, and this asks for {}", word,
                               wanted_words(a));
        }
        if (contradicts(word, a.sentence))
        {
            return fmt::format("\u201c{}\u201d is not what this asks about", word);
        }
        const bool noun = word == text.counted && word.ends_with('s') && !has_word(a.noun, stem_of(word)) &&
                          (a.wanted != Of::none || !a.noun.empty());
        const bool known = manner != Manner::unknown || (echo && !noun) || says_more(word) || says_less(word);
        doubtful = known || a.any_noun || !doubtful.empty() ? doubtful : word;
    }
    return "";
}

// What one more in the last digit typed is: 1 of "4", 10 of "60"; 0 of a fraction, and where it was worked
// out.
double last_digit(const TypedValue& v)
{
    double digit = v.worked || v.value < 1 ? 0 : decade_below(v.value);
    for (int more = 0; digit > 0 && more < 4; ++more, digit /= 10)
    {
        const double times = v.value / digit;
        if (std::abs(times - std::round(times)) < 1e-6)
        {
            return digit;
        }
    }
    return 0;
}

// "above what rate", "at least": then "more than" says nothing else.
bool asks_for_limit(std::string_view sentence)
{
    constexpr std::array kLimits{"above",    "below",   "least",  "most",    "largest",
                                 "smallest", "highest", "lowest", "minimum", "maximum"};
    return std::ranges::any_of(kLimits, [&](const char* word) { return has_word(sentence, word); });
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
           std::ranges::any_of(kFactors,
                               [&](double f) { return near_enough(a, b * f) || near_enough(a * f, b); });
}

// Whether what stands before an equals sign comes to what stands behind it: "8 x 16 = 128", "14 * 70 = 980
// GB". "2 nodes = 16 GPUs" counts the same in other things.
bool comes_to(const TypedValue& v, const Fit& fit, const TypedValue& result, const Fit& result_fit)
{
    const bool things = !fit.other.empty() && !v.measure.of.empty() && !v.measure.physical();
    const bool units = v.measure.plain() != result.measure.plain() || v.measure.plain() || v.worked;
    const bool both = fit.other.empty() && result_fit.other.empty();
    return result.follows || things || (both && near_enough(fit.value, result_fit.value)) ||
           (units && (same_digits(v.value * v.measure.size, result.value * result.measure.size) ||
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
    for (std::size_t i = 0; i < fits.size(); ++i)
    {
        const TypedValue& v = text.values[i];
        const bool equal =
            i == answer || (fits[i].other.empty() && near_enough(fits[i].value, fits[answer].value));
        const bool linked = (chosen.equated && i < answer) || (v.equated && i > answer);
        const bool digits = same_digits(v.value * v.measure.size, chosen.value * chosen.measure.size);
        const bool aside = v.remark && (!fits[i].other.empty() || (v.measure.plain() && digits));
        if (!equal && !aside && !(linked && comes_to(v, fits[i], chosen, fits[answer])))
        {
            return linked ? fmt::format("does not come to what it says: {} is not {}",
                                        said(v.value, v.measure), said(chosen.value, chosen.measure))
                          : fmt::format("has several numbers, {} and {}", said(chosen.value, chosen.measure),
                                        said(v.value, v.measure));
        }
    }
    return "";
}

Issue unreadable(std::string_view text, std::string_view why, std::string_view hint)
{
    return {"", fmt::format("\u201c{}\u201d {}", text.substr(0, 40), why), std::string(hint)};
}

// What one way of reading comes to.
struct WayReading
{
    AnswerReading answer;
    bool worked = false; // there is arithmetic in it
    bool named = false;  // with the question's own letters
    bool things = false; // and with counted things
};

double clock_seconds(const std::vector<double>& c)
{
    return c.size() > 2 ? c[0] * 3600 + c[1] * 60 + c[2] : c[0] * 60 + c[1];
}

// What keeps it from being graded: a range, a missing "/s", a word that is not understood.
void add_doubt(AnswerReading& reading, const TypedText& text, const TypedValue& v, const Fit& fit,
               const Asked& a, const std::string& doubtful)
{
    const bool bound = !text.bound.empty() && !text.hedged && !asks_for_limit(a.sentence);
    const std::string meant = !fit.doubt.empty() ? fit.doubt : said(v.value, v.measure);
    if (v.spread > std::max(a.tolerance, 1e-9))
    {
        reading.doubt = "That range is too wide to be graded: which number is it?";
        return;
    }
    const bool peta = v.letter == 'P';
    reading.doubt = !fit.doubt.empty() ? fmt::format("Do you mean {}?", meant)
                    : peta ? fmt::format("P is taken for peta: write the number, or do you mean {}?", meant)
                    : bound || !doubtful.empty()
                        ? fmt::format("\u201c{}\u201d is not understood here: do you mean {}?",
                                      bound ? text.bound : doubtful, meant)
                        : "";
    if (!reading.doubt.empty())
    {
        reading.others.assign(1, {reading.value, meant, false});
    }
}

Issue text_fault(const TypedText& text, std::string_view typed, const std::string& hint)
{
    if (!text.unknown.empty())
    {
        return {"",
                fmt::format("\u201c{}\u201d is not understood in \u201c{}\u201d", text.unknown,
                            typed.substr(0, 40)),
                hint};
    }
    return unreadable(typed, text.fault.empty() ? "is not a number that can be read" : text.fault,
                      "start with a number: 1.12 TB, 1,120 GB, 1.12e12, 2/9, 22%, 3h 20min");
}

Result<WayReading> read_in(Way way, std::string_view typed, const Asked& a)
{
    const TypedText text = read_typed(typed, a.wanted, a.unit.base != 1, a.names, way);
    const std::string hint = fmt::format("write it such as {}", example_of(a.unit));
    if (!text.unknown.empty() || text.values.empty() || !text.fault.empty())
    {
        return text_fault(text, typed, hint);
    }
    std::string doubtful;
    if (const std::string fault = word_fault(text, a, doubtful); !fault.empty())
    {
        return Issue{"", fault, hint};
    }
    doubtful = text.ordinal && doubtful.empty() && !has_word(a.sentence, "which") ? "an ordinal" : doubtful;
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
    WayReading way_reading;
    AnswerReading& reading = way_reading.answer;
    const bool time_of_day = !v.clock.empty() && a.wanted == Of::time && v.measure.plain();
    reading.value = time_of_day ? clock_seconds(v.clock) / a.measure.size : fits[at].value;
    if (!std::isfinite(reading.value))
    {
        return unreadable(typed, "is not a number that can be read", "type a finite number");
    }
    reading.has_unit =
        !v.measure.plain() || v.measure.size != 1 || (a.unit.dimension == Dimension::share && v.value > 1);
    reading.read_as = read_as(v, reading.value, a);
    reading.others = other_readings(v, text, reading.value, a);
    if (v.measure.percent && a.wanted == Of::ratio)
    {
        read_change(reading, text, a);
    }
    reading.digit = text.hedged ? last_digit(v) * std::abs(reading.value / v.value) : 0;
    add_doubt(reading, text, v, fits[at], a, doubtful);
    way_reading.worked = v.worked || text.values.size() > 1;
    way_reading.named = text.named;
    way_reading.things = !v.measure.of.empty() || !v.measure.per.empty();
    return way_reading;
}

// The ways a text may be read, the likeliest first.
std::vector<Way> ways_of(std::string_view typed, const Asked& a)
{
    std::vector<Way> ways;
    for (const bool comma : {false, true})
    {
        for (const bool names : {false, true})
        {
            for (const bool counts : {false, true})
            {
                for (const bool whole : {true, false})
                {
                    const bool idle = (comma && typed.find(',') == std::string_view::npos) ||
                                      (names && a.names.empty()) ||
                                      (!whole && typed.find('/') == std::string_view::npos);
                    idle ? void() : ways.push_back({names, counts, whole, comma});
                }
            }
        }
    }
    return ways;
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
    const bool formula = typed.find_first_of("+*/^(=") != std::string_view::npos ||
                         typed.find("\u00d7") != std::string_view::npos;
    std::optional<WayReading> first;
    std::optional<Issue> fault;
    for (const Way way : ways_of(typed, a))
    {
        const auto reading = read_in(way, typed, a);
        const bool alone = (way.names && !first) ||
                           (way.counts && !first && (a.wanted == Of::percent || a.wanted == Of::ratio));
        if (!reading || (way.names && (!reading->named || reading->things)) || (alone && !formula))
        {
            fault = fault ? fault : reading ? std::nullopt : std::optional(reading.issues().front());
            continue;
        }
        if (!first ||
            (!first->answer.doubt.empty() && reading->answer.doubt.empty() && (formula || !way.names)))
        {
            first = *reading;
            first->answer.named = way.names;
            continue;
        }
        const AnswerReading& other = reading->answer;
        if (other.doubt.empty() && other.value != first->answer.value)
        {
            first->answer.others.push_back(
                {other.value, other.read_as, reading->worked && (formula || !way.names) && !way.comma});
        }
    }
    return first ? Result<AnswerReading>(first->answer) : Result<AnswerReading>(*fault);
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
