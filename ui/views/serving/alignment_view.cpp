// Which models RLHF keeps in memory: policy, reference, reward and value model of every recipe in bytes;
// DPO's loss, reward over-optimization, and the advantages of a group.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/alignment/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 4> kPages{"alignment/memory", "alignment/loss", "alignment/hacking",
                                                 "alignment/group"};

class AlignmentView final : public PagedView<AlignmentState>
{
public:
    AlignmentView()
        : PagedView(kPages, {&copies_of_models_page, &dpo_page, &over_optimization_page, &group_page})
    {
    }

    std::vector<std::string> facts(const Frame& frame) const override
    {
        const AlignmentReport& r = state_.of(frame.now.scenario, state_.recipe);
        return {std::string(info_of(r.recipe).name), counted(std::ssize(r.copies), "model"),
                format_bytes(r.total(), frame.preferences.unit) + " in all",
                fmt::format("{} hold them", counted(gpus_for(frame.now.scenario, r), "GPU"))};
    }
    ViewKeys keys() override
    {
        return {{"1 \u2026 7", "SFT, reward model, PPO, GRPO, DPO, KTO, ORPO",
                 [this](const KeyPress& k) { state_.recipe = static_cast<AlignmentRecipe>(k.which); }},
                turn_key("Memory, DPO loss, over-optimization, group advantages"),
                {"A", "Adapters (LoRA), or full training", flips(state_.setup.adapters)},
                {"V", "GRPO: verifiable reward, or a reward model", flips(state_.setup.rules)},
                {"D", "Advantages in deviations (GRPO), or from the mean alone (Dr. GRPO)",
                 [this] { turn(state_.baseline, std::size_t{2}); }},
                {"drag", "The pair on the DPO loss; where optimization stops"},
                {"click", "A recipe; a response of the group"}};
    }
};

} // namespace

extern const ViewInfo alignment_view{20,
                                     "alignment",
                                     ViewGroup::post_training,
                                     "Alignment",
                                     "Alignment: PPO, GRPO, DPO",
                                     "SFT, PPO, GRPO and DPO by the models in memory; DPO\u2019s loss, "
                                     "reward over-optimization, group advantages",
                                     {"model", "gpu"},
                                     make_view<AlignmentView>,
                                     kPages};

} // namespace ringside
