// The CUDA backend's kernels, run on this processor by the shim, against the CPU backend: every operation
// through whole training steps, with threads taking turns in several orders.
#include "tests/core/lab/attention_ring.h"
#include "tests/core/lab/cuda_shim/shim_runtime.h"
#include "tests/core/lab/trainer_support.h"

#include "core/lab/ranks/communication/backend_memory.h"
#include "core/lab/trainer/cuda/cuda_backend.h"
#include "core/lab/trainer/timed_backend.h"

#include <catch2/catch_approx.hpp>

#include <cmath>

using namespace ringside;
using namespace ringside::test;
using trainer::cuda::CudaBackend;
using trainer::cuda::ShimRuntime;

namespace
{

std::unique_ptr<trainer::Trainer> shimmed(const TrainerConfig& config)
{
    auto made =
        trainer::Trainer::create(config, std::make_unique<CudaBackend>(std::make_unique<ShimRuntime>()));
    if (!made)
    {
        throw std::runtime_error(all_of(made.issues()));
    }
    return std::move(*made);
}

double distance(const std::vector<float>& a, const std::vector<float>& b)
{
    double squares = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        squares += std::pow(static_cast<double>(a[i] - b[i]), 2);
        size += std::pow(static_cast<double>(a[i]), 2);
    }
    return std::sqrt(squares / size);
}

TrainerConfig llama()
{
    TrainerConfig c = tiny_config();
    c.model.norm = Norm::rmsnorm, c.model.positions = Positions::rope, c.model.gated_mlp = true;
    c.model.ffn = 40, c.model.biases = false, c.model.tied_embeddings = false;
    c.model.heads = 4, c.model.kv_heads = 2;
    c.training.sequence_length = 19;
    c.training.micro_batch = c.training.global_batch = 2;
    return c;
}

// Some tokens are dropped.
TrainerConfig routed()
{
    TrainerConfig c = tiny_config();
    c.model.experts = 4, c.model.experts_per_token = 2, c.model.expert_ffn = 24;
    c.recipe.capacity_factor = 0.8, c.recipe.balance_loss = 0.1;
    return c;
}
TrainerConfig switched()
{
    TrainerConfig c = llama();
    c.model.experts = 5, c.model.experts_per_token = 1, c.model.expert_ffn = 24;
    return c;
}

__global__ void barrier_for_some()
{
    if (threadIdx.x < 7)
    {
        __syncthreads();
    }
}

__global__ void without_barrier(int* out, int first)
{
    __shared__ int room[64];
    room[threadIdx.x] = first + static_cast<int>(threadIdx.x);
    out[threadIdx.x] = room[63 - threadIdx.x];
}

__global__ void with_barrier(int* out, int first)
{
    __shared__ int room[64];
    room[threadIdx.x] = first + static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = room[63 - threadIdx.x];
}

} // namespace

TEST_CASE("the shim finds a barrier that is not there, and one that some threads do not meet")
{
    // Shared memory keeps what the last launch left there, so every launch writes other numbers.
    auto turned_around = [first = 0](void (*kernel)(int*, int), shim::Order order) mutable
    {
        first += 100;
        shim::set_order(order);
        std::array<int, 64> out{};
        trainer::cuda::launch(kernel, 1, 64, 0, 0, out.data(), first);
        shim::set_order(shim::Order::forwards);
        for (int i = 0; i < 64; ++i)
        {
            if (out[static_cast<std::size_t>(i)] != first + 63 - i)
            {
                return false;
            }
        }
        return true;
    };
    for (const shim::Order order : {shim::Order::forwards, shim::Order::backwards, shim::Order::shuffled})
    {
        CHECK_FALSE(turned_around(without_barrier, order));
        CHECK(turned_around(with_barrier, order));
    }
    CHECK_THROWS(trainer::cuda::launch(barrier_for_some, 1, 32, 0, 0));
}

TEST_CASE("a step by CUDA's kernels is a step by the CPU's, in any order of threads")
{
    for (const shim::Order order : {shim::Order::forwards, shim::Order::backwards, shim::Order::shuffled})
    {
        shim::set_order(order);
        for (const TrainerConfig& config : {tiny_config(), llama(), routed(), switched()})
        {
            auto cpu = make_trainer(config);
            auto gpu = shimmed(config);
            shake(*cpu, 0.2F);
            REQUIRE(gpu->restore(cpu->state()).empty());
            trainer::StepView seen;
            const auto expected = step(*cpu, &seen);
            trainer::StepView view;
            const auto result = gpu->step(nullptr, &view, true);
            REQUIRE(result);
            CHECK(result->loss == Catch::Approx(expected.loss).epsilon(1e-5));
            CHECK(result->gradient_norm == Catch::Approx(expected.gradient_norm).epsilon(1e-4));
            CHECK(distance(cpu->gradients(), gpu->gradients()) < 2e-5);
            CHECK(distance(fp32_weights(*cpu), fp32_weights(*gpu)) < 1e-4);
            REQUIRE(result->experts.size() == expected.experts.size());
            for (std::size_t i = 0; i < expected.experts.size(); ++i)
            {
                CHECK(result->experts[i].wanted == expected.experts[i].wanted);
                CHECK(result->experts[i].taken == expected.experts[i].taken);
                CHECK(result->experts[i].balance == Catch::Approx(expected.experts[i].balance).epsilon(1e-5));
            }
            CHECK(view.highest.of(Component::activations) == seen.highest.of(Component::activations));
        }
    }
    shim::set_order(shim::Order::forwards);
}

TEST_CASE("16-bit training by CUDA's kernels follows the CPU's emulation")
{
    for (const Precision precision : {Precision::bf16, Precision::fp16})
    {
        for (TrainerConfig config : {tiny_config(), llama(), routed(), switched()})
        {
            config.training.precision = precision;
            config.recipe.loss_scale = 1024;
            auto cpu = make_trainer(config);
            auto gpu = shimmed(config);
            REQUIRE(gpu->restore(cpu->state()).empty());
            const auto expected = step(*cpu);
            const auto result = step(*gpu);
            CAPTURE(name_of(precision));
            CHECK_FALSE(result.skipped);
            CHECK(result.loss == Catch::Approx(expected.loss).epsilon(1e-3));
            CHECK(distance(cpu->gradients(), gpu->gradients()) < 0.03);
        }
    }
}

TEST_CASE("16-bit training with heads for tensor cores follows the CPU's emulation, queries grouped or not")
{
    for (TrainerConfig config : {tiny_config(), llama()})
    {
        for (const std::int64_t width : {64, 128})
        {
            CAPTURE(width, config.model.kv_heads);
            config.model.heads = 2;
            config.model.kv_heads = config.model.positions == Positions::rope ? 1 : 2;
            config.model.hidden = 2 * width;
            config.training.sequence_length = 70;
            config.training.micro_batch = config.training.global_batch = 1;
            config.training.precision = Precision::bf16;
            auto cpu = make_trainer(config);
            auto gpu = shimmed(config);
            REQUIRE(gpu->restore(cpu->state()).empty());
            CHECK(step(*gpu).loss == Catch::Approx(step(*cpu).loss).epsilon(1e-3));
            CHECK(distance(cpu->gradients(), gpu->gradients()) < 0.03);
        }
    }
}

TEST_CASE("8-bit training by CUDA's kernels follows the CPU's emulation, scales and codes included")
{
    for (TrainerConfig config : {tiny_config(), llama(), routed()})
    {
        config.training.precision = Precision::fp8;
        auto cpu = make_trainer(config);
        auto gpu = shimmed(config);
        CHECK(gpu->state() == cpu->state());
        const auto expected = step(*cpu);
        const auto result = step(*gpu);
        CHECK(result.loss == Catch::Approx(expected.loss).epsilon(1e-3));
        CHECK(distance(cpu->gradients(), gpu->gradients()) < 0.03);
        CHECK(train(*gpu, 3).back() == Catch::Approx(train(*cpu, 3).back()).epsilon(1e-2));
    }
}

TEST_CASE("training goes on through CUDA's kernels as on the CPU: several steps, accumulation, SGD, resume")
{
    TrainerConfig config = tiny_config();
    config.training.optimizer = Optimizer::sgd_momentum;
    config.training.global_batch = 6;
    config.recipe.learning_rate = 0.1;
    auto cpu = make_trainer(config);
    auto gpu = shimmed(config);
    const auto expected = train(*cpu, 4);
    const auto losses = train(*gpu, 4);
    for (std::size_t i = 0; i < losses.size(); ++i)
    {
        CHECK(losses[i] == Catch::Approx(expected[i]).epsilon(1e-4));
    }
    auto again = shimmed(config);
    REQUIRE(again->restore(gpu->state()).empty());
    CHECK(step(*again).loss == step(*gpu).loss);
}

TEST_CASE("steps that are recorded and replayed are the same steps, and take the same memory")
{
    TrainerConfig config = llama();
    config.training.global_batch = 4;
    auto plain = shimmed(config);
    auto recorded = shimmed(config);
    for (int i = 0; i < 4; ++i)
    {
        trainer::StepView one;
        trainer::StepView other;
        const auto expected = plain->step(nullptr, &one, true); // who looks into tensors gets no recording
        const auto result = recorded->step(nullptr, &other);
        REQUIRE(expected);
        REQUIRE(result);
        CHECK(result->loss == expected->loss);
        CHECK(other.peak == one.peak);
        CHECK(other.highest == one.highest);
        CHECK(other.timeline.size() == one.timeline.size());
    }
    CHECK(recorded->state() == plain->state());
    CHECK(plain->replays() == 0);
    CHECK(recorded->replays() == 7); // all of 8 micro-batches but the first
}

TEST_CASE("experts' steps are replayed too, with the tallies of their own tokens")
{
    TrainerConfig config = routed();
    config.training.global_batch = 6;
    auto plain = shimmed(config);
    auto recorded = shimmed(config);
    for (int i = 0; i < 3; ++i)
    {
        trainer::StepView view;
        const auto expected = plain->step(nullptr, &view, true);
        REQUIRE(expected);
        CHECK(step(*recorded).experts == expected->experts);
    }
    CHECK(recorded->state() == plain->state());
    CHECK(recorded->replays() == 5);
}

TEST_CASE("kernels of a recorded step are timed one by one, and the recording goes on afterwards")
{
    TrainerConfig config = llama();
    config.training.global_batch = 4;
    const auto plain = shimmed(config);
    auto backend = std::make_unique<CudaBackend>(std::make_unique<ShimRuntime>());
    auto made = trainer::Trainer::create(config, std::make_unique<trainer::TimedBackend>(std::move(backend)));
    REQUIRE(made);
    trainer::Trainer& timed = **made;
    CHECK(train(timed, 2) == train(*plain, 2));
    const auto state = timed.state();
    KernelTimes times;
    REQUIRE(timed.abilities().kernel_times);
    REQUIRE(timed.ask_kernel_times(1, [&](KernelTimes taken) { times = std::move(taken); }).empty());
    CHECK(timed.replays() == plain->replays());
    const auto of = [&](std::string_view name)
    { return std::ranges::find(times.list, name, &KernelTime::name); };
    REQUIRE(of("attention backward") != times.list.end());
    CHECK(of("attention backward")->launches == 2 * config.model.layers); // of two micro-batches
    CHECK(of("attention backward")->seconds > 0);
    CHECK(of("update")->launches == 1);
    CHECK(std::ranges::is_sorted(times.list, std::greater(), &KernelTime::seconds));
    REQUIRE(timed.restore(state).empty());
    CHECK(train(timed, 3) == train(*plain, 3));
    CHECK(timed.replays() > 3);
}

TEST_CASE("a recording ends where memory, model or loss scale change, and another one begins")
{
    TrainerConfig config = tiny_config();
    config.training.precision = Precision::fp16;
    config.recipe.loss_scale = 1e9;
    auto plain = shimmed(config);
    auto recorded = shimmed(config);
    const auto both = [&](int steps)
    {
        for (int i = 0; i < steps; ++i)
        {
            trainer::StepView view;
            REQUIRE(plain->step(nullptr, &view, true));
            step(*recorded);
        }
        CHECK(recorded->state() == plain->state());
    };
    both(18); // the scale comes down at first, so that every step is another
    CHECK(recorded->replays() > 3);
    REQUIRE(recorded->sample(3, 1, 0, 1));
    REQUIRE(recorded->validation_loss(5));
    both(3);
    config.training.recompute = Recompute::full;
    REQUIRE(plain->change(config).empty());
    REQUIRE(recorded->change(config).empty());
    const auto before = recorded->replays();
    both(4);
    CHECK(recorded->replays() == before + 3);
}

TEST_CASE("what CUDA does not train in is said")
{
    TrainerConfig config = tiny_config();
    config.training.flash_attention = false;
    CHECK_THROWS(shimmed(config));
}

TEST_CASE("what a rank is sent is added on the device with the bits of the host")
{
    CudaBackend moves(std::make_unique<ShimRuntime>());
    CudaBackend computes(std::make_unique<ShimRuntime>());
    parallel::BackendMemory device(moves, computes);
    CHECK_FALSE(device.on_host());
    for (const trainer::DType type : {trainer::DType::f32, trainer::DType::bf16, trainer::DType::f16})
    {
        constexpr trainer::Index kCount = 1037;
        // Any pattern is a number once it has an exponent in the middle.
        std::vector<std::uint32_t> to(kCount);
        std::vector<std::uint32_t> from(kCount);
        for (std::uint32_t i = 0; i < kCount; ++i)
        {
            to[i] = 0x3C003C00U | (i * 2654435761U & 0x807F807FU);
            from[i] = 0x3C003C00U | (i * 2246822519U & 0x807F807FU);
        }
        std::vector<std::uint32_t> wanted = to;
        parallel::host_memory().add(wanted.data(), from.data(), type, kCount);
        auto* there = static_cast<std::uint32_t*>(device.allocate(kCount * 4));
        device.copy(there, to.data(), kCount * 4);
        device.add(there, from.data(), type, kCount);
        device.copy(to.data(), there, kCount * 4);
        device.release(there);
        CHECK(to == wanted);
    }
}

TEST_CASE("attention round a ring by CUDA's kernels is attention in one place, in any order of threads")
{
    for (const shim::Order order : {shim::Order::forwards, shim::Order::shuffled})
    {
        shim::set_order(order);
        CudaBackend backend(std::make_unique<ShimRuntime>());
        check_ring(backend, {}, 2);
        check_ring(backend, {1, 36, 2, 1, 10}, 3); // pieces of 6, tiles of 16
        check_ring(backend, {1, 72, 2, 2, 4}, 2);  // pieces of 18
    }
    shim::set_order(shim::Order::forwards);
}
