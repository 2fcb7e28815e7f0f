// The backend that runs everywhere: this machine's processors, in the widest instruction set they have.
// Results are the same to the last bit for any number of threads.
#pragma once

#include "core/lab/trainer/backend.h"
#include "core/lab/trainer/cpu/kernels.h"
#include "core/lab/trainer/cpu/pool.h"

#include <algorithm>
#include <vector>

namespace ringside::trainer
{

class CpuBackend final : public Backend
{
public:
    // 0 threads: default_threads().
    explicit CpuBackend(std::size_t threads = 0, const cpu::Kernels& kernels = cpu::best_kernels());

    std::string name() const override;
    Index capacity() const override;
    bool is_gpu() const override { return false; }
    void* allocate(Index bytes) override;
    void release(void* memory) override;
    Index workspace() const override;
    void upload(void* to, const void* from, Index bytes) override { copy(to, from, bytes); }
    void download(void* to, const void* from, Index bytes) override { copy(to, from, bytes); }
    void copy(void* to, const void* from, Index bytes) override;
    void clear(void* memory, Index bytes) override;
    void wait() override {}

    void run(const Product& product) override;
    void run(const Embed& e) override { by_rows(e, e.out, kernels_.embed); }
    void run(const EmbedBackward& e) override { by_columns(e, e.gradient, kernels_.embed_backward); }
    void run(const NormForward& n) override { by_rows(n, n.x, kernels_.norm); }
    void run(const NormBackward& n) override
    {
        by_columns(n, n.x, kernels_.norm_parameters);
        by_rows(n, n.x, kernels_.norm_backward);
    }
    void run(const Rope& r) override { over(r, r.length, 1, kernels_.rope); }
    void run(const Attention& attention) override;
    void run(const AttentionBackward& attention) override;
    void run(const AttentionHop& hop) override;
    void run(const AttentionHopBackward& hop) override;
    void run(const Activation& a) override { by_rows(a, a.out, kernels_.activation); }
    void run(const ActivationBackward& a) override { by_rows(a, a.pre, kernels_.activation_backward); }
    void run(const Route& route) override;
    void run(const RouteBackward& r) override { by_rows(r, r.gradient, kernels_.route_backward); }
    void run(const Dispatch& d) override { by_rows(d, d.from, kernels_.dispatch); }
    void run(const Combine& c) override { by_rows(c, c.out, kernels_.combine); }
    void run(const CrossEntropy& c) override { by_rows(c, c.logits, kernels_.cross_entropy); }
    void run(const LogitStatistics& s) override { by_rows(s, s.logits, kernels_.logit_statistics); }
    void run(const Add& a) override { by_rows(a, a.to, kernels_.add); }
    void run(const SumRows& s) override { by_columns(s, s.gradient, kernels_.sum_rows); }
    void run(const Convert& c) override { by_rows(c, c.to, kernels_.convert); }
    void run(const Update& u) override { over(u, u.elements, kLeastElements, kernels_.update); }
    double sum_of_squares(const void* data, DType type, Index elements) override;
    void count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts) override;

private:
    static constexpr Index kPiecesPerThread = 4;
    // Elements below which a piece is not worth handing to another thread.
    static constexpr Index kLeastElements = 4096;

    static Index cut(Index count, Index size) { return (count + size - 1) / size; }
    // `kernel(argument, Part)` over [0, count) in pieces of `size`.
    template <class Argument>
    void in_pieces(const Argument& argument, Index count, Index size,
                   void (*kernel)(const Argument&, cpu::Part))
    {
        pool_.run(cut(count, size),
                  [&](Index part, std::size_t) {
                      kernel(argument, {part * size, std::min(count, (part + 1) * size)});
                  });
    }
    // In pieces of at least `least`, several for every thread.
    template <class Argument>
    void over(const Argument& argument, Index count, Index least, void (*kernel)(const Argument&, cpu::Part))
    {
        const Index wanted = kPiecesPerThread * static_cast<Index>(pool_.threads());
        in_pieces(argument, count, std::max(least, cut(count, wanted)), kernel);
    }
    template <class Argument>
    void by_rows(const Argument& argument, const Tensor& t, void (*kernel)(const Argument&, cpu::Part))
    {
        over(argument, t.rows, std::max<Index>(1, kLeastElements / std::max<Index>(1, t.cols)), kernel);
    }
    template <class Argument>
    void by_columns(const Argument& argument, const Tensor& t, void (*kernel)(const Argument&, cpu::Part))
    {
        in_pieces(argument, t.cols, cpu::kSumColumns, kernel);
    }
    // Runs the work in pieces that need `floats` of scratch each.
    template <class Work>
    void with_scratch(Index floats, Index pieces, const Work& work)
    {
        reserve(floats);
        pool_.run(pieces, [&](Index part, std::size_t thread) { work(part, scratch_[thread].data()); });
    }
    cpu::Tile tile_size(const Product& product) const;
    // Makes room for `floats` of scratch on each thread.
    void reserve(Index floats);

    cpu::Pool pool_;
    const cpu::Kernels& kernels_;
    std::vector<std::vector<float>> scratch_; // [thread]
    std::vector<double> sums_;
};

} // namespace ringside::trainer
