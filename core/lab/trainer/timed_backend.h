// Another backend, whose kernels are timed on request: on devices that the host waits for, kernel by kernel
// between two waits. Otherwise it passes everything on.
#pragma once

#include "core/lab/trainer/backend.h"

#include <map>

namespace ringside::trainer
{

class TimedBackend final : public Backend
{
public:
    explicit TimedBackend(std::unique_ptr<Backend> backend) : inner_(std::move(backend)) {}

    std::string name() const override { return inner_->name(); }
    Index capacity() const override { return inner_->capacity(); }
    bool is_gpu() const override { return inner_->is_gpu(); }
    Abilities abilities() const override;
    void* allocate(Index bytes) override { return inner_->allocate(bytes); }
    void release(void* memory) override { inner_->release(memory); }
    Index workspace() const override { return inner_->workspace(); }

    void upload(void* to, const void* from, Index bytes) override { inner_->upload(to, from, bytes); }
    void download(void* to, const void* from, Index bytes) override { inner_->download(to, from, bytes); }
    void copy(void* to, const void* from, Index bytes) override;
    void clear(void* memory, Index bytes) override;
    void wait() override { inner_->wait(); }
    void submit() override;
    void time_kernels(Index repeats, TakeTimes take) override;
    // While kernels are timed, nothing is recorded.
    bool start_recording() override { return !take_ && inner_->start_recording(); }
    bool finish_recording() override { return inner_->finish_recording(); }
    void replay() override { inner_->replay(); }

    void run(const Product& product) override { pass("product", product); }
    void run(const Embed& embed) override { pass("embedding", embed); }
    void run(const EmbedBackward& embed) override { pass("embedding backward", embed); }
    void run(const NormForward& norm) override { pass("norm", norm); }
    void run(const NormBackward& norm) override { pass("norm backward", norm); }
    void run(const Rope& rope) override { pass("rope", rope); }
    void run(const Attention& attention) override { pass("attention", attention); }
    void run(const AttentionBackward& attention) override { pass("attention backward", attention); }
    void run(const AttentionHop& hop) override { pass("attention", hop); }
    void run(const AttentionHopBackward& hop) override { pass("attention backward", hop); }
    void run(const Activation& activation) override { pass("activation", activation); }
    void run(const ActivationBackward& activation) override { pass("activation backward", activation); }
    void run(const Route& route) override { pass("route", route); }
    void run(const RouteBackward& route) override { pass("route backward", route); }
    void run(const Dispatch& dispatch) override { pass("dispatch", dispatch); }
    void run(const Combine& combine) override { pass("combine", combine); }
    void run(const CrossEntropy& loss) override { pass("cross entropy", loss); }
    void run(const LogitStatistics& statistics) override { pass("cross entropy", statistics); }
    void run(const Add& add) override { pass("add", add); }
    void run(const SumRows& sum) override { pass("column sums", sum); }
    void run(const Convert& convert) override { pass("convert", convert); }
    void run(const Update& update) override { pass("update", update); }
    double sum_of_squares(const void* data, DType type, Index elements) override;
    void count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts) override
    {
        inner_->count_exponents(tensor, counts);
    }

private:
    template <class Work>
    void timed(const char* name, const Work& work);
    template <class Operation>
    void pass(const char* name, const Operation& operation);

    std::unique_ptr<Backend> inner_;
    Index repeats_ = 0;
    TakeTimes take_; // of a step that is being timed
    std::map<std::string, KernelTime> times_;
};

} // namespace ringside::trainer
