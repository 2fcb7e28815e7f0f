// Which models does alignment keep: policy, reference, reward and value model of every recipe in bytes, and
// the loss, the hacked reward or the group's advantages below.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/serving/alignment/copies.h"
#include "ui/views/serving/alignment/strip.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kCritics{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2};
constexpr std::array<double, 12> kAnswers{1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr std::array<double, 10> kTokens{256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
constexpr std::array<double, 7> kBetas{0.01, 0.03, 0.05, 0.1, 0.2, 0.5, 1};
constexpr std::array<double, 8> kDoubts{0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4};
constexpr std::array<double, 12> kPenalties{0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.15, 0.25, 0.5, 1, 2};

constexpr std::array<std::string_view, 3> kPages{"alignment/loss", "alignment/hacking", "alignment/group"};

class AlignmentView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override
    {
        turn_to(desk_.wish.strip, kPages, page);
        asked_ = page_index(kPages, page).has_value();
    }

private:
    AlignmentDesk desk_;
    CopyLevels levels_;
    bool asked_ = false; // for what is below: it comes first where there is room for one
};

void AlignmentView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    const AlignmentWish before = desk_.wish;
    const float rows = painter.px(24 + 7 * 26);
    const bool both = area.h > rows + painter.px(160);
    if (both || asked_)
    {
        Rect below = both ? area.cut_bottom(std::max(painter.px(190), area.h * 0.46F)) : area;
        below.cut_top(both ? painter.px(12) : 0);
        if (const auto wish = draw_alignment_strip(painter, below, desk_))
        {
            desk_.wish = *wish;
        }
    }
    if (!both && asked_)
    {
        out.animating = out.animating || !(desk_.wish == before);
        return;
    }
    if (const auto recipe = draw_model_copies(frame, painter, area, desk_, levels_, out))
    {
        desk_.wish.recipe = *recipe;
    }
    out.animating = out.animating || !(desk_.wish == before);
}

Caption AlignmentView::caption(const Frame& frame) const
{
    desk_.update(frame.now.scenario);
    const AlignmentReport& r = desk_.chosen();
    const AlignmentInfo& info = info_of(r.recipe);
    const Term term = explain_alignment(desk_.scenario(), r, desk_.wish.setup);
    const auto trained =
        std::ranges::count_if(r.copies, [](const ModelCopy& c) { return c.state == CopyState::trained; });
    Caption caption;
    caption.sentence = fmt::format("{} keeps **{} model{}**, {} trained: **{}**. It learns from {}.",
                                   info.name, r.copies.size(), r.copies.size() == 1 ? "" : "s", trained,
                                   format_bytes(r.total(), frame.preferences.unit), info.data);
    caption.formula = fmt::format("{} = {} = {}", term.formula, term.working,
                                  format_bytes(Bytes(term.value), frame.preferences.unit));
    caption.source =
        fmt::format("{}.\n16 bytes for a trained parameter (weights and gradients 2 + 2, AdamW 12), 2 for a "
                    "frozen one; activations "
                    "are left out. Loss: Rafailov et al. 2023, equation 7. The hacked reward is a toy in the "
                    "form of Gao et al. "
                    "2022, section 3.1: d (1 \u2212 b d) for best of n, d (1 \u2212 4b ln d) for RL, and a "
                    "policy that stops where "
                    "d \u2212 penalty d\u00b2 is largest. Advantages: Shao et al. 2024, section 4.1.2.",
                    term.source);
    return caption;
}

std::string say_critic(double share)
{
    return fmt::format("{} of policy", format_percent(share));
}

bool AlignmentView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    AlignmentWish& w = desk_.wish;
    PanelColumn column(p, area, out.animating);
    column.slide("Critic size", Track::at(kCritics, say_critic), w.setup.critic);
    column.slide("Concurrent rollouts", Track::at(kAnswers, say_whole), w.setup.answers);
    column.slide("Tokens an answer", Track::at(kTokens, say_whole), w.setup.tokens);
    column.toggle("Adapters (LoRA)", w.setup.adapters,
                  "Rank 16 on all linear layers; with its adapters off the policy is the reference, and the "
                  "value model the reward model (A)");
    column.toggle("GRPO: checked reward", w.setup.rules,
                  "Right or wrong is checked by a rule or a test, without a reward model (V)");
    column.gap();
    if (w.strip == AlignmentStrip::loss)
    {
        column.slide("DPO\u2019s beta", Track::at(kBetas, three_digits), w.beta);
    }
    if (w.strip == AlignmentStrip::hacking)
    {
        column.slide("Reward model\u2019s error, b", Track::at(kDoubts, three_digits), w.doubt);
        column.slide("KL coefficient", Track::at(kPenalties, three_digits), w.penalty);
    }
    return true;
}

ViewKeys AlignmentView::keys()
{
    const auto above = [this](bool& on)
    {
        return [this, &on]
        {
            on = !on;
            asked_ = false;
        };
    };
    return {{"1 \u2026 7", "SFT, reward model, PPO, GRPO, DPO, KTO, ORPO",
             [this](const KeyPress& k)
             {
                 desk_.wish.recipe = static_cast<AlignmentRecipe>(k.which);
                 asked_ = false;
             }},
            {"Y", "DPO\u2019s loss, hacking, a group",
             [this]
             {
                 turn(desk_.wish.strip, kPages.size());
                 asked_ = true;
             }},
            {"A", "Adapters, or everything trained", above(desk_.wish.setup.adapters)},
            {"V", "GRPO: reward checked, or from a model", above(desk_.wish.setup.rules)},
            {"drag", "The pair on the loss; where hacking stops"},
            {"click", "A recipe\u2019s row; an answer of the group"}};
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpu"};

} // namespace

extern const ViewInfo alignment_view;
const ViewInfo alignment_view{39,
                              "alignment",
                              "Post-training",
                              "Alignment",
                              "Alignment: PPO, GRPO, DPO",
                              "SFT, PPO, GRPO and DPO by the models in memory; DPO\u2019s loss, reward "
                              "over-optimization, group advantages",
                              kControls,
                              [] { return std::unique_ptr<View>(std::make_unique<AlignmentView>()); },
                              kPages};

} // namespace ringside
