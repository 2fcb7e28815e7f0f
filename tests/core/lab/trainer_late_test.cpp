// A device that the host cannot wait for, as in a page: its answers come when they come.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/probe/late_probe.h"
#include "core/lab/trainer/run.h"

#include <catch2/catch_approx.hpp>

#include <cmath>
#include <deque>

using namespace ringside;
using namespace ringside::test;
using namespace ringside::trainer;

namespace
{

// The CPU, whose answers wait in `mail`.
class LateBackend : public Backend
{
public:
    using Mail = std::deque<std::function<void()>>;
    explicit LateBackend(Mail& mail) : mail_(mail) {}
    ~LateBackend() override { mail_.clear(); }

    std::string name() const override { return "late"; }
    Index capacity() const override { return 0; }
    bool is_gpu() const override { return true; }
    Abilities abilities() const override { return {.eight_bits = false, .exponents = false}; }
    bool waits() const override { return false; }
    void* allocate(Index bytes) override { return cpu_.allocate(bytes); }
    void release(void* memory) override { cpu_.release(memory); }
    Index workspace() const override { return 0; }
    void upload(void* to, const void* from, Index bytes) override { cpu_.upload(to, from, bytes); }
    void download(void*, const void*, Index) override { throw std::logic_error("nobody waits"); }
    void copy(void* to, const void* from, Index bytes) override { cpu_.copy(to, from, bytes); }
    void clear(void* memory, Index bytes) override { cpu_.clear(memory, bytes); }
    void wait() override { throw std::logic_error("nobody waits"); }
    void read(const void* from, Index bytes, const Take& take) override
    {
        std::vector<char> now(static_cast<std::size_t>(bytes));
        std::memcpy(now.data(), from, now.size());
        mail_.push_back([take, now] { take(now); });
    }

    void run(const Product& o) override { cpu_.run(o); }
    void run(const Embed& o) override { cpu_.run(o); }
    void run(const EmbedBackward& o) override { cpu_.run(o); }
    void run(const NormForward& o) override { cpu_.run(o); }
    void run(const NormBackward& o) override { cpu_.run(o); }
    void run(const Rope& o) override { cpu_.run(o); }
    void run(const trainer::Attention& o) override { cpu_.run(o); }
    void run(const AttentionBackward& o) override { cpu_.run(o); }
    void run(const AttentionHop& o) override { cpu_.run(o); }
    void run(const AttentionHopBackward& o) override { cpu_.run(o); }
    void run(const Activation& o) override { cpu_.run(o); }
    void run(const ActivationBackward& o) override { cpu_.run(o); }
    void run(const Route& o) override { cpu_.run(o); }
    void run(const RouteBackward& o) override { cpu_.run(o); }
    void run(const Dispatch& o) override { cpu_.run(o); }
    void run(const Combine& o) override { cpu_.run(o); }
    void run(const CrossEntropy& o) override { cpu_.run(o); }
    void run(const LogitStatistics& o) override { cpu_.run(o); }
    void run(const Add& o) override { cpu_.run(o); }
    void run(const SumRows& o) override { cpu_.run(o); }
    void run(const Convert& o) override { cpu_.run(o); }
    void run(const Update& o) override
    {
        Update u = o;
        const float norm = std::sqrt(*u.squares) * u.gradient_scale;
        u.gradient_scale *= u.clip > 0 && norm > u.clip ? u.clip / norm : 1;
        if (std::isfinite(norm))
        {
            cpu_.run(u);
        }
    }
    double sum_of_squares(const void* data, DType type, Index elements) override
    {
        return cpu_.sum_of_squares(data, type, elements);
    }
    void count_exponents(const Tensor&, std::array<std::int64_t, 256>&) override
    {
        throw std::logic_error("nobody waits");
    }

private:
    CpuBackend cpu_{1};
    Mail& mail_;
};

// One whose clock counts its kernels: through subgroups attention takes a tenth, and its products three times
// as long.
class TwoWays final : public LateBackend
{
public:
    TwoWays(Mail& mail, Subgroups& used, double& now) : LateBackend(mail), used_(used), now_(now) {}
    bool has_subgroups() const override { return true; }
    void use_subgroups(Subgroups use) override { used_ = use; }
    void copy(void* to, const void* from, Index bytes) override
    {
        now_ += kSeconds;
        LateBackend::copy(to, from, bytes);
    }
    using LateBackend::run;
    void run(const Product& o) override
    {
        now_ += kSeconds * (used_.products ? 3 : 1);
        LateBackend::run(o);
    }
    void run(const trainer::Attention& o) override { attend(o); }
    void run(const AttentionBackward& o) override { attend(o); }

private:
    static constexpr double kSeconds = 0.01; // [s] a kernel
    template <class Operation>
    void attend(const Operation& o)
    {
        now_ += kSeconds * (used_.attention ? 0.1 : 1);
        LateBackend::run(o);
    }
    Subgroups& used_;
    double& now_;
};

struct Late
{
    explicit Late(const TrainerConfig& config, RunSettings settings = {})
        : run(
              config, [this] { return std::make_unique<LateBackend>(mail); }, unthreaded(std::move(settings)))
    {
    }
    static RunSettings unthreaded(RunSettings settings)
    {
        settings.threaded = false;
        return settings;
    }
    // As a page does: works until there is nothing to do, then hands over one answer.
    void until(std::int64_t step)
    {
        while (run.snapshot()->step < step)
        {
            REQUIRE(turn());
        }
    }
    bool turn()
    {
        const bool more = run.advance(0);
        if (mail.empty())
        {
            return more;
        }
        const auto answer = std::move(mail.front());
        mail.pop_front();
        answer();
        return true;
    }
    void settle()
    {
        while (turn())
        {
        }
    }

    LateBackend::Mail mail;
    TrainingRun run;
};

TrainerConfig in_fp16(double scale)
{
    TrainerConfig c = tiny_config();
    c.training.precision = Precision::fp16;
    c.training.gradient_dtype = GradientDtype::fp16;
    c.recipe.loss_scale = scale;
    return c;
}

std::vector<float> losses_on_cpu(const TrainerConfig& config, int steps)
{
    auto trainer = make_trainer(config);
    const auto losses = train(*trainer, steps);
    return {losses.begin(), losses.end()};
}

} // namespace

TEST_CASE("a device that answers late makes the same steps")
{
    TrainerConfig c = tiny_config();
    c.recipe.clip = 0; // the norm is a float there
    for (const std::int64_t accumulation : {1, 3})
    {
        c.training.global_batch = accumulation * c.training.micro_batch;
        Late late(c, {.last_step = 12});
        late.settle();
        CHECK(late.run.snapshot()->state == RunState::paused);
        CHECK(late.run.snapshot()->step == 12);
        CHECK(late.run.snapshot()->losses == losses_on_cpu(c, 12));
    }
    c.recipe.clip = 0.5;
    Late late(c, {.last_step = 12});
    late.settle();
    const auto expected = losses_on_cpu(c, 12);
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        CHECK(late.run.snapshot()->losses[i] == Catch::Approx(expected[i]).epsilon(1e-5));
    }
}

TEST_CASE("several steps of a late device are under way, and commands wait for them")
{
    Late late(tiny_config());
    late.run.advance(0);
    while (late.mail.size() < 2) // the first state has several parts
    {
        REQUIRE(late.turn());
    }
    late.until(4);
    late.run.advance(0.05);
    CHECK(late.mail.size() >= 4); // of each step its losses and its norm
    late.run.pause();
    late.settle();
    const auto paused = late.run.snapshot();
    CHECK(paused->state == RunState::paused);
    late.run.step_once();
    late.settle();
    CHECK(late.run.snapshot()->step == paused->step + 1);
    CHECK(late.run.snapshot()->state == RunState::paused);
}

TEST_CASE("a late device samples, marks and rewinds as any other")
{
    const TrainerConfig c = tiny_config();
    Late late(c, {.last_step = 6, .sample_tokens = 20});
    late.settle();
    late.run.mark();
    late.run.sample();
    late.settle();
    CHECK(late.run.snapshot()->marks == std::vector<std::int64_t>{0, 6});
    auto cpu = make_trainer(c);
    train(*cpu, 6);
    CHECK(late.run.snapshot()->sample == *cpu->sample(20, 0.8, 0, 6));
    const auto at_six = late.run.snapshot()->losses;
    late.run.change(RunSettings{.last_step = 9});
    late.run.resume();
    late.settle();
    const auto nine = late.run.snapshot()->losses;
    late.run.rewind(6);
    late.settle();
    CHECK(late.run.snapshot()->step == 6);
    CHECK(late.run.snapshot()->losses == at_six);
    late.run.resume();
    late.settle();
    CHECK(late.run.snapshot()->losses == nine);
}

TEST_CASE("a late device that is lost goes on from its last state")
{
    const TrainerConfig c = tiny_config();
    Late late(c, {.last_step = 300});
    late.until(117);
    const auto before = late.run.snapshot()->step;
    late.mail.clear();
    late.run.lose_device("gone");
    const auto after = late.run.snapshot();
    CHECK(after->state == RunState::running);
    CHECK(after->step >= before - 50);
    CHECK(after->step % 50 < 4); // the state of a step that was asked for when the 50th had come
    CHECK(after->events.back().text.find("gone") != std::string::npos);
    late.settle();
    CHECK(late.run.snapshot()->step == 300);
    Late whole(c, {.last_step = 300});
    whole.settle();
    CHECK(late.run.snapshot()->losses == whole.run.snapshot()->losses);
    late.run.lose_device("again");
    CHECK(late.run.snapshot()->state == RunState::paused);
}

TEST_CASE("a demonstration acts on a late device between two steps")
{
    TrainerConfig c = tiny_config();
    RunSettings settings{.last_step = 10};
    settings.plan = {{.step = 4, .kind = Intervention::Kind::forget_optimizer},
                     {.step = 4, .kind = Intervention::Kind::damage_weight, .layer = 1}};
    Late late(c, settings);
    late.settle();
    CHECK(late.run.snapshot()->step == 10);
    TrainingRun cpu(
        c, [] { return std::make_unique<CpuBackend>(1); }, Late::unthreaded(settings));
    while (cpu.advance(1))
    {
    }
    const auto expected = cpu.snapshot()->losses;
    REQUIRE(expected.size() == late.run.snapshot()->losses.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        CHECK(late.run.snapshot()->losses[i] == Catch::Approx(expected[i]).epsilon(1e-4));
    }
}

TEST_CASE("what a late device cannot compute is said before the first step")
{
    TrainerConfig c = tiny_config();
    c.training.precision = Precision::fp8;
    Late late(c, {.last_step = 2});
    late.settle();
    CHECK(late.run.snapshot()->state == RunState::failed);
    CHECK(late.run.snapshot()->message.find("8-bit") != std::string::npos);
}

TEST_CASE("fp16 on a device that answers late: an overflow is seen, and halves the loss scale once")
{
    const TrainerConfig config = in_fp16(0x1p34);
    const auto cpu = make_trainer(config);
    StepResult last;
    for (int i = 0; i < 40; ++i)
    {
        last = step(*cpu);
    }
    REQUIRE(last.loss_scale < 0x1p30); // it did overflow
    Late late(config);
    late.until(60);
    const auto now = late.run.snapshot();
    CHECK(now->loss_scale >= last.loss_scale / 2); // though three steps were under way at each of them
    CHECK(now->loss_scale <= last.loss_scale * 2);
    CHECK(now->skipped >= static_cast<std::int64_t>(34 - std::log2(last.loss_scale)));
    CHECK(now->events.back().text.find("overflowed at loss scale") != std::string::npos);
    CHECK(now->loss < now->losses.front());
}

TEST_CASE("fp16 without dynamic loss scaling: every step that overflows is skipped")
{
    TrainerConfig config = in_fp16(0x1p40);
    config.recipe.dynamic_scale = false;
    Late late(config);
    late.until(10);
    const auto now = late.run.snapshot();
    CHECK(now->skipped == now->step);
    CHECK(now->loss_scale == 0x1p40);
}

TEST_CASE("where tokens went is told with the step, also by a device that answers late")
{
    TrainerConfig config = tiny_config();
    config.model.experts = 4;
    config.model.experts_per_token = 2;
    config.training.global_batch = 2 * config.training.micro_batch;
    const auto cpu = make_trainer(config);
    StepResult last;
    for (int i = 0; i < 4; ++i)
    {
        last = step(*cpu);
    }
    REQUIRE_FALSE(last.experts.empty());
    RunSettings settings;
    settings.last_step = 4;
    Late late(config, settings);
    late.settle();
    CHECK(late.run.snapshot()->step == 4);
    CHECK(late.run.snapshot()->experts == last.experts);
}

TEST_CASE("a device with subgroups is measured both ways, and each kind of kernel goes the faster one")
{
    LateBackend::Mail mail;
    Subgroups used;
    double now = 0;
    std::optional<DeviceRates> rates;
    const LateProbe probe(
        std::make_unique<TwoWays>(mail, used, now), *prepared(tiny_config()),
        [&](const DeviceRates& found) { rates = found; }, ProbeKind::model, [&now] { return now; });
    while (!rates)
    {
        REQUIRE_FALSE(mail.empty());
        const auto answer = std::move(mail.front());
        mail.pop_front();
        answer();
    }
    CHECK(rates->subgroups.attention);
    CHECK_FALSE(rates->subgroups.products);
    CHECK(used.attention);
    CHECK_FALSE(used.products);
}
