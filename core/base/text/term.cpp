#include "core/base/text/term.h"

#include <fmt/format.h>

#include <cmath>

namespace ringside
{

std::string figure(double value, int digits)
{
    if (value == std::floor(value) && std::abs(value) < 1e6)
    {
        return fmt::format("{:.0f}", value);
    }
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (std::abs(value) < 1e6 && text.find('e') == std::string::npos)
    {
        return text;
    }
    text = fmt::format("{:.{}e}", value, digits - 1); // "8.8000e+09"
    const std::size_t e = text.find('e');
    std::string mantissa = text.substr(0, e);
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    mantissa.erase(mantissa.find_last_not_of('.') + 1);
    return fmt::format("{}e{}", mantissa, std::stoi(text.substr(e + 1)));
}

} // namespace ringside
