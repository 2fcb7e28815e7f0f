// Writes what WebGPU is to be asked, and what the CPU computes of the same numbers: usage: webgpu_streams
// FOLDER
//
// A case is two files: NAME.stream, lists of commands, each after its length; NAME.expected, for each read
// that counts its ticket, a kind, how many numbers and the numbers. webgpu_test.py plays them in a browser.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/webgpu/webgpu_backend.h"

#include <cmath>
#include <deque>
#include <fstream>
#include <iostream>

using namespace ringside;
using namespace ringside::trainer;

namespace
{

enum class Kind : std::uint32_t
{
    all, // every number as expected
    mean // of what is read
};

class Case
{
public:
    Case(const std::string& folder, const std::string& name, Index group_bytes = Index{16} << 10U)
        : stream_(folder + "/" + name + ".stream", std::ios::binary),
          expected_(folder + "/" + name + ".expected", std::ios::binary)
    {
        auto player = std::make_unique<Player>(*this);
        player_ = player.get();
        backend_ = std::make_unique<WebGpuBackend>(GpuAdapter{.name = "test", .group_bytes = group_bytes},
                                                   std::move(player));
        std::cout << name << '\n';
    }
    WebGpuBackend& gpu() { return *backend_; }
    std::unique_ptr<Backend> take() { return std::move(backend_); }
    // Zeros to all that was asked, so that the next step finds the memory of this one.
    void answer()
    {
        for (const auto& [ticket, bytes] : std::exchange(asked_, {}))
        {
            player_->answer(ticket, std::vector<char>(bytes));
        }
    }

    void expect(Kind kind, std::uint32_t ticket, std::span<const float> values)
    {
        for (const std::uint32_t word :
             {ticket, static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(values.size())})
        {
            write(expected_, &word, 4);
        }
        write(expected_, values.data(), values.size() * 4);
    }

private:
    struct Player final : GpuPlayer
    {
        explicit Player(Case& c) : of(c) {}
        void play(std::span<const std::uint32_t> commands) override
        {
            const auto count = static_cast<std::uint32_t>(commands.size());
            write(of.stream_, &count, 4);
            write(of.stream_, commands.data(), commands.size_bytes());
            for (; !commands.empty(); commands = commands.subspan(commands[1]))
            {
                if (commands[0] == static_cast<std::uint32_t>(GpuCommand::read))
                {
                    of.asked_.emplace_back(commands[2], commands[5]);
                }
            }
        }
        Case& of;
    };
    static void write(std::ofstream& file, const void* bytes, std::size_t count)
    {
        file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    }

    std::ofstream stream_;
    std::ofstream expected_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> asked_; // ticket, bytes
    GpuPlayer* player_ = nullptr;
    std::unique_ptr<WebGpuBackend> backend_;
};

// The same numbers on both devices.
struct Twin
{
    Tensor cpu;
    Tensor gpu;
};

class Twins
{
public:
    Twins(const std::string& folder, const std::string& name) : case_(folder, name) {}
    ~Twins() { case_.gpu().submit(); }
    Twins(const Twins&) = delete;
    Twins& operator=(const Twins&) = delete;

    // Part of a wider matrix, so that strides and places count.
    Twin matrix(Index rows, Index cols)
    {
        const Index stride = cols + 3;
        std::vector<float> values(static_cast<std::size_t>((rows + 1) * stride));
        for (float& value : values)
        {
            value =
                static_cast<float>(2 * random_unit(random_key(5, RandomStream::weights, 0), ++drawn_) - 1);
        }
        Twin whole = placed(values);
        for (Tensor* t : {&whole.cpu, &whole.gpu})
        {
            *t = {static_cast<float*>(t->data) + 5, DType::f32, rows, cols, stride};
        }
        return whole;
    }
    Twin packed(Index rows, Index cols)
    {
        std::vector<float> values(static_cast<std::size_t>(rows * cols));
        for (float& value : values)
        {
            value =
                static_cast<float>(2 * random_unit(random_key(6, RandomStream::weights, 0), ++drawn_) - 1);
        }
        Twin whole = placed(values);
        for (Tensor* t : {&whole.cpu, &whole.gpu})
        {
            *t = tensor(t->data, DType::f32, rows, cols);
        }
        return whole;
    }
    Twin integers(Index count, Index below, bool some_missing = false)
    {
        std::vector<std::int32_t> values;
        for (Index i = 0; i < count; ++i)
        {
            values.push_back(
                some_missing && i % 7 == 3 ? -1 : static_cast<std::int32_t>((i * 37 + i / 5) % below));
        }
        return placed(values);
    }
    template <class Operation>
    void run(const Operation& on_cpu, const Operation& on_gpu)
    {
        cpu_.run(on_cpu);
        case_.gpu().run(on_gpu);
    }
    // All of the memory it lies in.
    void compare(const Twin& t)
    {
        for (const Placed& p : placed_)
        {
            const auto* begin = p.cpu.data();
            const auto* at = static_cast<const char*>(t.cpu.data);
            if (at >= begin && at < begin + p.cpu.size())
            {
                case_.gpu().read(p.gpu, std::ssize(p.cpu), [](std::span<const char>) {});
                std::vector<float> values(p.cpu.size() / 4);
                std::memcpy(values.data(), begin, p.cpu.size());
                case_.expect(Kind::all, ++tickets_, values);
            }
        }
    }
    CpuBackend& cpu() { return cpu_; }
    WebGpuBackend& gpu() { return case_.gpu(); }

private:
    struct Placed
    {
        std::vector<char> cpu;
        void* gpu;
    };
    template <class T>
    Twin placed(const std::vector<T>& values)
    {
        Placed& p = placed_.emplace_back();
        p.cpu.resize(values.size() * 4);
        std::memcpy(p.cpu.data(), values.data(), p.cpu.size());
        p.gpu = case_.gpu().allocate(std::ssize(p.cpu));
        case_.gpu().upload(p.gpu, p.cpu.data(), std::ssize(p.cpu));
        Twin t;
        t.cpu.data = p.cpu.data();
        t.gpu.data = p.gpu;
        return t;
    }

    Case case_;
    CpuBackend cpu_{1};
    std::deque<Placed> placed_;
    std::uint64_t drawn_ = 0;
    std::uint32_t tickets_ = 0;
};

float* floats_of(const Tensor& t)
{
    return static_cast<float*>(t.data);
}
const std::int32_t* words_of(const Tensor& t)
{
    return static_cast<const std::int32_t*>(t.data);
}

void products(const std::string& folder)
{
    Twins t(folder, "product");
    for (const auto& [m, n, k] :
         {std::array<Index, 3>{1, 1, 1}, {5, 7, 3}, {33, 65, 17}, {70, 130, 40}, {600, 530, 9}})
    {
        for (int way = 0; way < 4; ++way)
        {
            const bool at = way == 1;
            const bool bt = way == 2;
            const Twin a = at ? t.matrix(k, m) : t.matrix(m, k);
            const Twin b = bt ? t.matrix(n, k) : t.matrix(k, n);
            const Twin c = t.matrix(m, n);
            const Twin bias = t.matrix(1, n);
            const Twin add = t.matrix(m, n);
            const auto on = [&](Tensor Twin::*d)
            {
                Product p{.a = a.*d, .b = b.*d, .c = c.*d, .a_transposed = at, .b_transposed = bt};
                p.accumulate = way == 1;
                p.bias = way == 3 ? bias.*d : Tensor{};
                p.add = way == 3 ? add.*d : Tensor{};
                return p;
            };
            t.run(on(&Twin::cpu), on(&Twin::gpu));
            t.compare(c);
        }
    }
}

void embeddings(const std::string& folder)
{
    Twins t(folder, "embed");
    const Twin tokens = t.integers(4 * 9, 13);
    const Twin table = t.matrix(13, 21);
    const Twin positions = t.matrix(9, 21);
    const Twin gradient = t.matrix(4 * 9, 21);
    for (const bool placed : {false, true})
    {
        const Twin out = t.matrix(4 * 9, 21);
        const auto on = [&](Tensor Twin::*d)
        {
            return Embed{.tokens = words_of(tokens.*d),
                         .table = table.*d,
                         .positions = placed ? positions.*d : Tensor{},
                         .out = out.*d,
                         .length = 9};
        };
        t.run(on(&Twin::cpu), on(&Twin::gpu));
        t.compare(out);
        const auto back = [&](Tensor Twin::*d)
        {
            return EmbedBackward{.tokens = words_of(tokens.*d),
                                 .gradient = gradient.*d,
                                 .table_gradient = table.*d,
                                 .position_gradient = placed ? positions.*d : Tensor{},
                                 .length = 9};
        };
        t.run(back(&Twin::cpu), back(&Twin::gpu));
        t.compare(table);
        t.compare(positions);
    }
}

void norms(const std::string& folder)
{
    Twins t(folder, "norm");
    for (const bool layernorm : {true, false})
    {
        for (const Index width : {5, 64, 200})
        {
            const Index rows = 37;
            const Twin x = t.matrix(rows, width);
            const Twin out = t.matrix(rows, width);
            const Twin gradient = t.matrix(rows, width);
            const Twin dx = t.matrix(rows, width);
            const Twin gain = t.matrix(2, width); // gain and bias in one piece of memory, as parameters are
            const Twin sums = t.matrix(2, width);
            const Twin statistics = t.packed(rows, 2);
            const auto row = [](const Tensor& all, Index i) { return all.row_range(i, 1); };
            const auto on = [&](Tensor Twin::*d)
            {
                return NormForward{.x = x.*d,
                                   .gain = row(gain.*d, 0),
                                   .bias = layernorm ? row(gain.*d, 1) : Tensor{},
                                   .out = out.*d,
                                   .statistics = floats_of(statistics.*d)};
            };
            t.run(on(&Twin::cpu), on(&Twin::gpu));
            const auto back = [&](Tensor Twin::*d)
            {
                return NormBackward{.gradient = gradient.*d,
                                    .x = x.*d,
                                    .gain = row(gain.*d, 0),
                                    .statistics = floats_of(statistics.*d),
                                    .dx = dx.*d,
                                    .gain_gradient = row(sums.*d, 0),
                                    .bias_gradient = layernorm ? row(sums.*d, 1) : Tensor{}};
            };
            t.run(back(&Twin::cpu), back(&Twin::gpu));
            for (const Twin& result : {out, statistics, dx, sums})
            {
                t.compare(result);
            }
        }
    }
}

void attentions(const std::string& folder)
{
    Twins t(folder, "attention");
    struct Shape
    {
        Index length, heads, kv_heads, head_dim;
    };
    for (const Shape& s :
         {Shape{1, 1, 1, 2}, {9, 2, 2, 6}, {70, 4, 2, 16}, {33, 2, 1, 33}, {130, 1, 1, 64}, {20, 1, 1, 128}})
    {
        const Index rows = 2 * s.length;
        const Index width = (s.heads + 2 * s.kv_heads) * s.head_dim;
        for (const bool flash : {true, false})
        {
            const Twin qkv = t.matrix(rows, width);
            const Twin turned = t.matrix(rows, width);
            const Twin out = t.matrix(rows, s.heads * s.head_dim);
            const Twin gradient = t.matrix(rows, s.heads * s.head_dim);
            const Twin dqkv = t.matrix(rows, width);
            const Twin sums = t.packed(rows, s.heads);
            const Twin kept = t.packed(rows * s.heads, s.length);
            const auto on = [&](Tensor Twin::*d)
            {
                return trainer::Attention{.qkv = qkv.*d,
                                          .out = out.*d,
                                          .log_sums = flash ? floats_of(sums.*d) : nullptr,
                                          .probabilities = flash ? Tensor{} : kept.*d,
                                          .length = s.length,
                                          .heads = s.heads,
                                          .kv_heads = s.kv_heads,
                                          .head_dim = s.head_dim};
            };
            t.run(on(&Twin::cpu), on(&Twin::gpu));
            const auto back = [&](Tensor Twin::*d)
            { return AttentionBackward{.forward = on(d), .gradient = gradient.*d, .dqkv = dqkv.*d}; };
            t.run(back(&Twin::cpu), back(&Twin::gpu));
            for (const Twin& result : {out, dqkv, flash ? sums : kept})
            {
                t.compare(result);
            }
            for (const bool backwards : {false, true})
            {
                if (s.head_dim % 2 == 0)
                {
                    const auto rope = [&](Tensor Twin::*d)
                    {
                        return Rope{.heads = (turned.*d).columns(0, (s.heads + s.kv_heads) * s.head_dim),
                                    .head_dim = s.head_dim,
                                    .length = s.length,
                                    .backwards = backwards};
                    };
                    t.run(rope(&Twin::cpu), rope(&Twin::gpu));
                    t.compare(turned);
                }
            }
        }
    }
}

void activations(const std::string& folder)
{
    Twins t(folder, "activation");
    for (const Index gates : {1, 2})
    {
        const Twin pre = t.matrix(19, gates * 27);
        const Twin out = t.matrix(19, 27);
        const Twin gradient = t.matrix(19, 27);
        const Twin dpre = t.matrix(19, gates * 27);
        t.run(Activation{pre.cpu, out.cpu}, Activation{pre.gpu, out.gpu});
        t.run(ActivationBackward{pre.cpu, gradient.cpu, dpre.cpu},
              ActivationBackward{pre.gpu, gradient.gpu, dpre.gpu});
        t.compare(out);
        t.compare(dpre);
    }
}

void losses(const std::string& folder)
{
    Twins t(folder, "loss");
    for (const Index words : {3, 64, 301})
    {
        const Twin logits = t.matrix(23, words);
        const Twin targets = t.integers(23, words, true);
        const Twin each = t.packed(23, 1);
        const auto on = [&](Tensor Twin::*d)
        {
            return CrossEntropy{.logits = logits.*d,
                                .targets = words_of(targets.*d),
                                .losses = floats_of(each.*d),
                                .scale = 0.25F};
        };
        t.run(on(&Twin::cpu), on(&Twin::gpu));
        t.compare(logits);
        t.compare(each);
    }
}

void small_ones(const std::string& folder)
{
    Twins t(folder, "elements");
    const Twin x = t.matrix(45, 31);
    const Twin y = t.matrix(45, 31);
    const Twin z = t.matrix(31, 45);
    const Twin sum = t.matrix(1, 31);
    t.run(Add{x.cpu, y.cpu}, Add{x.gpu, y.gpu});
    t.run(Convert{x.cpu, z.cpu, true}, Convert{x.gpu, z.gpu, true});
    t.run(SumRows{x.cpu, sum.cpu}, SumRows{x.gpu, sum.gpu});
    for (const Twin& result : {y, z, sum})
    {
        t.compare(result);
    }
    const Twin many = t.packed(1, 70'001);
    const Twin squares = t.packed(1, 1);
    t.cpu().add_squares({many.cpu.data, DType::f32, 70'001, floats_of(squares.cpu)});
    t.gpu().add_squares({many.gpu.data, DType::f32, 70'001, floats_of(squares.gpu)});
    t.compare(squares);
    t.cpu().clear(x.cpu.at(1), 64);
    t.gpu().clear(x.gpu.at(1), 64);
    t.cpu().copy(y.cpu.at(2), many.cpu.at(0, 11), 84);
    t.gpu().copy(y.gpu.at(2), many.gpu.at(0, 11), 84);
    t.compare(x);
    t.compare(y);
}

void updates(const std::string& folder)
{
    Twins t(folder, "update");
    for (const UpdateRule rule : {UpdateRule::adamw, UpdateRule::sgd})
    {
        const Index n = 1501;
        const Twin weights = t.packed(1, n);
        const Twin gradients = t.packed(1, n);
        const Twin momentum = t.packed(1, n);
        const Twin variance = t.packed(1, n);
        const Twin squares = t.packed(1, 1);
        for (const bool clipped : {false, true})
        {
            double norm = 0;
            for (Index i = 0; i < n; ++i)
            {
                floats_of(variance.cpu)[i] = std::abs(floats_of(variance.cpu)[i]);
                norm += std::pow(static_cast<double>(floats_of(gradients.cpu)[i]), 2);
            }
            t.gpu().upload(variance.gpu.data, variance.cpu.data, n * 4);
            const auto on = [&](Tensor Twin::*d)
            {
                Update u{.rule = rule,
                         .weights = (weights.*d).data,
                         .gradients = (gradients.*d).data,
                         .momentum = floats_of(momentum.*d),
                         .variance = rule == UpdateRule::adamw ? floats_of(variance.*d) : nullptr,
                         .elements = n,
                         .decayed = 700,
                         .learning_rate = 0.01F,
                         .weight_decay = 0.1F};
                u.correction1 = 0.3F;
                u.correction2 = 0.2F;
                return u;
            };
            Update cpu = on(&Twin::cpu);
            Update gpu = on(&Twin::gpu);
            if (clipped)
            {
                cpu.gradient_scale = static_cast<float>(2 / std::sqrt(norm));
                gpu.clip = 2;
                gpu.squares = floats_of(squares.gpu);
                t.gpu().add_squares(SquareSum{gradients.gpu.data, DType::f32, n, floats_of(squares.gpu)});
            }
            t.run(cpu, gpu);
            const float infinite = std::numeric_limits<float>::infinity();
            gpu.squares = floats_of(squares.gpu); // a gradient that is not finite changes nothing
            t.gpu().upload(squares.gpu.data, &infinite, 4);
            t.gpu().run(gpu);
            for (const Twin& result : {weights, momentum, variance})
            {
                t.compare(result);
            }
        }
    }
}

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

// Whole steps on both devices: every loss, and the state after the first one with SGD, whose momentum is the
// gradient.
void steps(const std::string& folder, const std::string& name, const TrainerConfig& config, int count)
{
    Case one(folder, name);
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
                std::vector<float> values(part.bytes.size() / 4);
                std::memcpy(values.data(), part.bytes.data(), part.bytes.size());
                one.expect(Kind::all, ++ticket, values);
            }
        }
        one.answer();
    }
}

} // namespace

int main(int /*argc*/, char** argv)
{
    const std::string folder = argv[1];
    products(folder);
    embeddings(folder);
    norms(folder);
    attentions(folder);
    activations(folder);
    losses(folder);
    small_ones(folder);
    updates(folder);
    TrainerConfig c = test::tiny_config();
    steps(folder, "steps_gpt", c, 50);
    c.training.optimizer = Optimizer::sgd_momentum;
    steps(folder, "steps_sgd", c, 3);
    c.training.global_batch = 2 * c.training.micro_batch;
    c.training.recompute = Recompute::full;
    steps(folder, "steps_accumulated", c, 2);
    c = test::tiny_config();
    c.model.gated_mlp = true;
    c.model.norm = Norm::rmsnorm;
    c.model.positions = Positions::rope;
    c.model.heads = 4;
    c.model.kv_heads = 2;
    c.training.flash_attention = false;
    steps(folder, "steps_llama", c, 50);
    c = default_trainer_config();
    c.data.text = test::short_text();
    steps(folder, "steps_class", c, 8);
    return 0;
}
