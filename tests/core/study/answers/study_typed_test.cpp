// The grader against a corpus: every key of the bank in many human spellings, other quantities beside it, and
// answers written by hand.
#include "tests/core/study/study_support.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/study/grading/grading.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <map>
#include <set>

using namespace ringside;

namespace
{

// Four digits, never an exponent.
std::string figure(double value)
{
    if (value == std::round(value) && std::abs(value) < 1e15)
    {
        return fmt::format("{:.0f}", value);
    }
    const auto tens = static_cast<int>(std::floor(std::log10(std::abs(value))));
    return fmt::format("{:.{}f}", value, std::max(0, 3 - tens));
}

std::string with_commas(std::string digits)
{
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    for (std::size_t at = whole; at > 3; at -= 3)
    {
        digits.insert(at - 3, 1, ',');
    }
    return digits;
}

std::string placed(std::string_view what, double key)
{
    const double hours = std::floor(key / 3600);
    const double minutes = std::floor(key / 60);
    const double seconds = std::round(key - minutes * 60);
    return what == "%"     ? figure(key * 100)
           : what == "h"   ? figure(hours)
           : what == "mm"  ? figure(std::round((key - hours * 3600) / 60))
           : what == "m"   ? figure(minutes)
           : what == "s"   ? figure(seconds)
           : what == "m:s" ? fmt::format("{:.0f}:{:02.0f}", minutes, seconds)
           : what.ends_with(',')
               ? with_commas(figure(key / std::stod(std::string(what.substr(0, what.size() - 1)))))
               : figure(key / std::stod(std::string(what)));
}

std::string written(std::string_view text, double key)
{
    std::string out;
    while (!text.empty())
    {
        const auto open = std::min(text.find('{'), text.size());
        out += text.substr(0, open);
        text.remove_prefix(open);
        if (!text.empty())
        {
            const auto close = text.find('}');
            out += placed(text.substr(1, close - 1), key);
            text.remove_prefix(close + 1);
        }
    }
    return out;
}

class Bank
{
public:
    Bank()
    {
        Issues issues;
        bank_ = load_questions(test::source_path("assets"), issues);
    }

    const QuestionBank& all() const { return bank_; }
    const Question& at(const std::string& id, std::uint64_t seed = 1)
    {
        const auto known = drawn_.find({id, seed});
        if (known != drawn_.end())
        {
            return known->second;
        }
        const auto found = find_variant(bank_, id);
        REQUIRE(found);
        auto question = draw(calculator_, *found->family, found->variant, seed);
        REQUIRE(question);
        return drawn_.emplace(std::pair{id, seed}, std::move(*question)).first->second;
    }
    // "right", "wrong" or "not graded".
    std::string judged(const Question& q, const std::string& text)
    {
        const auto verdict = grade(q, {text}, calculator_);
        return !verdict           ? "not graded: " + to_line(verdict.issues().front())
               : verdict->correct ? "right"
                                  : "wrong, read as " + verdict->read_as;
    }

private:
    QuestionBank bank_;
    Calculator calculator_{test::presets()};
    std::map<std::pair<std::string, std::uint64_t>, Question> drawn_;
};

// What is right may be asked back, what is wrong may be graded wrong or asked back.
bool misread(const std::string& judged, std::string_view wanted)
{
    return wanted == "right"   ? judged.starts_with("wrong")
           : wanted == "wrong" ? judged == "right"
                               : !judged.starts_with("not graded");
}

struct Scale
{
    double size;
    const char* shorter;
    const char* longer;
};

const Scale& scale_of(double key, std::span<const Scale> scales)
{
    for (const Scale& s : scales)
    {
        if (key >= s.size)
        {
            return s;
        }
    }
    return scales.back();
}

struct Styles
{
    std::vector<std::string> right;
    std::vector<std::string> other; // quantities
};

constexpr std::array kBytes{Scale{1e12, "TB", "terabytes"}, Scale{1e9, "GB", "gigabytes"},
                            Scale{1e6, "MB", "megabytes"}, Scale{1e3, "kB", "kilobytes"},
                            Scale{1, "B", "bytes"}};
constexpr std::array kSeconds{Scale{86400, "d", "days"},         Scale{3600, "h", "hours"},
                              Scale{60, "min", "minutes"},       Scale{1, "s", "seconds"},
                              Scale{1e-3, "ms", "milliseconds"}, Scale{1e-6, "us", "microseconds"}};
constexpr std::array kCounts{Scale{1e12, "T", " trillion"}, Scale{1e9, "B", " billion"},
                             Scale{1e6, "M", " million"}, Scale{1e3, "k", " thousand"}, Scale{1, "", ""}};

Styles scaled(double key, std::span<const Scale> scales, std::string_view behind)
{
    const Scale& s = scale_of(key, scales);
    const auto in = [&](std::string_view form, const char* unit)
    { return fmt::format(fmt::runtime(form), fmt::format("{{{}}}", s.size), unit, behind); };
    return {{in("{0} {1}{2}", s.shorter), in("{0}{1}{2}", s.shorter),
             in("{0}{1}{2}", s.longer[0] == ' ' ? s.longer : s.shorter), in("~{0} {1}{2}", s.shorter),
             in("about {0} {1}{2}", s.shorter), in("\u2248{0}{1}", s.shorter), in("= {0} {1}{2}", s.shorter),
             in("{0} {1} or so", s.shorter), in("{0} {1}{2}.", s.shorter)},
            {}};
}

Styles styles_of(const Question& q)
{
    const StudyUnit& unit = *find_study_unit(q.unit);
    switch (unit.dimension)
    {
    case Dimension::data:
    {
        Styles s =
            unit.base == 1 ? scaled(q.key, kBytes, "") : Styles{{"{1e9} Gbit", "{8e9} GB", "{1} bits"}, {}};
        s.right.insert(s.right.end(), {"{1} B", "{1,} bytes", "{1e9}\u00d710\u2079 B"});
        s.right.resize(unit.base == 1 ? s.right.size() : 3);
        s.other = {"{1e9} GB/s",         "{1e9} seconds", "{1e9} GPUs",
                   "{1e9} GB per epoch", "{1e9} tokens",  "{1e9} GB, {2e9} GB"};
        return s;
    }
    case Dimension::time:
    {
        Styles s = scaled(q.key, kSeconds, "");
        s.right.insert(s.right.end(), {"{1} s", "{1} sec", "{1e-3} ms", "{60} min"});
        s.other = {"{1} GB", "{1} tokens", "{1} nodes"};
        return s;
    }
    case Dimension::share:
        return {{"{%} %", "{%}%", "{%} percent", "{%} pct", "{1}", "{%} per cent", "~{%}%"},
                {"{%} GB", "{%} seconds", "{%} GPUs"}};
    case Dimension::ratio:
        return {{"{1}x", "{1}", "{1} \u00d7", "\u00d7{1}", "x{1}", "{1} times", "{1}-fold", "a factor of {1}",
                 "{1}:1"},
                {"{1} GB", "{1} GPUs", "{1} s", "{1} tokens"}};
    case Dimension::money:
        return {{"${1}", "{1} USD", "{1} dollars", "${1,}", "USD {1}", "{1}$", "US$ {1}"},
                {"{1} hours", "{1} GPUs"}};
    case Dimension::data_rate:
        return {{"{1e9} GB/s", "{1e9}GBps", "{1e9} GB per second", "{1.25e8} Gbit/s", "{1.25e8}Gb/s",
                 "{1e9} gigabytes per second"},
                {"{1e9} GB", "{1e9} s", "{1e9} GB/s/token"}};
    case Dimension::work:
        return {{"{1e15} PFLOP", "{1e21}e21 FLOP", "{1e21} x 10^21 FLOPs", "{1e18} EFLOP",
                 "{8.64e19} PFLOP/s-days"},
                {"{1e15} PFLOP/s", "{1e9} GB"}};
    case Dimension::work_rate:
        return {{"{1e12} TFLOP/s", "{1e12} TFLOPS", "{1e15} petaFLOPS", "{1e12,} TFLOPs"},
                {"{1e15} PFLOP", "{1e15} PB/s"}};
    case Dimension::count:
    case Dimension::other:
        break;
    }
    if (q.unit == "tokens" || q.unit == "parameters")
    {
        Styles s = scaled(q.key, kCounts, " " + q.unit);
        s.right.insert(s.right.end(), {"{1}", "{1,}", "{1,} " + q.unit});
        s.other = {q.unit == "tokens" ? "{1} parameters" : "{1} tokens", "{1} GPUs", "{1e9} GB", "{1} s"};
        return s;
    }
    Styles s{{"{1}", "about {1}", "~{1}", "{1,}", "= {1}", "it is {1}", "{1}.", "the answer is {1}"},
             {"{1} GB"}};
    if (q.unit == "GPUs")
    {
        s.right.insert(s.right.end(), {"{1} GPUs", "{1} H100s", "{1} cards", "at least {1} GPUs"});
        s.other = {"{1} nodes", "{1} tensor groups", "{1} GB", "{1} tokens", "{1} GPU-hours", "{1}, {2}"};
    }
    s.other = q.unit.starts_with("B/") ? std::vector<std::string>{"{1} GPUs", "{1} B/token"} : s.other;
    return s;
}

} // namespace

TEST_CASE("every numeric question takes its key in the spellings people use, and no other quantity")
{
    Bank bank;
    std::set<std::string> families;
    std::size_t typed = 0;
    for (const QuestionFamily& family : bank.all().families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            if (v.kind != QuestionKind::numeric)
            {
                continue;
            }
            for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{5}})
            {
                const Question& q = bank.at(fmt::format("{}/{}", family.id, v.id), seed);
                Styles styles = styles_of(q);
                styles.right.push_back(q.key_text);
                families.insert(family.id);
                typed += styles.right.size() + styles.other.size();
                for (const std::string& style : styles.right)
                {
                    const std::string text = written(style, q.key);
                    INFO(q.id << " seed " << seed << ": " << text << ", key " << q.key_text);
                    CHECK(bank.judged(q, text) == "right");
                }
                for (const std::string& style : styles.other)
                {
                    const std::string text = written(style, q.key);
                    INFO(q.id << " seed " << seed << ": " << text << " " << bank.judged(q, text));
                    CHECK(bank.judged(q, text).starts_with("not graded"));
                }
            }
        }
    }
    CHECK(families.size() >= 200);
    CHECK(typed >= 10'000);
}

TEST_CASE("answers written by hand are never misread, and of the right ones few are asked back")
{
    Bank bank;
    const auto table = test::read("tests/data/typed_answers.json");
    std::size_t typed = 0;
    std::size_t right = 0;
    std::size_t asked_back = 0;
    for (const auto& entry : table["answers"])
    {
        const Question& q = bank.at(entry["question"], entry.value("seed", std::uint64_t{1}));
        for (const char* wanted : {"right", "wrong", "refused"})
        {
            for (const std::string& text : entry.value(wanted, std::vector<std::string>{}))
            {
                const std::string answer = written(text, q.key);
                const std::string judged = bank.judged(q, answer);
                INFO(q.id << " seed " << q.seed << ": " << answer << ", key " << q.key_text << ": "
                          << judged);
                CHECK_FALSE(misread(judged, wanted));
                ++typed;
                right += std::string_view(wanted) == "right" ? 1U : 0U;
                asked_back +=
                    std::string_view(wanted) == "right" && judged.starts_with("not graded") ? 1U : 0U;
            }
        }
    }
    CHECK(typed > 5000);
    CHECK(asked_back * 10 < right);
}

TEST_CASE("arithmetic keeps its units: what does not add up, and a unit that divides out, is asked back")
{
    Bank bank;
    const Question& q = bank.at("model-state/easy"); // bytes
    for (const std::string text :
         {"{2e9} GB + {2e9} GB", "{1e9} GB * 8 / 8", "{1e9} GB/s * 1 s", "sqrt({1e9} GB * {1e9} GB)",
          "max({1e9} GB, 1 GB)", "({1e9}+0) GB", "{1e9} * 10^(4+5)"})
    {
        INFO(text << ": " << bank.judged(q, written(text, q.key)));
        CHECK(bank.judged(q, written(text, q.key)) == "right");
    }
    for (const std::string text :
         {"{1e9} GB + 1 s", "{1e9} GB / 1 GB", "{1e9} GB * 1 GB", "max({1e9} GB, 1 s)", "{1e9} GB + 1",
          "({1e9} GB", "{1e9} GB)", "sqrt({1e9} GB)", "2^ GB", "1/0 GB"})
    {
        INFO(text << ": " << bank.judged(q, written(text, q.key)));
        CHECK(bank.judged(q, written(text, q.key)).starts_with("not graded"));
    }
}

TEST_CASE("every unit offered beside the field of a question is one that it takes")
{
    Bank bank;
    std::size_t offered = 0;
    for (const QuestionFamily& family : bank.all().families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            if (v.kind != QuestionKind::numeric)
            {
                continue;
            }
            const Question& q = bank.at(fmt::format("{}/{}", family.id, v.id));
            const auto units = units_to_offer(q);
            CHECK(units.size() <= 5); // Alt 1 to 5
            offered += units.size();
            for (const std::string& unit : units)
            {
                INFO(q.id << " in " << unit << ": " << bank.judged(q, "3 " + unit));
                CHECK_FALSE(reading_of(q, "3 " + unit).empty());
            }
        }
    }
    CHECK(offered > 500);
}
