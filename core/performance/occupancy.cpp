#include "core/performance/occupancy.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kRegisterUnit = 256;
constexpr std::int64_t kQuarters = 4;
constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kSharedUnit = 128;
constexpr std::int64_t kSystemShared = 1024; // [B] a block

constexpr std::array kMultiprocessors{
    Multiprocessor{"8.0", "Ampere", 2048, 32, 65536, 164 * kKi, 163 * kKi},
    Multiprocessor{"9.0", "Hopper", 2048, 32, 65536, 228 * kKi, 227 * kKi},
    Multiprocessor{"10.0", "Blackwell", 2048, 32, 65536, 228 * kKi, 227 * kKi},
};

constexpr std::int64_t parts(std::int64_t count, std::int64_t unit)
{
    return (count + unit - 1) / unit;
}

constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t unit)
{
    return parts(count, unit) * unit;
}

// The launch is checked as if every quarter got as many warps, so a block's are rounded up to fours there.
std::int64_t by_registers(const Multiprocessor& m, const KernelShape& k, std::int64_t warps)
{
    const std::int64_t warp = rounded_up(k.registers * kWarp, kRegisterUnit);
    if (k.registers > m.thread_registers || warp * rounded_up(warps, kQuarters) > m.registers)
    {
        return 0;
    }
    return warp == 0 ? m.blocks : m.registers / kQuarters / warp * kQuarters / warps;
}

} // namespace

std::span<const Multiprocessor> multiprocessors()
{
    return kMultiprocessors;
}

const Multiprocessor* multiprocessor_of(const Gpu& gpu)
{
    struct Prefix
    {
        std::string_view id;
        std::size_t place;
    };
    constexpr std::array kPrefixes{Prefix{"a100-", 0}, Prefix{"h100-", 1}, Prefix{"h200-", 1},
                                   Prefix{"h800-", 1}, Prefix{"h20-", 1},  Prefix{"b200-", 2},
                                   Prefix{"gb200", 2}};
    const auto found = std::find_if(kPrefixes.begin(), kPrefixes.end(),
                                    [&](const Prefix& p) { return gpu.id.starts_with(p.id); });
    return found == kPrefixes.end() ? nullptr : &kMultiprocessors[found->place];
}

Occupancy occupancy(const Multiprocessor& m, const KernelShape& k)
{
    Occupancy o;
    if (k.threads < 1 || k.threads > m.block_threads || k.registers < 0 || k.shared < 0)
    {
        return o;
    }
    o.block_warps = parts(k.threads, kWarp);
    o.block_registers = rounded_up(k.registers * kWarp, kRegisterUnit) * o.block_warps;
    o.block_shared = rounded_up(k.shared + kSystemShared, kSharedUnit);
    const std::int64_t shared = k.shared > m.block_shared ? 0 : m.shared / o.block_shared;
    o.by = {m.warps() / o.block_warps, by_registers(m, k, o.block_warps), shared, m.blocks};
    o.blocks = *std::min_element(o.by.begin(), o.by.end());
    o.warps = o.blocks * o.block_warps;
    o.share = static_cast<double>(o.warps) / static_cast<double>(m.warps());
    return o;
}

} // namespace ringside
