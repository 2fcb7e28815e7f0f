// What a fine-tune keeps in memory and how long it takes, for four recipes side by side.
#include "core/base/text/text.h"
#include "ui/views/serving/finetune/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 2> kFinetunePages{"finetune/memory", "finetune/time"};

class FinetuneView final : public PagedView<FinetuneState>
{
public:
    FinetuneView() : PagedView(kFinetunePages, {&kFinetuneMemory, &kFinetuneTime}) {}

    std::vector<std::string> facts(const Frame& frame) const override
    {
        const FinetuneReport& r = state_.model(frame).chosen();
        return {std::string(name_of(r.recipe)), format_percent(r.share()) + " of parameters trained",
                counted(r.setup.gpus, "GPU")};
    }
    std::optional<GpuMemory> gpu_memory(const Frame& frame) const override
    {
        return GpuMemory{state_.model(frame).chosen().least(),
                         Bytes(frame.now.scenario.cluster.gpu.memory_gb * 1e9)};
    }
    ViewKeys keys() override
    {
        return {{"1 \u2026 4", "Full, LoRA, DoRA, QLoRA",
                 [this](const KeyPress& k) { state_.settings.recipe = kRecipes[k.which]; }},
                turn_key("Memory, time"),
                {"R", "The next rank",
                 [&rank = state_.settings.setup.rank] { rank = rank >= 512 ? 1 : rank * 2; }},
                {"A", "Adapters on all linear layers, or on queries and values",
                 [&used = state_.settings.setup.modules]
                 { used = used == kAllLinear ? kQueriesAndValues : kAllLinear; }},
                {"G", "Checkpointing of activations", flips(state_.settings.setup.checkpointing)},
                {"D", "Double quantization", flips(state_.settings.setup.double_quantized)},
                {"O", "8-bit optimizer", flips(state_.settings.setup.eight_bit)},
                {"P", "Paged optimizer", flips(state_.settings.setup.paged)},
                {"click", "A matrix: add or remove its adapter; a bar: choose that recipe"},
                {"drag", "Across a matrix: the rank"}};
    }
};

} // namespace

extern const ViewInfo finetune_view{10,
                                    "finetune",
                                    ViewGroup::post_training,
                                    "Fine-tuning",
                                    "Fine-tuning: LoRA, QLoRA, DoRA",
                                    "LoRA on chosen matrices, QLoRA and DoRA against full fine-tuning; which "
                                    "GPUs it fits on, and how long a step takes",
                                    {"model", "micro_batch", "training.sequence_length"},
                                    make_view<FinetuneView>,
                                    kFinetunePages};

} // namespace ringside
