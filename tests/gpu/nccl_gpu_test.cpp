// NCCL's collectives among three processes. NCCL refuses two ranks on a GPU of one host, so each names a host
// of its own (NCCL_HOSTID) and they talk over the loopback: one GPU is enough to run every call.
#include "tests/core/lab/parallel_support.h"
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/lab/ranks/communication/backend_memory.h"
#include "core/lab/ranks/nccl/nccl.h"
#include "core/lab/ranks/nccl/nccl_library.h"
#include "core/lab/trainer/devices.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdlib>

using namespace ringside;
using namespace ringside::test;

namespace
{

constexpr int kRanks = 3;

// Enough of a transport for NCCL's ids: rank 0 has a socket to each of the others.
class SocketTransport final : public Transport
{
public:
    SocketTransport(int rank, std::array<int, kRanks> sockets) : rank_(rank), sockets_(sockets) {}

    int rank() const override { return rank_; }
    int ranks() const override { return kRanks; }
    std::string name() const override { return "sockets"; }
    Index post(int to, Tag, const void* data, Index bytes) override
    {
        whole(::send(sockets_.at(static_cast<std::size_t>(to)), data, static_cast<std::size_t>(bytes), 0),
              bytes);
        return 0;
    }
    void finish(Index) override {}
    void receive(int from, Tag, void* landing, Index bytes, const Take& take) override
    {
        const auto socket = sockets_.at(static_cast<std::size_t>(from));
        whole(::recv(socket, landing, static_cast<std::size_t>(bytes), MSG_WAITALL), bytes);
        take(landing);
    }
    void check() override {}
    void abort(const std::string& why) override { throw parallel::Aborted(why); }

private:
    static void whole(ssize_t moved, Index bytes)
    {
        if (moved != bytes)
        {
            throw std::runtime_error("another rank ended early");
        }
    }

    int rank_;
    std::array<int, kRanks> sockets_;
};

// Every call on the device, with its results on the host.
class NcclRank
{
public:
    NcclRank(Transport& transport, int rank)
        : rank_(rank), computes_(trainer::open_cuda(true).backend), moves_(trainer::open_cuda(true).backend),
          memory_(*moves_, *computes_),
          all_(parallel::make_nccl_carrier(transport, all_of(kRanks), 1, 0, memory_), "data", all_of(kRanks),
               rank, 1, log_, memory_)
    {
    }

    void all_kinds(DType type, Index n)
    {
        const auto part = all_.part(n, rank_);
        const auto sums = [&](Index i) { return sum_of_wholes(kRanks, i); };

        all_reduced(type, n, false);
        check(on_device(wholes(type, n, rank_), Numbers(type, part.count),
                        [&](void* in, void* out) { all_.reduce_scatter(in, out, type, n); }),
              [&](Index i) { return sums(part.offset + i); });
        Numbers mine(type, part.count);
        for (Index i = 0; i < part.count; ++i)
        {
            mine.set(i, whole(5, part.offset + i));
        }
        check(on_device(mine, Numbers(type, n),
                        [&](void* in, void* out) { all_.all_gather(in, out, type, n); }),
              [](Index i) { return whole(5, i); });
        check(on_device(wholes(type, n, rank_), wholes(type, n, rank_),
                        [&](void*, void* out) { all_.broadcast(out, type, n, 1); }),
              [](Index i) { return whole(1, i); });
        const int left = (rank_ + kRanks - 1) % kRanks;
        check(on_device(wholes(type, n, rank_), Numbers(type, n),
                        [&](void* in, void* out)
                        { all_.exchange((rank_ + 1) % kRanks, in, n, left, out, n, type); }),
              [&](Index i) { return whole(left, i); });
        all_.barrier();
        all_reduced(type, n, true);
    }

    // Rank a sends b + 1 elements to rank b, each a.
    void all_to_all()
    {
        const std::vector<Index> out_counts{1, 2, 3};
        const std::vector<Index> in_counts(kRanks, rank_ + 1);
        Numbers out(DType::f32, 6);
        for (Index i = 0; i < 6; ++i)
        {
            out.set(i, static_cast<float>(rank_));
        }
        const Index each = rank_ + 1;
        check(on_device(out, Numbers(DType::f32, each * kRanks),
                        [&](void* from, void* to)
                        { all_.all_to_all(from, out_counts, to, in_counts, DType::f32); }),
              [&](Index i) { return static_cast<float>(i / each); });
    }

private:
    // Directly, or on the group's own thread while another is made directly.
    void all_reduced(DType type, Index n, bool started)
    {
        check(on_device(wholes(type, n, rank_), wholes(type, n, rank_),
                        [&](void* other, void* data)
                        {
                            auto pending = started ? all_.start([&] { all_.all_reduce(other, type, n); })
                                                   : parallel::Pending();
                            all_.all_reduce(data, type, n);
                            pending.finish();
                        }),
              [](Index i) { return sum_of_wholes(kRanks, i); });
    }

    template <class Call>
    Numbers on_device(const Numbers& in, Numbers out, const Call& call)
    {
        const Index in_bytes = in.count() * bytes_of(in.type());
        const Index out_bytes = out.count() * bytes_of(out.type());
        void* from = memory_.allocate(in_bytes);
        void* to = memory_.allocate(out_bytes);
        computes_->upload(from, in.data(), in_bytes);
        computes_->upload(to, out.data(), out_bytes);
        call(from, to);
        computes_->download(out.data(), to, out_bytes);
        memory_.release(from);
        memory_.release(to);
        return out;
    }

    template <class Wanted>
    static void check(const Numbers& found, const Wanted& wanted)
    {
        Index wrong = 0;
        for (Index i = 0; i < found.count(); ++i)
        {
            wrong += found[i] == wanted(i) ? 0 : 1;
        }
        CHECK(wrong == 0);
    }

    int rank_;
    std::unique_ptr<trainer::Backend> computes_;
    std::unique_ptr<trainer::Backend> moves_;
    parallel::BackendMemory memory_;
    parallel::CallLog log_;
    Communicator all_;
};

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

} // namespace

TEST_CASE("one rank of NCCL", "[.rank]")
{
    const int rank = std::stoi(variable("RINGSIDE_TEST_RANK"));
    std::array<int, kRanks> sockets{};
    std::string listed = variable("RINGSIDE_TEST_SOCKETS");
    for (std::size_t r = 0; r < sockets.size(); ++r)
    {
        std::size_t read = 0;
        sockets.at(r) = std::stoi(listed, &read);
        listed.erase(0, read + 1);
    }
    SocketTransport transport(rank, sockets);
    NcclRank here(transport, rank);
    for (const DType type : {DType::f32, DType::bf16, DType::f16})
    {
        for (const Index n :
             {Index{7}, Index{1038}, Index{300'001}}) // 1038 = 3 x 346: NCCL's own scatter and gather
        {
            INFO("rank " << rank << ", " << n << " of " << bytes_of(type) << " bytes");
            here.all_kinds(type, n);
        }
    }
    here.all_to_all();
}

TEST_CASE("NCCL's ranks get what the step lists give")
{
    std::string reason;
    if (parallel::nccl::library(reason) == nullptr)
    {
        SKIP(reason);
    }
    std::array<std::array<int, 2>, kRanks> pairs{};
    for (std::size_t r = 1; r < pairs.size(); ++r)
    {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pairs.at(r).data()) == 0);
    }
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    std::vector<pid_t> ranks;
    for (int r = 0; r < kRanks; ++r)
    {
        const auto& own = pairs.at(static_cast<std::size_t>(r));
        setenv("RINGSIDE_TEST_RANK", std::to_string(r).c_str(), 1);
        setenv("NCCL_HOSTID", ("host-" + std::to_string(r)).c_str(), 1);
        const std::string sockets =
            r == 0 ? "0," + std::to_string(pairs[1][0]) + "," + std::to_string(pairs[2][0])
                   : std::to_string(own[1]) + ",0,0";
        setenv("RINGSIDE_TEST_SOCKETS", sockets.c_str(), 1);
        std::string program = "/proc/self/exe";
        std::string name = "one rank of NCCL";
        std::array<char*, 3> arguments{program.data(), name.data(), nullptr};
        pid_t id = 0;
        REQUIRE(::posix_spawn(&id, program.c_str(), nullptr, nullptr, arguments.data(), environ) == 0);
        ranks.push_back(id);
    }
    for (const auto& pair : pairs)
    {
        ::close(pair[0] > 0 ? pair[0] : -1);
        ::close(pair[1] > 0 ? pair[1] : -1);
    }
    for (const pid_t id : ranks)
    {
        int status = 0;
        REQUIRE(::waitpid(id, &status, 0) == id);
        CHECK(status == 0);
    }
}
