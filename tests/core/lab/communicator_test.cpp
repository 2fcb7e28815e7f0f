#include "tests/core/lab/parallel_support.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <mutex>

using namespace ringside;
using namespace ringside::test;
using parallel::Call;

namespace
{

constexpr std::array kTypes{DType::f32, DType::bf16, DType::f16};
constexpr std::array<Index, 7> kSizes{0, 1, 3, 7, 64, 101, 1037};

// What a collective must leave on every rank, by its steps one after the other, in the format's own
// arithmetic.
std::vector<Numbers> by_steps(const Collective& c, std::vector<Numbers> held)
{
    for (const Step& step : c.steps)
    {
        const std::vector<Numbers> before = held;
        for (const Transfer& t : step.transfers)
        {
            const auto from = static_cast<std::size_t>(t.from);
            const auto to = static_cast<std::size_t>(t.to);
            const auto part = parallel::part_of(held[to].count(), c.chunks, t.chunk);
            for (Index i = part.offset; i < part.offset + part.count; ++i)
            {
                held[to].set(i, t.adds ? held[to][i] + before[from][i] : before[from][i]);
            }
        }
    }
    return held;
}

// [B] that rank r sends by the steps.
Index sent_by_steps(const Collective& c, int rank, Index elements, DType type)
{
    Index bytes = 0;
    for (const Step& step : c.steps)
    {
        for (const Transfer& t : step.transfers)
        {
            bytes +=
                t.from == rank ? parallel::part_of(elements, c.chunks, t.chunk).count * bytes_of(type) : 0;
        }
    }
    return bytes;
}

// Every algorithm that can, but the one that needs a switch.
template <class F>
void for_every_algorithm(CollectiveKind kind, const std::vector<int>& sizes, const F& f)
{
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        for (const int ranks : sizes)
        {
            for (const std::int64_t per_node : {8, 2, 3})
            {
                const auto made = make_collective(kind, *algorithm, {ranks, per_node});
                const bool again = per_node != 8 && algorithm->id != "hierarchical";
                if (made && !again && algorithm->id != "in-switch")
                {
                    INFO(name_of(kind)
                         << " " << algorithm->id << " " << ranks << " ranks, nodes of " << per_node);
                    f(*made, *algorithm, per_node);
                }
            }
        }
    }
}

const std::vector<int> kFew{1, 2, 3, 4, 5, 6, 7, 8};

// One call on every rank; what each had in its buffer afterwards, and what it sent.
struct Outcome
{
    std::vector<Numbers> held;
    std::vector<Index> sent;
};
template <class Work>
Outcome outcome(const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node,
                const std::vector<Numbers>& start, const Work& work)
{
    Outcome out{start, std::vector<Index>(start.size(), 0)};
    together(static_cast<int>(c.ranks),
             [&](Communicator& all, CallLog& log)
             {
                 const auto r = static_cast<std::size_t>(all.rank());
                 if (!all.set_algorithm(algorithm.id, per_node).empty())
                 {
                     throw std::runtime_error("the algorithm does not suit");
                 }
                 work(all, out.held[r]);
                 for (const Call& call : log.calls())
                 {
                     out.sent[r] += call.sent;
                 }
             });
    return out;
}

std::vector<Numbers> fractions_of_all(const Collective& c, DType type, Index count)
{
    std::vector<Numbers> all;
    for (int r = 0; r < c.ranks; ++r)
    {
        all.push_back(fractions(type, count, r));
    }
    return all;
}

void check_sent(const Outcome& out, const Collective& c, Index elements, DType type)
{
    for (std::size_t r = 0; r < out.sent.size(); ++r)
    {
        CHECK(out.sent[r] == sent_by_steps(c, static_cast<int>(r), elements, type));
    }
}

} // namespace

TEST_CASE("hand-worked: a ring of four sums 1, 2, 3 and 4 to 10 and sends 2 x 3/4 of the message")
{
    together(4,
             [](Communicator& all, CallLog& log)
             {
                 std::array<float, 8> data;
                 data.fill(static_cast<float>(all.rank() + 1));
                 all.all_reduce(data.data(), DType::f32, 8);
                 // Ranks are threads, and the tests' macros are for one.
                 const auto calls = log.calls();
                 if (data != std::array<float, 8>{10, 10, 10, 10, 10, 10, 10, 10} || calls.size() != 1 ||
                     calls[0].bytes != 32 || calls[0].sent != 48 || calls[0].kind != "all-reduce")
                 {
                     throw std::runtime_error("not what was worked by hand");
                 }
             });
    SUCCEED();
}

TEST_CASE("an all-reduce leaves the bits that the steps of its algorithm say, and sends their bytes")
{
    for_every_algorithm(CollectiveKind::all_reduce, kFew,
                        [](const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node)
                        {
                            for (const DType type : kTypes)
                            {
                                for (const Index n : kSizes)
                                {
                                    const auto start = fractions_of_all(c, type, n);
                                    const Outcome out = outcome(c, algorithm, per_node, start,
                                                                [&](Communicator& all, Numbers& mine)
                                                                { all.all_reduce(mine.data(), type, n); });
                                    CHECK(out.held == by_steps(c, start));
                                    check_sent(out, c, n, type);
                                }
                            }
                        });
}

TEST_CASE("an all-reduce agrees with the steps as core/network/collective executes them")
{
    for_every_algorithm(
        CollectiveKind::all_reduce, kFew,
        [](const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node)
        {
            std::vector<Numbers> start;
            std::vector<std::vector<double>> values;
            for (int r = 0; r < c.ranks; ++r)
            {
                start.push_back(wholes(DType::f32, c.chunks, r));
                values.emplace_back();
                for (Index i = 0; i < c.chunks; ++i)
                {
                    values.back().push_back(static_cast<double>(start.back()[i]));
                }
            }
            const Outcome out = outcome(c, algorithm, per_node, start,
                                        [&](Communicator& all, Numbers& mine)
                                        { all.all_reduce(mine.data(), DType::f32, c.chunks); });
            const auto wanted = execute(c, values);
            for (std::size_t r = 0; r < wanted.size(); ++r)
            {
                for (std::size_t i = 0; i < wanted[r].size(); ++i)
                {
                    CHECK(static_cast<double>(out.held[r][static_cast<Index>(i)]) == wanted[r][i]);
                }
            }
        });
}

TEST_CASE("an all-reduce of whole numbers is their plain sum, up to 64 ranks")
{
    for_every_algorithm(CollectiveKind::all_reduce, {1, 2, 5, 8, 16, 33, 64},
                        [](const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node)
                        {
                            constexpr Index kCount = 131;
                            std::vector<Numbers> start;
                            for (int r = 0; r < c.ranks; ++r)
                            {
                                start.push_back(wholes(DType::bf16, kCount, r));
                            }
                            Numbers sum(DType::bf16, kCount);
                            for (Index i = 0; i < kCount; ++i)
                            {
                                sum.set(i, sum_of_wholes(static_cast<int>(c.ranks), i));
                            }
                            const Outcome out = outcome(c, algorithm, per_node, start,
                                                        [&](Communicator& all, Numbers& mine) {
                                                            all.all_reduce(mine.data(), DType::bf16, kCount);
                                                        });
                            CHECK(out.held == std::vector<Numbers>(start.size(), sum));
                        });
}

TEST_CASE("a reduce-scatter leaves every rank its part of what the steps sum up")
{
    for_every_algorithm(CollectiveKind::reduce_scatter, kFew,
                        [](const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node)
                        {
                            for (const DType type : kTypes)
                            {
                                for (const Index n : kSizes)
                                {
                                    const auto start = fractions_of_all(c, type, n);
                                    const auto summed = by_steps(c, start);
                                    const Outcome out =
                                        outcome(c, algorithm, per_node, start,
                                                [&](Communicator& all, Numbers& mine)
                                                {
                                                    Numbers own(type, all.part(n, all.rank()).count);
                                                    all.reduce_scatter(mine.data(), own.data(), type, n);
                                                    mine = own;
                                                });
                                    for (std::size_t r = 0; r < out.held.size(); ++r)
                                    {
                                        const auto part =
                                            parallel::part_of(n, c.ranks, static_cast<Index>(r));
                                        REQUIRE(out.held[r].count() == part.count);
                                        for (Index i = 0; i < part.count; ++i)
                                        {
                                            CHECK(out.held[r][i] == summed[r][part.offset + i]);
                                        }
                                    }
                                    check_sent(out, c, n, type);
                                }
                            }
                        });
}

TEST_CASE("an all-gather puts every rank's part where it belongs")
{
    for_every_algorithm(
        CollectiveKind::all_gather, kFew,
        [](const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node)
        {
            for (const Index n : kSizes)
            {
                const Numbers whole_thing = fractions(DType::bf16, n, 3);
                const std::vector<Numbers> start(static_cast<std::size_t>(c.ranks), Numbers(DType::bf16, n));
                const Outcome out =
                    outcome(c, algorithm, per_node, start,
                            [&](Communicator& all, Numbers& mine)
                            {
                                const auto part = all.part(n, all.rank());
                                const auto* first =
                                    static_cast<const char*>(whole_thing.data()) + 2 * part.offset;
                                all.all_gather(first, mine.data(), DType::bf16, n);
                            });
                CHECK(out.held == std::vector<Numbers>(start.size(), whole_thing));
                check_sent(out, c, n, DType::bf16);
            }
        });
}

TEST_CASE("a broadcast reaches every rank from any root")
{
    for_every_algorithm(CollectiveKind::broadcast, kFew,
                        [](const Collective& c, const CollectiveAlgorithm& algorithm, std::int64_t per_node)
                        {
                            for (int root = 0; root < c.ranks; ++root)
                            {
                                for (const Index n : {Index{0}, Index{3}, Index{101}})
                                {
                                    const auto start = fractions_of_all(c, DType::f32, n);
                                    const Outcome out =
                                        outcome(c, algorithm, per_node, start,
                                                [&](Communicator& all, Numbers& mine)
                                                { all.broadcast(mine.data(), DType::f32, n, root); });
                                    const auto& wanted = start[static_cast<std::size_t>(root)];
                                    CHECK(out.held == std::vector<Numbers>(start.size(), wanted));
                                }
                            }
                        });
}

TEST_CASE(
    "for sizes that divide, a rank sends exactly 2 (N-1)/N S in an all-reduce and half of that in its halves")
{
    for (const int ranks : {2, 3, 4, 5, 6, 7, 8})
    {
        const Index n = 840 * Index{ranks}; // 840 is divisible by 1 to 8
        std::mutex mutex;
        std::vector<Call> calls;
        together(ranks,
                 [&](Communicator& all, CallLog& log)
                 {
                     Numbers data = wholes(DType::f32, n, all.rank());
                     Numbers own(DType::f32, n / ranks);
                     all.all_reduce(data.data(), DType::f32, n);
                     all.reduce_scatter(data.data(), own.data(), DType::f32, n);
                     all.all_gather(own.data(), data.data(), DType::f32, n);
                     const std::scoped_lock lock(mutex);
                     const auto mine = log.calls();
                     calls.insert(calls.end(), mine.begin(), mine.end());
                 });
        REQUIRE(calls.size() == 3 * static_cast<std::size_t>(ranks));
        for (const Call& call : calls)
        {
            INFO(call.kind << ", " << ranks << " ranks");
            const Index once = (ranks - 1) * (4 * n / ranks);
            CHECK(call.bytes == 4 * n);
            CHECK(call.sent == (call.kind == "all-reduce" ? 2 * once : once));
            CHECK(call.end >= call.start);
            CHECK(call.waits_for == -1);
        }
    }
}

TEST_CASE("an all-to-all brings every block where it goes, also empty ones")
{
    for (const int ranks : kFew)
    {
        std::mutex mutex;
        std::vector<bool> good;
        // Rank a has (a + 2 b) % 4 elements for rank b.
        const auto count = [](int a, int b) { return static_cast<Index>((a + 2 * b) % 4); };
        together(ranks,
                 [&](Communicator& all, CallLog&)
                 {
                     std::vector<Index> out_counts;
                     std::vector<Index> in_counts;
                     std::vector<float> out;
                     std::vector<float> wanted;
                     for (int r = 0; r < ranks; ++r)
                     {
                         out_counts.push_back(count(all.rank(), r));
                         in_counts.push_back(count(r, all.rank()));
                         out.insert(out.end(), static_cast<std::size_t>(out_counts.back()),
                                    static_cast<float>(100 * all.rank() + r));
                         wanted.insert(wanted.end(), static_cast<std::size_t>(in_counts.back()),
                                       static_cast<float>(100 * r + all.rank()));
                     }
                     std::vector<float> in(wanted.size(), -1);
                     all.all_to_all(out.data(), out_counts, in.data(), in_counts, DType::f32);
                     const std::scoped_lock lock(mutex);
                     good.push_back(in == wanted);
                 });
        CHECK(good == std::vector<bool>(static_cast<std::size_t>(ranks), true));
    }
}

TEST_CASE("messages go round a ring, and from one to the next")
{
    for (const int ranks : {2, 3, 8})
    {
        std::mutex mutex;
        std::vector<float> ends;
        together(ranks,
                 [&](Communicator& all, CallLog&)
                 {
                     const int right = (all.rank() + 1) % ranks;
                     const int left = (all.rank() + ranks - 1) % ranks;
                     auto mine = static_cast<float>(all.rank());
                     for (int hop = 0; hop < ranks; ++hop)
                     {
                         float next = -1;
                         all.exchange(right, &mine, 1, left, &next, 1, DType::f32);
                         mine = next;
                     }
                     // Down the line, each adding one.
                     float passed = 0;
                     if (all.rank() > 0)
                     {
                         all.receive(left, &passed, DType::f32, 1);
                     }
                     ++passed;
                     if (all.rank() + 1 < ranks)
                     {
                         all.send(right, &passed, DType::f32, 1);
                     }
                     all.barrier();
                     const std::scoped_lock lock(mutex);
                     ends.push_back(mine - static_cast<float>(all.rank()));
                     ends.push_back(passed - static_cast<float>(all.rank()) - 1);
                 });
        CHECK(ends == std::vector<float>(2 * static_cast<std::size_t>(ranks), 0));
    }
}

TEST_CASE("an algorithm that is unknown, needs a switch or does not suit the size is a fault with a way out")
{
    together(6,
             [](Communicator& all, CallLog&)
             {
                 const auto unknown = all.set_algorithm("rings");
                 const auto in_switch = all.set_algorithm("in-switch");
                 const auto nodes = all.set_algorithm("hierarchical", 4);
                 const bool good = unknown.size() == 1 && unknown[0].message == "rings is unknown" &&
                                   in_switch.size() == 1 && in_switch[0].path == "algorithm" &&
                                   nodes.size() == 1 && nodes[0].path == "ranks" &&
                                   all.set_algorithm("hierarchical", 3).empty();
                 if (!good)
                 {
                     throw std::runtime_error("faults are not as they should be");
                 }
             });
    SUCCEED();
}
