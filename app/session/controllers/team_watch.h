// Looks at a training that runs elsewhere: reads the file that its rank 0 keeps up to date, on a thread of
// its own, so that a slow network disk cannot hold up the window.
#pragma once

#include "core/lab/team/team_snapshot.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

namespace ringside
{

class TeamWatch
{
public:
    explicit TeamWatch(std::filesystem::path file);
    TeamWatch(const TeamWatch&) = delete;
    TeamWatch& operator=(const TeamWatch&) = delete;
    ~TeamWatch();

    struct Seen
    {
        std::shared_ptr<const TeamSnapshot> snapshot; // null: nothing that could be shown yet
        std::string fault;                            // why the newest could not; empty: it could
        double silent_s = 0;                          // since the file changed
    };
    Seen seen() const;
    const std::filesystem::path& file() const { return file_; }
    // Waits until the file has been read once.
    void wait_for_first() const;

private:
    void work();
    void poll();

    std::filesystem::path file_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    Seen seen_;
    bool read_ = false;
    bool stop_ = false;
    // Used by the thread alone: what was read last, and when that had been written.
    std::string text_;
    std::filesystem::file_time_type written_;
    double changed_at_ = 0;
    std::thread thread_;
};

} // namespace ringside
