#include "core/lab/trainer/probe/late_probe.h"

#include <algorithm>
#include <cmath>

namespace ringside::trainer
{

namespace
{

constexpr double kProbeSeconds = 0.1; // [s] between asking and the answer, where one call takes less
constexpr double kMostCalls = 256;
constexpr int kAnswers = 4;
constexpr Index kLeastSide = 256;
constexpr Index kMostSide = 2048;
constexpr Index kProbeCopy = Index{16} << 20U; // [B]

} // namespace

LateProbe::LateProbe(std::unique_ptr<Backend> backend, const TrainerConfig& config, Take take)
    : backend_(std::move(backend)), work_(*backend_, config), flag_(work_.flag()), take_(std::move(take))
{
    rates_.device = backend_->name();
    rates_.capacity = static_cast<double>(backend_->capacity());
    measure(work_.nothing(), [this](double seconds) { rates_.operation_s = seconds; });
    rate(work_.layer(DType::f32), rates_.full.layer_flops);
    rate(work_.attention(DType::f32), rates_.full.attention_flops);
    rate(work_.copy(kProbeCopy), rates_.copy_bytes);
    whole_product(kLeastSide);
    answer_time(kAnswers);
}

void LateProbe::answer_time(int times)
{
    time(0,
         [this, times](double seconds)
         {
             answer_s_ = std::min(answer_s_, seconds);
             times > 1 ? answer_time(times - 1) : next();
         });
}

// As large as the device computes in the time there is: a small one tells nothing of a fast device.
void LateProbe::whole_product(Index side)
{
    auto piece = work_.product(DType::f32, side, side, side);
    const double amount = piece.amount;
    measure(std::move(piece),
            [this, side, amount](double seconds)
            {
                rates_.full.product_flops = amount / seconds;
                if (side < kMostSide && 8 * seconds < kProbeSeconds)
                {
                    whole_product(2 * side);
                }
            });
}

void LateProbe::measure(ProbeWork::Piece piece, std::function<void(double)> note)
{
    left_.push_back({std::move(piece), std::move(note)});
}

// Without what starting it takes, which the engine adds for every kernel.
void LateProbe::rate(ProbeWork::Piece piece, double& rate)
{
    const double amount = piece.amount;
    measure(std::move(piece), [this, amount, &rate](double seconds)
            { rate = amount / std::max(seconds - rates_.operation_s, seconds / 10); });
}

void LateProbe::time(std::int64_t calls, const std::function<void(double)>& then)
{
    const double start = seconds_now();
    for (std::int64_t i = 0; i < calls; ++i)
    {
        left_.front().piece.work();
    }
    backend_->read(flag_.data(), 4, [start, then](std::span<const char>) { then(seconds_now() - start); });
    backend_->submit();
}

// The first call compiles, the second says how many there is time for. What the answer takes by itself is no
// work.
void LateProbe::next()
{
    if (left_.empty())
    {
        rates_.half = rates_.full;
        take_(rates_);
        return;
    }
    time(1,
         [this](double)
         {
             time(1,
                  [this](double once)
                  {
                      const double work = std::max(once - answer_s_, kProbeSeconds / kMostCalls);
                      const auto calls = static_cast<std::int64_t>(std::max(1.0, kProbeSeconds / work));
                      time(calls,
                           [this, calls](double seconds)
                           {
                               const double working = std::max(seconds - answer_s_, seconds / 10);
                               const auto note = std::move(left_.front().note);
                               left_.pop_front();
                               note(working / static_cast<double>(calls));
                               next();
                           });
                  });
         });
}

} // namespace ringside::trainer
