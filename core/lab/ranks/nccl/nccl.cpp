#include "core/lab/ranks/nccl/nccl.h"

#include <fmt/format.h>

#include "core/lab/ranks/nccl/nccl_library.h"
#include "core/network/collective/collective.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace ringside::parallel
{

namespace
{

using nccl::Id;
using nccl::Library;
using nccl::Sum;
using nccl::Type;

constexpr int kLanes = 2; // the caller's thread and the group's own: a communicator and a stream for each

void must(cudaError_t status)
{
    if (status != cudaSuccess)
    {
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
    }
}

Type type_of(DType type)
{
    switch (type)
    {
    case DType::f32:
        return Type::f32;
    case DType::bf16:
        return Type::bf16;
    case DType::f16:
        return Type::f16;
    default:
        throw std::invalid_argument("8-bit numbers cannot be summed");
    }
}

std::size_t size(Index count)
{
    return static_cast<std::size_t>(count);
}

// What the driver says, or how many devices there are.
int devices(std::string& reason)
{
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    {
        reason = "there is no NVIDIA driver";
        return 0;
    }
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess)
    {
        cudaGetLastError(); // it is answered here
        reason = cudaGetErrorString(status);
        return 0;
    }
    return count;
}

// Rank 0 of the group makes them, the others get them by the transport.
std::array<Id, kLanes> agree_on_ids(Transport& transport, const std::vector<int>& members, std::int64_t tag,
                                    const Library& lib)
{
    std::array<Id, kLanes> ids;
    constexpr auto kBytes = static_cast<Index>(sizeof ids);
    if (transport.rank() != members.front())
    {
        transport.receive_into(members.front(), tag * 2, ids.data(), kBytes);
        return ids;
    }
    for (Id& id : ids)
    {
        if (const int status = lib.get_unique_id(&id); status != 0)
        {
            throw std::runtime_error(std::string("NCCL: ") + lib.get_error_string(status));
        }
    }
    std::vector<Index> posts;
    for (std::size_t r = 1; r < members.size(); ++r)
    {
        posts.push_back(transport.post(members[r], tag * 2, ids.data(), kBytes));
    }
    for (const Index post : posts)
    {
        transport.finish(post);
    }
    return ids;
}

class NcclCarrier final : public Carrier
{
public:
    NcclCarrier(const Library& lib, Transport& transport, const std::vector<int>& members, std::int64_t tag,
                int device, Memory& memory)
        : lib_(lib), transport_(transport), ranks_(static_cast<int>(members.size())), device_(device),
          memory_(memory)
    {
        for (int r = 0; r < ranks_; ++r)
        {
            rank_ = members[static_cast<std::size_t>(r)] == transport.rank() ? r : rank_;
        }
        const auto ids = agree_on_ids(transport, members, tag, lib);
        must(cudaSetDevice(device_));
        for (std::size_t i = 0; i < lanes_.size(); ++i)
        {
            must(cudaStreamCreateWithFlags(&lanes_[i].stream, cudaStreamNonBlocking));
            must(cudaMalloc(&lanes_[i].one, sizeof(float)));
            must(lib_.comm_init_rank(&lanes_[i].comm, ranks_, ids[i], rank_));
        }
    }
    ~NcclCarrier() override
    {
        cudaSetDevice(device_);
        for (Lane& lane : lanes_)
        {
            if (lane.comm != nullptr)
            {
                lib_.comm_destroy(lane.comm);
            }
            cudaFree(lane.one);
            if (lane.stream != nullptr)
            {
                cudaStreamDestroy(lane.stream);
            }
        }
    }

    // NCCL chooses its own.
    Issues set_algorithm(std::string_view algorithm, std::int64_t) override
    {
        return find_algorithm(algorithm) != nullptr
                   ? Issues{}
                   : Issues{{"algorithm", std::string(algorithm) + " is unknown", {}}};
    }

    void all_reduce(Ongoing& call, void* data, DType type, Index elements) override
    {
        run(call,
            [&](const Lane& l) {
                must(lib_.all_reduce(data, data, size(elements), type_of(type), Sum::sum, l.comm, l.stream));
            });
        call.sent(2 * ring_share(elements * bytes_of(type)));
    }

    void reduce_scatter(Ongoing& call, void* whole, void* own, DType type, Index elements) override
    {
        run(call,
            [&](const Lane& l)
            {
                if (elements % ranks_ == 0)
                {
                    must(lib_.reduce_scatter(whole, own, size(elements / ranks_), type_of(type), Sum::sum,
                                             l.comm, l.stream));
                    return;
                }
                for (int r = 0; r < ranks_; ++r)
                {
                    const Part part = part_of(elements, ranks_, r);
                    must(lib_.reduce(at(whole, part.offset * bytes_of(type)), own, size(part.count),
                                     type_of(type), Sum::sum, r, l.comm, l.stream));
                }
            });
        call.sent(ring_share(elements * bytes_of(type)));
    }

    void all_gather(Ongoing& call, const void* own, void* whole, DType type, Index elements) override
    {
        run(call,
            [&](const Lane& l)
            {
                if (elements % ranks_ == 0)
                {
                    must(lib_.all_gather(own, whole, size(elements / ranks_), type_of(type), l.comm,
                                         l.stream));
                    return;
                }
                for (int r = 0; r < ranks_; ++r)
                {
                    const Part part = part_of(elements, ranks_, r);
                    must(lib_.broadcast(own, at(whole, part.offset * bytes_of(type)), size(part.count),
                                        type_of(type), r, l.comm, l.stream));
                }
            });
        call.sent(ring_share(elements * bytes_of(type)));
    }

    void broadcast(Ongoing& call, void* data, DType type, Index elements, int root) override
    {
        const Index bytes = elements * bytes_of(type);
        run(call, [&](const Lane& l)
            { must(lib_.broadcast(data, data, size(bytes), Type::i8, root, l.comm, l.stream)); });
        const bool last = (rank_ + 1) % ranks_ == root;
        call.sent(last ? 0 : bytes);
    }

    void all_to_all(Ongoing& call, const void* out, const std::vector<Index>& out_counts, void* in,
                    const std::vector<Index>& in_counts, DType type) override
    {
        Index sent = 0;
        run(call,
            [&](const Lane& l)
            {
                const char* from = at(out, 0);
                char* to = at(in, 0);
                for (int r = 0; r < ranks_; ++r)
                {
                    const Index out_bytes = out_counts[size(r)] * bytes_of(type);
                    const Index in_bytes = in_counts[size(r)] * bytes_of(type);
                    message(l, r, from, out_bytes, r, to, in_bytes);
                    sent += r == rank_ ? 0 : out_bytes;
                    from += out_bytes;
                    to += in_bytes;
                }
            });
        call.sent(sent);
    }

    void exchange(Ongoing& call, int to, const void* out, Index out_bytes, int from, void* in,
                  Index in_bytes) override
    {
        run(call, [&](const Lane& l) { message(l, to, out, out_bytes, from, in, in_bytes); });
        call.sent(to >= 0 ? out_bytes : 0);
    }

    void barrier(Ongoing& call) override
    {
        run(call, [&](const Lane& l)
            { must(lib_.all_reduce(l.one, l.one, 1, Type::f32, Sum::sum, l.comm, l.stream)); });
    }

    void abort(const std::string& why) override { transport_.abort(why); }

private:
    struct Lane
    {
        nccl::Comm comm = nullptr;
        cudaStream_t stream = nullptr;
        void* one = nullptr;
    };

    void must(cudaError_t status) const { parallel::must(status); }
    void must(nccl::Status status) const
    {
        if (status != 0)
        {
            throw std::runtime_error(std::string("NCCL: ") + lib_.get_error_string(status));
        }
    }

    Index ring_share(Index bytes) const { return bytes * (ranks_ - 1) / ranks_; }

    // Nothing is sent where there is nothing; both ends know.
    void message(const Lane& l, int to, const void* out, Index out_bytes, int from, void* in,
                 Index in_bytes) const
    {
        if (to >= 0 && out_bytes > 0)
        {
            must(lib_.send(out, size(out_bytes), Type::i8, to, l.comm, l.stream));
        }
        if (from >= 0 && in_bytes > 0)
        {
            must(lib_.receive(in, size(in_bytes), Type::i8, from, l.comm, l.stream));
        }
    }

    // Hands work over in one group, and waits until the device has done it.
    template <class Work>
    void run(const Ongoing& call, const Work& work)
    {
        memory_.settle();
        must(cudaSetDevice(device_));
        Lane& lane = lanes_.at(static_cast<std::size_t>(call.lane()));
        try
        {
            transport_.check();
            must(lib_.group_start());
            work(lane);
            must(lib_.group_end());
            wait(lane);
        }
        catch (...)
        {
            // The others of the group wait inside NCCL; they hear of it by the transport and come here too.
            lib_.comm_abort(lane.comm);
            lane.comm = nullptr;
            throw;
        }
    }

    void wait(const Lane& lane) const
    {
        for (int looks = 0;; ++looks)
        {
            const cudaError_t status = cudaStreamQuery(lane.stream);
            if (status == cudaSuccess)
            {
                return;
            }
            if (status != cudaErrorNotReady)
            {
                must(status);
            }
            nccl::Status error = 0;
            must(lib_.comm_get_async_error(lane.comm, &error));
            must(error);
            transport_.check();
            pause(looks);
        }
    }
    static void pause(int looks)
    {
        constexpr int kQuick = 200;
        if (looks < kQuick)
        {
            std::this_thread::yield();
            return;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }

    const Library& lib_;
    Transport& transport_;
    int ranks_;
    int rank_ = 0;
    int device_;
    Memory& memory_;
    std::array<Lane, kLanes> lanes_;
};

} // namespace

NcclProbe probe_nccl()
{
    std::string reason;
    const Library* lib = nccl::library(reason);
    if (lib == nullptr)
    {
        return {false, "no NCCL: " + reason};
    }
    const int gpus = devices(reason);
    if (gpus < 2)
    {
        return {false, gpus == 1 ? "no NCCL: it needs two GPUs or more, and here is one"
                                 : fmt::format("no NCCL: it needs two GPUs or more; {}",
                                               reason.empty() ? "there is none" : reason)};
    }
    int version = 0;
    lib->get_version(&version);
    return {true, fmt::format("NCCL {}.{}.{} on {} GPUs", version / 10000, version / 100 % 100, version % 100,
                              gpus)};
}

std::unique_ptr<Carrier> make_nccl_carrier(Transport& transport, const std::vector<int>& members,
                                           std::int64_t tag, int device, Memory& memory)
{
    std::string reason;
    const Library* lib = nccl::library(reason);
    if (lib == nullptr || devices(reason) == 0)
    {
        throw std::runtime_error(probe_nccl().says);
    }
    return std::make_unique<NcclCarrier>(*lib, transport, members, tag, device, memory);
}

} // namespace ringside::parallel
