// The command lists for WebGPU, without a card: what they ask for, and that the ledger is what they create.
// That the kernels compute the right numbers is the page's test.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/prediction.h"
#include "core/lab/trainer/webgpu/webgpu_backend.h"
#include "core/performance/step_time.h"

#include <catch2/generators/catch_generators.hpp>

#include <set>

using namespace ringside;
using namespace ringside::test;
using namespace ringside::trainer;

namespace
{

// Follows what exists and refuses what a device would.
struct Ledger final : GpuPlayer
{
    void play(std::span<const std::uint32_t> commands) override
    {
        ++lists;
        walk(commands);
    }
    void walk(std::span<const std::uint32_t> commands)
    {
        while (!commands.empty())
        {
            one(static_cast<GpuCommand>(commands[0]), commands.subspan(2, commands[1] - 2));
            commands = commands.subspan(commands[1]);
        }
    }
    void one(GpuCommand command, std::span<const std::uint32_t> w)
    {
        switch (command)
        {
        case GpuCommand::create:
            REQUIRE(buffers.emplace(w[0], w[1]).second);
            REQUIRE(w[1] % 4 == 0);
            return;
        case GpuCommand::destroy:
            REQUIRE(buffers.erase(w[0]) == 1);
            return;
        case GpuCommand::kernel:
            ++kernels;
            names.push_back(
                {reinterpret_cast<const char*>(w.subspan(2).data()), static_cast<std::size_t>(w[1])});
            return;
        case GpuCommand::run:
            ++runs;
            check_run(w);
            return;
        case GpuCommand::clear:
            check(w[0], w[1], w[2]);
            return;
        case GpuCommand::copy:
            REQUIRE(w[0] != w[2]);
            check(w[0], w[1], w[4]);
            check(w[2], w[3], w[4]);
            return;
        case GpuCommand::upload:
            check(w[0], w[1], w[2]);
            return;
        case GpuCommand::read:
            check(w[1], w[2], w[3]);
            check(w[4], 0, w[3]);
            tickets.push_back({w[0], w[3]});
            return;
        case GpuCommand::record:
            walk(w.subspan(2));
            return;
        case GpuCommand::replay:
            ++replays;
            return;
        default:
            return;
        }
    }
    void check(std::uint32_t buffer, std::uint32_t place, std::uint32_t bytes)
    {
        REQUIRE(buffers.contains(buffer));
        REQUIRE(place % 4 == 0);
        REQUIRE(bytes % 4 == 0);
        REQUIRE(place + bytes <= buffers[buffer]);
    }
    void check_run(std::span<const std::uint32_t> w)
    {
        for (const std::uint32_t groups : w.subspan(1, 3))
        {
            REQUIRE(groups >= 1);
            REQUIRE(groups <= 65535);
        }
        REQUIRE(w[4] <= 8); // storage buffers of a stage
        for (const std::uint32_t buffer : w.subspan(5, w[4]))
        {
            REQUIRE(buffers.contains(buffer));
        }
        REQUIRE((w.size() - 5 - w[4]) * 4 <= kGpuSizesPlace);
    }
    Index bytes() const
    {
        Index sum = 0;
        for (const auto& [id, size] : buffers)
        {
            sum += size;
        }
        return sum;
    }

    struct Ticket
    {
        std::uint32_t number;
        std::uint32_t bytes;
    };
    std::map<std::uint32_t, std::uint32_t> buffers;
    std::vector<Ticket> tickets;
    // Zeros to all that was read; how many times.
    std::size_t answer_all()
    {
        const auto asked = std::exchange(tickets, {});
        for (const Ticket& ticket : asked)
        {
            answer(ticket.number, std::vector<char>(ticket.bytes));
        }
        return asked.size();
    }
    std::vector<std::string> names; // of kernels
    int kernels = 0;
    int lists = 0;
    int runs = 0;
    int replays = 0;
};

struct Card
{
    explicit Card(Index most = Index{128} << 20U, bool subgroups = false)
    {
        auto made = std::make_unique<Ledger>();
        ledger = made.get();
        backend = std::make_unique<WebGpuBackend>(
            GpuAdapter{.name = "test", .buffer_bytes = most, .subgroups = subgroups}, std::move(made));
    }
    Ledger* ledger;
    std::unique_ptr<WebGpuBackend> backend;
};

} // namespace

TEST_CASE("WebGPU: the ledger is what exists on the card, to the byte")
{
    TrainerConfig config = tiny_config();
    const bool halves = GENERATE(false, true);
    if (halves) // with numbers that fill no word
    {
        config.training.precision = Precision::fp16;
        config.training.gradient_dtype = GradientDtype::fp16;
        config.model.hidden = 9;
        config.model.heads = 3;
        config.training.flash_attention = false;
        config.training.sequence_length = 7;
    }
    Card gpu;
    WebGpuBackend& backend = *gpu.backend;
    Ledger& ledger = *gpu.ledger;
    auto made = Trainer::create(config, std::move(gpu.backend));
    REQUIRE(made);
    Trainer& trainer = **made;
    StepView view;
    int steps = 0;
    for (int i = 0; i < 6; ++i)
    {
        REQUIRE(trainer.ask_step(nullptr, &view, false, [&](const StepResult&) { ++steps; }).empty());
        CHECK(ledger.bytes() == backend.bytes());
        ledger.answer_all();
    }
    CHECK(steps == 6);
    CHECK(ledger.replays > 0);
    const Index whole = backend.bytes();
    REQUIRE(trainer.ask_step(nullptr, &view, false, [](const StepResult&) {}).empty());
    CHECK(backend.bytes() == whole); // a step finds the memory of the one before
    CHECK(view.memory.state() == (halves ? 2 + 2 + 3 * 4 : 4 * 4) * trainer.parameters().elements);
}

TEST_CASE("WebGPU: one list of commands a step, which is recorded once, and two answers after it")
{
    Card gpu;
    Ledger& ledger = *gpu.ledger;
    auto made = Trainer::create(tiny_config(), std::move(gpu.backend));
    REQUIRE(made);
    const auto step = [&]
    {
        const int lists = ledger.lists;
        ledger.runs = 0;
        REQUIRE((*made)->ask_step(nullptr, nullptr, false, [](const StepResult&) {}).empty());
        CHECK(ledger.lists == lists + 1);
        CHECK(ledger.answer_all() == 2); // the losses and the norm
        return ledger.runs;
    };
    const int whole = step();
    for (int i = 0; i < 4; ++i)
    {
        step();
    }
    CHECK(step() == 3); // the norm's two, and the update
    CHECK(whole > 30);
}

TEST_CASE("WebGPU: 20 trainings one after the other leave no buffer and no kernel that the first two did not")
{
    Card gpu;
    Ledger& ledger = *gpu.ledger;
    const std::shared_ptr<WebGpuBackend> backend = std::move(gpu.backend);
    std::vector<std::array<Index, 3>> left;
    for (int i = 0; i < 20; ++i)
    {
        const auto made = Trainer::create(tiny_config(), backend);
        REQUIRE(made);
        for (int step = 0; step < 4; ++step)
        {
            REQUIRE((*made)->ask_step(nullptr, nullptr, false, [](const StepResult&) {}).empty());
            ledger.answer_all();
        }
        (*made)->ask_state([](const TrainerState&) {});
        ledger.answer_all();
        REQUIRE((*made)->ask_sample(3, 1, 0, 0, nullptr, [](const std::string&) {}).empty());
        while (ledger.answer_all() > 0)
        {
        }
        left.push_back({std::ssize(ledger.buffers), ledger.bytes(), ledger.kernels});
    }
    backend->submit();
    CHECK(ledger.bytes() == backend->bytes());
    CHECK(std::ranges::count(left, left[1]) >= 19);
}

TEST_CASE("WebGPU: a step launches about as many kernels as its prediction counts")
{
    TrainerConfig config = default_trainer_config();
    config.data.text = short_text();
    SECTION("of a GPT") {}
    SECTION("of a Llama")
    {
        config.model.gated_mlp = true;
        config.model.norm = Norm::rmsnorm;
        config.model.positions = Positions::rope;
        config.model.biases = false;
        config.model.layers = 4;
    }
    Card gpu;
    const Ledger& ledger = *gpu.ledger;
    const auto made = Trainer::create(config, std::move(gpu.backend));
    REQUIRE(made);
    REQUIRE((*made)->ask_step(nullptr, nullptr, false, [](const StepResult&) {}).empty());
    Scenario scenario = scenario_of((*made)->config());
    Calibration& c = scenario.cluster.gpu.calibration;
    c.kernel_us = 1e6;
    c.host_kernel_us = 0;
    const double counted = step_time(scenario).of(Slice::launch) * kTrainerKernels;
    CAPTURE(counted, ledger.runs);
    CHECK(std::abs(counted / ledger.runs - 1) < 0.2);
}

TEST_CASE(
    "WebGPU: a step asks for subgroups where the card has them: sums over rows always, others when told")
{
    const bool has = GENERATE(false, true);
    const Subgroups use = GENERATE(Subgroups{}, Subgroups{.products = true}, Subgroups{.attention = true});
    Card gpu(Index{128} << 20U, has);
    const Ledger& ledger = *gpu.ledger;
    CHECK(gpu.backend->has_subgroups() == has);
    gpu.backend->use_subgroups(use);
    const auto made = Trainer::create(tiny_config(), std::move(gpu.backend));
    REQUIRE(made);
    REQUIRE((*made)->ask_step(nullptr, nullptr, false, [](const StepResult&) {}).empty());
    std::map<std::string, std::set<bool>> through; // by file
    for (const std::string& name : ledger.names)
    {
        through[name.substr(0, name.find(' '))].insert(name.find(" subgroups=1") != std::string::npos);
    }
    const auto all = [&](std::initializer_list<const char*> files, bool expected)
    {
        for (const char* file : files)
        {
            CAPTURE(file);
            CHECK(through[file] == std::set<bool>{expected});
        }
    };
    all({"norm", "norm_backward", "squares", "cross_entropy"}, has);
    all({"product"}, has && use.products);
    all({"attention", "attention_backward_key", "attention_backward_query"}, has && use.attention);
    all({"activation", "embed", "update", "column_sums"}, false);
}

TEST_CASE("WebGPU: memory is given back, and no buffer is larger than a kernel may be given")
{
    Card gpu(4096);
    WebGpuBackend& backend = *gpu.backend;
    const Index before = backend.bytes();
    CHECK(backend.allocate(5000) == nullptr);
    std::set<void*> places;
    for (int i = 0; i < 20; ++i)
    {
        places.insert(backend.allocate(300));
    }
    CHECK(places.size() == 20);
    for (void* place : places)
    {
        backend.release(place);
    }
    CHECK(places.contains(backend.allocate(10)));
    backend.submit();
    CHECK(backend.bytes() == before + 12);
    CHECK(gpu.ledger->bytes() == backend.bytes());
}

TEST_CASE("WebGPU: says what it cannot compute")
{
    const auto refusal = [](TrainerConfig config)
    {
        Card gpu;
        const auto made = Trainer::create(config, std::move(gpu.backend));
        return made ? std::string() : all_of(made.issues());
    };
    TrainerConfig c = tiny_config();
    CHECK(refusal(c).empty());
    c.training.flash_attention = false;
    CHECK(refusal(c).empty());
    c.training.precision = Precision::fp16;
    c.training.gradient_dtype = GradientDtype::fp16;
    CHECK(refusal(c).empty());
    c.training.precision = Precision::fp8;
    CHECK(refusal(c).find("no 8-bit formats") != std::string::npos);
    c = tiny_config();
    c.model.experts = 4;
    c.model.experts_per_token = 1;
    CHECK(refusal(c).empty());
    c = tiny_config();
    c.model.hidden = 192;
    c.model.heads = 1;
    CHECK(refusal(c).find("128 at most") != std::string::npos);
}
