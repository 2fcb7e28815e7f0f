// What a WebGPU device is asked to do, as whole numbers of 32 bits: a page's C++ writes them, its JavaScript
// reads them (app/page/webgpu.js). Every command begins with what it is and how many numbers it has, these
// two among them. Text and bytes are packed, the last number filled up with zeros; sizes and places in
// buffers are in bytes.
#pragma once

#include <cstdint>

namespace ringside::trainer
{

enum class GpuCommand : std::uint32_t
{
    create,  // buffer, bytes, GpuBuffer
    destroy, // buffer
    kernel,  // kernel, bytes of its name, "product side=16": the file, and the constants that are filled in
    run,     // kernel, workgroups x, y, z, count of buffers, buffers, sizes of the kernel
    clear,   // buffer, place, bytes
    copy,    // buffer, place, buffer, place, bytes
    upload,  // buffer, place, bytes, what
    read,    // ticket, buffer, place, bytes, buffer for reading
    record,  // buffer for sizes, count of numbers, commands: run, clear and copy; in place of the last
             // recording
    replay,  // carries them out
    watch,   // repeats: runs are timed from here on, each so many times more
    time     // ticket: until here; answered as kGpuTimesHead says
};
enum class GpuBuffer : std::uint32_t
{
    storage, // that kernels work on
    sizes,   // that they are told: one place of 256 B for every run
    reading  // that the host may look into
};
// How long runs took: what the clock is rounded to [ns], 1 where it is the host's, then for each kernel its
// number, how many runs, and the seconds of all as the bits of a float.
inline constexpr std::size_t kGpuTimesHead = 2;
inline constexpr std::size_t kGpuTimesEach = 3;
inline constexpr std::uint32_t kGpuSizesPlace = 256; // [B] what uniform buffers may begin at

} // namespace ringside::trainer
