#include "core/lab/trainer/cpu/cpu_backend.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/ranges.h"

#include <cstdlib>
#include <cstring>

namespace ringside::trainer
{

namespace
{

constexpr Index kAlignment = 64;

} // namespace

// Tiles as large as leaves several for every thread. B is packed for each tile that lies below another, A for
// each beside another; not where it is read in place: tiles are tall then, and narrow before they are low.
cpu::Tile CpuBackend::tile_size(const Product& p) const
{
    constexpr Index kTall = 528;
    constexpr Index kNarrow = 32;
    const bool lies = cpu::reads_in_place(p);
    const auto threads = static_cast<Index>(pool_.threads());
    Index rows = std::min<Index>(cut(p.m(), kernels_.tile_rows) * kernels_.tile_rows, lies ? kTall : 192);
    Index cols = std::min<Index>(cut(p.n(), kernels_.tile_cols) * kernels_.tile_cols, 256);
    const Index wanted = threads > 1 ? kPiecesPerThread * threads : 1;
    while (cut(p.m(), rows) * cut(p.n(), cols) < wanted)
    {
        const bool shrink_cols = lies ? cols > kNarrow : cols >= rows;
        Index& side = shrink_cols ? cols : rows;
        const Index unit = shrink_cols ? kernels_.tile_cols : kernels_.tile_rows;
        const Index smaller = cut(side / 2, unit) * unit;
        if (smaller < std::min(2 * unit, kNarrow) || side <= kNarrow)
        {
            break;
        }
        side = smaller;
    }
    return {{0, rows}, {0, cols}};
}

CpuBackend::CpuBackend(std::size_t threads, const cpu::Kernels& kernels)
    : pool_(threads == 0 ? cpu::default_threads() : threads), kernels_(kernels), scratch_(pool_.threads())
{
    reserve(kernels_.product_scratch); // so that the workspace is known before the first step
}

std::string CpuBackend::name() const
{
    return fmt::format("CPU, {} thread{}, {}", pool_.threads(), pool_.threads() == 1 ? "" : "s",
                       kernels_.name);
}

Index CpuBackend::capacity() const
{
    return static_cast<Index>(sysconf(_SC_PHYS_PAGES)) * static_cast<Index>(sysconf(_SC_PAGESIZE));
}

void* CpuBackend::allocate(Index bytes)
{
    return std::aligned_alloc(
        kAlignment, static_cast<std::size_t>(cut(std::max<Index>(bytes, 1), kAlignment) * kAlignment));
}

void CpuBackend::release(void* memory)
{
    std::free(memory);
}

Index CpuBackend::workspace() const
{
    return sum_over<Index>(scratch_,
                           [&](const auto& part) { return static_cast<Index>(part.size() * sizeof(float)); });
}

void CpuBackend::copy(void* to, const void* from, Index bytes)
{
    if (bytes > 0) // nothing may be nowhere
    {
        std::memmove(to, from, static_cast<std::size_t>(bytes));
    }
}

void CpuBackend::clear(void* memory, Index bytes)
{
    std::memset(memory, 0, static_cast<std::size_t>(bytes));
}

void CpuBackend::reserve(Index floats)
{
    for (auto& part : scratch_)
    {
        if (static_cast<Index>(part.size()) < floats)
        {
            part.resize(static_cast<std::size_t>(floats));
        }
    }
}

void CpuBackend::run(const Product& product)
{
    const cpu::Tile size = tile_size(product);
    const Index rows = size.rows.end;
    const Index cols = size.cols.end;
    const Index down = cut(product.m(), rows);
    with_scratch(kernels_.product_scratch, down * cut(product.n(), cols),
                 [&](Index part, float* scratch)
                 {
                     const Index row = part % down * rows;
                     const Index col = part / down * cols;
                     kernels_.product(
                         product,
                         {{row, std::min(product.m(), row + rows)}, {col, std::min(product.n(), col + cols)}},
                         scratch);
                 });
}

void CpuBackend::run(const Attention& a)
{
    const Index blocks = cut(a.length, cpu::kQueryRows);
    with_scratch(cpu::attention_scratch(a.length, a.head_dim), a.sequences() * a.heads * blocks,
                 [&](Index part, float* scratch) { kernels_.attention(a, part, scratch); });
}

void CpuBackend::run(const AttentionBackward& b)
{
    const Attention& a = b.forward;
    with_scratch(cpu::attention_scratch(a.length, a.head_dim), a.sequences() * a.kv_heads,
                 [&](Index part, float* scratch) { kernels_.attention_backward(b, part, scratch); });
}

void CpuBackend::run(const AttentionHop& a)
{
    const Index blocks = a.queries.pieces * cut(a.length / a.queries.pieces, cpu::kQueryRows);
    with_scratch(cpu::attention_scratch(a.length, a.head_dim), a.sequences() * a.heads * blocks,
                 [&](Index part, float* scratch) { kernels_.attention_hop(a, part, scratch); });
}

void CpuBackend::run(const AttentionHopBackward& b)
{
    const AttentionHop& a = b.forward;
    with_scratch(cpu::attention_scratch(a.length, a.head_dim), a.sequences() * a.kv_heads,
                 [&](Index part, float* scratch) { kernels_.attention_hop_backward(b, part, scratch); });
}

void CpuBackend::run(const Route& route)
{
    pool_.run(route.sequences(), [&](Index sequence, std::size_t) { kernels_.route(route, sequence); });
}

double CpuBackend::sum_of_squares(const void* data, DType type, Index elements)
{
    const Index blocks = cut(elements, cpu::kSumBlock);
    sums_.assign(static_cast<std::size_t>(blocks), 0);
    pool_.run(blocks,
              [&](Index block, std::size_t)
              {
                  const Index begin = block * cpu::kSumBlock;
                  sums_[static_cast<std::size_t>(block)] = kernels_.sum_of_squares(
                      data, type, {begin, std::min(elements, begin + cpu::kSumBlock)});
              });
    return sum_over(sums_);
}

void CpuBackend::count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts)
{
    constexpr Index kMost = 65536;
    const Index step = std::max<Index>(1, cut(tensor.elements(), kMost));
    kernels_.count_exponents(tensor, {0, tensor.rows}, std::min(step, tensor.rows), counts.data());
}

} // namespace ringside::trainer
