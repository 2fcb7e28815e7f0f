#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/scenario/validate.h"
#include "ui/views/memory/context_length/pictures.h"

#include <cmath>

namespace ringside
{

namespace
{

Scenario storing_scores(Scenario scenario)
{
    scenario.training.flash_attention = false;
    scenario.training.recompute = Recompute::none;
    return scenario;
}

std::vector<ContextMemory> memory_of(const Scenario& scenario, const std::vector<std::int64_t>& lengths)
{
    std::vector<ContextMemory> all;
    for (const std::int64_t tokens : lengths)
    {
        all.push_back(context_memory(scenario, tokens));
    }
    return all;
}

} // namespace

ContextCurves context_curves(const Evaluated& now)
{
    ContextCurves c;
    c.flops = context_flops(now.scenario);
    c.capacity = now.report->memory.capacity.value;
    const auto lengths = context_lengths(now.scenario);
    c.memory = memory_of(now.scenario, lengths);
    const Scenario stored = storing_scores(now.scenario);
    if (!has_errors(validate(stored)))
    {
        c.stored_scores = memory_of(stored, lengths);
    }
    return c;
}

std::string length_words(double tokens)
{
    const auto whole = [](double v) { return std::fabs(v - std::round(v)) < 1e-9; };
    return whole(tokens / 1048576) ? plain_number(tokens / 1048576) + " Mi"
           : whole(tokens / 1024)  ? plain_number(tokens / 1024) + " Ki"
                                   : grouped(std::llround(tokens));
}

Caption context_caption(const ContextCurves& c, const ContextLook& look)
{
    const auto s = static_cast<double>(look.tokens);
    const double cross = crossover_tokens(c.flops, look.mask);
    const double share = scores_share(c.flops, s, look.mask);
    Caption caption;
    caption.sentence =
        fmt::format("At {} tokens attention scores are **{}** of the layers\u2019 FLOPs; doubling the length "
                    "costs **{}\u00d7**. They dominate above **{} tokens**.",
                    grouped(look.tokens), format_percent(share),
                    three_digits(doubling_factor(c.flops, s, look.mask)), grouped(std::llround(cross)));
    const char* half = look.mask == Mask::causal ? " / 2" : "";
    caption.formula = fmt::format("s \u00d7 {} + s\u00b2 \u00d7 {}{} + head s \u00d7 {} = {} forward FLOPs",
                                  figure(c.flops.products, 4), figure(c.flops.scores, 4), half,
                                  figure(c.flops.head, 3), figure(c.flops.total(s, look.mask), 4));
    caption.source = fmt::format(
        "Of all layers, one sequence. Classic model: 24 b s h\u00b2 + 4 b s\u00b2 h per layer, equal at "
        "s = 6 h; causal scores are half, equal at 12 h.\nKorthikanti et al. 2022, arXiv 2205.05198, "
        "appendix A; Dao et al. 2022, arXiv 2205.14135, for scores that are not stored.");
    return caption;
}

} // namespace ringside
