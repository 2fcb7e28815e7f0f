#include "core/memory/explain_memory.h"

#include <fmt/format.h>

#include "core/memory/explain_parts.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cmath>

// Formula and working are written side by side, so that they cannot drift apart.

namespace ringside
{

namespace
{

using namespace formula_text;

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
    const StageWeights& w = x.own;
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

// A frozen base and the adapters beside it.
Text adapted_weights(const Subject& x)
{
    const bool sharded = x.s.parallel.zero >= 3;
    const StageWeights& w = x.weights;
    Text all = Text{"bytes per frozen weight × ", figure(x.element()) + " × "} +
               elements(x, "parameters", w.dense, w.expert, sharded);
    if (x.s.training.lora.quantized)
    {
        all = all + Text{" − saved by 4 bits × ", " − " + figure(x.element() - kQuantizedWeight) + " × "} +
              elements(x, "linear layers", w.linear_dense, w.linear_expert, sharded);
    }
    return all + Text{" + bytes per weight × ", " + " + figure(x.bytes.weight) + " × "} +
           elements(x, "adapters", w.adapters_dense, w.adapters_expert, sharded);
}

Text state(const Subject& x, Component component)
{
    if (on_host(x.s.training, component))
    {
        return {uses_nvme(x.s.training.offload) ? "on NVMe" : "on the host", "0"};
    }
    if (component == Component::weights && x.s.training.lora.rank > 0)
    {
        return adapted_weights(x);
    }
    const StateRule rule = state_rule(x.bytes, component);
    const Text special = component == Component::variance ? special_variance(x) : Text{};
    if (rule.bytes == 0 && special.working.empty())
    {
        return {"none kept", "0"};
    }
    const double bytes = special.working.empty() ? rule.bytes : 4;
    const bool dealt = rule.from_zero == 1 && x.s.parallel.zero >= 1 && x.s.parallel.whole_shards;
    const Text even =
        dealt ? Text{"largest share of whole matrices", figure(x.memory.of(component).value / bytes)}
              : elements(x, "parameters", x.own.dense, x.own.expert, x.s.parallel.zero >= rule.from_zero);
    const Text count = special.working.empty() ? even : special;
    return Text{fmt::format("bytes per {} × ", rule.what), figure(bytes) + " × "} + count;
}

// --- activations

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

// Korthikanti et al., section 4.3: the final norm's and the projection's input, and the logits, 4 s b h / t
// (1 + V / h).
Text head_text(const Subject& x)
{
    const bool all_cut = x.all_cut();
    const Text wide = x.element() == 2 ? hidden(x) : Text{"2 h", "2 × " + hidden(x).working};
    const Text inner = wide + Text{" + ", " + "} + logits_width(x) + over_tensor(x, !all_cut);
    return heads(x) + Text{"4 ", "4 × "} + tokens(x) + kBeside + factor(inner) + over_tensor(x, all_cut) +
           over_context(x);
}

Text activations(const Subject& x)
{
    const Kept kept = kept_layers(x);
    std::vector<Text> terms;
    if (kept.dense + kept.experts > 0)
    {
        const Text layers = layer_activations_text(x, kept);
        const Bytes away = x.memory.host[static_cast<std::size_t>(Component::activations)];
        const std::string share = figure(x.s.training.offload_activations);
        terms.push_back(away.value > 0
                            ? Text{"(1 − share on the host) × ", fmt::format("(1 − {}) × ", share)} +
                                  factor(layers) +
                                  Text{" + share × 2 layers", fmt::format(" + {} × 2 × {}", share,
                                                                          figure(x.memory.layer_bytes.value))}
                            : layers);
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

} // namespace

namespace formula_text
{

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

Text layer_tokens(const Subject& x)
{
    return tokens(x) + kBeside + hidden(x) + over_tensor(x, x.all_cut()) + over_context(x);
}

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

Text logits_width(const Subject& x)
{
    const Text all = whole_number("V", x.s.model.vocab);
    const std::string parts = " / " + figure(kLossChunks);
    return x.s.software.loss == LossKind::chunked ? all + Text{parts, parts} : all;
}

} // namespace formula_text

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
