#include "core/lab/trainer/probe/late_probe.h"

#include <algorithm>
#include <cmath>

namespace ringside::trainer
{

namespace
{

constexpr double kProbeSeconds = 0.06; // [s] that calls take together, where one takes less
constexpr std::int64_t kMostCalls = 1024;
constexpr std::int64_t kMostGrowth = 16; // of their number from one try to the next
constexpr double kSure = 4;              // times the latest answer: no matter of chance any more
constexpr int kTries = 3;                // where it may be
constexpr int kAnswers = 4;
constexpr double kFaster = 0.95;   // of the time, where it is no matter of chance
constexpr double kShortStep = 0.1; // [s]
constexpr int kSteps = 3;          // the first is not recorded
constexpr Index kLeastSide = 128;
constexpr Index kMostSide = 2048;
constexpr Index kProbeCopy = Index{16} << 20U; // [B]
// Sizes of the probe of a device as a machine.
constexpr Index kLeastOfMany = 32; // side of a product
constexpr Index kMostOfMany = 8192;
constexpr Index kLeastCopy = Index{64} << 10U; // [B]
constexpr Index kMostCopy = Index{256} << 20U;
constexpr Index kCopyGrowth = 4;
constexpr double kLongestCall = 0.5; // [s]

DType format_of(const TrainerConfig& config)
{
    const Precision precision = config.training.precision;
    return precision == Precision::fp32   ? DType::f32
           : precision == Precision::fp16 ? DType::f16
                                          : DType::bf16;
}

// Attention of a size that models of any size have in common: 8 heads of 64 over 512 tokens.
TrainerConfig of_a_machine(TrainerConfig config)
{
    config.model.heads = config.model.kv_heads = 8;
    config.model.hidden = 512;
    config.training.sequence_length = 512;
    config.training.micro_batch = 1;
    return config;
}

} // namespace

LateProbe::LateProbe(std::unique_ptr<Backend> backend, const TrainerConfig& config, Take take, ProbeKind kind,
                     std::function<double()> clock)
    : backend_(std::move(backend)), config_(config), kind_(kind), clock_(std::move(clock)),
      work_(*backend_, kind == ProbeKind::machine ? of_a_machine(config) : config),
      format_(kind == ProbeKind::machine ? DType::bf16 : format_of(config)), flag_(work_.flag()),
      take_(std::move(take))
{
    rates_.device = backend_->name();
    rates_.capacity = static_cast<double>(backend_->capacity());
    measure(work_.nothing(), [this](double seconds) { rates_.operation_s = seconds; });
    both_ways([this](bool subgroups) { return work_.attention(format_, subgroups); },
              rates_.full.attention_flops, &Subgroups::attention);
    if (kind == ProbeKind::machine)
    {
        copies_from(kLeastCopy);
        products_from(kLeastOfMany);
    }
    else
    {
        rates_.layer_tiles = layer_tiles(config);
        both_ways([this](bool subgroups) { return work_.layer(format_, subgroups); }, rates_.full.layer_flops,
                  &Subgroups::products);
        rate(work_.copy(kProbeCopy), rates_.copy_bytes);
        whole_product(kLeastSide);
    }
    // All kernels are compiled side by side, those of a step among them.
    for (Measurement& each : left_)
    {
        each.piece.work();
        each.compiled = true;
    }
    if (kind == ProbeKind::model && begin(short_step(config, {}, 0)))
    {
        (void)trainer_->ask_step(nullptr, nullptr, false, [](const StepResult&) {});
    }
    time(0, [this](double) { answer_time(kAnswers); });
}

void LateProbe::answer_time(int times)
{
    time(0,
         [this, times](double seconds)
         {
             answer_s_ = std::min(answer_s_, seconds);
             latest_s_ = std::max(latest_s_, seconds);
             times > 1 ? answer_time(times - 1) : next();
         });
}

// As large as the device computes in the time there is: a small one tells nothing of a fast device.
void LateProbe::whole_product(Index side)
{
    auto piece = work_.product(format_, side, side, side);
    const double amount = piece.amount;
    measure(std::move(piece),
            [this, side, amount](double seconds)
            {
                rates_.full.product_flops = amount / seconds;
                for (const Index more : {4, 2})
                {
                    if (more * side <= kMostSide &&
                        static_cast<double>(more * more * more) * seconds < kProbeSeconds)
                    {
                        return whole_product(more * side);
                    }
                }
            });
}

void LateProbe::note_point(ProbeWork::Piece piece, double bytes, std::function<void(double)> then)
{
    const double flops = bytes == piece.amount ? 0 : piece.amount;
    measure(std::move(piece),
            [this, flops, bytes, then = std::move(then)](double seconds)
            {
                rates_.points.push_back({flops, bytes, seconds});
                then(seconds);
            });
}

void LateProbe::products_from(Index side)
{
    constexpr double kCubed = 8; // of the next
    const auto bytes = static_cast<double>(3 * side * side * bytes_of(format_));
    note_point(work_.product(format_, side, side, side), bytes,
               [this, side](double seconds)
               {
                   if (2 * side <= kMostOfMany && kCubed * seconds < kLongestCall)
                   {
                       products_from(2 * side);
                   }
               });
}

void LateProbe::copies_from(Index bytes)
{
    note_point(work_.copy(bytes), 2 * static_cast<double>(bytes),
               [this, bytes](double seconds)
               {
                   if (kCopyGrowth * bytes <= kMostCopy && seconds < kLongestCall)
                   {
                       copies_from(kCopyGrowth * bytes);
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
    const auto launches = static_cast<double>(piece.launches);
    measure(std::move(piece), [this, amount, launches, &rate](double seconds)
            { rate = amount / std::max(seconds - launches * rates_.operation_s, seconds / 10); });
}

void LateProbe::both_ways(const std::function<ProbeWork::Piece(bool)>& piece, double& rate_of,
                          bool Subgroups::*which)
{
    rate(piece(false), rate_of);
    if (!backend_->has_subgroups())
    {
        return;
    }
    const auto through = std::make_shared<double>();
    rate(piece(true), *through);
    left_.back().note = [this, &rate_of, which, through, note = left_.back().note](double seconds)
    {
        note(seconds);
        bool& faster = rates_.subgroups.*which;
        faster = rate_of < kFaster * *through;
        rate_of = faster ? *through : rate_of;
        backend_->use_subgroups(rates_.subgroups);
    };
}

void LateProbe::record(std::int64_t calls)
{
    if (recorded_ == calls || calls < 2)
    {
        return;
    }
    recorded_ = 0;
    if (backend_->start_recording())
    {
        for (std::int64_t i = 0; i < calls; ++i)
        {
            left_.front().piece.work();
        }
        recorded_ = backend_->finish_recording() ? calls : 0;
        backend_->submit();
    }
}

void LateProbe::time(std::int64_t calls, const std::function<void(double)>& then)
{
    record(calls);
    const double start = clock_();
    if (calls > 0 && recorded_ == calls)
    {
        backend_->replay();
    }
    else
    {
        for (std::int64_t i = 0; i < calls; ++i)
        {
            left_.front().piece.work();
        }
    }
    backend_->read(flag_.data(), 4, [this, start, then](std::span<const char>) { then(clock_() - start); });
    backend_->submit();
}

void LateProbe::next()
{
    if (left_.empty())
    {
        rates_.half = rates_.full;
        if (kind_ == ProbeKind::machine)
        {
            return take_(rates_);
        }
        config_ = short_step(config_, gpu_of(rates_, config_.training.precision), kShortStep);
        return begin(config_) ? step(kSteps) : take_(rates_);
    }
    if (left_.front().compiled)
    {
        return grow(1, kUntried, kTries);
    }
    time(1, [this](double) { grow(1, kUntried, kTries); });
}

// More calls until they take long enough, three times unless that is out of doubt: a page's answers may be
// late by more than a call takes, and a launch that seems to take that long would be in every kernel of the
// prediction.
void LateProbe::grow(std::int64_t calls, double before, int tries)
{
    time(calls,
         [this, calls, before, tries](double seconds)
         {
             const double working = std::min(before, std::max(seconds - answer_s_, seconds / 10));
             const std::int64_t recordable = kMostCalls / left_.front().piece.launches;
             if (working < kProbeSeconds && calls < recordable)
             {
                 const double fit = kProbeSeconds / working * static_cast<double>(calls) * 1.2;
                 const std::int64_t most = std::min(recordable, kMostGrowth * calls);
                 return grow(fit < static_cast<double>(most)
                                 ? std::max(calls + 1, static_cast<std::int64_t>(fit))
                                 : most,
                             kUntried, kTries);
             }
             if (tries > 1 && working < kSure * latest_s_)
             {
                 return grow(calls, working, tries - 1);
             }
             const auto note = std::move(left_.front().note);
             left_.pop_front();
             recorded_ = 0;
             note(working / static_cast<double>(calls));
             next();
         });
}

bool LateProbe::begin(const TrainerConfig& config)
{
    auto made = Trainer::create(config, backend_);
    trainer_ = made ? std::move(*made) : nullptr;
    return trainer_ != nullptr;
}

void LateProbe::step(int left)
{
    const auto done = [this, left, start = clock_()](const StepResult&)
    {
        if (left < kSteps)
        {
            step_s_ = std::min(step_s_, clock_() - start - answer_s_);
        }
        left > 1 ? step(left - 1) : finish();
    };
    if (!trainer_->ask_step(nullptr, nullptr, false, done).empty())
    {
        take_(rates_); // no room
    }
}

void LateProbe::finish()
{
    rates_.in_step = in_step(config_, gpu_of(rates_, config_.training.precision), step_s_);
    take_(rates_);
}

DeviceRates machine_rates(std::unique_ptr<Backend> backend, const TrainerConfig& config)
{
    DeviceRates found;
    const LateProbe probe(
        std::move(backend), config, [&](const DeviceRates& rates) { found = rates; }, ProbeKind::machine);
    return found;
}

} // namespace ringside::trainer
