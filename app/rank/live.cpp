#include "app/rank/live.h"

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/lab/ranks/rank_trace.h"
#include "core/lab/team/team_json.h"

#include <array>

namespace ringside
{

namespace
{

constexpr double kEvery = 0.2;                                // [s]
constexpr std::int64_t kMostOfRank = std::int64_t{64} << 20U; // [B]

} // namespace

LiveFile::LiveFile(std::string path, parallel::Communicator& files, parallel::CallLog& log, TeamConfig config,
                   std::int64_t step)
    : path_(std::move(path)), files_(files), log_(log)
{
    now_.config = std::move(config);
    now_.state = TeamState::running;
    now_.step = step;
    now_.marks.push_back({step, strategy_name(now_.config), false});
    if (files_.rank() == 0)
    {
        write();
    }
}

std::string LiveFile::text() const
{
    return ranks_.empty() ? live_text(now_) : live_text(now_, shown_, ranks_);
}

void LiveFile::write() const
{
    const Issues issues = show_text(path_, text());
    if (!issues.empty())
    {
        throw std::runtime_error(to_line(issues.front()));
    }
}

void LiveFile::begin()
{
    std::array<char, 1> shown{log_.now() >= due_ ? char{1} : char{0}};
    files_.broadcast(shown.data(), kByte, 1, 0);
    before_.reset();
    if (shown[0] != 0)
    {
        before_ = log_.record(files_.rank(), 0);
        files_.barrier();
        zero_ = log_.now();
    }
}

void LiveFile::end(const parallel::RankStep& step, const Coordinates& place, std::int64_t most_sent)
{
    ++now_.step;
    note_step(now_, step.result.loss, most_sent);
    if (before_)
    {
        publish(step, place);
        due_ = log_.now() + kEvery;
    }
}

// Every rank's own is sent to rank 0 as text, in the order of the ranks.
void LiveFile::publish(const parallel::RankStep& step, const Coordinates& place)
{
    const parallel::CallRecord now = log_.record(files_.rank());
    const RankTrace own = parallel::trace_of(step, place, *before_, now, zero_);
    const std::string text = to_json(own).dump();
    std::array<double, 2> own_size{static_cast<double>(text.size()), step.end - zero_};
    std::vector<double> sizes(own_size.size() * static_cast<std::size_t>(files_.ranks()));
    files_.all_gather(own_size.data(), sizes.data(), kByte,
                      static_cast<trainer::Index>(sizes.size() * sizeof(double)));
    if (files_.rank() != 0)
    {
        files_.send(0, text.data(), kByte, static_cast<trainer::Index>(text.size()));
        return;
    }
    shown_ = {
        now_.step, step.result.loss, step.result.gradient_norm, step.result.skipped, 0, step.result.experts,
        {}};
    ranks_ = {nlohmann::json::parse(text)};
    for (int rank = 0; rank < files_.ranks(); ++rank)
    {
        const std::size_t at = own_size.size() * static_cast<std::size_t>(rank);
        shown_.seconds = std::max(shown_.seconds, sizes[at + 1]);
        if (rank > 0)
        {
            const auto bytes = static_cast<std::int64_t>(sizes[at]);
            if (bytes < 0 || bytes > kMostOfRank)
            {
                throw std::runtime_error(fmt::format("rank {} says {} bytes of its step", rank, bytes));
            }
            std::string theirs(static_cast<std::size_t>(bytes), ' ');
            files_.receive(rank, theirs.data(), kByte, bytes);
            ranks_.push_back(nlohmann::json::parse(theirs));
        }
    }
    write();
}

void LiveFile::close(TeamState state, const std::string& why)
{
    if (files_.rank() == 0)
    {
        now_.state = state;
        now_.message = why;
        (void)show_text(path_, text()); // it ends anyhow
    }
}

} // namespace ringside
