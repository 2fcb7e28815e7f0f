// The same tiny GPT trained across ranks: their lanes as they ran above what was predicted, what each sent
// and keeps, and trouble on purpose.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/lab/plot.h"
#include "ui/views/ranks/bars.h"
#include "ui/views/ranks/bytes.h"
#include "ui/views/ranks/lanes.h"
#include "ui/views/ranks/loss.h"
#include "ui/views/ranks/panel.h"
#include "ui/views/ranks/saves.h"
#include "ui/views/ranks/words.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 3> kPages{"ranks/step", "ranks/bytes", "ranks/saves"};

class RanksView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    float panel_height() const override { return 620; }
    std::vector<std::string> facts(const Frame& frame) const override { return team_facts(*frame.team); }
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        panel_.draw(frame, painter, area, page_, out);
        return true;
    }
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override { turn_to(page_, kPages, page); }

private:
    void look_at(const TeamFrame& team);
    void draw_step(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_start(const Frame& frame, const Painter& painter, Rect area, Out& out) const;
    static void draw_trouble(const Painter& painter, Rect& area, const TeamFrame& team);
    void keys_of_wish(const TeamFrame& team, Out& out);

    RanksPage page_ = RanksPage::step;
    RanksPanel panel_;
    RankBars bars_;
    std::unique_ptr<RankMoment> moment_; // of the last step there was
};

Caption RanksView::caption(const Frame& frame) const
{
    const TeamFrame& team = *frame.team;
    // What went wrong is said on every page.
    const bool trouble = team.is(TeamState::broken) || team.is(TeamState::failed);
    return trouble || page_ == RanksPage::step ? team_caption(team)
           : page_ == RanksPage::bytes         ? bytes_caption(team)
                                               : saves_caption(team);
}

void RanksView::look_at(const TeamFrame& team)
{
    if (!team.started())
    {
        moment_.reset();
        return;
    }
    const auto& trace = team.snapshot->trace;
    if (trace && (!moment_ || moment_->trace != trace))
    {
        moment_ = std::make_unique<RankMoment>(trace, team.snapshot->config);
    }
}

// Before the first start: what will happen, and one thing to press.
void RanksView::draw_start(const Frame& frame, const Painter& p, Rect area, Out& out) const
{
    const TeamFrame& team = *frame.team;
    const Theme& t = p.theme;
    Rect start = area.cut_bottom(std::min(area.h, p.px(56)));
    area.cut_top(area.h > p.px(360) ? p.px(64) : 0);
    area.cut_bottom(p.px(12));
    if (!team.watched.empty())
    {
        say_if_room(p, area, Type::title, t.text, "Nothing to watch yet", p.px(8));
        say_if_room(p, area, Type::body, t.text, team.fault, 0);
        return;
    }
    const bool bytes = page_ == RanksPage::bytes;
    say_if_room(p, area, Type::title, t.text,
                bytes ? "The same GPT, its gradients made smaller on their way"
                      : "One tiny GPT, trained by several ranks while you watch",
                p.px(8));
    const TeamStrategy& strategy = team_strategies()[team.wish.strategy];
    const std::string words =
        team.fault.empty() ? fmt::format("{} on {} ranks: {}.", strategy.name, team.wish.ranks, strategy.says)
                           : team.fault;
    say_if_room(p, area, Type::body, t.text, words, p.px(12));
    if (team.predicted.of)
    {
        say_if_room(p, area, Type::body, t.muted, team_model_words(*team.predicted.of), p.px(12));
    }
    say_if_room(
        p, area, Type::small, t.muted,
        bytes ? "C trains it from the start with one compressor after the other: as it is, bf16, the largest "
                "hundredth with and without feedback, signs, thin factors. G chooses one, Space starts it "
                "alone."
        : page_ == RanksPage::saves
            ? "K chooses how checkpoints are saved while it trains. Synchronous: all ranks stand still until "
              "the storage has everything. Asynchronous: they wait for a copy, which is written meanwhile."
            : "1 to 9, 0 and E choose the strategy, X lets something go wrong on one rank. The weights "
              "stay when "
              "the strategy changes; only a model with experts is another one, and starts anew.",
        p.px(16));
    start = {start.x, std::min(start.y, area.y + p.px(8)), std::min(start.w, p.px(272)), start.h};
    if (bytes)
    {
        if (button(p, start, "Compare compressors###start compare", "C", ButtonStyle::primary))
        {
            out.push(TeamAction(TeamCommand::compare));
        }
    }
    else if (button(p, start, "Start the ranks###start", "Space", ButtonStyle::primary))
    {
        out.push(TeamAction(TeamCommand::run));
    }
}

// What the watchdog found, over the last step that was finished.
void RanksView::draw_trouble(const Painter& p, Rect& area, const TeamFrame& team)
{
    const bool broken = team.is(TeamState::broken);
    if ((!broken && !team.is(TeamState::failed)) || team.snapshot->message.empty())
    {
        return;
    }
    const float inset = p.px(36);
    Rect text{area.x + inset, area.y + p.px(8), area.w - inset - p.px(12), area.h};
    std::string words = team.snapshot->message + ".";
    words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
    if (broken && team.watched.empty())
    {
        words += fmt::format(" Space goes on from step {}{}", team.snapshot->kept,
                             team.can_go_without ? ", D without the missing rank." : ".");
    }
    const float lines = std::ceil(1.12F * p.width(Type::body, words) / std::max(1.0F, text.w));
    const float height = std::min(area.h, lines * p.height(Type::body) * 1.17F + p.px(16));
    const Rect box = area.cut_top(height);
    p.fill(box, p.theme.raised, p.px(6));
    p.outline(box, p.theme.warning, p.px(1.5F), p.px(6));
    p.triangle(box.x + p.px(12), box.y + p.px(20), p.theme.warning);
    p.list.PushClipRect(box.min(), box.max(), true);
    p.paragraph(text, Type::body, p.theme.text, words);
    p.list.PopClipRect();
    area.cut_top(p.px(10));
}

void RanksView::draw_step(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const TeamFrame& team = *frame.team;
    draw_trouble(p, area, team);
    if (area.h < p.px(72))
    {
        return;
    }
    if (!moment_)
    {
        const std::string words = team.is(TeamState::failed)    ? ""
                                  : team.is(TeamState::running) ? "The first step is on its way \u2026"
                                                                : "Press . for the first step.";
        say_if_room(p, area, Type::body, p.theme.muted, words, 0);
        return;
    }
    const auto ranks = static_cast<float>(moment_->names.size());
    const float wanted = std::max(p.px(176), p.px(32) + ranks * p.px(22));
    Rect lower = area.cut_bottom(area.h > p.px(340) ? std::min(wanted, area.h * 0.42F) : 0);
    draw_rank_lanes(p, area, *moment_);
    if (lower.h <= 0)
    {
        return;
    }
    lower.cut_top(p.px(4));
    p.line(lower.x, lower.y, lower.right(), lower.y, p.theme.grid);
    lower.cut_top(p.px(8));
    if (lower.w > p.px(640))
    {
        draw_team_loss(p, lower.cut_right(std::round(lower.w * 0.26F)), *team.snapshot);
        lower.cut_right(p.px(20));
    }
    bars_.draw(frame, p, lower, *moment_->trace, out);
}

void RanksView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const TeamFrame& team = *frame.team;
    look_at(team);
    const bool bytes = page_ == RanksPage::bytes;
    const bool has_steps = team.started() && !team.snapshot->losses.empty();
    if (bytes && (has_steps || !team.earlier.empty()))
    {
        draw_trouble(p, area, team);
        draw_bytes_page(p, area, team);
    }
    else if (page_ == RanksPage::saves && team.started())
    {
        draw_trouble(p, area, team);
        draw_saves_page(p, area, team);
    }
    else if (team.started())
    {
        draw_step(frame, p, area, out);
    }
    else
    {
        draw_start(frame, p, area, out);
    }
}

constexpr std::array kStrategyKeys{ImGuiKey_1, ImGuiKey_2, ImGuiKey_3, ImGuiKey_4, ImGuiKey_5, ImGuiKey_6,
                                   ImGuiKey_7, ImGuiKey_8, ImGuiKey_9, ImGuiKey_0, ImGuiKey_E};

bool typed(char c)
{
    const ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    return std::find(queue.begin(), queue.end(), static_cast<ImWchar>(c)) != queue.end();
}

void RanksView::keys_of_wish(const TeamFrame& team, Out& out)
{
    TeamWish next = team.wish;
    for (std::size_t i = 0; i < team_strategies().size(); ++i)
    {
        if (ImGui::IsKeyPressed(kStrategyKeys.at(i), false))
        {
            next.strategy = i;
        }
    }
    const bool widget_has_keys = !GImGui->NavDisableHighlight && GImGui->NavId != 0;
    const int by = widget_has_keys ? 0
                                   : (ImGui::IsKeyPressed(ImGuiKey_RightArrow) ? 1 : 0) -
                                         (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) ? 1 : 0);
    next = by == 0 ? next : with_other_strategy(next, by);
    if (ImGui::IsKeyPressed(ImGuiKey_G, false) && !ImGui::GetIO().KeyCtrl)
    {
        next.compression = (next.compression + 1) % team_compressions().size();
    }
    if (ImGui::IsKeyPressed(ImGuiKey_K, false) && !ImGui::GetIO().KeyCtrl)
    {
        next.saving.mode =
            static_cast<SaveMode>((static_cast<std::size_t>(next.saving.mode) + 1) % kSaveModes);
    }
    if (ImGui::IsKeyPressed(ImGuiKey_O, false) && !ImGui::GetIO().KeyCtrl)
    {
        next.plain_sgd = !next.plain_sgd;
    }
    next.ranks +=
        (ImGui::IsKeyPressed(ImGuiKey_M, false) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_L, false) ? 1 : 0);
    if (!(next == team.wish))
    {
        out.push(TeamAction(WishTeam{next}));
    }
}

void RanksView::keys(const Frame& frame, Out& out)
{
    const TeamFrame& team = *frame.team;
    const bool widget_has_keys = !GImGui->NavDisableHighlight && GImGui->NavId != 0;
    const bool space = ImGui::IsKeyPressed(ImGuiKey_Space, false);
    // Enter that has just ended typing a value means that value.
    const bool enter =
        ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !team.started() && GImGui->ActiveIdPreviousFrame == 0;
    if ((space || enter) && !widget_has_keys)
    {
        out.push(TeamAction(team.is(TeamState::running) ? TeamCommand::pause : TeamCommand::run));
    }
    if (typed('.'))
    {
        out.push(TeamAction(TeamCommand::step));
    }
    if (ImGui::IsKeyPressed(ImGuiKey_X, false))
    {
        out.push(TeamAction(panel_.trouble(team)));
    }
    if (ImGui::IsKeyPressed(ImGuiKey_D, false) && team.can_go_without)
    {
        out.push(TeamAction(TeamCommand::without));
    }
    if (ImGui::IsKeyPressed(ImGuiKey_T, false))
    {
        panel_.next_mishap();
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Y, false) && !ImGui::GetIO().KeyCtrl)
    {
        page_ = static_cast<RanksPage>((static_cast<std::size_t>(page_) + 1) % kPages.size());
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_C, false) && !ImGui::GetIO().KeyCtrl)
    {
        page_ = RanksPage::bytes;
        out.push(TeamAction(TeamCommand::compare));
    }
    if (ImGui::IsKeyPressed(ImGuiKey_R, false))
    {
        panel_.next_rank(team);
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
    {
        out.push(TeamAction(TeamCommand::clear));
    }
    keys_of_wish(team, out);
}

constexpr std::array kKeys{KeyHelp{"Space", "Start, pause, go on; a broken team from its last state"},
                           KeyHelp{".", "One step, then pause"},
                           KeyHelp{"1 to 9, 0, E", "Strategy; arrow keys go through them"},
                           KeyHelp{"M", "A rank more"},
                           KeyHelp{"L", "A rank less"},
                           KeyHelp{"X", "Let it go wrong, on the rank that is chosen"},
                           KeyHelp{"T", "Another kind of trouble"},
                           KeyHelp{"R", "Another rank for it"},
                           KeyHelp{"G", "Another compressor for the gradients"},
                           KeyHelp{"O", "AdamW or plain SGD; the run starts anew"},
                           KeyHelp{"C", "Compare compressors; once more ends that"},
                           KeyHelp{"Y", "The step, loss against bytes, checkpoints"},
                           KeyHelp{"K", "Checkpoints: none, synchronous, asynchronous"},
                           KeyHelp{"D", "Go on without the rank that is missing"},
                           KeyHelp{"Backspace", "Clear the run"}};

} // namespace

extern const ViewInfo ranks_view;
const ViewInfo ranks_view{
    71,
    "ranks",
    "Lab",
    "Ranks",
    "Who computes, who sends, who waits?",
    "A tiny GPT trained across ranks: lanes, bytes and memory, measured beside predicted",
    {},
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<RanksView>()); },
    kPages};

} // namespace ringside
