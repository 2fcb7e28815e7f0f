// Writes what WebGPU is to be asked, and what is right: usage: webgpu_streams FOLDER
//
// Kernels are compared with webgpu_reference.h, which computes on the numbers as they are stored.
#include "tests/page/webgpu_case.h"
#include "tests/page/webgpu_reference.h"

#include <deque>

namespace ringside::test
{

namespace
{

// The same numbers on both sides.
struct Twin
{
    reference::Matrix at;
    Tensor gpu;

    float* floats() const { return static_cast<float*>(gpu.data); }
    Twin columns(Index first, Index count) const
    {
        return {at.columns(first, count), gpu.columns(first, count)};
    }
    Twin row(Index index) const { return {at.row(index), gpu.row_range(index, 1)}; }
};
struct Integers
{
    std::vector<std::int32_t> at;
    const std::int32_t* gpu = nullptr;
};

class Twins
{
public:
    // What kernels store in 16 bits is stored in `half`.
    Twins(const std::string& folder, const std::string& name, DType half, bool subgroups)
        : half_(half), case_(folder,
                             name + (half == DType::f32   ? ""
                                     : half == DType::f16 ? "_f16"
                                                          : "_bf16"),
                             subgroups)
    {
    }
    ~Twins() { case_.gpu().submit(); }
    Twins(const Twins&) = delete;
    Twins& operator=(const Twins&) = delete;

    // Part of a wider matrix, so that strides and places count.
    Twin matrix(Index rows, Index cols) { return matrix(rows, cols, half_); }
    Twin matrix(Index rows, Index cols, DType type)
    {
        const Index stride = cols + 3;
        const Twin whole = placed((rows + 1) * stride, type);
        return {{whole.at.data + 5, rows, cols, stride},
                {static_cast<char*>(whole.gpu.data) + 5 * bytes_of(type), type, rows, cols, stride}};
    }
    Twin packed(Index rows, Index cols) { return packed(rows, cols, DType::f32); }
    Twin packed(Index rows, Index cols, DType type)
    {
        const Twin whole = placed(rows * cols, type);
        return {{whole.at.data, rows, cols, cols}, tensor(whole.gpu.data, type, rows, cols)};
    }
    Integers integers(Index count, Index below, bool some_missing = false)
    {
        Integers all;
        for (Index i = 0; i < count; ++i)
        {
            all.at.push_back(
                some_missing && i % 7 == 3 ? -1 : static_cast<std::int32_t>((i * 37 + i / 5) % below));
        }
        void* gpu = case_.gpu().allocate(count * 4);
        case_.gpu().upload(gpu, all.at.data(), count * 4);
        all.gpu = static_cast<const std::int32_t*>(gpu);
        return all;
    }
    // What was computed is now as it is stored, for what comes after.
    void store(std::initializer_list<Twin> all)
    {
        for (const Twin& t : all)
        {
            reference::each(t.at, [&](Index row, Index col)
                            { t.at(row, col) = reference::rounded(t.at(row, col), t.gpu.type); });
        }
    }
    // All of the memory it lies in.
    void compare(const Twin& t)
    {
        for (const Placed& p : placed_)
        {
            if (t.at.data >= p.values.data() && t.at.data < p.values.data() + p.values.size())
            {
                const DType type = t.gpu.type;
                case_.gpu().read(p.gpu, std::ssize(p.values) * bytes_of(type), [](std::span<const char>) {});
                const std::vector<float> values(p.values.begin(), p.values.end());
                case_.expect(type == DType::f16    ? Kind::f16
                             : type == DType::bf16 ? Kind::bf16
                                                   : Kind::f32,
                             ++tickets_, values);
            }
        }
    }
    // The numbers here, there too.
    void upload(const Twin& t)
    {
        const std::vector<float> values(t.at.data, t.at.data + t.at.cols);
        case_.gpu().upload(t.gpu.data, values.data(), std::ssize(values) * 4);
    }
    WebGpuBackend& gpu() { return case_.gpu(); }
    DType half() const { return half_; }

private:
    struct Placed
    {
        std::vector<double> values;
        void* gpu;
    };
    Twin placed(Index count, DType type)
    {
        Placed& p = placed_.emplace_back();
        std::vector<float> floats;
        std::vector<std::uint16_t> codes;
        for (Index i = 0; i < count; ++i)
        {
            const double drawn = 2 * random_unit(random_key(5, RandomStream::weights, 0), ++drawn_) - 1;
            p.values.push_back(reference::rounded(static_cast<double>(static_cast<float>(drawn)), type));
            floats.push_back(static_cast<float>(p.values.back()));
            codes.push_back(reference::code_of(p.values.back(), type));
        }
        p.gpu = case_.gpu().allocate(count * bytes_of(type));
        const void* from = type == DType::f32 ? static_cast<const void*>(floats.data()) : codes.data();
        case_.gpu().upload(p.gpu, from, count * bytes_of(type));
        Twin t;
        t.at.data = p.values.data();
        t.gpu.data = p.gpu;
        return t;
    }

    DType half_;
    Case case_;
    std::deque<Placed> placed_;
    std::uint64_t drawn_ = 0;
    std::uint32_t tickets_ = 0;
};

void products(Twins& t)
{
    for (const auto& [m, n, k] :
         {std::array<Index, 3>{1, 1, 1}, {5, 7, 3}, {33, 65, 17}, {70, 130, 40}, {600, 530, 9}})
    {
        for (int way = 0; way < 5; ++way)
        {
            const reference::ProductWay turns{way == 1, way == 2, way == 1};
            const Twin a = turns.a_transposed ? t.matrix(k, m) : t.matrix(m, k);
            const Twin b = turns.b_transposed ? t.matrix(n, k) : t.matrix(k, n);
            const Twin c = t.matrix(m, n, way == 4 ? DType::f32 : t.half());
            const Twin bias = way == 3 ? t.matrix(1, n) : Twin{};
            const Twin add = way == 3 ? t.matrix(m, n) : Twin{};
            reference::product(a.at, b.at, c.at, turns, bias.at, add.at);
            t.gpu().run(Product{a.gpu, b.gpu, c.gpu, turns.a_transposed, turns.b_transposed, turns.accumulate,
                                bias.gpu, add.gpu});
            t.compare(c);
        }
    }
}

void embeddings(Twins& t)
{
    const Integers tokens = t.integers(4 * 9, 13);
    const Twin table = t.matrix(13, 21);
    const Twin positions = t.matrix(9, 21);
    const Twin gradient = t.matrix(4 * 9, 21);
    for (const bool placed : {false, true})
    {
        const Twin out = t.matrix(4 * 9, 21);
        const Twin used = placed ? positions : Twin{};
        reference::embed(tokens.at, table.at, used.at, out.at, 9);
        t.gpu().run(Embed{
            .tokens = tokens.gpu, .table = table.gpu, .positions = used.gpu, .out = out.gpu, .length = 9});
        t.compare(out);
        reference::embed_backward(tokens.at, gradient.at, table.at, used.at, 9);
        t.gpu().run(EmbedBackward{.tokens = tokens.gpu,
                                  .gradient = gradient.gpu,
                                  .table_gradient = table.gpu,
                                  .position_gradient = used.gpu,
                                  .length = 9});
        t.compare(table);
        t.compare(positions);
        t.store({table, positions});
    }
}

void norms(Twins& t)
{
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
            const Twin bias = layernorm ? gain.row(1) : Twin{};
            const Twin bias_sum = layernorm ? sums.row(1) : Twin{};
            reference::norm(x.at, gain.row(0).at, bias.at, out.at, statistics.at);
            t.gpu().run(NormForward{x.gpu, gain.row(0).gpu, bias.gpu, out.gpu, statistics.floats()});
            reference::norm_backward(gradient.at, x.at, gain.row(0).at, statistics.at, dx.at, sums.row(0).at,
                                     bias_sum.at);
            t.gpu().run(NormBackward{gradient.gpu, x.gpu, gain.row(0).gpu, statistics.floats(), dx.gpu,
                                     sums.row(0).gpu, bias_sum.gpu});
            for (const Twin& result : {out, statistics, dx, sums})
            {
                t.compare(result);
            }
        }
    }
}

void ropes(Twins& t, const reference::Heads& h, Index rows)
{
    const Twin turned = t.matrix(rows, (h.heads + 2 * h.kv_heads) * h.head_dim)
                            .columns(0, (h.heads + h.kv_heads) * h.head_dim);
    for (const bool backwards : {false, true})
    {
        if (h.head_dim % 2 == 0)
        {
            reference::rope(turned.at, h.head_dim, h.length, backwards);
            t.gpu().run(Rope{
                .heads = turned.gpu, .head_dim = h.head_dim, .length = h.length, .backwards = backwards});
            t.compare(turned);
            t.store({turned});
        }
    }
}

void attentions(Twins& t)
{
    for (const reference::Heads& h : {reference::Heads{1, 1, 1, 2},
                                      {9, 2, 2, 6},
                                      {70, 4, 2, 16},
                                      {33, 2, 1, 33},
                                      {130, 1, 1, 64},
                                      {20, 1, 1, 128}})
    {
        const Index rows = 2 * h.length;
        const Index width = (h.heads + 2 * h.kv_heads) * h.head_dim;
        for (const bool flash : {true, false})
        {
            const Twin qkv = t.matrix(rows, width);
            const Twin out = t.matrix(rows, h.heads * h.head_dim);
            const Twin gradient = t.matrix(rows, h.heads * h.head_dim);
            const Twin dqkv = t.matrix(rows, width);
            const Twin sums = flash ? t.packed(rows, h.heads) : Twin{};
            const Twin kept = flash ? Twin{} : t.packed(rows * h.heads, h.length, t.half());
            const trainer::Attention forward{.qkv = qkv.gpu,
                                             .out = out.gpu,
                                             .log_sums = sums.floats(),
                                             .probabilities = kept.gpu,
                                             .length = h.length,
                                             .heads = h.heads,
                                             .kv_heads = h.kv_heads,
                                             .head_dim = h.head_dim};
            reference::attention(h, qkv.at, out.at, sums.at, kept.at);
            t.gpu().run(forward);
            reference::attention_backward(h, qkv.at, gradient.at, dqkv.at);
            t.gpu().run(AttentionBackward{.forward = forward, .gradient = gradient.gpu, .dqkv = dqkv.gpu});
            for (const Twin& result : {out, dqkv, flash ? sums : kept})
            {
                t.compare(result);
            }
        }
        ropes(t, h, rows);
    }
}

void activations(Twins& t)
{
    for (const Index gates : {1, 2})
    {
        const Twin pre = t.matrix(19, gates * 27);
        const Twin out = t.matrix(19, 27);
        const Twin gradient = t.matrix(19, 27);
        const Twin dpre = t.matrix(19, gates * 27);
        reference::activation(pre.at, out.at);
        t.gpu().run(Activation{pre.gpu, out.gpu});
        reference::activation_backward(pre.at, gradient.at, dpre.at);
        t.gpu().run(ActivationBackward{pre.gpu, gradient.gpu, dpre.gpu});
        t.compare(out);
        t.compare(dpre);
    }
}

void losses(Twins& t)
{
    for (const Index words : {3, 64, 301})
    {
        const Twin logits = t.matrix(23, words, DType::f32);
        const Integers targets = t.integers(23, words, true);
        const Twin each = t.packed(23, 1);
        reference::cross_entropy(logits.at, targets.at, each.at, 0.25);
        t.gpu().run(CrossEntropy{
            .logits = logits.gpu, .targets = targets.gpu, .losses = each.floats(), .scale = 0.25F});
        t.compare(logits);
        t.compare(each);
    }
}

void sums_of_squares(Twins& t)
{
    const Twin many = t.packed(1, 70'001, t.half());
    const Twin squares = t.packed(1, 1);
    double sum = 0;
    reference::each(many.at, [&](Index row, Index col) { sum += many.at(row, col) * many.at(row, col); });
    squares.at(0, 0) = sum;
    t.gpu().add_squares({many.gpu.data, t.half(), 70'001, squares.floats()});
    t.compare(squares);
}

void small_ones(Twins& t)
{
    const Twin x = t.matrix(45, 31);
    const Twin y = t.matrix(45, 31);
    const Twin z = t.matrix(31, 45, DType::f32);
    const Twin sum = t.matrix(1, 31);
    const Twin back = t.matrix(31, 45);
    reference::each(x.at,
                    [&](Index row, Index col)
                    {
                        y.at(row, col) += x.at(row, col);
                        z.at(col, row) = x.at(row, col);
                        sum.at(0, col) += x.at(row, col);
                    });
    reference::each(z.at, [&](Index row, Index col) { back.at(row, col) = z.at(row, col); });
    t.gpu().run(Add{x.gpu, y.gpu});
    t.gpu().run(Convert{x.gpu, z.gpu, true});
    t.gpu().run(SumRows{x.gpu, sum.gpu});
    t.gpu().run(Convert{z.gpu, back.gpu});
    for (const Twin& result : {y, z, sum, back})
    {
        t.compare(result);
    }
    sums_of_squares(t);
    const Twin cleared = t.packed(1, 40);
    const Twin copied = t.packed(1, 40);
    std::fill_n(cleared.at.data + 3, 16, 0.0);
    t.gpu().clear(cleared.floats() + 3, 64);
    std::copy_n(cleared.at.data + 11, 21, copied.at.data + 2);
    t.gpu().copy(copied.floats() + 2, cleared.floats() + 11, 84);
    t.compare(cleared);
    t.compare(copied);
}

void experts(Twins& t)
{
    for (const reference::Routes& r : {reference::Routes{9, 1, 3}, {20, 2, 7}, {5, 2, 5}})
    {
        const Index kinds = r.length == 20 ? 7 : 3;
        const Index rows = 2 * r.length;
        const Twin logits = t.matrix(rows, kinds, DType::f32);
        const Twin gates = t.packed(rows, r.chosen);
        const Twin tally = t.packed(2, Route::tally_width(kinds));
        const Twin x = t.matrix(rows, 11);
        const Twin buffer = t.matrix(kinds * 2 * r.capacity, 11);
        const Twin given = t.matrix(kinds * 2 * r.capacity, 11);
        const Twin out = t.matrix(rows, 11);
        const Twin dlogits = t.matrix(rows, kinds, DType::f32);
        std::vector<double> before;
        reference::each(logits.at, [&](Index row, Index col) { before.push_back(logits.at(row, col)); });
        const reference::Matrix raw{before.data(), rows, kinds, kinds};
        const auto routed = reference::route(r, logits.at, gates.at, tally.at);
        const Twin slots = t.packed(rows, r.chosen);
        auto* places = static_cast<std::int32_t*>(slots.gpu.data);
        const Route route{logits.gpu, places, gates.floats(), tally.floats(), r.length, r.chosen, r.capacity};
        t.gpu().run(route);
        for (std::size_t pair = 0; pair < routed.slots.size(); ++pair)
        {
            const Index row = static_cast<Index>(pair) / r.chosen;
            const double gate = gates.at.data[pair];
            for (Index col = 0; routed.slots[pair] >= 0 && col < 11; ++col)
            {
                buffer.at(routed.slots[pair], col) = gate * x.at(row, col);
                out.at(row, col) += gate * given.at(routed.slots[pair], col);
            }
        }
        t.gpu().run(Dispatch{x.gpu, buffer.gpu, places, gates.floats(), r.chosen});
        t.gpu().run(Combine{given.gpu, out.gpu, out.gpu, places, gates.floats(), r.chosen});
        reference::route_backward(r, routed, raw, x.at, given.at, tally.at, 0.3, dlogits.at);
        t.gpu().run(RouteBackward{route, x.gpu, given.gpu, dlogits.gpu, 0.3F});
        for (const Twin& result : {logits, gates, tally, buffer, out, dlogits})
        {
            t.compare(result);
        }
    }
}

// Too large for the format, too small, and between two of its numbers.
void roundings(Twins& t)
{
    const Twin from = t.packed(1, 16);
    const Twin to = t.packed(1, 16, t.half());
    const std::vector<double> values{65504,     65519.9,  65520,    -1e9,    0x1p-14, 0x1p-15,
                                     0x1.8p-24, -0x1p-25, 1,        0x1p-30, -0.0,    0x1.802p0,
                                     0x1.806p0, 0x1.81p0, 0x1.83p0, 3e38};
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        from.at.data[i] = values[i];
        to.at.data[i] = reference::rounded(values[i], t.half());
    }
    t.upload(from);
    t.gpu().run(Convert{from.gpu, to.gpu});
    t.compare(to);
    const Twin again = t.packed(1, 16);
    std::copy_n(to.at.data, 16, again.at.data);
    t.gpu().run(Convert{to.gpu, again.gpu});
    t.compare(again);
}

void updates(Twins& t, bool adamw, bool has_master)
{
    const Index n = 1501;
    const Twin weights = t.packed(1, n, t.half());
    const Twin master = has_master ? t.packed(1, n) : Twin{};
    const Twin gradients = t.packed(1, n, t.half());
    const Twin momentum = t.packed(1, n);
    const Twin variance = t.packed(1, n);
    const Twin squares = t.packed(1, 1);
    for (const bool clipped : {false, true})
    {
        double norm = 0;
        for (Index i = 0; i < n; ++i)
        {
            variance.at(0, i) = std::abs(variance.at(0, i));
            norm += std::pow(gradients.at(0, i), 2);
        }
        t.upload(variance);
        Update u{.rule = adamw ? UpdateRule::adamw : UpdateRule::sgd,
                 .weights = weights.gpu.data,
                 .weight_type = t.half(),
                 .master = master.floats(),
                 .gradients = gradients.gpu.data,
                 .gradient_type = t.half(),
                 .momentum = momentum.floats(),
                 .variance = adamw ? variance.floats() : nullptr,
                 .elements = n,
                 .decayed = 700,
                 .learning_rate = 0.01F,
                 .weight_decay = 0.1F};
        u.correction1 = 0.3F;
        u.correction2 = 0.2F;
        reference::Rule rule{.adamw = adamw, .correction1 = 0.3, .correction2 = 0.2, .decayed = 700};
        if (clipped)
        {
            rule.factor = 2 / std::sqrt(norm);
            u.clip = 2;
            u.squares = squares.floats();
            t.gpu().add_squares(SquareSum{gradients.gpu.data, t.half(), n, squares.floats()});
        }
        const Twin& changed = has_master ? master : weights;
        reference::update(rule, changed.at, gradients.at, momentum.at, variance.at);
        std::copy_n(changed.at.data, n, weights.at.data);
        t.gpu().run(u);
        const float infinite = std::numeric_limits<float>::infinity();
        u.squares = squares.floats(); // a gradient that is not finite changes nothing
        t.gpu().upload(squares.gpu.data, &infinite, 4);
        t.gpu().run(u);
        for (const Twin& result : {weights, changed, momentum, variance})
        {
            t.compare(result);
        }
        t.store({weights});
    }
}

using Formats = std::vector<DType>;
const Formats kFormats{DType::f32, DType::f16, DType::bf16};

template <class Work>
void in_formats(const std::string& folder, const std::string& name, const Work& work,
                const Formats& formats = kFormats, bool subgroups = false)
{
    for (const DType format : formats)
    {
        Twins t(folder, name, format, subgroups);
        work(t);
    }
}

// Kernels that can go through subgroups, which must not change what they compute.
template <class Work>
void both_ways(const std::string& folder, const std::string& name, const Work& work,
               const Formats& formats = kFormats)
{
    in_formats(folder, name, work, formats);
    in_formats(folder, name + "_subgroups", work, formats, true);
}

} // namespace

void write_kernels(const std::string& folder)
{
    both_ways(folder, "product", products);
    in_formats(folder, "embed", embeddings);
    both_ways(folder, "norm", norms);
    both_ways(folder, "attention", attentions);
    in_formats(folder, "activation", activations);
    both_ways(folder, "experts", experts);
    both_ways(folder, "loss", losses, {DType::f32});
    both_ways(folder, "elements", small_ones);
    in_formats(folder, "rounding", roundings, {DType::f16, DType::bf16});
    in_formats(folder, "update",
               [](Twins& t)
               {
                   for (const bool adamw : {true, false})
                   {
                       updates(t, adamw, false);
                       updates(t, adamw, t.half() != DType::f32);
                   }
               });
}

} // namespace ringside::test

int main(int /*argc*/, char** argv)
{
    ringside::test::write_kernels(argv[1]);
    ringside::test::write_steps(argv[1]);
    return 0;
}
