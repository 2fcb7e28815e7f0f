// Serving: weights and KV cache in a GPU's memory, latency and throughput against batch size; continuous
// batching, PagedAttention and speculative decoding on pages of their own.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text/text.h"
#include "ui/shell/view.h"
#include "ui/views/serving/serving/pictures.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kSeconds = 14; // playing takes

constexpr std::array<std::string_view, 4> kPages{"serving/batch", "serving/slots", "serving/pages",
                                                 "serving/drafts"};

class ServingView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(page_, kPages, page); }
    std::string_view page_on_show() const override { return name_at(page_, kPages); }
    std::vector<std::string> facts(const Frame& frame) const override;
    std::optional<GpuMemory> gpu_memory(const Frame& frame) const override
    {
        model_.update(frame.now.scenario);
        return GpuMemory{model_.report().held(), model_.report().capacity};
    }

private:
    void draw_batch(const Frame& frame, const Painter& painter, Rect area, Out& out);

    ServingPage page_ = ServingPage::batch;
    ServingModel model_;
    ServingLevels levels_;
};

Motion ServingView::motion(const Frame& frame) const
{
    model_.update(frame.now.scenario);
    if (page_ != ServingPage::slots)
    {
        return {};
    }
    Motion motion;
    motion.duration = static_cast<double>(model_.held().steps);
    motion.per_second = motion.duration / kSeconds;
    motion.rest = motion.duration * 0.45;
    motion.label =
        fmt::format("step {:.0f}/{}", std::min(frame.playback.t, motion.duration), model_.held().steps);
    return motion;
}

void ServingView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    model_.update(frame.now.scenario);
    switch (page_)
    {
    case ServingPage::batch:
        draw_batch(frame, painter, area, out);
        break;
    case ServingPage::slots:
        draw_serving_slots(painter, area, model_, frame.playback.t);
        break;
    case ServingPage::pages:
        draw_serving_pages(painter, area, model_);
        break;
    case ServingPage::drafts:
        if (const auto settings = draw_serving_drafts(painter, area, model_.settings))
        {
            model_.settings = *settings;
            out.animating = true;
        }
        break;
    }
}

void ServingView::draw_batch(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const bool charted = area.w >= painter.px(420);
    const Rect tank =
        charted ? area.cut_left(std::clamp(area.w * 0.26F, painter.px(170), painter.px(280))) : area;
    draw_serving_tank(frame, painter, tank, model_.report(), levels_, out);
    if (charted)
    {
        area.cut_left(painter.px(28));
        if (const auto batch = draw_serving_curves(painter, area, model_))
        {
            model_.settings.batch = *batch;
            out.animating = true;
        }
    }
}

std::vector<std::string> ServingView::facts(const Frame& frame) const
{
    model_.update(frame.now.scenario);
    const ServingReport& r = model_.report();
    std::vector<std::string> all{fmt::format("TP {}", r.setup.gpus), counted(r.setup.batch, "request")};
    if (r.fits())
    {
        all.push_back("TPOT " + format_seconds(Seconds(r.token_seconds())));
        all.push_back(fmt::format("{} tokens/s/GPU", grouped(std::llround(r.tokens_per_gpu()))));
    }
    return all;
}

// " on 32 GPUs, as TP 1 does not hold the model": where they are not the scenario's own.
std::string engine_words(const ServingReport& r, const Scenario& s)
{
    return r.setup.gpus == s.parallel.tensor
               ? std::string()
               : fmt::format(" on {}{}", counted(r.setup.gpus, "GPU"),
                             r.setup.gpus > s.parallel.tensor
                                 ? fmt::format(", as TP {} does not hold the model", s.parallel.tensor)
                                 : "");
}

std::string sentence(const ServingReport& r, const Scenario& s, ByteUnit unit)
{
    if (r.weights > r.capacity)
    {
        return fmt::format(
            "!!The weights alone need {}!! of {} on {}: **shard them further, or use fewer bits**.",
            format_bytes(r.weights, unit), format_bytes(r.capacity, unit),
            r.setup.gpus == 1 ? "one GPU" : fmt::format("each of {} GPUs", r.setup.gpus));
    }
    if (!r.fits())
    {
        return fmt::format("!!{} requests do not fit!!: their KV caches need {}; {} is left, for **{}**.",
                           grouped(r.setup.batch), format_bytes(r.cache(), unit),
                           format_bytes(r.capacity - r.weights, unit), grouped(r.most));
    }
    return fmt::format("{} concurrent requests{}: TPOT **{}**, **{} tokens/s** in total, {}.",
                       grouped(r.setup.batch), engine_words(r, s), format_seconds(Seconds(r.token_seconds())),
                       r.tokens_per_second() < 1e6 ? three_digits(r.tokens_per_second())
                                                   : format_count(r.tokens_per_second()),
                       r.decode.memory_bound() ? "memory-bandwidth-bound" : "compute-bound");
}

// What the TPOT is the sum of.
std::string formula_of(const ServingReport& r)
{
    const auto say = [](double seconds) { return format_seconds(Seconds(seconds)); };
    const bool memory = r.decode.memory_bound();
    return fmt::format(
        "{} + all-reduce + b \u00d7 prefill / output tokens = {} + {} + {} \u00d7 {} / {} = {}",
        memory ? "memory" : "compute", say(memory ? r.decode.memory : r.decode.compute), say(r.decode.reduce),
        grouped(r.setup.batch), say(r.prefill.total()), grouped(r.setup.output), say(r.token_seconds()));
}

Caption ServingView::caption(const Frame& frame) const
{
    model_.update(frame.now.scenario);
    const ServingReport& r = model_.report();
    const Term term = explain_decode(model_.scenario(), r);
    return {sentence(r, model_.scenario(), frame.preferences.unit), formula_of(r),
            fmt::format(
                "Memory: {} = {} = {}; {}.\nA roofline: data-sheet bandwidth and dense 16-bit peak, memory "
                "overlapped with compute, two "
                "all-reduces per layer after them. Quantized weights are dequantized before the GEMM; their "
                "scales "
                "are "
                "left out. TPOT includes a share of every request's prefill. A tenth of the GPU is reserved "
                "for the "
                "forward pass. Iteration-level batching: Yu et al. 2022; PagedAttention: Kwon et al. 2023; "
                "speculative "
                "decoding: Leviathan et al. 2023.",
                term.formula, term.working, format_seconds(Seconds(term.value)), term.source)};
}

constexpr std::array<double, 14> kBatches{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::array<double, 12> kTokens{16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 131072};
constexpr std::array<double, 21> kAcceptances{0,   .05, .1,  .15, .2,  .25, .3,  .35, .4,  .45, .5,
                                              .55, .6,  .65, .7,  .75, .8,  .85, .9,  .95, 1};
constexpr std::array<double, 8> kCosts{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5};
constexpr std::array<std::int64_t, 3> kWidths{16, 8, 4};

void draw_requests(PanelColumn& column, const ServingSetup& s, ServingSettings& w)
{
    constexpr Track kTokenTrack = Track::at(kTokens, say_whole);
    column.slide("Concurrent requests", Track::at(kBatches, say_whole), w.batch);
    column.slide("Prompt tokens", kTokenTrack, s.prompt, w.prompt);
    column.slide("Output tokens", kTokenTrack, s.output, w.output);
    column.choice("Weight bits", {"16", "8", "4"}, kWidths, w.weight_bits);
    column.choice("KV-cache bits", {"16", "8", "4"}, kWidths, w.cache_bits);
    column.toggle("PagedAttention", w.paged,
                  "Blocks of 16 tokens, allocated on demand; otherwise preallocation for the maximum length "
                  "(P). Kwon et al. 2023, arXiv 2309.06180");
}

std::string kind_of(LayerAttention kind)
{
    return kind == LayerAttention::csa   ? "CSA"
           : kind == LayerAttention::hca ? "HCA"
                                         : capitalized(std::string(name_of(kind))) + " attention";
}

// What such a layer keeps and reads.
std::string keeps_of(const AttentionLayers& a)
{
    switch (a.kind)
    {
    case LayerAttention::sparse:
        return fmt::format("An indexer scores every key; attention reads the best {}", figure(a.keys.most));
    case LayerAttention::csa:
        return fmt::format("One key for {} tokens, of which an indexer picks {}, and the last {} tokens",
                           figure(a.keys.every), figure(a.keys.most), figure(a.keys.window));
    case LayerAttention::hca:
        return fmt::format("One key for {} tokens, and the last {} tokens", figure(a.keys.every),
                           figure(a.keys.window));
    default:
        return fmt::format("A state of {} numbers, whatever the context", figure(a.state, 9));
    }
}

void draw_numbers(PanelColumn& column, const ServingReport& r, ByteUnit unit)
{
    column.fact(
        "KV cache per token", format_bytes(r.model_token, unit),
        r.shape.latent
            ? "One latent and one rotary key for all heads (DeepSeek-V2, section 2.1)"
            : fmt::format("With a key and a value per query head (MHA): {}",
                          format_bytes(r.model_token * (r.shape.widest_layer_numbers / r.shape.layer_numbers),
                                       unit)));
    for (const AttentionLayers& a : r.shape.layers)
    {
        if (a.entry > 0)
        {
            column.fact("Window", fmt::format("{} in {} layers", grouped(a.entry), a.layers),
                        "Tokens that a layer looks back at, and so keeps");
        }
        else if (a.entry < 0)
        {
            column.fact(kind_of(a.kind), fmt::format("{} layers", a.layers), keeps_of(a));
        }
    }
    column.fact("TTFT (prefill)", format_seconds(Seconds(r.first_token())),
                fmt::format("Prefill of one prompt, {}; the queue is empty",
                            r.prefill.memory_bound() ? "memory-bandwidth-bound" : "compute-bound"));
    column.fact("Decoding step", format_seconds(Seconds(r.decode.total())),
                fmt::format("memory {}, compute {}, all-reduce {}", format_seconds(Seconds(r.decode.memory)),
                            format_seconds(Seconds(r.decode.compute)),
                            format_seconds(Seconds(r.decode.reduce))));
    column.fact("Compute-bound", fmt::format("batch > {}", three_digits(r.balance)),
                "Peak / bandwidth \u00d7 half the bytes per weight: at larger batch sizes the weights are "
                "read faster "
                "than they are multiplied; the KV cache left out");
}

void draw_settings(PanelColumn& column, const ServingReport& r, ServingSettings& w, ServingPage page,
                   ByteUnit unit)
{
    draw_requests(column, r.setup, w);
    column.gap();
    if (page == ServingPage::drafts)
    {
        column.slide("Acceptance rate", Track::at(kAcceptances, format_percent), w.acceptance);
        column.slide("Draft-model cost ratio", Track::at(kCosts, three_digits), w.draft_cost);
        return;
    }
    draw_numbers(column, r, unit);
}

bool ServingView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    model_.update(frame.now.scenario);
    PanelColumn column(painter, area, out.animating);
    column.choice({"Batch", "Batching", "Paging", "Speculation"}, page_);
    draw_settings(column, model_.report(), model_.settings, page_, painter.look.unit);
    return true;
}

ViewKeys ServingView::keys()
{
    const auto narrower = [](std::int64_t& bits) { return [&bits] { bits = bits > 4 ? bits / 2 : 16; }; };
    return {{"Y", "Batch size, continuous batching, PagedAttention, speculative decoding",
             turns(page_, kPages.size())},
            {"W", "Weights in 16, 8 or 4 bits", narrower(model_.settings.weight_bits)},
            {"C", "KV cache in 16, 8 or 4 bits", narrower(model_.settings.cache_bits)},
            {"P", "PagedAttention, or preallocation for the longest request", flips(model_.settings.paged)},
            {"F", "As many requests as fit",
             [this]
             {
                 const std::int64_t most = model_.report().most;
                 model_.settings.batch = most > 0 ? most : model_.settings.batch;
             }},
            {"drag", "The point: concurrent requests"},
            {"hover", "What a block holds, what a draft token brings"}};
}

} // namespace

extern const ViewInfo serving_view{39,
                                   "serving",
                                   "Serving",
                                   "Serving",
                                   "Serving",
                                   "KV cache and weights in memory, latency and throughput against batch "
                                   "size; PagedAttention, continuous batching, speculative decoding",
                                   {"model", "gpu", "tensor"},
                                   make_view<ServingView>,
                                   kPages};

} // namespace ringside
