// Serving: weights and KV cache in a GPU's memory, latency and throughput against batch size; continuous
// batching, PagedAttention and speculative decoding on pages of their own.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/paged_view.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/serving/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kSeconds = 14; // playing takes

constexpr std::array<std::string_view, 4> kPages{"serving/batch", "serving/slots", "serving/pages",
                                                 "serving/drafts"};

struct ServingState
{
    ServingSettings settings;
    ServingLevels levels;
    Derived<std::pair<Scenario, ServingSettings>, ServingModel> made;

    const ServingModel& model(const Frame& frame) const
    {
        return made.of({frame.now.scenario, settings}, serving_model);
    }
};
using ServingRoom = PageRoom<ServingState>;

void draw_batch(const ServingRoom& r)
{
    Rect area = r.area;
    const ServingModel& model = r.state.model(r.frame);
    const bool charted = area.w >= r.p.px(420);
    const Rect tank = charted ? area.cut_left(std::clamp(area.w * 0.26F, r.p.px(170), r.p.px(280))) : area;
    draw_serving_tank(r.frame, r.p, tank, model.report, r.state.levels, r.out);
    if (charted)
    {
        area.cut_left(r.p.px(28));
        if (const auto batch = draw_serving_curves(r.p, area, model))
        {
            r.state.settings.batch = *batch;
            r.out.animating = true;
        }
    }
}

void draw_slots_page(const ServingRoom& r)
{
    draw_serving_slots(r.p, r.area, r.state.model(r.frame), r.frame.playback.t);
}

Motion motion_of_slots(const Frame& frame, ServingState& state)
{
    const auto steps = state.model(frame).held.steps;
    Motion motion;
    motion.duration = static_cast<double>(steps);
    motion.per_second = motion.duration / kSeconds;
    motion.rest = motion.duration * 0.45;
    motion.label = fmt::format("step {:.0f}/{}", std::min(frame.playback.t, motion.duration), steps);
    return motion;
}

void draw_cache_pages(const ServingRoom& r)
{
    draw_serving_pages(r.p, r.area, r.state.model(r.frame));
}

void draw_drafts(const ServingRoom& r)
{
    if (const auto settings = draw_serving_drafts(r.p, r.area, r.state.settings))
    {
        r.state.settings = *settings;
        r.out.animating = true;
    }
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

std::string seconds_of(double seconds)
{
    return format_seconds(Seconds(seconds));
}

// What an engine would make of it.
std::string predicted_words(const Frame& frame, const ServingModel& model)
{
    return !model.report.fits()
               ? std::string()
               : fmt::format(
                     " Predicted with {}: **{}** ({}).", model.engine.name, seconds_of(model.predicted),
                     range_words(frame, model.engine, model.predicted, ServingMeasure::tpot, seconds_of));
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

Caption serving_caption(const Frame& frame, ServingState& state)
{
    const ServingModel& model = state.model(frame);
    const ServingReport& r = model.report;
    const Term term = explain_decode(model.scenario, r);
    return {sentence(r, model.scenario, frame.preferences.unit) + predicted_words(frame, model),
            formula_of(r),
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
    switch (kind)
    {
    case LayerAttention::csa:
        return "CSA";
    case LayerAttention::hca:
        return "HCA";
    case LayerAttention::delta:
        return "Gated delta net";
    case LayerAttention::mamba:
        return "Mamba";
    case LayerAttention::mamba2:
        return "Mamba-2";
    case LayerAttention::hybrid:
        return "Attention and Mamba-2";
    case LayerAttention::conv:
        return "Convolution";
    case LayerAttention::none:
        return "MLP alone";
    default:
        return capitalized(std::string(name_of(kind))) + " attention";
    }
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
    case LayerAttention::hybrid:
        return fmt::format("Keys and values of every token, and a state of {} numbers", figure(a.state, 9));
    case LayerAttention::none:
        return "Nothing";
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

void panel_serving(PanelColumn& column, const ServingRoom& r)
{
    const ServingModel model = r.state.model(r.frame); // before the settings change
    draw_requests(column, model.report.setup, r.state.settings);
    column.gap();
    draw_numbers(column, model.report, r.p.look.unit);
    column.fact("TPOT, predicted", seconds_of(model.predicted),
                fmt::format("{}, with the prompts in between", model.engine.name));
    column.fact("80% range",
                range_words(r.frame, model.engine, model.predicted, ServingMeasure::tpot, seconds_of),
                evidence_words(r.frame, model.engine, ServingMeasure::tpot));
}

void panel_drafts(PanelColumn& column, const ServingRoom& r)
{
    draw_requests(column, r.state.model(r.frame).report.setup, r.state.settings);
    column.gap();
    column.slide("Acceptance rate", Track::at(kAcceptances, format_percent), r.state.settings.acceptance);
    column.slide("Draft-model cost ratio", Track::at(kCosts, three_digits), r.state.settings.draft_cost);
}

constexpr Page<ServingState> kBatchPage{"Batch", draw_batch, panel_serving, serving_caption};
constexpr Page<ServingState> kSlotsPage{"Batching",      draw_slots_page, panel_serving,
                                        serving_caption, motion_of_slots, "Continuous batching"};
constexpr Page<ServingState> kCachePage{"Paging",        draw_cache_pages, panel_serving,
                                        serving_caption, nullptr,          "PagedAttention"};
constexpr Page<ServingState> kDraftsPage{"Speculation",   draw_drafts, panel_drafts,
                                         serving_caption, nullptr,     "Speculative decoding"};

class ServingView final : public PagedView<ServingState>
{
public:
    ServingView() : PagedView(kPages, {&kBatchPage, &kSlotsPage, &kCachePage, &kDraftsPage}) {}

    std::optional<GpuMemory> gpu_memory(const Frame& frame) const override
    {
        const ServingReport& r = state_.model(frame).report;
        return GpuMemory{r.held(), r.capacity};
    }
    std::vector<std::string> facts(const Frame& frame) const override
    {
        const ServingReport& r = state_.model(frame).report;
        std::vector<std::string> all{fmt::format("TP {}", r.setup.gpus), counted(r.setup.batch, "request")};
        if (r.fits())
        {
            all.push_back("TPOT " + format_seconds(Seconds(r.token_seconds())));
            all.push_back(fmt::format("{} tokens/s/GPU", grouped(std::llround(r.tokens_per_gpu()))));
        }
        return all;
    }
    ViewKeys keys() override
    {
        const auto narrower = [](std::int64_t& bits) { return [&bits] { bits = bits > 4 ? bits / 2 : 16; }; };
        return {
            turn_key("Batch size, continuous batching, PagedAttention, speculative decoding"),
            {"W", "Weights in 16, 8 or 4 bits", narrower(state_.settings.weight_bits)},
            {"C", "KV cache in 16, 8 or 4 bits", narrower(state_.settings.cache_bits)},
            {"P", "PagedAttention, or preallocation for the longest request", flips(state_.settings.paged)},
            {"F", "As many requests as fit",
             [this](const KeyPress& k)
             {
                 const std::int64_t most = state_.model(k.frame).report.most;
                 state_.settings.batch = most > 0 ? most : state_.settings.batch;
             }},
            {"drag", "The point: concurrent requests"},
            {"hover", "What a block holds, what a draft token brings"}};
    }
};

} // namespace

extern const ViewInfo serving_view{10,
                                   "serving",
                                   ViewGroup::serving,
                                   "Serving",
                                   "Serving",
                                   "KV cache and weights in memory, latency and throughput against batch "
                                   "size; PagedAttention, continuous batching, speculative decoding",
                                   {"model", "gpu", "tensor"},
                                   make_view<ServingView>,
                                   kPages};

} // namespace ringside
