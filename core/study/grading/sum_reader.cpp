#include "core/study/grading/sum_reader.h"

#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

// A lone letter behind a number, taken for bytes before, is a power of ten: "3B" of parameters.
void as_count(TypedValue& v)
{
    v.value *= v.measure.name == "B" ? 1e9 : v.measure.size;
    v.measure = {};
}

// "3B * 16 bytes": one of two amounts of data is a count.
void as_count(TypedValue& a, TypedValue& b)
{
    if (a.measure.power == b.measure.power && a.measure.of_kind(Of::data) == 1 && (a.letter || b.letter))
    {
        as_count(a.letter ? a : b);
    }
}

// Things are not counted in arithmetic: 8 GPUs times 12 GB are bytes.
void without_things(TypedValue& v)
{
    v.value *= v.measure.size;
    v.measure.size = 1;
    v.measure.of.clear();
    v.measure.per.clear();
}

// What the units come to, under or over the line.
void combine(TypedValue& v, const TypedValue& next, int sign)
{
    Measure& m = v.measure;
    const Measure& n = next.measure;
    if ((!n.of.empty() || !m.of.empty()) && !m.plain())
    {
        without_things(v);
    }
    m.ratio = false;
    const double other = next.value * n.size;
    if (!n.plain()) // "70 GB * 3" is still in GB
    {
        for (std::size_t i = 0; i < m.power.size(); ++i)
        {
            m.power.at(i) += sign * n.power.at(i);
        }
        v.value *= m.size;
        m.size = 1;
        m.percent = m.percent && n.percent;
        m.name = m.plain() ? "" : m.name;
    }
    v.value = sign < 0 ? v.value / other : v.value * other;
}

void multiply(TypedValue& v, TypedValue& next)
{
    v.measure.per.clear(); // 16 bytes per parameter, times the parameters
    next.measure.per.clear();
    if (v.measure.plain() && !next.measure.plain())
    {
        const double own = v.value * v.measure.size;
        v.value = own * next.value;
        v.letter = next.letter;
        v.measure = next.measure;
        return;
    }
    combine(v, next, 1);
}

} // namespace

SumReader::Value SumReader::function()
{
    const std::string name = stem_of(t_.peek()->text);
    ++t_.at;
    if (name == "e")
    {
        TypedValue e{std::exp(1.0)};
        numbers_.power(e);
        return e;
    }
    auto v = factor();
    if (v)
    {
        v->value = function_named(name)(v->value);
        v->worked = true;
    }
    return v;
}

// "1h16", "1 h 16 min", "2 days and 3 hours", "an hour and a half"
void SumReader::add_smaller(TypedValue& v)
{
    double last = v.measure.size;
    const auto is_time = [&]
    {
        return v.measure.physical() && v.measure.of_kind(Of::time) == 1 && v.measure.of.empty() &&
               v.measure.per.empty();
    };
    while (is_time())
    {
        const std::size_t start = t_.at;
        t_.take_sign(',');
        const bool and_word = t_.take_word("and");
        if (and_word && (t_.word("a") || t_.word("an")) && t_.word(1) && number_word(t_.peek(1)->text))
        {
            v.value += *number_word(t_.peek(1)->text) * last / v.measure.size;
            t_.at += 2;
            continue;
        }
        if (t_.number())
        {
            const double n = t_.peek()->value;
            ++t_.at;
            if (units_.time_next() && time_word(t_.peek()->text)->size < last)
            {
                last = time_word(t_.peek()->text)->size;
                v.value += n * last / v.measure.size;
                ++t_.at;
                v.worked = true;
                continue;
            }
            const double under = last == 86400 ? 3600 : last == 3600 ? 60 : last == 60 ? 1 : 0;
            if (under > 0 && start + 1 == t_.at && n < 60 && !units_.time_next())
            {
                v.value += n * under / v.measure.size;
                v.worked = true;
                continue;
            }
        }
        t_.at = start;
        return;
    }
}

SumReader::Value SumReader::factor()
{
    const bool minus = t_.take_sign('-');
    t_.take_sign('+');
    if (t_.function())
    {
        auto v = function();
        if (v && minus)
        {
            v->value = -v->value;
        }
        return v;
    }
    bool money = false;
    while (t_.word() && (t_.peek()->text == "$" || t_.word("usd") || t_.word("us")))
    {
        money = true;
        ++t_.at;
    }
    const bool cross = !money && t_.take_word("x");
    Value v;
    if (t_.take_sign('('))
    {
        v = sum();
        if (!v || !t_.take_sign(')'))
        {
            return std::nullopt;
        }
        numbers_.power(*v);
    }
    else
    {
        v = numbers_.number();
    }
    if (!v)
    {
        return v;
    }
    v->value *= minus ? -1 : 1;
    // "46 x A100" counts them.
    const std::size_t start = t_.at;
    if (t_.take_word("x") && (!t_.word() || units_.thing().empty()))
    {
        t_.at = start;
    }
    else
    {
        t_.at = t_.at > start ? start + 1 : start;
    }
    if (v->measure.plain())
    {
        const std::size_t before = t_.at;
        v->letter = t_.word() && t_.peek()->text.size() == 1 &&
                    std::string_view("kKMGTB").find(t_.peek()->text[0]) != std::string_view::npos;
        v->measure = units_.measure();
        v->measure.ratio = v->measure.ratio || cross;
        const bool hidden = !v->clock.empty() && t_.at == before;
        if (money && !hidden)
        {
            v->measure.of_kind(Of::money) = 1;
            v->measure.name = v->measure.name.empty() ? "USD" : v->measure.name + " USD";
        }
        else if (!v->measure.physical() && v->measure.of.empty() && t_.word() &&
                 (t_.peek()->text == "$" || t_.word("dollar") || t_.word("usd") || t_.word("buck")))
        {
            v->measure.of_kind(Of::money) = 1; // "1.2 M$"
            v->measure.name += " USD";
            ++t_.at;
        }
        numbers_.power(*v);
    }
    add_smaller(*v);
    return v;
}

std::optional<char> SumReader::operation()
{
    if (t_.function() && !t_.word("round")) // "2.5 e^-2", "2 sqrt 3"
    {
        return '*';
    }
    const bool out_of = t_.word("out") && t_.word("of", 1);
    const bool in = wanted_ == Of::percent && (t_.word("in") || (t_.word("of") && t_.number(1)));
    // "2(64 - 1)", but "512(64 nodes)" counts the same in nodes
    if (t_.sign('(') && !t_.peek()->apart && t_.before()->kind == Token::Kind::number && t_.number(1) &&
        !t_.word(2))
    {
        return '*';
    }
    if (t_.number() && t_.before()->kind == Token::Kind::word && factor_word(t_.before()->text))
    {
        return '*'; // "twice 3e-4"
    }
    const std::size_t length = out_of ? 2 : 1;
    const auto spelt = [&] { return t_.word(length) && number_word(t_.peek(length)->text).value_or(0) >= 1; };
    const bool number = t_.number(length) || t_.sign('(', length) || t_.function(length) ||
                        (t_.word(length) && t_.peek(length)->text == "$") || ((out_of || in) && spelt());
    if (!number)
    {
        return std::nullopt;
    }
    const bool times = t_.word("x") || t_.word("time") || t_.sign('*');
    const bool over = t_.sign('/') || out_of || in || (t_.word("divided") && t_.word("by", 1));
    if (!times && !over)
    {
        return std::nullopt;
    }
    t_.at += length;
    return times ? '*' : '/';
}

// The unit behind a quotient is that of the whole: "13e9*14/8 bytes", "980/14 billion parameters".
bool SumReader::unit_of_whole(const TypedValue& v, const TypedValue& next) const
{
    const Measure& n = next.measure;
    const bool scaled = wanted_ == Of::none && n.plain() && v.value < n.size;
    const bool counts = (!n.of.empty() || scaled) && v.measure.size == 1 && !v.exponent;
    return v.measure.plain() && (counts || n.of_kind(wanted_) == 1 || (n.percent && wanted_ == Of::percent));
}

void SumReader::divide(TypedValue& v, const TypedValue& next)
{
    Measure& m = v.measure;
    if (unit_of_whole(v, next))
    {
        v.value *= m.size / next.value;
        m = next.measure;
    }
    else if (wanted_ == Of::percent && m.plain() && m.size == 1 && next.measure.physical())
    {
        v.value /= next.value; // "26 of 74 GB" is a share: the unit is that of both
    }
    else
    {
        combine(v, next, -1);
    }
}

SumReader::Value SumReader::term()
{
    auto v = factor();
    while (v)
    {
        // "half of 12 GB" is a product, and "2 of 3" are two.
        const bool of_percent = t_.word("of") && t_.number(1) && t_.word("%", 2);
        const bool of =
            of_percent || (v->measure.plain() && wanted_ != Of::percent && t_.word("of") && t_.number(1));
        const bool part = of && (v->value < 1 || of_percent);
        t_.at += part ? 1U : of && wanted_ == Of::none && v->value <= t_.peek(1)->value ? 2U : 0U;
        const auto sign = part ? std::optional('*') : operation();
        if (!sign)
        {
            break;
        }
        auto next = factor();
        if (!next)
        {
            return std::nullopt;
        }
        if (*sign == '*' || (wanted_ == Of::data && v->letter && !next->letter))
        {
            as_count(*v, *next);
        }
        v->worked = true;
        v->exponent = v->exponent || next->exponent;
        *sign == '*' ? multiply(*v, *next) : divide(*v, *next);
    }
    return v;
}

bool SumReader::range(TypedValue& low)
{
    const std::size_t start = t_.at;
    const bool dash = t_.sign('-') && (t_.number(1) || (t_.word(1) && t_.peek(1)->text == "$"));
    const bool to = t_.word("to") && (t_.number(1) || (t_.word(1) && t_.peek(1)->text == "$"));
    const bool and_word = between && t_.word("and") && t_.number(1);
    const bool either = t_.word("or") && t_.number(1); // "38 or 39"
    const bool give = t_.word("plusminu") || t_.word("plusminus") || (t_.word("give") && t_.word("or", 1));
    if (!dash && !to && !and_word && !give && !either)
    {
        return false;
    }
    t_.at += t_.word("give") ? 3U : 1U;
    if (!t_.number() && give)
    {
        return true;
    }
    auto high = term();
    if (!high)
    {
        t_.at = start;
        return false;
    }
    if (low.measure.plain())
    {
        low.measure = high->measure;
    }
    if (high->measure.plain())
    {
        high->measure = low.measure;
    }
    const double a = low.value * low.measure.size;
    const double b = high->value * high->measure.size;
    const bool same = low.measure.power == high->measure.power;
    if (give)
    {
        return true; // "70 ± 2 GB" is 70 GB
    }
    const bool ratio = to && wanted_ == Of::ratio && (a == 1 || b == 1);
    if (!same || (dash && b <= a) || (either && !(a < b && b < 1.2 * a)))
    {
        t_.at = start;
        return false;
    }
    low.value = ratio ? a / b : (a + b) / 2 / low.measure.size;
    low.spread = ratio || a + b == 0 ? 0 : (b - a) / (a + b);
    return true;
}

SumReader::Value SumReader::sum()
{
    auto v = term();
    while (v)
    {
        if (range(*v))
        {
            continue;
        }
        const bool plus = t_.sign('+') || t_.word("plu");
        const bool minus = t_.sign('-') || t_.word("minus");
        if ((!plus && !minus) || (!t_.number(1) && !t_.sign('(', 1) && !t_.function(1)))
        {
            break;
        }
        ++t_.at;
        auto next = term();
        if (!next)
        {
            return std::nullopt;
        }
        v->worked = true;
        // "70 + 2 GB" and "70 GB + 2" are both in GB.
        if (v->letter && next->worked && (next->letter || next->measure.plain()))
        {
            as_count(*v); // "13B * 2 + 200M * 16"
            if (next->letter)
            {
                as_count(*next);
            }
        }
        else if (v->measure.plain())
        {
            v->measure = next->measure;
        }
        const bool unscaled = next->measure.plain() && next->measure.size == 1;
        const double size = unscaled ? 1 : next->measure.size / v->measure.size;
        v->value += (plus ? 1 : -1) * next->value * size;
    }
    return v;
}

} // namespace ringside
