#include "core/lab/trainer/cpu/cpu_backend.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ringside::trainer
{

using cpu::Part;
using cpu::Tile;

namespace
{

constexpr Index kAlignment = 64;
constexpr Index kPiecesPerThread = 4;
// Elements below which a piece is not worth handing to another thread.
constexpr Index kLeastElements = 4096;

Index cut(Index count, Index size)
{
    return (count + size - 1) / size;
}

Index least_rows(Index cols)
{
    return std::max<Index>(1, kLeastElements / std::max<Index>(1, cols));
}

// Tiles as large as leaves several for every thread: large ones pack their operands less often.
Tile tile_size(const Product& p, const cpu::Kernels& kernels, Index threads)
{
    Index rows = std::min<Index>(cut(p.m(), kernels.tile_rows) * kernels.tile_rows, 192);
    Index cols = std::min<Index>(cut(p.n(), kernels.tile_cols) * kernels.tile_cols, 256);
    const Index wanted = threads > 1 ? kPiecesPerThread * threads : 1;
    while (cut(p.m(), rows) * cut(p.n(), cols) < wanted)
    {
        const bool shrink_cols = cols >= rows;
        Index& side = shrink_cols ? cols : rows;
        const Index unit = shrink_cols ? kernels.tile_cols : kernels.tile_rows;
        const Index smaller = cut(side / 2, unit) * unit;
        if (smaller < 2 * unit || side <= 32)
        {
            break;
        }
        side = smaller;
    }
    return {{0, rows}, {0, cols}};
}

} // namespace

CpuBackend::CpuBackend(std::size_t threads, const cpu::Kernels& kernels)
    : pool_(threads == 0 ? cpu::default_threads() : threads), kernels_(kernels), scratch_(pool_.threads())
{
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
    Index bytes = 0;
    for (const auto& part : scratch_)
    {
        bytes += static_cast<Index>(part.size() * sizeof(float));
    }
    return bytes;
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

template <class Argument>
void CpuBackend::over(const Argument& argument, Index count, Index least,
                      void (*kernel)(const Argument&, Part))
{
    const Index wanted = kPiecesPerThread * static_cast<Index>(pool_.threads());
    const Index size = std::max(least, cut(count, wanted));
    pool_.run(cut(count, size),
              [&](Index part, std::size_t) {
                  kernel(argument, {part * size, std::min(count, (part + 1) * size)});
              });
}

template <class Argument>
void CpuBackend::over_columns(const Argument& argument, Index cols, void (*kernel)(const Argument&, Part))
{
    pool_.run(cut(cols, cpu::kSumColumns),
              [&](Index part, std::size_t)
              {
                  const Index begin = part * cpu::kSumColumns;
                  kernel(argument, {begin, std::min(cols, begin + cpu::kSumColumns)});
              });
}

void CpuBackend::run(const Product& product)
{
    reserve(kernels_.product_scratch);
    const Tile size = tile_size(product, kernels_, static_cast<Index>(pool_.threads()));
    const Index rows = size.rows.end;
    const Index cols = size.cols.end;
    const Index down = cut(product.m(), rows);
    pool_.run(down * cut(product.n(), cols),
              [&](Index part, std::size_t thread)
              {
                  const Index row = part % down * rows;
                  const Index col = part / down * cols;
                  kernels_.product(
                      product,
                      {{row, std::min(product.m(), row + rows)}, {col, std::min(product.n(), col + cols)}},
                      scratch(thread));
              });
}

void CpuBackend::run(const Embed& embed)
{
    over(embed, embed.out.rows, least_rows(embed.out.cols), kernels_.embed);
}
void CpuBackend::run(const EmbedBackward& embed)
{
    over_columns(embed, embed.gradient.cols, kernels_.embed_backward);
}
void CpuBackend::run(const NormForward& norm)
{
    over(norm, norm.x.rows, least_rows(norm.x.cols), kernels_.norm);
}
void CpuBackend::run(const NormBackward& norm)
{
    over_columns(norm, norm.x.cols, kernels_.norm_parameters);
    over(norm, norm.x.rows, least_rows(norm.x.cols), kernels_.norm_backward);
}
void CpuBackend::run(const Rope& rope)
{
    over(rope, rope.length, 1, kernels_.rope);
}

void CpuBackend::run(const Attention& attention)
{
    reserve(cpu::attention_scratch(attention.length, attention.head_dim));
    const Index blocks = cut(attention.length, cpu::kQueryRows);
    pool_.run(attention.sequences() * attention.heads * blocks,
              [&](Index part, std::size_t thread) { kernels_.attention(attention, part, scratch(thread)); });
}

void CpuBackend::run(const AttentionBackward& attention)
{
    const Attention& a = attention.forward;
    reserve(cpu::attention_scratch(a.length, a.head_dim));
    pool_.run(a.sequences() * a.kv_heads, [&](Index part, std::size_t thread)
              { kernels_.attention_backward(attention, part, scratch(thread)); });
}

void CpuBackend::run(const AttentionHop& hop)
{
    reserve(cpu::attention_scratch(hop.length, hop.head_dim));
    const Index blocks = hop.queries.pieces * cut(hop.length / hop.queries.pieces, cpu::kQueryRows);
    pool_.run(hop.sequences() * hop.heads * blocks,
              [&](Index part, std::size_t thread) { kernels_.attention_hop(hop, part, scratch(thread)); });
}

void CpuBackend::run(const AttentionHopBackward& hop)
{
    const AttentionHop& a = hop.forward;
    reserve(cpu::attention_scratch(a.length, a.head_dim));
    pool_.run(a.sequences() * a.kv_heads, [&](Index part, std::size_t thread)
              { kernels_.attention_hop_backward(hop, part, scratch(thread)); });
}

void CpuBackend::run(const Activation& activation)
{
    over(activation, activation.out.rows, least_rows(activation.out.cols), kernels_.activation);
}
void CpuBackend::run(const ActivationBackward& activation)
{
    over(activation, activation.pre.rows, least_rows(activation.pre.cols), kernels_.activation_backward);
}
void CpuBackend::run(const Route& route)
{
    pool_.run(route.sequences(), [&](Index sequence, std::size_t) { kernels_.route(route, sequence); });
}
void CpuBackend::run(const RouteBackward& route)
{
    over(route, route.gradient.rows, least_rows(route.gradient.cols), kernels_.route_backward);
}
void CpuBackend::run(const Dispatch& dispatch)
{
    over(dispatch, dispatch.from.rows, least_rows(dispatch.from.cols), kernels_.dispatch);
}
void CpuBackend::run(const Combine& combine)
{
    over(combine, combine.out.rows, least_rows(combine.out.cols), kernels_.combine);
}
void CpuBackend::run(const CrossEntropy& loss)
{
    over(loss, loss.logits.rows, least_rows(loss.logits.cols), kernels_.cross_entropy);
}
void CpuBackend::run(const LogitStatistics& statistics)
{
    over(statistics, statistics.logits.rows, least_rows(statistics.logits.cols), kernels_.logit_statistics);
}
void CpuBackend::run(const Add& add)
{
    over(add, add.to.rows, least_rows(add.to.cols), kernels_.add);
}
void CpuBackend::run(const SumRows& sum)
{
    over_columns(sum, sum.gradient.cols, kernels_.sum_rows);
}
void CpuBackend::run(const Convert& convert)
{
    over(convert, convert.to.rows, least_rows(convert.to.cols), kernels_.convert);
}
void CpuBackend::run(const Update& update)
{
    over(update, update.elements, kLeastElements, kernels_.update);
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
    double sum = 0;
    for (const double part : sums_)
    {
        sum += part;
    }
    return sum;
}

void CpuBackend::count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts)
{
    constexpr Index kMost = 65536;
    const Index step = std::max<Index>(1, cut(tensor.elements(), kMost));
    kernels_.count_exponents(tensor, {0, tensor.rows}, std::min(step, tensor.rows), counts.data());
}

} // namespace ringside::trainer
