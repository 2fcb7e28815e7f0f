#include "ui/views/serving/serving/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace ringside
{

namespace
{

constexpr std::array<double, 14> kBatches{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::array<double, 12> kTokens{16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 131072};
constexpr std::array<double, 21> kAcceptances{0,   .05, .1,  .15, .2,  .25, .3,  .35, .4,  .45, .5,
                                              .55, .6,  .65, .7,  .75, .8,  .85, .9,  .95, 1};
constexpr std::array<double, 8> kCosts{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5};
constexpr std::array<std::int64_t, 3> kWidths{16, 8, 4};

void draw_requests(PanelColumn& column, const ServingSetup& s, ServingWish& w)
{
    constexpr Track kTokenTrack = Track::at(kTokens, say_whole);
    column.slide("Concurrent requests", Track::at(kBatches, say_whole), w.batch);
    column.slide("Prompt, tokens", kTokenTrack, s.prompt, w.prompt);
    column.slide("Output tokens", kTokenTrack, s.output, w.output);
    column.choice("Weight precision (bits)", {"16", "8", "4"}, kWidths, w.weight_bits);
    column.choice("KV-cache precision (bits)", {"16", "8", "4"}, kWidths, w.cache_bits);
    column.toggle("Paged cache", w.paged,
                  "Blocks of 16 tokens, allocated on demand; otherwise preallocation for the maximum length "
                  "(P). Kwon et al. 2023, arXiv 2309.06180");
}

void draw_numbers(PanelColumn& column, const ServingReport& r, ByteUnit unit)
{
    column.fact(
        "KV cache per token", format_bytes(r.model_token, unit),
        r.shape.latent
            ? "One latent and one rotary key for all heads (DeepSeek-V2, section 2.1)"
            : fmt::format("With a key and a value for every query head: {}",
                          format_bytes(r.model_token * (r.shape.widest_layer_numbers / r.shape.layer_numbers),
                                       unit)));
    if (r.shape.window_layers > 0)
    {
        column.fact("Window", fmt::format("{} in {} layers", grouped(r.shape.window), r.shape.window_layers),
                    r.window.source);
    }
    column.fact("TTFT (prefill)", format_seconds(Seconds(r.first_token())),
                fmt::format("Prefill of one prompt, {}; an empty queue",
                            r.prefill.memory_bound() ? "memory-bandwidth-bound" : "compute-bound"));
    column.fact("Decoding step", format_seconds(Seconds(r.decode.total())),
                fmt::format("memory {}, compute {}, all-reduce {}", format_seconds(Seconds(r.decode.memory)),
                            format_seconds(Seconds(r.decode.compute)),
                            format_seconds(Seconds(r.decode.reduce))));
    column.fact("Compute-bound from batch size", fmt::format("{} at once", three_digits(r.balance)),
                "Peak over bandwidth, half the bytes of a weight: from so many requests on weights are read "
                "faster than "
                "multiplied, the cache left out");
}

} // namespace

void draw_serving_panel(PanelColumn& column, const ServingReport& r, ServingWish& w, ByteUnit unit)
{
    draw_requests(column, r.setup, w);
    column.gap();
    if (w.strip == ServingStrip::drafts)
    {
        column.slide("Acceptance rate", Track::at(kAcceptances, format_percent), w.acceptance);
        column.slide("Draft-model cost ratio", Track::at(kCosts, three_digits), w.draft_cost);
        return;
    }
    draw_numbers(column, r, unit);
}

} // namespace ringside
