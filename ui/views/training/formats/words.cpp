#include "ui/views/training/formats/words.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::string fields(const NumberFormat& f, double value, Overflow overflow)
{
    const std::uint32_t code = encode(f, value, overflow);
    const auto m = static_cast<unsigned>(f.mantissa_bits);
    const std::uint32_t field = (code >> m) & ((1U << static_cast<unsigned>(f.exponent_bits)) - 1U);
    const std::uint32_t mantissa = code & ((1U << m) - 1U);
    const bool minus = (code >> static_cast<unsigned>(f.bits() - 1) & 1U) != 0;
    const double held = decode(f, code);
    if (!std::isfinite(held))
    {
        return fmt::format("exponent {} of {} and mantissa {}: {}", field, field, mantissa,
                           short_figure(held));
    }
    const int exponent = std::max(1, static_cast<int>(field)) - f.bias();
    return fmt::format("{}{} + {}/{}{} \u00d7 2^{} = {}", minus ? "\u2212(" : "(", field == 0 ? 0 : 1,
                       mantissa, 1U << m, ")", exponent, short_figure(held));
}

Caption of_bits(const FormatsState& state, const Frame& frame)
{
    const NumberFormat& f = number_format(shown_format(state, frame));
    const Overflow overflow = overflow_of(state, f);
    const double held = round_to(f, state.value, overflow);
    Caption c;
    c.formula = fields(f, state.value, overflow);
    c.source = std::string(f.source) + "\nTo nearest, ties to even.";
    if (!std::isfinite(held))
    {
        c.sentence = std::isfinite(state.value)
                         ? fmt::format("!!{} overflows!! {}, which ends at {}.", short_figure(state.value),
                                       f.name, exact_power(largest(f)))
                         : fmt::format("These bits of {} stand for **{}**.", f.name, short_figure(held));
        return c;
    }
    const double off = state.value == 0 ? 0 : std::fabs(held / state.value - 1);
    const std::string x = short_figure(state.value);
    const std::string verdict =
        held == state.value ? fmt::format("holds {} **exactly**", x)
        : held == 0         ? fmt::format("!!loses!! {}: it is too close to 0", x)
        : std::fabs(held) >= largest(f) && off > 0.1
            ? fmt::format("cuts {} to its end, **{}**", x, short_figure(held))
            : fmt::format("keeps {} as **{}**, off by {}", x, short_figure(held), format_percent(off));
    c.sentence =
        fmt::format("{} {}; the next number is {} away.", f.name, verdict, exact_power(step_at(f, held)));
    return c;
}

Caption of_sums(const FormatsState& state, const Frame& frame)
{
    Walk walk = state.walk;
    walk.format = shown_format(state, frame);
    const NumberFormat& f = number_format(walk.format);
    const std::vector<double> sums = walk_nearest(walk);
    const std::size_t at = addition_at(state, frame);
    const bool lost = round_to(f, sums[at] + walk.addend, Overflow::saturate) == sums[at];
    const double exact = walk.start + walk.addend * static_cast<double>(walk.steps);
    Caption c;
    c.sentence = lost
                     ? fmt::format("{} + {} is **still {}** in {}: less than half a step is lost every time.",
                                   short_figure(sums[at]), fmt::format("{:.4g}", walk.addend),
                                   short_figure(sums[at]), f.name)
                     : fmt::format("After {} additions {} stands at **{}**; exactly it would be {}.",
                                   walk.steps, f.name, short_figure(sums.back()), short_figure(exact));
    c.formula =
        fmt::format("lost up to half a step = {} / 2 = {};  added: {:.4g}", exact_power(step_at(f, sums[at])),
                    exact_power(lost_addend(f, sums[at])), walk.addend);
    c.source =
        "To nearest, ties to even. At random: up with the share of the way to the next number, so that the "
        "mean is exact (Gupta et al. 2015, arXiv 1502.02551, section 3). This is why a master copy is kept "
        "in FP32 (Micikevicius et al. 2018, arXiv 1710.03740, section 3.1).";
    return c;
}

Caption of_blocks(const FormatsState& state)
{
    const BlockFormat& f = block_format(state.block);
    const Quantized q = quantize(f, state.numbers);
    const NumberFormat& e = number_format(f.element);
    Caption c;
    c.sentence =
        fmt::format("{}: **{:g} bits** a number, RMS error **{}**, {} of the numbers became 0.", f.name,
                    f.bits_per_value(), format_percent(relative_error(state.numbers, q.values)),
                    format_percent(flushed_share(state.numbers, q.values)));
    switch (f.id)
    {
    case BlockId::tensor_fp8:
        c.formula =
            fmt::format("scale = max|v| / {} = {}", exact_power(largest(e)), exact_power(q.scales[0]));
        break;
    case BlockId::mxfp8:
    case BlockId::mxfp4:
        c.formula =
            fmt::format("scale = 2^(floor(log2 max|v|) \u2212 {}) = {};  {} + 8/{} = {:g} bits",
                        e.most_exponent(), exact_power(q.scales[0]), e.bits(), f.block, f.bits_per_value());
        break;
    case BlockId::nvfp4:
        c.formula = fmt::format(
            "scale = E4M3(max|v| / 6 / s) \u00d7 s, s = max / (6 \u00d7 448) = {:.4g};  4 + 8/16 = {:g} bits",
            q.tensor_scale, f.bits_per_value());
        break;
    }
    c.source = f.source;
    return c;
}

Caption of_gradients(const FormatsState& state, const Frame& frame, const LossScaleRuns& runs)
{
    const NumberFormat& f = number_format(shown_format(state, frame));
    const auto& steps = runs.of(state, f.id);
    const LossScaleStep& step = steps[std::min(loss_step_at(state, frame), steps.size() - 1)];
    const RangeShares now = range_shares(f, state.run.spread, step.scale);
    const RangeShares bare = range_shares(f, state.run.spread, 1);
    const auto percent = [](double share)
    { return share < 1e-9 ? std::string("0%") : format_percent(share); };
    Caption c;
    c.sentence = step.overflow
                     ? fmt::format("!!Overflow!!: {} skips this step and halves the scale to {}.", f.name,
                                   exact_power(std::max(1.0, step.scale / 2)))
                     : fmt::format("Times {}, **{}** of the gradients become 0 in {}; unscaled {} would.",
                                   exact_power(step.scale), percent(now.zero), f.name, percent(bare.zero));
    if (step.overflow && !state.run.rule.dynamic)
    {
        c.sentence = fmt::format(
            "!!Overflow!!: {} skips this step, and a fixed scale skips the next like it.", f.name);
    }
    c.formula =
        fmt::format("lost: |g| S <= {};  overflow: |g| S > {};  S = {}", exact_power(underflow_threshold(f)),
                    exact_power(overflow_threshold(f)), exact_power(step.scale));
    c.source =
        "Micikevicius et al. 2018, arXiv 1710.03740, section 3.2. Gradients are made up: log2|g| is normal, "
        "the largest of a million decides about overflow.";
    return c;
}

} // namespace

Caption formats_caption(const FormatsState& state, const Frame& frame, const LossScaleRuns& runs)
{
    switch (state.page)
    {
    case FormatsPage::sums:
        return of_sums(state, frame);
    case FormatsPage::blocks:
        return of_blocks(state);
    case FormatsPage::gradients:
        return of_gradients(state, frame, runs);
    case FormatsPage::bits:
        break;
    }
    return of_bits(state, frame);
}

} // namespace ringside
