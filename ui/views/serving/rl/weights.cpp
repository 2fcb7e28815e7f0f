// Importance weights of samples that another policy drew: the effective sample size by the length of the
// responses, and the mean that a cap leaves.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/rl/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kTokenSpreads{0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2};
constexpr std::array<double, 7> kWeightCaps{1.5, 2, 3, 5, 10, 20, 100};

double weight_variance(const RlState& state, WeightLevel level, double tokens)
{
    return log_weight_variance(level, state.token_spread * state.token_spread, tokens);
}

double mean_tokens(const RlState& state)
{
    return static_cast<double>(state.setup.answer);
}

double longest_tokens(const RlState& state)
{
    return static_cast<double>(std::max(state.setup.cap, state.setup.answer));
}

PlotAxis response_lengths()
{
    return {10, 1e5, PlotScale::log, "tokens of a response", format_count};
}

void draw_effective(const RlRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, response_lengths(), {0, 1.08, PlotScale::linear, "", format_percent},
              {.title = "Effective sample size, share of the batch", .part = "effective"});
    if (!plot)
    {
        return;
    }
    plot.band_y(0.3, 0.5, with_alpha(t.warning, 0.12F), "verl warns below 30%, wants over 50%");
    const auto share = [&](WeightLevel level) {
        return sampled(plot.x, [&](double n) { return effective_share(weight_variance(r.state, level, n)); });
    };
    plot.line(share(WeightLevel::token), {t.muted, 1.5F}, std::string(name_of(WeightLevel::token)));
    plot.line(share(WeightLevel::response), {t.forward, 3}, std::string(name_of(WeightLevel::response)),
              true);
    for (const double tokens : {mean_tokens(r.state), longest_tokens(r.state)})
    {
        const PlotPoint at{tokens, effective_share(weight_variance(r.state, WeightLevel::response, tokens))};
        plot.dot(at, {t.forward, 6});
        plot.label(at, format_percent(at.y), true);
    }
}

void draw_capped(const RlRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    const double cap = r.state.weight_cap;
    Plot plot(r.p, area, response_lengths(), {0, 1.08, PlotScale::linear, "", plain_number},
              {.title = fmt::format("Mean weight of a response, capped at {:g}", cap),
               .note = "1: not biased",
               .part = "capped"});
    if (!plot)
    {
        return;
    }
    const auto variance = [&](double n) { return weight_variance(r.state, WeightLevel::response, n); };
    plot.line(sampled(plot.x, [&](double n) { return capped_share(variance(n), cap); }), {t.muted, 1.5F},
              "above the cap, share");
    plot.line(sampled(plot.x, [&](double n) { return capped_mean(variance(n), cap); }),
              {t.backward_weight, 3}, "mean weight", true);
    const double tokens = mean_tokens(r.state);
    for (const double y : {capped_share(variance(tokens), cap), capped_mean(variance(tokens), cap)})
    {
        plot.dot({tokens, y}, {t.text, 6});
        plot.label({tokens, y}, three_digits(y), true);
    }
}

void draw_weights_page(const RlRoom& r)
{
    Rect area = r.area;
    if (area.h > r.p.px(360))
    {
        draw_capped(r, area.cut_bottom(std::floor(area.h * 0.46F)));
        area.cut_bottom(r.p.px(14));
    }
    draw_effective(r, area);
}

void panel_weights(PanelColumn& column, const RlRoom& r)
{
    RlState& state = r.state;
    column.slide("Log-ratio of a token, \u03c3", Track::at(kTokenSpreads, three_digits), state.token_spread,
                 "Standard deviation of ln p \u2212 ln q between trainer and sampler");
    column.slide("Cap of the weight", Track::at(kWeightCaps, plain_number), state.weight_cap);
    const double tokens = mean_tokens(state);
    const double variance = weight_variance(state, WeightLevel::response, tokens);
    column.gap();
    column.fact("KL, per token",
                fmt::format("{} nats", three_digits(state.token_spread * state.token_spread / 2)));
    column.fact("Mean response", counted(state.setup.answer, "token"));
    column.fact("Effective, whole response", format_percent(effective_share(variance)));
    column.fact("Effective, per token",
                format_percent(effective_share(weight_variance(state, WeightLevel::token, tokens))));
    column.fact("Above the cap", format_percent(capped_share(variance, state.weight_cap)));
    column.fact("Mean weight, capped", three_digits(capped_mean(variance, state.weight_cap)));
    column.fact("\u03c3 of GSPO\u2019s ratio",
                three_digits(std::sqrt(weight_variance(state, WeightLevel::mean, tokens))),
                "Of the geometric mean over a response");
    column.gap();
    column.note("Weights **per token** have little variance and are biased: they leave out that the tokens "
                "before were sampled by another policy, too.");
}

Caption caption_weights(const Frame&, RlState& state)
{
    const double tokens = mean_tokens(state);
    const double variance = weight_variance(state, WeightLevel::response, tokens);
    return {
        fmt::format(
            "Responses of {} tokens: the effective sample size is **{}** of the batch; capped at {:g}, "
            "the mean weight is **{}**, and {} are cut.",
            grouped(state.setup.answer), format_percent(effective_share(variance)), state.weight_cap,
            three_digits(capped_mean(variance, state.weight_cap)),
            format_percent(capped_share(variance, state.weight_cap))),
        fmt::format(
            "e^(\u2212n \u03c3\u00b2) = e^(\u2212{} \u00d7 {}\u00b2) = {};  GSPO: \u03c3 / \u221an = {}",
            grouped(state.setup.answer), three_digits(state.token_spread),
            format_percent(effective_share(variance)),
            three_digits(std::sqrt(weight_variance(state, WeightLevel::mean, tokens)))),
        "Log-ratios of tokens are taken as independent and normal. Effective sample size: Kish 1965; 50% and "
        "30%, and a cap of 2: verl\u2019s documentation, Rollout Importance Sampling, October 2025. "
        "Geometric mean: GSPO, Zheng et al. 2025, arXiv 2507.18071, section 4.1."};
}

} // namespace

const Page<RlState> rl_weights_page{"Weights",       draw_weights_page, panel_weights,
                                    caption_weights, nullptr,           "Importance weights"};

} // namespace ringside
