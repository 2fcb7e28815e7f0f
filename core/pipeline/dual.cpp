// DualPipe and DualPipeV: while one micro-batch goes forward through a rank another goes backward through it,
// so that each hides the other's communication.
#include <fmt/format.h>

#include "core/pipeline/families.h"

#include <array>
#include <deque>
#include <limits>

namespace ringside
{

namespace
{

// One rank's operations. It holds two phases of the model: phase 0 is where micro-batches come first here,
// phase 1 where they come last. The eight steps are those of the DualPipe runtime (deepseek-ai/DualPipe),
// which DualPipeV shares: there a rank's two phases are two chunks of one pipeline, in DualPipe two pipelines
// that run against each other.
class DualRank
{
public:
    // `ranks` take part in one direction, this is number `rank` of them from the phase's end.
    struct Place
    {
        std::int64_t ranks;
        std::int64_t rank;
        std::int64_t micro_batches; // of each phase
        std::array<std::int64_t, 2> stage;
        std::array<std::int64_t, 2> first; // micro-batch of each phase
    };

    explicit DualRank(const Place& place) : at_(place) {}

    std::vector<Operation> run()
    {
        const std::int64_t before = at_.ranks - at_.rank - 1;
        const std::int64_t after = at_.rank + 1;
        repeat(2 * before, [this] { add(Pass::forward, 0); });
        repeat(after,
               [this]
               {
                   add(Pass::forward, 0);
                   add(Pass::forward, 1);
               });
        repeat(before,
               [this]
               {
                   add(Pass::input, 1);
                   add_weight();
                   add(Pass::forward, 1);
               });
        for (std::int64_t i = 0; i < at_.micro_batches - 2 * at_.ranks + after; ++i)
        {
            // The rank where both phases meet starts its backward alone, so as not to hold up the others.
            add(Pass::forward, 0, i > 0 || before > 0);
            add(Pass::backward, 1);
            pair(1, 0);
        }
        repeat(before,
               [this]
               {
                   add(Pass::backward, 1);
                   pair(1, 0);
               });
        drain(after);
        repeat(before,
               [this]
               {
                   add_weight();
                   add(Pass::input, 0);
               });
        repeat(after, [this] { add_weight(); });
        return std::move(ops_);
    }

private:
    template <class Step>
    static void repeat(std::int64_t times, const Step& step)
    {
        for (std::int64_t i = 0; i < times; ++i)
        {
            step();
        }
    }

    // Backwards only; from the middle on their weight gradients wait for the gaps that follow.
    void drain(std::int64_t times)
    {
        bool split = false;
        const bool odd = at_.rank % 2 == 1;
        for (std::int64_t i = 0; i < times; ++i)
        {
            split = split || (i == times / 2 && odd);
            add(split ? Pass::input : Pass::backward, 1);
            split = split || (i == times / 2 && !odd);
            add(split ? Pass::input : Pass::backward, 0);
        }
    }

    void add(Pass pass, std::size_t phase, bool with_next = false)
    {
        std::int64_t& count = (pass == Pass::forward ? forwards_ : backwards_).at(phase);
        Operation operation = op(pass, at_.stage.at(phase), at_.first.at(phase) + count);
        operation.with_next = with_next;
        ++count;
        ops_.push_back(operation);
        if (pass == Pass::input)
        {
            operation.pass = Pass::weight;
            weights_.push_back(operation);
        }
    }

    void pair(std::size_t forward, std::size_t backward)
    {
        add(Pass::forward, forward, true);
        add(Pass::backward, backward);
    }

    void add_weight()
    {
        if (!weights_.empty())
        {
            ops_.push_back(weights_.front());
            weights_.pop_front();
        }
    }

    Place at_;
    std::array<std::int64_t, 2> forwards_{};
    std::array<std::int64_t, 2> backwards_{};
    std::deque<Operation> weights_; // still to be computed, oldest first
    std::vector<Operation> ops_;
};

Order make_dualpipe_v(const ScheduleShape& s, const Costs&)
{
    Order order;
    for (std::int64_t rank = 0; rank < s.stages; ++rank)
    {
        order.push_back(
            DualRank({s.stages, rank, s.micro_batches, {rank, 2 * s.stages - 1 - rank}, {0, 0}}).run());
    }
    return order;
}

// The second half of the ranks sees the same from the other end: its phase 0 is the pipeline that starts
// there.
Order make_dualpipe(const ScheduleShape& s, const Costs&)
{
    const std::int64_t half = s.micro_batches / 2;
    Order order;
    for (std::int64_t rank = 0; rank < s.stages; ++rank)
    {
        const std::int64_t other = s.stages - 1 - rank;
        const bool near = rank < s.stages / 2;
        const std::int64_t close = near ? rank : other;
        order.push_back(
            DualRank({s.stages / 2,
                      close,
                      half,
                      {close, s.stages - 1 - close},
                      near ? std::array<std::int64_t, 2>{0, half} : std::array<std::int64_t, 2>{half, 0}})
                .run());
    }
    return order;
}

Issues check_dualpipe(const ScheduleShape& s)
{
    Issues issues;
    if (s.stages % 2 != 0)
    {
        issues.push_back({"stages",
                          fmt::format("an odd {} of stages: both directions need the same number", s.stages),
                          s.stages > 1 ? fmt::format("use {} or {}", s.stages - 1, s.stages + 1) : "use 2"});
    }
    const std::int64_t least = 2 * s.stages;
    if (s.micro_batches < least || s.micro_batches % 2 != 0)
    {
        issues.push_back(
            {"micro_batches",
             fmt::format("{} micro-batches over a pipeline of {}: both directions need as many, and "
                         "together at least twice the stages",
                         s.micro_batches, s.stages),
             fmt::format("use {}", std::max(least, s.micro_batches + s.micro_batches % 2))});
    }
    return issues;
}

Issues check_dualpipe_v(const ScheduleShape& s)
{
    if (s.micro_batches >= 2 * s.stages)
    {
        return {};
    }
    return {{"micro_batches",
             fmt::format("{} micro-batches for {} stages: both chunks of every stage must be busy at once",
                         s.micro_batches, s.stages),
             fmt::format("use {} or more", 2 * s.stages)}};
}

// (N - 1) (F&B + B - 3 W), N the ranks of one direction (DeepSeek-V3, arXiv 2412.19437, table 2).
double idle_of(std::int64_t ranks, const StageTimes& t)
{
    const double backward = t.backward_input + t.recompute + t.backward_weight;
    return static_cast<double>(ranks - 1) * (t.forward + 2 * backward - 3 * t.backward_weight);
}

// The form is that of equal times; with others the simulation differs from it.
bool as_published(const StageTimes& t)
{
    return t.forward == t.backward_weight && t.backward_input + t.recompute == t.backward_weight &&
           t.pair == 1;
}

double idle_dualpipe(const ScheduleShape& s, const StageTimes& t)
{
    return as_published(t) ? idle_of(s.stages / 2, t) : std::numeric_limits<double>::infinity();
}

double idle_dualpipe_v(const ScheduleShape& s, const StageTimes& t)
{
    return as_published(t) ? idle_of(s.stages, t) / 2 : std::numeric_limits<double>::infinity();
}

constexpr std::array kDualSchedules{
    ScheduleInfo{.id = "dualpipe",
                 .name = "DualPipe",
                 .says = "micro-batches enter from both ends; every rank holds two stages of the model",
                 .source = "DeepSeek-V3, arXiv 2412.19437, section 3.2.1",
                 .placement = Placement::two_way,
                 .splits_backward = true,
                 .check = check_dualpipe,
                 .make = make_dualpipe,
                 .idle = idle_dualpipe,
                 .over_ideal = "(p / 2 − 1) × (F + 2 × I − W) / (m × (F + I + W))",
                 .of_total =
                     "(p / 2 − 1) × (F + 2 × I − W) / (m × (F + I + W) + (p / 2 − 1) × (F + 2 × I − W))"},
    ScheduleInfo{
        .id = "dualpipev",
        .name = "DualPipeV",
        .says = "DualPipe folded into a V: one copy of the weights, two chunks per stage",
        .source =
            "Sea AI Lab 2025, \u201cDualPipe could be better without the Dual\u201d; deepseek-ai/DualPipe",
        .placement = Placement::v,
        .least_chunks = 2,
        .most_chunks = 2,
        .splits_backward = true,
        .check = check_dualpipe_v,
        .make = make_dualpipe_v,
        .idle = idle_dualpipe_v,
        .over_ideal = "(p − 1) × (F + 2 × I − W) / (2 × m × (F + I + W))",
        .of_total = "(p − 1) × (F + 2 × I − W) / (2 × m × (F + I + W) + (p − 1) × (F + 2 × I − W))"},
};

} // namespace

std::span<const ScheduleInfo> dual_schedules()
{
    return kDualSchedules;
}

} // namespace ringside
