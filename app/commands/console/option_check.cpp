#include "app/commands/console/option_check.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace ringside
{

namespace
{

enum class Reading
{
    number,
    too_large, // for its type
    other      // than a number, or with more behind it
};

template <class T>
Reading read(std::string_view text, T& value)
{
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc::invalid_argument || end != text.data() + text.size())
    {
        return Reading::other;
    }
    return fault == std::errc() ? Reading::number : Reading::too_large;
}

} // namespace

std::string fault_of_whole(std::string& text, std::int64_t least, std::int64_t most)
{
    std::int64_t value = 0;
    const Reading reading = read(text, value);
    if (reading == Reading::other)
    {
        return fmt::format("{} is not a whole number ({})", text, range_hint(least, most));
    }
    if (reading == Reading::too_large || value < least || value > most)
    {
        return fmt::format("{} is out of range ({})", text, range_hint(least, most));
    }
    text = std::to_string(value);
    return {};
}

std::string fault_of_real(std::string& text, double least, double most)
{
    double value = 0;
    const Reading reading = read(text, value);
    if (reading == Reading::other)
    {
        return fmt::format("{} is not a number (use {} to {})", text, least, most);
    }
    if (reading == Reading::too_large || !(value >= least && value <= most))
    {
        return fmt::format("{} is out of range (use {} to {})", text, least, most);
    }
    text = fmt::format("{}", value); // the shortest that reads back as the same
    return {};
}

CLI::Validator in_range(std::int64_t least, std::int64_t most)
{
    return {[least, most](std::string& text) { return fault_of_whole(text, least, most); }, ""};
}

} // namespace ringside
