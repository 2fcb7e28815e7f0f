// Every operation as runs of kernels: which, over which buffers in the order of their bindings, and the sizes
// in the order of the kernel's own. What a kernel is not given is another buffer that it only reads.
#include "core/lab/trainer/webgpu/webgpu_backend.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ringside::trainer
{

namespace
{

constexpr Index kThreads = 256;      // of a kernel that works on elements
constexpr Index kMostGroups = 65535; // in one direction
constexpr Index kRowThreads = 64;    // of a kernel that works on rows, or on queries
constexpr Index kTeam = 4;           // threads of a row of attention through subgroups
constexpr Index kColumns = 16;       // of column_sums
constexpr Index kSumElements = 1024; // of the first pass over squares, in each of at most 256 workgroups
constexpr Index kMostSums = 256;

Index parts_of(Index count, Index size)
{
    return (count + size - 1) / size;
}

float scale_of(Index head_dim)
{
    return 1.0F / std::sqrt(static_cast<float>(head_dim));
}

[[noreturn]] void not_here()
{
    throw std::logic_error("not done through WebGPU"); // see abilities()
}

} // namespace

WebGpuBackend::Groups WebGpuBackend::threads_for(Index elements)
{
    return {std::clamp<Index>(parts_of(elements, kThreads), 1, kMostGroups)};
}

WebGpuBackend::Groups WebGpuBackend::rows_of(Index rows)
{
    return {std::min(rows, kMostGroups)};
}

// Tiles of 64 x 64 where that leaves enough of them, or of 32 x 32.
void WebGpuBackend::run(const Product& q)
{
    constexpr Index kEnough = 64;
    const Index side = parts_of(q.m(), 64) * parts_of(q.n(), 64) >= kEnough ? 16 : 8;
    const Place a = place_of(q.a);
    const Place b = place_of(q.b);
    const Place bias = q.bias ? place_of(q.bias) : a;
    const Place add = q.add ? place_of(q.add) : a;
    const Place c = place_of(q.c);
    launch(kernel("product", {{"side", side},
                              {"a_transposed", q.a_transposed},
                              {"b_transposed", q.b_transposed},
                              {"subgroups", adapter_.through.products},
                              {"a", a.type},
                              {"b", b.type},
                              {"bias", bias.type},
                              {"add", add.type},
                              {"c", c.type}}),
           {parts_of(q.n(), 4 * side), parts_of(q.m(), 4 * side)}, {a, b, bias, add, c},
           {q.m(), q.n(), q.k(), element(a), q.a.stride, element(b), q.b.stride, element(bias),
            Index{q.bias ? 1 : 0}, element(add), q.add.stride, Index{q.add ? 1 : 0}, element(c), q.c.stride,
            Index{q.accumulate ? 1 : 0}});
}

void WebGpuBackend::run(const Embed& e)
{
    const Place tokens = place_of(e.tokens);
    const Place table = place_of(e.table);
    const Place positions = e.positions ? place_of(e.positions) : table;
    const Place out = place_of(e.out);
    launch(kernel("embed", {{"table", table.type}, {"positions", positions.type}, {"out", out.type}}),
           threads_for(e.out.elements()), {tokens, table, positions, out},
           {e.out.rows, e.out.cols, e.length, element(tokens), element(table), e.table.stride,
            element(positions), e.positions.stride, Index{e.positions ? 1 : 0}, element(out), e.out.stride});
}

void WebGpuBackend::run(const EmbedBackward& e)
{
    const Place tokens = place_of(e.tokens);
    const Place gradient = place_of(e.gradient);
    const auto add_to = [&](const Tensor& to, Index rows, Index by_place)
    {
        const Place at = place_of(to);
        launch(
            kernel("embed_backward", {{"by_place", by_place}, {"gradient", gradient.type}, {"to", at.type}}),
            threads_for(rows * to.cols), {tokens, gradient, at},
            {e.gradient.rows, to.cols, e.length, element(tokens), element(gradient), e.gradient.stride,
             element(at), to.stride, rows});
    };
    add_to(e.table_gradient, e.table_gradient.rows, 0);
    if (e.position_gradient)
    {
        add_to(e.position_gradient, e.length, 1);
    }
}

void WebGpuBackend::run(const NormForward& n)
{
    const Place x = place_of(n.x);
    const Place gain = place_of(n.gain);
    const Place bias = n.layernorm() ? place_of(n.bias) : gain;
    const Place out = place_of(n.out);
    const Place statistics = place_of(n.statistics);
    launch(kernel("norm", {{"layernorm", n.layernorm()},
                           {"subgroups", adapter_.subgroups},
                           {"x", x.type},
                           {"gain", gain.type},
                           {"bias", bias.type},
                           {"out", out.type}}),
           rows_of(n.x.rows), {x, gain, bias, out, statistics},
           {n.x.rows, n.x.cols, kNormEpsilon, element(x), n.x.stride, element(gain), element(bias),
            element(out), n.out.stride, element(statistics)});
}

void WebGpuBackend::run(const NormBackward& n)
{
    column_sums(n.gradient, &n, n.gain_gradient);
    if (n.layernorm())
    {
        column_sums(n.gradient, nullptr, n.bias_gradient);
    }
    const Place gradient = place_of(n.gradient);
    const Place x = place_of(n.x);
    const Place gain = place_of(n.gain);
    const Place statistics = place_of(n.statistics);
    const Place dx = place_of(n.dx);
    launch(kernel("norm_backward", {{"layernorm", n.layernorm()},
                                    {"subgroups", adapter_.subgroups},
                                    {"gradient", gradient.type},
                                    {"x", x.type},
                                    {"gain", gain.type},
                                    {"dx", dx.type}}),
           rows_of(n.x.rows), {gradient, x, gain, statistics, dx},
           {n.x.rows, n.x.cols, element(gradient), n.gradient.stride, element(x), n.x.stride, element(gain),
            element(statistics), element(dx), n.dx.stride});
}

void WebGpuBackend::column_sums(const Tensor& gradient, const NormBackward* gain, const Tensor& to)
{
    const Place from = place_of(gradient);
    const Place x = gain ? place_of(gain->x) : from;
    const Place statistics = gain ? place_of(gain->statistics) : from;
    const Place at = place_of(to);
    launch(kernel("column_sums", {{"of_gain", gain != nullptr},
                                  {"layernorm", gain != nullptr && gain->layernorm()},
                                  {"gradient", from.type},
                                  {"x", x.type},
                                  {"to", at.type}}),
           {parts_of(gradient.cols, kColumns)}, {from, x, statistics, at},
           {gradient.rows, gradient.cols, element(from), gradient.stride, element(x),
            gain ? gain->x.stride : Index{0}, element(statistics), element(at)});
}

void WebGpuBackend::run(const SumRows& s)
{
    column_sums(s.gradient, nullptr, s.bias_gradient);
}

// As the CPU computes them: in double, rounded once.
WebGpuBackend::Place WebGpuBackend::angles(Index length, Index head_dim)
{
    Buffer& buffer = angles_[{length, head_dim}];
    if (buffer.id != 0)
    {
        return {buffer.id, 0};
    }
    const Index half = head_dim / 2;
    std::vector<float> values;
    for (Index place = 0; place < length; ++place)
    {
        for (Index i = 0; i < half; ++i)
        {
            const double share = static_cast<double>(2 * i) / static_cast<double>(head_dim);
            const double angle = static_cast<double>(place) / std::pow(static_cast<double>(kRopeBase), share);
            values.push_back(static_cast<float>(std::cos(angle)));
            values.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    const auto bytes = std::span(reinterpret_cast<const char*>(values.data()), values.size() * 4);
    buffer = own(std::ssize(bytes), GpuBuffer::storage);
    say(commands_, GpuCommand::upload, {buffer.id, 0, static_cast<std::uint32_t>(bytes.size())}, bytes);
    return {buffer.id, 0};
}

void WebGpuBackend::run(const Rope& r)
{
    const Place heads = place_of(r.heads);
    launch(kernel("rope", {{"heads", heads.type}}), threads_for(r.heads.elements() / 2),
           {angles(r.length, r.head_dim), heads},
           {r.heads.rows, r.heads.cols, r.head_dim, r.length, element(heads), r.heads.stride,
            r.backwards ? -1.0F : 1.0F});
}

Index WebGpuBackend::chunks_of(Index head_dim) const
{
    const Index team = adapter_.through.attention ? kTeam : 1;
    return team * parts_of(head_dim, 4 * team);
}

// Two tiles of keys, or of queries, fit a workgroup's memory beside what common.wgsl has.
Index WebGpuBackend::key_tile(Index chunks) const
{
    Index tile = 32;
    while (tile > 4 && 2 * tile * chunks * 16 + 4 * kRowThreads > adapter_.group_bytes)
    {
        tile /= 2;
    }
    return tile;
}

void WebGpuBackend::run(const Attention& a)
{
    const Place qkv = place_of(a.qkv);
    const Place out = place_of(a.out);
    const float scale = scale_of(a.head_dim);
    if (a.probabilities)
    {
        const Place kept = place_of(a.probabilities);
        launch(kernel("attention_scores",
                      {{"subgroups", adapter_.subgroups}, {"qkv", qkv.type}, {"probabilities", kept.type}}),
               {a.length, a.heads, a.sequences()}, {qkv, kept},
               {a.length, a.heads, a.kv_heads, a.head_dim, scale, element(qkv), a.qkv.stride, element(kept),
                a.probabilities.stride});
        launch(
            kernel("attention_values", {{"qkv", qkv.type}, {"probabilities", kept.type}, {"out", out.type}}),
            threads_for(a.out.elements()), {qkv, kept, out},
            {a.out.rows, a.length, a.heads, a.kv_heads, a.head_dim, element(qkv), a.qkv.stride, element(kept),
             a.probabilities.stride, element(out), a.out.stride});
        return;
    }
    const Index chunks = chunks_of(a.head_dim);
    const Place sums = a.log_sums ? place_of(a.log_sums) : throw std::logic_error("attention keeps nothing");
    launch(kernel("attention", {{"chunks", chunks},
                                {"tile", key_tile(chunks)},
                                {"subgroups", adapter_.through.attention},
                                {"qkv", qkv.type},
                                {"out", out.type}}),
           {parts_of(a.length, kRowThreads), a.heads, a.sequences()}, {qkv, out, sums},
           {a.length, a.heads, a.kv_heads, a.head_dim, scale, element(qkv), a.qkv.stride, element(out),
            a.out.stride, element(sums)});
}

void WebGpuBackend::run(const AttentionBackward& b)
{
    const Attention& a = b.forward;
    const Place kept = a.probabilities ? place_of(a.probabilities) : place_of(a.log_sums);
    grown(shared_, a.out.rows * a.heads * 4);
    attention_backward(b, false, kept, a.probabilities.stride);
    attention_backward(b, true, kept, a.probabilities.stride);
}

void WebGpuBackend::attention_backward(const AttentionBackward& b, bool of_keys, const Place& kept,
                                       Index kept_stride)
{
    const Attention& a = b.forward;
    const Index chunks = chunks_of(a.head_dim);
    const Place qkv = place_of(a.qkv);
    const Place out = place_of(a.out);
    const Place gradient = place_of(b.gradient);
    const Place dqkv = place_of(b.dqkv);
    const Index keeps = a.probabilities ? 1 : 0;
    const Place shared{shared_.id, 0};
    const float scale = scale_of(a.head_dim);
    const Index blocks = parts_of(a.length, kRowThreads);
    if (of_keys)
    {
        launch(kernel("attention_backward_key", {{"chunks", chunks},
                                                 {"tile", key_tile(chunks)},
                                                 {"keeps", keeps},
                                                 {"subgroups", adapter_.through.attention},
                                                 {"qkv", qkv.type},
                                                 {"gradient", gradient.type},
                                                 {"kept", kept.type},
                                                 {"dqkv", dqkv.type}}),
               {blocks, a.kv_heads, a.sequences()}, {qkv, gradient, kept, shared, dqkv},
               {a.length, a.heads, a.kv_heads, a.head_dim, scale, element(qkv), a.qkv.stride,
                element(gradient), b.gradient.stride, element(kept), kept_stride, element(dqkv),
                b.dqkv.stride, Index{0}});
        return;
    }
    launch(kernel("attention_backward_query", {{"chunks", chunks},
                                               {"tile", key_tile(chunks)},
                                               {"keeps", keeps},
                                               {"subgroups", adapter_.through.attention},
                                               {"qkv", qkv.type},
                                               {"out", out.type},
                                               {"gradient", gradient.type},
                                               {"kept", kept.type},
                                               {"dqkv", dqkv.type}}),
           {blocks, a.heads, a.sequences()}, {qkv, out, gradient, kept, dqkv, shared},
           {a.length, a.heads, a.kv_heads, a.head_dim, scale, element(qkv), a.qkv.stride, element(out),
            a.out.stride, element(gradient), b.gradient.stride, element(kept), kept_stride, element(dqkv),
            b.dqkv.stride, Index{0}});
}

void WebGpuBackend::run(const Activation& a)
{
    const Place x = place_of(a.pre);
    const Place out = place_of(a.out);
    launch(kernel("activation", {{"gated", a.gated()}, {"x", x.type}, {"out", out.type}}),
           threads_for(a.out.elements()), {x, out},
           {a.out.rows, a.out.cols, element(x), a.pre.stride, element(out), a.out.stride});
}

void WebGpuBackend::run(const ActivationBackward& a)
{
    const Place x = place_of(a.pre);
    const Place gradient = place_of(a.gradient);
    const Place dx = place_of(a.dpre);
    launch(kernel("activation_backward", {{"gated", a.pre.cols == 2 * a.gradient.cols},
                                          {"x", x.type},
                                          {"gradient", gradient.type},
                                          {"dx", dx.type}}),
           threads_for(a.gradient.elements()), {x, gradient, dx},
           {a.gradient.rows, a.gradient.cols, element(x), a.pre.stride, element(gradient), a.gradient.stride,
            element(dx), a.dpre.stride});
}

void WebGpuBackend::run(const CrossEntropy& c)
{
    if (c.statistics)
    {
        not_here();
    }
    const Place targets = place_of(c.targets);
    const Place logits = place_of(c.logits);
    const Place losses = place_of(c.losses);
    launch(kernel("cross_entropy", {{"subgroups", adapter_.subgroups}}), rows_of(c.logits.rows),
           {targets, logits, losses},
           {c.logits.rows, c.logits.cols, c.scale, element(logits), c.logits.stride, element(targets),
            element(losses)});
}

void WebGpuBackend::elements(const Tensor& from, const Tensor& to, Index adds, Index transposed)
{
    const Place source = place_of(from);
    const Place target = place_of(to);
    launch(kernel("elements",
                  {{"adds", adds}, {"transposed", transposed}, {"source", source.type}, {"to", target.type}}),
           threads_for(to.elements()), {source, target},
           {to.rows, to.cols, element(source), from.stride, element(target), to.stride});
}

void WebGpuBackend::run(const Add& a)
{
    elements(a.from, a.to, 1, 0);
}

void WebGpuBackend::run(const Convert& c)
{
    elements(c.from, c.to, 0, c.transposed ? 1 : 0);
}

void WebGpuBackend::add_squares(const SquareSum& s)
{
    const Index groups = std::clamp<Index>(parts_of(s.elements, kSumElements), 1, kMostSums);
    const Place data = place_of(s.data, s.type);
    const Place sums{grown(sums_, kMostSums * 4), 0};
    const Place out = place_of(s.out);
    launch(kernel("squares", {{"squared", 1}, {"subgroups", adapter_.subgroups}, {"x", data.type}}), {groups},
           {data, sums}, {s.elements, element(data), Index{0}});
    launch(kernel("squares", {{"squared", 0}, {"subgroups", adapter_.subgroups}}), {1}, {sums, out},
           {groups, Index{0}, element(out)});
}

void WebGpuBackend::run(const Update& u)
{
    const bool adamw = u.rule == UpdateRule::adamw;
    const Place gradients = place_of(u.gradients, u.gradient_type);
    const Place squares = u.squares ? place_of(u.squares) : gradients;
    const Place weights = place_of(u.weights, u.weight_type);
    const Place momentum = place_of(u.momentum);
    const Place variance = adamw ? place_of(u.variance) : Place{nothing_.id, 0};
    const Place master = u.master ? place_of(u.master) : Place{no_master_.id, 0};
    const Index drop = !u.stochastic || u.weight_type == DType::f32 ? 0
                       : u.weight_type == DType::f16                ? 13
                                                                    : 16;
    const auto key = static_cast<Index>((u.key ^ (u.key >> 32U)) & 0xFFFFFFFFU);
    launch(kernel("update", {{"adamw", adamw},
                             {"has_master", u.master != nullptr},
                             {"drop", drop},
                             {"gradients", gradients.type},
                             {"weights", weights.type}}),
           threads_for(u.elements), {gradients, squares, weights, momentum, variance, master},
           {u.elements, u.decayed, element(weights), element(gradients), element(momentum), element(variance),
            element(squares), Index{u.squares ? 1 : 0}, u.clip, u.gradient_scale, u.learning_rate, u.beta1,
            u.beta2, u.epsilon, u.weight_decay, u.correction1, u.correction2, element(master), key});
}

void WebGpuBackend::run(const Route& r)
{
    const Place logits = place_of(r.logits);
    const Place slots = place_of(r.slots);
    const Place gates = place_of(r.gates);
    const Place tally = place_of(r.tally);
    launch(kernel("route", {{"subgroups", adapter_.subgroups}}), {r.sequences()},
           {logits, slots, gates, tally},
           {r.length, r.sequences(), r.experts(), r.chosen, r.capacity, element(logits), r.logits.stride,
            element(slots), element(gates), element(tally)});
}

void WebGpuBackend::run(const RouteBackward& b)
{
    const Route& r = b.forward;
    const Place probabilities = place_of(r.logits);
    const Place slots = place_of(r.slots);
    const Place gates = place_of(r.gates);
    const Place tally = place_of(r.tally);
    const Place gradient = place_of(b.gradient);
    const Place given = place_of(b.given);
    const Place dlogits = place_of(b.dlogits);
    launch(kernel("route_backward",
                  {{"subgroups", adapter_.subgroups}, {"gradient", gradient.type}, {"given", given.type}}),
           rows_of(r.logits.rows), {probabilities, slots, gates, tally, gradient, given, dlogits},
           {r.logits.rows, b.gradient.cols, r.length, r.sequences(), r.experts(), r.chosen, r.capacity,
            b.balance, element(probabilities), r.logits.stride, element(slots), element(gates),
            element(tally), element(gradient), b.gradient.stride, element(given), b.given.stride,
            element(dlogits), b.dlogits.stride});
}

void WebGpuBackend::run(const Dispatch& d)
{
    const Place slots = place_of(d.slots);
    const Place gates = d.gates ? place_of(d.gates) : slots;
    const Place source = place_of(d.from);
    const Place to = place_of(d.to);
    launch(kernel("dispatch", {{"gated", d.gates != nullptr}, {"source", source.type}, {"to", to.type}}),
           threads_for(d.from.elements() * d.chosen), {slots, gates, source, to},
           {d.from.rows, d.from.cols, d.chosen, element(slots), element(gates), element(source),
            d.from.stride, element(to), d.to.stride});
}

void WebGpuBackend::run(const Combine& c)
{
    const bool in_place = c.add.data == c.out.data;
    const Place slots = place_of(c.slots);
    const Place gates = c.gates ? place_of(c.gates) : slots;
    const Place source = place_of(c.from);
    const Place out = place_of(c.out);
    const Place add = c.add && !in_place ? place_of(c.add) : source;
    launch(kernel("combine", {{"gated", c.gates != nullptr},
                              {"adds", Index{c.add ? 1 : 0}},
                              {"in_place", in_place},
                              {"source", source.type},
                              {"add", add.type},
                              {"out", out.type}}),
           threads_for(c.out.elements()), {slots, gates, source, add, out},
           {c.out.rows, c.out.cols, c.chosen, element(slots), element(gates), element(source), c.from.stride,
            element(add), c.add.stride, element(out), c.out.stride});
}

// Attention over ranks that share a sequence, which a page never has; see abilities().
void WebGpuBackend::run(const AttentionHop& /*hop*/)
{
    not_here();
}
void WebGpuBackend::run(const AttentionHopBackward& /*hop*/)
{
    not_here();
}
void WebGpuBackend::run(const LogitStatistics& /*statistics*/)
{
    not_here();
}

} // namespace ringside::trainer
