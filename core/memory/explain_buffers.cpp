#include "core/memory/explain_memory.h"
#include "core/memory/explain_parts.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

using namespace formula_text;

Text workspace(const Subject& x)
{
    const bool layer = effective_zero(x.s) >= 2 && x.s.training.lora.rank == 0;
    return {layer ? "bytes per element × largest layer" : "bytes per element × one of each matrix shape",
            fmt::format("{} × {}", figure(std::min(gathered_bytes(x.s), x.element())),
                        figure(layer ? x.weights.largest_layer : x.own.distinct))};
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
        const auto f = static_cast<double>(widest_ffn(m));
        return {2 * h + matrices * f / t,
                Text{fmt::format("2 h + {} f", figure(matrices)),
                     fmt::format("2 × {} + {} × {}", figure(h), figure(matrices), figure(f))} +
                    over_tensor(x)};
    }
    const auto k = static_cast<double>(m.experts_per_token);
    const auto f = static_cast<double>(m.expert_ffn);
    const auto et = static_cast<double>(x.s.parallel.expert_tensor);
    const Text copies = et > 1 ? Text{" t_e", fmt::format(" × {}", figure(et))} : Text{};
    const auto read = static_cast<double>(expert_width(m));
    const Text inner = Text{read < h ? "2 h_e" : "2 h", fmt::format("2 × {}", figure(read))} + copies +
                       Text{fmt::format(" + {} f_e", figure(matrices)),
                            fmt::format(" + {} × {}", figure(matrices), figure(f))};
    return {k * (2 * read * et + matrices * f) / t,
            Text{"k ", figure(k) + " × "} + factor(inner) + over_tensor(x)};
}

Width attention_width(const Subject& x)
{
    const Model& m = x.s.model;
    const auto t = static_cast<double>(x.s.parallel.tensor);
    const auto h = static_cast<double>(m.hidden);
    const auto a = static_cast<double>(m.heads);
    const double d = head_widths(m).key;
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
    return std::ranges::any_of(x.part.ranges, [&](const LayerRange& range)
                               { return (experts ? range.experts : range.dense()) > 0; });
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
        const std::string copies = figure(4 * (1 + logit_copies(x.s.software.loss)) / x.element());
        const Text each{copies + " ", copies + " × "};
        widest.text = widest.text + Text{" − ", " − "} + each + heads(x) + logits_width(x) + over_tensor(x);
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
    const bool named = t.recompute == Recompute::selective && t.recompute_modules != RecomputeModules{};
    if (t.recompute == Recompute::selective && !named)
    {
        return terms.back() + kTimes + layer_tokens(x); // the scores come last
    }
    if (t.recompute == Recompute::alternate || named)
    {
        return factor(sum(terms) + Text{" − ", " − "} + factor(sum(coefficient(x, experts, t.recompute)))) +
               kBeside + layer_tokens(x);
    }
    const Text kept = coefficient(x, experts, Recompute::full).front();
    return factor(sum(terms) + Text{" − " + kept.working, " − " + kept.working}) + kBeside + layer_tokens(x);
}

Text gathered(const Subject& x)
{
    if (x.s.training.lora.quantized && x.s.training.lora.rank > 0)
    {
        return {"largest matrix in 16 bits + what is gathered in 4", figure(x.memory.buffers.gathered.value)};
    }
    return {"bytes per weight × (2 × largest layer + embedding, final norm and head)",
            fmt::format("{} × (2 × {} + {})", figure(gathered_bytes(x.s)), figure(x.weights.largest_layer),
                        figure(x.weights.root))};
}

Text transfer(const Subject& x)
{
    const std::int64_t streams = x.s.model.residual_streams;
    const Text all = streams > 0 ? Text{"streams × ", fmt::format("{} × ", streams)} : Text{};
    const std::size_t chunks = x.part.ranges.size();
    const Text two =
        chunks > 1 ? Text{"2 × chunks × ", fmt::format("2 × {} × ", chunks)} : Text{"2 × ", "2 × "};
    return two + Text{"bytes per element × ", fmt::format("{} × ", figure(x.element()))} + all +
           layer_tokens(x);
}

Text fragmentation(const Subject& x)
{
    const BufferParts& b = x.memory.buffers;
    const Bytes rest = x.memory.total() - b.fragmentation - b.reserve;
    const Bytes comes_and_goes = x.memory.of(Component::activations) + b.moving();
    std::vector<Text> terms;
    if (const double share = x.s.training.fragmentation; share > 0)
    {
        terms.push_back(
            {"share lost × everything else", fmt::format("{} × {}", figure(share), figure(rest.value))});
    }
    if (const double share = x.s.software.fragmentation; share > 0)
    {
        terms.push_back({"allocator's share × what comes and goes",
                         fmt::format("{} × {}", figure(share), figure(comes_and_goes.value))});
    }
    return sum(terms);
}

Text loss_copies(const Subject& x)
{
    return {"copies × logits", fmt::format("{} × {}", figure(logit_copies(x.s.software.loss)),
                                           figure(x.memory.logits_bytes.value))};
}

Text deferred(const Subject& x)
{
    const auto waiting = std::min(x.s.training.deferred_head_gradients, micro_batches(x.s));
    const Text widths = whole_number("V", x.s.model.vocab) + over_tensor(x) + Text{" + ", " + "} + hidden(x) +
                        over_tensor(x, x.all_cut());
    return Text{"micro-batches × bytes per element × ",
                fmt::format("{} × {} × ", waiting, figure(x.element()))} +
           tokens(x) + kTimes + factor(widths) + over_context(x);
}

Text workspace_of_libraries(const Subject& x)
{
    const double each = x.s.cluster.gpu.workspace_mb * 1e6;
    return {"handles × bytes of each",
            fmt::format("{} × {}", figure(x.memory.buffers.workspace.value / each), figure(each))};
}

Text graph_pools(const Subject& x)
{
    return {"pools of the software", fmt::format("{} × 1e9", figure(x.s.software.graph_pool_gb))};
}

Text second_gradients(const Subject& x)
{
    return {"2 × elements", fmt::format("2 × {}", figure(x.memory.buffers.second_gradients.value / 2))};
}

Text whole_gradients(const Subject& x)
{
    return {"bytes per gradient × elements of other ranks",
            fmt::format("{} × {}", figure(x.bytes.gradient),
                        figure(x.memory.buffers.whole_gradients.value / x.bytes.gradient))};
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
               "PyTorch's cross-entropy in 32 bits; Megatron-Core, core/tensor_parallel/cross_entropy.py"},
    BufferRule{"deferred gradients", &BufferParts::deferred, deferred,
               "Megatron-Core, core/tensor_parallel/layers.py, wgrad_deferral_limit"},
    BufferRule{"library workspace", &BufferParts::workspace, workspace_of_libraries,
               "PyTorch, CublasHandlePool.cpp; TransformerEngine, cpp_extensions/gemm.py"},
    BufferRule{"CUDA graph pools", &BufferParts::graph_pools, graph_pools, "assets/software"},
    BufferRule{"16-bit gradients", &BufferParts::second_gradients, second_gradients,
               "DeepSpeed, deepspeed/runtime/bf16_optimizer.py"},
    BufferRule{"whole gradients", &BufferParts::whole_gradients, whole_gradients,
               "PyTorch FSDP2, set_requires_gradient_sync: sharded after the last micro-batch"},
    BufferRule{"fragmentation", &BufferParts::fragmentation, fragmentation,
               "training.fragmentation, software.fragmentation"},
    BufferRule{"reserve", &BufferParts::reserve, reserve, "assets/software"},
};

} // namespace

Text formula_text::buffers(const BufferParts& parts)
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

} // namespace ringside
