#include "app/rank/train.h"

#include "app/commands/train/train_lines.h"
#include "app/commands/train/train_snapshot.h"
#include "app/commands/train/train_trace.h"
#include "app/files/checkpoint_file.h"
#include "app/files/streams.h"
#include "app/rank/live.h"
#include "core/lab/ranks/rank_trace.h"
#include "core/lab/team/team_traffic.h"
#include "core/lab/trainer/cpu/cpu_backend.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace ringside
{

namespace
{

using parallel::CallLog;
using parallel::CallTotal;
using parallel::Communicator;
using trainer::Checkpoint;
using trainer::DType;
using trainer::Index;

constexpr std::int64_t kFilesTag = 900'000'000; // far from what RankTrainer's groups take

// Where there are any.
void refuse(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += (all.empty() ? "" : "\n") + to_line(issue);
    }
    if (!all.empty())
    {
        throw std::runtime_error(all);
    }
}

template <class T>
T taken(Result<T> result)
{
    if (!result)
    {
        refuse(result.issues());
    }
    return std::move(*result);
}

// Read by rank 0, so that other hosts need no copy.
std::string shared_text(Communicator& files, const std::string& path)
{
    std::string text = files.rank() == 0 ? taken(read_checkpoint_text(path)) : "";
    std::array<std::int64_t, 1> size{static_cast<std::int64_t>(text.size())};
    files.broadcast(size.data(), kByte, sizeof size, 0);
    text.resize(static_cast<std::size_t>(size[0]));
    files.broadcast(text.data(), kByte, size[0], 0);
    return text;
}

// What rank 0 must know of every rank's step.
struct Account
{
    std::array<std::int64_t, kTrafficAxes.size()> sent{}; // since the start
    std::array<std::int64_t, kComponents> memory{};
    std::int64_t peak = 0;
    std::int64_t stops = 0; // 1: a signal asked this rank to end
};

Account account_of(const CallLog& log, const parallel::RankStep& step)
{
    Account account;
    for (const CallTotal& total : log.totals())
    {
        const auto axis = std::ranges::find(kTrafficAxes, total.axis);
        if (axis != kTrafficAxes.end())
        {
            account.sent[static_cast<std::size_t>(axis - kTrafficAxes.begin())] += total.sent;
        }
    }
    account.memory = step.memory.parts;
    account.peak = step.peak.total();
    account.stops = stopped() ? 1 : 0;
    return account;
}

StepLine::Rank rank_line(const Account& now, const Account& before)
{
    StepLine::Rank rank;
    rank.memory.parts = now.memory;
    rank.peak_bytes = now.peak;
    for (std::size_t i = 0; i < kTrafficAxes.size(); ++i)
    {
        const std::int64_t bytes = now.sent[i] - before.sent[i];
        if (bytes > 0)
        {
            rank.by_axis.emplace_back(kTrafficAxes[i], bytes);
            rank.bytes_sent += bytes;
        }
    }
    return rank;
}

// By one rank in one step, without control messages.
std::int64_t most_sent(const std::vector<Account>& now, const std::vector<Account>& before)
{
    std::int64_t most = 0;
    for (std::size_t rank = 0; rank < now.size(); ++rank)
    {
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < kTrafficAxes.size(); ++i)
        {
            bytes += kTrafficAxes.at(i) == "control" ? 0 : now[rank].sent.at(i) - before[rank].sent.at(i);
        }
        most = std::max(most, bytes);
    }
    return most;
}

class RankTraining
{
public:
    RankTraining(parallel::MpiWorld& world, const RankTrainOptions& options)
        : world_(world), o_(options), files_(world, "files", all_ranks(world.ranks()), kFilesTag, log_),
          backend_(1)
    {
        Checkpoint start = taken(trainer::checkpoint_from_text(shared_text(files_, o_.from)));
        const TeamConfig cut = taken(with_strategy(start.config, o_.strategy, world.ranks()));
        config_ = taken(parallel::prepared(taken(with_compression(cut, o_.compress, !o_.no_feedback))));
        trainer_ = std::make_unique<parallel::RankTrainer>(config_, world, backend_, log_);
        trainer_->copy_from(start.state);
        step_ = start.state.step;
        if (!o_.snapshot.empty())
        {
            trainer_->record_allocations();
        }
    }

    void run()
    {
        if (world_.rank() == 0)
        {
            warn("{} ranks by {}: {}\n", world_.ranks(), world_.library(), strategy_name(config_));
        }
        std::optional<LiveFile> live;
        if (!o_.live.empty())
        {
            live.emplace(o_.live, files_, log_, config_, step_);
        }
        try
        {
            take_steps(live);
        }
        catch (const std::exception& fault)
        {
            if (live)
            {
                live->close(TeamState::broken, fault.what());
            }
            throw;
        }
        if (live)
        {
            live->close(TeamState::stopped, "");
        }
    }

    // Each rank where it is.
    void save_snapshot() const
    {
        refuse(save_text(snapshot_name(o_.snapshot, world_.rank()), snapshot_text(trainer_->allocations())));
    }

    void save()
    {
        trainer::TrainerState whole = collected();
        if (world_.rank() == 0)
        {
            refuse(save_text(o_.save, trainer::checkpoint_text({config_.trainer, std::move(whole)})));
        }
    }

private:
    void take_steps(std::optional<LiveFile>& live)
    {
        std::vector<Account> before(static_cast<std::size_t>(world_.ranks()));
        for (std::int64_t i = 0; i < o_.steps; ++i)
        {
            if (live)
            {
                live->begin();
            }
            if (!o_.trace.empty())
            {
                begin_trace();
            }
            const parallel::RankStep step = trainer_->step();
            ++step_;
            const std::vector<Account> now = say(step, before, i);
            if (live)
            {
                live->end(step, trainer_->plan().place, most_sent(now, before));
            }
            before = now;
            // All together, since each hears of a signal at another moment.
            const bool ends = std::ranges::count(now, 0, &Account::stops) < std::ssize(now);
            if (!o_.trace.empty() && (ends || i + 1 == o_.steps))
            {
                save_trace(step);
            }
            if (ends)
            {
                break;
            }
        }
    }

    // Behind a barrier, so that the ranks' clocks lie beside each other.
    void begin_trace()
    {
        calls_before_ = log_.record(world_.rank(), 0);
        files_.barrier();
        zero_ = log_.now();
    }

    // Each rank its own, where it is.
    void save_trace(const parallel::RankStep& step) const
    {
        const int rank = world_.rank();
        TeamStepTrace all;
        all.step = step_;
        all.ranks.resize(static_cast<std::size_t>(world_.ranks()));
        all.ranks[static_cast<std::size_t>(rank)] =
            parallel::trace_of(step, trainer_->plan().place, calls_before_, log_.record(rank), zero_);
        refuse(save_text(snapshot_name(o_.trace, rank), trace_text(all, rank)));
    }

    static std::vector<int> all_ranks(int ranks)
    {
        std::vector<int> all(static_cast<std::size_t>(ranks));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    std::vector<Account> say(const parallel::RankStep& step, const std::vector<Account>& before,
                             std::int64_t i)
    {
        const Account own = account_of(log_, step);
        std::vector<Account> all(before.size());
        const auto bytes = static_cast<Index>(sizeof(Account));
        files_.all_gather(&own, all.data(), kByte, bytes * files_.ranks());
        if (world_.rank() != 0)
        {
            return all;
        }
        const Training& t = config_.trainer.training;
        StepLine line;
        line.step = step_;
        line.result = step.result;
        line.seconds = step.end - step.start;
        line.tokens = static_cast<double>(t.global_batch * t.sequence_length);
        for (std::size_t rank = 0; rank < all.size(); ++rank)
        {
            line.add(rank_line(all[rank], before[rank]));
        }
        StepPrinter{o_.json_lines, o_.steps}.print(line, i);
        return all;
    }

    // Every rank fills in its part of a state that is zero elsewhere, so rank 0 has the whole by joining
    // bits.
    trainer::TrainerState collected()
    {
        trainer::TrainerState whole = parallel::empty_state(config_.trainer);
        trainer_->copy_to(whole);
        for (trainer::TrainerState::Part& part : whole.parts)
        {
            const auto bytes = static_cast<Index>(part.bytes.size());
            if (files_.rank() != 0)
            {
                files_.send(0, part.bytes.data(), kByte, bytes);
                continue;
            }
            std::vector<char> other(part.bytes.size());
            for (int rank = 1; rank < files_.ranks(); ++rank)
            {
                files_.receive(rank, other.data(), kByte, bytes);
                std::ranges::transform(part.bytes, other, part.bytes.begin(),
                                       [](char a, char b) { return static_cast<char>(a | b); });
            }
        }
        return whole;
    }

    parallel::MpiWorld& world_;
    const RankTrainOptions& o_;
    CallLog log_;
    Communicator files_;
    trainer::CpuBackend backend_;
    TeamConfig config_;
    std::unique_ptr<parallel::RankTrainer> trainer_;
    std::int64_t step_ = 0;
    parallel::CallRecord calls_before_; // the step that is traced
    double zero_ = 0;                   // [s] of the log, where it began
};

} // namespace

int run_rank_train(parallel::MpiWorld& world, const RankTrainOptions& options)
{
    if (world.rank() == 0)
    {
        refuse(check_can_save_checkpoint(options.save));
    }
    for (const std::string& file : {options.snapshot, options.trace})
    {
        refuse(file.empty() ? Issues() : check_can_save(snapshot_name(file, world.rank())));
    }
    stop_on_signals();
    RankTraining training(world, options);
    training.run();
    if (!options.snapshot.empty())
    {
        training.save_snapshot();
    }
    if (!options.save.empty())
    {
        training.save();
    }
    return stop_status(0);
}

} // namespace ringside
