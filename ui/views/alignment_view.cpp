// Which models does alignment keep: policy, reference, reward and value model of every recipe in bytes, and
// the loss, the hacked reward or the group's advantages below.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/alignment/copies.h"
#include "ui/views/alignment/strip.h"
#include "ui/widgets/stop_slider.h"

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
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override
    {
        turn_to(desk_.wish.strip, kPages, page);
        asked_ = page_index(kPages, page).has_value();
    }

private:
    bool slide(const Painter& p, Rect& area, const char* label, const std::string& shown,
               std::span<const double> stops, double& value);
    void draw_strip_controls(const Painter& p, Rect& area);

    AlignmentDesk desk_;
    CopyLevels levels_;
    bool asked_ = false; // for what is below: it comes first where there is room for one
    TypedEntry entry_;
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

bool AlignmentView::slide(const Painter& p, Rect& area, const char* label, const std::string& shown,
                          std::span<const double> stops, double& value)
{
    const auto next = stop_slider(p, area.cut_top(p.px(44)), label, shown, stops, value, entry_);
    value = next.value_or(value);
    return next.has_value();
}

void AlignmentView::draw_strip_controls(const Painter& p, Rect& area)
{
    AlignmentWish& w = desk_.wish;
    switch (w.strip)
    {
    case AlignmentStrip::loss:
        slide(p, area, "DPO\u2019s beta", three_digits(w.beta), kBetas, w.beta);
        break;
    case AlignmentStrip::hacking:
        slide(p, area, "Reward model\u2019s error, b", three_digits(w.doubt), kDoubts, w.doubt);
        slide(p, area, "Price on KL", three_digits(w.penalty), kPenalties, w.penalty);
        break;
    case AlignmentStrip::group:
        break;
    }
}

bool AlignmentView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    const AlignmentWish before = desk_.wish;
    AlignmentSetup& s = desk_.wish.setup;
    slide(p, area, "Critic size", fmt::format("{} of policy", format_percent(s.critic)), kCritics, s.critic);
    auto answers = static_cast<double>(s.answers);
    if (slide(p, area, "Answers at once", grouped(s.answers), kAnswers, answers))
    {
        s.answers = std::max<std::int64_t>(1, std::llround(answers));
    }
    auto tokens = static_cast<double>(s.tokens);
    if (slide(p, area, "Tokens an answer", grouped(s.tokens), kTokens, tokens))
    {
        s.tokens = std::max<std::int64_t>(1, std::llround(tokens));
    }
    const auto flip = [&](const char* label, bool& on, std::string_view tip)
    {
        on = toggle(p, area.cut_top(p.px(32)), label, on) ? !on : on;
        tooltip(p, tip);
    };
    flip("Adapters (LoRA)", s.adapters,
         "Rank 16 on all linear layers; with its adapters off the policy is the reference, and the value "
         "model the "
         "reward model (A)");
    flip("GRPO: checked reward", s.rules,
         "Right or wrong is checked by a rule or a test, without a reward model (V)");
    area.cut_top(p.px(8));
    draw_strip_controls(p, area);
    out.animating = out.animating || !(desk_.wish == before);
    return true;
}

void AlignmentView::keys(const Frame&, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    const AlignmentWish before = desk_.wish;
    AlignmentWish& w = desk_.wish;
    for (const AlignmentInfo& info : alignment_recipes())
    {
        w.recipe = pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(info.recipe))) ? info.recipe
                                                                                              : w.recipe;
    }
    if (pressed(ImGuiKey_Y))
    {
        w.strip = static_cast<AlignmentStrip>((static_cast<int>(w.strip) + 1) % 3);
    }
    w.setup.adapters = pressed(ImGuiKey_A) ? !w.setup.adapters : w.setup.adapters;
    w.setup.rules = pressed(ImGuiKey_V) ? !w.setup.rules : w.setup.rules;
    asked_ = w == before ? asked_ : w.strip != before.strip;
    out.animating = out.animating || !(w == before);
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpu"};
constexpr std::array kKeys{KeyHelp{"1 \u2026 7", "SFT, reward model, PPO, GRPO, DPO, KTO, ORPO"},
                           KeyHelp{"Y", "DPO\u2019s loss, hacking, a group"},
                           KeyHelp{"A", "Adapters, or everything trained"},
                           KeyHelp{"V", "GRPO: reward checked, or from a model"},
                           KeyHelp{"drag", "The pair on the loss; where hacking stops"},
                           KeyHelp{"click", "A recipe\u2019s row; an answer of the group"}};

} // namespace

extern const ViewInfo alignment_view;
const ViewInfo alignment_view{
    56,
    "alignment",
    "Serving",
    "Alignment",
    "Which models does alignment keep?",
    "SFT, PPO, GRPO, DPO and kin by the models in memory; DPO\u2019s loss, reward hacking, group advantages",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<AlignmentView>()); },
    kPages};

} // namespace ringside
