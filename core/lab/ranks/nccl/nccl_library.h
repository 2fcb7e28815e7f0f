// The functions of NCCL that are used, found in the library at run time. Declared here after NCCL's
// documented interface, which has been the same since 2.10, so that no header of it is needed.
#pragma once

#include <array>
#include <cstddef>
#include <string>

struct CUstream_st;

namespace ringside::parallel::nccl
{

using Comm = struct OpaqueComm*;
using Stream = CUstream_st*;
using Status = int; // 0: success
struct Id
{
    std::array<char, 128> bytes{};
};

// Values of ncclDataType_t and ncclRedOp_t.
enum class Type : int
{
    i8 = 0,
    f16 = 6,
    f32 = 7,
    bf16 = 9
};
enum class Sum : int
{
    sum = 0
};

struct Library
{
    Status (*get_version)(int* version) = nullptr;
    Status (*get_unique_id)(Id* id) = nullptr;
    Status (*comm_init_rank)(Comm* comm, int ranks, Id id, int rank) = nullptr;
    Status (*comm_destroy)(Comm comm) = nullptr;
    Status (*comm_abort)(Comm comm) = nullptr;
    Status (*comm_get_async_error)(Comm comm, Status* error) = nullptr;
    const char* (*get_error_string)(Status status) = nullptr;
    Status (*all_reduce)(const void* in, void* out, std::size_t count, Type type, Sum op, Comm comm,
                         Stream stream) = nullptr;
    Status (*reduce)(const void* in, void* out, std::size_t count, Type type, Sum op, int root, Comm comm,
                     Stream stream) = nullptr;
    Status (*reduce_scatter)(const void* in, void* out, std::size_t count_of_one, Type type, Sum op,
                             Comm comm, Stream stream) = nullptr;
    Status (*all_gather)(const void* in, void* out, std::size_t count_of_one, Type type, Comm comm,
                         Stream stream) = nullptr;
    Status (*broadcast)(const void* in, void* out, std::size_t count, Type type, int root, Comm comm,
                        Stream stream) = nullptr;
    Status (*send)(const void* data, std::size_t count, Type type, int to, Comm comm,
                   Stream stream) = nullptr;
    Status (*receive)(void* data, std::size_t count, Type type, int from, Comm comm, Stream stream) = nullptr;
    Status (*group_start)() = nullptr;
    Status (*group_end)() = nullptr;
};

// Loaded once, and kept while the program runs; null with the reason where it is not there.
const Library* library(std::string& reason);

} // namespace ringside::parallel::nccl
