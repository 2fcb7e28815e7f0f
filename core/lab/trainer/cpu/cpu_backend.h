// The backend that runs everywhere: this machine's processors, in the widest instruction set they have.
// Results are the same to the last bit for any number of threads.
#pragma once

#include "core/lab/trainer/backend.h"
#include "core/lab/trainer/cpu/kernels.h"
#include "core/lab/trainer/cpu/pool.h"

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
    void run(const Embed& embed) override;
    void run(const EmbedBackward& embed) override;
    void run(const NormForward& norm) override;
    void run(const NormBackward& norm) override;
    void run(const Rope& rope) override;
    void run(const Attention& attention) override;
    void run(const AttentionBackward& attention) override;
    void run(const AttentionHop& hop) override;
    void run(const AttentionHopBackward& hop) override;
    void run(const Activation& activation) override;
    void run(const ActivationBackward& activation) override;
    void run(const Route& route) override;
    void run(const RouteBackward& route) override;
    void run(const Dispatch& dispatch) override;
    void run(const Combine& combine) override;
    void run(const CrossEntropy& loss) override;
    void run(const LogitStatistics& statistics) override;
    void run(const Add& add) override;
    void run(const SumRows& sum) override;
    void run(const Convert& convert) override;
    void run(const Update& update) override;
    double sum_of_squares(const void* data, DType type, Index elements) override;
    void count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts) override;

private:
    // `kernel(argument, Part)` over [0, count) in pieces of at least `least`.
    template <class Argument>
    void over(const Argument& argument, Index count, Index least, void (*kernel)(const Argument&, cpu::Part));
    // The same in blocks of kSumColumns.
    template <class Argument>
    void over_columns(const Argument& argument, Index cols, void (*kernel)(const Argument&, cpu::Part));
    // Makes room for `floats` of scratch on each thread.
    void reserve(Index floats);
    float* scratch(std::size_t thread) { return scratch_[thread].data(); }

    cpu::Pool pool_;
    const cpu::Kernels& kernels_;
    std::vector<std::vector<float>> scratch_; // [thread]
    std::vector<double> sums_;
};

} // namespace ringside::trainer
