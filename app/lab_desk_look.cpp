#include "app/lab_desk.h"
#include "core/engine/step_time.h"

#include <sstream>

namespace ringside
{

namespace
{

constexpr std::size_t kMostSamples = 12;

// The data sheet whose name has the most words in common with the device's, its first among them: "H200 SXM
// 141 GB" and "CUDA, NVIDIA H200".
const Gpu* sheet_of(std::span<const Gpu> sheets, const std::string& device)
{
    const Gpu* best = nullptr;
    int most = 0;
    for (const Gpu& gpu : sheets)
    {
        std::istringstream words(gpu.name);
        int found = 0;
        int place = 0;
        for (std::string word; words >> word; ++place)
        {
            const bool there = device.find(word) != std::string::npos;
            found = place == 0 && !there ? -100 : found + (there ? 1 : 0);
        }
        if (found > most)
        {
            most = found;
            best = &gpu;
        }
    }
    return best;
}

} // namespace

void LabDesk::wake()
{
    if (!device_ && setup_.open)
    {
        device_ = std::make_unique<LabDevice>(setup_.open, bench_.a.shown.config, setup_.probe_seconds);
        show();
    }
}

void LabDesk::look_at_device()
{
    if (device_ && !found_.done)
    {
        found_ = device_->look();
    }
    frame_.device = found_.says;
    frame_.measuring = device_ && !found_.done;
    frame_.capacity = found_.capacity;
    if (!found_.fault.empty())
    {
        frame_.fault = found_.fault;
    }
    if (found_.rates && !frame_.rate)
    {
        const Gpu* sheet = sheet_of(setup_.data_sheets, found_.name);
        frame_.rate = LabRate{found_.rates->product_flops, found_.rates->copy_bytes,
                              sheet == nullptr ? 0 : sheet->bf16_tflops * 1e12,
                              sheet == nullptr ? std::string() : sheet->name};
    }
}

// What the engine says; made again only when the configuration or what is known of the device changed.
void LabDesk::predict(Slot& slot) const
{
    LabPrediction& p = slot.shown.predicted;
    const bool timed = p.step_seconds > 0;
    if (p.of && *p.of == slot.shown.config && timed == (found_.gpu.has_value() && p.parameters > 0))
    {
        return;
    }
    p = {};
    p.of = slot.shown.config;
    const auto ready = prepared(slot.shown.config);
    if (!ready)
    {
        return;
    }
    const StageMemory memory = predicted_memory(*ready);
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        p.memory.parts[i] = static_cast<std::int64_t>(memory.parts[i].value);
    }
    p.parameters = memory.parameters;
    Scenario scenario = scenario_of(*ready);
    scenario.cluster.gpu = found_.gpu.value_or(scenario.cluster.gpu);
    const StepTime step = step_time(scenario);
    p.flops = step.model_flops;
    p.parameter_flops = step.parameter_flops;
    if (found_.gpu)
    {
        p.step_seconds = step.total();
        p.tokens_per_second = step.tokens_per_second();
    }
}

void LabDesk::look_at(Slot& slot) const
{
    predict(slot);
    if (!slot.run)
    {
        return;
    }
    slot.shown.snapshot = slot.run->snapshot();
    const TrainingSnapshot& seen = *slot.shown.snapshot;
    auto& samples = slot.shown.samples;
    std::erase_if(samples, [&](const LabSample& s) { return s.step > seen.step; });
    if (!seen.sample.empty() && seen.sample_step <= seen.step &&
        (samples.empty() || samples.back().step < seen.sample_step))
    {
        samples.push_back({seen.sample_step, seen.sample});
        if (samples.size() > kMostSamples)
        {
            samples.erase(samples.begin());
        }
    }
}

void LabDesk::show()
{
    look_at_device();
    look_at(bench_.a);
    if (bench_.b)
    {
        look_at(*bench_.b);
    }
    frame_.a = bench_.a.shown;
    frame_.b = bench_.b ? std::optional(bench_.b->shown) : std::nullopt;
    frame_.running = bench_.a.running() || (bench_.b && bench_.b->running());
    frame_.demo = demo_ ? std::optional(demo_->shown) : std::nullopt;
    if (frame_.look && (!frame_.a.snapshot || *frame_.look >= frame_.a.snapshot->step))
    {
        frame_.look.reset();
    }
    const std::scoped_lock lock(file_->mutex);
    if (!file_->notice.empty())
    {
        frame_.saved = frame_.saved || file_->notice.starts_with("Saved");
        notice_ = std::exchange(file_->notice, {});
    }
}

} // namespace ringside
