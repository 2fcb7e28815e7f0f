#include "core/study/questions/question.h"

#include "core/study/questions/draw.h"

#include <cmath>

namespace ringside
{

std::string SolutionStep::line() const
{
    std::string text = says + ": ";
    for (const std::string& part : {formula, working})
    {
        text += part.empty() ? "" : part + " = ";
    }
    return text + result;
}

bool too_close(double value, double key, double tolerance)
{
    constexpr double kRounding = 0.006; // of three digits, and then some
    if (tolerance == 0)
    {
        return value == key;
    }
    return std::abs(value - key) <= (tolerance + kRounding) * std::abs(key);
}

Result<Question> draw(Calculator& calculator, const QuestionFamily& family, std::size_t variant,
                      std::uint64_t seed, const DrawnValues& overrides)
{
    if (variant >= family.variants.size())
    {
        return Issue{"variants", "there is no such variant", "use one of the family's"};
    }
    return Draw(calculator, family, family.variants[variant], seed).run(overrides);
}

} // namespace ringside
