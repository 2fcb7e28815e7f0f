#include "core/study/grading/typed.h"

#include "core/study/grading/number_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ringside
{

namespace
{

class TextReader
{
public:
    TextReader(std::string_view typed, Of wanted, bool bits)
        : t_(tokens_of(typed)), units_(t_, wanted, bits), numbers_(t_, units_), wanted_(wanted)
    {
    }

    TypedText read();

private:
    using Value = std::optional<TypedValue>;

    bool starts_value() const;
    Value function();
    Value sum();
    Value term();
    Value factor();
    void add_smaller(TypedValue& value);
    bool range(TypedValue& low);
    std::optional<char> operation();
    void word();

    Tokens t_;
    UnitReader units_;
    NumberReader numbers_;
    Of wanted_;
    TypedText out_;
    std::size_t ended_ = 0; // where the last value did
    bool between_ = false;
    bool equals_ = false;
};

TextReader::Value TextReader::function()
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

bool TextReader::starts_value() const
{
    const std::size_t bracket = t_.sign('(') ? 1 : 0;
    if (t_.number(bracket))
    {
        return true;
    }
    if (bracket > 0)
    {
        const Token* next = t_.peek(1);
        return next && (next->kind == Token::Kind::sign || number_word(next->text) || next->text == "$");
    }
    if (t_.sign('-') || t_.sign('+'))
    {
        return t_.number(1);
    }
    if (!t_.word())
    {
        return false;
    }
    const std::string& text = t_.peek()->text;
    const bool article = t_.word("a") || t_.word("an");
    if (article && t_.word(1))
    {
        const std::string& next = t_.peek(1)->text;
        return out_.values.empty() && (units_.time_next(1) || (number_word(next) && next != "one") ||
                                       (scale_word(next) && next.size() > 4));
    }
    const bool money = (text == "$" || t_.word("usd") || text == "US") &&
                       (t_.number(1) || (t_.word("$", 1) && t_.number(2)));
    const bool cross = t_.word("x") && t_.number(1) && out_.values.empty();
    const bool zero = t_.word("zero") && t_.peek(1); // ZeRO stage 2
    const bool spelt = number_word(text) && !zero && (out_.values.empty() || text != "one");
    return money || cross || t_.function() || spelt || factor_word(text);
}

// "1h16", "1 h 16 min", "2 days and 3 hours", "an hour and a half"
void TextReader::add_smaller(TypedValue& v)
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

TextReader::Value TextReader::factor()
{
    const bool minus = t_.take_sign('-');
    t_.take_sign('+');
    if (t_.function())
    {
        return function();
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
        v->letter = t_.word() && t_.peek()->text == "B";
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

std::optional<char> TextReader::operation()
{
    if (t_.function() && !t_.word("round")) // "2.5 e^-2", "2 sqrt 3"
    {
        return '*';
    }
    const bool out_of = t_.word("out") && t_.word("of", 1);
    const bool in = wanted_ == Of::percent && (t_.word("in") || t_.word("of")) && t_.number(1);
    const std::size_t length = out_of ? 2 : 1;
    const bool number = t_.number(length) || t_.sign('(', length) || t_.function(length) ||
                        (t_.word(length) && t_.peek(length)->text == "$");
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

// "3B * 16 bytes": one of two amounts of data is a count, in billions.
void as_billions(TypedValue& a, TypedValue& b)
{
    if (a.measure.power != b.measure.power || a.measure.of_kind(Of::data) != 1)
    {
        return;
    }
    for (TypedValue* v : {&a, &b})
    {
        if (v->measure.name == "B" && v->letter)
        {
            v->value *= 1e9;
            v->measure = {};
            return;
        }
    }
}

// Things are not counted in arithmetic: 8 GPUs times 12 GB are bytes.
void without_things(Measure& m)
{
    m.of.clear();
    m.per.clear();
}

TextReader::Value TextReader::term()
{
    auto v = factor();
    while (v)
    {
        // "half of 12 GB" is a product, and "2 of 3" are two.
        const bool of = v->measure.plain() && wanted_ != Of::percent && t_.word("of") && t_.number(1);
        const bool part = of && v->value < 1;
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
        if (*sign == '*')
        {
            as_billions(*v, *next);
        }
        Measure& m = v->measure;
        Measure& n = next->measure;
        v->worked = true;
        v->exponent = v->exponent || next->exponent;
        // "13e9*14/8 bytes", "980/14 billion parameters": the unit is that of the whole.
        const bool counts = !n.of.empty() && !n.physical() && m.size == 1 && !v->exponent;
        if (*sign == '/' && m.plain() &&
            (counts || std::as_const(n).of_kind(wanted_) == 1 || (n.percent && wanted_ == Of::percent)))
        {
            v->value *= m.size / next->value;
            m = n;
            continue;
        }
        // "26 of 74 GB" is a share: the unit is that of both.
        if (*sign == '/' && wanted_ == Of::percent && m.plain() && m.size == 1 && n.physical())
        {
            v->value /= next->value;
            continue;
        }
        if (!n.of.empty() || !m.of.empty())
        {
            const bool last = m.plain();
            v->value *= last ? 1 : m.size;
            without_things(m);
            if (!last)
            {
                m.size = 1;
            }
        }
        const double other = next->value * n.size;
        if (n.plain()) // "70 GB * 3": still in GB
        {
            v->value = *sign == '/' ? v->value / other : v->value * other;
            continue;
        }
        const double own = v->value * m.size;
        if (m.plain() && *sign == '*')
        {
            v->value = own * next->value;
            m = n;
            continue;
        }
        for (std::size_t i = 0; i < m.power.size(); ++i)
        {
            m.power[i] += *sign == '/' ? -n.power[i] : n.power[i];
        }
        m.percent = m.percent && n.percent;
        m.ratio = false;
        m.size = 1;
        m.name = m.plain() ? "" : m.name;
        v->value = *sign == '/' ? own / other : own * other;
    }
    return v;
}

bool TextReader::range(TypedValue& low)
{
    const std::size_t start = t_.at;
    const bool dash = t_.sign('-') && (t_.number(1) || (t_.word(1) && t_.peek(1)->text == "$"));
    const bool to = t_.word("to") && (t_.number(1) || (t_.word(1) && t_.peek(1)->text == "$"));
    const bool and_word = between_ && t_.word("and") && t_.number(1);
    const bool give = t_.word("plusminu") || t_.word("plusminus") || (t_.word("give") && t_.word("or", 1));
    if (!dash && !to && !and_word && !give)
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
    if (!same || (dash && b <= a))
    {
        t_.at = start;
        return false;
    }
    low.value = ratio ? a / b : (a + b) / 2 / low.measure.size;
    low.spread = ratio || a + b == 0 ? 0 : (b - a) / (a + b);
    return true;
}

TextReader::Value TextReader::sum()
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
        const auto next = term();
        if (!next)
        {
            return std::nullopt;
        }
        v->worked = true;
        // "70 + 2 GB" and "70 GB + 2" are both in GB.
        if (v->measure.plain())
        {
            v->measure = next->measure;
        }
        const double size = next->measure.plain() ? 1 : next->measure.size / v->measure.size;
        v->value += (plus ? 1 : -1) * next->value * size;
    }
    return v;
}

// A word that belongs to no number.
void TextReader::word()
{
    const std::size_t start = t_.at;
    const std::string text = t_.peek()->text;
    const Manner manner = manner_of(text);
    if (manner == Manner::denial)
    {
        out_.denial = text;
    }
    between_ = between_ || t_.word("between") || t_.word("from");
    if (t_.word("or") && (t_.number(1)))
    {
        out_.words.emplace_back("or");
    }
    const bool article = manner == Manner::each || manner == Manner::one_word;
    t_.at += article ? 1U : 0U;
    const std::string_view named = out_.values.empty() && manner != Manner::silent ? units_.thing() : "";
    if (article && !named.empty())
    {
        return; // each GPU holds
    }
    if (!named.empty())
    {
        out_.labels.push_back(named);
        // "ZeRO-2", "TP=8"
        if (t_.sign('-') && t_.number(1))
        {
            ++t_.at;
        }
        return;
    }
    t_.at = start + 1;
    if (manner == Manner::bound && !out_.values.empty() && !t_.number())
    {
        return; // over the whole cluster
    }
    if (manner == Manner::bound)
    {
        const bool than = t_.word("than");
        out_.bound = out_.bound.empty() ? text : out_.bound;
        t_.at += than ? 1U : 0U;
        return;
    }
    if (manner == Manner::hedge)
    {
        out_.words.emplace_back("~" + text);
        return;
    }
    const bool behind = !out_.values.empty() && out_.values.back().measure.plain() && start == ended_;
    out_.counted = behind && manner == Manner::unknown ? text : out_.counted;
    out_.words.push_back(text);
    // "x2": what stands for a number is none
    if (t_.sign('-') && t_.word(1))
    {
        ++t_.at;
    }
}

TypedText TextReader::read()
{
    while (!t_.at_end() && out_.fault.empty())
    {
        if (!out_.values.empty() && units_.denominator(out_.values.back().measure))
        {
            continue;
        }
        if (starts_value())
        {
            const std::size_t start = t_.at;
            auto v = sum();
            if (!v && t_.at == start)
            {
                ++t_.at;
            }
            if (!v || !std::isfinite(v->value) || !std::isfinite(v->measure.size))
            {
                out_.fault = "is not a number that can be read";
                break;
            }
            v->equated = equals_ && !out_.values.empty();
            equals_ = false;
            out_.values.push_back(std::move(*v));
            ended_ = t_.at;
        }
        else if (t_.word())
        {
            word();
        }
        else
        {
            equals_ = equals_ || t_.sign('=');
            const bool stray = (t_.sign('/') || t_.sign('^') || t_.sign('*')) && !out_.values.empty();
            if (stray && t_.peek(1))
            {
                out_.fault = "is not a number that can be read";
            }
            ++t_.at;
        }
    }
    return std::move(out_);
}

} // namespace

TypedText read_typed(std::string_view typed, Of wanted, bool bits)
{
    return TextReader(typed, wanted, bits).read();
}

Measure read_measure(std::string_view phrase, Of wanted)
{
    Tokens tokens(tokens_of(phrase));
    return UnitReader(tokens, wanted, false).measure();
}

} // namespace ringside
