// A tiny GPT trained across ranks: their lanes as they ran above what was predicted, what each sent and
// keeps, and trouble on purpose.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/pipeline/sound.h"
#include "ui/shell/frame/team_action.h"
#include "ui/shell/paged_view.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/ranks/bars.h"
#include "ui/views/lab/ranks/panel.h"
#include "ui/views/lab/ranks/words.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 3> kPages{"ranks/step", "ranks/bytes", "ranks/saves"};

struct RanksState
{
    RanksPanel panel;
    RankBars bars;
    std::unique_ptr<RankMoment> moment; // of the last step there was

    void look_at(const TeamFrame& team);
};
using RanksRoom = PageRoom<RanksState>;

// What went wrong is said on every page.
template <Caption (*kOf)(const TeamFrame&)>
Caption ranks_page_caption(const Frame& frame, RanksState&)
{
    const TeamFrame& team = *frame.team;
    return team.is(TeamState::broken) || team.is(TeamState::failed) ? team_caption(team) : kOf(team);
}

void RanksState::look_at(const TeamFrame& team)
{
    if (!team.started())
    {
        moment.reset();
        return;
    }
    const auto& trace = team.snapshot->trace;
    if (trace && (!moment || moment->trace != trace))
    {
        moment = std::make_unique<RankMoment>(trace, team.snapshot->config);
    }
}

// Before the first start: what will happen, and one thing to press.
void draw_start(const RanksRoom& r, RanksPage page)
{
    const Painter& p = r.p;
    const Rect area = r.area;
    const TeamFrame& team = *r.frame.team;
    if (!team.watched.empty())
    {
        empty_state(p, area, "Nothing to watch yet", team.fault);
        return;
    }
    const bool bytes = page == RanksPage::bytes;
    const bool compares = bytes && !team.recorded;
    const TeamStrategy& strategy = team_strategies()[team.request.strategy];
    const auto words = [&](Sheet& sheet)
    {
        sheet.say(team.fault.empty()
                      ? fmt::format("{} on {} ranks: {}.", strategy.name, team.request.ranks, strategy.says)
                      : team.fault);
        sheet.gap(12);
        if (team.predicted.of && !team.recorded) // a recording has its own
        {
            sheet.words(Type::body, p.theme.muted, team_model_words(*team.predicted.of));
            sheet.gap(12);
        }
        sheet.note(
            team.recorded ? "1 to 9, 0 and E choose the strategy. A page has no threads, so it plays the "
                            "last steps of a "
                            "recorded run; the desktop program trains live."
            : bytes ? "C trains it from the start with one compressor after the other: none, BF16, top-k 1% "
                      "with and without error feedback, sign, PowerSGD. G chooses one, Space starts it alone."
            : page == RanksPage::saves
                ? "K chooses how checkpoints are saved while it trains. Synchronous: training stalls on all "
                  "ranks until the storage has everything. Asynchronous: it stalls for a copy, which is "
                  "written meanwhile."
                : "1 to 9, 0 and E choose the strategy, X injects a fault on one rank. The weights stay when "
                  "the strategy changes; only a model with experts is another one, and restarts.");
    };
    const bool pressed =
        draw_start_page(p, area, "###ranks start",
                        compares        ? "The same GPT, its gradients compressed before they are sent"
                        : team.recorded ? "One tiny GPT, trained by several ranks"
                                        : "One tiny GPT, trained by several ranks while you watch",
                        words,
                        compares        ? "Compare compressors###start compare"
                        : team.recorded ? "Play the recording###start"
                                        : "Start the ranks###start",
                        compares ? "C" : "Space");
    if (pressed)
    {
        r.out.push(TeamAction(compares ? TeamCommand::compare : TeamCommand::run));
    }
}

// What the watchdog found, over the last step that was finished.
void draw_trouble(const Painter& p, Rect& area, const TeamFrame& team)
{
    const bool broken = team.is(TeamState::broken);
    if ((!broken && !team.is(TeamState::failed)) || team.snapshot->message.empty())
    {
        return;
    }
    const float inset = p.px(36);
    Rect text{area.x + inset, area.y + p.px(8), area.w - inset - p.px(12), area.h};
    std::string words = capitalized(team.snapshot->message + ".");
    if (broken && team.watched.empty())
    {
        words += fmt::format(" Space resumes from step {}{}", team.snapshot->kept,
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

void draw_ranks_step(const RanksRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const auto& moment = r.state.moment;
    const TeamFrame& team = *r.frame.team;
    draw_trouble(p, area, team);
    if (area.h < p.px(72))
    {
        return;
    }
    if (!moment)
    {
        const std::string words = team.is(TeamState::failed)    ? ""
                                  : team.is(TeamState::running) ? "The first step is running \u2026"
                                                                : "Press . for the first step.";
        empty_state(p, area, "", words);
        return;
    }
    const auto ranks = static_cast<float>(moment->names.size());
    const float wanted = std::max(p.px(176), p.px(32) + ranks * p.px(22));
    Rect lower = area.cut_bottom(area.h > p.px(340) ? std::min(wanted, area.h * 0.42F) : 0);
    draw_rank_lanes(p, area, *moment);
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
    r.state.bars.draw(r.frame, p, lower, *moment->trace, r.out);
}

template <RanksPage kPage>
void draw_ranks(const RanksRoom& r)
{
    const TeamFrame& team = *r.frame.team;
    r.state.look_at(team);
    Rect area = r.area;
    const bool has_steps = team.started() && !team.snapshot->losses.empty();
    if (kPage == RanksPage::bytes && (has_steps || !team.earlier.empty()))
    {
        draw_trouble(r.p, area, team);
        draw_bytes_page(r.p, area, team);
    }
    else if (kPage == RanksPage::saves && team.started())
    {
        draw_trouble(r.p, area, team);
        draw_saves_page(r.p, area, team);
    }
    else if (team.started())
    {
        draw_ranks_step(r);
    }
    else
    {
        draw_start(r, kPage);
    }
}

template <RanksPage kPage>
void panel_ranks(PanelColumn& column, const RanksRoom& r)
{
    r.state.panel.draw(column, r.frame, r.p, kPage, r.out);
}

template <RanksPage kPage, Caption (*kCaption)(const TeamFrame&)>
constexpr Page<RanksState> ranks_page(std::string_view tab, std::string_view title)
{
    return {tab, draw_ranks<kPage>, panel_ranks<kPage>, ranks_page_caption<kCaption>, nullptr, title};
}
constexpr Page<RanksState> kStepPage = ranks_page<RanksPage::step, team_caption>("Step", "");
constexpr Page<RanksState> kBytesPage =
    ranks_page<RanksPage::bytes, bytes_caption>("Bytes", "Loss vs bytes sent");
constexpr Page<RanksState> kSavesPage =
    ranks_page<RanksPage::saves, saves_caption>("Checkpoints", "Saved checkpoints");

class RanksView final : public PagedView<RanksState>
{
public:
    RanksView() : PagedView(kPages, {&kStepPage, &kBytesPage, &kSavesPage}) {}

    bool about_scenario() const override { return false; }
    float panel_height() const override { return 620; }
    std::vector<std::string> facts(const Frame& frame) const override { return team_facts(*frame.team); }
    std::shared_ptr<const Score> sound(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    Derived<std::shared_ptr<const TeamStepTrace>, std::shared_ptr<const Score>> sound_;
};

// The step as it ran, slowed down: a rank that waits for the others is silent. What it says is how long each
// worked.
Score score_of_ranks(const RankMoment& moment)
{
    constexpr double kSeconds = 1.5;
    Score score = score_of(moment.real, "rank");
    score.seconds = kSeconds;
    score.take = moment.trace->step;
    std::string idle;
    for (std::size_t r = 0; r < moment.real.ranks(); ++r)
    {
        const double share = 1 - moment.real.busy[r] / std::max(1e-9, moment.real.makespan);
        idle += fmt::format("{} rank {} {}", r > 0 ? "," : "", r, format_percent(std::max(0.0, share)));
    }
    score.caption = fmt::format("step {}; idle:{}", moment.trace->step, idle);
    return score;
}

std::shared_ptr<const Score> RanksView::sound(const Frame& frame) const
{
    const TeamFrame& team = *frame.team;
    state_.look_at(team);
    if (team.is(TeamState::broken))
    {
        Score silence;
        silence.seconds = 1;
        silence.take = -team.snapshot->step - 1;
        silence.caption = fmt::format("silence: {}", team.snapshot->message);
        return std::make_shared<const Score>(std::move(silence));
    }
    return state_.moment == nullptr
               ? nullptr
               : sound_.of(state_.moment->trace, [this](const auto&)
                           { return std::make_shared<const Score>(score_of_ranks(*state_.moment)); });
}

// Asks for the ranks as `change` makes them.
template <class Change>
auto requests(Change change)
{
    return [change](const KeyPress& k)
    {
        TeamRequest next = k.frame.team->request;
        change(next, k.which);
        if (!(next == k.frame.team->request))
        {
            k.out.push(TeamAction(RequestTeam{next}));
        }
    };
}

auto asks(TeamCommand command)
{
    return [command](const KeyPress& k) { k.out.push(TeamAction(command)); };
}

void run_or_pause(const KeyPress& k)
{
    // Enter only starts, and one that has just ended typing a value means that value.
    const TeamFrame& team = *k.frame.team;
    if (k.which == 0 || (!team.started() && GImGui->ActiveIdPreviousFrame == 0))
    {
        k.out.push(TeamAction(team.is(TeamState::running) ? TeamCommand::pause : TeamCommand::run));
    }
}

ViewKeys RanksView::keys()
{
    return {{"Space Enter", "Start, pause, resume; a failed run from its last state", run_or_pause},
            {".", "One step, then pause", asks(TeamCommand::step)},
            {"1 to 9, 0, E", "Strategy",
             requests([](TeamRequest& w, std::size_t which)
                      { w.strategy = which < team_strategies().size() ? which : w.strategy; })},
            {"\u2190 \u2192", "The strategy before, or the next",
             requests([](TeamRequest& w, std::size_t which)
                      { w = with_other_strategy(w, which == 0 ? -1 : 1); })},
            {"M", "A rank more", requests([](TeamRequest& w, std::size_t) { ++w.ranks; })},
            {"L", "A rank less", requests([](TeamRequest& w, std::size_t) { --w.ranks; })},
            {"X", "Inject the fault on the chosen rank",
             [this](const KeyPress& k) { k.out.push(TeamAction(state_.panel.trouble(*k.frame.team))); }},
            {"T", "Another kind of fault", [this] { state_.panel.next_fault(); }},
            {"R", "Another rank for the fault",
             [this](const KeyPress& k) { state_.panel.next_rank(*k.frame.team); }},
            {"G", "Another compressor for the gradients",
             requests([](TeamRequest& w, std::size_t) { turn(w.compression, team_compressions().size()); })},
            {"O", "AdamW or plain SGD; the run restarts",
             requests([](TeamRequest& w, std::size_t) { w.plain_sgd = !w.plain_sgd; })},
            {"C", "Compare compressors; again to end it",
             [this](const KeyPress& k)
             {
                 show(kPages[1]);
                 k.out.push(TeamAction(TeamCommand::compare));
             }},
            turn_key("The step, loss against bytes, checkpoints"),
            {"K", "Checkpoints: none, synchronous, asynchronous",
             requests([](TeamRequest& w, std::size_t) { turn(w.saving.mode, kSaveModes); })},
            {"D", "Resume without the missing rank",
             [](const KeyPress& k)
             {
                 if (k.frame.team->can_go_without)
                 {
                     k.out.push(TeamAction(TeamCommand::without));
                 }
             }},
            {"Backspace", "Clear the run", asks(TeamCommand::clear)}};
}

} // namespace

extern const ViewInfo ranks_view{
    20,
    "ranks",
    ViewGroup::lab,
    "Ranks",
    "Parallel lab",
    "A tiny GPT trained across ranks: lanes, bytes and memory, measured next to predicted",
    {},
    make_view<RanksView>,
    kPages,
    ViewRole::ranks};

} // namespace ringside
