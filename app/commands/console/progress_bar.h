// How far a long command is, with the time it still takes: on a terminal, once it has taken half a second.
// On a pipe it says nothing.
#pragma once

#include <chrono>

namespace ringside
{

class ProgressBar
{
public:
    ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar() { clear(); }

    void show(double share); // 0 to 1
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    bool terminal_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

} // namespace ringside
