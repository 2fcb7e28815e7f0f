#include "core/planner/launch/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

namespace ringside
{

namespace
{

constexpr int kDeepest = 64; // brackets within brackets

struct FormulaFault
{
    std::string says;
};

bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

std::int64_t whole(double number)
{
    constexpr double kMost = 9e15;
    return static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}

double times_in(std::string_view text, std::string_view part)
{
    double n = 0;
    for (std::size_t at = text.find(part); !part.empty() && at != std::string_view::npos;
         at = text.find(part, at + part.size()))
    {
        ++n;
    }
    return n;
}

// "[3, 4]" of [["layers.0", "layers.1", "layers.2"], [...]]: how many layers each inner list names.
std::string layers_in(std::string_view text)
{
    std::string list;
    std::size_t at = text.find('[');
    for (at = text.find('[', at + 1); at != std::string_view::npos; at = text.find('[', at + 1))
    {
        const std::string_view inner = text.substr(at, text.find(']', at) - at);
        list += fmt::format("{}{}", list.empty() ? "" : ",", times_in(inner, "layers."));
    }
    return "[" + list + "]";
}

// "[4, 3]" of "Et*4|t*3,L": how many layers each stage has; letters stand for themselves, or so many.
std::string letters_in(std::string_view layout)
{
    std::string list;
    for (bool more = true; more;)
    {
        const std::size_t bar = layout.find('|');
        const std::string_view stage = layout.substr(0, bar);
        double layers = 0;
        for (std::size_t at = stage.find('t'); at != std::string_view::npos; at = stage.find('t', at + 1))
        {
            int times = 1;
            if (at + 2 < stage.size() && stage[at + 1] == '*')
            {
                std::from_chars(stage.data() + at + 2, stage.data() + stage.size(), times);
            }
            layers += times;
        }
        list += fmt::format("{}{}", list.empty() ? "" : ",", layers);
        more = bar != std::string_view::npos;
        layout.remove_prefix(more ? bar + 1 : layout.size());
    }
    return "[" + list + "]";
}

// The number behind a part of a text; 0 where there is none.
double number_after(std::string_view text, std::string_view part)
{
    const std::size_t at = text.find(part);
    double number = 0;
    if (at != std::string_view::npos)
    {
        const std::string_view rest = text.substr(at + part.size());
        std::from_chars(rest.data(), rest.data() + rest.size(), number);
    }
    return number;
}

// The first number of a list.
double first_in(std::string_view text)
{
    const auto digit = std::ranges::find_if(text, [](char c) { return c >= '0' && c <= '9'; });
    double number = 0;
    std::from_chars(text.data() + (digit - text.begin()), text.data() + text.size(), number);
    return number;
}

using Arguments = std::vector<FormulaValue>;
struct Function
{
    std::string_view name;
    std::size_t arguments;
    FormulaValue (*call)(const Arguments&);
};
constexpr std::array kFunctions{
    Function{"ceil", 1, [](const Arguments& a) { return FormulaValue::of(std::ceil(a[0].number)); }},
    Function{"floor", 1, [](const Arguments& a) { return FormulaValue::of(std::floor(a[0].number)); }},
    Function{
        "gcd", 2,
        [](const Arguments& a)
        { return FormulaValue::of(static_cast<double>(std::gcd(whole(a[0].number), whole(a[1].number)))); }},
    Function{"min", 2,
             [](const Arguments& a) { return FormulaValue::of(std::min(a[0].number, a[1].number)); }},
    Function{"max", 2,
             [](const Arguments& a) { return FormulaValue::of(std::max(a[0].number, a[1].number)); }},
    Function{"count", 2, [](const Arguments& a) { return FormulaValue::of(times_in(a[0].text, a[1].text)); }},
    Function{"layers_in", 1, [](const Arguments& a) { return FormulaValue{layers_in(a[0].text)}; }},
    Function{"letters_in", 1, [](const Arguments& a) { return FormulaValue{letters_in(a[0].text)}; }},
    Function{"after", 2,
             [](const Arguments& a) { return FormulaValue::of(number_after(a[0].text, a[1].text)); }},
    Function{"first_in", 1, [](const Arguments& a) { return FormulaValue::of(first_in(a[0].text)); }},
};

// By recursive descent, a level for each binding strength. What is not chosen of a ?: is parsed, too, but
// needs no values.
class Evaluation
{
public:
    Evaluation(std::string_view text, const FormulaNames& names) : rest_(text), names_(names) {}

    FormulaValue all()
    {
        FormulaValue value = choice();
        skip();
        if (!rest_.empty())
        {
            throw FormulaFault{fmt::format("\u201c{}\u201d is left over", rest_)};
        }
        return value;
    }

private:
    void skip()
    {
        while (!rest_.empty() && rest_.front() == ' ')
        {
            rest_.remove_prefix(1);
        }
    }
    bool take(std::string_view sign)
    {
        skip();
        const bool there = rest_.starts_with(sign);
        rest_.remove_prefix(there ? sign.size() : 0);
        return there;
    }
    void need(std::string_view sign)
    {
        if (!take(sign))
        {
            throw FormulaFault{fmt::format("\u201c{}\u201d is missing", sign)};
        }
    }

    FormulaValue choice()
    {
        if (++depth_ > kDeepest)
        {
            throw FormulaFault{"too many brackets"};
        }
        FormulaValue value = either();
        if (take("?"))
        {
            const bool first = value.truth();
            idle_ += first ? 0 : 1;
            FormulaValue yes = choice();
            idle_ += first ? 1 : -1;
            need(":");
            FormulaValue no = choice();
            idle_ -= first ? 1 : 0;
            value = first ? yes : no;
        }
        --depth_;
        return value;
    }
    FormulaValue either()
    {
        FormulaValue value = both();
        while (take("||"))
        {
            const bool known = value.truth();
            idle_ += known ? 1 : 0;
            const bool other = both().truth();
            idle_ -= known ? 1 : 0;
            value = FormulaValue::of(known || other ? 1.0 : 0.0);
        }
        return value;
    }
    FormulaValue both()
    {
        FormulaValue value = comparison();
        while (take("&&"))
        {
            const bool known = !value.truth();
            idle_ += known ? 1 : 0;
            const bool other = comparison().truth();
            idle_ -= known ? 1 : 0;
            value = FormulaValue::of(!known && other ? 1.0 : 0.0);
        }
        return value;
    }
    FormulaValue comparison()
    {
        const FormulaValue a = sum();
        for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"})
        {
            if (!take(sign))
            {
                continue;
            }
            const FormulaValue b = sum();
            const bool numbers = a.is_number && b.is_number;
            const bool same = numbers ? a.number == b.number : a.text == b.text;
            const bool less = numbers && a.number < b.number;
            const bool more = numbers && a.number > b.number;
            const bool holds = sign == "=="   ? same
                               : sign == "!=" ? !same
                               : sign == "<=" ? less || same
                               : sign == ">=" ? more || same
                               : sign == "<"  ? less
                                              : more;
            return FormulaValue::of(holds ? 1.0 : 0.0);
        }
        return a;
    }
    // Texts are joined by +.
    FormulaValue sum()
    {
        FormulaValue value = product();
        for (;;)
        {
            if (take("+"))
            {
                const FormulaValue other = product();
                value = value.is_number && other.is_number ? FormulaValue::of(value.number + other.number)
                                                           : FormulaValue{value.text + other.text};
            }
            else if (take("-"))
            {
                value = FormulaValue::of(value.number - product().number);
            }
            else
            {
                return value;
            }
        }
    }
    FormulaValue product()
    {
        FormulaValue value = single();
        for (;;)
        {
            const bool times = take("*");
            const bool over = !times && take("/");
            if (!times && !over && !take("%"))
            {
                return value;
            }
            const double other = single().number;
            if (!times && other == 0 && idle_ == 0)
            {
                throw FormulaFault{"a division by zero"};
            }
            value = FormulaValue::of(times        ? value.number * other
                                     : other == 0 ? 0
                                     : over       ? value.number / other
                                                  : std::fmod(value.number, other));
        }
    }
    FormulaValue single()
    {
        if (take("!"))
        {
            return FormulaValue::of(single().truth() ? 0.0 : 1.0);
        }
        if (take("-"))
        {
            return FormulaValue::of(-single().number);
        }
        if (take("("))
        {
            FormulaValue value = choice();
            need(")");
            return value;
        }
        if (take("'"))
        {
            const std::size_t end = rest_.find('\'');
            const std::string text(rest_.substr(0, end));
            rest_.remove_prefix(std::min(rest_.size(), text.size()));
            need("'");
            return FormulaValue::of(text);
        }
        return name_or_number();
    }
    FormulaValue name_or_number()
    {
        skip();
        const auto end = std::ranges::find_if_not(rest_, is_name_character);
        const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(word.size());
        if (word.empty())
        {
            throw FormulaFault{fmt::format("\u201c{}\u201d is no value", rest_)};
        }
        if (word.front() >= '0' && word.front() <= '9')
        {
            return FormulaValue::of(std::string(word));
        }
        if (take("("))
        {
            return call(word);
        }
        const std::optional<FormulaValue> value = names_(word);
        if (!value && idle_ == 0)
        {
            throw FormulaFault{fmt::format("\u201c{}\u201d has no value", word)};
        }
        return value.value_or(FormulaValue::of(0.0));
    }
    FormulaValue call(std::string_view name)
    {
        if (name == "has")
        {
            skip();
            const auto end = std::ranges::find_if_not(rest_, is_name_character);
            const std::string_view asked = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
            rest_.remove_prefix(asked.size());
            need(")");
            return FormulaValue::of(names_(asked) ? 1.0 : 0.0);
        }
        Arguments values{choice()};
        while (take(","))
        {
            values.push_back(choice());
        }
        need(")");
        const auto found = std::ranges::find(kFunctions, name, &Function::name);
        if (found == kFunctions.end() || found->arguments != values.size())
        {
            throw FormulaFault{fmt::format("there is no {}() of {} values", name, values.size())};
        }
        return found->call(values);
    }

    std::string_view rest_;
    const FormulaNames& names_;
    int depth_ = 0;
    int idle_ = 0; // above 0: parsed only
};

} // namespace

FormulaValue FormulaValue::of(double number)
{
    const bool integer = number == std::floor(number) && std::abs(number) < 9e15;
    return {integer ? fmt::format("{}", whole(number)) : fmt::format("{}", number), number, true};
}

FormulaValue FormulaValue::of(std::string text)
{
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool all = fault == std::errc() && end == text.data() + text.size() && std::isfinite(number);
    if (text == "true" || text == "false")
    {
        return {text, text == "true" ? 1.0 : 0.0, true};
    }
    return {std::move(text), all ? number : 0, all};
}

Result<FormulaValue> evaluate_formula(std::string_view formula, const FormulaNames& names)
{
    try
    {
        return Evaluation(formula, names).all();
    }
    catch (const FormulaFault& fault)
    {
        return Issue{"", fmt::format("\u201c{}\u201d: {}", formula, fault.says),
                     "see core/planner/launch/formula.h"};
    }
}

} // namespace ringside
