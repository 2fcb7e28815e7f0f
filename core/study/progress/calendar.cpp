#include "core/study/progress/calendar.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

std::chrono::year_month_day civil(StudyDay day)
{
    return std::chrono::sys_days(std::chrono::days(day));
}

std::string_view month_of(StudyDay day)
{
    return kMonths[static_cast<unsigned>(civil(day).month()) - 1];
}

std::optional<int> digits(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && text.front() != '-'
               ? std::optional(value)
               : std::nullopt;
}

} // namespace

StudyDay StudyTime::day_of(std::int64_t utc_ms) const
{
    const std::int64_t local = utc_ms + offset_ms;
    return local >= 0 ? local / kDayMs : -((-local + kDayMs - 1) / kDayMs);
}

std::optional<StudyDay> parse_date(std::string_view text)
{
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    {
        return std::nullopt;
    }
    const auto year = digits(text.substr(0, 4));
    const auto month = digits(text.substr(5, 2));
    const auto day = digits(text.substr(8, 2));
    if (!year || !month || !day || *year < 1970 || *year > 2999)
    {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok())
    {
        return std::nullopt;
    }
    return std::chrono::sys_days(date).time_since_epoch().count();
}

std::string date_text(StudyDay day)
{
    const auto date = civil(day);
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string date_words(StudyDay day)
{
    return fmt::format("{} {}", static_cast<unsigned>(civil(day).day()), month_of(day));
}

std::string date_short(StudyDay day)
{
    return fmt::format("{} {}", static_cast<unsigned>(civil(day).day()), month_of(day).substr(0, 3));
}

std::string wait_words(std::int64_t ms)
{
    constexpr std::int64_t kHourMs = 60 * kMinuteMs;
    if (ms < kMinuteMs)
    {
        return "now";
    }
    if (ms < kHourMs)
    {
        return fmt::format("{} min", ms / kMinuteMs);
    }
    return ms < kDayMs ? fmt::format("{} h", ms / kHourMs) : fmt::format("{} d", ms / kDayMs);
}

} // namespace ringside
