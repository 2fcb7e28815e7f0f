#include "core/study/grading/number_reader.h"

#include <cmath>

namespace ringside
{

namespace
{

bool whole(double value)
{
    return value == std::floor(value) && value >= 0;
}

} // namespace

std::optional<double> factor_word(std::string_view word)
{
    const std::string stem = stem_of(word);
    return stem == "twice" || stem == "double" || stem == "doubled" ? std::optional(2.0)
           : stem == "thrice" || stem == "triple"                   ? std::optional(3.0)
           : stem == "quadruple"                                    ? std::optional(4.0)
           : stem.ends_with("fold") && stem.size() > 4 ? number_word(stem.substr(0, stem.size() - 4))
                                                       : std::nullopt;
}

// "twenty-four", "two hundred and five", "three quarters", "two and a half", "half"
std::optional<double> NumberReader::in_words()
{
    std::optional<double> sum;
    for (bool more = true; more && t_.word();)
    {
        const bool joiner = t_.word("and") || t_.word("a") || t_.word("an");
        const std::size_t skip = t_.word("and") && t_.word("a", 1) ? 2 : joiner && t_.word(1) ? 1 : 0;
        const Token* next = t_.peek(skip);
        const double n = next && next->kind == Token::Kind::word ? number_word(next->text).value_or(-1) : -1;
        const auto scale = next && sum && next->text.size() > 5 ? scale_word(next->text) : std::nullopt;
        more = n >= 0 || (scale && skip == 0);
        if (!more)
        {
            break;
        }
        const bool part = n > 0 && n < 1 && skip == 0;
        sum = scale ? *sum * scale->size : part && sum ? *sum * n : sum.value_or(0) + n;
        t_.at += skip + 1;
        t_.at += t_.sign('-') && t_.word(1) && number_word(t_.peek(1)->text) ? 1U : 0U;
    }
    return sum;
}

// "8:10", "1:16:40"
std::optional<TypedValue> NumberReader::clock()
{
    if (!t_.number() || !t_.sign(':', 1) || !t_.number(2) || t_.peek(2)->apart)
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
    v.value = v.clock[1] != 0 ? v.clock[0] / v.clock[1] : 0;
    return v;
}

bool NumberReader::power(TypedValue& v)
{
    const std::size_t start = t_.at;
    bool raised = t_.take_sign('^');
    if (!raised && t_.word("to") && t_.word("the", 1) && (t_.number(2) || t_.word("power", 2)))
    {
        t_.at += 2;
        t_.take_word("power");
        t_.take_word("of");
        raised = true;
    }
    if (!raised)
    {
        return false;
    }
    const bool bracket = t_.take_sign('(');
    const bool minus = t_.take_sign('-') || t_.take_word("minus");
    t_.take_sign('+');
    if (!t_.number())
    {
        t_.at = start;
        return false;
    }
    double by = t_.peek()->value;
    ++t_.at;
    if (bracket && t_.sign('/') && t_.number(1))
    {
        by /= t_.peek(1)->value;
        t_.at += 2;
    }
    v.value = std::pow(v.value, minus ? -by : by);
    v.exponent = true;
    t_.take_word("th");
    if (bracket)
    {
        t_.take_sign(')');
    }
    return true;
}

// "1.3 x 10^9", "1.3 10^9": closer than any other product.
void NumberReader::times_ten_to(TypedValue& v)
{
    const std::size_t sign = t_.word("x") || t_.sign('*') || t_.word("time") ? 1 : 0;
    if (t_.number(sign) && t_.peek(sign)->value == 10 && (t_.sign('^', sign + 1) || t_.word("to", sign + 1)))
    {
        const std::size_t start = t_.at;
        t_.at += sign + 1;
        TypedValue ten{10};
        if (power(ten))
        {
            v.value *= ten.value;
            v.exponent = true;
            return;
        }
        t_.at = start;
    }
}

// "2 1/2", "2½", "2 and a half", "3 quarters"
void NumberReader::add_fraction(TypedValue& v, bool vulgar)
{
    const bool fraction = t_.number() && t_.sign('/', 1) && t_.number(2) && t_.peek()->apart &&
                          whole(t_.peek()->value) && t_.peek()->value < t_.peek(2)->value;
    const bool half = t_.word("and") && (t_.word("a", 1) || t_.word("one", 1)) && t_.word(2);
    const double part = half ? number_word(t_.peek(2)->text).value_or(1) : 1;
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
    else if (part < 1)
    {
        v.value += part;
        t_.at += 3;
    }
    else if (t_.word() && number_word(t_.peek()->text).value_or(1) < 1)
    {
        v.value *= *number_word(t_.peek()->text);
        ++t_.at;
    }
}

// "twelve", "half an hour", "an hour"
std::optional<TypedValue> NumberReader::spelt()
{
    TypedValue v;
    if (const auto factor = t_.word() ? factor_word(t_.peek()->text) : std::nullopt)
    {
        v.value = *factor;
        v.measure.ratio = true;
        ++t_.at;
        return v;
    }
    const bool article = t_.word("a") || t_.word("an");
    t_.at += article ? 1U : 0U;
    const auto words = in_words();
    if (!words)
    {
        v.value = 1;
        return article ? std::optional(v) : std::nullopt;
    }
    v.value = *words;
    v.spelt = true;
    // "half an hour", but "one a day"
    const std::size_t start = t_.at;
    const bool part = t_.take_word("of") || v.value < 1;
    t_.at += t_.word("a") || t_.word("an") ? 1U : 0U;
    const auto scale =
        part && t_.word() && t_.peek()->text.size() > 5 ? scale_word(t_.peek()->text) : std::nullopt;
    if (scale) // "a third of a trillion"
    {
        v.value *= scale->size;
        ++t_.at;
        return v;
    }
    t_.at = part && units_.time_next() ? t_.at : start;
    return v;
}

std::optional<TypedValue> NumberReader::number()
{
    if (auto parts = clock())
    {
        return parts;
    }
    std::optional<TypedValue> v;
    if (t_.number())
    {
        const Token first = *t_.peek();
        v = TypedValue{first.value};
        v->exponent = first.exponent;
        ++t_.at;
        add_fraction(*v, first.vulgar);
        const bool ordinal = t_.word() && !t_.peek()->apart && t_.peek()->text[0] >= 'a' &&
                             (t_.word("th") || t_.word("st") || t_.word("nd") || t_.word("rd"));
        t_.at += ordinal ? 1U : 0U;
    }
    else
    {
        v = spelt();
    }
    if (v && !v->measure.ratio)
    {
        power(*v);
        times_ten_to(*v);
    }
    return v;
}

} // namespace ringside
