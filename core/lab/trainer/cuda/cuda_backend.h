// The backend for a CUDA device. Written once for nvcc and for the shim: only the runtime it stands on
// differs. Attention keeps no probabilities.
#pragma once

#include "core/lab/trainer/backend.h"
#include "core/lab/trainer/cuda/runtime.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

class CudaBackend final : public Backend
{
public:
    explicit CudaBackend(std::unique_ptr<Runtime> runtime);
    ~CudaBackend() override;

    std::string name() const override;
    Index capacity() const override { return runtime_->capacity(); }
    bool is_gpu() const override { return true; }
    Abilities abilities() const override { return {.probabilities = false}; }
    void* allocate(Index bytes) override { return runtime_->allocate(bytes); }
    void release(void* memory) override { runtime_->release(memory); }
    Index workspace() const override { return kWorkspace + scratch_bytes_; }
    void upload(void* to, const void* from, Index bytes) override { runtime_->upload(to, from, bytes); }
    void download(void* to, const void* from, Index bytes) override { runtime_->download(to, from, bytes); }
    void copy(void* to, const void* from, Index bytes) override { runtime_->copy(to, from, bytes); }
    void clear(void* memory, Index bytes) override { runtime_->clear(memory, bytes); }
    void wait() override { runtime_->wait(); }
    bool start_recording() override { return runtime_->start_recording(); }
    bool finish_recording() override { return runtime_->finish_recording(); }
    void replay() override { runtime_->replay(); }

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
    static constexpr Index kWorkspace = Index{32} << 20U; // [B] for partial sums and for cuBLASLt

    Tensor scratch(DType type, Index rows, Index cols);
    bool run_flash(const AttentionBackward& attention);
    // So many bytes for what the next kernels hand each other.
    void* room(Index bytes);
    // With dynamic shared memory [B].
    template <class... Parameters, class... Arguments>
    void launch_shared(void (*kernel)(Parameters...), dim3 grid, unsigned threads, std::size_t shared,
                       Arguments... arguments);
    Tensor before_rounding(const Tensor& out);
    Tensor in_format_of(const Tensor& a, const Tensor& b);
    void sum_columns(const Tensor& gradient, const NormBackward* norm, const Tensor& gain,
                     const Tensor& bias);

    std::unique_ptr<Runtime> runtime_;
    void* workspace_ = nullptr;
    void* scratch_ = nullptr; // an operand in another format, or what 8-bit rows are made of
    Index scratch_bytes_ = 0;
};

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
