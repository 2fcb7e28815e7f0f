#include "core/launch_files/shell/shell_values.h"

namespace ringside
{

namespace
{

constexpr int kMostBrackets = 40; // one in another

bool is_operand(char c)
{
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Whole numbers with the operators of C; those that overflow or divide by zero are none.
class Arithmetic
{
public:
    explicit Arithmetic(std::string_view text) : text_(text) {}

    std::optional<std::int64_t> value()
    {
        const std::int64_t found = choice();
        blanks();
        return good_ && i_ == text_.size() ? std::optional(found) : std::nullopt;
    }

private:
    void blanks()
    {
        while (i_ < text_.size() && (text_[i_] == ' ' || text_[i_] == '\t' || text_[i_] == '\n'))
        {
            ++i_;
        }
    }
    bool take(std::string_view sign, std::string_view not_before = {})
    {
        blanks();
        const std::string_view rest = text_.substr(i_);
        if (!rest.starts_with(sign) ||
            (rest.size() > sign.size() && not_before.find(rest[sign.size()]) != std::string_view::npos))
        {
            return false;
        }
        i_ += sign.size();
        return true;
    }
    // Operators that begin with what follows them nest as deep as they are many.
    bool too_deep()
    {
        good_ = good_ && ++operators_ < 200;
        return !good_;
    }
    std::int64_t choice()
    {
        const std::int64_t asked = either();
        if (!take("?") || too_deep())
        {
            return asked;
        }
        const std::int64_t yes = choice();
        good_ = take(":") && good_;
        const std::int64_t no = choice();
        return asked != 0 ? yes : no;
    }
    std::int64_t either()
    {
        std::int64_t left = both();
        while (take("||"))
        {
            const std::int64_t right = both();
            left = left != 0 || right != 0 ? 1 : 0;
        }
        return left;
    }
    std::int64_t both()
    {
        std::int64_t left = compared();
        while (take("&&"))
        {
            const std::int64_t right = compared();
            left = left != 0 && right != 0 ? 1 : 0;
        }
        return left;
    }
    std::int64_t compared()
    {
        const std::int64_t left = sum();
        if (take("=="))
        {
            return left == sum() ? 1 : 0;
        }
        if (take("!="))
        {
            return left != sum() ? 1 : 0;
        }
        if (take("<="))
        {
            return left <= sum() ? 1 : 0;
        }
        if (take(">="))
        {
            return left >= sum() ? 1 : 0;
        }
        if (take("<"))
        {
            return left < sum() ? 1 : 0;
        }
        return take(">") ? (left > sum() ? 1 : 0) : left;
    }
    std::int64_t sum()
    {
        std::int64_t left = product();
        while (true)
        {
            if (take("+"))
            {
                good_ = !__builtin_add_overflow(left, product(), &left) && good_;
            }
            else if (take("-"))
            {
                good_ = !__builtin_sub_overflow(left, product(), &left) && good_;
            }
            else
            {
                return left;
            }
        }
    }
    std::int64_t product()
    {
        std::int64_t left = power();
        while (true)
        {
            if (take("*"))
            {
                good_ = !__builtin_mul_overflow(left, power(), &left) && good_;
                continue;
            }
            const bool quotient = take("/");
            if (!quotient && !take("%"))
            {
                return left;
            }
            const std::int64_t by = power();
            good_ = good_ && by != 0 && by != -1;
            left = !good_ ? 0 : quotient ? left / by : left % by;
        }
    }
    std::int64_t power()
    {
        std::int64_t base = one();
        if (!take("**") || too_deep())
        {
            return base;
        }
        const std::int64_t times = power();
        std::int64_t value = 1;
        good_ = good_ && times >= 0 && times < 64;
        for (std::int64_t n = 0; good_ && n < times; ++n)
        {
            good_ = !__builtin_mul_overflow(value, base, &value);
        }
        return value;
    }
    std::int64_t one()
    {
        if (++depth_ > kMostBrackets)
        {
            good_ = false;
            return 0;
        }
        std::int64_t value = 0;
        if (take("-"))
        {
            value = -one();
        }
        else if (take("!", "="))
        {
            value = one() == 0 ? 1 : 0;
        }
        else if (take("("))
        {
            value = choice();
            good_ = take(")") && good_;
        }
        else
        {
            value = digits();
        }
        --depth_;
        return value;
    }
    std::int64_t digits()
    {
        blanks();
        const std::size_t begin = i_;
        while (i_ < text_.size() && is_operand(text_[i_]))
        {
            ++i_;
        }
        const auto value = whole_number(std::string(text_.substr(begin, i_ - begin)));
        good_ = good_ && value && *value >= 0;
        return value.value_or(0);
    }

    std::string_view text_;
    std::size_t i_ = 0;
    int depth_ = 0;
    int operators_ = 0;
    bool good_ = true;
};

} // namespace

std::optional<std::int64_t> shell_arithmetic(std::string_view text)
{
    return Arithmetic(text).value();
}

} // namespace ringside
