#include "core/lab/ranks/communication/communicator_check.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/lab/ranks/communication/communicator.h"
#include "core/lab/ranks/communication/thread_world.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace ringside::parallel
{

namespace
{

constexpr std::array<Index, 4> kSizes{1, 7, 1037, 20011}; // the last one is beyond what MPI sends at once
constexpr std::array kTypes{DType::f32, DType::bf16, DType::f16};

std::string_view name_of(DType type)
{
    return type == DType::f32 ? "fp32" : type == DType::bf16 ? "bf16" : "fp16";
}

// FNV-1a.
std::uint64_t hash_of(const std::vector<std::uint32_t>& words, Index bytes)
{
    std::uint64_t hash = 0xCBF29CE484222325U;
    const auto* data = reinterpret_cast<const unsigned char*>(words.data());
    for (Index i = 0; i < bytes; ++i)
    {
        hash = (hash ^ data[i]) * 0x100000001B3U;
    }
    return hash;
}

class CollectiveChecks
{
public:
    CollectiveChecks(Transport& transport, std::uint64_t seed)
        : members_(static_cast<std::size_t>(transport.ranks())),
          random_(seed * 1000 + static_cast<std::uint64_t>(transport.rank()))
    {
        std::iota(members_.begin(), members_.end(), 0);
        all_ = std::make_unique<Communicator>(transport, "all", members_, 1, log_);
    }

    std::vector<CheckedCall> run()
    {
        for (const CollectiveAlgorithm* algorithm : collective_algorithms())
        {
            if (!all_->set_algorithm(algorithm->id).empty())
            {
                continue;
            }
            by_ = algorithm->id;
            for (const DType type : kTypes)
            {
                for (const Index n : kSizes)
                {
                    collectives(type, n);
                }
            }
        }
        messages();
        started();
        return std::move(calls_);
    }

private:
    using Words = std::vector<std::uint32_t>;

    // Bit patterns of numbers between 1 and 2, or their negatives, in any format: sums depend on the order.
    Words numbers(DType type, Index n)
    {
        Words words(static_cast<std::size_t>(n + 1));
        for (std::uint32_t& w : words)
        {
            const auto bits = static_cast<std::uint32_t>(random_());
            const std::uint32_t two =
                type == DType::bf16 ? 0x3F803F80U | (bits & 0x807F807FU) : 0x3C003C00U | (bits & 0x83FF83FFU);
            w = type == DType::f32 ? 0x3F800000U | (bits & 0x807FFFFFU) : two;
        }
        return words;
    }

    void note(std::string_view kind, DType type, Index n, const Words& words, Index held)
    {
        calls_.push_back({fmt::format("{}, {}, {} {}", kind, by_, n, name_of(type)),
                          hash_of(words, held * bytes_of(type))});
    }

    void collectives(DType type, Index n)
    {
        const Part mine = all_->part(n, all_->rank());
        Words whole = numbers(type, n);
        all_->all_reduce(whole.data(), type, n);
        note("all-reduce", type, n, whole, n);
        whole = numbers(type, n);
        Words own(static_cast<std::size_t>(mine.count + 1));
        all_->reduce_scatter(whole.data(), own.data(), type, n);
        note("reduce-scatter", type, n, own, mine.count);
        own = numbers(type, mine.count);
        all_->all_gather(own.data(), whole.data(), type, n);
        note("all-gather", type, n, whole, n);
        const int root = static_cast<int>(n) % all_->ranks();
        whole = numbers(type, n);
        all_->broadcast(whole.data(), type, n, root);
        note("broadcast", type, n, whole, n);
    }

    // Rank a has 100 (a + 2 b) % 700 elements for rank b.
    void messages()
    {
        by_ = "direct";
        const auto count = [](int a, int b) { return static_cast<Index>(100 * (a + 2 * b) % 700); };
        const auto out_counts = list_of<Index>(members_, [&](int r) { return count(all_->rank(), r); });
        const auto in_counts = list_of<Index>(members_, [&](int r) { return count(r, all_->rank()); });
        const auto out_count = sum_over<Index>(out_counts);
        const auto in_count = sum_over<Index>(in_counts);
        const Words out = numbers(DType::f32, out_count);
        Words in(static_cast<std::size_t>(in_count + 1));
        all_->all_to_all(out.data(), out_counts, in.data(), in_counts, DType::f32);
        note("all-to-all", DType::f32, out_count, in, in_count);
        all_->barrier();
        if (all_->ranks() > 1)
        {
            around();
        }
    }

    // A hop of a ring, then a line from rank 0 to the last.
    void around()
    {
        constexpr Index kCount = 3001;
        const int n = all_->ranks();
        const int right = (all_->rank() + 1) % n;
        const int left = (all_->rank() + n - 1) % n;
        const Words out = numbers(DType::f32, kCount);
        Words in(out.size());
        all_->exchange(right, out.data(), kCount, left, in.data(), kCount, DType::f32);
        note("exchange", DType::f32, kCount, in, kCount);
        if (all_->rank() > 0)
        {
            all_->receive(left, in.data(), DType::f32, kCount);
        }
        if (all_->rank() + 1 < n)
        {
            all_->send(right, in.data(), DType::f32, kCount);
        }
        note("send and receive", DType::f32, kCount, in, kCount);
    }

    // Sums on the group's own thread while others are made directly.
    void started()
    {
        by_ = "started";
        constexpr Index kCount = 5003;
        std::vector<Words> sums(6);
        std::ranges::generate(sums, [&] { return numbers(DType::f32, kCount); });
        std::vector<Pending> pending;
        for (std::size_t i = 0; i < sums.size(); ++i)
        {
            const auto sum = [this, &words = sums[i]] { all_->all_reduce(words.data(), DType::f32, kCount); };
            if (i % 2 == 0)
            {
                pending.push_back(all_->start(sum));
            }
            else
            {
                sum();
            }
        }
        for (Pending& p : pending)
        {
            p.wait();
        }
        for (const Words& words : sums)
        {
            note("all-reduce", DType::f32, kCount, words, kCount);
        }
    }

    std::vector<int> members_;
    std::mt19937_64 random_;
    CallLog log_;
    std::unique_ptr<Communicator> all_;
    std::string_view by_;
    std::vector<CheckedCall> calls_;
};

std::string difference(const std::vector<CheckedCall>& wanted, const std::vector<std::uint64_t>& found,
                       int rank)
{
    for (std::size_t i = 0; i < wanted.size(); ++i)
    {
        if (wanted[i].hash != found[i])
        {
            return fmt::format("rank {}: {} differs from what threads have", rank, wanted[i].says);
        }
    }
    return {};
}

} // namespace

std::vector<CheckedCall> check_communicator(Transport& transport, std::uint64_t seed)
{
    return CollectiveChecks(transport, seed).run();
}

std::vector<std::vector<CheckedCall>> checked_on_threads(int ranks, std::uint64_t seed)
{
    std::vector<std::vector<CheckedCall>> all(static_cast<std::size_t>(ranks));
    ThreadWorld world(ranks);
    world.run([&](Transport& transport)
              { all[static_cast<std::size_t>(transport.rank())] = check_communicator(transport, seed); });
    return all;
}

std::string compare_with_threads(Transport& transport, const std::vector<CheckedCall>& calls,
                                 std::uint64_t seed)
{
    auto hashes = list_of<std::uint64_t>(calls, &CheckedCall::hash);
    const auto bytes = static_cast<Index>(hashes.size() * sizeof(std::uint64_t));
    if (transport.rank() > 0)
    {
        transport.finish(transport.post(0, 0, hashes.data(), bytes));
        return {};
    }
    const auto threads = checked_on_threads(transport.ranks(), seed);
    std::string wrong = difference(threads[0], hashes, 0);
    for (int r = 1; r < transport.ranks(); ++r)
    {
        transport.receive_into(r, 0, hashes.data(), bytes);
        wrong = wrong.empty() ? difference(threads[static_cast<std::size_t>(r)], hashes, r) : wrong;
    }
    return wrong;
}

} // namespace ringside::parallel
