// The command lists for WebGPU, without a card: what they ask for, and that the ledger is what they create.
// That the kernels compute the right numbers is the page's test.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/webgpu/webgpu_backend.h"

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
    int lists = 0;
    int runs = 0;
    int replays = 0;
};

struct Card
{
    explicit Card(Index most = Index{128} << 20U)
    {
        auto made = std::make_unique<Ledger>();
        ledger = made.get();
        backend = std::make_unique<WebGpuBackend>(GpuAdapter{.name = "test", .buffer_bytes = most},
                                                  std::move(made));
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
        for (const auto& ticket : std::exchange(ledger.tickets, {}))
        {
            const std::vector<char> zeros(ticket.bytes);
            ledger.answer(ticket.number, zeros);
        }
    }
    CHECK(steps == 6);
    CHECK(ledger.replays > 0);
    const Index whole = backend.bytes();
    REQUIRE(trainer.ask_step(nullptr, &view, false, [](const StepResult&) {}).empty());
    CHECK(backend.bytes() == whole); // a step finds the memory of the one before
    CHECK(view.memory.state() == (halves ? 2 + 2 + 3 * 4 : 4 * 4) * trainer.parameters().elements);
}

TEST_CASE("WebGPU: one list of commands a step, which is recorded once")
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
        for (const auto& ticket : std::exchange(ledger.tickets, {}))
        {
            ledger.answer(ticket.number, std::vector<char>(ticket.bytes));
        }
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
