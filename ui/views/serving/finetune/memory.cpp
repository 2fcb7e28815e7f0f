// Memory: adapters on the matrices of a block, four recipes side by side, and how many GPUs of the usual
// sizes each needs.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/finetune/pages.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kGpus{1, 2, 3, 4, 8, 16, 32, 64, 128};

void draw_memory_page(const FinetuneRoom& r)
{
    const Painter& painter = r.p;
    Rect area = r.area;
    const FinetuneModel& model = r.state.model(r.frame);
    FinetuneSettings& settings = r.state.settings;
    const FinetuneSettings before = settings;
    if (area.w >= painter.px(560))
    {
        Rect left = area.cut_left(std::clamp(area.w * 0.44F, painter.px(240), painter.px(680)));
        area.cut_left(painter.px(24));
        const Rect head = left.cut_top(painter.px(24));
        painter.text_within(
            head.x, head.middle(), head.w, Type::small_strong, painter.theme.text,
            fmt::format("Adapters on one block, rank {}, weights to scale", model.settings.setup.rank));
        if (const auto changed = draw_lora_modules(painter, left, model))
        {
            settings = *changed;
        }
    }
    if (const auto recipe = draw_finetune_bars(r.frame, painter, area, model, r.state.levels, r.out))
    {
        settings.recipe = *recipe;
    }
    r.out.animating = r.out.animating || !(settings == before);
}

// "1 GPU of 48 GB"; the smallest card that one of is enough, else how many of the largest.
std::string say_cards(const FinetuneModel& model)
{
    for (std::size_t card = 0; card < kCards.size(); ++card)
    {
        if (model.gpus_of(model.settings.recipe, card) == 1)
        {
            return fmt::format("fits on **one GPU of {:.0f} GB**", kCards[card]);
        }
    }
    const std::int64_t most = model.gpus_of(model.settings.recipe, kCards.size() - 1);
    return most == 0 ? fmt::format(
                           "!!does not fit on any number of {:.0f} GB GPUs!!: its activations are too large",
                           kCards.back())
                     : fmt::format("needs **{} GPUs of {:.0f} GB**", grouped(most), kCards.back());
}

Caption memory_caption(const Frame& frame, FinetuneState& state)
{
    const FinetuneModel& model = state.model(frame);
    const FinetuneReport& r = model.chosen();
    const Term term = explain_adapters(model.scenario, r);
    return {
        fmt::format("{} trains **{}** of {} parameters ({}), takes {} and {}.", name_of(r.recipe),
                    format_count(static_cast<double>(r.trained)),
                    format_count(static_cast<double>(r.parameters)), format_percent(r.share()),
                    format_bytes(r.total(), frame.preferences.unit), say_cards(model)),
        fmt::format("{} = {} = {}", term.formula, term.working, format_count(term.value)),
        fmt::format(
            "{}{}AdamW in mixed precision keeps 2 + 2 + 12 bytes per trained parameter, the 8-bit optimizer "
            "2 + 2 + 2. "
            "QLoRA keeps the blocks\u2019 linear layers in 4-bit with scales, embedding, norms, routers and "
            "head "
            "in 16; "
            "texts that quantize all parameters come out lower. Activations are those of full training, an "
            "upper "
            "bound. Cards count with their nameplate capacity; sharded weights are gathered two layers at a "
            "time.",
            term.source, term.source.empty() ? "" : ".\n")};
}

void draw_numbers(PanelColumn& column, const FinetuneReport& r, ByteUnit unit)
{
    const std::int64_t saved = r.recipe == FinetuneRecipe::full ? r.parameters : r.trained;
    column.fact("Trainable parameters", format_percent(r.share()));
    column.fact("Adapter file, 16-bit", format_bytes(Bytes(2 * static_cast<double>(saved)), unit));
    if (r.recipe == FinetuneRecipe::dora)
    {
        column.fact("DoRA magnitude vectors", format_count(static_cast<double>(r.magnitudes)));
    }
    column.fact("FLOPs per token", fmt::format("{:g} \u00d7 P", r.token_flops));
    column.fact("Bits per base weight",
                three_digits(8 * (r.of(FinetunePart::base) + r.of(FinetunePart::scales)).value *
                             static_cast<double>(r.setup.gpus) / static_cast<double>(r.parameters)));
}

} // namespace

void panel_finetune(PanelColumn& column, const FinetuneRoom& r)
{
    FinetuneSetup& s = r.state.settings.setup;
    column.slide("Rank r", Track::at(kRanks, say_whole), s.rank);
    column.slide("Sharded over GPUs", Track::at(kGpus, say_whole), s.gpus);
    column.toggle("Activation checkpointing", s.checkpointing,
                  "A layer\u2019s activations are recomputed in the backward pass (G)");
    column.toggle("Double quantization", s.double_quantized,
                  "The scales of the 4-bit base, 32 bits for 64 weights, are themselves kept in 8-bit: 0.127 "
                  "instead of 0.5 bits per weight (D). Dettmers et al. 2023, section 3");
    column.toggle("8-bit optimizer", s.eight_bit,
                  "Two moments of one byte, no master copy (O). Dettmers et al. 2022");
    column.toggle(
        "Paged optimizer", s.paged,
        "Optimizer states may be paged to the host while activations peak (P); hatched, they are not "
        "counted for the cards. Dettmers et al. 2023, section 3");
}

namespace
{

void panel_memory(PanelColumn& column, const FinetuneRoom& r)
{
    panel_finetune(column, r);
    column.gap();
    draw_numbers(column, r.state.model(r.frame).chosen(), r.p.look.unit);
}

} // namespace

const Page<FinetuneState> kFinetuneMemory{"Memory", draw_memory_page, panel_memory, memory_caption};

} // namespace ringside
