#include "core/serving/finetune.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/units.h"
#include "core/memory/memory.h"
#include "core/model/adapters.h"
#include "core/model/sizes.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostGpus = 4096;
constexpr double kHalf = 2; // [B] of a 16-bit number

std::int64_t expert_layers(const Model& m)
{
    return sum_over<std::int64_t>(m.layers,
                                  [&](std::int64_t layer) { return has_experts(m, layer) ? 1 : 0; });
}

// Weights of the blocks' linear layers.
double linear_elements(const Model& m)
{
    return sum_over(lora_matrices(m), [&](const LoraMatrix& each)
                    { return real(each.in) * real(each.out) * real(each.count); });
}

// Largest matrix, in elements: what a 4-bit base widens at a time.
double largest(const Model& m)
{
    return largest_over(lora_matrices(m),
                        [&](const LoraMatrix& each) { return real(each.in) * real(each.out); });
}

Training training_of(const Scenario& s, const FinetuneSetup& setup)
{
    Training t = s.training;
    t.sequence_length = setup.sequence;
    t.micro_batch = setup.micro_batch;
    t.precision = Precision::bf16;
    t.flash_attention = true;
    return t;
}

// Every layer's input and one layer computed again, or every layer whole; logits in fp32 beside.
double activations(const Scenario& s, const FinetuneSetup& setup)
{
    const Training t = training_of(s, setup);
    const Parallel alone;
    const std::int64_t with = expert_layers(s.model);
    const auto layer = [&](bool experts, Recompute recompute)
    { return layer_activations(s.model, t, alone, experts, recompute); };
    const auto sum = [&](Recompute recompute)
    {
        return real(with) * (with > 0 ? layer(true, recompute) : 0) +
               real(s.model.layers - with) * (with < s.model.layers ? layer(false, recompute) : 0);
    };
    const double tokens = real(setup.sequence) * real(setup.micro_batch);
    const double logits = 4 * tokens * real(s.model.vocab);
    if (!setup.checkpointing)
    {
        return sum(Recompute::none) + logits;
    }
    const double again = std::max(with > 0 ? layer(true, Recompute::none) : 0,
                                  with < s.model.layers ? layer(false, Recompute::none) : 0);
    return sum(Recompute::full) + again + logits;
}

// What an adapter keeps besides: A x, r numbers for every token and matrix it passes.
double adapter_activations(const Scenario& s, const FinetuneSetup& setup)
{
    const Model& m = s.model;
    double visits = 0;
    for (const LoraMatrix& each : lora_matrices(m))
    {
        visits += setup.modules[static_cast<std::size_t>(each.module)] ? matrices_passed(m, each) : 0;
    }
    const double layers = setup.checkpointing ? real(m.layers) : 1;
    return kHalf * real(setup.rank) * real(setup.sequence) * real(setup.micro_batch) * visits / layers;
}

struct Trained
{
    std::int64_t adapters = 0;
    std::int64_t magnitudes = 0;
};

Trained trained_by(const Model& m, FinetuneRecipe recipe, const FinetuneSetup& setup)
{
    Trained t;
    for (const LoraMatrix& each : lora_matrices(m))
    {
        if (setup.modules[static_cast<std::size_t>(each.module)])
        {
            t.adapters += each.adapter(setup.rank) * each.count;
            t.magnitudes += recipe == FinetuneRecipe::dora ? each.out * each.count : 0;
        }
    }
    return t;
}

FinetuneSetup legal(FinetuneSetup setup)
{
    setup.rank = std::clamp<std::int64_t>(setup.rank, 1, 4096);
    setup.gpus = std::clamp<std::int64_t>(setup.gpus, 1, kMostGpus);
    setup.sequence = std::clamp<std::int64_t>(setup.sequence, 1, 100'000'000);
    setup.micro_batch = std::clamp<std::int64_t>(setup.micro_batch, 1, 1'000'000);
    return setup;
}

} // namespace

std::vector<LoraMatrix> lora_matrices(const Model& m)
{
    std::vector<LoraMatrix> all;
    for (const LayersOfKind& alike : layers_by_kind(m, m.layers))
    {
        for (const Weight& w : layer_weights(m, Parallel{}, alike.kind))
        {
            for (const LoraPiece& piece : lora_pieces(w))
            {
                const LoraMatrix matrix{piece.module, piece.rows, piece.cols, 0, w.expert};
                const auto known = std::ranges::find_if(all,
                                                        [&](LoraMatrix other)
                                                        {
                                                            other.count = 0;
                                                            return other == matrix;
                                                        });
                LoraMatrix& at = known == all.end() ? all.emplace_back(matrix) : *known;
                at.count += alike.layers * w.copies;
            }
        }
    }
    return all;
}

double matrices_passed(const Model& m, const LoraMatrix& each)
{
    return each.routed ? real(each.count) / real(m.experts) * real(m.experts_per_token) : real(each.count);
}

FinetuneSetup finetune_setup(const Scenario& scenario)
{
    FinetuneSetup setup;
    setup.sequence = scenario.training.sequence_length;
    setup.micro_batch = scenario.training.micro_batch;
    return setup;
}

Bytes FinetuneReport::total() const
{
    return sum_over<Bytes>(parts);
}

Bytes FinetuneReport::least() const
{
    return setup.paged ? total() - of(FinetunePart::optimizer) : total();
}

double scale_bits(bool double_quantized)
{
    constexpr double kBlock = 64;
    constexpr double kScales = 256;
    return double_quantized ? 8 / kBlock + 32 / (kBlock * kScales) : 32 / kBlock;
}

FinetuneReport finetune_report(const Scenario& s, FinetuneRecipe recipe, const FinetuneSetup& asked)
{
    const Model& m = s.model;
    FinetuneReport r;
    r.recipe = recipe;
    r.setup = legal(asked);
    r.parameters = count_parameters(m).total;
    const bool full = recipe == FinetuneRecipe::full;
    const Trained trained = full ? Trained{r.parameters, 0} : trained_by(m, recipe, r.setup);
    r.magnitudes = trained.magnitudes;
    r.trained = trained.adapters + trained.magnitudes;

    const auto put = [&](FinetunePart part, double bytes)
    { r.parts[static_cast<std::size_t>(part)] = Bytes(std::ceil(bytes)); };
    const double n = real(r.setup.gpus);
    const double linear = recipe == FinetuneRecipe::qlora ? linear_elements(m) : 0;
    const double scale = scale_bits(r.setup.double_quantized) / 8;
    put(FinetunePart::base, (kHalf * (real(r.parameters) - linear) + 0.5 * linear) / n);
    put(FinetunePart::scales, scale * linear / n);
    put(FinetunePart::adapters, full ? 0 : kHalf * real(r.trained) / n);
    put(FinetunePart::gradients, kHalf * real(r.trained) / n);
    put(FinetunePart::optimizer, (r.setup.eight_bit ? 2 : 12) * real(r.trained) / n);
    // Sharded weights are gathered, the layer at work and the next; a 4-bit matrix is widened to multiply.
    const StageWeights whole = stage_weights(m, Parallel{}, Placement::loop).front();
    const double kept = recipe == FinetuneRecipe::qlora ? 0.5 + scale : kHalf;
    put(FinetunePart::buffers, (n > 1 ? 2 * kept * real(whole.largest_layer) : 0) +
                                   (recipe == FinetuneRecipe::qlora ? kHalf * largest(m) : 0));
    put(FinetunePart::activations, activations(s, r.setup) + (full ? 0 : adapter_activations(s, r.setup)));
    r.token_flops = (full ? 6 : 4) + (r.setup.checkpointing ? 2 : 0);
    return r;
}

std::int64_t gpus_for(const Scenario& scenario, FinetuneRecipe recipe, FinetuneSetup setup, Bytes memory)
{
    const auto fits = [&](std::int64_t gpus)
    {
        setup.gpus = gpus;
        return finetune_report(scenario, recipe, setup).least() <= memory;
    };
    if (fits(1))
    {
        return 1;
    }
    // From two on the buffers stay and the shares shrink.
    std::int64_t low = 1;
    std::int64_t high = kMostGpus;
    if (!fits(high))
    {
        return 0;
    }
    while (high - low > 1)
    {
        const std::int64_t middle = (low + high) / 2;
        (fits(middle) ? high : low) = middle;
    }
    return high;
}

Term explain_adapters(const Scenario& scenario, const FinetuneReport& r)
{
    Term term;
    term.label = r.recipe == FinetuneRecipe::full ? "trained parameters" : "parameters of the adapters";
    term.value = real(r.trained);
    if (r.recipe == FinetuneRecipe::full)
    {
        term.formula = "P";
        term.working = figure(real(r.parameters));
        return term;
    }
    const std::int64_t widths =
        sum_over<std::int64_t>(lora_matrices(scenario.model),
                               [&](const LoraMatrix& each) {
                                   return r.setup.modules[static_cast<std::size_t>(each.module)]
                                              ? (each.in + each.out) * each.count
                                              : 0;
                               });
    term.formula = "r \u03a3 (d_in + d_out)";
    term.working = fmt::format("{} \u00d7 {}", r.setup.rank, figure(real(widths)));
    term.source = "Hu et al. 2021, LoRA, arXiv 2106.09685, section 4.1";
    if (r.recipe == FinetuneRecipe::dora)
    {
        term.formula += " + \u03a3 d_out";
        term.working += fmt::format(" + {}", figure(real(r.magnitudes)));
        term.source += "; Liu et al. 2024, DoRA, arXiv 2402.09353, section 4.1";
    }
    return term;
}

namespace
{

// Formula and working of a share of the state.
void explain_state(Term& term, std::string formula, const std::string& working, std::int64_t gpus)
{
    term.formula = std::move(formula) + (gpus > 1 ? " / N" : "");
    term.working = gpus > 1 ? fmt::format("({}) / {}", working, gpus) : working;
}

} // namespace

Term explain_finetune(const Scenario& scenario, const FinetuneReport& r, FinetunePart part)
{
    Term term;
    term.label = std::string(name_of(part));
    term.value = r.of(part).value;
    term.unit = "B";
    const std::int64_t n = r.setup.gpus;
    const bool quantized = r.recipe == FinetuneRecipe::qlora;
    const double linear = quantized ? linear_elements(scenario.model) : 0;
    switch (part)
    {
    case FinetunePart::base:
        if (quantized)
        {
            explain_state(term, "0.5 P_linear + 2 P_rest",
                          fmt::format("0.5 \u00d7 {} + 2 \u00d7 {}", figure(linear),
                                      figure(real(r.parameters) - linear)),
                          n);
            term.source = "Dettmers et al. 2023, QLoRA, arXiv 2305.14314, section 3";
            break;
        }
        explain_state(term, "2 P", fmt::format("2 \u00d7 {}", figure(real(r.parameters))), n);
        break;
    case FinetunePart::scales:
        explain_state(
            term, r.setup.double_quantized ? "(8/64 + 32/(64\u00d7256)) / 8 P_linear" : "32/64 / 8 P_linear",
            r.setup.double_quantized
                ? fmt::format("(8/64 + 32/(64 \u00d7 256)) / 8 \u00d7 {}", figure(linear))
                : fmt::format("32/64 / 8 \u00d7 {}", figure(linear)),
            n);
        term.source = "Dettmers et al. 2023, QLoRA, arXiv 2305.14314, section 3, double quantization";
        break;
    case FinetunePart::adapters:
    case FinetunePart::gradients:
        explain_state(term, "2 P_trained", fmt::format("2 \u00d7 {}", figure(real(r.trained))), n);
        term.working = term.value == 0 ? "0" : term.working;
        break;
    case FinetunePart::optimizer:
        explain_state(term, r.setup.eight_bit ? "(1 + 1) P_trained" : "(4 + 4 + 4) P_trained",
                      fmt::format("{} \u00d7 {}", r.setup.eight_bit ? 2 : 12, figure(real(r.trained))), n);
        term.source = r.setup.eight_bit ? "Dettmers et al. 2022, 8-bit optimizers, arXiv 2110.02861"
                                        : "Rajbhandari et al. 2020, ZeRO, arXiv 1910.02054, section 3.1";
        break;
    case FinetunePart::buffers:
        term.formula = "two gathered layers, one matrix dequantized from 4-bit";
        term.working = figure(term.value);
        break;
    case FinetunePart::activations:
        term.formula =
            r.setup.checkpointing ? "inputs of all layers + one layer + logits" : "all layers + logits";
        term.working = figure(term.value);
        term.source =
            "Korthikanti et al. 2022, arXiv 2205.05198, section 4; Chen et al. 2016, arXiv 1604.06174";
        break;
    }
    return term;
}

} // namespace ringside
