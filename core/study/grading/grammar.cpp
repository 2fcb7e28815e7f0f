// One file, since it is one class: every rule of the grammar calls others.
#include "core/study/grading/grammar.h"

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

using Parsed = std::optional<TypedValue>;

struct Function
{
    std::string_view names;
    double (*of)(const std::vector<double>&);
    bool units = false; // takes numbers with units: "max(20 ms, 30 ms)"
    std::size_t most = 1;
};

constexpr std::array kFunctions{
    Function{"sqrt", [](const auto& a) { return std::sqrt(a[0]); }, true},
    Function{"sigmoid logistic", [](const auto& a) { return 1 / (1 + std::exp(-a[0])); }},
    Function{"ln log", [](const auto& a) { return std::log(a[0]); }},
    Function{"exp", [](const auto& a) { return std::exp(a[0]); }},
    Function{"ceil", [](const auto& a) { return std::ceil(a[0]); }, true},
    Function{"floor", [](const auto& a) { return std::floor(a[0]); }, true},
    Function{"round", [](const auto& a) { return std::round(a[0]); }, true},
    Function{"max", [](const auto& a) { return std::ranges::max(a); }, true, 9},
    Function{"min", [](const auto& a) { return std::ranges::min(a); }, true, 9}};

constexpr std::string_view kOnes = "zero one two three four five six seven eight nine ten eleven twelve "
                                   "thirteen fourteen fifteen sixteen "
                                   "seventeen eighteen nineteen";
constexpr std::string_view kTens = "zero ten twenty thirty forty fifty sixty seventy eighty ninety";
constexpr std::string_view kShares = "- - half third quarter fifth sixth seventh eighth ninth tenth eleventh "
                                     "twelfth - - - sixteenth - - - "
                                     "twentieth";

std::optional<double> share_named(std::string_view word)
{
    const std::string small = small_letters(word);
    const auto place = place_in(kShares, small.ends_with('s') ? small.substr(0, small.size() - 1) : small);
    return place && *place > 1 ? std::optional(1.0 / static_cast<double>(*place)) : std::nullopt;
}

std::optional<double> number_named(std::string_view word)
{
    const std::string small = small_letters(word);
    const auto one = place_in(kOnes, small);
    const auto ten = place_in(kTens, small);
    return one   ? std::optional(static_cast<double>(*one))
           : ten ? std::optional(10 * static_cast<double>(*ten))
                 : std::nullopt;
}

bool is_time(std::string_view word)
{
    const auto unit = word.size() > 1 ? unit_named(word, {}) : std::nullopt;
    return unit && unit->power("s") == 1;
}

bool is_whole(double value)
{
    return value == std::floor(value) && value >= 0;
}

// In arithmetic a power of ten is part of the number, a share is a fraction,
// and counted things are numbers: 8 GPUs times 12 GB are bytes.
void fold(TypedValue& v)
{
    std::erase_if(v.measure.powers, [](const auto& p) { return !is_physical(p.first) || p.first == "%"; });
    v.measure.powers.erase("x");
    v.value *= std::exchange(v.measure.size, 1);
    v.measure.name = v.measure.plain() ? "" : v.measure.name;
}

void combine(TypedValue& v, TypedValue next, int sign)
{
    const bool keeps = sign > 0 && v.measure.plain() && !next.measure.plain();
    Measure own = next.measure;
    fold(v);
    fold(next);
    v.value = sign > 0 ? v.value * next.value : v.value / next.value;
    const bool units = !v.measure.plain() || !next.measure.plain();
    v.measure.multiply(next.measure, sign);
    v.measure.name = v.measure.plain() ? "" : "/";
    v.cancelled = v.cancelled || (units && v.measure.plain());
    if (keeps && v.measure.powers == own.powers) // said back as it was typed: 12 * 30 GB
    {
        v.value /= own.size;
        v.measure = own;
    }
}

class Parser
{
public:
    Parser(std::string_view typed, const Measure& asked, bool billions)
        : t_(tokens_of(typed)), asked_(asked), billions_(billions)
    {
    }

    TypedText read();

private:
    const Function* function(std::size_t ahead = 0) const;
    bool starts_value(std::size_t ahead = 0) const;
    Parsed failed(std::string_view why);
    Parsed sum();
    bool add(TypedValue& v, TypedValue next, int sign);
    Parsed term();
    char operation(const TypedValue& v);
    Parsed factor();
    Parsed atom();
    Parsed call(const Function& f);
    bool power(TypedValue& v);
    void unit(TypedValue& v, bool money);
    void smaller(TypedValue& v);
    Parsed number();
    Parsed clock();
    std::optional<double> in_words(bool& part);
    void add_fraction(TypedValue& v);
    void value();
    void word();
    bool link();

    Tokens t_;
    const Measure& asked_;
    bool billions_;
    TypedText out_;
    bool linked_ = false;
    int in_brackets_ = 0;
    bool in_remark_ = false;
    std::size_t ended_ = 0; // where the last value did
};

const Function* Parser::function(std::size_t ahead) const
{
    const std::string name = small_letters(t_.text(ahead));
    const auto found =
        std::ranges::find_if(kFunctions, [&](const Function& f) { return has_word(f.names, name); });
    const bool called = t_.sign('(', ahead + 1) || (t_.number(ahead + 1) && name != "min" && name != "max");
    return found != kFunctions.end() && called ? &*found : nullptr;
}

bool Parser::starts_value(std::size_t ahead) const
{
    while (t_.sign('-', ahead) || t_.sign('+', ahead) || t_.sign('(', ahead))
    {
        ++ahead;
    }
    const std::string_view word = t_.text(ahead);
    const std::string_view next = t_.text(ahead + 1);
    const bool article = has_word("a an", word) &&
                         (share_named(next) || is_time(next) || (next.size() > 4 && scale_named(next)));
    const bool money = has_word("$ usd us", stem_of(word)) && (t_.number(ahead + 1) || t_.number(ahead + 2));
    const bool cross = word == "x" && t_.number(ahead + 1) && out_.values.empty();
    const bool label = small_letters(word) == "zero" && (t_.sign('-', ahead + 1) || t_.number(ahead + 1));
    return t_.number(ahead) || function(ahead) || article || money || cross ||
           (word == "e" && t_.sign('^', ahead + 1)) || has_word("half quarter twice", small_letters(word)) ||
           (number_named(word) && !label && (out_.values.empty() || linked_));
}

Parsed Parser::failed(std::string_view why)
{
    out_.fault = out_.fault.empty() ? std::string(why) : out_.fault;
    return std::nullopt;
}

Parsed Parser::sum()
{
    auto v = term();
    while (v && (t_.sign('+') || t_.sign('-')) && starts_value(1))
    {
        // "34-35" is no difference.
        const bool range = t_.sign('-') && !v->worked && t_.joined() && t_.joined(1) && t_.number(1) &&
                           t_.peek(1)->value > v->value && in_brackets_ == 0;
        const int sign = t_.sign('-') ? -1 : 1;
        ++t_.at;
        auto next = term();
        if (range || !next || !add(*v, *next, sign))
        {
            return failed(range ? "is a range: type one number" : "adds what cannot be added");
        }
    }
    return v;
}

// "70 + 2 GB" and "70 GB + 2" are both in GB; a share and a fraction are
// fractions.
bool Parser::add(TypedValue& v, TypedValue next, int sign)
{
    const auto bare = [](const TypedValue& x) { return x.measure.plain() && x.measure.size == 1; };
    if (v.measure.power("%") != next.measure.power("%") && std::abs(bare(v) ? v.value : next.value) <= 1)
    {
        fold(v);
        fold(next);
    }
    v.measure = bare(v) ? next.measure : v.measure;
    next.measure = bare(next) ? v.measure : next.measure;
    v.value += sign * next.value * (next.measure.size / v.measure.size);
    v.worked = true;
    return v.measure.powers == next.measure.powers;
}

Parsed Parser::term()
{
    auto v = factor();
    for (char op = v ? operation(*v) : '\0'; v && op != '\0'; op = operation(*v))
    {
        auto next = factor();
        if (!next)
        {
            return next;
        }
        const bool bare = v->measure.plain() && v->measure.size == 1 && !v->cancelled;
        const bool unit = next->measure.physical() || (next->measure.size != 1 && !next->glued);
        const bool percent = next->measure.power("%") != 0 && asked_.power("%") == 0;
        if (op == '/' && bare && !next->worked && unit && !percent)
        {
            v->value /= next->value; // "470/400 s": the unit is that of the whole
            v->measure = next->measure;
        }
        else if (op == 's' && bare)
        {
            v->value /= next->value; // "26 of 74 GB": the unit is that of both
        }
        else
        {
            combine(*v, *next, op == '*' ? 1 : -1);
        }
        v->worked = true;
        v->part = op != '*' && std::abs(v->value) < 10;
        if (!v)
        {
            break;
        }
    }
    return v;
}

// What joins the next factor, taken: * or /, s for a share of it; 0 for
// nothing.
char Parser::operation(const TypedValue& v)
{
    const bool times = t_.sign('*') || t_.word("x") || t_.word("time");
    const bool of = t_.word("of") || (t_.word("out") && t_.word("of", 1));
    const std::size_t signs = t_.word("out") ? 2 : 1;
    const bool part = v.part || v.measure.power("%") != 0;
    if ((!times && !of && !t_.sign('/')) || !starts_value(signs) || (of && !part && asked_.power("%") == 0))
    {
        return '\0';
    }
    t_.at += signs;
    return times || (of && part) ? '*' : of ? 's' : '/';
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
    for (; has_word("$ usd us", stem_of(t_.text())); ++t_.at)
    {
        money = true;
    }
    const bool cross = t_.word("x") && t_.number(1) && t_.take_word("x");
    Parsed v;
    if (const Function* f = function())
    {
        v = call(*f);
    }
    else if (t_.word("e") && t_.sign('^', 1))
    {
        ++t_.at;
        v = TypedValue{std::exp(1.0)};
    }
    else if (t_.take_sign('('))
    {
        ++in_brackets_;
        v = sum();
        --in_brackets_;
        v = v && t_.take_sign(')') ? v : failed("has a bracket that is not closed");
    }
    else
    {
        v = number();
    }
    if (!v || !power(*v))
    {
        return failed("is not a number that can be read");
    }
    if (v->measure.plain() && v->measure.size == 1)
    {
        unit(*v, money);
        smaller(*v);
        cross ? void(v->measure.powers["x"] = 1) : void();
    }
    return v;
}

// "sqrt(2 * 60 * 9000 s)", "max(20, 30)", "ln 2"
Parsed Parser::call(const Function& f)
{
    ++t_.at;
    std::vector<double> numbers;
    TypedValue result;
    const bool bracket = t_.sign('(');
    in_brackets_ += bracket ? 1 : 0;
    do
    {
        t_.at += bracket ? 1U : 0U;
        const std::string text = t_.number() ? t_.peek()->text : "";
        const std::size_t comma = text.find(',');
        if (f.most > 1 && comma != std::string::npos) // "max(20,30)" has no decimal comma
        {
            numbers.push_back(std::strtod(text.c_str(), nullptr));
            numbers.push_back(std::strtod(text.c_str() + comma + 1, nullptr));
            ++t_.at;
            continue;
        }
        auto v = bracket ? sum() : number();
        if (!v)
        {
            return v;
        }
        fold(*v);
        const bool fits = numbers.empty() || v->measure.plain() || v->measure.powers == result.measure.powers;
        result.measure.powers = v->measure.plain() ? result.measure.powers : v->measure.powers;
        if (!fits || (!f.units && !v->measure.plain()))
        {
            return failed("mixes units in a function");
        }
        numbers.push_back(v->value);
    } while (bracket && t_.sign(',') && numbers.size() < f.most);
    in_brackets_ -= bracket ? 1 : 0;
    for (auto& [of, power] : result.measure.powers)
    {
        power = f.names == "sqrt" && power % 2 == 0 ? power / 2 : power;
        result.measure.name = "/";
    }
    result.value = f.of(numbers);
    result.worked = true;
    return bracket && !t_.take_sign(')') ? failed("has a bracket that is not closed") : Parsed(result);
}

// "2^15", "10^(-3)"; false where the power is none.
bool Parser::power(TypedValue& v)
{
    if (!t_.take_sign('^'))
    {
        return true;
    }
    const double sign = t_.take_sign('-') ? -1 : 1;
    const bool bracket = t_.take_sign('(');
    ++in_brackets_;
    const Parsed by = bracket ? sum() : number();
    --in_brackets_;
    if (!by || !by->measure.plain() || !v.measure.plain() || (bracket && !t_.take_sign(')')))
    {
        return false;
    }
    v.value = std::pow(v.value, sign * by->value);
    v.worked = true;
    return true;
}

// The unit behind a number, which may be a power of ten.
void Parser::unit(TypedValue& v, bool money)
{
    const bool lone = t_.text() == "B" || t_.text() == "b";
    const bool counts = lone && !thing_named(stem_of(t_.text(1))).empty(); // "32 B params"
    v.glued = t_.joined();
    out_.billions = out_.billions || (lone && !counts);
    if (lone && (billions_ || counts) == (asked_.power("B") != 0))
    {
        Measure other{{{asked_.power("B") != 0 ? "" : "B", 1}}, 1, "B"};
        other.powers.erase("");
        other.size = asked_.power("B") != 0 ? 1e9 : 1;
        ++t_.at;
        Measure rest = take_unit(t_, asked_);
        other.multiply(rest, 1);
        other.name += rest.name.starts_with('/') || rest.name.empty() ? rest.name : " " + rest.name;
        v.measure = other;
    }
    else
    {
        v.measure = take_unit(t_, asked_);
    }
    v.part = v.part || v.measure.power("%") != 0;
    if (money || (v.measure.plain() && has_word("$ usd dollar buck", stem_of(t_.text()))))
    {
        v.measure.powers["USD"] = 1;
        v.measure.name += v.measure.name.empty() ? "USD" : " USD";
        t_.at += money ? 0U : 1U;
        take_denominator(t_, asked_, v.measure);
    }
}

// "1h16", "1 h 16 min", "2 days and 3 hours"
void Parser::smaller(TypedValue& v)
{
    for (double last = v.measure.size; v.measure.powers == Powers{{"s", 1}};)
    {
        const std::size_t ahead = t_.word("and") || t_.sign(',') ? 1 : 0;
        const auto unit = t_.number(ahead) && t_.word(ahead + 1)
                              ? unit_named(t_.text(ahead + 1), {{{"s", 1}}, 1, ""})
                              : std::nullopt;
        const bool timed = unit && unit->powers == v.measure.powers && unit->size < last;
        const double under = last == 3600 ? 60 : last == 60 ? 1 : 0; // "1h16"
        const bool bare = !unit && t_.number() && t_.joined() && under > 0 && t_.peek()->value < 60;
        if (!timed && !bare)
        {
            return;
        }
        last = timed ? unit->size : under;
        v.value += t_.peek(ahead)->value * last / v.measure.size;
        v.worked = true;
        t_.at += timed ? ahead + 2 : 1;
    }
}

// "8:10", "1:16:40"
Parsed Parser::clock()
{
    if (!t_.sign(':', 1) || !t_.number(2) || in_brackets_ > 0)
    {
        return std::nullopt;
    }
    TypedValue v;
    v.clock = {t_.peek()->value};
    for (++t_.at; t_.sign(':') && t_.number(1); t_.at += 2)
    {
        v.clock.push_back(t_.peek(1)->value);
    }
    const std::string_view next = t_.peek() ? t_.peek()->text : std::string_view{};
    v.value = v.clock[1] != 0 ? v.clock[0] / v.clock[1] : 0;
    return has_word("* / ^ + -", next) ? failed("works with a time of day") : Parsed(v);
}

// "twenty-four", "two hundred and five", "three quarters", "one point six",
// "half". Each part is smaller than the one before, so that "six forty" is
// none.
std::optional<double> Parser::in_words(bool& part)
{
    double all = 0;
    double last = 1e30; // what the next part must be smaller than
    for (bool any = false;; any = true)
    {
        const std::size_t skip = any && (t_.sign('-') || t_.word("and")) ? 1 : 0;
        const auto next = number_named(t_.text(skip));
        const auto share = share_named(t_.text(skip));
        if (any && skip == 0 && t_.take_word("hundred"))
        {
            all *= last = 100;
            continue;
        }
        if (share && (any || has_word("half quarter", t_.text())))
        {
            part = true;
            t_.at += skip + 1;
            return (any ? all : 1) * *share;
        }
        if (next && *next >= last)
        {
            return std::nullopt;
        }
        if (!next)
        {
            break;
        }
        all += *next;
        last = *next < 20 ? 1 : 10;
        t_.at += skip + 1;
    }
    for (double digit = 0.1; digit < 0.1 || t_.take_word("point"); digit /= 10)
    {
        const auto next = number_named(t_.text());
        if (!next || *next > 9)
        {
            break;
        }
        all += *next * digit;
        ++t_.at;
    }
    return last < 1e30 ? std::optional(all) : std::nullopt;
}

// "2 1/2", "2½", "2 and a half"
void Parser::add_fraction(TypedValue& v)
{
    const bool fraction = t_.number() && t_.peek()->apart && t_.sign('/', 1) && t_.number(2) &&
                          is_whole(t_.peek()->value) && t_.peek()->value < t_.peek(2)->value;
    const bool half = t_.word("and") && t_.word("a", 1) && share_named(t_.text(2));
    if (!is_whole(v.value) || (!fraction && !half && !(t_.number() && t_.peek()->vulgar)))
    {
        return;
    }
    v.value += half       ? *share_named(t_.text(2))
               : fraction ? t_.peek()->value / t_.peek(2)->value
                          : t_.peek()->value;
    t_.at += half || fraction ? 3U : 1U;
}

Parsed Parser::number()
{
    TypedValue v;
    if (t_.number())
    {
        if (auto parts = clock(); parts || !out_.fault.empty())
        {
            return parts;
        }
        v.value = t_.peek()->value;
        v.part = t_.peek()->vulgar;
        ++t_.at;
        v.part ? void() : add_fraction(v);
        return v;
    }
    if (t_.take_word("twice"))
    {
        return TypedValue{2, {{{"x", 1}}, 1, "x"}};
    }
    const bool article = t_.take_word("a") || t_.take_word("an");
    if (const auto share = article ? share_named(t_.text()) : std::nullopt)
    {
        ++t_.at;
        v.value = *share;
        v.part = true;
    }
    else if (const auto words = article ? std::optional(1.0) : in_words(v.part))
    {
        v.value = *words;
        v.part ? void() : add_fraction(v);
    }
    else
    {
        return failed("is not a number that can be read");
    }
    // "half an hour"
    t_.at += v.part && has_word("a an", t_.text()) && is_time(t_.text(1)) ? 1U : 0U;
    return v;
}

void Parser::value()
{
    const std::size_t start = t_.at;
    auto v = sum();
    if (!v || !std::isfinite(v->value) || !std::isfinite(v->measure.size) || t_.at == start)
    {
        failed("is not a number that can be read");
        return;
    }
    v->linked = std::exchange(linked_, false) && !out_.values.empty() && !in_remark_;
    out_.values.push_back(std::move(*v));
    ended_ = t_.at;
}

// A word that belongs to no number.
void Parser::word()
{
    const std::string text(t_.text());
    linked_ = linked_ || has_word("so hence thus therefore", small_letters(text));
    const bool first = out_.values.empty();
    const bool behind = t_.at == ended_ && !first && out_.values.back().measure.plain();
    out_.counted = behind ? text : out_.counted;
    const std::string_view thing = take_thing(t_);
    t_.at += thing.empty() ? 1U : 0U;
    const bool symbol = first && text.size() < 3 && thing.empty() && t_.sign('='); // "t = 16"
    out_.words.push_back({symbol ? text + "=" : text, thing});
    t_.at += t_.hyphen() || (t_.sign('-') && t_.number(1) && t_.joined()) ? 1U : 0U; // "ZeRO-2"
}

// Between two values, or before the first; false for any other sign.
bool Parser::link()
{
    const bool relates = t_.sign('=') || t_.sign('>') || (t_.sign(':') && out_.values.empty());
    const bool remark = t_.sign('(') && !in_remark_ && !out_.values.empty();
    const bool closes = t_.sign(')') && in_remark_;
    in_remark_ = (in_remark_ || remark) && !closes;
    linked_ = linked_ || relates;
    const bool taken = relates || remark || closes || t_.sign(',') || t_.sign(';');
    t_.at += taken ? 1U : 0U;
    return taken;
}

TypedText Parser::read()
{
    while (!t_.at_end() && out_.fault.empty())
    {
        const bool fresh = out_.values.empty() || linked_;
        if (!out_.values.empty() && take_denominator(t_, asked_, out_.values.back().measure))
        {
            continue;
        }
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
            out_.fault = "has \u201c" + t_.peek()->text + "\u201d, which is not understood";
        }
    }
    return std::move(out_);
}

} // namespace

TypedText read_typed(std::string_view typed, const Measure& asked, bool billions)
{
    return Parser(typed, asked, billions).read();
}

} // namespace ringside
