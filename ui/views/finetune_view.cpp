// What does a fine-tune keep in memory: adapters on the matrices of a block, four recipes side by side, and
// how many cards of the usual sizes each wants.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/finetune/bars.h"
#include "ui/views/finetune/modules.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kGpus{1, 2, 3, 4, 8, 16, 32, 64, 128};

class FinetuneView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    void draw_numbers(const Painter& painter, Rect area) const;

    FinetuneDesk desk_;
    FinetuneLevels levels_;
    TypedEntry entry_;
};

void FinetuneView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    const FinetuneWish before = desk_.wish;
    if (area.w >= painter.px(560))
    {
        Rect left = area.cut_left(std::clamp(area.w * 0.44F, painter.px(240), painter.px(560)));
        area.cut_left(painter.px(24));
        const Rect head = left.cut_top(painter.px(24));
        painter.text_within(head.x, head.middle(), head.w, Type::small_strong, painter.theme.text,
                            fmt::format("A block\u2019s matrices, rank {}", desk_.wish.setup.rank));
        left.h = std::min(left.h, painter.px(520));
        if (const auto wish = draw_lora_modules(painter, left, desk_))
        {
            desk_.wish = *wish;
        }
    }
    if (const auto recipe = draw_finetune_bars(frame, painter, area, desk_, levels_, out))
    {
        desk_.wish.recipe = *recipe;
    }
    out.animating = out.animating || !(desk_.wish == before);
}

// "1 GPU of 48 GB"; the smallest card that one of is enough, else how many of the largest.
std::string say_cards(const FinetuneDesk& desk)
{
    for (std::size_t card = 0; card < kCards.size(); ++card)
    {
        if (desk.gpus(desk.wish.recipe, card) == 1)
        {
            return fmt::format("fits on **one GPU of {:.0f} GB**", kCards[card]);
        }
    }
    const std::int64_t most = desk.gpus(desk.wish.recipe, kCards.size() - 1);
    return most == 0 ? fmt::format("!!fits on no number of {:.0f} GB GPUs!!: its activations are too much",
                                   kCards.back())
                     : fmt::format("wants **{} GPUs of {:.0f} GB**", grouped(most), kCards.back());
}

Caption FinetuneView::caption(const Frame& frame) const
{
    desk_.update(frame.now.scenario);
    const FinetuneReport& r = desk_.chosen();
    const Term term = explain_adapters(desk_.scenario(), r);
    Caption caption;
    caption.sentence = fmt::format("{} trains **{}** of {} parameters ({}), keeps {} and {}.",
                                   name_of(r.recipe), format_count(static_cast<double>(r.trained)),
                                   format_count(static_cast<double>(r.parameters)), format_percent(r.share()),
                                   format_bytes(r.total(), frame.preferences.unit), say_cards(desk_));
    caption.formula = fmt::format("{} = {} = {}", term.formula, term.working, format_count(term.value));
    caption.source = fmt::format(
        "{}{}AdamW in mixed precision keeps 2 + 2 + 12 bytes for each trained parameter, the 8-bit optimizer "
        "2 + 2 + 2. "
        "QLoRA keeps the blocks\u2019 linear layers in 4 bit with scales, embedding, norms, routers and head "
        "in 16; "
        "texts that quantize all parameters come out lower. Activations are those of training everything, an "
        "upper "
        "bound. Cards with their whole nameplate; what is sharded is gathered two layers at a time.",
        term.source, term.source.empty() ? "" : ".\n");
    return caption;
}

void FinetuneView::draw_numbers(const Painter& p, Rect area) const
{
    const FinetuneReport& r = desk_.chosen();
    const auto line = [&](std::string_view label, const std::string& value)
    {
        const Rect row = area.cut_top(p.px(25));
        const float w =
            p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, value, Align::right);
        p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::small, p.theme.muted, label);
    };
    line("Trained", format_percent(r.share()));
    line("Adapter file, 16 bit", r.recipe == FinetuneRecipe::full
                                     ? format_bytes(Bytes(2 * static_cast<double>(r.parameters)), p.look.unit)
                                     : format_bytes(Bytes(2 * static_cast<double>(r.trained)), p.look.unit));
    if (r.recipe == FinetuneRecipe::dora)
    {
        line("Magnitudes", format_count(static_cast<double>(r.magnitudes)));
    }
    line("FLOPs a token", fmt::format("{:g} \u00d7 P", r.token_flops));
    line("Bits a base weight",
         three_digits(8 * (r.of(FinetunePart::base) + r.of(FinetunePart::scales)).value *
                      static_cast<double>(r.setup.gpus) / static_cast<double>(r.parameters)));
}

bool FinetuneView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    const FinetuneWish before = desk_.wish;
    FinetuneSetup& s = desk_.wish.setup;
    const auto slide = [&](const char* label, std::span<const double> stops, std::int64_t& value)
    {
        if (const auto next = stop_slider(p, area.cut_top(p.px(44)), label, grouped(value), stops,
                                          static_cast<double>(value), entry_))
        {
            value = std::max<std::int64_t>(1, std::llround(*next));
        }
    };
    const auto flip = [&](const char* label, bool& on, std::string_view tip)
    {
        on = toggle(p, area.cut_top(p.px(32)), label, on) ? !on : on;
        tooltip(p, tip);
    };
    slide("Rank r", kRanks, s.rank);
    slide("Sharded over, GPUs", kGpus, s.gpus);
    flip("Checkpointing", s.checkpointing,
         "A layer\u2019s activations are computed again in the backward (G)");
    flip("Double quantization", s.double_quantized,
         "The scales of the 4-bit base, 32 bits for 64 weights, are themselves kept in 8 bit: 0.127 instead "
         "of 0.5 "
         "bits a weight (D). Dettmers et al. 2023, section 3");
    flip("8-bit optimizer", s.eight_bit, "Two moments of one byte, no master copy (O). Dettmers et al. 2022");
    flip("Paged optimizer", s.paged,
         "The optimizer\u2019s state may move to the host while activations peak (P); hatched, it is not "
         "counted for "
         "the cards. Dettmers et al. 2023, section 3");
    area.cut_top(p.px(6));
    draw_numbers(p, area);
    out.animating = out.animating || !(desk_.wish == before);
    return true;
}

void FinetuneView::keys(const Frame&, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    const FinetuneWish before = desk_.wish;
    FinetuneWish& w = desk_.wish;
    for (const FinetuneRecipe recipe : kRecipes)
    {
        w.recipe = pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(recipe))) ? recipe : w.recipe;
    }
    const auto flip = [&](ImGuiKey key, bool& on) { on = pressed(key) ? !on : on; };
    flip(ImGuiKey_G, w.setup.checkpointing);
    flip(ImGuiKey_D, w.setup.double_quantized);
    flip(ImGuiKey_O, w.setup.eight_bit);
    flip(ImGuiKey_P, w.setup.paged);
    if (pressed(ImGuiKey_R))
    {
        w.setup.rank = w.setup.rank >= 512 ? 1 : w.setup.rank * 2;
    }
    if (pressed(ImGuiKey_A))
    {
        w.setup.modules = w.setup.modules == kAllLinear ? kQueriesAndValues : kAllLinear;
    }
    out.animating = out.animating || !(w == before);
}

constexpr std::array<std::string_view, 3> kControls{"model", "micro_batch", "training.sequence_length"};
constexpr std::array kKeys{KeyHelp{"1 \u2026 4", "Full, LoRA, DoRA, QLoRA"},
                           KeyHelp{"R", "The next rank"},
                           KeyHelp{"A", "Adapters on all linear layers, or on queries and values"},
                           KeyHelp{"G", "Checkpointing of activations"},
                           KeyHelp{"D", "Double quantization"},
                           KeyHelp{"O", "8-bit optimizer"},
                           KeyHelp{"P", "Paged optimizer"},
                           KeyHelp{"click", "A matrix: give or take its adapter; a bar: look at that recipe"},
                           KeyHelp{"drag", "Across a matrix: the rank"}};

} // namespace

extern const ViewInfo finetune_view;
const ViewInfo finetune_view{
    55,
    "finetune",
    "Serving",
    "Fine-tuning",
    "What does a fine-tune keep?",
    "LoRA on chosen matrices, QLoRA and DoRA against training everything; which cards it fits on",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<FinetuneView>()); }};

} // namespace ringside
