#include "core/study/answers/grammar.h"

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

// A function and how it is called; of several values, which all have to have the same unit, or of one.
struct Function
{
    std::string_view names;
    double (*of)(double a, double b);
    bool several = false;
};

constexpr std::array kFunctions{Function{"sqrt", [](double a, double) { return std::sqrt(a); }},
                                Function{"ln log", [](double a, double) { return std::log(a); }},
                                Function{"exp", [](double a, double) { return std::exp(a); }},
                                Function{"ceil", [](double a, double) { return std::ceil(a); }},
                                Function{"floor", [](double a, double) { return std::floor(a); }},
                                Function{"round", [](double a, double) { return std::round(a); }},
                                Function{"max", [](double a, double b) { return std::max(a, b); }, true},
                                Function{"min", [](double a, double b) { return std::min(a, b); }, true}};

// A part of a sum or product. Counted things and factors are plain numbers there.
struct Operand
{
    double value = 0;
    Powers powers = {};
};

class Parser
{
public:
    Parser(std::string_view typed, const Measure& asked) : t_(typed), asked_(asked) {}

    TypedText read();

private:
    const Function* function(std::size_t ahead = 0) const;
    bool starts_value(std::size_t ahead = 0) const;
    void failed(std::string_view why);
    std::pair<char, std::size_t> operation() const;
    Operand sum();
    Operand product();
    Operand operand(bool exponent = false);
    Operand bracket(const Function* f);
    Operand number(bool clock);
    void raise(Operand& term, double power);
    void match(Operand& a, Operand b);
    void unit(Operand& term, const Measure& m);
    void add_smaller(double& number, Measure& m);
    void value();
    bool ends_in_its_unit() const;
    void settle(const Operand& all, bool whole);
    void word();
    bool link();

    Tokens t_;
    const Measure& asked_;
    TypedText out_;
    bool linked_ = false;
    bool in_remark_ = false;
    std::size_t ended_ = 0; // where the last value did

    // What is known of the value that is being read.
    TypedValue v_;
    int depth_ = 0; // brackets that are open
    std::vector<Measure> units_;
    std::size_t whole_ = 0;    // which of them is that of the whole value, counted from 1
    std::size_t unit_end_ = 0; // behind the last
    bool glued_ = false;       // the last number's power of ten stands without a blank: "2Mi"
    bool mixed_ = false;       // it adds what cannot be added
    bool part_ = false;        // what was last is a fraction or a percentage
};

const Function* Parser::function(std::size_t ahead) const
{
    const std::string name = small_letters(t_.text(ahead));
    const auto* found =
        std::ranges::find_if(kFunctions, [&](const Function& f) { return has_word(f.names, name); });
    const bool called =
        found != kFunctions.end() && (t_.sign('(', ahead + 1) || (t_.number(ahead + 1) && !found->several));
    return called ? found : nullptr;
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
    return t_.number(ahead) || function(ahead) != nullptr || money || cross ||
           (t_.word("e", ahead) && t_.sign('^', ahead + 1));
}

void Parser::failed(std::string_view why)
{
    out_.fault = out_.fault.empty() ? std::string(why) : out_.fault;
}

// The sign that joins the next operand, and how many tokens it is; 0 where nothing does.
std::pair<char, std::size_t> Parser::operation() const
{
    const bool times = t_.sign('*') || t_.word("x") || t_.word("time");
    const bool out = t_.word("out") && t_.word("of", 1);
    const bool of = (t_.word("of") || out) && (part_ || asked_.power("%") != 0);
    const bool other = t_.sign('/') || t_.sign('+') || t_.sign('-');
    const std::size_t tokens = out ? 2 : 1;
    const char sign = times || (of && part_) ? '*' : of ? '/' : other ? t_.peek().text[0] : '\0';
    const bool joins = out_.fault.empty() && v_.clock.empty() && starts_value(tokens);
    return {joins ? sign : '\0', tokens};
}

Operand Parser::sum()
{
    Operand all = product();
    for (auto [sign, tokens] = operation(); sign == '+' || sign == '-'; std::tie(sign, tokens) = operation())
    {
        part_ = false;
        v_.worked = true;
        t_.at += tokens;
        const Operand next = product();
        match(all, next);
        all.value += sign == '+' ? next.value : -next.value;
    }
    return all;
}

Operand Parser::product()
{
    Operand all = operand();
    for (auto [sign, tokens] = operation(); sign == '*' || sign == '/'; std::tie(sign, tokens) = operation())
    {
        part_ = t_.sign('/');
        v_.worked = true;
        t_.at += tokens;
        const Operand next = operand();
        Measure m{all.powers, 1};
        m.multiply({next.powers, 1}, sign == '*' ? 1 : -1);
        all = {sign == '*' ? all.value * next.value : all.value / next.value, m.powers};
    }
    return all;
}

// Only what has the same unit can be added or compared; a percentage is a plain number too.
void Parser::match(Operand& a, Operand b)
{
    if (a.powers != b.powers)
    {
        a.powers.erase("%");
        b.powers.erase("%");
    }
    mixed_ = mixed_ || a.powers != b.powers;
}

void Parser::raise(Operand& term, double power)
{
    term.value = std::pow(term.value, power);
    power == 1 ? void() : void(term.powers.erase("%"));
    for (auto& [of, own] : term.powers)
    {
        const double raised = own * power;
        const bool whole = raised == std::round(raised) && raised != 0 && std::abs(raised) < 100;
        whole ? void(own = static_cast<int>(raised)) : failed("has a power that no unit can have");
    }
}

// With its power, and the unit of all that: "10^-3 s", "-2^2" is 4 below 0. An exponent has no unit.
Operand Parser::operand(bool exponent)
{
    double sign = 1;
    for (; t_.sign('-') || t_.sign('+'); ++t_.at)
    {
        sign = t_.sign('-') ? -sign : sign;
    }
    Measure m;
    for (; !exponent && has_word("$ usd us", stem_of(t_.text())); ++t_.at)
    {
        m.powers["USD"] = 1;
    }
    !exponent&& t_.take_word("x") ? void(m.powers["x"] = 1) : void();
    const Function* f = function();
    const bool euler = t_.word("e") && t_.sign('^', 1);
    bool plain = !f && !euler && !t_.sign('(');
    Operand term = f || t_.sign('(') ? bracket(f) : euler ? Operand{std::exp(1.0)} : number(!exponent);
    for (t_.at += euler ? 1U : 0U; out_.fault.empty() && t_.sign('^'); plain = false)
    {
        ++t_.at;
        v_.worked = true;
        const Operand power = operand(true);
        power.powers.empty() ? void() : failed("has a power that is not a number");
        raise(term, power.value);
    }
    const bool joined = t_.joined();
    m = exponent ? m : take_unit(t_, asked_, m);
    plain && !exponent ? add_smaller(term.value, m) : void();
    glued_ = plain && joined && m.powers.empty() && m.size != 1;
    unit(term, m);
    term.value *= sign;
    return term;
}

// What stands in a bracket, or a function of it: "sqrt(2 h * 3 h)", "max(2 GB, 3 GB)"; of a number: "ln 2".
Operand Parser::bracket(const Function* f)
{
    t_.at += f ? 1U : 0U;
    v_.worked = v_.worked || f;
    if (f && t_.number())
    {
        const double value = f->of(t_.peek().value, 0);
        ++t_.at;
        return {value};
    }
    ++t_.at;
    ++depth_;
    Operand all = sum();
    while (f && f->several && out_.fault.empty() && t_.take_sign(','))
    {
        const Operand next = sum();
        match(all, next);
        all.value = f->of(all.value, next.value);
    }
    if (f && f->names == "sqrt")
    {
        raise(all, 0.5);
    }
    else if (f && !f->several)
    {
        all.powers.erase("%");
        all.powers.empty() ? void() : failed("is a function of what has a unit");
        all.value = f->of(all.value, 0);
    }
    t_.take_sign(')') ? void() : failed("has a bracket that is not closed");
    --depth_;
    return all;
}

// "8:10" is a time, or a ratio.
Operand Parser::number(bool clock)
{
    if (!t_.number())
    {
        failed("is not a number that can be read");
        return {};
    }
    Operand term{t_.peek().value};
    part_ = part_ || t_.peek().part;
    ++t_.at;
    if (clock && t_.sign(':') && t_.number(1) && depth_ == 0)
    {
        v_.clock = {term.value};
        for (; t_.sign(':') && t_.number(1); t_.at += 2)
        {
            v_.clock.push_back(t_.peek(1).value);
        }
        term.value = v_.clock[1] != 0 ? term.value / v_.clock[1] : 0;
    }
    return term;
}

// Counted things and factors are plain numbers in arithmetic.
void Parser::unit(Operand& term, const Measure& m)
{
    if (m.powers.empty() && m.size == 1)
    {
        return;
    }
    units_.push_back(m);
    unit_end_ = t_.at;
    part_ = part_ || m.power("%") != 0;
    if (units_.size() != whole_)
    {
        Measure all{term.powers, term.value};
        all.multiply(m, 1);
        std::erase_if(all.powers, [](const auto& p) { return !is_physical(p.first) || p.first == "x"; });
        term = {all.size, all.powers};
    }
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

void Parser::value()
{
    // "34-35" is no difference
    if (t_.number() && t_.sign('-', 1) && t_.joined(1) && t_.number(2) && t_.joined(2) &&
        t_.peek(2).value > t_.peek().value)
    {
        return failed("is a range: type one number");
    }
    const std::size_t start = t_.at;
    const auto read_all = [&](std::size_t whole)
    {
        t_.at = start;
        v_ = {};
        units_.clear();
        unit_end_ = 0;
        depth_ = 0;
        part_ = false;
        mixed_ = false;
        whole_ = whole;
        return sum();
    };
    Operand all = read_all(0);
    const bool whole = out_.fault.empty() && ends_in_its_unit();
    all = whole ? read_all(units_.size()) : all;
    mixed_ ? failed("adds what cannot be added") : void();
    settle(all, whole);
    v_.typed = t_.typed_since(start);
    v_.linked = std::exchange(linked_, false) && !out_.values.empty() && !in_remark_;
    out_.values.push_back(v_);
    ended_ = t_.at;
}

// The unit at the end of arithmetic with plain numbers is that of the whole: "470/400 s".
bool Parser::ends_in_its_unit() const
{
    const bool last =
        !units_.empty() && unit_end_ == t_.at &&
        std::all_of(units_.begin(), units_.end() - 1, [](const Measure& m) { return m.powers.empty(); });
    const bool share = last && units_.back().power("%") != 0 && asked_.power("%") == 0;
    return last && !(v_.worked && (share || glued_));
}

void Parser::settle(const Operand& all, bool whole)
{
    const Measure m = whole ? units_.back() : Measure{};
    v_.value = all.value * m.size;
    v_.powers = whole ? m.powers : all.powers;
    v_.scale = m.physical() ? 1 : m.size;
    v_.unit = !units_.empty();
    std::isfinite(v_.value) ? void() : failed("is not a number that can be read");
    const bool divided = whole && m.powers.empty() && m.size < 1000 && m.size != 1; // "min per day"
    const bool physical = std::ranges::any_of(
        units_, [](const Measure& u) { return u.physical() && u.power("%") == 0 && u.power("x") == 0; });
    v_.cancelled = divided || (!whole && physical && v_.powers.empty());
    // Worked with, a percentage is a fraction.
    if (v_.powers.size() > 1 || (!whole && v_.powers != Powers{{"%", 1}}))
    {
        v_.powers.erase("%");
    }
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
