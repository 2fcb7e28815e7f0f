// What holds for every schedule, whatever its shape and its times.
#include "tests/core/pipeline/schedule_cases.h"
#include "tests/share.h"

#include "core/pipeline/zero_bubble.h"

#include <catch2/catch_approx.hpp>

#include <map>

using namespace ringside;
using Catch::Approx;
using test::Case;
using test::run;

namespace
{

// One timeline with everything looked up the slow way.
class Checked
{
public:
    Checked(const Case& c, const test::Ran& ran)
        : c_(c), order_(ran.order), t_(ran.timeline), stages_(virtual_stages(c.kind, c.shape))
    {
        for (std::size_t k = 0; k < t_.events.size(); ++k)
        {
            const Operation& o = t_.events[k].operation;
            REQUIRE(at_.emplace(std::tuple(o.pass, o.stage, o.micro_batch), k).second);
        }
    }

    void complete() const
    {
        REQUIRE(virtual_stages(c_.kind, c_.shape) == stages_);
        std::size_t found = 0;
        for (std::int32_t stage = 0; stage < stages_; ++stage)
        {
            for (std::int32_t i = 0; i < c_.shape.micro_batches; ++i)
            {
                const bool whole = has(Pass::backward, stage, i);
                REQUIRE(has(Pass::forward, stage, i));
                REQUIRE(has(Pass::input, stage, i) == !whole);
                REQUIRE(has(Pass::weight, stage, i) == !whole);
                REQUIRE((c_.kind->splits_backward || whole));
                found += whole ? 2 : 3;
            }
        }
        REQUIRE(found == t_.events.size());
        for (const Event& e : t_.events)
        {
            REQUIRE(e.rank == rank_of(c_.kind, c_.shape, e.operation.stage, e.operation.micro_batch));
        }
    }

    void on_time() const
    {
        for (const Event& e : t_.events)
        {
            const Operation& o = e.operation;
            const bool back = o.pass == Pass::backward || o.pass == Pass::input;
            if (o.pass == Pass::forward && o.stage > 0)
            {
                after(e, Pass::forward, o.stage - 1);
            }
            if (back)
            {
                after(e, Pass::forward, o.stage);
            }
            if (back && o.stage + 1 < stages_)
            {
                after(e, has(Pass::input, o.stage + 1, o.micro_batch) ? Pass::input : Pass::backward,
                      o.stage + 1);
            }
            if (o.pass == Pass::weight)
            {
                after(e, Pass::input, o.stage);
            }
            if (e.waited_for >= 0)
            {
                REQUIRE(t_.events[static_cast<std::size_t>(e.waited_for)].end <= e.ready);
            }
        }
    }

    // Each operation starts as soon as its rank is free and its input is there, pairs as one; never before.
    void without_overlap() const
    {
        for (std::size_t r = 0; r < t_.ranks(); ++r)
        {
            const auto events = t_.rank(r);
            REQUIRE(events.size() == order_[r].size());
            double free = 0;
            double busy = 0;
            for (std::size_t k = 0; k < events.size(); ++k)
            {
                REQUIRE(events[k].operation == order_[r][k]);
                const std::size_t last = events[k].operation.with_next ? k + 1 : k;
                const double ready = std::max(events[k].ready, events[last].ready);
                REQUIRE(events[k].start == std::max(free, ready));
                const double factor = last > k ? c_.costs.pair : 1;
                double at = events[k].start;
                bool sent = false;
                for (; k <= last; ++k)
                {
                    const Event& e = events[k];
                    const double time = cost(e) * factor;
                    REQUIRE(e.start == at);
                    REQUIRE(e.end == at + time);
                    at = e.end;
                    busy += e.end - e.start;
                    sent = sent || sends(e);
                }
                k = last;
                free = at + (sent && c_.costs.blocking ? c_.costs.transfer : 0);
            }
            REQUIRE(t_.busy[r] == Approx(busy).margin(1e-9));
        }
    }

    void not_too_short() const
    {
        REQUIRE(t_.makespan >= *std::max_element(t_.busy.begin(), t_.busy.end()) - 1e-9);
        double last = 0;
        for (const Event& e : t_.events)
        {
            last = std::max(last, e.end);
        }
        REQUIRE(t_.makespan == last);
        for (std::int32_t i = 0; i < c_.shape.micro_batches; ++i)
        {
            double chain = 0;
            for (const std::size_t k : path_of(t_, i))
            {
                const Event& e = t_.events[k];
                const bool first_weight = e.operation.pass == Pass::weight && e.operation.stage == 0;
                chain += e.operation.pass != Pass::weight || first_weight ? e.end - e.start : 0;
                chain += sends(e) ? c_.costs.transfer : 0;
            }
            REQUIRE(t_.makespan >= chain - 1e-9);
        }
        REQUIRE(t_.longest_span() <= t_.makespan);
        REQUIRE(t_.bubble_of_total() >= -1e-12);
        REQUIRE(t_.span_bubble_of_total() >= -1e-12);
        REQUIRE(t_.span_bubble_of_total() <= t_.bubble_of_total() + 1e-12);
        REQUIRE(t_.span_bubble_over_ideal() <= t_.bubble_over_ideal() + 1e-12);
        std::int64_t transfers = 0;
        for (const Event& e : t_.events)
        {
            transfers += sends(e) ? 1 : 0;
        }
        REQUIRE(t_.transfers == transfers);
    }

    void kept() const
    {
        const std::int64_t p = c_.shape.stages;
        const std::int64_t m = c_.shape.micro_batches;
        for (std::size_t r = 0; r < t_.ranks(); ++r)
        {
            std::int64_t held = 0;
            std::int64_t peak = 0;
            for (const Event& e : t_.rank(r))
            {
                held += e.operation.pass == Pass::forward ? 1 : 0;
                REQUIRE(e.held == held);
                peak = std::max(peak, held);
                held -= e.operation.pass == Pass::backward || e.operation.pass == Pass::weight ? 1 : 0;
            }
            REQUIRE(held == 0);
            REQUIRE(t_.peak_in_flight[r] == peak);
            const auto i = static_cast<std::int64_t>(r);
            const std::map<std::string_view, std::int64_t> most{{"naive", 1},
                                                                {"gpipe", m},
                                                                {"1f1b", std::min(m, p - i)},
                                                                {"zb-h1", zb_h1_limit(p)},
                                                                {"zb-h2", zb_h2_limit(p)},
                                                                {"zb-v", zb_v_limit(p)},
                                                                {"v-half", v_half_limit(p)},
                                                                {"v-min", v_min_limit(p)},
                                                                {"dualpipe", p + 1},
                                                                {"dualpipev", 2 * p + 1}};
            if (const auto limit = most.find(c_.kind->id); limit != most.end())
            {
                REQUIRE(peak <= limit->second);
            }
        }
    }

private:
    bool has(Pass pass, std::int32_t stage, std::int32_t micro_batch) const
    {
        return at_.contains(std::tuple(pass, stage, micro_batch));
    }

    double cost(const Event& e) const
    {
        return c_.costs.stages[static_cast<std::size_t>(e.operation.stage)].of(e.operation.pass);
    }

    bool sends(const Event& e) const
    {
        const Operation& o = e.operation;
        const std::int32_t to = o.stage + (o.pass == Pass::forward ? 1 : -1);
        return o.pass != Pass::weight && to >= 0 && to < stages_ &&
               rank_of(c_.kind, c_.shape, to, o.micro_batch) != e.rank;
    }

    // What `e` needs is done, with its partner, and has come over before the operation or its pair starts.
    void after(const Event& e, Pass pass, std::int32_t stage) const
    {
        const std::size_t needed = at_.at(std::tuple(pass, stage, e.operation.micro_batch));
        const Event& before = t_.events[needed];
        const double there = (before.operation.with_next ? t_.events[needed + 1] : before).end +
                             (before.rank == e.rank ? 0 : c_.costs.transfer);
        const auto index = static_cast<std::size_t>(&e - t_.events.data());
        const bool second =
            index > t_.first[static_cast<std::size_t>(e.rank)] && t_.events[index - 1].operation.with_next;
        REQUIRE(there <= (second ? t_.events[index - 1] : e).start);
    }

    const Case& c_;
    const Order& order_;
    const Timeline& t_;
    std::int64_t stages_;
    std::map<std::tuple<Pass, std::int32_t, std::int32_t>, std::size_t> at_;
};

} // namespace

TEST_CASE("random shapes and times: every operation once and complete, where and when it can run")
{
    test::CaseSource source(7);
    for (int round = 0; round < 2600; ++round)
    {
        const Case c = source.next();
        if (!test::is_in_share(static_cast<std::size_t>(round)))
        {
            continue;
        }
        INFO(c.text() << " round " << round);
        const test::Ran ran = run(c.kind, c.shape, c.costs);
        const Checked checked(c, ran);
        checked.complete();
        checked.on_time();
        checked.without_overlap();
        checked.not_too_short();
        checked.kept();
    }
}

TEST_CASE("a rank holds the virtual stages it runs, in the order a micro-batch meets them")
{
    test::CaseSource source(8);
    for (int round = 0; round < 300; ++round)
    {
        const Case c = source.next();
        const auto& [p, m, v] = c.shape;
        INFO(c.text());
        for (std::int64_t rank = 0; rank < p; ++rank)
        {
            const auto held = stages_of(c.kind->placement, p, v, rank);
            const bool two_way = c.kind->placement == Placement::two_way;
            CHECK(held.size() == static_cast<std::size_t>(two_way ? 2 : v));
            for (std::size_t k = 0; k < held.size(); ++k)
            {
                CHECK(rank_of(c.kind, c.shape, held[k], two_way && k == 1 ? m - 1 : 0) == rank);
            }
            CHECK((two_way || std::is_sorted(held.begin(), held.end())));
        }
        CHECK(weight_copies(c.kind) == (c.kind->placement == Placement::two_way ? 2 : 1));
        CHECK(virtual_stages(c.kind, c.shape) * weight_copies(c.kind) ==
              p * (c.kind->placement == Placement::two_way ? 2 : v));
    }
}

TEST_CASE("what a rank keeps at its peak is the largest of all its moments, weighted")
{
    test::CaseSource source(9);
    for (int round = 0; round < 400; ++round)
    {
        const Case c = source.next();
        const Order order = run(c.kind, c.shape, c.costs).order;
        const auto rank = source.pick(0, c.shape.stages - 1);
        const auto stages = stages_of(c.kind->placement, c.shape.stages, c.shape.chunks, rank);
        std::vector<double> weights;
        for (std::size_t k = 0; k < stages.size(); ++k)
        {
            weights.push_back(source.quarters(1, 8));
        }
        const auto& ops = order[static_cast<std::size_t>(rank)];
        double most = 0;
        for (std::size_t upto = 1; upto <= ops.size(); ++upto)
        {
            double held = 0;
            for (std::size_t k = 0; k < upto; ++k)
            {
                const auto chunk = std::find(stages.begin(), stages.end(), ops[k].stage) - stages.begin();
                held += ops[k].pass == Pass::forward ? weights[static_cast<std::size_t>(chunk)]
                        : ops[k].pass == Pass::input ? 0
                                                     : -weights[static_cast<std::size_t>(chunk)];
            }
            most = std::max(most, held);
        }
        const auto kept = kept_at_peak(ops, stages, weights);
        INFO(c.text() << " rank " << rank);
        REQUIRE(kept.size() == stages.size());
        double sum = 0;
        for (std::size_t k = 0; k < kept.size(); ++k)
        {
            sum += static_cast<double>(kept[k]) * weights[k];
        }
        CHECK(sum == most);
    }
}
