// Days and dates of a user's study. No clock: every moment is passed in, as UTC milliseconds with the
// offset of the place the user is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr std::int64_t kDayMs = 86'400'000;

// Days since 1970-01-01, of a local calendar.
using StudyDay = std::int64_t;

struct StudyTime
{
    std::int64_t ms = 0;        // since 1970-01-01 00:00 UTC
    std::int64_t offset_ms = 0; // local time less UTC, -14 h to 14 h
    std::int64_t steady_ms = 0; // of a clock that nobody sets; 0: there is none

    StudyDay day() const { return day_of(ms); }
    StudyDay day_of(std::int64_t utc_ms) const;
    // UTC milliseconds at which that local day ends.
    std::int64_t end_of(StudyDay day) const { return (day + 1) * kDayMs - offset_ms; }
    // Noon of that local day, which stands for "on that day".
    std::int64_t noon_of(StudyDay day) const { return day * kDayMs + kDayMs / 2 - offset_ms; }
};

// "2026-12-05"; nothing when it is no date between the years 1970 and 2999.
std::optional<StudyDay> parse_date(std::string_view text);
std::string date_text(StudyDay day);  // "2026-12-05"
std::string date_words(StudyDay day); // "5 December"
std::string date_short(StudyDay day); // "5 Dec"
// "10 min", "3 h", "15 d": until something is due. Below a minute "now".
std::string wait_words(std::int64_t ms);

} // namespace ringside
