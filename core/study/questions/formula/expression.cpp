#include "core/study/questions/formula/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include "core/base/text/text.h"
#include "core/study/questions/formula/functions.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace ringside
{

namespace
{

constexpr const char* kNameCharacters = "0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// muParser's way of calling one of ours; what is wrong with an argument leaves through its error.
double call(void* data, const double* values, int count)
{
    const auto& function = *static_cast<const StudyFunction*>(data);
    const auto given = static_cast<std::size_t>(std::max(count, 0));
    if (given == 0 || (function.count() != 0 && function.count() != given))
    {
        throw mu::ParserError(
            fmt::format("{}({}) got {} arguments", function.name, function.arguments, given));
    }
    const Result<double> value = function.call({values, given});
    if (!value)
    {
        throw mu::ParserError(fmt::format("{}: {}", function.name, to_line(value.issues().front())));
    }
    return *value;
}

double remainder(double a, double b)
{
    return std::fmod(a, b);
}

Issue as_issue(const mu::ParserError& fault)
{
    std::string message = fault.GetMsg();
    while (!message.empty() && (message.back() == '.' || message.back() == ' '))
    {
        message.pop_back();
    }
    return {"", message, ""};
}

enum class Kind
{
    name,
    number,
    sign, // between two values, or before one
    other // brackets and commas
};

struct Token
{
    Kind kind = Kind::other;
    std::string_view text;
};

// How long the number at the start of `text` is; the exponent of 7e9 and 5e-6 belongs to it.
std::size_t number_length(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.'))
    {
        ++end;
    }
    std::size_t power = end + 1;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E'))
    {
        power += power < text.size() && (text[power] == '-' || text[power] == '+') ? 1U : 0U;
        const std::size_t digits = power;
        while (power < text.size() && is_digit(text[power]))
        {
            ++power;
        }
        end = power > digits ? power : end;
    }
    return end;
}

std::size_t name_length(std::string_view text)
{
    const auto end = std::find_if_not(text.begin(), text.end(),
                                      [](char c) { return is_name_start(c) || is_digit(c) || c == '.'; });
    return static_cast<std::size_t>(end - text.begin());
}

Token token_at(std::string_view text)
{
    const char c = text.front();
    if (is_name_start(c))
    {
        return {Kind::name, text.substr(0, name_length(text))};
    }
    if (is_digit(c) || c == '.')
    {
        return {Kind::number, text.substr(0, number_length(text))};
    }
    if (c == '(' || c == ')' || c == ',')
    {
        return {Kind::other, text.substr(0, 1)};
    }
    const bool two = text.size() > 1 && std::string_view("<>=!&|").find(c) != std::string_view::npos &&
                     (text[1] == '=' || text[1] == c);
    return {Kind::sign, text.substr(0, two ? 2 : 1)};
}

std::string_view as_written(std::string_view sign)
{
    return sign == "*" ? "\u00d7" : sign == "-" ? "\u2212" : sign;
}

// What the parser would take and nobody means: "a = b" sets a.
Issues check_tokens(std::string_view text)
{
    for (std::string_view rest = text; !rest.empty();)
    {
        const Token token = token_at(rest);
        if (token.text == "=")
        {
            return {{"", fmt::format("\"{}\" sets a value with =", text), "compare with =="}};
        }
        rest.remove_prefix(token.text.size());
    }
    return {};
}

bool calls_simulation(std::string_view text)
{
    for (std::string_view rest = text; !rest.empty();)
    {
        const Token token = token_at(rest);
        const StudyFunction* function = token.kind == Kind::name ? find_function(token.text) : nullptr;
        if (function && function->simulates)
        {
            return true;
        }
        rest.remove_prefix(token.text.size());
    }
    return false;
}

Issue not_a_number(std::string_view text)
{
    return {"", fmt::format("\"{}\" is not a finite number", text), "keep what is divided by above 0"};
}

} // namespace

struct Expression::Compiled
{
    mu::Parser parser;
    std::string text;
    bool simulates = false;
    std::deque<double> slots; // of the names, where the parser looks; never moved
    std::vector<std::string> names;
    std::vector<double*> targets; // in the order of names

    static double* make_slot(const char*, void* self)
    {
        return &static_cast<Compiled*>(self)->slots.emplace_back(1.0);
    }

    void define()
    {
        parser.ClearFun();
        parser.ClearConst();
        parser.DefineNameChars(kNameCharacters);
        for (const StudyFunction& f : study_functions())
        {
            // The parser keeps the pointer and hands it back; it writes nothing through it.
            parser.DefineFunUserData(std::string(f.name), call, const_cast<StudyFunction*>(&f), false);
        }
        parser.DefineOprt("%", remainder, mu::prMUL_DIV);
        parser.SetVarFactory(make_slot, this);
    }

    void list_names()
    {
        for (const auto& [name, slot] : parser.GetUsedVar())
        {
            names.push_back(name);
            targets.push_back(slot);
        }
    }
};

Result<Expression> Expression::parse(std::string_view text)
{
    if (text.size() > kLongestExpression)
    {
        return Issue{"", fmt::format("an expression of {} characters", text.size()),
                     fmt::format("use at most {}, and \"let\" for parts", kLongestExpression)};
    }
    // Names and numbers are plain; the parser's own reading of anything else differs from locale to locale.
    const auto odd = std::ranges::find_if(text, [](char c) { return c < ' ' || c > '~' || c == '"'; });
    if (odd != text.end())
    {
        return Issue{"", fmt::format("at {}: a character that no expression has", odd - text.begin() + 1),
                     "use letters, digits and + - * / ^ ( )"};
    }
    const Issues wrong = check_tokens(text);
    if (!wrong.empty())
    {
        return wrong;
    }
    auto compiled = std::make_shared<Compiled>();
    compiled->simulates = calls_simulation(text);
    try
    {
        compiled->define();
        compiled->text = text;
        compiled->parser.SetExpr(compiled->text);
        compiled->list_names();
        // Parsing happens with the first value; its faults have no place, those before have.
        if (compiled->names.empty())
        {
            int count = 0;
            compiled->parser.Eval(count);
            return count == 1 ? Result<Expression>(Expression(compiled))
                              : Result<Expression>(Issue{"", "several values", "give one expression"});
        }
    }
    catch (const mu::ParserError& fault)
    {
        Issue issue = as_issue(fault);
        issue.message = fmt::format("\"{}\": {}", text, issue.message);
        return issue;
    }
    return Expression(compiled);
}

const std::vector<std::string>& Expression::names() const
{
    return compiled_->names;
}

bool Expression::simulates() const
{
    return compiled_->simulates;
}

Result<double> Expression::evaluate(std::span<const double> values) const
{
    Compiled& c = *compiled_;
    for (std::size_t i = 0; i < c.targets.size() && i < values.size(); ++i)
    {
        *c.targets[i] = values[i];
    }
    try
    {
        int count = 0;
        const double* results = c.parser.Eval(count);
        const double value = results[count - 1];
        if (count != 1)
        {
            return Issue{"", fmt::format("\"{}\" has {} values", c.text, count), "give one expression"};
        }
        return std::isfinite(value) ? Result<double>(value) : Result<double>(not_a_number(c.text));
    }
    catch (const mu::ParserError& fault)
    {
        Issue issue = as_issue(fault);
        issue.message = fmt::format("\"{}\": {}", c.text, issue.message);
        return issue;
    }
}

bool is_expression_name(std::string_view name)
{
    return !name.empty() && name.size() <= 40 && is_name_start(name.front()) && !find_function(name) &&
           std::ranges::all_of(name, [](char c) { return is_name_start(c) || is_digit(c); });
}

std::string with_numbers(std::string_view text, const std::function<std::string(std::string_view)>& figure_of)
{
    std::string out;
    bool after_value = false; // so that a sign is one between two values
    while (!text.empty())
    {
        const Token token = token_at(text);
        text.remove_prefix(token.text.size());
        if (token.text == " ")
        {
            continue;
        }
        if (token.kind == Kind::sign)
        {
            out += after_value ? fmt::format(" {} ", as_written(token.text))
                               : std::string(as_written(token.text));
        }
        else if (token.kind == Kind::name)
        {
            out += find_function(token.text) ? std::string(token.text) : figure_of(token.text);
        }
        else
        {
            out += token.text == "," ? ", " : token.text;
        }
        after_value = token.kind == Kind::name || token.kind == Kind::number || token.text == ")";
    }
    return out;
}

} // namespace ringside
