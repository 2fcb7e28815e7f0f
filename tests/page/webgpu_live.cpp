// What a page does with a card, from outside: asks over its output, is answered over its input. usage:
// webgpu_live
//
// Measures the card as the lab does, then trains on it, and says what was predicted and what it took.
// webgpu_test.py plays the lists in a browser.
#include "tests/core/lab/trainer_support.h"

#include "core/base/json/json.h"
#include "core/lab/trainer/probe/late_probe.h"
#include "core/lab/trainer/webgpu/webgpu_backend.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

using namespace ringside;
using namespace ringside::trainer;

namespace
{

constexpr std::uint32_t kNewDevice = 0xFFFFFFFF;

void write(const void* bytes, std::size_t count)
{
    std::fwrite(bytes, 1, count, stdout);
    std::fflush(stdout);
}

struct Pipe final : GpuPlayer
{
    Pipe() { write(&kNewDevice, 4); }
    void play(std::span<const std::uint32_t> commands) override
    {
        const auto count = static_cast<std::uint32_t>(commands.size());
        write(&count, 4);
        write(commands.data(), commands.size_bytes());
    }
};

// The next answer; false: there will be none.
bool hear(const GpuPlayer& player)
{
    std::uint32_t head[2]; // ticket, bytes
    if (std::fread(head, 4, 2, stdin) != 2)
    {
        return false;
    }
    std::vector<char> bytes(head[1]);
    const bool whole = std::fread(bytes.data(), 1, bytes.size(), stdin) == bytes.size();
    player.answer(head[0], bytes);
    return whole;
}

struct Card
{
    Card()
    {
        auto made = std::make_unique<Pipe>();
        player = made.get();
        backend =
            std::make_unique<WebGpuBackend>(GpuAdapter{.name = "live", .subgroups = true}, std::move(made));
    }
    GpuPlayer* player;
    std::unique_ptr<WebGpuBackend> backend;
};

// [s] of a step, the median between two answers while others are under way, as runs have them; and how it
// was made up.
std::pair<double, KernelTimes> measured(const TrainerConfig& config)
{
    constexpr std::size_t kSteps = 9;
    Card card;
    const auto made = Trainer::create(config, std::move(card.backend));
    Trainer* trainer = made->get();
    std::vector<double> answers;
    for (std::size_t i = 0; i < kSteps; ++i)
    {
        (void)trainer->ask_step(nullptr, nullptr, false,
                                [&](const StepResult&) { answers.push_back(seconds_now()); });
    }
    while (answers.size() < kSteps && hear(*card.player))
    {
    }
    std::vector<double> seconds;
    for (std::size_t i = 3; i < kSteps; ++i) // what comes before compiles and records
    {
        seconds.push_back(answers[i] - answers[i - 1]);
    }
    KernelTimes times;
    (void)trainer->ask_kernel_times(2, [&](KernelTimes taken) { times = std::move(taken); });
    while (times.list.empty() && hear(*card.player))
    {
    }
    std::ranges::nth_element(seconds, seconds.begin() + 3);
    return {seconds[3], times};
}

} // namespace

int main()
{
    TrainerConfig tiny = test::tiny_config();
    tiny.training.sequence_length = 16;
    tiny.training.micro_batch = 2;
    tiny.training.global_batch = 8;
    TrainerConfig classes = default_trainer_config();
    classes.data.text = test::short_text();
    for (const TrainerConfig& config : {tiny, classes})
    {
        const auto ready = *prepared(config);
        std::optional<DeviceRates> rates;
        const double start = seconds_now();
        double compiled = 0; // [s] when the first answer came
        {
            Card card;
            const GpuPlayer* player = card.player;
            const LateProbe probe(std::move(card.backend), ready,
                                  [&](const DeviceRates& taken) { rates = taken; });
            while (!rates && hear(*player))
            {
                compiled = compiled > 0 ? compiled : seconds_now() - start;
            }
        }
        const double took = seconds_now() - start;
        const auto [step, times] = measured(ready);
        const double predicted = predicted_step_s(ready, gpu_of(*rates, ready.training.precision));
        const double sum = sum_over(times.list, &KernelTime::seconds);
        const std::int64_t launches = sum_over<std::int64_t>(times.list, &KernelTime::launches);
        std::cerr << nlohmann::json{{"compiled_s", compiled},
                                    {"probe_s", took - compiled},
                                    {"predicted_s", predicted},
                                    {"launch_s", rates->operation_s},
                                    {"in_step", rates->in_step},
                                    {"subgroups", rates->subgroups.products || rates->subgroups.attention},
                                    {"step_s", step},
                                    {"kernels_s", sum},
                                    {"launches", launches},
                                    {"most", times.list.front().name}}
                  << '\n';
    }
    return 0;
}
