#include "core/pipeline/order_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ringside
{

namespace
{

constexpr std::size_t kMostFaults = 8;
constexpr std::array kPasses{Pass::forward, Pass::backward, Pass::input, Pass::weight};

// What an order says of one stage and micro-batch.
struct Work
{
    std::array<std::int32_t, 4> times{}; // [pass]
    std::array<std::int32_t, 4> rank{};  // [pass] of the last of them

    bool has(Pass pass) const { return times.at(static_cast<std::size_t>(pass)) > 0; }
    std::int32_t on(Pass pass) const { return rank.at(static_cast<std::size_t>(pass)); }
    bool none() const
    {
        return std::all_of(times.begin(), times.end(), [](std::int32_t n) { return n == 0; });
    }
};

class Checker
{
public:
    explicit Checker(const WrittenOrder& written)
        : stages_(written.virtual_stages), micro_batches_(written.micro_batches),
          work_(static_cast<std::size_t>(stages_ * micro_batches_)),
          stage_there_(static_cast<std::size_t>(stages_)),
          micro_batch_there_(static_cast<std::size_t>(micro_batches_))
    {
        for (std::size_t r = 0; r < written.order.size(); ++r)
        {
            for (const Operation& op : written.order[r])
            {
                Work& work = of(op.stage, op.micro_batch);
                ++work.times.at(static_cast<std::size_t>(op.pass));
                work.rank.at(static_cast<std::size_t>(op.pass)) = static_cast<std::int32_t>(r);
                stage_there_[static_cast<std::size_t>(op.stage)] = true;
                micro_batch_there_[static_cast<std::size_t>(op.micro_batch)] = true;
            }
        }
    }

    Issues run()
    {
        gaps("stage", stage_there_);
        gaps("micro-batch", micro_batch_there_);
        for (std::int64_t s = 0; s < stages_; ++s)
        {
            for (std::int64_t m = 0; m < micro_batches_; ++m)
            {
                // A number that is nowhere is one fault, not one for each of its operations.
                if (stage_there_[static_cast<std::size_t>(s)] &&
                    micro_batch_there_[static_cast<std::size_t>(m)])
                {
                    check(s, m);
                }
            }
        }
        if (found_ > kMostFaults)
        {
            issues_.push_back({"order", fmt::format("{} more faults of these kinds", found_ - kMostFaults),
                               "give every stage and micro-batch one F, and one B or one I and one W"});
        }
        return std::move(issues_);
    }

private:
    Work& of(std::int64_t stage, std::int64_t micro_batch)
    {
        return work_[static_cast<std::size_t>(stage * micro_batches_ + micro_batch)];
    }

    void add(Issue issue)
    {
        ++found_;
        if (found_ <= kMostFaults)
        {
            issues_.push_back(std::move(issue));
        }
    }

    void gaps(const char* what, const std::vector<bool>& there)
    {
        for (std::size_t i = 0; i < there.size(); ++i)
        {
            if (!there[i])
            {
                add({"order",
                     fmt::format("{} {} has no operation, {} {} has", what, i, what, there.size() - 1),
                     "number them from 0 without gaps"});
            }
        }
    }

    void check(std::int64_t stage, std::int64_t micro_batch)
    {
        const Work& work = of(stage, micro_batch);
        const auto name = [&](Pass pass)
        {
            return to_text(Operation{pass, false, static_cast<std::int32_t>(stage),
                                     static_cast<std::int32_t>(micro_batch)});
        };
        if (work.none())
        {
            add({"order", fmt::format("{} and {} are missing", name(Pass::forward), name(Pass::backward)),
                 "every micro-batch passes every stage"});
            return;
        }
        doubled(work, name);
        missing(work, name);
        apart(work, name);
    }

    template <class Name>
    void doubled(const Work& work, const Name& name)
    {
        for (const Pass pass : kPasses)
        {
            if (const std::int32_t times = work.times.at(static_cast<std::size_t>(pass)); times > 1)
            {
                add({fmt::format("rank {}", work.on(pass)),
                     fmt::format("{} is there {} times", name(pass), times), "list every operation once"});
            }
            const bool part = pass == Pass::input || pass == Pass::weight;
            if (part && work.has(pass) && work.has(Pass::backward))
            {
                add({fmt::format("rank {}", work.on(pass)),
                     fmt::format("{} does again what {} does", name(pass), name(Pass::backward)),
                     fmt::format("leave out {}, or list {} and {} in place of {}", name(pass),
                                 name(Pass::input), name(Pass::weight), name(Pass::backward))});
            }
        }
    }

    template <class Name>
    void missing(const Work& work, const Name& name)
    {
        Pass there = Pass::forward; // an operation that is
        for (const Pass pass : kPasses)
        {
            there = work.has(there) ? there : pass;
        }
        const auto lacks = [&](Pass pass, const std::string& hint)
        {
            add({fmt::format("rank {}", work.on(there)),
                 fmt::format("{} is missing, {} is there", name(pass), name(there)), hint});
        };
        if (!work.has(Pass::forward))
        {
            lacks(Pass::forward, fmt::format("list it before {}", name(there)));
        }
        const bool input = work.has(Pass::input);
        const bool weight = work.has(Pass::weight);
        if (work.has(Pass::backward) || (input && weight))
        {
            return;
        }
        if (!input && !weight)
        {
            lacks(Pass::backward, fmt::format("list {}, or {} and {}", name(Pass::backward),
                                              name(Pass::input), name(Pass::weight)));
            return;
        }
        there = input ? Pass::input : Pass::weight;
        lacks(input ? Pass::weight : Pass::input,
              fmt::format("list both, or {} in their place", name(Pass::backward)));
    }

    // A copy of the stage on another rank does not help: what the forward keeps lies where it ran.
    template <class Name>
    void apart(const Work& work, const Name& name)
    {
        for (const Pass pass : kPasses)
        {
            if (work.has(Pass::forward) && work.has(pass) && work.on(pass) != work.on(Pass::forward))
            {
                add({fmt::format("rank {}", work.on(pass)),
                     fmt::format("{} runs here, but {} on rank {}, which keeps what it needs", name(pass),
                                 name(Pass::forward), work.on(Pass::forward)),
                     fmt::format("move {} to rank {}", name(pass), work.on(Pass::forward))});
            }
        }
    }

    std::int64_t stages_;
    std::int64_t micro_batches_;
    std::vector<Work> work_; // [stage][micro-batch]
    std::vector<bool> stage_there_;
    std::vector<bool> micro_batch_there_;
    Issues issues_;
    std::size_t found_ = 0;
};

} // namespace

Issues check_order(const WrittenOrder& written)
{
    return Checker(written).run();
}

std::int64_t weight_copies(const WrittenOrder& written)
{
    std::vector<std::set<std::size_t>> holders(static_cast<std::size_t>(written.virtual_stages));
    for (std::size_t r = 0; r < written.order.size(); ++r)
    {
        for (const Operation& op : written.order[r])
        {
            holders[static_cast<std::size_t>(op.stage)].insert(r);
        }
    }
    std::size_t most = 1;
    for (const auto& ranks : holders)
    {
        most = std::max(most, ranks.size());
    }
    return static_cast<std::int64_t>(most);
}

} // namespace ringside
