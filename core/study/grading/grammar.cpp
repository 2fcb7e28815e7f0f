#include "core/study/grading/grammar.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/study/questions/formula/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

// What people call a function, and what the formula engine calls it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kFunctions{{{"sqrt", "sqrt"},
                                                                                   {"ln log", "ln"},
                                                                                   {"exp", "exp"},
                                                                                   {"ceil", "ceil"},
                                                                                   {"floor", "floor"},
                                                                                   {"round", "round"},
                                                                                   {"max", "max"},
                                                                                   {"min", "min"}}};

constexpr std::array<std::string_view, 6> kUnitBases{"B", "s", "FLOP", "J", "USD", "%"};

// The value of a formula whose names u0 to u5 are the bases; nothing where it has none.
std::optional<double> formula_value(const Expression& formula, std::string_view grown, double by)
{
    std::vector<double> values;
    for (const std::string& name : formula.names())
    {
        values.push_back(kUnitBases.at(static_cast<std::size_t>(name.at(1) - '0')) == grown ? by : 1);
    }
    const auto value = formula.evaluate(values);
    return value ? std::optional(*value) : std::nullopt;
}

// The power of a base that a formula grows with; nothing where it adds what has it to what has not.
std::optional<int> formula_power(const Expression& formula, std::string_view base)
{
    const auto one = formula_value(formula, base, 1);
    const auto more = formula_value(formula, base, 1e30);
    const auto less = formula_value(formula, base, 1e-30);
    if (!one || !more || !less)
    {
        return std::nullopt;
    }
    const double power = std::log10(*more / *one) / 30;
    const bool same = std::abs(power + std::log10(*less / *one) / 30) < 1e-9;
    return same && std::abs(power - std::round(power)) < 1e-9
               ? std::optional(static_cast<int>(std::round(power)))
               : std::nullopt;
}

class Parser
{
public:
    Parser(std::string_view typed, const Measure& asked) : t_(typed), asked_(asked) {}

    TypedText read();

private:
    std::string_view function(std::size_t ahead = 0) const;
    bool starts_value(std::size_t ahead = 0) const;
    void failed(std::string_view why);
    void write(double number);
    void operand();
    void number();
    void behind(std::size_t from);
    void unit(std::size_t from, const Measure& m);
    void add_smaller(double& number, Measure& m);
    bool operation();
    void work_out();
    void value();
    void word();
    bool link();

    Tokens t_;
    const Measure& asked_;
    TypedText out_;
    bool linked_ = false;
    bool in_remark_ = false;
    std::size_t ended_ = 0; // where the last value did

    // What is known of the value that is being read.
    std::string formula_;
    std::vector<std::size_t> open_; // where in the formula each open bracket is
    std::vector<Measure> units_;
    std::size_t unit_at_ = 0; // where in the formula the last unit is, and ends
    std::size_t unit_end_ = 0;
    bool glued_ = false; // it is a power of ten that stands without a blank: "2Mi"
    TypedValue v_;
    bool part_ = false; // what was last is a fraction or a percentage
};

std::string_view Parser::function(std::size_t ahead) const
{
    const std::string name = small_letters(t_.text(ahead));
    const auto* found =
        std::ranges::find_if(kFunctions, [&](const auto& f) { return has_word(f.first, name); });
    const bool called = t_.sign('(', ahead + 1) || (t_.number(ahead + 1) && name != "min" && name != "max");
    return found != kFunctions.end() && called ? found->second : std::string_view{};
}

bool Parser::starts_value(std::size_t ahead) const
{
    while (t_.sign('-', ahead) || t_.sign('+', ahead) || t_.sign('(', ahead))
    {
        ++ahead;
    }
    const bool money =
        has_word("$ usd us", stem_of(t_.text(ahead))) && (t_.number(ahead + 1) || t_.number(ahead + 2));
    const bool cross = t_.word("x", ahead) && t_.number(ahead + 1) && out_.values.empty();
    return t_.number(ahead) || !function(ahead).empty() || money || cross ||
           (t_.word("e", ahead) && t_.sign('^', ahead + 1));
}

void Parser::failed(std::string_view why)
{
    out_.fault = out_.fault.empty() ? std::string(why) : out_.fault;
}

// A number of the formula. "3h 1e99920min" has none: the engine would take "inf" for a name.
void Parser::write(double number)
{
    formula_ += fmt::format("({:.17g})", number);
    std::isfinite(number) ? void() : failed("is not a number that can be read");
}

void Parser::operand()
{
    for (; t_.sign('-') || t_.sign('+'); ++t_.at)
    {
        formula_ += t_.peek().text + "1*"; // "-2^2" is 4 below 0, "10^-3" a thousandth
    }
    const std::size_t from = formula_.size();
    if (const std::string_view f = function(); !f.empty())
    {
        ++t_.at;
        formula_ += f;
        v_.worked = true;
        if (t_.number()) // "ln 2"
        {
            write(t_.peek().value);
            ++t_.at;
            return behind(from);
        }
    }
    if (t_.take_sign('('))
    {
        open_.push_back(from);
        formula_ += '(';
        operand();
    }
    else if (t_.word("e") && t_.sign('^', 1))
    {
        ++t_.at;
        formula_ += "2.718281828459045";
        behind(from);
    }
    else
    {
        number();
    }
}

// With the money sign or cross before it, its unit, and smaller ones: "1h16".
void Parser::number()
{
    const std::size_t from = formula_.size();
    Measure m;
    for (; has_word("$ usd us", stem_of(t_.text())); ++t_.at)
    {
        m.powers["USD"] = 1;
    }
    t_.take_word("x") ? void(m.powers["x"] = 1) : void();
    if (!t_.number())
    {
        return failed("is not a number that can be read");
    }
    double number = t_.peek().value;
    part_ = part_ || t_.peek().part;
    if (t_.sign(':', 1) && t_.number(2) && open_.empty())
    {
        v_.clock = {number};
        for (++t_.at; t_.sign(':') && t_.number(1); t_.at += 2)
        {
            v_.clock.push_back(t_.peek(1).value);
        }
        number = v_.clock[1] != 0 ? number / v_.clock[1] : 0;
        --t_.at;
    }
    ++t_.at;
    const bool raised = t_.sign('^');
    const bool joined = t_.joined();
    m = raised ? m : take_unit(t_, asked_, m);
    add_smaller(number, m);
    write(number);
    unit(from, m);
    glued_ = joined && m.powers.empty() && m.size != 1;
    behind(from);
}

// Powers, brackets that close and the unit of what they close.
void Parser::behind(std::size_t from)
{
    while (out_.fault.empty() && (t_.sign('^') || (t_.sign(')') && !open_.empty())))
    {
        if (t_.take_sign(')'))
        {
            formula_ += ')';
            from = open_.back();
            open_.pop_back();
        }
        else
        {
            ++t_.at;
            v_.worked = true;
            const double sign = t_.take_sign('-') ? -1 : 1;
            if (t_.take_sign('('))
            {
                open_.push_back(from); // the unit behind it is that of the whole power
                formula_ += sign < 0 ? "^(-1*" : "^(";
                return operand();
            }
            if (!t_.number())
            {
                return failed("has a power that is not a number");
            }
            formula_ += '^';
            write(sign * t_.peek().value);
            ++t_.at;
        }
        glued_ = false;
        unit(from, t_.sign('^') ? Measure{} : take_unit(t_, asked_));
    }
}

// Around what begins at `from` in the formula; counted things are numbers there.
void Parser::unit(std::size_t from, const Measure& m)
{
    if (m.powers.empty() && m.size == 1)
    {
        return;
    }
    formula_.insert(from, "(");
    unit_at_ = formula_.size();
    formula_ += '*';
    write(m.size);
    for (std::size_t i = 0; i < kUnitBases.size(); ++i)
    {
        formula_ +=
            m.power(kUnitBases.at(i)) != 0 ? fmt::format("*u{}^({})", i, m.power(kUnitBases.at(i))) : "";
    }
    formula_ += ')';
    unit_end_ = formula_.size();
    units_.push_back(m);
    part_ = part_ || m.power("%") != 0;
}

// "1h16", "1 h 16 min", "2 days and 3 hours"
void Parser::add_smaller(double& number, Measure& m)
{
    for (double last = m.size; m.powers == Powers{{"s", 1}};)
    {
        const std::size_t ahead = t_.word("and") || t_.sign(',') ? 1 : 0;
        const auto unit =
            t_.number(ahead) && t_.word(ahead + 1) ? unit_named(t_.text(ahead + 1), m) : std::nullopt;
        const bool timed = unit && unit->powers == m.powers && unit->size < last;
        const double under = last == 3600 ? 60 : last == 60 ? 1 : 0; // "1h16"
        const bool bare = !unit && t_.number() && t_.joined() && under > 0 && t_.peek().value < 60;
        if (!timed && !bare)
        {
            return;
        }
        last = timed ? unit->size : under;
        number += t_.peek(ahead).value * last / m.size;
        v_.worked = true;
        t_.at += timed ? ahead + 2 : 1;
    }
}

// What joins the next operand, taken into the formula; false where nothing does.
bool Parser::operation()
{
    const bool times = t_.sign('*') || t_.word("x") || t_.word("time");
    const bool of = t_.word("of") || (t_.word("out") && t_.word("of", 1));
    const std::size_t signs = t_.word("out") ? 2 : 1;
    const bool sum = t_.sign('+') || t_.sign('-');
    const bool comma = t_.sign(',') && !open_.empty();
    if ((!times && !of && !t_.sign('/') && !sum && !comma) || !starts_value(signs) || !v_.clock.empty() ||
        (of && !part_ && asked_.power("%") == 0))
    {
        return false;
    }
    formula_ += times || (of && part_) ? "*" : of ? "/" : t_.peek().text;
    part_ = t_.sign('/');
    v_.worked = true;
    t_.at += signs;
    return true;
}

// The unit at the end of arithmetic with plain numbers is that of the whole: "470/400 s".
void Parser::work_out()
{
    const bool last =
        !units_.empty() && unit_end_ == formula_.size() &&
        std::all_of(units_.begin(), units_.end() - 1, [](const Measure& m) { return m.powers.empty(); });
    const bool share = last && units_.back().power("%") != 0 && asked_.power("%") == 0;
    const bool whole = last && !(v_.worked && (share || glued_));
    const Measure m = whole ? units_.back() : Measure{};
    if (whole)
    {
        formula_.erase(unit_at_, formula_.size() - 1 - unit_at_);
        v_.powers = m.powers;
        v_.scale = m.physical() ? 1 : m.size;
    }
    const auto formula = Expression::parse(formula_);
    const auto value = formula ? formula_value(*formula, "", 1) : std::nullopt;
    if (!value || !open_.empty())
    {
        return failed(open_.empty() ? "is not a number that can be read"
                                    : "has a bracket that is not closed");
    }
    v_.value = *value * m.size;
    v_.unit = !units_.empty();
    bool physical = false;
    for (const std::string_view base : kUnitBases)
    {
        const bool has =
            !whole && std::ranges::any_of(units_, [&](const Measure& m) { return m.power(base) != 0; });
        const auto power = has ? formula_power(*formula, base) : std::optional(0);
        physical = physical || (has && base != "%");
        if (!power && base != "%")
        {
            return failed("adds what cannot be added");
        }
        power.value_or(0) != 0 ? void(v_.powers[std::string(base)] = *power) : void();
    }
    // Worked with, a percentage is a fraction.
    const bool divided = whole && v_.powers.empty() && m.size < 1000 && m.size != 1; // "min per day"
    v_.cancelled = divided || (physical && v_.powers.empty());
    if (v_.powers.size() > 1 || (!whole && v_.powers != Powers{{"%", 1}}))
    {
        v_.powers.erase("%");
    }
}

void Parser::value()
{
    // "34-35" is no difference
    if (t_.number() && t_.sign('-', 1) && t_.joined(1) && t_.number(2) && t_.joined(2) &&
        t_.peek(2).value > t_.peek().value)
    {
        return failed("is a range: type one number");
    }
    const std::size_t start = t_.at;
    v_ = {};
    formula_.clear();
    open_.clear();
    units_.clear();
    part_ = false;
    do
    {
        operand();
    } while (out_.fault.empty() && operation());
    out_.fault.empty() ? work_out() : void();
    v_.typed = t_.typed_since(start);
    v_.linked = std::exchange(linked_, false) && !out_.values.empty() && !in_remark_;
    out_.values.push_back(v_);
    ended_ = t_.at;
}

// A word that belongs to no number.
void Parser::word()
{
    const std::string text(t_.text());
    linked_ = linked_ || has_word("so hence thus therefore", small_letters(text));
    const bool first = out_.values.empty();
    const bool counted = t_.at == ended_ && !first && out_.values.back().powers.empty();
    const std::string_view thing = take_thing(t_);
    t_.at += thing.empty() ? 1U : 0U;
    const bool symbol = first && text.size() < 3 && thing.empty() && t_.sign('='); // "t = 16"
    out_.words.push_back({symbol ? text + "=" : text, thing, counted});
    t_.take(t_.hyphen() || (!thing.empty() && t_.sign('-') && t_.number(1) && t_.joined())); // "ZeRO-2"
}

// Between two values, or before the first; false for any other sign.
bool Parser::link()
{
    const bool relates = t_.sign('=') || t_.sign('>') || (t_.sign(':') && out_.values.empty());
    const bool remark = t_.sign('(') && !in_remark_ && !out_.values.empty();
    const bool closes = t_.sign(')') && in_remark_;
    in_remark_ = (in_remark_ || remark) && !closes;
    linked_ = linked_ || relates;
    return t_.take(relates || remark || closes || t_.sign(',') || t_.sign(';'));
}

TypedText Parser::read()
{
    while (!t_.at_end() && out_.fault.empty())
    {
        const bool fresh = out_.values.empty() || linked_;
        if (t_.hyphen() && !out_.values.empty())
        {
            ++t_.at; // "16-way"
        }
        else if (starts_value() && (fresh || (!t_.sign('-') && !t_.sign('('))))
        {
            value();
        }
        else if (t_.word())
        {
            word();
        }
        else if (!link())
        {
            out_.fault = "has \u201c" + t_.peek().text + "\u201d, which is not understood";
        }
    }
    return std::move(out_);
}

} // namespace

TypedText read_typed(std::string_view typed, const Measure& asked)
{
    return Parser(typed, asked).read();
}

} // namespace ringside
