// What a window elsewhere sees of ranks that are processes: rank 0 collects a step now and then and keeps a
// file up to date, which `ringside --watch` reads. On several hosts it lies where all of them see it.
#pragma once

#include "core/base/json/json.h"
#include "core/lab/ranks/rank_trainer.h"
#include "core/lab/team/team_snapshot.h"

#include <optional>
#include <string>

namespace ringside
{

constexpr trainer::DType kByte = trainer::DType::e4m3; // of files, copied as it is

class LiveFile
{
public:
    // By all ranks, or by none. `files` is a group of all of them.
    LiveFile(std::string path, parallel::Communicator& files, parallel::CallLog& log, TeamConfig config,
             std::int64_t step);

    // Round every step, on all ranks: whether this one is to be shown is for rank 0 to decide, several times
    // a second. A step that is shown begins behind a barrier, so that the ranks' clocks lie beside each
    // other.
    void begin();
    void end(const parallel::RankStep& step, const Coordinates& place, std::int64_t most_sent);
    // The last thing that is said, by rank 0 alone: how it ended.
    void close(TeamState state, const std::string& why);

private:
    void publish(const parallel::RankStep& step, const Coordinates& place);
    std::string text() const;
    void write() const;

    std::string path_;
    parallel::Communicator& files_;
    parallel::CallLog& log_;
    TeamSnapshot now_;
    TeamStepTrace shown_; // the last step that was shown, and every rank's part of it; rank 0 has them
    std::vector<nlohmann::json> ranks_;
    std::optional<parallel::CallRecord> before_; // of a step that is shown
    double zero_ = 0;                            // [s] of the log, where it began
    double due_ = 0;
};

} // namespace ringside
