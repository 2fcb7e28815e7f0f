// One file, since it is one class: every rule of the grammar calls others.
#include "core/study/grading/grammar.h"

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

using Parsed = std::optional<TypedValue>;

// What a function does with units.
enum class Units : std::uint8_t
{
    none, // takes plain numbers
    same, // "max(20 ms, 30 ms)"
    root  // "sqrt(2 * 60 s * 9000 s)"
};

struct Function
{
    std::string_view name;
    std::size_t least; // arguments
    std::size_t most;
    Units units;
    double (*of)(const std::vector<double>&);
};

constexpr std::array kFunctions{
    Function{"sqrt", 1, 1, Units::root, [](const auto& a) { return std::sqrt(a[0]); }},
    Function{"sigmoid", 1, 1, Units::none, [](const auto& a) { return 1 / (1 + std::exp(-a[0])); }},
    Function{"logistic", 1, 1, Units::none, [](const auto& a) { return 1 / (1 + std::exp(-a[0])); }},
    Function{"ln", 1, 1, Units::none, [](const auto& a) { return std::log(a[0]); }},
    Function{"log", 1, 1, Units::none, [](const auto& a) { return std::log(a[0]); }},
    Function{"lb", 1, 1, Units::none, [](const auto& a) { return std::log2(a[0]); }},
    Function{"lg", 1, 1, Units::none, [](const auto& a) { return std::log10(a[0]); }},
    Function{"exp", 1, 1, Units::none, [](const auto& a) { return std::exp(a[0]); }},
    Function{"ceil", 1, 1, Units::same, [](const auto& a) { return std::ceil(a[0]); }},
    Function{"floor", 1, 1, Units::same, [](const auto& a) { return std::floor(a[0]); }},
    Function{"round", 1, 1, Units::same, [](const auto& a) { return std::round(a[0]); }},
    Function{"max", 1, 9, Units::same, [](const auto& a) { return std::ranges::max(a); }},
    Function{"min", 1, 9, Units::same, [](const auto& a) { return std::ranges::min(a); }},
    Function{"frac", 2, 2, Units::none, [](const auto& a) { return a[0] / a[1]; }}};

bool whole(double value)
{
    return value == std::floor(value) && value >= 0;
}

// A power of ten alone is part of the number.
void fold(TypedValue& v)
{
    if (v.measure.plain() && !v.measure.cancelled())
    {
        v.value *= v.measure.size;
        v.measure = {};
    }
}

// A share in arithmetic is a fraction.
void as_fraction(TypedValue& v)
{
    v.value *= v.measure.percent || v.measure.ratio ? v.measure.size : 1;
    v.measure = v.measure.percent || v.measure.ratio ? Measure{} : v.measure;
}

// What the units come to, under or over the line; things are not counted in arithmetic: 8 GPUs times 12 GB
// are bytes, and so are 16 bytes per parameter times the parameters.
void combine(TypedValue& v, TypedValue next, int sign)
{
    const bool alone = next.measure.plain();
    const bool first = v.measure.plain() && sign > 0 && !v.measure.cancelled();
    v.measure.per.clear();
    next.measure.per.clear();
    if (first && !alone)
    {
        const double own = v.value * v.measure.size;
        v.value = own * next.value;
        v.measure = std::move(next.measure);
        return;
    }
    if (!alone)
    {
        v.value *= v.measure.size;
        v.measure.size = 1;
        v.measure.of.clear();
        v.measure.name.clear();
        for (std::size_t i = 0; i < kPowers; ++i)
        {
            v.measure.power.at(i) += sign * next.measure.power.at(i);
        }
        v.measure.name = v.measure.plain() ? "" : "/";
    }
    const double other = next.value * next.measure.size;
    v.value = sign < 0 ? v.value / other : v.value * other;
}

// The question's own letters, as a whole word or one by one: "ND" of 6ND.
std::optional<double> letter_product(const Letters& letters, const std::string& text)
{
    const auto known = letters.find(text);
    double product = known == letters.end() ? 1 : known->second;
    for (std::size_t i = 0; known == letters.end() && i < text.size(); ++i)
    {
        const auto letter = letters.find(std::string_view(text).substr(i, 1));
        if (letter == letters.end() || text.size() > 3)
        {
            return std::nullopt;
        }
        product *= letter->second;
    }
    return product;
}

class Parser
{
public:
    Parser(std::string_view typed, Of wanted, bool bits, Letters names, Way way)
        : t_(tokens_of(typed)), units_(t_, wanted, bits), wanted_(wanted), names_(std::move(names)), way_(way)
    {
    }

    TypedText read();

private:
    const Function* function(std::size_t ahead = 0) const;
    std::optional<double> name(std::size_t ahead = 0) const;
    bool starts_value(std::size_t ahead = 0) const;
    bool starts_words(std::size_t ahead) const;
    Parsed sum();
    bool range(TypedValue& low, bool minus);
    Parsed term();
    std::optional<char> operation(const TypedValue& v);
    Parsed factor();
    Parsed atom();
    Parsed call(const Function& f);
    std::optional<std::vector<TypedValue>> arguments(const Function& f);
    bool postfix(TypedValue& v);
    void unit(TypedValue& v, bool money, bool cross);
    Parsed number();
    Parsed clock();
    Parsed spelt();
    std::optional<double> in_words(bool& part);
    void add_fraction(TypedValue& v, bool vulgar);
    void add_smaller(TypedValue& v);

    void value();
    void word();
    bool link();
    bool remark();
    bool own_letters();
    void definitions();

    Tokens t_;
    UnitReader units_;
    Of wanted_;
    Letters names_;
    Way way_;
    TypedText out_;
    bool equals_ = false;
    bool follows_ = false;
    bool inverse_ = false; // "divided by 16"
    bool between_ = false;
    bool in_remark_ = false;
    int in_brackets_ = 0;
    std::size_t ended_ = 0; // where the last value did
};

const Function* Parser::function(std::size_t ahead) const
{
    const std::string text = t_.word(ahead) ? small_letters(t_.peek(ahead)->text) : "";
    const Function* found = find_by(kFunctions, std::string_view(text), &Function::name);
    const bool bare =
        found && found->most == 1 &&
        (t_.number(ahead + 1) || (t_.sign('-', ahead + 1) && t_.number(ahead + 2)) || name(ahead + 1));
    return found && (bare || t_.sign('(', ahead + 1)) ? found : nullptr;
}

// A letter of the question's own.
std::optional<double> Parser::name(std::size_t ahead) const
{
    if (!t_.word(ahead))
    {
        return std::nullopt;
    }
    const std::string& text = t_.peek(ahead)->text;
    const auto known = way_.names ? letter_product(names_, text) : std::nullopt;
    return known || text != "e" || !t_.sign('^', ahead + 1) ? known : std::optional(std::exp(1.0));
}

bool Parser::starts_words(std::size_t ahead) const
{
    const std::string& text = t_.peek(ahead)->text;
    const std::string next = t_.word(ahead + 1) ? t_.peek(ahead + 1)->text : "";
    if (has_word("a an", text))
    {
        return units_.time_next(ahead + 1) || next == "single" || (is_number_word(next) && next != "one") ||
               (next.size() > 4 && scale_word(next));
    }
    const bool label = t_.word("zero", ahead) && t_.peek(ahead + 1); // ZeRO stage 2
    return (is_number_word(text) && !label && (out_.values.empty() || text != "one" || t_.sign('='))) ||
           (out_.values.empty() && number_part(NumberPart::ordinal, text) && !has_word("first second", text));
}

bool Parser::starts_value(std::size_t ahead) const
{
    while (t_.sign('-', ahead) || t_.sign('+', ahead))
    {
        ++ahead;
    }
    if (t_.number(ahead) || function(ahead) || name(ahead))
    {
        return true;
    }
    if (t_.sign('(', ahead))
    {
        return starts_value(ahead + 1);
    }
    const bool money = t_.word(ahead) && has_word("$ usd us", stem_of(t_.peek(ahead)->text)) &&
                       (t_.number(ahead + 1) || (t_.word("$", ahead + 1) && t_.number(ahead + 2)));
    const bool cross = t_.word("x", ahead) && t_.number(ahead + 1) && out_.values.empty();
    return money || cross || (t_.word(ahead) && starts_words(ahead));
}

Parsed Parser::sum()
{
    auto v = term();
    while (v)
    {
        const bool minus = t_.sign('-');
        if (range(*v, minus))
        {
            continue;
        }
        if ((!t_.sign('+') && !minus) || !starts_value(1))
        {
            break;
        }
        ++t_.at;
        auto next = term();
        if (!next)
        {
            return next;
        }
        if ((v->letter != 0) != (next->letter != 0) || v->measure.plain() != next->measure.plain())
        {
            v->measure.plain() && v->measure.size != 1 ? fold(*v) : void();
            next->measure.plain() && next->measure.size != 1 ? fold(*next) : void();
        }
        TypedValue& share = v->measure.percent ? *v : *next;
        TypedValue& plain = v->measure.percent ? *next : *v;
        if (share.measure.percent && plain.measure.plain() && std::abs(plain.value) <= 1)
        {
            as_fraction(share);
        }
        // "70 + 2 GB" and "70 GB + 2" are both in GB.
        v->measure = v->measure.plain() && v->measure.size == 1 ? next->measure : v->measure;
        const bool same = next->measure.plain() && next->measure.size == 1;
        if (!same && (next->measure.power != v->measure.power || next->measure.of != v->measure.of))
        {
            out_.fault = "adds what cannot be added";
            return std::nullopt;
        }
        v->value += (minus ? -1 : 1) * next->value * (same ? 1 : next->measure.size / v->measure.size);
        v->worked = true;
    }
    return v;
}

// "34-35", "29 to 31 GB", "38 or 39", "between 2 and 3", "31.5 to 1", "70 ± 2 GB"
bool Parser::range(TypedValue& low, bool minus)
{
    const std::size_t start = t_.at;
    const TypedToken* next = t_.peek(1);
    const bool dash = minus && !low.worked && t_.number(1) && t_.joined() && t_.joined(1) &&
                      next->value > low.value &&
                      !(t_.peek(2) && t_.peek(2)->kind == TypedToken::Kind::sign &&
                        has_word("* / ^ ( !", t_.peek(2)->text));
    const bool give = t_.word("plusminu") || t_.word("plusminus") || (t_.word("give") && t_.word("or", 1));
    const bool to = (t_.word("to") || t_.word("or") || (between_ && t_.word("and"))) && starts_value(1);
    if (in_brackets_ > 0 || (!dash && !give && !to))
    {
        return false;
    }
    const bool ratio_sign = t_.word("to");
    t_.at += t_.word("give") ? 3U : 1U;
    auto high = term();
    if (!high)
    {
        t_.at = give ? t_.at : start;
        return give;
    }
    low.measure = low.measure.plain() && low.measure.size == 1 ? high->measure : low.measure;
    high->measure = high->measure.plain() && high->measure.size == 1 ? low.measure : high->measure;
    const double a = low.value * low.measure.size;
    const double b = high->value * high->measure.size;
    if (low.measure.power != high->measure.power || (!give && b <= a && !(ratio_sign && b == 1)))
    {
        t_.at = start;
        return false;
    }
    if (!give)
    {
        const bool ratio = ratio_sign && wanted_ == Of::ratio && (a == 1 || b == 1);
        low.value = ratio ? a / b : (a + b) / 2 / low.measure.size;
        low.spread = ratio || a + b == 0 ? 0 : (b - a) / (a + b);
    }
    return true;
}

Parsed Parser::term()
{
    auto v = factor();
    while (v)
    {
        const auto sign = operation(*v);
        if (!sign)
        {
            break;
        }
        auto next = factor();
        if (!next || *sign == 'i')
        {
            v = next ? v : next; // "18 of 32": how many there are is not the answer
            continue;
        }
        const Measure& n = next->measure;
        const bool has_unit = !n.plain() || (n.size != 1 && !next->glued);
        const bool share =
            wanted_ == Of::percent && v->measure.plain() && v->measure.size == 1 && n.physical();
        if (*sign == 's' && (v->measure.plain() || n.plain()))
        {
            v->value *= v->measure.size / next->value; // "26 of 74 GB": the unit is that of both
            v->measure = {};
        }
        else if (*sign == '/' && way_.whole && v->measure.plain() && v->measure.size == 1 && has_unit &&
                 !(n.ratio))
        {
            v->value /= next->value;
            v->measure = n;
        }
        else if (*sign == '/' && share)
        {
            v->value /= next->value;
        }
        else
        {
            as_fraction(*v);
            as_fraction(*next);
            fold(*v);
            fold(*next);
            combine(*v, std::move(*next), *sign == '*' ? 1 : -1);
        }
        v->worked = true;
        v->glued = false;
        v->letter = v->letter != 0 ? v->letter : next->letter;
        v->part = *sign != '*' && std::abs(v->value) < 10;
    }
    return v;
}

// What joins the next factor: * or /, or 'i' where it is to be ignored; the sign is taken.
std::optional<char> Parser::operation(const TypedValue& v)
{
    const auto take = [&](std::size_t signs, char op)
    {
        const bool follows = starts_value(signs);
        t_.at += follows ? signs : 0;
        return follows ? std::optional(op) : std::nullopt;
    };
    if (t_.sign('*') || t_.word("x") || t_.word("time"))
    {
        return take(1, '*');
    }
    if (t_.sign('/'))
    {
        return take(1, '/');
    }
    if (t_.word("out") && t_.word("of", 1))
    {
        return take(2, wanted_ == Of::percent ? 's' : 'i');
    }
    if (t_.word("of") && starts_value(1))
    {
        const bool part = v.part || v.measure.percent || (v.measure.plain() && v.value < 1);
        const bool described = !v.measure.of.empty() && !v.measure.physical();
        return take(1, part ? '*' : wanted_ == Of::percent ? 's' : described || t_.number(1) ? 'i' : '*');
    }
    if (t_.word("in") && wanted_ == Of::percent && starts_value(1))
    {
        return take(1, 's');
    }
    const TypedToken* last = t_.before();
    const bool open = t_.sign('(') && v.measure.plain() && starts_value(1);
    const bool bracket =
        open && (way_.names || (t_.joined() && last->kind != TypedToken::Kind::word && !t_.word(2)));
    const bool closed = last && last->text == ")" && t_.number() && t_.joined();
    const bool factor_word = t_.number() && last && last->kind == TypedToken::Kind::word &&
                             number_part(NumberPart::factor, last->text);
    return bracket || closed || factor_word || (v.measure.plain() && (function() || name()))
               ? std::optional('*')
               : std::nullopt;
}

Parsed Parser::factor()
{
    double sign = 1;
    for (; t_.sign('-') || t_.sign('+'); ++t_.at)
    {
        sign = t_.sign('-') ? -sign : sign;
    }
    auto v = atom();
    if (v)
    {
        v->value *= sign;
    }
    return v;
}

Parsed Parser::atom()
{
    bool money = false;
    while (t_.word() && has_word("$ usd us", stem_of(t_.peek()->text)) && (t_.number(1) || t_.word(1)))
    {
        money = true;
        ++t_.at;
    }
    const bool cross = !money && t_.word("x") && t_.number(1) && t_.take_word("x");
    Parsed v;
    if (const Function* f = function())
    {
        ++t_.at;
        v = call(*f);
    }
    else if (const auto named = name())
    {
        ++t_.at;
        v = TypedValue{*named};
        v->worked = out_.named = true;
    }
    else if (t_.take_sign('('))
    {
        ++in_brackets_;
        v = sum();
        --in_brackets_;
        v = v && t_.take_sign(')') ? v : std::nullopt;
    }
    else
    {
        v = number();
    }
    if (!v || !postfix(*v))
    {
        return std::nullopt;
    }
    if (v->measure.plain() && v->measure.size == 1)
    {
        unit(*v, money, cross);
        add_smaller(*v);
    }
    return v;
}

// What stands in the brackets, or the one factor without them; nothing where it cannot be read.
std::optional<std::vector<TypedValue>> Parser::arguments(const Function& f)
{
    std::vector<TypedValue> all;
    if (!t_.sign('('))
    {
        auto v = factor();
        return v ? std::optional(std::vector{*v}) : std::nullopt;
    }
    ++in_brackets_;
    for (bool more = true; more;)
    {
        ++t_.at;
        const std::string text = t_.number() ? t_.peek()->text : "";
        const std::size_t comma = text.find(',');
        const bool two = f.most > 1 && comma != std::string::npos && comma == text.rfind(',') &&
                         text.find_first_not_of("0123456789.,") == std::string::npos;
        if (two) // "max(20,30)" has no decimal comma
        {
            all.push_back({std::stod(text.substr(0, comma))});
            all.push_back({std::stod(text.substr(comma + 1))});
            ++t_.at;
        }
        else if (auto v = sum())
        {
            all.push_back(std::move(*v));
        }
        const bool fraction = f.name == "frac" && all.size() == 1 && t_.sign(')') && t_.sign('(', 1);
        t_.at += fraction ? 1U : 0U; // \frac{a}{b}
        more = fraction || (f.most > 1 && !all.empty() && (t_.sign(',') || t_.sign(';')));
    }
    --in_brackets_;
    return t_.take_sign(')') ? std::optional(all) : std::nullopt;
}

// "sqrt(2 * 60 * 9000 s)", "max(20, 30)", "ln 2"
Parsed Parser::call(const Function& f)
{
    const auto given = arguments(f);
    if (!given || given->size() < f.least || given->size() > f.most)
    {
        return std::nullopt;
    }
    TypedValue result;
    Measure& m = result.measure;
    std::vector<double> numbers;
    for (const TypedValue& v : *given)
    {
        m = m.plain() ? v.measure : m;
    }
    for (const TypedValue& v : *given)
    {
        const bool percent = v.measure.percent && f.units == Units::none;
        const bool fits = v.measure.power == m.power || v.measure.plain();
        out_.fault = !fits || (f.units == Units::none && v.measure.physical()) ? "mixes units in a function"
                                                                               : out_.fault;
        numbers.push_back(v.value * (f.units == Units::same && !v.measure.plain() ? v.measure.size / m.size
                                     : percent || f.units != Units::same          ? v.measure.size
                                                                                  : v.measure.size));
    }
    for (int& power : m.power)
    {
        out_.fault = f.units == Units::root && power % 2 != 0 ? "takes the root of a unit" : out_.fault;
        power = f.units == Units::root ? power / 2 : power;
    }
    result.value = f.of(numbers);
    if (f.units != Units::same)
    {
        m.size = 1;
        m.percent = m.ratio = false;
        m.name = m.physical() ? "/" : "";
    }
    result.worked = true;
    return result;
}

// "8!", "2^15", "10^(-3)"; false where the power is none.
bool Parser::postfix(TypedValue& v)
{
    if (t_.sign('!'))
    {
        ++t_.at;
        out_.fault = !whole(v.value) || v.value > 170 ? "takes the factorial of no whole number" : out_.fault;
        v.exclaimed = v.worked ? std::nullopt : std::optional(v.value);
        v.value = std::tgamma(v.value + 1);
    }
    if (!t_.take_sign('^'))
    {
        return true;
    }
    v.exclaimed.reset();
    double sign = 1;
    for (; t_.sign('-') || t_.sign('+'); ++t_.at)
    {
        sign = t_.sign('-') ? -sign : sign;
    }
    Parsed by;
    if (t_.number())
    {
        by = TypedValue{t_.peek()->value};
        ++t_.at;
    }
    else if (const auto named = name())
    {
        by = TypedValue{*named};
        ++t_.at;
    }
    else if (t_.take_sign('('))
    {
        ++in_brackets_;
        by = sum();
        --in_brackets_;
        by = by && by->measure.plain() && t_.take_sign(')') ? by : std::nullopt;
    }
    if (!by || !v.measure.plain())
    {
        return false;
    }
    v.value = std::pow(v.value, sign * by->value);
    v.worked = true;
    return true;
}

// The unit behind a number, which may be a power of ten.
void Parser::unit(TypedValue& v, bool money, bool cross)
{
    // "46 x A100" counts them.
    const std::size_t start = t_.at;
    t_.at = t_.take_word("x") && t_.word() && !units_.thing().empty() ? start + 1 : start;
    if (name())
    {
        return; // P of 4P
    }
    const bool glued = t_.joined();
    const bool letter = t_.word() && t_.peek()->text.size() == 1 && scale_word(t_.peek()->text);
    v.letter = letter ? t_.peek()->text[0] : '\0';
    if (letter && way_.counts && !t_.sign('/', 1))
    {
        v.value *= scale_word(t_.peek()->text)->size;
        ++t_.at;
    }
    const std::size_t before = t_.at;
    v.measure = units_.measure();
    v.glued = glued && t_.at == before + 1;
    v.measure.ratio = v.measure.ratio || cross;
    v.part = v.part || v.measure.percent;
    Measure& m = v.measure;
    const bool behind =
        !m.physical() && m.of.empty() && t_.word() && has_word("$ dollar usd buck", stem_of(t_.peek()->text));
    if (money || behind) // "1.2 M$"
    {
        m.of_kind(Of::money) = 1;
        m.name = m.name.empty() ? "USD" : m.name + " USD";
        t_.at += money ? 0U : 1U;
        units_.denominator(m);
    }
}

// "1h16", "1 h 16 min", "2 days and 3 hours", "an hour and a half"
void Parser::add_smaller(TypedValue& v)
{
    double last = v.measure.size;
    while (v.measure.of_kind(Of::time) == 1 && v.measure.of.empty() && v.measure.per.empty())
    {
        const std::size_t start = t_.at;
        t_.take_sign(',');
        const bool and_word = t_.take_word("and");
        if (and_word && (t_.word("a") || t_.word("an")) && t_.word(1) &&
            number_part(NumberPart::share, t_.peek(1)->text))
        {
            v.value += *number_part(NumberPart::share, t_.peek(1)->text) * last / v.measure.size;
            t_.at += 2;
            continue;
        }
        const double n = t_.number() ? t_.peek()->value : -1;
        const bool unit = n >= 0 && units_.time_next(1) && time_word(t_.peek(1)->text)->size < last;
        const double under = last == 86400 ? 3600 : last == 3600 ? 60 : last == 60 ? 1 : 0;
        const bool bare = !unit && n >= 0 && n < 60 && under > 0 && start == t_.at && !t_.word(1) &&
                          (!t_.peek(1) || !has_word("* / ^ : + -", t_.peek(1)->text));
        if (!unit && !bare)
        {
            t_.at = start;
            return;
        }
        last = unit ? time_word(t_.peek(1)->text)->size : under;
        v.value += n * last / v.measure.size;
        v.worked = true;
        t_.at += unit ? 2U : 1U;
    }
}

// "8:10", "1:16:40"
Parsed Parser::clock()
{
    if (!t_.number() || !t_.sign(':', 1) || !t_.number(2) || t_.peek(2)->apart || in_brackets_ > 0)
    {
        return std::nullopt;
    }
    TypedValue v;
    v.clock = {t_.peek()->value, t_.peek(2)->value};
    t_.at += 3;
    if (t_.sign(':') && t_.number(1))
    {
        v.clock.push_back(t_.peek(1)->value);
        t_.at += 2;
    }
    const bool alone = !t_.peek() || !has_word("* / ^ + - :", t_.peek()->text);
    out_.fault = alone ? out_.fault : "works with a time of day";
    v.value = v.clock[1] != 0 ? v.clock[0] / v.clock[1] : 0;
    return v;
}

// "twenty-four", "two hundred and five thousand", "three quarters", "one point six", "half". Each part is
// smaller than the one before, so that "six forty" is none.
std::optional<double> Parser::in_words(bool& part)
{
    double all = 0;
    double group = 0;
    double last = 1e30; // what the next part must be smaller than
    bool any = false;
    for (bool more = true; more;)
    {
        const std::size_t skip = any && (t_.sign('-') || (t_.word("and") && last >= 100)) ? 1 : 0;
        const std::string text = t_.word(skip) ? t_.peek(skip)->text : "";
        const auto unit = number_part(NumberPart::unit, text);
        const auto small = unit ? unit : number_part(NumberPart::ten, text);
        const auto scale = any && skip == 0 && text.size() > 5 ? scale_word(text) : std::nullopt;
        const auto share = number_part(NumberPart::share, text);
        more = small || scale;
        if (share)
        {
            part = true;
            t_.at += skip + 1;
            return (any ? all + group : 1) * *share;
        }
        if (small && *small >= last)
        {
            return std::nullopt;
        }
        if (scale && scale->size > 100)
        {
            all += group * scale->size;
        }
        group = small ? group + *small : scale ? (scale->size > 100 ? 0 : group * scale->size) : group;
        last = unit ? 1 : small ? 10 : scale ? scale->size : last;
        any = any || small;
        t_.at += more ? skip + 1 : 0;
    }
    all += group;
    for (double digit = 0.1; any && (digit < 0.1 || t_.take_word("point")); digit /= 10)
    {
        const auto next = t_.word() ? number_part(NumberPart::unit, t_.peek()->text) : std::nullopt;
        if (!next || *next > 9)
        {
            break;
        }
        all += *next * digit;
        ++t_.at;
    }
    return any ? std::optional(all) : std::nullopt;
}

// "twelve", "half an hour", "an hour", "twice", "fifth"
Parsed Parser::spelt()
{
    TypedValue v;
    if (const auto factor = t_.word() ? number_part(NumberPart::factor, t_.peek()->text) : std::nullopt)
    {
        ++t_.at;
        v.value = *factor;
        v.measure.ratio = true;
        return v;
    }
    if (const auto order = t_.word() ? number_part(NumberPart::ordinal, t_.peek()->text) : std::nullopt;
        order && wanted_ == Of::none)
    {
        ++t_.at;
        out_.ordinal = true;
        v.value = *order;
        return v;
    }
    const bool article = t_.take_word("a") || t_.take_word("an");
    t_.at += article && t_.word("single") ? 1U : 0U;
    const std::size_t start = t_.at;
    const auto words = in_words(v.part);
    if (!words)
    {
        v.value = 1;
        return article && t_.at == start ? std::optional(v) : std::nullopt;
    }
    v.value = *words;
    // "half an hour", but "one a day"; "a third of a trillion"
    const std::size_t end = t_.at;
    if (v.part)
    {
        t_.take_word("of");
        t_.at += t_.word("a") || t_.word("an") ? 1U : 0U;
        const bool counted = units_.time_next() ||
                             (t_.word() && t_.peek()->text.size() > 5 && scale_word(t_.peek()->text)) ||
                             t_.word("byte");
        t_.at = counted ? t_.at : end;
    }
    return v;
}

// "2 1/2", "2½", "2 and a half", "3 quarters"
void Parser::add_fraction(TypedValue& v, bool vulgar)
{
    const bool fraction = t_.number() && t_.sign('/', 1) && t_.number(2) && t_.peek()->apart &&
                          whole(t_.peek()->value) && t_.peek()->value < t_.peek(2)->value;
    const bool half = t_.word("and") && (t_.word("a", 1) || t_.word("one", 1)) && t_.word(2);
    const auto share = [&](std::size_t ahead)
    { return t_.word(ahead) ? number_part(NumberPart::share, t_.peek(ahead)->text) : std::nullopt; };
    if (whole(v.value) && !vulgar && t_.number() && t_.peek()->vulgar)
    {
        v.value += t_.peek()->value;
        ++t_.at;
    }
    else if (whole(v.value) && fraction)
    {
        v.value += t_.peek()->value / t_.peek(2)->value;
        t_.at += 3;
    }
    else if (half && share(2))
    {
        v.value += *share(2);
        t_.at += 3;
    }
    else if (share(0) && !has_word("second", t_.peek()->text))
    {
        v.value *= *share(0);
        v.part = true;
        ++t_.at;
    }
}

Parsed Parser::number()
{
    if (auto parts = clock())
    {
        return parts;
    }
    if (!t_.number())
    {
        auto v = spelt();
        if (v && !v->part && !v->measure.ratio)
        {
            add_fraction(*v, true);
        }
        return v;
    }
    const TypedToken first = *t_.peek();
    TypedValue v{way_.comma && first.decimal > 0 ? first.decimal : first.value};
    v.part = first.vulgar;
    ++t_.at;
    add_fraction(v, first.vulgar);
    const bool ordinal = t_.word() && t_.joined() && has_word("th st nd rd", t_.peek()->text);
    t_.at += ordinal ? 1U : 0U;
    out_.ordinal = out_.ordinal || ordinal;
    // "1.3 x 10^9" is closer than any other product.
    const std::size_t sign = t_.word("x") || t_.sign('*') || t_.word("time") ? 1 : 0;
    if (t_.number(sign) && t_.peek(sign)->value == 10 && t_.sign('^', sign + 1))
    {
        t_.at += sign + 1;
        TypedValue ten{10};
        const bool read = postfix(ten);
        v.value *= ten.value;
        return read ? std::optional(v) : std::nullopt;
    }
    return v;
}

// A word that belongs to no number.
void Parser::word()
{
    const std::size_t start = t_.at;
    const std::string text = t_.peek()->text;
    const Manner manner = manner_of(text);
    const bool first = out_.values.empty();
    between_ = between_ || has_word("between from", small_letters(text));
    const bool rounds = t_.word("to") && t_.before() && has_word("up rounded", stem_of(t_.before()->text));
    if (!first && (rounds || has_word("so hence thus therefore", small_letters(text))))
    {
        equals_ = follows_ = true;
    }
    if (out_.values.size() > 1 && (t_.word("total") || t_.word("overall") || t_.word("altogether")))
    {
        out_.values.back().equated = out_.values.back().follows = true; // "2 per layer, 160 in total"
    }
    const bool article = manner == Manner::each || manner == Manner::one_word;
    t_.at += article ? 1U : 0U;
    const std::string_view named = first && manner != Manner::silent ? units_.thing() : "";
    if (!named.empty())
    {
        if (!article)
        {
            out_.labels.push_back(named);
        }
        t_.at += t_.sign('-') && t_.number(1) && t_.joined() ? 1U : 0U; // "ZeRO-2"
        return;
    }
    t_.at = start;
    const TypedToken* compared = text == "than" && first ? t_.before() : nullptr; // "more than 20"
    t_.at = start + 1;
    const bool counts = t_.number() || t_.word("than") || starts_value();
    if (manner == Manner::bound && (first || counts))
    {
        const std::string said = compared != nullptr ? compared->text + " than" : text;
        out_.bound = out_.bound.empty() && (text != "than" || compared != nullptr) ? said : out_.bound;
        return;
    }
    // "m >= 57", "t = 16"
    const bool letter = text.size() <= 2 && manner == Manner::unknown && first &&
                        (t_.sign('=') || (t_.word() && has_word("least most over below", t_.peek()->text)));
    if (!letter)
    {
        const bool behind = start == ended_ && !first && out_.values.back().measure.plain();
        out_.counted = behind && manner == Manner::unknown ? text : out_.counted;
        out_.hedged = out_.hedged || manner == Manner::hedge;
        out_.words.push_back(text);
    }
    t_.at += t_.sign('-') && t_.word(1) && t_.joined() && t_.joined(1) ? 1U : 0U;
}

// Between two values, or before the first; false for any other sign.
bool Parser::link()
{
    const bool relates = t_.sign('=') || t_.sign(':') || t_.sign('>');
    const bool starts = out_.values.empty();
    if (!relates && !(t_.sign('/') && starts) && !t_.sign(',') && !t_.sign(';') && !(t_.sign('#') && starts))
    {
        return false;
    }
    inverse_ = t_.sign('/');
    equals_ = equals_ || relates;
    follows_ = follows_ || t_.sign('>') || t_.sign(':');
    ++t_.at;
    return true;
}

// "512 (64 nodes)", "38 GB (22 + 4 * 4)": what stands in brackets behind the answer says it once more.
bool Parser::remark()
{
    const bool opens = t_.sign('(') && !in_remark_ && !out_.values.empty() && !equals_;
    if (!opens && !(in_remark_ && t_.sign(')')))
    {
        return false;
    }
    in_remark_ = opens;
    ++t_.at;
    return true;
}

// The letters of one's own working before an equals sign, "N - 1 = 15", cannot be checked: the result counts.
bool Parser::own_letters()
{
    bool letters = false;
    std::size_t ahead = 0;
    for (; t_.peek(ahead) && !t_.sign('=', ahead); ++ahead)
    {
        const TypedToken& token = *t_.peek(ahead);
        if (token.kind != TypedToken::Kind::word || name(ahead) || function(ahead))
        {
            continue;
        }
        const bool known = manner_of(token.text) != Manner::unknown ||
                           !thing_named(stem_of(token.text)).empty() || token.text == "x";
        if (token.text.size() > 3 || (known && token.text != "x"))
        {
            return false;
        }
        const bool unit = ahead > 0 && t_.number(ahead - 1) && unit_word(token.text, wanted_, false);
        letters = letters || (token.text != "x" && !unit && !letter_product(names_, token.text));
    }
    if (!letters || !t_.sign('=', ahead) || ahead < 2)
    {
        return false;
    }
    t_.at += ahead + 1;
    return true;
}

void Parser::value()
{
    const std::size_t start = t_.at;
    auto v = sum();
    if (!v || !std::isfinite(v->value) || !std::isfinite(v->measure.size) || t_.at == start)
    {
        out_.fault = out_.fault.empty() ? "is not a number that can be read" : out_.fault;
        return;
    }
    v->value = inverse_ && v->value != 0 ? 1 / v->value : v->value;
    v->remark = in_remark_;
    v->equated = equals_ && !out_.values.empty() && !in_remark_;
    v->follows = v->equated && follows_;
    equals_ = follows_ = inverse_ = false;
    out_.values.push_back(std::move(*v));
    ended_ = t_.at;
}

// "P = 32e9; 20*P"
void Parser::definitions()
{
    while (t_.word() && t_.sign('=', 1))
    {
        const std::size_t start = t_.at;
        const std::string defined = t_.peek()->text;
        t_.at += 2;
        const auto v = starts_value() ? sum() : std::nullopt;
        if (!v || !t_.take_sign(';'))
        {
            t_.at = start;
            return;
        }
        names_[defined] = v->value * v->measure.size;
        way_.names = true;
    }
}

TypedText Parser::read()
{
    definitions();
    while (!t_.at_end() && out_.fault.empty())
    {
        const bool fresh = out_.values.empty() || equals_;
        if ((!out_.values.empty() && units_.denominator(out_.values.back().measure)) ||
            (fresh && own_letters()) || remark())
        {
            continue;
        }
        if (t_.sign('-') && t_.word(1) && t_.joined() && t_.joined(1) && !out_.values.empty())
        {
            ++t_.at; // "16-way"
        }
        else if (starts_value() && !(t_.sign('-') && !fresh))
        {
            value();
        }
        else if (t_.word())
        {
            word();
        }
        else if (!link())
        {
            out_.unknown = t_.peek()->text;
            out_.fault = "has a sign that is not understood";
        }
    }
    return std::move(out_);
}

} // namespace

TypedText read_typed(std::string_view typed, Of wanted, bool bits, const Letters& names, Way way)
{
    return Parser(typed, wanted, bits, names, way).read();
}

} // namespace ringside
