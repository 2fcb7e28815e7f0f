// Whole steps: losses and states of the CPU's trainer, and gradients beside differences of losses.
#include "tests/page/webgpu_case.h"

namespace ringside::test
{

namespace
{

Trainer& started(std::unique_ptr<Trainer>& at, const TrainerConfig& config, std::unique_ptr<Backend> backend)
{
    auto made = Trainer::create(config, std::move(backend));
    if (!made)
    {
        throw std::runtime_error(test::all_of(made.issues()));
    }
    at = std::move(*made);
    return *at;
}

// RMSNorm, SwiGLU, rotary positions, grouped queries, attention that keeps its probabilities.
TrainerConfig tiny_llama()
{
    TrainerConfig c = tiny_config();
    c.model.gated_mlp = true;
    c.model.norm = Norm::rmsnorm;
    c.model.positions = Positions::rope;
    c.model.heads = 4;
    c.model.kv_heads = 2;
    c.training.flash_attention = false;
    return c;
}

TrainerConfig tiny_experts(Index chosen)
{
    TrainerConfig c = tiny_config();
    c.model.experts = 4;
    c.model.experts_per_token = chosen;
    c.recipe.capacity_factor = 1;
    return c;
}

TrainerConfig in_halves(TrainerConfig c, Precision precision)
{
    c.training.precision = precision;
    c.training.gradient_dtype = precision == Precision::fp16 ? GradientDtype::fp16 : GradientDtype::bf16;
    c.recipe.loss_scale = 1024;
    return c;
}

Kind kind_of(const TrainerState::Part& part, const TrainerConfig& c)
{
    return part.name != "weights" || c.training.precision == Precision::fp32 ? Kind::f32
           : c.training.precision == Precision::fp16                         ? Kind::f16
                                                                             : Kind::bf16;
}

std::vector<float> floats_of(const TrainerState::Part& part, Kind kind)
{
    std::vector<float> values(part.bytes.size() / (kind == Kind::f32 ? 4 : 2));
    if (kind == Kind::f32)
    {
        std::memcpy(values.data(), part.bytes.data(), part.bytes.size());
        return values;
    }
    CpuBackend cpu(1);
    const auto count = static_cast<Index>(values.size());
    std::vector<char> bytes = part.bytes;
    cpu.run(Convert{tensor(bytes.data(), kind == Kind::f16 ? DType::f16 : DType::bf16, 1, count),
                    tensor(values.data(), DType::f32, 1, count)});
    return values;
}

// Whole steps on both devices: every loss, and the state after the first one; with SGD its momentum is the
// gradient.
void steps(const std::string& folder, const std::string& name, const TrainerConfig& config, int count,
           bool subgroups = false)
{
    Case one(folder, name, subgroups);
    std::unique_ptr<Trainer> cpu;
    std::unique_ptr<Trainer> gpu;
    started(cpu, config, std::make_unique<CpuBackend>(1));
    started(gpu, config, one.take());
    const bool several = config.accumulation() > 1;
    std::uint32_t ticket = 0;
    for (int i = 0; i < count; ++i)
    {
        const auto result = cpu->step();
        const auto loss = static_cast<float>(result->loss);
        (void)gpu->ask_step(nullptr, nullptr, false, [](const StepResult&) {});
        ticket += config.model.experts > 0 ? 1U : 0U; // where tokens went
        if (!several)
        {
            one.expect(Kind::mean, ticket + 1, std::span(&loss, 1));
        }
        ticket += several ? static_cast<std::uint32_t>(config.accumulation()) + 2 : 2;
        if (i == 0)
        {
            gpu->ask_state([](const TrainerState&) {});
            for (const auto& part : cpu->state().parts)
            {
                const Kind kind = kind_of(part, config);
                ++ticket;
                if (part.name == "weights" || config.training.precision == Precision::fp32)
                {
                    one.expect(kind, ticket,
                               floats_of(part, kind)); // others are as far off as gradients of 16 bits
                }
            }
        }
        one.answer();
    }
}

// A gradient that overflows changes nothing.
void overflow(const std::string& folder)
{
    Case one(folder, "steps_overflow");
    TrainerConfig config = in_halves(tiny_config(), Precision::fp16);
    config.recipe.loss_scale = 0x1p40;
    std::unique_ptr<Trainer> cpu;
    std::unique_ptr<Trainer> gpu;
    started(cpu, config, std::make_unique<CpuBackend>(1));
    started(gpu, config, one.take());
    const TrainerState first = cpu->state();
    (void)gpu->ask_step(nullptr, nullptr, false, [](const StepResult&) {});
    gpu->ask_state([](const TrainerState&) {});
    std::uint32_t ticket = 2;
    for (const auto& part : first.parts)
    {
        const Kind kind = kind_of(part, config);
        one.expect(kind, ++ticket, floats_of(part, kind));
    }
}

// The card's gradient of each parameter against its own losses a little to both sides, along the signs of
// that gradient.
void slopes(const std::string& folder, const std::string& name, TrainerConfig config)
{
    constexpr double kChange = 0.02; // of the loss, so that rounding and curvature both count little
    config.training.optimizer = Optimizer::sgd_momentum;
    config.recipe.clip = 0;
    Case one(folder, name);
    std::unique_ptr<Trainer> cpu;
    std::unique_ptr<Trainer> gpu;
    started(cpu, config, std::make_unique<CpuBackend>(1));
    started(gpu, config, one.take());
    shake(*cpu, 0.1F);
    const TrainerState from = cpu->state();
    const auto weights = fp32_weights(*cpu);
    (void)step(*cpu);
    const auto gradient = cpu->gradients();
    std::uint32_t ticket = 0;
    const auto loss_at = [&](const std::vector<float>& moved)
    {
        TrainerState state = from;
        std::memcpy(state.part("weights")->bytes.data(), moved.data(), moved.size() * 4);
        (void)gpu->restore(state);
        (void)gpu->ask_step(nullptr, nullptr, false, [](const StepResult&) {});
        ticket += 2;
        return ticket - 1;
    };
    loss_at(weights);
    gpu->ask_state([](const TrainerState&) {});
    const std::uint32_t momentum = ticket + 2;
    ticket += 2;
    one.answer();
    for (const Parameter& p : gpu->parameters().list)
    {
        std::vector<float> direction(weights.size());
        double slope = 0;
        for (Index k = p.offset; k < p.offset + p.elements(); ++k)
        {
            slope += std::abs(static_cast<double>(gradient[static_cast<std::size_t>(k)]));
        }
        const auto away = static_cast<float>(std::min(0.01, kChange / slope));
        auto above = weights;
        auto below = weights;
        for (Index k = p.offset; k < p.offset + p.elements(); ++k)
        {
            const auto i = static_cast<std::size_t>(k);
            direction[i] = gradient[i] < 0 ? -1.0F : 1.0F;
            above[i] += away * direction[i];
            below[i] -= away * direction[i];
        }
        const std::uint32_t first = loss_at(above);
        const std::uint32_t second = loss_at(below);
        one.answer();
        one.expect_slope(momentum, std::move(direction), first, second, away);
    }
}

} // namespace

void write_steps(const std::string& folder)
{
    TrainerConfig c = tiny_config();
    steps(folder, "steps_gpt", c, 50);
    c.training.optimizer = Optimizer::sgd_momentum;
    steps(folder, "steps_sgd", c, 3);
    c.training.global_batch = 2 * c.training.micro_batch;
    c.training.recompute = Recompute::full;
    steps(folder, "steps_accumulated", c, 2);
    slopes(folder, "slopes_gpt", tiny_config());
    slopes(folder, "slopes_llama", tiny_llama());
    steps(folder, "steps_llama", tiny_llama(), 50);
    steps(folder, "steps_subgroups", in_halves(tiny_config(), Precision::fp16), 50, true);
    steps(folder, "steps_experts", tiny_experts(2), 50);
    steps(folder, "steps_switch", in_halves(tiny_experts(1), Precision::fp16), 20);
    steps(folder, "steps_fp16", in_halves(tiny_config(), Precision::fp16), 50);
    c = in_halves(tiny_llama(), Precision::bf16);
    c.recipe.master_weights = false;
    steps(folder, "steps_bf16", c, 50);
    overflow(folder);
    c = default_trainer_config();
    c.data.text = short_text();
    steps(folder, "steps_class", c, 8);
}

} // namespace ringside::test
