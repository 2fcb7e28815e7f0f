#include "core/study/answer_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace ringside
{

namespace
{

struct Named
{
    std::string_view word;
    double size;
    std::string_view name;
};

constexpr std::array kPrefixes{Named{"k", 1e3, "k"},  Named{"M", 1e6, "M"},  Named{"G", 1e9, "G"},
                               Named{"T", 1e12, "T"}, Named{"P", 1e15, "P"}, Named{"E", 1e18, "E"},
                               Named{"Z", 1e21, "Z"}, Named{"Y", 1e24, "Y"}};
constexpr std::array kBinary{Named{"Ki", 1024.0, "Ki"}, Named{"Mi", 1048576.0, "Mi"},
                             Named{"Gi", 1073741824.0, "Gi"}, Named{"Ti", 1099511627776.0, "Ti"},
                             Named{"Pi", 1125899906842624.0, "Pi"}};
constexpr std::array kLong{Named{"kilo", 1e3, "k"},
                           Named{"mega", 1e6, "M"},
                           Named{"giga", 1e9, "G"},
                           Named{"tera", 1e12, "T"},
                           Named{"peta", 1e15, "P"},
                           Named{"exa", 1e18, "E"},
                           Named{"zetta", 1e21, "Z"},
                           Named{"kibi", 1024.0, "Ki"},
                           Named{"mebi", 1048576.0, "Mi"},
                           Named{"gibi", 1073741824.0, "Gi"},
                           Named{"tebi", 1099511627776.0, "Ti"}};
constexpr std::array kTimes{Named{"s", 1, "s"},
                            Named{"sec", 1, "s"},
                            Named{"secs", 1, "s"},
                            Named{"second", 1, "s"},
                            Named{"seconds", 1, "s"},
                            Named{"ms", 1e-3, "ms"},
                            Named{"msec", 1e-3, "ms"},
                            Named{"millisecond", 1e-3, "ms"},
                            Named{"milliseconds", 1e-3, "ms"},
                            Named{"us", 1e-6, "\u00b5s"},
                            Named{"usec", 1e-6, "\u00b5s"},
                            Named{"microsecond", 1e-6, "\u00b5s"},
                            Named{"microseconds", 1e-6, "\u00b5s"},
                            Named{"ns", 1e-9, "ns"},
                            Named{"nanosecond", 1e-9, "ns"},
                            Named{"nanoseconds", 1e-9, "ns"},
                            Named{"min", 60, "min"},
                            Named{"mins", 60, "min"},
                            Named{"minute", 60, "min"},
                            Named{"minutes", 60, "min"},
                            Named{"m", 60, "min"},
                            Named{"h", 3600, "h"},
                            Named{"hr", 3600, "h"},
                            Named{"hrs", 3600, "h"},
                            Named{"hour", 3600, "h"},
                            Named{"hours", 3600, "h"},
                            Named{"d", 86400, "d"},
                            Named{"day", 86400, "d"},
                            Named{"days", 86400, "d"},
                            Named{"w", 604800, "weeks"},
                            Named{"wk", 604800, "weeks"},
                            Named{"week", 604800, "weeks"},
                            Named{"weeks", 604800, "weeks"},
                            Named{"month", 2629800, "months"},
                            Named{"months", 2629800, "months"},
                            Named{"y", 31557600, "years"},
                            Named{"yr", 31557600, "years"},
                            Named{"year", 31557600, "years"},
                            Named{"years", 31557600, "years"}};
constexpr std::array kScales{
    Named{"k", 1e3, "k"},           Named{"K", 1e3, "k"},          Named{"thousand", 1e3, "k"},
    Named{"M", 1e6, "M"},           Named{"m", 1e6, "M"},          Named{"mn", 1e6, "M"},
    Named{"mio", 1e6, "M"},         Named{"million", 1e6, "M"},    Named{"millions", 1e6, "M"},
    Named{"B", 1e9, "B"},           Named{"b", 1e9, "B"},          Named{"bn", 1e9, "B"},
    Named{"G", 1e9, "B"},           Named{"billion", 1e9, "B"},    Named{"billions", 1e9, "B"},
    Named{"T", 1e12, "T"},          Named{"t", 1e12, "T"},         Named{"tn", 1e12, "T"},
    Named{"trillion", 1e12, "T"},   Named{"trillions", 1e12, "T"}, Named{"P", 1e15, "P"},
    Named{"quadrillion", 1e15, "P"}};

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '.'))
    {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
    {
        text.remove_suffix(1);
    }
    return text;
}

template <std::size_t N>
const Named* find(const std::array<Named, N>& all, std::string_view word)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const Named& n) { return n.word == word; });
    return found == all.end() ? nullptr : &*found;
}

// What the numerator of a unit is of.
enum class Of
{
    data,
    time,
    work,
    money,
    percent,
    ratio,
    count // a plain number, maybe in thousands or billions, maybe of something
};

struct Part
{
    Of of = Of::count;
    double size = 1;
    std::string name;
    bool says_nothing = false; // "steps": a word that no unit is
};

// What stands before "B", "bit" or "FLOP": a decimal or binary prefix, short or in full.
std::optional<Named> prefix(std::string_view text, bool binary)
{
    if (text.empty())
    {
        return Named{"", 1, ""};
    }
    const Named* found = find(kPrefixes, text);
    found = !found && binary ? find(kBinary, text) : found;
    found = !found ? find(kLong, lower(text)) : found;
    if (!found && text.size() == 1) // "K", "g"
    {
        const char c = text.front();
        const char other = c == 'K' ? 'k' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        found = c == 'm' || c == 'p' ? nullptr : find(kPrefixes, std::string_view(&other, 1));
        found = c == 'm' ? find(kPrefixes, "M") : found;
    }
    return found ? std::optional<Named>(*found) : std::nullopt;
}

std::optional<Part> data_part(std::string_view text, bool bits_asked)
{
    const std::string small = lower(text);
    struct Ending
    {
        std::string_view text;
        double size;
        bool exact; // this case only
    };
    // "gb" in small letters is what was asked for; "Gb" is bits.
    const bool no_capital = text == small;
    const std::array<Ending, 7> endings{Ending{"bytes", 1, false},    Ending{"byte", 1, false},
                                        Ending{"bits", 0.125, false}, Ending{"bit", 0.125, false},
                                        Ending{"B", 1, true},         Ending{"b", 0.125, true},
                                        Ending{"o", 1, true}};
    for (const Ending& e : endings)
    {
        const std::string_view in = e.exact ? text : std::string_view(small);
        if (!in.ends_with(e.text))
        {
            continue;
        }
        const auto p = prefix(trimmed(text.substr(0, text.size() - e.text.size())), true);
        if (p)
        {
            const bool guessed = e.text == "b" && no_capital;
            const double size = guessed && !bits_asked ? 1 : e.size;
            return Part{Of::data, p->size * size, fmt::format("{}{}", p->name, size == 1 ? "B" : "bit"),
                        false};
        }
    }
    return std::nullopt;
}

std::optional<Part> work_part(std::string_view text)
{
    const std::string small = lower(text);
    for (const std::string_view ending : {"flops", "flop"})
    {
        if (small.ends_with(ending))
        {
            const auto p = prefix(trimmed(text.substr(0, text.size() - ending.size())), false);
            return p ? std::optional<Part>({Of::work, p->size, fmt::format("{}FLOP", p->name), false})
                     : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<Part> count_part(std::string_view text)
{
    const auto space = text.find(' ');
    const std::string_view first = text.substr(0, space);
    const Named* scale = find(kScales, first.size() > 2 ? std::string_view(lower(first)) : first);
    if (scale)
    {
        return Part{Of::count, scale->size, std::string(scale->name), false};
    }
    // "70Bparams", "15Ttokens"
    for (const std::string_view word :
         {"parameters", "params", "param", "tokens", "token", "tok", "gpus", "gpu"})
    {
        const std::string small = lower(text);
        if (small.ends_with(word))
        {
            const std::string_view before = trimmed(text.substr(0, text.size() - word.size()));
            const Named* s = find(kScales, before);
            return s || before.empty() ? std::optional<Part>({Of::count, s ? s->size : 1,
                                                              s ? std::string(s->name) : "", false})
                                       : std::nullopt;
        }
    }
    const bool letters = std::all_of(text.begin(), text.end(),
                                     [](unsigned char c)
                                     { return std::isalpha(c) != 0 || c == ' ' || c == '-' || c >= 0x80; });
    return letters ? std::optional<Part>({Of::count, 1, "", true}) : std::nullopt;
}

Of numerator_of(const StudyUnit& asked)
{
    switch (asked.dimension)
    {
    case Dimension::data:
    case Dimension::data_rate:
        return Of::data;
    case Dimension::time:
        return Of::time;
    case Dimension::work:
    case Dimension::work_rate:
        return Of::work;
    case Dimension::money:
        return Of::money;
    case Dimension::share:
        return Of::percent;
    case Dimension::ratio:
        return Of::ratio;
    case Dimension::count:
    case Dimension::other:
        break;
    }
    return asked.name.starts_with("B/") ? Of::data : asked.name.starts_with("FLOP/") ? Of::work : Of::count;
}

// Readings from the likeliest on: what is asked for comes first, so that "70B" is 70 billion parameters or 70
// bytes as the question wants it.
std::optional<Part> read_part(std::string_view text, Of asked, bool bits)
{
    const std::string small = lower(text);
    if (small == "%" || small == "percent" || small == "pct" || small == "per cent")
    {
        return Part{Of::percent, 0.01, "%", false};
    }
    if (small == "x" || small == "times" || small == "fold" || small == "\u00d7")
    {
        return Part{Of::ratio, 1, "x", false};
    }
    const auto time = [&]() -> std::optional<Part>
    {
        const Named* t = find(kTimes, small);
        return t && (small != "m" || asked == Of::time)
                   ? std::optional<Part>({Of::time, t->size, std::string(t->name), false})
                   : std::nullopt;
    };
    // Only a prefix: "1.12 T" of bytes.
    const auto bare_prefix = [&]() -> std::optional<Part>
    {
        const auto p = asked == Of::data || asked == Of::work ? prefix(text, true) : std::nullopt;
        return p ? std::optional<Part>({asked, p->size,
                                        fmt::format("{}{}", p->name, asked == Of::data ? "B" : "FLOP"),
                                        false})
                 : std::nullopt;
    };
    if (asked == Of::count || asked == Of::money)
    {
        for (const std::string_view word : {"usd", "dollars", "dollar", "us$"})
        {
            if (small.ends_with(word))
            {
                const auto part =
                    read_part(trimmed(text.substr(0, text.size() - word.size())), Of::count, bits);
                return text.size() == word.size() ? Part{Of::money, 1, "", false}
                       : part                     ? Part{Of::money, part->size, part->name, false}
                                                  : part;
            }
        }
        // A plain word may still be a unit of something else: "12 GB" of a count.
        const auto count = count_part(text);
        if (count && !count->says_nothing)
        {
            return Part{asked, count->size, count->name, false};
        }
        const auto other = work_part(text) ? work_part(text) : time() ? time() : data_part(text, bits);
        return other ? other : count;
    }
    const auto time_first = asked == Of::time ? time() : std::nullopt;
    return time_first              ? time_first
           : work_part(text)       ? work_part(text)
           : data_part(text, bits) ? data_part(text, bits)
           : time()                ? time()
           : bare_prefix()         ? bare_prefix()
                                   : count_part(text);
}

std::string_view word_of(Of of)
{
    constexpr std::array<std::string_view, 7> kWords{
        "an amount of data", "a time",  "a number of FLOP", "an amount of money",
        "a share",           "a ratio", "a number"};
    return kWords.at(static_cast<std::size_t>(of));
}

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

} // namespace

Result<TypedUnit> read_unit(std::string_view typed, const StudyUnit& asked)
{
    std::string text(trimmed(typed));
    for (std::size_t at = text.find(" per "); at != std::string::npos; at = text.find(" per "))
    {
        text.replace(at, 5, "/");
    }
    const std::string hint = fmt::format("write it such as {}", example_of(asked));
    if (text.empty())
    {
        return TypedUnit{};
    }
    const Of wanted = numerator_of(asked);
    const bool bits = asked.base != 1;
    // "Gbps" and "GBps"
    if (wanted == Of::data && text.size() > 3 && text.ends_with("ps"))
    {
        text.replace(text.size() - 2, 2, "/s");
    }
    const auto slash = text.find('/');
    const auto part = read_part(trimmed(std::string_view(text).substr(0, slash)), wanted, bits);
    const std::string per =
        slash == std::string::npos ? "" : lower(trimmed(std::string_view(text).substr(slash + 1)));
    if (!part)
    {
        return Issue{"", fmt::format("\u201c{}\u201d is no unit that is known here", text.substr(0, 30)),
                     hint};
    }
    const bool rate = asked.name.ends_with("/s");
    const Named* per_time = find(kTimes, per);
    const bool loose = wanted == Of::percent || wanted == Of::ratio || wanted == Of::count;
    const bool matches =
        part->of == wanted ||
        (loose && (part->of == Of::percent || part->of == Of::ratio || part->of == Of::count)) ||
        (wanted == Of::money && part->of == Of::count);
    if (!matches || (per_time && !rate))
    {
        return Issue{"",
                     fmt::format("\u201c{}\u201d is {}, and this asks for {}", text.substr(0, 30),
                                 per_time && matches ? "a rate" : word_of(part->of),
                                 wanted == Of::count && !asked.word.empty()
                                     ? fmt::format("a number of {}", asked.word)
                                     : std::string(word_of(wanted))),
                     hint};
    }
    TypedUnit unit;
    unit.percent = part->of == Of::percent;
    unit.plain = part->says_nothing || part->of == Of::count || part->of == Of::money;
    unit.scale = part->size / asked.base / (rate && per_time ? per_time->size : 1);
    unit.name =
        part->name + (rate && !part->name.empty() ? fmt::format("/{}", per_time ? per_time->name : "s") : "");
    return unit;
}

} // namespace ringside
