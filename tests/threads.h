// Whether threads that were started have ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

namespace ringside::test
{

inline std::size_t threads_of_this_process()
{
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// Waits for it: the system lists a thread for a moment after it was joined.
inline bool threads_are_back_to(std::size_t count)
{
    for (int i = 0; i < 200 && threads_of_this_process() != count; ++i)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return threads_of_this_process() == count;
}

} // namespace ringside::test
