#include "core/memory/explain_memory.h"

#include <fmt/format.h>

#include "core/memory/formula_text.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cmath>

// Formula and working are written side by side, so that they cannot drift apart.
// Symbols: s sequence, b micro-batch, h hidden, a heads, t tensor, cp context, V vocabulary, N replicas of
// the dense weights, N_e of the experts, c bytes per token and hidden unit that a layer keeps.

namespace ringside
{

namespace
{

using namespace formula_text;

// One stage and what the workings need of it.
struct Subject
{
    const Scenario& s;
    const StageMemory& memory;
    StateBytes bytes;
    StageWeights weights;
    StagePart part;
    std::size_t stage;

    Subject(const Scenario& scenario, const MemoryReport& report, std::size_t index)
        : s(scenario), memory(report.stages.at(index)), bytes(state_bytes(scenario.training)),
          weights(stage_weights(scenario.model, scenario.parallel, scenario.training.schedule->placement)
                      .at(index)),
          part(stage_parts(scenario.model, scenario.parallel, scenario.training.schedule->placement)
                   .at(index)),
          stage(index)
    {
    }

    double element() const { return element_bytes(s.training); }
    // Whether the tensors between the matrix products are cut by t as well.
    bool all_cut() const { return s.parallel.tensor == 1 || s.parallel.sequence_parallel; }
};

Text over_tensor(const Subject& x, bool cut = true)
{
    return cut && x.s.parallel.tensor > 1 ? Text{" / t", fmt::format(" / {}", x.s.parallel.tensor)} : Text{};
}

Text over_context(const Subject& x)
{
    return x.s.parallel.context > 1 ? Text{" / cp", fmt::format(" / {}", x.s.parallel.context)} : Text{};
}

// "s b": tokens of a micro-batch, before context parallelism.
Text tokens(const Subject& x)
{
    return {"s b",
            fmt::format("{} × {}", figure(x.s.training.sequence_length), figure(x.s.training.micro_batch))};
}

Text hidden(const Subject& x)
{
    return whole_number("h", x.s.model.hidden);
}

// --- model states

// Elements over their ranks. The rounding up of a share is left to the reader unless it shows.
Text share(std::string symbol, std::string ranks_symbol, std::int64_t elements, std::int64_t ranks)
{
    const auto even = static_cast<double>(elements) / static_cast<double>(ranks);
    const auto padded = std::ceil(even);
    if (ranks == 1)
    {
        return whole_number(std::move(symbol), elements);
    }
    if (padded > even * 1.0002)
    {
        return {fmt::format("⌈{} / {}⌉", symbol, ranks_symbol), figure(padded)};
    }
    return {fmt::format("{} / {}", symbol, ranks_symbol),
            fmt::format("{} / {}", figure(elements), figure(ranks))};
}

Text elements(const Subject& x, const std::string& what, std::int64_t dense, std::int64_t expert,
              bool sharded)
{
    if (!sharded)
    {
        return whole_number(what, dense + expert);
    }
    if (expert == 0)
    {
        return share(what, "N", dense, dense_shards(x.s));
    }
    return factor(sum({share("dense " + what, "N", dense, dense_shards(x.s)),
                       share("expert " + what, "N_e", expert, expert_shards(x.s))}));
}

bool on_host(const Training& t, Component component)
{
    const bool optimizer = component == Component::master_weights || component == Component::momentum ||
                           component == Component::variance;
    return (optimizer && t.offload != Offload::none) ||
           (component == Component::weights && offloads_weights(t.offload));
}

// The second moment of optimizers that do not keep one per parameter; empty for all others.
Text special_variance(const Subject& x)
{
    const StageWeights& w = x.weights;
    const bool sharded = x.s.parallel.zero >= 1;
    if (x.s.training.optimizer == Optimizer::adafactor)
    {
        return elements(x, "rows and columns", w.factored_dense, w.factored_expert, sharded);
    }
    if (x.s.training.optimizer == Optimizer::muon)
    {
        return elements(x, "parameters outside hidden matrices", w.dense - w.matrices_dense,
                        w.expert - w.matrices_expert, sharded);
    }
    return {};
}

std::string state_source(const Training& t, Component component)
{
    const bool moment = component == Component::momentum || component == Component::variance;
    if (moment && t.optimizer == Optimizer::adamw_8bit)
    {
        return "Dettmers et al. 2021, arXiv 2110.02861, section 2";
    }
    if (component == Component::variance && t.optimizer == Optimizer::adafactor)
    {
        return "Shazeer and Stern 2018, Adafactor, arXiv 1804.04235, section 3";
    }
    if (component == Component::variance && t.optimizer == Optimizer::muon)
    {
        return "Liu et al. 2025, Muon is Scalable, arXiv 2502.16982, section 2";
    }
    if (is_narrow(t.precision) && t.fp8_recipe == Fp8Recipe::deepseek)
    {
        return "DeepSeek-V3 2024, arXiv 2412.19437, section 3.3";
    }
    return "Rajbhandari et al. 2019, ZeRO, arXiv 1910.02054, sections 3.1 and 5";
}

struct StateRule
{
    std::string what;       // "weight"
    double bytes;           // per parameter
    std::int64_t from_zero; // the ZeRO stage that shards it
};

StateRule state_rule(const StateBytes& b, Component component)
{
    switch (component)
    {
    case Component::weights:
        return {"weight", b.weight, 3};
    case Component::gradients:
        return {"gradient", b.gradient, 2};
    case Component::master_weights:
        return {"master weight", b.master, 1};
    case Component::momentum:
        return {"first moment", b.momentum, 1};
    case Component::variance:
    case Component::buffers:
    case Component::activations:
        break;
    }
    return {"second moment", b.variance, 1};
}

Text state(const Subject& x, Component component)
{
    if (on_host(x.s.training, component))
    {
        return {uses_nvme(x.s.training.offload) ? "on NVMe" : "on the host", "0"};
    }
    const StateRule rule = state_rule(x.bytes, component);
    const Text special = component == Component::variance ? special_variance(x) : Text{};
    if (rule.bytes == 0 && special.working.empty())
    {
        return {"none kept", "0"};
    }
    const double bytes = special.working.empty() ? rule.bytes : 4;
    const Text count = special.working.empty() ? elements(x, "parameters", x.weights.dense, x.weights.expert,
                                                          x.s.parallel.zero >= rule.from_zero)
                                               : special;
    return Text{fmt::format("bytes per {} × ", rule.what), figure(bytes) + " × "} + count;
}

// --- activations

// What a layer keeps per token and hidden unit: Korthikanti's 34 + 5 a s / h when everything is cut by t,
// their 10 + 24 / t + 5 a s / (h t) when the sequence is not.
std::vector<Text> coefficient(const Subject& x, bool experts, Recompute recompute)
{
    const ActivationCost cost = activation_cost(x.s.model, x.s.training, x.s.parallel, experts, recompute);
    const auto h = static_cast<double>(x.s.model.hidden);
    const bool all_cut = x.all_cut();
    const Text cut = over_tensor(x, !all_cut);
    std::vector<Text> terms;
    if (all_cut)
    {
        terms.push_back({"c", figure((cost.sequence + cost.tensor) / h)});
    }
    else
    {
        terms.push_back({"c", figure(cost.sequence / h)});
        if (cost.tensor > 0)
        {
            terms.push_back(Text{"c_t", figure(cost.tensor / h)} + cut);
        }
    }
    if (cost.scores > 0)
    {
        const auto a = static_cast<double>(x.s.model.heads);
        const std::string each = figure(cost.scores / a);
        terms.push_back(Text{fmt::format("{} a s / h", each),
                             fmt::format("{} × {} × {} / {}", each, figure(a),
                                         figure(x.s.training.sequence_length), figure(h))} +
                        cut);
    }
    return terms;
}

// "s b h / t / cp"
Text layer_tokens(const Subject& x)
{
    return tokens(x) + kBeside + hidden(x) + over_tensor(x, x.all_cut()) + over_context(x);
}

// Layers of both kinds and how often they are kept at the peak.
struct Kept
{
    double dense = 0;
    double experts = 0;
    double whole_dense = 0; // of them, those of which nothing is recomputed
    double whole_experts = 0;
    std::int64_t layers = 0;    // of each chunk, where all have as many
    std::int64_t in_flight = 0; // of all chunks
    bool even = true;
};

Kept kept_layers(const Subject& x)
{
    Kept kept;
    kept.layers = x.part.ranges.front().count;
    for (std::size_t chunk = 0; chunk < x.part.ranges.size(); ++chunk)
    {
        const LayerRange& range = x.part.ranges[chunk];
        std::int64_t experts = 0;
        const auto times = static_cast<double>(x.memory.kept[chunk]);
        const std::int64_t again = recomputed_of(x.s.training, range.count);
        for (std::int64_t i = 0; i < range.count; ++i)
        {
            const bool moe = has_experts(x.s.model, range.first + i);
            experts += moe ? 1 : 0;
            (moe ? kept.whole_experts : kept.whole_dense) += i < again ? 0 : times;
        }
        kept.experts += times * static_cast<double>(experts);
        kept.dense += times * static_cast<double>(range.count - experts);
        kept.in_flight += x.memory.kept[chunk];
        kept.even = kept.even && range.count == kept.layers;
    }
    return kept;
}

Text layers_and_flights(const Subject& x, const Kept& kept)
{
    if (!kept.even)
    {
        return {"layers kept", figure(kept.dense + kept.experts)};
    }
    return {x.part.ranges.size() > 1 ? "layers of a chunk × chunks in flight" : "layers × in flight",
            fmt::format("{} × {}", figure(kept.layers), figure(kept.in_flight))};
}

Text layer_activations_text(const Subject& x, const Kept& kept)
{
    const Recompute recompute = x.s.training.recompute;
    if (kept.whole_dense + kept.whole_experts > 0)
    {
        std::vector<Text> terms;
        const auto add = [&](bool experts, Recompute how, double times)
        {
            if (times > 0)
            {
                terms.push_back(factor(sum(coefficient(x, experts, how))) +
                                Text{how == Recompute::none ? " layers kept whole" : " layers recomputed",
                                     " × " + figure(times)});
            }
        };
        add(false, recompute, kept.dense - kept.whole_dense);
        add(true, recompute, kept.experts - kept.whole_experts);
        add(false, Recompute::none, kept.whole_dense);
        add(true, Recompute::none, kept.whole_experts);
        return layer_tokens(x) + kTimes + factor(sum(terms));
    }
    if (kept.dense == 0 || kept.experts == 0)
    {
        const Text c = factor(sum(coefficient(x, kept.experts > 0, recompute)));
        return c + kBeside + layer_tokens(x) + kTimes + layers_and_flights(x, kept);
    }
    const auto both = [&](bool experts, double times)
    {
        return factor(sum(coefficient(x, experts, recompute))) +
               Text{experts ? " expert layers kept" : " dense layers kept", " × " + figure(times)};
    };
    return layer_tokens(x) + kTimes + factor(sum({both(false, kept.dense), both(true, kept.experts)}));
}

Text logits_width(const Subject& x)
{
    const Text all = whole_number("V", x.s.model.vocab);
    const std::string parts = " / " + figure(kLossChunks);
    return x.s.software.loss == LossKind::chunked ? all + Text{parts, parts} : all;
}

// Korthikanti et al., section 4.3: the final norm's and the projection's input, and the logits, 4 s b h / t
// (1 + V / h).
Text head_text(const Subject& x)
{
    const bool all_cut = x.all_cut();
    const Text wide = x.element() == 2 ? hidden(x) : Text{"2 h", "2 × " + hidden(x).working};
    const Text inner = wide + Text{" + ", " + "} + logits_width(x) + over_tensor(x, !all_cut);
    return Text{"4 ", "4 × "} + tokens(x) + kBeside + factor(inner) + over_tensor(x, all_cut) +
           over_context(x);
}

Text activations(const Subject& x)
{
    const Kept kept = kept_layers(x);
    std::vector<Text> terms;
    if (kept.dense + kept.experts > 0)
    {
        terms.push_back(layer_activations_text(x, kept));
    }
    for (std::size_t chunk = 0; x.s.model.dropout && chunk < x.part.ranges.size(); ++chunk)
    {
        if (x.part.ranges[chunk].stage == 0)
        {
            terms.push_back(layer_tokens(x) + Text{" × in flight", " × " + figure(x.memory.kept[chunk])});
        }
    }
    if (x.part.head)
    {
        terms.push_back(head_text(x));
    }
    return terms.empty() ? Text{"no layers", "0"} : sum(terms);
}

std::string activations_source(const Subject& x)
{
    const char* where = x.s.training.recompute == Recompute::full ? "Table 2" : "section 4.1";
    return fmt::format("Korthikanti et al. 2022, arXiv 2205.05198, {}{}", where,
                       x.part.head ? " and section 4.3" : "");
}

// --- buffers

Text workspace(const Subject& x)
{
    const bool layer = effective_zero(x.s) >= 2;
    return {layer ? "bytes per element × largest layer" : "bytes per element × one of each matrix shape",
            fmt::format("{} × {}", figure(std::min(x.bytes.weight, x.element())),
                        figure(layer ? x.weights.largest_layer : x.weights.distinct))};
}

// Widths alive in one layer's backward pass, per token; the value picks the widest.
struct Width
{
    double value;
    Text text;
};

Width mlp_width(const Subject& x, bool experts)
{
    const Model& m = x.s.model;
    const auto t = static_cast<double>(x.s.parallel.tensor);
    const auto h = static_cast<double>(m.hidden);
    const double matrices = m.gated_mlp ? 3 : 2;
    if (!experts)
    {
        const auto f = static_cast<double>(m.ffn);
        return {2 * h + matrices * f / t,
                Text{fmt::format("2 h + {} f", figure(matrices)),
                     fmt::format("2 × {} + {} × {}", figure(h), figure(matrices), figure(f))} +
                    over_tensor(x)};
    }
    const auto k = static_cast<double>(m.experts_per_token);
    const auto f = static_cast<double>(m.expert_ffn);
    const auto et = static_cast<double>(x.s.parallel.expert_tensor);
    const Text copies = et > 1 ? Text{" t_e", fmt::format(" × {}", figure(et))} : Text{};
    const Text inner = Text{"2 h", fmt::format("2 × {}", figure(h))} + copies +
                       Text{fmt::format(" + {} f_e", figure(matrices)),
                            fmt::format(" + {} × {}", figure(matrices), figure(f))};
    return {k * (2 * h * et + matrices * f) / t,
            Text{"k ", figure(k) + " × "} + factor(inner) + over_tensor(x)};
}

Width attention_width(const Subject& x)
{
    const Model& m = x.s.model;
    const auto t = static_cast<double>(x.s.parallel.tensor);
    const auto h = static_cast<double>(m.hidden);
    const auto a = static_cast<double>(m.heads);
    const auto d = static_cast<double>(m.attention == Attention::mla ? m.qk_nope_head_dim + m.qk_rope_head_dim
                                                                     : m.head_dim);
    Width w{2 * h + 4 * a * d / t,
            Text{"2 h + 4 a d", fmt::format("2 × {} + 4 × {} × {}", figure(h), figure(a), figure(d))} +
                over_tensor(x)};
    if (!x.s.training.flash_attention)
    {
        const auto s = static_cast<double>(x.s.training.sequence_length);
        w.value += 2 * a * s / t;
        w.text =
            w.text + Text{" + 2 a s", fmt::format(" + 2 × {} × {}", figure(a), figure(s))} + over_tensor(x);
    }
    return w;
}

bool has_kind(const Subject& x, bool experts)
{
    const Kept kept = kept_layers(x);
    return (experts ? kept.experts : kept.dense) > 0;
}

// What exceeds the logits, whose gradient is gone by the time the last stage's first layer needs room.
Text working_set(const Subject& x)
{
    Width widest = attention_width(x);
    for (const bool experts : {false, true})
    {
        const Width mlp = mlp_width(x, experts);
        widest = has_kind(x, experts) && mlp.value > widest.value ? mlp : widest;
    }
    if (x.part.head)
    {
        const std::string each = x.element() == 2 ? "2 " : "";
        widest.text = widest.text + Text{" − " + each, each.empty() ? " − " : " − 2 × "} + logits_width(x) +
                      over_tensor(x);
    }
    return Text{"bytes per element × s b × ",
                fmt::format("{} × {} × ", figure(x.element()), tokens(x).working)} +
           factor(widest.text) + over_context(x);
}

Text recomputed(const Subject& x)
{
    const Training& t = x.s.training;
    const auto cost = [&](bool experts)
    {
        return has_kind(x, experts)
                   ? layer_activations(x.s.model, t, x.s.parallel, experts, Recompute::none) -
                         layer_activations(x.s.model, t, x.s.parallel, experts, t.recompute)
                   : 0;
    };
    const bool experts = cost(true) > cost(false);
    std::vector<Text> terms = coefficient(x, experts, Recompute::none);
    if (t.recompute == Recompute::selective)
    {
        return terms.back() + kTimes + layer_tokens(x); // the scores come last
    }
    const Text kept = coefficient(x, experts, Recompute::full).front();
    return factor(sum(terms) + Text{" − " + kept.working, " − " + kept.working}) + kBeside + layer_tokens(x);
}

Text gathered(const Subject& x)
{
    return {"bytes per weight × (2 × largest layer + embedding, final norm and head)",
            fmt::format("{} × (2 × {} + {})", figure(x.bytes.weight), figure(x.weights.largest_layer),
                        figure(x.weights.root))};
}

Text transfer(const Subject& x)
{
    return Text{"2 × bytes per element × ", fmt::format("2 × {} × ", figure(x.element()))} + layer_tokens(x);
}

Text fragmentation(const Subject& x)
{
    const double rest = (x.memory.total() - x.memory.buffers.fragmentation).value;
    return {"share lost × everything else",
            fmt::format("{} × {}", figure(x.s.training.fragmentation), figure(rest))};
}

Text loss_copies(const Subject& x)
{
    return {"copies × logits",
            fmt::format("{} × {}", figure(kEagerCopies), figure(x.memory.logits_bytes.value))};
}

Text second_gradients(const Subject& x)
{
    return {"2 × elements", fmt::format("2 × {}", figure(x.memory.buffers.second_gradients.value / 2))};
}

Text reserve(const Subject& x)
{
    return {"reserve of the software", fmt::format("{} × 1e9", figure(x.s.software.reserve_gb))};
}

struct BufferRule
{
    const char* name;
    Bytes BufferParts::*part;
    Text (*text)(const Subject&);
    const char* source;
};

constexpr std::array kBuffers{
    BufferRule{"gradient workspace", &BufferParts::gradient_workspace, workspace,
               "Transformer Engine, fused weight-gradient accumulation"},
    BufferRule{"working set", &BufferParts::working_set, working_set,
               "tensors alive in one layer's backward pass"},
    BufferRule{"recomputed layer", &BufferParts::recomputed, recomputed,
               "Korthikanti et al. 2022, arXiv 2205.05198, section 5"},
    BufferRule{"gathered weights", &BufferParts::gathered, gathered,
               "Rajbhandari et al. 2019, ZeRO, arXiv 1910.02054, section 7.2.2"},
    BufferRule{"stage transfer", &BufferParts::transfer, transfer,
               "one micro-batch coming in, one going out"},
    BufferRule{"copies of the loss", &BufferParts::loss_copies, loss_copies,
               "PyTorch's cross-entropy in 32 bits, eager"},
    BufferRule{"16-bit gradients", &BufferParts::second_gradients, second_gradients,
               "DeepSpeed, deepspeed/runtime/bf16_optimizer.py"},
    BufferRule{"fragmentation", &BufferParts::fragmentation, fragmentation, "training.fragmentation"},
    BufferRule{"reserve", &BufferParts::reserve, reserve, "assets/software"},
};

Text buffers(const BufferParts& parts)
{
    std::vector<Text> terms;
    for (const BufferRule& rule : kBuffers)
    {
        if ((parts.*rule.part).value > 0)
        {
            terms.push_back({rule.name, figure((parts.*rule.part).value)});
        }
    }
    return terms.empty() ? Text{"none", "0"} : sum(terms);
}

} // namespace

Term explain(const Scenario& scenario, const MemoryReport& report, std::size_t stage, Component component)
{
    const Subject x(scenario, report, stage);
    Text text;
    std::string source;
    if (component == Component::activations)
    {
        text = activations(x);
        source = activations_source(x);
    }
    else if (component == Component::buffers)
    {
        text = buffers(x.memory.buffers);
    }
    else
    {
        text = state(x, component);
        source = state_source(scenario.training, component);
    }
    return {fmt::format("{}, stage {}", name_of(component), stage),
            x.memory.of(component).value,
            "B",
            text.formula,
            text.working,
            source};
}

std::vector<Term> explain_buffers(const Scenario& scenario, const MemoryReport& report, std::size_t stage)
{
    const Subject x(scenario, report, stage);
    std::vector<Term> terms;
    for (const BufferRule& rule : kBuffers)
    {
        if (const double value = (x.memory.buffers.*rule.part).value; value > 0)
        {
            const Text text = rule.text(x);
            terms.push_back({fmt::format("{}, stage {}", rule.name, stage), value, "B", text.formula,
                             text.working, rule.source});
        }
    }
    return terms;
}

Term explain_total(const MemoryReport& report, std::size_t stage)
{
    const StageMemory& memory = report.stages.at(stage);
    Term term{fmt::format("total, stage {}", stage), memory.total().value / 1e9, "GB", "", "", ""};
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        if (memory.parts[i].value > 0)
        {
            const char* plus = term.working.empty() ? "" : " + ";
            term.formula += fmt::format("{}{}", plus, name_of(static_cast<Component>(i)));
            term.working += fmt::format("{}{}", plus, figure(memory.parts[i].value / 1e9));
        }
    }
    if (term.working.empty())
    {
        term.formula = "nothing";
        term.working = "0";
    }
    return term;
}

} // namespace ringside
