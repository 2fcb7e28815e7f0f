#include "core/lab/ranks/nccl/nccl_library.h"

#include <dlfcn.h>

#include <memory>
#include <type_traits>

namespace ringside::parallel::nccl
{

namespace
{

struct Loaded
{
    std::unique_ptr<Library> library;
    std::string reason;
};

Loaded load()
{
    void* handle = nullptr;
    for (const char* name : {"libnccl.so.2", "libnccl.so"})
    {
        handle = handle != nullptr ? handle : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == nullptr)
    {
        return {nullptr, "libnccl.so.2 is not installed"};
    }
    auto lib = std::make_unique<Library>();
    std::string missing;
    const auto find = [&](auto& function, const char* name)
    {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
        missing = function == nullptr && missing.empty() ? name : missing;
    };
    find(lib->get_version, "ncclGetVersion");
    find(lib->get_unique_id, "ncclGetUniqueId");
    find(lib->comm_init_rank, "ncclCommInitRank");
    find(lib->comm_destroy, "ncclCommDestroy");
    find(lib->comm_abort, "ncclCommAbort");
    find(lib->comm_get_async_error, "ncclCommGetAsyncError");
    find(lib->get_error_string, "ncclGetErrorString");
    find(lib->all_reduce, "ncclAllReduce");
    find(lib->reduce, "ncclReduce");
    find(lib->reduce_scatter, "ncclReduceScatter");
    find(lib->all_gather, "ncclAllGather");
    find(lib->broadcast, "ncclBroadcast");
    find(lib->send, "ncclSend");
    find(lib->receive, "ncclRecv");
    find(lib->group_start, "ncclGroupStart");
    find(lib->group_end, "ncclGroupEnd");
    if (!missing.empty())
    {
        return {nullptr, "the installed libnccl is too old: it has no " + missing};
    }
    return {std::move(lib), {}};
}

} // namespace

const Library* library(std::string& reason)
{
    static const Loaded loaded = load();
    reason = loaded.reason;
    return loaded.library.get();
}

} // namespace ringside::parallel::nccl
