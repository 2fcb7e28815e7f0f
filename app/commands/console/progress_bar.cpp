#include "app/commands/console/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/files/streams.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace ringside
{

namespace
{

double seconds(std::chrono::steady_clock::duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

} // namespace

ProgressBar::ProgressBar() : terminal_(!Capture::on() && ::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(double share)
{
    constexpr double kPatience = 0.5;
    constexpr double kBetween = 0.1;
    const Clock::time_point now = Clock::now();
    const double took = seconds(now - start_);
    if (!terminal_ || took < kPatience || (shown_ && seconds(now - last_) < kBetween))
    {
        return;
    }
    last_ = now;
    shown_ = true;
    constexpr int kWidth = 32;
    const auto full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kWidth));
    const std::string left =
        share > 0 ? format_seconds(Seconds(std::ceil(took * (1 - share) / share))) + " left" : "";
    warn_raw(fmt::format("\r\x1b[K[{}{}] {:3.0f}%  {}", std::string(static_cast<std::size_t>(full), '#'),
                         std::string(static_cast<std::size_t>(kWidth - full), '.'), share * 100, left));
}

void ProgressBar::clear()
{
    if (std::exchange(shown_, false))
    {
        warn_raw("\r\x1b[K");
    }
}

} // namespace ringside
