#include "core/memory/context_length.h"

#include "core/model/compute.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

Scenario with_length(Scenario scenario, std::int64_t tokens)
{
    scenario.training.sequence_length = tokens;
    return scenario;
}

double activations_of(const Scenario& scenario, bool flash, std::size_t stage)
{
    Scenario changed = scenario;
    changed.training.flash_attention = flash;
    return memory_report(changed).stages[stage].of(Component::activations).value;
}

} // namespace

ContextFlops context_flops(const Scenario& scenario)
{
    const ComputeReport report = compute_report(scenario);
    ContextFlops flops;
    flops.products = report.products_token.value;
    flops.scores = report.attention_token.value / static_cast<double>(scenario.training.sequence_length);
    flops.head = report.head_token.value;
    return flops;
}

double crossover_tokens(const ContextFlops& flops, Mask mask)
{
    return flops.scores > 0 ? flops.products / flops.scores * (mask == Mask::causal ? 2 : 1) : 0;
}

double scores_share(const ContextFlops& flops, double tokens, Mask mask)
{
    const double scores = flops.of_scores(tokens, mask);
    const double all = scores + flops.of_products(tokens);
    return all > 0 ? scores / all : 0;
}

double doubling_factor(const ContextFlops& flops, double tokens, Mask mask)
{
    const double now = flops.total(tokens, mask);
    return now > 0 ? flops.total(2 * tokens, mask) / now : 2;
}

ContextMemory context_memory(const Scenario& scenario, std::int64_t tokens)
{
    const Scenario at = with_length(scenario, tokens);
    const MemoryReport report = memory_report(at);
    const StageMemory& worst = report.worst();
    ContextMemory m;
    m.tokens = tokens;
    m.total = worst.total().value;
    m.buffers = worst.of(Component::buffers).value;
    const double activations = worst.of(Component::activations).value;
    m.state = m.total - m.buffers - activations;
    m.logits = worst.logits_bytes.value;
    m.scores = at.training.flash_attention
                   ? 0
                   : std::max(0.0, activations - activations_of(at, true, report.fullest));
    m.linear = activations - m.scores - m.logits;
    return m;
}

std::vector<std::int64_t> context_lengths(const Scenario& scenario)
{
    std::vector<std::int64_t> lengths;
    for (std::int64_t tokens = 512; tokens <= std::int64_t{1} << 22; tokens *= 2)
    {
        if (!has_errors(validate(with_length(scenario, tokens))))
        {
            lengths.push_back(tokens);
        }
    }
    const std::int64_t own = scenario.training.sequence_length;
    if (std::find(lengths.begin(), lengths.end(), own) == lengths.end())
    {
        lengths.insert(std::upper_bound(lengths.begin(), lengths.end(), own), own);
    }
    return lengths;
}

} // namespace ringside
